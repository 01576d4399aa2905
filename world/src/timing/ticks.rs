//! The last ticks and the slowest ones, each with its runs.

use super::sample::{RunTime, TickSample};
use crate::id::SystemId;
use std::collections::VecDeque;
use std::time::Duration;

/// A tick as it is kept: times are nanoseconds on the clock of the world, made relative only for those who look.
#[derive(Clone, Debug, Default)]
struct Tick {
    number: u64,
    start: u64,
    took: u64,
    runs: Vec<Run>,
}

/// A run in 24 bytes, since there may be a hundred thousand.
#[derive(Clone, Copy, Debug)]
struct Run {
    system: SystemId,
    /// `u32::MAX` for the world thread.
    worker: u32,
    start: u64,
    end: u64,
}

impl Tick {
    fn add(&mut self, run: &RunTime) {
        let worker = run.worker.and_then(|worker| u32::try_from(worker).ok()).unwrap_or(u32::MAX);
        self.runs.push(Run { system: run.system, worker, start: run.start, end: run.end });
    }

    fn copy_to(&self, sample: &mut TickSample) {
        let after_start = |time: u64| Duration::from_nanos(time.saturating_sub(self.start));
        sample.tick = self.number;
        sample.took = Duration::from_nanos(self.took);
        sample.runs.clear();
        sample.runs.extend(self.runs.iter().map(|run| {
            let worker = (run.worker != u32::MAX).then_some(run.worker as usize);
            (run.system, after_start(run.start), after_start(run.end), worker)
        }));
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
        next.number = tick;
        next.took = 0;
        next.runs.clear();
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
        tick.took = took;
        self.keep_if_slow();
        Some(took)
    }

    fn keep_if_slow(&mut self) {
        let Some(tick) = self.last.back() else { return };
        let is_full = self.slowest.len() >= self.slowest_kept;
        if is_full && self.slowest.last().is_none_or(|fastest| fastest.took >= tick.took) {
            return;
        }
        let mut kept = if is_full { self.slowest.pop() } else { None }.unwrap_or_default();
        kept.number = tick.number;
        kept.start = tick.start;
        kept.took = tick.took;
        kept.runs.clone_from(&tick.runs);
        let place = self.slowest.partition_point(|slower| slower.took >= kept.took);
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
        let tick = started_in.map(|place| self.last[place].number);
        if let Some(copy) = self.slowest.iter_mut().find(|copy| Some(copy.number) == tick) {
            copy.add(run);
        }
    }

    pub(super) fn reset(&mut self) {
        self.last.clear();
        self.is_open = false;
        self.slowest.clear();
    }

    /// Copies the whole ticks kept, oldest first, over what `into` holds.
    pub(super) fn copy_last(&self, into: &mut Vec<TickSample>) {
        let whole = self.last.len() - usize::from(self.is_open);
        copy(self.last.range(whole.saturating_sub(self.last_kept)..whole), into);
    }

    /// Copies the slowest ticks, slowest first, over what `into` holds.
    pub(super) fn copy_slowest(&self, into: &mut Vec<TickSample>) {
        copy(self.slowest.iter(), into);
    }
}

fn copy<'a>(ticks: impl ExactSizeIterator<Item = &'a Tick>, into: &mut Vec<TickSample>) {
    into.resize_with(ticks.len(), TickSample::default);
    ticks.zip(into).for_each(|(tick, sample)| tick.copy_to(sample));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn storage_of_ticks_is_used_again() {
        let mut ticks = Ticks::new(3, 2);
        let mut storage = BTreeSet::new();
        for tick in 1..=40 {
            let start = tick * 50;
            ticks.begin(tick, start);
            for system in [SystemId(1), SystemId(2)] {
                let run = RunTime { system, start, end: start + 1, worker: None, completes_pass: true };
                ticks.run(&run);
            }
            ticks.end(start + tick);
            if tick > 10 {
                storage.extend(ticks.last.iter().chain(&ticks.slowest).map(|tick| tick.runs.as_ptr()));
            }
        }
        // Three kept, one that was open, two slowest.
        assert_eq!(storage.len(), 6);
    }
}
