//! Who points to an entity.

use super::EntityName;
use crate::component::{ComponentDef, FieldValue, Role, field_value};
use crate::id::{ComponentId, Ordinal};
use crate::world::World;

/// References listed one by one; the rest is counted.
const LISTED: usize = 1000;

/// Who points to an entity.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferencesView {
    /// To whom.
    pub to: Ordinal,
    /// The first thousand, in creation order.
    pub list: Vec<ReferenceView>,
    /// How many there are.
    pub total: usize,
}

/// A field that points to the entity.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceView {
    /// Whose.
    pub from: EntityName,
    /// Of which component.
    pub component: ComponentId,
    /// Which field, by its place among the component's.
    pub field: usize,
    /// Which item, if the field is a list.
    pub item: Option<usize>,
}

/// Finds them for each of these entities; none while a run writes a component that may point.
pub(super) fn find(world: &World, to: &[Ordinal]) -> Option<Vec<ReferencesView>> {
    let pointing = |(component, definition): (ComponentId, &ComponentDef)| {
        let fields = definition.fields().iter().enumerate();
        let places = fields.filter(|(_, field)| matches!(field.role, Role::Entity | Role::List));
        let places: Vec<usize> = places.map(|(at, _)| at).collect();
        (!places.is_empty()).then_some((component, places))
    };
    let pointing: Vec<_> = world.registry().iter().filter_map(pointing).collect();
    if pointing.iter().any(|(component, _)| world.storage.pool(*component).is_lent_to_write()) {
        return None;
    }
    let mut views: Vec<_> = to.iter().map(|&to| ReferencesView { to, list: Vec::new(), total: 0 }).collect();
    let targets: Vec<_> = to.iter().map(|&to| (to, world.by_ordinal(to))).collect();
    let points = |id| targets.iter().find(|(_, target)| *target == Some(id)).map(|(to, _)| *to);
    for (ordinal, id) in world.in_order() {
        for (component, places) in &pointing {
            let Some(block) = world.peek_bytes(id, *component) else { continue };
            for &field in places {
                let mut add = |to: Ordinal, item| {
                    let Some(view) = views.iter_mut().find(|view| view.to == to) else { return };
                    view.total += 1;
                    if view.list.len() < LISTED {
                        let from = EntityName { ordinal, id, type_name: world.type_name(id) };
                        view.list.push(ReferenceView { from, component: *component, field, item });
                    }
                };
                let described = &world.registry().get(*component).fields()[field];
                match field_value(described, block, world.heap(), points) {
                    FieldValue::Entity(Some(to)) => add(to, None),
                    FieldValue::List(items) => {
                        for (place, item) in items.iter().enumerate() {
                            if let FieldValue::Entity(Some(to)) = item {
                                add(*to, Some(place));
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
    }
    Some(views)
}
