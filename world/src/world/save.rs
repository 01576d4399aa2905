//! Saving: the world as a scene with its state.

use super::World;
use super::configs::ConfigWriter;
use super::layout::LayoutText;
use crate::component::FieldValue;
use crate::config::{Config, Value};
use crate::host::SaveForm;
use crate::id::Ordinal;
use crate::save::{Definition, Packed};
use crate::scene::{SceneHeader, SceneSystem, SceneText};
use crate::system::{Body, InFlight, Params};
use thiserror::Error;

/// Why a world cannot be saved.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SaveError {
    /// A run does not end, so that the state is between two ticks.
    #[error(transparent)]
    Hung(#[from] super::Hung),
    /// A number that JSON cannot hold.
    #[error("entity #{ordinal} of type {type_name:?}: {key} is not a finite number; set it before saving")]
    NotFinite {
        /// The entity's creation number.
        ordinal: Ordinal,
        /// Its type.
        type_name: String,
        /// The config key.
        key: String,
    },
    /// A number of a resource that JSON cannot hold.
    #[error("resource {0} of the world is not a finite number; set it before saving")]
    NotFiniteResource(String),
    /// A step that a system computes beside the world.
    #[error("the step of system {system:?} that is in flight cannot be saved: {why}")]
    InFlight {
        /// The system.
        system: String,
        /// Why not.
        why: String,
    },
    /// A system that no scene can name.
    #[error("system {0:?} is not of the catalog, so a save cannot name it")]
    ForeignSystem(String),
}

/// A world as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SaveReport {
    /// JSON.
    pub text: String,
    /// How many entities it holds.
    pub entities: usize,
    /// What a reader may want to know: references to entities that are gone.
    pub notes: Vec<String>,
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
    pub fn save_with(&mut self, form: SaveForm, overrides: &[Definition]) -> Result<String, SaveError> {
        self.save_reported_with(form, overrides).map(|report| report.text)
    }

    /// As [`save`](Self::save), with what a reader may want to know.
    ///
    /// # Errors
    /// As [`save`](Self::save).
    pub fn save_reported(&mut self, form: SaveForm) -> Result<SaveReport, SaveError> {
        self.save_reported_with(form, &[])
    }

    fn save_reported_with(
        &mut self,
        form: SaveForm,
        overrides: &[Definition],
    ) -> Result<SaveReport, SaveError> {
        self.try_settle()?;
        self.wait_for_flights()?;
        let texts = self.strings().all();
        let mut writer = ConfigWriter::new(self, &texts);
        let mut header = self.header_now()?;
        if let Some(id) = self.world_entity() {
            header.world = writer.config(id, || "the world".to_owned()).into_owned();
            if let Some(key) = not_finite(&header.world) {
                return Err(SaveError::NotFiniteResource(key));
            }
        }
        let entities = self.len();
        let layout = self.layout_text();
        // The order has everyone who is saved.
        let ordinal = |id| self.ordinal(id).unwrap_or(Ordinal(0));
        let mut config = |id| {
            let config = writer.config(id, || format!("entity #{}", ordinal(id)));
            match not_finite(&config) {
                Some(key) => {
                    let (ordinal, type_name) = (ordinal(id), self.type_name(id).to_string());
                    Err(SaveError::NotFinite { ordinal, type_name, key })
                }
                None => Ok(config),
            }
        };
        let text = match form {
            SaveForm::Plain => {
                let mut text = SceneText::new(&header);
                for id in self.entities() {
                    text.push_config(&config(id)?);
                }
                text.finish_with(None, layout.as_ref())
            }
            SaveForm::Compressed => {
                let configs = self.entities().map(config).collect::<Result<Vec<_>, _>>()?;
                compressed(&header, &configs, overrides, layout.as_ref())
            }
        };
        Ok(SaveReport { text, entities, notes: writer.into_notes() })
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
        header.systems = Vec::with_capacity(self.systems.list.len());
        for entry in &self.systems.list {
            let Some(made) = self.catalog.make_system(&entry.constructor) else {
                return Err(SaveError::ForeignSystem(entry.name.to_string()));
            };
            let in_flight = match entry.body.as_ref().map_or(InFlight::Nothing, Body::in_flight) {
                InFlight::Saved(saved) => Some(saved),
                InFlight::Nothing => None,
                InFlight::Computing => Some(Err("it is not computed yet".to_owned())),
            };
            let in_flight = in_flight.transpose();
            let in_flight =
                in_flight.map_err(|why| SaveError::InFlight { system: entry.name.to_string(), why })?;
            let state = entry.accumulator.state();
            header.systems.push(SceneSystem {
                system: entry.constructor.clone(),
                name: (*entry.name != *made.name).then(|| entry.name.to_string()),
                every: (entry.accumulator.period() != made.period).then(|| entry.accumulator.period()),
                batch: entry.batch.filter(|_| entry.batch != made.batch).map(|members| members as u64),
                params: changed_params(&entry.params, &made.params),
                disabled: !entry.accumulator.is_enabled(),
                runs: state.runs,
                accumulated: state.accumulated + entry.unadded,
                unseen: self.unseen(entry.id),
                observed: self.is_observed(entry.id),
                pass: entry.pass.as_ref().map(|pass| self.pass_to_save(pass)),
                in_flight,
            });
        }
        Ok(header)
    }
}

/// The text of a save in which configs are strings wherever that is shorter.
fn compressed(
    header: &SceneHeader,
    configs: &[Config<'_>],
    overrides: &[Definition],
    layout: Option<&LayoutText>,
) -> String {
    let mut text = SceneText::compact(header);
    let packed = Packed::new(configs, overrides);
    let mut line = String::new();
    for (place, config) in configs.iter().enumerate() {
        line.clear();
        if packed.write(place, &mut line) {
            text.push_text(&line);
        } else {
            text.push_config(config);
        }
    }
    text.finish_with(Some(&packed.needed()), layout)
}

/// The first key of a config whose number JSON cannot hold.
fn not_finite(config: &Config<'_>) -> Option<String> {
    let mut numbers = config.iter();
    numbers.find(|(_, value)| value.is_not_finite()).map(|(key, _)| key.to_owned())
}

fn changed_params(params: &Params, made: &Params) -> Config<'static> {
    let changed = params.iter().filter(|(field, value)| made.get(&field.name) != Some(value));
    changed
        .map(|(field, value)| {
            let value = match value {
                FieldValue::Bool(b) => Value::Bool(*b),
                FieldValue::Uint(n) => Value::Uint(*n),
                FieldValue::Int(n) => Value::from(*n),
                other => Value::from(other.as_f64().unwrap_or(0.0)),
            };
            (field.name.clone(), value)
        })
        .collect()
}
