//! What `Changed` queries have not seen, in saves: so that a loaded world goes on exactly.
//!
//! A system that looks for changes has, for each component it looks at, the rows written since it last looked. A save
//! has them as `unseen`, a text for each such term of its queries in order: runs of places of the list, each how far
//! behind the place after the last one it begins, and how many there are, as varints. The world's own entity has the
//! place behind the last. `null` is all there are, as after the load of a scene.

use super::World;
use crate::id::{ComponentId, EntityId, SystemId};
use crate::memory::WatchToken;
use crate::save::varint;
use std::ops::Range;

/// Places of entities that a term of a system has not seen.
pub(super) struct Unseen {
    pub(super) system: SystemId,
    pub(super) term: usize,
    pub(super) places: Vec<Range<usize>>,
}

impl World {
    /// What the queries of a system have not seen; empty if that is everything.
    pub(super) fn unseen(&self, system: SystemId) -> Vec<Option<String>> {
        let terms = self.change_terms(system);
        let texts: Vec<_> =
            terms.iter().map(|(component, token)| self.unseen_text(*component, token)).collect();
        if texts.iter().all(Option::is_none) { Vec::new() } else { texts }
    }

    /// Each component that a system looks for changes of, query by query.
    fn change_terms(&self, system: SystemId) -> Vec<(ComponentId, WatchToken)> {
        let queries = self.systems.get(system).map_or(&[][..], |entry| &entry.queries);
        queries.iter().flat_map(|query| query.changed.iter().cloned()).collect()
    }

    fn unseen_text(&self, component: ComponentId, token: &WatchToken) -> Option<String> {
        let pool = self.storage.pool(component);
        let dirty = self.storage.dirty(component, token)?;
        let rows = self.listed_and_own().map(|id| self.row(id).filter(|&row| pool.present().has(row)));
        let mut text = String::new();
        let (mut behind, mut run) = (0, 0..0);
        let mut is_everything = true;
        let mut write = |run: &Range<usize>| {
            if !run.is_empty() {
                varint::write(&mut text, (run.start - behind) as u64);
                varint::write(&mut text, run.len() as u64);
                behind = run.end;
            }
        };
        for (place, row) in rows.enumerate() {
            let Some(row) = row else { continue };
            if !dirty.has(row) {
                is_everything = false;
            } else if run.end == place {
                run.end += 1;
            } else {
                write(&run);
                run = place..place + 1;
            }
        }
        write(&run);
        (!is_everything).then_some(text)
    }

    /// The entities of the list, and the world's own.
    fn listed_and_own(&self) -> impl Iterator<Item = EntityId> + '_ {
        self.entities().chain(self.world_entity())
    }

    /// Lets terms of systems have seen everything but these.
    pub(super) fn set_unseen(&mut self, unseen: &[Unseen]) {
        if unseen.is_empty() {
            return;
        }
        let rows: Vec<Option<u32>> = self.listed_and_own().map(|id| self.row(id)).collect();
        for Unseen { system, term, places } in unseen {
            let Some((component, token)) = self.change_terms(*system).into_iter().nth(*term) else {
                continue;
            };
            let of_run =
                |run: &Range<usize>| rows.get(run.clone()).unwrap_or_default().iter().flatten().copied();
            self.storage.set_dirty(component, &token, places.iter().flat_map(of_run));
        }
    }

    /// How many components a system looks for changes of.
    pub(super) fn count_change_terms(&self, system: SystemId) -> usize {
        self.change_terms(system).len()
    }
}

/// The places that a text of a save says, of a list of so many entities; none if it says something else.
pub(super) fn places(text: &str, entities: usize) -> Option<Vec<Range<usize>>> {
    let numbers = varint::read_all(text)?;
    let (pairs, []) = numbers.as_chunks::<2>() else { return None };
    let mut next = 0_usize;
    let mut runs = Vec::with_capacity(pairs.len());
    for &[gap, len] in pairs {
        let start = next.checked_add(usize::try_from(gap).ok()?)?;
        next = start.checked_add(usize::try_from(len).ok()?)?;
        // One more than the list: the world's own.
        if next > entities + 1 {
            return None;
        }
        runs.push(start..next);
    }
    Some(runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_from_runs_and_refused_beyond_the_list() {
        let text = |numbers: &[u64]| {
            let mut text = String::new();
            numbers.iter().for_each(|&number| varint::write(&mut text, number));
            text
        };
        assert_eq!(places("", 0), Some(vec![]));
        assert_eq!(places(&text(&[2, 3, 1, 1]), 6), Some(vec![2..5, 6..7]));
        assert_eq!(places(&text(&[2, 3, 1, 1]), 5), None);
        assert_eq!(places(&text(&[2]), 5), None);
        assert_eq!(places(&text(&[0, u64::MAX]), 5), None);
        assert_eq!(places(&text(&[u64::MAX, u64::MAX]), 5), None);
        assert_eq!(places("é", 5), None);
    }
}
