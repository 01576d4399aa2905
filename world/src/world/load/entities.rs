//! Entities of a document, from their configs to rows.

use super::content::Content;
use super::references::Found;
use crate::component::Registry;
use crate::config::Config;
use crate::entity::{Factory, OWN_KEYS, Prepared};
use crate::world::World;

impl Content<'_> {
    /// Adds the entity at a place of the document's list.
    pub(super) fn add_entity(&mut self, world: &mut World, prepared: &mut Prepared, index: usize) {
        let shared = world.shared.clone();
        let config = match self.document.entity_config(index, &self.definitions) {
            Ok(config) => config,
            Err(faults) => return self.faults.append(faults),
        };
        let document = &self.document;
        if let Err(error) = shared.factory.prepare(&shared.registry, shared.heap(), &config, prepared) {
            let fault = || document.fault_at_entity(index, error.key(), error.to_string());
            return self.faults.push_with(fault);
        }
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
        let mut found = std::mem::take(&mut self.found);
        if self.has_references {
            self.find_references(&shared.registry, Some(index), id, &config, prepared, &mut found);
        }
        if prepared.components.iter().any(|&c| shared.registry.get(c).on_attach.is_some()) {
            self.late.push((id, Some(index)));
        }
        let unknown: Vec<String> = self.unknown_of(&shared.registry, &config);
        self.found = found;
        self.report_wrong();
        for key in unknown {
            let message = self.unknown_message(&key);
            let fault = self.document.fault_at_entity(index, Some(&key), message);
            self.note_unknown(key, fault);
        }
    }

    /// The keys of a config that nobody loads and that are to be reported.
    fn unknown_of(&self, registry: &Registry, config: &Config<'_>) -> Vec<String> {
        let reported = |key: &&str| {
            let known = !registry.loaded_by(key).is_empty() || OWN_KEYS.contains(key);
            !known && (self.options.deny_unknown || !self.unknown.contains(*key))
        };
        config.iter().map(|(key, _)| key).filter(reported).map(str::to_owned).collect()
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
            self.faults.push(self.document.fault_at_world(error.key(), error.to_string()));
            return;
        }
        for key in super::content::unknown_keys(&shared.registry, &config) {
            let fault = self.document.fault_at_world(Some(&key), self.unknown_message(&key));
            self.note_unknown(key, fault);
        }
        let id = world.place_resources(&prepared);
        let mut found = Found::default();
        self.find_references(&shared.registry, None, id, &config, &prepared, &mut found);
        self.found.references.append(&mut found.references);
        self.found.wrong.append(&mut found.wrong);
        self.report_wrong();
        self.late.push((id, None));
    }

    /// Makes faults of the references that lead nowhere.
    fn report_wrong(&mut self) {
        let document = &self.document;
        for wrong in self.found.wrong.drain(..) {
            self.faults.push_with(|| match wrong.entity {
                Some(index) => document.fault_at_entity(index, Some(&wrong.key), wrong.message),
                None => document.fault_at_world(Some(&wrong.key), wrong.message),
            });
        }
    }
}
