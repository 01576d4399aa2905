//! Which of several runs the threads of their job are at.

use crate::sync::{AtomicUsize, Ordering};

/// Which of the runs of a joined job each thread is at, for the world thread to see when they do not end.
#[derive(Debug)]
pub(crate) struct AtMember(Box<[Place]>);

/// By itself in its line of the cache: threads write theirs for every tile.
#[derive(Debug)]
#[repr(align(64))]
struct Place(AtomicUsize);

/// A thread that is at none.
const NONE: usize = usize::MAX;

impl AtMember {
    /// For at most so many threads, but for one at least.
    pub(crate) fn new(threads: usize) -> Self {
        Self((0..threads.max(1)).map(|_| Place(AtomicUsize::new(NONE))).collect())
    }

    /// A thread begins with a run, or goes on with it.
    pub(crate) fn begin(&self, thread: usize, run: usize) {
        // Relaxed: it is read by somebody who waited for long, and says nothing about what was written.
        self.0[thread].0.store(run, Ordering::Relaxed);
    }

    /// A thread is at none any more.
    pub(crate) fn end(&self, thread: usize) {
        self.begin(thread, NONE);
    }

    /// The runs that threads are at.
    pub(crate) fn runs(&self) -> Vec<usize> {
        let places = self.0.iter().map(|place| place.0.load(Ordering::Relaxed));
        let mut runs: Vec<usize> = places.filter(|&run| run != NONE).collect();
        runs.sort_unstable();
        runs.dedup();
        runs
    }
}
