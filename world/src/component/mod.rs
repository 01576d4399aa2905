//! Components: what a block is made of, and how it comes from a config and goes back into one.

mod definition;
mod described;
mod entity;
mod field;
mod registry;
mod strings;

pub use definition::{AttachContext, Component, ComponentDef, ConfigError, DefinitionError, HookError};
pub use entity::Entity;
pub use field::{Field, FieldValue, Role, Scalar};
pub use registry::{Registry, RegistryError};
pub use strings::Strings;

pub(crate) use described::{field_value, set_field};
