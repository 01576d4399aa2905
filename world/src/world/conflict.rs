//! The conflict scheduler: every update queues a run of each system that is due, and runs go on as soon as nothing
//! is in their way. `schedule::RunQueue` decides; here it is done.

use super::World;
use super::dispatch::{Dispatched, Due};
use crate::id::SystemId;
use crate::schedule::{RunQueue, Ticket};
use crate::system::{Phase, SystemKind};
use std::collections::HashMap;

/// Queued runs, and what each was queued with.
pub(crate) struct ConflictState {
    pub(super) queue: RunQueue,
    planned: HashMap<Ticket, Due>,
    /// Updates that may have runs in the queue; none is no bound.
    pub(super) max_backlog: Option<usize>,
    /// Whether the queue is being worked on: a listener or a system that asks for it meanwhile changes nothing.
    busy: bool,
}

impl Default for ConflictState {
    fn default() -> Self {
        Self { queue: RunQueue::default(), planned: HashMap::new(), max_backlog: Some(8), busy: false }
    }
}

impl ConflictState {
    /// Forgets all that is queued; nothing works.
    pub(super) fn clear(&mut self) {
        self.queue.clear();
        self.planned.clear();
    }
}

impl World {
    /// Queues a run of every system of a phase that is due, each with its time, and starts what may start.
    pub(super) fn queue_systems(&mut self, delta: f64, phase: Phase) {
        let ids: Vec<SystemId> = self.systems.list.iter().map(|entry| entry.id).collect();
        for (about, id) in ids.into_iter().enumerate() {
            if !self.takes_part(id, about, delta, phase) {
                continue;
            }
            let (tick, game_time) = (self.clocks.tick, self.clocks.game_time);
            let Some(place) = self.systems.place_near(id, about) else { continue };
            let entry = &mut self.systems.list[place];
            let Some(delta) = entry.accumulator.due() else { continue };
            // With nothing queued before it a run would find what there is now.
            if self.conflict.queue.is_empty()
                && matches!(entry.kind, SystemKind::EntitySystem | SystemKind::EntityWorker)
                && let Some(query) = entry.queries.first_mut()
                && query.changed.is_empty()
            {
                self.storage.update_mask(query);
                if query.cache.mask().members == 0 {
                    entry.members = 0;
                    entry.accumulator.ran(delta);
                    continue;
                }
            }
            let number = entry.accumulator.state().runs;
            entry.accumulator.ran(delta);
            let ticket = self.conflict.queue.push(id, entry.access.clone(), tick);
            let due = Due { delta, tick, game_time, number, ticket: Some(ticket) };
            self.conflict.planned.insert(ticket, due);
        }
        self.pump();
    }

    /// Applies the effects of one run whose turn it is, or starts what may start. Whether there was anything.
    pub(super) fn work_on_queue(&mut self) -> bool {
        if self.conflict.busy || self.conflict.queue.is_empty() {
            return false;
        }
        self.conflict.busy = true;
        let content = self.content;
        let progress = self.publish_next() || self.start_workers() || self.start_on_world();
        // A listener that loaded another scene left a fresh queue.
        if self.content == content {
            self.conflict.busy = false;
        }
        progress
    }

    fn publish_next(&mut self) -> bool {
        let Some(ticket) = self.conflict.queue.publishable() else { return false };
        let content = self.content;
        if let Some(run) = self.runs.of_ticket(ticket) {
            let due = self.conflict.planned.get(&ticket).copied();
            let before = std::mem::replace(&mut self.logical, due.map(|due| (due.tick, due.game_time)));
            self.apply_effects_of(run);
            self.logical = before;
        }
        if self.content == content {
            self.complete(ticket);
        }
        true
    }

    fn complete(&mut self, ticket: Ticket) {
        self.conflict.planned.remove(&ticket);
        self.conflict.queue.complete(ticket);
    }

    /// Workers first, so that they work while the world thread does its own.
    fn start_workers(&mut self) -> bool {
        let startable: Vec<(Ticket, SystemId)> = self.conflict.queue.all_startable().collect();
        let mut any = false;
        for (ticket, id) in startable {
            let place = self.systems.place(id);
            let on_world = place.is_some_and(|place| {
                matches!(self.systems.list[place].kind, SystemKind::System | SystemKind::EntitySystem)
            });
            if !on_world {
                any = true;
                self.start(ticket, place);
            }
        }
        any
    }

    fn start_on_world(&mut self) -> bool {
        let Some(ticket) = self.conflict.queue.startable() else { return false };
        let (id, _) = self.conflict.queue.system(ticket);
        self.start(ticket, self.systems.place(id));
        true
    }

    fn start(&mut self, ticket: Ticket, place: Option<usize>) {
        let (Some(place), Some(due)) = (place, self.conflict.planned.get(&ticket).copied()) else {
            // Its system was removed.
            return self.complete(ticket);
        };
        self.conflict.queue.start(ticket);
        let content = self.content;
        let before = self.logical.replace((due.tick, due.game_time));
        let dispatched = self.dispatch(place, due);
        if self.content != content {
            return;
        }
        self.logical = before;
        if dispatched == Dispatched::Over {
            self.complete(ticket);
        }
    }

    /// Skips the runs of a removed system that have not started.
    pub(super) fn skip_queued(&mut self, id: SystemId) {
        let waiting: Vec<Ticket> = self.conflict.queue.waiting_of(id).collect();
        waiting.into_iter().for_each(|ticket| self.complete(ticket));
    }

    /// Runs of a system that wait in the queue, and the system the first of them waits for.
    pub fn queued_runs(&self, id: SystemId) -> (usize, Option<SystemId>) {
        self.conflict.queue.waits(id)
    }

    /// Updates that have runs in the queue.
    pub fn backlog(&self) -> usize {
        self.conflict.queue.backlog()
    }

    /// Sets how many updates may have runs in the queue before the next waits for room; none is no bound.
    pub fn set_max_backlog(&mut self, updates: Option<usize>) {
        self.conflict.max_backlog = updates.map(|updates| updates.max(1));
    }
}
