//! A set of components as bits.

use crate::id::ComponentId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A set of components.
///
/// Takes no allocation while every component in it is one of the first 64. Written and read as the list of its
/// ids.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(into = "Vec<ComponentId>", from = "Vec<ComponentId>")]
pub struct ComponentSet {
    /// Bit i is component i.
    first: u64,
    /// Bit i of word w is component 64 × (w + 1) + i. The last word is never zero, so that equal sets are
    /// equal vectors.
    rest: Vec<u64>,
}

impl ComponentSet {
    /// The set without components.
    pub const fn new() -> Self {
        Self { first: 0, rest: Vec::new() }
    }

    /// Puts a component in; tells whether it was not there.
    pub fn insert(&mut self, id: ComponentId) -> bool {
        let bit = 1 << (id.0 % 64);
        let word = match id.index() / 64 {
            0 => &mut self.first,
            word => {
                if self.rest.len() < word {
                    self.rest.resize(word, 0);
                }
                &mut self.rest[word - 1]
            }
        };
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Takes a component out; tells whether it was there.
    pub fn remove(&mut self, id: ComponentId) -> bool {
        let had = self.contains(id);
        if had {
            let bit = 1 << (id.0 % 64);
            match id.index() / 64 {
                0 => self.first &= !bit,
                word => self.rest[word - 1] &= !bit,
            }
            self.trim();
        }
        had
    }

    /// Whether a component is in the set.
    pub fn contains(&self, id: ComponentId) -> bool {
        self.word(id.index() / 64) >> (id.0 % 64) & 1 == 1
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.first == 0 && self.rest.is_empty()
    }

    /// How many components are in it.
    pub fn len(&self) -> usize {
        self.words().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether the two sets share a component.
    pub fn intersects(&self, other: &Self) -> bool {
        self.first & other.first != 0 || self.rest.iter().zip(&other.rest).any(|(a, b)| a & b != 0)
    }

    /// Whether all of this set is in the other one; the empty set is in every set.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.words().enumerate().all(|(index, word)| word & !other.word(index) == 0)
    }

    /// What is in this set, in the other, or in both.
    pub fn union(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a | b)
    }

    /// What is in both sets.
    pub fn intersection(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a & b)
    }

    /// What is in this set and not in the other.
    pub fn difference(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a & !b)
    }

    /// The components, by id.
    pub fn iter(&self) -> impl Iterator<Item = ComponentId> + '_ {
        self.words().enumerate().flat_map(|(index, word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
                left &= left - 1;
                // At most 65,535, since only ids that are 16 bits wide were put in.
                Some(ComponentId((index * 64 + bit) as u16))
            })
        })
    }

    fn words(&self) -> impl Iterator<Item = u64> + '_ {
        std::iter::once(self.first).chain(self.rest.iter().copied())
    }

    fn word(&self, index: usize) -> u64 {
        match index {
            0 => self.first,
            _ => self.rest.get(index - 1).copied().unwrap_or(0),
        }
    }

    fn combine(&self, other: &Self, operation: impl Fn(u64, u64) -> u64) -> Self {
        let words = self.rest.len().max(other.rest.len());
        let mut set = Self {
            first: operation(self.first, other.first),
            rest: (1..=words).map(|index| operation(self.word(index), other.word(index))).collect(),
        };
        set.trim();
        set
    }

    fn trim(&mut self) {
        while self.rest.last() == Some(&0) {
            self.rest.pop();
        }
    }
}

impl Extend<ComponentId> for ComponentSet {
    fn extend<I: IntoIterator<Item = ComponentId>>(&mut self, ids: I) {
        for id in ids {
            self.insert(id);
        }
    }
}

impl FromIterator<ComponentId> for ComponentSet {
    fn from_iter<I: IntoIterator<Item = ComponentId>>(ids: I) -> Self {
        let mut set = Self::new();
        set.extend(ids);
        set
    }
}

impl<const N: usize> From<[ComponentId; N]> for ComponentSet {
    fn from(ids: [ComponentId; N]) -> Self {
        ids.into_iter().collect()
    }
}

impl From<Vec<ComponentId>> for ComponentSet {
    fn from(ids: Vec<ComponentId>) -> Self {
        ids.into_iter().collect()
    }
}

impl From<ComponentSet> for Vec<ComponentId> {
    fn from(set: ComponentSet) -> Self {
        set.iter().collect()
    }
}

impl fmt::Debug for ComponentSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(|id| id.0)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn set(ids: &BTreeSet<u16>) -> ComponentSet {
        ids.iter().map(|&id| ComponentId(id)).collect()
    }

    fn ids(set: &ComponentSet) -> BTreeSet<u16> {
        set.iter().map(|id| id.0).collect()
    }

    #[test]
    fn a_set_without_its_high_components_equals_one_that_never_had_them() {
        let mut a = ComponentSet::from([ComponentId(1), ComponentId(700)]);
        assert!(a.remove(ComponentId(700)));
        assert!(!a.remove(ComponentId(700)));
        assert_eq!(a, ComponentSet::from([ComponentId(1)]));
    }

    #[test]
    fn the_highest_id_fits() {
        let all = ComponentSet::from([ComponentId(u16::MAX), ComponentId(0)]);
        assert_eq!(ids(&all), BTreeSet::from([0, u16::MAX]));
    }

    fn some_ids() -> impl Strategy<Value = BTreeSet<u16>> {
        proptest::collection::btree_set(prop_oneof![0..8u16, 60..70u16, 120..300u16], 0..12)
    }

    proptest! {
        #[test]
        fn it_agrees_with_an_ordered_set(a in some_ids(), b in some_ids(), id in 0..300u16) {
            let (x, y) = (set(&a), set(&b));
            prop_assert_eq!(ids(&x), a.clone());
            prop_assert_eq!(x.len(), a.len());
            prop_assert_eq!(x.is_empty(), a.is_empty());
            prop_assert_eq!(x.contains(ComponentId(id)), a.contains(&id));
            prop_assert_eq!(x.union(&y), set(&(&a | &b)));
            prop_assert_eq!(x.intersection(&y), set(&(&a & &b)));
            prop_assert_eq!(x.difference(&y), set(&(&a - &b)));
            prop_assert_eq!(x.intersects(&y), !a.is_disjoint(&b));
            prop_assert_eq!(x.is_subset(&y), a.is_subset(&b));
            prop_assert_eq!(x == y, a == b);
            let text = serde_json::to_string(&x).unwrap();
            prop_assert_eq!(serde_json::from_str::<ComponentSet>(&text).unwrap(), x);
        }
    }
}
