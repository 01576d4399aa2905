//! What an entity looks like: a box, or a circle if it has no half height.

use bytemuck::{Pod, Zeroable};
use std::mem::offset_of;
use vivarium_world::{Component, ComponentDef, Field, FieldValue, Role, Scalar};

/// What an entity looks like: a box, or a circle if it has no half height.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Body {
    /// Half the width of a box, or the radius of a circle, in pixels.
    pub half_width: f32,
    /// Half the height of a box, in pixels; 0 makes a circle.
    pub half_height: f32,
    /// Red, green, blue and how opaque, `0xRRGGBBAA`.
    pub colour: u32,
}

impl Component for Body {
    const NAME: &'static str = "body";

    fn definition() -> ComponentDef {
        ComponentDef::of::<Self>()
            .field(
                Field::new("half_width", Scalar::F32, offset_of!(Self, half_width))
                    .default_value(FieldValue::Float(5.0))
                    .unit("px")
                    .range(0.0, 1000.0),
            )
            .field(
                Field::new("half_height", Scalar::F32, offset_of!(Self, half_height))
                    .unit("px")
                    .range(0.0, 1000.0),
            )
            .field(
                Field::new("colour", Scalar::U32, offset_of!(Self, colour))
                    .default_value(FieldValue::Uint(0x7d87_94ff))
                    .role(Role::Colour),
            )
    }
}
