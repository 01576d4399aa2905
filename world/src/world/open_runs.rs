//! Runs that are open: between their dispatch and the end of their effects.

use super::World;
use super::events::{SystemError, SystemPhase};
use super::scheduler::{FinishedRun, Notice};
use super::systems::Systems;
use super::workers::Completion;
use crate::id::{ComponentId, RunId, SystemId};
use crate::schedule::DueRun;
use crate::system::{Body, Effects, Job, JobOutcome, Run};
use crate::timing::RunTime;
use std::collections::VecDeque;

/// A run between its dispatch and the end of its effects.
#[derive(Clone, Debug)]
pub(crate) struct Open {
    pub(crate) run: RunId,
    pub(crate) system: SystemId,
    /// On the world's clock.
    pub(crate) since: u64,
    /// Whether its work is done and only its effects wait.
    pub(crate) done: bool,
    /// What it was dispatched for.
    due: DueRun,
}

/// What a finished run asks for, waiting to be applied.
pub(crate) struct Ready {
    pub(crate) run: RunId,
    pub(crate) system: SystemId,
    pub(crate) effects: Effects,
    /// Whether the scheduler knows that it waits.
    told: bool,
}

/// All runs that are open, in the order of their dispatch.
#[derive(Default)]
pub(crate) struct OpenRuns {
    next: u64,
    open: Vec<Open>,
    pub(super) ready: VecDeque<Ready>,
    /// The system whose run or effects the world thread is at.
    pub(super) acting: Option<SystemId>,
}

impl OpenRuns {
    pub(crate) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Open> {
        self.open.iter()
    }
    /// The run that was dispatched first.
    pub(super) fn oldest(&self) -> Option<RunId> {
        self.open.first().map(|open| open.run)
    }
    /// The number the next run gets.
    pub(super) fn next(&self) -> RunId {
        RunId(self.next)
    }
    /// The tick and game time an open run was due at.
    pub(super) fn time_of(&self, run: RunId) -> Option<(u64, f64)> {
        let open = self.open.iter().find(|open| open.run == run)?;
        Some((open.due.tick, open.due.game_time))
    }
    /// The first run with effects that wait which the scheduler does not know of.
    pub(super) fn next_untold(&self) -> Option<FinishedRun> {
        self.ready.iter().find(|ready| !ready.told).map(FinishedRun::of)
    }
    /// The scheduler knows that the effects of a run wait.
    pub(super) fn told(&mut self, run: RunId) {
        self.ready.iter_mut().filter(|ready| ready.run == run).for_each(|ready| ready.told = true);
    }
    pub(super) fn acting(&self) -> Option<SystemId> {
        self.acting
    }

    /// The acting system and its name; "world" for none.
    pub(super) fn acting_name(&self, systems: &Systems) -> (Option<SystemId>, String) {
        let name = self.acting.and_then(|id| systems.get(id)).map(|entry| entry.name.to_string());
        (self.acting, name.unwrap_or_else(|| "world".to_owned()))
    }

    pub(super) fn begin(&mut self, due: DueRun, since: u64) -> RunId {
        let run = RunId(self.next);
        self.next += 1;
        self.open.push(Open { run, system: due.system, since, done: false, due });
        run
    }

    fn end(&mut self, run: RunId) -> Option<Open> {
        let at = self.open.iter().position(|open| open.run == run)?;
        Some(self.open.remove(at))
    }

    /// Goes on with run numbers where others ended.
    pub(super) fn continue_after(&mut self, others: &Self) {
        self.next = self.next.max(others.next);
    }

    /// Whether some run still works, as opposed to waiting for its effects.
    pub(super) fn any_working(&self) -> bool {
        self.open.iter().any(|open| !open.done)
    }
}

impl World {
    /// A run's work is over: its pools come back, its effects wait to be applied.
    pub(super) fn take_in(&mut self, completion: Completion) {
        let Completion { system, run, job, outcome, start, end, worker } = completion;
        let Job { body, lent, run: finished, .. } = job;
        let members: usize = lent.queries.first().map_or(0, |query| query.mask.members);
        self.storage.take_back(lent);
        let open = self.runs.open.iter_mut().find(|open| open.run == run);
        let taken = open.is_some_and(|open| {
            open.done = true;
            open.due.taken
        });
        self.timing.run(&RunTime { system, start, end, worker, completes_pass: true });
        let Run { ids, mut effects, delta, name, failed, shared, .. } = finished;
        self.storage.slots.take_back(ids.rest());
        if let Some(entry) = self.systems.get_mut(system) {
            entry.body = Some(Body::Worker(body));
            entry.created_last = effects.created.len();
            if let JobOutcome::Panicked { message, .. } = &outcome {
                entry.last_error = Some(message.clone());
            }
            let failed = failed || outcome != JobOutcome::Done;
            match (taken, failed) {
                (false, false) => entry.accumulator.ran(delta),
                (true, true) => entry.accumulator.failed(delta),
                (false, true) | (true, false) => {}
            }
        }
        if let JobOutcome::Panicked { message, rows: (first, count) } = outcome {
            let whose = (first..first + count).find_map(|row| self.storage.id_of(row));
            let message = match (whose, count) {
                (Some(id), 1) => format!("{message} (at entity {id})"),
                (Some(id), _) => format!("{message} (among {count} rows from entity {id}, of {members})"),
                (None, _) => message,
            };
            let (phase, tick) = (SystemPhase::Update, self.clocks.tick);
            let name = name.to_string();
            self.report(SystemError {
                system: Some(system),
                name,
                phase,
                entity: whose.map(|id| (id, self.ordinal(id))),
                message,
                panicked: true,
                tick,
            });
            // What a run asked for before it panicked is half a thought.
            for &id in &effects.created {
                // The run may have written it down somewhere.
                self.storage.slots.retire(id);
            }
            self.discard(&shared, &mut effects);
        }
        self.runs.ready.push_back(Ready { run, system, effects, told: false });
    }

    /// A run's effects are applied or discarded: nothing waits for it any more.
    pub(super) fn end_run(&mut self, run: RunId) {
        if let Some(ended) = self.runs.end(run) {
            if let Some(entry) = self.systems.get_mut(ended.system) {
                entry.open_run = None;
            }
            self.tell_scheduler(Notice::Completed(run, ended.system));
        }
        self.run_ended();
    }

    /// Waits for the run that writes a component, if one does. Its effects are not applied here.
    pub(crate) fn wait_to_read(&mut self, component: ComponentId) {
        while self.storage.pool(component).is_lent_to_write() {
            let completion = self.workers.receive();
            self.take_in(completion);
        }
    }

    /// Waits for the runs from `first` on that hold a component. Their effects are not applied here.
    pub(super) fn wait_for_runs_from(&mut self, component: ComponentId, first: RunId) {
        while self.storage.pool(component).holders().iter().any(|&holder| holder >= first) {
            let completion = self.workers.receive();
            self.take_in(completion);
        }
    }

    /// Waits for all runs that hold a component. Their effects are not applied here.
    pub(crate) fn wait_to_write(&mut self, component: ComponentId) {
        while self.storage.pool(component).is_lent() {
            let completion = self.workers.receive();
            self.take_in(completion);
        }
    }
}
