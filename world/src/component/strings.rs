//! Interned strings: what a block cannot hold, by number.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Immutable strings, each once, found by a number from any thread.
///
/// A number of a string is never used for another one; 0 is the empty string. Numbers begin elsewhere in each world
/// and in each content of a world, so that one of another finds nothing. They differ from run to run; nothing may
/// depend on them.
///
/// A string is in use as long as a block holds its number in a field with the role `Text`. Those that are not are
/// given back by `World::shrink`, and all of them when another scene is loaded or the world is cleared; to keep a
/// number elsewhere, such as in a system, is no use of it: keep the text.
#[derive(Debug)]
pub struct Strings(RwLock<Inner>);

#[derive(Debug)]
struct Inner {
    texts: Texts,
    numbers: HashMap<Arc<str>, u32>,
    bytes: usize,
}

/// All texts by their numbers.
#[derive(Clone, Debug)]
pub(crate) struct Texts {
    empty: Arc<str>,
    /// The number of the first of `listed`.
    first: u32,
    /// None for those that were given back.
    listed: Vec<Option<Arc<str>>>,
}

impl Texts {
    /// The text of a number; none for a number nothing is interned under.
    pub(crate) fn get(&self, number: u32) -> Option<&Arc<str>> {
        if number == 0 {
            return Some(&self.empty);
        }
        self.listed.get(number.wrapping_sub(self.first) as usize)?.as_ref()
    }
}

impl Texts {
    /// Every text with its number, the empty one left out.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (u32, &Arc<str>)> {
        let texts = self.listed.iter().enumerate();
        texts.filter_map(|(at, text)| Some((self.first.wrapping_add(at as u32), text.as_ref()?)))
    }
}

impl Default for Strings {
    fn default() -> Self {
        Self::starting_at(RandomState::new().hash_one(0_u8) as u32)
    }
}

impl Strings {
    fn starting_at(first: u32) -> Self {
        let empty: Arc<str> = Arc::from("");
        let numbers = HashMap::from([(empty.clone(), 0)]);
        Self(RwLock::new(Inner { texts: Texts { empty, first, listed: Vec::new() }, numbers, bytes: 0 }))
    }

    /// The number of a text, new or old.
    ///
    /// # Panics
    /// After four billion different texts.
    pub fn intern(&self, text: &str) -> u32 {
        if let Some(&number) = self.read().numbers.get(text) {
            return number;
        }
        let mut inner = self.write();
        if let Some(&number) = inner.numbers.get(text) {
            return number;
        }
        let shared: Arc<str> = Arc::from(text);
        let Inner { texts, numbers, bytes } = &mut *inner;
        if texts.first.wrapping_add(texts.listed.len() as u32) == 0 {
            // The number of the empty string.
            texts.listed.push(None);
        }
        assert!(texts.listed.len() < u32::MAX as usize, "fewer than four billion strings");
        let number = texts.first.wrapping_add(texts.listed.len() as u32);
        texts.listed.push(Some(shared.clone()));
        numbers.insert(shared, number);
        *bytes += text.len();
        number
    }

    /// The number of a text that was interned.
    pub(crate) fn find(&self, text: &str) -> Option<u32> {
        self.read().numbers.get(text).copied()
    }

    /// The text of a number; none for a number nothing is interned under: one of another world, or one that was
    /// given back.
    pub fn get(&self, number: u32) -> Option<Arc<str>> {
        self.read().texts.get(number).cloned()
    }

    /// All texts by their numbers.
    pub(crate) fn all(&self) -> Texts {
        self.read().texts.clone()
    }

    /// Gives back all texts but those of some numbers; their numbers are not used again.
    pub(crate) fn keep_only(&self, used: &HashSet<u32>) {
        let mut inner = self.write();
        let Inner { texts, numbers, bytes } = &mut *inner;
        numbers.retain(|text, number| {
            let stays = *number == 0 || used.contains(number);
            if !stays {
                texts.listed[number.wrapping_sub(texts.first) as usize] = None;
                *bytes -= text.len();
            }
            stays
        });
        // Those at the front need no place any more; those at the end keep theirs, lest their numbers come again.
        let gone = texts.listed.iter().take_while(|text| text.is_none()).count();
        texts.listed.drain(..gone);
        texts.first = texts.first.wrapping_add(gone as u32);
        texts.listed.shrink_to_fit();
        numbers.shrink_to_fit();
    }

    /// How many there are, the empty one not counted.
    pub fn len(&self) -> usize {
        self.read().numbers.len() - 1
    }

    /// Whether nothing but the empty string is there.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of the texts.
    pub fn bytes(&self) -> usize {
        self.read().bytes
    }

    fn write(&self) -> RwLockWriteGuard<'_, Inner> {
        self.0.write().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn read(&self) -> RwLockReadGuard<'_, Inner> {
        // A writer that panicked left the tables as they were or with one more text; both are whole.
        self.0.read().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_one_number_and_foreign_numbers_none() {
        let strings = Strings::default();
        let oak = strings.intern("oak");
        assert_eq!(strings.intern("oak"), oak);
        assert_eq!(strings.get(oak).as_deref(), Some("oak"));
        assert_eq!(strings.intern(""), 0);
        assert_eq!(strings.get(oak.wrapping_add(1)), None);
        assert_eq!((strings.len(), strings.bytes()), (1, 3));
    }

    #[test]
    fn a_number_of_another_world_finds_nothing() {
        let (one, other) = (Strings::default(), Strings::default());
        let foreign: Vec<u32> = (0..100).map(|n| one.intern(&n.to_string())).collect();
        (0..100).for_each(|n| _ = other.intern(&format!("other {n}")));
        assert!(foreign.into_iter().all(|number| other.get(number).is_none()));
    }

    #[test]
    fn strings_nobody_uses_are_given_back_and_their_numbers_are_not_used_again() {
        for first in [1, 7, u32::MAX - 1, u32::MAX] {
            let strings = Strings::starting_at(first);
            let [oak, elm, ash, fir] = ["oak", "elm", "ash", "fir"].map(|text| strings.intern(text));
            assert!([oak, elm, ash, fir].iter().all(|&number| number != 0));
            strings.keep_only(&HashSet::from([elm]));
            assert_eq!((strings.len(), strings.bytes()), (1, 3));
            assert_eq!(
                [oak, elm, ash, fir].map(|number| strings.get(number).is_some()),
                [false, true, false, false]
            );
            assert_eq!(strings.get(0).as_deref(), Some(""));
            let again = strings.intern("fir");
            assert!(![oak, elm, ash, fir, 0].contains(&again));
            assert_eq!(
                (strings.get(again).as_deref(), strings.get(elm).as_deref()),
                (Some("fir"), Some("elm"))
            );
            strings.keep_only(&HashSet::new());
            assert_eq!((strings.len(), strings.get(fir), strings.get(again)), (0, None, None));
            assert!(![oak, elm, ash, fir, again, 0].contains(&strings.intern("yew")));
        }
    }
}
