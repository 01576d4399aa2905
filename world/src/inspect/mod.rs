//! Looking into a world: what was asked for, and the plain data that answers.

mod build; // from a world to a snapshot
mod cells; // a pool, word by word
mod entities; // the entity list
mod heap; // strings and lists
mod journal; // what happened to whom
mod shapes; // what the world panel paints
mod snapshot;
mod view;

pub use crate::timing::{Bucket, Distribution, TickSample, TimingRow};
pub(crate) use build::Inspector;
pub use cells::{CellDetail, CellGroup, CellsRequest, CellsView, Strip};
pub use heap::{HeapPart, HeapRequest, HeapView, ListRow, StringRow};
pub(crate) use journal::journal_csv;
pub use snapshot::{
    BlockState, CatalogView, ClassView, ComponentState, ComponentView, DeferredBlock, DeferredView,
    EntityDetail, EntityName, EntityPage, EntityRow, JournalRow, JournalView, MemoryView, OpenRun,
    PairReason, PoolView, RawBlock, RunState, ScheduleView, Shape, ShapesView, Snapshot, Status, StopReason,
    SystemState, SystemView, TemplateView, TimingView,
};
pub use view::{ColourBy, EntitiesRequest, JournalRequest, ShapesRequest, Sort, SortBy, ViewRequest};
