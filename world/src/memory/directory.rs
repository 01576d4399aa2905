//! Where the pages of a pool are, and the allocations they are cut from.

#![expect(unsafe_code, reason = "allocates and hands out raw pages; the invariants are in `memory`")]

use super::zeroed::Zeroed;
use std::alloc::Layout;
use std::cell::UnsafeCell;
use std::ptr::{NonNull, null_mut};
use std::sync::{Arc, Mutex, PoisonError};

/// Largest allocation pages are cut from, unless more is asked for at once.
const LARGEST_SLAB: usize = 4 << 20;

/// Pages of the first allocation: enough that those of a small pool lie side by side.
const LEAST_PAGES: usize = 16;

/// Page of each word of a pool; null where there is none.
///
/// The world thread fills in entries. It does so while runs hold the directory, but only entries of words that
/// had no page, which no run's mask touches. A directory that is too short is replaced by a longer copy; the
/// runs that hold the old one keep it and, through `slabs`, every page.
pub(crate) struct Directory {
    pages: Box<[UnsafeCell<*mut u8>]>,
    slabs: Arc<Slabs>,
}

// SAFETY: an entry is written once, from null, by the world thread, and read elsewhere only for words of a mask
// compiled after that write (invariants 2 and 6); sending the mask to a worker orders the two.
unsafe impl Sync for Directory {}
// SAFETY: as above; the pages belong to `slabs`, which is `Send`.
unsafe impl Send for Directory {}

impl Directory {
    pub(crate) fn new(page: Layout) -> Self {
        Self { pages: Box::new([]), slabs: Arc::new(Slabs::new(page)) }
    }

    /// A copy with room for `words`, at least twice as long.
    pub(crate) fn grown(&self, words: usize) -> Self {
        let len = words.max(self.pages.len() * 2).max(16);
        let page = |word| UnsafeCell::new(self.page(word));
        Self { pages: (0..len).map(page).collect(), slabs: self.slabs.clone() }
    }

    pub(crate) fn words(&self) -> usize {
        self.pages.len()
    }

    /// The page of a word, or null.
    #[inline]
    pub(crate) fn page(&self, word: usize) -> *mut u8 {
        // SAFETY: only the world thread writes entries, and never one a run may read (invariants 2 and 6).
        self.pages.get(word).map_or(null_mut(), |entry| unsafe { *entry.get() })
    }

    /// The page of a word a mask has.
    ///
    /// # Safety
    /// The word has a page in this directory.
    #[inline]
    pub(crate) unsafe fn page_unchecked(&self, word: usize) -> *mut u8 {
        debug_assert!(!self.page(word).is_null());
        // SAFETY: the word is within the directory by the caller's promise; for the read see `page`.
        unsafe { *self.pages.get_unchecked(word).get() }
    }

    /// Gives `count` words from `first`, none of which has a page, pages that lie side by side. Whether they
    /// follow the page of the word before in the same allocation.
    ///
    /// # Safety
    /// Called by the world thread; the words are within the directory.
    pub(crate) unsafe fn allocate(&self, first: usize, count: usize) -> bool {
        let (start, size) = self.slabs.cut(count);
        for k in 0..count {
            debug_assert!(self.page(first + k).is_null());
            // SAFETY: within the allocation that `cut` returned.
            let page = unsafe { start.as_ptr().add(k * size) };
            // SAFETY: the caller is the world thread, the word had no page, so no run reads the entry.
            unsafe { *self.pages[first + k].get() = page };
        }
        let before = if first == 0 { null_mut() } else { self.page(first - 1) };
        !before.is_null() && self.slabs.follows(before, start.as_ptr())
    }

    /// Bytes of the pages, allocated and not yet cut ones included, and of this directory.
    pub(crate) fn bytes(&self) -> usize {
        self.slabs.bytes() + self.pages.len() * size_of::<*mut u8>()
    }
}

/// The allocations of one pool: pages are cut from the last one.
struct Slabs {
    page: Layout,
    inner: Mutex<Vec<Slab>>,
}

struct Slab {
    memory: Zeroed,
    used: usize,
}

impl Slabs {
    fn new(page: Layout) -> Self {
        Self { page, inner: Mutex::new(Vec::new()) }
    }

    /// `count` zeroed pages side by side, and the size of one.
    fn cut(&self, count: usize) -> (NonNull<u8>, usize) {
        let size = self.page.size();
        let wanted = count * size;
        let mut slabs = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if slabs.last().is_none_or(|slab| slab.memory.size() - slab.used < wanted) {
            let so_far: usize = slabs.iter().map(|slab| slab.memory.size()).sum();
            let bytes = so_far.max(LEAST_PAGES * size).min(LARGEST_SLAB).max(wanted);
            slabs.push(Slab { memory: Zeroed::new_unzeroed(bytes), used: 0 });
        }
        let slab = slabs.last_mut().expect("one was just pushed if there was none");
        // SAFETY: `used + wanted` is within the slab.
        let start = unsafe { slab.memory.start().add(slab.used) };
        slab.memory.zero(slab.used, wanted);
        slab.used += wanted;
        (start, size)
    }

    /// Whether the page at `after` follows the one at `before` in one allocation.
    fn follows(&self, before: *mut u8, after: *mut u8) -> bool {
        let slabs = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let last = slabs.last().map(|slab| slab.memory.start().as_ptr());
        before.wrapping_add(self.page.size()) == after && last != Some(after)
    }

    fn bytes(&self) -> usize {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).iter().map(|slab| slab.memory.size()).sum()
    }
}
