//! Values that indexes look for, and their order.

use crate::component::{Field, Role, Scalar, Strings};
use crate::id::EntityId;
use std::cmp::Ordering;
use std::ops::Bound;

/// A value to look for. Numbers of any type compare by what they are worth: 2 finds 2.0.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum IndexValue<'a> {
    /// An integer.
    Integer(i128),
    /// A number. One that is none finds nothing.
    Float(f64),
    /// For a field of truth values.
    Bool(bool),
    /// For a field with the role `Text`.
    Text(&'a str),
    /// For a field with the role `Entity`.
    Entity(EntityId),
}

macro_rules! from {
    ($($variant:ident: $($type:ty),*;)*) => {
        $($(impl From<$type> for IndexValue<'_> {
            fn from(value: $type) -> Self {
                Self::$variant(value.into())
            }
        })*)*
    };
}
from! {
    Integer: u8, u16, u32, u64, i8, i16, i32, i64;
    Float: f32, f64;
    Bool: bool;
    Entity: EntityId;
}

impl<'a> From<&'a str> for IndexValue<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

/// A value of a field as a number whose order is that of the values.
pub(super) type Key = u64;

const SIGN: u64 = 1 << 63;

/// The key of a field of a block; none for a number that is none, and for a reference to nobody.
pub(super) fn key_of(field: &Field, block: &[u8]) -> Option<Key> {
    let bytes = &block[field.offset..field.offset + field.scalar.size()];
    macro_rules! read {
        ($type:ty) => {
            bytemuck::pod_read_unaligned::<$type>(bytes)
        };
    }
    match field.scalar {
        Scalar::U8 => Some(bytes[0] as u64),
        Scalar::U16 => Some(read!(u16) as u64),
        Scalar::U32 => Some(read!(u32) as u64),
        Scalar::U64 => Some(read!(u64)).filter(|&bits| field.role != Role::Entity || bits != 0),
        Scalar::I8 => Some(signed(bytes[0] as i8 as i64)),
        Scalar::I16 => Some(signed(read!(i16) as i64)),
        Scalar::I32 => Some(signed(read!(i32) as i64)),
        Scalar::I64 => Some(signed(read!(i64))),
        Scalar::F32 => float(read!(f32) as f64),
        Scalar::F64 => float(read!(f64)),
        Scalar::Bool8 => Some((bytes[0] != 0) as u64),
    }
}

fn signed(n: i64) -> Key {
    n as u64 ^ SIGN
}

/// Bits of a double, turned so that their order is that of the numbers; both zeros are one.
fn float(n: f64) -> Option<Key> {
    let bits = if n == 0.0 { 0 } else { n.to_bits() };
    (!n.is_nan()).then_some(if bits & SIGN == 0 { bits | SIGN } else { !bits })
}

/// The key of the least value within a lower bound, or of the greatest within an upper one; none if no value is.
pub(super) fn bound_key(
    field: &Field,
    bound: Bound<IndexValue<'_>>,
    lower: bool,
    strings: &Strings,
) -> Result<Option<Key>, &'static str> {
    let (value, included) = match bound {
        Bound::Included(value) => (value, true),
        Bound::Excluded(value) => (value, false),
        Bound::Unbounded => return Ok(Some(if lower { 0 } else { Key::MAX })),
    };
    match (field.role, field.scalar, value) {
        (Role::Text, _, IndexValue::Text(text)) => Ok(strings.find(text).map(u64::from)),
        (Role::Text, ..) => Err("texts"),
        (Role::Entity, _, IndexValue::Entity(id)) => Ok(Some(id.bits())),
        (Role::Entity, ..) => Err("references to entities"),
        (_, Scalar::Bool8, IndexValue::Bool(on)) => Ok(beside(on as u64, included, lower)),
        (_, Scalar::Bool8, _) => Err("truth values"),
        (_, _, IndexValue::Text(_) | IndexValue::Entity(_) | IndexValue::Bool(_)) => Err("numbers"),
        (_, Scalar::F32 | Scalar::F64, IndexValue::Integer(n)) => {
            Ok(integer_among_floats(n).and_then(|(key, exact)| match exact {
                Ordering::Equal => beside(key, included, lower),
                // The nearest double is on this side of the integer: it is within one bound, and beyond the other.
                side => beside(key, (side == Ordering::Greater) == lower, lower),
            }))
        }
        (_, Scalar::F32 | Scalar::F64, IndexValue::Float(n)) => {
            Ok(float(n).and_then(|key| beside(key, included, lower)))
        }
        (_, scalar, IndexValue::Integer(n)) => {
            Ok(integer_key(scalar, if included { n } else { next(n, lower) }, lower))
        }
        (_, scalar, IndexValue::Float(n)) => {
            let whole = if lower { n.ceil() } else { n.floor() };
            // A value between two integers is excluded by either. A cast saturates.
            let n = (!n.is_nan()).then(|| match included || whole != n {
                true => whole as i128,
                false => next(whole as i128, lower),
            });
            Ok(n.and_then(|n| integer_key(scalar, n, lower)))
        }
    }
}

/// The key of the double nearest to an integer, and how that compares with it.
fn integer_among_floats(n: i128) -> Option<(Key, Ordering)> {
    let nearest = n as f64;
    Some((float(nearest)?, (nearest as i128).cmp(&n)))
}

fn next(n: i128, up: bool) -> i128 {
    if up { n.saturating_add(1) } else { n.saturating_sub(1) }
}

/// A key, or the one next to it if it is excluded itself.
fn beside(key: Key, included: bool, lower: bool) -> Option<Key> {
    match (included, lower) {
        (true, _) => Some(key),
        (false, true) => key.checked_add(1),
        (false, false) => key.checked_sub(1),
    }
}

/// The key of an integer as a bound of a type; none if no value of the type is within it.
fn integer_key(scalar: Scalar, n: i128, lower: bool) -> Option<Key> {
    let bits = scalar.size() as u32 * 8;
    let is_signed = matches!(scalar, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64);
    let (least, most) = if is_signed {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (0, (1i128 << bits) - 1)
    };
    let n = match lower {
        true if n > most => return None,
        false if n < least => return None,
        _ => n.clamp(least, most),
    };
    Some(if is_signed { signed(n as i64) } else { n as u64 })
}
