//! Indexes: entities found by the value of a field.

use super::World;
use super::grid::LentGrid;
use super::index_value::{IndexValue, Key, bound_key, key_of};
use crate::component::{Field, Role, Strings};
use crate::id::{ComponentId, EntityId};
use crate::memory::{StorageToken, WatchToken, has_row};
use crate::scene::suggestion;
use std::collections::{BTreeSet, HashMap};
use std::ops::{Bound, RangeBounds};
use std::sync::Arc;
use thiserror::Error;

/// How an index finds entities.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IndexKind {
    /// By a value that is equal.
    Hash,
    /// By a value that is equal or in a range. For numbers only.
    Sorted,
}

/// Why an index cannot be made or used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IndexError {
    /// A run that writes the component does not end.
    #[error(transparent)]
    Hung(#[from] super::Hung),
    /// The name is taken.
    #[error("an index named {0:?} is there already; remove it first")]
    Taken(String),
    /// There is no such index.
    #[error("there is no index named {name:?}{near}; add it with `World::add_index`")]
    Unknown {
        /// The name.
        name: String,
        /// "; did you mean …?" or nothing.
        near: String,
    },
    /// The component is not registered.
    #[error("index {index:?} is over the component {component:?}, which is not registered")]
    Component {
        /// The index.
        index: String,
        /// The component.
        component: String,
    },
    /// There is no such field.
    #[error("index {index:?} is over a field {field:?}, which {component:?} does not have{near}")]
    Field {
        /// The index.
        index: String,
        /// The component.
        component: String,
        /// The field.
        field: String,
        /// "; did you mean …?" or nothing.
        near: String,
    },
    /// Values of the field have no order that means something, or are lists.
    #[error("index {index:?}: values of {field:?} cannot be {what}")]
    Role {
        /// The index.
        index: String,
        /// The field.
        field: String,
        /// "sorted" or "looked up".
        what: &'static str,
    },
    /// Cells of a grid need a size.
    #[error("grid {index:?}: cells have a size above 0, not {cell}")]
    Cell {
        /// The grid.
        index: String,
        /// The size.
        cell: String,
    },
    /// The value is not of the field's kind.
    #[error("index {index:?} is over {expected}, not over what was looked for")]
    Value {
        /// The index.
        index: String,
        /// What its field holds, in words.
        expected: &'static str,
    },
    /// A range was asked of an index that is not sorted.
    #[error("index {0:?} finds equal values only; add it as `IndexKind::Sorted` to look for a range")]
    NotSorted(String),
    /// Two entities have the same value in an index that is said to be unique.
    #[error("index {index:?} is to be unique, but entities {first} and {second} have the same value")]
    NotUnique {
        /// The index.
        index: String,
        /// The entity in the earlier row.
        first: EntityId,
        /// Another one.
        second: EntityId,
    },
}

/// An index a world keeps.
pub(super) struct FieldIndex {
    name: String,
    component: String,
    field: String,
    kind: IndexKind,
    unique: bool,
    /// What is known of the rows of one storage; none before the first use, and after rows moved.
    known: Option<Arc<Known>>,
}

/// What is known of the rows of one storage. A run that uses the index holds it as it was at its dispatch.
#[derive(Clone)]
pub(crate) struct Known {
    storage: StorageToken,
    /// Its dirty bits are the rows that were written since the last use.
    watch: WatchToken,
    component: ComponentId,
    field: Field,
    /// The key of each row, as far as it was seen. Rows whose entity left since stay until they are used again.
    keys: Vec<Option<Key>>,
    /// Whose row it was then.
    ids: Vec<Option<EntityId>>,
    rows: Rows,
    /// Keys that more than one row has, for an index that is to be unique.
    shared: BTreeSet<Key>,
}

#[derive(Clone)]
enum Rows {
    Hash(HashMap<Key, BTreeSet<u32>>),
    Sorted(BTreeSet<(Key, u32)>),
}

/// An index as it is now. Entities that died are left out, as in queries.
pub struct Index<'w> {
    name: &'w str,
    known: &'w Known,
    /// The rows that have the component, and those that queries find: a bit a row.
    present: &'w [u64],
    queryable: &'w [u64],
    strings: &'w Strings,
}

/// The indexes and grids a run uses.
#[derive(Clone, Default)]
pub(crate) struct LentIndexes {
    pub(crate) indexes: Arc<[LentIndex]>,
    pub(crate) grids: Arc<[LentGrid]>,
}

/// An index as a run uses it.
pub(crate) struct LentIndex {
    pub(crate) name: String,
    known: Arc<Known>,
    present: Arc<[u64]>,
    queryable: Arc<[u64]>,
}

impl LentIndex {
    pub(crate) fn open<'r>(&'r self, strings: &'r Strings) -> Index<'r> {
        let Self { name, known, present, queryable } = self;
        Index { name, known, present, queryable, strings }
    }
}

impl World {
    /// Keeps an index over a field of a component from now on, also over what is loaded later. It is brought up to
    /// date when it is used, by what was written since, so one that is not used costs nearly nothing.
    ///
    /// ```
    /// # use vivarium_world::{Catalog, Component, ComponentDef, Field, IndexKind, Scalar, World, WorldOptions};
    /// # #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)] #[repr(C)] struct Health(f32);
    /// # impl Component for Health {
    /// #     const NAME: &'static str = "health";
    /// #     fn definition() -> ComponentDef { ComponentDef::of::<Self>().field(Field::new("points", Scalar::F32, 0)) }
    /// # }
    /// let mut world = World::new(&Catalog::new().component::<Health>()?, WorldOptions::default())?;
    /// world.add_index("health", "health", "points", IndexKind::Sorted, false)?;
    /// let (weak, strong) = (world.spawn((Health(3.0),)), world.spawn((Health(90.0),)));
    /// assert_eq!(world.index("health")?.range(..10)?.collect::<Vec<_>>(), [weak]);
    /// world.set(weak, Health(90.0))?;
    /// assert_eq!(world.index("health")?.equal(90)?.collect::<Vec<_>>(), [weak, strong]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the name is taken, there is no such field, or its values cannot be sorted or looked up.
    pub fn add_index(
        &mut self,
        name: &str,
        component: &str,
        field: &str,
        kind: IndexKind,
        unique: bool,
    ) -> Result<(), IndexError> {
        if self.indexes.iter().any(|index| index.name == name) {
            return Err(IndexError::Taken(name.to_owned()));
        }
        let (component, field) = (component.to_owned(), field.to_owned());
        let index = FieldIndex { name: name.to_owned(), component, field, kind, unique, known: None };
        index.resolve(self)?;
        self.indexes.push(index);
        Ok(())
    }

    /// Keeps an index no longer. Whether it was there.
    pub fn remove_index(&mut self, name: &str) -> bool {
        let before = self.indexes.len();
        self.indexes.retain(|index| index.name != name);
        self.storage.unwatch(&[]);
        self.indexes.len() < before
    }

    /// An index, up to date. Waits for a run that writes its component.
    ///
    /// # Errors
    /// If there is no such index, its component is not of what was loaded since, or it is to be unique and is not.
    pub fn index(&mut self, name: &str) -> Result<Index<'_>, IndexError> {
        let place = self.indexes.iter().position(|index| index.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.indexes.iter().map(|index| index.name.as_str()).collect();
            IndexError::Unknown { name: name.to_owned(), near: suggestion(name, names) }
        })?;
        // Out of the world while it reads the world.
        let mut index = self.indexes.swap_remove(place);
        let refreshed = index.refresh(self);
        self.indexes.push(index);
        refreshed?;
        let index = self.indexes.last().filter(|index| index.name == name);
        match index.and_then(|index| Some((index.name.as_str(), index.known.as_deref()?))) {
            Some((name, known)) => {
                let present = self.storage.pool(known.component).present().words();
                let queryable = self.storage.rows.queryable().words();
                Ok(Index { name, known, present, queryable, strings: self.strings() })
            }
            None => Err(IndexError::Unknown { name: name.to_owned(), near: String::new() }),
        }
    }

    /// The indexes and grids that the runs of the system at a place use, up to date.
    pub(super) fn lend_indexes(&mut self, place: usize) -> Result<LentIndexes, IndexError> {
        let entry = &self.systems.list[place];
        if entry.indexes.is_empty() && entry.grids.is_empty() {
            return Ok(LentIndexes::default());
        }
        let grids = self.lend_grids(place)?;
        let mut lent = Vec::new();
        for name in &self.systems.list[place].indexes.clone() {
            self.index(name)?;
            let known = self.indexes.last().and_then(|index| index.known.clone());
            let Some(known) = known else { continue };
            let present = self.storage.pool(known.component).present().words().into();
            let queryable = self.storage.rows.queryable().words().into();
            lent.push(LentIndex { name: name.clone(), known, present, queryable });
        }
        Ok(LentIndexes { indexes: lent.into(), grids })
    }
}

impl FieldIndex {
    /// The component and the field.
    fn resolve(&self, world: &World) -> Result<(ComponentId, Field), IndexError> {
        let (index, component) = (self.name.clone(), self.component.clone());
        let Some(id) = world.registry().by_name(&component) else {
            return Err(IndexError::Component { index, component });
        };
        let fields = world.registry().get(id).fields();
        let Some(field) = fields.iter().find(|field| field.name == self.field) else {
            let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
            let (near, field) = (suggestion(&self.field, names), self.field.clone());
            return Err(IndexError::Field { index, component, field, near });
        };
        let what = match (field.role, self.kind) {
            (Role::List, _) => "looked up",
            (Role::Text | Role::Entity | Role::Flags, IndexKind::Sorted) => "sorted",
            _ => return Ok((id, field.clone())),
        };
        Err(IndexError::Role { index, field: self.field.clone(), what })
    }

    fn refresh(&mut self, world: &mut World) -> Result<(), IndexError> {
        let known = match self.known.take().filter(|known| known.storage.is_of(&world.storage)) {
            Some(known) => known,
            None => {
                let (component, field) = self.resolve(world)?;
                let watch = WatchToken::default();
                // All that is there is new to a watcher.
                world.storage.watch(component, &watch);
                let (storage, rows) = (world.storage.token(), Rows::new(self.kind));
                let (keys, ids, shared) = Default::default();
                Arc::new(Known { storage, watch, component, field, keys, ids, rows, shared })
            }
        };
        if let Err(hung) = world.wait_to_read(known.component) {
            self.known = Some(known);
            return Err(hung.into());
        }
        let known = Arc::make_mut(self.known.insert(known));
        known.take_in_changes(world, self.unique);
        match known.two_of_a_kind(world) {
            Some((first, second)) => Err(IndexError::NotUnique { index: self.name.clone(), first, second }),
            None => Ok(()),
        }
    }
}

impl Known {
    fn take_in_changes(&mut self, world: &mut World, unique: bool) {
        let dirty = world.storage.take_dirty(self.component, &self.watch);
        let pool = world.storage.pool(self.component);
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
        dirty.iter().for_each(|&row| self.ids[row as usize] = world.storage.id_of(row));
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
    fn is_there(&self, world: &World, row: u32) -> bool {
        world.storage.pool(self.component).present().has(row) && world.storage.rows.queryable().has(row)
    }

    fn two_of_a_kind(&mut self, world: &World) -> Option<(EntityId, EntityId)> {
        let (mut found, mut settled) = (None, Vec::new());
        for &key in &self.shared {
            let rows: Vec<u32> = self.rows.with(key).collect();
            if rows.len() < 2 {
                settled.push(key);
            }
            let mut there = rows.into_iter().filter(|&row| self.is_there(world, row));
            if let (Some(first), Some(second)) = (there.next(), there.next()) {
                found = world.storage.id_of(first).zip(world.storage.id_of(second));
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
    fn with(&self, key: Key) -> impl Iterator<Item = u32> + '_ {
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

impl<'w> Index<'w> {
    /// The entities whose value is this one, in row order: the order systems visit them in.
    ///
    /// # Errors
    /// If the field holds another kind of value.
    pub fn equal<'v, V: Into<IndexValue<'v>>>(
        &self,
        value: V,
    ) -> Result<impl Iterator<Item = EntityId> + use<'w, V>, IndexError> {
        let value = value.into();
        let keys = self.keys(Bound::Included(value), Bound::Included(value))?;
        // Equal values have one key.
        let rows = keys.map(|(least, _)| self.known.rows.with(least)).into_iter().flatten();
        Ok(rows.filter_map(self.there()))
    }

    /// The first of the entities whose value is this one; of a unique index, the only one.
    ///
    /// # Errors
    /// If the field holds another kind of value.
    pub fn one<'v>(&self, value: impl Into<IndexValue<'v>>) -> Result<Option<EntityId>, IndexError> {
        Ok(self.equal(value)?.next())
    }

    /// The entities whose value is in a range, least value first, in row order where values are equal.
    ///
    /// # Errors
    /// If the index is not sorted.
    pub fn range<'v, V: Into<IndexValue<'v>> + Clone, R: RangeBounds<V>>(
        &self,
        range: R,
    ) -> Result<impl DoubleEndedIterator<Item = EntityId> + use<'w, V, R>, IndexError> {
        let Rows::Sorted(rows) = &self.known.rows else {
            return Err(IndexError::NotSorted(self.name.to_owned()));
        };
        let value = |bound: Bound<&V>| bound.map(|value| value.clone().into());
        let keys = self.keys(value(range.start_bound()), value(range.end_bound()))?;
        let rows = keys.map(|(least, most)| rows.range((least, 0)..=(most, u32::MAX)));
        let rows = rows.into_iter().flatten().map(|&(_, row)| row);
        Ok(rows.filter_map(self.there()))
    }

    /// Finds the entity of a row that was seen, if it lives and has the component.
    fn there(&self) -> impl Fn(u32) -> Option<EntityId> + use<'w> {
        let (known, present, queryable) = (self.known, self.present, self.queryable);
        move |row| known.ids[row as usize].filter(|_| has_row(present, row) && has_row(queryable, row))
    }

    /// How many entities it has.
    pub fn len(&self) -> usize {
        let rows = self.known.keys.iter().zip(0..).filter(|(key, _)| key.is_some());
        let there = self.there();
        rows.filter(|&(_, row)| there(row).is_some()).count()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The least and the greatest key between two bounds; none if nothing lies there.
    fn keys(
        &self,
        least: Bound<IndexValue<'_>>,
        most: Bound<IndexValue<'_>>,
    ) -> Result<Option<(Key, Key)>, IndexError> {
        let field = &self.known.field;
        let strings = self.strings;
        let expected = |expected| IndexError::Value { index: self.name.to_owned(), expected };
        let (least, most) = (
            bound_key(field, least, true, strings).map_err(expected)?,
            bound_key(field, most, false, strings).map_err(expected)?,
        );
        Ok(least.zip(most).filter(|(least, most)| least <= most))
    }
}
