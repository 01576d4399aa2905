//! What goes into the timing and what comes out.

use super::distribution::Distribution;
use crate::id::SystemId;
use std::sync::Arc;
use std::time::Duration;

/// One execution of one system. Times are nanoseconds on the clock of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunTime {
    /// Whose run.
    pub system: SystemId,
    /// When it started.
    pub start: u64,
    /// When it ended.
    pub end: u64,
    /// On which worker; none is the world thread.
    pub worker: Option<usize>,
    /// Whether the pass is complete with it; false for a batch or a slice that others follow. A pass is one
    /// sample, however many runs it takes.
    pub completes_pass: bool,
}

/// One line of a window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimingRow {
    /// Whose time; none for the update or the effects as a whole.
    pub system: Option<SystemId>,
    /// What was measured: "update", "effects", or the system's name.
    pub name: String,
    /// Mean.
    pub avg: Duration,
    /// Least.
    pub min: Duration,
    /// Greatest.
    pub max: Duration,
    /// How many were measured.
    pub samples: u64,
    /// Mean of applying its effects, for systems.
    pub effects: Duration,
    /// The last of all, whole window or not.
    pub last: Duration,
    /// How they are spread; none unless that was [asked for](super::PerformanceTiming::gather_distributions) before
    /// the window ended.
    pub distribution: Option<Arc<Distribution>>,
}

/// One tick.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TickSample {
    /// Which tick.
    pub tick: u64,
    /// How long it took.
    pub took: Duration,
    /// Its runs: system, start after the tick's start, end, worker (none is the world thread).
    pub runs: Vec<(SystemId, Duration, Duration, Option<usize>)>,
}
