//! Where an entity is, and which way it looks.

use bytemuck::{Pod, Zeroable};
use std::mem::offset_of;
use vivarium_world::{Component, ComponentDef, Field, Role, Scalar};

/// Where an entity is, and which way it looks.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Transform {
    /// Right of the origin, in pixels.
    pub x: f32,
    /// Below the origin, in pixels.
    pub y: f32,
    /// Clockwise from the x axis, in radians.
    pub angle: f32,
}

impl Component for Transform {
    const NAME: &'static str = "transform";

    fn definition() -> ComponentDef {
        ComponentDef::of::<Self>()
            .field(Field::new("x", Scalar::F32, offset_of!(Self, x)).unit("px"))
            .field(Field::new("y", Scalar::F32, offset_of!(Self, y)).unit("px"))
            .field(Field::new("angle", Scalar::F32, offset_of!(Self, angle)).role(Role::Angle).unit("rad"))
    }
}
