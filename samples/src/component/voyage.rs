//! Where a ship is going.

use bytemuck::{Pod, Zeroable};
use std::mem::offset_of;
use vivarium_world::{Component, ComponentDef, Field, FieldValue, Role, Scalar};

/// Where a ship is going.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Voyage {
    /// The station ahead: the bits of its id; 0 lets the ship choose the nearest.
    pub target: u64,
    /// Speed in still water, in pixels a second.
    pub speed: f32,
    /// How fast it turns, in radians a second.
    pub agility: f32,
    /// How long it stays where it is, in milliseconds.
    pub waiting: f32,
    /// How many stations it has reached.
    pub calls: u32,
}

impl Component for Voyage {
    const NAME: &'static str = "voyage";

    fn definition() -> ComponentDef {
        ComponentDef::of::<Self>()
            .field(Field::new("target", Scalar::U64, offset_of!(Self, target)).role(Role::Entity))
            .field(
                Field::new("speed", Scalar::F32, offset_of!(Self, speed))
                    .default_value(FieldValue::Float(60.0))
                    .unit("px/s")
                    .range(0.0, 300.0),
            )
            .field(
                Field::new("agility", Scalar::F32, offset_of!(Self, agility))
                    .default_value(FieldValue::Float(2.0))
                    .unit("rad/s")
                    .range(0.1, 6.0),
            )
            .field(
                Field::new("waiting", Scalar::F32, offset_of!(Self, waiting)).unit("ms").range(0.0, 60_000.0),
            )
            .field(Field::new("calls", Scalar::U32, offset_of!(Self, calls)))
    }
}
