//! Strings back into configs.

use super::definition::{Property, PropertyKind, TYPE};
use super::definitions::Definitions;
use super::scale::{Scale, unzigzag};
use super::varint;
use crate::config::{Config, Value};
use crate::excerpt::excerpt;
use std::fmt;
use thiserror::Error;

/// Stands for a field that is absent.
pub(super) const ABSENT: u8 = b'!';

/// Where and why a string could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct DecodeError {
    /// Bytes from the start of the string.
    pub at: usize,
    /// The property whose field it is, if it is one's.
    pub property: Option<String>,
    /// What is wrong there.
    pub fault: DecodeFault,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {} of the string", self.at)?;
        if let Some(property) = &self.property {
            write!(f, ", property {:?}", excerpt(property))?;
        }
        write!(f, ": {}", self.fault)
    }
}

/// What can be wrong with a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DecodeFault {
    /// The string is cut off.
    #[error("the string ends within a number; it seems to be cut off")]
    EndsWithinNumber,
    /// A character that is no digit where a number must be.
    #[error("here must be a number, and this character is no digit of one")]
    NotADigit,
    /// A most significant digit of 0.
    #[error(
        "a number ends in a digit that adds nothing; the string was not written by a program of this format"
    )]
    NeedlessDigit,
    /// More than 64 bits; or more than 32 for a single-precision number.
    #[error("the number is too great for its kind")]
    NumberTooGreat,
    /// No definition has the string's key.
    #[error("no definition has the key {0}; the save must carry every definition its strings use")]
    UnknownKey(u64),
    /// A truth value other than 0 and 1.
    #[error("a truth value must be 0 or 1, not {0}")]
    NoTruthValue(u64),
    /// What is stored stands for an infinity or for no number.
    #[error("the field stands for no finite number")]
    NotFinite,
    /// A text longer than what is left of the string.
    #[error("a text of {0} UTF-16 units goes beyond the end of the string")]
    TextTooLong(u64),
    /// The length of a text ends between the two units of one character.
    #[error("the length of a text ends in the middle of a character")]
    SplitCharacter,
    /// Characters behind the last field.
    #[error("the string goes on behind the last property of its definition")]
    TooManyFields,
}

impl Definitions {
    /// The config that `text` stands for: its type, then its properties in the order of the definition.
    ///
    /// Names are borrowed from the definitions and texts from `text`; the config's list is all that is allocated.
    ///
    /// # Errors
    /// If the text is no string of these definitions.
    pub fn decode<'a>(&'a self, text: &'a str) -> Result<Config<'a>, DecodeError> {
        let mut fields = Fields { text, at: 0 };
        let error = |at, property: Option<&Property>, fault| DecodeError {
            at,
            property: property.map(|property| property.name.clone()),
            fault,
        };
        let key = fields.number().map_err(|fault| error(fields.at, None, fault))?;
        let (name, properties) =
            self.by_key(key).ok_or_else(|| error(0, None, DecodeFault::UnknownKey(key)))?;
        // A field takes a byte at least: a short string of a long definition needs no long list.
        let mut config = Config::with_capacity(1 + properties.len().min(text.len()));
        config.append(TYPE, Value::from(name));
        for property in properties {
            match fields.text.as_bytes().get(fields.at) {
                None => break,
                Some(&ABSENT) => fields.at += 1,
                Some(_) => match fields.value(&property.kind) {
                    Ok(value) => config.append(&property.name, value),
                    Err(fault) => return Err(error(fields.at, Some(property), fault)),
                },
            }
        }
        if fields.at < text.len() {
            return Err(error(fields.at, None, DecodeFault::TooManyFields));
        }
        Ok(config)
    }
}

/// Reads a string from left to right.
struct Fields<'a> {
    text: &'a str,
    /// On a character boundary. In case of a fault, the place to blame.
    at: usize,
}

impl<'a> Fields<'a> {
    fn number(&mut self) -> Result<u64, DecodeFault> {
        varint::read(self.text.as_bytes(), &mut self.at)
    }

    fn value(&mut self, kind: &PropertyKind) -> Result<Value<'a>, DecodeFault> {
        let start = self.at;
        let stored = self.number()?;
        let value = match kind {
            PropertyKind::Uint(scale) if *scale == Scale::PLAIN && stored <= 1 << 53 => {
                Ok(Value::Uint(stored))
            }
            PropertyKind::Uint(scale) => finite(scale.number(stored as f64)),
            PropertyKind::Int(scale) => finite(scale.number(unzigzag(stored) as f64)),
            PropertyKind::Float32 => u32::try_from(stored)
                .map_err(|_| DecodeFault::NumberTooGreat)
                .and_then(|bits| finite(f32::from_bits(bits).into())),
            PropertyKind::Boolean => match stored {
                0 => Ok(Value::Bool(false)),
                1 => Ok(Value::Bool(true)),
                other => Err(DecodeFault::NoTruthValue(other)),
            },
            PropertyKind::Text if stored == 0 => Ok(Value::Null),
            PropertyKind::Text => self.text(stored).map(Value::from),
        };
        if value.is_err() {
            self.at = start;
        }
        value
    }

    /// The next `units` UTF-16 code units.
    fn text(&mut self, units: u64) -> Result<&'a str, DecodeFault> {
        let rest = &self.text[self.at..];
        let too_long = DecodeFault::TextTooLong(units);
        // A unit takes a byte at least, so a length that is no `usize` or beyond the bytes is beyond the text.
        let units = usize::try_from(units).map_err(|_| too_long)?;
        let bytes = rest.as_bytes().get(..units).ok_or(too_long)?;
        let end = if bytes.is_ascii() { units } else { end_of_units(rest, units, too_long)? };
        self.at += end;
        Ok(&rest[..end])
    }
}

/// Where the first `units` UTF-16 code units of `text` end.
fn end_of_units(text: &str, units: usize, too_long: DecodeFault) -> Result<usize, DecodeFault> {
    let mut left = units;
    for (at, character) in text.char_indices() {
        if left == 0 {
            return Ok(at);
        }
        left = left.checked_sub(character.len_utf16()).ok_or(DecodeFault::SplitCharacter)?;
    }
    if left == 0 { Ok(text.len()) } else { Err(too_long) }
}

fn finite(number: f64) -> Result<Value<'static>, DecodeFault> {
    if number.is_finite() { Ok(Value::from(number)) } else { Err(DecodeFault::NotFinite) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::borrow::Cow;

    fn definitions(properties: &str) -> Definitions {
        serde_json::from_str(&format!(r#"{{"0":{{"type":"ship","properties":[{properties}]}}}}"#)).unwrap()
    }

    const EVERY_KIND: &str = r#"{"name":"u","type":"uint"},{"name":"i","type":"int","decimals":2},
        {"name":"b","type":"boolean"},{"name":"f","type":"float32"},{"name":"t","type":"string"}"#;

    fn fault(properties: &str, text: &str) -> (usize, DecodeFault) {
        let error = definitions(properties).decode(text).unwrap_err();
        (error.at, error.fault)
    }

    #[test]
    fn names_and_texts_are_borrowed() {
        let definitions = definitions(r#"{"name":"n","type":"string"}"#);
        let config = definitions.decode("#&abc").unwrap();
        assert!(matches!(config.get("type"), Some(Value::Text(Cow::Borrowed("ship")))));
        assert!(matches!(config.get("n"), Some(Value::Text(Cow::Borrowed("abc")))));
    }

    #[test]
    fn the_type_comes_first_and_the_properties_in_the_order_of_the_definition() {
        let definitions = definitions(EVERY_KIND);
        let config = definitions.decode("#%!$!$x").unwrap();
        assert_eq!(config.iter().map(|(key, _)| key).collect::<Vec<_>>(), ["type", "u", "b", "t"]);
    }

    #[test]
    fn trailing_absent_fields_may_be_written_out() {
        let definitions = definitions(EVERY_KIND);
        assert_eq!(definitions.decode("#%!!!!"), definitions.decode("#%"));
    }

    #[test]
    fn damaged_strings_are_refused_where_they_are_damaged() {
        assert_eq!(fault("", ""), (0, DecodeFault::EndsWithinNumber));
        assert_eq!(fault("", "!"), (0, DecodeFault::NotADigit));
        assert_eq!(fault("", "$"), (0, DecodeFault::UnknownKey(1)));
        assert_eq!(fault("", "##"), (1, DecodeFault::TooManyFields));
        assert_eq!(fault(EVERY_KIND, "#P"), (2, DecodeFault::EndsWithinNumber));
        assert_eq!(fault(EVERY_KIND, "##P#"), (3, DecodeFault::NeedlessDigit));
        assert_eq!(fault(EVERY_KIND, "#!!!!!!"), (6, DecodeFault::TooManyFields));
        assert_eq!(fault(EVERY_KIND, "#!!%"), (3, DecodeFault::NoTruthValue(2)));
        assert_eq!(fault(EVERY_KIND, "#é"), (1, DecodeFault::NotADigit));
    }

    #[test]
    fn the_message_names_place_and_property() {
        let error = definitions(EVERY_KIND).decode("#!!%").unwrap_err();
        assert_eq!(
            error.to_string(),
            r#"byte 3 of the string, property "b": a truth value must be 0 or 1, not 2"#
        );
    }

    #[test]
    fn the_length_of_a_text_counts_utf_16_units_and_is_not_believed() {
        let text = r#"{"name":"t","type":"string"},{"name":"u","type":"uint"}"#;
        let definitions = definitions(text);
        assert_eq!(definitions.decode("#%🚀$").unwrap().get("t"), Some(&Value::from("🚀")));
        assert_eq!(fault(text, "#$🚀"), (1, DecodeFault::SplitCharacter));
        assert_eq!(fault(text, "#&é🚀🚀"), (8, DecodeFault::NotADigit));
        assert_eq!(fault(text, "#'éa"), (1, DecodeFault::TextTooLong(4)));
        assert_eq!(fault(text, "#%é"), (1, DecodeFault::TextTooLong(2)));
        let mut greatest = String::from("#");
        varint::write(&mut greatest, u64::MAX);
        assert_eq!(fault(text, &greatest), (1, DecodeFault::TextTooLong(u64::MAX)));
    }

    #[test]
    fn numbers_that_are_none_are_refused() {
        let single = r#"{"name":"f","type":"float32"}"#;
        let field = |n: u64| {
            let mut text = String::from("#");
            varint::write(&mut text, n);
            text
        };
        assert_eq!(fault(single, &field(f32::INFINITY.to_bits().into())), (1, DecodeFault::NotFinite));
        assert_eq!(fault(single, &field(f32::NAN.to_bits().into())), (1, DecodeFault::NotFinite));
        assert_eq!(fault(single, &field(1 << 32)), (1, DecodeFault::NumberTooGreat));
        let huge = r#"{"name":"u","type":"uint","step":1e300}"#;
        assert_eq!(fault(huge, &field(u64::MAX)), (1, DecodeFault::NotFinite));
    }

    proptest! {
        #[test]
        fn no_string_panics(text in "[#-O P-}!é🚀\\PC]{0,40}", steps in any::<bool>()) {
            let properties = if steps { r#"{"name":"u","type":"uint","step":1e300}"# } else { EVERY_KIND };
            let definitions = definitions(properties);
            if let Err(error) = definitions.decode(&text) {
                prop_assert!(error.at <= text.len());
            }
        }
    }
}
