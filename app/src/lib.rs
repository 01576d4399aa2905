//! The Vivarium inspector: window, files, command line.

pub mod files;
pub mod raster;
mod suggest;
