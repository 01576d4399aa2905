//! What a scheduler can see and do.

use crate::id::{RunId, SystemId};
use crate::schedule::{Access, DueRun, Plan};
use crate::system::{Phase, SystemKind, panic_message};
use crate::world::World;
use crate::world::events::{SystemError, SystemPhase};
use crate::world::lifecycle::Start;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// What came of a dispatch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dispatched {
    /// The run is open.
    Open(RunId),
    /// There was nothing to do, or it is done: a system of the world thread.
    Over,
}

/// What a scheduler can see and do while it acts.
///
/// A system that it dispatches may load another scene or clear the world; from then on there are no systems here, and
/// nothing can be dispatched or applied.
pub struct SchedulerContext<'a> {
    world: &'a mut World,
    content: u64,
    /// The version of all that decides who is a member, while nothing can have changed it.
    structure: Option<u64>,
}

impl<'a> SchedulerContext<'a> {
    pub(super) fn new(world: &'a mut World) -> Self {
        let content = world.content;
        Self { world, content, structure: None }
    }

    /// The world, to be changed.
    pub(super) fn world_mut(&mut self) -> &mut World {
        self.structure = None;
        self.world
    }

    fn structure(&mut self) -> u64 {
        *self.structure.get_or_insert_with(|| self.world.storage.structure_version())
    }

    /// The world, to look at.
    pub fn world(&self) -> &World {
        self.world
    }

    /// Whether the systems this acts on went with the content of the world.
    pub fn is_over(&self) -> bool {
        self.world.content != self.content
    }

    /// Every system in registration order. The list is a copy: those that are removed later are no longer due.
    pub fn systems(&self) -> Vec<SystemId> {
        let mut systems = Vec::new();
        self.list_systems(&mut systems);
        systems
    }

    /// Puts every system in registration order in a list that is used again.
    pub fn list_systems(&self, systems: &mut Vec<SystemId>) {
        systems.clear();
        if !self.is_over() {
            systems.extend(self.world.systems.list.iter().map(|entry| entry.id));
        }
    }

    fn place(&self, system: SystemId) -> Option<usize> {
        if self.is_over() {
            return None;
        }
        self.world.systems.place(system)
    }

    /// Where and over what a system runs; none if it is gone.
    pub fn kind(&mut self, system: SystemId) -> Option<SystemKind> {
        let place = self.place(system)?;
        Some(self.world.systems.list[place].kind)
    }

    /// What a system touches; none if it is gone.
    pub fn access(&mut self, system: SystemId) -> Option<Arc<Access>> {
        let place = self.place(system)?;
        Some(self.world.systems.list[place].access.clone())
    }

    /// Whether a system is there and takes part.
    pub fn is_enabled(&mut self, system: SystemId) -> bool {
        self.place(system).is_some_and(|place| self.world.systems.list[place].accumulator.is_enabled())
    }

    /// The compiled schedule.
    pub fn plan(&mut self) -> Arc<Plan> {
        self.world.plan()
    }

    /// Adds a step's time to what a system accumulated, unless it is of another phase, disabled, or does not want
    /// the step. Whether it takes part in it. Call this once for each system and update.
    pub fn advance(&mut self, system: SystemId, phase: Phase, delta: f64) -> bool {
        match self.place(system) {
            Some(place) => self.world.takes_part(place, delta, phase),
            None => false,
        }
    }

    /// The run of a system that is due, if one is. Its time is used up when it succeeds.
    pub fn due(&mut self, system: SystemId) -> Option<DueRun> {
        let place = self.place(system)?;
        let (tick, game_time) = (self.world.tick(), self.world.game_time());
        let entry = &self.world.systems.list[place];
        let (delta, number) = (entry.due()?, entry.accumulator.state().runs);
        Some(DueRun { system, delta, tick, game_time, number, taken: false, unadded: 0.0 })
    }

    /// The run of a system that is due, to be queued: its time is used up now, and comes back if it fails.
    pub fn take_due(&mut self, system: SystemId) -> Option<DueRun> {
        let place = self.place(system)?;
        let entry = &mut self.world.systems.list[place];
        if entry.decides_late() {
            let (tick, game_time) = (self.world.tick(), self.world.game_time());
            let entry = &mut self.world.systems.list[place];
            let (number, unadded) = (entry.accumulator.state().runs, std::mem::take(&mut entry.unadded));
            return Some(DueRun { system, delta: 0.0, tick, game_time, number, taken: true, unadded });
        }
        let due = self.due(system)?;
        self.world.systems.list[place].accumulator.queue(due.delta);
        Some(DueRun { taken: true, ..due })
    }

    /// Counts a queued run of a system as made: it would visit nobody, see [`is_idle`](Self::is_idle).
    pub fn skip(&mut self, due: DueRun) {
        if let Some(place) = self.place(due.system) {
            let entry = &mut self.world.systems.list[place];
            let due = entry.turn_of(due);
            entry.uses_time(due.taken, due.delta);
        }
    }

    /// How many systems at the front of a list take part in a step of this phase with a run that would visit nobody, as
    /// it was when [`is_idle`](Self::is_idle) was asked last: nothing came, went or changed since. Their runs are counted
    /// as made, and their time as used.
    pub fn skip_idle(&mut self, systems: &[SystemId], phase: Phase) -> usize {
        let is_asleep = |context: &mut Self, system: SystemId| {
            let Some(place) = context.place(system) else { return false };
            let Some(idle_since) = context.world.systems.list[place].idle_since else { return false };
            let structure = context.structure();
            let entry = &mut context.world.systems.list[place];
            idle_since == structure && entry.phase == phase && entry.accumulator.pass()
        };
        systems.iter().take_while(|&&system| is_asleep(self, system)).count()
    }

    /// Whether a run of a system would visit nobody if it were dispatched now. Such a run need not be.
    pub fn is_idle(&mut self, system: SystemId) -> bool {
        let Some(place) = self.place(system) else { return false };
        let structure = self.structure();
        let World { systems, storage, .. } = &mut *self.world;
        let entry = &mut systems.list[place];
        let may_idle = entry.idles_without_members();
        entry.idle_since = None;
        let Some(query) = entry.queries.first_mut().filter(|query| may_idle && query.changed.is_empty())
        else {
            return false;
        };
        storage.update_mask(query);
        let idle = query.cache.mask().members == 0;
        if idle {
            entry.members = 0;
            entry.idle_since = Some(structure).filter(|_| entry.should_run.is_none());
        }
        idle
    }

    /// Whether a run of a system may start now: none of it is open, and no open run holds what it needs.
    pub fn can_start(&mut self, system: SystemId) -> bool {
        self.place(system).is_some_and(|place| {
            self.world.systems.list[place].open_run.is_none() && self.world.access_is_free(place)
        })
    }

    /// Runs a system: on the world thread to the end, or as far as its dispatch. It sees the game time it was due at.
    ///
    /// # Panics
    /// If a run of the system is open, or an open run holds what it needs: see [`can_start`](Self::can_start).
    pub fn dispatch(&mut self, due: DueRun) -> Dispatched {
        let Some(place) = self.place(due.system) else { return Dispatched::Over };
        self.world.assert_may_start(place);
        self.with_game_time(due.tick, due.game_time, |context| {
            let dispatched = context.world_mut().dispatch(place, due);
            if context.world.seat.applies_at_once && !context.world.runs.ready.is_empty() {
                context.world.apply_ready();
            }
            dispatched
        })
    }

    /// How many systems from this one on, in registration order, run as one with it, tile by tile: at least itself.
    /// Runs of them that are due together can be dispatched with [`dispatch_joined`](Self::dispatch_joined).
    pub fn joined(&mut self, system: SystemId) -> usize {
        let Some(place) = self.place(system) else { return 1 };
        self.world.tile_group(place)
    }

    /// What the systems touch that run as one with this one.
    pub fn joined_access(&mut self, system: SystemId) -> Option<Arc<Access>> {
        let place = self.place(system)?;
        Some(self.world.tile_access(place))
    }

    /// Runs systems that are [`joined`](Self::joined) as one job, in registration order; each has a run of its own.
    /// The runs that are open now: none of those that had nothing to do.
    ///
    /// # Panics
    /// As [`dispatch`](Self::dispatch), and if they are not joined.
    pub fn dispatch_joined(&mut self, first: DueRun, others: &[DueRun]) -> Vec<RunId> {
        if others.is_empty() {
            return match self.dispatch(first) {
                Dispatched::Open(run) => vec![run],
                Dispatched::Over => Vec::new(),
            };
        }
        let mut dues = Vec::with_capacity(1 + others.len());
        for &due in [first].iter().chain(others) {
            if let Some(place) = self.place(due.system) {
                self.world.assert_may_start(place);
                dues.push((place, due));
            }
        }
        let mut places = dues.iter().map(|&(place, _)| place);
        assert!(
            places.clone().is_sorted() && places.all(|place| self.world.is_row_local(place)),
            "systems that cannot be joined are dispatched as one"
        );
        self.with_game_time(first.tick, first.game_time, |context| {
            let opened = context.world_mut().dispatch_joined(&dues);
            if context.world.seat.applies_at_once && !context.world.runs.ready.is_empty() {
                context.world.apply_ready();
            }
            opened
        })
    }

    /// Takes in the runs that are over meanwhile, and has their effects applied if that needs no asking.
    pub fn receive(&mut self) {
        if !self.world.runs.is_empty() {
            self.world_mut().receive_finished();
        }
    }

    /// Waits until no run works any more, and applies the effects of all that wait, in the order they finished.
    pub fn finish_all(&mut self) {
        let world = self.world_mut();
        world.run_slices(true);
        let _ = world.wait_for_runs();
        world.apply_ready();
    }

    /// Applies the effects of a run that is over. They are made with the game time the run was due at. Whether they
    /// were still waiting.
    pub fn apply(&mut self, run: RunId) -> bool {
        !self.is_over() && self.world_mut().apply_effects_of(run)
    }

    /// Throws the effects of a run that is over away and frees what they made; its errors are reported. Whether they
    /// were still waiting.
    pub fn discard(&mut self, run: RunId) -> bool {
        !self.is_over() && self.world_mut().discard_effects_of(run)
    }

    /// Does something at another tick and game time: those of the update that queued it.
    pub fn with_game_time<R>(&mut self, tick: u64, game_time: f64, act: impl FnOnce(&mut Self) -> R) -> R {
        let before = self.world.logical.replace((tick, game_time));
        let result = act(self);
        if !self.is_over() {
            self.world.logical = before;
        }
        result
    }
}

impl World {
    /// Adds a step's time to what the system at a place accumulated, unless it does not want it. Whether it takes
    /// part in the step.
    fn takes_part(&mut self, place: usize, delta: f64, phase: Phase) -> bool {
        let entry = &mut self.systems.list[place];
        if entry.phase != phase || entry.start != Start::Done || !entry.accumulator.is_enabled() {
            return false;
        }
        let Some(mut wants) = entry.should_run.take() else {
            entry.add_time(delta);
            return true;
        };
        let wanted = catch_unwind(AssertUnwindSafe(|| wants(self)));
        let entry = &mut self.systems.list[place];
        entry.should_run = Some(wants);
        match wanted {
            Ok(wanted) => {
                if wanted {
                    entry.add_time(delta);
                }
                wanted
            }
            Err(panic) => {
                let (message, name, id) = (panic_message(&*panic), entry.name.to_string(), entry.id);
                let (system, phase, entity, tick) = (Some(id), SystemPhase::ShouldRun, None, self.tick());
                self.report(SystemError { system, name, phase, entity, message, panicked: true, tick });
                false
            }
        }
    }

    /// Whether no open run bars the system at a place from running now.
    fn access_is_free(&self, place: usize) -> bool {
        let entry = &self.systems.list[place];
        if entry.access.alone().is_some() {
            return self.runs.is_empty();
        }
        let runs = self.runs.iter().filter_map(|open| self.systems.get(open.system));
        let alone = runs.into_iter().any(|running| running.access.alone().is_some());
        if alone || !self.storage.can_lend(&entry.borrows) || self.is_barred_by_slices(place) {
            return false;
        }
        // A world-thread system touches what it declared without borrowing it.
        let (reads, writes) = (entry.access.reads(), entry.access.writes());
        !entry.kind.has_world()
            || reads.iter().all(|c| !self.storage.pool(c).is_lent_to_write())
                && writes.iter().all(|c| !self.storage.pool(c).is_lent())
    }

    /// Sees to it that a dispatch which would break a borrow changes nothing.
    fn assert_may_start(&self, place: usize) {
        let entry = &self.systems.list[place];
        let (name, scheduler) = (&entry.name, self.seat.kind.name());
        assert!(
            entry.open_run.is_none(),
            "the scheduler {scheduler:?} dispatched `{name}`, which is still running"
        );
        if let Some(&(component, to_write)) = entry
            .borrows
            .iter()
            .find(|&&(component, to_write)| !self.storage.pool(component).can_lend(to_write))
        {
            let what = if to_write { "writes" } else { "reads" };
            let component = self.shared.registry.get(component).name();
            panic!(
                "the scheduler {scheduler:?} dispatched `{name}`, which {what} {component:?}, while a run holds it"
            );
        }
    }

    /// The tick of the queued run the world thread is at, else the world's.
    pub fn tick(&self) -> u64 {
        self.logical.map_or(self.clocks.tick, |(tick, _)| tick)
    }

    /// The game time of the queued run the world thread is at, else the world's. A system of the world thread that
    /// was queued sees the time of the update that queued it here, and in its [`Step`](crate::Step).
    pub fn game_time(&self) -> f64 {
        self.logical.map_or(self.clocks.game_time, |(_, game_time)| game_time)
    }
}
