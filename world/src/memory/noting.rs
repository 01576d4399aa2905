//! Who is told which rows of which pools were written, came or went.

use super::bits::Presence;
use super::item::ItemKind;
use super::lent::{CompiledQuery, Lent};
use super::storage::Storage;
use super::watch::{Watch, WatchToken, Watchers};
use crate::id::ComponentId;

impl Storage {
    /// Notes from now on which blocks are written that a query looks for changes of. All that are there are new
    /// to it.
    pub(crate) fn watch_for(&mut self, query: &CompiledQuery) {
        self.watched |= !query.changed.is_empty();
        for (component, token) in &query.changed {
            self.pools[component.index()].watch(token, Watch::Written);
        }
    }

    /// Notes from now on which rows of a component are written, for one to whom all are new.
    pub(crate) fn watch(&mut self, component: ComponentId, token: &WatchToken) {
        self.watched = true;
        self.pools[component.index()].watch(token, Watch::Written);
    }

    /// Notes from now on which rows may join or leave a query, or have other blocks than before, for one to whom all
    /// that are there are new.
    pub(crate) fn watch_structure(&mut self, query: &CompiledQuery, token: &WatchToken) {
        self.watched = true;
        self.rows.watch(token);
        for &component in &query.used {
            self.pools[component.index()].watch(token, Watch::Structure);
        }
    }

    /// Notes nothing more for some watchers, nor for those that are gone.
    pub(crate) fn unwatch(&mut self, tokens: &[WatchToken]) {
        self.rows.watchers.remove(tokens);
        self.pools.iter_mut().for_each(|pool| pool.watchers.remove(tokens));
        self.watched = self.is_watched();
    }

    /// The rows noted for a watcher of a query's structure since it last asked, in order.
    pub(crate) fn take_touched(&mut self, query: &CompiledQuery, token: &WatchToken) -> Vec<u32> {
        let mut all = self.rows.watchers.dirty(token).cloned().unwrap_or_default();
        self.rows.watchers.clear(token);
        for &component in &query.used {
            let watchers = &mut self.pools[component.index()].watchers;
            if let Some(dirty) = watchers.dirty(token) {
                all.add_all(dirty);
            }
            watchers.clear(token);
        }
        all.rows().collect()
    }

    /// Tells watchers that a run wrote the block of a row.
    pub(crate) fn mark_row_written(&mut self, component: ComponentId, row: u32) {
        self.pools[component.index()].watchers.mark(row);
    }

    /// Tells watchers that an entity got another block in the place of its own.
    pub(crate) fn mark_replaced(&mut self, component: ComponentId, row: u32) {
        self.pools[component.index()].watchers.mark_structure(row);
    }

    /// The rows written since a watcher last asked, in order. They count as seen then.
    pub(crate) fn take_dirty(&mut self, component: ComponentId, token: &WatchToken) -> Vec<u32> {
        let watchers = &mut self.pools[component.index()].watchers;
        let dirty = watchers.dirty(token).map(|rows| rows.rows().collect()).unwrap_or_default();
        watchers.clear(token);
        dirty
    }

    /// Notes from now on which rows of a component come and go, for one who knows those that are there.
    pub(crate) fn watch_rows(&mut self, component: ComponentId, token: &WatchToken) {
        self.watched = true;
        let watchers = &mut self.pools[component.index()].watchers;
        watchers.add(token, Watch::Structure, &Presence::default());
    }

    /// Whether rows of a component were noted for a watcher since it last asked.
    pub(crate) fn take_is_dirty(&mut self, component: ComponentId, token: &WatchToken) -> bool {
        let watchers = &mut self.pools[component.index()].watchers;
        let is_dirty = watchers.dirty(token).is_some_and(|rows| rows.count() > 0);
        watchers.clear(token);
        is_dirty
    }

    /// The rows of a component written since a watcher last asked.
    pub(crate) fn dirty(&self, component: ComponentId, token: &WatchToken) -> Option<&Presence> {
        self.pools[component.index()].watchers.dirty(token)
    }

    /// Lets a watcher have seen all rows of a component but these.
    pub(crate) fn set_dirty(
        &mut self,
        component: ComponentId,
        token: &WatchToken,
        rows: impl Iterator<Item = u32>,
    ) {
        self.pools[component.index()].watchers.set(token, rows);
    }

    /// Whether somebody looks for changes of any component.
    pub(crate) fn is_watched(&self) -> bool {
        self.rows.watchers.any() || self.pools.iter().any(|pool| pool.watchers.any())
    }

    /// Whether rows were noted for a watcher of a query's structure.
    pub(crate) fn is_touched(&self, query: &CompiledQuery, token: &WatchToken) -> bool {
        let any = |watchers: &Watchers| watchers.dirty(token).is_some_and(|rows| rows.count() > 0);
        any(&self.rows.watchers) || query.used.iter().any(|&component| any(&self.pool(component).watchers))
    }

    /// Tells the watchers of pools that a run may have written what it wrote.
    pub(crate) fn mark_written(&mut self, lent: &Lent) {
        if !lent.pools.iter().any(|pool| self.pools[pool.component.index()].watchers.any()) {
            return;
        }
        for query in lent.queries.iter().filter(|query| query.visited) {
            let mut optional = 0;
            for (term, place) in query.kinds.iter().zip(&query.terms) {
                let bit = match term.kind {
                    ItemKind::OptionalRead | ItemKind::OptionalWrite => Some(optional),
                    _ => None,
                };
                optional += bit.is_some() as u32;
                let Some(place) = place.filter(|_| term.kind.writes()) else { continue };
                let pool = &mut self.pools[lent.pools[place].component.index()];
                if pool.watchers.any() {
                    pool.watchers.mark_mask(&query.mask, bit, &lent.own);
                }
            }
        }
    }

    /// Takes over who watches the pools of `before`, whose rows moved to where `moved` says.
    pub(crate) fn take_watchers(&mut self, before: &Storage, moved: impl Fn(u32) -> Option<u32>) {
        self.watched = true;
        self.rows.watchers = before.rows.watchers.moved(&moved);
        for (pool, before) in self.pools.iter_mut().zip(&before.pools) {
            if before.watchers.any() {
                pool.watchers = before.watchers.moved(&moved);
            }
        }
    }
}
