//! Lists of properties, the types that share them, and the keys they get.

use super::definition::{Definition, Property};
use super::definitions::Definitions;
use std::cmp::Reverse;
use std::collections::HashMap;

/// `"0":{"type":"","properties":[]},`
pub(super) const SHORTEST_LIST: usize = 33;
/// `{"name":"","type":"int"},`
pub(super) const SHORTEST_PROPERTY: usize = 25;

/// How long a definition with these properties is in JSON, but for its types.
pub(super) fn list_bytes(properties: &[Property]) -> f64 {
    (SHORTEST_LIST + serde_json::to_string(properties).map_or(0, |text| text.len())) as f64
}

/// Lists of properties and the types that have them.
#[derive(Default)]
pub(super) struct Lists {
    lists: Vec<List>,
    /// The index in `lists` by the list's JSON, for numbers are no keys.
    by_text: HashMap<String, usize>,
}

struct List {
    properties: Vec<Property>,
    /// Each with the number of its entities.
    types: Vec<(String, usize)>,
    /// How many bytes the strings are shorter than the objects.
    saved: f64,
}

impl Lists {
    /// Gives a type of `count` entities these properties, which make them `saved` bytes shorter; unless that is none.
    /// Types with equal properties share a list.
    pub(super) fn add(&mut self, properties: Vec<Property>, name: &str, count: usize, saved: f64) {
        // The name in the list of types, in quotes and with a comma.
        let saved = saved - (name.len() + 3) as f64;
        if saved <= 0.0 {
            return;
        }
        let text = serde_json::to_string(&properties).unwrap_or_default();
        let at = *self.by_text.entry(text).or_insert(self.lists.len());
        if at == self.lists.len() {
            self.lists.push(List { properties, types: Vec::new(), saved: 0.0 });
        }
        let list = &mut self.lists[at];
        list.types.push((name.to_owned(), count));
        list.saved += saved;
    }

    /// Drops the lists that are longer than what they save.
    pub(super) fn keep_what_pays(&mut self) {
        self.lists.retain(|list| list.saved > list_bytes(&list.properties));
        self.by_text.clear();
    }

    /// Adds other lists, for the same types or others.
    pub(super) fn append(&mut self, other: Self) {
        self.lists.extend(other.lists);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }

    /// The lists at their keys, the shortest for the types of most entities.
    pub(super) fn definitions(&self) -> Definitions {
        let mut lists: Vec<_> = self
            .lists
            .iter()
            .map(|list| {
                let mut types: Vec<_> = list.types.iter().collect();
                types.sort_by_key(|(_, count)| Reverse(*count));
                (types, &list.properties)
            })
            .collect();
        // The keys of a list follow each other, so what counts is how many entities it has for each key.
        lists.sort_by_key(|(types, _)| {
            Reverse(types.iter().map(|(_, count)| count).sum::<usize>() / types.len().max(1))
        });
        let mut key = 0;
        let definitions = lists.into_iter().filter_map(|(types, properties)| {
            let types: Vec<String> = types.into_iter().map(|(name, _)| name.clone()).collect();
            let first = key;
            key += types.len() as u64;
            Some((first, Definition::new(types, properties.clone()).ok()?))
        });
        Definitions::new(definitions.collect::<Vec<_>>()).unwrap_or_default()
    }
}
