//! Blocks and rows that are given back once no run can touch them.

use super::World;
use super::events::{SystemError, SystemPhase};
use super::hung::Held;
use crate::component::ListId;
use crate::id::{ComponentId, RunId, SystemId};
use crate::inspect::DeferredBlock;
use crate::memory::Presence;
use crate::system::panic_message;
use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What is owed.
#[derive(Clone, Debug)]
pub(crate) enum Owed {
    /// Blocks of entities that go on.
    Blocks { component: ComponentId, rows: OwedRows },
    /// Rows with all their blocks.
    Rows(OwedRows),
    /// The hook of a block that was overwritten.
    Hook { component: ComponentId, block: Box<[u8]> },
    /// Lists that a block which goes on holds no longer.
    Lists(Vec<ListId>),
}

/// Rows of one request, each once. Whose a row is or was is known by the row until it is given back.
#[derive(Clone, Debug)]
pub(crate) enum OwedRows {
    /// In the order they were asked for.
    Listed(Vec<u32>),
    /// Many whose order makes no difference, given back word by word.
    Set(Presence),
}

/// More rows than these are no longer listed where their order makes no difference.
const LISTED: usize = 64;

/// Empty sets kept to be used again.
const SPARE: usize = 16;

/// Requests that are looked through for one to add to, where order makes no difference.
const LOOKED_THROUGH: usize = 4;

impl OwedRows {
    /// Adds a row; `ordered` if one can tell in which order they are given back.
    #[inline]
    fn push(&mut self, row: u32, ordered: bool, spare: &mut Vec<Presence>) {
        match self {
            Self::Set(rows) => _ = rows.set(row),
            Self::Listed(rows) if ordered || rows.len() < LISTED => rows.push(row),
            Self::Listed(rows) => {
                let mut set = spare.pop().unwrap_or_default();
                rows.iter().for_each(|&row| _ = set.set(row));
                set.set(row);
                *self = Self::Set(set);
            }
        }
    }

    /// Takes a row out whose order makes no difference; whether it was there.
    fn take_out(&mut self, row: u32) -> bool {
        match self {
            Self::Set(rows) => rows.clear(row),
            Self::Listed(rows) => {
                let at = rows.iter().position(|&known| known == row);
                at.map(|at| rows.swap_remove(at)).is_some()
            }
        }
    }

    /// Takes out some rows, in the same order.
    fn split_off(&mut self, is_taken: impl Fn(u32) -> bool) -> Self {
        match self {
            Self::Listed(rows) => Self::Listed(rows.extract_if(.., |row| is_taken(*row)).collect()),
            Self::Set(rows) => {
                let mut taken = Presence::default();
                rows.rows().filter(|&row| is_taken(row)).for_each(|row| _ = taken.set(row));
                rows.subtract(&taken);
                Self::Set(taken)
            }
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Self::Listed(rows) => rows.is_empty(),
            Self::Set(rows) => rows.count() == 0,
        }
    }

    /// Calls `f` with the rows word by word; with a word more than once if they are listed.
    fn each_word(&self, mut f: impl FnMut(usize, u64)) {
        match self {
            Self::Listed(rows) => rows.iter().for_each(|&row| f(row as usize / 64, 1 << (row % 64))),
            Self::Set(rows) => rows.each_word(f),
        }
    }

    /// The rows, in the order they are given back in.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let (listed, set) = match self {
            Self::Listed(rows) => (Some(rows), None),
            Self::Set(rows) => (None, Some(rows)),
        };
        listed.into_iter().flatten().copied().chain(set.into_iter().flat_map(Presence::rows))
    }
}

impl Owed {
    /// The rows it is about, and their component if it is about only one.
    fn rows(&self) -> Option<(&OwedRows, Option<ComponentId>)> {
        match self {
            Self::Blocks { component, rows } => Some((rows, Some(*component))),
            Self::Rows(rows) => Some((rows, None)),
            Self::Hook { .. } | Self::Lists(_) => None,
        }
    }
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

/// Who asks when, and for which runs what is asked for waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Asked {
    by: Option<SystemId>,
    since: u64,
    until: RunId,
}

impl Request {
    fn new(owed: Owed, Asked { by, since, until }: Asked) -> Self {
        Self { owed, asked_by: by, since, until }
    }

    #[inline]
    fn asked(&self) -> Asked {
        Asked { by: self.asked_by, since: self.since, until: self.until }
    }
}

/// Requests in the order they were made, and rows that were given back.
#[derive(Default)]
pub(crate) struct DeferredFree {
    pub(crate) requests: VecDeque<Request>,
    /// What a run that was given up may still touch, until it ends.
    quarantined: Vec<Request>,
    /// Rows with the tick they were given up at. They serve creations of later ticks only: which rows those get
    /// must not depend on how soon runs end.
    pub(super) rows: VecDeque<(u64, OwedRows)>,
    spare: Vec<Presence>,
}

impl DeferredFree {
    /// An empty set of rows.
    pub(super) fn empty_set(&mut self) -> Presence {
        self.spare.pop().unwrap_or_default()
    }

    /// Everything that is owed, oldest first.
    fn all(&self) -> impl Iterator<Item = &Request> {
        self.quarantined.iter().chain(&self.requests)
    }

    /// Forgets the blocks of some components; rows go on to be owed.
    pub(super) fn forget_blocks_of(&mut self, components: &[ComponentId]) {
        let is_kept = |request: &Request| match &request.owed {
            Owed::Blocks { component, .. } => !components.contains(component),
            _ => true,
        };
        self.requests.retain(is_kept);
        self.quarantined.retain(is_kept);
    }

    /// Gives back memory kept to be used again.
    pub(super) fn shrink(&mut self) {
        self.spare = Vec::new();
        self.requests.shrink_to_fit();
        self.rows.shrink_to_fit();
    }

    /// Keeps the memory of a set that is done with.
    pub(super) fn recycle(&mut self, mut set: Presence) {
        if self.spare.len() < SPARE {
            set.clear_all();
            self.spare.push(set);
        }
    }

    /// Owes a block, or without a component a row: together with those that were asked for like it.
    #[inline(never)]
    fn owe(&mut self, component: Option<ComponentId>, row: u32, ordered: bool, asked: Asked) {
        let alike = self.requests.iter_mut().rev().take(if ordered { 1 } else { LOOKED_THROUGH });
        for request in alike.take_while(|request| request.asked() == asked) {
            match &mut request.owed {
                Owed::Blocks { component: known, rows } if Some(*known) == component => {
                    return rows.push(row, ordered, &mut self.spare);
                }
                Owed::Rows(rows) if component.is_none() => return rows.push(row, ordered, &mut self.spare),
                _ => {}
            }
        }
        let rows = OwedRows::Listed(vec![row]);
        let owed = match component {
            Some(component) => Owed::Blocks { component, rows },
            None => Owed::Rows(rows),
        };
        self.requests.push_back(Request::new(owed, asked));
    }

    /// Owes blocks of a plain component.
    pub(super) fn owe_all(&mut self, component: ComponentId, rows: Presence, asked: Asked) {
        if let Some(last) = self.requests.back_mut()
            && last.asked() == asked
            && let Owed::Blocks { component: known, rows: OwedRows::Set(owed) } = &mut last.owed
            && *known == component
        {
            rows.each_word(|word, bits| owed.set_word(word, bits));
            return self.recycle(rows);
        }
        let rows = OwedRows::Set(rows);
        self.requests.push_back(Request::new(Owed::Blocks { component, rows }, asked));
    }

    /// Owes a block of a plain component no longer; its row is to have a new one.
    pub(super) fn reclaim(&mut self, component: ComponentId, row: u32) {
        for request in self.requests.iter_mut().rev() {
            if let Owed::Blocks { component: known, rows } = &mut request.owed
                && *known == component
                && rows.take_out(row)
            {
                return;
            }
        }
    }
}

impl World {
    /// Every block that waits to be given back, those of one request together, oldest first: whose it was, who asked
    /// when, and which runs it waits for.
    pub fn deferred(&self) -> impl Iterator<Item = DeferredBlock> + '_ {
        let rows = |request| self.owed_rows(request).map(move |(row, components)| (request, row, components));
        self.deferred.all().flat_map(rows).flat_map(move |(request, row, components)| {
            let owner = self.storage.id_of(row);
            components.into_iter().filter_map(move |component| {
                Some(DeferredBlock {
                    component,
                    row,
                    owner: owner?,
                    asked_by: request.asked_by,
                    since: request.since,
                    waits_for: self.waited_for(request, component, row),
                    quarantined: self.storage.pool(component).quarantined().has(row),
                })
            })
        })
    }

    /// The rows of a request, and the components whose blocks it is about in each. A block that was overwritten
    /// meanwhile is not among them.
    fn owed_rows<'a>(&'a self, request: &'a Request) -> impl Iterator<Item = (u32, Vec<ComponentId>)> + 'a {
        request.owed.rows().into_iter().flat_map(move |(rows, component)| {
            rows.iter().map(move |row| match component {
                None => (row, self.storage.components_of(row)),
                Some(component) if self.storage.pool(component).deferred().has(row) => (row, vec![component]),
                Some(_) => (row, Vec::new()),
            })
        })
    }

    /// The open runs a block waits for.
    fn waited_for(&self, request: &Request, component: ComponentId, row: u32) -> Vec<RunId> {
        let before = self.runs.iter().take_while(|open| open.run < request.until);
        let waits = before.filter(|open| {
            open.held.as_ref().is_none_or(|held| match &request.owed {
                Owed::Rows(_) => held.has_row(row, &self.storage.components_of(row)),
                _ => held.has_block(component, row),
            })
        });
        waits.map(|open| open.run).collect()
    }

    /// Owes the hook of a block that was overwritten.
    pub(super) fn owe_hook_of(&mut self, component: ComponentId, block: Box<[u8]>) {
        self.request(Owed::Hook { component, block });
    }

    /// Owes lists that a block which goes on holds no longer.
    pub(super) fn owe_freed_lists(&mut self, lists: Vec<ListId>) {
        self.request(Owed::Lists(lists));
    }

    /// Who asks now.
    #[inline]
    pub(super) fn asked(&self) -> Asked {
        Asked { by: self.runs.acting(), since: self.tick(), until: self.runs.next() }
    }

    /// Owes a block of an entity that goes on.
    #[inline]
    pub(super) fn owe_block(&mut self, component: ComponentId, row: u32) {
        let asked = self.asked();
        if let Some(last) = self.deferred.requests.back_mut()
            && last.asked() == asked
            && let Owed::Blocks { component: known, rows: OwedRows::Set(rows) } = &mut last.owed
            && *known == component
        {
            rows.set(row);
            return;
        }
        let ordered = !self.shared.registry.is_plain(component);
        self.deferred.owe(Some(component), row, ordered, asked);
    }

    /// Owes a row with all its blocks.
    #[inline]
    pub(super) fn owe_row(&mut self, row: u32) {
        let asked = self.asked();
        if let Some(last) = self.deferred.requests.back_mut()
            && last.asked() == asked
            && let Owed::Rows(OwedRows::Set(rows)) = &mut last.owed
        {
            rows.set(row);
            return;
        }
        let ordered = self.shared.registry.any_on_free();
        self.deferred.owe(None, row, ordered, asked);
    }

    /// Lets a row whose old block of a component is owed have a new one. No run holds the old one any more, and it
    /// is owed no longer.
    pub(super) fn reclaim(&mut self, component: ComponentId, row: u32) {
        let pool = self.storage.pool_mut(component);
        if self.shared.registry.is_plain(component) {
            self.deferred.reclaim(component, row);
            pool.free(row);
        } else {
            pool.reclaim(row);
        }
    }

    fn request(&mut self, owed: Owed) {
        let asked = self.asked();
        self.deferred.requests.push_back(Request::new(owed, asked));
    }

    /// Gives back what was asked for before a tick and no open run can touch. What only runs that were given up can
    /// touch is quarantined, and holds up nothing.
    pub(super) fn promote_deferred(&mut self, before: u64) {
        if !self.tell_links() {
            // Who left is read once more.
            return;
        }
        let may_free = |world: &Self| {
            let request = world.deferred.requests.front()?;
            let waits = world.runs.oldest().is_some_and(|oldest| oldest < request.until);
            (request.since < before && !waits).then_some(())
        };
        while may_free(self).is_some() {
            let request = self.deferred.requests.pop_front();
            if let Some(request) = request.and_then(|request| self.quarantine(request)) {
                self.give_back(request);
            }
        }
    }

    /// Keeps what a run that was given up may still touch, and gives the rest.
    fn quarantine(&mut self, mut request: Request) -> Option<Request> {
        if !self.runs.any_given_up() {
            return Some(request);
        }
        let held: Vec<&Held> = self.runs.held_before(request.until).collect();
        let owed = match &mut request.owed {
            Owed::Blocks { component, rows } => {
                let component = *component;
                let is_held = |row| held.iter().any(|held| held.has_block(component, row));
                Owed::Blocks { component, rows: rows.split_off(is_held) }
            }
            Owed::Rows(rows) => Owed::Rows(rows.split_off(|row| {
                let components = self.storage.components_of(row);
                held.iter().any(|held| held.has_row(row, &components))
            })),
            // Copies that no run has.
            Owed::Hook { .. } | Owed::Lists(_) => return Some(request),
        };
        let kept = Request { owed, ..request };
        let is_empty = |owed: &Owed| owed.rows().is_none_or(|(rows, _)| rows.is_empty());
        if !is_empty(&kept.owed) {
            self.mark_quarantined(&kept, true);
            self.deferred.quarantined.push(kept);
        }
        (!is_empty(&request.owed)).then_some(request)
    }

    fn mark_quarantined(&mut self, request: &Request, on: bool) {
        let rows: Vec<_> = self.owed_rows(request).collect();
        for (row, components) in rows {
            for component in components {
                self.storage.pool_mut(component).set_quarantined(row, on);
            }
        }
    }

    /// A run that was given up ended: what it kept may be given back, unless another one keeps it.
    pub(super) fn end_quarantine(&mut self) {
        for request in std::mem::take(&mut self.deferred.quarantined).into_iter().rev() {
            self.mark_quarantined(&request, false);
            self.deferred.requests.push_front(request);
        }
    }

    /// Lets creations of the tick the world is at have the rows that were given up before it.
    pub(super) fn release_rows(&mut self) {
        if self.deferred.rows.is_empty() && self.deferred.requests.is_empty() {
            return;
        }
        let tick = self.tick();
        if !self.clocks.paused {
            self.promote_deferred(tick);
        }
        while let Some((_, rows)) = self.deferred.rows.pop_front_if(|(since, _)| *since < tick) {
            self.give_rows(rows);
        }
    }

    /// Frees everything that is owed; no run of this content works any more, or nobody will use its pools again.
    pub(super) fn free_all_deferred(&mut self) {
        self.end_quarantine();
        while let Some(request) = self.deferred.requests.pop_front() {
            self.give_back(request);
        }
        while let Some((_, rows)) = self.deferred.rows.pop_front() {
            self.give_rows(rows);
        }
    }

    fn give_rows(&mut self, rows: OwedRows) {
        rows.each_word(|word, rows| self.storage.give_rows(word, rows));
        if let OwedRows::Set(set) = rows {
            self.deferred.recycle(set);
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
            Owed::Blocks { component, rows: OwedRows::Listed(rows) } => {
                let frees = !self.shared.registry.is_plain(component);
                for row in rows {
                    if self.storage.pool_mut(component).is_stale(row) {
                        continue;
                    }
                    if frees {
                        self.free_hook(component, row);
                    }
                    self.storage.pool_mut(component).free(row);
                }
            }
            Owed::Blocks { component, rows: OwedRows::Set(rows) } => {
                self.storage.pool_mut(component).free_all(&rows);
                self.deferred.recycle(rows);
            }
            Owed::Rows(rows) => {
                if self.shared.registry.any_on_free() {
                    for row in rows.iter() {
                        for component in self.storage.components_of(row) {
                            self.free_hook(component, row);
                        }
                        self.storage.free_row(row);
                    }
                } else {
                    rows.each_word(|word, rows| self.storage.free_rows(word, rows));
                }
                self.deferred.rows.push_back((request.since, rows));
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
