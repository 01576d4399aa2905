//! From a world and a request to a snapshot. Reading is no run and enters no schedule.

use super::cells::cells;
use super::entities::EntityList;
use super::heap::HeapList;
use super::journal::JournalList;
use super::shapes;
use super::{
    BlockState, CatalogView, ClassView, ComponentState, ComponentView, DeferredView, EntityDetail,
    EntityName, MemoryView, OpenRun, PoolView, RawBlock, ScheduleView, Snapshot, SystemState, SystemView,
    TemplateView, TimingView, ViewRequest,
};
use crate::component::{FieldValue, field_value};
use crate::config::Config;
use crate::entity::Prepared;
use crate::id::{ComponentId, EntityId, Ordinal, RunId, SystemId};
use crate::schedule::{Creates, Plan};
use crate::system::SystemKind;
use crate::world::{RunProgress, World};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

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
    /// What a type's template gives each component.
    templates: HashMap<Arc<str>, HashMap<ComponentId, Vec<FieldValue>>>,
}

impl Inspector {
    /// Forgets everything: another world was loaded.
    pub(crate) fn reset(&mut self, world: &World) {
        *self = Self { generation: self.generation + 1, ..Self::default() };
        self.catalog = Arc::new(catalog(world, &mut self.entities));
    }

    /// The world was changed by hand.
    pub(crate) fn note_edit(&mut self) {
        self.entities.note_edit();
        self.heap.note_edit();
    }

    /// Fills a snapshot with what was asked for. Its status is the host's to fill.
    pub(crate) fn fill(&mut self, world: &mut World, request: &ViewRequest, out: &mut Snapshot) {
        out.catalog = self.catalog.clone();
        out.entities = request.entities.as_ref().map(|asked| self.entities.page(world, asked, &self.catalog));
        // What changed is known from the moment somebody asks.
        world.record_changes(request.entities.is_some() && self.entities.asks_for_changes());
        self.fill_details(world, &request.details, out);
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
            template: self.template(world, type_name).get(&component).cloned(),
            raw: RawBlock { bytes: block.to_vec(), row, page: row / 64, state: BlockState::Live },
            tick: world.clocks().tick,
            held_by: None,
        };
        self.last.insert((id, component), state.clone());
        Some(state)
    }

    /// What an entity of a type would begin with.
    fn template(&mut self, world: &World, type_name: &Arc<str>) -> &HashMap<ComponentId, Vec<FieldValue>> {
        self.templates.entry(type_name.clone()).or_insert_with(|| {
            let mut prepared = Prepared::default();
            let config = Config::from_iter([("type", type_name.to_string())]);
            let known = world.factory().template(type_name).is_some();
            let made = world.factory().prepare(world.registry(), world.heap(), &config, &mut prepared);
            if !known || made.is_err() {
                return HashMap::new();
            }
            let values = |(component, block): (ComponentId, &[u8])| {
                let fields = world.registry().get(component).fields().iter();
                (component, fields.map(|field| field_value(field, block, world.heap(), |_| None)).collect())
            };
            let values = prepared.blocks(world.registry()).map(values).collect();
            prepared.release_lists(world.registry(), world.lists());
            values
        })
    }
}

fn catalog(world: &World, entities: &mut EntityList) -> CatalogView {
    let registry = world.registry();
    let counts = entities.count_types(world);
    let components = registry.iter().map(|(id, definition)| ComponentView {
        id,
        name: definition.name().to_owned(),
        size: definition.size(),
        fields: definition.fields().to_vec(),
        load_keys: definition.keys(),
    });
    let factory = world.factory();
    let classes = factory
        .classes()
        .map(|class| ClassView { name: class.name.clone(), components: class.components.clone() });
    let templates = factory.templates().map(|template| {
        let class = factory.class_of(&template.name);
        let permitted = |c: &&ComponentId| class.is_none_or(|class| class.components.contains(c));
        let loads = |key: &str| -> Vec<ComponentId> {
            registry.loaded_by(key).iter().filter(permitted).copied().collect()
        };
        let name = |c: &ComponentId| registry.get(*c).name().to_owned();
        let keys = template.config.iter().map(|(key, value)| {
            let value = serde_json::to_string(value).unwrap_or_else(|error| error.to_string());
            (key.to_owned(), value, loads(key).iter().map(name).collect())
        });
        let mut components: Vec<ComponentId> =
            template.config.iter().flat_map(|(key, _)| loads(key)).collect();
        components.sort_unstable();
        components.dedup();
        TemplateView {
            name: template.name.clone(),
            class: template.class.clone(),
            keys: keys.collect(),
            components,
            instances: counts.get(template.name.as_str()).copied().unwrap_or(0),
        }
    });
    CatalogView {
        components: components.collect(),
        classes: classes.collect(),
        templates: templates.collect(),
        bounds: world.info().bounds,
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
