//! Interned strings: what a block cannot hold, by number.

use std::collections::HashMap;
use std::sync::{Arc, RwLock};

/// Immutable strings, each once, found by a number from any thread.
///
/// A number of a string is never used for another one. 0 is the empty string.
#[derive(Debug)]
pub struct Strings(RwLock<Inner>);

#[derive(Debug)]
struct Inner {
    texts: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
    bytes: usize,
}

impl Default for Strings {
    fn default() -> Self {
        let empty: Arc<str> = Arc::from("");
        let numbers = HashMap::from([(empty.clone(), 0)]);
        Self(RwLock::new(Inner { texts: vec![empty], numbers, bytes: 0 }))
    }
}

impl Strings {
    /// The number of a text, new or old.
    ///
    /// # Panics
    /// After four billion different texts.
    pub fn intern(&self, text: &str) -> u32 {
        if let Some(&number) = self.read().numbers.get(text) {
            return number;
        }
        let mut inner = self.0.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(&number) = inner.numbers.get(text) {
            return number;
        }
        let number = u32::try_from(inner.texts.len()).expect("fewer than four billion strings");
        let shared: Arc<str> = Arc::from(text);
        inner.texts.push(shared.clone());
        inner.numbers.insert(shared, number);
        inner.bytes += text.len();
        number
    }

    /// The number of a text that was interned.
    pub(crate) fn find(&self, text: &str) -> Option<u32> {
        self.read().numbers.get(text).copied()
    }

    /// The text of a number; none for a number nothing was interned under.
    pub fn get(&self, number: u32) -> Option<Arc<str>> {
        self.read().texts.get(number as usize).cloned()
    }

    /// All texts by their numbers.
    pub(crate) fn all(&self) -> Vec<Arc<str>> {
        self.read().texts.clone()
    }

    /// How many there are, the empty one not counted.
    pub fn len(&self) -> usize {
        self.read().texts.len() - 1
    }

    /// Whether nothing but the empty string is there.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of the texts.
    pub fn bytes(&self) -> usize {
        self.read().bytes
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, Inner> {
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
        assert_eq!(strings.get(99), None);
        assert_eq!((strings.len(), strings.bytes()), (1, 3));
    }
}
