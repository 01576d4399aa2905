//! Values of configs, borrowed from the text they were read from where possible.

use super::entries::{Config, ConfigVisitor};
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// A value of a config. Numbers keep their exact value: integers that fit 64 bits stay integers.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// JSON's null.
    Null,
    /// A truth value.
    Bool(bool),
    /// An integer of 0 or more.
    Uint(u64),
    /// An integer below 0.
    Int(i64),
    /// Any other number. Readers give finite ones only; JSON has no others, so a save refuses them.
    Float(f64),
    /// A number of single precision that a world saves; written with as few digits as give it back. Readers give
    /// `Float`.
    Single(f32),
    /// A text.
    Text(Cow<'a, str>),
    /// A list of values.
    List(Vec<Value<'a>>),
    /// A nested object.
    Object(Config<'a>),
}

impl<'a> Value<'a> {
    /// A finite number of single precision: an integer where it is one.
    pub(crate) fn single(n: f32) -> Self {
        // Up to nine digits of which at most eight are decimals are never halfway between two such numbers once they
        // are read with double precision. Others may be, if hardly ever.
        let comes_back =
            || n.to_string().parse::<f64>().is_ok_and(|read| (read as f32).to_bits() == n.to_bits());
        if n.fract() != 0.0 && (n.abs() >= 1.0 || comes_back()) {
            Self::Single(n)
        } else {
            Self::from(f64::from(n))
        }
    }

    /// The number as `f64`, if it is one.
    pub fn as_f64(&self) -> Option<f64> {
        match *self {
            Self::Uint(n) => Some(n as f64),
            Self::Int(n) => Some(n as f64),
            Self::Float(n) => Some(n),
            Self::Single(n) => Some(n.into()),
            _ => None,
        }
    }

    /// The text, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match *self {
            Self::Bool(b) => Some(b),
            _ => None,
        }
    }

    /// What kind of value this is, in words for a message: "a number", "a text", ….
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "true or false",
            Self::Uint(_) | Self::Int(_) | Self::Float(_) | Self::Single(_) => "a number",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }

    /// Whether JSON cannot hold a number of it.
    pub(crate) fn is_not_finite(&self) -> bool {
        match self {
            Self::Float(n) => !n.is_finite(),
            Self::Single(n) => !n.is_finite(),
            Self::List(items) => items.iter().any(Self::is_not_finite),
            Self::Object(config) => config.iter().any(|(_, value)| value.is_not_finite()),
            Self::Null | Self::Bool(_) | Self::Uint(_) | Self::Int(_) | Self::Text(_) => false,
        }
    }

    /// The same value, its texts borrowed from this one.
    pub fn borrowed(&self) -> Value<'_> {
        match self {
            Self::Null => Value::Null,
            Self::Bool(b) => Value::Bool(*b),
            Self::Uint(n) => Value::Uint(*n),
            Self::Int(n) => Value::Int(*n),
            Self::Float(n) => Value::Float(*n),
            Self::Single(n) => Value::Single(*n),
            Self::Text(text) => Value::Text(Cow::Borrowed(text)),
            Self::List(list) => Value::List(list.iter().map(Value::borrowed).collect()),
            Self::Object(config) => Value::Object(config.borrowed()),
        }
    }

    /// The same value, borrowing nothing.
    pub fn into_owned(self) -> Value<'static> {
        match self {
            Self::Null => Value::Null,
            Self::Bool(b) => Value::Bool(b),
            Self::Uint(n) => Value::Uint(n),
            Self::Int(n) => Value::Int(n),
            Self::Float(n) => Value::Float(n),
            Self::Single(n) => Value::Single(n),
            Self::Text(text) => Value::Text(Cow::Owned(text.into_owned())),
            Self::List(list) => Value::List(list.into_iter().map(Value::into_owned).collect()),
            Self::Object(config) => Value::Object(config.into_owned()),
        }
    }
}

impl From<f64> for Value<'_> {
    /// The number, as an integer where it is one that fits.
    fn from(n: f64) -> Self {
        if n == 0.0 && n.is_sign_negative() {
            Self::Float(n)
        } else if n >= 0.0 && n < u64::MAX as f64 && n as u64 as f64 == n {
            Self::Uint(n as u64)
        } else if n < 0.0 && n >= i64::MIN as f64 && n as i64 as f64 == n {
            Self::Int(n as i64)
        } else {
            Self::Float(n)
        }
    }
}

impl From<i64> for Value<'_> {
    fn from(n: i64) -> Self {
        u64::try_from(n).map_or(Self::Int(n), Self::Uint)
    }
}

impl From<u64> for Value<'_> {
    fn from(n: u64) -> Self {
        Self::Uint(n)
    }
}

impl From<bool> for Value<'_> {
    fn from(b: bool) -> Self {
        Self::Bool(b)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(b) => serializer.serialize_bool(*b),
            Self::Uint(n) => serializer.serialize_u64(*n),
            Self::Int(n) => serializer.serialize_i64(*n),
            Self::Float(n) => serializer.serialize_f64(*n),
            Self::Single(n) => serializer.serialize_f32(*n),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(list) => serializer.collect_seq(list),
            Self::Object(config) => config.serialize(serializer),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Value<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ValueVisitor;
        impl<'de> Visitor<'de> for ValueVisitor {
            type Value = Value<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }
            fn visit_unit<E: de::Error>(self) -> Result<Value<'de>, E> {
                Ok(Value::Null)
            }
            fn visit_bool<E: de::Error>(self, b: bool) -> Result<Value<'de>, E> {
                Ok(Value::Bool(b))
            }
            fn visit_u64<E: de::Error>(self, n: u64) -> Result<Value<'de>, E> {
                Ok(Value::Uint(n))
            }
            fn visit_i64<E: de::Error>(self, n: i64) -> Result<Value<'de>, E> {
                Ok(Value::from(n))
            }
            fn visit_f64<E: de::Error>(self, n: f64) -> Result<Value<'de>, E> {
                Ok(Value::Float(n))
            }
            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Value<'de>, E> {
                Ok(Value::Text(Cow::Borrowed(text)))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Value<'de>, E> {
                Ok(Value::Text(Cow::Owned(text.to_owned())))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value<'de>, A::Error> {
                let mut list = Vec::new();
                while let Some(value) = access.next_element()? {
                    list.push(value);
                }
                Ok(Value::List(list))
            }
            fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<Value<'de>, A::Error> {
                ConfigVisitor.visit_map(access).map(Value::Object)
            }
        }
        deserializer.deserialize_any(ValueVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_exact_value() {
        let text = r#"{"a":18446744073709551615,"b":-9223372036854775808,"c":0.1,"d":-0.0,"e":1e300}"#;
        let config: Config<'_> = serde_json::from_str(text).unwrap();
        assert_eq!(config.get("a"), Some(&Value::Uint(u64::MAX)));
        assert_eq!(config.get("b"), Some(&Value::Int(i64::MIN)));
        assert_eq!(serde_json::to_string(&config).unwrap(), text.replace("1e300", "1e+300"));
    }

    #[test]
    fn texts_without_escapes_are_borrowed() {
        let config: Config<'_> = serde_json::from_str(r#"{"type":"oak","note":"a\nb"}"#).unwrap();
        assert!(matches!(config.get("type"), Some(Value::Text(Cow::Borrowed("oak")))));
        assert_eq!(config.get("note").and_then(Value::as_str), Some("a\nb"));
    }

    #[test]
    fn a_double_that_is_an_integer_becomes_one() {
        assert_eq!(Value::from(3.0), Value::Uint(3));
        assert_eq!(Value::from(-3.0), Value::Int(-3));
        assert_eq!(Value::from(-0.0), Value::Float(-0.0));
        assert_eq!(Value::from(1e300), Value::Float(1e300));
    }

    #[test]
    fn a_single_is_written_with_the_fewest_digits_that_give_it_back() {
        let written = |n: f32| serde_json::to_string(&Value::single(n)).unwrap();
        assert_eq!(
            (written(0.1), written(16777216.0), written(-0.0)),
            ("0.1".into(), "16777216".into(), "-0.0".into())
        );
        let mut bits = 1_u32;
        for _ in 0..200_000 {
            bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let n = f32::from_bits(bits);
            if n.is_finite() {
                let read: f64 = serde_json::from_str(&written(n)).unwrap();
                assert_eq!((read as f32).to_bits(), n.to_bits(), "{n}");
            }
        }
        // Seven digits that, read as a double, lie halfway between two singles.
        let halfway = 7.038531e-26_f32;
        assert_eq!(serde_json::from_str::<f64>(&written(halfway)).unwrap() as f32, halfway);
    }
}
