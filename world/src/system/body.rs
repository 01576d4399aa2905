//! What a world holds of a system, whatever its kind, and one execution of it.

use super::definition::Step;
use super::filter::Filter;
use super::iterable::IterableBody;
use super::kinds::{Startup, System};
use super::run::Run;
use super::tiles::{Failed, TileBody};
use super::tracking::{QueryChanges, Tracked};
use crate::config::Config;
use crate::id::EntityId;
use crate::memory::{Lent, Mask, id_in_run, visit_ids};
use crate::world::World;
use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// What a world holds of a system.
pub(crate) enum Body {
    World(Box<dyn WorldBody>),
    Iterable(Box<dyn IterableBody>),
    Worker(Worker),
}

/// What every kind of system hears of its world.
pub(crate) trait Lifecycle: Send {
    fn startup(&mut self, _world: &mut World) -> Result<Startup, String> {
        Ok(Startup::Done)
    }
    fn shutdown(&mut self, _world: &mut World) {}
    fn attached(&mut self, _world: &mut World) {}
    fn detached(&mut self, _world: &mut World) {}
    /// What it has in flight.
    fn in_flight(&self) -> InFlight {
        InFlight::Nothing
    }
    /// Takes what a save has of it in flight.
    fn put_in_flight(&mut self, _saved: &Config<'_>) -> Result<(), String> {
        Err("the system computes no steps beside the world".to_owned())
    }
    /// The system as it was given, to whoever knows its type.
    fn as_any(&mut self) -> &mut dyn Any;
}

/// A step that a system computes beside the world.
pub(crate) enum InFlight {
    Nothing,
    /// It is not computed yet.
    Computing,
    /// As a save has it, or why none can.
    Saved(Result<Config<'static>, String>),
}

/// A system that has the whole world.
pub(crate) trait WorldBody: Lifecycle {
    fn update(&mut self, world: &mut World, step: &Step) -> Result<(), String>;
}

impl<S: System> Lifecycle for S {
    fn startup(&mut self, world: &mut World) -> Result<Startup, String> {
        System::startup(self, world)
    }
    fn shutdown(&mut self, world: &mut World) {
        System::shutdown(self, world);
    }
    fn attached(&mut self, world: &mut World) {
        System::attached(self, world);
    }
    fn detached(&mut self, world: &mut World) {
        System::detached(self, world);
    }
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

impl<S: System> WorldBody for S {
    fn update(&mut self, world: &mut World, step: &Step) -> Result<(), String> {
        System::update(self, world, step)
    }
}

/// A system that a run takes along to another thread.
pub(crate) trait WorkerBody: Lifecycle {
    fn run(&mut self, work: &mut Work<'_>, run: &mut Run);

    /// As what can be driven tile by tile; none if it cannot.
    fn tile(&mut self) -> Option<&mut dyn TileBody> {
        None
    }

    fn init(&mut self, _work: &mut Work<'_>, _run: &mut Run) -> Result<(), String> {
        Ok(())
    }
    fn before_run(&mut self, _world: &World, _step: &Step) -> Result<(), String> {
        Ok(())
    }
    /// The only member of the main query that is lent joined it, or left it.
    fn link(&mut self, _lent: &mut Lent, _id: EntityId, _joined: bool) {}
}

/// The part of a system that its runs take along, and what belongs to it.
pub(crate) struct Worker {
    pub(crate) body: Box<dyn WorkerBody>,
    pub(crate) filters: Vec<Filter>,
    /// By query, for those whose changes the system hears.
    pub(crate) tracked: Vec<Option<Tracked>>,
}

impl Worker {
    pub(super) fn new(body: impl WorkerBody + 'static) -> Self {
        Self { body: Box::new(body), filters: Vec::new(), tracked: Vec::new() }
    }

    /// Takes members that do not suit out of the queries of a run; the views of filters come after its queries.
    pub(crate) fn apply_filters(&mut self, lent: &mut Lent, queries: usize) {
        for (place, filter) in self.filters.iter_mut().enumerate() {
            filter.apply(lent, queries + place);
        }
    }
}

/// Which part of a pass a run is: all of it, unless the system works in batches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Part {
    /// Whether the pass begins.
    pub(crate) first: bool,
    /// Whether a batch begins, of which a run in slices does a part.
    pub(crate) batch: bool,
    pub(crate) last: bool,
}

impl Part {
    pub(crate) const WHOLE: Self = Self { first: true, batch: true, last: true };
}

/// All that one execution works on.
pub(crate) struct Work<'a> {
    pub(crate) lent: &'a mut Lent,
    pub(crate) names: &'a [String],
    /// By query, for those whose changes the system hears.
    pub(crate) changes: &'a [Option<QueryChanges>],
    pub(crate) part: Part,
    /// All members of the main query, where the run is for a batch of them.
    pub(crate) whole: Option<&'a Arc<Mask>>,
}

/// One execution of a system: all it needs, so that any thread can do it.
pub(crate) struct Job {
    pub(crate) worker: Worker,
    pub(crate) names: Arc<[String]>,
    pub(crate) lent: Lent,
    /// By query: members in row order, and rows where they may have changed, for those whose changes are heard.
    pub(crate) heard: Vec<Option<Heard>>,
    pub(crate) part: Part,
    pub(crate) whole: Option<Arc<Mask>>,
    pub(crate) run: Run,
}

/// Where to look for changes of a query's members.
pub(crate) struct Heard {
    pub(crate) members: Arc<Mask>,
    /// None is anywhere.
    pub(crate) touched: Option<Vec<u32>>,
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
    /// Its body, if that can be driven tile by tile.
    pub(super) fn tile(&mut self) -> Option<&mut dyn TileBody> {
        self.worker.body.tile()
    }

    /// Does the work; a panic in the system is caught here.
    pub(crate) fn execute(&mut self) -> JobOutcome {
        self.catch(|body, work, run| body.run(work, run))
    }

    /// Lets the system begin with what is there. What it would hear as changes counts as heard.
    pub(crate) fn initialise(&mut self) -> JobOutcome {
        self.catch(|body, work, run| {
            if let Err(error) = body.init(work, run) {
                run.failed = true;
                run.fail_all([(None, error)]);
            }
        })
    }

    fn catch(&mut self, act: impl FnOnce(&mut dyn WorkerBody, &mut Work<'_>, &mut Run)) -> JobOutcome {
        let changes = self.take_changes();
        let Self { worker, names, lent, part, whole, run, .. } = self;
        let (changes, part, whole) = (changes.as_slice(), *part, whole.as_ref());
        let mut work = Work { lent, names, changes, part, whole };
        // The system's own state may be half changed after a panic; it is plain data that the system alone sees.
        match catch_unwind(AssertUnwindSafe(|| act(&mut *worker.body, &mut work, run))) {
            Ok(()) => JobOutcome::Done,
            Err(panic) => JobOutcome::Panicked { message: panic_message(&*panic), rows: self.lent.at.get() },
        }
    }

    fn take_changes(&mut self) -> Vec<Option<QueryChanges>> {
        let Self { worker, heard, lent, .. } = self;
        let change = |(tracked, heard): (&mut Option<Tracked>, &Option<Heard>)| {
            let (tracked, heard) = (tracked.as_mut()?, heard.as_ref()?);
            let touched = heard.touched.as_deref();
            Some(tracked.take_in(touched, &heard.members, |row| id_in_run(lent, row)))
        };
        worker.tracked.iter_mut().zip(heard.iter()).map(change).collect()
    }
}

/// What a panic said.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "it did not say why".to_owned())
}

/// Reports errors of updates, with the entities whose rows they happened at.
pub(super) fn report_failed(lent: &mut Lent, query: usize, failed: Failed, run: &mut Run) {
    if failed.is_empty() {
        return;
    }
    let wanted: BTreeSet<u32> = failed.iter().filter_map(|&(row, _)| row).collect();
    let mut found: BTreeMap<u32, EntityId> = BTreeMap::new();
    visit_ids(lent, query, |id, row| {
        if wanted.contains(&row) {
            found.insert(row, id);
        }
    });
    run.fail_all(
        failed.into_iter().map(|(row, error)| (row.and_then(|row| found.get(&row).copied()), error)),
    );
}
