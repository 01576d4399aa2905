//! What runs in an update, and when.

use super::World;
use super::dispatch::Due;
use super::events::{SystemError, SystemPhase};
use crate::id::SystemId;
use crate::scene::SchedulerKind;
use crate::system::{Phase, SystemKind, panic_message};
use std::panic::{AssertUnwindSafe, catch_unwind};

impl World {
    pub(super) fn run_systems(&mut self, delta: f64, phase: Phase) {
        match self.scheduler {
            SchedulerKind::Default => self.run_by_default(delta, phase),
            SchedulerKind::Conflict => self.queue_systems(delta, phase),
        }
    }

    /// In registration order; workers overlap where their access allows, and finish when they finish.
    ///
    /// The list is read as it is: a system removed meanwhile does not run, one added meanwhile waits.
    fn run_by_default(&mut self, delta: f64, phase: Phase) {
        let ids: Vec<SystemId> = self.systems.list.iter().map(|entry| entry.id).collect();
        let mut claims = std::mem::take(&mut self.systems.claims);
        claims.retain(|&id| self.systems.get(id).is_some_and(|entry| entry.accumulator.is_enabled()));
        self.systems.claims = claims;
        for (about, id) in ids.into_iter().enumerate() {
            if !self.runs.is_empty() {
                // Without threads the run before is over already; with them some may be.
                self.pump();
            }
            if !self.takes_part(id, about, delta, phase) {
                continue;
            }
            let Some(place) = self.systems.place_near(id, about) else { continue };
            let due = self.systems.list[place].accumulator.due();
            match due {
                Some(_) if !self.may_start(place) => {
                    if !self.systems.claims.contains(&id) {
                        self.systems.claims.push(id);
                    }
                }
                _ => {
                    self.systems.claims.retain(|&claim| claim != id);
                    if let Some(delta) = due {
                        let (tick, game_time) = (self.clocks.tick, self.clocks.game_time);
                        let number = self.systems.list[place].accumulator.state().runs;
                        self.dispatch(place, Due { delta, tick, game_time, number, ticket: None });
                    }
                }
            }
        }
        self.pump();
    }

    /// Adds a step's time to what a system accumulated, unless it does not want it. Whether it takes part in the step.
    /// The system is at `about`, or was.
    pub(super) fn takes_part(&mut self, id: SystemId, about: usize, delta: f64, phase: Phase) -> bool {
        let Some(place) = self.systems.place_near(id, about) else { return false };
        let entry = &mut self.systems.list[place];
        if entry.phase != phase || !entry.accumulator.is_enabled() {
            return false;
        }
        let Some(mut wants) = entry.should_run.take() else {
            entry.accumulator.add(delta);
            return true;
        };
        let wanted = catch_unwind(AssertUnwindSafe(|| wants(self)));
        let Some(entry) = self.systems.get_mut(id) else { return false };
        entry.should_run = Some(wants);
        match wanted {
            Ok(wanted) => {
                if wanted {
                    entry.accumulator.add(delta);
                }
                wanted
            }
            Err(panic) => {
                let (message, name) = (panic_message(&*panic), entry.name.to_string());
                entry.last_error = Some(message.clone());
                let (system, phase, entity, tick) =
                    (Some(id), SystemPhase::ShouldRun, None, self.clocks.tick);
                self.report(SystemError { system, name, phase, entity, message, panicked: true, tick });
                false
            }
        }
    }

    /// Whether a system may run now: nothing open bars it, and nobody who waits longer has a claim on what it needs.
    fn may_start(&self, place: usize) -> bool {
        let entry = &self.systems.list[place];
        let mut before = self.systems.claims.iter().take_while(|&&claim| claim != entry.id);
        let is_claimed = |&claim: &SystemId| {
            self.systems.get(claim).is_some_and(|claimant| claimant.access.conflict(&entry.access).is_some())
        };
        entry.open_run.is_none() && !before.any(is_claimed) && self.access_is_free(place)
    }

    /// Whether no open run bars this system from running now.
    fn access_is_free(&self, place: usize) -> bool {
        let entry = &self.systems.list[place];
        if entry.access.alone().is_some() {
            return self.runs.is_empty();
        }
        let runs = self.runs.iter().filter_map(|open| self.systems.get(open.system));
        let alone = runs.into_iter().any(|running| running.access.alone().is_some());
        if alone || !self.storage.can_lend(&entry.borrows) {
            return false;
        }
        // A world-thread system touches what it declared without borrowing it.
        let (reads, writes) = (entry.access.reads(), entry.access.writes());
        entry.kind != SystemKind::System
            || reads.iter().all(|c| !self.storage.pool(c).is_lent_to_write())
                && writes.iter().all(|c| !self.storage.pool(c).is_lent())
    }
}
