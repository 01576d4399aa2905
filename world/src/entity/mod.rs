//! Entities: their order, and the templates and classes they are made from.

mod factory;
mod mould;
mod order;

pub use factory::{Class, CreateError, Factory, Template, TemplateError};

pub(crate) use factory::{OWN_KEYS, Prepared};
pub(crate) use mould::Moulds;
pub(crate) use order::Order;
