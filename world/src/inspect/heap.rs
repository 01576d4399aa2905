//! What blocks name by number: strings with how often they are used, and lists with whose they are.

use super::EntityName;
use crate::component::{FieldValue, ListItem};
use crate::id::{ComponentId, EntityId};
use crate::world::World;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// Which part of the heap to show.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HeapRequest {
    /// Strings, or lists.
    pub part: HeapPart,
    /// Only strings that hold this text, or lists of a component whose name does, whatever the case.
    pub filter: String,
    /// The first row wanted.
    pub first: usize,
    /// How many rows are wanted.
    pub count: usize,
}

/// A part of the heap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HeapPart {
    /// Interned strings, those used most first.
    #[default]
    Strings,
    /// Lists, the longest first.
    Lists,
}

/// Some of the strings or lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeapView {
    /// Which.
    pub part: HeapPart,
    /// How many there are.
    pub total: usize,
    /// How many match the filter.
    pub matching: usize,
    /// Where the first row stands among those that match.
    pub first: usize,
    /// Strings, if they were asked for.
    pub strings: Vec<StringRow>,
    /// Lists, if they were asked for.
    pub lists: Vec<ListRow>,
    /// The tick it was counted at; a world that changes quickly is not counted at every snapshot.
    pub tick: u64,
    /// How long counting took.
    pub took: Duration,
}

/// An interned string.
#[derive(Clone, Debug, PartialEq)]
pub struct StringRow {
    /// The text.
    pub text: Arc<str>,
    /// How many blocks name it, those that wait to be freed among them.
    pub uses: usize,
}

/// A list of a component.
#[derive(Clone, Debug, PartialEq)]
pub struct ListRow {
    /// The entity whose component holds it.
    pub owner: Option<EntityName>,
    /// The component.
    pub component: ComponentId,
    /// The field's place among the component's.
    pub field: usize,
    /// How many items it has.
    pub len: usize,
    /// Bytes of its items.
    pub bytes: usize,
    /// The first of them.
    pub begin: FieldValue,
}

/// Items of a list that are sent.
const ITEMS: usize = 8;

/// What was counted last, and for which question.
#[derive(Default)]
pub(super) struct HeapList {
    asked: Option<(HeapPart, String)>,
    strings: Vec<StringRow>,
    /// Whose, of which component and field, and how many items.
    lists: Vec<(EntityId, ComponentId, usize, usize)>,
    total: usize,
    tick: u64,
    /// On the world's clock, when it was counted.
    at: u64,
    took: Duration,
    /// Whether the world was changed by hand since.
    is_stale: bool,
}

/// Counting is done again only after this many times as long as it took, so that it stays a small part of the time.
const REST: u32 = 20;

impl HeapList {
    /// The world was changed by hand: it is counted again.
    pub(super) fn note_edit(&mut self) {
        self.is_stale = true;
    }

    pub(super) fn page(&mut self, world: &World, asked: &HeapRequest) -> HeapView {
        let question = (asked.part, asked.filter.to_lowercase());
        let now = world.now();
        let rested = now.saturating_sub(self.at) >= (self.took * REST).as_nanos() as u64;
        let tick = world.clocks().tick;
        if self.asked.as_ref() != Some(&question) || rested && (self.tick != tick || self.is_stale) {
            self.count(world, question.0, &question.1);
            (self.asked, self.is_stale) = (Some(question), false);
            (self.tick, self.at) = (tick, world.now());
            self.took = Duration::from_nanos(self.at.saturating_sub(now));
        }
        let (first, count) = (asked.first, asked.count);
        let list = |&(owner, component, field, len): &(EntityId, ComponentId, usize, usize)| {
            let name = |ordinal| EntityName { ordinal, id: owner, type_name: world.type_name(owner) };
            ListRow {
                owner: world.ordinal(owner).map(name),
                component,
                field,
                len,
                bytes: len * size_of::<ListItem>(),
                begin: match world.field(owner, component, field) {
                    Some(FieldValue::List(mut items)) => {
                        items.truncate(ITEMS);
                        FieldValue::List(items)
                    }
                    _ => FieldValue::List(Vec::new()),
                },
            }
        };
        HeapView {
            part: asked.part,
            total: self.total,
            matching: self.strings.len().max(self.lists.len()),
            first,
            strings: self.strings.iter().skip(first).take(count).cloned().collect(),
            lists: self.lists.iter().skip(first).take(count).map(list).collect(),
            tick: self.tick,
            took: self.took,
        }
    }

    fn count(&mut self, world: &World, part: HeapPart, filter: &str) {
        (self.strings, self.lists) = (Vec::new(), Vec::new());
        let passes = |text: &str| filter.is_empty() || text.to_lowercase().contains(filter);
        match part {
            HeapPart::Strings => {
                let uses = world.string_uses();
                self.total = world.strings().len();
                let texts = world.strings().all();
                let row = |(number, text): (u32, &Arc<str>)| StringRow {
                    text: text.clone(),
                    uses: uses.get(&number).copied().unwrap_or(0),
                };
                self.strings = texts.numbered().filter(|(_, text)| passes(text)).map(row).collect();
                self.strings.sort_by(|a, b| b.uses.cmp(&a.uses).then_with(|| a.text.cmp(&b.text)));
            }
            HeapPart::Lists => {
                self.total = world.lists().count();
                world.each_list(|list, owner, component, field| {
                    if passes(world.registry().get(component).name()) {
                        let len = world.lists().len(list).unwrap_or(0);
                        self.lists.push((owner, component, field, len));
                    }
                });
                self.lists.sort_by_key(|&(.., len)| std::cmp::Reverse(len));
            }
        }
    }
}
