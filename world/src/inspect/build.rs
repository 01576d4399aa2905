//! From a world and a request to a snapshot. Reading is no run and enters no schedule.

use super::cells::cells;
use super::entities::EntityList;
use super::heap::HeapList;
use super::journal::JournalList;
use super::references::{self, ReferencesView};
use super::rested::Rested;
use super::selected::{self, SelectedView};
use super::shapes;
use super::templates::{self, Written};
use super::{
    BlockState, CandidatesView, CatalogView, ComponentState, DeferredView, EntityDetail, EntityName,
    MemoryView, OpenRun, PoolView, RawBlock, ScheduleView, Snapshot, SystemState, SystemView, TimingView,
    ViewRequest,
};
use crate::component::{FieldValue, field_value};
use crate::config::Config;
use crate::id::{ComponentId, EntityId, Ordinal, RunId, SystemId};
use crate::schedule::{Creates, Plan};
use crate::system::SystemKind;
use crate::world::{RunProgress, World};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

/// Entities offered at once to point to.
const CANDIDATES: usize = 20;

/// What an inspector remembers between snapshots: lists that are dear to make, and the last copies of blocks.
#[derive(Default)]
pub(crate) struct Inspector {
    /// Changes with every load.
    generation: u64,
    catalog: Arc<CatalogView>,
    entities: EntityList,
    journal: JournalList,
    heap: HeapList,
    plan: Option<(Arc<Plan>, Arc<ScheduleView>)>,
    /// The last copy of each block looked into, for while a run holds its pool.
    last: HashMap<(EntityId, ComponentId), ComponentState>,
    /// What the scene file says of its templates.
    written: Written,
    references: Rested<Vec<Ordinal>, Vec<ReferencesView>>,
    selected: Rested<Vec<Ordinal>, SelectedView>,
    candidates: EntityList,
}

impl Inspector {
    /// Forgets everything: another world was loaded.
    pub(crate) fn reset(&mut self, world: &World) {
        *self =
            Self { generation: self.generation + 1, written: templates::written(world), ..Self::default() };
        self.note_templates(world);
    }

    /// A template was changed.
    pub(crate) fn note_templates(&mut self, world: &World) {
        self.catalog = Arc::new(templates::catalog(world, &self.entities, &self.written));
    }

    /// The scene file says this of a template.
    pub(crate) fn note_written(&mut self, world: &World, name: String, config: Config<'static>) {
        self.written.insert(name, config);
        self.note_templates(world);
    }

    /// The scene file says of all templates what the world says.
    pub(crate) fn note_all_written(&mut self, world: &World) {
        self.written = templates::written(world);
        self.note_templates(world);
    }

    /// Whether a later snapshot would show more of the same world.
    pub(crate) fn is_behind(&self) -> bool {
        self.entities.is_behind() || self.references.is_behind() || self.selected.is_behind()
    }

    /// The world was changed by hand.
    pub(crate) fn note_edit(&mut self) {
        self.entities.note_edit();
        self.heap.note_edit();
        self.candidates.note_edit();
        self.references.note_edit();
        self.selected.note_edit();
    }

    /// Fills a snapshot with what was asked for. Its status is the host's to fill.
    pub(crate) fn fill(&mut self, world: &mut World, request: &ViewRequest, out: &mut Snapshot) {
        out.catalog = self.catalog.clone();
        out.entities = request.entities.as_ref().map(|asked| self.entities.page(world, asked, &self.catalog));
        // What changed is known from the moment somebody asks.
        let asks = |asked: &super::EntitiesRequest| asked.changes || self.entities.asks_for_changes();
        world.record_changes(request.entities.as_ref().is_some_and(asks));
        self.fill_details(world, &request.details, out);
        self.fill_selection(world, request, out);
        out.systems.clear();
        if request.systems || request.schedule {
            fill_systems(world, &mut out.systems);
        }
        out.schedule = request.schedule.then(|| self.schedule(world));
        world.timing_mut().gather_distributions(request.timing);
        if request.timing {
            let timing = out.timing.get_or_insert_default();
            fill_timing(world, timing);
        } else {
            out.timing = None;
        }
        out.memory = request.memory.then(|| memory(world));
        out.deferred = request.deferred.then(|| deferred(world));
        world.record_written(request.cells.as_ref().map(|asked| asked.component));
        out.cells = request.cells.as_ref().and_then(|asked| cells(world, asked));
        out.heap = request.heap.as_ref().map(|asked| self.heap.page(world, asked));
        out.journal = request.journal.as_ref().map(|asked| self.journal.page(world, asked, &self.catalog));
        match &request.shapes {
            Some(asked) => shapes::fill(world, asked, out.shapes.get_or_insert_default()),
            None => out.shapes = None,
        }
    }

    /// Counts the instances of each template anew.
    pub(crate) fn count_instances(&mut self, world: &World) {
        let counts = self.entities.count_types(world);
        let catalog = Arc::make_mut(&mut self.catalog);
        for template in &mut catalog.templates {
            template.instances = counts.get(template.name.as_str()).copied().unwrap_or(0);
        }
    }

    /// What is asked about the selected entities beyond their blocks.
    fn fill_selection(&mut self, world: &World, request: &ViewRequest, out: &mut Snapshot) {
        out.references.clear();
        if request.references.is_empty() {
            self.references.forget();
        } else {
            let asked = &request.references;
            let found = self.references.answer(world, asked, |world| references::find(world, asked));
            out.references.extend(found.into_iter().flatten().cloned());
        }
        out.selected = if request.selected.is_empty() {
            self.selected.forget();
            None
        } else {
            let entities = &request.selected;
            self.selected.answer(world, entities, |world| selected::find(world, entities)).cloned()
        };
        out.candidates = request.candidates.as_ref().map(|text| {
            let asked =
                super::EntitiesRequest { filter: text.clone(), count: CANDIDATES, ..Default::default() };
            let page = self.candidates.page(world, &asked, &self.catalog);
            let name = |row: super::EntityRow| EntityName {
                ordinal: row.ordinal,
                id: row.id,
                type_name: row.type_name,
            };
            CandidatesView {
                text: text.clone(),
                matching: page.matching,
                fault: page.fault.map(|(message, _)| message),
                list: page.rows.into_iter().map(name).collect(),
            }
        });
    }

    fn schedule(&mut self, world: &mut World) -> Arc<ScheduleView> {
        let plan = world.plan();
        match &self.plan {
            Some((known, view)) if Arc::ptr_eq(known, &plan) => view.clone(),
            _ => {
                let name = |component: ComponentId| world.registry().get(component).name();
                let view = Arc::new(ScheduleView::new(plan.clone(), &name));
                self.plan = Some((plan, view.clone()));
                view
            }
        }
    }

    fn fill_details(&mut self, world: &World, wanted: &[Ordinal], out: &mut Snapshot) {
        out.details.clear();
        out.names.clear();
        self.last.retain(|(id, _), _| world.ordinal(*id).is_some_and(|ordinal| wanted.contains(&ordinal)));
        for &ordinal in wanted {
            if let Some(id) = world.by_ordinal(ordinal) {
                let detail = self.detail(world, ordinal, id);
                out.details.extend(detail);
            }
        }
        let pointed: BTreeSet<Ordinal> = out
            .details
            .iter()
            .flat_map(|detail| &detail.components)
            .flat_map(|component| component.values.iter().chain(component.template.iter().flatten()))
            .flat_map(
                |value| if let FieldValue::List(items) = value { items } else { std::slice::from_ref(value) },
            )
            .filter_map(|value| if let FieldValue::Entity(to) = value { *to } else { None })
            .collect();
        for ordinal in pointed {
            if let Some(id) = world.by_ordinal(ordinal) {
                out.names.push(EntityName { ordinal, id, type_name: world.type_name(id) });
            }
        }
    }

    fn detail(&mut self, world: &World, ordinal: Ordinal, id: EntityId) -> Option<EntityDetail> {
        let row = world.row(id)?;
        let type_name = world.type_name(id);
        let class = world.factory().class_of(&type_name).map(|class| Arc::from(class.name.as_str()));
        let entity = world.entity_block(id)?;
        let ids = world.components_of(id)?;
        let components =
            ids.iter().filter_map(|&component| self.component(world, id, row, &type_name, component));
        let components: Vec<ComponentState> = components.collect();
        let has = |component: &ComponentId| ids.contains(component);
        let systems = world.matching_systems(|required, without, skips_statics| {
            required.iter().all(has) && !without.iter().any(has) && !(skips_statics && entity.is_static())
        });
        Some(EntityDetail {
            ordinal,
            id,
            type_name,
            class: class.unwrap_or_else(|| Arc::from("")),
            dead: entity.is_dead(),
            is_static: entity.is_static(),
            row,
            components,
            systems,
        })
    }

    fn component(
        &mut self,
        world: &World,
        id: EntityId,
        row: u32,
        type_name: &Arc<str>,
        component: ComponentId,
    ) -> Option<ComponentState> {
        let Some(block) = world.peek_bytes(id, component) else {
            // A run writes the pool: show the last copy, and who holds it.
            let mut last = self.last.get(&(id, component))?.clone();
            last.held_by = world.holder_of(component);
            return Some(last);
        };
        let definition = world.registry().get(component);
        let ordinal_of = |id| world.ordinal(id);
        let values =
            definition.fields().iter().map(|field| field_value(field, block, world.heap(), ordinal_of));
        let state = ComponentState {
            component,
            values: values.collect(),
            template: templates::values_of(&self.catalog, type_name, component),
            raw: RawBlock { bytes: block.to_vec(), row, page: row / 64, state: BlockState::Live },
            tick: world.clocks().tick,
            held_by: None,
        };
        self.last.insert((id, component), state.clone());
        Some(state)
    }
}

fn fill_systems(world: &mut World, out: &mut Vec<SystemView>) {
    let plan = world.plan();
    let batch = |id: SystemId| plan.place(id).map(|place| plan.batches().levels()[place] + 1);
    for system in world.systems() {
        let access = &system.access;
        let (waiting, after) = world.queued_runs(system.id);
        let is_of_workers = matches!(system.kind, SystemKind::Worker | SystemKind::EntityWorker);
        let state = match system.open_run.and_then(|run| world.progress_of(run)) {
            Some(RunProgress::Open { worker: None }) if is_of_workers => SystemState::Queued { after: None },
            Some(RunProgress::Open { worker }) => SystemState::Running { worker },
            Some(RunProgress::Done) => SystemState::Publishing,
            Some(RunProgress::Hung) => SystemState::Hung,
            None if waiting == 0 => SystemState::Idle,
            None => SystemState::Queued { after },
        };
        out.push(SystemView {
            id: system.id,
            name: system.name.to_string(),
            kind: system.kind.name(),
            enabled: system.enabled,
            period: system.period,
            reads: access.named_reads().iter().collect(),
            writes: access.writes().iter().collect(),
            creates: match access.created() {
                Creates::None => Some(Vec::new()),
                Creates::These(components) => Some(components.iter().collect()),
                Creates::Anything => None,
            },
            kills: access.may_kill(),
            exclusive: access.alone().is_some(),
            batch: batch(system.id),
            params: system.params.iter().map(|(field, value)| (field.clone(), value.clone())).collect(),
            members: system.members,
            mean_chunk: system.mean_chunk,
            runs: system.runs,
            mean: world.timing().mean(system.id),
            state,
            waiting,
            last_error: system.last_error,
        });
    }
}

fn fill_timing(world: &World, out: &mut TimingView) {
    let timing = world.timing();
    out.window = timing.window();
    out.rows = timing.rows();
    timing.copy_ticks(&mut out.ticks);
    timing.copy_slowest(&mut out.slowest);
}

fn memory(world: &World) -> MemoryView {
    let pools = world.registry().iter().map(|(component, _)| {
        let pool = world.storage.pool(component);
        let quarantined = pool.quarantined().count();
        PoolView {
            component,
            live: world.storage.live(component),
            deferred: world.storage.deferred(component) - quarantined,
            quarantined,
            capacity: pool.capacity(),
            bytes: pool.bytes(),
            pages: pool.pages(),
            held_by: world.holder_of(component),
        }
    });
    MemoryView {
        pools: pools.collect(),
        table_bytes: world.storage.table_bytes() + world.order.bytes(),
        strings: world.strings().len(),
        string_bytes: world.strings().bytes(),
        lists: world.lists().count(),
        list_bytes: world.lists().bytes(),
    }
}

/// Deferred blocks listed one by one; the rest is counted.
const LISTED: usize = 1000;

fn deferred(world: &World) -> DeferredView {
    let mut view = DeferredView::default();
    for (component, _) in world.registry().iter() {
        let pool = world.storage.pool(component);
        let blocks = world.storage.deferred(component);
        view.blocks += blocks;
        view.bytes += blocks * pool.block_size();
    }
    view.list.extend(world.deferred().take(LISTED));
    view.runs = world.open_runs();
    let owners: BTreeSet<EntityId> = view.list.iter().map(|block| block.owner).collect();
    view.owners.extend(owners.into_iter().filter_map(|id| {
        let ordinal = world.ordinal(id)?;
        Some(EntityName { ordinal, id, type_name: world.type_name(id) })
    }));
    view
}

impl World {
    /// Systems one of whose queries has these terms: required components, forbidden ones, whether static entities
    /// are left out.
    fn matching_systems(
        &self,
        matches: impl Fn(&[ComponentId], &[ComponentId], bool) -> bool,
    ) -> Vec<SystemId> {
        let systems = self.systems_and_queries();
        let matching = systems.filter(|(_, queries)| {
            queries.iter().any(|query| matches(&query.required, &query.without, query.skips_statics))
        });
        matching.map(|(id, _)| id).collect()
    }

    /// The run that holds a component's pool, if one does.
    fn holder_of(&self, component: ComponentId) -> Option<OpenRun> {
        self.storage.pool(component).holders().first().and_then(|&run| self.open_run(run))
    }

    fn open_run(&self, run: RunId) -> Option<OpenRun> {
        self.open_runs().into_iter().find(|open| open.run == run)
    }

    /// Every open run.
    pub(crate) fn open_runs(&self) -> Vec<OpenRun> {
        let now = self.now();
        let run = |(run, system, since): (RunId, SystemId, u64)| OpenRun {
            run,
            system,
            name: self.system_name(system),
            open_for: Duration::from_nanos(now.saturating_sub(since)),
        };
        self.runs_since().map(run).collect()
    }
}
