//! Creation order: who came when.

use crate::id::{EntityId, Ordinal};

/// Living entities in creation order, each with its ordinal. Adding and removing is O(1); removed places are
/// closed up once they are half of all.
#[derive(Default)]
pub(crate) struct Order {
    /// By ordinal, ascending; none is a removed place.
    places: Vec<(Ordinal, Option<EntityId>)>,
    /// The place of each slot's entity; only right for slots in use.
    place_of: Vec<u32>,
    live: usize,
    next: u64,
}

impl Order {
    pub(crate) fn len(&self) -> usize {
        self.live
    }

    /// Adds an entity at the end.
    #[inline]
    pub(crate) fn push(&mut self, id: EntityId) -> Ordinal {
        let ordinal = Ordinal(self.next);
        self.next += 1;
        let slot = id.slot() as usize;
        if slot >= self.place_of.len() {
            self.place_of.resize((slot + 1).max(self.place_of.len() * 2), u32::MAX);
        }
        self.place_of[slot] = self.places.len() as u32;
        self.places.push((ordinal, Some(id)));
        self.live += 1;
        ordinal
    }

    /// Takes an entity that is in the order out of it.
    pub(crate) fn remove(&mut self, id: EntityId) {
        let place = self.place_of[id.slot() as usize] as usize;
        debug_assert_eq!(self.places[place].1, Some(id));
        self.places[place].1 = None;
        self.live -= 1;
        if self.places.len() > 64 && self.live * 2 < self.places.len() {
            self.places.retain(|(_, id)| id.is_some());
            for (place, (_, id)) in self.places.iter().enumerate() {
                if let Some(id) = id {
                    self.place_of[id.slot() as usize] = place as u32;
                }
            }
        }
    }

    /// The ordinal of an entity that is there.
    #[inline]
    pub(crate) fn ordinal(&self, id: EntityId) -> Option<Ordinal> {
        let place = *self.place_of.get(id.slot() as usize)?;
        let (ordinal, there) = *self.places.get(place as usize)?;
        (there == Some(id)).then_some(ordinal)
    }

    /// The entity with an ordinal, if it is there.
    pub(crate) fn by_ordinal(&self, ordinal: Ordinal) -> Option<EntityId> {
        let place = self.places.binary_search_by_key(&ordinal, |&(ordinal, _)| ordinal).ok()?;
        self.places[place].1
    }

    /// Everyone, in creation order.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (Ordinal, EntityId)> + '_ {
        self.places.iter().filter_map(|&(ordinal, id)| Some((ordinal, id?)))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.places.capacity() * size_of::<(Ordinal, Option<EntityId>)>() + self.place_of.capacity() * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn removal_from_the_middle_keeps_creation_order(ops in proptest::collection::vec(0..100usize, 1..600)) {
            let (mut real, mut model) = (Order::default(), Vec::new());
            for (n, op) in ops.into_iter().enumerate() {
                if op < 45 && !model.is_empty() {
                    let (_, id) = model.remove(op % model.len());
                    real.remove(id);
                    prop_assert_eq!(real.ordinal(id), None);
                } else {
                    let id = EntityId::new(n as u32, 1);
                    model.push((real.push(id), id));
                }
                prop_assert_eq!(real.len(), model.len());
            }
            prop_assert!(real.iter().eq(model.iter().copied()));
            for (ordinal, id) in model {
                prop_assert_eq!(real.ordinal(id), Some(ordinal));
                prop_assert_eq!(real.by_ordinal(ordinal), Some(id));
            }
        }
    }
}
