//! One component of many entities, changed without asking for each what is the same for all.

use super::deferred::{Asked, DeferredFree};
use super::{AccessFault, World};
use crate::component::Component;
use crate::id::{ComponentId, EntityId};
use crate::memory::{Pool, Presence, Rows, SlotTable};
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
            4 => self.apply_blocks(kind, ids, blocks.as_chunks::<4>().0.iter()),
            8 => self.apply_blocks(kind, ids, blocks.as_chunks::<8>().0.iter()),
            12 => self.apply_blocks(kind, ids, blocks.as_chunks::<12>().0.iter()),
            16 => self.apply_blocks(kind, ids, blocks.as_chunks::<16>().0.iter()),
            0 => self.apply_blocks(kind, ids, std::iter::repeat(&[0_u8; 0])),
            size => self.apply_blocks(kind, ids, blocks.chunks_exact(size)),
        }
    }

    #[inline(always)]
    fn apply_blocks<B: AsRef<[u8]>>(
        &mut self,
        kind: ChangeKind,
        ids: &[EntityId],
        blocks: impl Iterator<Item = B>,
    ) -> Vec<usize> {
        let mut refused = Vec::new();
        let mut note = |k: usize, done: bool| {
            if !done {
                refused.push(k);
            }
        };
        let changes = ids.iter().zip(blocks).enumerate();
        match kind {
            ChangeKind::Put => changes.for_each(|(k, (&id, block))| note(k, self.put(id, block.as_ref()))),
            ChangeKind::Set => changes.for_each(|(k, (&id, block))| note(k, self.set(id, block.as_ref()))),
            ChangeKind::Remove => changes.for_each(|(k, (&id, _))| note(k, self.remove(id))),
        }
        refused
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
