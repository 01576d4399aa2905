//! Reading the components that a scene describes.

use super::header::{DataComponent, DataField};
use super::nearest::suggestion;
use super::parts::{named_parts, read_names};
use super::reader::{Entry, Reader, integer};
use crate::component::{FieldValue, Role, Scalar};
use crate::config::Value;
use std::collections::HashSet;

/// Reads the components that a scene describes.
pub(super) fn read_components<'a>(reader: &mut Reader<'a>, entry: &Entry<'a>) -> Vec<DataComponent> {
    let mut components = Vec::new();
    for (name, entry) in named_parts(reader, entry, "component") {
        let wanted = r#"an object like {"fields": [{"name": "ore", "type": "u32"}]}"#;
        let Some(mut object) = reader.object(&entry, entry.part.clone(), wanted) else { continue };
        let fields = match object.take("fields") {
            Some(entry) => read_fields(reader, &entry),
            None => Vec::new(),
        };
        let load_keys = match object.take("load_keys") {
            Some(entry) => read_names(reader, &entry, "a list of config keys"),
            None => fields.iter().map(|field| field.key.clone()).collect(),
        };
        reader.unknown_keys(&object);
        components.push(DataComponent { name, fields, load_keys });
    }
    components
}

fn read_fields<'a>(reader: &mut Reader<'a>, entry: &Entry<'a>) -> Vec<DataField> {
    let mut fields: Vec<DataField> = Vec::new();
    let mut names = HashSet::new();
    for value in reader.elements(entry, "a list of fields") {
        let entry = Entry { value: value.get(), ..entry.clone() };
        let Some(field) = read_field(reader, &entry) else { continue };
        if !names.insert(field.name.clone()) {
            reader.fault(&entry, format!("the component has two fields {:?}; rename one", field.name));
        }
        fields.push(field);
    }
    fields
}

fn read_field<'a>(reader: &mut Reader<'a>, entry: &Entry<'a>) -> Option<DataField> {
    let part = entry.part.clone();
    let wanted = r#"an object like {"name": "ore", "type": "u32"}"#;
    let mut object = reader.object(entry, part.clone(), wanted)?;
    let (name, scalar) = (object.take("name"), object.take("type"));
    if name.is_none() || scalar.is_none() {
        reader.object_fault(&object, r#"a field needs the keys "name" and "type""#);
    }
    let name = name.and_then(|entry| reader.nonempty_text(&entry));
    if let (Some(part), Some(name)) = (part, &name) {
        object.part = Some(format!("{part}, field {name:?}"));
    }
    let scalar = scalar.and_then(|entry| {
        let part = object.part.clone();
        read_scalar(reader, &Entry { part, ..entry })
    });
    let role = match object.take("role") {
        Some(entry) => read_role(reader, &entry, scalar),
        None => Some(Role::Plain),
    };
    let default = object.take("default").zip(scalar.zip(role));
    let default = default.and_then(|(entry, (scalar, role))| read_default(reader, &entry, scalar, role));
    let key = object.take("key").and_then(|entry| reader.nonempty_text(&entry));
    let unit = object.take("unit").and_then(|entry| reader.text(&entry));
    let range = object.take("range").and_then(|entry| {
        let [least, greatest] = reader.numbers(&entry, "a list of the least and the greatest value")?;
        if least > greatest {
            reader.fault(&entry, "the least value comes first");
        }
        Some((least, greatest))
    });
    reader.unknown_keys(&object);
    let (name, scalar, role) = (name?, scalar?, role?);
    Some(DataField { key: key.unwrap_or_else(|| name.clone()), name, scalar, default, role, unit, range })
}

const SCALARS: [Scalar; 11] = [
    Scalar::U8,
    Scalar::U16,
    Scalar::U32,
    Scalar::U64,
    Scalar::I8,
    Scalar::I16,
    Scalar::I32,
    Scalar::I64,
    Scalar::F32,
    Scalar::F64,
    Scalar::Bool8,
];

fn read_scalar<'a>(reader: &mut Reader<'a>, entry: &Entry<'a>) -> Option<Scalar> {
    let name = reader.text(entry)?;
    let scalar = SCALARS.into_iter().find(|scalar| scalar.name() == name);
    if scalar.is_none() {
        let known = suggestion(&name, SCALARS.map(Scalar::name));
        reader.fault(entry, format!("there is no field type {name:?}{known}"));
    }
    scalar
}

/// Roles by the names scene files use, each with the scalars it goes with.
const ROLES: [(&str, Role, &[Scalar]); 7] = [
    ("plain", Role::Plain, &SCALARS),
    ("colour", Role::Colour, &[Scalar::U32]),
    ("angle", Role::Angle, &[Scalar::F32, Scalar::F64]),
    ("entity", Role::Entity, &[Scalar::U64]),
    ("text", Role::Text, &[Scalar::U32]),
    ("list", Role::List, &[Scalar::U32]),
    ("flags", Role::Flags, &[Scalar::U8, Scalar::U16, Scalar::U32, Scalar::U64]),
];

/// The name scene files use.
pub(super) fn role_name(role: Role) -> &'static str {
    ROLES.iter().find(|(_, known, _)| *known == role).map_or("plain", |(name, ..)| name)
}

/// The role at `entry`, which must go with the scalar, if that is known.
fn read_role<'a>(reader: &mut Reader<'a>, entry: &Entry<'a>, scalar: Option<Scalar>) -> Option<Role> {
    let name = reader.text(entry)?;
    let Some((_, role, scalars)) = ROLES.into_iter().find(|(known, ..)| *known == name) else {
        let known = suggestion(&name, ROLES.map(|(known, ..)| known));
        reader.fault(entry, format!("there is no field role {name:?}{known}"));
        return None;
    };
    if let Some(scalar) = scalar.filter(|scalar| !scalars.contains(scalar)) {
        let fitting: Vec<&str> = scalars.iter().map(|scalar| scalar.name()).collect();
        let message =
            format!("the role {name:?} needs the type {}, not {}", fitting.join(" or "), scalar.name());
        reader.fault(entry, message);
        return None;
    }
    Some(role)
}

fn read_default<'a>(
    reader: &mut Reader<'a>,
    entry: &Entry<'a>,
    scalar: Scalar,
    role: Role,
) -> Option<FieldValue> {
    match role {
        Role::Text => return reader.text(entry).map(FieldValue::Text),
        Role::Entity | Role::List => {
            reader.fault(entry, format!("a field with the role {:?} starts empty", role_name(role)));
            return None;
        }
        Role::Plain | Role::Colour | Role::Angle | Role::Flags => {}
    }
    let value = reader.value(entry)?;
    let default = fitting(&value, scalar);
    if default.is_none() {
        reader.expected(entry, format_args!("a value of type {}", scalar.name()));
    }
    default
}

/// `value` as one of a field of type `scalar`, if it lies in its range.
fn fitting(value: &Value<'_>, scalar: Scalar) -> Option<FieldValue> {
    let unsigned = |most: u64| {
        let n = integer(value).and_then(|n| u64::try_from(n).ok());
        n.filter(|&n| n <= most).map(FieldValue::Uint)
    };
    let signed = |least: i64, most: i64| {
        let n = integer(value).and_then(|n| i64::try_from(n).ok());
        n.filter(|n| (least..=most).contains(n)).map(FieldValue::Int)
    };
    match scalar {
        Scalar::U8 => unsigned(u8::MAX.into()),
        Scalar::U16 => unsigned(u16::MAX.into()),
        Scalar::U32 => unsigned(u32::MAX.into()),
        Scalar::U64 => unsigned(u64::MAX),
        Scalar::I8 => signed(i8::MIN.into(), i8::MAX.into()),
        Scalar::I16 => signed(i16::MIN.into(), i16::MAX.into()),
        Scalar::I32 => signed(i32::MIN.into(), i32::MAX.into()),
        Scalar::I64 => signed(i64::MIN, i64::MAX),
        Scalar::F32 => value.as_f64().filter(|&n| (n as f32).is_finite()).map(FieldValue::Float),
        Scalar::F64 => value.as_f64().map(FieldValue::Float),
        Scalar::Bool8 => value.as_bool().map(FieldValue::Bool),
    }
}
