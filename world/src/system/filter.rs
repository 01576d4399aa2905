//! Queries that leave out members whose values do not suit.

use crate::memory::{ItemTerm, Lent, Mask, Query, visit};
use std::sync::Arc;

/// Asks for each member of a query of a run, in order, whether it stays.
type Keep = Box<dyn FnMut(&mut Lent, usize) -> Vec<bool> + Send>;

/// Says which members of a query stay.
pub(crate) struct Filter {
    /// Which of the system's queries it filters.
    pub(crate) query: usize,
    /// What it reads of each member.
    pub(crate) terms: Vec<ItemTerm>,
    keep: Keep,
}

impl Filter {
    pub(super) fn new<Q: Query + 'static>(
        query: usize,
        mut keep: impl for<'a> FnMut(Q::Row<'a>) -> bool + Send + 'static,
    ) -> Self {
        let keep = move |lent: &mut Lent, view: usize| {
            let mut kept = Vec::with_capacity(lent.members(view));
            visit::<Q>(lent, view, |item, _| kept.push(keep(item)));
            kept
        };
        Self { query, terms: Q::terms(), keep: Box::new(keep) }
    }

    /// Takes members that do not suit out of the filtered query of a run. `view` is the query as the filter reads it,
    /// with the same members.
    pub(crate) fn apply(&mut self, lent: &mut Lent, view: usize) {
        let mask = lent.queries[self.query].mask.clone();
        lent.set_mask(view, mask.clone());
        let kept = (self.keep)(lent, view);
        if kept.iter().all(|&kept| kept) {
            return;
        }
        let members = mask.rows_and_optional().zip(kept).filter(|&(_, kept)| kept).map(|(member, _)| member);
        lent.set_mask(self.query, Arc::new(Mask::in_this_order(members)));
    }
}
