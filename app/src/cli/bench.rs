//! `vivarium bench`: how fast a scene runs, and whether that became slower.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::arguments::{Format, FormatArguments, WorldArguments, thread_count};
use super::exit::{Exit, Failure};
use super::open::{SceneText, threads_or_default};
use super::output::Output;
use super::steps::{Steps, Then, Tick};
use super::{Offer, report};
use crate::files::{read_scene, write_atomic};

#[derive(Debug, Args)]
pub(super) struct BenchArguments {
    #[command(flatten)]
    pub(super) world: WorldArguments,
    /// Steps to measure in each run
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) ticks: u64,
    /// Steps before measuring begins
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) warmup: u64,
    /// How often the scene is loaded and run
    #[arg(long, value_name = "R", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(super) runs: u32,
    /// Worker threads; 0 does everything on one [default: one a core]
    #[arg(long, value_name = "N", value_parser = thread_count())]
    pub(super) threads: Option<u16>,
    /// Write the measurement to this file, for a later --baseline
    #[arg(long, value_name = "FILE")]
    pub(super) export: Option<PathBuf>,
    /// Compare with the measurement in this file
    #[arg(long, value_name = "FILE")]
    pub(super) baseline: Option<PathBuf>,
    /// Fail if the mean tick is slower than the baseline's by more than this
    #[arg(long, value_name = "PERCENT", requires = "baseline", value_parser = percent)]
    #[arg(allow_negative_numbers = true)]
    pub(super) fail_above: Option<f64>,
    #[command(flatten)]
    pub(super) format: FormatArguments,
}

fn percent(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('%').parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        _ => Err("a percentage is a number of 0 or more, such as 10%".into()),
    }
}

pub(super) fn run(arguments: &BenchArguments, offer: &Offer) -> Result<Exit, Failure> {
    let baseline = arguments.baseline.as_deref().map(read_baseline).transpose()?;
    let scene = SceneText::read(&arguments.world.scene, offer)?;
    let threads = threads_or_default(arguments.threads);
    let mut steps = Steps::new(&arguments.world);
    let mut runs = Vec::new();
    for _ in 0..arguments.runs {
        let mut world = scene.load(&arguments.world, threads, offer)?.world;
        let mut stopped = steps.run_silently(&mut world, arguments.warmup)?;
        let mut took = Vec::with_capacity(usize::try_from(arguments.ticks).unwrap_or(0).min(1 << 20));
        let began = Instant::now();
        if stopped.is_none() {
            stopped = steps.run(&mut world, arguments.ticks, |_, Tick { took: tick, .. }| {
                took.push(tick);
                Ok(Then::GoOn)
            })?;
        }
        // What one run leaves half done says nothing about speed.
        if stopped.is_some() || steps.error_count() > 0 {
            return Ok(steps.conclude(stopped));
        }
        runs.push(RunFigures::of(began.elapsed(), took));
    }
    let (name, _) = scene.name_and_text();
    let figures = Figures { schema: 1, scene: name.to_owned(), threads, ticks: arguments.ticks, runs };
    if let Some(path) = &arguments.export {
        // Plain numbers and texts are always JSON.
        let text =
            serde_json::to_string_pretty(&figures).map_err(|error| Failure::new(Exit::Unexpected, error))?;
        write_atomic(path, format!("{text}\n").as_bytes())?;
    }
    let comparison = baseline.map(|baseline| Comparison::of(&baseline, &figures, arguments.fail_above));
    let mut output = Output::stdout();
    match arguments.format.format {
        Format::Text => {
            output.text(&figures.as_text())?;
            if let Some(comparison) = &comparison {
                output.text(&comparison.as_text())?;
            }
            output.flush()?;
        }
        Format::Json => output.json(&json!({
            "schema": 1,
            "measured": figures,
            "medianMeanNs": figures.median_mean(),
            "comparison": comparison,
        }))?,
    }
    Ok(match comparison {
        Some(Comparison { is_regression: true, .. }) => {
            report("slower than the baseline allows");
            Exit::Regression
        }
        _ => Exit::Done,
    })
}

/// What was measured, as it is written to a file. Times are nanoseconds.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Figures {
    schema: u32,
    scene: String,
    threads: usize,
    ticks: u64,
    runs: Vec<RunFigures>,
}

/// One run: the mean is over the time it took as a whole, the others over single ticks.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RunFigures {
    mean_ns: f64,
    min_ns: f64,
    p50_ns: f64,
    p95_ns: f64,
    p99_ns: f64,
    max_ns: f64,
}

impl RunFigures {
    fn of(total: Duration, mut ticks: Vec<Duration>) -> Self {
        ticks.sort_unstable();
        let last = ticks.len().saturating_sub(1);
        // The nearest tick of this rank.
        let rank = |part: f64| {
            let index = (part * last as f64).round() as usize;
            ticks.get(index).map_or(0.0, |tick| tick.as_secs_f64() * 1e9)
        };
        Self {
            mean_ns: total.as_secs_f64() * 1e9 / ticks.len().max(1) as f64,
            min_ns: rank(0.0),
            p50_ns: rank(0.5),
            p95_ns: rank(0.95),
            p99_ns: rank(0.99),
            max_ns: rank(1.0),
        }
    }
}

impl Figures {
    /// The median of the runs' means, in nanoseconds: one disturbed run does not move it.
    fn median_mean(&self) -> f64 {
        let mut means: Vec<f64> = self.runs.iter().map(|run| run.mean_ns).collect();
        means.sort_by(f64::total_cmp);
        let middle = means.len() / 2;
        match (means.get(middle.wrapping_sub(1)), means.get(middle)) {
            (Some(below), Some(above)) if means.len().is_multiple_of(2) => (below + above) / 2.0,
            (_, Some(middle)) => *middle,
            (_, None) => 0.0,
        }
    }

    fn as_text(&self) -> String {
        let mut text = String::new();
        for (number, run) in (1..).zip(&self.runs) {
            let [mean, p50, p95, p99, max] =
                [run.mean_ns, run.p50_ns, run.p95_ns, run.p99_ns, run.max_ns].map(time);
            text.push_str(&format!(
                "run {number}: mean {mean}, p50 {p50}, p95 {p95}, p99 {p99}, max {max}\n"
            ));
        }
        let mean = self.median_mean();
        let rate = 1e9 / mean.max(1e-9);
        text.push_str(&format!(
            "median of means {}, {rate:.0} ticks/s on {} threads\n",
            time(mean),
            self.threads
        ));
        text
    }
}

/// The measurement against an earlier one.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Comparison {
    baseline_ns: f64,
    measured_ns: f64,
    /// How much slower, in percent; negative is faster.
    slower_by: f64,
    allowed: Option<f64>,
    is_regression: bool,
}

impl Comparison {
    fn of(baseline: &Figures, measured: &Figures, allowed: Option<f64>) -> Self {
        let (baseline_ns, measured_ns) = (baseline.median_mean(), measured.median_mean());
        let slower_by = (measured_ns / baseline_ns - 1.0) * 100.0;
        let is_regression = allowed.is_some_and(|allowed| slower_by > allowed);
        Self { baseline_ns, measured_ns, slower_by, allowed, is_regression }
    }

    fn as_text(&self) -> String {
        let [before, now] = [self.baseline_ns, self.measured_ns].map(time);
        let allowed = self.allowed.map_or_else(String::new, |allowed| format!(", allowed {allowed:+} %"));
        format!("baseline {before}, now {now}: {:+.1} %{allowed}\n", self.slower_by)
    }
}

fn read_baseline(path: &Path) -> Result<Figures, Failure> {
    let text = read_scene(path)?;
    let invalid = |message: String| {
        Failure::new(
            Exit::Invalid,
            format_args!("{}: no measurement of `vivarium bench`: {message}", path.display()),
        )
    };
    let figures: Figures = serde_json::from_str(&text).map_err(|error| invalid(error.to_string()))?;
    if figures.schema != 1 {
        return Err(invalid(format!("schema {} is newer than this program", figures.schema)));
    }
    if !figures.runs.iter().all(|run| run.mean_ns > 0.0) || figures.runs.is_empty() {
        return Err(invalid("it has no runs".to_owned()));
    }
    Ok(figures)
}

/// Nanoseconds in the unit that suits them.
fn time(nanoseconds: f64) -> String {
    match nanoseconds {
        1e9.. => format!("{:.2} s", nanoseconds / 1e9),
        1e6.. => format!("{:.2} ms", nanoseconds / 1e6),
        1e3.. => format!("{:.2} µs", nanoseconds / 1e3),
        _ => format!("{nanoseconds:.0} ns"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(means: &[f64]) -> Figures {
        let run = |&mean_ns: &f64| RunFigures { mean_ns, ..RunFigures::of(Duration::ZERO, Vec::new()) };
        Figures {
            schema: 1,
            scene: String::new(),
            threads: 0,
            ticks: 1,
            runs: means.iter().map(run).collect(),
        }
    }

    #[test]
    fn ranks_are_those_of_the_sorted_ticks() {
        let ticks = (1..=101).rev().map(Duration::from_nanos).collect();
        let run = RunFigures::of(Duration::from_nanos(101 * 60), ticks);
        let found = [run.mean_ns, run.min_ns, run.p50_ns, run.p95_ns, run.p99_ns, run.max_ns].map(f64::round);
        assert_eq!(found, [60.0, 1.0, 51.0, 96.0, 100.0, 101.0]);
    }

    #[test]
    fn one_disturbed_run_does_not_move_the_median() {
        assert_eq!(figures(&[2.0, 900.0, 1.0]).median_mean(), 2.0);
        assert_eq!(figures(&[4.0, 2.0]).median_mean(), 3.0);
        assert_eq!(figures(&[5.0]).median_mean(), 5.0);
    }

    #[test]
    fn slower_than_allowed_is_a_regression_and_as_slow_as_allowed_is_none() {
        let compare =
            |now, allowed| Comparison::of(&figures(&[100.0]), &figures(&[now]), allowed).is_regression;
        assert!(compare(111.0, Some(10.0)));
        assert!(!compare(109.0, Some(10.0)));
        assert!(!compare(50.0, Some(0.0)));
        assert!(!compare(900.0, None));
    }

    #[test]
    fn times_have_the_unit_that_suits_them() {
        let found = [12.0, 1_500.0, 2_340_000.0, 1e9].map(time);
        assert_eq!(found, ["12 ns", "1.50 µs", "2.34 ms", "1.00 s"]);
    }
}
