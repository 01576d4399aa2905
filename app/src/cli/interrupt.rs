//! Ctrl-C: the first asks to stop after the tick, the second stops at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::exit::Exit;

/// Tells whether the user asked to stop.
#[derive(Clone, Debug, Default)]
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Takes over the signals that ask the process to end. Without a handler, which the system may refuse, they end
    /// it at once as they always do.
    pub(super) fn install() -> Self {
        let interrupt = Self::default();
        let asked = Arc::clone(&interrupt.0);
        let _ = ctrlc::try_set_handler(move || {
            // Relaxed: the flag guards no other data.
            if asked.swap(true, Ordering::Relaxed) {
                std::process::exit(Exit::Interrupted as i32);
            }
        });
        interrupt
    }

    /// The user asked to stop.
    pub(super) fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
