//! Who decides what runs when: a trait, and the two schedulers that are built in.
//!
//! A scheduler decides and the world does: it is asked at each update and whenever something changed, and acts through
//! a [`SchedulerContext`]. While it acts it is out of its seat; what happens meanwhile is told to it when it is back.

mod conflict; // every due run is queued; what conflicts keeps its order
mod context; // what a scheduler can see and do
mod default; // registration order; what is busy is skipped
mod seat; // where the world keeps its scheduler

pub use conflict::ConflictScheduler;
pub use context::{Dispatched, SchedulerContext};
pub use default::DefaultScheduler;
pub use seat::UnknownScheduler;

pub(super) use seat::{Notice, Seat};

use crate::id::{RunId, SystemId};
use crate::system::Phase;

/// Decides which systems run when, and when the effects of their runs are applied.
///
/// Soundness does not rest on it: a run borrows what it touches when it is dispatched, and a dispatch that would break
/// a borrow panics before anything runs.
///
/// Every hook may act through the context it is given. A hook is never called while another one of the same scheduler
/// is at work: what happens meanwhile, because a system or a listener pumps, updates or clears the world, is told when
/// that one returns, in order.
///
/// ```
/// use vivarium_world::{Phase, Scheduler, SchedulerContext};
///
/// /// Runs every system to its end before the next begins.
/// struct OneByOne;
///
/// impl Scheduler for OneByOne {
///     fn name(&self) -> &str {
///         "one by one"
///     }
///     fn update(&mut self, context: &mut SchedulerContext<'_>, phase: Phase, delta: f64) {
///         for system in context.systems() {
///             if context.advance(system, phase, delta)
///                 && context.can_start(system)
///                 && let Some(due) = context.due(system)
///             {
///                 context.dispatch(due);
///                 context.finish_all();
///             }
///         }
///     }
/// }
/// # use vivarium_world::{Catalog, World, WorldOptions, SystemDef, Step};
/// # let mut world = World::new(&Catalog::new(), WorldOptions::default())?;
/// world.set_custom_scheduler(Box::new(OneByOne));
/// # let system = SystemDef::system("noop", |_: &mut World, _: &Step| Ok(()));
/// # let id = world.add_system(system).unwrap();
/// # world.step();
/// # assert_eq!(world.systems().next().unwrap().runs, 1);
/// # Ok::<(), std::io::Error>(())
/// ```
pub trait Scheduler: Send + 'static {
    /// What scenes call it.
    fn name(&self) -> &str;

    /// A step passed, or for [`Phase::Variable`] an update: `delta` milliseconds of game time, which has advanced.
    /// What is queued here is done by [`pump`](Self::pump), which is called next.
    fn update(&mut self, context: &mut SchedulerContext<'_>, phase: Phase, delta: f64);

    /// Does a part of what can be done now; whether there may be more, in which case it is called again.
    fn pump(&mut self, _context: &mut SchedulerContext<'_>) -> bool {
        false
    }

    /// Whether effects are applied as soon as a run's work is over, without asking
    /// [`effects_ready`](Self::effects_ready): also while this scheduler acts, so that a system which settles the
    /// world finds them applied. Asked once.
    fn applies_at_once(&self) -> bool {
        false
    }

    /// A run's work is over, and its effects can be applied.
    fn effects_ready(&mut self, _context: &mut SchedulerContext<'_>, _run: &FinishedRun) -> ReadyEffects {
        ReadyEffects::Apply
    }

    /// A run is over, its effects applied or discarded.
    fn run_completed(&mut self, _context: &mut SchedulerContext<'_>, _run: RunId, _system: SystemId) {}

    /// A system was added behind the others.
    fn system_added(&mut self, _context: &mut SchedulerContext<'_>, _system: SystemId) {}

    /// A system was removed. A run of it that is open ends as it would have.
    fn system_removed(&mut self, _context: &mut SchedulerContext<'_>, _system: SystemId) {}

    /// The world was paused, or goes on. While it is paused there are no updates, and what is open drains.
    fn paused(&mut self, _context: &mut SchedulerContext<'_>, _paused: bool) {}

    /// Systems and entities are about to go: no run works any more, and the effects of those that wait will be
    /// discarded.
    fn before_clear(&mut self) {}

    /// The world was cleared, and starts anew: nothing that was remembered means anything.
    fn reset(&mut self) {}

    /// The world goes, or has another scheduler now.
    fn destroy(&mut self) {}

    /// How many updates have runs that wait. At `max_backlog` the next update waits for room.
    fn backlog(&self) -> usize {
        0
    }

    /// The system that everything else that waits is behind, if something waits.
    fn holds_up(&self) -> Option<SystemId> {
        None
    }

    /// How many runs of a system wait, and the system the first of them waits for.
    fn queued_runs(&self, _system: SystemId) -> (usize, Option<SystemId>) {
        (0, None)
    }
}

/// A run whose work is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FinishedRun {
    /// Which.
    pub run: RunId,
    /// Whose.
    pub system: SystemId,
    /// Whether it asks for entities to be created.
    pub creates: bool,
    /// Whether it asks for entities to be killed.
    pub kills: bool,
}

/// What is to become of the effects of a run that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadyEffects {
    /// They are applied now.
    Apply,
    /// They wait until the scheduler applies or discards them: [`SchedulerContext::apply`].
    Hold,
    /// They are thrown away, and what they made freed; errors are still reported.
    Discard,
}
