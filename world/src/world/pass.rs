//! Passes: the members of a system's query gone over in batches, one an update.

use super::World;
use super::systems::SystemEntry;
use crate::entity::Order;
use crate::id::{EntityId, SystemId};
use crate::memory::{Mask, Storage};
use crate::scene::ScenePass;
use crate::schedule::DueRun;
use std::collections::HashMap;
use std::sync::Arc;

/// Members that were there when a pass began, and how far it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pass {
    /// In the order of their updates.
    members: Vec<EntityId>,
    next: usize,
    /// Batches begun.
    batches: u64,
    /// The time every batch is told.
    pub(crate) delta: f64,
    pub(crate) tick: u64,
    pub(crate) game_time: f64,
    pub(crate) number: u64,
}

/// The next batch of a pass.
pub(super) struct Batch {
    pub(super) number: u64,
    pub(super) mask: Arc<Mask>,
    pub(super) last: bool,
}

impl Pass {
    /// A pass over members in their order, none of which was visited yet.
    pub(super) fn new(members: Vec<EntityId>, delta: f64, tick: u64, game_time: f64, number: u64) -> Self {
        Self { members, next: 0, batches: 0, delta, tick, game_time, number }
    }

    /// Takes the next so many members, those that left included.
    pub(super) fn take(&mut self, count: usize, member: impl Fn(EntityId) -> Option<(u32, u32)>) -> Batch {
        let end = (self.next + count).min(self.members.len());
        let these = self.members[self.next..end].iter().filter_map(|&id| member(id));
        let mask = Arc::new(Mask::in_this_order(these));
        let number = self.batches;
        self.next = end;
        self.batches += 1;
        Batch { number, mask, last: end == self.members.len() }
    }
}

impl SystemEntry {
    /// The time of the run that is due, none if none is. A pass that is not over is due whatever the period.
    pub(super) fn due(&self) -> Option<f64> {
        match &self.pass {
            Some(pass) => Some(pass.delta).filter(|_| self.accumulator.is_enabled()),
            None if self.unadded > 0.0 => {
                let mut then = self.accumulator.clone();
                then.add(self.unadded);
                then.due()
            }
            None => self.accumulator.due(),
        }
    }

    /// Whether it is settled only when its turn comes whether it runs: then earlier runs are over, and with them a
    /// pass, or what it observes.
    pub(super) fn decides_late(&self) -> bool {
        self.batch.is_some() || !self.observed.is_empty()
    }

    /// A step's time passes; that of a system which decides late is added when its turn comes.
    pub(super) fn add_time(&mut self, delta: f64) {
        if self.decides_late() {
            self.unadded += delta;
        } else {
            self.accumulator.add(delta);
        }
    }

    /// A run whose turn has come: earlier runs of the system are over, so a queued one learns here how many succeeded,
    /// and gets the time of those that failed. That must not depend on how soon they ended.
    pub(super) fn turn_of(&mut self, due: DueRun) -> DueRun {
        if !due.taken {
            return due;
        }
        let delta = due.delta + self.accumulator.take_returned();
        DueRun { delta, number: self.accumulator.state().runs, ..due }
    }

    /// A run failed: the system keeps its time, which was `taken` when the run was queued or is still there.
    pub(super) fn keeps_time(&mut self, taken: bool, delta: f64) {
        if self.decides_late() {
            self.accumulator.failed(delta);
        } else if taken {
            self.accumulator.returned(delta);
        }
    }

    /// A run succeeded: it is counted, and its time used up, if that was not `taken` when the run was queued.
    pub(super) fn uses_time(&mut self, taken: bool, delta: f64) {
        if self.decides_late() {
            // Both were done when its turn came.
        } else if taken {
            self.accumulator.succeeded();
        } else {
            self.accumulator.ran(delta);
        }
    }

    /// Whether a run without members would change nothing and be noticed by nobody.
    pub(super) fn idles_without_members(&self) -> bool {
        self.watches.is_empty() && !self.decides_late() && self.kind.is_over_members()
    }
}

/// The members of a mask in creation order.
pub(super) fn arranged(mask: &Mask, storage: &Storage, order: &Order) -> Arc<Mask> {
    let by_age = |(row, optional)| {
        let ordinal = storage.id_of(row).and_then(|id| order.ordinal(id));
        (ordinal, row, optional)
    };
    let mut members: Vec<_> = mask.rows_and_optional().map(by_age).collect();
    members.sort_unstable();
    Arc::new(Mask::in_this_order(members.into_iter().map(|(_, row, optional)| (row, optional))))
}

impl World {
    /// A pass as a save has it. Who left consumes a position in a batch: the place behind the last stands for them.
    pub(super) fn pass_to_save(&self, pass: &Pass) -> ScenePass {
        let places: HashMap<EntityId, u64> = self.entities().zip(0..).collect();
        let gone = self.len() as u64;
        let mut left: Vec<[u64; 2]> = Vec::new();
        for id in &pass.members[pass.next..] {
            let place = places.get(id).copied().unwrap_or(gone);
            match left.last_mut() {
                Some([first, count]) if *first == gone && place == gone || *first + *count == place => {
                    *count += 1;
                }
                _ => left.push([place, 1]),
            }
        }
        let Pass { batches, delta, tick, game_time, number, .. } = *pass;
        ScenePass { left, batches, delta, tick, game_time, number }
    }

    /// Goes on with a pass of a save, whose places were checked.
    pub(super) fn restore_pass(&mut self, id: SystemId, pass: &ScenePass) {
        let ids: Vec<EntityId> = self.entities().collect();
        let mut members = Vec::new();
        for &[first, count] in &pass.left {
            match ids.get(first as usize..(first + count) as usize) {
                Some(run) if count > 0 => members.extend(run),
                _ => members.extend((0..count).filter_map(|_| EntityId::from_bits(NOBODY))),
            }
        }
        if let Some(entry) = self.systems.get_mut(id).filter(|entry| entry.batch.is_some()) {
            let ScenePass { batches, delta, tick, game_time, number, .. } = *pass;
            entry.pass = Some(Pass { members, next: 0, batches, delta, tick, game_time, number });
        }
    }
}

/// The bits of an id that no entity has: of the last slot, which is never handed out.
const NOBODY: u64 = 1 << 32 | u32::MAX as u64;

/// Whether a run of places is within a list of so many entities, or stands for some who left.
pub(super) fn is_run_of_pass([first, count]: [u64; 2], entities: u64) -> bool {
    /// More who left are not believed.
    const MOST_GONE: u64 = 1 << 20;
    first.saturating_add(count) <= entities || first == entities && count <= MOST_GONE.max(entities)
}
