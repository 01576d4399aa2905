//! Zeroed memory that is big: from the system itself, in huge pages where there are any.

#![expect(unsafe_code, reason = "allocates memory and maps it; the invariants are in `memory`")]

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// Memory of one allocation, zeroed when it was made and freed when this is dropped.
pub(super) struct Zeroed {
    start: NonNull<u8>,
    layout: Layout,
    mapped: bool,
}

// SAFETY: plain memory that this alone frees.
unsafe impl Send for Zeroed {}

impl Zeroed {
    /// Memory for a layout that is not empty. The process ends if there is none, as for any allocation.
    pub(super) fn new(layout: Layout) -> Self {
        assert!(layout.size() > 0, "blocks without size take no memory");
        if let Some(start) = huge::map(layout.size()) {
            return Self { start, layout, mapped: true };
        }
        // SAFETY: the layout is not empty.
        let start = unsafe { alloc_zeroed(layout) };
        let start = NonNull::new(start).unwrap_or_else(|| handle_alloc_error(layout));
        Self { start, layout, mapped: false }
    }

    pub(super) fn start(&self) -> NonNull<u8> {
        self.start
    }
    pub(super) fn size(&self) -> usize {
        self.layout.size()
    }
}

impl Drop for Zeroed {
    fn drop(&mut self) {
        if self.mapped {
            return huge::unmap(self.start, self.layout.size());
        }
        // SAFETY: allocated in `new` with this layout.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}

/// Fresh pages of 4 KB cost 1.5 to 2 microseconds each, as parts of a huge one a quarter of that, and random reads
/// of large pools miss the address cache less.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod huge {
    use std::ffi::{c_int, c_void};
    use std::ptr::{NonNull, null_mut};

    /// What a huge page has.
    const HUGE: usize = 2 << 20;
    /// What a usual page has.
    const SMALL: usize = 4096;

    // As on every Linux that has 64 bits.
    const PROT_READ_WRITE: c_int = 1 | 2;
    const MAP_PRIVATE_ANONYMOUS: c_int = 2 | 0x20;
    const MADV_HUGEPAGE: c_int = 14;

    unsafe extern "C" {
        fn mmap(
            at: *mut c_void,
            size: usize,
            prot: c_int,
            flags: c_int,
            file: c_int,
            offset: i64,
        ) -> *mut c_void;
        fn munmap(at: *mut c_void, size: usize) -> c_int;
        fn madvise(at: *mut c_void, size: usize, advice: c_int) -> c_int;
    }

    /// Zeroed memory aligned to huge pages; none if it is too little for one, or the system has none to give.
    pub(super) fn map(size: usize) -> Option<NonNull<u8>> {
        if size < HUGE {
            return None;
        }
        let size = size.next_multiple_of(SMALL);
        // SAFETY: asks for memory wherever there is some.
        let start = unsafe { mmap(null_mut(), size + HUGE, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0) };
        if start.addr() == usize::MAX {
            return None;
        }
        let before = start.addr().next_multiple_of(HUGE) - start.addr();
        // SAFETY: `before` is at most `HUGE`, so `size` bytes follow within the mapping.
        let aligned = unsafe { start.byte_add(before) };
        // SAFETY: the parts before and behind what is kept are whole pages of the mapping that nobody uses; advice
        // on the rest changes nothing but how it is backed.
        unsafe {
            if before > 0 {
                munmap(start, before);
            }
            if before < HUGE {
                munmap(aligned.byte_add(size), HUGE - before);
            }
            madvise(aligned, size, MADV_HUGEPAGE);
        }
        NonNull::new(aligned.cast())
    }

    /// Gives back what `map` gave.
    pub(super) fn unmap(start: NonNull<u8>, size: usize) {
        // SAFETY: the mapping is this long, and its owner is being dropped.
        unsafe { munmap(start.as_ptr().cast(), size.next_multiple_of(SMALL)) };
    }
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
mod huge {
    use std::ptr::NonNull;

    pub(super) fn map(_: usize) -> Option<NonNull<u8>> {
        None
    }
    pub(super) fn unmap(_: NonNull<u8>, _: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_memory_is_zeroed_and_can_be_written_to_its_end() {
        for size in [64, 4096, 3 << 20, 4 << 20] {
            let memory = Zeroed::new(Layout::from_size_align(size, 16).unwrap());
            assert!(memory.size() == size && memory.start().as_ptr().addr().is_multiple_of(16));
            // SAFETY: the memory has this size and is initialised.
            let bytes = unsafe { std::slice::from_raw_parts_mut(memory.start().as_ptr(), size) };
            assert!(bytes.iter().all(|&byte| byte == 0));
            bytes.fill(1);
        }
    }
}
