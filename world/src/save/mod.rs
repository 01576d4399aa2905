//! Saves: entities as short strings, and the definitions that make them short.
//!
//! ```text
//! configs ─▶ discover ─▶ Definitions ─▶ encode ─▶ "#g(q-!ok{)"     A definition lists the properties a type's
//!                             │                        │           string holds, in order; the save carries it,
//!                             └─────────▶ decode ◀─────┘           so that any later build can read the string.
//! ```
//!
//! Whatever no string can hold exactly stays an object: here nothing is ever rounded.

#![forbid(unsafe_code)]

mod column;
mod decode;
mod definition;
mod definitions;
mod discover;
mod encode;
mod fit;
mod lists;
mod scale;
pub(crate) mod varint;

pub(crate) use discover::Packed;

pub use decode::{DecodeError, DecodeFault};
pub use definition::{Definition, DefinitionError, Property, PropertyKind};
pub use definitions::{Definitions, KeyError};
pub use scale::{Scale, ScaleError};
