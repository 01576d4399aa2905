//! How hard an entity is to push, and whether it floats.

use bytemuck::{Pod, Zeroable};
use std::mem::offset_of;
use vivarium_world::{Component, ComponentDef, Field, FieldValue, Scalar};

/// How hard an entity is to push, and whether it floats.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Mass {
    /// In kilograms.
    pub mass: f32,
    /// The share of gravity that it does not feel: 0 falls, 1 floats, more rises.
    pub buoyancy: f32,
}

impl Component for Mass {
    const NAME: &'static str = "mass";

    fn definition() -> ComponentDef {
        ComponentDef::of::<Self>()
            .field(
                Field::new("mass", Scalar::F32, offset_of!(Self, mass))
                    .default_value(FieldValue::Float(1.0))
                    .unit("kg")
                    .range(0.1, 100.0),
            )
            .field(Field::new("buoyancy", Scalar::F32, offset_of!(Self, buoyancy)).range(0.0, 2.0))
    }
}
