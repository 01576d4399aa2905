//! The members of a system's main query, as its hooks see them.

use super::named::Named;
use crate::id::EntityId;
use crate::memory::{Lent, Query, visit, visit_chunks, visit_ids};
use std::marker::PhantomData;

/// The members of a system's main query: all of them, or those of a batch.
pub struct Members<'a, Q> {
    lent: &'a mut Lent,
    names: &'a [String],
    query: PhantomData<fn() -> Q>,
}

impl<'a, Q: Query> Members<'a, Q> {
    pub(super) fn new(lent: &'a mut Lent, names: &'a [String]) -> Self {
        Self { lent, names, query: PhantomData }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.lent.members(0)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Their ids, in the order of their updates.
    pub fn ids(&mut self) -> Vec<EntityId> {
        let mut ids = Vec::with_capacity(self.len());
        visit_ids(self.lent, 0, |id, _| ids.push(id));
        ids
    }

    /// Calls `each` with every one, in the order of their updates.
    pub fn each(&mut self, mut each: impl FnMut(Q::Row<'_>)) {
        visit::<Q>(self.lent, 0, |item, _| each(item));
    }

    /// Calls `each` with slices of those that lie side by side, in the order of their updates.
    pub fn each_chunk(&mut self, each: impl FnMut(Q::Chunk<'_>)) {
        visit_chunks::<Q>(self.lent, 0, each);
    }

    /// The system's other queries.
    pub fn queries(&mut self) -> Named<'_> {
        Named { lent: self.lent, names: self.names }
    }
}
