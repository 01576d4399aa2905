//! How long things took.
