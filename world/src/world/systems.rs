//! The systems of a world: registered, switched, asked about.

use super::lifecycle::{Observed, Start};
use super::links::Links;
use super::pass::Pass;
use super::scheduler::Notice;
use super::slices::Slice;
use super::tiling::TileGroups;
use super::{SystemError, World, WorldEvent};
use crate::component::FieldValue;
use crate::id::{RunId, SystemId};
use crate::memory::{CompiledQuery, LookupPlan, WatchToken};
use crate::scene::SystemOrder;
use crate::schedule::{Access, Accumulator, Plan, SystemAccess, TileTraits};
use crate::system::{
    AccessError, Body, Capabilities, Effects, Params, Phase, ShouldRun, Starter, SystemDef, SystemKind,
    Tracked,
};
use std::cell::Cell;
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
    /// What its filters read, a query a filter.
    pub(crate) views: Vec<CompiledQuery>,
    /// By query: notes which rows may have joined or left it, for a system that hears of that.
    pub(crate) watches: Vec<WatchToken>,
    /// Whether members are visited in creation order.
    pub(crate) in_order: bool,
    /// Members of a batch; none does all at once.
    pub(crate) batch: Option<usize>,
    /// The pass it is in the middle of.
    pub(crate) pass: Option<Pass>,
    /// Time of steps it has not decided about.
    pub(crate) unadded: f64,
    /// Milliseconds of a run on the world thread an update, and items between two looks at the clock.
    pub(crate) budget: Option<f64>,
    pub(crate) check_every: usize,
    /// The run it is in the middle of, on the world thread.
    pub(crate) slice: Option<Box<Slice>>,
    /// What is handed its runs, if it is asynchronous.
    pub(crate) starter: Option<Starter>,
    /// Who it was told is a member of its main query, if it is told at once.
    pub(crate) links: Option<Links>,
    /// Indexes and grids its runs use.
    pub(crate) indexes: Vec<String>,
    pub(crate) grids: Vec<String>,
    /// What it runs only on changes of.
    pub(crate) observed: Vec<Observed>,
    pub(crate) start: Start,
    pub(crate) query_names: Arc<[String]>,
    pub(crate) borrows: Vec<(crate::id::ComponentId, bool)>,
    pub(crate) capabilities: Arc<Capabilities>,
    pub(crate) lookups: Vec<LookupPlan>,
    pub(crate) params: Arc<Params>,
    pub(crate) accumulator: Accumulator,
    pub(crate) phase: Phase,
    pub(crate) baseline: bool,
    /// What decides whether it is joined with its neighbours.
    pub(crate) tile: TileTraits,
    /// Asked before each step.
    pub(crate) should_run: Option<ShouldRun>,
    /// Away while a run has it.
    pub(crate) body: Option<Body>,
    pub(crate) open_run: Option<RunId>,
    /// Members of its main query at its last run.
    pub(crate) members: usize,
    /// The version of who has what when it was found to have no members, if it has none until that changes.
    pub(crate) idle_since: Option<u64>,
    /// Room for what its next run asks for.
    pub(crate) spare: Effects,
    /// Entities its last run created, to have as many ids at hand.
    pub(crate) created_last: usize,
    pub(crate) last_error: Option<SystemError>,
}

/// The systems in registration order, and their compiled schedule.
#[derive(Default)]
pub(crate) struct Systems {
    pub(crate) list: Vec<SystemEntry>,
    /// Where one was found last: they are mostly asked for in order.
    near: Cell<usize>,
    next: u32,
    /// How many are not started yet.
    pub(super) starting: usize,
    /// How many are told at once who joins and leaves.
    pub(super) linking: usize,
    /// Compiled again after the list changed.
    pub(super) plan: Option<Arc<Plan>>,
    /// Which systems run as one; made again with the plan.
    pub(super) tiles: Option<Arc<TileGroups>>,
    /// Whether each runs by itself all the same.
    pub(super) apart: bool,
    /// The order they are brought in as they are added.
    pub(super) order: SystemOrder,
}

impl Systems {
    /// No systems, with ids that go on where these end.
    pub(super) fn successor(&self) -> Self {
        Self { next: self.next, ..Self::default() }
    }

    /// The number the next system gets.
    pub(super) fn next_number(&self) -> u32 {
        self.next
    }

    /// Goes on with ids where others ended.
    pub(super) fn continue_after(&mut self, others: &Self) {
        self.next = self.next.max(others.next);
    }

    pub(crate) fn place(&self, id: SystemId) -> Option<usize> {
        let is_at = |place: &usize| self.list.get(*place).is_some_and(|entry| entry.id == id);
        let near = self.near.get();
        let place = [near, near + 1].into_iter().find(is_at);
        let place = place.or_else(|| self.list.iter().position(|entry| entry.id == id))?;
        self.near.set(place);
        Some(place)
    }

    pub(crate) fn get(&self, id: SystemId) -> Option<&SystemEntry> {
        self.place(id).map(|place| &self.list[place])
    }

    pub(crate) fn get_mut(&mut self, id: SystemId) -> Option<&mut SystemEntry> {
        self.place(id).map(|place| &mut self.list[place])
    }

    /// What was made of the list has to be made again.
    pub(super) fn list_changed(&mut self) {
        self.plan = None;
        self.tiles = None;
    }

    pub(crate) fn plan(&mut self) -> Arc<Plan> {
        if let Some(plan) = &self.plan {
            return plan.clone();
        }
        let traits: Vec<TileTraits> = self.list.iter().map(|entry| entry.tile).collect();
        let plan = Plan::compile(&self.accesses()).with_tiles(&traits, !self.apart);
        let plan = Arc::new(plan);
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
    /// The last error it reported, or that was reported of it.
    pub last_error: Option<SystemError>,
}

impl World {
    /// Adds a system behind those that are there.
    ///
    /// # Errors
    /// If it asks for a component that is not registered, or for one block twice to write it.
    pub fn add_system(&mut self, system: SystemDef) -> Result<SystemId, AccessError> {
        let constructor = system.name.clone();
        let id = self.add_system_from(system, constructor)?;
        self.begin_system(id);
        self.tell_links();
        Ok(id)
    }

    pub(super) fn add_system_from(
        &mut self,
        system: SystemDef,
        constructor: String,
    ) -> Result<SystemId, AccessError> {
        if self.destroyed {
            return Err(AccessError::Destroyed);
        }
        let mut system = system;
        let compiled = system.compile(&self.shared.registry)?;
        compiled.queries.iter().for_each(|query| self.storage.watch_for(query));
        let mut watches = Vec::new();
        if system.hears_changes
            && let Body::Worker(worker) = &mut system.body
        {
            for query in &compiled.queries {
                let token = WatchToken::default();
                self.storage.watch_structure(query, &token);
                watches.push(token);
                worker.tracked.push(Some(Tracked::default()));
            }
        }
        let links = compiled.queries.first().filter(|_| system.links).map(|query| {
            let links = Links::default();
            self.storage.watch_structure(query, &links.watch);
            links
        });
        self.systems.linking += links.is_some() as usize;
        let observe = |component| {
            let (written, structure) = Default::default();
            self.storage.watch(component, &written);
            self.storage.watch_rows(component, &structure);
            Observed { component, written, structure }
        };
        let observed = compiled.observed.into_iter().map(observe).collect();
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
            views: compiled.views,
            watches,
            in_order: system.in_order,
            batch: system.batch,
            pass: None,
            unadded: 0.0,
            budget: system.budget,
            check_every: system.check_every,
            slice: None,
            links,
            indexes: system.indexes,
            grids: system.grids,
            starter: system.starter,
            observed,
            start: Start::Unasked,
            query_names: system.queries.into_iter().map(|(name, _)| name).collect(),
            borrows: compiled.borrows,
            capabilities: Arc::new(compiled.capabilities),
            lookups: compiled.lookups,
            params: Arc::new(system.params),
            accumulator: Accumulator::new(system.period, system.first_run),
            phase: system.phase,
            baseline: system.baseline,
            tile: TileTraits::UNKNOWN,
            should_run: system.should_run,
            body: Some(system.body),
            open_run: None,
            members: 0,
            idle_since: None,
            spare: Effects::default(),
            created_last: 0,
            last_error: None,
        });
        if let Some(entry) = self.systems.list.last_mut() {
            entry.tile = entry.tile_traits();
        }
        self.systems.list_changed();
        self.keep_order();
        self.systems.count_starting();
        self.tell_scheduler(Notice::Added(id));
        self.emit(WorldEvent::SystemAdded(id));
        Ok(id)
    }

    /// Removes a system. A run of it that is open is waited for, at most a second; after that it ends as it would
    /// have, and the system is shut down then. Whether it was there.
    pub fn remove_system(&mut self, id: SystemId) -> bool {
        if self.systems.place(id).is_none() {
            return false;
        }
        self.drop_slice_of(id);
        self.wait_to_end(id);
        self.end_system(id);
        let Some(place) = self.systems.place(id) else { return false };
        let removed = self.systems.list.remove(place);
        self.systems.linking -= removed.links.is_some() as usize;
        self.storage.unwatch(&removed.watch_tokens());
        self.systems.count_starting();
        self.systems.list_changed();
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

    /// Whether a run of a system is open: working, or its effects not applied yet.
    pub fn is_running(&self, id: SystemId) -> bool {
        self.systems.get(id).is_some_and(|entry| entry.open_run.is_some())
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
