//! A run that is due, before it is dispatched.

use crate::id::SystemId;

/// A run of a system that is due: its time, and when that was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DueRun {
    /// Whose run it is.
    pub system: SystemId,
    /// Milliseconds of game time it stands for.
    pub delta: f64,
    /// The tick it was due at.
    pub tick: u64,
    /// Game time at that tick, in milliseconds.
    pub game_time: f64,
    /// Runs of the system before it.
    pub(crate) number: u64,
    /// Whether its time is used up already, as that of a run in a queue; else it is when the run succeeds.
    pub(crate) taken: bool,
    /// Time of the step it was queued in, for a system that decides when its turn comes whether it runs.
    pub(crate) unadded: f64,
}
