//! How long an entity lives.

use bytemuck::{Pod, Zeroable};
use std::mem::offset_of;
use vivarium_world::{Component, ComponentDef, Field, FieldValue, Scalar};

/// How long an entity lives.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Lifetime {
    /// How long it has lived, in milliseconds.
    pub age: f32,
    /// At which age it dies, in milliseconds; 0 is never.
    pub lifespan: f32,
}

impl Component for Lifetime {
    const NAME: &'static str = "lifetime";

    fn definition() -> ComponentDef {
        ComponentDef::of::<Self>()
            .field(Field::new("age", Scalar::F32, offset_of!(Self, age)).unit("ms").range(0.0, 60_000.0))
            .field(
                Field::new("lifespan", Scalar::F32, offset_of!(Self, lifespan))
                    .default_value(FieldValue::Float(10_000.0))
                    .unit("ms")
                    .range(0.0, 60_000.0),
            )
    }
}
