//! The rows of an index by the values of their field, kept up to date by what was written.

use super::index::IndexKind;
use super::index_value::{Key, key_of};
use crate::component::Field;
use crate::id::{ComponentId, EntityId};
use crate::memory::{Storage, StorageToken, WatchToken};
use std::collections::{BTreeSet, HashMap};

/// What is known of the rows of one storage. A run that uses the index holds it as it was at its dispatch.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) storage: StorageToken,
    /// Its dirty bits are the rows that were written since the last use.
    watch: WatchToken,
    pub(super) component: ComponentId,
    pub(super) field: Field,
    /// The key of each row, as far as it was seen. Rows whose entity left since stay until they are used again.
    pub(super) keys: Vec<Option<Key>>,
    /// Whose row it was then.
    pub(super) ids: Vec<Option<EntityId>>,
    pub(super) rows: Rows,
    /// Keys that more than one row has, for an index that is to be unique.
    shared: BTreeSet<Key>,
}

/// Rows by their keys.
#[derive(Clone)]
pub(super) enum Rows {
    Hash(HashMap<Key, BTreeSet<u32>>),
    Sorted(BTreeSet<(Key, u32)>),
}

impl Known {
    /// Begins to watch a component; all that is there is new to a watcher.
    pub(super) fn new(storage: &mut Storage, component: ComponentId, field: Field, kind: IndexKind) -> Self {
        let watch = WatchToken::default();
        storage.watch(component, &watch);
        let (storage, rows) = (storage.token(), Rows::new(kind));
        let (keys, ids, shared) = Default::default();
        Self { storage, watch, component, field, keys, ids, rows, shared }
    }

    /// Takes in what was written since this was last called.
    pub(super) fn take_in_changes(&mut self, storage: &mut Storage, unique: bool) {
        let dirty = storage.take_dirty(self.component, &self.watch);
        let pool = storage.pool(self.component);
        let now = |row: u32| {
            pool.present()
                .has(row)
                .then(|| pool.bytes_of(row))
                .flatten()
                .and_then(|block| key_of(&self.field, block))
        };
        if let Some(&last) = dirty.last()
            && last as usize >= self.keys.len()
        {
            self.keys.resize(last as usize + 1, None);
            self.ids.resize(last as usize + 1, None);
        }
        dirty.iter().for_each(|&row| self.ids[row as usize] = storage.id_of(row));
        if dirty.len() > self.keys.len() / 8 {
            for row in dirty {
                self.keys[row as usize] = now(row);
            }
            let all = self.keys.iter().zip(0..).filter_map(|(key, row)| Some(((*key)?, row)));
            self.rows = self.rows.rebuilt(all);
            self.shared = if unique { self.rows.shared() } else { BTreeSet::new() };
            return;
        }
        for row in dirty {
            let (before, after) = (self.keys[row as usize], now(row));
            if before == after {
                continue;
            }
            self.keys[row as usize] = after;
            if let Some(key) = before {
                self.rows.remove(key, row);
            }
            if let Some(key) = after
                && self.rows.insert(key, row)
                && unique
            {
                self.shared.insert(key);
            }
        }
    }

    /// Whether the entity of a row that was seen is still there, lives, and has the component.
    fn is_there(&self, storage: &Storage, row: u32) -> bool {
        storage.pool(self.component).present().has(row) && storage.rows.queryable().has(row)
    }

    /// Two entities with one value, of an index that is to be unique.
    pub(super) fn two_of_a_kind(&mut self, storage: &Storage) -> Option<(EntityId, EntityId)> {
        let (mut found, mut settled) = (None, Vec::new());
        for &key in &self.shared {
            let rows: Vec<u32> = self.rows.with(key).collect();
            if rows.len() < 2 {
                settled.push(key);
            }
            let mut there = rows.into_iter().filter(|&row| self.is_there(storage, row));
            if let (Some(first), Some(second)) = (there.next(), there.next()) {
                found = storage.id_of(first).zip(storage.id_of(second));
                break;
            }
        }
        settled.iter().for_each(|key| _ = self.shared.remove(key));
        found
    }
}

impl Rows {
    fn new(kind: IndexKind) -> Self {
        match kind {
            IndexKind::Hash => Self::Hash(HashMap::new()),
            IndexKind::Sorted => Self::Sorted(BTreeSet::new()),
        }
    }

    fn rebuilt(&self, all: impl Iterator<Item = (Key, u32)>) -> Self {
        match self {
            Self::Hash(_) => {
                let mut rows: HashMap<Key, BTreeSet<u32>> = HashMap::new();
                all.for_each(|(key, row)| _ = rows.entry(key).or_default().insert(row));
                Self::Hash(rows)
            }
            Self::Sorted(_) => Self::Sorted(all.collect()),
        }
    }

    /// Adds a row; whether another row has the key.
    fn insert(&mut self, key: Key, row: u32) -> bool {
        match self {
            Self::Hash(rows) => {
                let rows = rows.entry(key).or_default();
                rows.insert(row);
                rows.len() > 1
            }
            Self::Sorted(rows) => {
                rows.insert((key, row));
                rows.range((key, 0)..=(key, u32::MAX)).nth(1).is_some()
            }
        }
    }

    fn remove(&mut self, key: Key, row: u32) {
        match self {
            Self::Hash(all) => {
                if let Some(rows) = all.get_mut(&key) {
                    rows.remove(&row);
                    if rows.is_empty() {
                        all.remove(&key);
                    }
                }
            }
            Self::Sorted(rows) => _ = rows.remove(&(key, row)),
        }
    }

    /// The rows with a key, in order.
    pub(super) fn with(&self, key: Key) -> impl Iterator<Item = u32> + '_ {
        let (hash, sorted) = match self {
            Self::Hash(rows) => (rows.get(&key), None),
            Self::Sorted(rows) => (None, Some(rows.range((key, 0)..=(key, u32::MAX)))),
        };
        hash.into_iter().flatten().copied().chain(sorted.into_iter().flatten().map(|&(_, row)| row))
    }

    /// Keys that more than one row has.
    fn shared(&self) -> BTreeSet<Key> {
        match self {
            Self::Hash(rows) => rows.iter().filter(|(_, rows)| rows.len() > 1).map(|(&key, _)| key).collect(),
            Self::Sorted(rows) => {
                let pairs = rows.iter().zip(rows.iter().skip(1));
                pairs.filter(|(a, b)| a.0 == b.0).map(|(a, _)| a.0).collect()
            }
        }
    }
}
