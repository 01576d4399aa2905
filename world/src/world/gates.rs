//! Gates: what may hold the next step.

use super::World;
use super::events::{SystemError, SystemPhase};
use crate::system::panic_message;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Nanoseconds an update waits at a gate that is shut, all its steps together.
const SPIN: u64 = 250_000;
/// So often it asks at most meanwhile, lest a clock that stands still holds it for ever.
const ASKED: u32 = 4096;
/// Nanoseconds a gate may stay shut before that is an error.
const DEADLINE: u64 = 2_000_000_000;

type MayAdvance = Box<dyn FnMut(u64) -> bool + Send>;

struct Gate {
    name: String,
    may_advance: MayAdvance,
    /// Whether it belongs to the system of its name, and is shut while a run of that waits.
    of_system: bool,
    /// On the world's clock.
    shut_since: Option<u64>,
}

/// The gates of a world, and the time that they hold.
#[derive(Default)]
pub(super) struct Gates {
    list: Vec<Gate>,
    /// Milliseconds that wait because a gate was shut: they are caught up with, never dropped.
    pub(super) held: f64,
}

impl Gates {
    /// The same gates, which hold nothing yet.
    pub(super) fn for_new_content(mut self) -> Self {
        self.list.iter_mut().for_each(|gate| gate.shut_since = None);
        Self { held: 0.0, ..self }
    }

    /// The names of those that are of no system.
    pub(super) fn of_hosts(&self) -> impl Iterator<Item = &str> {
        self.list.iter().filter(|gate| !gate.of_system).map(|gate| gate.name.as_str())
    }
}

impl World {
    /// Asks `may_advance` before every fixed step, with the step's number; while it says no, the step waits, and
    /// its time with it. A gate of the same name is replaced.
    ///
    /// An update waits a quarter of a millisecond for it to open, then returns and says so in its report. One that
    /// stays shut for two seconds is reported as a [`SystemError`] with its name, and again every two seconds; a
    /// host stops then. Time that was held is caught up with, at most `max_catch_up` steps an update. Systems of the
    /// variable phase go on meanwhile. An update without fixed steps asks no gate.
    pub fn set_gate(
        &mut self,
        name: impl Into<String>,
        may_advance: impl FnMut(u64) -> bool + Send + 'static,
    ) {
        self.push_gate(name.into(), Box::new(may_advance), false);
    }

    /// As [`set_gate`](Self::set_gate), for a system of this name: it is shut too while a run of the system waits.
    pub(super) fn set_gate_of_system(
        &mut self,
        name: &str,
        may_advance: impl FnMut(u64) -> bool + Send + 'static,
    ) {
        self.push_gate(name.to_owned(), Box::new(may_advance), true);
    }

    fn push_gate(&mut self, name: String, may_advance: MayAdvance, of_system: bool) {
        self.remove_gate(&name);
        self.gates.list.push(Gate { name, may_advance, of_system, shut_since: None });
    }

    /// Takes a gate away. Whether it was there.
    pub fn remove_gate(&mut self, name: &str) -> bool {
        let before = self.gates.list.len();
        self.gates.list.retain(|gate| gate.name != name);
        self.gates.list.len() < before
    }

    /// The gate that holds the next step, if one does.
    pub(super) fn shut_gate(&mut self) -> Option<String> {
        if self.gates.list.is_empty() {
            return None;
        }
        let (step, start) = (self.clocks.tick + 1, self.now());
        let mut asked = 0;
        loop {
            let (place, panic) = self.first_shut(step)?;
            let now = self.now();
            let gate = &mut self.gates.list[place];
            let since = *gate.shut_since.get_or_insert(start);
            asked += 1;
            let is_late = now.saturating_sub(since) >= DEADLINE;
            if panic.is_none() && !is_late && now.saturating_sub(start) < SPIN && asked < ASKED {
                std::hint::spin_loop();
                continue;
            }
            let name = gate.name.clone();
            if is_late {
                gate.shut_since = Some(now);
            }
            if is_late || panic.is_some() {
                let seconds = now.saturating_sub(since) as f64 / 1e9;
                let panicked = panic.is_some();
                let message = panic.unwrap_or_else(|| {
                    format!("the gate has held step {step} for {seconds:.1} s; it must open or be removed")
                });
                let (phase, tick, name) = (SystemPhase::Gate, self.clocks.tick, name.clone());
                self.report(SystemError { system: None, name, phase, entity: None, message, panicked, tick });
            }
            return Some(name);
        }
    }

    fn has_waiting_run(&self, system: &str) -> bool {
        let mut named = self.systems.list.iter().filter(|entry| *entry.name == *system);
        named.any(|entry| entry.open_run.is_some() || self.queued_runs(entry.id).0 > 0)
    }

    /// The first gate that is shut, and what it said if it panicked.
    fn first_shut(&mut self, step: u64) -> Option<(usize, Option<String>)> {
        if self.gates.list.iter().any(|gate| gate.of_system) {
            self.pump();
        }
        let waits = |gate: &Gate| gate.of_system && self.has_waiting_run(&gate.name);
        if let Some(place) = self.gates.list.iter().position(waits) {
            return Some((place, None));
        }
        for (place, gate) in self.gates.list.iter_mut().enumerate() {
            match catch_unwind(AssertUnwindSafe(|| (gate.may_advance)(step))) {
                Ok(true) => gate.shut_since = None,
                Ok(false) => return Some((place, None)),
                Err(panic) => return Some((place, Some(panic_message(&*panic)))),
            }
        }
        None
    }
}
