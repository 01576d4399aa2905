//! Runs that are open: between their dispatch and the end of their effects.

use super::World;
use super::events::{SystemError, SystemPhase};
use super::hung::Held;
use super::scheduler::{FinishedRun, Notice};
use super::systems::Systems;
use super::workers::Completion;
use crate::id::{RunId, SystemId};
use crate::memory::{Lent, Mask};
use crate::schedule::DueRun;
use crate::system::{AtMember, Body, EffectError, Effects, Job, JobOutcome, Run};
use crate::timing::RunTime;
use std::collections::VecDeque;
use std::sync::Arc;

/// A run between its dispatch and the end of its effects.
#[derive(Debug)]
pub(crate) struct Open {
    pub(crate) run: RunId,
    pub(crate) system: SystemId,
    /// On the world's clock.
    pub(crate) since: u64,
    /// The player's time at the first update that found it open.
    pub(super) since_player: Option<f64>,
    /// Whether its work is done and only its effects wait.
    pub(crate) done: bool,
    /// Whether the world thread does it, a part at a time: nobody waits for it, it is gone on with.
    pub(super) sliced: bool,
    /// The rows it visits; none if it may visit others as well.
    pub(super) masks: Option<Vec<Arc<Mask>>>,
    /// What it may still touch, if it was given up; none is waited for like any other.
    pub(super) held: Option<Held>,
    /// Which of the runs it is that are done as one with it.
    pub(super) joint: Option<Joint>,
    /// What it was dispatched for.
    due: DueRun,
}

/// How far an open run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunProgress {
    /// It works, on a worker if one is at it; else it waits for one, or somebody else does it.
    Open {
        /// Which worker.
        worker: Option<usize>,
    },
    /// Its work is done, and its effects wait for their turn.
    Done,
    /// It was given up, and works still.
    Hung,
}

/// A run's place among those that are done as one.
#[derive(Debug)]
pub(super) struct Joint {
    /// The run whose number holds the pools of all.
    pub(super) first: RunId,
    pub(super) member: usize,
    pub(super) at_member: Arc<AtMember>,
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
    open: VecDeque<Open>,
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
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Open> {
        self.open.iter_mut()
    }
    /// The run that was dispatched first, of those that are not given up.
    pub(super) fn oldest(&self) -> Option<RunId> {
        self.open.iter().find(|open| open.held.is_none()).map(|open| open.run)
    }
    /// What each run that was given up, and began before another, may still touch.
    pub(super) fn held_before(&self, until: RunId) -> impl Iterator<Item = &Held> {
        let before = self.open.iter().take_while(move |open| open.run < until);
        before.filter_map(|open| open.held.as_ref())
    }
    /// Whether a run that was given up is open still.
    pub(super) fn any_given_up(&self) -> bool {
        self.open.iter().any(|open| open.held.is_some())
    }
    /// Gives a run up.
    pub(super) fn hold(&mut self, run: RunId, held: Held) {
        if let Some(open) = self.get_mut(run) {
            open.held = Some(held);
        }
    }
    /// Forgets the runs that still work.
    pub(super) fn take_working(&mut self) -> VecDeque<Open> {
        let (done, working) = std::mem::take(&mut self.open).into_iter().partition(|open| open.done);
        self.open = done;
        working
    }
    /// The number the next run gets.
    pub(super) fn next(&self) -> RunId {
        RunId(self.next)
    }
    /// The tick and game time an open run was due at.
    pub(super) fn time_of(&self, run: RunId) -> Option<(u64, f64)> {
        let due = &self.open[self.place(run)?].due;
        Some((due.tick, due.game_time))
    }
    /// A run with effects that wait which the scheduler does not know of: from now on it does.
    pub(super) fn tell_next(&mut self) -> Option<FinishedRun> {
        // Those it does not know of came last.
        let first = self.ready.partition_point(|ready| ready.told);
        let untold = self.ready.get_mut(first)?;
        untold.told = true;
        Some(FinishedRun::of(untold))
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
        let (done, sliced, held, joint, masks, since_player) = (false, false, None, None, None, None);
        self.open.push_back(Open {
            run,
            system: due.system,
            since,
            since_player,
            done,
            sliced,
            masks,
            held,
            joint,
            due,
        });
        run
    }

    /// As `begin`, for a run that the world thread does a part at a time.
    pub(super) fn begin_sliced(&mut self, due: DueRun, since: u64) -> RunId {
        let run = self.begin(due, since);
        self.slice(run);
        run
    }

    /// From now on the world thread does a run a part at a time.
    pub(super) fn slice(&mut self, run: RunId) {
        self.get_mut(run).into_iter().for_each(|open| open.sliced = true);
    }

    /// A run is one of several that are done as one, and visits the rows of this mask.
    pub(super) fn join(&mut self, run: RunId, joint: Joint, mask: Arc<Mask>) {
        if let Some(open) = self.get_mut(run) {
            (open.joint, open.masks) = (Some(joint), Some(vec![mask]));
        }
    }

    /// The runs that work and are done as one with a run, in order; itself alone for any other.
    pub(super) fn done_as_one_with(&self, open: &Open) -> Vec<RunId> {
        let Some(joint) = &open.joint else { return vec![open.run] };
        let with = self.open.iter().filter(|other| {
            !other.done && other.joint.as_ref().is_some_and(|other| other.first == joint.first)
        });
        with.map(|other| other.run).collect()
    }

    /// Those of the runs done as one with a run that a thread is at; itself if it is by itself, or no thread is at
    /// any.
    pub(super) fn at_work_with(&self, open: &Open) -> Vec<RunId> {
        let at_member = open.joint.as_ref().map_or_else(Vec::new, |joint| joint.at_member.runs());
        let is_at_member = |run: &RunId| {
            let joint = self.open.iter().find(|open| open.run == *run).and_then(|open| open.joint.as_ref());
            joint.is_some_and(|joint| at_member.contains(&joint.member))
        };
        let found: Vec<RunId> = self.done_as_one_with(open).into_iter().filter(is_at_member).collect();
        if found.is_empty() { vec![open.run] } else { found }
    }

    /// Whether the world thread has runs to go on with.
    pub(super) fn any_sliced(&self) -> bool {
        self.open.iter().any(|open| open.sliced && !open.done)
    }

    /// A run of the world thread is over that asks for nothing.
    pub(super) fn finish_sliced(&mut self, run: RunId, system: SystemId) {
        self.get_mut(run).into_iter().for_each(|open| open.done = true);
        self.ready.push_back(Ready { run, system, effects: Effects::default(), told: false });
    }

    /// Notes which rows the run that was begun last visits, and that these are `all`.
    pub(super) fn note_masks(&mut self, run: RunId, lent: &Lent, all: bool) {
        if let Some(open) = self.open.back_mut().filter(|open| all && open.run == run) {
            open.masks = Some(lent.queries.iter().map(|query| query.mask.clone()).collect());
        }
    }

    /// Runs are open in the order of their numbers.
    fn place(&self, run: RunId) -> Option<usize> {
        self.open.binary_search_by_key(&run, |open| open.run).ok()
    }

    fn get_mut(&mut self, run: RunId) -> Option<&mut Open> {
        self.place(run).map(|place| &mut self.open[place])
    }

    fn end(&mut self, run: RunId) -> Option<Open> {
        self.open.remove(self.place(run)?)
    }

    /// Goes on with run numbers where others ended.
    pub(super) fn continue_after(&mut self, others: &Self) {
        self.next = self.next.max(others.next);
    }
}

impl World {
    /// A run's work is over: its pools come back, its effects wait to be applied.
    pub(super) fn take_in(&mut self, completion: Completion) {
        self.take_in_as(completion, true);
    }

    /// As `take_in`, for what is no run of its system's update: it is neither counted nor timed.
    pub(super) fn take_in_quietly(&mut self, completion: Completion) {
        self.take_in_as(completion, false);
    }

    fn take_in_as(&mut self, completion: Completion, counts: bool) {
        if completion.content != self.content {
            return self.drop_abandoned(completion);
        }
        let Completion { system, run, job, outcome, start, end, worker, .. } = completion;
        let Job { worker: system_part, lent, part, run: finished, .. } = *job;
        let members: usize = lent.queries.first().map_or(0, |query| query.mask.members);
        self.storage.take_back(lent);
        self.note_written_by(system, run);
        let taken = self.runs.get_mut(run).is_some_and(|open| {
            open.done = true;
            open.due.taken
        });
        if counts {
            self.timing.run(&RunTime { system, start, end, worker, completes_pass: part.last });
        }
        let Run { ids, mut effects, delta, name, failed, flooded, shared, written, .. } = finished;
        self.storage.slots.take_back(ids.rest());
        written.into_iter().for_each(|(component, row)| self.storage.mark_row_written(component, row));
        if let Some(entry) = self.systems.get_mut(system) {
            entry.body = Some(Body::Worker(system_part));
            entry.created_last = effects.created.len();
            let failed = failed || flooded || outcome != JobOutcome::Done;
            match failed {
                _ if !counts => {}
                false => entry.uses_time(taken, delta),
                true => {
                    entry.pass = None;
                    entry.keeps_time(taken, delta);
                }
            }
        } else {
            self.end_late(system, &name, Body::Worker(system_part));
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
        if flooded {
            for &id in &effects.created {
                self.storage.slots.retire(id);
            }
            self.discard(&shared, &mut effects);
            let message = EffectError::TooMany(name.to_string()).to_string();
            let (phase, tick, entity) = (SystemPhase::Hung, self.clocks.tick, None);
            let (system, name) = (Some(system), name.to_string());
            self.report(SystemError { system, name, phase, entity, message, panicked: false, tick });
        }
        self.runs.ready.push_back(Ready { run, system, effects, told: false });
    }

    /// A run's effects are applied or discarded: nothing waits for it any more.
    pub(super) fn end_run(&mut self, run: RunId) {
        if let Some(ended) = self.runs.end(run) {
            if let Some(entry) = self.systems.get_mut(ended.system) {
                entry.open_run = None;
            }
            if ended.held.is_some() {
                self.end_quarantine();
            }
            self.tell_scheduler(Notice::Completed(run, ended.system));
        }
        self.tell_links();
        self.run_ended();
    }
}
