//! A counter that any number of threads claim numbers from, each once.

use crate::sync::{AtomicUsize, Ordering};

/// Numbers from 0 up to a bound, each for one thread.
#[derive(Debug)]
pub(crate) struct Claims {
    next: AtomicUsize,
    bound: usize,
}

impl Claims {
    pub(crate) fn new(bound: usize) -> Self {
        Self { next: AtomicUsize::new(0), bound }
    }

    /// The next number; none if all are claimed.
    #[inline]
    pub(crate) fn claim(&self) -> Option<usize> {
        // Relaxed: only that each number is taken once matters; what threads did is ordered by their joining. The
        // counter goes beyond the bound at most once a thread, so it cannot wrap.
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        (number < self.bound).then_some(number)
    }
}
