//! The entity list: filtered, sorted, grouped, and of that the rows in view.

use super::rested::REST;
use super::subject::{Texts, WorldSubject};
use super::{CatalogView, EntitiesRequest, EntityGroup, EntityPage, EntityRow, GroupBy, Sort, SortBy};
use crate::component::FieldValue;
use crate::filter::Filter;
use crate::id::{ComponentId, EntityId, Ordinal};
use crate::world::World;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

/// What decides which rows there are, and in which order.
#[derive(Clone, Default, PartialEq)]
struct Question {
    filter: String,
    sort: Sort,
    group: GroupBy,
    closed: Vec<String>,
}

/// What was found last, and for which question.
#[derive(Default)]
pub(super) struct EntityList {
    asked: Option<Question>,
    filter: Option<Filter>,
    fault: Option<(String, std::ops::Range<usize>)>,
    found: Vec<(Ordinal, EntityId)>,
    /// How many match, whether their group is open or closed.
    matching: usize,
    groups: Vec<EntityGroup>,
    /// The last row of each entity whose row is to stay.
    kept: HashMap<Ordinal, EntityRow>,
    /// Those of them that are there no more.
    gone: HashSet<Ordinal>,
    took: Duration,
    /// On the world's clock, when it was found.
    at: u64,
    tick: u64,
    /// Whether it may be wrong for another reason than the time that passed.
    is_stale: bool,
    /// Whether it could be found better now but for the rest.
    is_behind: bool,
}

impl EntityList {
    pub(super) fn page(&mut self, world: &World, asked: &EntitiesRequest, names: &CatalogView) -> EntityPage {
        let question = Question {
            filter: asked.filter.clone(),
            sort: asked.sort.clone(),
            group: asked.group,
            closed: asked.closed.clone(),
        };
        let now = world.now();
        let is_new = self.asked.as_ref() != Some(&question);
        let rested = now.saturating_sub(self.at) >= (self.took * REST).as_nanos() as u64;
        if self.asked.as_ref().is_none_or(|known| known.filter != question.filter) {
            self.compile(&asked.filter, names);
        }
        let gone: HashSet<Ordinal> =
            asked.keep.iter().copied().filter(|o| world.by_ordinal(*o).is_none()).collect();
        self.is_stale |= gone != self.gone;
        self.gone = gone;
        let is_other = self.tick != world.clocks().tick;
        let is_due = self.is_stale || rested && is_other;
        // What a run writes at the moment cannot be compared: the last answer stands until it can.
        let can_read = self.can_read(world, &asked.sort);
        self.is_behind = can_read && is_other && !is_due && !is_new;
        if is_new || is_due && can_read {
            self.is_stale = !can_read;
            self.find(world, &question);
            self.asked = Some(question);
            (self.tick, self.at) = (world.clocks().tick, world.now());
            self.took = Duration::from_nanos(self.at.saturating_sub(now));
        }
        let fields: Vec<_> = asked.fields.iter().map(|path| field_place(world, path)).collect();
        let reading = RowReader { world, texts: Texts::new(world), fields, changes: asked.changes };
        self.kept.retain(|ordinal, _| asked.keep.contains(ordinal));
        let there = asked.keep.iter().filter_map(|&ordinal| Some((ordinal, world.by_ordinal(ordinal)?)));
        self.kept.extend(there.filter_map(|(ordinal, id)| Some((ordinal, reading.row(ordinal, id)?))));
        let wanted = self.found.iter().skip(asked.first).take(asked.count);
        let row = |&(ordinal, id): &(Ordinal, EntityId)| {
            let gone = || {
                let kept = self.kept.get(&ordinal).filter(|_| self.gone.contains(&ordinal))?;
                Some(EntityRow { gone: true, changed: false, ..kept.clone() })
            };
            reading.row(ordinal, id).or_else(gone)
        };
        EntityPage {
            first: asked.first,
            matching: self.matching,
            listed: self.found.len(),
            total: world.len(),
            rows: wanted.filter_map(row).collect(),
            groups: self.groups.clone(),
            fault: self.fault.clone(),
            took: self.took,
        }
    }

    /// Whether a better answer waits for nothing but a rest.
    pub(super) fn is_behind(&self) -> bool {
        self.is_behind
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

    fn find(&mut self, world: &World, question: &Question) {
        let gone = self.gone_rows(world);
        self.found.clear();
        self.groups.clear();
        self.matching = 0;
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
        self.matching = self.found.len();
        self.sort(world, &texts, &question.sort);
        if question.group == GroupBy::None {
            for (place, entity) in gone {
                let at = place_of_gone(&self.found, &question.sort, place, entity.0);
                self.found.insert(at, entity);
            }
        } else {
            self.group(world, &texts, question, gone);
        }
    }

    /// Entities that are gone and whose rows stay, each with its place among the rows of its group in the last list
    /// that stay.
    fn gone_rows(&self, world: &World) -> Vec<(usize, (Ordinal, EntityId))> {
        let mut rows = Vec::new();
        if self.gone.is_empty() {
            return rows;
        }
        let is_kept = |ordinal: &Ordinal| self.gone.contains(ordinal) && self.kept.contains_key(ordinal);
        let mut groups: Vec<_> =
            self.groups.iter().map(|group| group.first..group.first + group.listed).collect();
        if groups.is_empty() {
            groups.push(0..self.found.len());
        }
        for range in groups {
            let listed = self.found.get(range).unwrap_or_default();
            let staying = listed.iter().filter(|(ordinal, id)| world.contains(*id) || is_kept(ordinal));
            rows.extend(staying.copied().enumerate().filter(|(_, (ordinal, _))| is_kept(ordinal)));
        }
        rows
    }

    /// Puts the rows of a group together, with those that are gone in their places, and takes out those of closed
    /// ones.
    fn group(
        &mut self,
        world: &World,
        texts: &Texts,
        question: &Question,
        gone: Vec<(usize, (Ordinal, EntityId))>,
    ) {
        let name = |&(ordinal, id): &(Ordinal, EntityId)| -> Arc<str> {
            let (type_name, class) = match world.entity_block(id) {
                Some(entity) => texts.of_type(entity.type_name()),
                None => self.kept.get(&ordinal).map_or_else(
                    || (texts.none.clone(), texts.none.clone()),
                    |row| (row.type_name.clone(), row.class.clone()),
                ),
            };
            if question.group == GroupBy::Type { type_name } else { class }
        };
        let mut parts: std::collections::BTreeMap<Arc<str>, Vec<(Ordinal, EntityId)>> = Default::default();
        for entity in &self.found {
            parts.entry(name(entity)).or_default().push(*entity);
        }
        for (place, entity) in gone {
            let part = parts.entry(name(&entity)).or_default();
            let at = place_of_gone(part, &question.sort, place, entity.0);
            part.insert(at, entity);
        }
        self.found.clear();
        // Those without a name come last.
        let nameless = parts.remove("");
        for (name, entities) in parts.into_iter().chain(nameless.map(|list| (texts.none.clone(), list))) {
            let is_closed = question.closed.iter().any(|closed| **closed == *name);
            let (first, count) = (self.found.len(), entities.len());
            if !is_closed {
                self.found.extend(entities);
            }
            self.groups.push(EntityGroup { name, first, listed: self.found.len() - first, count });
        }
    }

    fn sort(&mut self, world: &World, texts: &Texts, sort: &Sort) {
        let named = |id: EntityId, class: bool| {
            let name = world.entity_block(id).map_or(0, |entity| entity.type_name());
            let (type_name, class_name) = texts.of_type(name);
            if class { class_name } else { type_name }
        };
        match &sort.by {
            SortBy::Ordinal => {}
            SortBy::Id => self.found.sort_by_key(|&(_, id)| (id.slot(), id.generation())),
            SortBy::Type => self.found.sort_by_cached_key(|&(_, id)| named(id, false)),
            SortBy::Class => self.found.sort_by_cached_key(|&(_, id)| named(id, true)),
            SortBy::Components => {
                self.found.sort_by_cached_key(|&(_, id)| world.components_of(id).map(|c| c.len()))
            }
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

/// Where the row of an entity that is gone is put: in creation order where it stood, else at the place it had.
fn place_of_gone(rows: &[(Ordinal, EntityId)], sort: &Sort, place: usize, gone: Ordinal) -> usize {
    match (&sort.by, sort.descending) {
        (SortBy::Ordinal, false) => rows.partition_point(|(ordinal, _)| *ordinal < gone),
        (SortBy::Ordinal, true) => rows.partition_point(|(ordinal, _)| *ordinal > gone),
        _ => place.min(rows.len()),
    }
}

/// A field by `component.field`.
fn field_place(world: &World, path: &str) -> Option<(ComponentId, usize)> {
    let (component, field) = path.split_once('.')?;
    let component = world.registry().by_name(component)?;
    let field = world.registry().get(component).fields().iter().position(|known| known.name == field)?;
    Some((component, field))
}

/// Reads rows of the list.
struct RowReader<'w> {
    world: &'w World,
    texts: Texts,
    /// The columns.
    fields: Vec<Option<(ComponentId, usize)>>,
    changes: bool,
}

impl RowReader<'_> {
    /// The row of an entity; none if it is gone.
    fn row(&self, ordinal: Ordinal, id: EntityId) -> Option<EntityRow> {
        let entity = self.world.entity_block(id)?;
        let (type_name, class) = self.texts.of_type(entity.type_name());
        let value = |place: &Option<(ComponentId, usize)>| {
            place.and_then(|(component, field)| self.world.field(id, component, field))
        };
        let components = self.world.components_of(id)?;
        Some(EntityRow {
            ordinal,
            id,
            type_name,
            class,
            components: components.into_iter().filter(|&c| c != ComponentId::ENTITY).collect(),
            fields: self.fields.iter().map(value).collect(),
            dead: entity.is_dead(),
            gone: false,
            changed: self.changes && self.world.changed_within(id, 1),
        })
    }
}
