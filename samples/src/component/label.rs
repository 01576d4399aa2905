//! A name for people.

use bytemuck::{Pod, Zeroable};
use std::mem::offset_of;
use vivarium_world::{Component, ComponentDef, Field, Role, Scalar};

/// A name for people.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Label {
    /// The number of the name among the strings.
    pub label: u32,
}

impl Component for Label {
    const NAME: &'static str = "label";

    fn definition() -> ComponentDef {
        ComponentDef::of::<Self>()
            .field(Field::new("label", Scalar::U32, offset_of!(Self, label)).role(Role::Text))
    }
}
