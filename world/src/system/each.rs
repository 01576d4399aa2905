//! Bodies that call a closure or a system: for every member, for every slice of members, or once.

use super::body::{Lifecycle, Work, WorkerBody, report_failed};
use super::definition::Step;
use super::kinds::{EntitySystem, Outcome, Startup, WorkerSystem};
use super::members::Members;
use super::named::Named;
use super::run::Run;
use super::tiles::{Failed, Progress, TileBody, tile_end};
use super::tracking::QueryChanges;
use crate::id::EntityId;
use crate::memory::{Lent, Query, visit, visit_chunks_to, visit_to};
use crate::world::World;
use std::any::Any;
use std::marker::PhantomData;

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

impl<Q: 'static, F: Send + 'static> Lifecycle for Each<Q, F> {
    fn as_any(&mut self) -> &mut dyn Any {
        &mut self.each
    }
}

impl<Q, R, F> WorkerBody for Each<Q, F>
where
    Q: Query + 'static,
    R: Outcome,
    F: for<'a> FnMut(Q::Row<'a>, &mut Run) -> R + Send + 'static,
{
    fn run(&mut self, work: &mut Work<'_>, run: &mut Run) {
        update_all::<Q, R>(work.lent, run, &mut self.each);
    }

    fn tile(&mut self) -> Option<&mut dyn TileBody> {
        Some(self)
    }
}

impl<Q, R, F> TileBody for Each<Q, F>
where
    Q: Query + 'static,
    R: Outcome,
    F: for<'a> FnMut(Q::Row<'a>, &mut Run) -> R + Send + 'static,
{
    fn update(&mut self, lent: &mut Lent, query: usize, progress: &mut Progress, end: u32, run: &mut Run) {
        let Progress { cursor, failed, .. } = progress;
        visit_to::<Q>(lent, query, cursor, end, None, |item, row| {
            if let Some(error) = (self.each)(item, run).error() {
                failed.push((Some(row), error));
            }
        });
    }
}

#[inline]
fn update_all<Q: Query, R: Outcome>(
    lent: &mut Lent,
    run: &mut Run,
    mut update: impl FnMut(Q::Row<'_>, &mut Run) -> R,
) {
    let mut failed = Failed::new();
    visit::<Q>(lent, 0, |item, row| {
        if let Some(error) = update(item, run).error() {
            failed.push((Some(row), error));
        }
    });
    report_failed(lent, 0, failed, run);
}

/// Calls a closure with every member of the first query, and with what another made for the run.
pub(crate) struct EachWith<Q, P, B, F> {
    begin: B,
    each: F,
    /// From the beginning of a run that is done tile by tile.
    of_run: Option<P>,
    query: PhantomData<fn() -> Q>,
}

impl<Q, P, B, F> EachWith<Q, P, B, F> {
    pub(crate) fn new(begin: B, each: F) -> Self {
        Self { begin, each, of_run: None, query: PhantomData }
    }
}

impl<Q: 'static, P: Send + 'static, B: Send + 'static, F: Send + 'static> Lifecycle for EachWith<Q, P, B, F> {
    fn as_any(&mut self) -> &mut dyn Any {
        &mut self.each
    }
}

impl<Q, P, R, B, F> WorkerBody for EachWith<Q, P, B, F>
where
    Q: Query + 'static,
    P: Copy + Send + 'static,
    R: Outcome,
    B: FnMut(&Run) -> P + Send + 'static,
    F: for<'a> FnMut(Q::Row<'a>, P, &mut Run) -> R + Send + 'static,
{
    fn run(&mut self, work: &mut Work<'_>, run: &mut Run) {
        let (of_run, each) = ((self.begin)(run), &mut self.each);
        // Moved into the loop, where it is known that no block lies in it.
        update_all::<Q, R>(work.lent, run, move |item, run| each(item, of_run, run));
    }

    fn tile(&mut self) -> Option<&mut dyn TileBody> {
        Some(self)
    }
}

impl<Q, P, R, B, F> TileBody for EachWith<Q, P, B, F>
where
    Q: Query + 'static,
    P: Copy + Send + 'static,
    R: Outcome,
    B: FnMut(&Run) -> P + Send + 'static,
    F: for<'a> FnMut(Q::Row<'a>, P, &mut Run) -> R + Send + 'static,
{
    fn begin(&mut self, run: &Run) {
        self.of_run = Some((self.begin)(run));
    }

    fn update(&mut self, lent: &mut Lent, query: usize, progress: &mut Progress, end: u32, run: &mut Run) {
        let Self { each, of_run: Some(of_run), .. } = self else { return };
        let (Progress { cursor, failed, .. }, of_run) = (progress, *of_run);
        visit_to::<Q>(lent, query, cursor, end, None, move |item, row| {
            if let Some(error) = each(item, of_run, run).error() {
                failed.push((Some(row), error));
            }
        });
    }
}

/// Calls a closure with slices of members of the first query. They end where tiles do, so that they are the same
/// whether the system is driven tile by tile or not.
pub(crate) struct EachChunk<Q, F> {
    each: F,
    query: PhantomData<fn() -> Q>,
}

impl<Q, F> EachChunk<Q, F> {
    pub(crate) fn new(each: F) -> Self {
        Self { each, query: PhantomData }
    }
}

impl<Q: 'static, F: Send + 'static> Lifecycle for EachChunk<Q, F> {
    fn as_any(&mut self) -> &mut dyn Any {
        &mut self.each
    }
}

impl<Q, R, F> WorkerBody for EachChunk<Q, F>
where
    Q: Query + 'static,
    R: Outcome,
    F: for<'a> FnMut(Q::Chunk<'a>, &mut Run) -> R + Send + 'static,
{
    fn run(&mut self, work: &mut Work<'_>, run: &mut Run) {
        let mut progress = Progress::default();
        while let Some(row) = progress.row(work.lent, 0) {
            self.update(work.lent, 0, &mut progress, tile_end(row), run);
        }
        report_failed(work.lent, 0, progress.failed, run);
    }

    fn tile(&mut self) -> Option<&mut dyn TileBody> {
        Some(self)
    }
}

impl<Q, R, F> TileBody for EachChunk<Q, F>
where
    Q: Query + 'static,
    R: Outcome,
    F: for<'a> FnMut(Q::Chunk<'a>, &mut Run) -> R + Send + 'static,
{
    fn update(&mut self, lent: &mut Lent, query: usize, progress: &mut Progress, end: u32, run: &mut Run) {
        let Progress { cursor, failed, .. } = progress;
        visit_chunks_to::<Q>(lent, query, cursor, end, |chunk| {
            failed.extend((self.each)(chunk, run).error().map(|error| (None, error)));
        });
    }
}

/// Lets an entity system update every member of the first query, with its hooks.
pub(crate) struct EachOf<S>(pub(crate) S);

impl<S: EntitySystem> Lifecycle for EachOf<S> {
    fn startup(&mut self, world: &mut World) -> Result<Startup, String> {
        self.0.startup(world)
    }
    fn shutdown(&mut self, world: &mut World) {
        self.0.shutdown(world);
    }
    fn attached(&mut self, world: &mut World) {
        self.0.attached(world);
    }
    fn detached(&mut self, world: &mut World) {
        self.0.detached(world);
    }
    fn as_any(&mut self) -> &mut dyn Any {
        &mut self.0
    }
}

impl<S: EntitySystem> WorkerBody for EachOf<S> {
    fn run(&mut self, work: &mut Work<'_>, run: &mut Run) {
        tell_changes(work, run, |name, changes, run| self.0.query_changed(name, changes, run));
        if self.prepare(work, run) {
            update_all::<S::Query, _>(work.lent, run, |item, run| self.0.update(item, run));
        }
        if let Some(Some(changes)) = work.changes.first() {
            changes.removed.iter().for_each(|&id| self.0.entity_removed(id, run));
        }
    }

    fn init(&mut self, work: &mut Work<'_>, run: &mut Run) -> Result<(), String> {
        self.0.init(&mut Members::new(work.lent, work.names), run)
    }

    fn before_run(&mut self, world: &World, step: &Step) -> Result<(), String> {
        self.0.before_run(world, step)
    }

    fn link(&mut self, lent: &mut Lent, id: EntityId, joined: bool) {
        visit::<S::Query>(lent, 0, |item, _| match joined {
            true => self.0.link(id, item),
            false => self.0.unlink(id, item),
        });
    }
}

impl<S: EntitySystem> EachOf<S> {
    /// Calls the hooks before the updates. Whether there are to be any.
    fn prepare(&mut self, work: &mut Work<'_>, run: &mut Run) -> bool {
        let mut prepared = Ok(());
        if work.part.first {
            // A batch steps aside for all members.
            let batch = work.whole.map(|whole| work.lent.exchange_mask(0, whole.clone()));
            prepared = self.0.pre_run(&mut Members::new(work.lent, work.names), run);
            if let Some(batch) = batch {
                work.lent.exchange_mask(0, batch);
            }
        }
        if work.part.batch {
            prepared =
                prepared.and_then(|()| self.0.pre_batch(&mut Members::new(work.lent, work.names), run));
        }
        if let Err(error) = prepared {
            run.failed = true;
            run.fail_all([(None, error)]);
            return false;
        }
        true
    }
}

/// Calls `tell` for each query whose members changed; an error is reported, and the run goes on.
fn tell_changes(
    work: &Work<'_>,
    run: &mut Run,
    mut tell: impl FnMut(&str, &QueryChanges, &mut Run) -> Result<(), String>,
) {
    for (name, changes) in work.names.iter().zip(work.changes) {
        if let Some(changes) = changes.as_ref().filter(|changes| !changes.is_empty())
            && let Err(error) = tell(name, changes, run)
        {
            run.fail_all([(None, error)]);
        }
    }
}

/// Lets a worker system run once, with its hooks.
pub(crate) struct Once<S>(pub(crate) S);

impl<S: WorkerSystem> Lifecycle for Once<S> {
    fn startup(&mut self, world: &mut World) -> Result<Startup, String> {
        self.0.startup(world)
    }
    fn shutdown(&mut self, world: &mut World) {
        self.0.shutdown(world);
    }
    fn attached(&mut self, world: &mut World) {
        self.0.attached(world);
    }
    fn detached(&mut self, world: &mut World) {
        self.0.detached(world);
    }
    fn as_any(&mut self) -> &mut dyn Any {
        &mut self.0
    }
}

impl<S: WorkerSystem> WorkerBody for Once<S> {
    fn run(&mut self, work: &mut Work<'_>, run: &mut Run) {
        tell_changes(work, run, |name, changes, run| self.0.query_changed(name, changes, run));
        if let Err(error) = self.0.update(&mut Named { lent: work.lent, names: work.names }, run) {
            run.failed = true;
            run.fail_all([(None, error)]);
        }
    }

    fn init(&mut self, work: &mut Work<'_>, run: &mut Run) -> Result<(), String> {
        self.0.init(&mut Named { lent: work.lent, names: work.names }, run)
    }

    fn before_run(&mut self, world: &World, step: &Step) -> Result<(), String> {
        self.0.before_run(world, step)
    }
}
