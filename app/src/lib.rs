//! The window of the inspector and what it shares with the command line.

pub mod raster;
