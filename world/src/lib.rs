//! An entity world that lives on its own thread.

mod component;
mod config;
mod filter;
mod host;
mod id;
pub mod inspect;
mod random;
pub mod save;
mod scene;
mod schedule;
mod timing;

pub use component::{Field, FieldValue, Role, Scalar};
pub use config::{Config, Value};
pub use filter::{
    Assertion, Candidate, CandidateKind, Completion, Filter, FilterFault, Language, Names, Outcome, Subject,
    SubjectValue, Tally, Total, complete,
};
pub use host::{Command, Done, HostEvent, LogLevel, LogLine, Reply, SaveForm, Target};
pub use id::{ComponentId, EntityId, Ordinal, RunId, SystemId};
pub use random::{MAX_SEED, SharedStream, Stream, StreamState, fresh_seed, run_stream};
pub use scene::{
    DataComponent, DataField, Document, EntitySource, FORMAT_VERSION, Fault, Faults, Position, SceneClass,
    SceneHeader, SceneSystem, SceneTemplate, SceneText, SchedulerKind, nearest, suggestion,
};
pub use schedule::{
    Access, AccessOrder, Accumulator, Alone, Batches, BrokenCycle, ComponentNames, ComponentSet, Creates,
    Pair, PeriodState, Plan, PlanDocument, PlanPair, PlanSystem, QueryAccess, Reason, ReasonKind,
    SystemAccess, order_by_access,
};
pub use timing::{PerformanceTiming, RunTime};
