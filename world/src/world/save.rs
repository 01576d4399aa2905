//! Saving: the world as a scene with its state.

use super::World;
use crate::config::{Config, Value};
use crate::entity::Factory;
use crate::host::SaveForm;
use crate::id::{ComponentId, EntityId};
use crate::save::Definitions;
use crate::scene::{SceneHeader, SceneSystem, SceneText};
use crate::system::Params;
use std::collections::HashMap;
use thiserror::Error;

/// Why a world cannot be saved.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SaveError {
    /// A run does not end, so that the state is between two ticks.
    #[error(transparent)]
    Hung(#[from] super::Hung),
    /// A number that JSON cannot hold.
    #[error("entity #{place} of type {type_name:?}: {key} is not a finite number; set it before saving")]
    NotFinite {
        /// The entity's place in creation order.
        place: usize,
        /// Its type.
        type_name: String,
        /// The config key.
        key: String,
    },
    /// A number of a resource that JSON cannot hold.
    #[error("resource {0} of the world is not a finite number; set it before saving")]
    NotFiniteResource(String),
    /// A system that no scene can name.
    #[error("system {0:?} is not of the catalog, so a save cannot name it")]
    ForeignSystem(String),
}

impl World {
    /// The world as text. What is open is settled first. A world loaded from it goes on exactly as this one.
    ///
    /// # Errors
    /// If something in it cannot be saved exactly.
    pub fn save(&mut self, form: SaveForm) -> Result<String, SaveError> {
        self.save_with(form, &[])
    }

    /// As [`save`](Self::save), with definitions of one's own for some types.
    ///
    /// # Errors
    /// As [`save`](Self::save).
    pub fn save_with(
        &mut self,
        form: SaveForm,
        overrides: &[crate::save::Definition],
    ) -> Result<String, SaveError> {
        self.try_settle()?;
        let header = self.header_now()?;
        let configs = self.configs()?;
        let layout = self.layout_text();
        let mut text = SceneText::new(&header);
        let SaveForm::Compressed = form else {
            configs.iter().for_each(|config| text.push_config(config));
            return Ok(text.finish_with(None, layout.as_ref()));
        };
        let definitions = Definitions::discover(&configs, overrides);
        let mut used = std::collections::BTreeSet::new();
        let mut line = String::new();
        for config in &configs {
            line.clear();
            match definitions.encode(config, &mut line) {
                Some(key) => {
                    used.insert(key);
                    text.push_text(&line);
                }
                None => text.push_config(config),
            }
        }
        Ok(text.finish_with(Some(&definitions.only(used)), layout.as_ref()))
    }

    fn header_now(&self) -> Result<SceneHeader, SaveError> {
        let mut header = self.header.clone();
        header.random = Some(self.random.state());
        header.scheduler = self.scheduler();
        header.order = self.system_order();
        header.step = self.clocks.step;
        header.game_time = self.clocks.game_time;
        header.player_time = self.clocks.player_time;
        header.accumulated = self.clocks.accumulated;
        header.time_scale = self.clocks.time_scale;
        header.tick = self.clocks.tick;
        header.world = self.resources()?;
        header.systems = Vec::with_capacity(self.systems.list.len());
        for entry in &self.systems.list {
            let Some(made) = self.catalog.make_system(&entry.constructor) else {
                return Err(SaveError::ForeignSystem(entry.name.to_string()));
            };
            let state = entry.accumulator.state();
            header.systems.push(SceneSystem {
                system: entry.constructor.clone(),
                name: (*entry.name != *made.name).then(|| entry.name.to_string()),
                every: (entry.accumulator.period() != made.period).then(|| entry.accumulator.period()),
                batch: None,
                params: changed_params(&entry.params, &made.params),
                disabled: !entry.accumulator.is_enabled(),
                runs: state.runs,
                accumulated: state.accumulated,
            });
        }
        Ok(header)
    }

    /// The config of the world's own entity.
    fn resources(&self) -> Result<Config<'static>, SaveError> {
        let Some(id) = self.world_entity() else { return Ok(Config::new()) };
        let places: HashMap<EntityId, u64> = self.entities().zip(0..).collect();
        let config = self.config_of(id, &places);
        match not_finite(&config) {
            Some(key) => Err(SaveError::NotFiniteResource(key)),
            None => Ok(config),
        }
    }

    /// The config of each entity, in creation order.
    pub(crate) fn configs(&self) -> Result<Vec<Config<'static>>, SaveError> {
        let places: HashMap<EntityId, u64> = self.entities().zip(0..).collect();
        let mut configs = Vec::with_capacity(self.len());
        for (place, id) in self.entities().enumerate() {
            let config = self.config_of(id, &places);
            if let Some(key) = not_finite(&config) {
                let type_name = self.type_name(id).to_string();
                return Err(SaveError::NotFinite { place, type_name, key });
            }
            configs.push(config);
        }
        Ok(configs)
    }

    fn config_of(&self, id: EntityId, places: &HashMap<EntityId, u64>) -> Config<'static> {
        let mut config = Config::new();
        let type_name = self.type_name(id);
        if !type_name.is_empty() {
            config.set("type", type_name.to_string());
        }
        let components = self.components_of(id).unwrap_or_default();
        for &component in components.iter().filter(|&&c| c != ComponentId::ENTITY) {
            if let Some(block) = self.peek_bytes(id, component) {
                let mut place_of = |id: EntityId| places.get(&id).copied();
                self.registry().get(component).save(block, self.heap(), &mut place_of, &mut config);
            }
        }
        if let Some(entity) = self.entity_block(id) {
            let template = self.factory().template(&type_name);
            for (key, flag) in [("dead", entity.is_dead()), ("isStatic", entity.is_static())] {
                let given = template.and_then(|template| template.config.get(key)).and_then(Value::as_bool);
                if given.unwrap_or(false) != flag {
                    config.set(key, flag);
                }
            }
        }
        self.add_differences(&components, &mut config);
        config
    }

    /// Names the components that the config would load although the entity lost them, and those it would not load
    /// although the entity got them.
    fn add_differences(&self, components: &[ComponentId], config: &mut Config<'static>) {
        let mut loads = Vec::new();
        let Ok((merged, class)) = self.factory().merge(config) else { return };
        if Factory::components_of(self.registry(), class, &merged, &mut loads).is_err() {
            return;
        }
        let names = |of: &[ComponentId], without: &[ComponentId]| -> Vec<Value<'static>> {
            let differing = of.iter().filter(|&&c| c != ComponentId::ENTITY && !without.contains(&c));
            differing.map(|&c| Value::from(self.registry().get(c).name().to_owned())).collect()
        };
        for (key, names) in [("lacks", names(&loads, components)), ("has", names(components, &loads))] {
            if !names.is_empty() {
                config.set(key, Value::List(names));
            }
        }
    }
}

/// Whether JSON cannot hold a number, or one of a list.
fn is_not_finite(value: &Value<'_>) -> bool {
    match value {
        Value::Float(n) => !n.is_finite(),
        Value::List(items) => items.iter().any(is_not_finite),
        _ => false,
    }
}

/// The first key of a config whose number JSON cannot hold.
fn not_finite(config: &Config<'_>) -> Option<String> {
    let mut numbers = config.iter();
    numbers.find(|(_, value)| is_not_finite(value)).map(|(key, _)| key.to_owned())
}

fn changed_params(params: &Params, made: &Params) -> Config<'static> {
    let changed = params.iter().filter(|(field, value)| made.get(&field.name) != Some(value));
    changed
        .map(|(field, value)| {
            let value = match value {
                crate::component::FieldValue::Bool(b) => Value::Bool(*b),
                crate::component::FieldValue::Uint(n) => Value::Uint(*n),
                crate::component::FieldValue::Int(n) => Value::from(*n),
                other => Value::from(other.as_f64().unwrap_or(0.0)),
            };
            (field.name.clone(), value)
        })
        .collect()
}
