//! Timings without their drawing.

use crate::format;
use crate::view::View;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::time::Duration;
use vivarium_world::SystemId;
use vivarium_world::inspect::{SystemView, TickSample, TimingRow, TimingView};

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

/// The tick `by` places after tick number `from`; the nearest there is.
pub(super) fn neighbour(ticks: &[TickSample], from: u64, by: isize) -> Option<&TickSample> {
    let place = ticks.partition_point(|tick| tick.tick < from);
    ticks.get(place.saturating_add_signed(by).min(ticks.len().checked_sub(1)?))
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

/// `tick 1,019: 19.0 ms, over its budget, 2 runs`
pub(super) fn words(tick: &TickSample, budget: Duration) -> String {
    format!(
        "tick {}: {}, {}, {}",
        format::count(tick.tick),
        format::duration(tick.took),
        Load::of(tick.took, budget).words(),
        format::counted(tick.runs.len(), "run")
    )
}

/// The part of the time of all systems that a row stands for: of all runs of a window, not of one. Workers do runs
/// beside the update, so the update is no whole of which they are parts. None for what is no system.
pub(super) fn share(timing: &TimingView, row: &TimingRow) -> Option<f64> {
    let sum = |row: &TimingRow| row.avg.as_secs_f64() * row.samples as f64;
    let whole: f64 = timing.rows.iter().filter(|row| row.system.is_some()).map(sum).sum();
    row.system.map(|_| if whole > 0.0 { sum(row) / whole } else { 0.0 })
}

/// The runs of a tick by who did them: the world thread first, then each of `workers`, whether it had any or not.
pub(super) fn lanes(tick: &TickSample, workers: usize) -> Vec<(Option<usize>, Vec<usize>)> {
    let all = std::iter::once(None).chain((0..workers).map(Some)).map(|worker| (worker, Vec::new()));
    let mut lanes: BTreeMap<Option<usize>, Vec<usize>> = all.collect();
    for (at, (_, _, _, worker)) in tick.runs.iter().enumerate() {
        lanes.entry(*worker).or_default().push(at);
    }
    lanes.into_iter().collect()
}

/// What a lane is called.
pub(super) fn lane_name(worker: Option<usize>) -> String {
    worker.map_or("world thread".to_owned(), |worker| format!("worker {worker}"))
}

/// A line of the table.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row<'a> {
    /// What was measured.
    pub(super) of: &'a TimingRow,
    /// Members at the last run, for systems that have members.
    pub(super) entities: Option<usize>,
    /// Nanoseconds of a run for each of them.
    pub(super) per_entity: Option<f64>,
    /// The part of the time of all systems, for systems.
    pub(super) share: Option<f64>,
}

/// A number of a row, to sort by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum Column {
    /// As they come.
    #[default]
    Name,
    Last,
    Avg,
    Min,
    Max,
    P50,
    P95,
    P99,
    Samples,
    Entities,
    PerEntity,
    Effects,
    Share,
}

impl Column {
    /// In the order of the table.
    pub(super) const ALL: [Self; 13] = [
        Self::Name,
        Self::Last,
        Self::Avg,
        Self::Min,
        Self::Max,
        Self::P50,
        Self::P95,
        Self::P99,
        Self::Samples,
        Self::Entities,
        Self::PerEntity,
        Self::Effects,
        Self::Share,
    ];

    /// Its heading.
    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Last => "last",
            Self::Avg => "avg",
            Self::Min => "min",
            Self::Max => "max",
            Self::P50 => "p50",
            Self::P95 => "p95",
            Self::P99 => "p99",
            Self::Samples => "samples",
            Self::Entities => "entities",
            Self::PerEntity => "per entity",
            Self::Effects => "effects",
            Self::Share => "share",
        }
    }

    /// What it says of a row; none where it says nothing.
    fn value(self, row: &Row<'_>) -> Option<f64> {
        let seconds = |time: Duration| Some(time.as_secs_f64());
        let spread = row.of.distribution.as_ref();
        match self {
            Self::Name => None,
            Self::Last => seconds(row.of.last),
            Self::Avg => seconds(row.of.avg),
            Self::Min => seconds(row.of.min),
            Self::Max => seconds(row.of.max),
            Self::P50 => seconds(spread?.p50),
            Self::P95 => seconds(spread?.p95),
            Self::P99 => seconds(spread?.p99),
            Self::Samples => Some(row.of.samples as f64),
            Self::Entities => row.entities.map(|count| count as f64),
            Self::PerEntity => row.per_entity,
            Self::Effects => row.of.system.and_then(|_| seconds(row.of.effects)),
            Self::Share => row.share,
        }
    }

    /// The cell of a row as text; empty where it says nothing.
    pub(super) fn text(self, row: &Row<'_>) -> String {
        match (self, self.value(row)) {
            (Self::Name, _) => row.of.name.clone(),
            (Self::P50 | Self::P95 | Self::P99, None) => "–".to_owned(),
            (_, None) => String::new(),
            (Self::Samples | Self::Entities, Some(value)) => format::count(value as u64),
            (Self::PerEntity, Some(nanos)) if nanos < 10.0 => format!("{nanos:.1} ns"),
            (Self::PerEntity, Some(nanos)) => format::duration(Duration::from_secs_f64(nanos / 1e9)),
            (Self::Share, Some(part)) => format::percent(part),
            (_, Some(seconds)) => format::duration(Duration::from_secs_f64(seconds)),
        }
    }
}

/// The rows, those with the greatest value in a column first; by name they stay as they come.
pub(super) fn rows<'a>(view: &View<'_>, timing: &'a TimingView, by: Column) -> Vec<Row<'a>> {
    let row = |of: &'a TimingRow| {
        let system = of.system.and_then(|id| view.system(id));
        let has_members = |system: &&SystemView| system.members > 0 || system.kind.starts_with("entity");
        let entities = system.filter(has_members).map(|system| system.members);
        let per_entity = entities.filter(|&count| count > 0 && of.samples > 0);
        let per_entity = per_entity.map(|count| of.avg.as_nanos() as f64 / count as f64);
        Row { of, entities, per_entity, share: share(timing, of) }
    };
    let mut rows: Vec<_> = timing.rows.iter().map(row).collect();
    if by != Column::Name {
        let value = |row: &Row<'_>| by.value(row).unwrap_or(f64::NEG_INFINITY);
        rows.sort_by(|a, b| value(b).total_cmp(&value(a)));
    }
    rows
}

/// The time of each system in each of some ticks, in their order.
pub(super) fn by_system(ticks: &[TickSample]) -> HashMap<SystemId, Vec<Duration>> {
    let mut times: HashMap<SystemId, Vec<Duration>> = HashMap::new();
    for (at, tick) in ticks.iter().enumerate() {
        for &(system, start, end, _) in &tick.runs {
            let times = times.entry(system).or_insert_with(|| vec![Duration::ZERO; ticks.len()]);
            times[at] += end.saturating_sub(start);
        }
    }
    times
}

/// The greatest of every few times, so that at most `columns` are left and no peak is lost.
pub(super) fn peaks(times: &[Duration], columns: usize) -> Vec<Duration> {
    let greatest = |range: Range<usize>| times[range].iter().max().copied().unwrap_or_default();
    bars(times.len(), columns).into_iter().map(greatest).collect()
}

/// The table as text, a line a row, tabs between.
pub(super) fn as_text(view: &View<'_>, timing: &TimingView, by: Column) -> String {
    let titles = Column::ALL.map(Column::title);
    let mut text = format!("tick {}\t{}\n", view.snapshot.status.tick, titles[1..].join("\t"));
    for row in rows(view, timing, by) {
        text.push_str(&Column::ALL.map(|column| column.text(&row)).join("\t"));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{BOUNCE, Fixture, MOVE, WATCH};

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
    fn the_neighbour_of_a_tick_is_the_nearest_there_is() {
        let ticks: Vec<_> =
            [5, 6, 9].into_iter().map(|tick| TickSample { tick, ..TickSample::default() }).collect();
        let to = |from, by| neighbour(&ticks, from, by).map(|tick| tick.tick);
        assert_eq!([to(6, 1), to(6, -1), to(5, -1), to(9, 1), to(7, 0)], [9, 5, 5, 9, 9].map(Some));
        assert_eq!(neighbour(&[], 3, 1), None);
    }

    #[test]
    fn shares_are_of_all_systems() {
        let fixture = Fixture::paused();
        let timing = fixture.snapshot.timing.as_ref().unwrap();
        let percents = timing.rows.iter().map(|row| share(timing, row).map(|part| (part * 100.0).round()));
        assert_eq!(percents.collect::<Vec<_>>(), [None, Some(75.0), Some(25.0)]);
        assert_eq!(share(&TimingView::default(), &timing.rows[1]), Some(0.0));
    }

    #[test]
    fn runs_lie_in_a_lane_for_each_worker_and_idle_workers_have_one() {
        let fixture = Fixture::paused();
        let tick = &fixture.snapshot.timing.as_ref().unwrap().ticks[0];
        assert_eq!(lanes(tick, 2), [(None, vec![1]), (Some(0), vec![0]), (Some(1), vec![])]);
        assert_eq!(lanes(tick, 0).len(), 2, "a run is shown whatever the number of workers");
    }

    #[test]
    fn rows_are_sorted_by_what_they_say_and_those_that_say_nothing_come_last() {
        let fixture = Fixture::paused();
        let (view, timing) = (fixture.view(), fixture.snapshot.timing.as_ref().unwrap());
        let names = |by| rows(&view, timing, by).iter().map(|row| row.of.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(Column::Name), ["update", "move", "bounce"]);
        assert_eq!(names(Column::PerEntity), ["move", "bounce", "update"]);
        assert_eq!(names(Column::Avg), ["update", "move", "bounce"]);
    }

    #[test]
    fn the_time_of_an_entity_is_that_of_a_run_among_its_members() {
        let fixture = Fixture::paused();
        let timing = fixture.snapshot.timing.as_ref().unwrap();
        let rows = rows(&fixture.view(), timing, Column::Name);
        assert_eq!((rows[1].entities, rows[1].per_entity), (Some(2), Some(300_000.0)));
        assert_eq!((rows[0].entities, rows[0].per_entity), (None, None));
    }

    #[test]
    fn the_runs_of_a_system_in_a_tick_are_added_up() {
        let micros = Duration::from_micros;
        let run = |system, from, to| (system, micros(from), micros(to), None);
        let tick = |runs| TickSample { runs, ..TickSample::default() };
        let ticks = [
            tick(vec![run(MOVE, 0, 2), run(MOVE, 5, 6)]),
            tick(vec![run(WATCH, 0, 9)]),
            tick(vec![run(MOVE, 1, 2)]),
        ];
        let times = by_system(&ticks);
        assert_eq!(times[&MOVE], [micros(3), micros(0), micros(1)]);
        assert_eq!(times[&WATCH], [micros(0), micros(9), micros(0)]);
        assert!(!times.contains_key(&BOUNCE));
        assert_eq!(peaks(&times[&MOVE], 2), [micros(3), micros(1)]);
        assert_eq!(peaks(&[], 5), [] as [Duration; 0]);
    }

    #[test]
    fn the_table_copies_as_text() {
        let fixture = Fixture::paused();
        let text = as_text(&fixture.view(), fixture.snapshot.timing.as_ref().unwrap(), Column::Name);
        let line =
            "move\t605 µs\t600 µs\t300 µs\t1.2 ms\t600 µs\t900 µs\t1.1 ms\t60\t2\t300 µs\t60.0 µs\t75 %\n";
        assert!(text.contains(line), "{text}");
    }
}
