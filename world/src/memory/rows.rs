//! Which row an entity gets: the lowest free one among the extents of its archetype.

use super::bits::{Presence, each_word, run_of_ones};
use super::watch::{Watch, WatchToken, Watchers};
use crate::id::ComponentId;
use std::collections::HashMap;

/// Words of an extent of an archetype that has many.
const EXTENT_WORDS: usize = 16;

/// No word.
const UNKNOWN: u32 = u32::MAX;

/// A set of components entities were made of, and the extents its rows come from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ArchetypeId(pub(crate) u32);

struct Archetype {
    components: Box<[ComponentId]>,
    /// How many of its rows nobody has.
    free: usize,
    /// Its extents, lowest rows first.
    extents: Vec<u32>,
    /// One bit for each of `extents` that has a free row.
    open: Vec<u64>,
    /// No word of `open` below this one has a bit.
    lowest_open: usize,
    /// The lowest word of rows with a free one; `UNKNOWN` if it has to be looked for.
    lowest: u32,
}

/// Consecutive words handed out to one archetype.
struct Extent {
    archetype: ArchetypeId,
    /// Its place in the archetype's list.
    place: u32,
    first_word: u32,
    /// One bit for each of its words that has a free row.
    free_words: u16,
    /// Components its rows have had beyond the archetype's.
    late: Vec<ComponentId>,
    /// One bit for each component below 64 that its rows have ever had.
    ever: u64,
}

/// The bit of a component in `Extent::ever`; none for those from 64 on.
#[inline]
fn ever_bit(component: ComponentId) -> u64 {
    1u64.checked_shl(component.0 as u32).unwrap_or(0)
}

/// All rows: handed out, free, and whose.
#[derive(Default)]
pub(crate) struct Rows {
    archetypes: Vec<Archetype>,
    by_components: HashMap<Box<[ComponentId]>, ArchetypeId>,
    extents: Vec<Extent>,
    /// Extent of each word.
    extent_of: Vec<u32>,
    /// Free rows of each word.
    free: Vec<u64>,
    /// Rows queries may find: of entities that are there and not dead.
    queryable: Presence,
    /// Rows of static entities.
    statics: Presence,
    /// Rows whose entity left and whose blocks wait for open runs.
    retired: Presence,
    version: u64,
    /// Who wants to know which rows queries find now and did not before, or the other way round.
    pub(super) watchers: Watchers,
}

/// An extent that was just made.
pub(crate) struct NewExtent {
    pub(crate) first_word: usize,
    pub(crate) words: usize,
}

impl Rows {
    pub(crate) fn queryable(&self) -> &Presence {
        &self.queryable
    }
    pub(crate) fn statics(&self) -> &Presence {
        &self.statics
    }
    pub(crate) fn retired(&self) -> &Presence {
        &self.retired
    }
    /// One bit for each row nobody has.
    pub(crate) fn free(&self) -> &[u64] {
        &self.free
    }
    /// How many rows nobody has whose archetype has a component.
    pub(crate) fn free_of(&self, component: ComponentId) -> usize {
        let with = self.archetypes.iter().filter(|archetype| archetype.components.contains(&component));
        with.map(|archetype| archetype.free).sum()
    }
    /// Whether nobody has the row.
    pub(crate) fn is_free(&self, row: u32) -> bool {
        self.free.get(row as usize / 64).is_none_or(|free| free >> (row % 64) & 1 == 1)
    }
    /// Grows with every change of what queries may find.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// The archetype of these components, which are sorted.
    pub(crate) fn archetype(&mut self, components: &[ComponentId]) -> ArchetypeId {
        debug_assert!(components.is_sorted());
        if let Some(&id) = self.by_components.get(components) {
            return id;
        }
        let id = ArchetypeId(self.archetypes.len() as u32);
        let components: Box<[ComponentId]> = components.into();
        self.by_components.insert(components.clone(), id);
        self.archetypes.push(Archetype {
            components,
            free: 0,
            extents: vec![],
            open: vec![],
            lowest_open: 0,
            lowest: UNKNOWN,
        });
        id
    }

    pub(crate) fn components(&self, archetype: ArchetypeId) -> &[ComponentId] {
        &self.archetypes[archetype.0 as usize].components
    }

    /// The lowest free row of an archetype; none if it needs another extent.
    #[inline]
    pub(crate) fn take(&mut self, archetype: ArchetypeId) -> Option<u32> {
        let (word, bits) = self.lowest_word(archetype)?;
        let bit = bits.trailing_zeros();
        self.occupy(word, 1 << bit);
        Some(word as u32 * 64 + bit)
    }

    /// The lowest free row of an archetype, and how many free ones follow in its word, itself included.
    pub(crate) fn lowest_run(&mut self, archetype: ArchetypeId) -> Option<(u32, u32)> {
        let (word, bits) = self.lowest_word(archetype)?;
        let first = bits.trailing_zeros();
        Some((word as u32 * 64 + first, (!(bits >> first)).trailing_zeros().min(64 - first)))
    }

    /// Takes free rows of a word, which queries find then.
    pub(crate) fn occupy_run(&mut self, row: u32, len: u32) {
        self.occupy(row as usize / 64, run_of_ones(row % 64, len));
        self.set_queryable_run(row, len);
    }

    /// Up to `most` free rows of an archetype side by side, from its lowest free row on.
    pub(crate) fn take_run(&mut self, archetype: ArchetypeId, most: u32) -> Option<(u32, u32)> {
        let (word, bits) = self.lowest_word(archetype)?;
        let first = bits.trailing_zeros();
        let in_word = (!(bits >> first)).trailing_zeros().min(64 - first).min(most);
        self.occupy(word, run_of_ones(first, in_word));
        let row = word as u32 * 64 + first;
        let (mut len, extent) = (in_word, self.extent_of[word]);
        let mut next = word + 1;
        while first + in_word == 64
            && len < most
            && next < self.free.len()
            && self.extent_of[next] == extent
            && self.free[next] & 1 == 1
        {
            let part = (!self.free[next]).trailing_zeros().min(most - len);
            self.occupy(next, run_of_ones(0, part));
            len += part;
            if part < 64 {
                break;
            }
            next += 1;
        }
        Some((row, len))
    }

    /// Takes a certain row; whether it is of an extent and was free.
    pub(crate) fn take_at(&mut self, row: u32) -> bool {
        let (word, bit) = (row as usize / 64, 1 << (row % 64));
        let free = self.free.get(word).is_some_and(|free| free & bit != 0);
        if free {
            self.occupy(word, bit);
        }
        free
    }

    /// The archetype of each extent, in the order of their rows.
    pub(crate) fn extents(&self) -> impl ExactSizeIterator<Item = ArchetypeId> + '_ {
        self.extents.iter().map(|extent| extent.archetype)
    }

    /// The words of each extent with its archetype, in the order of their rows.
    pub(crate) fn spans(&self) -> impl Iterator<Item = (ArchetypeId, std::ops::Range<usize>)> + '_ {
        let ends = self.extents.iter().skip(1).map(|next| next.first_word as usize);
        let ends = ends.chain(std::iter::once(self.free.len()));
        self.extents.iter().zip(ends).map(|(extent, end)| (extent.archetype, extent.first_word as usize..end))
    }

    #[inline]
    fn lowest_word(&mut self, archetype: ArchetypeId) -> Option<(usize, u64)> {
        let own = &mut self.archetypes[archetype.0 as usize];
        if own.lowest != UNKNOWN {
            return Some((own.lowest as usize, self.free[own.lowest as usize]));
        }
        while *own.open.get(own.lowest_open)? == 0 {
            own.lowest_open += 1;
        }
        let place = own.lowest_open * 64 + own.open[own.lowest_open].trailing_zeros() as usize;
        let extent = &self.extents[own.extents[place] as usize];
        let word = extent.first_word as usize + extent.free_words.trailing_zeros() as usize;
        own.lowest = word as u32;
        Some((word, self.free[word]))
    }

    #[inline]
    fn occupy(&mut self, word: usize, bits: u64) {
        self.free[word] &= !bits;
        let extent = &mut self.extents[self.extent_of[word] as usize];
        let own = &mut self.archetypes[extent.archetype.0 as usize];
        own.free -= bits.count_ones() as usize;
        if self.free[word] == 0 {
            extent.free_words &= !(1 << (word as u32 - extent.first_word));
            if own.lowest == word as u32 {
                own.lowest = UNKNOWN;
            }
            if extent.free_words == 0 {
                own.open[extent.place as usize / 64] &= !(1 << (extent.place % 64));
            }
        }
    }

    /// Another extent for an archetype: one word at first, later sixteen, so that a few entities of many kinds
    /// take little and many of one kind lie side by side.
    pub(crate) fn extend(&mut self, archetype: ArchetypeId) -> NewExtent {
        let own = &mut self.archetypes[archetype.0 as usize];
        let place = own.extents.len();
        let words = if place == 0 { 1 } else { (1 << (place - 1).min(4)).min(EXTENT_WORDS) };
        let (first_word, extent) = (self.free.len(), self.extents.len() as u32);
        own.free += words * 64;
        own.extents.push(extent);
        if own.open.len() <= place / 64 {
            own.open.push(0);
        }
        own.open[place / 64] |= 1 << (place % 64);
        own.lowest_open = own.lowest_open.min(place / 64);
        self.free.resize(first_word + words, u64::MAX);
        self.extent_of.resize(first_word + words, extent);
        self.extents.push(Extent {
            archetype,
            place: place as u32,
            first_word: first_word as u32,
            free_words: run_of_ones(0, words as u32) as u16,
            late: Vec::new(),
            ever: own.components.iter().fold(0, |bits, &component| bits | ever_bit(component)),
        });
        NewExtent { first_word, words }
    }

    /// Takes a row out of queries; it is not given back yet.
    #[inline]
    pub(crate) fn retire(&mut self, row: u32) {
        self.set_queryable(row, false);
        if self.statics.count() > 0 {
            self.statics.clear(row);
        }
        self.retired.set(row);
    }

    /// Gives rows of a word back.
    #[inline]
    pub(crate) fn give_word(&mut self, word: usize, rows: u64) {
        debug_assert!(self.free[word] & rows == 0, "a row is given back once");
        self.retired.clear_word(word, rows);
        self.free[word] |= rows;
        // A run may not be told that a row has blocks which somebody gets while the run is open.
        self.version += 1;
        let extent = &mut self.extents[self.extent_of[word] as usize];
        extent.free_words |= 1 << (word as u32 - extent.first_word);
        let own = &mut self.archetypes[extent.archetype.0 as usize];
        own.free += rows.count_ones() as usize;
        own.open[extent.place as usize / 64] |= 1 << (extent.place % 64);
        own.lowest_open = own.lowest_open.min(extent.place as usize / 64);
        if own.lowest != UNKNOWN {
            own.lowest = own.lowest.min(word as u32);
        }
    }

    /// Lets queries find a row, or not.
    #[inline]
    pub(crate) fn set_queryable(&mut self, row: u32, on: bool) {
        let changed = if on { self.queryable.set(row) } else { self.queryable.clear(row) };
        self.note_change(row, changed);
    }

    pub(crate) fn set_queryable_run(&mut self, row: u32, len: u32) {
        self.queryable.set_range(row, len);
        self.version += 1;
        if self.watchers.any() {
            each_word(row, len, |word, bits| self.watchers.mark_new_word(word, bits));
        }
    }

    #[inline]
    fn note_change(&mut self, row: u32, changed: bool) {
        self.version += changed as u64;
        if changed && self.watchers.any() {
            self.watchers.mark_structure(row);
        }
    }

    /// Notes from now on which rows queries find or find no longer, for one to whom all are new.
    pub(super) fn watch(&mut self, token: &WatchToken) {
        self.watchers.add(token, Watch::Structure, &self.queryable);
    }

    pub(crate) fn set_static(&mut self, row: u32, on: bool) {
        let changed = if on { self.statics.set(row) } else { self.statics.clear(row) };
        self.note_change(row, changed);
    }

    /// Remembers that a row got a component its archetype may not have.
    #[inline]
    pub(crate) fn note_late(&mut self, row: u32, component: ComponentId) {
        let extent = &mut self.extents[self.extent_of[row as usize / 64] as usize];
        if extent.ever & ever_bit(component) != 0 {
            return;
        }
        let own = &self.archetypes[extent.archetype.0 as usize];
        if !own.components.contains(&component) && !extent.late.contains(&component) {
            extent.late.push(component);
        }
        extent.ever |= ever_bit(component);
    }

    /// The components of the archetype a word's rows are for, and others they have ever had.
    #[inline]
    pub(crate) fn own_and_late(&self, word: usize) -> (&[ComponentId], &[ComponentId]) {
        let extent = &self.extents[self.extent_of[word] as usize];
        (&self.archetypes[extent.archetype.0 as usize].components, &extent.late)
    }

    /// The components the rows of this word's extent have ever had.
    #[inline]
    pub(crate) fn ever(&self, word: usize) -> impl Iterator<Item = ComponentId> + '_ {
        let (own, late) = self.own_and_late(word);
        own.iter().chain(late).copied()
    }

    /// Bytes allocated.
    pub(crate) fn bytes(&self) -> usize {
        let extents = self.extents.capacity() * size_of::<Extent>() + self.extent_of.capacity() * 4;
        extents
            + self.free.capacity() * 8
            + self.queryable.bytes()
            + self.statics.bytes()
            + self.retired.bytes()
            + self.watchers.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn take(rows: &mut Rows, archetype: ArchetypeId) -> u32 {
        rows.take(archetype).unwrap_or_else(|| {
            rows.extend(archetype);
            rows.take(archetype).unwrap()
        })
    }

    #[test]
    fn the_lowest_free_row_of_the_archetype_comes_first() {
        let mut rows = Rows::default();
        let (a, b) = (rows.archetype(&[ComponentId(1)]), rows.archetype(&[ComponentId(2)]));
        let first: Vec<u32> = (0..200).map(|_| take(&mut rows, a)).collect();
        let other = take(&mut rows, b);
        assert!(first.is_sorted() && !first.contains(&other));
        for &row in [first[150], first[3], first[70]].iter() {
            rows.give_word(row as usize / 64, 1 << (row % 64));
        }
        assert_eq!([0; 3].map(|_| take(&mut rows, a)), [first[3], first[70], first[150]]);
    }

    proptest! {
        #[test]
        fn no_row_is_handed_out_twice(ops in proptest::collection::vec((0..3u32, 0..3u32, 1..200u32), 1..60)) {
            let mut rows = Rows::default();
            let kinds = [1, 2, 3].map(|k| rows.archetype(&[ComponentId(k)]));
            let mut held: BTreeSet<u32> = BTreeSet::new();
            for (op, kind, n) in ops {
                match op {
                    0 => (0..n).for_each(|_| assert!(held.insert(take(&mut rows, kinds[kind as usize])))),
                    1 => {
                        let mut left = n;
                        while left > 0 {
                            let Some((row, len)) = rows.take_run(kinds[kind as usize], left) else {
                                rows.extend(kinds[kind as usize]);
                                continue;
                            };
                            prop_assert!(len >= 1 && len <= left);
                            (row..row + len).for_each(|row| assert!(held.insert(row)));
                            left -= len;
                        }
                    }
                    _ => {
                        let some: Vec<u32> = held.iter().copied().step_by(n as usize % 7 + 1).collect();
                        for row in some {
                            held.remove(&row);
                            rows.give_word(row as usize / 64, 1 << (row % 64));
                        }
                    }
                }
            }
        }
    }
}
