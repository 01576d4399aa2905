//! Systems that are told at once who joins and leaves their main query.

use super::World;
use super::events::{SystemError, SystemPhase};
use crate::id::{EntityId, SystemId};
use crate::memory::{Mask, WatchToken};
use crate::system::{Body, Tracked, panic_message};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// What a system was told.
#[derive(Default)]
pub(crate) struct Links {
    /// Notes rows that may have joined or left since.
    pub(super) watch: WatchToken,
    pub(crate) members: Tracked,
}

/// Somebody who joined, or left.
struct Link {
    row: u32,
    id: EntityId,
    joined: bool,
}

impl World {
    /// Tells systems who joined and left their queries, as far as no run is in the way. Whether all were told.
    ///
    /// Called after every change of what entities are made of, and before blocks are given back: who left is read
    /// a last time.
    #[inline]
    pub(super) fn tell_links(&mut self) -> bool {
        self.systems.linking == 0 || self.tell_all_links()
    }

    #[cold]
    fn tell_all_links(&mut self) -> bool {
        let linking = self.systems.list.iter().filter(|entry| entry.links.is_some());
        let ids: Vec<SystemId> = linking.map(|entry| entry.id).collect();
        let mut all = true;
        for id in ids {
            all &= self.tell_links_of(id);
        }
        all
    }

    fn tell_links_of(&mut self, id: SystemId) -> bool {
        let Some(place) = self.systems.place(id) else { return true };
        let Self { systems, storage, .. } = self;
        let entry = &mut systems.list[place];
        let (Some(query), Some(links)) = (entry.queries.first(), entry.links.as_mut()) else { return true };
        if !storage.is_touched(query, &links.watch) {
            return true;
        }
        if !matches!(entry.body, Some(Body::Worker(_))) || !storage.can_lend(&entry.borrows) {
            return false;
        }
        let (mut left, mut joined) = (Vec::new(), Vec::new());
        for row in storage.take_touched(query, &links.watch) {
            let now = storage.member(query, row).and_then(|_| storage.id_of(row));
            let (before, now) = links.members.exchange(row, now);
            left.extend(before.map(|id| Link { row, id, joined: false }));
            joined.extend(now.map(|id| Link { row, id, joined: true }));
        }
        left.into_iter().chain(joined).for_each(|link| self.tell_link(id, &link));
        true
    }

    fn tell_link(&mut self, id: SystemId, link: &Link) {
        let Some(place) = self.systems.place(id) else { return };
        let Self { systems, storage, .. } = self;
        let entry = &mut systems.list[place];
        let Some(query) = entry.queries.first() else { return };
        let optional = storage.optional_with_owed(query, link.row);
        let mask = Arc::new(Mask::in_this_order([(link.row, optional)].into_iter()));
        let mut lent = storage.view_rows(&entry.borrows, query, mask);
        let Some(Body::Worker(worker)) = &mut entry.body else { return };
        let told = catch_unwind(AssertUnwindSafe(|| worker.body.link(&mut lent, link.id, link.joined)));
        storage.mark_written(&lent);
        if let Err(panic) = told {
            let (message, name) = (panic_message(&*panic), entry.name.to_string());
            let entity = Some((link.id, self.ordinal(link.id)));
            let (system, phase, tick) = (Some(id), SystemPhase::Link, self.clocks.tick);
            self.report(SystemError { system, name, phase, entity, message, panicked: true, tick });
        }
    }
}
