//! The systems a scene names, with the state a save gives them.

use super::content::Content;
use crate::component::FieldValue;
use crate::config::Value;
use crate::excerpt::excerpt;
use crate::scene::{SceneSystem, suggestion};
use crate::schedule::PeriodState;
use crate::world::World;
use crate::world::pass::is_run_of_pass;
use crate::world::unseen::{self, Unseen};

impl Content<'_> {
    /// Adds the system at a place of the document's list.
    pub(super) fn add_system_at(&mut self, world: &mut World, index: usize) {
        let Some(system) = self.document.header().systems.get(index).cloned() else { return };
        if let Err((key, message)) = self.add_system(world, index, &system) {
            self.fault_at_system(index, key, message);
        }
    }

    fn fault_at_system(&mut self, index: usize, key: Option<&str>, message: String) {
        self.faults.push_with(|| self.document.fault_at_system(index, key, message));
    }

    fn add_system(
        &mut self,
        world: &mut World,
        index: usize,
        system: &SceneSystem,
    ) -> Result<(), (Option<&'static str>, String)> {
        let Some(mut definition) = world.catalog.make_system(&system.system) else {
            let names: Vec<&str> = world.catalog.system_names().collect();
            let near = suggestion(&system.system, names.iter().copied());
            let name = excerpt(&system.system);
            return Err((Some("system"), format!("there is no system {name:?}{near}")));
        };
        for (name, value) in system.params.iter() {
            let value = match value {
                Value::Bool(b) => FieldValue::Bool(*b),
                Value::Uint(n) => FieldValue::Uint(*n),
                Value::Int(n) => FieldValue::Int(*n),
                Value::Float(n) => FieldValue::Float(*n),
                other => {
                    let message = format!("a number or a truth value is expected, not {}", other.kind());
                    self.faults.push_with(|| self.document.fault_at_param(index, name, message));
                    continue;
                }
            };
            if let Err(message) = definition.params.set(name, value) {
                self.faults.push_with(|| self.document.fault_at_param(index, name, message));
            }
        }
        if let Some(period) = system.every {
            definition = definition.every(period);
        }
        if let Some(name) = &system.name {
            definition = definition.named(name);
        }
        if let Some(members) = system.batch {
            definition = definition.work_batch(usize::try_from(members).unwrap_or(usize::MAX));
        }
        let id = world
            .add_system_from(definition, system.system.clone())
            .map_err(|error| (Some("system"), error.to_string()))?;
        if let Some(entry) = world.systems.get_mut(id) {
            entry.accumulator.restore(PeriodState { runs: system.runs, accumulated: system.accumulated });
            entry.accumulator.set_enabled(!system.disabled);
        }
        let terms = world.count_change_terms(id);
        if !system.unseen.is_empty() && system.unseen.len() != terms {
            let found = system.unseen.len();
            let message =
                format!("the system looks for changes of {terms} components, not of {found}; remove it");
            self.fault_at_system(index, Some("unseen"), message);
        }
        for (term, text) in system.unseen.iter().enumerate() {
            let Some(text) = text else { continue };
            let Some(places) = unseen::places(text, self.document.entity_count()) else {
                let text = excerpt(text);
                let message = format!("{text:?} does not say places of the list; it may be cut off");
                self.fault_at_system(index, Some("unseen"), message);
                continue;
            };
            self.unseen.push(Unseen { system: id, term, places });
        }
        if system.observed == Some(false) {
            self.unobserved.push(id);
        }
        if let Some(saved) = &system.in_flight
            && let Some(body) = world.systems.get_mut(id).and_then(|entry| entry.body.as_mut())
            && let Err(message) = body.lifecycle().put_in_flight(saved)
        {
            self.fault_at_system(index, Some("inFlight"), message);
        }
        if let Some(pass) = &system.pass {
            let entities = self.document.entity_count() as u64;
            if !pass.left.iter().all(|&run| is_run_of_pass(run, entities)) {
                let message = format!("the pass has places beyond the list, which has {entities} entities");
                self.fault_at_system(index, Some("pass"), message);
            }
            self.passes.push((id, pass.clone()));
        }
        Ok(())
    }
}
