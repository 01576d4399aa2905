//! Rows, pools and slots together: entities as memory knows them.

use super::pool::Pool;
use super::rows::{ArchetypeId, NewExtent, Rows};
use super::slots::{SlotTable, Slots};
use crate::id::{ComponentId, EntityId};
use std::alloc::Layout;
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
    /// Whether anybody wants to know of changes, or did when the last watcher came or went.
    pub(super) watched: bool,
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

    /// Tells this storage from all others.
    pub(crate) fn token(&self) -> StorageToken {
        StorageToken(self.token.clone())
    }
}
