//! Resources: components of the world itself, a score or a wave counter.
//!
//! They belong to one entity that is not on the list of entities, has no ordinal, and neither dies nor is removed.
//! Otherwise it is an entity like any other: systems ask for its components by queries, or read and set them by its
//! id, and a save has them under the key `world`.

use super::World;
use super::components::AccessFault;
use crate::component::{Component, Entity};
use crate::entity::Prepared;
use crate::id::{ComponentId, EntityId};

impl World {
    /// The entity whose components are the world's own; none while it has no resource.
    pub fn world_entity(&self) -> Option<EntityId> {
        self.resources
    }

    /// A resource; none if the world does not have it. Waits for a run that writes it.
    pub fn resource<T: Component>(&mut self) -> Option<T> {
        let id = self.resources?;
        self.get(id)
    }

    /// Writes a resource, new or old.
    ///
    /// # Errors
    /// If the type is not registered or built in, or a new one's hook refuses.
    pub fn set_resource<T: Component>(&mut self, value: T) -> Result<(), AccessFault> {
        if self.destroyed {
            return Err(AccessFault::Destroyed);
        }
        let component = self.registered::<T>()?;
        let id = self.resources.unwrap_or_else(|| {
            let entity = bytemuck::bytes_of(&Entity::new(0, false, false)).to_vec();
            let components = vec![ComponentId::ENTITY];
            self.place_resources(&Prepared { components, blocks: entity, ..Prepared::default() })
        });
        if self.has(id, component) { self.set(id, value) } else { self.add(id, value) }
    }

    /// Makes the world's own entity of these components. It has none yet.
    pub(super) fn place_resources(&mut self, prepared: &Prepared) -> EntityId {
        debug_assert!(self.resources.is_none());
        let id = self.place_unlisted(prepared);
        self.resources = Some(id);
        id
    }

    /// Gives up the world's own entity.
    pub(super) fn retire_resources(&mut self) {
        if let Some(id) = self.resources.take() {
            self.leaving.push_back(id);
            self.finish_removal(id);
        }
    }
}
