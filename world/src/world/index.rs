//! Indexes: entities found by the value of a field.

use super::World;
use super::grid::LentGrid;
use super::index_rows::{Known, Rows};
use super::index_value::{IndexValue, Key, bound_key};
use super::lookup::{IndexError, Lookup, LookupKind, unknown};
use crate::component::{Field, Role, Strings};
use crate::id::{ComponentId, EntityId};
use crate::memory::has_row;
use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

/// How an index finds entities.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IndexKind {
    /// By a value that is equal.
    Hash,
    /// By a value that is equal or in a range. For numbers only.
    Sorted,
}

/// An index a world keeps.
pub(super) struct FieldIndex {
    over: Lookup<1>,
    kind: IndexKind,
    unique: bool,
    /// What is known of the rows of one storage; none before the first use, and after rows moved.
    known: Option<Arc<Known>>,
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
        let over = Lookup::new(LookupKind::Index, name, component, [field]);
        if self.indexes.iter().any(|index| index.over.name == name) {
            return Err(over.taken());
        }
        let index = FieldIndex { over, kind, unique, known: None };
        index.resolve(self)?;
        self.indexes.push(index);
        Ok(())
    }

    /// Keeps an index no longer. Whether it was there.
    pub fn remove_index(&mut self, name: &str) -> bool {
        let before = self.indexes.len();
        self.indexes.retain(|index| index.over.name != name);
        self.storage.unwatch(&[]);
        self.indexes.len() < before
    }

    /// An index, up to date. Waits for a run that writes its component.
    ///
    /// # Errors
    /// If there is no such index, its component is not of what was loaded since, or it is to be unique and is not.
    pub fn index(&mut self, name: &str) -> Result<Index<'_>, IndexError> {
        let place = self.refresh_index(name)?;
        let FieldIndex { over, known: Some(known), .. } = &self.indexes[place] else {
            return Err(unknown(LookupKind::Index, name, []));
        };
        let present = self.storage.pool(known.component).present().words();
        let queryable = self.storage.rows.queryable().words();
        Ok(Index { name: &over.name, known, present, queryable, strings: self.strings() })
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
            let index = self.refresh_index(name)?;
            let Some(known) = self.indexes[index].known.clone() else { continue };
            let present = self.storage.pool(known.component).present().words().into();
            let queryable = self.storage.rows.queryable().words().into();
            lent.push(LentIndex { name: name.clone(), known, present, queryable });
        }
        Ok(LentIndexes { indexes: lent.into(), grids })
    }
}

impl World {
    fn index_place(&self, name: &str) -> Result<usize, IndexError> {
        let place = self.indexes.iter().position(|index| index.over.name == name);
        let names = || self.indexes.iter().map(|index| index.over.name.as_str());
        place.ok_or_else(|| unknown(LookupKind::Index, name, names()))
    }

    /// Brings an index up to date, and gives its place in the list.
    fn refresh_index(&mut self, name: &str) -> Result<usize, IndexError> {
        let component = self.indexes[self.index_place(name)?].component(self)?;
        self.wait_to_read(component)?;
        // Listeners that were called meanwhile may have changed the list.
        let place = self.index_place(name)?;
        let known = match self.indexes[place].known.take() {
            Some(known) if known.storage.is_of(&self.storage) => known,
            _ => {
                let (component, field) = self.indexes[place].resolve(self)?;
                Arc::new(Known::new(&mut self.storage, component, field, self.indexes[place].kind))
            }
        };
        let index = &mut self.indexes[place];
        let known = Arc::make_mut(index.known.insert(known));
        known.take_in_changes(&mut self.storage, index.unique);
        match known.two_of_a_kind(&self.storage) {
            Some((first, second)) => {
                Err(IndexError::NotUnique { index: index.over.name.clone(), first, second })
            }
            None => Ok(place),
        }
    }
}

impl FieldIndex {
    fn component(&self, world: &World) -> Result<ComponentId, IndexError> {
        match &self.known {
            Some(known) if known.storage.is_of(&world.storage) => Ok(known.component),
            _ => self.resolve(world).map(|(component, _)| component),
        }
    }

    /// The component and the field.
    fn resolve(&self, world: &World) -> Result<(ComponentId, Field), IndexError> {
        let cannot = |role| match (role, self.kind) {
            (Role::List, _) => Some("looked up"),
            (Role::Text | Role::Entity | Role::Flags, IndexKind::Sorted) => Some("sorted"),
            _ => None,
        };
        self.over.resolve(world, cannot).map(|(component, [field])| (component, field))
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
