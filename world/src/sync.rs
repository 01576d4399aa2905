//! Atomics: the standard ones, or under `cfg(loom)` those of a model checker, which tries every order of threads.

#[cfg(loom)]
pub(crate) use ::loom::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
