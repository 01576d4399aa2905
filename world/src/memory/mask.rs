//! Which rows a run visits, compiled from bits into pieces.

#![expect(unsafe_code, reason = "calls code compiled for instructions that were detected")]

use super::bits::{Presence, ones, run_of_ones};
use super::pool::Pool;
use std::sync::{Arc, OnceLock};

/// Rows next to each other, or scattered in one word; all with the same optional components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// First row.
    pub(crate) row: u32,
    /// How many rows side by side, on pages side by side; 0 for scattered ones.
    pub(crate) len: u32,
    /// Scattered rows of one word: bit k for row `row + k`.
    pub(crate) bits: u64,
    /// One bit for each optional component the rows have.
    pub(crate) optional: u32,
}

/// The rows a run visits, in row order: a copy, so that the world thread may go on changing bits.
#[derive(Default, Debug)]
pub(crate) struct Mask {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) members: usize,
    /// Where each part begins, once somebody asked: a place in `pieces`, and rows to skip of that piece.
    pub(super) parts: OnceLock<Vec<(u32, u32)>>,
}

impl Mask {
    /// Adds its rows to a set.
    pub(crate) fn add_to(&self, rows: &mut Presence) {
        for piece in &self.pieces {
            rows.set_range(piece.row, piece.len);
            super::bits::ones(piece.bits).for_each(|bit| _ = rows.set(piece.row + bit));
        }
    }

    /// How many members an update gets at once, on average: those that lie side by side come together.
    pub(crate) fn mean_chunk(&self) -> f64 {
        let chunks: usize =
            self.pieces.iter().map(|piece| (piece.len > 0) as usize + piece.bits.count_ones() as usize).sum();
        self.members as f64 / chunks.max(1) as f64
    }

    /// Its rows, each with its optional components, in the order they are visited in.
    pub(crate) fn rows_and_optional(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.pieces.iter().flat_map(|piece| {
            let scattered = ones(piece.bits).map(|bit| piece.row + bit);
            let rows = (piece.row..piece.row + piece.len).chain(scattered);
            rows.map(|row| (row, piece.optional))
        })
    }

    /// Its rows in the order they are visited in.
    pub(crate) fn rows(&self) -> impl Iterator<Item = u32> + '_ {
        self.rows_and_optional().map(|(row, _)| row)
    }

    /// The optional components of a row; none if it is not among the rows, which are in row order.
    pub(crate) fn optional_of(&self, row: u32) -> Option<u32> {
        let after = self.pieces.partition_point(|piece| piece.row <= row);
        let piece = self.pieces[after.checked_sub(1)?];
        let behind = row - piece.row;
        let has = behind < piece.len || piece.len == 0 && behind < 64 && piece.bits >> behind & 1 == 1;
        has.then_some(piece.optional)
    }

    /// Whether a row is among the rows, which are in row order.
    pub(crate) fn has(&self, row: u32) -> bool {
        self.optional_of(row).is_some()
    }

    /// A mask that visits members of another one in a given order. The rows are members, with their optional
    /// components, and no row comes twice.
    pub(crate) fn in_this_order(members: impl Iterator<Item = (u32, u32)>) -> Self {
        let mut mask = Self::default();
        for (row, optional) in members {
            mask.members += 1;
            match mask.pieces.last_mut() {
                // Within a word rows always lie side by side.
                Some(last) if last.row + last.len == row && row % 64 != 0 && last.optional == optional => {
                    last.len += 1;
                }
                _ => mask.pieces.push(Piece { row, len: 1, bits: 0, optional }),
            }
        }
        mask
    }
}

/// What the rows of a query have and lack.
pub(crate) struct Terms<'a> {
    /// Rows to choose from: those of living entities.
    pub(crate) from: &'a Presence,
    /// Every row is in all of these.
    pub(crate) required: &'a [&'a Presence],
    /// No row is in any of these.
    pub(crate) without: &'a [&'a Presence],
    /// A row may be in these; at most 32.
    pub(crate) optional: &'a [&'a Presence],
    /// Pools whose blocks are visited: rows are joined only where the pages of all of these are.
    pub(crate) visited: &'a [&'a Pool],
}

impl Terms<'_> {
    /// The rows that fit, and how they lie.
    pub(crate) fn compile(&self) -> Mask {
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "bmi1,popcnt")]
            fn quick(terms: &Terms<'_>) -> Mask {
                terms.compile_words()
            }
            if std::arch::is_x86_feature_detected!("bmi1") && std::arch::is_x86_feature_detected!("popcnt") {
                // SAFETY: both were just detected.
                return unsafe { quick(self) };
            }
        }
        self.compile_words()
    }

    #[inline(always)]
    fn compile_words(&self) -> Mask {
        let mut builder = Builder { terms: self, mask: Mask::default() };
        let summaries = self.required.iter().map(|bits| bits.summaries()).chain([self.from.summaries()]);
        for at in 0..summaries.min().unwrap_or(0) {
            let mut summary =
                self.required.iter().fold(self.from.summary(at), |and, bits| and & bits.summary(at));
            while summary != 0 {
                let word = at * 64 + summary.trailing_zeros() as usize;
                summary &= summary - 1;
                let have = self.required.iter().fold(self.from.word(word), |and, bits| and & bits.word(word));
                let members = self.without.iter().fold(have, |and, bits| and & !bits.word(word));
                if members != 0 {
                    builder.add(word, members);
                }
            }
        }
        builder.mask
    }
}

struct Builder<'a> {
    terms: &'a Terms<'a>,
    mask: Mask,
}

/// Words whose runs are this short on average are visited row by row.
const SHORT_RUN: u32 = 16;

impl Builder<'_> {
    #[inline(always)]
    fn add(&mut self, word: usize, members: u64) {
        self.mask.members += members.count_ones() as usize;
        if self.terms.optional.is_empty() {
            return self.add_alike(word, members, 0);
        }
        // Cut where the optional components change, so that a piece's rows are all alike.
        let mut left = members;
        while left != 0 {
            let first = left.trailing_zeros();
            let mut optional = 0;
            let mut alike = u64::MAX;
            for (k, bits) in self.terms.optional.iter().enumerate() {
                let has = bits.word(word) >> first & 1 == 1;
                optional |= (has as u32) << k;
                alike &= if has { bits.word(word) } else { !bits.word(word) };
            }
            let differs = left & !alike;
            let part = if differs == 0 { left } else { left & ((1 << differs.trailing_zeros()) - 1) };
            self.add_alike(word, part, optional);
            left &= !part;
        }
    }

    #[inline(always)]
    fn add_alike(&mut self, word: usize, members: u64, optional: u32) {
        let runs = (members & !(members << 1)).count_ones();
        if runs > 2 && members.count_ones() < runs * SHORT_RUN {
            let first = members.trailing_zeros();
            let row = word as u32 * 64 + first;
            return self.mask.pieces.push(Piece { row, len: 0, bits: members >> first, optional });
        }
        let mut left = members;
        while left != 0 {
            let first = left.trailing_zeros();
            let len = (!(left >> first)).trailing_zeros().min(64 - first);
            self.add_run(word, first, len, optional);
            left &= !run_of_ones(first, len);
        }
    }

    fn add_run(&mut self, word: usize, first: u32, len: u32, optional: u32) {
        let row = word as u32 * 64 + first;
        if let Some(last) = self.mask.pieces.last_mut()
            && last.len > 0
            && last.row + last.len == row
            && last.optional == optional
            && (first > 0 || self.terms.visited.iter().all(|pool| pool.is_joined(word)))
        {
            last.len += len;
            return;
        }
        self.mask.pieces.push(Piece { row, len, bits: 0, optional });
    }
}

/// A mask that is compiled again only after something it depends on changed.
#[derive(Default)]
pub(crate) struct MaskCache {
    mask: Option<Arc<Mask>>,
    /// Versions of all it depends on, added up: they only grow, so the sum tells whether one did.
    stamp: u64,
}

impl MaskCache {
    /// The mask that was compiled last, if it is still good for the rows there are.
    pub(crate) fn last(&self) -> Option<&Arc<Mask>> {
        self.mask.as_ref()
    }

    /// The mask of the last update.
    ///
    /// # Panics
    /// If there was none.
    pub(crate) fn mask(&self) -> &Arc<Mask> {
        self.mask.as_ref().expect("a mask is brought up to date before it is used")
    }

    /// Lets the next update compile, whatever the stamp.
    pub(crate) fn forget(&mut self) {
        self.mask = None;
    }

    /// Keeps the mask if `stamp` is that of before; else it is what `compile` makes.
    #[inline]
    pub(crate) fn update(&mut self, stamp: u64, compile: impl FnOnce() -> Mask) {
        if self.mask.is_none() || self.stamp != stamp {
            self.stamp = stamp;
            self.mask = Some(Arc::new(compile()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::alloc::Layout;

    proptest! {
        #[test]
        fn a_mask_has_the_rows_the_bits_say_and_joins_only_alike_ones(
            runs in proptest::collection::vec((0..4u8, 0..1000u32, 1..90u32), 0..60),
            group in 1..9usize,
        ) {
            let mut pool = Pool::new(Layout::new::<u32>());
            (0..20).step_by(group).for_each(|word| pool.ensure_pages(word, group));
            let mut bits = [(); 4].map(|_| Presence::default());
            bits[0].set_range(0, 600);
            for (which, row, len) in runs {
                bits[which as usize].set_range(row, len);
            }
            let [required, without, first, second] = &bits;
            let mut from = Presence::default();
            from.set_range(0, 1200);
            let terms = Terms {
                from: &from, required: &[required], without: &[without], optional: &[first, second], visited: &[&pool],
            };
            let mask = terms.compile();
            let expected: Vec<u32> = (0..1200).filter(|&row| required.has(row) && !without.has(row)).collect();
            prop_assert_eq!(mask.rows().collect::<Vec<_>>(), expected.clone());
            prop_assert_eq!(mask.members, expected.len());
            for row in 0..1200 {
                prop_assert_eq!(mask.has(row), expected.binary_search(&row).is_ok(), "row {}", row);
            }
            for piece in &mask.pieces {
                for row in (Mask { pieces: vec![*piece], ..Mask::default() }).rows() {
                    let optional = first.has(row) as u32 | (second.has(row) as u32) << 1;
                    prop_assert_eq!(piece.optional, optional);
                }
                let mut words = piece.row as usize / 64 + 1..(piece.row + piece.len.max(1)).div_ceil(64) as usize;
                prop_assert!(words.all(|word| pool.is_joined(word)));
            }
        }
    }
}
