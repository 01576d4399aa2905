//! Blocks through their description: fields read and written without knowing the type in Rust.

use super::{ConfigError, Field, FieldValue, Heap, ListId, ListItem, Lists, Role, Scalar, Texts};
use crate::config::{Config, Value};
use crate::excerpt::excerpt;
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
    heap: Heap<'_>,
    ordinal_of: impl Fn(EntityId) -> Option<crate::id::Ordinal>,
) -> FieldValue {
    match (field.role, number(field, block)) {
        (Role::Text, Number::Uint(n)) => {
            let text = u32::try_from(n).ok().and_then(|n| heap.strings.get(n));
            FieldValue::Text(text.as_deref().unwrap_or_default().to_owned())
        }
        (Role::Entity, Number::Uint(bits)) => {
            FieldValue::Entity(EntityId::from_bits(bits).and_then(ordinal_of))
        }
        (Role::List, Number::Uint(_)) => {
            let value = |item: &ListItem| match *item {
                ListItem::Uint(n) => FieldValue::Uint(n),
                ListItem::Float(n) => FieldValue::Float(n),
                ListItem::Entity(id) => FieldValue::Entity(id.and_then(&ordinal_of)),
            };
            // A number that finds no list shows nothing.
            let items = heap.lists.items(list_of(field, block)).unwrap_or_default();
            FieldValue::List(items.iter().map(value).collect())
        }
        (_, Number::Uint(n)) => FieldValue::Uint(n),
        (_, Number::Int(n)) => FieldValue::Int(n),
        (_, Number::Float(n)) => FieldValue::Float(n),
        (_, Number::Bool(b)) => FieldValue::Bool(b),
    }
}

/// What a field of a block holds, as a number; 0 or 1 for a truth value.
pub(crate) fn number_of(field: &Field, block: &[u8]) -> f64 {
    match number(field, block) {
        Number::Uint(n) => n as f64,
        Number::Int(n) => n as f64,
        Number::Float(n) => n,
        Number::Bool(b) => b as u8 as f64,
    }
}

/// Writes a number into a field of a block: a whole one where the field holds whole ones.
///
/// # Errors
/// If the field does not hold such a number; the block is then as it was.
pub(crate) fn set_number_of(field: &Field, block: &mut [u8], value: f64) -> Result<(), String> {
    let is_whole = value.fract() == 0.0 && value.abs() < 9e15;
    let value = match field.scalar {
        Scalar::F32 | Scalar::F64 => Number::Float(value),
        Scalar::Bool8 if value == 0.0 || value == 1.0 => Number::Bool(value == 1.0),
        _ if is_whole && value < 0.0 => Number::Int(value as i64),
        _ if is_whole => Number::Uint(value as u64),
        _ => return Err(format!("{} does not hold {value}", field.name)),
    };
    write_number(field, block, value)
}

/// The list a field of a block holds.
pub(super) fn list_of(field: &Field, block: &[u8]) -> ListId {
    ListId::from_bits(u32::from_ne_bytes(bytes_of(block, field.offset)))
}

/// Writes a value into a field of a block. `id_of` finds the entity a reference points to.
///
/// # Errors
/// If the value is not of the field's kind, or does not fit it; the block is then as it was.
pub(crate) fn set_field(
    field: &Field,
    block: &mut [u8],
    value: &FieldValue,
    heap: Heap<'_>,
    id_of: impl Fn(crate::id::Ordinal) -> Option<EntityId>,
) -> Result<(), String> {
    let not = |wanted: &str| {
        let found = value.to_string();
        Err(format!("{} takes {wanted}, not {}", field.name, excerpt(&found)))
    };
    let entity =
        |ordinal| id_of(ordinal).ok_or_else(|| format!("{}: there is no entity #{ordinal}", field.name));
    let number = match (field.role, value) {
        (Role::Text, FieldValue::Text(text)) => Number::Uint(heap.strings.intern(text) as u64),
        (Role::Text, _) => return not("a text"),
        (Role::Entity, FieldValue::Entity(None)) => Number::Uint(0),
        (Role::Entity, FieldValue::Entity(Some(ordinal))) => Number::Uint(entity(*ordinal)?.bits()),
        // As JSON has it.
        (Role::Entity, FieldValue::Uint(ordinal)) => {
            Number::Uint(entity(crate::id::Ordinal(*ordinal))?.bits())
        }
        (Role::Entity, _) => return not("an entity"),
        (Role::List, FieldValue::List(items)) => {
            let item = |value: &FieldValue| match value {
                FieldValue::Uint(n) => Ok(ListItem::Uint(*n)),
                FieldValue::Int(n) => exact(*n).map(ListItem::Float),
                FieldValue::Float(n) => Ok(ListItem::Float(*n)),
                FieldValue::Entity(None) => Ok(ListItem::Entity(None)),
                FieldValue::Entity(Some(ordinal)) => Ok(entity(*ordinal)?.into()),
                other => {
                    let found = other.to_string();
                    Err(format!("{} takes numbers and entities, not {}", field.name, excerpt(&found)))
                }
            };
            return write_list(field, block, items.iter().map(item).collect::<Result<_, _>>()?, heap);
        }
        (Role::List, _) => return not("a list"),
        (_, FieldValue::Bool(b)) => Number::Bool(*b),
        (_, FieldValue::Uint(n)) => Number::Uint(*n),
        (_, FieldValue::Int(n)) => u64::try_from(*n).map_or(Number::Int(*n), Number::Uint),
        (_, FieldValue::Float(n)) => Number::Float(*n),
        (_, FieldValue::Text(_) | FieldValue::Entity(_) | FieldValue::List(_)) => return not("a number"),
    };
    write_number(field, block, number)
}

/// Gives the list of a field these items.
fn write_list(field: &Field, block: &mut [u8], items: Vec<ListItem>, heap: Heap<'_>) -> Result<(), String> {
    let mut list = list_of(field, block);
    heap.lists.assign(&mut list, items).map_err(|error| format!("{}: {error}", field.name))?;
    block[field.offset..field.offset + 4].copy_from_slice(&list.bits().to_ne_bytes());
    Ok(())
}

/// An integer as a double, if one holds it exactly.
fn exact(n: i64) -> Result<f64, String> {
    if (n as f64) as i64 == n && n != i64::MAX {
        Ok(n as f64)
    } else {
        Err(format!("{n} has too many digits for an item of a list"))
    }
}

/// Whether a value of a list in a config refers to an entity: `{"entity": place}`, and to which place.
pub(crate) fn is_entity_item<'a>(value: &'a Value<'_>) -> Option<&'a Value<'a>> {
    match value {
        Value::Object(config) if config.len() == 1 => config.get("entity"),
        _ => None,
    }
}

/// The items of a list in a config. Entities are left at none, as in a field.
fn items_from_value(value: &Value<'_>) -> Result<Vec<ListItem>, String> {
    let item = |value: &Value<'_>| match value {
        Value::Uint(n) => Ok(ListItem::Uint(*n)),
        Value::Int(n) => exact(*n).map(ListItem::Float),
        Value::Float(n) => Ok(ListItem::Float(*n)),
        Value::Single(n) => Ok(ListItem::Float((*n).into())),
        Value::Null => Ok(ListItem::Entity(None)),
        other if is_entity_item(other).is_some() => Ok(ListItem::Entity(None)),
        other => Err(format!(
            "a list holds numbers and entities, like [1, 2.5, {{\"entity\": 0}}], not {}",
            other.kind()
        )),
    };
    match value {
        Value::List(list) => list.iter().map(item).collect(),
        Value::Null => Ok(Vec::new()),
        other => Err(format!("a list is expected, not {}", other.kind())),
    }
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
    heap: Heap<'_>,
    block: &mut [u8],
) -> Result<(), ConfigError> {
    for field in fields {
        let given = field.key.as_deref().and_then(|key| config.get(key).map(|value| (key, value)));
        let Some((key, value)) = given else {
            set_field(field, block, &field.default, heap, |_| None)
                .map_err(|message| ConfigError { key: field.key.clone(), message })?;
            continue;
        };
        write_value(field, value, heap, block)
            .map_err(|message| ConfigError { key: Some(key.to_owned()), message })?;
    }
    Ok(())
}

/// Writes a value of a config into a field of a block; a reference to an entity is left as it is.
///
/// # Errors
/// If the value does not fit the field.
pub(crate) fn write_value(
    field: &Field,
    value: &Value<'_>,
    heap: Heap<'_>,
    block: &mut [u8],
) -> Result<(), String> {
    if let (Scalar::F32, Value::Float(n)) = (field.scalar, value)
        && (*n as f32).is_finite()
    {
        // The usual case by far.
        block[field.offset..field.offset + 4].copy_from_slice(&(*n as f32).to_ne_bytes());
        return Ok(());
    }
    let number = match value {
        _ if field.role == Role::Entity => return Ok(()),
        _ if field.role == Role::List => {
            return items_from_value(value).and_then(|items| write_list(field, block, items, heap));
        }
        Value::Text(text) if field.role == Role::Text => Number::Uint(heap.strings.intern(text) as u64),
        Value::Null if field.role == Role::Text => Number::Uint(0),
        _ if field.role == Role::Text => {
            return Err(format!("a text is expected, not {}", value.kind()));
        }
        Value::Bool(b) if field.scalar == Scalar::Bool8 => Number::Bool(*b),
        _ if field.scalar == Scalar::Bool8 => {
            return Err(format!("true or false is expected, not {}", value.kind()));
        }
        Value::Text(text) if field.role == Role::Colour => {
            let colour = colour_from_text(text).ok_or_else(|| {
                let text = excerpt(text);
                format!("a colour like \"#3a7f2c\" or \"#3a7f2cff\" is expected, not {text:?}")
            })?;
            Number::Uint(colour.into())
        }
        Value::Uint(n) => Number::Uint(*n),
        Value::Int(n) => Number::Int(*n),
        Value::Float(n) => Number::Float(*n),
        Value::Single(n) => Number::Float((*n).into()),
        _ => return Err(format!("a number is expected, not {}", value.kind())),
    };
    write_number(field, block, number)
}

/// `#rrggbb` or `#rrggbbaa` as `0xRRGGBBAA`; without an alpha it is opaque. None if it is something else.
pub(crate) fn colour_from_text(text: &str) -> Option<u32> {
    let digits = text.strip_prefix('#').filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
    let bits = u32::from_str_radix(digits, 16).ok()?;
    match digits.len() {
        6 => Some(bits << 8 | 0xff),
        8 => Some(bits),
        _ => None,
    }
}

/// A block nobody described, as a text of two hexadecimal digits a byte.
pub(super) fn opaque_text(block: &[u8]) -> String {
    block.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Fills a block nobody described from the text under a key; it stays zeroed without one.
///
/// # Errors
/// If there is something else under the key.
pub(super) fn opaque_from_config(
    key: &str,
    config: &Config<'_>,
    block: &mut [u8],
) -> Result<(), ConfigError> {
    let Some(value) = config.get(key) else { return Ok(()) };
    let fault = || ConfigError {
        key: Some(key.to_owned()),
        message: format!("a text of {} hexadecimal digits is expected", block.len() * 2),
    };
    let text =
        value.as_str().filter(|text| text.len() == block.len() * 2 && text.is_ascii()).ok_or_else(fault)?;
    let mut bytes = Vec::with_capacity(block.len());
    for pair in text.as_bytes().chunks_exact(2) {
        let digits = std::str::from_utf8(pair).ok().filter(|pair| !pair.starts_with('+'));
        bytes.push(digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()).ok_or_else(fault)?);
    }
    block.copy_from_slice(&bytes);
    Ok(())
}

/// What fields of blocks become in configs.
pub(crate) struct FieldsOut<'t, 's> {
    /// The interned strings by their numbers.
    pub(crate) texts: &'t Texts,
    pub(crate) lists: &'s Lists,
    /// The place of a referenced entity in the list that is saved.
    pub(crate) place_of: &'s dyn Fn(EntityId) -> Option<u64>,
}

impl<'t> FieldsOut<'t, '_> {
    /// Adds a block's fields to a config, those with a key.
    pub(super) fn add<'c>(&self, fields: &'c [Field], block: &[u8], out: &mut Config<'c>)
    where
        't: 'c,
    {
        for field in fields {
            if let Some(key) = &field.key {
                out.set(key.as_str(), self.value(field, block));
            }
        }
    }

    /// The value of a field of a block.
    pub(crate) fn value(&self, field: &Field, block: &[u8]) -> Value<'t> {
        match (field.role, number(field, block)) {
            (Role::Text, Number::Uint(n)) => {
                let text = u32::try_from(n).ok().and_then(|n| self.texts.get(n));
                text.map_or(Value::Null, |text| Value::from(&**text))
            }
            (Role::Entity, Number::Uint(bits)) => {
                EntityId::from_bits(bits).and_then(self.place_of).map_or(Value::Null, Value::Uint)
            }
            (Role::List, _) => {
                let items = self.lists.items(list_of(field, block)).unwrap_or_default();
                let saved = |item: &ListItem| match *item {
                    ListItem::Uint(n) => Value::Uint(n),
                    // Not as an integer, even if it is one: it comes back as it was.
                    ListItem::Float(n) => Value::Float(n),
                    ListItem::Entity(id) => id
                        .and_then(self.place_of)
                        .map_or(Value::Null, |place| Value::Object(Config::from_iter([("entity", place)]))),
                };
                Value::List(items.iter().map(saved).collect())
            }
            (_, Number::Uint(n)) => Value::Uint(n),
            (_, Number::Int(n)) => Value::from(n),
            (_, Number::Float(n)) if field.scalar == Scalar::F32 => Value::single(n as f32),
            (_, Number::Float(n)) => Value::from(n),
            (_, Number::Bool(b)) => Value::Bool(b),
        }
    }
}
