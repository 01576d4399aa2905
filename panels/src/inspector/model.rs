//! The inspector without its drawing: what is shown of an entity, and what its bytes say.

use crate::widgets::fuzzy;
use std::ops::Range;
use vivarium_world::inspect::{
    CatalogView, ComponentState, ComponentView, EntityDetail, EntityName, ReferenceView, ReferencesView,
    SelectedView, Spread,
};
use vivarium_world::{ComponentId, Field, FieldValue, Ordinal, Scalar};

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

/// What is said of a field in which several entities do not agree: `mixed`, with least and greatest for numbers.
pub(super) fn mixed(spread: &Spread) -> Option<String> {
    match spread {
        Spread::Same(_) => None,
        Spread::Mixed(None) => Some("mixed".to_owned()),
        Spread::Mixed(Some((least, greatest))) => {
            Some(format!("mixed {} … {}", crate::format::number(*least), crate::format::number(*greatest)))
        }
    }
}

/// Those of several entities that a component can be added to: all but the ones that have it.
pub(super) fn without(
    selected: Option<&SelectedView>,
    component: ComponentId,
    all: &[Ordinal],
) -> Vec<Ordinal> {
    let known = selected.filter(|_| all.len() > 1);
    match known.and_then(|selected| selected.components.iter().find(|c| c.component == component)) {
        Some(component) => component.lacking.clone(),
        None => all.to_vec(),
    }
}

/// Places of the fields that can be watched over time.
pub(super) fn number_fields(shown: &Shown<'_>) -> Vec<usize> {
    let values = shown.state.values.iter().take(shown.component.fields.len()).enumerate();
    values.filter(|(_, value)| value.as_f64().is_some()).map(|(at, _)| at).collect()
}

/// A line of the references to an entity.
#[derive(Debug, PartialEq)]
pub(super) struct ReferenceLine<'a> {
    pub(super) from: &'a EntityName,
    /// `follow.target`; `cargo.items[3]` for an item of a list.
    pub(super) field: String,
}

/// References as they are listed.
pub(super) fn reference_lines<'a>(
    references: &'a ReferencesView,
    catalog: &CatalogView,
) -> Vec<ReferenceLine<'a>> {
    let line = |reference: &'a ReferenceView| {
        let component = catalog.component(reference.component);
        let component_name = component
            .map_or_else(|| format!("component {}", reference.component), |component| component.name.clone());
        let field = component.and_then(|component| component.fields.get(reference.field));
        let field = field.map_or_else(|| format!("field {}", reference.field), |field| field.name.clone());
        let item = reference.item.map_or(String::new(), |item| format!("[{item}]"));
        ReferenceLine { from: &reference.from, field: format!("{component_name}.{field}{item}") }
    };
    references.list.iter().map(line).collect()
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
    use vivarium_world::inspect::SelectedComponent;

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
        assert_eq!(mixed(&Spread::Mixed(Some((12.5, 60.0)))), Some("mixed 12.5 … 60".to_owned()));
        assert_eq!(mixed(&Spread::Mixed(None)), Some("mixed".to_owned()));
        assert_eq!(mixed(&Spread::Same(FieldValue::Float(1.0))), None);
    }

    #[test]
    fn a_component_is_added_to_those_that_lack_it() {
        let part = |component, lacking: &[u64]| SelectedComponent {
            component,
            having: 1,
            lacking: lacking.iter().map(|&n| Ordinal(n)).collect(),
            fields: Vec::new(),
        };
        let view = SelectedView { entities: 3, components: vec![part(BODY, &[2]), part(HEALTH, &[])] };
        let all = [1, 2, 3].map(Ordinal);
        assert_eq!(without(Some(&view), BODY, &all), [Ordinal(2)]);
        assert!(without(Some(&view), HEALTH, &all).is_empty());
        assert_eq!(without(Some(&view), FROZEN, &all), all);
        assert_eq!(without(Some(&view), BODY, &all[..1]), all[..1]);
    }

    #[test]
    fn only_fields_that_hold_numbers_are_watched() {
        let (fixture, detail) = (Fixture::paused(), fixture::guardian());
        let list = shown(&detail, &fixture.snapshot.catalog, "");
        let fields = |name: &str| number_fields(list.iter().find(|s| s.component.name == name).unwrap());
        assert_eq!(fields("transform"), [0, 1, 2]);
        assert!(fields("label").is_empty());
        assert!(fields("follow").is_empty());
    }

    #[test]
    fn references_name_field_and_item() {
        let fixture = Fixture::paused();
        let view = ReferencesView {
            to: Ordinal(3),
            list: vec![fixture::reference(2, fixture::FOLLOW, None), fixture::reference(0, BODY, Some(4))],
            total: 2,
        };
        let lines = reference_lines(&view, &fixture.snapshot.catalog);
        let texts: Vec<_> = lines.iter().map(|line| (line.from.ordinal.0, line.field.as_str())).collect();
        assert_eq!(texts, [(2, "follow.target"), (0, "body.radius[4]")]);
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
