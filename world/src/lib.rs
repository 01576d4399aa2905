//! An entity world that lives on its own thread.

mod catalog;
mod component;
mod config;
mod entity;
mod excerpt;
mod filter;
mod host;
mod id;
pub mod inspect;
#[cfg(all(test, loom))]
mod loom;
mod memory;
mod random;
pub mod save;
mod scene;
mod schedule;
mod sync;
mod system;
mod timing;
mod world;

pub use catalog::Catalog;
pub use component::{
    AttachContext, Component, ComponentDef, ConfigError, DefinitionError, Entity, Field, FieldValue,
    HookError, ListError, ListId, ListItem, Lists, Registry, RegistryError, Role, Scalar, Strings,
};
pub use config::{Config, Value};
pub use entity::{Class, CreateError, Factory, Template, TemplateError};
pub use filter::{
    Assertion, Candidate, CandidateKind, Completion, Filter, FilterFault, Language, Names, Outcome, Subject,
    SubjectValue, Tally, Total, complete,
};
pub use host::{
    Command, Done, Host, HostEvent, HostHandle, HostOptions, LogLevel, LogLine, Operator, Reply, Restored,
    SaveForm, Target,
};
pub use id::{ComponentId, EntityId, Ordinal, RunId, SystemId};
pub use memory::{Changed, Item, ItemKind, ItemTerm, Query, Reader, With, Without};
pub use random::{MAX_SEED, SharedStream, Stream, StreamState, fresh_seed, run_stream};
pub use scene::{
    DataComponent, DataField, Document, EntitySource, FORMAT_VERSION, Fault, Faults, Position, RewriteError,
    SceneClass, SceneHeader, ScenePass, SceneSystem, SceneTemplate, SceneText, SchedulerKind, SystemOrder,
    nearest, rewrite_template, suggestion, template_in,
};
pub use schedule::{
    Access, AccessOrder, Accumulator, Alone, Apart, Batches, BrokenCycle, ComponentNames, ComponentSet,
    Creates, DueRun, Obstacle, Pair, PeriodState, Plan, PlanDocument, PlanNeighbours, PlanPair, PlanSystem,
    QueryAccess, Reason, ReasonKind, SystemAccess, order_by_access,
};
pub use system::{
    AccessError, Bundle, Chain, EffectError, EntityClosure, EntitySystem, IterableSystem, Members, Named,
    OpenRun, ParallelSystem, Params, Phase, QueryChanges, QuerySpec, RawBlocks, Run, Startup, Step, System,
    SystemDef, SystemKind, WorkerSystem, entity_system, entity_worker,
};
pub use timing::{PerformanceTiming, RunTime};
pub use world::{
    AccessFault, Asker, ClassError, ClassWrapper, Clock, Clocks, ConflictScheduler, DefaultScheduler,
    Dispatched, Edit, EntityRef, FieldChange, FinishedRun, Grid, Hung, Index, IndexError, IndexKind,
    IndexValue, Journal, JournalEntry, JournalKind, LoadError, LoadOptions, LoadPhase, LoadProgress,
    LoadReport, LoadStep, LookupKind, Loopback, OffThread, PreparedQuery, PromoteError, ReadyEffects,
    RestoreError, SaveError, SaveReport, SceneInfo, Scheduler, SchedulerContext, SystemError, SystemPhase,
    SystemStatus, TemplateEditError, TimingDependence, UnknownScheduler, UpdateReport, WatchedField, World,
    WorldEvent, WorldOptions,
};
