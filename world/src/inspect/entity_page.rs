//! Some rows of the entity list.

use crate::component::FieldValue;
use crate::id::{ComponentId, EntityId, Ordinal};
use std::sync::Arc;
use std::time::Duration;

/// Some rows of the entity list.
#[derive(Clone, Debug, Default)]
pub struct EntityPage {
    /// Where the first row stands among the matching ones.
    pub first: usize,
    /// How many entities match the filter.
    pub matching: usize,
    /// How many rows the list has: those that match, without the ones in closed groups, with the ones that are gone
    /// and kept.
    pub listed: usize,
    /// How many there are.
    pub total: usize,
    /// The rows, in the order asked for.
    pub rows: Vec<EntityRow>,
    /// The groups of the list, in its order; none if it is not grouped.
    pub groups: Vec<EntityGroup>,
    /// What is wrong with the filter, with the bytes of it that are at fault. No rows then.
    pub fault: Option<(String, std::ops::Range<usize>)>,
    /// How long filtering and sorting took.
    pub took: Duration,
}

/// One row of the entity list.
#[derive(Clone, Debug, PartialEq)]
pub struct EntityRow {
    /// The creation number, by which commands name the entity.
    pub ordinal: Ordinal,
    /// The id.
    pub id: EntityId,
    /// Its type; empty if it has none.
    pub type_name: Arc<str>,
    /// Its class; empty if it has none.
    pub class: Arc<str>,
    /// Its components, in registry order, `entity` left out.
    pub components: Vec<ComponentId>,
    /// The values of the fields asked for; none where it does not have the component.
    pub fields: Vec<Option<FieldValue>>,
    /// Whether it is dead.
    pub dead: bool,
    /// Whether it is there no more: the row is of when it last was.
    pub gone: bool,
    /// Whether it was written in the last tick or since, if that was asked for.
    pub changed: bool,
}

/// Rows that stand together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityGroup {
    /// The type or class they share; empty for those without.
    pub name: Arc<str>,
    /// Where the first stands in the list.
    pub first: usize,
    /// How many rows of it are in the list; 0 if it is closed.
    pub listed: usize,
    /// How many entities it has.
    pub count: usize,
}
