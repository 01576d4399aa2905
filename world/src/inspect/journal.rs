//! The journal: filtered, and of that the rows in view.

use super::csv::csv_cell;
use super::subject::Texts;
use super::view::JournalRequest;
use super::{CatalogView, JournalRow, JournalView};
use crate::component::{FieldValue, Role, field_value};
use crate::filter::{Filter, Subject, SubjectValue};
use crate::id::{ComponentId, EntityId, Ordinal};
use crate::world::{Asker, JournalEntry, JournalKind, World};
use std::collections::VecDeque;
use std::time::Duration;

/// What was found so far, and for which question.
#[derive(Default)]
pub(super) struct JournalList {
    asked: Option<Question>,
    filter: Option<Filter>,
    fault: Option<(String, std::ops::Range<usize>)>,
    /// Numbers of the entries that match, ascending.
    found: VecDeque<u64>,
    /// The first number that was not looked at.
    next: u64,
    took: Duration,
}

/// What chooses entries.
#[derive(Clone, Debug, Default, PartialEq)]
struct Question {
    filter: String,
    kinds: Vec<JournalKind>,
    by: Option<Asker>,
}

impl Question {
    fn of(asked: &JournalRequest) -> Self {
        Self { filter: asked.filter.clone(), kinds: asked.kinds.clone(), by: asked.by }
    }

    /// Whether an entry is of a kind and by somebody that is asked for.
    fn admits(&self, entry: &JournalEntry) -> bool {
        (self.kinds.is_empty() || self.kinds.contains(&entry.kind)) && self.by.is_none_or(|by| by == entry.by)
    }
}

impl JournalList {
    pub(super) fn page(&mut self, world: &World, asked: &JournalRequest, names: &CatalogView) -> JournalView {
        let question = Question::of(asked);
        if self.asked.as_ref() != Some(&question) {
            match Filter::compile(&question.filter, names) {
                Ok(filter) => (self.filter, self.fault) = (Some(filter), None),
                Err(fault) => (self.filter, self.fault) = (None, Some((fault.message, fault.span))),
            }
            self.asked = Some(question);
            self.forget();
        }
        self.look(world);
        let journal = world.journal();
        let wanted = self.found.iter().rev().skip(asked.first).take(asked.count);
        JournalView {
            is_recording: journal.is_recording(),
            limit: journal.limit(),
            kept: journal.entries().len(),
            dropped: journal.dropped(),
            matching: self.found.len(),
            first: asked.first,
            rows: wanted.filter_map(|&number| journal.entry(number)).map(|entry| row(world, entry)).collect(),
            fault: self.fault.clone(),
            took: self.took,
            watched: journal.watched().to_vec(),
            bytes: journal.bytes(),
        }
    }

    fn forget(&mut self) {
        self.found.clear();
        self.next = 0;
    }

    /// Looks at entries that came since, and forgets those that went.
    fn look(&mut self, world: &World) {
        let journal = world.journal();
        let Some((filter, question)) = self.filter.as_ref().zip(self.asked.as_ref()) else { return };
        // What was recorded begins anew, or what holds for an entry changes as time goes by.
        if journal.next() < self.next || filter.changed_within().is_some() {
            self.found.clear();
            self.next = 0;
        }
        while self.found.front().is_some_and(|&number| number < journal.dropped()) {
            self.found.pop_front();
        }
        if self.next >= journal.next() {
            return;
        }
        let start = world.now();
        let texts = Texts::new(world);
        for entry in journal.entries_from(self.next) {
            if question.admits(entry) && filter.matches(&EntrySubject { world, texts: &texts, entry }) {
                self.found.push_back(entry.number);
            }
        }
        self.next = journal.next();
        self.took = Duration::from_nanos(world.now().saturating_sub(start));
    }
}

fn row(world: &World, entry: &JournalEntry) -> JournalRow {
    JournalRow {
        number: entry.number,
        tick: entry.tick,
        kind: entry.kind,
        by: entry.by,
        by_name: entry.by_name.clone(),
        ordinal: entry.ordinal,
        id: entry.id,
        type_name: entry.type_name.clone(),
        class: entry.class.clone(),
        lives: world.contains(entry.id),
        component: entry.component,
        change: entry.change.clone(),
    }
}

/// The entity of an entry as filters see it: as it was then.
struct EntrySubject<'a> {
    world: &'a World,
    texts: &'a Texts,
    entry: &'a JournalEntry,
}

impl Subject for EntrySubject<'_> {
    fn ordinal(&self) -> Ordinal {
        self.entry.ordinal
    }
    fn id(&self) -> EntityId {
        self.entry.id
    }
    fn type_name(&self) -> &str {
        &self.entry.type_name
    }
    fn class_name(&self) -> &str {
        &self.entry.class
    }
    fn has(&self, component: ComponentId) -> bool {
        self.entry.components.contains(&component)
    }
    fn field(&self, component: ComponentId, field: usize) -> Option<SubjectValue<'_>> {
        let at = self.entry.components.iter().position(|&known| known == component)?;
        let block = self.entry.blocks.get(at)?.as_deref()?;
        let description = self.world.registry().get(component).fields().get(field)?;
        if description.role == Role::Text {
            return Some(SubjectValue::Text(self.texts.in_block(description, block)));
        }
        let ordinal_of = |id| self.world.ordinal(id);
        match field_value(description, block, self.world.heap(), ordinal_of) {
            FieldValue::Entity(to) => Some(SubjectValue::Entity(to)),
            value => value.as_f64().map(SubjectValue::Number),
        }
    }
    fn is_static(&self) -> bool {
        self.entry.is_static
    }
    fn is_dead(&self) -> bool {
        self.entry.is_dead
    }
    /// Whether the entry is of the last ticks.
    fn changed_within(&self, ticks: u64) -> bool {
        self.world.clocks().tick.saturating_sub(self.entry.tick) < ticks
    }
}

/// The entries that match as comma-separated values as RFC 4180 has them, and how many they are.
///
/// # Errors
/// What is wrong with the filter.
pub(crate) fn journal_csv(world: &World, asked: &JournalRequest) -> Result<(String, usize), String> {
    let filter = Filter::compile(&asked.filter, world).map_err(|fault| fault.message)?;
    let (question, texts) = (Question::of(asked), Texts::new(world));
    let mut text =
        "number,tick,what,entity,id,type,class,component,field,before,after,asked by\r\n".to_owned();
    let mut rows = 0;
    for entry in world.journal().entries() {
        if question.admits(entry) && filter.matches(&EntrySubject { world, texts: &texts, entry }) {
            let line: Vec<String> = cells(world, entry).iter().map(|cell| csv_cell(cell)).collect();
            text.push_str(&line.join(","));
            text.push_str("\r\n");
            rows += 1;
        }
    }
    Ok((text, rows))
}

fn cells(world: &World, entry: &JournalEntry) -> [String; 12] {
    let definition = entry.component.map(|component| world.registry().get(component));
    let component = definition.map_or("", |definition| definition.name());
    let (field, before, after) = match (&entry.change, definition) {
        (Some(change), Some(definition)) => {
            let field = definition.fields().get(change.field).map_or("", |field| field.name.as_str());
            (field, change.before.to_string(), change.after.to_string())
        }
        _ => ("", String::new(), String::new()),
    };
    let by = match entry.by {
        Asker::System(_) => &*entry.by_name,
        Asker::Hand => "by hand",
        Asker::World => "world",
    };
    [
        entry.number.to_string(),
        entry.tick.to_string(),
        entry.kind.name().to_owned(),
        format!("#{}", entry.ordinal),
        entry.id.to_string(),
        entry.type_name.to_string(),
        entry.class.to_string(),
        component.to_owned(),
        field.to_owned(),
        before,
        after,
        by.to_owned(),
    ]
}
