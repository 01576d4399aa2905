//! What systems hear of their world: that they begin, that content comes and goes, that they end.

use super::World;
use super::events::{SystemError, SystemPhase};
use super::systems::{SystemEntry, Systems};
use crate::id::SystemId;
use crate::memory::WatchToken;
use crate::schedule::DueRun;
use crate::system::{Body, InFlight, Lifecycle, Startup, panic_message};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// How long a startup may take on the world's clock.
const STARTUP: Duration = Duration::from_secs(15);
/// How long a removal waits for a run that is open.
const SHUTDOWN: Duration = Duration::from_secs(1);

/// Whether a system takes part already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Start {
    /// It was not asked yet.
    Unasked,
    /// It is asked again before each update. Since then, on the world's clock.
    Since(u64),
    Done,
}

impl Body {
    /// What it has in flight.
    pub(super) fn in_flight(&self) -> InFlight {
        match self {
            Self::World(body) => body.in_flight(),
            Self::Iterable(_) | Self::Worker(_) => InFlight::Nothing,
        }
    }

    pub(super) fn lifecycle(&mut self) -> &mut dyn Lifecycle {
        match self {
            Self::World(body) => &mut **body,
            Self::Iterable(body) => &mut **body,
            Self::Worker(worker) => &mut *worker.body,
        }
    }
}

impl World {
    /// A system by its type, such as one that implements `EntitySystem`: the first of that type. None if there is
    /// none, or a run has it at the moment.
    pub fn get_system<S: Any>(&mut self) -> Option<&mut S> {
        let bodies = self.systems.list.iter_mut().filter_map(|entry| entry.body.as_mut());
        bodies.into_iter().find_map(|body| body.lifecycle().as_any().downcast_mut::<S>())
    }

    /// Adds a system unless one of its name is there. Its id, and whether it was added.
    ///
    /// # Errors
    /// As [`add_system`](Self::add_system).
    pub fn add_if_absent(
        &mut self,
        system: crate::system::SystemDef,
    ) -> Result<(SystemId, bool), crate::system::AccessError> {
        match self.system_named(system.name()) {
            Some(id) => Ok((id, false)),
            None => Ok((self.add_system(system)?, true)),
        }
    }

    /// Lets every system begin anew with what is there, as at the end of a load. What is open is settled first.
    pub fn init(&mut self) {
        self.settle();
        self.init_systems();
    }

    /// Starts a system that was just added, and gives it the content.
    pub(super) fn begin_system(&mut self, id: SystemId) {
        self.ask_startup(id);
        self.call(id, SystemPhase::Content, |body, world| body.attached(world));
    }

    /// Starts all systems of new content, then lets them begin with what is there.
    pub(super) fn begin_systems(&mut self) {
        let content = self.content;
        for id in self.system_ids() {
            if self.content == content {
                self.begin_system(id);
            }
        }
        if self.content == content {
            self.init_systems();
            self.tell_links();
        }
    }

    fn init_systems(&mut self) {
        let content = self.content;
        for id in self.system_ids() {
            if self.content == content {
                self.init_system(id);
            }
        }
    }

    fn system_ids(&self) -> Vec<SystemId> {
        self.systems.list.iter().map(|entry| entry.id).collect()
    }

    /// Runs a system's hook for what is there; nothing of it counts as changed then.
    fn init_system(&mut self, id: SystemId) {
        let Some(place) = self.systems.place(id) else { return };
        let Self { systems, storage, .. } = self;
        let entry = &mut systems.list[place];
        let worker = match entry.body.take() {
            Some(Body::Worker(worker)) => worker,
            other => return entry.body = other,
        };
        let touched =
            entry.queries.iter().zip(&entry.watches).map(|(query, token)| storage.take_touched(query, token));
        let touched = touched.collect();
        entry.queries.iter_mut().for_each(|query| storage.peek_mask(query));
        let (tick, game_time) = (self.clocks.tick, self.clocks.game_time);
        let number = entry.accumulator.state().runs;
        let due = DueRun { system: id, delta: 0.0, tick, game_time, number, taken: false, unadded: 0.0 };
        let batch = entry.batch.take();
        // An index that cannot be used is reported by the first run.
        let indexes = self.lend_indexes(place).unwrap_or_default();
        let (mut job, system, run) = self.begin_run(place, worker, &due, true, touched);
        job.run.indexes = indexes;
        let entry = &mut self.systems.list[place];
        entry.batch = batch;
        // It has not run yet.
        entry.queries.iter_mut().for_each(|query| query.cache.forget());
        let completion = self.workers.initialise(system, run, job);
        self.take_in_quietly(completion);
        self.apply_effects_of(run);
    }

    /// Asks systems whose startup takes longer whether it is done.
    pub(super) fn ask_startups(&mut self) {
        if self.systems.starting == 0 {
            return;
        }
        let starting = self.systems.list.iter().filter(|entry| entry.start != Start::Done);
        let ids: Vec<SystemId> = starting.map(|entry| entry.id).collect();
        ids.into_iter().for_each(|id| self.ask_startup(id));
    }

    fn ask_startup(&mut self, id: SystemId) {
        let now = self.now();
        let Some(entry) = self.systems.get_mut(id).filter(|entry| entry.body.is_some()) else { return };
        let since = match entry.start {
            Start::Done => return,
            Start::Since(since) => since,
            Start::Unasked => {
                entry.start = Start::Since(now);
                now
            }
        };
        let answer = self.call(id, SystemPhase::Startup, |body, world| body.startup(world));
        let failure = match answer {
            Some(Ok(Startup::Done)) => None,
            Some(Ok(Startup::Later)) if Duration::from_nanos(now.saturating_sub(since)) <= STARTUP => return,
            Some(Ok(Startup::Later)) => {
                Some(Some(format!("its startup takes more than {} s; it is switched off", STARTUP.as_secs())))
            }
            Some(Err(message)) => Some(Some(message)),
            // A panic is reported already.
            None => Some(None),
        };
        let Some(entry) = self.systems.get_mut(id) else { return };
        entry.start = Start::Done;
        let name = entry.name.to_string();
        if let Some(message) = failure {
            entry.accumulator.set_enabled(false);
            if let Some(message) = message {
                self.report_hook(id, name, SystemPhase::Startup, message, false);
            }
        }
        self.systems.count_starting();
    }

    /// Tells every system that its content goes, and that it ends. No run works any more.
    pub(super) fn end_systems(&mut self) {
        for id in self.system_ids() {
            self.end_system(id);
        }
    }

    /// Tells a system that its content goes, and that it ends; nothing if a run has it.
    pub(super) fn end_system(&mut self, id: SystemId) {
        self.call(id, SystemPhase::Content, |body, world| body.detached(world));
        self.call(id, SystemPhase::Shutdown, |body, world| body.shutdown(world));
    }

    /// Tells a system that it ends which was removed while a run had it.
    pub(super) fn end_late(&mut self, id: SystemId, name: &str, mut body: Body) {
        let ended = catch_unwind(AssertUnwindSafe(|| {
            body.lifecycle().detached(self);
            body.lifecycle().shutdown(self);
        }));
        if let Err(panic) = ended {
            let message = panic_message(&*panic);
            self.report_hook(id, name.to_owned(), SystemPhase::Shutdown, message, true);
        }
    }

    /// Waits a little for the open run of a system that is being removed.
    pub(super) fn wait_to_end(&mut self, id: SystemId) {
        let start = self.now();
        while self.systems.get(id).is_some_and(|entry| entry.body.is_none())
            && self.runs.iter().any(|open| open.system == id && !open.done)
            && Duration::from_nanos(self.now().saturating_sub(start)) < SHUTDOWN
        {
            if let Some(completion) = self.workers.receive_for(Duration::from_millis(5)) {
                self.take_in(completion);
            }
        }
    }

    /// Calls a hook of a system with its body taken out; none if a run has it, it is gone, or the hook panicked,
    /// which is reported.
    fn call<R>(
        &mut self,
        id: SystemId,
        phase: SystemPhase,
        hook: impl FnOnce(&mut dyn Lifecycle, &mut World) -> R,
    ) -> Option<R> {
        let entry = self.systems.get_mut(id)?;
        let mut body = entry.body.take()?;
        let name = entry.name.to_string();
        let before = self.runs.acting.replace(id);
        let called = catch_unwind(AssertUnwindSafe(|| hook(body.lifecycle(), self)));
        self.runs.acting = before;
        if let Some(entry) = self.systems.get_mut(id) {
            entry.body = Some(body);
        }
        match called {
            Ok(result) => Some(result),
            Err(panic) => {
                let message = panic_message(&*panic);
                self.report_hook(id, name, phase, message, true);
                None
            }
        }
    }

    fn report_hook(
        &mut self,
        id: SystemId,
        name: String,
        phase: SystemPhase,
        message: String,
        panicked: bool,
    ) {
        let (system, entity, tick) = (Some(id), None, self.clocks.tick);
        self.report(SystemError { system, name, phase, entity, message, panicked, tick });
    }
}

impl Systems {
    /// Counts who is not started yet.
    pub(super) fn count_starting(&mut self) {
        self.starting = self.list.iter().filter(|entry| entry.start != Start::Done).count();
    }
}

impl SystemEntry {
    /// Every token by which something is noted for it: what its queries, its hooks and its runs want to know of.
    pub(super) fn watch_tokens(&self) -> Vec<WatchToken> {
        let changed = self.queries.iter().flat_map(|query| &query.changed).map(|(_, token)| token);
        let observed = self.observed.iter().flat_map(|observed| [&observed.written, &observed.structure]);
        let links = self.links.iter().map(|links| &links.watch);
        changed.chain(&self.watches).chain(observed).chain(links).cloned().collect()
    }
}

/// What a system that runs only on changes looks at.
pub(crate) struct Observed {
    pub(crate) component: crate::id::ComponentId,
    /// Rows written.
    pub(crate) written: WatchToken,
    /// Rows that came or went.
    pub(crate) structure: WatchToken,
}

impl World {
    /// Whether something that a system observes changed since this was last asked; true for one that observes
    /// nothing.
    pub(super) fn take_observed(&mut self, place: usize) -> bool {
        let Self { systems, storage, .. } = self;
        let observed = &systems.list[place].observed;
        let changed = observed.iter().map(|observed| {
            let Observed { component, written, structure } = observed;
            storage.take_is_dirty(*component, written) | storage.take_is_dirty(*component, structure)
        });
        // Each is asked, so that each is seen.
        observed.is_empty() || changed.fold(false, |any, changed| any | changed)
    }

    /// Whether something that a system observes changed since it last looked; none if it observes nothing.
    pub(super) fn is_observed(&self, id: SystemId) -> Option<bool> {
        let observed = &self.systems.get(id)?.observed;
        let is_dirty =
            |component, token| self.storage.dirty(component, token).is_some_and(|rows| rows.count() > 0);
        let any = observed.iter().any(|observed| {
            is_dirty(observed.component, &observed.written)
                || is_dirty(observed.component, &observed.structure)
        });
        (!observed.is_empty()).then_some(any)
    }

    /// Lets a system have seen what it observes.
    pub(super) fn set_unobserved(&mut self, id: SystemId) {
        if let Some(place) = self.systems.place(id) {
            self.take_observed(place);
        }
    }
}
