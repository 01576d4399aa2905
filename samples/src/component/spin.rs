//! How fast an entity turns.

use bytemuck::{Pod, Zeroable};
use std::mem::offset_of;
use vivarium_world::{Component, ComponentDef, Field, Scalar};

/// How fast an entity turns.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Spin {
    /// Clockwise, in radians a second.
    pub rate: f32,
}

impl Component for Spin {
    const NAME: &'static str = "spin";

    fn definition() -> ComponentDef {
        ComponentDef::of::<Self>().field(
            Field::new("rate", Scalar::F32, offset_of!(Self, rate))
                .key("spin")
                .unit("rad/s")
                .range(-20.0, 20.0),
        )
    }
}
