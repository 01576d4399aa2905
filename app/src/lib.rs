//! The Vivarium inspector: window, files, command line.

use std::process::ExitCode;

mod cli;
pub mod documents;
pub mod files;
pub mod keys;
pub mod layout;
pub mod raster;
pub mod settings;
pub mod ui;
pub mod window;

mod edits;
mod palette;
mod toasts;

/// Does what the process's arguments say, with these scenes built in, and says how the process should end.
pub fn run(scenes: &'static [files::EmbeddedScene]) -> ExitCode {
    cli::main(&cli::Offer { scenes })
}
