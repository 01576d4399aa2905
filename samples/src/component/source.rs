//! A place where a spawner lets bodies appear, in the direction its transform looks.

use bytemuck::{Pod, Zeroable};
use std::mem::offset_of;
use vivarium_world::{Component, ComponentDef, Field, Role, Scalar};

/// A place where a spawner lets bodies appear, in the direction its transform looks.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Source {
    /// The type of the bodies: the number of its name among the strings.
    pub emits: u32,
    /// How fast bodies leave it, in pixels a second.
    pub launch_speed: f32,
    /// How far their direction strays to each side, in radians.
    pub spread: f32,
}

impl Component for Source {
    const NAME: &'static str = "source";

    fn definition() -> ComponentDef {
        ComponentDef::of::<Self>()
            .field(Field::new("emits", Scalar::U32, offset_of!(Self, emits)).role(Role::Text))
            .field(
                Field::new("launch_speed", Scalar::F32, offset_of!(Self, launch_speed))
                    .unit("px/s")
                    .range(0.0, 1000.0),
            )
            .field(
                Field::new("spread", Scalar::F32, offset_of!(Self, spread))
                    .role(Role::Angle)
                    .unit("rad")
                    .range(0.0, 3.2),
            )
    }
}
