//! The built-in component of every entity.

use super::{Component, ComponentDef, Field, Role, Scalar};
use bytemuck::{Pod, Zeroable};

/// What every entity has: a type and two flags. Never added or removed by hand; the type never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Entity {
    /// Number of the type's name among the world's strings; 0 is no type.
    type_name: u32,
    flags: u32,
}

const DEAD: u32 = 1;
const STATIC: u32 = 2;

impl Entity {
    pub(crate) fn new(type_name: u32, dead: bool, is_static: bool) -> Self {
        let flag = |on: bool, flag: u32| if on { flag } else { 0 };
        Self { type_name, flags: flag(dead, DEAD) | flag(is_static, STATIC) }
    }

    /// The number of its type's name among `World::strings`.
    pub fn type_name(&self) -> u32 {
        self.type_name
    }
    /// Whether it died.
    pub fn is_dead(&self) -> bool {
        self.flags & DEAD != 0
    }
    /// Whether it never moves.
    pub fn is_static(&self) -> bool {
        self.flags & STATIC != 0
    }
    pub(crate) fn set_dead(&mut self) {
        self.flags |= DEAD;
    }
}

impl Component for Entity {
    const NAME: &'static str = "entity";
    fn definition() -> ComponentDef {
        let type_name = Field::new("type", Scalar::U32, 0).role(Role::Text).without_key();
        ComponentDef::of::<Self>()
            .field(type_name)
            .field(Field::new("flags", Scalar::U32, 4).role(Role::Flags).without_key())
    }
}
