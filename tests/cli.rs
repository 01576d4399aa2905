//! The command line from outside: the real binary, its output, its exit codes.

#[path = "cli/diff.rs"]
mod diff;
#[path = "cli/harness.rs"]
mod harness;
#[path = "cli/info.rs"]
mod info;
#[path = "cli/look.rs"]
mod look;
#[path = "cli/run.rs"]
mod run;
#[path = "cli/samples.rs"]
mod samples;
#[path = "cli/usage.rs"]
mod usage;
#[path = "cli/window.rs"]
mod window;
