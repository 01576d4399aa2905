//! Which systems may run together, and why not: decided purely, before anything runs.

mod access; // what a system touches
mod component_set; // a set of components
mod conflict; // the relation of an earlier and a later system
mod due; // a run that is due
mod explain; // that relation as a sentence
mod order; // an order of registration that suits readers
mod output; // the plan as text, DOT and JSON
mod period; // when a system is due
mod plan; // levels, batches and pairs of a list of systems
mod queue; // runs between their update and the end of their effects
mod tiles; // which neighbours run as one

pub use access::{Access, Alone, Creates, QueryAccess};
pub use component_set::ComponentSet;
pub use conflict::{Reason, ReasonKind};
pub use due::DueRun;
pub use explain::ComponentNames;
pub use order::{AccessOrder, BrokenCycle, order_by_access};
pub use output::{PlanDocument, PlanNeighbours, PlanPair, PlanSystem};
pub use period::{Accumulator, PeriodState};
pub use plan::{Batches, Pair, Plan, SystemAccess};
pub use tiles::{Apart, Obstacle};

pub(crate) use queue::{RunQueue, Runs, Ticket};
pub(crate) use tiles::{TileTraits, apart, group_ends};

#[cfg(test)]
mod tests;
