//! A load on the host's thread: slice by slice, so that commands are heard meanwhile.

use super::command::{Command, Done, HostEvent, LogLevel, Reply};
use super::running::Drive;
use super::thread::HostThread;
use crate::world::{LoadOptions, LoadStep};
use std::collections::VecDeque;
use std::time::Duration;

/// How long the host goes without hearing commands.
const SLICE: Duration = Duration::from_millis(8);

/// The load that is under way, and what waits for its end.
#[derive(Default)]
pub(super) struct HostLoading {
    order: Option<LoadOrder>,
    /// Commands that came meanwhile and need a world that is not about to go, in their order.
    waiting: VecDeque<(u64, Command)>,
}

/// What is to become of a load.
struct LoadOrder {
    /// The command it answers.
    command: u64,
    /// Whether to run afterwards.
    run: bool,
}

impl HostLoading {
    /// Whether a load is under way.
    pub(super) fn is_going(&self) -> bool {
        self.order.is_some()
    }
}

impl HostThread {
    /// Takes a command while a load is under way: does it if it can be done now, else keeps it.
    pub(super) fn hear_while_loading(&mut self, number: u64, command: Command) {
        let nothing_waits = self.loading.waiting.is_empty();
        match command {
            Command::CancelLoad => {
                self.cancel_load();
                self.reply(number, Ok(Done::Ok));
            }
            Command::Load { .. } if nothing_waits => {
                self.cancel_load();
                self.begin_load(number, command);
            }
            Command::Pause if nothing_waits => {
                if let Some(order) = &mut self.loading.order {
                    order.run = false;
                }
                let result = self.execute(Command::Pause);
                self.reply(number, result.map(|(done, _)| done));
            }
            Command::Speed { .. } if nothing_waits => {
                let result = self.execute(command);
                self.reply(number, result.map(|(done, _)| done));
            }
            later => self.loading.waiting.push_back((number, later)),
        }
    }

    /// Begins to load; the reply comes when that is over. What runs and does not end is left behind.
    pub(super) fn begin_load(&mut self, number: u64, command: Command) {
        let Command::Load { source, text, seed, keep_running } = command else { return };
        self.world.load_sliced(&source, text, &LoadOptions { seed, ..LoadOptions::default() });
        let run = keep_running && self.drive.is_moving();
        self.loading.order = Some(LoadOrder { command: number, run });
    }

    /// Does a slice of the load.
    pub(super) fn go_on_loading(&mut self) {
        self.changed = true;
        self.world.pump();
        let Some(step) = self.world.continue_load(SLICE) else {
            return self.end_load(Ok(Done::Cancelled));
        };
        match step {
            Ok(LoadStep::Going(_)) => {}
            Err(error) => self.end_load(Err(error.to_string())),
            Ok(LoadStep::Loaded(report)) => {
                self.inspector.reset(&self.world);
                self.edited = false;
                let run = self.loading.order.as_ref().is_some_and(|order| order.run);
                self.drive = if run { Drive::Running } else { Drive::Paused };
                for note in &report.notes {
                    self.log(LogLevel::Info, "world", note.clone());
                }
                self.tell_errors();
                self.end_load(Ok(Done::Loaded { entities: report.entities, notes: report.notes }));
            }
        }
    }

    fn cancel_load(&mut self) {
        self.world.cancel_load();
        self.end_load(Ok(Done::Cancelled));
    }

    /// Answers the load, and does what waited for its end; another load among that waits for nothing.
    fn end_load(&mut self, result: Result<Done, String>) {
        self.restart_time();
        if let Some(order) = self.loading.order.take() {
            self.reply(order.command, result);
        }
        while !self.loading.is_going()
            && !self.quits()
            && let Some((number, command)) = self.loading.waiting.pop_front()
        {
            self.hear_command(number, command);
        }
    }

    pub(super) fn reply(&self, command: u64, result: Result<Done, String>) {
        self.tell(HostEvent::Reply(Reply { command, result, undo: None }));
    }
}
