//! What many entities have in common, and how far their values lie apart.

use crate::component::FieldValue;
use crate::id::{ComponentId, Ordinal};
use crate::world::World;

/// Several entities looked at together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SelectedView {
    /// How many of them are there.
    pub entities: usize,
    /// The components that some of them have, in registry order.
    pub components: Vec<SelectedComponent>,
}

/// A component of several entities.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectedComponent {
    /// Which.
    pub component: ComponentId,
    /// How many of them have it.
    pub having: usize,
    /// Those that do not have it.
    pub lacking: Vec<Ordinal>,
    /// A line a field.
    pub fields: Vec<Spread>,
}

/// What those that have it hold in a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Spread {
    /// All the same.
    Same(FieldValue),
    /// Different values: the least and the greatest, if they are numbers.
    Mixed(Option<(f64, f64)>),
}

impl Spread {
    fn add(&mut self, value: FieldValue) {
        match self {
            Self::Same(known) if *known == value => {}
            Self::Same(known) => {
                *self = Self::Mixed(span(known).zip(span(&value)).map(|(a, b)| (a.min(b), a.max(b))));
            }
            Self::Mixed(Some((least, greatest))) => match span(&value) {
                Some(n) => (*least, *greatest) = (least.min(n), greatest.max(n)),
                None => *self = Self::Mixed(None),
            },
            Self::Mixed(None) => {}
        }
    }
}

/// The number of a value that has an order.
fn span(value: &FieldValue) -> Option<f64> {
    match value {
        FieldValue::Uint(_) | FieldValue::Int(_) | FieldValue::Float(_) => value.as_f64(),
        _ => None,
    }
}

/// Looks at them; none while a run writes one of their components.
pub(super) fn find(world: &World, entities: &[Ordinal]) -> Option<SelectedView> {
    let mut view = SelectedView::default();
    let mut found: Vec<Option<SelectedComponent>> = world.registry().iter().map(|_| None).collect();
    for id in entities.iter().filter_map(|&ordinal| world.by_ordinal(ordinal)) {
        view.entities += 1;
        for component in world.components_of(id).unwrap_or_default() {
            world.peek_bytes(id, component)?;
            let count = world.registry().get(component).fields().len();
            let values = (0..count).filter_map(|at| world.field(id, component, at));
            match &mut found[component.index()] {
                Some(known) => {
                    known.having += 1;
                    known.fields.iter_mut().zip(values).for_each(|(spread, value)| spread.add(value));
                }
                new => {
                    let fields = values.map(Spread::Same).collect();
                    *new = Some(SelectedComponent { component, having: 1, lacking: Vec::new(), fields });
                }
            }
        }
    }
    view.components = found.into_iter().flatten().collect();
    for component in view.components.iter_mut().filter(|component| component.having < view.entities) {
        let lacks = |ordinal: &Ordinal| {
            world.by_ordinal(*ordinal).is_some_and(|id| !world.has(id, component.component))
        };
        component.lacking = entities.iter().copied().filter(lacks).collect();
    }
    Some(view)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(values: &[FieldValue]) -> Spread {
        let mut spread = Spread::Same(values[0].clone());
        values[1..].iter().for_each(|value| spread.add(value.clone()));
        spread
    }

    #[test]
    fn values_that_differ_have_a_span_if_they_are_numbers() {
        use FieldValue::{Bool, Float, Text};
        assert_eq!(spread(&[Float(2.0), Float(2.0)]), Spread::Same(Float(2.0)));
        assert_eq!(spread(&[Float(2.0), Float(-1.0), Float(1.0)]), Spread::Mixed(Some((-1.0, 2.0))));
        assert_eq!(spread(&[Text("a".into()), Text("b".into())]), Spread::Mixed(None));
        assert_eq!(spread(&[Bool(true), Bool(false), Bool(true)]), Spread::Mixed(None));
    }
}
