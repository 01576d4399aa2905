//! The loops over a run's members: the hottest code there is.

#![expect(unsafe_code, reason = "visits the rows of a run's mask; the invariants are in `memory`")]

use super::bits::ones;
use super::item::Item;
use super::mask::Piece;
use super::storage::Lent;
use super::tuple::Query;
use crate::id::EntityId;
use std::cell::Cell;

/// Calls `each` with every member of a query of a run, in row order.
///
/// Compiled twice, for any machine and for those with AVX2, which is used where there is one: rows of three
/// floats run at half the speed without.
pub(crate) fn visit<Q: Query>(lent: &mut Lent, query: usize, each: impl FnMut(Q::Row<'_>, u32)) {
    lent.queries[query].visited = true;
    let columns = Q::open(lent, query);
    let pieces = &lent.queries[query].mask.pieces;
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn wide<Q: Query>(
            columns: Q::Columns,
            pieces: &[Piece],
            at: &Cell<(u32, u32)>,
            each: impl FnMut(Q::Row<'_>, u32),
        ) {
            // SAFETY: as in `visit`.
            unsafe { visit_pieces::<Q>(columns, pieces, at, each) }
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: AVX2 was just detected.
            return unsafe { wide::<Q>(columns, pieces, &lent.at, each) };
        }
    }
    // SAFETY: the mask is that of the query the columns were opened for, and `&mut Lent` makes this visit the
    // only one of the run.
    unsafe { visit_pieces::<Q>(columns, pieces, &lent.at, each) }
}

/// # Safety
/// The pieces are of the mask of the run that lent the columns, and nothing else visits them meanwhile.
#[inline(always)]
unsafe fn visit_pieces<Q: Query>(
    columns: Q::Columns,
    pieces: &[Piece],
    at: &Cell<(u32, u32)>,
    mut each: impl FnMut(Q::Row<'_>, u32),
) {
    for piece in pieces {
        at.set((piece.row, piece.len.max(piece.bits.count_ones())));
        // SAFETY: the piece is of the mask, with these optional components.
        let places = unsafe { Q::place(columns, piece.row, piece.optional) };
        for k in 0..piece.len as usize {
            // SAFETY: the piece's rows lie on joined pages, and each row is visited once.
            each(unsafe { Q::row(places, k) }, piece.row + k as u32);
        }
        if piece.len == 0 {
            for k in ones(piece.bits) {
                // SAFETY: the rows of `bits` lie on the page of the piece's row, and each is visited once.
                each(unsafe { Q::row(places, k as usize) }, piece.row + k);
            }
        }
    }
}

/// Calls `each` with slices of members that lie side by side, in row order; scattered members come one by one.
pub(crate) fn visit_chunks<Q: Query>(lent: &mut Lent, query: usize, mut each: impl FnMut(Q::Chunk<'_>)) {
    lent.queries[query].visited = true;
    let columns = Q::open(lent, query);
    for piece in &lent.queries[query].mask.pieces {
        lent.at.set((piece.row, piece.len.max(piece.bits.count_ones())));
        // SAFETY: the piece is of the mask, with these optional components.
        let places = unsafe { Q::place(columns, piece.row, piece.optional) };
        if piece.len > 0 {
            // SAFETY: the piece's rows lie on joined pages, and each is visited once.
            each(unsafe { Q::chunk(places, piece.len as usize) });
        }
        for k in ones(piece.bits) {
            // SAFETY: the row is of the mask, on the page of the piece's row.
            let place = unsafe { Q::place(columns, piece.row + k, piece.optional) };
            // SAFETY: one row, visited once.
            each(unsafe { Q::chunk(place, 1) });
        }
    }
}

/// Calls `each` with the id and the row of every member of a query of a run.
pub(crate) fn visit_ids(lent: &mut Lent, query: usize, each: impl FnMut(EntityId, u32)) {
    let columns = <EntityId as Item>::open(lent, None, 0);
    // SAFETY: every row of a mask has an id, and the pool of ids is lent to every run to read.
    unsafe { visit_pieces::<EntityId>(columns, &lent.queries[query].mask.pieces, &lent.at, each) }
}
