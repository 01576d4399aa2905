//! The content of a world as a whole: taken away, or put in the place of another.

use super::scheduler::Notice;
use super::{SystemError, World, WorldEvent};
use crate::id::EntityId;

impl World {
    /// Takes everything away: entities in order, systems, what was owed. Runs that are open are waited for, their
    /// effects discarded; one that does not end within the world's [`patience`](Self::patience) is abandoned. The
    /// world can be used again, with the same scheduler.
    pub fn clear(&mut self) {
        if self.destroyed {
            return;
        }
        let recording = self.pause_journal();
        self.tear_down();
        let mut empty = self.successor(self.catalog.registry().clone());
        // The scheduler stays, as one that acts must.
        std::mem::swap(&mut empty.seat, &mut self.seat);
        self.put_content(empty);
        self.tell_scheduler(Notice::Reset);
        self.resume_journal(recording, false);
        self.emit(WorldEvent::Cleared);
    }

    /// Takes everything away, as [`clear`](Self::clear) does, for good: what is asked of the world afterwards is
    /// refused, or does nothing. A second call does nothing.
    pub fn destroy(&mut self) {
        if self.destroyed {
            return;
        }
        self.clear();
        self.destroyed = true;
        self.workers.stop();
    }

    /// Whether the world was destroyed.
    pub fn is_destroyed(&self) -> bool {
        self.destroyed
    }

    pub(super) fn replace_content(&mut self, mut fresh: Self) {
        // What listeners make while the old content goes has ids that the fresh content never gives.
        self.storage.slots.end_before(&fresh.storage.slots);
        let (recording, is_same_scene) = (self.pause_journal(), self.info.name == fresh.info.name);
        self.tear_down();
        fresh.seat.follow(&self.seat);
        for error in self.put_content(fresh) {
            self.report(error);
        }
        let ids: Vec<EntityId> = if self.listeners.any() { self.entities().collect() } else { Vec::new() };
        for id in ids {
            // One that an earlier handler removed again was loaded all the same, but is gone.
            if self.ordinal(id).is_some() {
                self.emit(WorldEvent::EntityAdded(id));
            }
        }
        self.emit(WorldEvent::EntitiesReady);
        self.resume_journal(recording, is_same_scene);
        self.begin_systems();
        self.emit(WorldEvent::Loaded);
    }

    /// Ends what is open, removes every entity in order, and frees all blocks with their hooks: those that a run
    /// which hangs may be writing when it ends.
    fn tear_down(&mut self) {
        self.drop_slices();
        // One that hangs is reported.
        let _ = self.wait_for_runs();
        self.tell_scheduler(Notice::BeforeClear);
        let shared = self.shared.clone();
        while let Some(mut ready) = self.runs.ready.pop_front() {
            self.discard(&shared, &mut ready.effects);
            self.end_run(ready.run);
        }
        self.end_systems();
        if self.listeners.any() || self.registry().any_on_free() {
            let ids: Vec<EntityId> = self.entities().collect();
            for id in ids {
                if self.ordinal(id).is_some() {
                    self.depart(id);
                }
            }
            // What listeners made meanwhile goes without their hearing of it.
            let ids: Vec<EntityId> = self.entities().collect();
            for id in ids {
                self.order.remove(id);
                self.leaving.push_back(id);
            }
            while let Some(&id) = self.leaving.front() {
                self.finish_removal(id);
            }
            self.retire_resources();
        }
        self.abandon_runs();
        self.free_all_deferred();
    }

    /// Takes over another world's content, and keeps what outlives content: workers, listeners, errors. Gives the
    /// errors that came up while the content was made.
    fn put_content(&mut self, fresh: Self) -> Vec<SystemError> {
        let old = std::mem::replace(self, fresh);
        self.workers = old.workers;
        self.listeners = old.listeners;
        let reported = std::mem::replace(&mut self.errors, old.errors);
        self.last_error = old.last_error;
        self.timing.set_window(old.timing.window());
        self.dropped_errors += old.dropped_errors;
        self.indexes = old.indexes;
        self.grids = old.grids;
        self.changes = old.changes;
        self.journal = old.journal;
        self.gates = old.gates.for_new_content();
        self.clocks.paused = old.clocks.paused;
        self.clocks.max_catch_up = old.clocks.max_catch_up;
        self.max_backlog = old.max_backlog;
        self.set_tiles(!old.systems.apart);
        self.systems.continue_after(&old.systems);
        self.runs.continue_after(&old.runs);
        self.content = old.content + 1;
        self.workers.content = self.content;
        self.patience = old.patience;
        self.effect_limit = old.effect_limit;
        self.abandoned = old.abandoned;
        reported
    }
}
