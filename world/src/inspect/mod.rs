//! Looking into a world: what was asked for, and the plain data that answers.

mod snapshot;
mod view;

pub use snapshot::{
    BlockState, CatalogView, ClassView, ComponentState, ComponentView, DeferredBlock, DeferredView,
    EntityDetail, EntityName, EntityPage, EntityRow, MemoryView, OpenRun, PairReason, PoolView, RawBlock,
    RunState, ScheduleView, Shape, ShapesView, Snapshot, Status, StopReason, SystemState, SystemView,
    TemplateView, TickSample, TimingRow, TimingView,
};
pub use view::{ColourBy, EntitiesRequest, ShapesRequest, Sort, SortBy, ViewRequest};
