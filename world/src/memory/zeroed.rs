//! Zeroed memory that is big: from the system itself, in huge pages where there are any, and used again.

#![expect(unsafe_code, reason = "allocates memory and maps it; the invariants are in `memory`")]

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

/// Memory of one allocation, zeroed before it is used first and given back when this is dropped.
///
/// As allocators do, the process keeps what is given back, up to a limit, for whoever asks for as much next: fresh
/// pages are what new worlds cost most.
pub(super) struct Zeroed {
    start: NonNull<u8>,
    size: usize,
    /// Whether somebody used it before, so that it has to be zeroed.
    used: bool,
}

// SAFETY: plain memory that this alone frees.
unsafe impl Send for Zeroed {}

/// Every allocation has this alignment.
const ALIGN: usize = 64;

/// Smaller allocations are not kept.
const LEAST_KEPT: usize = 32 << 10;

/// Bytes kept at most.
const MOST_KEPT: usize = 128 << 20;

static KEPT: Mutex<Kept> = Mutex::new(Kept { memory: Vec::new(), bytes: 0 });

/// What was given back and may be used again.
struct Kept {
    memory: Vec<(NonNull<u8>, usize)>,
    bytes: usize,
}

// SAFETY: plain memory that nobody has.
unsafe impl Send for Kept {}

impl Zeroed {
    /// Zeroed memory of at least so many bytes, more where that can be used again better. The process ends if there is
    /// none, as for any allocation.
    pub(super) fn new(bytes: usize) -> Self {
        let memory = Self::new_unzeroed(bytes);
        memory.zero(0, memory.size);
        memory
    }

    /// As `new`, but each part has to be zeroed before it is used.
    pub(super) fn new_unzeroed(bytes: usize) -> Self {
        assert!(bytes > 0, "blocks without size take no memory");
        let size = if bytes < LEAST_KEPT { bytes } else { bytes.next_power_of_two() };
        if size >= LEAST_KEPT {
            let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(at) = kept.memory.iter().rposition(|&(_, other)| other == size) {
                kept.bytes -= size;
                return Self { start: kept.memory.remove(at).0, size, used: true };
            }
        }
        Self { start: allocate(size), size, used: false }
    }

    /// Sees that `len` bytes from `from` are zero, which nobody uses yet.
    pub(super) fn zero(&self, from: usize, len: usize) {
        assert!(from <= self.size && len <= self.size - from, "only memory of its own is zeroed");
        if self.used {
            // SAFETY: within the allocation, and nobody uses it yet.
            unsafe { self.start.add(from).write_bytes(0, len) };
        }
    }

    pub(super) fn start(&self) -> NonNull<u8> {
        self.start
    }
    pub(super) fn size(&self) -> usize {
        self.size
    }
}

impl Drop for Zeroed {
    fn drop(&mut self) {
        if self.size >= LEAST_KEPT {
            let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.bytes + self.size <= MOST_KEPT {
                kept.bytes += self.size;
                return kept.memory.push((self.start, self.size));
            }
        }
        // SAFETY: from `allocate` with this size, and nobody uses it any more.
        unsafe { free(self.start, self.size) };
    }
}

fn layout(size: usize) -> Layout {
    Layout::from_size_align(size, ALIGN).unwrap_or_else(|_| handle_alloc_error(Layout::new::<u8>()))
}

/// Zeroed memory, fresh from the system.
fn allocate(size: usize) -> NonNull<u8> {
    if let Some(start) = huge::map(size) {
        return start;
    }
    // SAFETY: the layout is not empty.
    let start = unsafe { alloc_zeroed(layout(size)) };
    NonNull::new(start).unwrap_or_else(|| handle_alloc_error(layout(size)))
}

/// # Safety
/// The memory is from `allocate` with this size, and nobody uses it.
unsafe fn free(start: NonNull<u8>, size: usize) {
    if !huge::unmap(start, size) {
        // SAFETY: what was not mapped was allocated with this layout.
        unsafe { dealloc(start.as_ptr(), layout(size)) };
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

    /// Zeroed memory aligned to huge pages; none if it is too little for one. The process ends if the system has none
    /// to give.
    pub(super) fn map(size: usize) -> Option<NonNull<u8>> {
        if size < HUGE {
            return None;
        }
        let size = size.next_multiple_of(SMALL);
        // SAFETY: asks for memory wherever there is some.
        let start = unsafe { mmap(null_mut(), size + HUGE, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0) };
        if start.addr() == usize::MAX {
            std::alloc::handle_alloc_error(super::layout(size));
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

    /// Gives back what `map` gave for this size; whether it gave anything.
    pub(super) fn unmap(start: NonNull<u8>, size: usize) -> bool {
        if size < HUGE {
            return false;
        }
        // SAFETY: the mapping is this long, and its owner is done with it.
        unsafe { munmap(start.as_ptr().cast(), size.next_multiple_of(SMALL)) };
        true
    }
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
mod huge {
    use std::ptr::NonNull;

    pub(super) fn map(_: usize) -> Option<NonNull<u8>> {
        None
    }
    pub(super) fn unmap(_: NonNull<u8>, _: usize) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_zero_and_can_be_written_to_its_end_also_when_it_is_used_again() {
        for size in [64, 4096, 40_000, 3 << 20, 4 << 20] {
            for _ in 0..3 {
                let memory = Zeroed::new(size);
                assert!(memory.size() >= size && memory.start().as_ptr().addr().is_multiple_of(ALIGN));
                // SAFETY: the memory has this size and is initialised.
                let bytes = unsafe { std::slice::from_raw_parts_mut(memory.start().as_ptr(), memory.size()) };
                assert!(bytes.iter().all(|&byte| byte == 0));
                bytes.fill(1);
            }
        }
    }

    #[test]
    fn what_is_given_back_is_used_again_up_to_a_limit() {
        let size = 48 << 20;
        let all = [(); 5].map(|()| Zeroed::new_unzeroed(size));
        assert!(all.iter().all(|memory| memory.size() == 64 << 20));
        drop(all);
        let kept = KEPT.lock().unwrap();
        assert!(kept.bytes <= MOST_KEPT);
        assert_eq!(kept.bytes, kept.memory.iter().map(|&(_, size)| size).sum::<usize>());
    }
}
