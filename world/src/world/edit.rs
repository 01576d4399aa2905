//! One component of many entities, changed without asking for each what is the same for all.

use super::deferred::{Asked, DeferredFree};
use super::{AccessFault, World};
use crate::component::Component;
use crate::id::{ComponentId, EntityId};
use crate::memory::{Pool, Presence, Rows, SlotTable, run_of_ones};
use crate::system::ChangeKind;
use std::marker::PhantomData;

/// Adds, writes and removes one component of many entities, with the rules of [`World::add`] and
/// [`World::remove_component`]; quicker than these by what it asks only once.
pub struct Edit<'w, T> {
    way: Way<'w>,
    block: PhantomData<T>,
}

enum Way<'w> {
    Quick(QuickEdit<'w>),
    /// Somebody is to be told or asked, or a run has the pool.
    Usual(&'w mut World),
}

impl World {
    /// Changes a component of many entities.
    ///
    /// ```
    /// # use vivarium_world::{Catalog, Component, ComponentDef, World, WorldOptions};
    /// # #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)] #[repr(C)] struct Chosen;
    /// # impl Component for Chosen {
    /// #     const NAME: &'static str = "chosen";
    /// #     fn definition() -> ComponentDef { ComponentDef::of::<Self>() }
    /// # }
    /// let catalog = Catalog::new().component::<Chosen>()?;
    /// let mut world = World::new(&catalog, WorldOptions::default())?;
    /// let ids = world.spawn_batch([(Chosen,), (Chosen,)]);
    ///
    /// let mut chosen = world.edit::<Chosen>()?;
    /// assert!(chosen.remove(ids[0]));
    /// assert!(!chosen.remove(ids[0]));
    /// chosen.add(ids[0], Chosen)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the type is not registered, or is `entity`.
    pub fn edit<T: Component>(&mut self) -> Result<Edit<'_, T>, AccessFault> {
        let component = self.registered::<T>()?;
        if component == ComponentId::ENTITY {
            return Err(AccessFault::BuiltIn);
        }
        let way = match self.can_edit_quickly(component) {
            true => Way::Quick(self.edit_quickly(component)),
            false => Way::Usual(self),
        };
        Ok(Edit { way, block: PhantomData })
    }

    /// Whether changes of a component change its pool and nothing else, and no run has it.
    pub(super) fn can_edit_quickly(&self, component: ComponentId) -> bool {
        self.shared.registry.is_plain(component)
            && !self.shared.factory.has_classes()
            && !self.listeners.any()
            && !self.storage.pool(component).is_lent()
    }

    pub(super) fn edit_quickly(&mut self, component: ComponentId) -> QuickEdit<'_> {
        let (asked, owed) = (self.asked(), self.deferred.empty_set());
        let (slots, rows, pool) = self.storage.split(component);
        QuickEdit { slots, rows, pool, deferred: &mut self.deferred, component, asked, owed }
    }
}

impl<T: Component> Edit<'_, T> {
    /// Adds the component; one that is there is replaced.
    ///
    /// # Errors
    /// If the entity is gone, its class does not permit the component, or the component's hook refuses.
    #[inline]
    pub fn add(&mut self, id: EntityId, value: T) -> Result<(), AccessFault> {
        match &mut self.way {
            Way::Quick(edit) => match edit.put(id, bytemuck::bytes_of(&value)) {
                true => Ok(()),
                false => Err(AccessFault::NoEntity(id)),
            },
            Way::Usual(world) => world.add(id, value),
        }
    }

    /// Removes the component; whether it was there.
    #[inline]
    pub fn remove(&mut self, id: EntityId) -> bool {
        match &mut self.way {
            Way::Quick(edit) => edit.remove(id),
            Way::Usual(world) => world.remove_component::<T>(id).is_ok(),
        }
    }

    /// Writes the component in place through a closure. None if the entity is gone or does not have it.
    #[inline]
    pub fn update<R>(&mut self, id: EntityId, change: impl FnOnce(&mut T) -> R) -> Option<R> {
        match &mut self.way {
            Way::Quick(edit) => edit.bytes_of_mut(id).map(|block| change(bytemuck::from_bytes_mut(block))),
            Way::Usual(world) => world.update_component(id, change),
        }
    }
}

/// Changes of a plain component whose pool no run has. What is removed is owed when this is dropped; as no run is
/// open that has the pool, nothing is at stake if it is forgotten.
pub(super) struct QuickEdit<'w> {
    slots: &'w SlotTable,
    rows: &'w mut Rows,
    pool: &'w mut Pool,
    deferred: &'w mut DeferredFree,
    component: ComponentId,
    asked: Asked,
    /// Rows whose block was removed.
    owed: Presence,
}

impl QuickEdit<'_> {
    /// Puts a block into an entity's row, whether or not there was one; false if the entity is gone.
    #[inline(always)]
    pub(super) fn put(&mut self, id: EntityId, block: &[u8]) -> bool {
        let Some(row) = self.slots.row(id) else { return false };
        let before = self.pool.present().word(row as usize / 64);
        if before >> (row % 64) & 1 == 1 {
            self.pool.exchange(row, block);
            return true;
        }
        if self.owed.has(row) || self.pool.deferred().has(row) {
            self.reclaim(row);
        }
        // Another row of the word has it: that was noted then.
        if before == 0 {
            self.rows.note_late(row, self.component);
        }
        self.pool.insert(row, block);
        true
    }

    /// As `put`, if the entity has the component; whether it does.
    #[inline(always)]
    pub(super) fn set(&mut self, id: EntityId, block: &[u8]) -> bool {
        let row = self.slots.row(id).filter(|&row| self.pool.present().has(row));
        row.map(|row| self.pool.replace(row, block)).is_some()
    }

    #[inline(always)]
    fn remove(&mut self, id: EntityId) -> bool {
        let Some(row) = self.slots.row(id) else { return false };
        let there = self.pool.take(row);
        if there {
            self.owed.set(row);
        }
        there
    }

    /// Applies changes of one kind, whose blocks of `size` bytes lie one behind another; the places of those that
    /// could not be made.
    pub(super) fn apply(
        &mut self,
        kind: ChangeKind,
        ids: &[EntityId],
        blocks: &[u8],
        size: usize,
    ) -> Vec<usize> {
        // Blocks of usual sizes are copied as such.
        match size {
            4 => self.apply_blocks(kind, ids, blocks, size, |k| &blocks.as_chunks::<4>().0[k]),
            8 => self.apply_blocks(kind, ids, blocks, size, |k| &blocks.as_chunks::<8>().0[k]),
            12 => self.apply_blocks(kind, ids, blocks, size, |k| &blocks.as_chunks::<12>().0[k]),
            16 => self.apply_blocks(kind, ids, blocks, size, |k| &blocks.as_chunks::<16>().0[k]),
            size => self.apply_blocks(kind, ids, blocks, size, |k| &blocks[k * size..(k + 1) * size]),
        }
    }

    #[inline(always)]
    fn apply_blocks<'b>(
        &mut self,
        kind: ChangeKind,
        ids: &[EntityId],
        blocks: &'b [u8],
        size: usize,
        block: impl Fn(usize) -> &'b [u8],
    ) -> Vec<usize> {
        let mut refused = Vec::new();
        let mut at = 0;
        while at < ids.len() {
            // Runs mostly ask in the order of rows.
            let len = self.side_by_side(&ids[at..]);
            let these = at..at + len;
            at += len;
            let blocks = &blocks[these.start * size..these.end * size];
            let done = match (kind, self.slots.row(ids[these.start])) {
                (ChangeKind::Put, Some(row)) if len > 1 => self.put_run(row, len as u32, blocks),
                (ChangeKind::Set, Some(row)) if len > 1 => self.set_run(row, len as u32, blocks),
                _ => false,
            };
            for k in these.filter(|_| !done) {
                let done = match kind {
                    ChangeKind::Put => self.put(ids[k], block(k)),
                    ChangeKind::Set => self.set(ids[k], block(k)),
                    ChangeKind::Remove => self.remove(ids[k]),
                };
                if !done {
                    refused.push(k);
                }
            }
        }
        refused
    }

    /// How many of the first entities have rows side by side in one word; at least one.
    #[inline(always)]
    fn side_by_side(&self, ids: &[EntityId]) -> usize {
        let Some(first) = self.slots.row(ids[0]) else { return 1 };
        let most = ids.len().min(64 - first as usize % 64);
        let follows = |k: &usize| self.slots.row(ids[*k]) == Some(first + *k as u32);
        1 + (1..most).take_while(follows).count()
    }

    /// Puts blocks into rows side by side in a word, if none of them has or had one lately; whether it did.
    #[inline(always)]
    fn put_run(&mut self, row: u32, len: u32, blocks: &[u8]) -> bool {
        let (word, rows) = (row as usize / 64, run_of_ones(row % 64, len));
        let before = self.pool.present().word(word);
        let taken = before | self.owed.word(word) | self.pool.deferred().word(word);
        if taken & rows != 0 {
            return false;
        }
        if before == 0 {
            self.rows.note_late(row, self.component);
        }
        self.pool.insert_run(row, len, blocks);
        true
    }

    /// Writes over the blocks of rows side by side in a word, if all of them have one; whether it did.
    #[inline(always)]
    fn set_run(&mut self, row: u32, len: u32, blocks: &[u8]) -> bool {
        let rows = run_of_ones(row % 64, len);
        let all = self.pool.present().word(row as usize / 64) & rows == rows;
        if all {
            self.pool.replace_run(row, len, blocks);
        }
        all
    }

    #[inline(always)]
    fn bytes_of_mut(&mut self, id: EntityId) -> Option<&mut [u8]> {
        self.pool.bytes_of_mut(self.slots.row(id)?)
    }

    /// Lets a row have a new block whose old one is owed.
    #[cold]
    fn reclaim(&mut self, row: u32) {
        if !self.owed.clear(row) {
            self.deferred.reclaim(self.component, row);
            self.pool.free(row);
        }
    }
}

impl Drop for QuickEdit<'_> {
    fn drop(&mut self) {
        let owed = std::mem::take(&mut self.owed);
        if owed.count() == 0 {
            return self.deferred.recycle(owed);
        }
        self.pool.defer_all(&owed);
        self.deferred.owe_all(self.component, owed, self.asked);
    }
}
