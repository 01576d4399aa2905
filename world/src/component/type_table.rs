//! Components by their Rust type: looked up with every change of a component, so in a few instructions.

use crate::id::ComponentId;
use std::any::TypeId;
use std::hash::{Hash, Hasher};

/// A component, and whether its blocks come and go without anything else to be done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Known {
    pub(crate) component: ComponentId,
    pub(crate) plain: bool,
}

/// At most a quarter of the places is taken, so that the first one tried is nearly always the right one.
#[derive(Clone, Debug, Default)]
pub(super) struct TypeTable {
    places: Vec<Option<(TypeId, Known)>>,
    len: usize,
}

impl TypeTable {
    /// The component of a type.
    #[inline]
    pub(super) fn get(&self, rust_type: TypeId) -> Option<Known> {
        let mut at = hash(rust_type);
        loop {
            // No place at all in an empty table.
            let place = self.places.get(at & self.places.len().wrapping_sub(1))?;
            match place {
                Some((known, found)) if *known == rust_type => return Some(*found),
                Some(_) => at = at.wrapping_add(1),
                None => return None,
            }
        }
    }

    /// Adds a type, or puts its component in the place of the one it had.
    pub(super) fn insert(&mut self, rust_type: TypeId, known: Known) {
        if (self.len + 1) * 4 > self.places.len() {
            let more = vec![None; (self.places.len() * 2).max(16)];
            let before = std::mem::replace(&mut self.places, more);
            before.into_iter().flatten().for_each(|(rust_type, known)| self.put(rust_type, known));
        }
        self.len += 1;
        self.put(rust_type, known);
    }

    fn put(&mut self, rust_type: TypeId, known: Known) {
        let last = self.places.len() - 1;
        let mut at = hash(rust_type) & last;
        while self.places[at].is_some_and(|(other, _)| other != rust_type) {
            at = (at + 1) & last;
        }
        self.places[at] = Some((rust_type, known));
    }
}

#[inline]
fn hash(rust_type: TypeId) -> usize {
    let mut hasher = super::registry::TypeHasher::default();
    rust_type.hash(&mut hasher);
    hasher.finish() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_is_found_as_it_was_added_last_and_no_other_is() {
        macro_rules! types {
            ($($n:literal)*) => { vec![$(TypeId::of::<[u8; $n]>(), TypeId::of::<[u16; $n]>(), TypeId::of::<&[u8; $n]>()),*] };
        }
        let all = types!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30);
        let known = |n: usize| Known { component: ComponentId(n as u16), plain: n.is_multiple_of(2) };
        let mut table = TypeTable::default();
        for (n, &rust_type) in all.iter().enumerate() {
            assert_eq!(table.get(rust_type), None);
            table.insert(rust_type, known(n + 1));
            table.insert(rust_type, known(n));
            for (n, &rust_type) in all[..=n].iter().enumerate() {
                assert_eq!(table.get(rust_type), Some(known(n)));
            }
        }
    }
}
