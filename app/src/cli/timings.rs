//! What was measured, as files for other programs.

use std::time::Duration;

use serde_json::{Value, json};
use vivarium_world::SystemId;
use vivarium_world::inspect::{TickSample, TimingView};

use super::table::Table;

/// Form of a timings file, by the end of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimingsForm {
    /// A line a system.
    Csv,
    /// Windows, last ticks and slowest ticks.
    Json,
    /// Events for chrome://tracing and Perfetto.
    Trace,
}

impl TimingsForm {
    /// `.csv`, `.trace.json`, and JSON for anything else.
    pub(super) fn of_name(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        if name.ends_with(".csv") {
            Self::Csv
        } else if name.ends_with(".trace.json") || name.ends_with(".trace") {
            Self::Trace
        } else {
            Self::Json
        }
    }

    /// The file's text. `system_name` names the systems of the ticks.
    pub(super) fn write(self, timing: &TimingView, system_name: impl Fn(SystemId) -> String) -> String {
        match self {
            Self::Csv => rows(timing).to_csv(),
            Self::Json => format!("{:#}\n", document(timing, system_name)),
            Self::Trace => format!("{}\n", trace(timing, system_name)),
        }
    }
}

fn rows(timing: &TimingView) -> Table {
    let mut table = Table::new(["name", "samples", "avgNs", "minNs", "maxNs", "effectsNs"]);
    for row in &timing.rows {
        let [avg, min, max, effects] = [row.avg, row.min, row.max, row.effects].map(nanoseconds);
        table.push(vec![json!(row.name), json!(row.samples), avg, min, max, effects]);
    }
    table
}

fn document(timing: &TimingView, system_name: impl Fn(SystemId) -> String) -> Value {
    let tick = |sample: &TickSample| {
        let runs = sample.runs.iter().map(|&(system, start, end, worker)| {
            let (start, end) = (nanoseconds(start), nanoseconds(end));
            json!({ "system": system_name(system), "startNs": start, "endNs": end, "worker": worker })
        });
        json!({ "tick": sample.tick, "tookNs": nanoseconds(sample.took), "runs": runs.collect::<Vec<_>>() })
    };
    json!({
        "schema": 1,
        "windowNs": nanoseconds(timing.window),
        "rows": rows(timing).to_json(),
        "ticks": timing.ticks.iter().map(tick).collect::<Vec<_>>(),
        "slowest": timing.slowest.iter().map(tick).collect::<Vec<_>>(),
    })
}

/// Complete events of the trace format, in microseconds; ticks are laid end to end, as nothing says what lay between.
fn trace(timing: &TimingView, system_name: impl Fn(SystemId) -> String) -> Value {
    let mut events = Vec::new();
    let mut begin = Duration::ZERO;
    for sample in &timing.ticks {
        events.push(complete(&format!("tick {}", sample.tick), "tick", begin, sample.took, 0));
        for &(system, start, end, worker) in &sample.runs {
            let lane = worker.map_or(1, |worker| worker + 2);
            let length = end.saturating_sub(start);
            events.push(complete(&system_name(system), "run", begin + start, length, lane));
        }
        begin += sample.took;
    }
    json!({ "displayTimeUnit": "ns", "traceEvents": events })
}

fn complete(name: &str, category: &str, start: Duration, length: Duration, lane: usize) -> Value {
    let [start, length] = [start, length].map(|time| time.as_secs_f64() * 1e6);
    json!({ "name": name, "cat": category, "ph": "X", "ts": start, "dur": length, "pid": 1, "tid": lane })
}

fn nanoseconds(time: Duration) -> Value {
    json!(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_world::inspect::TimingRow;

    fn timing() -> TimingView {
        let [one, two, three] = [1, 2, 3].map(Duration::from_micros);
        let row = TimingRow {
            system: None,
            name: "update".into(),
            avg: two,
            min: one,
            max: three,
            samples: 60,
            effects: one,
            ..TimingRow::default()
        };
        let tick = |tick| TickSample { tick, took: three, runs: Vec::new() };
        TimingView {
            window: Duration::from_secs(1),
            rows: vec![row],
            ticks: vec![tick(1), tick(2)],
            slowest: vec![],
        }
    }

    #[test]
    fn the_form_follows_the_name() {
        assert_eq!(TimingsForm::of_name("out.CSV"), TimingsForm::Csv);
        assert_eq!(TimingsForm::of_name("out.trace.json"), TimingsForm::Trace);
        assert_eq!(TimingsForm::of_name("out.json"), TimingsForm::Json);
    }

    #[test]
    fn csv_has_a_line_a_row_in_nanoseconds() {
        let text = TimingsForm::Csv.write(&timing(), |_| String::new());
        assert_eq!(text, "name,samples,avgNs,minNs,maxNs,effectsNs\r\nupdate,60,2000,1000,3000,1000\r\n");
    }

    #[test]
    fn a_trace_lays_ticks_end_to_end() {
        let text = TimingsForm::Trace.write(&timing(), |_| String::new());
        let trace: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(trace["traceEvents"][0]["ts"], 0.0);
        assert_eq!(trace["traceEvents"][1]["ts"], 3.0);
        assert_eq!(trace["traceEvents"][1]["name"], "tick 2");
    }

    #[test]
    fn json_says_its_schema() {
        let text = TimingsForm::Json.write(&timing(), |_| String::new());
        let document: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&document["schema"], &document["rows"][0]["samples"]), (&json!(1), &json!(60)));
    }
}
