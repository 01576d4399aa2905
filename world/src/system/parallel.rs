//! Runs that several threads share: members in parts of a fixed size, effects merged in the order of the parts.

use super::body::{Lifecycle, Work, WorkerBody, report_failed};
use super::effects::Effects;
use super::kinds::Outcome;
use super::run::Run;
use super::sharing::{Gathered, Room};
use super::tiles::{Failed, Progress, SharedTileBody, TileBody};
use crate::memory::{Lent, Parts, Query, Tile, part_begin, visit_to};
use std::any::Any;
use std::cell::Cell;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, PoisonError};

/// Calls a closure with every member of the first query, on as many threads as have time.
pub(crate) struct EachInParts<Q, F> {
    each: F,
    query: PhantomData<fn() -> Q>,
}

impl<Q, F> EachInParts<Q, F> {
    pub(crate) fn new(each: F) -> Self {
        Self { each, query: PhantomData }
    }
}

/// What one part asked for.
struct PartDone<S> {
    part: usize,
    effects: Effects,
    failed: Failed,
    state: S,
}

impl<Q: 'static, F: Send + 'static> Lifecycle for EachInParts<Q, F> {
    fn as_any(&mut self) -> &mut dyn Any {
        &mut self.each
    }
}

impl<Q, R, F> WorkerBody for EachInParts<Q, F>
where
    Q: Query + 'static,
    R: Outcome,
    F: for<'a> Fn(Q::Row<'a>, &mut Run) -> R + Send + Sync + 'static,
{
    fn run(&mut self, work: &mut Work<'_>, run: &mut Run) {
        let each = &self.each;
        share::<Q, ()>(work.lent, run, || (), |item, (), run| each(item, run).error());
    }

    fn tile(&mut self) -> Option<&mut dyn TileBody> {
        Some(self)
    }
}

impl<Q, R, F> TileBody for EachInParts<Q, F>
where
    Q: Query + 'static,
    R: Outcome,
    F: for<'a> Fn(Q::Row<'a>, &mut Run) -> R + Send + Sync + 'static,
{
    /// A part goes on in the next tile as if there were no tiles.
    fn update(&mut self, lent: &mut Lent, query: usize, progress: &mut Progress, end: u32, run: &mut Run) {
        let Progress { cursor, begun, failed } = progress;
        while cursor.row(lent, query).is_some_and(|row| row < end) {
            if part_begin(lent, query, *begun) == Some(*cursor) {
                run.begin_part(*begun);
                *begun += 1;
            }
            let until = part_begin(lent, query, *begun);
            visit_to::<Q>(lent, query, cursor, end, until, |item, row| {
                if let Some(error) = (self.each)(item, run).error() {
                    failed.push((Some(row), error));
                }
            });
        }
    }

    fn shared(&self) -> Option<&dyn SharedTileBody> {
        Some(self)
    }
}

impl<Q, R, F> SharedTileBody for EachInParts<Q, F>
where
    Q: Query + 'static,
    R: Outcome,
    F: for<'a> Fn(Q::Row<'a>, &mut Run) -> R + Send + Sync + 'static,
{
    fn update_part(
        &self,
        tile: &mut Tile<'_, '_>,
        query: usize,
        part: usize,
        at: &Cell<(u32, u32)>,
        run: &mut Run,
    ) -> Failed {
        let mut failed = Failed::new();
        tile.visit::<Q>(query, part, at, |item, row| {
            if let Some(error) = (self.each)(item, run).error() {
                failed.push((Some(row), error));
            }
        });
        failed
    }
}

/// Visits the members of the first query in parts, on as many threads as have time. Gives the state of each part, in
/// their order.
pub(super) fn share<Q: Query, S: Send>(
    lent: &mut Lent,
    run: &mut Run,
    begin: impl Fn() -> S + Sync,
    update: impl for<'a> Fn(Q::Row<'a>, &mut S, &mut Run) -> Option<String> + Sync,
) -> Vec<S> {
    let panicked;
    let done = {
        let parts = Parts::<Q>::new(lent, 0);
        // Threads besides this one, which is one of the pool's if there is a pool.
        let threads = rayon::current_thread_index().map_or(1, |_| rayon::current_num_threads());
        let helpers = (threads - 1).min(parts.len().saturating_sub(1));
        let shared =
            Shared { parts: &parts, begin, update, done: Gathered::new(), room: Room::new(run.room) };
        let beside: Vec<Mutex<Run>> =
            run.ids.share(helpers).into_iter().map(|ids| Mutex::new(run.beside(ids))).collect();
        let worked = catch_unwind(AssertUnwindSafe(|| {
            if helpers == 0 {
                return shared.claim_all(run);
            }
            // A helper that no thread had time to begin is run by this one at the end, and finds nothing left.
            rayon::scope(|scope| {
                for run in &beside {
                    let shared = &shared;
                    scope.spawn(move |_| {
                        shared.claim_all(&mut run.lock().unwrap_or_else(PoisonError::into_inner));
                    });
                }
                shared.claim_all(run);
            });
        }));
        panicked = worked.err();
        for beside in beside {
            let beside = beside.into_inner().unwrap_or_else(PoisonError::into_inner);
            run.ids.take_back(beside.ids);
            run.flooded |= beside.flooded;
            // Of a part that panicked; what is created and dropped is given back all the same.
            run.effects.append(beside.effects);
        }
        let Shared { done, room, .. } = shared;
        let (left, too_much) = room.close();
        run.flooded |= too_much;
        run.room = left;
        done.in_order(|done: &PartDone<S>| done.part)
    };
    let (mut failed, mut states) = (Vec::new(), Vec::with_capacity(done.len()));
    for part in done {
        run.effects.append(part.effects);
        failed.extend(part.failed);
        states.push(part.state);
    }
    if let Some(panic) = panicked {
        resume_unwind(panic);
    }
    report_failed(lent, 0, failed, run);
    states
}

/// What the threads see that share a run.
struct Shared<'p, 'a, Q: Query, S, B, U> {
    parts: &'p Parts<'a, Q>,
    begin: B,
    update: U,
    done: Gathered<PartDone<S>>,
    room: Room,
}

impl<Q, S, B, U> Shared<'_, '_, Q, S, B, U>
where
    Q: Query,
    B: Fn() -> S,
    U: for<'a> Fn(Q::Row<'a>, &mut S, &mut Run) -> Option<String>,
{
    /// Claims parts until none is left.
    fn claim_all(&self, run: &mut Run) {
        while let Some(part) = self.parts.claim() {
            let (mut failed, number) = (Vec::new(), part.number());
            let mut state = (self.begin)();
            run.begin_part(number);
            let here = self.room.left();
            run.room = here;
            part.visit(|item, row| {
                if let Some(error) = (self.update)(item, &mut state, run) {
                    failed.push((Some(row), error));
                }
            });
            self.room.take(here - run.room);
            if !run.effects.is_empty() || !failed.is_empty() || size_of::<S>() > 0 {
                let effects = std::mem::take(&mut run.effects);
                self.done.put(PartDone { part: number, effects, failed, state });
            }
        }
    }
}
