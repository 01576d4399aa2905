//! Systems: what runs over entities, what it may touch, and what it asks for afterwards.

mod access;
mod asynchronous;
mod at_member;
mod body;
mod bundle;
mod chain;
mod declare;
mod definition;
mod each;
mod effects;
mod filter;
mod fold;
mod function;
mod iterable;
mod joined; // several of them as one
mod kinds;
mod members;
mod named;
mod parallel;
mod params;
mod run;
mod sharing;
mod spec;
mod tiles; // bodies that can be driven over some rows at a time
mod tracking;

pub use access::AccessError;
pub use asynchronous::OpenRun;
pub(crate) use bundle::Blocks;
pub use bundle::Bundle;
pub use chain::Chain;
pub use definition::{Phase, Step, SystemDef, SystemKind};
pub use fold::ParallelSystem;
pub use function::{EntityClosure, entity_system, entity_worker};
pub use kinds::{EntitySystem, IterableSystem, Startup, System, WorkerSystem};
pub use members::Members;
pub use named::Named;
pub use params::Params;
pub use run::{EffectError, Run};
pub use spec::{QuerySpec, RawBlocks};
pub use tracking::QueryChanges;

pub(crate) use access::compile_query;
pub(crate) use at_member::AtMember;
pub(crate) use body::{
    Body, Heard, InFlight, Job, JobOutcome, Lifecycle, Part, Worker, WorldBody, panic_message,
};
pub(crate) use definition::{ShouldRun, Starter};
pub(crate) use effects::{ChangeKind, ChangeRun, Changes, Effects, Staged};
pub(crate) use iterable::IterableBody;
pub(crate) use joined::{JoinedDone, JoinedJob};
pub(crate) use run::{Capabilities, RunShared};
#[cfg(all(test, loom))]
pub(crate) use sharing::{Ended, Gathered, Room};
pub(crate) use tracking::Tracked;
