//! The state of a world in one number.

use super::World;
use crate::component::{FieldValue, Role};
use crate::id::{ComponentId, EntityId};
use std::collections::HashMap;

impl World {
    /// A hash of the state, equal for equal states whatever rows, ids and threads: of each pool's blocks in entity
    /// order, texts and lists by their content and references by the place of
    /// their entity in creation order. What is open is settled first.
    pub fn state_hash(&mut self) -> u64 {
        self.pool_hashes()
            .into_iter()
            .fold(self.clocks.tick, |hash, (component, pool)| mix(mix(hash ^ component.0 as u64) ^ pool))
    }

    /// The hash of each pool that has blocks, to find which one differs.
    pub fn pool_hashes(&mut self) -> Vec<(ComponentId, u64)> {
        self.settle();
        let mut ids: Vec<(u64, EntityId)> = (0..).zip(self.entities()).collect();
        // Without a resource it is as if it were not there: no save has it.
        let has_resources =
            |id: &EntityId| self.components_of(*id).is_some_and(|components| components.len() > 1);
        ids.extend(self.world_entity().filter(has_resources).map(|id| (u64::MAX, id)));
        let places: HashMap<EntityId, u64> = ids.iter().map(|&(place, id)| (id, place)).collect();
        let components: Vec<ComponentId> = self.registry().iter().map(|(component, _)| component).collect();
        let hashed = components.into_iter().filter(|&c| self.storage.live(c) > 0);
        hashed.map(|component| (component, self.pool_hash(component, &ids, &places))).collect()
    }

    fn pool_hash(
        &self,
        component: ComponentId,
        ids: &[(u64, EntityId)],
        places: &HashMap<EntityId, u64>,
    ) -> u64 {
        let fields = self.registry().get(component).fields();
        let numbers: Vec<_> = fields
            .iter()
            .filter(|field| matches!(field.role, Role::Text | Role::Entity | Role::List))
            .collect();
        let mut block = Vec::new();
        let mut hash = 0;
        for &(place, id) in ids {
            let Some(bytes) = self.peek_bytes(id, component) else { continue };
            hash = mix(hash ^ place.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            if numbers.is_empty() {
                hash = hash_bytes(hash, bytes);
                continue;
            }
            block.clear();
            block.extend_from_slice(bytes);
            for field in &numbers {
                block[field.offset..field.offset + field.scalar.size()].fill(0);
                let value = crate::component::field_value(field, bytes, self.heap(), |id| {
                    places.get(&id).map(|&place| crate::id::Ordinal(place))
                });
                hash = hash_value(hash, &value);
            }
            hash = hash_bytes(hash, &block);
        }
        hash
    }
}

/// A text by its letters, a reference by the place it names, a list by its items.
fn hash_value(hash: u64, value: &FieldValue) -> u64 {
    match value {
        FieldValue::List(items) => items.iter().fold(mix(hash ^ items.len() as u64), hash_value),
        FieldValue::Float(n) => mix(hash ^ n.to_bits()),
        value => hash_bytes(hash, value.to_string().as_bytes()),
    }
}

fn hash_bytes(hash: u64, bytes: &[u8]) -> u64 {
    let words = bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    });
    words.fold(hash ^ bytes.len() as u64, |hash, word| mix(hash ^ word))
}

/// Mixes 64 bits so that each depends on all; a bijection.
fn mix(bits: u64) -> u64 {
    let folded = (bits ^ bits >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let folded = (folded ^ folded >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    folded ^ folded >> 32
}
