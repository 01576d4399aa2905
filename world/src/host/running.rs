//! When the world steps: paused, at a speed, as fast as it goes, or a number of steps.

use crate::inspect::{RunState, StopReason};
use std::time::Duration;

/// What drives the world.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Drive {
    Empty,
    Paused,
    Running,
    Stepping { left: u64 },
    Stopped(StopReason),
}

impl Drive {
    pub(super) fn state(&self) -> RunState {
        match self {
            Self::Empty => RunState::Empty,
            Self::Paused => RunState::Paused,
            Self::Running => RunState::Running,
            Self::Stepping { left } => RunState::Stepping { left: *left },
            Self::Stopped(reason) => RunState::Stopped(reason.clone()),
        }
    }

    pub(super) fn is_moving(&self) -> bool {
        matches!(self, Self::Running | Self::Stepping { .. })
    }
}

/// How many happen in a second, measured over the last one.
#[derive(Debug, Default)]
pub(super) struct Rate {
    since: u64,
    count: u64,
    rate: f64,
}

impl Rate {
    pub(super) fn add(&mut self, count: u64) {
        self.count += count;
    }

    /// The rate; `now` is in nanoseconds. Shorter stretches are looked at until the first whole second is over.
    pub(super) fn measure(&mut self, now: u64) -> f64 {
        let elapsed = Duration::from_nanos(now.saturating_sub(self.since)).as_secs_f64();
        if elapsed >= 1.0 || self.rate == 0.0 && elapsed > 0.1 {
            self.rate = self.count as f64 / elapsed;
            (self.since, self.count) = (now, 0);
        }
        self.rate
    }

    pub(super) fn reset(&mut self, now: u64) {
        *self = Self { since: now, ..Self::default() };
    }
}
