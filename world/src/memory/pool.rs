//! All blocks of one component: pages of 64, bits for what is in them, and who has borrowed them.

#![expect(unsafe_code, reason = "reads and writes blocks through raw pages; the invariants are in `memory`")]

use super::bits::{Presence, run_of_ones};
use super::directory::Directory;
use super::watch::{Watch, WatchToken, Watchers};
use crate::id::RunId;
use std::alloc::Layout;
use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::Arc;

/// The blocks of one component, by row.
pub(crate) struct Pool {
    block: Layout,
    directory: Arc<Directory>,
    /// Rows that have the component, and free rows whose archetype has it.
    present: Presence,
    /// Rows whose block was given up and waits for open runs.
    deferred: Presence,
    /// Deferred rows that a run which hangs still holds.
    quarantined: Presence,
    /// Rows that got a new block while a request to free the old one waits, and how often beyond once.
    stale: Presence,
    stale_again: HashMap<u32, u32>,
    /// Words whose page follows that of the word before in one allocation.
    joined: Presence,
    pub(super) watchers: Watchers,
    pages: usize,
    /// Grows with every change of `present`.
    version: u64,
    /// Open runs that read or write blocks; more than one only while all read.
    holders: Vec<RunId>,
    lent_to_write: bool,
}

impl Pool {
    /// A pool of blocks with this layout. An alignment above 16 is not supported by its allocations.
    pub(crate) fn new(block: Layout) -> Self {
        let page = Layout::from_size_align(block.size() * 64, block.align()).expect("a block is small");
        Self {
            block,
            directory: Arc::new(Directory::new(page)),
            present: Presence::default(),
            deferred: Presence::default(),
            quarantined: Presence::default(),
            stale: Presence::default(),
            stale_again: HashMap::new(),
            joined: Presence::default(),
            watchers: Watchers::default(),
            pages: 0,
            version: 0,
            holders: Vec::new(),
            lent_to_write: false,
        }
    }

    pub(crate) fn block_size(&self) -> usize {
        self.block.size()
    }
    pub(crate) fn present(&self) -> &Presence {
        &self.present
    }
    pub(crate) fn deferred(&self) -> &Presence {
        &self.deferred
    }
    pub(crate) fn quarantined(&self) -> &Presence {
        &self.quarantined
    }
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// Whether the page of `word` follows that of the word before; always so for blocks without size.
    #[inline]
    pub(crate) fn is_joined(&self, word: usize) -> bool {
        self.block.size() == 0 || self.joined.has(word as u32)
    }

    /// Blocks there are pages for.
    pub(crate) fn capacity(&self) -> usize {
        self.pages * 64
    }

    pub(crate) fn pages(&self) -> usize {
        self.pages
    }

    /// Bytes of pages, directory and bits.
    pub(crate) fn bytes(&self) -> usize {
        let bits = [&self.present, &self.deferred, &self.quarantined, &self.joined];
        let bits = bits.iter().map(|bits| bits.bytes()).sum::<usize>();
        self.directory.bytes() + bits + self.watchers.bytes()
    }

    /// The page of a word that has one; dangling for blocks without size.
    pub(super) fn page(&self, word: usize) -> NonNull<u8> {
        // Aligned for every block there can be.
        NonNull::new(self.directory.page(word)).unwrap_or(NonNull::<u128>::dangling().cast())
    }

    pub(crate) fn has_page(&self, word: usize) -> bool {
        self.block.size() == 0 || !self.directory.page(word).is_null()
    }

    /// Sees that `count` words from `first` have pages, side by side where none had one.
    pub(crate) fn ensure_pages(&mut self, first: usize, count: usize) {
        if self.block.size() == 0 {
            return;
        }
        if self.directory.words() < first + count {
            self.directory = Arc::new(self.directory.grown(first + count));
        }
        let mut word = first;
        while word < first + count {
            if self.has_page(word) {
                word += 1;
                continue;
            }
            let missing = (word..first + count).take_while(|&word| !self.has_page(word)).count();
            // SAFETY: `&mut self` is the world thread's; the directory was just made long enough.
            let follows = unsafe { self.directory.allocate(word, missing) };
            for k in 0..missing {
                if k > 0 || follows {
                    self.joined.set((word + k) as u32);
                }
            }
            self.pages += missing;
            word += missing;
        }
    }

    /// The block of a row whose word has a page; dangling for blocks without size.
    ///
    /// # Panics
    /// If the word has none: nobody ever had a row of it (invariant 9).
    #[inline]
    fn block_of(&self, row: u32) -> *mut u8 {
        if self.block.size() == 0 {
            return std::ptr::without_provenance_mut(self.block.align());
        }
        let page = self.directory.page(row as usize / 64);
        assert!(!page.is_null(), "a row that has a block has a page");
        // SAFETY: the page has 64 blocks.
        unsafe { page.add(row as usize % 64 * self.block.size()) }
    }

    /// Puts a block into a row that had none, and allocates its page if that is missing.
    ///
    /// The caller sees to it that the row is in no open run's mask (invariant 4).
    #[inline(always)]
    pub(crate) fn insert(&mut self, row: u32, bytes: &[u8]) {
        self.put(row, bytes);
        self.present.set(row);
        self.version += 1;
        if self.watchers.any() {
            self.watchers.mark_new(row);
        }
    }

    /// As `insert`, for rows side by side in a word, none of which had a block.
    #[inline]
    pub(crate) fn insert_run(&mut self, row: u32, len: u32, bytes: &[u8]) {
        let (word, rows) = (row as usize / 64, run_of_ones(row % 64, len));
        self.put_run(row, len, bytes);
        self.present.set_word(word, rows);
        self.version += 1;
        if self.watchers.any() {
            self.watchers.mark_new_word(word, rows);
        }
    }

    /// Writes a block without noting that the row has one: for the pool of ids, which every row has. See `insert`.
    #[inline(always)]
    pub(crate) fn put(&mut self, row: u32, bytes: &[u8]) {
        assert!(bytes.len() == self.block.size(), "a block is written whole");
        if bytes.is_empty() {
            return;
        }
        let mut page = self.directory.page(row as usize / 64);
        if page.is_null() {
            page = self.make_page(row as usize / 64);
        }
        // SAFETY: the page has 64 blocks of this size, and no run has this row in its mask (invariant 4).
        unsafe {
            let block = page.add(row as usize % 64 * bytes.len());
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), block, bytes.len());
        }
    }

    #[cold]
    fn make_page(&mut self, word: usize) -> *mut u8 {
        self.ensure_pages(word, 1);
        self.directory.page(word)
    }

    /// The bytes at a row's place, if its word has a page, whether or not the row has a block. For the pool of ids,
    /// which is never lent for writing.
    #[inline]
    pub(crate) fn place_of(&self, row: u32) -> Option<&[u8]> {
        if self.lent_to_write || !self.has_page(row as usize / 64) {
            return None;
        }
        // SAFETY: the row's word has a page of 64 blocks, all initialised as pages start zeroed; nobody writes it.
        Some(unsafe { std::slice::from_raw_parts(self.block_of(row), self.block.size()) })
    }

    /// Puts blocks side by side into `len` new rows of an archetype with this component, from `row` on.
    pub(crate) fn fill_run(&mut self, row: u32, len: u32, bytes: &[u8]) {
        self.put_run(row, len, bytes);
        if self.watchers.any() {
            super::bits::each_word(row, len, |word, bits| self.watchers.mark_new_word(word, bits));
        }
    }

    /// As `put`, for blocks side by side.
    pub(crate) fn put_run(&mut self, row: u32, len: u32, bytes: &[u8]) {
        let size = self.block.size();
        assert!(bytes.len() == size * len as usize, "blocks are written whole");
        if size == 0 {
            return;
        }
        let mut done = 0;
        super::bits::each_word(row, len, |word, bits| {
            let count = bits.count_ones() as usize;
            if !self.has_page(word) {
                self.make_page(word);
            }
            let block = self.block_of(word as u32 * 64 + bits.trailing_zeros());
            // SAFETY: `count` blocks from this one lie in its page, and no run has these rows (invariant 4).
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr().add(done * size), block, count * size) };
            done += count;
        });
    }

    /// Writes over the block of a row that has one. The pool is not lent.
    #[inline(always)]
    pub(crate) fn replace(&mut self, row: u32, bytes: &[u8]) {
        assert!(
            self.present.has(row) && !self.is_lent(),
            "only blocks that are there and not lent are replaced"
        );
        assert_eq!(bytes.len(), self.block.size(), "a block is written whole");
        // SAFETY: the row has a block of this size, and no run holds the pool.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.block_of(row), bytes.len()) };
        if self.watchers.any() {
            self.watchers.mark(row);
        }
    }

    /// As `replace`, for rows side by side in a word, all of which have a block.
    #[inline]
    pub(crate) fn replace_run(&mut self, row: u32, len: u32, bytes: &[u8]) {
        let (word, rows) = (row as usize / 64, run_of_ones(row % 64, len));
        assert!(
            self.present.word(word) & rows == rows && !self.is_lent(),
            "only blocks that are there and not lent are replaced"
        );
        self.put_run(row, len, bytes);
        if self.watchers.any() {
            self.watchers.mark_word(word, rows);
        }
    }

    /// As `replace`, by a block that was added and not written over the old one.
    #[inline(always)]
    pub(crate) fn exchange(&mut self, row: u32, bytes: &[u8]) {
        self.replace(row, bytes);
        if self.watchers.any() {
            self.watchers.mark_structure(row);
        }
    }

    /// As `replace`, unless the pool is lent; whether it was written.
    #[inline(always)]
    pub(crate) fn replace_if_free(&mut self, row: u32, bytes: &[u8]) -> bool {
        let free = !self.is_lent();
        if free {
            self.replace(row, bytes);
        }
        free
    }

    /// The bytes of a row's block, live or deferred; none if it has none, or while the pool is lent for writing.
    #[inline]
    pub(crate) fn bytes_of(&self, row: u32) -> Option<&[u8]> {
        let has = self.present.has(row) && self.has_page(row as usize / 64) || self.deferred.has(row);
        if self.lent_to_write || !has {
            return None;
        }
        // SAFETY: the row has a block, and nobody writes the pool: no run does, and `&self` bars the world thread.
        Some(unsafe { std::slice::from_raw_parts(self.block_of(row), self.block.size()) })
    }

    /// The bytes of a deferred block, or of a block in a retired row, that every run which had its row in its mask
    /// has ended for; even while the pool is lent for writing, as no open run visits the row.
    pub(crate) fn owed_bytes_of(&self, row: u32) -> Option<&[u8]> {
        if !self.deferred.has(row) && !self.present.has(row) {
            return None;
        }
        // SAFETY: the row has a block that no open run's mask includes, as the caller waited for those that did.
        Some(unsafe { std::slice::from_raw_parts(self.block_of(row), self.block.size()) })
    }

    /// The bytes of a live block that no open run has in its mask, even while the pool is lent.
    pub(crate) fn unseen_bytes_of(&self, row: u32) -> Option<&[u8]> {
        if !self.present.has(row) {
            return None;
        }
        // SAFETY: the row has a block that the caller knows to be outside every open run's mask (invariant 4).
        Some(unsafe { std::slice::from_raw_parts(self.block_of(row), self.block.size()) })
    }

    /// Writes over a live block that no open run has in its mask, even while the pool is lent.
    pub(crate) fn replace_unseen(&mut self, row: u32, bytes: &[u8]) {
        assert!(self.present.has(row), "only blocks that are there are replaced");
        assert_eq!(bytes.len(), self.block.size(), "a block is written whole");
        // SAFETY: the row has a block of this size, outside every open run's mask as the caller knows (invariant 4).
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.block_of(row), bytes.len()) };
        self.watchers.mark(row);
    }

    /// The bytes of a row's block to change, which counts as changed; none if it has none, or while the pool is lent at all.
    #[inline]
    pub(crate) fn bytes_of_mut(&mut self, row: u32) -> Option<&mut [u8]> {
        if self.is_lent() || !self.present.has(row) {
            return None;
        }
        self.watchers.mark(row);
        // SAFETY: the row has a block, and no run holds the pool; `&mut self` makes the borrow the only one.
        Some(unsafe { std::slice::from_raw_parts_mut(self.block_of(row), self.block.size()) })
    }

    /// Takes the component from a row and keeps the block until `free`; whether it was there.
    #[inline]
    pub(crate) fn defer(&mut self, row: u32) -> bool {
        let there = self.present.clear(row);
        if there {
            self.deferred.set(row);
            self.version += 1;
            if self.watchers.any() {
                self.watchers.mark_structure(row);
            }
        }
        there
    }

    /// Takes the component from a row, which the caller defers by `defer_all`; whether it was there.
    #[inline(always)]
    pub(crate) fn take(&mut self, row: u32) -> bool {
        let there = self.present.clear(row);
        if there {
            self.version += 1;
            if self.watchers.any() {
                self.watchers.mark_structure(row);
            }
        }
        there
    }

    /// Keeps the blocks of rows that lost the component until `free_all`.
    pub(crate) fn defer_all(&mut self, rows: &Presence) {
        rows.each_word(|word, bits| self.deferred.set_word(word, bits));
    }

    /// Gives a deferred block back; nothing if that was done with its row.
    #[inline]
    pub(crate) fn free(&mut self, row: u32) {
        self.deferred.clear(row);
        if self.quarantined.count() > 0 {
            self.quarantined.clear(row);
        }
    }

    /// Gives the deferred blocks of rows back.
    pub(crate) fn free_all(&mut self, rows: &Presence) {
        self.deferred.subtract(rows);
        if self.quarantined.count() > 0 {
            self.quarantined.subtract(rows);
        }
    }

    /// Notes that a run which hangs may still touch a block that was given up, or that it ended.
    pub(crate) fn set_quarantined(&mut self, row: u32, on: bool) {
        if on {
            self.quarantined.set(row)
        } else {
            self.quarantined.clear(row)
        };
    }

    /// Gives the blocks of retired rows of a word back, where there are any.
    #[inline]
    pub(crate) fn free_retired(&mut self, word: usize, rows: u64) {
        self.present.clear_word(word, rows);
        self.version += 1;
        if self.deferred.count() > 0 {
            self.deferred.clear_word(word, rows);
            self.quarantined.clear_word(word, rows);
        }
    }

    /// Says that free rows of a word have the component, as their archetype has it (invariant 9).
    #[inline]
    pub(crate) fn prepare(&mut self, word: usize, rows: u64) {
        self.present.set_word(word, rows);
        self.version += 1;
    }

    /// Notes that a row has a new block.
    #[inline(always)]
    pub(crate) fn mark_new(&mut self, row: u32) {
        if self.watchers.any() {
            self.watchers.mark_new(row);
        }
    }

    /// Notes from now on which rows are written, or came and went, for one to whom all are new.
    pub(super) fn watch(&mut self, token: &WatchToken, watch: Watch) {
        self.watchers.add(token, watch, &self.present);
    }

    /// Lets a row whose old block is deferred have a new one; no run holds the old one any more. The request to
    /// free the old one, which says in which order, is then void.
    pub(crate) fn reclaim(&mut self, row: u32) {
        if self.deferred.clear(row) {
            self.quarantined.clear(row);
            if !self.stale.set(row) {
                *self.stale_again.entry(row).or_default() += 1;
            }
        }
    }

    /// Whether a request to free a row's block is void; asked once a request.
    #[inline]
    pub(crate) fn is_stale(&mut self, row: u32) -> bool {
        if self.stale.count() == 0 || !self.stale.has(row) {
            return false;
        }
        match self.stale_again.get_mut(&row) {
            Some(more) if *more > 1 => *more -= 1,
            Some(_) => _ = self.stale_again.remove(&row),
            None => _ = self.stale.clear(row),
        }
        true
    }

    pub(crate) fn is_lent(&self) -> bool {
        !self.holders.is_empty()
    }
    pub(crate) fn is_lent_to_write(&self) -> bool {
        self.lent_to_write
    }
    /// The open runs that hold the pool.
    pub(crate) fn holders(&self) -> &[RunId] {
        &self.holders
    }

    /// Whether it can be lent, to read or to write.
    pub(crate) fn can_lend(&self, to_write: bool) -> bool {
        if to_write { self.holders.is_empty() } else { !self.lent_to_write }
    }

    /// Lends the pool to a run, shared to read or alone to write.
    ///
    /// # Panics
    /// If that would break another run's borrow: a scheduler dispatched two runs that conflict.
    pub(crate) fn lend(&mut self, run: RunId, to_write: bool) -> Arc<Directory> {
        assert!(
            self.can_lend(to_write),
            "the scheduler dispatched run {run} on a pool that run {} holds",
            self.holders[0]
        );
        self.holders.push(run);
        self.lent_to_write = to_write;
        self.directory.clone()
    }

    pub(super) fn directory_ref(&self) -> &Directory {
        &self.directory
    }

    /// The directory, for what every run may read.
    pub(crate) fn directory(&self) -> Arc<Directory> {
        self.directory.clone()
    }

    /// Takes the pool back from a run.
    pub(crate) fn take_back(&mut self, run: RunId) {
        self.holders.retain(|&holder| holder != run);
        if self.holders.is_empty() {
            self.lent_to_write = false;
        }
    }
}
