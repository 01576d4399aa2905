//! The state of the sea; a world has one.

use bytemuck::{Pod, Zeroable};
use std::mem::offset_of;
use vivarium_world::{Component, ComponentDef, Field, FieldValue, Scalar};

/// The state of the sea; a world has one.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Tide {
    /// From one flood to the next, in milliseconds.
    pub period: f32,
    /// Above the mean, in metres.
    pub level: f32,
}

impl Component for Tide {
    const NAME: &'static str = "tide";

    fn definition() -> ComponentDef {
        ComponentDef::of::<Self>()
            .field(
                Field::new("period", Scalar::F32, offset_of!(Self, period))
                    .default_value(FieldValue::Float(30_000.0))
                    .unit("ms")
                    .range(1000.0, 600_000.0),
            )
            .field(Field::new("level", Scalar::F32, offset_of!(Self, level)).unit("m").range(-1.0, 1.0))
    }
}
