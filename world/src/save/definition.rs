//! What the strings of some types hold: which properties, in which order, each in which form.

use super::scale::{Scale, ScaleError};
use crate::config::Value;
use crate::excerpt::excerpt;
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use std::collections::HashSet;
use thiserror::Error;

/// The config key that every definition implies.
pub(super) const TYPE: &str = "type";

/// A list of properties and the types that have it.
///
/// In JSON `{ "type": "oak", "properties": [ … ] }`, or `{ "types": ["oak", "pine"], "properties": [ … ] }`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "WrittenDefinition")]
pub struct Definition {
    /// Not empty; each once.
    types: Vec<String>,
    /// None named `type`; no name twice.
    properties: Vec<Property>,
}

/// A property of a definition.
///
/// In JSON `{ "name": "x", "type": "uint", "step": 32, "offset": 16, "decimals": 0 }`; step, offset and decimals
/// may be left out.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "WrittenProperty")]
pub struct Property {
    /// The config key.
    pub name: String,
    /// Its form.
    pub kind: PropertyKind,
}

/// In what form a string holds a property.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PropertyKind {
    /// A number, stored as an integer from 0.
    Uint(Scale),
    /// A number, stored as a signed integer.
    Int(Scale),
    /// True or false.
    Boolean,
    /// A number that single precision holds exactly, stored as its 32 bits.
    Float32,
    /// A text, or null.
    Text,
}

/// Why a definition makes no sense.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum DefinitionError {
    /// Neither `type` nor `types`, or an empty list.
    #[error("a definition names no type: give \"type\", or \"types\" with at least one")]
    NoType,
    /// Both `type` and `types`.
    #[error("a definition has both \"type\" and \"types\": keep one of them")]
    TypeAndTypes,
    /// A type stands twice in `types`.
    #[error("the type {:?} stands twice in one definition: keep one", excerpt(name))]
    RepeatedType {
        /// The type.
        name: String,
    },
    /// A property called `type`.
    #[error("\"type\" cannot be a property of a definition: the definition itself says it")]
    TypeAsProperty,
    /// Two properties of one name.
    #[error("the property {:?} stands twice in one definition: keep one", excerpt(name))]
    RepeatedProperty {
        /// The property.
        name: String,
    },
    /// A useless step or offset, or too many decimals.
    #[error("property {:?}: {error}", excerpt(name))]
    Scale {
        /// The property.
        name: String,
        /// What is wrong.
        error: ScaleError,
    },
    /// A step, an offset or decimals on something that is no integer.
    #[error(
        "property {:?}: step, offset and decimals are for \"int\" and \"uint\" only; remove them",
        excerpt(name)
    )]
    ScaleOfOther {
        /// The property.
        name: String,
    },
}

impl Definition {
    /// The definition of these types, in the order of their keys.
    ///
    /// # Errors
    /// If there is no type, a type or a property stands twice, or a property is called `type`.
    pub fn new(types: Vec<String>, properties: Vec<Property>) -> Result<Self, DefinitionError> {
        if types.is_empty() {
            return Err(DefinitionError::NoType);
        }
        if let Some(name) = first_repeated(types.iter().map(String::as_str)) {
            return Err(DefinitionError::RepeatedType { name: name.to_owned() });
        }
        if let Some(name) = first_repeated(properties.iter().map(|property| property.name.as_str())) {
            return Err(DefinitionError::RepeatedProperty { name: name.to_owned() });
        }
        if properties.iter().any(|property| property.name == TYPE) {
            return Err(DefinitionError::TypeAsProperty);
        }
        Ok(Self { types, properties })
    }

    /// The types, of which the first has the definition's own key, the next the key after it, and so on.
    pub fn types(&self) -> &[String] {
        &self.types
    }

    /// The properties, in the order of their fields.
    pub fn properties(&self) -> &[Property] {
        &self.properties
    }
}

fn first_repeated<'a>(mut names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut seen = HashSet::new();
    names.find(|name| !seen.insert(*name))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenDefinition {
    r#type: Option<String>,
    types: Option<Vec<String>>,
    properties: Vec<Property>,
}

impl TryFrom<WrittenDefinition> for Definition {
    type Error = DefinitionError;

    fn try_from(written: WrittenDefinition) -> Result<Self, DefinitionError> {
        let types = match (written.r#type, written.types) {
            (Some(_), Some(_)) => return Err(DefinitionError::TypeAndTypes),
            (Some(name), None) => vec![name],
            (None, types) => types.unwrap_or_default(),
        };
        Self::new(types, written.properties)
    }
}

impl Serialize for Definition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        match self.types.as_slice() {
            [name] => map.serialize_entry(TYPE, name)?,
            types => map.serialize_entry("types", types)?,
        }
        map.serialize_entry("properties", &self.properties)?;
        map.end()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenProperty {
    name: String,
    r#type: KindName,
    step: Option<f64>,
    offset: Option<f64>,
    decimals: Option<u8>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum KindName {
    Uint,
    Int,
    Boolean,
    Float32,
    String,
}

impl TryFrom<WrittenProperty> for Property {
    type Error = DefinitionError;

    fn try_from(written: WrittenProperty) -> Result<Self, DefinitionError> {
        let WrittenProperty { name, r#type, step, offset, decimals } = written;
        let scaled = step.is_some() || offset.is_some() || decimals.is_some();
        let scale = Scale::new(step.unwrap_or(1.0), offset.unwrap_or(0.0), decimals.unwrap_or(0));
        let kind = match (r#type, scale) {
            (KindName::Uint, Ok(scale)) => PropertyKind::Uint(scale),
            (KindName::Int, Ok(scale)) => PropertyKind::Int(scale),
            (KindName::Uint | KindName::Int, Err(error)) => {
                return Err(DefinitionError::Scale { name, error });
            }
            _ if scaled => return Err(DefinitionError::ScaleOfOther { name }),
            (KindName::Boolean, _) => PropertyKind::Boolean,
            (KindName::Float32, _) => PropertyKind::Float32,
            (KindName::String, _) => PropertyKind::Text,
        };
        Ok(Self { name, kind })
    }
}

impl Serialize for Property {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (kind, scale) = match self.kind {
            PropertyKind::Uint(scale) => ("uint", scale),
            PropertyKind::Int(scale) => ("int", scale),
            PropertyKind::Boolean => ("boolean", Scale::PLAIN),
            PropertyKind::Float32 => ("float32", Scale::PLAIN),
            PropertyKind::Text => ("string", Scale::PLAIN),
        };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &self.name)?;
        map.serialize_entry("type", kind)?;
        if scale.step() != 1.0 {
            map.serialize_entry("step", &Value::from(scale.step()))?;
        }
        if scale.offset() != 0.0 || scale.offset().is_sign_negative() {
            map.serialize_entry("offset", &Value::from(scale.offset()))?;
        }
        if scale.decimals() != 0 {
            map.serialize_entry("decimals", &scale.decimals())?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Definition, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    fn fault(text: &str) -> String {
        read(text).unwrap_err()
    }

    #[test]
    fn a_definition_is_written_as_it_was_read() {
        for text in [
            r#"{"type":"grass","properties":[{"name":"x","type":"uint","step":32,"offset":16}]}"#,
            r#"{"types":["oak","pine"],"properties":[{"name":"a","type":"int","step":0.5,"offset":-0.0}]}"#,
            r#"{"type":"","properties":[{"name":"b","type":"boolean"},{"name":"c","type":"float32"}]}"#,
            r#"{"type":"s","properties":[{"name":"d","type":"string"},{"name":"e","type":"int","decimals":2}]}"#,
            r#"{"type":"s","properties":[]}"#,
        ] {
            assert_eq!(serde_json::to_string(&read(text).unwrap()).unwrap(), text);
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused_by_name() {
        let property = |rest: &str| format!(r#"{{"type":"t","properties":[{{"name":"x","type":{rest}}}]}}"#);
        assert!(fault(&property(r#""uint","step":0"#)).contains("\"x\": the step 0 is of no use"));
        assert!(fault(&property(r#""int","decimals":23"#)).contains("23 decimals are too many"));
        assert!(fault(&property(r#""string","step":2"#)).contains("for \"int\" and \"uint\" only"));
        assert!(fault(&property(r#""float""#)).contains("unknown variant `float`, expected one of `uint`"));
        assert!(fault(&property(r#""int","stpe":2"#)).contains("unknown field `stpe`"));
        assert!(fault(r#"{"properties":[]}"#).contains("names no type"));
        assert!(fault(r#"{"types":[],"properties":[]}"#).contains("names no type"));
        assert!(fault(r#"{"type":"a","types":["b"],"properties":[]}"#).contains("keep one"));
        assert!(fault(r#"{"types":["a","a"],"properties":[]}"#).contains("\"a\" stands twice"));
        let twice = r#"{"name":"x","type":"int"}"#;
        assert!(
            fault(&format!(r#"{{"type":"t","properties":[{twice},{twice}]}}"#))
                .contains("\"x\" stands twice")
        );
        assert!(
            fault(r#"{"type":"t","properties":[{"name":"type","type":"int"}]}"#)
                .contains("cannot be a property")
        );
    }
}
