//! How long things took. Reads no clock: every time is given.

mod distribution; // how times are spread
mod performance; // windows and ticks behind one door
mod sample; // what goes in and comes out
mod ticks; // the last ticks and the slowest ones
mod windows; // the updates, runs and effects of a stretch of time

pub use distribution::{Bucket, Distribution};
pub use performance::PerformanceTiming;
pub use sample::{RunTime, TickSample, TimingRow};
