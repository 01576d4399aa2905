//! Lists: what a block cannot hold because it has no fixed length, by number.

use crate::id::EntityId;
use crate::sync::{AtomicU64, Ordering};
use bytemuck::{Pod, Zeroable};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard};
use thiserror::Error;

/// The number of a list, as a block holds it in a field with the role `List`. Zero is no list, which reads as an
/// empty one.
///
/// A number is given out once, so one that was kept too long finds nothing, never another list. Numbers differ
/// from run to run; nothing may depend on them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(transparent)]
pub struct ListId(u32);

impl ListId {
    /// No list.
    pub const NONE: Self = Self(0);

    /// The list with this number.
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }
    /// The number.
    pub const fn bits(self) -> u32 {
        self.0
    }
    /// Whether it is no list.
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Display for ListId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One item of a list.
///
/// In a save, integers from 0 are `Uint`, other numbers `Float`, and an entity is `{"entity": 5}`, its place in
/// the saved list, or `null`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ListItem {
    /// An integer from 0.
    Uint(u64),
    /// Any other number.
    Float(f64),
    /// A reference to an entity; none is nobody.
    Entity(Option<EntityId>),
}

impl From<u64> for ListItem {
    fn from(n: u64) -> Self {
        Self::Uint(n)
    }
}

impl From<f64> for ListItem {
    fn from(n: f64) -> Self {
        Self::Float(n)
    }
}

impl From<EntityId> for ListItem {
    fn from(id: EntityId) -> Self {
        Self::Entity(Some(id))
    }
}

/// Why a list could not be read or changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ListError {
    /// No list has the number.
    #[error("there is no list {0}; it was released with its component, or is another world's")]
    Unknown(ListId),
    /// The list is shorter.
    #[error("list {list} has no item {place}; it has {len}")]
    NoItem {
        /// The list.
        list: ListId,
        /// The place that was asked for, from 0.
        place: usize,
        /// How many items it has.
        len: usize,
    },
    /// All four billion numbers were given out.
    #[error("four billion lists were made in this world; load it anew to make more")]
    Full,
}

/// Lists of numbers and entity references, found by number from any thread.
///
/// A list belongs to the component whose field with the role `List` holds its number. It is released with the
/// component's block, so that it cannot leak, and when another number is put into the field by `World::set`,
/// `Run::set` or an addition. One whose number a run wrote over in place, or that never came into a block, is released
/// by `World::shrink` or with the world's content. A list is never shared by two blocks: to hand on what one holds, make a
/// [`copy`](Self::copy).
///
/// Every call is whole by itself. What may be called when is the schedule's: change only lists of blocks your
/// system writes, and read only those of blocks it reads, then no other run is at them, and the order of changes
/// does not depend on threads.
///
/// ```
/// use vivarium_world::{ListId, ListItem, Lists};
///
/// let lists = Lists::default();
/// let mut cargo = ListId::NONE;
/// lists.push(&mut cargo, 12u64)?;
/// lists.push(&mut cargo, 0.5)?;
/// assert_eq!(lists.items(cargo)?.as_slice(), [ListItem::Uint(12), ListItem::Float(0.5)]);
/// assert_eq!(lists.remove(cargo, 0)?, ListItem::Uint(12));
/// assert_eq!(lists.len(cargo)?, 1);
/// # Ok::<(), vivarium_world::ListError>(())
/// ```
#[derive(Debug)]
pub struct Lists {
    /// Lists by the low bits of their numbers, so that threads seldom wait for each other.
    shards: [RwLock<Shard>; SHARDS],
    /// Where numbers begin: elsewhere in each heap, so that a number of another world is most likely unknown here.
    first: u32,
    issued: AtomicU64,
}

const SHARDS: usize = 16;

type Items = Arc<Vec<ListItem>>;
type Shard = HashMap<u32, Items>;

impl Default for Lists {
    fn default() -> Self {
        Self::starting_at(RandomState::new().hash_one(SHARDS) as u32)
    }
}

impl Lists {
    fn starting_at(first: u32) -> Self {
        Self { shards: Default::default(), first, issued: AtomicU64::new(0) }
    }

    /// Makes a list of these items.
    ///
    /// # Errors
    /// After four billion lists.
    pub fn create(&self, items: impl IntoIterator<Item = ListItem>) -> Result<ListId, ListError> {
        let list = loop {
            let issued = self.issued.fetch_add(1, Ordering::Relaxed);
            let issued = u32::try_from(issued).map_err(|_| ListError::Full)?;
            match self.first.wrapping_add(issued) {
                0 => {}
                number => break ListId(number),
            }
        };
        self.write(list).insert(list.0, Arc::new(items.into_iter().collect()));
        Ok(list)
    }

    /// A new list of the items another has now; no list for no list.
    ///
    /// # Errors
    /// If there is no such list, or after four billion.
    pub fn copy(&self, list: ListId) -> Result<ListId, ListError> {
        if list.is_none() { Ok(list) } else { self.create(self.items(list)?.iter().copied()) }
    }

    /// The items a list has now; later changes do not show in what is returned.
    ///
    /// # Errors
    /// If there is no such list.
    pub fn items(&self, list: ListId) -> Result<Arc<Vec<ListItem>>, ListError> {
        if list.is_none() {
            return Ok(Items::default());
        }
        self.read(list).get(&list.0).cloned().ok_or(ListError::Unknown(list))
    }

    /// How many items a list has.
    ///
    /// # Errors
    /// If there is no such list.
    pub fn len(&self, list: ListId) -> Result<usize, ListError> {
        if list.is_none() {
            return Ok(0);
        }
        self.read(list).get(&list.0).map(|items| items.len()).ok_or(ListError::Unknown(list))
    }

    /// An item.
    ///
    /// # Errors
    /// If there is no such list, or it is shorter.
    pub fn get(&self, list: ListId, place: usize) -> Result<ListItem, ListError> {
        let items = self.items(list)?;
        items.get(place).copied().ok_or(ListError::NoItem { list, place, len: items.len() })
    }

    /// Adds an item at the end. No list becomes a new one.
    ///
    /// # Errors
    /// If there is no such list, or after four billion.
    pub fn push(&self, list: &mut ListId, item: impl Into<ListItem>) -> Result<(), ListError> {
        if list.is_none() {
            *list = self.create([item.into()])?;
            return Ok(());
        }
        self.change(*list, |items| items.push(item.into()))
    }

    /// Puts an item in the place of another.
    ///
    /// # Errors
    /// If there is no such list, or it is shorter.
    pub fn set(&self, list: ListId, place: usize, item: impl Into<ListItem>) -> Result<(), ListError> {
        self.change_item(list, place, |items| items[place] = item.into())
    }

    /// Takes an item out; those behind it move up.
    ///
    /// # Errors
    /// If there is no such list, or it is shorter.
    pub fn remove(&self, list: ListId, place: usize) -> Result<ListItem, ListError> {
        self.change_item(list, place, |items| items.remove(place))
    }

    /// Gives a list other items. No list becomes a new one, unless there are no items.
    ///
    /// # Errors
    /// If there is no such list, or after four billion.
    pub fn assign(
        &self,
        list: &mut ListId,
        items: impl IntoIterator<Item = ListItem>,
    ) -> Result<(), ListError> {
        let new: Vec<ListItem> = items.into_iter().collect();
        match (list.is_none(), new.is_empty()) {
            (true, true) => Ok(()),
            (true, false) => self.create(new).map(|made| *list = made),
            (false, _) => self.change(*list, |items| *items = new),
        }
    }

    /// Takes a list away. The world does this for those that fields with the role `List` hold.
    ///
    /// # Errors
    /// If there is no such list, or not any more. Releasing no list does nothing.
    pub fn release(&self, list: ListId) -> Result<(), ListError> {
        if list.is_none() {
            return Ok(());
        }
        self.write(list).remove(&list.0).map(drop).ok_or(ListError::Unknown(list))
    }

    /// Releases a list that a block owned. One that was put into two blocks by hand is gone by the second.
    pub(crate) fn release_owned(&self, list: ListId) {
        let _ = self.release(list);
    }

    /// Releases all lists but those of some numbers.
    pub(crate) fn keep_only(&self, used: &HashSet<u32>) {
        for shard in &self.shards {
            let mut shard = shard.write().unwrap_or_else(|poisoned| poisoned.into_inner());
            shard.retain(|number, _| used.contains(number));
            shard.shrink_to_fit();
        }
    }

    /// How many lists there are.
    pub fn count(&self) -> usize {
        self.all_shards().map(|shard| shard.len()).sum()
    }

    /// Bytes of their items and the table that finds them.
    pub fn bytes(&self) -> usize {
        let entry = size_of::<(u32, Items)>() + size_of::<Vec<ListItem>>();
        let items =
            |shard: &Shard| shard.values().map(|list| list.capacity() * size_of::<ListItem>()).sum::<usize>();
        self.all_shards().map(|shard| items(&shard) + shard.capacity() * entry).sum()
    }

    fn change<R>(&self, list: ListId, change: impl FnOnce(&mut Vec<ListItem>) -> R) -> Result<R, ListError> {
        let mut shard = self.write(list);
        // Copied only while somebody still reads what it was.
        shard.get_mut(&list.0).map(|items| change(Arc::make_mut(items))).ok_or(ListError::Unknown(list))
    }

    fn change_item<R>(
        &self,
        list: ListId,
        place: usize,
        change: impl FnOnce(&mut Vec<ListItem>) -> R,
    ) -> Result<R, ListError> {
        if list.is_none() {
            return Err(ListError::NoItem { list, place, len: 0 });
        }
        self.change(list, |items| match items.len() {
            len if place < len => Ok(change(items)),
            len => Err(ListError::NoItem { list, place, len }),
        })?
    }

    fn all_shards(&self) -> impl Iterator<Item = RwLockReadGuard<'_, Shard>> {
        self.shards.iter().map(|shard| shard.read().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }

    fn read(&self, list: ListId) -> RwLockReadGuard<'_, Shard> {
        // No change panics halfway, so what a poisoned lock guards is whole.
        self.shard(list).read().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn write(&self, list: ListId) -> RwLockWriteGuard<'_, Shard> {
        self.shard(list).write().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn shard(&self, list: ListId) -> &RwLock<Shard> {
        &self.shards[list.0 as usize % SHARDS]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_released_or_foreign_number_finds_no_list_and_never_another_one() {
        let lists = Lists::starting_at(7);
        let old = lists.create([ListItem::Uint(1)]).unwrap();
        lists.release(old).unwrap();
        let new = lists.create([ListItem::Uint(2)]).unwrap();
        assert_ne!(old, new);
        assert_eq!(lists.items(old), Err(ListError::Unknown(old)));
        assert_eq!(lists.release(old), Err(ListError::Unknown(old)));
        assert_eq!(lists.set(old, 0, 3u64), Err(ListError::Unknown(old)));
        let foreign = Lists::starting_at(7000).create([]).unwrap();
        assert_eq!(lists.remove(foreign, 0), Err(ListError::Unknown(foreign)));
        assert_eq!(lists.items(new).unwrap().as_slice(), [ListItem::Uint(2)]);
    }

    #[test]
    fn numbers_are_given_out_once_and_zero_never() {
        let lists = Lists::starting_at(u32::MAX);
        assert_eq!(lists.create([]).unwrap().bits(), u32::MAX);
        assert_eq!(lists.create([]).unwrap().bits(), 1);
        lists.issued.store(1 << 32, Ordering::Relaxed);
        assert_eq!(lists.create([]), Err(ListError::Full));
    }

    #[test]
    fn no_list_reads_as_empty_and_becomes_one_with_its_first_item() {
        let lists = Lists::default();
        let mut list = ListId::NONE;
        assert_eq!((lists.len(list), lists.items(list).unwrap().len()), (Ok(0), 0));
        assert_eq!(lists.remove(list, 0), Err(ListError::NoItem { list, place: 0, len: 0 }));
        lists.assign(&mut list, []).unwrap();
        assert!(list.is_none() && lists.copy(list) == Ok(list) && lists.release(list) == Ok(()));
        lists.push(&mut list, 0.5).unwrap();
        assert_eq!((lists.len(list), lists.count()), (Ok(1), 1));
    }

    #[test]
    fn what_was_read_does_not_change_under_its_reader() {
        let lists = Lists::default();
        let mut list = lists.create([ListItem::Uint(1)]).unwrap();
        let before = lists.items(list).unwrap();
        lists.push(&mut list, 2u64).unwrap();
        assert_eq!((before.len(), lists.len(list)), (1, Ok(2)));
    }

    #[test]
    fn lists_of_several_threads_do_not_mix() {
        let lists = Lists::default();
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                let lists = &lists;
                scope.spawn(move || {
                    for _ in 0..200 {
                        let mut list = ListId::NONE;
                        (0..5).for_each(|n| lists.push(&mut list, thread * 10 + n).unwrap());
                        let expected: Vec<ListItem> = (0..5).map(|n| (thread * 10 + n).into()).collect();
                        assert_eq!(*lists.items(list).unwrap(), expected);
                        lists.release(list).unwrap();
                    }
                });
            }
        });
        assert_eq!(lists.count(), 0);
    }

    proptest! {
        #[test]
        fn a_list_is_a_vector(ops in proptest::collection::vec((0..4u8, 0..6usize, 0..100u64), 0..80)) {
            let (lists, mut list, mut model) = (Lists::default(), ListId::NONE, Vec::new());
            for (op, place, n) in ops {
                match op {
                    0 | 1 => {
                        lists.push(&mut list, n).unwrap();
                        model.push(ListItem::Uint(n));
                    }
                    2 => {
                        let removed = (place < model.len()).then(|| model.remove(place));
                        prop_assert_eq!(lists.remove(list, place).ok(), removed);
                    }
                    _ => {
                        let there = place < model.len();
                        prop_assert_eq!(lists.set(list, place, n).is_ok(), there);
                        model.iter_mut().skip(place).take(1).for_each(|item| *item = ListItem::Uint(n));
                    }
                }
                prop_assert_eq!(&*lists.items(list).unwrap(), &model);
                prop_assert_eq!(lists.get(list, place).ok(), model.get(place).copied());
            }
        }
    }
}
