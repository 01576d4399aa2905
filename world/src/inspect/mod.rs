//! Looking into a world: what was asked for, and the plain data that answers.

mod snapshot;
mod view;

pub use crate::timing::{TickSample, TimingRow};
pub use snapshot::{
    BlockState, CatalogView, ClassView, ComponentState, ComponentView, DeferredBlock, DeferredView,
    EntityDetail, EntityName, EntityPage, EntityRow, MemoryView, OpenRun, PairReason, PoolView, RawBlock,
    RunState, ScheduleView, Shape, ShapesView, Snapshot, Status, StopReason, SystemState, SystemView,
    TemplateView, TimingView,
};
pub use view::{ColourBy, EntitiesRequest, ShapesRequest, Sort, SortBy, ViewRequest};
