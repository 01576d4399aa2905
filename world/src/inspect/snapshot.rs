//! A picture of the world as plain data: only what a `ViewRequest` asked for, copied, never borrowed.

use super::entity_page::EntityPage;
use super::references::ReferencesView;
use super::selected::SelectedView;
use super::templates::TemplateView;
use super::{CellsView, HeapView};
use crate::component::{Field, FieldValue};
use crate::id::{ComponentId, EntityId, Ordinal, RunId, SystemId};
use crate::schedule::{ComponentNames, Pair, Plan, PlanNeighbours, ReasonKind};
use crate::timing::{TickSample, TimingRow};
use crate::world::{Asker, FieldChange, JournalKind, SystemError, WatchedField};
use std::sync::Arc;
use std::time::Duration;

/// What the host knows at one moment. Parts nobody asked for are none or empty.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Counts the snapshots published.
    pub sequence: u64,
    /// The host's state; always there.
    pub status: Status,
    /// What the loaded scene is made of; always there, and shared until it changes.
    pub catalog: Arc<CatalogView>,
    /// The rows asked for.
    pub entities: Option<EntityPage>,
    /// The entities looked into, those that exist, in the order asked for.
    pub details: Vec<EntityDetail>,
    /// Every system, in registration order.
    pub systems: Vec<SystemView>,
    /// The compiled schedule, shared until it is compiled anew.
    pub schedule: Option<Arc<ScheduleView>>,
    /// Timings.
    pub timing: Option<TimingView>,
    /// Pools.
    pub memory: Option<MemoryView>,
    /// Blocks waiting to be freed.
    pub deferred: Option<DeferredView>,
    /// Shapes.
    pub shapes: Option<ShapesView>,
    /// The words of a pool.
    pub cells: Option<CellsView>,
    /// Strings, or lists.
    pub heap: Option<HeapView>,
    /// The journal.
    pub journal: Option<JournalView>,
    /// Who the living entities are that fields of `details` point to.
    pub names: Vec<EntityName>,
    /// Who points to each entity asked about.
    pub references: Vec<ReferencesView>,
    /// The selected entities taken together.
    pub selected: Option<SelectedView>,
    /// Entities that match what was typed to find one.
    pub candidates: Option<CandidatesView>,
}

/// Entities that match a filter, to choose one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CandidatesView {
    /// The filter.
    pub text: String,
    /// How many match.
    pub matching: usize,
    /// What is wrong with the filter.
    pub fault: Option<String>,
    /// The first of them, in creation order.
    pub list: Vec<EntityName>,
}

/// An entity as text names it.
#[derive(Clone, Debug, PartialEq)]
pub struct EntityName {
    /// The creation number.
    pub ordinal: Ordinal,
    /// The id.
    pub id: EntityId,
    /// Its type; empty if it has none.
    pub type_name: Arc<str>,
}

/// What the status and transport bars show.
#[derive(Clone, Debug, Default)]
pub struct Status {
    /// Name of the loaded scene; empty before the first load.
    pub scene: String,
    /// What the scene says about itself.
    pub about: String,
    /// What the world is doing.
    pub run_state: RunState,
    /// Steps done since the load.
    pub tick: u64,
    /// Game time in milliseconds.
    pub game_time: f64,
    /// Player time in milliseconds.
    pub player_time: f64,
    /// The step in milliseconds.
    pub step: f64,
    /// How many times faster than real time the world is asked to run; infinite for as fast as it goes.
    pub speed: f64,
    /// Steps a second, measured over the last second.
    pub ticks_per_second: f64,
    /// Living entities.
    pub entities: usize,
    /// Bytes of pools and tables.
    pub bytes: usize,
    /// Blocks waiting to be freed.
    pub deferred: usize,
    /// Time a snapshot took on the world thread, on average over the last second.
    pub snapshot_cost: Duration,
    /// Part of the last second the world thread spent on snapshots, 0 to 1.
    pub inspector_share: f64,
    /// Whether anything was edited by hand since the load or the last save.
    pub edited: bool,
    /// Worker threads.
    pub threads: usize,
    /// Steps dropped because the world could not keep up.
    pub dropped_steps: u64,
    /// Updates that have runs waiting.
    pub backlog: usize,
}

/// What the world is doing.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum RunState {
    /// No scene was loaded yet.
    #[default]
    Empty,
    /// Waiting to be run or stepped.
    Paused,
    /// Running at `Status::speed`.
    Running,
    /// Doing a number of steps.
    Stepping {
        /// Steps still to do.
        left: u64,
    },
    /// Building a scene; the old world is kept until it is whole.
    Loading {
        /// From 0 to 1.
        fraction: f32,
    },
    /// Paused by something other than the user.
    Stopped(StopReason),
}

/// Why the world stopped.
#[derive(Clone, Debug, PartialEq)]
pub struct StopReason {
    /// The system that failed, if one did.
    pub system: Option<SystemId>,
    /// A sentence that names it and says what happened.
    pub message: String,
}

/// Components, classes, templates of the loaded scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CatalogView {
    /// Every component, by its id.
    pub components: Vec<ComponentView>,
    /// Every class, by name.
    pub classes: Vec<ClassView>,
    /// Every template, by name.
    pub templates: Vec<TemplateView>,
    /// Left, top, right, bottom of the scene.
    pub bounds: Option<[f64; 4]>,
}

impl CatalogView {
    /// The component with this id; none if the snapshot is older than it.
    pub fn component(&self, id: ComponentId) -> Option<&ComponentView> {
        self.components.get(id.index())
    }
}

/// A component.
#[derive(Clone, Debug, PartialEq)]
pub struct ComponentView {
    /// Its id.
    pub id: ComponentId,
    /// Its name.
    pub name: String,
    /// Bytes of a block; 0 for a tag.
    pub size: usize,
    /// The fields, in the order of their offsets.
    pub fields: Vec<Field>,
    /// Config keys of which any one loads it.
    pub load_keys: Vec<String>,
}

/// A class.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassView {
    /// Its name.
    pub name: String,
    /// The components it permits.
    pub components: Vec<ComponentId>,
}

/// An entity looked into.
#[derive(Clone, Debug, PartialEq)]
pub struct EntityDetail {
    /// The creation number.
    pub ordinal: Ordinal,
    /// The id.
    pub id: EntityId,
    /// Its type; empty if it has none.
    pub type_name: Arc<str>,
    /// Its class; empty if it has none.
    pub class: Arc<str>,
    /// Whether it is dead.
    pub dead: bool,
    /// Whether it is static.
    pub is_static: bool,
    /// Its row in every pool.
    pub row: u32,
    /// Its components, `entity` first.
    pub components: Vec<ComponentState>,
    /// Systems whose query it matches, by what they do with it.
    pub systems: Vec<SystemId>,
}

/// A component of an entity.
#[derive(Clone, Debug, PartialEq)]
pub struct ComponentState {
    /// Which component.
    pub component: ComponentId,
    /// A value a field of its description.
    pub values: Vec<FieldValue>,
    /// What the entity's template gives each field, if the template loads this component.
    pub template: Option<Vec<FieldValue>>,
    /// The block itself.
    pub raw: RawBlock,
    /// The tick of this copy: an older one while a run holds the pool.
    pub tick: u64,
    /// The run that holds the pool for writing, if one did; the values are then of `tick`.
    pub held_by: Option<OpenRun>,
}

/// A block as it lies in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct RawBlock {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its row in the pool.
    pub row: u32,
    /// Its page in the pool, of 64 blocks.
    pub page: u32,
    /// What state the block is in.
    pub state: BlockState,
}

/// What a cell of a pool holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum BlockState {
    /// No page was allocated here.
    NoPage,
    /// Nothing; may be handed out.
    #[default]
    Free,
    /// An entity's component.
    Live,
    /// Removed, and waiting for open runs.
    Deferred,
    /// Removed, and held by a run that hangs.
    Quarantined,
}

/// A system.
#[derive(Clone, Debug, PartialEq)]
pub struct SystemView {
    /// Its id.
    pub id: SystemId,
    /// Its name; several may share one.
    pub name: String,
    /// Which kind it is: "system", "entity system", "entity worker", "worker", "iterable".
    pub kind: &'static str,
    /// Whether it takes part.
    pub enabled: bool,
    /// Its period in milliseconds; 0 runs every time.
    pub period: f64,
    /// Components it reads.
    pub reads: Vec<ComponentId>,
    /// Components it writes.
    pub writes: Vec<ComponentId>,
    /// Components of the entities it may create; none if it may create anything.
    pub creates: Option<Vec<ComponentId>>,
    /// Whether it may kill.
    pub kills: bool,
    /// Whether it may touch anything, and so runs alone.
    pub exclusive: bool,
    /// Its batch in the compiled schedule, from 1.
    pub batch: Option<usize>,
    /// Its parameters with their values, for those that have any.
    pub params: Vec<(Field, FieldValue)>,
    /// Members of its main query at its last run.
    pub members: usize,
    /// How many of them an update got at once, on average: more after `Command::Compact`. None before its first
    /// run, and after compaction until the next.
    pub mean_chunk: Option<f64>,
    /// Runs since the load.
    pub runs: u64,
    /// Mean time of a run in the last window.
    pub mean: Duration,
    /// What it is doing.
    pub state: SystemState,
    /// Runs of it that wait to begin.
    pub waiting: usize,
    /// The last error it reported, or that was reported of it.
    pub last_error: Option<SystemError>,
}

/// What a system is doing.
#[derive(Clone, Debug, PartialEq)]
pub enum SystemState {
    /// Nothing.
    Idle,
    /// Waiting for another system, or for a worker that has time.
    Queued {
        /// The first one it waits for; none if it waits for a worker.
        after: Option<SystemId>,
    },
    /// Running.
    Running {
        /// On which worker; none for the world thread, or whoever else finishes it.
        worker: Option<usize>,
    },
    /// Its work is done; what it asks for waits for its turn.
    Publishing,
    /// It runs without end, and nobody waits for it any more.
    Hung,
}

/// The compiled conflict schedule.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScheduleView {
    /// The schedule itself, which answers what is asked about it: why, and what if not.
    pub plan: Arc<Plan>,
    /// Systems that may run together, batch by batch.
    pub batches: Vec<Vec<SystemId>>,
    /// The reason of every pair that may not run together, the earlier system first.
    pub reasons: Vec<PairReason>,
    /// Every system but the last with the one registered after it: whether they run as one, and why not.
    pub neighbours: Vec<PlanNeighbours>,
}

impl ScheduleView {
    /// What a plan says, with components named by `names`.
    pub fn new(plan: Arc<Plan>, names: &ComponentNames<'_>) -> Self {
        let pair = |earlier: usize, later: usize| {
            let Pair::Ordered(reasons) = plan.pair(earlier, later) else { return None };
            let mut components: Vec<ComponentId> =
                reasons.iter().filter_map(|reason| reason.components()).flat_map(|set| set.iter()).collect();
            components.sort_unstable();
            components.dedup();
            Some(PairReason {
                earlier: plan.systems()[earlier].id,
                later: plan.systems()[later].id,
                kind: reasons.first()?.kind(),
                components,
                sentence: plan.explain_places(earlier, later, names),
            })
        };
        let places = 0..plan.systems().len();
        let reasons = places
            .flat_map(|later| plan.predecessors(later).iter().map(move |&earlier| (earlier, later)))
            .filter_map(|(earlier, later)| pair(earlier, later))
            .collect();
        Self { batches: plan.batch_ids(), reasons, neighbours: plan.neighbours().collect(), plan }
    }
}

/// Why two systems may not run together.
#[derive(Clone, Debug, PartialEq)]
pub struct PairReason {
    /// The one registered earlier.
    pub earlier: SystemId,
    /// The one that waits.
    pub later: SystemId,
    /// The strongest reason.
    pub kind: ReasonKind,
    /// The components that are reasons.
    pub components: Vec<ComponentId>,
    /// A sentence: «`bounce` waits for `move`: both touch `velocity`; `move` writes it».
    pub sentence: String,
}

/// Timings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimingView {
    /// Length of a window.
    pub window: Duration,
    /// The last whole window: the update first, then each system's runs and effects.
    pub rows: Vec<TimingRow>,
    /// The last ticks, oldest first.
    pub ticks: Vec<TickSample>,
    /// The slowest ticks since the load or the last reset, slowest first.
    pub slowest: Vec<TickSample>,
}

/// The memory of a world.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemoryView {
    /// A line a pool.
    pub pools: Vec<PoolView>,
    /// Bytes of the tables of entities and rows.
    pub table_bytes: usize,
    /// Interned strings.
    pub strings: usize,
    /// Their bytes.
    pub string_bytes: usize,
    /// Lists of components.
    pub lists: usize,
    /// Their bytes.
    pub list_bytes: usize,
}

/// A pool.
#[derive(Clone, Debug, PartialEq)]
pub struct PoolView {
    /// Whose blocks.
    pub component: ComponentId,
    /// Blocks that belong to entities.
    pub live: usize,
    /// Blocks waiting to be freed.
    pub deferred: usize,
    /// Blocks held by a run that hangs.
    pub quarantined: usize,
    /// Blocks there are pages for.
    pub capacity: usize,
    /// Bytes allocated.
    pub bytes: usize,
    /// Pages allocated.
    pub pages: usize,
    /// Run that holds the pool, if one does.
    pub held_by: Option<OpenRun>,
}

/// A run that is open.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenRun {
    /// Which run.
    pub run: RunId,
    /// Of which system.
    pub system: SystemId,
    /// The system's name.
    pub name: String,
    /// How long it has been open.
    pub open_for: Duration,
}

/// Blocks waiting to be freed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeferredView {
    /// How many wait.
    pub blocks: usize,
    /// Their bytes.
    pub bytes: usize,
    /// The first thousand of them, oldest first.
    pub list: Vec<DeferredBlock>,
    /// The runs that are open.
    pub runs: Vec<OpenRun>,
    /// Who the owners are of listed blocks that are there still.
    pub owners: Vec<EntityName>,
}

/// One block waiting to be freed.
#[derive(Clone, Debug, PartialEq)]
pub struct DeferredBlock {
    /// Its pool.
    pub component: ComponentId,
    /// Its row.
    pub row: u32,
    /// Whose it was.
    pub owner: EntityId,
    /// The system that asked for it; none for the world or the user.
    pub asked_by: Option<SystemId>,
    /// The tick it was asked for at.
    pub since: u64,
    /// The runs it waits for.
    pub waits_for: Vec<RunId>,
    /// Whether it is held by a run that hangs.
    pub quarantined: bool,
}

/// What the journal recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JournalView {
    /// Whether it records.
    pub is_recording: bool,
    /// How many entries it keeps at most.
    pub limit: usize,
    /// How many it keeps now.
    pub kept: usize,
    /// How many there were since the load that it keeps no longer.
    pub dropped: u64,
    /// How many of those kept match.
    pub matching: usize,
    /// Where the first row stands among those that match, newest first.
    pub first: usize,
    /// The rows asked for, newest first.
    pub rows: Vec<JournalRow>,
    /// What is wrong with the filter, with the bytes of it that are at fault. No rows then.
    pub fault: Option<(String, std::ops::Range<usize>)>,
    /// How long looking at the entries that came last took.
    pub took: Duration,
    /// The fields whose every change is recorded.
    pub watched: Vec<WatchedField>,
    /// Bytes of what is kept.
    pub bytes: usize,
}

/// An entry of the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct JournalRow {
    /// Counts the entries since the load.
    pub number: u64,
    /// The tick it happened at.
    pub tick: u64,
    /// What happened.
    pub kind: JournalKind,
    /// Who asked for it.
    pub by: Asker,
    /// The name the asking system had; empty for anybody else.
    pub by_name: Arc<str>,
    /// The entity's creation number.
    pub ordinal: Ordinal,
    /// The entity.
    pub id: EntityId,
    /// Its type; empty if it has none.
    pub type_name: Arc<str>,
    /// Its class; empty if it has none.
    pub class: Arc<str>,
    /// Whether it is there still.
    pub lives: bool,
    /// The component that was added, removed or changed.
    pub component: Option<ComponentId>,
    /// Which field changed, and how.
    pub change: Option<FieldChange>,
}

/// Shapes to paint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShapesView {
    /// The shapes, in row order.
    pub shapes: Vec<Shape>,
    /// Every how many shapes one was sent; 1 sends all.
    pub sampled: usize,
    /// Entities with a position in all.
    pub total: usize,
    /// The tick of these shapes: an older one while a run holds the pools.
    pub tick: u64,
}

/// A shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Whose.
    pub ordinal: Ordinal,
    /// Its centre.
    pub x: f32,
    /// Its centre.
    pub y: f32,
    /// Half its width, or its radius.
    pub half_width: f32,
    /// Half its height; 0 for a circle.
    pub half_height: f32,
    /// `0xRRGGBBAA`.
    pub colour: u32,
}
