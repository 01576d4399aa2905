//! A solid that hits back.

use bytemuck::{Pod, Zeroable};
use std::mem::offset_of;
use vivarium_world::{Component, ComponentDef, Field, Scalar};

/// A solid that hits back.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Bumper {
    /// How much faster a body leaves than it came, in pixels a second.
    pub kick: f32,
}

impl Component for Bumper {
    const NAME: &'static str = "bumper";

    fn definition() -> ComponentDef {
        ComponentDef::of::<Self>()
            .field(Field::new("kick", Scalar::F32, offset_of!(Self, kick)).unit("px/s").range(0.0, 1000.0))
    }
}
