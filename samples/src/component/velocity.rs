//! How an entity moves.

use bytemuck::{Pod, Zeroable};
use std::mem::offset_of;
use vivarium_world::{Component, ComponentDef, Field, Scalar};

/// How an entity moves.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Velocity {
    /// To the right, in pixels a second.
    pub vx: f32,
    /// Down, in pixels a second.
    pub vy: f32,
}

impl Component for Velocity {
    const NAME: &'static str = "velocity";

    fn definition() -> ComponentDef {
        ComponentDef::of::<Self>()
            .field(Field::new("vx", Scalar::F32, offset_of!(Self, vx)).unit("px/s").range(-1000.0, 1000.0))
            .field(Field::new("vy", Scalar::F32, offset_of!(Self, vy)).unit("px/s").range(-1000.0, 1000.0))
    }
}
