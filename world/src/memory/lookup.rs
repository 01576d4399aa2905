//! Components of other entities, read by id during a run.

#![expect(unsafe_code, reason = "reads blocks of a pool lent to the run; the invariants are in `memory`")]

use super::directory::Directory;
use super::pool::Pool;
use super::slots::SlotTable;
use crate::component::Component;
use crate::id::{ComponentId, EntityId};
use std::any::TypeId;
use std::sync::Arc;

/// A component that a system's runs read of any entity.
pub(crate) struct LookupPlan {
    pub(crate) component: ComponentId,
    /// Its type in Rust.
    rust_type: Option<TypeId>,
    /// Which rows have it, copied again only after that changed.
    present: Arc<[u64]>,
    version: Option<u64>,
}

impl LookupPlan {
    pub(crate) fn new(component: ComponentId, rust_type: Option<TypeId>) -> Self {
        Self { component, rust_type, present: Arc::new([]), version: None }
    }

    /// The same for a storage that was built anew.
    pub(crate) fn again(&self) -> Self {
        Self::new(self.component, self.rust_type)
    }

    pub(super) fn of(&mut self, pool: &Pool) -> Lookup {
        if self.version != Some(pool.version()) {
            self.version = Some(pool.version());
            self.present = pool.present().words().into();
        }
        let (rust_type, block_size) = (self.rust_type, pool.block_size());
        Lookup { rust_type, block_size, present: self.present.clone(), directory: pool.directory() }
    }
}

/// A pool as it was at dispatch; the run has borrowed it to read.
pub(super) struct Lookup {
    rust_type: Option<TypeId>,
    block_size: usize,
    present: Arc<[u64]>,
    directory: Arc<Directory>,
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
