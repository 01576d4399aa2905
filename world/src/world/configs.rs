//! Entities as configs: what a save holds of each.
//!
//! Entities of one type that are made of the same components become configs in the same way, which is found out for
//! the first of them: which field goes to which key, and which keys may be left out since the template says the same.

use super::World;
use crate::component::{Entity, Field, FieldsOut, ListId, Role, Texts};
use crate::config::{Config, Value};
use crate::entity::{Factory, Prepared};
use crate::id::{ComponentId, EntityId};
use std::cell::Cell;
use std::collections::{HashMap, HashSet, hash_map};
use std::ops::Range;

/// So many notes are kept, and the rest counted.
const KEPT: usize = 100;

/// Makes configs of the entities of a world nothing is open in.
pub(super) struct ConfigWriter<'w> {
    world: &'w World,
    texts: &'w Texts,
    /// The place in the saved list by the slot of the entity; none where references are ordinals.
    places: Option<Vec<u32>>,
    kinds: Vec<Kind<'w>>,
    /// The last one used.
    last: usize,
    /// References to entities that are not saved.
    notes: Vec<String>,
    more: usize,
}

/// What entities of one type, of the same flags and the same components, have in common.
struct Kind<'w> {
    entity: Entity,
    components: Vec<ComponentId>,
    /// Keys that do not depend on the blocks: the type, flags, what differs from what the config would load.
    before: Vec<(&'static str, Value<'w>)>,
    after: Vec<(&'static str, Value<'w>)>,
    /// What goes to each key; none if a component saves in its own way.
    outlets: Option<Vec<Outlet<'w>>>,
}

/// A key and the field whose value it gets.
struct Outlet<'w> {
    key: &'w str,
    component: ComponentId,
    field: &'w Field,
    /// If these are the bytes of the field, a load gives them without the key.
    usual: Option<Box<[u8]>>,
}

/// Stands for a slot without a place.
const NOWHERE: u32 = u32::MAX;

impl<'w> ConfigWriter<'w> {
    /// For a save: references are places in the list of all entities.
    pub(super) fn new(world: &'w World, texts: &'w Texts) -> Self {
        let mut places = Vec::new();
        for (place, id) in world.entities().enumerate() {
            let slot = id.slot() as usize;
            if slot >= places.len() {
                places.resize(slot + 1, NOWHERE);
            }
            places[slot] = place as u32;
        }
        Self { places: Some(places), ..Self::by_ordinals(world, texts) }
    }

    /// For the same world: references are ordinals.
    pub(super) fn by_ordinals(world: &'w World, texts: &'w Texts) -> Self {
        Self { world, texts, places: None, kinds: Vec::new(), last: 0, notes: Vec::new(), more: 0 }
    }

    /// What a reader of the save may want to know.
    pub(super) fn into_notes(mut self) -> Vec<String> {
        if self.more > 0 {
            self.notes.push(format!("{} more references to entities that are gone are none", self.more));
        }
        self.notes
    }

    /// The config of an entity; `name` is how notes call it.
    pub(super) fn config(&mut self, id: EntityId, name: impl Fn() -> String) -> Config<'w> {
        let world = self.world;
        let (Some(row), Some(entity)) = (world.row(id), world.entity_block(id)) else { return Config::new() };
        let components = world.storage.components_of(row);
        let at = self.kind(entity, components);
        let kind = &self.kinds[at];
        let mut config = Config::with_capacity(kind.components.len() * 2 + kind.before.len());
        kind.before.iter().for_each(|(key, value)| config.append(*key, value.clone()));
        let gone = Cell::new(false);
        let place_of = |id: EntityId| {
            let place = match &self.places {
                Some(places) => {
                    let place = places.get(id.slot() as usize).copied().filter(|&place| place != NOWHERE);
                    place.filter(|_| world.contains(id)).map(u64::from)
                }
                None => world.ordinal(id).map(|ordinal| ordinal.0),
            };
            gone.set(gone.get() || place.is_none());
            place
        };
        let out = FieldsOut { texts: self.texts, lists: world.lists(), place_of: &place_of };
        let mut to_gone: Vec<&str> = Vec::new();
        match &kind.outlets {
            Some(outlets) => {
                for outlet in outlets {
                    let pool = world.storage.pool(outlet.component);
                    let Some(block) = pool.bytes_of(row) else { continue };
                    if outlet.is_usual(block, world) {
                        continue;
                    }
                    config.append(outlet.key, out.value(outlet.field, block));
                    if gone.take() {
                        to_gone.push(outlet.key);
                    }
                }
            }
            None => {
                for &component in kind.components.iter().filter(|&&c| c != ComponentId::ENTITY) {
                    let Some(block) = world.storage.pool(component).bytes_of(row) else { continue };
                    let definition = world.registry().get(component);
                    definition.save(block, world.strings(), &out, &mut config);
                    if gone.take() {
                        to_gone.push(definition.name());
                    }
                }
            }
        }
        kind.after.iter().for_each(|(key, value)| config.set(*key, value.clone()));
        if kind.outlets.is_none() {
            add_differences(world, &kind.components, &mut config);
        }
        for key in to_gone {
            if self.notes.len() < KEPT {
                self.notes
                    .push(format!("{}: {key} refers to an entity that is gone; it is saved as none", name()));
            } else {
                self.more += 1;
            }
        }
        config
    }

    /// The index of the kind of an entity.
    fn kind(&mut self, entity: Entity, components: Vec<ComponentId>) -> usize {
        let fits = |kind: &Kind<'_>| kind.entity == entity && kind.components == components;
        if !self.kinds.get(self.last).is_some_and(fits) {
            self.last = self.kinds.iter().position(fits).unwrap_or_else(|| {
                self.kinds.push(Kind::new(self.world, self.texts, entity, components));
                self.kinds.len() - 1
            });
        }
        self.last
    }
}

impl<'w> Kind<'w> {
    fn new(world: &'w World, texts: &'w Texts, entity: Entity, components: Vec<ComponentId>) -> Self {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let type_name = texts.get(entity.type_name()).map_or("", |text| text);
        if !type_name.is_empty() {
            before.push(("type", Value::from(type_name)));
        }
        let template = world.factory().template(type_name);
        for (key, flag) in [("dead", entity.is_dead()), ("isStatic", entity.is_static())] {
            let given = template.and_then(|template| template.config.get(key)).and_then(Value::as_bool);
            if given.unwrap_or(false) != flag {
                after.push((key, Value::from(flag)));
            }
        }
        let definitions =
            || components[1..].iter().map(|&component| (component, world.registry().get(component)));
        let mut outlets = None;
        if definitions().all(|(_, definition)| definition.saves_by_fields()) {
            let mut list: Vec<Outlet<'w>> = Vec::new();
            let mut places: HashMap<&str, usize> = HashMap::new();
            for (component, definition) in definitions() {
                let keyed =
                    definition.fields().iter().filter_map(|field| Some((field.key.as_deref()?, field)));
                for (key, field) in keyed {
                    let outlet = Outlet { key, component, field, usual: None };
                    // The last component has the say, in the place of the first.
                    match places.entry(key) {
                        hash_map::Entry::Occupied(place) => list[*place.get()] = outlet,
                        hash_map::Entry::Vacant(place) => {
                            place.insert(list.len());
                            list.push(outlet);
                        }
                    }
                }
            }
            let mut whole: Config<'_> = before.iter().map(|(key, value)| (*key, value.clone())).collect();
            list.iter().for_each(|outlet| whole.append(outlet.key, Value::Null));
            let keys = whole.len();
            add_differences(world, &components, &mut whole);
            if whole.len() == keys {
                find_usual(world, type_name, &components, &mut list);
            } else {
                after.extend(
                    ["lacks", "has"]
                        .into_iter()
                        .filter_map(|key| Some((key, whole.remove(key)?.into_owned()))),
                );
            }
            outlets = Some(list);
        }
        Self { entity, components, before, after, outlets }
    }
}

impl Outlet<'_> {
    /// Whether a load gives the field its bytes without the key.
    fn is_usual(&self, block: &[u8], world: &World) -> bool {
        let Some(usual) = &self.usual else { return false };
        let bytes = &block[self.field.offset..self.field.offset + self.field.scalar.size()];
        match self.field.role {
            // An empty list is as good as none.
            Role::List => {
                let list = ListId::from_bits(bytemuck::pod_read_unaligned(bytes));
                list.is_none() || world.lists().items(list).is_ok_and(|items| items.is_empty())
            }
            _ => *bytes == **usual,
        }
    }
}

/// Finds what may be left out of the configs of a type: values that its template has, for the save has the template;
/// and references to nobody, empty texts and empty lists, if their components are loaded on another key as well.
fn find_usual(world: &World, type_name: &str, components: &[ComponentId], outlets: &mut [Outlet<'_>]) {
    let registry = world.registry();
    let names = components[1..].iter().map(|&component| Value::from(registry.get(component).name()));
    let mut config = Config::from_iter([("has", Value::List(names.collect()))]);
    if !type_name.is_empty() {
        config.set("type", type_name);
    }
    let mut prepared = Prepared::default();
    let made = world.factory().prepare(registry, world.heap(), &config, &mut prepared);
    if made.is_ok() && prepared.components == components {
        let template = world.factory().template(type_name).map(|template| &template.config);
        let in_template = |key: &str| template.is_some_and(|template| template.has(key));
        let stays = |outlet: &Outlet<'_>| in_template(outlet.key) || !may_be_nothing(outlet.field);
        // Components that are loaded even if every key that may be left out is.
        let safe: Vec<ComponentId> = components
            .iter()
            .copied()
            .filter(|&component| {
                let keys = outlets.iter().filter(|outlet| stays(outlet)).map(|outlet| outlet.key);
                let mut keys = keys.filter(|key| registry.loaded_by(key).contains(&component));
                keys.next().is_some()
            })
            .collect();
        let mut blocks: Vec<(ComponentId, Range<usize>)> = Vec::new();
        for (component, block) in prepared.blocks(registry) {
            let start = blocks.last().map_or(0, |(_, range)| range.end);
            blocks.push((component, start..start + block.len()));
        }
        // In how many components each key is that of a field.
        let mut shared: HashMap<&str, usize> = HashMap::new();
        for &component in &components[1..] {
            let keys = registry.get(component).fields().iter().filter_map(|field| field.key.as_deref());
            keys.collect::<HashSet<_>>().into_iter().for_each(|key| *shared.entry(key).or_default() += 1);
        }
        for outlet in outlets.iter_mut() {
            let loaded = registry.loaded_by(outlet.key);
            let may_go = in_template(outlet.key)
                || may_be_nothing(outlet.field)
                    && loaded.iter().all(|loaded| !components.contains(loaded) || safe.contains(loaded));
            // In registry order.
            let Ok(at) = blocks.binary_search_by_key(&outlet.component, |(component, _)| *component) else {
                continue;
            };
            let bytes = &prepared.blocks[blocks[at].1.clone()][outlet.field.offset..];
            let bytes = &bytes[..outlet.field.scalar.size()];
            let is_nothing = bytes.iter().all(|&byte| byte == 0);
            // A key of several components is one value for all of them only if they agree; that is not looked into.
            let lists_nothing = outlet.field.role != Role::List || is_nothing;
            let templated = in_template(outlet.key) || is_nothing;
            if may_go && templated && lists_nothing && shared.get(outlet.key) == Some(&1) {
                outlet.usual = Some(bytes.into());
            }
        }
    }
    prepared.release_lists(registry, world.lists());
}

/// Whether a field may stand for nothing: nobody, no text, no list.
fn may_be_nothing(field: &Field) -> bool {
    matches!(field.role, Role::Entity | Role::Text | Role::List)
}

/// Names the components that the config would load although the entity lost them, and those it would not load
/// although the entity got them.
fn add_differences(world: &World, components: &[ComponentId], config: &mut Config<'_>) {
    let mut loads = Vec::new();
    let mut differences = Vec::new();
    {
        let Ok((merged, class)) = world.factory().merge(config) else { return };
        if Factory::components_of(world.registry(), class, &merged, &mut loads).is_err() {
            return;
        }
        let names = |of: &[ComponentId], without: &[ComponentId]| -> Vec<Value<'static>> {
            let differing = of.iter().filter(|&&c| c != ComponentId::ENTITY && !without.contains(&c));
            differing.map(|&c| Value::from(world.registry().get(c).name().to_owned())).collect()
        };
        for (key, names) in [("lacks", names(&loads, components)), ("has", names(components, &loads))] {
            if !names.is_empty() {
                differences.push((key, Value::List(names)));
            }
        }
    }
    differences.into_iter().for_each(|(key, names)| config.set(key, names));
}
