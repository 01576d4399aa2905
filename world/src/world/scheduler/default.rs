//! The default scheduler: in registration order; workers overlap where their access allows.

use super::{Scheduler, SchedulerContext};
use crate::id::SystemId;
use crate::schedule::DueRun;
use crate::system::Phase;

/// Runs systems in registration order. Workers overlap where their access allows. A system that is still running, or
/// whose access is taken, is skipped, keeps its time, and has first claim: nothing that conflicts with it is
/// dispatched before it. Effects are applied when a run is over.
#[derive(Debug, Default)]
pub struct DefaultScheduler {
    /// Systems that had to be skipped, those that wait longest first.
    claims: Vec<SystemId>,
    /// Those of an update, kept for the next.
    systems: Vec<SystemId>,
}

impl Scheduler for DefaultScheduler {
    fn name(&self) -> &str {
        "default"
    }

    /// The list of systems is read as it is: one removed meanwhile does not run, one added meanwhile waits.
    fn update(&mut self, context: &mut SchedulerContext<'_>, phase: Phase, delta: f64) {
        let mut systems = std::mem::take(&mut self.systems);
        context.list_systems(&mut systems);
        self.claims.retain(|&system| context.is_enabled(system));
        let mut left = systems.as_slice();
        while let Some(&first) = left.first() {
            let (group, others) = left.split_at(context.joined(first).min(left.len()));
            left = others;
            // Without threads the run before is over already; with them some may be.
            context.receive();
            if let [system] = *group {
                if context.advance(system, phase, delta) {
                    self.run(context, system);
                }
            } else {
                self.run_group(context, group, phase, delta);
            }
        }
        self.systems = systems;
    }

    fn applies_at_once(&self) -> bool {
        true
    }

    fn system_removed(&mut self, _: &mut SchedulerContext<'_>, system: SystemId) {
        self.claims.retain(|&claim| claim != system);
    }

    fn reset(&mut self) {
        self.claims.clear();
    }
}

impl DefaultScheduler {
    /// Runs a system that took part in the step, if it is due and nothing is in its way.
    fn run(&mut self, context: &mut SchedulerContext<'_>, system: SystemId) {
        match context.due(system) {
            Some(_) if !self.may_start(context, system) => {
                if !self.claims.contains(&system) {
                    self.claims.push(system);
                }
            }
            due => {
                self.claims.retain(|&claim| claim != system);
                if let Some(due) = due {
                    context.dispatch(due);
                }
            }
        }
    }

    /// Runs systems that run as one: those of them that are due, or each by itself where something is in the way of
    /// one.
    fn run_group(
        &mut self,
        context: &mut SchedulerContext<'_>,
        group: &[SystemId],
        phase: Phase,
        delta: f64,
    ) {
        let taking_part: Vec<SystemId> =
            group.iter().copied().filter(|&system| context.advance(system, phase, delta)).collect();
        let dues: Vec<DueRun> = taking_part.iter().filter_map(|&system| context.due(system)).collect();
        match dues.split_first() {
            Some((&first, others)) if dues.iter().all(|due| self.may_start(context, due.system)) => {
                self.claims.retain(|claim| !taking_part.contains(claim));
                context.dispatch_joined(first, others);
            }
            _ => {
                for system in taking_part {
                    context.receive();
                    self.run(context, system);
                }
            }
        }
    }

    /// Whether a system may run now: nothing open bars it, and nobody who waits longer has a claim on what it needs.
    fn may_start(&self, context: &mut SchedulerContext<'_>, system: SystemId) -> bool {
        if !context.can_start(system) {
            return false;
        }
        let Some(access) = context.access(system) else { return false };
        let mut before = self.claims.iter().take_while(|&&claim| claim != system);
        !before.any(|&claim| context.access(claim).is_some_and(|claimed| claimed.conflict(&access).is_some()))
    }
}
