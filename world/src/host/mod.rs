//! The thread that owns the world: commands in, snapshots and events out.

mod command; // what a host can be told, and what it answers
mod edit; // edits of the world, each with the one that takes it back
mod execute; // commands done to a world
mod handle; // the other end
mod loading; // slice by slice
mod running; // when the world steps
mod thread; // the loop

pub use command::{Command, Done, HostEvent, LogLevel, LogLine, Operator, Reply, Restored, SaveForm, Target};
pub use handle::{Host, HostHandle, HostOptions};
