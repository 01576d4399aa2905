//! Configs: what an entity is made of before it has blocks, and after it is saved.

mod entries;
mod value;

pub use entries::Config;
pub use value::Value;
