//! The entity list: filtered, sorted, and of that the rows in view.

use super::{CatalogView, EntitiesRequest, EntityPage, EntityRow, Sort, SortBy};
use crate::component::{Entity, Field, FieldValue, Role};
use crate::filter::{Filter, Names, Subject, SubjectValue};
use crate::id::{ComponentId, EntityId, Ordinal};
use crate::world::World;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// What was found last, and for which question.
#[derive(Default)]
pub(super) struct EntityList {
    asked: Option<(String, Sort)>,
    filter: Option<Filter>,
    fault: Option<(String, std::ops::Range<usize>)>,
    found: Vec<(Ordinal, EntityId)>,
    took: Duration,
    /// On the world's clock, when it was found.
    at: u64,
    tick: u64,
    /// Whether it may be wrong for another reason than the time that passed.
    is_stale: bool,
}

/// Finding is done again only after this many times as long as it took, so that it stays a small part of the time.
const REST: u32 = 20;

impl EntityList {
    pub(super) fn page(&mut self, world: &World, asked: &EntitiesRequest, names: &CatalogView) -> EntityPage {
        let question = (asked.filter.clone(), asked.sort.clone());
        let now = world.now();
        let new_question = self.asked.as_ref() != Some(&question);
        let rested = now.saturating_sub(self.at) >= (self.took * REST).as_nanos() as u64;
        if new_question {
            self.compile(&asked.filter, names);
        }
        let is_due = self.is_stale || rested && self.tick != world.clocks().tick;
        // What a run writes at the moment cannot be compared: the last answer stands until it can.
        let can_read = self.can_read(world, &asked.sort);
        if new_question || is_due && can_read {
            self.is_stale = !can_read;
            self.asked = Some(question);
            self.find(world, &asked.sort);
            (self.tick, self.at) = (world.clocks().tick, world.now());
            self.took = Duration::from_nanos(self.at.saturating_sub(now));
        }
        let fields: Vec<_> = asked.fields.iter().map(|path| field_place(world, path)).collect();
        let texts = Texts::new(world);
        let wanted = self.found.iter().skip(asked.first).take(asked.count);
        EntityPage {
            first: asked.first,
            matching: self.found.len(),
            total: world.len(),
            rows: wanted.filter_map(|&(ordinal, id)| row(world, &texts, ordinal, id, &fields)).collect(),
            fault: self.fault.clone(),
            took: self.took,
        }
    }

    /// The world was changed by hand: what is listed is found again.
    pub(super) fn note_edit(&mut self) {
        self.is_stale = true;
    }

    /// Whether no run writes what the list is chosen or sorted by.
    fn can_read(&self, world: &World, sort: &Sort) -> bool {
        let mut read = self.filter.as_ref().map(Filter::reads).unwrap_or_default();
        if let SortBy::Field(path) = &sort.by {
            read.extend(field_place(world, path).map(|(component, _)| component));
        }
        read.into_iter().all(|component| !world.storage.pool(component).is_lent_to_write())
    }

    /// Whether what is asked for needs a record of changes.
    pub(super) fn asks_for_changes(&self) -> bool {
        self.filter.as_ref().is_some_and(|filter| filter.changed_within().is_some())
    }

    fn compile(&mut self, text: &str, names: &CatalogView) {
        match Filter::compile(text, names) {
            Ok(filter) => (self.filter, self.fault) = (Some(filter), None),
            Err(fault) => (self.filter, self.fault) = (None, Some((fault.message, fault.span))),
        }
    }

    fn find(&mut self, world: &World, sort: &Sort) {
        self.found.clear();
        let Some(filter) = &self.filter else { return };
        let texts = Texts::new(world);
        if filter.is_everything() {
            self.found.extend(world.in_order());
        } else {
            let (required, excluded) = (filter.required(), filter.excluded());
            let present = |component: &ComponentId| world.storage.pool(*component).present();
            for (ordinal, id) in world.in_order() {
                let Some(row) = world.row(id) else { continue };
                if required.iter().all(|c| present(c).has(row))
                    && !excluded.iter().any(|c| present(c).has(row))
                {
                    let subject = WorldSubject::new(world, &texts, ordinal, id, row);
                    if filter.matches(&subject) {
                        self.found.push((ordinal, id));
                    }
                }
            }
        }
        self.sort(world, &texts, sort);
    }

    fn sort(&mut self, world: &World, texts: &Texts, sort: &Sort) {
        let named = |id: EntityId, class: bool| {
            let name = world.entity_block(id).map_or(0, |entity| entity.type_name());
            let (type_name, class_name) = texts.of_type(name);
            if class { class_name } else { type_name }
        };
        match &sort.by {
            SortBy::Ordinal => {}
            SortBy::Type => self.found.sort_by_cached_key(|&(_, id)| named(id, false)),
            SortBy::Class => self.found.sort_by_cached_key(|&(_, id)| named(id, true)),
            SortBy::Field(path) => return self.sort_by_field(world, path, sort.descending),
        }
        if sort.descending {
            self.found.reverse();
        }
    }

    /// Entities without the field come last either way.
    fn sort_by_field(&mut self, world: &World, path: &str, descending: bool) {
        let Some((component, field)) = field_place(world, path) else { return };
        let value = |id: EntityId| world.field(id, component, field);
        let mut keyed: Vec<_> = self.found.iter().map(|&(ordinal, id)| (value(id), ordinal, id)).collect();
        let number = |value: &FieldValue| value.as_f64().unwrap_or(f64::NAN);
        keyed.sort_by(|(a, ..), (b, ..)| match (a, b) {
            (Some(FieldValue::Text(a)), Some(FieldValue::Text(b))) if descending => b.cmp(a),
            (Some(FieldValue::Text(a)), Some(FieldValue::Text(b))) => a.cmp(b),
            (Some(FieldValue::Entity(a)), Some(FieldValue::Entity(b))) if descending => b.cmp(a),
            (Some(FieldValue::Entity(a)), Some(FieldValue::Entity(b))) => a.cmp(b),
            (Some(a), Some(b)) if descending => number(b).total_cmp(&number(a)),
            (Some(a), Some(b)) => number(a).total_cmp(&number(b)),
            (a, b) => b.is_some().cmp(&a.is_some()),
        });
        self.found = keyed.into_iter().map(|(_, ordinal, id)| (ordinal, id)).collect();
    }

    /// Living entities by type.
    pub(super) fn count_types(&self, world: &World) -> HashMap<Arc<str>, usize> {
        let mut by_number: HashMap<u32, usize> = HashMap::new();
        for id in world.entities() {
            if let Some(entity) = world.entity_block(id) {
                *by_number.entry(entity.type_name()).or_default() += 1;
            }
        }
        let named = |(number, count)| (world.strings().get(number).unwrap_or_default(), count);
        by_number.into_iter().map(named).collect()
    }
}

/// A field by `component.field`.
fn field_place(world: &World, path: &str) -> Option<(ComponentId, usize)> {
    let (component, field) = path.split_once('.')?;
    let component = world.registry().by_name(component)?;
    let field = world.registry().get(component).fields().iter().position(|known| known.name == field)?;
    Some((component, field))
}

fn row(
    world: &World,
    texts: &Texts,
    ordinal: Ordinal,
    id: EntityId,
    fields: &[Option<(ComponentId, usize)>],
) -> Option<EntityRow> {
    let entity = world.entity_block(id)?;
    let (type_name, class) = texts.of_type(entity.type_name());
    let value = |place: &Option<(ComponentId, usize)>| {
        place.and_then(|(component, field)| world.field(id, component, field))
    };
    Some(EntityRow {
        ordinal,
        id,
        type_name,
        class,
        components: world.components_of(id)?.into_iter().filter(|&c| c != ComponentId::ENTITY).collect(),
        fields: fields.iter().map(value).collect(),
        dead: entity.is_dead(),
    })
}

/// The world's strings and the class of each type, looked up once instead of once an entity.
pub(crate) struct Texts {
    all: crate::component::Texts,
    class_of: HashMap<Arc<str>, Arc<str>>,
    none: Arc<str>,
}

impl Texts {
    pub(crate) fn new(world: &World) -> Self {
        let class = |template: &crate::entity::Template| {
            let class = template.class.as_deref().unwrap_or_default();
            (Arc::from(template.name.as_str()), Arc::from(class))
        };
        let class_of = world.factory().templates().map(class).collect();
        Self { all: world.strings().all(), class_of, none: Arc::from("") }
    }

    fn get(&self, number: u32) -> &Arc<str> {
        self.all.get(number).unwrap_or(&self.none)
    }

    /// What a block holds in a field with the role `Text`.
    pub(super) fn in_block(&self, field: &Field, block: &[u8]) -> &str {
        self.get(bytemuck::pod_read_unaligned(&block[field.offset..field.offset + 4]))
    }

    fn of_type(&self, number: u32) -> (Arc<str>, Arc<str>) {
        let name = self.get(number);
        (name.clone(), self.class_of.get(name).unwrap_or(&self.none).clone())
    }
}

/// An entity as filters see it.
pub(crate) struct WorldSubject<'a> {
    world: &'a World,
    texts: &'a Texts,
    ordinal: Ordinal,
    id: EntityId,
    row: u32,
    entity: Option<Entity>,
}

impl<'a> WorldSubject<'a> {
    pub(crate) fn new(world: &'a World, texts: &'a Texts, ordinal: Ordinal, id: EntityId, row: u32) -> Self {
        Self { world, texts, ordinal, id, row, entity: world.entity_block(id) }
    }
}

impl Subject for WorldSubject<'_> {
    fn ordinal(&self) -> Ordinal {
        self.ordinal
    }
    fn id(&self) -> EntityId {
        self.id
    }
    fn type_name(&self) -> &str {
        self.texts.get(self.entity.map_or(0, |entity| entity.type_name()))
    }
    fn class_name(&self) -> &str {
        self.texts.class_of.get(self.type_name()).map_or("", |class| class)
    }
    fn has(&self, component: ComponentId) -> bool {
        self.world.storage.pool(component).present().has(self.row)
    }
    fn field(&self, component: ComponentId, field: usize) -> Option<SubjectValue<'_>> {
        let block = self.world.peek_bytes(self.id, component)?;
        let description = self.world.registry().get(component).fields().get(field)?;
        if description.role == Role::Text {
            return Some(SubjectValue::Text(self.texts.in_block(description, block)));
        }
        let ordinal_of = |id| self.world.ordinal(id);
        match crate::component::field_value(description, block, self.world.heap(), ordinal_of) {
            FieldValue::Entity(to) => Some(SubjectValue::Entity(to)),
            value => value.as_f64().map(SubjectValue::Number),
        }
    }
    fn is_static(&self) -> bool {
        self.entity.is_some_and(|entity| entity.is_static())
    }
    fn is_dead(&self) -> bool {
        self.entity.is_some_and(|entity| entity.is_dead())
    }
    fn changed_within(&self, ticks: u64) -> bool {
        self.world.changed_within(self.id, ticks)
    }
}

/// Names of a world for compiling filters, without a snapshot.
impl Names for World {
    fn component(&self, name: &str) -> Option<ComponentId> {
        self.registry().by_name(name)
    }
    fn fields(&self, component: ComponentId) -> &[Field] {
        self.registry().get(component).fields()
    }
    fn component_names(&self) -> Vec<&str> {
        self.registry().iter().map(|(_, definition)| definition.name()).collect()
    }
    fn type_names(&self) -> Vec<&str> {
        self.factory().templates().map(|template| template.name.as_str()).collect()
    }
    fn class_names(&self) -> Vec<&str> {
        self.factory().classes().map(|class| class.name.as_str()).collect()
    }
}

impl World {
    /// Calls `each` with every entity in creation order, as filters and assertions see it.
    pub fn each_subject(&self, mut each: impl FnMut(&dyn Subject)) {
        let texts = Texts::new(self);
        for (ordinal, id) in self.in_order() {
            if let Some(row) = self.row(id) {
                each(&WorldSubject::new(self, &texts, ordinal, id, row));
            }
        }
    }
}
