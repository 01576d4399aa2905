//! What the visible panels want to see. A snapshot holds that and no more.

use super::{CellsRequest, HeapRequest};
use crate::id::Ordinal;
use crate::world::{Asker, JournalKind};
use serde::{Deserialize, Serialize};

/// What is visible right now; a part that nobody shows is none or false and costs nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ViewRequest {
    /// Rows of the entity list.
    pub entities: Option<EntitiesRequest>,
    /// Entities to look into, block by block.
    pub details: Vec<Ordinal>,
    /// The systems with their states.
    pub systems: bool,
    /// The compiled conflict schedule.
    pub schedule: bool,
    /// Timings of systems and of the last ticks.
    pub timing: bool,
    /// The pools.
    pub memory: bool,
    /// Blocks waiting to be freed, and the open runs.
    pub deferred: bool,
    /// Shapes to paint.
    pub shapes: Option<ShapesRequest>,
    /// The words of a pool.
    pub cells: Option<CellsRequest>,
    /// Strings, or lists.
    pub heap: Option<HeapRequest>,
    /// Entities to find references to.
    pub references: Vec<Ordinal>,
    /// Entities to look at together: what all have, and how far their values lie apart.
    pub selected: Vec<Ordinal>,
    /// A filter to find an entity by; see `Filter`.
    pub candidates: Option<String>,
    /// Entries of the journal.
    pub journal: Option<JournalRequest>,
}

/// Which entries of the journal to show.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct JournalRequest {
    /// Shows only entries about entities for which this held then; see `Filter`. Empty shows all. `changed:5t` holds
    /// for entries of the last five ticks.
    pub filter: String,
    /// Shows only entries of these kinds; none shows all.
    pub kinds: Vec<JournalKind>,
    /// Shows only what this one asked for.
    pub by: Option<Asker>,
    /// The first row wanted, counted among those that match, newest first.
    pub first: usize,
    /// How many rows are wanted.
    pub count: usize,
}

/// Which rows of the entity list to show.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EntitiesRequest {
    /// Shows only entities for which this holds; see `Filter`. Empty shows all.
    pub filter: String,
    /// The order of the rows.
    pub sort: Sort,
    /// The first row wanted, counted after filtering and sorting.
    pub first: usize,
    /// How many rows are wanted.
    pub count: usize,
    /// Fields to show as columns, each `component.field`.
    pub fields: Vec<String>,
    /// Which rows stand together.
    pub group: GroupBy,
    /// Groups of which only the heading is shown, by name.
    pub closed: Vec<String>,
    /// Entities whose rows stay where they are when they are gone.
    pub keep: Vec<Ordinal>,
    /// Whether to tell which rows were written in the last tick.
    pub changes: bool,
}

/// Which rows of the entity list stand together; each group is in the order of the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GroupBy {
    /// None.
    #[default]
    None,
    /// Those of a type.
    Type,
    /// Those of a class.
    Class,
}

/// An order of rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sort {
    /// By what.
    pub by: SortBy,
    /// Greatest first.
    pub descending: bool,
}

/// What rows are ordered by; equal ones stay in creation order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SortBy {
    /// Creation order.
    #[default]
    Ordinal,
    /// The id: slot, then generation.
    Id,
    /// The name of the type.
    Type,
    /// The name of the class.
    Class,
    /// How many components there are.
    Components,
    /// A live value, `component.field`; entities without it come last.
    Field(String),
}

/// Which shapes to send. Positions come from the component `transform`, outlines from `body`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ShapesRequest {
    /// Only shapes that touch this rectangle of the world: left, top, right, bottom. None sends all.
    pub within: Option<[f32; 4]>,
    /// What decides a shape's colour.
    pub colour: ColourBy,
    /// At most this many; beyond it, every n-th is sent and `ShapesView::sampled` says so. 0 is no limit.
    pub limit: usize,
}

/// What decides a shape's colour.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ColourBy {
    /// The body's own colour.
    #[default]
    Own,
    /// One colour a type.
    Type,
    /// One colour a class.
    Class,
    /// From blue to yellow by a live value, `component.field`.
    Field(String),
}
