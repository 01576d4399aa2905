//! Systems: what runs over entities, what it may touch, and what it asks for afterwards.

mod access;
mod body;
mod bundle;
mod chain;
mod definition;
mod effects;
mod parallel;
mod params;
mod run;

pub use access::AccessError;
pub use body::{EntitySystem, EntityWorkerSystem, Named, System, WorkerSystem};
pub(crate) use bundle::Blocks;
pub use bundle::Bundle;
pub use chain::Chain;
pub use definition::{Phase, Step, SystemDef, SystemKind};
pub use params::Params;
pub use run::{EffectError, Run};

pub(crate) use access::compile_query;
pub(crate) use body::{Body, Job, JobOutcome, panic_message};
pub(crate) use definition::ShouldRun;
pub(crate) use effects::{ChangeKind, ChangeRun, Changes, Effects, Staged};
pub(crate) use run::{Capabilities, RunShared};
