//! Which rows of a pool were written since somebody last looked.

use super::bits::Presence;
use super::mask::Mask;
use std::sync::Arc;

/// Names a watcher of a pool. The pool forgets the watcher once nobody else holds the token.
pub(crate) type WatchToken = Arc<()>;

/// What a watcher wants to know of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Watch {
    /// Blocks that were written, new ones included.
    Written,
    /// Rows that came or went, or got another block in the place of theirs.
    Structure,
}

struct Watcher {
    token: WatchToken,
    watch: Watch,
    dirty: Presence,
}

/// Dirty rows of one pool, a set for each watcher. Nothing is noted while nobody watches.
#[derive(Default)]
pub(crate) struct Watchers(Vec<Watcher>);

impl Watchers {
    #[inline]
    pub(crate) fn any(&self) -> bool {
        !self.0.is_empty()
    }

    /// Adds a watcher to whom the rows in `present` are new.
    pub(crate) fn add(&mut self, token: &WatchToken, watch: Watch, present: &Presence) {
        self.forget_gone();
        self.0.push(Watcher { token: token.clone(), watch, dirty: present.clone() });
    }

    /// Takes watchers along whose pool is built anew; a row moves to where `moved` says.
    pub(crate) fn moved(&self, moved: impl Fn(u32) -> Option<u32>) -> Self {
        let dirty = |rows: &Presence| {
            let mut there = Presence::default();
            rows.rows().filter_map(&moved).for_each(|row| _ = there.set(row));
            there
        };
        let moved = |watcher: &Watcher| Watcher {
            token: watcher.token.clone(),
            watch: watcher.watch,
            dirty: dirty(&watcher.dirty),
        };
        Self(self.0.iter().map(moved).collect())
    }

    /// Those who want to know of something.
    #[inline]
    fn of(&mut self, watch: Watch) -> impl Iterator<Item = &mut Presence> {
        self.0.iter_mut().filter(move |watcher| watcher.watch == watch).map(|watcher| &mut watcher.dirty)
    }

    /// The block of a row was written.
    #[inline]
    pub(crate) fn mark(&mut self, row: u32) {
        self.of(Watch::Written).for_each(|dirty| _ = dirty.set(row));
    }

    /// Rows of a word were written.
    pub(crate) fn mark_word(&mut self, word: usize, rows: u64) {
        self.of(Watch::Written).for_each(|dirty| dirty.set_word(word, rows));
    }

    /// A row came.
    #[inline]
    pub(crate) fn mark_new(&mut self, row: u32) {
        self.0.iter_mut().for_each(|watcher| _ = watcher.dirty.set(row));
    }

    /// A row went, or came in another way than with a block of its own.
    #[inline]
    pub(crate) fn mark_structure(&mut self, row: u32) {
        self.of(Watch::Structure).for_each(|dirty| _ = dirty.set(row));
    }

    /// Rows of a word came.
    #[inline]
    pub(crate) fn mark_new_word(&mut self, word: usize, bits: u64) {
        self.0.iter_mut().for_each(|watcher| watcher.dirty.set_word(word, bits));
    }

    /// A run wrote all rows of its mask, or of those with an optional component. Its own watchers need not know.
    pub(crate) fn mark_mask(&mut self, mask: &Mask, optional: Option<u32>, own: &[WatchToken]) {
        self.forget_gone();
        for Watcher { token, dirty, .. } in
            self.0.iter_mut().filter(|watcher| watcher.watch == Watch::Written)
        {
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

    fn find(&self, token: &WatchToken) -> Option<&Watcher> {
        self.0.iter().find(|watcher| Arc::ptr_eq(&watcher.token, token))
    }

    /// The rows a watcher has not seen.
    pub(crate) fn dirty(&self, token: &WatchToken) -> Option<&Presence> {
        self.find(token).map(|watcher| &watcher.dirty)
    }

    /// A watcher has seen all rows but these.
    pub(crate) fn set(&mut self, token: &WatchToken, rows: impl Iterator<Item = u32>) {
        self.clear(token);
        if let Some(watcher) = self.0.iter_mut().find(|watcher| Arc::ptr_eq(&watcher.token, token)) {
            rows.for_each(|row| _ = watcher.dirty.set(row));
        }
    }

    /// A watcher has seen them all.
    pub(crate) fn clear(&mut self, token: &WatchToken) {
        if let Some(watcher) = self.0.iter_mut().find(|watcher| Arc::ptr_eq(&watcher.token, token)) {
            watcher.dirty.clear_all();
        }
    }

    /// Nothing is noted any more for some watchers, nor for those that are gone.
    pub(super) fn remove(&mut self, tokens: &[WatchToken]) {
        self.0.retain(|watcher| !tokens.iter().any(|token| Arc::ptr_eq(token, &watcher.token)));
        self.forget_gone();
    }

    fn forget_gone(&mut self) {
        self.0.retain(|watcher| Arc::strong_count(&watcher.token) > 1);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.0.iter().map(|watcher| watcher.dirty.bytes()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(watchers: &Watchers, token: &WatchToken) -> Vec<u32> {
        watchers.dirty(token).map(|dirty| dirty.rows().collect()).unwrap_or_default()
    }

    #[test]
    fn each_watcher_has_dirty_bits_of_its_own_until_it_has_seen_them() {
        let (one, two) = (WatchToken::default(), WatchToken::default());
        let (mut watchers, mut present) = (Watchers::default(), Presence::default());
        present.set(7);
        watchers.add(&one, Watch::Written, &present);
        watchers.add(&two, Watch::Structure, &Presence::default());
        watchers.mark(70);
        watchers.mark_structure(5);
        watchers.mark_new(900);
        assert_eq!((rows(&watchers, &one), rows(&watchers, &two)), (vec![7, 70, 900], vec![5, 900]));
        watchers.clear(&one);
        watchers.mark(8);
        assert_eq!((rows(&watchers, &one), rows(&watchers, &two)), (vec![8], vec![5, 900]));
    }

    #[test]
    fn nothing_is_noted_while_nobody_watches_and_a_watcher_that_is_gone_is_forgotten() {
        let mut watchers = Watchers::default();
        watchers.mark(70);
        watchers.mark_new(900);
        assert!(!watchers.any() && watchers.bytes() == 0);
        let token = WatchToken::default();
        watchers.add(&token, Watch::Written, &Presence::default());
        watchers.mark(70);
        assert!(watchers.any() && watchers.bytes() > 0);
        drop(token);
        watchers.mark_mask(&Mask::default(), None, &[]);
        assert!(!watchers.any() && watchers.bytes() == 0);
    }
}
