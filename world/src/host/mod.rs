//! The thread that owns the world: commands in, snapshots and events out.

mod command;

pub use command::{Command, Done, HostEvent, LogLevel, LogLine, Reply, SaveForm, Target};
