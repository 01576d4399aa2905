//! The members of several queries of one run in tiles, which any number of threads claim and visit, query by query.

#![expect(
    unsafe_code,
    reason = "visits the rows of a run's masks from several threads; the invariants are in `memory`"
)]

use super::claims::Claims;
use super::lent::{Lent, LentQuery};
use super::parts::{Cut, part_starts};
use super::tuple::Query;
use super::visit::visit_members;
use std::cell::Cell;
use std::ops::Range;

/// Parts of a tile: few enough rows that their blocks stay in the first-level cache.
const PARTS: usize = 2;

/// What is left to claim of the queries of one run, which all have the same members.
pub(crate) struct Tiles<'a> {
    lent: &'a Lent,
    /// Where each part begins in the pieces of every query.
    starts: &'a [(u32, u32)],
    /// By query: whether it is visited by code for any machine.
    baseline: Vec<bool>,
    claims: Claims,
}

// SAFETY: what was lent is only read, but for its cell, which nothing touches while it is borrowed here. Which thread
// visits which rows is settled by `claims`.
unsafe impl Sync for Tiles<'_> {}

impl<'a> Tiles<'a> {
    /// Cuts all queries of a run into tiles, with a `baseline` each; none if their members are not the same. The run is borrowed alone, so
    /// nothing else visits it meanwhile.
    pub(crate) fn new(lent: &'a mut Lent, baseline: Vec<bool>) -> Option<Self> {
        let (first, others) = lent.queries.split_first()?;
        fn rows(query: &LentQuery) -> impl Iterator<Item = (u32, u32, u64)> + '_ {
            query.mask.pieces.iter().map(|piece| (piece.row, piece.len, piece.bits))
        }
        if others.iter().any(|other| !rows(other).eq(rows(first))) {
            return None;
        }
        lent.queries.iter_mut().for_each(|query| query.visited = true);
        let lent: &'a Lent = lent;
        let starts = part_starts(&lent.queries.first()?.mask);
        let claims = Claims::new(starts.len().div_ceil(PARTS));
        Some(Self { lent, starts, baseline, claims })
    }

    /// How many tiles there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len().div_ceil(PARTS)
    }

    /// Claims the next tile; none if all are claimed.
    pub(crate) fn claim(&self) -> Option<Tile<'_, 'a>> {
        self.claims.claim().map(|number| Tile { tiles: self, number })
    }
}

/// A tile that nobody else has.
pub(crate) struct Tile<'t, 'a> {
    tiles: &'t Tiles<'a>,
    number: usize,
}

impl Tile<'_, '_> {
    /// Which it is, in row order.
    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// The parts it is made of, as each of the queries counts them.
    pub(crate) fn parts(&self) -> Range<usize> {
        self.number * PARTS..((self.number + 1) * PARTS).min(self.tiles.starts.len())
    }

    /// Calls `each` with the members of a query in one of the tile's parts, in order; `at` follows the rows it is on.
    ///
    /// # Panics
    /// If the part is none of this tile's.
    pub(crate) fn visit<Q: Query>(
        &mut self,
        query: usize,
        part: usize,
        at: &Cell<(u32, u32)>,
        each: impl FnMut(Q::Row<'_>, u32),
    ) {
        assert!(self.parts().contains(&part), "a part of the claimed tile");
        let Tiles { lent, starts, baseline, .. } = self.tiles;
        let columns = Q::open(lent, query);
        let pieces = lent.queries[query].mask.pieces.as_slice();
        let (first, skip) = starts[part];
        let (last, end) = starts.get(part + 1).copied().unwrap_or((pieces.len() as u32, 0));
        let rows = Cut { pieces, first, skip, last, end };
        // SAFETY: the pieces are of the mask of the query the columns were opened for. All queries of the run have
        // the same rows, cut at the same starts, so the rows of a tile are in no other. The counter gave this tile to
        // this claim alone, `&mut self` makes this visit the only one of it, and nothing else visits the run while
        // `tiles` borrows it.
        unsafe { visit_members::<Q>(columns, rows, baseline[query], at, each) };
    }
}
