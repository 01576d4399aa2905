//! Components: what a block is made of, and how it comes from a config and goes back into one.

mod definition;
mod described;
mod entity;
mod error;
mod field;
mod lists;
mod registry;
mod strings;
mod type_table;

pub use definition::{AttachContext, Component, ComponentDef};
pub use entity::Entity;
pub use error::{ConfigError, DefinitionError, HookError};
pub use field::{Field, FieldValue, Role, Scalar};
pub use lists::{ListError, ListId, ListItem, Lists};
pub use registry::{Registry, RegistryError};
pub use strings::Strings;

pub(crate) use described::{
    FieldsOut, colour_from_text, field_value, is_entity_item, number_of, set_field, set_number_of,
    write_value,
};
pub(crate) use registry::TypeMap;
pub(crate) use strings::Texts;
pub(crate) use type_table::Known;

/// What blocks refer to by number: a world's strings and lists.
#[derive(Clone, Copy)]
pub(crate) struct Heap<'a> {
    pub(crate) strings: &'a Strings,
    pub(crate) lists: &'a Lists,
}
