//! The inspector without its drawing: what is shown of an entity, and what its bytes say.

use crate::widgets::fuzzy;
use std::ops::Range;
use vivarium_world::inspect::{CatalogView, ComponentState, ComponentView, EntityDetail};
use vivarium_world::{ComponentId, Field, FieldValue, Scalar};

/// A component of the entity that passes the filter, and which of its fields do.
#[derive(Debug, PartialEq)]
pub(super) struct Shown<'a> {
    pub(super) component: &'a ComponentView,
    pub(super) state: &'a ComponentState,
    /// Places of the fields, in the order of their offsets.
    pub(super) fields: Vec<usize>,
}

/// What a filter leaves of an entity: components whose name matches, whole; of others the fields whose names
/// match.
pub(super) fn shown<'a>(detail: &'a EntityDetail, catalog: &'a CatalogView, filter: &str) -> Vec<Shown<'a>> {
    let mut list = Vec::new();
    for state in &detail.components {
        let Some(component) = catalog.component(state.component) else { continue };
        let count = component.fields.len().min(state.values.len());
        let whole = fuzzy(filter, &component.name);
        let fields: Vec<_> =
            (0..count).filter(|&at| whole || fuzzy(filter, &component.fields[at].name)).collect();
        if whole || !fields.is_empty() {
            list.push(Shown { component, state, fields });
        }
    }
    list
}

/// The value a template gives a field, if the field now has another.
pub(super) fn differs(state: &ComponentState, field: usize) -> Option<&FieldValue> {
    let template = state.template.as_ref()?.get(field)?;
    (state.values.get(field)? != template).then_some(template)
}

/// What several entities have in a field where they do not agree: `mixed`, with least and greatest for
/// numbers.
pub(super) fn mixed(details: &[&EntityDetail], component: ComponentId, field: usize) -> Option<String> {
    let states =
        details.iter().filter_map(|detail| detail.components.iter().find(|c| c.component == component));
    let values: Vec<_> = states.filter_map(|state| state.values.get(field)).collect();
    let first = values.first()?;
    if values.iter().all(|value| value == first) {
        return None;
    }
    let numbers: Option<Vec<f64>> = values.iter().map(|value| value.as_f64()).collect();
    Some(match numbers {
        Some(numbers) => {
            let (low, high) =
                numbers.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &n| (l.min(n), h.max(n)));
            format!("mixed {} … {}", crate::format::number(low), crate::format::number(high))
        }
        None => "mixed".to_owned(),
    })
}

/// The components an entity could be given, each with the reason if its class forbids it.
pub(super) fn addable<'a>(
    detail: &EntityDetail,
    catalog: &'a CatalogView,
    filter: &str,
) -> Vec<(&'a ComponentView, Option<String>)> {
    let class = catalog.classes.iter().find(|class| *class.name == *detail.class);
    let has = |id| detail.components.iter().any(|state| state.component == id);
    let candidates =
        catalog.components.iter().filter(|component| !has(component.id) && fuzzy(filter, &component.name));
    let judged = candidates.map(|component| {
        let forbidden = class.filter(|class| !class.components.contains(&component.id));
        (component, forbidden.map(|class| format!("class {} does not permit it", class.name)))
    });
    let mut list: Vec<_> = judged.collect();
    list.sort_by_key(|(_, forbidden)| forbidden.is_some());
    list
}

/// A stretch of a block: a field, or bytes between fields.
#[derive(Debug, PartialEq)]
pub(super) struct RawLine<'a> {
    pub(super) bytes: Range<usize>,
    /// None for padding.
    pub(super) field: Option<&'a Field>,
}

/// A block cut into its fields and what lies between them.
pub(super) fn raw_lines(fields: &[Field], size: usize) -> Vec<RawLine<'_>> {
    let mut lines = Vec::new();
    let mut at = 0;
    for field in fields {
        let (start, end) = (field.offset, field.offset + field.scalar.size());
        if start < at || end > size {
            continue;
        }
        if at < start {
            lines.push(RawLine { bytes: at..start, field: None });
        }
        lines.push(RawLine { bytes: start..end, field: Some(field) });
        at = end;
    }
    if at < size {
        lines.push(RawLine { bytes: at..size, field: None });
    }
    lines
}

/// Bytes as pairs of hexadecimal digits: `00 00 28 41`.
pub(super) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 3);
    for (at, byte) in bytes.iter().enumerate() {
        if at > 0 {
            text.push(' ');
        }
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

/// The number the bytes of a field hold; none if there are too few.
pub(super) fn decode(scalar: Scalar, bytes: &[u8]) -> Option<String> {
    fn take<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
        bytes.first_chunk().copied()
    }
    Some(match scalar {
        Scalar::U8 => u8::from_ne_bytes(take(bytes)?).to_string(),
        Scalar::U16 => u16::from_ne_bytes(take(bytes)?).to_string(),
        Scalar::U32 => u32::from_ne_bytes(take(bytes)?).to_string(),
        Scalar::U64 => u64::from_ne_bytes(take(bytes)?).to_string(),
        Scalar::I8 => i8::from_ne_bytes(take(bytes)?).to_string(),
        Scalar::I16 => i16::from_ne_bytes(take(bytes)?).to_string(),
        Scalar::I32 => i32::from_ne_bytes(take(bytes)?).to_string(),
        Scalar::I64 => i64::from_ne_bytes(take(bytes)?).to_string(),
        Scalar::F32 => f32::from_ne_bytes(take(bytes)?).to_string(),
        Scalar::F64 => f64::from_ne_bytes(take(bytes)?).to_string(),
        Scalar::Bool8 => (*bytes.first()? != 0).to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, BODY, FROZEN, Fixture, HEALTH, TRANSFORM, VELOCITY};

    fn names(list: &[Shown<'_>]) -> Vec<(String, Vec<usize>)> {
        list.iter().map(|shown| (shown.component.name.clone(), shown.fields.clone())).collect()
    }

    #[test]
    fn a_filter_keeps_named_components_whole_and_of_others_named_fields() {
        let (fixture, detail) = (Fixture::paused(), fixture::guardian());
        let catalog = &fixture.snapshot.catalog;
        assert_eq!(shown(&detail, catalog, "").len(), 7);
        assert_eq!(names(&shown(&detail, catalog, "transf")), [("transform".to_owned(), vec![0, 1, 2])]);
        assert_eq!(names(&shown(&detail, catalog, "radi")), [("body".to_owned(), vec![0])]);
        assert!(shown(&detail, catalog, "zzz").is_empty());
    }

    #[test]
    fn only_values_other_than_the_templates_are_marked() {
        let detail = fixture::guardian();
        let state = |id| detail.components.iter().find(|c| c.component == id).unwrap();
        assert_eq!(differs(state(HEALTH), 0), Some(&FieldValue::Float(100.0)));
        assert_eq!(differs(state(HEALTH), 1), None);
        assert_eq!(differs(state(BODY), 0), None);
        assert_eq!(differs(state(TRANSFORM), 0), None);
    }

    #[test]
    fn values_that_do_not_agree_show_their_span() {
        let one = fixture::guardian();
        let mut other = fixture::guardian();
        other.components[4].values[0] = FieldValue::Float(12.5);
        other.components[6].values[0] = FieldValue::Text("Eve".to_owned());
        let both = [&one, &other];
        assert_eq!(mixed(&both, HEALTH, 0), Some("mixed 12.5 … 60".to_owned()));
        assert_eq!(mixed(&both, fixture::LABEL, 0), Some("mixed".to_owned()));
        assert_eq!(mixed(&both, HEALTH, 1), None);
        assert_eq!(mixed(&both, FROZEN, 0), None);
    }

    #[test]
    fn what_the_class_forbids_is_offered_last_and_with_the_reason() {
        let fixture = Fixture::paused();
        let mut detail = fixture::guardian();
        let list = addable(&detail, &fixture.snapshot.catalog, "");
        assert_eq!(list.iter().map(|(c, why)| (c.id, why.is_some())).collect::<Vec<_>>(), [(FROZEN, false)]);
        detail.class = "prop".into();
        detail.components.retain(|state| state.component != VELOCITY && state.component != BODY);
        let list = addable(&detail, &fixture.snapshot.catalog, "");
        let reason = Some("class prop does not permit it".to_owned());
        let ids: Vec<_> = list.iter().map(|(c, why)| (c.id, why.clone())).collect();
        assert_eq!(ids, [(BODY, None), (VELOCITY, reason.clone()), (FROZEN, reason)]);
    }

    #[test]
    fn a_block_is_cut_into_fields_and_padding() {
        let fixture = Fixture::paused();
        let health = fixture.snapshot.catalog.component(HEALTH).unwrap();
        let cut =
            |size| raw_lines(&health.fields, size).into_iter().map(|line| line.bytes).collect::<Vec<_>>();
        assert_eq!(cut(16), [0..8, 8..9, 9..16]);
        assert_eq!(cut(9), [0..8, 8..9]);
        assert_eq!(raw_lines(&[], 0), []);
    }

    #[test]
    fn bytes_are_read_as_their_scalar() {
        assert_eq!(hex(&10.5_f32.to_le_bytes()), "00 00 28 41");
        assert_eq!(decode(Scalar::F32, &10.5_f32.to_ne_bytes()), Some("10.5".to_owned()));
        assert_eq!(decode(Scalar::I16, &(-2_i16).to_ne_bytes()), Some("-2".to_owned()));
        assert_eq!(decode(Scalar::Bool8, &[7]), Some("true".to_owned()));
        assert_eq!(decode(Scalar::U64, &[1, 2, 3]), None);
    }
}
