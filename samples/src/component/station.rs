//! A place ships call at.

use bytemuck::{Pod, Zeroable};
use std::mem::offset_of;
use vivarium_world::{Component, ComponentDef, Field, Role, Scalar};

/// A place ships call at.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Station {
    /// Where ships go from here: the bits of another station's id, 0 for nowhere.
    pub next: u64,
}

impl Component for Station {
    const NAME: &'static str = "station";

    fn definition() -> ComponentDef {
        ComponentDef::of::<Self>()
            .field(Field::new("next", Scalar::U64, offset_of!(Self, next)).role(Role::Entity))
    }
}
