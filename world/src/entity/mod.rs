//! Entities: their order, and the templates and classes they are made from.

mod error;
mod factory;
mod mould;
mod order;
mod prepared;

pub use error::{CreateError, TemplateError};
pub use factory::{Class, Factory, Template};

pub(crate) use factory::OWN_KEYS;
pub(crate) use mould::Moulds;
pub(crate) use order::Order;
pub(crate) use prepared::Prepared;
