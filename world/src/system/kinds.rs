//! What a system is to whoever writes one: a trait a kind, whose hooks do nothing unless they are written.

use super::Run;
use super::definition::Step;
use super::members::Members;
use super::named::Named;
use super::tracking::QueryChanges;
use crate::memory::Query;
use crate::world::World;

/// How far a system's startup is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Startup {
    /// It is done: the system takes part from now on.
    Done,
    /// It takes longer and is asked again before the next update.
    Later,
}

/// A system of the world thread: once a run, with the whole world.
///
/// A closure is one too.
pub trait System: Send + 'static {
    /// Runs once.
    ///
    /// # Errors
    /// A sentence for the log; the system keeps the time of a run that failed.
    fn update(&mut self, world: &mut World, step: &Step) -> Result<(), String>;

    /// Asked when the system is added, and before each update until it is done. One that is not done after fifteen
    /// seconds of the world's clock is reported and switched off.
    ///
    /// # Errors
    /// A sentence for the log; the system is switched off.
    fn startup(&mut self, _world: &mut World) -> Result<Startup, String> {
        Ok(Startup::Done)
    }

    /// Called once, when the system is removed or its world goes. A run that is open then is waited for, at most a
    /// second.
    fn shutdown(&mut self, _world: &mut World) {}

    /// Called when the system has a world's content before it: when it is added, and at the end of the load that
    /// made it.
    fn attached(&mut self, _world: &mut World) {}

    /// Called before that content goes: before a load, a clear, or the system's removal.
    fn detached(&mut self, _world: &mut World) {}
}

impl<F: FnMut(&mut World, &Step) -> Result<(), String> + Send + 'static> System for F {
    fn update(&mut self, world: &mut World, step: &Step) -> Result<(), String> {
        self(world, step)
    }
}

/// A system over the members of a query, on the world thread or on the worker pool.
///
/// A run hears first what changed ([`query_changed`](Self::query_changed)), then
/// [`pre_run`](Self::pre_run), [`pre_batch`](Self::pre_batch), the updates, and
/// [`entity_removed`](Self::entity_removed) for whoever left.
pub trait EntitySystem: Send + 'static {
    /// What it asks for of each entity.
    type Query: Query + 'static;

    /// Whether it hears who joined and left its queries: [`query_changed`](Self::query_changed) and
    /// [`entity_removed`](Self::entity_removed) are called only then. Whoever does not ask does not pay.
    const HEARS_CHANGES: bool = false;

    /// Whether [`link`](Self::link) and [`unlink`](Self::unlink) are called. Whoever does not ask does not pay.
    const LINKS: bool = false;

    /// Updates one entity.
    ///
    /// # Errors
    /// A sentence, reported with the entity; the next entities are still updated.
    fn update(&mut self, item: <Self::Query as Query>::Row<'_>, run: &mut Run) -> Result<(), String>;

    /// Called on the world thread when an entity has become a member of the main query, as soon as that is so and no
    /// run of this system is open, nor one that holds what the query asks for. Filters are not asked.
    fn link(&mut self, _id: crate::id::EntityId, _item: <Self::Query as Query>::Row<'_>) {}

    /// As [`link`](Self::link), when an entity is a member no longer; what it had can still be read.
    fn unlink(&mut self, _id: crate::id::EntityId, _item: <Self::Query as Query>::Row<'_>) {}

    /// Called at the end of a load and by `World::init` with what is there, to begin with a state of its own. What
    /// it sees here is not told as a change.
    ///
    /// # Errors
    /// A sentence for the log.
    fn init(&mut self, _members: &mut Members<'_, Self::Query>, _run: &mut Run) -> Result<(), String> {
        Ok(())
    }

    /// Called on the world thread before a run begins, once a pass for a system that works in batches: the place to
    /// take along what this run alone needs.
    ///
    /// # Errors
    /// A sentence for the log; there is no run then.
    fn before_run(&mut self, _world: &World, _step: &Step) -> Result<(), String> {
        Ok(())
    }

    /// Called in a run for each query whose members changed since the last run; the name of the main one is empty.
    ///
    /// # Errors
    /// A sentence for the log; the run goes on.
    fn query_changed(&mut self, _query: &str, _changes: &QueryChanges, _run: &mut Run) -> Result<(), String> {
        Ok(())
    }

    /// Called before the updates of a run, and only before the first batch of a pass, with all members.
    ///
    /// # Errors
    /// A sentence for the log; the updates are left out, and the pass ends.
    fn pre_run(&mut self, _members: &mut Members<'_, Self::Query>, _run: &mut Run) -> Result<(), String> {
        Ok(())
    }

    /// Called before the updates of each batch with its members; a run that is not in batches is one.
    ///
    /// # Errors
    /// A sentence for the log; the updates are left out, and the pass ends.
    fn pre_batch(&mut self, _members: &mut Members<'_, Self::Query>, _run: &mut Run) -> Result<(), String> {
        Ok(())
    }

    /// Called after the updates for each entity that left the main query since the last run; its components cannot
    /// be read any more.
    fn entity_removed(&mut self, _id: crate::id::EntityId, _run: &mut Run) {}

    /// As [`System::startup`].
    ///
    /// # Errors
    /// A sentence for the log; the system is switched off.
    fn startup(&mut self, _world: &mut World) -> Result<Startup, String> {
        Ok(Startup::Done)
    }

    /// As [`System::shutdown`].
    fn shutdown(&mut self, _world: &mut World) {}

    /// As [`System::attached`].
    fn attached(&mut self, _world: &mut World) {}

    /// As [`System::detached`].
    fn detached(&mut self, _world: &mut World) {}
}

/// A system of the worker pool that runs once a run over named queries.
///
/// A closure is one too.
pub trait WorkerSystem: Send + 'static {
    /// Whether it hears who joined and left its queries, see [`query_changed`](Self::query_changed).
    const HEARS_CHANGES: bool = false;

    /// Runs once.
    ///
    /// # Errors
    /// A sentence for the log.
    fn update(&mut self, queries: &mut Named<'_>, run: &mut Run) -> Result<(), String>;

    /// As [`EntitySystem::init`].
    ///
    /// # Errors
    /// A sentence for the log.
    fn init(&mut self, _queries: &mut Named<'_>, _run: &mut Run) -> Result<(), String> {
        Ok(())
    }

    /// As [`EntitySystem::before_run`].
    ///
    /// # Errors
    /// A sentence for the log; there is no run then.
    fn before_run(&mut self, _world: &World, _step: &Step) -> Result<(), String> {
        Ok(())
    }

    /// As [`EntitySystem::query_changed`].
    ///
    /// # Errors
    /// A sentence for the log; the run goes on.
    fn query_changed(&mut self, _query: &str, _changes: &QueryChanges, _run: &mut Run) -> Result<(), String> {
        Ok(())
    }

    /// As [`System::startup`].
    ///
    /// # Errors
    /// A sentence for the log; the system is switched off.
    fn startup(&mut self, _world: &mut World) -> Result<Startup, String> {
        Ok(Startup::Done)
    }

    /// As [`System::shutdown`].
    fn shutdown(&mut self, _world: &mut World) {}

    /// As [`System::attached`].
    fn attached(&mut self, _world: &mut World) {}

    /// As [`System::detached`].
    fn detached(&mut self, _world: &mut World) {}
}

impl<F: FnMut(&mut Named<'_>, &mut Run) -> Result<(), String> + Send + 'static> WorkerSystem for F {
    fn update(&mut self, queries: &mut Named<'_>, run: &mut Run) -> Result<(), String> {
        self(queries, run)
    }
}

/// A system of the world thread that works off a list of items, a part an update if it has a
/// [`budget`](super::SystemDef::budget).
pub trait IterableSystem: Send + 'static {
    /// One piece of work.
    type Item: Send + 'static;

    /// What is to be done in a run.
    ///
    /// # Errors
    /// A sentence for the log; there is no run then, and the system keeps its time.
    fn items(&mut self, world: &mut World, step: &Step) -> Result<Vec<Self::Item>, String>;

    /// Does one item. What it is about may be gone by now: an entity may have died in an update between.
    ///
    /// # Errors
    /// A sentence for the log; the next items are still done.
    fn update(&mut self, item: Self::Item, world: &mut World, step: &Step) -> Result<(), String>;

    /// As [`System::startup`].
    ///
    /// # Errors
    /// A sentence for the log; the system is switched off.
    fn startup(&mut self, _world: &mut World) -> Result<Startup, String> {
        Ok(Startup::Done)
    }

    /// As [`System::shutdown`].
    fn shutdown(&mut self, _world: &mut World) {}

    /// As [`System::attached`].
    fn attached(&mut self, _world: &mut World) {}

    /// As [`System::detached`].
    fn detached(&mut self, _world: &mut World) {}
}

/// What an update returns: nothing, or a result whose error is a sentence.
pub trait Outcome {
    /// The error, if it is one.
    fn error(self) -> Option<String>;
}

impl Outcome for () {
    #[inline(always)]
    fn error(self) -> Option<String> {
        None
    }
}

impl<E: Into<String>> Outcome for Result<(), E> {
    #[inline(always)]
    fn error(self) -> Option<String> {
        match self {
            Ok(()) => None,
            Err(error) => Some(error.into()),
        }
    }
}
