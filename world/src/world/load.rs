//! Loading: everything is read, checked and built beside the old content, then put in its place.

use super::layout::Layout;
use super::scheduler::Seat;
use super::{SceneInfo, World};
use crate::catalog::Catalog;
use crate::component::{
    ComponentDef, Field, FieldValue, Heap, ListId, ListItem, Registry, Role, is_entity_item,
};
use crate::config::{Config, Value};
use crate::entity::{Factory, OWN_KEYS, Prepared, TemplateError};
use crate::id::{ComponentId, EntityId};
use crate::random::SharedStream;
use crate::save::Definitions;
use crate::scene::{DataField, Document, Fault, Faults, SceneHeader, SceneSystem, suggestion};
use crate::system::RunShared;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// How to load.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadOptions {
    /// A seed instead of the scene's.
    pub seed: Option<u64>,
    /// Whether keys no component loads are faults rather than notes.
    pub deny_unknown: bool,
}

/// What was loaded, and what a reader may want to know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadReport {
    /// Entities.
    pub entities: usize,
    /// Unknown keys, a fresh seed, and the like.
    pub notes: Vec<String>,
}

/// Everything that is wrong with a scene, each fault with its place. The world is as it was.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadError(pub Faults);

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for LoadError {}

impl From<Faults> for LoadError {
    fn from(faults: Faults) -> Self {
        Self(faults)
    }
}

impl World {
    /// Loads a scene or a save in the place of what is loaded. `source` is what faults call the text.
    ///
    /// # Errors
    /// Everything that is wrong with it; the world is then as it was.
    pub fn load(&mut self, source: &str, text: &str, options: &LoadOptions) -> Result<LoadReport, LoadError> {
        if self.destroyed {
            let message = "the world was destroyed; make a new one".to_owned();
            let (position, part, entity, key) = Default::default();
            let fault = Fault { source: source.to_owned(), position, part, entity, key, message };
            return Err(Faults::from(fault).into());
        }
        let document = Document::parse(source, text)?;
        let loading = Loading::new(&self.catalog, &document, options)?;
        let (fresh, report) = loading.build(self)?;
        self.replace_content(fresh);
        Ok(report)
    }
}

/// A document on its way to a world.
struct Loading<'a> {
    catalog: &'a Catalog,
    document: &'a Document<'a>,
    options: &'a LoadOptions,
    registry: Registry,
    factory: Factory,
    definitions: Definitions,
    faults: Faults,
    notes: Vec<String>,
    unknown: BTreeSet<String>,
}

/// A reference between entities, found while loading: whose, where in the block, and to which entity of the list.
struct Reference {
    from: EntityId,
    component: ComponentId,
    offset: usize,
    /// Which item of the list that the block holds there, if it is in a list.
    item: Option<usize>,
    to: usize,
}

impl<'a> Loading<'a> {
    fn new(
        catalog: &'a Catalog,
        document: &'a Document<'a>,
        options: &'a LoadOptions,
    ) -> Result<Self, LoadError> {
        let mut loading = Self {
            catalog,
            document,
            options,
            registry: catalog.registry().clone(),
            factory: Factory::default(),
            definitions: Definitions::default(),
            faults: Faults::new(),
            notes: document.notes().iter().map(ToString::to_string).collect(),
            unknown: BTreeSet::new(),
        };
        loading.add_components();
        loading.add_classes();
        loading.add_templates();
        match document.read_definitions() {
            Ok(definitions) => loading.definitions = definitions,
            Err(faults) => loading.faults.append(faults),
        }
        // What follows would only repeat these faults, once for every entity.
        let faults = std::mem::take(&mut loading.faults);
        Ok(faults.into_result(loading)?)
    }

    fn header(&self) -> &'a SceneHeader {
        self.document.header()
    }

    fn add_components(&mut self) {
        for component in &self.header().components {
            let fields = component.fields.iter().map(field).collect();
            let definition =
                ComponentDef::described(&component.name, fields).load_keys(component.load_keys.clone());
            if let Err(error) = self.registry.register(definition) {
                self.faults.push(self.document.fault_at_component(&component.name, None, error.to_string()));
            }
        }
    }

    /// The scene's classes, and those of the catalog that a template names.
    fn add_classes(&mut self) {
        let named: BTreeSet<&str> = self
            .header()
            .templates
            .iter()
            .filter_map(|template| template.config.get("class").and_then(Value::as_str))
            .collect();
        for (name, components) in self.catalog.classes().filter(|(name, _)| named.contains(name)) {
            if let Err(error) = self.factory.add_class(&self.registry, name, components) {
                self.faults.push(self.document.fault_at_top(Some("templates"), error.to_string()));
            }
        }
        for class in &self.header().classes {
            if let Err(error) = self.factory.add_class(&self.registry, &class.name, &class.components) {
                let component = match &error {
                    TemplateError::UnknownComponent { component, .. } => Some(component.as_str()),
                    _ => None,
                };
                self.faults.push(self.document.fault_at_class(&class.name, component, error.to_string()));
            }
        }
    }

    fn add_templates(&mut self) {
        for template in &self.header().templates {
            let added = self.factory.add_template(&self.registry, &template.name, template.config.clone());
            if let Err(error) = added {
                let key = match &error {
                    TemplateError::UnknownClass { .. } => Some("class".to_owned()),
                    TemplateError::OutsideClass { key, .. } => Some(key.clone()),
                    _ => None,
                };
                self.faults.push(self.document.fault_at_template(
                    &template.name,
                    key.as_deref(),
                    error.to_string(),
                ));
            }
        }
        let templates: Vec<_> = self.factory.templates().cloned().collect();
        for template in templates {
            // A value of the template's own that is wrong would be wrong in every entity of it.
            let (strings, lists) = Default::default();
            let heap = Heap { strings: &strings, lists: &lists };
            let (mut made, config) =
                (Prepared::default(), Config::from_iter([("type", template.name.clone())]));
            if let Err(error) = self.factory.prepare(&self.registry, heap, &config, &mut made)
                && let Some(key) = error.key().filter(|key| template.config.has(key))
            {
                let fault = self.document.fault_at_template(&template.name, Some(key), error.to_string());
                self.faults.push(fault);
            }
            for key in unknown_keys(&self.registry, &template.config) {
                let message = self.unknown_message(&key);
                let fault = self.document.fault_at_template(&template.name, Some(&key), message);
                self.note_unknown(key, || fault);
            }
        }
    }

    fn unknown_message(&self, key: &str) -> String {
        let mut known: Vec<&str> = self.registry.load_keys().collect();
        known.sort_unstable();
        known.extend(OWN_KEYS);
        format!("no component loads the key {key:?}{}", suggestion(key, known.iter().copied()))
    }

    fn note_unknown(&mut self, key: String, fault: impl FnOnce() -> Fault) {
        if self.options.deny_unknown {
            self.faults.push(fault());
        } else if self.unknown.insert(key) {
            self.notes.push(fault().to_string());
        }
    }

    /// Makes the world that takes the place of another.
    fn build(mut self, before: &World) -> Result<(World, LoadReport), LoadError> {
        let mut world = before.successor(self.registry.clone());
        let seed = self.options.seed.or(self.header().random.as_ref().map(|random| random.seed));
        let seed = seed.unwrap_or_else(|| {
            let seed = crate::random::fresh_seed();
            self.notes.push(format!("the scene gives no seed; this run uses {seed}"));
            seed
        });
        world.shared = Arc::new(RunShared {
            registry: self.registry.clone(),
            factory: std::mem::take(&mut self.factory),
            strings: Arc::default(),
            lists: Default::default(),
            seed,
        });
        let position = self.header().random.as_ref().filter(|random| random.seed == seed);
        let position = position.map_or(0, |random| random.position);
        world.random = SharedStream::from_state(crate::random::StreamState { seed, position });
        let late = self.add_entities(&mut world);
        match Seat::new(&self.header().scheduler, self.catalog) {
            Ok(seat) => world.seat = seat,
            Err(unknown) => {
                self.faults.push(self.document.fault_at_top(Some("scheduler"), unknown.to_string()));
            }
        }
        self.add_systems(&mut world);
        self.set_up(&mut world);
        if self.faults.is_empty() {
            attach_late(&mut world, &late);
        }
        let report = LoadReport { entities: world.len(), notes: self.notes };
        Ok(self.faults.into_result((world, report))?)
    }

    /// Adds the entities, and gives those with hooks that run once the whole batch exists.
    fn add_entities(&mut self, world: &mut World) -> Vec<(EntityId, Config<'static>)> {
        let shared = world.shared.clone();
        let (document, definitions) = (self.document, std::mem::take(&mut self.definitions));
        let has_references = self.registry.iter().any(|(_, definition)| has_reference(definition));
        let mut prepared = Prepared::default();
        let mut references = Vec::new();
        let layout = Layout::read(document, &self.registry).unwrap_or_else(|message| {
            self.faults.push(document.fault_at_top(Some("layout"), message));
            None
        });
        if let Some(layout) = &layout {
            layout.prepare(world);
        }
        let mut late: Vec<(EntityId, Config<'static>)> = Vec::new();
        for index in 0..document.entity_count() {
            let config = match document.entity_config(index, &definitions) {
                Ok(config) => config,
                Err(faults) => {
                    self.faults.append(faults);
                    continue;
                }
            };
            if let Err(error) =
                shared.factory.prepare(&shared.registry, shared.heap(), &config, &mut prepared)
            {
                self.faults.push_with(|| document.fault_at_entity(index, error.key(), error.to_string()));
                continue;
            }
            self.check_keys(&shared.registry, index, &config);
            let id = match &layout {
                Some(layout) => layout.place(world, index, &prepared),
                None => Ok(world.place(&prepared)),
            };
            let id = match id {
                Ok(id) => id,
                Err(message) => {
                    self.faults.push_with(|| document.fault_at_entity(index, None, message));
                    continue;
                }
            };
            if has_references {
                let at = Some(index);
                self.find_references(&shared.registry, at, id, &config, &prepared, &mut references);
            }
            if shared.registry.any_on_attach() {
                late.push((id, config.into_owned()));
            }
        }
        self.add_resources(world, &mut references, &mut late);
        self.resolve(world, references);
        late
    }

    /// Adds the world's own entity, if the scene gives it components.
    fn add_resources(
        &mut self,
        world: &mut World,
        references: &mut Vec<Reference>,
        late: &mut Vec<(EntityId, Config<'static>)>,
    ) {
        let header = self.header();
        if header.world.is_empty() {
            return;
        }
        let shared = world.shared.clone();
        let mut prepared = Prepared::default();
        // Classes and templates are for entities of the list.
        let made = Factory::default().prepare(&shared.registry, shared.heap(), &header.world, &mut prepared);
        if let Err(error) = made {
            self.faults.push(self.document.fault_at_world(error.key(), error.to_string()));
            return;
        }
        for key in unknown_keys(&shared.registry, &header.world) {
            let fault = self.document.fault_at_world(Some(&key), self.unknown_message(&key));
            self.note_unknown(key, || fault);
        }
        let id = world.place_resources(&prepared);
        self.find_references(&shared.registry, None, id, &header.world, &prepared, references);
        late.push((id, header.world.clone()));
    }

    /// A fault about an entity of the list, or the world's own.
    fn push_fault_at(&mut self, entity: Option<usize>, key: &str, message: String) {
        let document = self.document;
        self.faults.push_with(|| match entity {
            Some(index) => document.fault_at_entity(index, Some(key), message),
            None => document.fault_at_world(Some(key), message),
        });
    }

    fn check_keys(&mut self, registry: &Registry, index: usize, config: &Config<'_>) {
        for (key, _) in config.iter() {
            let known = !registry.loaded_by(key).is_empty() || OWN_KEYS.contains(&key);
            if !known && (self.options.deny_unknown || !self.unknown.contains(key)) {
                let message = self.unknown_message(key);
                let fault = self.document.fault_at_entity(index, Some(key), message);
                self.note_unknown(key.to_owned(), || fault);
            }
        }
    }

    fn find_references(
        &mut self,
        registry: &Registry,
        entity: Option<usize>,
        from: EntityId,
        config: &Config<'_>,
        prepared: &Prepared,
        out: &mut Vec<Reference>,
    ) {
        for &component in &prepared.components {
            for field in registry.get(component).fields() {
                let Some((key, value)) =
                    field.key.as_deref().and_then(|key| config.get(key).map(|value| (key, value)))
                else {
                    continue;
                };
                let mut add = |item, value: &Value<'_>| match self.place_of(value) {
                    Ok(None) => {}
                    Ok(Some(to)) => {
                        out.push(Reference { from, component, offset: field.offset, item, to });
                    }
                    Err(message) => {
                        self.push_fault_at(entity, key, message);
                    }
                };
                match (field.role, value) {
                    (Role::Entity, value) => add(None, value),
                    (Role::List, Value::List(items)) => {
                        let entities = items.iter().map(is_entity_item).enumerate();
                        entities.for_each(|(place, value)| {
                            value.into_iter().for_each(|value| add(Some(place), value))
                        });
                    }
                    _ => {}
                }
            }
        }
    }

    /// The entity of the document's list that a value refers to; none for null.
    fn place_of(&self, value: &Value<'_>) -> Result<Option<usize>, String> {
        let count = self.document.entity_count();
        match value {
            Value::Null => Ok(None),
            Value::Uint(to) if *to < count as u64 => Ok(Some(*to as usize)),
            Value::Uint(to) => Err(format!("there is no entity {to} in the list, which has {count}")),
            other => Err(format!("the place of an entity in the list is expected, not {}", other.kind())),
        }
    }

    fn resolve(&self, world: &mut World, references: Vec<Reference>) {
        if references.is_empty() || !self.faults.is_empty() {
            return;
        }
        let ids: Vec<EntityId> = world.entities().collect();
        for Reference { from, component, offset, item, to } in references {
            let Some(row) = world.row(from) else { continue };
            let Some(block) = world.storage.pool_mut(component).bytes_of_mut(row) else { continue };
            let Some(item) = item else {
                block[offset..offset + 8].copy_from_slice(&ids[to].bits().to_ne_bytes());
                continue;
            };
            let list = ListId::from_bits(bytemuck::pod_read_unaligned(&block[offset..offset + 4]));
            // A component that reads its config in its own way may have put something else there.
            if let Ok(ListItem::Entity(None)) = world.shared.lists.get(list, item) {
                let set = world.shared.lists.set(list, item, ids[to]);
                debug_assert_eq!(set, Ok(()), "the item was just read");
            }
        }
    }

    fn add_systems(&mut self, world: &mut World) {
        for (index, scene_system) in self.header().systems.iter().enumerate() {
            if let Err((key, message)) = self.add_system(world, index, scene_system) {
                self.faults.push(self.document.fault_at_system(index, key, message));
            }
        }
        let broken = world.set_system_order(self.header().order);
        self.notes.extend(broken.iter().map(|cycle| cycle.sentence(|id| world.system_name(id))));
    }

    fn add_system(
        &mut self,
        world: &mut World,
        index: usize,
        system: &SceneSystem,
    ) -> Result<(), (Option<&'static str>, String)> {
        let Some(mut definition) = self.catalog.make_system(&system.system) else {
            let names: Vec<&str> = self.catalog.system_names().collect();
            let near = suggestion(&system.system, names.iter().copied());
            return Err((Some("system"), format!("there is no system {:?}{near}", system.system)));
        };
        for (name, value) in system.params.iter() {
            let value = match value {
                Value::Bool(b) => FieldValue::Bool(*b),
                Value::Uint(n) => FieldValue::Uint(*n),
                Value::Int(n) => FieldValue::Int(*n),
                Value::Float(n) => FieldValue::Float(*n),
                other => {
                    let message = format!("a number or a truth value is expected, not {}", other.kind());
                    self.faults.push(self.document.fault_at_param(index, name, message));
                    continue;
                }
            };
            if let Err(message) = definition.params.set(name, value) {
                self.faults.push(self.document.fault_at_param(index, name, message));
            }
        }
        if let Some(period) = system.every {
            definition = definition.every(period);
        }
        if let Some(name) = &system.name {
            definition = definition.named(name);
        }
        let id = world
            .add_system_from(definition, system.system.clone())
            .map_err(|error| (Some("system"), error.to_string()))?;
        if let Some(entry) = world.systems.get_mut(id) {
            let state = crate::schedule::PeriodState { runs: system.runs, accumulated: system.accumulated };
            entry.accumulator.restore(state);
            entry.accumulator.set_enabled(!system.disabled);
        }
        Ok(())
    }

    fn set_up(&self, world: &mut World) {
        let header = self.header();
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
}

/// Runs the attach hooks of a whole batch; those of `load_last` components after all others.
fn attach_late(world: &mut World, late: &[(EntityId, Config<'static>)]) {
    let shared = world.shared.clone();
    for last in [false, true] {
        for (id, config) in late {
            let mut components = world.components_of(*id).unwrap_or_default();
            components.retain(|&component| shared.registry.get(component).load_last == last);
            world.attach_all(*id, &components, Some(config), world.runs.next());
        }
    }
}

fn has_reference(definition: &ComponentDef) -> bool {
    definition.fields().iter().any(|field| matches!(field.role, Role::Entity | Role::List))
}

fn unknown_keys(registry: &Registry, config: &Config<'_>) -> Vec<String> {
    let unknown = |key: &&str| registry.loaded_by(key).is_empty() && !OWN_KEYS.contains(key);
    config.iter().map(|(key, _)| key).filter(unknown).map(str::to_owned).collect()
}

/// A field of a component that a scene describes.
fn field(data: &DataField) -> Field {
    let mut field = Field::new(data.name.clone(), data.scalar, 0).role(data.role).key(data.key.clone());
    if let Some(default) = &data.default {
        field.default = default.clone();
    }
    field.unit.clone_from(&data.unit);
    field.range = data.range;
    field
}
