//! The Vivarium inspector: window, files, command line.

pub mod documents;
pub mod files;
pub mod keys;
pub mod layout;
pub mod raster;
pub mod settings;
pub mod ui;

mod palette;
mod suggest;
mod toasts;
