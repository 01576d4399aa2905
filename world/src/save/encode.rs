//! Configs into strings.

use super::decode::ABSENT;
use super::definition::{Property, PropertyKind, TYPE};
use super::definitions::Definitions;
use super::scale::{exact_number, zigzag};
use super::varint;
use crate::config::{Config, Value};

impl Definitions {
    /// Appends the string that stands for exactly this config, and returns the key it uses: that of the first
    /// definition of its type that fits.
    ///
    /// None, with nothing appended, where there is no such string: the config has no type, or one without
    /// definition, or a property that the definition lacks, or a value that would come back changed. Such a config
    /// stays an object. The order of the config's keys is not kept.
    pub fn encode(&self, config: &Config<'_>, out: &mut String) -> Option<u64> {
        let start = out.len();
        for (key, properties) in self.by_type(config.get(TYPE)?.as_str()?) {
            varint::write(out, key);
            if write_fields(properties, config, out).is_some() {
                return Some(key);
            }
            out.truncate(start);
        }
        None
    }
}

fn write_fields(properties: &[Property], config: &Config<'_>, out: &mut String) -> Option<()> {
    // Most configs have their keys in the order of the definition: the next entry is the first guess.
    let entries = config.entries();
    let mut guess = usize::from(entries.first().is_some_and(|(name, _)| name == TYPE));
    let mut written = 1;
    let mut end = out.len();
    for property in properties {
        let value = match entries.get(guess) {
            Some((name, value)) if *name == property.name => {
                guess += 1;
                Some(value)
            }
            _ => config.get(&property.name),
        };
        match value {
            Some(value) => {
                write_field(&property.kind, value, out)?;
                written += 1;
                end = out.len();
            }
            None => out.push(char::from(ABSENT)),
        }
    }
    out.truncate(end);
    (written == config.len()).then_some(())
}

fn write_field(kind: &PropertyKind, value: &Value<'_>, out: &mut String) -> Option<()> {
    if let (PropertyKind::Text, Value::Text(text)) = (kind, value) {
        // A length of 0 stands for null, so the empty text has none.
        if text.is_empty() {
            return None;
        }
        let units = if text.is_ascii() { text.len() } else { text.encode_utf16().count() };
        varint::write(out, units as u64);
        out.push_str(text);
        return Some(());
    }
    varint::write(out, stored(kind, value)?);
    Some(())
}

/// The integer that stands for exactly this value, if one does; a text other than null has none.
fn stored(kind: &PropertyKind, value: &Value<'_>) -> Option<u64> {
    match (kind, value) {
        (PropertyKind::Uint(scale), Value::Uint(n)) if *n <= i64::MAX as u64 => {
            u64::try_from(scale.stored_integer(*n as i64)?).ok()
        }
        (PropertyKind::Int(scale), Value::Uint(n)) if *n <= i64::MAX as u64 => {
            scale.stored_integer(*n as i64).map(zigzag)
        }
        (PropertyKind::Int(scale), Value::Int(n)) => scale.stored_integer(*n).map(zigzag),
        (PropertyKind::Boolean, Value::Bool(truth)) => Some(u64::from(*truth)),
        (PropertyKind::Text, Value::Null) => Some(0),
        _ => stored_number(kind, exact_number(value)?),
    }
}

/// The integer that stands for exactly this number, if one does.
pub(super) fn stored_number(kind: &PropertyKind, number: f64) -> Option<u64> {
    match kind {
        PropertyKind::Uint(scale) => u64::try_from(scale.stored(number)?).ok(),
        PropertyKind::Int(scale) => scale.stored(number).map(zigzag),
        PropertyKind::Float32 => {
            let single = number as f32;
            (f64::from(single).to_bits() == number.to_bits()).then(|| single.to_bits().into())
        }
        PropertyKind::Boolean | PropertyKind::Text => None,
    }
}

/// Every entry of `left` is in `right` and the other way round, numbers by their value.
#[cfg(test)]
pub(super) fn same(left: &Config<'_>, right: &Config<'_>) -> bool {
    left.len() == right.len()
        && left.iter().all(|(key, value)| match (exact_number(value), right.get(key)) {
            (Some(number), Some(other)) => {
                exact_number(other).is_some_and(|other| other.to_bits() == number.to_bits())
            }
            (None, other) => other == Some(value),
            (Some(_), None) => false,
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::save::Definition;
    use serde::Deserialize;

    #[derive(Deserialize)]
    #[serde(bound(deserialize = "'de: 'a"))]
    struct Vectors<'a> {
        entities: Vec<Vector<'a>>,
    }

    #[derive(Deserialize)]
    #[serde(bound(deserialize = "'de: 'a"))]
    struct Vector<'a> {
        definition: Definition,
        key: u64,
        config: Config<'a>,
        encoded: Value<'a>,
    }

    #[test]
    fn the_known_configs_become_the_known_strings_and_come_back() {
        let vectors: Vectors<'_> =
            serde_json::from_str(include_str!("../../tests/vectors/save-codec.json")).unwrap();
        assert!(!vectors.entities.is_empty());
        for Vector { definition, key, config, encoded } in vectors.entities {
            let definitions = Definitions::new([(key, definition)]).unwrap();
            let mut out = String::from("before");
            let used = definitions.encode(&config, &mut out);
            match encoded {
                Value::Text(text) => {
                    assert_eq!((out.strip_prefix("before"), used), (Some(&*text), Some(key)));
                    assert_eq!(definitions.decode(&text).as_ref(), Ok(&config));
                }
                object => {
                    assert_eq!((out.as_str(), used), ("before", None));
                    assert_eq!(object, Value::Object(config));
                }
            }
        }
    }

    fn definitions(properties: &str) -> Definitions {
        serde_json::from_str(&format!(r#"{{"0":{{"type":"t","properties":[{properties}]}}}}"#)).unwrap()
    }

    fn encode(definitions: &Definitions, config: &str) -> Option<String> {
        let mut out = String::new();
        definitions.encode(&serde_json::from_str(config).unwrap(), &mut out)?;
        Some(out)
    }

    #[test]
    fn numbers_that_would_change_stay_objects() {
        let plain = definitions(r#"{"name":"v","type":"int"},{"name":"f","type":"float32"}"#);
        assert_eq!(encode(&plain, r#"{"type":"t","v":-0.0}"#), None);
        assert_eq!(encode(&plain, r#"{"type":"t","v":3.0}"#).as_deref(), Some("#)"));
        assert_eq!(encode(&plain, r#"{"type":"t","v":9007199254740993}"#), None);
        assert_eq!(encode(&plain, r#"{"type":"t","v":18446744073709551615}"#), None);
        assert_eq!(encode(&plain, r#"{"type":"t","f":1e300}"#), None);
        let zero = encode(&plain, r#"{"type":"t","f":-0.0}"#).unwrap();
        assert_eq!(plain.decode(&zero).unwrap().get("f"), Some(&Value::Float(-0.0)));
    }

    #[test]
    fn what_no_field_can_hold_stays_an_object() {
        let all = definitions(
            r#"{"name":"b","type":"boolean"},{"name":"t","type":"string"},{"name":"u","type":"uint"}"#,
        );
        for config in [
            r#"{"type":"t","b":null}"#,
            r#"{"type":"t","b":1}"#,
            r#"{"type":"t","t":true}"#,
            r#"{"type":"t","t":[]}"#,
            r#"{"type":"t","t":{}}"#,
            r#"{"type":"t","u":null}"#,
            r#"{"type":"t","u":"1"}"#,
            r#"{"type":"t","other":1}"#,
            r#"{"type":"unknown"}"#,
            r#"{"type":7}"#,
            r#"{"u":1}"#,
        ] {
            assert_eq!(encode(&all, config), None, "{config}");
        }
    }

    #[test]
    fn the_keys_of_a_config_may_stand_in_any_order() {
        let definitions = definitions(
            r#"{"name":"a","type":"uint"},{"name":"b","type":"uint"},{"name":"c","type":"uint"}"#,
        );
        for config in [
            r#"{"type":"t","a":1,"b":2,"c":3}"#,
            r#"{"c":3,"b":2,"a":1,"type":"t"}"#,
            r#"{"b":2,"type":"t","c":3,"a":1}"#,
        ] {
            let text = encode(&definitions, config).unwrap();
            assert_eq!(text, "#$%&");
            assert!(same(&definitions.decode(&text).unwrap(), &serde_json::from_str(config).unwrap()));
        }
    }

    #[test]
    fn a_save_is_read_by_its_own_definitions_whatever_became_of_them() {
        let old = definitions(
            r#"{"name":"a","type":"uint"},{"name":"b","type":"string"},{"name":"c","type":"boolean"}"#,
        );
        let config = serde_json::from_str(r#"{"type":"t","a":7,"b":"x","c":true}"#).unwrap();
        let mut text = String::new();
        let key = old.encode(&config, &mut text).unwrap();
        let carried = serde_json::to_string(&old.only([key])).unwrap();
        for later in [
            r#"{"name":"a","type":"uint"},{"name":"b","type":"string"},{"name":"c","type":"boolean"},{"name":"d","type":"uint"}"#,
            r#"{"name":"c","type":"boolean"},{"name":"a","type":"uint"},{"name":"b","type":"string"}"#,
            r#"{"name":"c","type":"boolean"}"#,
        ] {
            let loaded: Definitions = serde_json::from_str(&carried).unwrap();
            let read = loaded.decode(&text).unwrap();
            assert_eq!(read, config);
            // The next save is written by the later definitions; what they lack stays an object.
            let later = definitions(later);
            let mut again = String::new();
            match later.encode(&read, &mut again) {
                Some(_) => assert!(same(&later.decode(&again).unwrap(), &config)),
                None => assert!(later.iter().next().unwrap().1.properties().len() < config.len() - 1),
            }
        }
    }
}
