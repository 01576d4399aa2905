//! Puts the values of new entities of one kind into their rows.

#![expect(
    unsafe_code,
    reason = "writes blocks of free rows through raw pages; the invariants are in `memory`"
)]

use super::storage::{Storage, StorageToken};
use super::{ArchetypeId, Pool};
use crate::component::{Component, Entity};
use crate::id::{ComponentId, EntityId};
use std::ptr::NonNull;

/// Where entities made of the same values go. New rows of an archetype mostly come in order, so the pages of the word
/// they are in are looked up once.
pub(crate) struct Placer {
    archetype: ArchetypeId,
    /// In the order of the values.
    components: Box<[ComponentId]>,
    /// Whose pages these are.
    storage: StorageToken,
    /// How often that storage had given pages back when these were looked up.
    pages_given_back: u64,
    word: u32,
    /// The page of the ids, of `entity`, and of each value, with the size of a block.
    pages: Vec<(NonNull<u8>, usize)>,
}

// SAFETY: the pages are written only together with the storage they belong to, which is borrowed alone then.
unsafe impl Send for Placer {}

/// No word.
const NOWHERE: u32 = u32::MAX;

/// The row of a new entity, to be filled.
pub(crate) struct NewRow<'a> {
    pages: &'a [(NonNull<u8>, usize)],
    in_word: usize,
}

impl Placer {
    /// Places entities of an archetype of a storage, which is `entity` and these components.
    pub(crate) fn new(storage: &Storage, archetype: ArchetypeId, components: Vec<ComponentId>) -> Self {
        let (components, storage) = (components.into(), storage.token());
        Self { archetype, components, storage, pages_given_back: 0, word: NOWHERE, pages: Vec::new() }
    }

    pub(crate) fn archetype(&self) -> ArchetypeId {
        self.archetype
    }

    /// Gives an entity a row of its archetype and calls `fill` to put its values there. Queries find it.
    #[inline(always)]
    pub(crate) fn place(
        &mut self,
        storage: &mut Storage,
        id: EntityId,
        fill: impl FnOnce(&mut NewRow<'_>),
    ) -> u32 {
        let row = storage.take_row(self.archetype);
        if self.word != row / 64 || !self.is_open_in(storage) {
            self.open(storage, row / 64);
        }
        let mut new = NewRow { pages: &self.pages, in_word: row as usize % 64 };
        new.write(0, &id);
        new.write(1, &Entity::new(0, false, false));
        fill(&mut new);
        storage.settle_filled(row, id);
        if storage.may_be_watched() {
            storage.mark_new(row, ComponentId::ENTITY);
            self.components.iter().for_each(|&component| storage.mark_new(row, component));
        }
        row
    }

    /// Gives entities rows side by side for as many values as there are; the new ids are added to `ids`. Stops at the
    /// end of a word; gives how many it made.
    #[inline]
    pub(crate) fn place_run<B>(
        &mut self,
        storage: &mut Storage,
        values: &mut impl Iterator<Item = B>,
        ids: &mut Vec<EntityId>,
        fill: impl Fn(&mut NewRow<'_>, B),
    ) -> usize {
        let (row, most) = storage.lowest_run(self.archetype);
        if self.word != row / 64 || !self.is_open_in(storage) {
            self.open(storage, row / 64);
        }
        let mut new = NewRow { pages: &self.pages, in_word: row as usize % 64 };
        let end = new.in_word + most as usize;
        // Nobody has the rows yet: nothing is lost if the values panic.
        while new.in_word < end
            && let Some(value) = values.next()
        {
            new.write(1, &Entity::new(0, false, false));
            fill(&mut new, value);
            new.in_word += 1;
        }
        let count = new.in_word - row as usize % 64;
        if count > 0 {
            storage.settle_run(row, count as u32, ids);
            if storage.may_be_watched() {
                for component in [ComponentId::ENTITY].iter().chain(&self.components) {
                    (row..row + count as u32).for_each(|row| storage.mark_new(row, *component));
                }
            }
        }
        count
    }

    #[inline(always)]
    fn is_open_in(&self, storage: &Storage) -> bool {
        self.storage.is_of(storage) && self.pages_given_back == storage.pages_given_back
    }

    #[cold]
    fn open(&mut self, storage: &mut Storage, word: u32) {
        (self.storage, self.pages_given_back) = (storage.token(), storage.pages_given_back);
        let own = [ComponentId::ENTITY];
        self.pages.clear();
        self.pages.push(page(&mut storage.ids, word));
        for component in own.iter().chain(&self.components) {
            self.pages.push(page(&mut storage.pools[component.index()], word));
        }
        self.word = word;
    }
}

fn page(pool: &mut Pool, word: u32) -> (NonNull<u8>, usize) {
    pool.ensure_pages(word as usize, 1);
    (pool.page(word as usize), pool.block_size())
}

impl NewRow<'_> {
    /// Writes the value at a place of the bundle.
    #[inline(always)]
    pub(crate) fn put<T: Component>(&mut self, place: usize, value: &T) {
        self.write(place + 2, value);
    }

    #[inline(always)]
    fn write<T: bytemuck::NoUninit>(&mut self, page: usize, value: &T) {
        let (page, size) = self.pages[page];
        assert!(size == size_of::<T>(), "a block is written whole");
        // SAFETY: the page has 64 blocks of this size and alignment (invariant 7); the storage it was looked up in has
        // given none back since, so it is there (invariant 1).
        // The row is new, so no run has it in its mask (invariant 4), and the storage is borrowed alone.
        unsafe { page.cast::<T>().add(self.in_word).write(*value) };
    }
}
