//! Looking into a world: what was asked for, and the plain data that answers.

mod build; // from a world to a snapshot
mod cells; // a pool, word by word
mod csv; // a cell of a table as text
mod entities; // the entity list
mod entity_page; // rows of it
mod heap; // strings and lists
mod journal; // what happened to whom
mod references; // who points to an entity
mod rested; // answers that are dear to find
mod selected; // several entities together
mod shapes; // what the world panel paints
mod snapshot;
mod subject; // an entity as filters see it
mod templates; // beside what the scene file says
mod view;

pub use crate::timing::{Bucket, Distribution, TickSample, TimingRow};
pub(crate) use build::Inspector;
pub use cells::{CellDetail, CellGroup, CellsRequest, CellsView, Strip};
pub use csv::csv_cell;
pub use entity_page::{EntityGroup, EntityPage, EntityRow};
pub use heap::{HeapPart, HeapRequest, HeapView, ListRow, StringRow};
pub(crate) use journal::journal_csv;
pub use references::{ReferenceView, ReferencesView};
pub use selected::{SelectedComponent, SelectedView, Spread};
pub use snapshot::{
    BlockState, CandidatesView, CatalogView, ClassView, ComponentState, ComponentView, DeferredBlock,
    DeferredView, EntityDetail, EntityName, JournalRow, JournalView, MemoryView, OpenRun, PairReason,
    PoolView, RawBlock, RunState, ScheduleView, Shape, ShapesView, Snapshot, Status, StopReason, SystemState,
    SystemView, TimingView,
};
pub use templates::{KeyOrigin, TemplateKey, TemplateView};
pub use view::{
    ColourBy, EntitiesRequest, GroupBy, JournalRequest, ShapesRequest, Sort, SortBy, ViewRequest,
};
