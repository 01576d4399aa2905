//! The description of a block's fields: it drives the inspector, the raw view, filters and saves.

use crate::id::Ordinal;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a field is made of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scalar {
    /// 8 bits from 0.
    U8,
    /// 16 bits from 0.
    U16,
    /// 32 bits from 0.
    U32,
    /// 64 bits from 0.
    U64,
    /// 8 bits, signed.
    I8,
    /// 16 bits, signed.
    I16,
    /// 32 bits, signed.
    I32,
    /// 64 bits, signed.
    I64,
    /// A single-precision number.
    F32,
    /// A double-precision number.
    F64,
    /// One byte, 0 or 1; any other value counts as true.
    Bool8,
}

impl Scalar {
    /// Bytes a value takes; also its alignment.
    pub const fn size(self) -> usize {
        match self {
            Self::U8 | Self::I8 | Self::Bool8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }

    /// The least and the greatest value, of scalars of whole numbers that a double holds exactly.
    pub const fn whole_range(self) -> Option<(f64, f64)> {
        Some(match self {
            Self::U8 => (0.0, u8::MAX as f64),
            Self::U16 => (0.0, u16::MAX as f64),
            Self::U32 => (0.0, u32::MAX as f64),
            Self::I8 => (i8::MIN as f64, i8::MAX as f64),
            Self::I16 => (i16::MIN as f64, i16::MAX as f64),
            Self::I32 => (i32::MIN as f64, i32::MAX as f64),
            Self::U64 | Self::I64 | Self::F32 | Self::F64 | Self::Bool8 => return None,
        })
    }

    /// The name scene files use: `u32`, `f32`, `bool8`, ….
    pub const fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Bool8 => "bool8",
        }
    }
}

/// What a field means beyond its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Just the number.
    #[default]
    Plain,
    /// `0xRRGGBBAA` in a u32.
    Colour,
    /// An angle in radians.
    Angle,
    /// The bits of an entity's id in a u64; 0 is none.
    Entity,
    /// A string of the shared heap, by its number.
    Text,
    /// A list of the shared heap, by its number; the world releases it with the block.
    List,
    /// One bit a flag.
    Flags,
}

/// One field of a block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// The name, unique in its component.
    pub name: String,
    /// What it is made of.
    pub scalar: Scalar,
    /// Bytes from the block's start.
    pub offset: usize,
    /// The config key it is read from and saved to; none if its component's own functions do that.
    pub key: Option<String>,
    /// What it has when the config does not say.
    pub default: FieldValue,
    /// What it means.
    pub role: Role,
    /// Its unit, for display: `px`, `px/s`, `ms`.
    pub unit: Option<String>,
    /// The least and the greatest value an editor offers.
    pub range: Option<(f64, f64)>,
}

/// The value of a field, outside its block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FieldValue {
    /// For `Scalar::Bool8`.
    Bool(bool),
    /// For the unsigned scalars.
    Uint(u64),
    /// For the signed scalars.
    Int(i64),
    /// For `f32` (exactly) and `f64`.
    Float(f64),
    /// For `Role::Text`.
    Text(String),
    /// For `Role::Entity`: whom it points to; none if nobody or someone gone.
    Entity(Option<Ordinal>),
    /// For `Role::List`: its items, each a `Uint`, `Float` or `Entity`.
    List(Vec<FieldValue>),
}

impl FieldValue {
    /// The value as a number to sort, filter and plot by: of a list, how many items it has; none for texts and
    /// entities.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Bool(b) => Some(*b as u8 as f64),
            Self::Uint(n) => Some(*n as f64),
            Self::Int(n) => Some(*n as f64),
            Self::Float(n) => Some(*n),
            Self::List(items) => Some(items.len() as f64),
            Self::Text(_) | Self::Entity(_) => None,
        }
    }
}

impl fmt::Display for FieldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(b) => b.fmt(f),
            Self::Uint(n) => n.fmt(f),
            Self::Int(n) => n.fmt(f),
            Self::Float(n) => n.fmt(f),
            Self::Text(text) => text.fmt(f),
            Self::Entity(Some(ordinal)) => write!(f, "#{ordinal}"),
            Self::Entity(None) => f.write_str("none"),
            Self::List(items) => list_text(items, f),
        }
    }
}

/// Items of a list that its text shows.
const SHOWN: usize = 16;

/// How many items there are, and the first of them: `3: 7, 0.5, #12`.
fn list_text(items: &[FieldValue], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{}", items.len())?;
    for (place, item) in items.iter().take(SHOWN).enumerate() {
        write!(f, "{} {item}", if place == 0 { ':' } else { ',' })?;
    }
    if items.len() > SHOWN { f.write_str(", …") } else { Ok(()) }
}

impl Field {
    /// A plain field, read from and saved to the key of its own name, 0 by default.
    pub fn new(name: impl Into<String>, scalar: Scalar, offset: usize) -> Self {
        let name = name.into();
        let default = match scalar {
            Scalar::Bool8 => FieldValue::Bool(false),
            Scalar::F32 | Scalar::F64 => FieldValue::Float(0.0),
            Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => FieldValue::Int(0),
            Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => FieldValue::Uint(0),
        };
        Self {
            key: Some(name.clone()),
            name,
            scalar,
            offset,
            default,
            role: Role::Plain,
            unit: None,
            range: None,
        }
    }

    /// Reads it from and saves it to another key.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Leaves it out of configs: it starts with its default, and is not saved unless its component does that.
    pub fn without_key(mut self) -> Self {
        self.key = None;
        self
    }

    /// What it has when the config does not say.
    pub fn default_value(mut self, default: FieldValue) -> Self {
        self.default = default;
        self
    }

    /// What it means. Texts, lists and entities start empty.
    pub fn role(mut self, role: Role) -> Self {
        self.role = role;
        match role {
            Role::Text => self.default = FieldValue::Text(String::new()),
            Role::Entity => self.default = FieldValue::Entity(None),
            Role::List => self.default = FieldValue::List(Vec::new()),
            _ => {}
        }
        self
    }

    /// Its unit.
    pub fn unit(mut self, unit: impl Into<String>) -> Self {
        self.unit = Some(unit.into());
        self
    }

    /// The least and the greatest value an editor offers.
    pub fn range(mut self, least: f64, greatest: f64) -> Self {
        self.range = Some((least, greatest));
        self
    }

    /// The value nearest to a number that this field's range and scalar allow; none if the number is not finite.
    pub fn nearest_value(&self, number: f64) -> Option<FieldValue> {
        let (mut number, whole) = (number, self.scalar.whole_range());
        for (least, greatest) in [self.range, whole].into_iter().flatten() {
            number = if number < least {
                least
            } else if number > greatest {
                greatest
            } else {
                number
            };
        }
        let value = match self.scalar {
            Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => {
                FieldValue::Uint(number.round().max(0.0) as u64)
            }
            Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => FieldValue::Int(number.round() as i64),
            Scalar::F32 => FieldValue::Float(f64::from(number as f32)),
            Scalar::F64 => FieldValue::Float(number),
            Scalar::Bool8 => FieldValue::Bool(number != 0.0),
        };
        let is_finite = number.is_finite() && value.as_f64().is_some_and(f64::is_finite);
        is_finite.then_some(value)
    }
}
