//! A tag: bodies bounce off it.

use bytemuck::{Pod, Zeroable};
use vivarium_world::{Component, ComponentDef};

/// A tag: bodies bounce off it.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Solid;

impl Component for Solid {
    const NAME: &'static str = "solid";

    fn definition() -> ComponentDef {
        ComponentDef::of::<Self>()
    }
}
