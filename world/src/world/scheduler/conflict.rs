//! The conflict scheduler: every update queues a run of each system that is due, and runs go on as soon as nothing
//! is in their way. `schedule::RunQueue` decides; here it is done.

use super::{FinishedRun, ReadyEffects, Scheduler, SchedulerContext};
use crate::id::{RunId, SystemId};
use crate::schedule::{RunQueue, Runs, Ticket};
use crate::system::{Phase, SystemKind};

/// Queues a run of every system at every update; a run starts when the earlier runs it conflicts with are complete,
/// and updates may overlap. Creations are published in queue order, deaths after every earlier run.
#[derive(Debug, Default)]
pub struct ConflictScheduler {
    queue: RunQueue,
    /// Those of an update, kept for the next.
    systems: Vec<SystemId>,
    /// Runs that may start, kept for the next time.
    startable: Vec<(Ticket, SystemId)>,
}

impl Scheduler for ConflictScheduler {
    fn name(&self) -> &str {
        "conflict"
    }

    /// Queues a run of every system of a phase that is due, each with its time.
    fn update(&mut self, context: &mut SchedulerContext<'_>, phase: Phase, delta: f64) {
        let mut systems = std::mem::take(&mut self.systems);
        context.list_systems(&mut systems);
        let mut left = systems.as_slice();
        loop {
            // With nothing queued before them their runs would find what there is now.
            if self.queue.is_empty() {
                left = &left[context.skip_idle(left, phase)..];
            }
            let Some(&first) = left.first() else { break };
            let (group, others) = left.split_at(context.joined(first).min(left.len()));
            left = others;
            self.queue_group(context, group, phase, delta);
        }
        self.systems = systems;
    }

    /// Applies the effects of one run whose turn it is, or starts what may start.
    fn pump(&mut self, context: &mut SchedulerContext<'_>) -> bool {
        if self.queue.is_empty() {
            return false;
        }
        self.publish_next(context) || self.start_workers(context) || self.start_on_world(context)
    }

    fn effects_ready(&mut self, _: &mut SchedulerContext<'_>, run: &FinishedRun) -> ReadyEffects {
        match self.queue.ticket_of(run.run) {
            Some(ticket) => {
                self.queue.finish(ticket, run.creates, run.kills);
                ReadyEffects::Hold
            }
            // Of another scheduler's time.
            None => ReadyEffects::Apply,
        }
    }

    fn run_completed(&mut self, _: &mut SchedulerContext<'_>, run: RunId, _: SystemId) {
        if let Some(ticket) = self.queue.ticket_of(run) {
            self.queue.run_completed(ticket);
        }
    }

    /// Skips the runs of a removed system that have not started.
    fn system_removed(&mut self, _: &mut SchedulerContext<'_>, system: SystemId) {
        self.queue.forget(system);
    }

    fn before_clear(&mut self) {
        self.queue.clear();
    }

    fn reset(&mut self) {
        self.queue.clear();
    }

    fn backlog(&self) -> usize {
        self.queue.backlog()
    }

    fn holds_up(&self) -> Option<SystemId> {
        self.queue.oldest()
    }

    fn queued_runs(&self, system: SystemId) -> (usize, Option<SystemId>) {
        self.queue.waits(system)
    }
}

impl ConflictScheduler {
    /// Queues the runs that are due of systems which run as one, or of one system.
    fn queue_group(
        &mut self,
        context: &mut SchedulerContext<'_>,
        group: &[SystemId],
        phase: Phase,
        delta: f64,
    ) {
        let mut first = None;
        let mut others = Vec::new();
        for &system in group {
            if !context.advance(system, phase, delta) {
                continue;
            }
            let Some(due) = context.take_due(system) else { continue };
            // With nothing queued before it a run would find what there is now.
            if first.is_none() && self.queue.is_empty() && context.is_idle(system) {
                context.skip(due);
                continue;
            }
            match first {
                None => first = Some(due),
                Some(_) => others.push(due),
            }
        }
        let Some(due) = first else { return };
        let access =
            if others.is_empty() { context.access(due.system) } else { context.joined_access(due.system) };
        if let Some(access) = access {
            self.queue.push_joined(due, others, access);
        }
    }

    fn publish_next(&mut self, context: &mut SchedulerContext<'_>) -> bool {
        let Some((ticket, runs)) = self.queue.publishable() else { return false };
        // Each is told as completed when this returns.
        let applied = runs.iter().filter(|&run| context.apply(run)).count();
        if applied == 0 {
            // Somebody else did, and it is complete.
            self.queue.complete(ticket);
        }
        true
    }

    /// Workers first, so that they work while the world thread does its own.
    fn start_workers(&mut self, context: &mut SchedulerContext<'_>) -> bool {
        let mut startable = std::mem::take(&mut self.startable);
        startable.clear();
        startable.extend(self.queue.all_startable());
        let mut any = false;
        for &(ticket, system) in &startable {
            let kind = context.kind(system);
            if !kind.is_some_and(SystemKind::is_on_world_thread) {
                any = true;
                self.start(context, ticket);
            }
        }
        self.startable = startable;
        any
    }

    fn start_on_world(&mut self, context: &mut SchedulerContext<'_>) -> bool {
        let Some(ticket) = self.queue.startable() else { return false };
        self.start(context, ticket);
        true
    }

    fn start(&mut self, context: &mut SchedulerContext<'_>, ticket: Ticket) {
        let (due, joined) = self.queue.due(ticket);
        let runs = match context.dispatch_joined(due, joined).as_slice() {
            [first, others @ ..] => Some(Runs { first: *first, count: 1 + others.len() as u32 }),
            [] => None,
        };
        match runs {
            Some(runs) => self.queue.start(ticket, runs),
            // It is done, or its system was removed.
            None => self.queue.complete(ticket),
        }
    }
}
