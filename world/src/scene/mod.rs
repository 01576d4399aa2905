//! Scene files: text in, a checked document with positions out; and back.

mod components;
mod document;
mod fault;
mod header;
mod json;
mod nearest;
mod origin;
mod parts;
mod places;
mod position;
mod quick;
mod reader;
mod rewrite;
mod text;
mod top;
mod write;

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod samples;

pub(crate) use document::DocumentReader;
pub use document::{Document, EntitySource};
pub use fault::{Fault, Faults};
pub use header::{
    DataComponent, DataField, FORMAT_VERSION, SceneClass, SceneHeader, ScenePass, SceneSystem, SceneTemplate,
    SchedulerKind, SystemOrder,
};
pub use nearest::{nearest, suggestion};
pub use position::Position;
pub use rewrite::{RewriteError, rewrite_template, template_in};
pub(crate) use text::Text;
pub use write::SceneText;
