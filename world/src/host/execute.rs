//! Commands, done to a world.

use super::command::{Command, Done, LogLevel, SaveForm, Target};
use super::running::Drive;
use super::thread::HostThread;
use crate::component::FieldValue;
use crate::config::{Config, Value};
use crate::id::{EntityId, Ordinal};
use crate::inspect::{JournalRequest, journal_csv};
use crate::world::{SaveReport, World};
use std::collections::BTreeMap;
use std::time::Duration;

impl HostThread {
    pub(super) fn execute(&mut self, command: Command) -> Result<Done, String> {
        if let Command::Save { .. } | Command::Hash | Command::Compact = command {
            self.settle()?;
        }
        match command {
            Command::CancelLoad => Err("no load is under way".to_owned()),
            Command::Run => self.start(),
            Command::Pause => {
                if self.drive != Drive::Empty {
                    self.drive = Drive::Paused;
                }
                self.world.pump();
                Ok(Done::Ok)
            }
            Command::Step { steps } => {
                self.need_scene()?;
                self.drive = if steps == 0 { Drive::Paused } else { Drive::Stepping { left: steps } };
                self.restart_time();
                Ok(Done::Ok)
            }
            Command::Speed { factor } => {
                if factor.is_some_and(|factor| !(factor.is_finite() && factor > 0.0 && factor <= 10_000.0)) {
                    return Err("a speed is a number above 0 and up to 10,000".to_owned());
                }
                self.speed = factor;
                self.restart_time();
                Ok(Done::Ok)
            }
            Command::Save { form } => self.save(form),
            Command::Hash => {
                let hash = self.world.state_hash();
                Ok(Done::Hash { tick: self.world.clocks().tick, hash })
            }
            Command::Enable { system, on } => match self.world.set_enabled(system, on) {
                true => self.edit(Ok(Done::Ok)),
                false => Err(format!("there is no system {system}")),
            },
            Command::Period { system, milliseconds } => {
                let set = self.world.set_period(system, milliseconds);
                self.edit(set.map(|()| Done::Ok))
            }
            Command::Param { system, name, value } => {
                let set = self.world.set_param(system, &name, value);
                self.edit(set.map(|()| Done::Ok))
            }
            Command::Record { on, keep } => {
                if let Some(keep) = keep {
                    self.world.limit_journal(keep);
                }
                self.world.record_journal(on);
                Ok(Done::Ok)
            }
            Command::ForgetJournal => {
                self.world.forget_journal();
                Ok(Done::Ok)
            }
            Command::Watch { entity, target: Target { component, field }, on } => {
                let watched = match on {
                    true => {
                        let id = find(&self.world, entity)?;
                        self.world.watch_field(id, &component, &field)
                    }
                    false => self.world.unwatch_field(entity, &component, &field).map(|_| ()),
                };
                watched.map(|()| Done::Ok).map_err(|error| error.to_string())
            }
            Command::ExportJournal { filter, kinds, by } => {
                let asked = JournalRequest { filter, kinds, by, ..JournalRequest::default() };
                let (text, rows) = journal_csv(&self.world, &asked)?;
                Ok(Done::Exported { name: "journal.csv".to_owned(), text, rows })
            }
            Command::ResetTiming => {
                self.world.timing_mut().reset();
                Ok(Done::Ok)
            }
            Command::TimingWindow { milliseconds } => {
                if !(10.0..=600_000.0).contains(&milliseconds) {
                    return Err("a window of the timings is 10 to 600,000 milliseconds long".to_owned());
                }
                let timing = self.world.timing_mut();
                timing.set_window(Duration::from_secs_f64(milliseconds / 1000.0));
                timing.flush();
                Ok(Done::Ok)
            }
            Command::Compact => {
                let moved = self.world.compact();
                Ok(Done::Count(moved))
            }
            Command::Quit => Ok(Done::Ok),
            edit => {
                self.world.set_by_hand(true);
                let result = self.edit_entities(edit);
                self.world.set_by_hand(false);
                self.edit(result)
            }
        }
    }

    /// Settles the world, unless a run hangs.
    fn settle(&mut self) -> Result<(), String> {
        self.world.try_settle().map_err(|hung| hung.to_string())
    }

    fn edit_entities(&mut self, command: Command) -> Result<Done, String> {
        let world = &mut self.world;
        match command {
            Command::Spawn { config } => spawn(world, config).map(|ordinal| Done::Created(vec![ordinal])),
            Command::Duplicate { entity } => {
                let id = find(world, entity)?;
                let copy = world.duplicate(id).and_then(|copy| world.ordinal(copy));
                copy.map(|ordinal| Done::Created(vec![ordinal])).ok_or_else(|| gone(entity))
            }
            Command::Kill { entities } => {
                let ids = find_all(world, &entities)?;
                Ok(Done::Count(ids.into_iter().filter(|&id| world.kill(id)).count()))
            }
            Command::Remove { entities } => {
                let ids = find_all(world, &entities)?;
                Ok(Done::Count(ids.into_iter().filter(|&id| world.remove(id)).count()))
            }
            Command::Set { entities, target, value } => set(world, &entities, &target, &value),
            Command::Add { entity, component } => {
                let id = find(world, entity)?;
                world.add_default(id, &component).map(|()| Done::Ok).map_err(|error| error.to_string())
            }
            Command::Drop { entity, component } => {
                let id = find(world, entity)?;
                let component = world.component_named(&component).map_err(|error| error.to_string())?;
                world
                    .remove_component_by_id(id, component)
                    .map(|()| Done::Ok)
                    .map_err(|error| error.to_string())
            }
            other => Err(format!("{other:?} changes no entity")),
        }
    }

    /// Remembers that something was changed by hand.
    fn edit(&mut self, result: Result<Done, String>) -> Result<Done, String> {
        if result.is_ok() {
            self.edited = true;
            self.inspector.note_edit();
        }
        result
    }

    fn need_scene(&self) -> Result<(), String> {
        match self.drive {
            Drive::Empty => Err("nothing is loaded; open a scene first".to_owned()),
            _ => Ok(()),
        }
    }

    fn start(&mut self) -> Result<Done, String> {
        self.need_scene()?;
        self.drive = Drive::Running;
        self.restart_time();
        Ok(Done::Ok)
    }

    fn save(&mut self, form: SaveForm) -> Result<Done, String> {
        self.need_scene()?;
        let SaveReport { text, entities, notes } =
            self.world.save_reported(form).map_err(|error| error.to_string())?;
        self.edited = false;
        for note in notes {
            self.log(LogLevel::Warning, "world", note);
        }
        Ok(Done::Saved { text, entities })
    }
}

fn gone(ordinal: Ordinal) -> String {
    format!("there is no entity #{ordinal}; it was removed, or never was")
}

fn find(world: &World, ordinal: Ordinal) -> Result<EntityId, String> {
    world.by_ordinal(ordinal).ok_or_else(|| gone(ordinal))
}

/// Those that are there; an error only if none is.
fn find_all(world: &World, ordinals: &[Ordinal]) -> Result<Vec<EntityId>, String> {
    let found: Vec<EntityId> = ordinals.iter().filter_map(|&ordinal| world.by_ordinal(ordinal)).collect();
    match ordinals {
        [first, ..] if found.is_empty() => Err(gone(*first)),
        _ => Ok(found),
    }
}

/// All or none: a value that does not fit one entity changes no other.
fn set(world: &mut World, entities: &[Ordinal], target: &Target, value: &FieldValue) -> Result<Done, String> {
    let ids = find_all(world, entities)?;
    let component = world.component_named(&target.component).map_err(|error| error.to_string())?;
    let having: Vec<EntityId> = ids.iter().copied().filter(|&id| world.has(id, component)).collect();
    if having.is_empty() && !ids.is_empty() {
        return Err(format!("no entity of these has {:?}", target.component));
    }
    // The field's description is the same for all, so a value that fits the first fits every one.
    for &id in &having {
        world.set_field(id, &target.component, &target.field, value).map_err(|error| error.to_string())?;
    }
    Ok(Done::Count(having.len()))
}

fn spawn(world: &mut World, config: BTreeMap<String, serde_json::Value>) -> Result<Ordinal, String> {
    let text = serde_json::to_string(&config).map_err(|error| error.to_string())?;
    let config: Config<'_> = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let unknown = config.iter().find(|(key, _)| {
        world.registry().loaded_by(key).is_empty() && !matches!(*key, "type" | "isStatic" | "dead")
    });
    if let Some((key, _)) = unknown {
        return Err(format!("no component loads the key {key:?}"));
    }
    if config.get("dead").and_then(Value::as_bool) == Some(true) {
        return Err("a new entity cannot be dead".to_owned());
    }
    let id = world.create(&config).map_err(|error| error.to_string())?;
    world.ordinal(id).ok_or_else(|| "the entity was removed again by a listener".to_owned())
}
