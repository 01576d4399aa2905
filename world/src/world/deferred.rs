//! Blocks and rows that are given back once no run can touch them.

use super::World;
use super::events::{SystemError, SystemPhase};
use crate::component::ListId;
use crate::id::{ComponentId, EntityId, RunId, SystemId};
use crate::system::panic_message;
use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What is owed.
#[derive(Clone, Debug)]
pub(crate) enum Owed {
    /// A block of an entity that goes on.
    Block { component: ComponentId, row: u32, owner: EntityId },
    /// A row with all its blocks.
    Row { row: u32, owner: EntityId },
    /// The hook of a block that was overwritten.
    Hook { component: ComponentId, block: Box<[u8]> },
    /// Lists that a block which goes on holds no longer.
    Lists(Vec<ListId>),
}

/// Something to be given back, and who asked for it when.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) owed: Owed,
    pub(crate) asked_by: Option<SystemId>,
    pub(crate) since: u64,
}

/// Requests in two groups: those that wait for the runs in `waits_for`, and those after them.
#[derive(Default)]
pub(crate) struct DeferredFree {
    pub(crate) next: Vec<Request>,
    pub(crate) active: VecDeque<Request>,
    pub(crate) waits_for: Vec<RunId>,
}

impl World {
    pub(super) fn owe(&mut self, owed: Owed) {
        let (asked_by, since) = (self.runs.acting(), self.clocks.tick);
        self.deferred.next.push(Request { owed, asked_by, since });
    }

    /// Frees what no open run can touch, and lets what was asked for since wait for the runs open now.
    pub(super) fn promote_deferred(&mut self) {
        while self.deferred.waits_for.is_empty() {
            while let Some(request) = self.deferred.active.pop_front() {
                self.give_back(request.owed);
            }
            if self.deferred.next.is_empty() {
                return;
            }
            self.deferred.active.extend(self.deferred.next.drain(..));
            self.deferred.waits_for.extend(self.runs.open_ids());
        }
    }

    /// Frees everything that is owed; no run works any more.
    pub(super) fn free_all_deferred(&mut self) {
        debug_assert!(!self.runs.any_working());
        self.deferred.waits_for.clear();
        while !self.deferred.active.is_empty() || !self.deferred.next.is_empty() {
            while let Some(request) = self.deferred.active.pop_front() {
                self.give_back(request.owed);
            }
            self.deferred.active.extend(self.deferred.next.drain(..));
        }
    }

    /// A run ended: what waited for it may wait no longer.
    pub(super) fn run_ended(&mut self, run: RunId) {
        let before = self.deferred.waits_for.len();
        self.deferred.waits_for.retain(|&waiting| waiting != run);
        if before > 0 && self.deferred.waits_for.is_empty() && !self.clocks.paused {
            self.promote_deferred();
        }
    }

    fn give_back(&mut self, owed: Owed) {
        match owed {
            Owed::Hook { component, block } => {
                let definition = self.shared.registry.get(component);
                if let Some(hook) = &definition.on_free
                    && let Err(panic) = catch_unwind(AssertUnwindSafe(|| hook(&block)))
                {
                    let name = definition.name().to_owned();
                    self.report_free(name, &*panic);
                }
            }
            Owed::Lists(lists) => {
                lists.into_iter().for_each(|list| self.shared.lists.release_owned(list));
            }
            Owed::Block { component, row, .. } => {
                if self.storage.pool_mut(component).is_stale(row) {
                    return;
                }
                self.free_hook(component, row);
                self.storage.pool_mut(component).free(row);
            }
            Owed::Row { row, .. } => {
                if self.shared.registry.any_on_free() {
                    for component in self.storage.deferred_of(row) {
                        self.free_hook(component, row);
                    }
                }
                self.storage.free_row(row);
            }
        }
    }

    fn free_hook(&mut self, component: ComponentId, row: u32) {
        let definition = self.shared.registry.get(component);
        if definition.frees()
            && let Some(block) = self.storage.pool(component).owed_bytes_of(row)
            && let Err(panic) = definition.free(block, &self.shared.lists)
        {
            let name = definition.name().to_owned();
            self.report_free(name, &*panic);
        }
    }

    pub(super) fn report_free(&mut self, name: String, panic: &(dyn Any + Send)) {
        let (system, message, tick) = (self.runs.acting(), panic_message(panic), self.clocks.tick);
        let (phase, entity) = (SystemPhase::Free, None);
        self.report(SystemError { system, name, phase, entity, message, panicked: true, tick });
    }
}
