//! What runs in an update, and when.

use super::World;
use crate::id::SystemId;
use crate::scene::SchedulerKind;
use crate::schedule::Access;
use crate::system::SystemKind;
use std::sync::Arc;

impl World {
    pub(super) fn run_systems(&mut self, delta: f64) {
        match self.scheduler {
            SchedulerKind::Default => self.run_by_default(delta),
            SchedulerKind::Conflict => self.run_by_conflict(delta),
        }
    }

    /// In registration order; workers overlap where their access allows, and finish when they finish.
    ///
    /// The list is read as it is: a system removed meanwhile does not run, one added meanwhile waits.
    fn run_by_default(&mut self, delta: f64) {
        let ids: Vec<SystemId> = self.systems.list.iter().map(|entry| entry.id).collect();
        // Skipped systems have first claim: nothing that conflicts with one is dispatched before it.
        let mut claims: Vec<Arc<Access>> = Vec::new();
        for id in ids {
            let Some(place) = self.systems.place(id) else { continue };
            let entry = &mut self.systems.list[place];
            entry.accumulator.add(delta);
            let Some(due) = entry.accumulator.due() else { continue };
            let access = entry.access.clone();
            let claimed = claims.iter().any(|claim| claim.conflict(&access).is_some());
            if claimed || entry.open_run.is_some() || !self.access_is_free(place) {
                claims.push(access);
                continue;
            }
            self.dispatch(place, due);
        }
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

    /// Batch after batch of the compiled schedule. The systems of a batch run together; when all are done their
    /// effects are applied in registration order, so that results do not depend on threads.
    fn run_by_conflict(&mut self, delta: f64) {
        self.wait_for_runs();
        self.apply_ready();
        let plan = self.systems.plan();
        for entry in &mut self.systems.list {
            entry.accumulator.add(delta);
        }
        for batch in plan.batches().batches() {
            let systems: Vec<SystemId> = batch.iter().map(|&place| plan.systems()[place].id).collect();
            // Workers first, so that they work while the world thread does its own.
            let on_world = |kind| matches!(kind, SystemKind::System | SystemKind::EntitySystem);
            for world_thread in [false, true] {
                for &id in &systems {
                    let Some(place) = self.systems.place(id) else { continue };
                    let entry = &self.systems.list[place];
                    if on_world(entry.kind) == world_thread
                        && let Some(due) = entry.accumulator.due()
                    {
                        self.dispatch(place, due);
                    }
                }
            }
            self.wait_for_runs();
            self.order_ready(&systems);
            self.apply_ready();
        }
    }

    fn order_ready(&mut self, systems: &[SystemId]) {
        let place = |id: SystemId| systems.iter().position(|&other| other == id);
        self.runs.ready.make_contiguous().sort_by_key(|ready| place(ready.system));
    }
}
