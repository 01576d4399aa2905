//! The Vivarium inspector: window, files, command line.

use std::process::ExitCode;

use vivarium_world::Catalog;

mod cli;
pub mod documents;
pub mod files;
pub mod keys;
mod known_files;
pub mod layout;
pub mod pictures;
pub mod raster;
pub mod settings;
pub mod ui;
pub mod window;

mod edits;
mod palette;
mod script;
mod template_text;
mod toasts;

/// The whole program for a world of one's own: does what the process's arguments say, and says how the process
/// should end.
///
/// ```no_run
/// use vivarium_samples::component::{Transform, Velocity};
/// use vivarium_world::{Catalog, Run, SystemDef};
///
/// fn main() -> std::process::ExitCode {
///     let catalog = Catalog::new().component::<Transform>().unwrap().component::<Velocity>().unwrap();
///     vivarium_app::run(catalog.class("body", ["transform", "velocity"]).system(|| {
///         SystemDef::each::<(&mut Transform, &Velocity), _>(
///             "fall",
///             |(body, velocity): (&mut Transform, &Velocity), run: &mut Run| {
///                 body.y += velocity.vy * run.delta() as f32 / 1000.0;
///             },
///         )
///     }))
/// }
/// ```
pub fn run(catalog: Catalog) -> ExitCode {
    run_with_scenes(catalog, Vec::new())
}

/// As [`run`], with scenes that are built in and can be opened by their names.
pub fn run_with_scenes(catalog: Catalog, scenes: Vec<files::EmbeddedScene>) -> ExitCode {
    cli::main(&cli::Offer { catalog, scenes })
}
