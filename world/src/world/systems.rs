//! The systems of a world: registered, switched, asked about.

use super::scheduler::Notice;
use super::{World, WorldEvent};
use crate::component::FieldValue;
use crate::id::{RunId, SystemId};
use crate::memory::{CompiledQuery, LookupPlan};
use crate::scene::SystemOrder;
use crate::schedule::{Access, Accumulator, Plan, SystemAccess};
use crate::system::{AccessError, Body, Capabilities, Params, Phase, ShouldRun, SystemDef, SystemKind};
use std::sync::Arc;

/// One system of a world.
pub(crate) struct SystemEntry {
    pub(crate) id: SystemId,
    pub(crate) name: Arc<str>,
    /// The name its constructor has in the catalog; what a save names.
    pub(crate) constructor: String,
    pub(crate) kind: SystemKind,
    pub(crate) access: Arc<Access>,
    pub(crate) queries: Vec<CompiledQuery>,
    pub(crate) query_names: Arc<[String]>,
    pub(crate) borrows: Vec<(crate::id::ComponentId, bool)>,
    pub(crate) capabilities: Arc<Capabilities>,
    pub(crate) lookups: Vec<LookupPlan>,
    pub(crate) params: Arc<Params>,
    pub(crate) accumulator: Accumulator,
    pub(crate) phase: Phase,
    /// Asked before each step.
    pub(crate) should_run: Option<ShouldRun>,
    /// Away while a run has it.
    pub(crate) body: Option<Body>,
    pub(crate) open_run: Option<RunId>,
    /// Members of its main query at its last run.
    pub(crate) members: usize,
    /// Entities its last run created, to have as many ids at hand.
    pub(crate) created_last: usize,
    pub(crate) last_error: Option<String>,
}

/// The systems in registration order, and their compiled schedule.
#[derive(Default)]
pub(crate) struct Systems {
    pub(crate) list: Vec<SystemEntry>,
    next: u32,
    /// Compiled again after the list changed.
    pub(super) plan: Option<Arc<Plan>>,
    /// The order they are brought in as they are added.
    pub(super) order: SystemOrder,
}

impl Systems {
    /// No systems, with ids that go on where these end.
    pub(super) fn successor(&self) -> Self {
        Self { next: self.next, ..Self::default() }
    }

    /// Goes on with ids where others ended.
    pub(super) fn continue_after(&mut self, others: &Self) {
        self.next = self.next.max(others.next);
    }

    pub(crate) fn place(&self, id: SystemId) -> Option<usize> {
        self.list.iter().position(|entry| entry.id == id)
    }

    pub(crate) fn get(&self, id: SystemId) -> Option<&SystemEntry> {
        self.list.iter().find(|entry| entry.id == id)
    }

    pub(crate) fn get_mut(&mut self, id: SystemId) -> Option<&mut SystemEntry> {
        self.list.iter_mut().find(|entry| entry.id == id)
    }

    pub(crate) fn plan(&mut self) -> Arc<Plan> {
        if let Some(plan) = &self.plan {
            return plan.clone();
        }
        let plan = Arc::new(Plan::compile(&self.accesses()));
        self.plan.insert(plan).clone()
    }

    /// What each system touches, in registration order.
    pub(super) fn accesses(&self) -> Vec<SystemAccess> {
        let access = |entry: &SystemEntry| SystemAccess {
            id: entry.id,
            name: entry.name.to_string(),
            access: entry.access.as_ref().clone(),
        };
        self.list.iter().map(access).collect()
    }
}

/// What can be seen of a system.
#[derive(Clone, Debug)]
pub struct SystemStatus {
    /// Its id.
    pub id: SystemId,
    /// Its name; several may share one.
    pub name: Arc<str>,
    /// Its kind.
    pub kind: SystemKind,
    /// Whether it takes part.
    pub enabled: bool,
    /// Its period in milliseconds; 0 runs it every time.
    pub period: f64,
    /// When in an update it runs.
    pub phase: Phase,
    /// What it touches.
    pub access: Arc<Access>,
    /// Its parameters.
    pub params: Arc<Params>,
    /// Members of its main query at its last run.
    pub members: usize,
    /// How many of them an update got at once, on average: entities that lie side by side come together. Entities
    /// that come and go, or get and lose components, scatter; `World::compact` brings them together again. None
    /// before its first run, and after `compact` until the next.
    pub mean_chunk: Option<f64>,
    /// Runs that succeeded since the load.
    pub runs: u64,
    /// The run that is open, if one is.
    pub open_run: Option<RunId>,
    /// The last error it reported.
    pub last_error: Option<String>,
}

impl World {
    /// Adds a system behind those that are there.
    ///
    /// # Errors
    /// If it asks for a component that is not registered, or for one block twice to write it.
    pub fn add_system(&mut self, system: SystemDef) -> Result<SystemId, AccessError> {
        let constructor = system.name.clone();
        self.add_system_from(system, constructor)
    }

    pub(super) fn add_system_from(
        &mut self,
        system: SystemDef,
        constructor: String,
    ) -> Result<SystemId, AccessError> {
        if self.destroyed {
            return Err(AccessError::Destroyed);
        }
        let compiled = system.compile(&self.shared.registry)?;
        compiled.queries.iter().for_each(|query| self.storage.watch_for(query));
        let id = SystemId(self.systems.next);
        self.systems.next += 1;
        self.timing.add_system(id, &system.name);
        self.systems.list.push(SystemEntry {
            id,
            name: system.name.into(),
            constructor,
            kind: system.kind,
            access: Arc::new(compiled.access),
            queries: compiled.queries,
            query_names: system.queries.into_iter().map(|(name, _)| name).collect(),
            borrows: compiled.borrows,
            capabilities: Arc::new(compiled.capabilities),
            lookups: compiled.lookups,
            params: Arc::new(system.params),
            accumulator: Accumulator::new(system.period, system.first_run),
            phase: system.phase,
            should_run: system.should_run,
            body: Some(system.body),
            open_run: None,
            members: 0,
            created_last: 0,
            last_error: None,
        });
        self.systems.plan = None;
        self.keep_order();
        self.tell_scheduler(Notice::Added(id));
        self.emit(WorldEvent::SystemAdded(id));
        Ok(id)
    }

    /// Removes a system; a run of it that is open ends as it would have. Whether it was there.
    pub fn remove_system(&mut self, id: SystemId) -> bool {
        let Some(place) = self.systems.place(id) else { return false };
        self.systems.list.remove(place);
        self.systems.plan = None;
        self.timing.remove_system(id);
        self.tell_scheduler(Notice::Removed(id));
        self.emit(WorldEvent::SystemRemoved(id));
        true
    }

    /// Every system in registration order.
    pub fn systems(&self) -> impl ExactSizeIterator<Item = SystemStatus> + '_ {
        self.systems.list.iter().map(|entry| SystemStatus {
            id: entry.id,
            name: entry.name.clone(),
            kind: entry.kind,
            enabled: entry.accumulator.is_enabled(),
            period: entry.accumulator.period(),
            phase: entry.phase,
            access: entry.access.clone(),
            params: entry.params.clone(),
            members: entry.members,
            mean_chunk: entry
                .queries
                .first()
                .and_then(|query| query.cache.last())
                .map(|mask| mask.mean_chunk()),
            runs: entry.accumulator.state().runs,
            open_run: entry.open_run,
            last_error: entry.last_error.clone(),
        })
    }

    /// The first system of this name.
    pub fn system_named(&self, name: &str) -> Option<SystemId> {
        self.systems.list.iter().find(|entry| *entry.name == *name).map(|entry| entry.id)
    }

    /// Lets a system take part, or not. Whether it is there.
    pub fn set_enabled(&mut self, id: SystemId, on: bool) -> bool {
        self.systems.get_mut(id).map(|entry| entry.accumulator.set_enabled(on)).is_some()
    }

    /// Sets how many milliseconds of game time pass between runs of a system; 0 runs it every time.
    ///
    /// # Errors
    /// If there is no such system, or the period is negative or not a finite number.
    pub fn set_period(&mut self, id: SystemId, milliseconds: f64) -> Result<(), String> {
        if !milliseconds.is_finite() || milliseconds < 0.0 {
            return Err(format!("a period is a number of milliseconds from 0, not {milliseconds}"));
        }
        let entry = self.systems.get_mut(id).ok_or_else(|| format!("there is no system {id}"))?;
        entry.accumulator.set_period(milliseconds);
        Ok(())
    }

    /// Sets a parameter of a system; its next run sees it.
    ///
    /// # Errors
    /// If there is no such system or parameter, or the value is none for it.
    pub fn set_param(&mut self, id: SystemId, name: &str, value: FieldValue) -> Result<(), String> {
        let entry = self.systems.get_mut(id).ok_or_else(|| format!("there is no system {id}"))?;
        let set = Arc::make_mut(&mut entry.params).set(name, value);
        set.map_err(|message| format!("system `{}`: {message}", entry.name))
    }

    /// The compiled schedule.
    pub fn plan(&mut self) -> Arc<Plan> {
        self.systems.plan()
    }
}
