//! The times of a world. Each is told, never read from the machine.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

/// Nanoseconds since some moment, for timings.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> u64 + Send + Sync>);

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

impl Clock {
    /// A clock that gives what a function gives: nanoseconds that never go back.
    pub fn new(nanoseconds: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(nanoseconds))
    }

    /// The machine's monotonic clock, for whoever sets up a world.
    pub fn system() -> Self {
        let start = Instant::now();
        Self::new(move || u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }

    /// Now.
    pub fn now(&self) -> u64 {
        (self.0)()
    }
}

/// Player time, game time, steps. Times are milliseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Clocks {
    /// All the time that was told, pauses included.
    pub player_time: f64,
    /// Time that passed in the game.
    pub game_time: f64,
    /// Game time for each millisecond of player time.
    pub time_scale: f64,
    /// Game time of one fixed step; none advances by whatever an update is told.
    pub step: Option<f64>,
    /// Steps or updates so far.
    pub tick: u64,
    /// Time that waits for the next fixed step.
    pub accumulated: f64,
    /// Steps an update does at most to catch up.
    pub max_catch_up: u32,
    /// Steps that were dropped because an update would have needed more than that.
    pub dropped_steps: u64,
    /// Whether game time stands still.
    pub paused: bool,
}

impl Default for Clocks {
    fn default() -> Self {
        Self {
            player_time: 0.0,
            game_time: 0.0,
            time_scale: 1.0,
            step: Some(16.0),
            tick: 0,
            accumulated: 0.0,
            max_catch_up: 8,
            dropped_steps: 0,
            paused: false,
        }
    }
}
