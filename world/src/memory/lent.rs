//! What is lent to runs: pools, and the members of queries to visit in them.

use super::bits::Presence;
use super::directory::Directory;
use super::lookup::{LookupPlan, Lookups, Reader};
use super::mask::{Mask, MaskCache, Terms};
use super::pool::Pool;
use super::storage::Storage;
use super::watch::WatchToken;
use super::{ItemKind, ItemTerm};
use crate::component::Component;
use crate::id::{ComponentId, EntityId, RunId};
use std::cell::Cell;
use std::sync::Arc;

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
    pub(super) own: Vec<WatchToken>,
    /// Whether to do without the code compiled for newer processors.
    pub(crate) baseline: bool,
    /// The rows being visited, first and count: where a panic happened.
    pub(crate) at: Cell<(u32, u32)>,
}

/// A query of a run.
pub(crate) struct LentQuery {
    /// The pool of each term, as a place in `Lent::pools`.
    pub(super) terms: Vec<Option<usize>>,
    /// The terms as they were asked for.
    pub(super) kinds: Arc<[ItemTerm]>,
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

impl Storage {
    /// Whether nothing holds a pool that these borrows need.
    pub(crate) fn can_lend(&self, borrows: &[(ComponentId, bool)]) -> bool {
        borrows.iter().all(|&(component, to_write)| self.pool(component).can_lend(to_write))
    }

    /// Grows with every change of what any query may find.
    pub(crate) fn structure_version(&self) -> u64 {
        self.pools.iter().fold(self.rows.version(), |sum, pool| sum.wrapping_add(pool.version()))
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
}
