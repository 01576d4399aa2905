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
    /// Blocks of entities that go on, asked for one after another.
    Blocks { component: ComponentId, blocks: Vec<OwedRow> },
    /// Rows with all their blocks, asked for one after another.
    Rows(Vec<OwedRow>),
    /// The hook of a block that was overwritten.
    Hook { component: ComponentId, block: Box<[u8]> },
    /// Lists that a block which goes on holds no longer.
    Lists(Vec<ListId>),
}

/// A row, and whose it is or was.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwedRow {
    pub(crate) row: u32,
    pub(crate) owner: EntityId,
}

/// Something to be given back, and who asked for it when.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) owed: Owed,
    pub(crate) asked_by: Option<SystemId>,
    /// The tick it was asked for at.
    pub(crate) since: u64,
    /// The first run that began after it, and so cannot touch it; it waits for open runs before that one.
    pub(crate) until: RunId,
}

/// Requests in the order they were made, and rows that were given back.
#[derive(Default)]
pub(crate) struct DeferredFree {
    pub(crate) requests: VecDeque<Request>,
    /// Rows with the tick they were given up at. They serve creations of later ticks only: which rows those get
    /// must not depend on how soon runs end.
    pub(super) rows: VecDeque<(u64, u32)>,
}

impl World {
    /// Owes the hook of a block that was overwritten.
    pub(super) fn owe_hook_of(&mut self, component: ComponentId, block: Box<[u8]>) {
        self.request(Owed::Hook { component, block });
    }

    /// Owes lists that a block which goes on holds no longer.
    pub(super) fn owe_freed_lists(&mut self, lists: Vec<ListId>) {
        self.request(Owed::Lists(lists));
    }

    /// Owes a block of an entity that goes on.
    #[inline]
    pub(super) fn owe_block(&mut self, component: ComponentId, row: u32, owner: EntityId) {
        let owed = OwedRow { row, owner };
        if let Some(Owed::Blocks { component: last, blocks }) = self.last_owed()
            && *last == component
        {
            return blocks.push(owed);
        }
        self.request(Owed::Blocks { component, blocks: vec![owed] });
    }

    /// Owes a row with all its blocks.
    #[inline]
    pub(super) fn owe_row(&mut self, row: u32, owner: EntityId) {
        let owed = OwedRow { row, owner };
        if let Some(Owed::Rows(rows)) = self.last_owed() {
            return rows.push(owed);
        }
        self.request(Owed::Rows(vec![owed]));
    }

    /// What was owed last, if it was for the same system in the same tick and waits for the same runs.
    #[inline]
    fn last_owed(&mut self) -> Option<&mut Owed> {
        let (asked_by, since, until) = (self.runs.acting(), self.logical_tick(), self.runs.next());
        let last = self.deferred.requests.back_mut()?;
        let alike = last.asked_by == asked_by && last.since == since && last.until == until;
        alike.then_some(&mut last.owed)
    }

    fn request(&mut self, owed: Owed) {
        let (asked_by, since, until) = (self.runs.acting(), self.logical_tick(), self.runs.next());
        self.deferred.requests.push_back(Request { owed, asked_by, since, until });
    }

    /// Gives back what was asked for before a tick and no open run can touch.
    pub(super) fn promote_deferred(&mut self, before: u64) {
        let may_free = |world: &Self| {
            let request = world.deferred.requests.front()?;
            let waits = world.runs.oldest().is_some_and(|oldest| oldest < request.until);
            (request.since < before && !waits).then_some(())
        };
        while may_free(self).is_some() {
            if let Some(request) = self.deferred.requests.pop_front() {
                self.give_back(request);
            }
        }
    }

    /// Lets creations of the tick the world is at have the rows that were given up before it.
    pub(super) fn release_rows(&mut self) {
        if self.deferred.rows.is_empty() && self.deferred.requests.is_empty() {
            return;
        }
        let tick = self.logical_tick();
        if !self.clocks.paused {
            self.promote_deferred(tick);
        }
        while let Some((_, row)) = self.deferred.rows.pop_front_if(|(since, _)| *since < tick) {
            self.storage.rows.give(row);
        }
    }

    /// Frees everything that is owed; no run works any more.
    pub(super) fn free_all_deferred(&mut self) {
        debug_assert!(!self.runs.any_working());
        while let Some(request) = self.deferred.requests.pop_front() {
            self.give_back(request);
        }
        while let Some((_, row)) = self.deferred.rows.pop_front() {
            self.storage.rows.give(row);
        }
    }

    /// A run ended: what waited for it may wait no longer.
    pub(super) fn run_ended(&mut self) {
        if !self.deferred.requests.is_empty() && !self.clocks.paused {
            self.promote_deferred(self.clocks.tick);
        }
    }

    fn give_back(&mut self, request: Request) {
        match request.owed {
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
            Owed::Blocks { component, blocks } => {
                let frees = !self.shared.registry.is_plain(component);
                for OwedRow { row, .. } in blocks {
                    if self.storage.pool_mut(component).is_stale(row) {
                        continue;
                    }
                    if frees {
                        self.free_hook(component, row);
                    }
                    self.storage.pool_mut(component).free(row);
                }
            }
            Owed::Rows(rows) => {
                let hooks = self.shared.registry.any_on_free();
                for OwedRow { row, .. } in rows {
                    if hooks {
                        for component in self.storage.components_of(row) {
                            self.free_hook(component, row);
                        }
                    }
                    self.storage.free_row(row);
                    self.deferred.rows.push_back((request.since, row));
                }
            }
        }
    }

    #[inline]
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
