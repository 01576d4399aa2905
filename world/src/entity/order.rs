//! Creation order: who came when.

use crate::id::{EntityId, Ordinal};
use crate::memory::run_of_ones;

/// Living entities in creation order, each with its ordinal. Adding and removing is O(1); places nobody has any
/// more are closed up once they are half of all.
///
/// Places come in chunks of 64, and so do ordinals: chunk by chunk an ordinal is known by its place. Only an
/// entity's slot is kept; whether an id is the present one of its slot is known elsewhere.
#[derive(Default)]
pub(crate) struct Order {
    chunks: Vec<Chunk>,
    /// The place of each slot's entity; only right for slots in use.
    place_of: Vec<u32>,
    live: usize,
    /// Chunks without an entity.
    empty: usize,
    next: u64,
}

/// The entities of 64 consecutive ordinals.
struct Chunk {
    /// The first of the ordinals, a multiple of 64.
    first: u64,
    /// One bit for each place whose entity is there.
    live: u64,
    slots: ChunkSlots,
}

/// The slot of each place in a chunk.
enum ChunkSlots {
    /// Place k has this slot and k more, as entities that were made one after another have.
    From(u32),
    Listed(Box<[u32; 64]>),
}

impl Chunk {
    #[inline]
    fn slot(&self, place: u32) -> u32 {
        match &self.slots {
            ChunkSlots::From(first) => first.wrapping_add(place),
            ChunkSlots::Listed(slots) => slots[place as usize],
        }
    }

    #[inline]
    fn set_slot(&mut self, place: u32, slot: u32) {
        match self.slots {
            ChunkSlots::From(first) if first.wrapping_add(place) == slot => {}
            ChunkSlots::From(_) if place == 0 => self.slots = ChunkSlots::From(slot),
            _ => self.list_slot(place, slot),
        }
    }

    fn list_slot(&mut self, place: u32, slot: u32) {
        if let ChunkSlots::From(first) = self.slots {
            self.slots = ChunkSlots::Listed(Box::new(std::array::from_fn(|k| first.wrapping_add(k as u32))));
        }
        if let ChunkSlots::Listed(slots) = &mut self.slots {
            slots[place as usize] = slot;
        }
    }
}

impl Order {
    pub(crate) fn len(&self) -> usize {
        self.live
    }

    /// Makes room for more entities.
    pub(crate) fn reserve(&mut self, more: usize) {
        self.chunks.reserve(more / 64);
        self.place_of.reserve(more);
    }

    /// Adds an entity at the end.
    #[inline]
    pub(crate) fn push(&mut self, id: EntityId) -> Ordinal {
        let ordinal = self.next;
        self.next += 1;
        let place = (ordinal % 64) as u32;
        if place == 0 || self.chunks.is_empty() {
            self.chunks.push(Chunk { first: ordinal - place as u64, live: 0, slots: ChunkSlots::From(0) });
            self.empty += 1;
        }
        let at = self.chunks.len() - 1;
        let chunk = &mut self.chunks[at];
        chunk.set_slot(place, id.slot());
        self.empty -= (chunk.live == 0) as usize;
        chunk.live |= 1 << place;
        self.live += 1;
        let slot = id.slot() as usize;
        if slot >= self.place_of.len() {
            self.place_of.resize((slot + 1).max(self.place_of.len() * 2), u32::MAX);
        }
        self.place_of[slot] = at as u32 * 64 + place;
        Ordinal(ordinal)
    }

    /// Adds entities at the end.
    pub(crate) fn push_all(&mut self, mut ids: &[EntityId]) {
        while let Some(&first) = ids.first() {
            let place = (self.next % 64) as u32;
            let most = ids.len().min(64 - place as usize);
            let follow =
                ids[..most].iter().zip(first.slot()..).take_while(|(id, slot)| id.slot() == *slot).count();
            self.push(first);
            let at = self.chunks.len() - 1;
            let chunk = &mut self.chunks[at];
            if follow > 1 && chunk.slot(place + 1) == first.slot() + 1 {
                let slots = first.slot() as usize + 1..first.slot() as usize + follow;
                if slots.end > self.place_of.len() {
                    self.place_of.resize(slots.end.max(self.place_of.len() * 2), u32::MAX);
                }
                let places = at as u32 * 64 + place + 1..;
                self.place_of[slots].iter_mut().zip(places).for_each(|(place_of, place)| *place_of = place);
                chunk.live |= run_of_ones(place + 1, follow as u32 - 1);
                self.live += follow - 1;
                self.next += follow as u64 - 1;
                ids = &ids[follow..];
            } else {
                ids = &ids[1..];
            }
        }
    }

    /// Puts an entity back under an ordinal that was given out before and that nobody has now. Whether it was so.
    pub(crate) fn restore(&mut self, ordinal: Ordinal, id: EntityId) -> bool {
        if !self.is_gone(ordinal) {
            return false;
        }
        let place = (ordinal.0 % 64) as u32;
        let first = ordinal.0 - u64::from(place);
        let at = match self.chunks.binary_search_by_key(&first, |chunk| chunk.first) {
            Ok(at) => at,
            Err(at) => {
                // It was closed up.
                let slots = ChunkSlots::From(id.slot().wrapping_sub(place));
                self.chunks.insert(at, Chunk { first, live: 0, slots });
                self.empty += 1;
                self.find_places(at + 1);
                at
            }
        };
        let chunk = &mut self.chunks[at];
        if chunk.slot(place) != id.slot() {
            chunk.list_slot(place, id.slot());
        }
        self.empty -= (chunk.live == 0) as usize;
        chunk.live |= 1 << place;
        self.live += 1;
        let slot = id.slot() as usize;
        if slot >= self.place_of.len() {
            self.place_of.resize((slot + 1).max(self.place_of.len() * 2), u32::MAX);
        }
        self.place_of[slot] = at as u32 * 64 + place;
        true
    }

    /// Whether an ordinal was given out and its entity is there no more.
    pub(crate) fn is_gone(&self, ordinal: Ordinal) -> bool {
        ordinal.0 < self.next && self.by_ordinal(ordinal).is_none()
    }

    /// Notes anew where the entities of the chunks from `first` on are.
    fn find_places(&mut self, first: usize) {
        for (at, chunk) in self.chunks.iter().enumerate().skip(first) {
            for place in (0..64).filter(|place| chunk.live >> place & 1 == 1) {
                self.place_of[chunk.slot(place) as usize] = at as u32 * 64 + place;
            }
        }
    }

    /// Chunk and place in it of the entity in a slot that is in use; none if it is not in the order.
    #[inline]
    fn find(&self, slot: u32) -> Option<(usize, u32)> {
        let place = *self.place_of.get(slot as usize)?;
        let (at, place) = (place as usize / 64, place % 64);
        let chunk = self.chunks.get(at)?;
        (chunk.live >> place & 1 == 1 && chunk.slot(place) == slot).then_some((at, place))
    }

    /// Takes the entity of a slot in use out of the order; whether it was in it.
    #[inline]
    pub(crate) fn remove(&mut self, id: EntityId) -> bool {
        let Some((at, place)) = self.find(id.slot()) else { return false };
        let chunk = &mut self.chunks[at];
        chunk.live &= !(1 << place);
        self.live -= 1;
        if chunk.live == 0 {
            self.empty += 1;
            if self.empty > 16 && self.empty * 2 > self.chunks.len() {
                self.close_up();
            }
        }
        true
    }

    #[cold]
    fn close_up(&mut self) {
        // The last chunk stays: the next entity belongs to it.
        let last = self.chunks.last().map_or(0, |chunk| chunk.first);
        self.chunks.retain(|chunk| chunk.live != 0 || chunk.first == last);
        self.empty = self.chunks.iter().filter(|chunk| chunk.live == 0).count();
        self.find_places(0);
    }

    /// The ordinal of the entity in a slot in use; none if it is not in the order.
    #[inline]
    pub(crate) fn ordinal(&self, id: EntityId) -> Option<Ordinal> {
        self.find(id.slot()).map(|(at, place)| Ordinal(self.chunks[at].first + place as u64))
    }

    /// The slot of the entity with an ordinal, if it is there.
    pub(crate) fn by_ordinal(&self, ordinal: Ordinal) -> Option<u32> {
        let at = self.chunks.binary_search_by_key(&(ordinal.0 & !63), |chunk| chunk.first).ok()?;
        let (chunk, place) = (&self.chunks[at], (ordinal.0 % 64) as u32);
        (chunk.live >> place & 1 == 1).then(|| chunk.slot(place))
    }

    /// Everyone's slot, in creation order.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (Ordinal, u32)> + '_ {
        self.chunks.iter().flat_map(|chunk| {
            let live = (0..64).filter(|place| chunk.live >> place & 1 == 1);
            live.map(|place| (Ordinal(chunk.first + place as u64), chunk.slot(place)))
        })
    }

    pub(crate) fn bytes(&self) -> usize {
        let listed = self.chunks.iter().filter(|chunk| matches!(chunk.slots, ChunkSlots::Listed(_))).count();
        let chunks = self.chunks.capacity() * size_of::<Chunk>() + listed * size_of::<[u32; 64]>();
        chunks + self.place_of.capacity() * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn removal_from_the_middle_keeps_creation_order(
            ops in proptest::collection::vec(0..100usize, 1..3000),
            removals in 20..60usize,
        ) {
            let (mut real, mut model, mut free) = (Order::default(), Vec::new(), Vec::new());
            let mut gone: Vec<Ordinal> = Vec::new();
            let mut fresh = 0;
            for op in ops {
                if op % 23 == 22 {
                    let ids: Vec<EntityId> = (0..op as u32 * 3).map(|k| EntityId::new(fresh + 1 + k, 1)).collect();
                    fresh += ids.len() as u32;
                    let first = real.next;
                    real.push_all(&ids);
                    model.extend((first..).map(Ordinal).zip(ids));
                } else if op < removals && !model.is_empty() {
                    let (ordinal, id): (_, EntityId) = model.remove(op % model.len());
                    gone.push(ordinal);
                    prop_assert!(real.remove(id));
                    prop_assert!(!real.remove(id));
                    prop_assert_eq!(real.ordinal(id), None);
                    free.push(id.slot());
                } else if op % 7 == 6 && !gone.is_empty() {
                    let ordinal = gone.swap_remove(op % gone.len());
                    let id = EntityId::new(free.pop().unwrap_or(fresh + 1), 1);
                    fresh = fresh.max(id.slot());
                    prop_assert!(real.restore(ordinal, id));
                    prop_assert!(!real.restore(ordinal, id));
                    let at = model.partition_point(|&(other, _)| other < ordinal);
                    model.insert(at, (ordinal, id));
                } else {
                    let slot = if op % 2 == 0 { free.pop() } else { None };
                    let slot = slot.unwrap_or_else(|| { fresh += 1; fresh });
                    let id = EntityId::new(slot, 1);
                    model.push((real.push(id), id));
                }
                prop_assert_eq!(real.len(), model.len());
            }
            let slots = || model.iter().map(|&(ordinal, id)| (ordinal, id.slot()));
            prop_assert!(real.iter().eq(slots()));
            prop_assert!(real.iter().rev().eq(slots().rev()));
            for &(ordinal, id) in &model {
                prop_assert_eq!(real.ordinal(id), Some(ordinal));
                prop_assert_eq!(real.by_ordinal(ordinal), Some(id.slot()));
            }
            prop_assert_eq!(real.by_ordinal(Ordinal(real.next)), None);
            let next = Ordinal(real.next);
            prop_assert!(!real.restore(next, EntityId::new(fresh + 1, 1)), "nobody ever had it");
        }
    }
}
