//! What was measured, as files for other programs.

use serde_json::{Value, json};
use std::time::Duration;
use vivarium_world::SystemId;
use vivarium_world::inspect::{TickSample, TimingRow, TimingView, csv_cell};

/// Form of a timings file, by the end of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimingsForm {
    /// A line a system.
    Csv,
    /// Windows, last ticks and slowest ticks.
    Json,
    /// Events for chrome://tracing and Perfetto.
    Trace,
}

impl TimingsForm {
    /// Every form.
    pub const ALL: [Self; 3] = [Self::Csv, Self::Json, Self::Trace];

    /// `.csv`, `.trace.json`, and JSON for anything else.
    pub fn of_name(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        if name.ends_with(".csv") {
            Self::Csv
        } else if name.ends_with(".trace.json") || name.ends_with(".trace") {
            Self::Trace
        } else {
            Self::Json
        }
    }

    /// How names of files in this form end.
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Csv => ".csv",
            Self::Json => ".json",
            Self::Trace => ".trace.json",
        }
    }

    /// What menus call it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Csv => "Table as CSV…",
            Self::Json => "Everything as JSON…",
            Self::Trace => "Ticks as Chrome trace…",
        }
    }

    /// The file's text. `system_name` names the systems of the ticks.
    pub fn write(self, timing: &TimingView, system_name: impl Fn(SystemId) -> String) -> String {
        match self {
            Self::Csv => csv(timing),
            Self::Json => format!("{:#}\n", document(timing, system_name)),
            Self::Trace => format!("{}\n", trace(timing, system_name)),
        }
    }
}

/// Names of the numbers of a row, in the order of [`numbers`].
const NUMBERS: [&str; 9] =
    ["samples", "avgNs", "minNs", "maxNs", "p50Ns", "p95Ns", "p99Ns", "effectsNs", "lastNs"];

/// The numbers of a row; percentiles are none where nobody asked for them.
fn numbers(row: &TimingRow) -> [Option<u64>; 9] {
    let spread = row.distribution.as_ref();
    let percentiles = [spread.map(|it| it.p50), spread.map(|it| it.p95), spread.map(|it| it.p99)];
    let [p50, p95, p99] = percentiles.map(|time| time.map(nanoseconds));
    let [avg, min, max, effects, last] =
        [row.avg, row.min, row.max, row.effects, row.last].map(|time| Some(nanoseconds(time)));
    [Some(row.samples), avg, min, max, p50, p95, p99, effects, last]
}

/// Comma-separated values as RFC 4180 has them.
fn csv(timing: &TimingView) -> String {
    let mut text = format!("name,{}\r\n", NUMBERS.join(","));
    for row in &timing.rows {
        let numbers = numbers(row).map(|number| number.map_or(String::new(), |number| number.to_string()));
        text.push_str(&format!("{},{}\r\n", csv_cell(&row.name), numbers.join(",")));
    }
    text
}

fn document(timing: &TimingView, system_name: impl Fn(SystemId) -> String) -> Value {
    let row = |row: &TimingRow| {
        let numbers = NUMBERS.into_iter().zip(numbers(row));
        let numbers = numbers.map(|(name, number)| (name.to_owned(), json!(number)));
        Value::Object(std::iter::once(("name".to_owned(), json!(row.name))).chain(numbers).collect())
    };
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
        "rows": timing.rows.iter().map(row).collect::<Vec<_>>(),
        "ticks": timing.ticks.iter().map(tick).collect::<Vec<_>>(),
        "slowest": timing.slowest.iter().map(tick).collect::<Vec<_>>(),
    })
}

/// Lanes of a trace before that of the first worker: ticks, and the world thread.
const LANES: usize = 2;

/// Complete events of the trace format, in microseconds; ticks are laid end to end, as nothing says what lay between.
fn trace(timing: &TimingView, system_name: impl Fn(SystemId) -> String) -> Value {
    let mut events = Vec::new();
    let mut begin = Duration::ZERO;
    let mut lanes = LANES;
    for sample in &timing.ticks {
        events.push(complete(&format!("tick {}", sample.tick), "tick", begin, sample.took, 0));
        for &(system, start, end, worker) in &sample.runs {
            let lane = worker.map_or(1, |worker| worker + LANES);
            lanes = lanes.max(lane + 1);
            let length = end.saturating_sub(start);
            events.push(complete(&system_name(system), "run", begin + start, length, lane));
        }
        begin += sample.took;
    }
    let name = |lane: usize| match lane {
        0 => "ticks".to_owned(),
        1 => "world thread".to_owned(),
        worker => format!("worker {}", worker - LANES),
    };
    events.extend((0..lanes).map(|lane| {
        json!({ "name": "thread_name", "ph": "M", "pid": 1, "tid": lane, "args": { "name": name(lane) } })
    }));
    json!({ "displayTimeUnit": "ns", "traceEvents": events })
}

fn complete(name: &str, category: &str, start: Duration, length: Duration, lane: usize) -> Value {
    let [start, length] = [start, length].map(|time| time.as_secs_f64() * 1e6);
    json!({ "name": name, "cat": category, "ph": "X", "ts": start, "dur": length, "pid": 1, "tid": lane })
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use vivarium_world::inspect::Distribution;

    fn timing() -> TimingView {
        let [one, two, three] = [1, 2, 3].map(Duration::from_micros);
        let update = TimingRow {
            name: "update".into(),
            avg: two,
            min: one,
            max: three,
            samples: 60,
            effects: one,
            last: two,
            ..TimingRow::default()
        };
        let spread = Distribution { p50: one, p95: two, p99: three, buckets: Vec::new() };
        let comma =
            TimingRow { name: "a,b".into(), distribution: Some(Arc::new(spread)), ..TimingRow::default() };
        let runs = vec![(SystemId(4), Duration::ZERO, one, Some(1))];
        let tick = |tick| TickSample { tick, took: three, runs: runs.clone() };
        TimingView {
            window: Duration::from_secs(1),
            rows: vec![update, comma],
            ticks: vec![tick(1), tick(2)],
            slowest: vec![],
        }
    }

    fn parsed(form: TimingsForm) -> Value {
        serde_json::from_str(&form.write(&timing(), |id| format!("system {id}"))).unwrap()
    }

    #[test]
    fn the_form_follows_the_name() {
        assert_eq!(TimingsForm::of_name("out.CSV"), TimingsForm::Csv);
        for form in TimingsForm::ALL {
            assert_eq!(TimingsForm::of_name(&format!("out{}", form.ending())), form);
        }
    }

    #[test]
    fn csv_has_a_line_a_row_in_nanoseconds_and_leaves_out_what_is_not_known() {
        assert_eq!(
            TimingsForm::Csv.write(&timing(), |_| String::new()),
            "name,samples,avgNs,minNs,maxNs,p50Ns,p95Ns,p99Ns,effectsNs,lastNs\r\n\
             update,60,2000,1000,3000,,,,1000,2000\r\n\
             \"a,b\",0,0,0,0,1000,2000,3000,0,0\r\n"
        );
    }

    #[test]
    fn a_trace_lays_ticks_end_to_end_and_names_its_lanes() {
        let trace = parsed(TimingsForm::Trace);
        let events = trace["traceEvents"].as_array().unwrap();
        assert_eq!((&events[0]["ts"], &events[2]["ts"]), (&json!(0.0), &json!(3.0)));
        assert_eq!(events[2]["name"], "tick 2");
        assert_eq!((&events[1]["name"], &events[1]["tid"]), (&json!("system 4"), &json!(3)));
        let names: Vec<_> = events.iter().filter(|event| event["ph"] == "M").collect();
        assert_eq!((names.len(), &names[3]["args"]["name"]), (4, &json!("worker 1")));
    }

    #[test]
    fn json_says_its_schema() {
        let document = parsed(TimingsForm::Json);
        assert_eq!((&document["schema"], &document["rows"][0]["samples"]), (&json!(1), &json!(60)));
        assert_eq!(document["rows"][0]["p50Ns"], Value::Null);
        assert_eq!(document["ticks"][0]["runs"][0]["worker"], 1);
    }
}
