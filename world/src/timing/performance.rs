//! Windows and ticks behind one door.

use super::sample::{RunTime, TickSample, TimingRow};
use super::ticks::Ticks;
use super::windows::Windows;
use crate::id::SystemId;
use std::time::Duration;

/// How long updates, runs and effects take: mean, least and greatest of each window, and the last and the slowest
/// ticks with every run.
///
/// Told by the world thread, with times in nanoseconds on one clock. A paused update is not told, so it counts
/// nowhere. Telling costs no allocation once every system ran and the ticks kept are full.
///
/// ```
/// use std::time::Duration;
/// use vivarium_world::{PerformanceTiming, RunTime, SystemId};
///
/// let mut timing = PerformanceTiming::default();
/// timing.add_system(SystemId(0), "move");
/// timing.begin_tick(1, 5_000);
/// timing.run(&RunTime { system: SystemId(0), start: 5_100, end: 5_900, worker: None, completes_pass: true });
/// timing.end_tick(6_000, Duration::from_millis(16));
/// timing.flush();
/// assert_eq!(timing.rows()[2].avg, Duration::from_nanos(800));
/// ```
#[derive(Clone, Debug)]
pub struct PerformanceTiming {
    windows: Windows,
    ticks: Ticks,
}

impl Default for PerformanceTiming {
    /// Windows of a second, the last 300 and the slowest 20 ticks.
    fn default() -> Self {
        Self::new(Duration::from_millis(1000), 300, 20)
    }
}

impl PerformanceTiming {
    /// Windows of this length, which keep `last` ticks and the `slowest`.
    pub fn new(window: Duration, last: usize, slowest: usize) -> Self {
        Self { windows: Windows::new(window), ticks: Ticks::new(last, slowest) }
    }

    /// Measures a system from now on. One that is measured already only gets the name.
    pub fn add_system(&mut self, id: SystemId, name: &str) {
        self.windows.add_system(id, name);
    }

    /// Forgets the windows of a system; what it did stays in the ticks. Times told of it later count for ticks
    /// only.
    pub fn remove_system(&mut self, id: SystemId) {
        self.windows.remove_system(id);
    }

    /// Forgets all systems and all times, as for a world with new content.
    pub fn clear(&mut self) {
        self.windows.remove_all_systems();
        self.reset();
    }

    /// Forgets all times, those of an open tick too. The systems stay.
    pub fn reset(&mut self) {
        self.windows.reset();
        self.ticks.reset();
    }

    /// Length of a window in elapsed time.
    pub fn window(&self) -> Duration {
        self.windows.length()
    }

    /// Changes the length of a window, the present one included.
    pub fn set_window(&mut self, window: Duration) {
        self.windows.set_length(window);
    }

    /// Begins to gather how the times of a window are spread, or ends it and forgets what was gathered. Costs a few
    /// kilobytes a system while it is on, and nothing while it is off.
    pub fn gather_distributions(&mut self, on: bool) {
        self.windows.gather_distributions(on);
    }

    /// An update that is not paused starts. A tick that was not ended is forgotten.
    pub fn begin_tick(&mut self, tick: u64, start: u64) {
        self.ticks.begin(tick, start);
    }

    /// The update that began ends, `elapsed` being the unscaled time it was given; tells whether a window is
    /// whole with it. Nothing happens if none began.
    pub fn end_tick(&mut self, end: u64, elapsed: Duration) -> bool {
        let Some(took) = self.ticks.end(end) else { return false };
        let is_whole = self.windows.update(took, elapsed);
        if is_whole {
            self.windows.flush();
        }
        is_whole
    }

    /// A run ended, in a tick or between two. It is shown in the tick it started in.
    pub fn run(&mut self, run: &RunTime) {
        self.windows.run(run.system, run.end.saturating_sub(run.start), run.completes_pass);
        self.ticks.run(run);
    }

    /// Applying the effects of a run took this many nanoseconds. Like a run it is one sample a pass, for its
    /// system and for effects as a whole.
    pub fn effects(&mut self, system: SystemId, took: u64, completes_pass: bool) {
        self.windows.effects(system, took, completes_pass);
    }

    /// Ends the present window now, whole or not, paused or not.
    pub fn flush(&mut self) {
        self.windows.flush();
    }

    /// Mean time of a pass of this system in the last whole window; zero if it made none.
    pub fn mean(&self, system: SystemId) -> Duration {
        self.windows.mean(system)
    }

    /// The last whole window: the update, the effects as a whole, then every system by id. Lines without samples
    /// hold zeros.
    pub fn rows(&self) -> Vec<TimingRow> {
        self.windows.rows()
    }

    /// The last ticks, oldest first, put over what `into` holds: its storage is used again.
    pub fn copy_ticks(&self, into: &mut Vec<TickSample>) {
        self.ticks.copy_last(into);
    }

    /// The slowest ticks since the last reset, slowest first, put over what `into` holds.
    pub fn copy_slowest(&self, into: &mut Vec<TickSample>) {
        self.ticks.copy_slowest(into);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;
    const MOVE: SystemId = SystemId(3);
    const DRAW: SystemId = SystemId(7);

    fn timing() -> PerformanceTiming {
        let mut timing = PerformanceTiming::new(Duration::from_millis(100), 3, 2);
        timing.add_system(DRAW, "draw");
        timing.add_system(MOVE, "move");
        timing
    }

    fn run(system: SystemId, start: u64, end: u64) -> RunTime {
        RunTime { system, start: start * MS, end: end * MS, worker: None, completes_pass: true }
    }

    /// A tick of `took` milliseconds that starts at `start`, and its runs.
    fn tick(timing: &mut PerformanceTiming, tick: u64, start: u64, took: u64, runs: &[RunTime]) -> bool {
        timing.begin_tick(tick, start * MS);
        runs.iter().for_each(|run| timing.run(run));
        timing.end_tick((start + took) * MS, Duration::from_millis(50))
    }

    /// The last window as a table in milliseconds: name, mean, least, greatest, samples, effects.
    #[track_caller]
    fn check(timing: &PerformanceTiming, table: &str) {
        let line = |row: TimingRow| {
            let [avg, min, max, effects] =
                [row.avg, row.min, row.max, row.effects].map(|time| time.as_secs_f64() * 1e3);
            format!("{} {avg} {min} {max} x{} {effects}\n", row.name, row.samples)
        };
        let found: String = timing.rows().into_iter().map(line).collect();
        let wanted: String = table.lines().map(|line| format!("{}\n", line.trim())).collect();
        assert_eq!(found, wanted);
    }

    fn ticks(timing: &PerformanceTiming) -> Vec<TickSample> {
        let mut ticks = vec![TickSample {
            tick: 99,
            runs: vec![(DRAW, Duration::ZERO, Duration::ZERO, None)],
            ..TickSample::default()
        }];
        timing.copy_ticks(&mut ticks);
        ticks
    }

    fn slowest(timing: &PerformanceTiming) -> Vec<TickSample> {
        let mut ticks = Vec::new();
        timing.copy_slowest(&mut ticks);
        ticks
    }

    /// Ticks, each with what it took in milliseconds.
    fn kept(ticks: Vec<TickSample>) -> Vec<(u64, u128)> {
        ticks.iter().map(|tick| (tick.tick, tick.took.as_millis())).collect()
    }

    /// The runs of a tick: system, start and end in milliseconds after its start.
    fn lanes(tick: &TickSample) -> Vec<(SystemId, u128, u128)> {
        tick.runs.iter().map(|(id, start, end, _)| (*id, start.as_millis(), end.as_millis())).collect()
    }

    #[test]
    fn a_window_is_whole_once_its_time_has_elapsed() {
        let mut timing = timing();
        assert!(!tick(&mut timing, 1, 0, 10, &[run(MOVE, 1, 3), run(DRAW, 3, 4)]));
        check(&timing, "update 0 0 0 x0 0\neffects 0 0 0 x0 0\nmove 0 0 0 x0 0\ndraw 0 0 0 x0 0");
        assert!(tick(&mut timing, 2, 50, 20, &[run(MOVE, 51, 57)]));
        check(&timing, "update 15 10 20 x2 0\neffects 0 0 0 x0 0\nmove 4 2 6 x2 0\ndraw 1 1 1 x1 0");
        assert_eq!(timing.mean(MOVE), Duration::from_millis(4));
        assert!(!tick(&mut timing, 3, 100, 90, &[]));
        check(&timing, "update 15 10 20 x2 0\neffects 0 0 0 x0 0\nmove 4 2 6 x2 0\ndraw 1 1 1 x1 0");
    }

    #[test]
    fn how_times_are_spread_is_gathered_only_while_it_is_asked_for() {
        let mut timing = timing();
        let spread = |timing: &PerformanceTiming| {
            let rows = timing.rows();
            rows.iter().map(|row| row.distribution.as_ref().map(|d| d.p50.as_millis())).collect::<Vec<_>>()
        };
        tick(&mut timing, 1, 0, 10, &[run(MOVE, 1, 3)]);
        timing.flush();
        assert_eq!(spread(&timing), [None; 4]);
        timing.gather_distributions(true);
        tick(&mut timing, 2, 50, 10, &[run(MOVE, 51, 54)]);
        assert_eq!(spread(&timing), [None; 4], "the window is not whole");
        timing.gather_distributions(true);
        timing.flush();
        assert_eq!(spread(&timing), [Some(10), None, Some(3), None], "asked for twice is asked for once");
        timing.add_system(SystemId(9), "late");
        timing.run(&run(SystemId(9), 55, 60));
        timing.flush();
        assert_eq!(spread(&timing), [None, None, None, None, Some(5)], "a window without samples has none");
        timing.run(&run(MOVE, 60, 64));
        timing.reset();
        timing.run(&run(DRAW, 65, 66));
        timing.flush();
        assert_eq!(spread(&timing), [None, None, None, Some(1), None]);
        timing.gather_distributions(false);
        assert_eq!(spread(&timing), [None; 5]);
    }

    #[test]
    fn the_last_time_is_known_before_its_window_is_whole() {
        let mut timing = timing();
        tick(&mut timing, 1, 0, 10, &[run(MOVE, 1, 3), run(MOVE, 3, 9)]);
        let last: Vec<_> = timing.rows().iter().map(|row| row.last.as_millis()).collect();
        assert_eq!(last, [10, 0, 6, 0]);
    }

    #[test]
    fn a_flush_by_hand_ends_the_window_between_updates() {
        let mut timing = timing();
        tick(&mut timing, 1, 0, 10, &[]);
        timing.run(&run(MOVE, 12, 14));
        timing.flush();
        check(&timing, "update 10 10 10 x1 0\neffects 0 0 0 x0 0\nmove 2 2 2 x1 0\ndraw 0 0 0 x0 0");
        assert!(!tick(&mut timing, 2, 50, 10, &[]), "the time of the flushed window is gone");
        timing.flush();
        timing.flush();
        check(&timing, "update 0 0 0 x0 0\neffects 0 0 0 x0 0\nmove 0 0 0 x0 0\ndraw 0 0 0 x0 0");
    }

    #[test]
    fn effects_count_for_their_system_and_as_a_whole() {
        let mut timing = timing();
        timing.effects(MOVE, 2 * MS, true);
        timing.effects(MOVE, 4 * MS, true);
        timing.effects(DRAW, 9 * MS, true);
        timing.flush();
        check(&timing, "update 0 0 0 x0 0\neffects 5 2 9 x3 0\nmove 0 0 0 x0 3\ndraw 0 0 0 x0 9");
    }

    #[test]
    fn a_pass_of_many_runs_is_one_sample_of_their_sum() {
        let mut timing = timing();
        let part = |start, end| RunTime { completes_pass: false, ..run(MOVE, start, end) };
        tick(&mut timing, 1, 0, 10, &[part(0, 2)]);
        timing.effects(MOVE, MS, false);
        timing.flush();
        assert_eq!(timing.mean(MOVE), Duration::ZERO);
        tick(&mut timing, 2, 20, 10, &[part(20, 23), run(MOVE, 24, 25), run(MOVE, 26, 28)]);
        timing.effects(MOVE, 2 * MS, true);
        timing.flush();
        check(&timing, "update 10 10 10 x1 0\neffects 3 3 3 x1 0\nmove 4 2 6 x2 3\ndraw 0 0 0 x0 0");
    }

    #[test]
    fn systems_of_one_name_have_a_line_each_and_removed_ones_none() {
        let mut timing = timing();
        timing.add_system(SystemId(9), "move");
        timing.run(&run(MOVE, 0, 2));
        timing.run(&run(SystemId(9), 0, 5));
        timing.remove_system(DRAW);
        timing.run(&run(DRAW, 0, 5));
        timing.effects(DRAW, MS, true);
        timing.flush();
        check(&timing, "update 0 0 0 x0 0\neffects 0 0 0 x0 0\nmove 2 2 2 x1 0\nmove 5 5 5 x1 0");
    }

    #[test]
    fn the_last_ticks_are_kept_oldest_first_and_an_open_one_is_not_shown() {
        let mut timing = timing();
        for number in 1..=5 {
            tick(&mut timing, number, number * 50, number, &[]);
        }
        assert_eq!(kept(ticks(&timing)), [(3, 3), (4, 4), (5, 5)]);
        timing.begin_tick(6, 300 * MS);
        assert_eq!(kept(ticks(&timing)), [(3, 3), (4, 4), (5, 5)]);
        timing.begin_tick(7, 350 * MS);
        timing.end_tick(357 * MS, Duration::ZERO);
        assert_eq!(kept(ticks(&timing)), [(4, 4), (5, 5), (7, 7)]);
        assert!(!timing.end_tick(400 * MS, Duration::from_secs(9)), "no tick is open");
    }

    #[test]
    fn the_slowest_ticks_outlive_the_last_ones() {
        let mut timing = timing();
        for (number, took) in [(1, 9), (2, 3), (3, 12), (4, 9), (5, 1), (6, 2), (7, 1)] {
            tick(&mut timing, number, number * 50, took, &[run(MOVE, number * 50 + 1, number * 50 + took)]);
        }
        assert_eq!(kept(slowest(&timing)), [(3, 12), (1, 9)]);
        assert_eq!(slowest(&timing).iter().map(lanes).collect::<Vec<_>>(), [[(MOVE, 1, 12)], [(MOVE, 1, 9)]]);
        timing.reset();
        assert_eq!((ticks(&timing).len(), slowest(&timing).len()), (0, 0));
    }

    #[test]
    fn a_run_that_ends_later_is_shown_in_the_tick_it_started_in() {
        let mut timing = timing();
        tick(&mut timing, 1, 0, 30, &[run(DRAW, 1, 2)]);
        tick(&mut timing, 2, 50, 10, &[run(MOVE, 20, 55), run(DRAW, 51, 52)]);
        let late = RunTime { worker: Some(1), ..run(MOVE, 65, 70) };
        timing.run(&late);
        assert_eq!(
            ticks(&timing).iter().map(lanes).collect::<Vec<_>>(),
            [vec![(DRAW, 1, 2), (MOVE, 20, 55)], vec![(DRAW, 1, 2), (MOVE, 15, 20)]]
        );
        assert_eq!(slowest(&timing), ticks(&timing));
        assert_eq!(ticks(&timing).last().and_then(|tick| tick.runs.last()).and_then(|run| run.3), Some(1));
    }

    #[test]
    fn a_run_older_than_every_tick_kept_is_in_no_tick() {
        let mut timing = timing();
        for number in 1..=5 {
            tick(&mut timing, number, number * 50, 1, &[]);
        }
        timing.run(&run(MOVE, 60, 70));
        assert!(ticks(&timing).iter().all(|tick| tick.runs.is_empty()));
    }

    #[test]
    fn nothing_kept_is_nothing_shown() {
        let mut timing = PerformanceTiming::new(Duration::from_millis(100), 0, 0);
        for number in 1..=3 {
            tick(&mut timing, number, number * 50, 1, &[run(MOVE, number * 50, number * 50 + 1)]);
        }
        assert_eq!((ticks(&timing).len(), slowest(&timing).len()), (0, 0));
    }

    #[test]
    fn clear_forgets_the_systems_too() {
        let mut timing = timing();
        tick(&mut timing, 1, 0, 10, &[run(MOVE, 1, 3)]);
        timing.flush();
        timing.clear();
        check(&timing, "update 0 0 0 x0 0\neffects 0 0 0 x0 0");
    }
}
