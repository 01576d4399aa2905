//! Runs that several threads share: members in parts of a fixed size, effects merged in the order of the parts.

use super::body::{Lifecycle, Work, WorkerBody, report_failed};
use super::effects::Effects;
use super::kinds::Outcome;
use super::run::Run;
use super::tiles::{Failed, Progress, SharedTileBody, TileBody};
use crate::memory::{Lent, Parts, Query, Tile, visit_to};
use std::any::Any;
use std::cell::Cell;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
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
struct PartDone {
    part: usize,
    effects: Effects,
    /// Rows whose update failed, with what it said.
    failed: Vec<(u32, String)>,
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
        let lent = &mut *work.lent;
        let each = &self.each;
        let panicked;
        let mut done = {
            let parts = Parts::<Q>::new(lent, 0);
            // Threads besides this one, which is one of the pool's if there is a pool.
            let threads = rayon::current_thread_index().map_or(1, |_| rayon::current_num_threads());
            let helpers = (threads - 1).min(parts.len().saturating_sub(1));
            let (done, asked) = (Mutex::new(Vec::new()), AtomicUsize::new(0));
            let room = run.room;
            let beside: Vec<Mutex<Run>> =
                run.ids.share(helpers).into_iter().map(|ids| Mutex::new(run.beside(ids))).collect();
            let worked = catch_unwind(AssertUnwindSafe(|| {
                if helpers == 0 {
                    return claim_all(&parts, each, run, &done, (room, &asked));
                }
                // A helper that no thread had time to begin is run by this one at the end, and finds nothing left.
                rayon::scope(|scope| {
                    for run in &beside {
                        let (parts, done, asked) = (&parts, &done, &asked);
                        scope.spawn(move |_| {
                            let mut run = run.lock().unwrap_or_else(PoisonError::into_inner);
                            claim_all(parts, each, &mut run, done, (room, asked));
                        });
                    }
                    claim_all(&parts, each, run, &done, (room, &asked));
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
            // Whether all of them together asked for too much does not depend on who asked for what.
            let asked = asked.into_inner();
            run.flooded |= asked > room;
            run.room = room.saturating_sub(asked);
            done.into_inner().unwrap_or_else(PoisonError::into_inner)
        };
        done.sort_unstable_by_key(|done: &PartDone| done.part);
        let mut failed = Vec::new();
        for part in done {
            run.effects.append(part.effects);
            failed.extend(part.failed);
        }
        if let Some(panic) = panicked {
            resume_unwind(panic);
        }
        report_failed(lent, 0, failed, run);
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
    fn begin(&self, lent: &Lent, query: usize) -> Progress {
        Progress::in_parts(lent, query)
    }

    /// A part goes on in the next tile as if there were no tiles.
    fn update(&mut self, lent: &mut Lent, query: usize, progress: &mut Progress, end: u32, run: &mut Run) {
        let Progress { cursor, parts, begun, failed } = progress;
        while cursor.row(lent, query).is_some_and(|row| row < end) {
            if parts.get(*begun) == Some(cursor) {
                run.begin_part(*begun);
                *begun += 1;
            }
            visit_to::<Q>(lent, query, cursor, end, parts.get(*begun).copied(), |item, row| {
                if let Some(error) = (self.each)(item, run).error() {
                    failed.push((row, error));
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
                failed.push((row, error));
            }
        });
        failed
    }
}

/// Claims parts until none is left. All threads together may ask for `room` effects.
fn claim_all<Q, R>(
    parts: &Parts<'_, Q>,
    each: &(impl for<'a> Fn(Q::Row<'a>, &mut Run) -> R + Sync),
    run: &mut Run,
    done: &Mutex<Vec<PartDone>>,
    (room, asked): (usize, &AtomicUsize),
) where
    Q: Query,
    R: Outcome,
{
    loop {
        let mut failed = Vec::new();
        let Some(part) = parts.claim() else { return };
        let number = part.number();
        run.begin_part(number);
        // Relaxed: a thread that hears late of others asks for more than it might, and all of it is discarded.
        let here = room.saturating_sub(asked.load(Ordering::Relaxed));
        run.room = here;
        part.visit(|item, row| {
            if let Some(error) = each(item, run).error() {
                failed.push((row, error));
            }
        });
        asked.fetch_add(here - run.room, Ordering::Relaxed);
        if !run.effects.is_empty() || !failed.is_empty() {
            let effects = std::mem::take(&mut run.effects);
            let part = PartDone { part: number, effects, failed };
            done.lock().unwrap_or_else(PoisonError::into_inner).push(part);
        }
    }
}
