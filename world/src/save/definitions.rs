//! The definitions of a save, each at its key.

use super::definition::{Definition, Property};
use crate::excerpt::excerpt;
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::collections::HashMap;
use std::fmt;
use thiserror::Error;

/// What the strings of a save stand for.
///
/// In JSON an object from keys to [`Definition`]s: `{ "0": { "type": "grass", "properties": [ … ] } }`. A
/// definition of several types takes as many keys, counted from its own. A type may have several definitions: its
/// entities need not all be alike.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Definitions {
    /// In the order of their keys, which do not overlap.
    entries: Vec<(u64, Definition)>,
    /// For each type its keys in their order, each with its index in `entries`.
    by_type: HashMap<String, Vec<(u64, usize)>>,
}

/// Why definitions cannot stand at these keys.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum KeyError {
    /// Two definitions claim the same key.
    #[error("two definitions have the key {key}: a definition takes one key for each of its types")]
    Taken {
        /// The key.
        key: u64,
    },
    /// The keys of a definition do not fit 64 bits.
    #[error("the key {key} is too great for its definition: number the definitions from 0")]
    TooGreat {
        /// The key of the definition.
        key: u64,
    },
}

impl Definitions {
    /// The definitions at their keys, given in any order.
    ///
    /// # Errors
    /// If two of them claim one key, or a key is too great.
    pub fn new(definitions: impl IntoIterator<Item = (u64, Definition)>) -> Result<Self, KeyError> {
        let mut entries: Vec<_> = definitions.into_iter().collect();
        entries.sort_by_key(|(key, _)| *key);
        let mut by_type: HashMap<String, Vec<_>> = HashMap::new();
        let mut free = Some(0);
        for (index, (first, definition)) in entries.iter().enumerate() {
            if free.is_none_or(|free| *first < free) {
                return Err(KeyError::Taken { key: *first });
            }
            free = Some(*first);
            for name in definition.types() {
                let key = free.ok_or(KeyError::TooGreat { key: *first })?;
                by_type.entry(name.clone()).or_default().push((key, index));
                free = key.checked_add(1);
            }
        }
        Ok(Self { entries, by_type })
    }

    /// The definitions and their keys, in the order of the keys.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &Definition)> {
        self.entries.iter().map(|(key, definition)| (*key, definition))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Only those definitions that one of these keys needs: what a save has to carry.
    pub fn only(&self, used: impl IntoIterator<Item = u64>) -> Self {
        let mut needed = vec![false; self.entries.len()];
        for key in used {
            if let Some(index) = self.index_of(key) {
                needed[index] = true;
            }
        }
        let entries: Vec<_> =
            self.entries.iter().zip(&needed).filter(|(_, needed)| **needed).map(|(e, _)| e.clone()).collect();
        // A part of what does not overlap does not overlap.
        Self::new(entries).unwrap_or_default()
    }

    /// The type and the properties that a string with this key has.
    pub(super) fn by_key(&self, key: u64) -> Option<(&str, &[Property])> {
        let (first, definition) = &self.entries[self.index_of(key)?];
        let name = definition.types().get((key - first) as usize)?;
        Some((name, definition.properties()))
    }

    /// The keys and the properties that strings for this type may have, the lowest key first.
    pub(super) fn by_type(&self, name: &str) -> impl Iterator<Item = (u64, &[Property])> {
        let found = self.by_type.get(name).map_or(&[][..], Vec::as_slice);
        found.iter().map(|(key, index)| (*key, self.entries[*index].1.properties()))
    }

    /// The entry with the greatest key that is not above `key`, if `key` is one of its own.
    fn index_of(&self, key: u64) -> Option<usize> {
        let index = self.entries.partition_point(|(first, _)| *first <= key).checked_sub(1)?;
        let (first, definition) = &self.entries[index];
        (key - first < definition.types().len() as u64).then_some(index)
    }
}

impl Serialize for Definitions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Definitions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct DefinitionsVisitor;
        impl<'de> Visitor<'de> for DefinitionsVisitor {
            type Value = Definitions;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object from keys (\"0\", \"1\", …) to definitions")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Definitions, A::Error> {
                let mut entries = Vec::new();
                while let Some(text) = access.next_key::<String>()? {
                    let key =
                        text.parse::<u64>().ok().filter(|key| key.to_string() == text).ok_or_else(|| {
                            let text = excerpt(&text);
                            de::Error::custom(format_args!("the key {text:?} is no integer from 0"))
                        })?;
                    entries.push((key, access.next_value()?));
                }
                Definitions::new(entries).map_err(de::Error::custom)
            }
        }
        deserializer.deserialize_map(DefinitionsVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Definitions, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    const TREES: &str = r#"{"types":["oak","pine"],"properties":[{"name":"x","type":"int"}]}"#;
    const ROCK: &str = r#"{"type":"rock","properties":[]}"#;

    #[test]
    fn definitions_of_several_types_take_the_keys_from_their_own() {
        let text = format!(r#"{{"3":{TREES},"7":{ROCK}}}"#);
        let definitions = read(&text).unwrap();
        let name = |key| definitions.by_key(key).map(|(name, _)| name);
        assert_eq!(
            [2, 3, 4, 5, 6, 7, 8].map(name),
            [None, Some("oak"), Some("pine"), None, None, Some("rock"), None]
        );
        assert_eq!(definitions.by_type("pine").map(|(key, _)| key).collect::<Vec<_>>(), [4]);
        assert_eq!(definitions.by_type("elm").count(), 0);
        assert_eq!(serde_json::to_string(&definitions).unwrap(), text);
    }

    #[test]
    fn only_the_needed_definitions_are_kept() {
        let definitions = read(&format!(r#"{{"3":{TREES},"7":{ROCK}}}"#)).unwrap();
        assert_eq!(
            serde_json::to_string(&definitions.only([4, 900])).unwrap(),
            format!(r#"{{"3":{TREES}}}"#)
        );
        assert!(definitions.only([]).is_empty());
    }

    #[test]
    fn a_key_belongs_to_one_definition() {
        assert!(read(&format!(r#"{{"0":{TREES},"1":{ROCK}}}"#)).unwrap_err().contains("have the key 1"));
        assert!(read(&format!(r#"{{"0":{ROCK},"0":{ROCK}}}"#)).unwrap_err().contains("have the key 0"));
        assert!(read(&format!(r#"{{"18446744073709551615":{TREES}}}"#)).unwrap_err().contains("too great"));
        assert!(read(&format!(r#"{{"18446744073709551615":{ROCK}}}"#)).is_ok());
        for key in ["", "-1", "00", "+1", "x", "18446744073709551616"] {
            assert!(read(&format!(r#"{{"{key}":{ROCK}}}"#)).unwrap_err().contains("no integer from 0"));
        }
    }

    #[test]
    fn a_type_may_have_several_definitions() {
        let definitions = read(&format!(r#"{{"5":{ROCK},"2":{ROCK}}}"#)).unwrap();
        assert_eq!(definitions.by_type("rock").map(|(key, _)| key).collect::<Vec<_>>(), [2, 5]);
        assert_eq!(definitions.by_key(5).unwrap().0, "rock");
    }
}
