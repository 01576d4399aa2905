//! Components of other entities, read by id during a run.

#![expect(unsafe_code, reason = "reads blocks of a pool lent to the run; the invariants are in `memory`")]

use super::directory::Directory;
use super::pool::Pool;
use super::rows::Rows;
use super::slots::SlotTable;
use crate::component::Component;
use crate::id::{ComponentId, EntityId};
use std::any::TypeId;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::Arc;

/// A component that a system's runs read of any entity.
pub(crate) struct LookupPlan {
    pub(crate) component: ComponentId,
    /// Its type in Rust.
    rust_type: Option<TypeId>,
    /// Which rows have it, copied again only after that changed.
    present: Arc<[u64]>,
    version: Option<u64>,
    /// Whether runs write it too.
    writes: bool,
}

impl LookupPlan {
    pub(crate) fn new(component: ComponentId, rust_type: Option<TypeId>) -> Self {
        Self { component, rust_type, present: Arc::new([]), version: None, writes: false }
    }

    /// One that runs write, too.
    pub(crate) fn to_write(component: ComponentId, rust_type: Option<TypeId>) -> Self {
        Self { writes: true, ..Self::new(component, rust_type) }
    }

    /// The same for a storage that was built anew.
    pub(crate) fn again(&self) -> Self {
        Self { writes: self.writes, ..Self::new(self.component, self.rust_type) }
    }

    pub(super) fn of(&mut self, pool: &Pool, rows: &Rows) -> Lookup {
        // Both only grow, so the sum tells whether one did.
        let version = Some(pool.version().wrapping_add(rows.version()));
        if self.version != version {
            self.version = version;
            // Who gets a free row during the run has nothing in it for the run.
            let held = pool.present().words().iter().zip(rows.free()).map(|(present, free)| present & !free);
            self.present = held.collect();
        }
        let (rust_type, block_size, writes) = (self.rust_type, pool.block_size(), self.writes);
        Lookup {
            component: self.component,
            writes,
            rust_type,
            block_size,
            present: self.present.clone(),
            directory: pool.directory(),
        }
    }
}

/// A pool as it was at dispatch; the run has borrowed it to read.
pub(super) struct Lookup {
    component: ComponentId,
    /// Whether the run has borrowed it alone, to write.
    writes: bool,
    rust_type: Option<TypeId>,
    block_size: usize,
    present: Arc<[u64]>,
    directory: Arc<Directory>,
}

/// A component of any entity, read by id while the world thread visits a query.
pub struct Reader<'a, T> {
    slots: &'a SlotTable,
    present: &'a [u64],
    directory: &'a Directory,
    block: PhantomData<&'a T>,
}

impl<T> Clone for Reader<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Reader<'_, T> {}

impl<'a, T: Component> Reader<'a, T> {
    /// The blocks of a pool that no run writes; it and the slots stay as they are while this is used.
    pub(super) fn new(slots: &'a SlotTable, pool: &'a Pool) -> Self {
        assert!(pool.block_size() == size_of::<T>(), "a component's blocks have its type");
        assert!(!pool.is_lent_to_write(), "no run writes what the world thread reads");
        let (present, directory) = (pool.present().words(), pool.directory_ref());
        Self { slots, present, directory, block: PhantomData }
    }

    /// The component of an entity; none if the entity is gone or does not have it.
    #[inline(always)]
    pub fn get(&self, id: EntityId) -> Option<&'a T> {
        let row = self.slots.row(id)?;
        if self.present.get(row as usize / 64)? >> (row % 64) & 1 == 0 {
            return None;
        }
        if size_of::<T>() == 0 {
            // SAFETY: any aligned address is good for a value without size.
            return Some(unsafe { NonNull::dangling().as_ref() });
        }
        // SAFETY: the row has a block, so its word has a page in the pool's directory.
        let page = unsafe { self.directory.page_unchecked(row as usize / 64) };
        // SAFETY: the page has 64 blocks of `T` (invariant 7), and nobody writes them while the pool is borrowed.
        Some(unsafe { &*page.cast::<T>().add(row as usize % 64) })
    }
}

/// All a run reads by id.
pub(crate) struct Lookups {
    slots: Arc<SlotTable>,
    pools: Vec<Lookup>,
}

impl Lookups {
    pub(super) fn new(slots: Arc<SlotTable>, pools: impl Iterator<Item = Lookup>) -> Self {
        Self { slots, pools: pools.collect() }
    }

    /// The place of a component among those the run reads by id.
    #[inline]
    pub(crate) fn place_of<T: Component>(&self) -> Option<usize> {
        self.pools.iter().position(|pool| pool.rust_type == Some(TypeId::of::<T>()))
    }

    /// The place of a component among those the run writes by id.
    #[inline]
    pub(crate) fn place_to_write<T: Component>(&self) -> Option<usize> {
        self.place_of::<T>().filter(|&place| self.pools[place].writes)
    }

    /// Writes the component at a place, of an entity, if the entity is there and had it at dispatch: which one, and
    /// its row. Only the one run that has these, in which no query visits the component, calls this.
    #[inline]
    pub(crate) fn write<T: Component>(
        &mut self,
        place: usize,
        id: EntityId,
        value: T,
    ) -> Option<(ComponentId, u32)> {
        let pool = self.pools.get(place).filter(|pool| pool.writes)?;
        assert!(pool.block_size == size_of::<T>(), "a component's blocks have its type");
        let row = self.slots.row(id)?;
        if pool.present.get(row as usize / 64)? >> (row % 64) & 1 == 0 {
            return None;
        }
        if size_of::<T>() > 0 {
            // SAFETY: the row had a block when the run began, so its word has a page in the directory of then.
            let page = unsafe { pool.directory.page_unchecked(row as usize / 64) };
            // SAFETY: the page has 64 blocks of `T` (invariant 7); the pool is lent to this run to write, whose
            // queries do not visit it, and `&mut self` makes this its only access (invariant 8).
            unsafe { page.cast::<T>().add(row as usize % 64).write(value) };
        }
        Some((pool.component, row))
    }

    /// The component at a place, of an entity; none if the entity is gone, or did not have it at dispatch.
    #[inline]
    pub(crate) fn read<T: Component>(&self, place: usize, id: EntityId) -> Option<T> {
        let pool = self.pools.get(place)?;
        assert!(pool.block_size == size_of::<T>(), "a component's blocks have its type");
        let row = self.slots.row(id)?;
        if pool.present.get(row as usize / 64)? >> (row % 64) & 1 == 0 {
            return None;
        }
        if size_of::<T>() == 0 {
            return Some(T::zeroed());
        }
        // SAFETY: the row had a block when the run began, so its word has a page in the directory of then.
        let page = unsafe { pool.directory.page_unchecked(row as usize / 64) };
        // SAFETY: the page has 64 blocks of `T` (invariant 7); the run has borrowed the pool to read, and a block
        // given up since is not written before the run ends (invariant 4).
        Some(unsafe { page.cast::<T>().add(row as usize % 64).read() })
    }
}
