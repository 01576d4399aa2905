//! The Vivarium inspector: window, files, command line.

use std::process::ExitCode;

use vivarium_world::Catalog;

mod cli;
pub mod documents;
pub mod files;
pub mod keys;
pub mod layout;
pub mod pictures;
pub mod raster;
pub mod settings;
pub mod ui;
pub mod window;

mod edits;
mod palette;
mod toasts;

/// The whole program for a world of one's own: does what the process's arguments say, and says how the process
/// should end.
///
/// ```no_run
/// fn main() -> std::process::ExitCode {
///     vivarium_app::run(vivarium_world::Catalog::new())
/// }
/// ```
pub fn run(catalog: Catalog) -> ExitCode {
    run_with_scenes(catalog, Vec::new())
}

/// As [`run`], with scenes that are built in and can be opened by their names.
pub fn run_with_scenes(catalog: Catalog, scenes: Vec<files::EmbeddedScene>) -> ExitCode {
    cli::main(&cli::Offer { catalog, scenes })
}
