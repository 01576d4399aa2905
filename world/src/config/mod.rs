//! Configs: what an entity is made of before it has blocks, and after it is saved.

mod value;

pub use value::{Config, Value};
