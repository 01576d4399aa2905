//! References between entities, found while entities are built and resolved once all are there.

use super::content::Content;
use crate::component::{ListId, ListItem, Registry, Role, is_entity_item};
use crate::config::{Config, Value};
use crate::entity::Prepared;
use crate::id::{ComponentId, EntityId};
use crate::world::World;

/// A reference between entities: whose, where in the block, and to which entity of the list.
pub(super) struct Reference {
    from: EntityId,
    component: ComponentId,
    offset: usize,
    /// Which item of the list that the block holds there, if it is in a list.
    item: Option<usize>,
    to: usize,
}

impl Content<'_> {
    /// Finds the references of an entity: of the list, or else the world's own.
    pub(super) fn find_references(
        &mut self,
        registry: &Registry,
        entity: Option<usize>,
        from: EntityId,
        config: &Config<'_>,
        prepared: &Prepared,
    ) {
        let document = self.document.clone();
        let count = document.entity_count();
        let fault = |key: &str, message: String| match entity {
            Some(index) => document.fault_at_entity(index, Some(key), message),
            None => document.fault_at_world(Some(key), message),
        };
        for &component in prepared.components.iter().filter(|&&c| registry.get(c).may_refer()) {
            for field in registry.get(component).fields() {
                let Some((key, value)) =
                    field.key.as_deref().and_then(|key| config.get(key).map(|value| (key, value)))
                else {
                    continue;
                };
                let offset = field.offset;
                let mut add = |item, value: &Value<'_>| {
                    let message = match place_of(value, count) {
                        Place::None => return,
                        Place::Of(to) => {
                            return self.references.push(Reference { from, component, offset, item, to });
                        }
                        Place::Outside(message) => message,
                        Place::Wrong(message) => {
                            return self.faults.push_with(|| fault(key, message));
                        }
                    };
                    // As a reference to one that is gone when a world is saved.
                    self.note_outside(|| fault(key, message).to_string());
                };
                match (field.role, value) {
                    (Role::Entity, value) => add(None, value),
                    (Role::List, Value::List(items)) => {
                        let entities = items.iter().map(is_entity_item).enumerate();
                        entities.for_each(|(place, value)| {
                            value.into_iter().for_each(|value| add(Some(place), value))
                        });
                    }
                    _ => {}
                }
            }
        }
    }
}

/// The entity of a list of so many that a value refers to.
fn place_of(value: &Value<'_>, count: usize) -> Place {
    match value {
        Value::Null => Place::None,
        Value::Uint(to) if *to < count as u64 => Place::Of(*to as usize),
        Value::Uint(to) => Place::Outside(format!(
            "there is no entity {to} in the list, which has {count}; the reference is none"
        )),
        Value::Int(_) | Value::Float(_) => {
            let found = value.as_f64().unwrap_or_default();
            Place::Wrong(format!(
                "the place of an entity in the list is expected, an integer from 0, not {found}"
            ))
        }
        other => {
            Place::Wrong(format!("the place of an entity in the list is expected, not {}", other.kind()))
        }
    }
}

enum Place {
    None,
    Of(usize),
    Outside(String),
    Wrong(String),
}

/// Writes the ids of those referred to into the blocks; `ids` are those of the list.
pub(super) fn resolve(world: &mut World, references: &[Reference], ids: &[EntityId]) {
    for &Reference { from, component, offset, item, to } in references {
        let (Some(row), Some(id)) = (world.row(from), ids.get(to)) else { continue };
        let Some(block) = world.storage.pool_mut(component).bytes_of_mut(row) else { continue };
        let Some(item) = item else {
            block[offset..offset + 8].copy_from_slice(&id.bits().to_ne_bytes());
            continue;
        };
        let list = ListId::from_bits(bytemuck::pod_read_unaligned(&block[offset..offset + 4]));
        // A component that reads its config in its own way may have put something else there.
        if let Ok(ListItem::Entity(None)) = world.shared.lists.get(list, item) {
            let set = world.shared.lists.set(list, item, *id);
            debug_assert_eq!(set, Ok(()), "the item was just read");
        }
    }
}
