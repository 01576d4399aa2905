//! Entities of a document, from their configs to rows.

use super::content::Content;
use super::declarations::unknown_keys;
use crate::entity::{Factory, Moulds, Prepared};
use crate::system::RunShared;
use crate::world::World;
use std::ops::Range;

impl Content<'_> {
    /// Adds the entities at these places of the document's list.
    pub(super) fn add_entities(&mut self, world: &mut World, places: Range<usize>) {
        let shared = world.shared.clone();
        let (mut moulds, mut prepared) = std::mem::take(&mut self.tools);
        for index in places {
            self.add_entity(world, &shared, (&mut moulds, &mut prepared), index);
        }
        self.tools = (moulds, prepared);
    }

    fn add_entity(
        &mut self,
        world: &mut World,
        shared: &RunShared,
        (moulds, prepared): (&mut Moulds, &mut Prepared),
        index: usize,
    ) {
        let document = self.document.clone();
        let registry = &shared.registry;
        let definitions = self.definitions.clone();
        let config = match document.entity_config(index, &definitions) {
            Ok(config) => config,
            Err(faults) => return self.faults.append(faults),
        };
        let made = moulds.prepare(&shared.factory, registry, shared.heap(), &config, prepared);
        let kind = match made {
            Ok(kind) => kind,
            Err(error) => {
                return self.faults.push_with(|| {
                    let error = shared.factory.with_nearest(error);
                    document.fault_at_entity(index, error.key(), error.to_string())
                });
            }
        };
        let id = match &self.layout {
            Some(layout) => layout.place(world, index, prepared),
            None => Ok(world.place(prepared)),
        };
        let id = match id {
            Ok(id) => id,
            Err(message) => {
                return self.faults.push_with(|| document.fault_at_entity(index, None, message));
            }
        };
        if kind.references {
            self.find_references(registry, Some(index), id, &config, prepared);
        }
        if kind.hooks {
            self.late.push((id, Some(index)));
        }
        if kind.unknown_keys {
            for key in unknown_keys(registry, &config) {
                self.note_unknown(key, |message| document.fault_at_entity(index, Some(key), message));
            }
        }
    }

    /// Adds the world's own entity, if the scene gives it components.
    pub(super) fn add_resources(&mut self, world: &mut World) {
        let config = self.document.header().world.clone();
        if config.is_empty() {
            return;
        }
        let shared = world.shared.clone();
        let mut prepared = Prepared::default();
        // Classes and templates are for entities of the list.
        let made = Factory::default().prepare(&shared.registry, shared.heap(), &config, &mut prepared);
        if let Err(error) = made {
            self.faults.push_with(|| self.document.fault_at_world(error.key(), error.to_string()));
            return;
        }
        for key in unknown_keys(&shared.registry, &config) {
            let document = self.document.clone();
            self.note_unknown(key, |message| document.fault_at_world(Some(key), message));
        }
        if prepared.components.len() == 1 {
            // None of its keys is a resource.
            return;
        }
        let id = world.place_resources(&prepared);
        self.find_references(&shared.registry, None, id, &config, &prepared);
        self.late.push((id, None));
    }
}
