//! Which run each worker is at, for those who look: a word a worker, written when it begins and when it ends.

use crate::id::RunId;
use crate::sync::{AtomicU64, Ordering};
use std::sync::Arc;

/// The most runs of a joined job that are told apart.
const MOST: u64 = 0xff;

/// What the workers of a pool are at. Says nothing about memory: whoever reads it only learns whom to name.
#[derive(Clone, Debug)]
pub(super) struct AtWork {
    /// By worker: nothing is 0, else the number of the first run above how many are done together.
    words: Arc<[AtomicU64]>,
}

impl AtWork {
    /// Nobody works yet.
    pub(super) fn new(workers: usize) -> Self {
        Self { words: (0..workers).map(|_| AtomicU64::new(0)).collect() }
    }

    /// The calling worker begins runs: the first, and how many are done together.
    pub(super) fn begin(&self, first: RunId, count: usize) {
        self.set((first.0 << 8) | (count as u64).clamp(1, MOST));
    }

    /// The calling worker is done with what it was at.
    pub(super) fn end(&self) {
        self.set(0);
    }

    fn set(&self, word: u64) {
        if let Some(slot) = rayon::current_thread_index().and_then(|worker| self.words.get(worker)) {
            slot.store(word, Ordering::Relaxed);
        }
    }

    /// The worker that is at a run; none if no worker is.
    pub(super) fn worker_of(&self, run: RunId) -> Option<usize> {
        self.words.iter().position(|word| {
            let word = word.load(Ordering::Relaxed);
            let (first, count) = (word >> 8, word & MOST);
            (first..first + count).contains(&run.0)
        })
    }
}
