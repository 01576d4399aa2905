//! Components: what a block is made of, and how it comes from a config and goes back into one.

mod field;

pub use field::{Field, FieldValue, Role, Scalar};
