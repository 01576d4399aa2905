//! The last ticks and the slowest ones, each with its runs.

use super::sample::{RunTime, TickSample};
use std::collections::VecDeque;
use std::time::Duration;

/// A tick with the moment its runs are counted from.
#[derive(Clone, Debug, Default)]
struct Tick {
    /// Nanoseconds on the clock of the world.
    start: u64,
    sample: TickSample,
}

impl Tick {
    fn add(&mut self, run: &RunTime) {
        let after_start = |time: u64| Duration::from_nanos(time.saturating_sub(self.start));
        self.sample.runs.push((run.system, after_start(run.start), after_start(run.end), run.worker));
    }
}

/// The last ticks and the slowest. Ticks that fall out are used again, so that a tick costs no allocation once
/// both are full.
#[derive(Clone, Debug)]
pub(super) struct Ticks {
    /// Oldest first; the newest is still open if `is_open`.
    last: VecDeque<Tick>,
    is_open: bool,
    /// How many whole ticks are kept.
    last_kept: usize,
    /// Slowest first; of equals the older first.
    slowest: Vec<Tick>,
    slowest_kept: usize,
}

impl Ticks {
    pub(super) fn new(last_kept: usize, slowest_kept: usize) -> Self {
        Self { last: VecDeque::new(), is_open: false, last_kept, slowest: Vec::new(), slowest_kept }
    }

    /// Opens a tick. One that was still open is given up.
    pub(super) fn begin(&mut self, tick: u64, start: u64) {
        let mut next = if self.is_open {
            self.last.pop_back()
        } else if self.last.len() > self.last_kept {
            self.last.pop_front()
        } else {
            None
        }
        .unwrap_or_default();
        next.start = start;
        next.sample.tick = tick;
        next.sample.took = Duration::ZERO;
        next.sample.runs.clear();
        self.last.push_back(next);
        self.is_open = true;
    }

    /// Closes the open tick and gives how long it took; none if none is open.
    pub(super) fn end(&mut self, end: u64) -> Option<u64> {
        if !std::mem::take(&mut self.is_open) {
            return None;
        }
        let tick = self.last.back_mut()?;
        let took = end.saturating_sub(tick.start);
        tick.sample.took = Duration::from_nanos(took);
        self.keep_if_slow();
        Some(took)
    }

    fn keep_if_slow(&mut self) {
        let Some(tick) = self.last.back() else { return };
        let took = tick.sample.took;
        let is_full = self.slowest.len() >= self.slowest_kept;
        if is_full && self.slowest.last().is_none_or(|fastest| fastest.sample.took >= took) {
            return;
        }
        let mut kept = if is_full { self.slowest.pop() } else { None }.unwrap_or_default();
        kept.start = tick.start;
        kept.sample.tick = tick.sample.tick;
        kept.sample.took = took;
        kept.sample.runs.clone_from(&tick.sample.runs);
        let place = self.slowest.partition_point(|slower| slower.sample.took >= took);
        self.slowest.insert(place, kept);
    }

    /// Adds a run to the tick it started in, though that may be over; drops it if that tick is no longer kept.
    pub(super) fn run(&mut self, run: &RunTime) {
        let newest = self.last.len().wrapping_sub(1);
        let started_in = self.last.iter().rposition(|tick| tick.start <= run.start);
        if let Some(place) = started_in {
            self.last[place].add(run);
        }
        // What the open tick holds is copied when it is closed; before that, no copy of it can be there.
        if started_in == Some(newest) && self.is_open {
            return;
        }
        let tick = started_in.map(|place| self.last[place].sample.tick);
        if let Some(copy) = self.slowest.iter_mut().find(|copy| Some(copy.sample.tick) == tick) {
            copy.add(run);
        }
    }

    pub(super) fn reset(&mut self) {
        self.last.clear();
        self.is_open = false;
        self.slowest.clear();
    }

    /// The whole ticks kept, oldest first.
    pub(super) fn last(&self) -> impl ExactSizeIterator<Item = &TickSample> {
        let whole = self.last.len() - usize::from(self.is_open);
        self.last.range(whole.saturating_sub(self.last_kept)..whole).map(|tick| &tick.sample)
    }

    /// The slowest ticks, slowest first.
    pub(super) fn slowest(&self) -> impl ExactSizeIterator<Item = &TickSample> {
        self.slowest.iter().map(|tick| &tick.sample)
    }
}
