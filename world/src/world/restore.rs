//! Entities as configs, and entities made of them again under the numbers they had: how removals are taken back.

use super::configs::ConfigWriter;
use super::{Hung, World, WorldEvent};
use crate::component::{FieldValue, Role, is_entity_item};
use crate::config::{Config, Value};
use crate::entity::{CreateError, Prepared};
use crate::id::{EntityId, Ordinal};
use thiserror::Error;

/// Why entities cannot be restored; none was then.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RestoreError {
    /// Somebody has the creation number, or nobody ever had it.
    #[error("the creation number #{0} is in use, or was never given out; restore under one that was removed")]
    NotGone(Ordinal),
    /// A creation number stands twice.
    #[error("the creation number #{0} stands twice; keep one of them")]
    Twice(Ordinal),
    /// A config is at fault.
    #[error("entity #{entity}: {error}")]
    Create {
        /// Whose.
        entity: Ordinal,
        /// What is wrong.
        error: CreateError,
    },
}

impl World {
    /// What makes each of these entities again as it is now, those that are gone left out: a config as a save has it,
    /// but with references by creation number.
    ///
    /// # Errors
    /// If a run that writes one of their components does not end.
    pub fn configs_of(&mut self, entities: &[EntityId]) -> Result<Vec<(Ordinal, Config<'static>)>, Hung> {
        let mut waited = Vec::new();
        for &id in entities {
            for component in self.components_of(id).unwrap_or_default() {
                if !waited.contains(&component) {
                    self.wait_to_read(component)?;
                    waited.push(component);
                }
            }
        }
        let texts = self.strings().all();
        let mut writer = ConfigWriter::by_ordinals(self, &texts);
        let there = entities.iter().filter_map(|&id| Some((self.ordinal(id)?, id)));
        Ok(there.map(|(ordinal, id)| (ordinal, writer.config(id, String::new).into_owned())).collect())
    }

    /// Makes entities of configs as [`configs_of`](Self::configs_of) gives them, each under a creation number that was
    /// removed: they stand in the creation order where they stood. Their ids are new, so references that others had
    /// to them stay at none; references among them and to others are set. Attach hooks run.
    ///
    /// # Errors
    /// What is wrong with a config or a creation number; nothing is restored then.
    pub fn restore(&mut self, entities: &[(Ordinal, Config<'_>)]) -> Result<Vec<EntityId>, RestoreError> {
        let create = |entity, error| RestoreError::Create { entity, error };
        if let (true, Some((first, _))) = (self.destroyed, entities.first()) {
            return Err(create(*first, CreateError::Destroyed));
        }
        let mut numbers: Vec<Ordinal> = entities.iter().map(|(ordinal, _)| *ordinal).collect();
        numbers.sort_unstable();
        if let Some(twice) = numbers.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(RestoreError::Twice(twice[0]));
        }
        if let Some(&taken) = numbers.iter().find(|&&ordinal| !self.order.is_gone(ordinal)) {
            return Err(RestoreError::NotGone(taken));
        }
        let shared = self.shared.clone();
        let mut made: Vec<Prepared> = Vec::with_capacity(entities.len());
        for (ordinal, config) in entities {
            let mut prepared = Prepared::default();
            if let Err(error) = shared.factory.prepare(&shared.registry, shared.heap(), config, &mut prepared)
            {
                made.iter().for_each(|made| made.release_lists(&shared.registry, &shared.lists));
                return Err(create(*ordinal, error));
            }
            made.push(prepared);
        }
        let mut ids = Vec::with_capacity(entities.len());
        for ((ordinal, _), prepared) in entities.iter().zip(&made) {
            let id = self.place_unlisted(prepared);
            let restored = self.order.restore(*ordinal, id);
            debug_assert!(restored, "it was looked at before");
            ids.push(id);
        }
        let since = self.runs.next();
        for ((&id, (_, config)), prepared) in ids.iter().zip(entities).zip(&made) {
            self.set_references(id, config, prepared);
            self.attach_all(id, &prepared.components, Some(config), since);
        }
        self.tell_links();
        ids.iter().for_each(|&id| self.emit(WorldEvent::EntityAdded(id)));
        Ok(ids)
    }

    /// Sets the references of an entity that was just made of a config in which they are creation numbers. Those to
    /// entities that are gone stay at none.
    pub(crate) fn set_references(&mut self, id: EntityId, config: &Config<'_>, prepared: &Prepared) {
        let shared = self.shared.clone();
        let to = |value: &Value<'_>| match *value {
            Value::Uint(n) => FieldValue::Entity(self.by_ordinal(Ordinal(n)).map(|_| Ordinal(n))),
            _ => FieldValue::Entity(None),
        };
        let item = |value: &Value<'_>| match value {
            Value::Uint(n) => FieldValue::Uint(*n),
            Value::Int(n) => FieldValue::Int(*n),
            Value::Float(n) => FieldValue::Float(*n),
            other => is_entity_item(other).map_or(FieldValue::Entity(None), to),
        };
        let mut found = Vec::new();
        for &component in &prepared.components {
            let definition = shared.registry.get(component);
            for field in definition.fields() {
                let value = field.key.as_deref().and_then(|key| config.get(key));
                let value = match (field.role, value) {
                    (Role::Entity, Some(value)) => to(value),
                    (Role::List, Some(Value::List(items)))
                        if items.iter().any(|item| is_entity_item(item).is_some()) =>
                    {
                        FieldValue::List(items.iter().map(item).collect())
                    }
                    _ => continue,
                };
                found.push((definition.name(), field.name.as_str(), value));
            }
        }
        for (component, field, value) in found {
            // A component that reads its config in its own way may have no such value.
            let _ = self.set_field(id, component, field, &value);
        }
    }
}
