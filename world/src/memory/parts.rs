//! The members of a query in parts of a fixed size, which any number of threads claim and visit.

#![expect(
    unsafe_code,
    reason = "visits the rows of a run's mask from several threads; the invariants are in `memory`"
)]

use super::claims::Claims;
use super::lent::Lent;
use super::mask::{Mask, Piece};
use super::tuple::Query;
use super::visit::visit_members;
use crate::sync::{AtomicU64, Ordering};
use std::cell::Cell;

/// Rows of a part. Fixed, so that results do not depend on how many threads there are.
const PART: u32 = 256;

/// Where each part of a query begins: a place in its pieces, and rows to skip of that piece. Found once for a mask,
/// so that a run over the same rows as the last one costs no memory that grows with them.
pub(super) fn part_starts(mask: &Mask) -> &[(u32, u32)] {
    mask.parts.get_or_init(|| cut(mask))
}

fn cut(mask: &Mask) -> Vec<(u32, u32)> {
    let mut starts = Vec::with_capacity(mask.members / PART as usize + 1);
    let mut in_part = PART;
    for (at, piece) in mask.pieces.iter().enumerate() {
        if piece.len == 0 {
            if in_part >= PART {
                starts.push((at as u32, 0));
                in_part = 0;
            }
            in_part += piece.bits.count_ones();
            continue;
        }
        let mut done = 0;
        while done < piece.len {
            if in_part >= PART {
                starts.push((at as u32, done));
                in_part = 0;
            }
            let these = (PART - in_part).min(piece.len - done);
            in_part += these;
            done += these;
        }
    }
    starts
}

/// What is left to claim of a query of one run.
pub(crate) struct Parts<'a, Q: Query> {
    columns: Q::Columns,
    pieces: &'a [Piece],
    /// Where each part begins: a place in `pieces`, and rows to skip of that piece.
    starts: &'a [(u32, u32)],
    claims: Claims,
    /// The rows, first and count, at which a thread panicked; `NOWHERE` for none.
    panicked_at: AtomicU64,
    at: &'a Cell<(u32, u32)>,
    baseline: bool,
}

const NOWHERE: u64 = u64::MAX;

// SAFETY: the columns are read only, and name directories that the run holds as long as this is borrowed from it;
// the cell is touched by the thread that drops this alone. Which thread visits which rows is settled by `claims`.
unsafe impl<Q: Query> Sync for Parts<'_, Q> {}

impl<'a, Q: Query> Parts<'a, Q> {
    /// Cuts a query of a run into parts. The run is borrowed alone, so nothing else visits it meanwhile.
    pub(crate) fn new(lent: &'a mut Lent, query: usize) -> Self {
        lent.queries[query].visited = true;
        let lent: &'a Lent = lent;
        let columns = Q::open(lent, query);
        let mask = &lent.queries[query].mask;
        let (pieces, starts) = (mask.pieces.as_slice(), part_starts(mask));
        let (claims, panicked_at) = (Claims::new(starts.len()), AtomicU64::new(NOWHERE));
        Self { columns, pieces, starts, claims, panicked_at, at: &lent.at, baseline: lent.baseline }
    }

    /// How many parts there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Claims the next part; none if all are claimed.
    pub(crate) fn claim(&self) -> Option<Claimed<'_, 'a, Q>> {
        self.claims.claim().map(|number| Claimed { parts: self, number })
    }
}

/// A part that nobody else has.
pub(crate) struct Claimed<'p, 'a, Q: Query> {
    parts: &'p Parts<'a, Q>,
    number: usize,
}

impl<Q: Query> Claimed<'_, '_, Q> {
    /// Which part it is, in row order.
    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// Calls `each` with its rows in order.
    pub(crate) fn visit(self, each: impl FnMut(Q::Row<'_>, u32)) {
        let Self { parts, number } = self;
        let (first, skip) = parts.starts[number];
        let (last, end) = parts.starts.get(number + 1).copied().unwrap_or((parts.pieces.len() as u32, 0));
        let at = Cell::new((0, 0));
        let noted = NoteOnPanic { at: &at, into: &parts.panicked_at };
        let rows = Cut { pieces: parts.pieces, first, skip, last, end };
        // SAFETY: the pieces are of the mask of the run that lent the columns. The counter gave this part to this
        // claim alone, parts do not overlap, and nothing else visits the run while `parts` borrows it.
        unsafe { visit_members::<Q>(parts.columns, rows, parts.baseline, &at, each) };
        std::mem::forget(noted);
    }
}

impl<Q: Query> Drop for Parts<'_, Q> {
    fn drop(&mut self) {
        let at = self.panicked_at.load(Ordering::Relaxed);
        if at != NOWHERE {
            self.at.set(((at >> 32) as u32, at as u32));
        }
    }
}

/// Notes where a visit was when it panicked.
struct NoteOnPanic<'a> {
    at: &'a Cell<(u32, u32)>,
    into: &'a AtomicU64,
}

impl Drop for NoteOnPanic<'_> {
    fn drop(&mut self) {
        let (row, count) = self.at.get();
        self.into.store((row as u64) << 32 | count as u64, Ordering::Relaxed);
    }
}

/// The pieces from one start to the next.
#[derive(Clone)]
pub(super) struct Cut<'a> {
    pub(super) pieces: &'a [Piece],
    pub(super) first: u32,
    pub(super) skip: u32,
    pub(super) last: u32,
    pub(super) end: u32,
}

impl Iterator for Cut<'_> {
    type Item = Piece;

    #[inline]
    fn next(&mut self) -> Option<Piece> {
        if (self.first, self.skip) >= (self.last, self.end) {
            return None;
        }
        let mut piece = *self.pieces.get(self.first as usize)?;
        if piece.len > 0 {
            let to = if self.first == self.last { self.end } else { piece.len };
            piece.row += self.skip;
            piece.len = to - self.skip;
        }
        (self.first, self.skip) =
            if self.first == self.last { (self.last, self.end) } else { (self.first + 1, 0) };
        Some(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn cuts_at_any_starts_give_every_row_once_and_in_order(
            lens in proptest::collection::vec((0..700u32, 1..u64::MAX), 1..20),
            cuts in proptest::collection::btree_set(0..3000u32, 0..10),
        ) {
            let mut row = 0;
            let pieces: Vec<Piece> = lens.iter().map(|&(len, bits)| {
                let bits = if len == 0 { bits | 1 } else { 0 };
                let piece = Piece { row, len, bits, optional: 0 };
                row += len.max(64) + 1;
                piece
            }).collect();
            let rows = |piece: Piece| {
                let scattered = crate::memory::bits::ones(piece.bits).map(move |bit| piece.row + bit);
                (piece.row..piece.row + piece.len).chain(scattered).collect::<Vec<_>>()
            };
            let all: Vec<u32> = pieces.iter().copied().flat_map(rows).collect();
            // Starts within runs or at the beginning of scattered rows.
            let mut starts = vec![(0, 0)];
            for cut in cuts {
                let at = cut % pieces.len() as u32;
                let within = pieces[at as usize].len;
                starts.push((at, if within == 0 { 0 } else { cut % within }));
            }
            starts.sort_unstable();
            starts.dedup();
            let mut found = Vec::new();
            for (k, &(first, skip)) in starts.iter().enumerate() {
                let (last, end) = starts.get(k + 1).copied().unwrap_or((pieces.len() as u32, 0));
                found.extend(Cut { pieces: &pieces, first, skip, last, end }.flat_map(rows));
            }
            prop_assert_eq!(found, all);
        }
    }
}
