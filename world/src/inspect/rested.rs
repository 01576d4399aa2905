//! Answers that are dear to find: found again only after a rest.

use crate::world::World;
use std::time::Duration;

/// Finding is done again only after this many times as long as it took, so that it stays a small part of the time.
pub(super) const REST: u32 = 20;

/// The last answer, and to which question.
pub(super) struct Rested<Q, A> {
    asked: Option<(Q, A)>,
    took: Duration,
    /// On the world's clock, when it was found.
    at: u64,
    tick: u64,
    /// Whether it may be wrong for another reason than the time that passed.
    is_stale: bool,
    /// Whether it could be found better now but for the rest.
    is_behind: bool,
}

impl<Q, A> Default for Rested<Q, A> {
    fn default() -> Self {
        Self { asked: None, took: Duration::ZERO, at: 0, tick: 0, is_stale: false, is_behind: false }
    }
}

impl<Q: Clone + PartialEq, A> Rested<Q, A> {
    /// The answer to a question. `find` finds it, or gives none while what it reads is written; then the last answer
    /// to the same question stands.
    pub(super) fn answer(
        &mut self,
        world: &World,
        question: &Q,
        find: impl FnOnce(&World) -> Option<A>,
    ) -> Option<&A> {
        let now = world.now();
        let is_new = self.asked.as_ref().is_none_or(|(asked, _)| asked != question);
        let is_other = self.is_stale || self.tick != world.clocks().tick;
        let rested = now.saturating_sub(self.at) >= (self.took * REST).as_nanos() as u64;
        self.is_behind = false;
        if is_new || self.is_stale || is_other && rested {
            match find(world) {
                Some(answer) => {
                    self.asked = Some((question.clone(), answer));
                    (self.tick, self.at, self.is_stale) = (world.clocks().tick, world.now(), false);
                    self.took = Duration::from_nanos(self.at.saturating_sub(now));
                }
                None if is_new => self.asked = None,
                None => self.is_stale = true,
            }
        } else {
            self.is_behind = is_other;
        }
        self.asked.as_ref().map(|(_, answer)| answer)
    }

    /// Nobody asks any more.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// The world was changed by hand.
    pub(super) fn note_edit(&mut self) {
        self.is_stale = true;
    }

    /// Whether a better answer waits for nothing but the rest.
    pub(super) fn is_behind(&self) -> bool {
        self.is_behind
    }
}
