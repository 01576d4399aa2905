//! Commands, done to a world.

use super::command::{Command, Done, LogLevel, SaveForm, Target};
use super::edit::{self, Edited};
use super::running::Drive;
use super::thread::HostThread;
use crate::inspect::{JournalRequest, journal_csv};
use crate::world::SaveReport;
use std::time::Duration;

impl HostThread {
    /// Does a command. Gives what came of it, and the command that takes it back if there is one.
    pub(super) fn execute(&mut self, command: Command) -> Result<(Done, Option<Command>), String> {
        if let Command::Save { .. } | Command::Hash | Command::Compact = command {
            self.settle()?;
        }
        let result = match command {
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
                        let id = edit::find(&self.world, entity)?;
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
            Command::FileSays { name, config } => {
                self.inspector.note_written(&self.world, name, config);
                Ok(Done::Ok)
            }
            Command::Quit => Ok(Done::Ok),
            edit => {
                self.world.set_by_hand(true);
                let edited = self.edit(edit);
                self.world.set_by_hand(false);
                let Edited { done, undo } = edited?;
                return Ok((done, undo));
            }
        };
        result.map(|done| (done, None))
    }

    /// Settles the world, unless a run hangs.
    fn settle(&mut self) -> Result<(), String> {
        self.world.try_settle().map_err(|hung| hung.to_string())
    }

    /// Edits, and remembers that something was changed by hand.
    fn edit(&mut self, command: Command) -> Result<Edited, String> {
        let touches_templates = edit::touches_templates(&command);
        let edited = edit::edit(&mut self.world, command)?;
        self.edited = true;
        self.inspector.note_edit();
        if touches_templates {
            self.inspector.note_templates(&self.world);
        }
        Ok(edited)
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
        self.inspector.note_all_written(&self.world);
        for note in notes {
            self.log(LogLevel::Warning, "world", note);
        }
        Ok(Done::Saved { text, entities })
    }
}
