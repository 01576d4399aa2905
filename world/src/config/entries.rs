//! One flat key space of values.

use super::value::Value;
use crate::excerpt::excerpt;
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

/// So many keys are looked through one by one.
const FEW: usize = 32;

/// Keys and values in the order they were written; a key occurs once.
#[derive(Clone, Default)]
pub struct Config<'a> {
    entries: Vec<Entry<'a>>,
    /// The place of each key; none for a few, as nearly all configs have.
    #[expect(clippy::box_collection, reason = "every value has room for a config: it is kept small")]
    places: Option<Box<HashMap<Cow<'a, str>, usize>>>,
}

type Entry<'a> = (Cow<'a, str>, Value<'a>);

impl PartialEq for Config<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl fmt::Debug for Config<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<'a> Config<'a> {
    /// A config without keys.
    pub const fn new() -> Self {
        Self { entries: Vec::new(), places: None }
    }

    /// A config without keys, and room for as many.
    pub(crate) fn with_capacity(keys: usize) -> Self {
        Self { entries: Vec::with_capacity(keys), places: None }
    }

    fn from_entries(entries: Vec<Entry<'a>>) -> Self {
        let mut config = Self { entries, places: None };
        config.find_places();
        config
    }

    /// Finds the place of each key, if they are many.
    fn find_places(&mut self) {
        let places = || self.entries.iter().enumerate().map(|(place, (key, _))| (key.clone(), place));
        self.places = (self.entries.len() > FEW).then(|| Box::new(places().collect()));
    }

    /// Adds a key that is not there yet, without looking for it.
    pub(crate) fn append(&mut self, key: impl Into<Cow<'a, str>>, value: Value<'a>) {
        self.entries.push((key.into(), value));
        if self.entries.len() > FEW {
            self.note_last();
        }
    }

    /// Notes the place of the last key.
    #[cold]
    fn note_last(&mut self) {
        match (&mut self.places, self.entries.last()) {
            (Some(places), Some((key, _))) => _ = places.insert(key.clone(), self.entries.len() - 1),
            _ => self.find_places(),
        }
    }

    fn place(&self, key: &str) -> Option<usize> {
        match &self.places {
            None => self.entries.iter().position(|(known, _)| known == key),
            Some(places) => places.get(key).copied(),
        }
    }

    /// The value of `key`.
    pub fn get(&self, key: &str) -> Option<&Value<'a>> {
        self.entries.get(self.place(key)?).map(|(_, value)| value)
    }

    /// Whether `key` is there; its value does not matter.
    pub fn has(&self, key: &str) -> bool {
        self.place(key).is_some()
    }

    /// Sets `key`, in its old place if it was there, else at the end.
    pub fn set(&mut self, key: impl Into<Cow<'a, str>>, value: impl Into<Value<'a>>) {
        let key = key.into();
        match self.place(&key).and_then(|place| self.entries.get_mut(place)) {
            Some(entry) => entry.1 = value.into(),
            None => self.append(key, value.into()),
        }
    }

    /// Takes `key` out.
    pub fn remove(&mut self, key: &str) -> Option<Value<'a>> {
        let place = self.place(key)?;
        let (_, value) = self.entries.remove(place);
        self.find_places();
        Some(value)
    }

    /// The entries in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value<'a>)> {
        self.entries.iter().map(|(key, value)| (key.as_ref(), value))
    }

    /// The entries in their order, taken out.
    pub(crate) fn into_entries(self) -> impl Iterator<Item = (Cow<'a, str>, Value<'a>)> {
        self.entries.into_iter()
    }

    /// The entries in their order, to look at by index.
    pub(crate) fn entries(&self) -> &[(Cow<'a, str>, Value<'a>)] {
        &self.entries
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The same config, its keys and texts borrowed from this one.
    pub fn borrowed(&self) -> Config<'_> {
        let entries = self.entries.iter().map(|(key, value)| (Cow::Borrowed(key.as_ref()), value.borrowed()));
        Config::from_entries(entries.collect())
    }

    /// The same config, borrowing nothing.
    pub fn into_owned(self) -> Config<'static> {
        let owned = |(key, value): Entry<'a>| (Cow::Owned(key.into_owned()), value.into_owned());
        Config::from_entries(self.entries.into_iter().map(owned).collect())
    }
}

impl<'a, K: Into<Cow<'a, str>>, V: Into<Value<'a>>> FromIterator<(K, V)> for Config<'a> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut config = Self::new();
        entries.into_iter().for_each(|(key, value)| config.set(key, value));
        config
    }
}

impl Serialize for Config<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (key, value) in &self.entries {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Config<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ConfigVisitor)
    }
}

/// Reads a config; a key that stands twice is an error.
pub(super) struct ConfigVisitor;

impl<'de> Visitor<'de> for ConfigVisitor {
    type Value = Config<'de>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Config<'de>, A::Error> {
        let mut config = Config::with_capacity(8);
        while let Some((Key(key), value)) = access.next_entry::<Key<'de>, Value<'de>>()? {
            if config.has(&key) {
                return Err(de::Error::custom(format_args!("the key {:?} stands twice", excerpt(&key))));
            }
            config.append(key, value);
        }
        Ok(config)
    }
}

/// Reads a key without copying it where the text holds it as it is.
struct Key<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = Key<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }
            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(text)))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(KeyVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_key_that_stands_twice_is_an_error() {
        let error = serde_json::from_str::<Config<'_>>(r#"{"x":1,"x":2}"#).unwrap_err();
        assert!(error.to_string().contains("\"x\" stands twice"), "{error}");
    }

    #[test]
    fn a_key_that_stands_twice_among_many_is_an_error() {
        let mut text: String = (0..300).map(|key| format!("\"{key}\":0,")).collect();
        text = format!("{{{}}}", text.trim_end_matches(','));
        assert_eq!(serde_json::from_str::<Config<'_>>(&text).unwrap().len(), 300);
        for key in [0, 31, 32, 33, 250] {
            let twice = text.replace('}', &format!(",\"{key}\":1}}"));
            assert!(serde_json::from_str::<Config<'_>>(&twice).is_err(), "{key}");
        }
    }

    #[test]
    fn an_object_takes_no_more_room_than_a_text_with_its_kind() {
        assert_eq!((size_of::<Config<'_>>(), size_of::<Value<'_>>()), (32, 32));
    }

    proptest! {
        #[test]
        fn few_keys_and_many_are_found_alike(
            ops in proptest::collection::vec((0..5_u8, 0..80_u64, any::<u64>()), 0..300),
        ) {
            let (mut config, mut model) = (Config::new(), Vec::<(String, u64)>::new());
            for (op, key, value) in ops {
                let key = format!("k{key}");
                let place = model.iter().position(|(known, _)| *known == key);
                match (op, place) {
                    (0, Some(place)) => {
                        prop_assert_eq!(config.remove(&key), Some(Value::Uint(model.remove(place).1)));
                    }
                    (0, None) => prop_assert_eq!(config.remove(&key), None),
                    (_, Some(place)) => {
                        config.set(key, value);
                        model[place].1 = value;
                    }
                    (_, None) => {
                        config.set(key.clone(), value);
                        model.push((key, value));
                    }
                }
            }
            for config in [config.borrowed(), config.clone(), config.clone().into_owned()] {
                prop_assert_eq!(&config, &config.iter().map(|(key, value)| (key, value.clone())).collect());
                let entries: Vec<_> = config.iter().map(|(key, value)| (key.to_owned(), value.as_f64())).collect();
                let expected: Vec<_> = model.iter().map(|(key, value)| (key.clone(), Some(*value as f64))).collect();
                prop_assert_eq!(entries, expected);
                for (key, value) in &model {
                    prop_assert_eq!(config.get(key), Some(&Value::Uint(*value)));
                }
                prop_assert_eq!(config.get("none"), None);
            }
        }
    }
}
