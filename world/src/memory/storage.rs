//! Rows, pools and slots together: entities as memory knows them.

use super::bits::Presence;
use super::directory::Directory;
use super::lookup::{LookupPlan, Lookups};
use super::mask::{Mask, MaskCache, Terms};
use super::pool::Pool;
use super::rows::{ArchetypeId, Rows};
use super::slots::Slots;
use super::{ItemKind, ItemTerm};
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
    ids: Pool,
}

impl Storage {
    /// Storage for components whose blocks have these layouts, in the order of their ids.
    pub(crate) fn new(blocks: impl Iterator<Item = Layout>) -> Self {
        Self {
            rows: Rows::default(),
            slots: Slots::default(),
            pools: blocks.map(Pool::new).collect(),
            ids: Pool::new(Layout::new::<EntityId>()),
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
        let [generation, slot] = bytemuck::pod_read_unaligned::<[u32; 2]>(self.ids.bytes_of(row)?);
        EntityId::from_bits((generation as u64) << 32 | slot as u64)
    }

    /// A row for an entity of an archetype, with an id but no blocks yet. Queries find it.
    #[inline]
    pub(crate) fn create_row(&mut self, archetype: ArchetypeId, id: EntityId) -> u32 {
        let row = match self.rows.take(archetype) {
            Some(row) => row,
            None => self.extend_and(|rows| rows.take(archetype), archetype),
        };
        self.settle_row(row, id);
        row
    }

    /// Gives a row that was just taken its entity.
    #[inline]
    pub(crate) fn settle_row(&mut self, row: u32, id: EntityId) {
        self.ids.insert(row, bytemuck::bytes_of(&id));
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
        self.ids.insert_run(row, len, bytemuck::cast_slice(&ids[..len as usize]));
        self.rows.set_queryable_run(row, len);
        for (k, &id) in ids[..len as usize].iter().enumerate() {
            self.slots.bind(id, row + k as u32);
        }
        (row, len)
    }

    #[cold]
    fn extend_and<R>(&mut self, take: impl Fn(&mut Rows) -> Option<R>, archetype: ArchetypeId) -> R {
        let extent = self.rows.extend(archetype);
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

    /// Takes an entity's row out of queries, and gives up its blocks, which stay until `free_row`.
    pub(crate) fn retire_row(&mut self, id: EntityId, row: u32) {
        self.rows.set_queryable(row, false);
        self.rows.set_static(row, false);
        self.slots.release(id);
        for k in 0..self.rows.ever_len(row) {
            self.pools[self.rows.ever(row, k).index()].defer(row);
        }
    }

    /// Gives back a retired row with whatever blocks still wait in it.
    pub(crate) fn free_row(&mut self, row: u32) {
        for k in 0..self.rows.ever_len(row) {
            let pool = &mut self.pools[self.rows.ever(row, k).index()];
            if pool.deferred().has(row) {
                pool.free(row);
            }
        }
        self.ids.defer(row);
        self.ids.free(row);
        self.rows.give(row);
    }

    /// The components of a row whose blocks are deferred.
    pub(crate) fn deferred_of(&self, row: u32) -> Vec<ComponentId> {
        let ever = (0..self.rows.ever_len(row)).map(|k| self.rows.ever(row, k));
        ever.filter(|&c| self.pool(c).deferred().has(row)).collect()
    }

    /// The components of a row, in registry order.
    pub(crate) fn components_of(&self, row: u32) -> Vec<ComponentId> {
        let ever = (0..self.rows.ever_len(row)).map(|k| self.rows.ever(row, k));
        let mut components: Vec<ComponentId> = ever.filter(|&c| self.pool(c).present().has(row)).collect();
        components.sort_unstable();
        components
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

    /// The rows a query's run would visit now.
    pub(crate) fn mask(&self, query: &mut CompiledQuery) -> Arc<Mask> {
        let used = query.required.iter().chain(&query.optional).chain(&query.without);
        let versions = used.map(|&c| self.pool(c).version()).chain([self.rows.version()]);
        let (required, optional, without) = (&query.required, &query.optional, &query.without);
        let visited = query.visited.iter().map(|&c| self.pool(c)).chain([&self.ids]);
        query.cache.get(versions, || {
            let present = |components: &[ComponentId]| -> Vec<&Presence> {
                components.iter().map(|&c| self.pool(c).present()).collect()
            };
            let mut without = present(without);
            if query.skips_statics {
                without.push(self.rows.statics());
            }
            Terms {
                from: self.rows.queryable(),
                required: &present(required),
                without: &without,
                optional: &present(optional),
                visited: &visited.collect::<Vec<_>>(),
            }
            .compile()
        })
    }

    /// Lends what a run needs.
    ///
    /// # Panics
    /// If another run's borrow of a pool forbids it.
    pub(crate) fn lend(
        &mut self,
        run: RunId,
        borrows: &[(ComponentId, bool)],
        queries: &mut [CompiledQuery],
    ) -> Lent {
        let queries = queries.iter_mut().map(|query| {
            let terms = query
                .terms
                .iter()
                .map(|&(component, _)| borrows.iter().position(|&(borrowed, _)| Some(borrowed) == component));
            LentQuery { terms: terms.collect(), kinds: query.kinds.clone(), mask: self.mask(query) }
        });
        let queries = queries.collect();
        let pools = borrows.iter().map(|&(component, to_write)| {
            let pool = &mut self.pools[component.index()];
            LentPool { component, block_size: pool.block_size(), directory: pool.lend(run, to_write) }
        });
        let pools = pools.collect();
        let ids = LentPool {
            component: ComponentId::ENTITY,
            block_size: size_of::<EntityId>(),
            directory: self.ids.directory(),
        };
        Lent { run, queries, pools, ids, at: Cell::default() }
    }

    /// What a run needs to read components of any entity, beyond what `lend` lends: as things are now.
    pub(crate) fn lookups(&self, plans: &mut [LookupPlan]) -> Lookups {
        Lookups::new(
            self.slots.table().clone(),
            plans.iter_mut().map(|plan| plan.of(self.pool(plan.component))),
        )
    }

    /// Takes back what was lent to a run.
    pub(crate) fn take_back(&mut self, lent: Lent) {
        for pool in &lent.pools {
            self.pools[pool.component.index()].take_back(lent.run);
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
    /// Components whose blocks are touched.
    pub(crate) visited: Vec<ComponentId>,
    pub(crate) skips_statics: bool,
    pub(crate) cache: MaskCache,
}

/// What a run holds: the masks of its queries, and the pools they visit.
#[doc(hidden)]
pub struct Lent {
    pub(crate) run: RunId,
    pub(crate) queries: Vec<LentQuery>,
    pub(crate) pools: Vec<LentPool>,
    pub(crate) ids: LentPool,
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
}

/// A pool lent to a run.
#[doc(hidden)]
pub struct LentPool {
    pub(crate) component: ComponentId,
    pub(crate) block_size: usize,
    pub(crate) directory: Arc<Directory>,
}

impl Lent {
    /// The pool of a query's term; none if the term touches no block.
    pub(crate) fn pool(&self, query: usize, term: usize) -> Option<&LentPool> {
        self.queries[query].terms[term].map(|at| &self.pools[at])
    }
}

impl LentQuery {
    /// Whether the query was asked for with these terms.
    pub(crate) fn is_of(&self, terms: &[ItemTerm]) -> bool {
        *self.kinds == *terms
    }
}
