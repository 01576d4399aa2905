//! The world: entities, systems, clocks, and what happens in an update.
//!
//! One thread owns a world. Worker systems run on the world's own pool; what they ask for is applied here, in
//! order. The world reads no file and no clock but the one it is given.

mod adding; // components of entities that are there
mod adopt; // entities that runs created
mod at_work; // what the workers are at
mod changes; // who changed when
mod clocks;
mod compact;
mod components; // reading, writing and removing them
mod configs; // entities as configs
mod content; // all of it, exchanged
mod deferred; // blocks and rows given back late
mod dispatch; // from a system to an open run
mod edit; // one component of many entities
mod effects; // what runs asked for
mod entities; // coming and going
mod entity_ref; // one entity to read, and its class
mod events;
mod gates; // what may hold the next step
mod grid; // entities by where they are
mod hash; // the state in one number
mod hung; // runs that do not end
mod index; // entities by the value of a field
mod index_rows; // rows by the values of an index
mod index_value;
mod journal; // what happened to whom, and who asked
mod layout; // rows in saves
mod lifecycle; // what systems hear of their world
mod links; // who joins and leaves a query, told at once
mod load;
mod lookup; // what indexes and grids have in common
mod off_thread; // heavy steps on threads of their own
mod open_runs; // runs between dispatch and the end of their effects
mod ordering; // the order systems are registered in
mod pass; // batches of a system's members
mod query;
mod resources; // components of the world itself
mod restore; // entities as they were
mod save;
mod scheduler; // who decides what runs when
mod shrink; // memory nothing uses
mod slices; // runs of the world thread that take several updates
mod systems;
mod template_edit; // what a type begins with, changed
mod tiling; // systems that run as one
mod timing_dependence; // why results may differ
mod unseen; // by queries for changes, in saves
mod update;
mod workers;
mod written; // rows of one component in one tick

pub(crate) use open_runs::RunProgress;

pub use clocks::{Clock, Clocks};
pub use components::AccessFault;
pub use edit::Edit;
pub use entity_ref::{ClassError, ClassWrapper, EntityRef};
pub use events::{SystemError, SystemPhase, WorldEvent};
pub use grid::Grid;
pub(crate) use grid::LentGrid;
pub use hung::Hung;
pub(crate) use index::LentIndexes;
pub use index::{Index, IndexKind};
pub use index_value::IndexValue;
pub use journal::{Asker, FieldChange, Journal, JournalEntry, JournalKind, WatchedField};
pub use load::{LoadError, LoadOptions, LoadPhase, LoadProgress, LoadReport, LoadStep};
pub use lookup::{IndexError, LookupKind};
pub use off_thread::{Loopback, OffThread};
pub use query::PreparedQuery;
pub use restore::RestoreError;
pub use save::{SaveError, SaveReport};
pub use scheduler::{
    ConflictScheduler, DefaultScheduler, Dispatched, FinishedRun, ReadyEffects, Scheduler, SchedulerContext,
    UnknownScheduler,
};
pub use systems::SystemStatus;
pub use template_edit::{PromoteError, TemplateEditError};
pub use timing_dependence::TimingDependence;
pub use update::UpdateReport;

use crate::catalog::Catalog;
use crate::component::{Heap, Lists, Registry, Strings, TypeMap};
use crate::entity::{Factory, Order};
use crate::id::{ComponentId, EntityId, Ordinal, RunId, SystemId};
use crate::memory::{CompiledQuery, Placer, Storage};
use crate::random::SharedStream;
use crate::scene::SceneHeader;
use crate::system::RunShared;
use crate::timing::PerformanceTiming;
use deferred::DeferredFree;
use events::Listeners;
use open_runs::OpenRuns;
use scheduler::Seat;
use std::any::TypeId;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use systems::Systems;
use workers::Workers;

/// How a world is set up.
#[derive(Clone)]
pub struct WorldOptions {
    /// Worker threads; 0 runs everything on the world thread, with the same results.
    pub threads: usize,
    /// The clock that timings are measured with.
    pub clock: Clock,
}

impl Default for WorldOptions {
    fn default() -> Self {
        Self { threads: 0, clock: Clock::system() }
    }
}

/// What a scene says about itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SceneInfo {
    /// Its name.
    pub name: String,
    /// What it is about.
    pub about: String,
    /// Left, top, right, bottom.
    pub bounds: Option<[f64; 4]>,
}

/// Entities and the systems that run over them. See the crate's documentation for an example.
pub struct World {
    catalog: Catalog,
    info: SceneInfo,
    /// What the loaded file said beside its entities; a save says it again.
    header: SceneHeader,
    /// Registry, factory, strings and seed, shared with runs.
    shared: Arc<RunShared>,
    pub(crate) storage: Storage,
    pub(crate) order: Order,
    /// The entity whose components are the world's own; none while it has none.
    resources: Option<EntityId>,
    /// Where bundles go, for each type of bundle spawned so far.
    placers: Vec<Placer>,
    placer_of: TypeMap<usize>,
    /// The type of bundle spawned last, and its place in `placers`.
    last_placed: Option<(TypeId, usize)>,
    /// Entities whose death hooks are running.
    dying: Vec<EntityId>,
    /// Entities off the list whose removal listeners have yet to hear of.
    leaving: VecDeque<EntityId>,
    deferred: DeferredFree,
    /// Where the scheduler sits.
    seat: Seat,
    /// Updates that may have runs in the queue; none is no bound.
    max_backlog: Option<usize>,
    /// Tick and game time of the queued run the world thread is at; none is now.
    logical: Option<(u64, f64)>,
    indexes: Vec<index::FieldIndex>,
    grids: Vec<grid::GridIndex>,
    /// Who changed when, while somebody asks.
    changes: Option<changes::ChangeRecord>,
    journal: journal::Journal,
    /// Which rows of one component are written, while somebody asks.
    written: Option<written::WrittenRecord>,
    gates: gates::Gates,
    systems: Systems,
    runs: OpenRuns,
    workers: Workers,
    clocks: Clocks,
    timing: PerformanceTiming,
    listeners: Listeners,
    errors: Vec<SystemError>,
    /// The last one since an update began.
    last_error: Option<SystemError>,
    dropped_errors: usize,
    dropped_effects: u64,
    random: SharedStream,
    /// A load in slices that is under way.
    loading: Option<Box<load::Loading<'static>>>,
    /// How often the content was replaced by a load or a clear.
    content: u64,
    /// How long a run is waited for.
    patience: Duration,
    /// Effects a run may ask for.
    effect_limit: usize,
    /// Runs whose content was taken away before they ended.
    abandoned: Vec<hung::Abandoned>,
    destroyed: bool,
    options: WorldOptions,
}

/// Errors kept until they are taken; more are counted.
const ERRORS_KEPT: usize = 1000;

/// How long a run is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// Effects a run may ask for: more than a run over ten million entities that creates one for each needs, and few
/// enough that a run which never stops asking cannot take the machine down.
const EFFECT_LIMIT: usize = 10_000_000;

impl World {
    /// An empty world in which scenes may name what the catalog has.
    ///
    /// # Errors
    /// If worker threads cannot be started.
    pub fn new(catalog: &Catalog, options: WorldOptions) -> std::io::Result<Self> {
        let workers = Workers::new(options.threads, options.clock.clone())?;
        Ok(Self::with_workers(catalog, catalog.registry().clone(), options, workers))
    }

    fn with_workers(catalog: &Catalog, registry: Registry, options: WorldOptions, workers: Workers) -> Self {
        let storage = Storage::new(registry.iter().map(|(_, definition)| definition.layout));
        let seed = crate::random::fresh_seed();
        let (factory, strings, lists) = Default::default();
        let shared = RunShared { registry, factory, strings, lists, seed };
        Self {
            catalog: catalog.clone(),
            info: SceneInfo::default(),
            header: SceneHeader::default(),
            shared: Arc::new(shared),
            storage,
            order: Order::default(),
            resources: None,
            placers: Vec::new(),
            placer_of: TypeMap::default(),
            last_placed: None,
            dying: Vec::new(),
            leaving: VecDeque::new(),
            deferred: DeferredFree::default(),
            seat: Seat::of(Box::<ConflictScheduler>::default()),
            max_backlog: Some(8),
            logical: None,
            indexes: Vec::new(),
            grids: Vec::new(),
            changes: None,
            journal: journal::Journal::default(),
            written: None,
            gates: gates::Gates::default(),
            systems: Systems::default(),
            runs: OpenRuns::default(),
            workers,
            clocks: Clocks::default(),
            timing: PerformanceTiming::default(),
            listeners: Listeners::default(),
            errors: Vec::new(),
            last_error: None,
            dropped_errors: 0,
            dropped_effects: 0,
            random: SharedStream::new(seed),
            loading: None,
            content: 0,
            patience: PATIENCE,
            effect_limit: EFFECT_LIMIT,
            abandoned: Vec::new(),
            destroyed: false,
            options,
        }
    }

    /// An empty world to take this one's place: no id of this one means anything in it.
    fn successor(&self, registry: Registry) -> Self {
        let workers = Workers::without_threads(self.options.clock.clone());
        let mut empty = Self::with_workers(&self.catalog, registry, self.options.clone(), workers);
        empty.storage.slots = self.storage.slots.successor();
        empty.systems = self.systems.successor();
        empty
    }

    /// What scenes can name.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }
    /// What the loaded scene says about itself.
    pub fn info(&self) -> &SceneInfo {
        &self.info
    }
    /// The components.
    pub fn registry(&self) -> &Registry {
        &self.shared.registry
    }
    /// Templates and classes.
    pub fn factory(&self) -> &Factory {
        &self.shared.factory
    }
    /// The interned strings.
    pub fn strings(&self) -> &Strings {
        &self.shared.strings
    }
    /// The lists of components.
    pub fn lists(&self) -> &Lists {
        &self.shared.lists
    }
    pub(crate) fn heap(&self) -> Heap<'_> {
        self.shared.heap()
    }
    /// The clocks.
    pub fn clocks(&self) -> &Clocks {
        &self.clocks
    }
    /// Effects a run may ask for; ten million unless it is set.
    pub fn effect_limit(&self) -> usize {
        self.effect_limit
    }
    /// Sets how many effects a run may ask for. A run that asks for more gets an error, and is reported; what it
    /// asked for is discarded, like that of one that panics.
    pub fn set_effect_limit(&mut self, effects: usize) {
        self.effect_limit = effects;
    }
    /// The stream all of the world draws from; runs have streams of their own.
    pub fn random(&self) -> &SharedStream {
        &self.random
    }
    /// How long things took.
    pub fn timing(&self) -> &PerformanceTiming {
        &self.timing
    }
    /// How long things took, to reset or flush.
    pub fn timing_mut(&mut self) -> &mut PerformanceTiming {
        &mut self.timing
    }
    /// Worker threads.
    pub fn threads(&self) -> usize {
        self.options.threads
    }

    /// How many entities there are.
    pub fn len(&self) -> usize {
        self.order.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Every entity in creation order.
    pub fn entities(&self) -> impl DoubleEndedIterator<Item = EntityId> + '_ {
        self.in_order().map(|(_, id)| id)
    }
    /// The creation number of an entity that is there.
    pub fn ordinal(&self, id: EntityId) -> Option<Ordinal> {
        self.storage.slots.row(id)?;
        self.order.ordinal(id)
    }
    /// Every entity with its ordinal, in creation order.
    pub(crate) fn in_order(&self) -> impl DoubleEndedIterator<Item = (Ordinal, EntityId)> + '_ {
        let slots = &self.storage.slots;
        self.order.iter().filter_map(|(ordinal, slot)| Some((ordinal, slots.id_of(slot)?)))
    }
    /// The entity with a creation number, if it is there.
    pub fn by_ordinal(&self, ordinal: Ordinal) -> Option<EntityId> {
        self.storage.slots.id_of(self.order.by_ordinal(ordinal)?)
    }

    /// How many blocks a component's pool holds: those of entities, and those that wait to be freed.
    pub fn pool_len(&self, component: ComponentId) -> usize {
        let pool = self.storage.pools.get(component.index());
        pool.map_or(0, |pool| self.storage.held(component) + pool.deferred().count())
    }

    /// Bytes of pools and tables.
    pub fn bytes(&self) -> usize {
        self.storage.bytes() + self.order.bytes() + self.strings().bytes() + self.lists().bytes()
    }

    /// Now, on the world's clock.
    pub(crate) fn now(&self) -> u64 {
        self.workers.clock().now()
    }

    /// Every system with its compiled queries.
    pub(crate) fn systems_and_queries(&self) -> impl Iterator<Item = (SystemId, &[CompiledQuery])> {
        self.systems.list.iter().map(|entry| (entry.id, entry.queries.as_slice()))
    }

    /// The name of a system; empty if it is gone.
    pub(crate) fn system_name(&self, id: SystemId) -> String {
        self.systems.get(id).map(|entry| entry.name.to_string()).unwrap_or_default()
    }

    /// How far a run that is open has come, and the worker that is at it.
    pub(crate) fn progress_of(&self, run: RunId) -> Option<RunProgress> {
        let open = self.runs.iter().find(|open| open.run == run)?;
        let worker = self.workers.worker_of(run);
        Some(match (open.done, open.held.is_some()) {
            (true, _) => RunProgress::Done,
            (false, true) => RunProgress::Hung,
            (false, false) => RunProgress::Open { worker },
        })
    }

    /// Every open run with its system and when it was dispatched, on the world's clock.
    pub(crate) fn runs_since(&self) -> impl Iterator<Item = (RunId, SystemId, u64)> + '_ {
        self.runs.iter().map(|open| (open.run, open.system, open.since))
    }

    /// Blocks that wait to be given back.
    pub fn deferred_blocks(&self) -> usize {
        self.registry().iter().map(|(component, _)| self.storage.deferred(component)).sum()
    }

    /// Where finished runs come back: a host sleeps on it, and pumps when one has come.
    pub(crate) fn completions(&self) -> &crossbeam_channel::Receiver<workers::Completion> {
        self.workers.receiver()
    }

    /// Takes in a run that came back, and applies what is ready.
    pub(crate) fn pump_with(&mut self, completion: workers::Completion) {
        self.take_in(completion);
        self.pump();
    }

    /// Takes the errors systems reported since they were last taken, and how many more there were.
    pub fn take_errors(&mut self) -> (Vec<SystemError>, usize) {
        (std::mem::take(&mut self.errors), std::mem::take(&mut self.dropped_errors))
    }

    /// Effects dropped because their entity was gone.
    pub fn dropped_effects(&self) -> u64 {
        self.dropped_effects
    }

    fn report(&mut self, error: SystemError) {
        if let Some(entry) = error.system.and_then(|id| self.systems.get_mut(id)) {
            entry.last_error = Some(error.clone());
        }
        if self.listeners.any() {
            self.emit(WorldEvent::SystemError(error.clone()));
        }
        self.last_error = Some(error.clone());
        if self.errors.len() < ERRORS_KEPT {
            self.errors.push(error);
        } else {
            self.dropped_errors += 1;
        }
    }
}
