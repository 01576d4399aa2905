//! Rows, pools and slots together: entities as memory knows them.

use super::bits::Presence;
use super::directory::Directory;
use super::lookup::{LookupPlan, Lookups, Reader};
use super::mask::{Mask, MaskCache, Terms};
use super::pool::Pool;
use super::rows::{ArchetypeId, NewExtent, Rows};
use super::slots::{SlotTable, Slots};
use super::watch::{Watch, WatchToken, Watchers};
use super::{ItemKind, ItemTerm};
use crate::component::Component;
use crate::id::{ComponentId, EntityId, RunId};
use std::alloc::Layout;
use std::cell::Cell;
use std::sync::Arc;

/// Everything entities are stored in.
pub(crate) struct Storage {
    pub(crate) rows: Rows,
    pub(crate) slots: Slots,
    /// A pool a component, by its id.
    pub(crate) pools: Vec<Pool>,
    /// The id of each row's entity.
    pub(super) ids: Pool,
    token: Arc<()>,
    /// How often pages may have been given back, so that who knows some has to look for them again.
    pub(super) pages_given_back: u64,
    /// Whether anybody ever wanted to know of changes.
    watched: bool,
}

/// Tells one storage from all others there are or were.
#[derive(Clone)]
pub(crate) struct StorageToken(Arc<()>);

impl StorageToken {
    #[inline]
    pub(crate) fn is_of(&self, storage: &Storage) -> bool {
        Arc::ptr_eq(&self.0, &storage.token)
    }
}

impl Storage {
    /// Storage for components whose blocks have these layouts, in the order of their ids.
    pub(crate) fn new(blocks: impl Iterator<Item = Layout>) -> Self {
        Self {
            rows: Rows::default(),
            slots: Slots::default(),
            pools: blocks.map(Pool::new).collect(),
            ids: Pool::new(Layout::new::<EntityId>()),
            token: Arc::default(),
            pages_given_back: 0,
            watched: false,
        }
    }

    pub(crate) fn pool(&self, component: ComponentId) -> &Pool {
        &self.pools[component.index()]
    }
    pub(crate) fn pool_mut(&mut self, component: ComponentId) -> &mut Pool {
        &mut self.pools[component.index()]
    }

    /// Whose row this is; none for one that is free.
    pub(crate) fn id_of(&self, row: u32) -> Option<EntityId> {
        if self.rows.is_free(row) {
            return None;
        }
        let [generation, slot] = bytemuck::pod_read_unaligned::<[u32; 2]>(self.ids.place_of(row)?);
        EntityId::from_bits((generation as u64) << 32 | slot as u64)
    }

    /// A row for an entity of an archetype, with an id but no blocks yet. Queries find it.
    #[inline(always)]
    pub(crate) fn create_row(&mut self, archetype: ArchetypeId, id: EntityId) -> u32 {
        let row = self.take_row(archetype);
        self.settle_row(row, id);
        row
    }

    /// A row of an archetype, without an entity yet.
    #[inline(always)]
    pub(super) fn take_row(&mut self, archetype: ArchetypeId) -> u32 {
        match self.rows.take(archetype) {
            Some(row) => row,
            None => self.extend_and(|rows| rows.take(archetype), archetype),
        }
    }

    /// The lowest free row of an archetype, and how many follow it in its word, itself included.
    pub(super) fn lowest_run(&mut self, archetype: ArchetypeId) -> (u32, u32) {
        match self.rows.lowest_run(archetype) {
            Some(run) => run,
            None => self.extend_and(|rows| rows.lowest_run(archetype), archetype),
        }
    }

    /// Gives free rows of a word, whose blocks are written, to new entities. Queries find them.
    pub(super) fn settle_run(&mut self, row: u32, len: u32, ids: &mut Vec<EntityId>) {
        let from = ids.len();
        self.slots.reserve_all(len as usize, ids);
        self.rows.occupy_run(row, len);
        let new = &ids[from..];
        self.ids.put_run(row, len, bytemuck::cast_slice(new));
        self.slots.bind_run(new, row);
    }

    /// Whether new rows are to be told to watchers, if there are any.
    #[inline]
    pub(super) fn may_be_watched(&self) -> bool {
        self.watched
    }

    /// Tells watchers that a new row has a component.
    #[inline]
    pub(super) fn mark_new(&mut self, row: u32, component: ComponentId) {
        self.pools[component.index()].mark_new(row);
    }

    /// Gives a row that was just taken its entity.
    #[inline]
    pub(crate) fn settle_row(&mut self, row: u32, id: EntityId) {
        self.ids.put(row, bytemuck::bytes_of(&id));
        self.settle_filled(row, id);
    }

    /// As `settle_row`, where the id is written already.
    #[inline(always)]
    pub(super) fn settle_filled(&mut self, row: u32, id: EntityId) {
        self.rows.set_queryable(row, true);
        self.slots.bind(id, row);
    }

    /// Up to `ids.len()` rows side by side; the first ids get them. Gives the first row and how many there are.
    pub(crate) fn create_run(&mut self, archetype: ArchetypeId, ids: &[EntityId]) -> (u32, u32) {
        let most = ids.len() as u32;
        let (row, len) = match self.rows.take_run(archetype, most) {
            Some(run) => run,
            None => self.extend_and(|rows| rows.take_run(archetype, most), archetype),
        };
        self.ids.put_run(row, len, bytemuck::cast_slice(&ids[..len as usize]));
        self.rows.set_queryable_run(row, len);
        for (k, &id) in ids[..len as usize].iter().enumerate() {
            self.slots.bind(id, row + k as u32);
        }
        (row, len)
    }

    /// Another extent for an archetype, without pages.
    pub(crate) fn extend(&mut self, archetype: ArchetypeId) -> NewExtent {
        let extent = self.rows.extend(archetype);
        for &component in self.rows.components(archetype) {
            let pool = &mut self.pools[component.index()];
            (0..extent.words).for_each(|k| pool.prepare(extent.first_word + k, u64::MAX));
        }
        extent
    }

    /// Takes the components of its archetype that an entity lacks from the row it just got.
    pub(crate) fn fit_row(&mut self, row: u32, components: &[ComponentId]) {
        for component in self.rows.own_and_late(row as usize / 64).0 {
            if !components.contains(component) {
                self.pools[component.index()].take(row);
            }
        }
    }

    #[cold]
    fn extend_and<R>(&mut self, take: impl Fn(&mut Rows) -> Option<R>, archetype: ArchetypeId) -> R {
        let extent = self.extend(archetype);
        self.ids.ensure_pages(extent.first_word, extent.words);
        for &component in self.rows.components(archetype) {
            self.pools[component.index()].ensure_pages(extent.first_word, extent.words);
        }
        take(&mut self.rows).expect("an extent that was just made has free rows")
    }

    /// Gives a row a block it does not have. See `Pool::insert` for what the caller promises.
    #[inline]
    pub(crate) fn insert(&mut self, component: ComponentId, row: u32, bytes: &[u8]) {
        self.rows.note_late(row, component);
        self.pools[component.index()].insert(row, bytes);
    }

    /// Writes a block of an entity where nothing else is to be done: over one that is there or, with `add`, into
    /// a row that has none. Whether it could: false if the entity is gone, or what it needs is more than that, such
    /// as to wait.
    #[inline(always)]
    pub(crate) fn put_plain(
        &mut self,
        id: EntityId,
        component: ComponentId,
        block: &[u8],
        add: bool,
    ) -> bool {
        let Some(row) = self.slots.row(id) else { return false };
        let pool = &mut self.pools[component.index()];
        let before = pool.present().word(row as usize / 64);
        if before >> (row % 64) & 1 == 1 {
            let replaced = pool.replace_if_free(row, block);
            if replaced && add && pool.watchers.any() {
                pool.watchers.mark_structure(row);
            }
            return replaced;
        }
        if !add || pool.deferred().has(row) {
            return false;
        }
        // Another row of the word has it: that was noted then.
        if before == 0 {
            self.rows.note_late(row, component);
        }
        pool.insert(row, block);
        true
    }

    /// What changes of one component of many entities need.
    pub(crate) fn split(&mut self, component: ComponentId) -> (&SlotTable, &mut Rows, &mut Pool) {
        (self.slots.table(), &mut self.rows, &mut self.pools[component.index()])
    }

    /// Takes an entity's row out of queries, and gives up its blocks, which stay until `free_row`.
    #[inline]
    pub(crate) fn retire_row(&mut self, id: EntityId, row: u32) {
        self.rows.retire(row);
        self.slots.release(id);
    }

    /// Gives back whatever blocks still wait in a retired row; the row itself is given back by `Rows::give`.
    #[inline]
    pub(crate) fn free_row(&mut self, row: u32) {
        self.free_rows(row as usize / 64, 1 << (row % 64));
    }

    /// As `free_row`, for rows of a word.
    #[inline]
    pub(crate) fn free_rows(&mut self, word: usize, rows: u64) {
        for component in self.rows.ever(word) {
            self.pools[component.index()].free_retired(word, rows);
        }
    }

    /// Gives rows of a word back whose blocks were given back before.
    #[inline]
    pub(crate) fn give_rows(&mut self, word: usize, rows: u64) {
        for component in self.rows.own_and_late(word).0 {
            self.pools[component.index()].prepare(word, rows);
        }
        self.rows.give_word(word, rows);
    }

    /// The components of a row, in registry order.
    pub(crate) fn components_of(&self, row: u32) -> Vec<ComponentId> {
        let ever = self.rows.ever(row as usize / 64);
        let mut components: Vec<ComponentId> = ever.filter(|&c| self.pool(c).present().has(row)).collect();
        components.sort_unstable();
        components
    }

    /// Takes the pool of a component away, with the bits of rows that somebody has or had alone; an empty one takes its
    /// place, in a storage that is not used any more.
    pub(crate) fn take_pool(&mut self, component: ComponentId, block: Layout) -> Pool {
        let mut pool = std::mem::replace(&mut self.pools[component.index()], Pool::new(block));
        self.rows.free().iter().enumerate().for_each(|(word, &free)| pool.free_retired(word, free));
        self.pages_given_back += 1;
        pool
    }

    /// How many rows that somebody has, or had and that are not given back, have a component.
    pub(crate) fn held(&self, component: ComponentId) -> usize {
        self.pool(component).present().count().saturating_sub(self.rows.free_of(component))
    }

    /// How many living entities have a component.
    pub(crate) fn live(&self, component: ComponentId) -> usize {
        let present = self.pool(component).present();
        self.held(component) - self.rows.retired().count_common(present)
    }

    /// How many blocks of a component were given up and wait for open runs.
    pub(crate) fn deferred(&self, component: ComponentId) -> usize {
        let pool = self.pool(component);
        pool.deferred().count() + self.rows.retired().count_common(pool.present())
    }

    /// Bytes of everything.
    pub(crate) fn bytes(&self) -> usize {
        self.pools.iter().map(Pool::bytes).sum::<usize>() + self.table_bytes()
    }

    /// Bytes of what is not a pool of a component.
    pub(crate) fn table_bytes(&self) -> usize {
        self.rows.bytes() + self.slots.bytes() + self.ids.bytes()
    }

    /// Whether nothing holds a pool that these borrows need.
    pub(crate) fn can_lend(&self, borrows: &[(ComponentId, bool)]) -> bool {
        borrows.iter().all(|&(component, to_write)| self.pool(component).can_lend(to_write))
    }

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

    /// Brings the mask of a query up to date: the rows a run of it would visit now. What it looks for changes of
    /// counts as seen then.
    pub(crate) fn update_mask(&mut self, query: &mut CompiledQuery) {
        self.peek_mask(query);
        for (component, token) in &query.changed {
            self.pools[component.index()].watchers.clear(token);
        }
    }

    /// As `update_mask`, but what the query looks for changes of stays unseen.
    pub(crate) fn peek_mask(&self, query: &mut CompiledQuery) {
        if !query.changed.is_empty() {
            query.cache.forget();
        }
        self.compile_mask(query);
    }

    #[inline]
    fn compile_mask(&self, query: &mut CompiledQuery) {
        let stamp =
            query.used.iter().fold(self.rows.version(), |sum, &c| sum.wrapping_add(self.pool(c).version()));
        let (required, optional, without) = (&query.required, &query.optional, &query.without);
        let visited = query.visited.iter().map(|&c| self.pool(c)).chain([&self.ids]);
        let changed = &query.changed;
        query.cache.update(stamp, || {
            let present = |components: &[ComponentId]| -> Vec<&Presence> {
                components.iter().map(|&c| self.pool(c).present()).collect()
            };
            let mut without = present(without);
            if query.skips_statics {
                without.push(self.rows.statics());
            }
            let dirty = changed.iter().filter_map(|(c, token)| self.pool(*c).watchers.dirty(token));
            Terms {
                from: self.rows.queryable(),
                required: &present(required).into_iter().chain(dirty).collect::<Vec<_>>(),
                without: &without,
                optional: &present(optional),
                visited: &visited.collect::<Vec<_>>(),
            }
            .compile()
        })
    }

    /// The optional components of a row, as bits, if it would be a member of a query now, whatever was written.
    pub(crate) fn member(&self, query: &CompiledQuery, row: u32) -> Option<u32> {
        let has = |component: &ComponentId| self.pool(*component).present().has(row);
        let is_member = self.rows.queryable().has(row)
            && !(query.skips_statics && self.rows.statics().has(row))
            && query.required.iter().all(has)
            && !query.without.iter().any(has);
        let bits =
            query.optional.iter().enumerate().map(|(place, component)| (has(component) as u32) << place);
        is_member.then(|| bits.sum())
    }

    /// The optional components of a row that it has, or whose blocks it gave up and that are not freed yet.
    pub(crate) fn optional_with_owed(&self, query: &CompiledQuery, row: u32) -> u32 {
        let has = |pool: &Pool| pool.present().has(row) || pool.deferred().has(row);
        let bits = query.optional.iter().enumerate();
        bits.map(|(place, &component)| (has(self.pool(component)) as u32) << place).sum()
    }

    /// Whether rows were noted for a watcher of a query's structure.
    pub(crate) fn is_touched(&self, query: &CompiledQuery, token: &WatchToken) -> bool {
        let any = |watchers: &Watchers| watchers.dirty(token).is_some_and(|rows| rows.count() > 0);
        any(&self.rows.watchers) || query.used.iter().any(|&component| any(&self.pool(component).watchers))
    }

    /// Lends what a run needs; the masks of its queries are up to date. Views are more queries, of no members until
    /// they are given some.
    ///
    /// # Panics
    /// If another run's borrow of a pool forbids it.
    pub(crate) fn lend(
        &mut self,
        run: RunId,
        borrows: &[(ComponentId, bool)],
        queries: &[CompiledQuery],
        views: &[CompiledQuery],
    ) -> Lent {
        let own = queries.iter().flat_map(|query| query.changed.iter().map(|(_, token)| token.clone()));
        let own = own.collect();
        let views = views.iter().map(|view| LentQuery::with_mask(view, borrows, Arc::default()));
        let queries = queries.iter().map(|query| LentQuery::of(query, borrows)).chain(views).collect();
        let pools = borrows.iter().map(|&(component, to_write)| {
            let pool = &mut self.pools[component.index()];
            LentPool { component, block_size: pool.block_size(), directory: pool.lend(run, to_write) }
        });
        let pools = pools.collect();
        Lent { run, queries, pools, ids: self.lent_ids(), own, baseline: false, at: Cell::default() }
    }

    /// Lends what several runs need that are done as one, whose queries these are, one each.
    ///
    /// # Panics
    /// If another run's borrow of a pool forbids it.
    pub(crate) fn lend_joined<'q>(
        &mut self,
        run: RunId,
        borrows: &[(ComponentId, bool)],
        queries: impl Iterator<Item = &'q CompiledQuery>,
    ) -> Lent {
        let mut lent = self.lend(run, borrows, &[], &[]);
        lent.queries = queries.map(|query| LentQuery::of(query, borrows)).collect();
        lent
    }

    /// What a visit by the world thread needs, which borrows the world until it is over. The query's mask is up to
    /// date.
    pub(crate) fn view(&self, borrows: &[(ComponentId, bool)], query: &CompiledQuery) -> Lent {
        self.view_rows(borrows, query, query.cache.mask().clone())
    }

    /// As `view`, of other rows than the query's members: rows that have what it requires, or gave it up and whose
    /// blocks are not freed yet.
    pub(crate) fn view_rows(
        &self,
        borrows: &[(ComponentId, bool)],
        query: &CompiledQuery,
        mask: Arc<Mask>,
    ) -> Lent {
        let pools = borrows.iter().map(|&(component, _)| LentPool {
            component,
            block_size: self.pool(component).block_size(),
            directory: self.pool(component).directory(),
        });
        Lent {
            run: RunId(u64::MAX),
            queries: vec![LentQuery::with_mask(query, borrows, mask)],
            pools: pools.collect(),
            ids: self.lent_ids(),
            own: query.changed.iter().map(|(_, token)| token.clone()).collect(),
            baseline: false,
            at: Cell::default(),
        }
    }

    fn lent_ids(&self) -> LentPool {
        LentPool {
            component: ComponentId::ENTITY,
            block_size: size_of::<EntityId>(),
            directory: self.ids.directory(),
        }
    }

    /// Tells this storage from all others.
    pub(crate) fn token(&self) -> StorageToken {
        StorageToken(self.token.clone())
    }

    /// A way to a component of any entity, which no run writes now.
    pub(crate) fn reader<T: Component>(&self, component: ComponentId) -> Reader<'_, T> {
        Reader::new(self.slots.table(), self.pool(component))
    }

    /// What a run needs to read components of any entity, beyond what `lend` lends: as things are now.
    pub(crate) fn lookups(&self, plans: &mut [LookupPlan]) -> Lookups {
        Lookups::new(
            self.slots.table().clone(),
            plans.iter_mut().map(|plan| plan.of(self.pool(plan.component), &self.rows)),
        )
    }

    /// Takes back what was lent to a run.
    pub(crate) fn take_back(&mut self, lent: Lent) {
        for pool in &lent.pools {
            self.pools[pool.component.index()].take_back(lent.run);
        }
        self.mark_written(&lent);
    }

    /// Takes back what was lent to a run that will be lent it again.
    pub(crate) fn take_back_from(&mut self, lent: &mut Lent) {
        for pool in &lent.pools {
            self.pools[pool.component.index()].take_back(lent.run);
        }
        self.mark_written(lent);
        lent.pools.clear();
        lent.queries.clear();
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

/// A query of a system, its types resolved to components.
pub(crate) struct CompiledQuery {
    /// Its terms in order; no component for the id.
    pub(crate) terms: Vec<(Option<ComponentId>, ItemKind)>,
    /// The terms as they were asked for.
    pub(crate) kinds: Arc<[ItemTerm]>,
    pub(crate) required: Vec<ComponentId>,
    pub(crate) optional: Vec<ComponentId>,
    pub(crate) without: Vec<ComponentId>,
    /// All of these.
    pub(crate) used: Vec<ComponentId>,
    /// Components whose blocks are touched.
    pub(crate) visited: Vec<ComponentId>,
    /// Components whose changes are looked for.
    pub(crate) changed: Vec<(ComponentId, WatchToken)>,
    pub(crate) skips_statics: bool,
    pub(crate) cache: MaskCache,
}

impl CompiledQuery {
    /// The pools a run of it borrows, and whether to write.
    pub(crate) fn borrows(&self) -> Vec<(ComponentId, bool)> {
        let touched = self.terms.iter().filter(|(_, kind)| kind.touches());
        touched.filter_map(|&(component, kind)| Some((component?, kind.writes()))).collect()
    }

    /// Asks of members also what another query asks of its own, which has no optional items.
    pub(crate) fn restrict(&mut self, other: &CompiledQuery) {
        self.required.extend(&other.required);
        self.required.sort_unstable();
        self.required.dedup();
        self.without.extend(&other.without);
        self.visited.extend(&other.visited);
        self.used = [&self.required[..], &self.optional, &self.without].concat();
    }
}

/// What a run holds: the masks of its queries, and the pools they visit.
#[doc(hidden)]
pub struct Lent {
    pub(crate) run: RunId,
    pub(crate) queries: Vec<LentQuery>,
    pub(crate) pools: Vec<LentPool>,
    pub(crate) ids: LentPool,
    /// Watchers that belong to the run's own queries.
    own: Vec<WatchToken>,
    /// Whether to do without the code compiled for newer processors.
    pub(crate) baseline: bool,
    /// The rows being visited, first and count: where a panic happened.
    pub(crate) at: Cell<(u32, u32)>,
}

/// A query of a run.
pub(crate) struct LentQuery {
    /// The pool of each term, as a place in `Lent::pools`.
    terms: Vec<Option<usize>>,
    /// The terms as they were asked for.
    kinds: Arc<[ItemTerm]>,
    pub(crate) mask: Arc<Mask>,
    /// Whether the run went over it.
    pub(crate) visited: bool,
}

/// A pool lent to a run.
#[doc(hidden)]
pub struct LentPool {
    pub(crate) component: ComponentId,
    pub(crate) block_size: usize,
    pub(crate) directory: Arc<Directory>,
}

impl Lent {
    /// How many members a query has.
    pub(crate) fn members(&self, query: usize) -> usize {
        self.queries[query].mask.members
    }

    /// Whether the first query's mask is this one, so that every row it has has its page in the directories.
    pub(crate) fn is_up_to_date(&self, mask: &Arc<Mask>) -> bool {
        self.queries.first().is_some_and(|query| Arc::ptr_eq(&query.mask, mask))
    }

    /// What belongs to one of the runs that this was lent to as one: the mask of its query, and no pools.
    pub(crate) fn without_pools(&self, run: RunId, query: usize) -> Self {
        let LentQuery { kinds, mask, .. } = &self.queries[query];
        let query = LentQuery { terms: Vec::new(), kinds: kinds.clone(), mask: mask.clone(), visited: false };
        let LentPool { component, block_size, ref directory } = self.ids;
        let ids = LentPool { component, block_size, directory: directory.clone() };
        let (pools, own) = (Vec::new(), Vec::new());
        Self { run, queries: vec![query], pools, ids, own, baseline: self.baseline, at: Cell::default() }
    }

    /// Lets two queries change places.
    pub(crate) fn swap_queries(&mut self, one: usize, other: usize) {
        self.queries.swap(one, other);
    }

    /// Counts more watchers as the run's own: what it writes is no news to them.
    pub(crate) fn own(&mut self, tokens: impl Iterator<Item = WatchToken>) {
        self.own.extend(tokens);
    }

    /// Visits some of a query's members instead of all, or in another order: the rows of `mask` are members.
    pub(crate) fn set_mask(&mut self, query: usize, mask: Arc<Mask>) {
        self.queries[query].mask = mask;
    }

    /// As `set_mask`; gives the one it had.
    pub(crate) fn exchange_mask(&mut self, query: usize, mask: Arc<Mask>) -> Arc<Mask> {
        std::mem::replace(&mut self.queries[query].mask, mask)
    }

    /// The pool of a query's term; none if the term touches no block.
    pub(crate) fn pool(&self, query: usize, term: usize) -> Option<&LentPool> {
        self.queries[query].terms[term].map(|at| &self.pools[at])
    }
}

impl LentQuery {
    fn of(query: &CompiledQuery, borrows: &[(ComponentId, bool)]) -> Self {
        Self::with_mask(query, borrows, query.cache.mask().clone())
    }

    fn with_mask(query: &CompiledQuery, borrows: &[(ComponentId, bool)], mask: Arc<Mask>) -> Self {
        let place = |component| borrows.iter().position(|&(borrowed, _)| Some(borrowed) == component);
        Self {
            terms: query.terms.iter().map(|&(component, _)| place(component)).collect(),
            kinds: query.kinds.clone(),
            mask,
            visited: false,
        }
    }

    /// How each term uses its component.
    pub(super) fn item_kinds(&self) -> impl Iterator<Item = ItemKind> + '_ {
        self.kinds.iter().map(|term| term.kind)
    }

    /// Whether the query was asked for with these terms.
    pub(crate) fn is_of(&self, terms: &[ItemTerm]) -> bool {
        *self.kinds == *terms
    }
}
