//! What a system does, and one execution of it.

use super::definition::Step;
use super::run::Run;
use crate::id::EntityId;
use crate::memory::{Lent, Query, visit, visit_chunks};
use crate::world::World;
use std::any::Any;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A system of the world thread: once a run, with the whole world.
pub trait System: Send + 'static {
    /// Runs once.
    ///
    /// # Errors
    /// A sentence for the log; the system keeps the time of a run that failed.
    fn update(&mut self, world: &mut World, step: &Step) -> Result<(), String>;
}

impl<F: FnMut(&mut World, &Step) -> Result<(), String> + Send + 'static> System for F {
    fn update(&mut self, world: &mut World, step: &Step) -> Result<(), String> {
        self(world, step)
    }
}

/// A system over the members of a query, on the world thread.
pub trait EntitySystem: Send + 'static {
    /// What it asks for of each entity.
    type Query: Query + 'static;

    /// Updates one entity.
    ///
    /// # Errors
    /// A sentence, reported with the entity; the next entities are still updated.
    fn update(&mut self, item: <Self::Query as Query>::Row<'_>, run: &mut Run) -> Result<(), String>;
}

/// A system over the members of a query, on the worker pool.
pub trait EntityWorkerSystem: Send + 'static {
    /// What it asks for of each entity.
    type Query: Query + 'static;

    /// Updates one entity.
    ///
    /// # Errors
    /// A sentence, reported with the entity; the next entities are still updated.
    fn update(&mut self, item: <Self::Query as Query>::Row<'_>, run: &mut Run) -> Result<(), String>;
}

/// A system of the worker pool that runs once a run over named queries.
pub trait WorkerSystem: Send + 'static {
    /// Runs once.
    ///
    /// # Errors
    /// A sentence for the log.
    fn update(&mut self, queries: &mut Named<'_>, run: &mut Run) -> Result<(), String>;
}

impl<F: FnMut(&mut Named<'_>, &mut Run) -> Result<(), String> + Send + 'static> WorkerSystem for F {
    fn update(&mut self, queries: &mut Named<'_>, run: &mut Run) -> Result<(), String> {
        self(queries, run)
    }
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
        self.err().map(Into::into)
    }
}

/// The named queries of a run.
pub struct Named<'a> {
    lent: &'a mut Lent,
    names: &'a [String],
}

impl Named<'_> {
    fn place<Q: Query>(&self, name: &str) -> usize {
        let Some(place) = self.names.iter().position(|known| known == name) else {
            panic!("the system has no query named {name:?}; it has {:?}", self.names);
        };
        assert!(self.lent.queries[place].is_of(&Q::terms()), "query {name:?} was declared with other items");
        place
    }

    /// Calls `each` with every member of a query, in row order.
    ///
    /// # Panics
    /// If the system has no query of this name and these items.
    pub fn each<Q: Query>(&mut self, name: &str, mut each: impl FnMut(Q::Row<'_>)) {
        let place = self.place::<Q>(name);
        visit::<Q>(self.lent, place, |item, _| each(item));
    }

    /// Calls `each` with slices of members that lie side by side, in row order.
    ///
    /// # Panics
    /// If the system has no query of this name and these items.
    pub fn each_chunk<Q: Query>(&mut self, name: &str, each: impl FnMut(Q::Chunk<'_>)) {
        let place = self.place::<Q>(name);
        visit_chunks::<Q>(self.lent, place, each);
    }

    /// How many members a query has.
    ///
    /// # Panics
    /// If the system has no query of this name.
    pub fn len(&self, name: &str) -> usize {
        let place = self.names.iter().position(|known| known == name);
        place.map_or_else(
            || panic!("the system has no query named {name:?}"),
            |at| self.lent.queries[at].mask.members,
        )
    }
}

type WorldBody = Box<dyn FnMut(&mut World, &Step) -> Result<(), String> + Send>;

pub(crate) enum Body {
    World(WorldBody),
    Worker(Box<dyn WorkerBody>),
}

/// The part of a system that a run takes along.
pub(crate) trait WorkerBody: Send {
    fn run(&mut self, lent: &mut Lent, names: &[String], run: &mut Run);
}

/// Calls a closure with every member of the first query.
pub(crate) struct Each<Q, F> {
    each: F,
    query: PhantomData<fn() -> Q>,
}

impl<Q, F> Each<Q, F> {
    pub(crate) fn new(each: F) -> Self {
        Self { each, query: PhantomData }
    }
}

impl<Q: Query, R: Outcome, F: for<'a> FnMut(Q::Row<'a>, &mut Run) -> R + Send> WorkerBody for Each<Q, F> {
    fn run(&mut self, lent: &mut Lent, _: &[String], run: &mut Run) {
        let mut failed: Vec<(u32, String)> = Vec::new();
        visit::<Q>(lent, 0, |item, row| {
            if let Some(error) = (self.each)(item, run).error() {
                failed.push((row, error));
            }
        });
        if !failed.is_empty() {
            let rows: std::collections::BTreeMap<u32, EntityId> =
                ids_of(lent, 0, failed.iter().map(|&(row, _)| row));
            run.fail_all(failed.into_iter().map(|(row, error)| (rows.get(&row).copied(), error)));
        }
    }
}

pub(super) fn ids_of(
    lent: &mut Lent,
    query: usize,
    rows: impl Iterator<Item = u32>,
) -> std::collections::BTreeMap<u32, EntityId> {
    let wanted: std::collections::BTreeSet<u32> = rows.collect();
    let mut found = std::collections::BTreeMap::new();
    crate::memory::visit_ids(lent, query, |id, row| {
        if wanted.contains(&row) {
            found.insert(row, id);
        }
    });
    found
}

/// Calls a closure once.
pub(crate) struct Once<F>(pub(crate) F);

impl<F: FnMut(&mut Named<'_>, &mut Run) -> Result<(), String> + Send> WorkerBody for Once<F> {
    fn run(&mut self, lent: &mut Lent, names: &[String], run: &mut Run) {
        if let Err(error) = (self.0)(&mut Named { lent, names }, run) {
            run.failed = true;
            run.fail_all([(None, error)]);
        }
    }
}

/// One execution of a system: all it needs, so that any thread can do it.
pub(crate) struct Job {
    pub(crate) body: Box<dyn WorkerBody>,
    pub(crate) names: std::sync::Arc<[String]>,
    pub(crate) lent: Lent,
    pub(crate) run: Run,
}

/// How a job ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum JobOutcome {
    Done,
    /// It panicked: what it said, and the rows it was on, first and count.
    Panicked {
        message: String,
        rows: (u32, u32),
    },
}

impl Job {
    /// Does the work; a panic in the system is caught here.
    pub(crate) fn execute(&mut self) -> JobOutcome {
        let Self { body, names, lent, run } = self;
        // The system's own state may be half changed after a panic; it is plain data that the system alone sees.
        match catch_unwind(AssertUnwindSafe(|| body.run(lent, names, run))) {
            Ok(()) => JobOutcome::Done,
            Err(panic) => JobOutcome::Panicked { message: panic_message(&*panic), rows: lent.at.get() },
        }
    }
}

/// What a panic said.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "it did not say why".to_owned())
}
