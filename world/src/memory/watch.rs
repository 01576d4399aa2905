//! Which rows of a pool were written since somebody last looked.

use super::bits::Presence;
use super::mask::Mask;
use std::sync::Arc;

/// Names a watcher of a pool. The pool forgets the watcher once nobody else holds the token.
pub(crate) type WatchToken = Arc<()>;

/// Dirty rows of one pool, a set for each watcher. Nothing is noted while nobody watches.
#[derive(Default)]
pub(crate) struct Watchers(Vec<(WatchToken, Presence)>);

impl Watchers {
    #[inline]
    pub(crate) fn any(&self) -> bool {
        !self.0.is_empty()
    }

    /// Adds a watcher to whom the rows in `present` are new.
    pub(crate) fn add(&mut self, token: &WatchToken, present: &Presence) {
        self.forget_gone();
        self.0.push((token.clone(), present.clone()));
    }

    /// Takes watchers along whose pool is built anew; a row moves to where `moved` says.
    pub(crate) fn moved(&self, moved: impl Fn(u32) -> Option<u32>) -> Self {
        let dirty = |rows: &Presence| {
            let mut there = Presence::default();
            rows.rows().filter_map(&moved).for_each(|row| _ = there.set(row));
            there
        };
        Self(self.0.iter().map(|(token, rows)| (token.clone(), dirty(rows))).collect())
    }

    /// A row was written.
    #[inline]
    pub(crate) fn mark(&mut self, row: u32) {
        for (_, dirty) in &mut self.0 {
            dirty.set(row);
        }
    }

    /// Rows of a word were written.
    #[inline]
    pub(crate) fn mark_word(&mut self, word: usize, bits: u64) {
        for (_, dirty) in &mut self.0 {
            dirty.set_word(word, bits);
        }
    }

    /// A run wrote all rows of its mask, or of those with an optional component. Its own watchers need not know.
    pub(crate) fn mark_mask(&mut self, mask: &Mask, optional: Option<u32>, own: &[WatchToken]) {
        self.forget_gone();
        for (token, dirty) in &mut self.0 {
            if own.iter().any(|own| Arc::ptr_eq(own, token)) {
                continue;
            }
            for piece in &mask.pieces {
                if optional.is_some_and(|bit| piece.optional >> bit & 1 == 0) {
                    continue;
                }
                if piece.len > 0 {
                    dirty.set_range(piece.row, piece.len);
                } else {
                    let (word, shift) = (piece.row as usize / 64, piece.row % 64);
                    dirty.set_word(word, piece.bits << shift);
                }
            }
        }
    }

    /// The rows a watcher has not seen.
    pub(crate) fn dirty(&self, token: &WatchToken) -> Option<&Presence> {
        self.0.iter().find(|(known, _)| Arc::ptr_eq(known, token)).map(|(_, dirty)| dirty)
    }

    /// A watcher has seen them all.
    pub(crate) fn clear(&mut self, token: &WatchToken) {
        if let Some((_, dirty)) = self.0.iter_mut().find(|(known, _)| Arc::ptr_eq(known, token)) {
            dirty.clear_all();
        }
    }

    fn forget_gone(&mut self) {
        self.0.retain(|(token, _)| Arc::strong_count(token) > 1);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.0.iter().map(|(_, dirty)| dirty.bytes()).sum()
    }
}
