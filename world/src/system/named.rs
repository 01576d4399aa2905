//! The queries of a run, by name.

use crate::id::EntityId;
use crate::memory::{Lent, Query, visit, visit_chunks, visit_ids};

/// The named queries of a run.
pub struct Named<'a> {
    pub(super) lent: &'a mut Lent,
    pub(super) names: &'a [String],
}

impl Named<'_> {
    fn find(&self, name: &str) -> usize {
        let Some(place) = self.names.iter().position(|known| known == name) else {
            panic!("the system has no query named {name:?}; it has {:?}", self.names);
        };
        place
    }

    fn place<Q: Query>(&self, name: &str) -> usize {
        let place = self.find(name);
        assert!(self.lent.queries[place].is_of(&Q::terms()), "query {name:?} was declared with other items");
        place
    }

    /// Calls `each` with every member of a query, in the system's order.
    ///
    /// # Panics
    /// If the system has no query of this name and these items.
    pub fn each<Q: Query>(&mut self, name: &str, mut each: impl FnMut(Q::Row<'_>)) {
        let place = self.place::<Q>(name);
        visit::<Q>(self.lent, place, |item, _| each(item));
    }

    /// Calls `each` with slices of members that lie side by side, in the system's order.
    ///
    /// # Panics
    /// If the system has no query of this name and these items.
    pub fn each_chunk<Q: Query>(&mut self, name: &str, each: impl FnMut(Q::Chunk<'_>)) {
        let place = self.place::<Q>(name);
        visit_chunks::<Q>(self.lent, place, each);
    }

    /// The ids of the members of a query, in the system's order.
    ///
    /// # Panics
    /// If the system has no query of this name.
    pub fn ids(&mut self, name: &str) -> Vec<EntityId> {
        let place = self.find(name);
        let mut ids = Vec::with_capacity(self.lent.members(place));
        visit_ids(self.lent, place, |id, _| ids.push(id));
        ids
    }

    /// How many members a query has.
    ///
    /// # Panics
    /// If the system has no query of this name.
    pub fn len(&self, name: &str) -> usize {
        self.lent.members(self.find(name))
    }
}
