//! Where the world keeps its scheduler, and how it lets it act.

use super::{ConflictScheduler, DefaultScheduler, FinishedRun, ReadyEffects, Scheduler, SchedulerContext};
use crate::catalog::Catalog;
use crate::id::{RunId, SystemId};
use crate::scene::{SchedulerKind, suggestion};
use crate::system::Phase;
use crate::world::World;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use thiserror::Error;

/// There is no scheduler of a name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no scheduler {name:?}{known}")]
pub struct UnknownScheduler {
    name: String,
    /// The nearest name, or all of them.
    known: String,
}

/// What a scheduler is told.
#[derive(Clone, Copy, Debug)]
pub(in crate::world) enum Notice {
    Update { phase: Phase, delta: f64, tick: u64, game_time: f64 },
    Completed(RunId, SystemId),
    Added(SystemId),
    Removed(SystemId),
    Paused(bool),
    BeforeClear,
    Reset,
}

/// A scheduler, and what it has yet to hear of.
pub(in crate::world) struct Seat {
    /// Out while it acts.
    scheduler: Option<Box<dyn Scheduler>>,
    pub(in crate::world) kind: SchedulerKind,
    pub(in crate::world) applies_at_once: bool,
    notices: VecDeque<Notice>,
    /// How many had the seat before: one that comes back finds out whether it is still its own.
    number: u64,
}

impl Seat {
    pub(in crate::world) fn of(scheduler: Box<dyn Scheduler>) -> Self {
        let kind = SchedulerKind::named(scheduler.name());
        let applies_at_once = scheduler.applies_at_once();
        Self { scheduler: Some(scheduler), kind, applies_at_once, notices: VecDeque::new(), number: 0 }
    }

    /// A new scheduler of a kind.
    pub(in crate::world) fn new(kind: &SchedulerKind, catalog: &Catalog) -> Result<Self, UnknownScheduler> {
        let scheduler: Box<dyn Scheduler> = match kind {
            SchedulerKind::Default => Box::<DefaultScheduler>::default(),
            SchedulerKind::Conflict => Box::<ConflictScheduler>::default(),
            SchedulerKind::Custom(name) => catalog.make_scheduler(name).ok_or_else(|| {
                let built_in = SchedulerKind::BUILT_IN;
                let mut known: Vec<&str> = built_in.iter().map(SchedulerKind::name).collect();
                known.extend(catalog.scheduler_names());
                let known = suggestion(name, known.iter().copied());
                UnknownScheduler { name: name.to_string(), known }
            })?,
        };
        let mut seat = Self::of(scheduler);
        seat.kind = kind.clone();
        Ok(seat)
    }

    /// Takes the place of another.
    pub(in crate::world) fn follow(&mut self, before: &Self) {
        self.number = before.number + 1;
    }

    /// The scheduler, unless it acts.
    pub(in crate::world) fn scheduler(&self) -> Option<&dyn Scheduler> {
        self.scheduler.as_deref()
    }

    /// Updates that the scheduler, which acts, has not heard of.
    pub(in crate::world) fn updates_waiting(&self) -> usize {
        self.notices.iter().filter(|notice| matches!(notice, Notice::Update { .. })).count()
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        if let Some(scheduler) = &mut self.scheduler {
            scheduler.destroy();
        }
    }
}

impl World {
    /// Lets the scheduler act, and tells it what happened meanwhile. None if it acts already.
    pub(in crate::world) fn with_scheduler<R>(
        &mut self,
        act: impl FnOnce(&mut dyn Scheduler, &mut SchedulerContext<'_>) -> R,
    ) -> Option<R> {
        let mut scheduler = self.seat.scheduler.take()?;
        let number = self.seat.number;
        // Whatever it runs into, the world keeps its scheduler.
        let acted = catch_unwind(AssertUnwindSafe(|| {
            let result = act(&mut *scheduler, &mut SchedulerContext::new(self));
            while self.seat.number == number
                && let Some(notice) = self.seat.notices.pop_front()
            {
                tell(&mut *scheduler, &mut SchedulerContext::new(self), notice);
            }
            result
        }));
        if self.seat.number == number {
            self.seat.scheduler = Some(scheduler);
        } else {
            scheduler.destroy();
        }
        match acted {
            Ok(result) => Some(result),
            Err(panic) => resume_unwind(panic),
        }
    }

    /// Tells the scheduler something: now, or when it is back.
    pub(in crate::world) fn tell_scheduler(&mut self, notice: Notice) {
        if self.seat.scheduler.is_some() {
            self.with_scheduler(|scheduler, context| tell(scheduler, context, notice));
        } else {
            self.seat.notices.push_back(notice);
        }
    }

    /// Takes in runs that are over. Effects the scheduler need not be asked about are applied.
    pub(in crate::world) fn receive_finished(&mut self) {
        while let Some(completion) = self.workers.try_receive() {
            self.take_in(completion);
        }
        if self.seat.applies_at_once {
            return self.apply_ready();
        }
        while self.seat.scheduler.is_some()
            && let Some(run) = self.runs.tell_next()
            && let Some(decision) =
                self.with_scheduler(|scheduler, context| scheduler.effects_ready(context, &run))
        {
            match decision {
                ReadyEffects::Apply => _ = self.apply_effects_of(run.run),
                ReadyEffects::Discard => _ = self.discard_effects_of(run.run),
                ReadyEffects::Hold => {}
            }
        }
    }

    /// The scheduler in use.
    pub fn scheduler(&self) -> SchedulerKind {
        self.seat.kind.clone()
    }

    /// Uses another scheduler from the next update on; what is open is settled first.
    ///
    /// # Panics
    /// If it is a custom one of a name the catalog does not know.
    pub fn set_scheduler(&mut self, scheduler: SchedulerKind) {
        match Seat::new(&scheduler, &self.catalog) {
            Ok(seat) => self.change_scheduler(seat),
            Err(unknown) => panic!("{unknown}"),
        }
    }

    /// Uses a scheduler of one's own from the next update on; what is open is settled first. A save names it, so the
    /// catalog of whoever loads it must have one of its name. A scene that is loaded brings the scheduler it names.
    pub fn set_custom_scheduler(&mut self, scheduler: Box<dyn Scheduler>) {
        self.change_scheduler(Seat::of(scheduler));
    }

    fn change_scheduler(&mut self, mut seat: Seat) {
        self.settle();
        seat.follow(&self.seat);
        self.seat = seat;
    }

    /// Updates that have runs in the queue.
    pub fn backlog(&self) -> usize {
        let queued = self.seat.scheduler().map_or(0, |scheduler| scheduler.backlog());
        queued + self.seat.updates_waiting()
    }

    /// Runs of a system that wait in the queue, and the system the first of them waits for.
    pub fn queued_runs(&self, id: SystemId) -> (usize, Option<SystemId>) {
        self.seat.scheduler().map_or((0, None), |scheduler| scheduler.queued_runs(id))
    }
}

fn tell(scheduler: &mut dyn Scheduler, context: &mut SchedulerContext<'_>, notice: Notice) {
    match notice {
        Notice::Update { phase, delta, tick, game_time } => {
            context.with_game_time(tick, game_time, |context| scheduler.update(context, phase, delta));
        }
        Notice::Completed(run, system) => scheduler.run_completed(context, run, system),
        Notice::Added(system) => scheduler.system_added(context, system),
        Notice::Removed(system) => scheduler.system_removed(context, system),
        Notice::Paused(paused) => scheduler.paused(context, paused),
        Notice::BeforeClear => scheduler.before_clear(),
        Notice::Reset => scheduler.reset(),
    }
}

impl FinishedRun {
    pub(in crate::world) fn of(ready: &crate::world::open_runs::Ready) -> Self {
        let creates = !ready.effects.created.is_empty();
        let kills = !ready.effects.deaths.is_empty();
        Self { run: ready.run, system: ready.system, creates, kills }
    }
}
