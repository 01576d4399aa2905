//! What threads that share a run hand to each other and to whoever takes the run back.

use crate::sync::{AtomicBool, AtomicUsize, Mutex, MutexGuard, Ordering};
use std::sync::PoisonError;

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many effects all threads together may ask for, and how many they did.
#[derive(Debug)]
pub(crate) struct Room {
    most: usize,
    asked: AtomicUsize,
}

impl Room {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, asked: AtomicUsize::new(0) }
    }

    /// How many may still be asked for, as far as this thread heard.
    pub(crate) fn left(&self) -> usize {
        // Relaxed: a thread that hears late of others asks for more than it might, and all of it is discarded.
        self.most.saturating_sub(self.asked.load(Ordering::Relaxed))
    }

    /// So many more were asked for.
    pub(crate) fn take(&self, count: usize) {
        self.asked.fetch_add(count, Ordering::Relaxed);
    }

    /// What is left, and whether more was asked for than there was, once no thread asks any more. It does not depend
    /// on who asked for what.
    pub(crate) fn close(self) -> (usize, bool) {
        let asked = self.asked.into_inner();
        (self.most.saturating_sub(asked), asked > self.most)
    }
}

/// What came of parts, put here by whoever did them.
#[derive(Debug)]
pub(crate) struct Gathered<T>(Mutex<Vec<T>>);

impl<T> Gathered<T> {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    pub(crate) fn put(&self, done: T) {
        lock(&self.0).push(done);
    }

    /// All of it in the order of a key, once no thread puts anything any more.
    pub(crate) fn in_order<K: Ord>(self, key: impl FnMut(&T) -> K) -> Vec<T> {
        let mut done = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_unstable_by_key(key);
        done
    }
}

/// Which of several runs ended before their time, and why.
#[derive(Debug)]
pub(crate) struct Ended<T> {
    over: Vec<AtomicBool>,
    why: Mutex<Vec<Option<T>>>,
}

impl<T> Ended<T> {
    pub(crate) fn new(runs: usize) -> Self {
        let over = (0..runs).map(|_| AtomicBool::new(false)).collect();
        Self { over, why: Mutex::new((0..runs).map(|_| None).collect()) }
    }

    /// Whether a run ended, as far as this thread heard.
    pub(crate) fn is_over(&self, run: usize) -> bool {
        // Relaxed: whether others go on with it a little longer makes no difference to anybody.
        self.over[run].load(Ordering::Relaxed)
    }

    /// Ends a run.
    pub(crate) fn end(&self, run: usize, why: T) {
        self.over[run].store(true, Ordering::Relaxed);
        lock(&self.why)[run] = Some(why);
    }

    /// Why each ended, once no thread ends any more.
    pub(crate) fn close(self) -> Vec<Option<T>> {
        self.why.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
