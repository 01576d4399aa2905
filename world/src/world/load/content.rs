//! From a document to the content of a world, step by step.

use super::references::{Reference, resolve};
use super::{LoadError, LoadOptions, LoadPhase, LoadProgress, LoadReport};
use crate::component::Registry;
use crate::entity::{Factory, Moulds, Prepared};
use crate::id::{EntityId, SystemId};
use crate::random::{MAX_SEED, SharedStream, StreamState};
use crate::save::Definitions;
use crate::scene::{Document, Faults, ScenePass};
use crate::system::RunShared;
use crate::world::layout::Layout;
use crate::world::scheduler::Seat;
use crate::world::unseen::Unseen;
use crate::world::{SceneInfo, World};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a document becomes: a world of its own, which takes the place of another once it is whole.
pub(super) struct Content<'a> {
    pub(super) document: Arc<Document<'a>>,
    pub(super) options: LoadOptions,
    pub(super) definitions: Arc<Definitions>,
    pub(super) layout: Option<Layout>,
    pub(super) faults: Faults,
    pub(super) notes: Vec<String>,
    pub(super) unknown: BTreeSet<String>,
    pub(super) registry: Registry,
    pub(super) factory: Factory,
    pub(super) references: Vec<Reference>,
    /// How many references lead outside of the list.
    pub(super) outside: usize,
    /// Entities with hooks that run once the whole batch exists, by their place in the list; none is the world's own.
    pub(super) late: Vec<(EntityId, Option<usize>)>,
    /// What queries for changes have not seen.
    pub(super) unseen: Vec<Unseen>,
    /// Systems that have seen what they observe.
    pub(super) unobserved: Vec<SystemId>,
    /// Passes that systems are in the middle of.
    pub(super) passes: Vec<(SystemId, ScenePass)>,
    /// Those of the list, once all are there.
    ids: Vec<EntityId>,
    /// What is built; none once it was given away.
    world: Option<World>,
    /// What the ids of the world before began with when this one's were chosen.
    basis: Basis,
    stage: Stage,
    /// What entities are made with; kept from step to step.
    pub(super) tools: (Moulds, Prepared),
}

/// From where ids go on.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Basis {
    generation: u32,
    system: u32,
}

impl Basis {
    fn of(world: &World) -> Self {
        Self { generation: world.storage.slots.successor_generation(), system: world.systems.next_number() }
    }
}

/// What is done next.
#[derive(Clone, Copy)]
enum Stage {
    Entities {
        next: usize,
    },
    Resources,
    Linking {
        next: usize,
    },
    Systems {
        next: usize,
    },
    /// Hooks of `load_last` components run after all others.
    Hooks {
        last: bool,
        next: usize,
    },
    Whole,
}

/// So many entities, references or hooks are done between two looks at the clock.
const AT_ONCE: usize = 256;

impl<'a> Content<'a> {
    /// Begins with everything but the entities and systems. What is made will take the place of `before`.
    pub(super) fn new(
        document: Arc<Document<'a>>,
        options: &LoadOptions,
        before: &World,
    ) -> Result<Self, LoadError> {
        let catalog = &before.catalog;
        let mut content = Self {
            notes: notes_of(&document),
            document,
            options: options.clone(),
            definitions: Arc::default(),
            layout: None,
            faults: Faults::new(),
            unknown: BTreeSet::new(),
            registry: catalog.registry().clone(),
            factory: Factory::default(),
            references: Vec::new(),
            outside: 0,
            late: Vec::new(),
            unseen: Vec::new(),
            unobserved: Vec::new(),
            passes: Vec::new(),
            ids: Vec::new(),
            world: None,
            basis: Basis::of(before),
            stage: Stage::Entities { next: 0 },
            tools: Default::default(),
        };
        content.add_components();
        content.add_classes(catalog);
        content.add_templates();
        match content.document.read_definitions() {
            Ok(definitions) => content.definitions = Arc::new(definitions),
            Err(faults) => content.faults.append(faults),
        }
        // What follows would only repeat these faults, once for every entity.
        std::mem::take(&mut content.faults).into_result(())?;
        content.begin_world(before);
        Ok(content)
    }

    /// Makes the world that takes the place of another, still without entities.
    fn begin_world(&mut self, before: &World) {
        let registry = self.registry.clone();
        let mut world = before.successor(registry.clone());
        let random = self.document.header().random;
        let seed = self.options.seed.or(random.as_ref().map(|random| random.seed));
        let seed = seed.unwrap_or_else(|| {
            let seed = crate::random::fresh_seed();
            self.notes.push(format!("the scene gives no seed; this run uses {seed}"));
            seed
        });
        if seed > MAX_SEED {
            let message = format!("the seed {seed} is too great: a seed is an integer from 0 to {MAX_SEED}");
            self.faults.push_with(|| self.document.fault_at_top(Some("random"), message));
        }
        let position = random.filter(|random| random.seed == seed).map_or(0, |random| random.position);
        self.layout = Layout::read(&self.document, &registry).unwrap_or_else(|faults| {
            self.faults.append(faults);
            None
        });
        world.shared = Arc::new(RunShared {
            registry,
            factory: std::mem::take(&mut self.factory),
            strings: Arc::default(),
            lists: Default::default(),
            seed,
        });
        world.random = SharedStream::from_state(StreamState { seed, position });
        match Seat::new(&self.document.header().scheduler, &before.catalog) {
            Ok(seat) => world.seat = seat,
            Err(unknown) => {
                self.faults.push_with(|| self.document.fault_at_top(Some("scheduler"), unknown.to_string()));
            }
        }
        if let Some(layout) = &self.layout {
            layout.prepare(&mut world);
        }
        self.world = Some(world);
    }

    /// Does a little; whether it is whole.
    ///
    /// # Errors
    /// All that is wrong, once all was looked at.
    pub(super) fn step(&mut self) -> Result<bool, LoadError> {
        let Some(mut world) = self.world.take() else { return Ok(true) };
        self.stage = self.next_stage(&mut world);
        self.world = Some(world);
        if let Stage::Hooks { last: false, next: 0 } = self.stage {
            std::mem::take(&mut self.faults).into_result(())?;
        }
        Ok(matches!(self.stage, Stage::Whole))
    }

    fn next_stage(&mut self, world: &mut World) -> Stage {
        match self.stage {
            Stage::Entities { next } => {
                let end = self.document.entity_count().min(next + AT_ONCE);
                self.add_entities(world, next..end);
                match end == self.document.entity_count() {
                    true => Stage::Resources,
                    false => Stage::Entities { next: end },
                }
            }
            Stage::Resources => {
                self.add_resources(world);
                if !self.references.is_empty() {
                    self.ids = world.entities().collect();
                }
                // With a fault the places of the list are not those of the world.
                let is_sound = self.faults.is_empty();
                if is_sound { Stage::Linking { next: 0 } } else { Stage::Systems { next: 0 } }
            }
            Stage::Linking { next } => {
                let end = self.references.len().min(next + AT_ONCE);
                resolve(world, &self.references[next..end], &self.ids);
                match end == self.references.len() {
                    true => Stage::Systems { next: 0 },
                    false => Stage::Linking { next: end },
                }
            }
            Stage::Systems { next } if next < self.document.header().systems.len() => {
                self.add_system_at(world, next);
                Stage::Systems { next: next + 1 }
            }
            Stage::Systems { .. } => {
                let broken = world.set_system_order(self.document.header().order);
                self.notes.extend(broken.iter().map(|cycle| cycle.sentence(|id| world.system_name(id))));
                self.set_up(world);
                Stage::Hooks { last: false, next: 0 }
            }
            Stage::Hooks { last, next } => {
                let end = self.late.len().min(next + AT_ONCE);
                (next..end).for_each(|place| self.attach(world, place, last));
                match (end == self.late.len(), last) {
                    (false, last) => Stage::Hooks { last, next: end },
                    (true, false) => Stage::Hooks { last: true, next: 0 },
                    (true, true) => {
                        world.set_unseen(&self.unseen);
                        self.unobserved.iter().for_each(|&system| world.set_unobserved(system));
                        self.passes.iter().for_each(|(system, pass)| world.restore_pass(*system, pass));
                        Stage::Whole
                    }
                }
            }
            Stage::Whole => Stage::Whole,
        }
    }

    /// Runs attach hooks of the entity at a place of `late`.
    fn attach(&self, world: &mut World, place: usize, last: bool) {
        let (id, index) = self.late[place];
        let shared = world.shared.clone();
        let mut components = world.components_of(id).unwrap_or_default();
        components.retain(|&component| shared.registry.get(component).load_last == last);
        let config = match index {
            // It was read without a fault before.
            Some(index) => self.document.entity_config(index, &self.definitions).unwrap_or_default(),
            None => self.document.header().world.borrowed(),
        };
        world.attach_all(id, &components, Some(&config), world.runs.next());
    }

    fn set_up(&mut self, world: &mut World) {
        let header = self.document.header();
        world.info =
            SceneInfo { name: header.name.clone(), about: header.about.clone(), bounds: header.bounds };
        world.header = header.clone();
        world.clocks.step = header.step;
        world.clocks.game_time = header.game_time;
        world.clocks.player_time = header.player_time;
        world.clocks.accumulated = header.accumulated;
        world.clocks.time_scale = header.time_scale;
        world.clocks.tick = header.tick;
    }

    pub(super) fn progress(&self) -> LoadProgress {
        let (phase, done, total) = match self.stage {
            Stage::Entities { next } => (LoadPhase::Entities, next, self.document.entity_count()),
            Stage::Resources => (LoadPhase::Linking, 0, 1),
            Stage::Linking { next } => (LoadPhase::Linking, next, self.references.len()),
            Stage::Systems { next } => (LoadPhase::Systems, next, self.document.header().systems.len()),
            Stage::Hooks { last, next } => {
                let done = if last { self.late.len() + next } else { next };
                (LoadPhase::Workers, done, 2 * self.late.len() + 1)
            }
            Stage::Whole => (LoadPhase::Workers, 2 * self.late.len(), 2 * self.late.len() + 1),
        };
        LoadProgress::new(phase, done, total)
    }

    /// Whether no id of what was built means anything in this world.
    pub(super) fn is_successor_of(&self, world: &World) -> bool {
        self.basis == Basis::of(world)
    }

    /// The document, to build from it again.
    pub(super) fn document(&self) -> Arc<Document<'a>> {
        self.document.clone()
    }

    /// What was built, and the report.
    pub(super) fn take(&mut self) -> Option<(World, LoadReport)> {
        let world = self.world.take()?;
        if self.outside > Faults::KEPT {
            let more = self.outside - Faults::KEPT;
            self.notes.push(format!("{more} more references lead outside of the list and are none"));
        }
        if self.unknown.len() > Faults::KEPT {
            let more = self.unknown.len() - Faults::KEPT;
            self.notes.push(format!("{more} more keys are loaded by no component"));
        }
        let report = LoadReport { entities: world.len(), notes: std::mem::take(&mut self.notes) };
        Some((world, report))
    }

    /// Takes away what was built. Blocks that may have met a hook are freed with theirs.
    fn tear_down(&mut self) {
        let met_hooks = match self.stage {
            Stage::Hooks { last, next } => last || next > 0,
            Stage::Whole => !self.late.is_empty(),
            _ => false,
        };
        if let Some(mut world) = self.world.take().filter(|_| met_hooks) {
            world.clear();
        }
    }
}

/// What is worth knowing about the form of a document.
fn notes_of(document: &Document<'_>) -> Vec<String> {
    let mut notes: Vec<String> = document.notes().iter().map(ToString::to_string).collect();
    let more = document.notes().len() - notes.len();
    if more > 0 {
        notes.push(format!("{more} more keys of the scene are unknown"));
    }
    notes
}

impl Drop for Content<'_> {
    fn drop(&mut self) {
        self.tear_down();
    }
}
