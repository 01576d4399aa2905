//! When a system is due, and with how much time.

use serde::{Deserialize, Serialize};

/// The time of one system that waits for its next run. Times are game time in milliseconds.
///
/// A step is [`add`](Self::add)ed, [`due`](Self::due) says whether the system should run and with which delta, and
/// the end of that run is told with [`ran`](Self::ran) or, by doing nothing, that it failed and keeps its time.
/// Time that passes while a run is open is added like any other.
#[derive(Clone, Debug, PartialEq)]
pub struct Accumulator {
    period: f64,
    first_run: bool,
    enabled: bool,
    state: PeriodState,
    /// Time of queued runs that failed, for the next run that is made, whenever that is due.
    returned: f64,
    /// Whether a run was queued: the first one is over then, whatever came of it.
    queued: bool,
}

/// What a save keeps of an [`Accumulator`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct PeriodState {
    /// Runs that succeeded.
    pub runs: u64,
    /// Milliseconds that wait for the next run.
    pub accumulated: f64,
}

impl Accumulator {
    /// For a system that runs every `period` milliseconds, or every time if it is 0; with `first_run` it is due
    /// for its first run without waiting.
    ///
    /// A period that is negative or not a number counts as 0.
    pub fn new(period: f64, first_run: bool) -> Self {
        let mut new = Self {
            period: 0.0,
            first_run,
            enabled: true,
            state: PeriodState::default(),
            returned: 0.0,
            queued: false,
        };
        new.set_period(period);
        new
    }

    /// Puts back what a save kept. Time that is negative or not finite counts as none.
    pub fn restore(&mut self, state: PeriodState) {
        let accumulated = state.accumulated;
        let accumulated = if accumulated.is_finite() { accumulated.max(0.0) } else { 0.0 };
        self.state = PeriodState { runs: state.runs, accumulated };
    }

    /// What a save keeps. Time of a queued run that failed counts as accumulated.
    pub fn state(&self) -> PeriodState {
        PeriodState { accumulated: self.state.accumulated + self.returned, ..self.state }
    }

    /// The period in milliseconds; 0 runs every time.
    pub fn period(&self) -> f64 {
        self.period
    }

    /// Changes the period; what accumulated so far stays.
    pub fn set_period(&mut self, period: f64) {
        // The greater of a number and no number is the number.
        self.period = period.max(0.0);
    }

    /// Whether time accumulates.
    pub fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// A disabled system is never due and accumulates nothing; what it had accumulated stays.
    pub fn set_enabled(&mut self, enabled: bool) {
        self.enabled = enabled;
    }

    /// A step of `delta` milliseconds passed. Nothing happens while disabled.
    pub fn add(&mut self, delta: f64) {
        if self.enabled && delta.is_finite() && delta > 0.0 {
            self.state.accumulated += delta;
        }
    }

    /// The system did not want the step of `delta` milliseconds that was just added (`should_run` was false): its
    /// time is lost, and what had accumulated before stays.
    pub fn skipped(&mut self, delta: f64) {
        if self.enabled {
            self.take(delta);
        }
    }

    /// The delta of the run that is due, none if none is: the largest multiple of the period that accumulated, or
    /// all of it for a period of 0.
    ///
    /// However many periods that is, it is one run. The delta of a first run that did not wait may be 0.
    pub fn due(&self) -> Option<f64> {
        let PeriodState { runs, accumulated } = self.state;
        if !self.enabled {
            None
        } else if self.period == 0.0 {
            Some(accumulated)
        } else if accumulated >= self.period {
            // The remainder is exact, so the quotient differs from a whole number by rounding only.
            let periods = ((accumulated - accumulated % self.period) / self.period).round();
            Some(periods * self.period)
        } else if self.first_run && runs == 0 && !self.queued {
            Some(0.0)
        } else {
            None
        }
    }

    /// A run with this delta succeeded: it is counted and its time is used up; the remainder is kept. A run that
    /// failed is not told, and so keeps its time.
    pub fn ran(&mut self, delta: f64) {
        self.state.runs += 1;
        self.take(delta);
    }

    /// A run with this delta was queued: its time is used up. What comes of it is told with
    /// [`succeeded`](Self::succeeded) or [`returned`](Self::returned), which never changes when the system is due:
    /// later runs may be queued by then, or not.
    pub(crate) fn queue(&mut self, delta: f64) {
        self.queued = true;
        self.take(delta);
    }

    /// A queued run succeeded, and is counted.
    pub(crate) fn succeeded(&mut self) {
        self.state.runs += 1;
    }

    /// A step passed of a system without period that has nothing to do in it: its run is counted, and leaves no time.
    /// Whether that is how it is; else nothing happened.
    pub(crate) fn pass(&mut self) -> bool {
        let Self { period, enabled, state, returned, .. } = *self;
        let passes = enabled && period == 0.0 && state.accumulated == 0.0 && returned == 0.0;
        self.state.runs += passes as u64;
        passes
    }

    /// A queued run failed: its time goes to the next one.
    pub(crate) fn returned(&mut self, delta: f64) {
        if delta.is_finite() && delta > 0.0 {
            self.returned += delta;
        }
    }

    /// The time of queued runs that failed, for a run whose turn has come.
    pub(crate) fn take_returned(&mut self) -> f64 {
        std::mem::take(&mut self.returned)
    }

    /// A run that was told with [`ran`](Self::ran) when it was queued failed after all: it keeps its time.
    pub fn failed(&mut self, delta: f64) {
        self.state.runs = self.state.runs.saturating_sub(1);
        if delta.is_finite() && delta > 0.0 {
            self.state.accumulated += delta;
        }
    }

    fn take(&mut self, delta: f64) {
        if delta.is_finite() && delta > 0.0 {
            self.state.accumulated = (self.state.accumulated - delta).max(0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Steps through `deltas`, runs whatever is due, and gives what each step ran with.
    fn runs(accumulator: &mut Accumulator, deltas: &[f64]) -> Vec<Option<f64>> {
        let step = |&delta: &f64| {
            accumulator.add(delta);
            let due = accumulator.due();
            if let Some(delta) = due {
                accumulator.ran(delta);
            }
            due
        };
        deltas.iter().map(step).collect()
    }

    #[track_caller]
    fn check(period: f64, first_run: bool, deltas: &[f64], expected: &[Option<f64>], kept: f64) {
        let mut accumulator = Accumulator::new(period, first_run);
        assert_eq!(runs(&mut accumulator, deltas), expected);
        assert_eq!(accumulator.state().accumulated, kept);
        assert_eq!(accumulator.state().runs, expected.iter().flatten().count() as u64);
    }

    #[test]
    fn a_system_is_due_when_its_period_has_accumulated_and_the_remainder_is_kept() {
        check(50.0, false, &[20.0, 20.0, 20.0, 20.0, 20.0], &[None, None, Some(50.0), None, Some(50.0)], 0.0);
        check(50.0, false, &[49.0, 2.0], &[None, Some(50.0)], 1.0);
    }

    #[test]
    fn a_long_step_gives_one_run_of_many_periods() {
        check(50.0, false, &[170.0, 30.0], &[Some(150.0), Some(50.0)], 0.0);
    }

    #[test]
    fn without_a_period_every_step_runs_with_all_of_its_time() {
        check(0.0, false, &[16.0, 3.5, 0.0], &[Some(16.0), Some(3.5), Some(0.0)], 0.0);
        check(f64::NAN, false, &[16.0], &[Some(16.0)], 0.0);
        check(-5.0, false, &[16.0], &[Some(16.0)], 0.0);
    }

    #[test]
    fn the_first_run_need_not_wait_and_uses_up_whole_periods_only() {
        check(50.0, true, &[20.0, 20.0, 20.0], &[Some(0.0), None, Some(50.0)], 10.0);
        check(50.0, true, &[120.0], &[Some(100.0)], 20.0);
    }

    #[test]
    fn a_run_that_fails_keeps_its_time() {
        let mut accumulator = Accumulator::new(50.0, true);
        accumulator.add(20.0);
        assert_eq!(accumulator.due(), Some(0.0));
        accumulator.add(40.0);
        assert_eq!(accumulator.due(), Some(50.0));
        accumulator.add(40.0);
        assert_eq!(accumulator.due(), Some(100.0));
        assert_eq!(accumulator.state(), PeriodState { runs: 0, accumulated: 100.0 });
    }

    #[test]
    fn time_that_passes_during_a_run_counts_for_the_next() {
        let mut accumulator = Accumulator::new(50.0, false);
        accumulator.add(60.0);
        let open = accumulator.due().unwrap();
        accumulator.add(60.0);
        accumulator.ran(open);
        assert_eq!(accumulator.due(), Some(50.0));
    }

    #[test]
    fn an_unwanted_step_loses_its_own_time_only() {
        let mut accumulator = Accumulator::new(50.0, false);
        accumulator.add(30.0);
        accumulator.add(30.0);
        accumulator.skipped(30.0);
        assert_eq!(accumulator.state(), PeriodState { runs: 0, accumulated: 30.0 });
        assert_eq!(accumulator.due(), None);
    }

    #[test]
    fn a_disabled_system_accumulates_nothing_and_is_not_due() {
        let mut accumulator = Accumulator::new(50.0, true);
        accumulator.add(30.0);
        accumulator.set_enabled(false);
        assert_eq!(accumulator.due(), None);
        accumulator.add(500.0);
        accumulator.skipped(500.0);
        accumulator.set_enabled(true);
        assert_eq!(accumulator.state().accumulated, 30.0);
        assert_eq!(accumulator.due(), Some(0.0));
    }

    #[test]
    fn a_restored_system_goes_on_and_has_had_its_first_run() {
        let mut saved = Accumulator::new(50.0, true);
        saved.add(70.0);
        saved.ran(50.0);
        let text = serde_json::to_string(&saved.state()).unwrap();
        assert_eq!(text, r#"{"runs":1,"accumulated":20.0}"#);
        let mut restored = Accumulator::new(50.0, true);
        restored.restore(serde_json::from_str(&text).unwrap());
        assert_eq!(restored, saved);
        assert_eq!(restored.due(), None);
    }

    #[test]
    fn damaged_time_counts_as_none() {
        for accumulated in [f64::NAN, f64::INFINITY, -1.0] {
            let mut accumulator = Accumulator::new(50.0, false);
            accumulator.restore(PeriodState { runs: 3, accumulated });
            accumulator.add(accumulated);
            assert_eq!(accumulator.state(), PeriodState { runs: 3, accumulated: 0.0 });
        }
    }

    proptest! {
        #[test]
        fn no_time_is_lost_or_made_and_less_than_a_period_is_kept(
            period in 0.01..200.0f64,
            deltas in proptest::collection::vec(0.0..500.0f64, 1..60),
        ) {
            let mut accumulator = Accumulator::new(period, false);
            let used: f64 = runs(&mut accumulator, &deltas).into_iter().flatten().sum();
            let kept = accumulator.state().accumulated;
            let given: f64 = deltas.iter().sum();
            prop_assert!((used + kept - given).abs() < 1e-8);
            prop_assert!((0.0..period + 1e-9).contains(&kept));
            let periods = used / period;
            prop_assert!((periods - periods.round()).abs() < 1e-6);
        }
    }
}
