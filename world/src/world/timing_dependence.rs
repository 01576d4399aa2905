//! What makes the results of a world depend on timing, or on the number of threads.

use super::World;
use crate::scene::SchedulerKind;
use crate::system::Phase;
use std::fmt;

/// A reason why the results of a world may not depend on its scene, its seed and the number of steps alone.
///
/// What systems do inside is not seen, such as drawing from [`World::random`] or reading a clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimingDependence {
    /// Its scheduler is this one, which starts runs when others happen to be over.
    Scheduler(String),
    /// It has no fixed step, so systems run with the time that happened to pass.
    NoFixedStep,
    /// Any number of updates may be queued, so rows are used again when runs happen to be over.
    UnboundedBacklog,
    /// The gate of this name holds steps as long as it likes.
    Gate(String),
    /// This system works for so many milliseconds at a time, as far as it comes.
    TimeSliced(String),
    /// This system runs once an update, with the time that happened to pass, and not once a step.
    VariablePhase(String),
}

impl fmt::Display for TimingDependence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scheduler(name) => write!(f, "its scheduler is {name:?}, not \"conflict\""),
            Self::NoFixedStep => write!(f, "it has no fixed step"),
            Self::UnboundedBacklog => write!(f, "any number of updates may be queued"),
            Self::Gate(name) => write!(f, "the gate {name:?} may hold a step"),
            Self::TimeSliced(name) => write!(f, "system {name:?} has a budget of time"),
            Self::VariablePhase(name) => write!(f, "system {name:?} runs once an update, not once a step"),
        }
    }
}

impl World {
    /// Every known reason why results may depend on timing or the number of threads; none if they depend on the
    /// scene, the seed and the number of steps alone, as far as can be seen from outside the systems.
    pub fn timing_dependence(&self) -> Vec<TimingDependence> {
        let mut reasons = Vec::new();
        let scheduler = self.scheduler();
        if scheduler != SchedulerKind::Conflict {
            reasons.push(TimingDependence::Scheduler(scheduler.name().to_owned()));
        }
        if self.clocks.step.is_none() {
            reasons.push(TimingDependence::NoFixedStep);
        }
        if self.max_backlog.is_none() {
            reasons.push(TimingDependence::UnboundedBacklog);
        }
        reasons.extend(self.gates.of_hosts().map(|name| TimingDependence::Gate(name.to_owned())));
        for system in &self.systems.list {
            if system.budget.is_some() {
                reasons.push(TimingDependence::TimeSliced(system.name.to_string()));
            }
            if system.phase == Phase::Variable {
                reasons.push(TimingDependence::VariablePhase(system.name.to_string()));
            }
        }
        reasons
    }
}
