//! From an id's slot to its generation and row, readable from runs.

#![expect(unsafe_code, reason = "keeps its entries in zeroed memory; the invariants are in `memory`")]

use super::zeroed::Zeroed;
use crate::id::EntityId;
use crate::sync::{AtomicU32, AtomicU64, Ordering};
use std::ptr::NonNull;
use std::sync::Arc;

/// No row: the slot is free, or its entity is not adopted yet.
const NO_ROW: u32 = u32::MAX;

/// An entry a slot: generation above, the complement of the row below, so that zero is a slot nobody ever had.
///
/// Runs look up entities of their declared access while the world thread changes entries of others, so entries
/// are atomic. A table that is too short is replaced by a longer copy; a run keeps the one it began with.
pub(crate) struct SlotTable {
    entries: NonNull<AtomicU64>,
    len: usize,
    /// What the entries are in: they are looked up at random, so in huge pages where there are any.
    _memory: Option<Zeroed>,
}

// SAFETY: the entries are atomic, and the memory is this table's alone.
unsafe impl Send for SlotTable {}
// SAFETY: as above.
unsafe impl Sync for SlotTable {}

#[inline]
fn entry(generation: u32, row: u32) -> u64 {
    (generation as u64) << 32 | !row as u64
}

impl SlotTable {
    /// A table of slots nobody ever had.
    #[cfg(not(loom))]
    fn new(len: usize) -> Self {
        if len == 0 {
            return Self { entries: NonNull::dangling(), len, _memory: None };
        }
        let memory = Zeroed::new(len.saturating_mul(size_of::<AtomicU64>()));
        Self { entries: memory.start().cast(), len, _memory: Some(memory) }
    }

    /// As above; the atomics of the model checker are more than zeroed memory.
    #[cfg(loom)]
    fn new(len: usize) -> Self {
        let entries: Vec<AtomicU64> = (0..len).map(|_| AtomicU64::new(0)).collect();
        let entries = Vec::leak(entries);
        Self { entries: NonNull::from(&mut *entries).cast(), len, _memory: None }
    }

    #[inline]
    fn entries(&self) -> &[AtomicU64] {
        // SAFETY: `len` entries lie there, zeroed when they were made, for as long as the table has its memory.
        unsafe { std::slice::from_raw_parts(self.entries.as_ptr(), self.len) }
    }

    /// The row of an entity that is there.
    #[inline]
    pub(crate) fn row(&self, id: EntityId) -> Option<u32> {
        // Relaxed: what a run may read of the row was ordered by its dispatch.
        let entry = self.entries().get(id.slot() as usize)?.load(Ordering::Relaxed);
        let row = !entry as u32;
        ((entry >> 32) as u32 == id.generation() && row != NO_ROW).then_some(row)
    }

    /// The present id of a slot in use.
    #[inline]
    pub(crate) fn id_of(&self, slot: u32) -> Option<EntityId> {
        let entry = self.entries().get(slot as usize)?.load(Ordering::Relaxed);
        (!entry as u32 != NO_ROW).then(|| EntityId::new(slot, (entry >> 32) as u32))
    }
}

/// The slots, as the world thread changes them.
pub(crate) struct Slots {
    table: Arc<SlotTable>,
    /// Ids to hand out again, each of the next generation of its slot.
    free: Vec<EntityId>,
    /// The first slot that was never handed out; taken from any thread.
    next: Arc<AtomicU32>,
    /// The generation a slot begins with.
    first_generation: u32,
    /// The greatest generation of any id so far.
    greatest: u32,
    /// Slots are not handed out again after this generation.
    last_generation: u32,
}

impl Default for Slots {
    fn default() -> Self {
        Self::beginning_with(1)
    }
}

impl Slots {
    fn beginning_with(generation: u32) -> Self {
        Self {
            table: Arc::new(SlotTable::new(0)),
            free: Vec::new(),
            next: Arc::default(),
            first_generation: generation,
            greatest: generation,
            last_generation: u32::MAX,
        }
    }

    /// Empty slots whose ids differ from every id of these.
    pub(crate) fn successor(&self) -> Self {
        Self::beginning_with(self.successor_generation())
    }

    /// The generation with which ids begin that differ from every id of these.
    pub(crate) fn successor_generation(&self) -> u32 {
        // Relaxed: the world thread asks, and no run is open.
        let untouched = self.next.load(Ordering::Relaxed) == 0;
        if untouched { self.greatest } else { self.greatest.saturating_add(1) }
    }

    /// Sees that no id handed out from now on is one of a successor's, which has ids already.
    pub(crate) fn end_before(&mut self, successor: &Self) {
        self.last_generation = successor.first_generation.saturating_sub(1);
        if self.first_generation > self.last_generation {
            // No id was handed out yet, so the successor begins where this does.
            self.first_generation = u32::MAX;
        }
    }

    pub(crate) fn table(&self) -> &Arc<SlotTable> {
        &self.table
    }

    #[inline]
    pub(crate) fn row(&self, id: EntityId) -> Option<u32> {
        self.table.row(id)
    }

    /// An id nobody has.
    #[inline]
    pub(crate) fn reserve(&mut self) -> EntityId {
        self.free.pop().unwrap_or_else(|| self.reserve_fresh())
    }

    /// Adds ids nobody has.
    pub(crate) fn reserve_all(&mut self, mut count: usize, ids: &mut Vec<EntityId>) {
        let kept = count.min(self.free.len());
        ids.extend(self.free.drain(self.free.len() - kept..).rev());
        count -= kept;
        // Relaxed: only that each number is taken once matters.
        let first = self.next.fetch_add(count as u32, Ordering::Relaxed);
        ids.extend((first..first + count as u32).map(|slot| EntityId::new(slot, self.first_generation)));
    }

    /// Says that entities are in rows side by side.
    pub(crate) fn bind_run(&mut self, ids: &[EntityId], row: u32) {
        let most = ids.iter().map(|id| id.slot() as usize).max().unwrap_or(0);
        if most >= self.table.len {
            self.grow(most + 1);
        }
        let entries = self.table.entries();
        for (id, row) in ids.iter().zip(row..) {
            entries[id.slot() as usize].store(entry(id.generation(), row), Ordering::Relaxed);
        }
    }

    #[cold]
    fn reserve_fresh(&mut self) -> EntityId {
        /// Slots taken at once, so that the shared counter is seldom touched.
        const AT_ONCE: u32 = 64;
        // Relaxed: only that each number is taken once matters.
        let (first, generation) = (self.next.fetch_add(AT_ONCE, Ordering::Relaxed), self.first_generation);
        self.free.extend((first + 1..first + AT_ONCE).rev().map(|slot| EntityId::new(slot, generation)));
        EntityId::new(first, generation)
    }

    /// The present id of a slot in use.
    #[inline]
    pub(crate) fn id_of(&self, slot: u32) -> Option<EntityId> {
        self.table.id_of(slot)
    }

    /// Ids for a run: some to be used first, and a way to more.
    pub(crate) fn lend(&mut self, about: usize) -> ReservedIds {
        let from = self.free.len().saturating_sub(about);
        ReservedIds {
            ids: self.free.split_off(from),
            next: self.next.clone(),
            first_generation: self.first_generation,
        }
    }

    /// Takes back ids a run reserved and did not use.
    pub(crate) fn take_back(&mut self, ids: impl IntoIterator<Item = EntityId>) {
        self.free.extend(ids);
    }

    /// Says where an entity's row is.
    #[inline]
    pub(crate) fn bind(&mut self, id: EntityId, row: u32) {
        let slot = id.slot() as usize;
        if slot >= self.table.len {
            self.grow(slot + 1);
        }
        self.table.entries()[slot].store(entry(id.generation(), row), Ordering::Relaxed);
    }

    /// Makes room for more entities than there are slots.
    pub(crate) fn make_room(&mut self, more: usize) {
        // Relaxed: about right is enough.
        let least = self.next.load(Ordering::Relaxed) as usize + more.saturating_sub(self.free.len());
        if least > self.table.len {
            self.grow(least);
        }
    }

    #[cold]
    fn grow(&mut self, least: usize) {
        let longer = SlotTable::new(least.max(self.table.len * 2).max(64));
        for (to, from) in longer.entries().iter().zip(self.table.entries()) {
            to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        self.table = Arc::new(longer);
    }

    /// Makes an id stale, and hands its slot out again in the next generation. A slot whose generations are used
    /// up stays unused.
    #[inline]
    pub(crate) fn release(&mut self, id: EntityId) {
        self.table.entries()[id.slot() as usize].store(entry(id.generation(), NO_ROW), Ordering::Relaxed);
        self.retire(id);
    }

    /// Hands the slot of an id that may be written down somewhere out again in the next generation.
    #[inline]
    pub(crate) fn retire(&mut self, id: EntityId) {
        if id.generation() < self.last_generation {
            let generation = id.generation() + 1;
            self.greatest = self.greatest.max(generation);
            self.free.push(EntityId::new(id.slot(), generation));
        }
    }

    /// Gives back room kept for more.
    pub(crate) fn shrink(&mut self) {
        self.free.shrink_to_fit();
    }

    pub(crate) fn bytes(&self) -> usize {
        self.table.len * 8 + self.free.capacity() * size_of::<EntityId>()
    }
}

/// Ids a run may give to what it creates.
#[derive(Debug, Default)]
pub(crate) struct ReservedIds {
    ids: Vec<EntityId>,
    next: Arc<AtomicU32>,
    first_generation: u32,
}

impl ReservedIds {
    #[inline]
    pub(crate) fn take(&mut self) -> EntityId {
        // Relaxed: only that each number is taken once matters.
        self.ids.pop().unwrap_or_else(|| {
            EntityId::new(self.next.fetch_add(1, Ordering::Relaxed), self.first_generation)
        })
    }

    /// Cuts off shares for others, of which there are `count`.
    pub(crate) fn share(&mut self, count: usize) -> Vec<Self> {
        let each = self.ids.len() / (count + 1);
        let share = |_| Self {
            ids: self.ids.split_off(self.ids.len() - each),
            next: self.next.clone(),
            first_generation: self.first_generation,
        };
        (0..count).map(share).collect()
    }

    /// Takes back what was not used of a share.
    pub(crate) fn take_back(&mut self, share: Self) {
        self.ids.extend(share.ids);
    }

    /// What was not used.
    pub(crate) fn rest(self) -> Vec<EntityId> {
        self.ids
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stale_id_finds_nothing_and_never_its_successor() {
        let mut slots = Slots::default();
        let first = slots.reserve();
        slots.bind(first, 7);
        assert_eq!(slots.row(first), Some(7));
        slots.release(first);
        assert_eq!(slots.row(first), None);
        let second = slots.reserve();
        assert_eq!((second.slot(), second.generation()), (first.slot(), first.generation() + 1));
        slots.bind(second, 9);
        assert_eq!((slots.row(first), slots.row(second)), (None, Some(9)));
    }

    #[test]
    fn ids_reserved_from_any_thread_are_all_different() {
        let mut slots = Slots::default();
        let lent: Vec<ReservedIds> = (0..4).map(|_| slots.lend(10)).collect();
        let take = |mut ids: ReservedIds| (0..1000).map(|_| ids.take()).collect::<Vec<_>>();
        let mut all: Vec<EntityId> = std::thread::scope(|scope| {
            let threads: Vec<_> = lent.into_iter().map(|ids| scope.spawn(move || take(ids))).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        all.push(slots.reserve());
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 4001);
    }

    #[test]
    fn a_slot_whose_generations_are_used_up_is_not_reused() {
        let mut slots = Slots::default();
        let id = EntityId::new(slots.reserve().slot(), u32::MAX);
        slots.bind(id, 1);
        slots.release(id);
        assert_ne!(slots.reserve().slot(), id.slot());
    }
}
