//! Blocks through their description: fields read and written without knowing the type in Rust.

use super::{ConfigError, Field, FieldValue, Role, Scalar, Strings};
use crate::config::{Config, Value};
use crate::id::EntityId;

/// The raw number in a block, widened.
#[derive(Clone, Copy)]
enum Number {
    Uint(u64),
    Int(i64),
    Float(f64),
    Bool(bool),
}

fn bytes_of<const N: usize>(block: &[u8], offset: usize) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&block[offset..offset + N]);
    bytes
}

fn number(field: &Field, block: &[u8]) -> Number {
    let at = field.offset;
    match field.scalar {
        Scalar::U8 => Number::Uint(block[at] as u64),
        Scalar::U16 => Number::Uint(u16::from_ne_bytes(bytes_of(block, at)) as u64),
        Scalar::U32 => Number::Uint(u32::from_ne_bytes(bytes_of(block, at)) as u64),
        Scalar::U64 => Number::Uint(u64::from_ne_bytes(bytes_of(block, at))),
        Scalar::I8 => Number::Int(block[at] as i8 as i64),
        Scalar::I16 => Number::Int(i16::from_ne_bytes(bytes_of(block, at)) as i64),
        Scalar::I32 => Number::Int(i32::from_ne_bytes(bytes_of(block, at)) as i64),
        Scalar::I64 => Number::Int(i64::from_ne_bytes(bytes_of(block, at))),
        Scalar::F32 => Number::Float(f32::from_ne_bytes(bytes_of(block, at)) as f64),
        Scalar::F64 => Number::Float(f64::from_ne_bytes(bytes_of(block, at))),
        Scalar::Bool8 => Number::Bool(block[at] != 0),
    }
}

/// What a field of a block holds. `ordinal_of` names the entity a reference points to.
pub(crate) fn field_value(
    field: &Field,
    block: &[u8],
    strings: &Strings,
    ordinal_of: impl FnOnce(EntityId) -> Option<crate::id::Ordinal>,
) -> FieldValue {
    match (field.role, number(field, block)) {
        (Role::Text, Number::Uint(n)) => {
            let text = u32::try_from(n).ok().and_then(|n| strings.get(n));
            FieldValue::Text(text.as_deref().unwrap_or_default().to_owned())
        }
        (Role::Entity, Number::Uint(bits)) => {
            FieldValue::Entity(EntityId::from_bits(bits).and_then(ordinal_of))
        }
        (_, Number::Uint(n)) => FieldValue::Uint(n),
        (_, Number::Int(n)) => FieldValue::Int(n),
        (_, Number::Float(n)) => FieldValue::Float(n),
        (_, Number::Bool(b)) => FieldValue::Bool(b),
    }
}

/// Writes a value into a field of a block. `id_of` finds the entity a reference points to.
///
/// # Errors
/// If the value is not of the field's kind, or does not fit it; the block is then as it was.
pub(crate) fn set_field(
    field: &Field,
    block: &mut [u8],
    value: &FieldValue,
    strings: &Strings,
    id_of: impl FnOnce(crate::id::Ordinal) -> Option<EntityId>,
) -> Result<(), String> {
    let number = match (field.role, value) {
        (Role::Text, FieldValue::Text(text)) => Number::Uint(strings.intern(text) as u64),
        (Role::Text, _) => return Err(format!("{} takes a text, not {value}", field.name)),
        (Role::Entity, FieldValue::Entity(None)) => Number::Uint(0),
        (Role::Entity, FieldValue::Entity(Some(ordinal))) => {
            let id =
                id_of(*ordinal).ok_or_else(|| format!("{}: there is no entity #{ordinal}", field.name))?;
            Number::Uint(id.bits())
        }
        (Role::Entity, _) => return Err(format!("{} takes an entity, not {value}", field.name)),
        (_, FieldValue::Bool(b)) => Number::Bool(*b),
        (_, FieldValue::Uint(n)) => Number::Uint(*n),
        (_, FieldValue::Int(n)) => u64::try_from(*n).map_or(Number::Int(*n), Number::Uint),
        (_, FieldValue::Float(n)) => Number::Float(*n),
        (_, FieldValue::Text(_) | FieldValue::Entity(_)) => {
            return Err(format!("{} takes a number, not {value}", field.name));
        }
    };
    write_number(field, block, number)
}

fn write_number(field: &Field, block: &mut [u8], number: Number) -> Result<(), String> {
    let out = &mut block[field.offset..field.offset + field.scalar.size()];
    let does_not_fit = |n: &dyn std::fmt::Display| {
        format!("{} is a {} and cannot hold {n}", field.name, field.scalar.name())
    };
    if let Scalar::F32 | Scalar::F64 = field.scalar {
        let n = match number {
            Number::Uint(n) => n as f64,
            Number::Int(n) => n as f64,
            Number::Float(n) => n,
            Number::Bool(b) => return Err(does_not_fit(&b)),
        };
        match field.scalar {
            Scalar::F32 if n.is_finite() && !(n as f32).is_finite() => return Err(does_not_fit(&n)),
            Scalar::F32 => out.copy_from_slice(&(n as f32).to_ne_bytes()),
            _ => out.copy_from_slice(&n.to_ne_bytes()),
        }
        return Ok(());
    }
    if field.scalar == Scalar::Bool8 {
        let Number::Bool(b) = number else {
            return Err(format!("{} takes true or false", field.name));
        };
        out[0] = b as u8;
        return Ok(());
    }
    let n: i128 = match number {
        Number::Uint(n) => n.into(),
        Number::Int(n) => n.into(),
        Number::Float(n) if n.fract() == 0.0 && n.abs() < 1e20 => n as i128,
        Number::Float(n) => return Err(does_not_fit(&n)),
        Number::Bool(b) => return Err(does_not_fit(&b)),
    };
    macro_rules! write {
        ($($scalar:ident: $type:ty),*) => {
            match field.scalar {
                $(Scalar::$scalar => {
                    let n = <$type>::try_from(n).map_err(|_| does_not_fit(&n))?;
                    out.copy_from_slice(&n.to_ne_bytes());
                })*
                Scalar::F32 | Scalar::F64 | Scalar::Bool8 => unreachable!("written above"),
            }
        };
    }
    write!(U8: u8, U16: u16, U32: u32, U64: u64, I8: i8, I16: i16, I32: i32, I64: i64);
    Ok(())
}

/// Fills a block from a config by its fields' keys and defaults.
///
/// # Errors
/// Names the key whose value does not fit its field. A reference to an entity is left at none: who loads a
/// batch resolves it once the whole batch exists.
pub(super) fn block_from_config(
    fields: &[Field],
    config: &Config<'_>,
    strings: &Strings,
    block: &mut [u8],
) -> Result<(), ConfigError> {
    for field in fields {
        let given = field.key.as_deref().and_then(|key| config.get(key).map(|value| (key, value)));
        let Some((key, value)) = given else {
            set_field(field, block, &field.default, strings, |_| None)
                .map_err(|message| ConfigError { key: field.key.clone(), message })?;
            continue;
        };
        if field.role == Role::Entity {
            continue;
        }
        let fault = |message: String| ConfigError { key: Some(key.to_owned()), message };
        let number = match value {
            Value::Text(text) if field.role == Role::Text => Number::Uint(strings.intern(text) as u64),
            Value::Null if field.role == Role::Text => Number::Uint(0),
            _ if field.role == Role::Text => {
                return Err(fault(format!("a text is expected, not {}", value.kind())));
            }
            Value::Bool(b) if field.scalar == Scalar::Bool8 => Number::Bool(*b),
            _ if field.scalar == Scalar::Bool8 => {
                return Err(fault(format!("true or false is expected, not {}", value.kind())));
            }
            Value::Text(text) if field.role == Role::Colour => {
                Number::Uint(colour(text).map_err(fault)?.into())
            }
            Value::Uint(n) => Number::Uint(*n),
            Value::Int(n) => Number::Int(*n),
            Value::Float(n) => Number::Float(*n),
            _ => return Err(fault(format!("a number is expected, not {}", value.kind()))),
        };
        write_number(field, block, number).map_err(fault)?;
    }
    Ok(())
}

/// `#rrggbb` or `#rrggbbaa` as `0xRRGGBBAA`.
fn colour(text: &str) -> Result<u32, String> {
    let digits = text.strip_prefix('#').filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
    match digits.map(|digits| (digits.len(), u32::from_str_radix(digits, 16))) {
        Some((6, Ok(rgb))) => Ok(rgb << 8 | 0xff),
        Some((8, Ok(rgba))) => Ok(rgba),
        _ => Err(format!("a colour like \"#3a7f2c\" or \"#3a7f2cff\" is expected, not {text:?}")),
    }
}

/// Adds a block's fields to a config, those with a key. `place_of` gives the place of a referenced entity in
/// the list that is saved.
pub(super) fn config_from_block(
    fields: &[Field],
    block: &[u8],
    strings: &Strings,
    place_of: &mut dyn FnMut(EntityId) -> Option<u64>,
    out: &mut Config<'static>,
) {
    for field in fields {
        let Some(key) = field.key.clone() else { continue };
        let value = match (field.role, number(field, block)) {
            (Role::Text, Number::Uint(n)) => {
                let text = u32::try_from(n).ok().and_then(|n| strings.get(n));
                text.map_or(Value::Null, |text| Value::from(text.to_string()))
            }
            (Role::Entity, Number::Uint(bits)) => {
                EntityId::from_bits(bits).and_then(&mut *place_of).map_or(Value::Null, Value::Uint)
            }
            (_, Number::Uint(n)) => Value::Uint(n),
            (_, Number::Int(n)) => Value::from(n),
            (_, Number::Float(n)) => Value::from(n),
            (_, Number::Bool(b)) => Value::Bool(b),
        };
        out.set(key, value);
    }
}
