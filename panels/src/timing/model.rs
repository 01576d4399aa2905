//! Timings without their drawing.

use crate::format;
use crate::view::View;
use std::ops::Range;
use std::time::Duration;
use vivarium_world::inspect::{TickSample, TimingRow, TimingView};

/// How a tick went against its budget, the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Load {
    /// At most half of it.
    Light,
    /// Within it.
    Full,
    /// Beyond it.
    Over,
}

impl Load {
    /// The load of a tick that took `took` of `budget`. Without a budget every tick is light.
    pub(super) fn of(took: Duration, budget: Duration) -> Self {
        match took {
            _ if budget.is_zero() => Self::Light,
            took if took > budget => Self::Over,
            took if took * 2 > budget => Self::Full,
            _ => Self::Light,
        }
    }

    /// It in words.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Light => "within half its budget",
            Self::Full => "within its budget",
            Self::Over => "over its budget",
        }
    }
}

/// A step in milliseconds as a span; zero if it is none.
pub(super) fn budget(step: f64) -> Duration {
    Duration::try_from_secs_f64(step / 1000.0).unwrap_or_default()
}

/// The ticks each bar of a strip of `bars` stands for: the last ones, one a bar while there is room.
pub(super) fn bars(ticks: usize, bars: usize) -> Vec<Range<usize>> {
    let bars = bars.clamp(1, ticks.max(1));
    (0..bars).map(|n| n * ticks / bars..(n + 1) * ticks / bars).filter(|range| !range.is_empty()).collect()
}

/// The slowest of some ticks; the first of equals.
pub(super) fn slowest(ticks: &[TickSample]) -> Option<&TickSample> {
    ticks.iter().reduce(|a, b| if b.took > a.took { b } else { a })
}

/// What a strip of bars shows at full height: the slowest tick, unless it towers over the others so far that
/// nothing would be seen of them.
pub(super) fn full_height(ticks: &[TickSample]) -> Duration {
    let mut times: Vec<_> = ticks.iter().map(|tick| tick.took).collect();
    times.sort_unstable();
    let Some(&slowest) = times.last() else { return Duration::ZERO };
    let usual = times[(times.len() - 1) * 95 / 100];
    slowest.min(usual.saturating_mul(4).max(Duration::from_nanos(1)))
}

/// The part of the whole update a row stands for: of all runs of a window, not of one.
pub(super) fn share(timing: &TimingView, row: &TimingRow) -> f64 {
    let sum = |row: &TimingRow| row.avg.as_secs_f64() * row.samples as f64;
    let whole = timing.rows.iter().find(|row| row.system.is_none()).map_or(0.0, sum);
    if whole > 0.0 { sum(row) / whole } else { 0.0 }
}

/// The runs of a tick by worker, the world thread first.
pub(super) fn lanes(tick: &TickSample) -> Vec<(Option<usize>, Vec<usize>)> {
    let mut lanes: std::collections::BTreeMap<Option<usize>, Vec<usize>> = Default::default();
    for (at, (_, _, _, worker)) in tick.runs.iter().enumerate() {
        lanes.entry(*worker).or_default().push(at);
    }
    lanes.into_iter().collect()
}

/// The table as text, a line a row, tabs between.
pub(super) fn as_text(view: &View<'_>, timing: &TimingView) -> String {
    let mut text = format!("tick {}\tavg\tmin\tmax\tsamples\teffects\tshare\n", view.snapshot.status.tick);
    for row in &timing.rows {
        let times = [row.avg, row.min, row.max].map(format::duration).join("\t");
        let effects = format::duration(row.effects);
        text.push_str(&format!(
            "{}\t{times}\t{}\t{effects}\t{}\n",
            row.name,
            row.samples,
            format::percent(share(timing, row))
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    #[test]
    fn a_tick_is_judged_by_its_step() {
        let budget = budget(16.0);
        let load = |millis| Load::of(Duration::from_millis(millis), budget);
        assert_eq!(
            [0, 8, 9, 16, 17].map(load),
            [Load::Light, Load::Light, Load::Full, Load::Full, Load::Over]
        );
        assert_eq!(Load::of(Duration::from_secs(9), Duration::ZERO), Load::Light);
        assert_eq!(super::budget(f64::NAN), Duration::ZERO);
    }

    #[test]
    fn bars_cover_every_tick_once() {
        for (ticks, count) in [(0, 10), (3, 10), (10, 10), (1_000, 7), (204, 100)] {
            let bars = bars(ticks, count);
            assert!(bars.len() <= count);
            let covered: Vec<_> = bars.into_iter().flatten().collect();
            assert_eq!(covered, (0..ticks).collect::<Vec<_>>(), "{ticks} in {count}");
        }
    }

    #[test]
    fn one_slow_tick_does_not_flatten_the_others() {
        let tick = |millis| TickSample { took: Duration::from_millis(millis), ..TickSample::default() };
        let mut ticks: Vec<_> = (0..100).map(|_| tick(2)).collect();
        assert_eq!(full_height(&ticks), Duration::from_millis(2));
        ticks.push(tick(5));
        assert_eq!(full_height(&ticks), Duration::from_millis(5));
        ticks.push(tick(900));
        assert_eq!(full_height(&ticks), Duration::from_millis(8));
        assert_eq!(full_height(&[]), Duration::ZERO);
    }

    #[test]
    fn shares_are_of_the_update() {
        let fixture = Fixture::paused();
        let timing = fixture.snapshot.timing.as_ref().unwrap();
        assert!((share(timing, &timing.rows[1]) - 600.0 / 900.0).abs() < 1e-9);
        assert!((share(timing, &timing.rows[0]) - 1.0).abs() < 1e-9);
        assert_eq!(share(&TimingView::default(), &timing.rows[1]), 0.0);
    }

    #[test]
    fn runs_lie_in_a_lane_for_each_worker() {
        let fixture = Fixture::paused();
        let tick = &fixture.snapshot.timing.as_ref().unwrap().ticks[0];
        assert_eq!(lanes(tick), [(None, vec![1]), (Some(0), vec![0])]);
    }

    #[test]
    fn the_table_copies_as_text() {
        let fixture = Fixture::paused();
        let text = as_text(&fixture.view(), fixture.snapshot.timing.as_ref().unwrap());
        assert!(text.contains("move\t600 µs\t300 µs\t1.2 ms\t60\t60.0 µs\t67 %\n"), "{text}");
    }
}
