//! The loops over a run's members: the hottest code there is.

#![expect(unsafe_code, reason = "visits the rows of a run's mask; the invariants are in `memory`")]

use super::bits::ones;
use super::item::Item;
use super::lent::Lent;
use super::mask::Piece;
use super::parts::part_starts;
use super::tuple::Query;
use crate::id::EntityId;
use std::cell::Cell;

/// Calls `each` with every member of a query of a run, in row order.
pub(crate) fn visit<Q: Query>(lent: &mut Lent, query: usize, each: impl FnMut(Q::Row<'_>, u32)) {
    lent.queries[query].visited = true;
    let columns = Q::open(lent, query);
    let pieces = lent.queries[query].mask.pieces.iter().copied();
    // SAFETY: the mask is that of the query the columns were opened for, and `&mut Lent` makes this visit the
    // only one of the run.
    unsafe { visit_members::<Q>(columns, pieces, lent.baseline, &lent.at, each) }
}

/// How far a visit has come that is done bit by bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RowCursor {
    piece: usize,
    /// Rows done of that piece.
    done: u32,
}

impl RowCursor {
    /// The next row of a query; none at its end.
    pub(crate) fn row(&self, lent: &Lent, query: usize) -> Option<u32> {
        lent.queries[query].mask.pieces.get(self.piece).map(|piece| piece.row + self.done)
    }
}

/// Where a part of a query begins; none if it has fewer parts.
pub(crate) fn part_begin(lent: &Lent, query: usize, part: usize) -> Option<RowCursor> {
    let start = part_starts(&lent.queries[query].mask).get(part);
    start.map(|&(piece, done)| RowCursor { piece: piece as usize, done })
}

/// Calls `each` with the members of a query from a cursor on, as far as their rows are below `end` and a part that
/// begins at `until` is not reached, and moves the cursor there. Scattered rows of one word are visited together:
/// `end` is a multiple of 64.
pub(crate) fn visit_to<Q: Query>(
    lent: &mut Lent,
    query: usize,
    from: &mut RowCursor,
    end: u32,
    until: Option<RowCursor>,
    each: impl FnMut(Q::Row<'_>, u32),
) {
    lent.queries[query].visited = true;
    let columns = Q::open(lent, query);
    let these = pieces_to(&lent.queries[query].mask.pieces, from, end, until);
    // SAFETY: the rows are those of pieces of the query's mask, each once, for which the columns were opened, and
    // `&mut Lent` makes this visit the only one of the run.
    unsafe { visit_members::<Q>(columns, these, lent.baseline, &lent.at, each) }
}

/// As `visit_to`, with slices of members as `visit_chunks` has them; none goes beyond `end`.
pub(crate) fn visit_chunks_to<Q: Query>(
    lent: &mut Lent,
    query: usize,
    from: &mut RowCursor,
    end: u32,
    each: impl FnMut(Q::Chunk<'_>),
) {
    lent.queries[query].visited = true;
    let columns = Q::open(lent, query);
    let these = pieces_to(&lent.queries[query].mask.pieces, from, end, None);
    // SAFETY: as for `visit_to`.
    unsafe { visit_slices::<Q>(columns, these, lent.baseline, &lent.at, each) }
}

/// What is left of some pieces from a cursor on, as far as `visit_to` goes; moves the cursor.
#[inline(always)]
fn pieces_to(
    pieces: &[Piece],
    from: &mut RowCursor,
    end: u32,
    until: Option<RowCursor>,
) -> impl Iterator<Item = Piece> {
    debug_assert!(end.is_multiple_of(64));
    std::iter::from_fn(move || {
        if until.is_some_and(|until| *from >= until) {
            return None;
        }
        let piece = pieces.get(from.piece).filter(|piece| piece.row + from.done < end)?;
        if piece.len == 0 {
            from.piece += 1;
            return Some(*piece);
        }
        let of_part = until.filter(|until| until.piece == from.piece).map_or(piece.len, |until| until.done);
        let (row, to) = (piece.row + from.done, end.min(piece.row + of_part));
        from.done = to - piece.row;
        if from.done == piece.len {
            *from = RowCursor { piece: from.piece + 1, done: 0 };
        }
        Some(Piece { row, len: to - row, ..*piece })
    })
}

/// Calls `each` with every row of some pieces.
///
/// Compiled twice, for any machine and for those with AVX2 and what always comes with it, which is used where
/// there is one, unless `baseline`: rows of three floats run at half the speed without, inverses of 4x4 matrices run
/// faster.
///
/// # Safety
/// As for `visit_pieces`.
#[inline]
pub(super) unsafe fn visit_members<Q: Query>(
    columns: Q::Columns,
    pieces: impl Iterator<Item = Piece>,
    baseline: bool,
    at: &Cell<(u32, u32)>,
    each: impl FnMut(Q::Row<'_>, u32),
) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,bmi1,popcnt")]
        unsafe fn wide<Q: Query>(
            columns: Q::Columns,
            pieces: impl Iterator<Item = Piece>,
            at: &Cell<(u32, u32)>,
            each: impl FnMut(Q::Row<'_>, u32),
        ) {
            // SAFETY: the caller's promise, passed on.
            unsafe { visit_pieces::<Q>(columns, pieces, at, each) }
        }
        if !baseline && is_wide() {
            // SAFETY: it was just detected; the rest is the caller's promise.
            return unsafe { wide::<Q>(columns, pieces, at, each) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = baseline;
    // SAFETY: the caller's promise, passed on.
    unsafe { visit_pieces::<Q>(columns, pieces, at, each) }
}

/// Runs of fewer rows are short.
const SHORT: usize = 32;

/// # Safety
/// The pieces are of the mask of the run that lent the columns, and nothing else visits them meanwhile.
#[inline(always)]
unsafe fn visit_pieces<Q: Query>(
    columns: Q::Columns,
    pieces: impl Iterator<Item = Piece>,
    at: &Cell<(u32, u32)>,
    mut each: impl FnMut(Q::Row<'_>, u32),
) {
    for piece in pieces {
        at.set((piece.row, piece.len.max(piece.bits.count_ones())));
        // SAFETY: the piece is of the mask, with these optional components.
        let places = unsafe { Q::place(columns, piece.row, piece.optional) };
        let mut done = 0;
        let len = piece.len as usize;
        if len < SHORT {
            // Eight at a time, which the compiler unrolls into vectors: its own loops are for longer runs.
            while done + 8 <= len {
                for k in done..done + 8 {
                    // SAFETY: the piece's rows lie on joined pages, and each row is visited once.
                    each(unsafe { Q::row(places, k) }, piece.row + k as u32);
                }
                done += 8;
            }
        }
        for k in done..len {
            // SAFETY: as above.
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

/// Whether code may use AVX2 and what always comes with it.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn is_wide() -> bool {
    std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("bmi1")
        && std::arch::is_x86_feature_detected!("popcnt")
}

/// Calls `each` with slices of members that lie side by side, in row order; scattered members come one by one.
pub(crate) fn visit_chunks<Q: Query>(lent: &mut Lent, query: usize, each: impl FnMut(Q::Chunk<'_>)) {
    lent.queries[query].visited = true;
    let columns = Q::open(lent, query);
    let pieces = lent.queries[query].mask.pieces.iter().copied();
    // SAFETY: as for `visit`.
    unsafe { visit_slices::<Q>(columns, pieces, lent.baseline, &lent.at, each) }
}

/// Calls `each` with every piece as a slice, and with scattered rows one by one. Compiled twice, like
/// `visit_members`.
///
/// # Safety
/// As for `visit_pieces`.
#[inline]
unsafe fn visit_slices<Q: Query>(
    columns: Q::Columns,
    pieces: impl Iterator<Item = Piece>,
    baseline: bool,
    at: &Cell<(u32, u32)>,
    each: impl FnMut(Q::Chunk<'_>),
) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,bmi1,popcnt")]
        unsafe fn wide<Q: Query>(
            columns: Q::Columns,
            pieces: impl Iterator<Item = Piece>,
            at: &Cell<(u32, u32)>,
            each: impl FnMut(Q::Chunk<'_>),
        ) {
            // SAFETY: the caller's promise, passed on.
            unsafe { slices::<Q>(columns, pieces, at, each) }
        }
        if !baseline && is_wide() {
            // SAFETY: it was just detected; the rest is the caller's promise.
            return unsafe { wide::<Q>(columns, pieces, at, each) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = baseline;
    // SAFETY: the caller's promise, passed on.
    unsafe { slices::<Q>(columns, pieces, at, each) }
}

/// # Safety
/// As for `visit_pieces`.
#[inline(always)]
unsafe fn slices<Q: Query>(
    columns: Q::Columns,
    pieces: impl Iterator<Item = Piece>,
    at: &Cell<(u32, u32)>,
    mut each: impl FnMut(Q::Chunk<'_>),
) {
    for piece in pieces {
        at.set((piece.row, piece.len.max(piece.bits.count_ones())));
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

/// The ids of the members of a query that `choose` says yes to, in row order.
pub(crate) fn select<Q: Query>(
    lent: &mut Lent,
    query: usize,
    mut choose: impl FnMut(Q::Row<'_>) -> bool,
) -> Vec<EntityId> {
    lent.queries[query].visited = true;
    let (columns, ids) = (Q::open(lent, query), <EntityId as Item>::open(lent, None, 0));
    let mut chosen: Vec<EntityId> = Vec::new();
    for piece in &lent.queries[query].mask.pieces {
        lent.at.set((piece.row, piece.len.max(piece.bits.count_ones())));
        let rows = (piece.len + piece.bits.count_ones()) as usize;
        chosen.reserve(rows);
        let len = chosen.len();
        let room = &mut chosen.spare_capacity_mut()[..rows];
        let mut count = 0;
        // SAFETY: the piece is of the mask, with these optional components, and every row of a mask has an id.
        let (places, ids) = unsafe {
            (Q::place(columns, piece.row, piece.optional), <EntityId as Item>::place(ids, piece.row, 0))
        };
        // Each id is written, and kept by counting on if it was chosen: nothing to be guessed by the processor.
        let mut choose_row = |k: usize| {
            // SAFETY: the piece's rows lie on joined pages, and each is visited once; ids are read only.
            let (id, row) = unsafe { (<EntityId as Item>::row(ids, k), Q::row(places, k)) };
            room[count].write(id);
            count += choose(row) as usize;
        };
        (0..piece.len as usize).for_each(&mut choose_row);
        ones(piece.bits).for_each(|k| choose_row(k as usize));
        // SAFETY: so many ids were written there.
        unsafe { chosen.set_len(len + count) };
    }
    chosen
}

/// Calls `each` with the id and the row of every member of a query of a run.
pub(crate) fn visit_ids(lent: &mut Lent, query: usize, each: impl FnMut(EntityId, u32)) {
    let columns = <EntityId as Item>::open(lent, None, 0);
    let pieces = lent.queries[query].mask.pieces.iter().copied();
    // SAFETY: every row of a mask has an id, and the pool of ids is lent to every run to read.
    unsafe { visit_pieces::<EntityId>(columns, pieces, &lent.at, each) }
}

/// Whose row this is, of a row in a mask that a run has or had when it was dispatched.
///
/// # Panics
/// If the row is of no word that has a page.
pub(crate) fn id_in_run(lent: &Lent, row: u32) -> Option<EntityId> {
    let page = lent.ids.directory.page(row as usize / 64);
    assert!(!page.is_null(), "rows of a mask have an id");
    // SAFETY: the page has 64 ids, and the row is in the run's mask, so nobody writes its id (invariant 4).
    let bits = unsafe { page.cast::<[u32; 2]>().add(row as usize % 64).read() };
    EntityId::from_bits((bits[0] as u64) << 32 | bits[1] as u64)
}
