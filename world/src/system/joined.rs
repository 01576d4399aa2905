//! Runs of several systems as one job, tile by tile. Each keeps its own run, errors and time.

use super::body::{Job, JobOutcome, Part, Work, panic_message, report_failed};
use super::effects::Effects;
use super::run::Run;
use super::tiles::{Failed, Progress, SharedTileBody, tile_end};
use crate::memory::{Lent, ReservedIds, Tiles};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The first tiles are all measured, then one in so many: reading the clock takes a good part of a short update.
const MEASURED: usize = 8;

/// Several runs that are done together, in the order of their systems.
pub(crate) struct JoinedJob {
    /// The masks of all, each as the query of its place, and the pools of all.
    lent: Lent,
    /// The jobs; what each was lent has its mask, and no pools.
    #[expect(clippy::vec_box, reason = "they go on to other threads and back as they are")]
    jobs: Vec<Box<Job>>,
}

/// How one of the runs ended, and when it would have begun and ended by itself: one after another, each for its
/// measured share of the time.
pub(crate) struct JoinedDone {
    pub(crate) job: Box<Job>,
    pub(crate) outcome: JobOutcome,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// What came of one part of a run that several threads share.
struct PartDone {
    member: usize,
    part: usize,
    effects: Effects,
    failed: Failed,
}

/// What the threads that share a job see of it.
struct Shared<'a> {
    tiles: &'a Tiles<'a>,
    bodies: &'a [&'a dyn SharedTileBody],
    /// By member: whether it panicked, which ends its run.
    over: &'a [AtomicBool],
    /// By member: how many effects it may ask for, and how many all threads together did.
    room: &'a [(usize, AtomicUsize)],
    outcomes: &'a Mutex<Vec<JobOutcome>>,
    done: &'a Mutex<Vec<PartDone>>,
    /// By member: nanoseconds in the tiles that were measured.
    took: &'a Mutex<Vec<u64>>,
    now: &'a (dyn Fn() -> u64 + Sync),
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl JoinedJob {
    /// Of jobs whose bodies can all be driven tile by tile; `lent` has a query for each.
    #[expect(clippy::vec_box, reason = "see `jobs`")]
    pub(crate) fn new(lent: Lent, jobs: Vec<Box<Job>>) -> Self {
        Self { lent, jobs }
    }

    /// Does the work; a panic in a system is caught here and ends the run of that system alone. The pools go back
    /// with the first job.
    pub(crate) fn execute(mut self, now: &(dyn Fn() -> u64 + Sync)) -> Vec<JoinedDone> {
        let start = now();
        let threads = rayon::current_thread_index().map_or(1, |_| rayon::current_num_threads());
        let is_shared = threads > 1
            && self.jobs.iter_mut().all(|job| job.tile().is_some_and(|body| body.shared().is_some()));
        let shared = if is_shared { self.execute_shared(threads, now) } else { None };
        let (outcomes, took) = match shared {
            Some(done) => done,
            None if is_shared => self.execute_apart(now),
            None => self.execute_here(now),
        };
        let end = now();
        let Self { lent, mut jobs } = self;
        if let Some(first) = jobs.first_mut() {
            let at = first.lent.at.get();
            first.lent = lent;
            first.lent.at.set(at);
        }
        let (all, mut before) = (took.iter().sum::<u64>().max(1), 0);
        let at = |part: u64| start + (end.saturating_sub(start) as u128 * part as u128 / all as u128) as u64;
        let done = jobs.into_iter().zip(outcomes).zip(took).map(|((job, outcome), took)| {
            let start = at(before);
            before += took;
            JoinedDone { job, outcome, start, end: at(before) }
        });
        done.collect()
    }

    /// On this thread alone.
    fn execute_here(&mut self, now: &dyn Fn() -> u64) -> (Vec<JobOutcome>, Vec<u64>) {
        let Self { lent, jobs } = self;
        let mut outcomes: Vec<JobOutcome> = jobs.iter().map(|_| JobOutcome::Done).collect();
        let mut took = vec![0; jobs.len()];
        let mut progress: Vec<Progress> = jobs.iter().map(|_| Progress::default()).collect();
        for (job, outcome) in jobs.iter_mut().zip(&mut outcomes) {
            let (worker, run) = (&mut job.worker, &job.run);
            let Some(body) = worker.body.tile() else { continue };
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| body.begin(run))) {
                *outcome = JobOutcome::Panicked { message: panic_message(&*panic), rows: (0, 0) };
            }
        }
        for number in 0.. {
            let is_on = |query: &usize| outcomes[*query] == JobOutcome::Done;
            let rows = (0..jobs.len()).filter(is_on).filter_map(|query| progress[query].row(lent, query));
            let Some(next) = rows.min() else { break };
            let end = tile_end(next);
            let measured = is_measured(number);
            let mut before = if measured { now() } else { 0 };
            for (query, job) in jobs.iter_mut().enumerate() {
                lent.baseline = job.lent.baseline;
                let (worker, run) = (&mut job.worker, &mut job.run);
                let Some(body) = worker.body.tile().filter(|_| outcomes[query] == JobOutcome::Done) else {
                    continue;
                };
                let progress = &mut progress[query];
                if let Err(panic) =
                    catch_unwind(AssertUnwindSafe(|| body.update(lent, query, progress, end, run)))
                {
                    outcomes[query] =
                        JobOutcome::Panicked { message: panic_message(&*panic), rows: lent.at.get() };
                }
                if measured {
                    let after = now();
                    took[query] += after.saturating_sub(before);
                    before = after;
                }
            }
        }
        for (query, (job, progress)) in jobs.iter_mut().zip(progress).enumerate() {
            if outcomes[query] == JobOutcome::Done {
                report_failed(lent, query, progress.failed, &mut job.run);
            }
        }
        (outcomes, took)
    }

    /// On as many threads as have time; none if the runs do not have the same members.
    fn execute_shared(
        &mut self,
        threads: usize,
        now: &(dyn Fn() -> u64 + Sync),
    ) -> Option<(Vec<JobOutcome>, Vec<u64>)> {
        let Self { lent, jobs } = self;
        let (outcomes, took, mut done) = {
            let baseline = jobs.iter().map(|job| job.lent.baseline).collect();
            let tiles = Tiles::new(lent, baseline)?;
            let mut bodies: Vec<&dyn SharedTileBody> = Vec::with_capacity(jobs.len());
            let mut runs: Vec<&mut Run> = Vec::with_capacity(jobs.len());
            for job in jobs.iter_mut() {
                let (worker, run) = (&mut job.worker, &mut job.run);
                bodies.push(worker.body.tile().and_then(|body| (*body).shared())?);
                runs.push(run);
            }
            let room: Vec<_> = runs.iter().map(|run| (run.room, AtomicUsize::new(0))).collect();
            let over: Vec<AtomicBool> = runs.iter().map(|_| AtomicBool::new(false)).collect();
            let outcomes = Mutex::new(runs.iter().map(|_| JobOutcome::Done).collect());
            let took = Mutex::new(vec![0; runs.len()]);
            let done = Mutex::new(Vec::new());
            let shared = Shared {
                tiles: &tiles,
                bodies: &bodies,
                over: &over,
                room: &room,
                outcomes: &outcomes,
                done: &done,
                took: &took,
                now,
            };
            let helpers = (threads - 1).min(tiles.len().saturating_sub(1));
            let beside = |_| runs.iter().map(|run| run.beside(ReservedIds::default())).collect();
            let beside: Vec<Mutex<Vec<Run>>> = (0..helpers).map(beside).map(Mutex::new).collect();
            // A helper that no thread had time to begin is run by this one at the end, and finds nothing left.
            rayon::scope(|scope| {
                for runs in &beside {
                    let shared = &shared;
                    scope.spawn(move |_| shared.work(&mut lock(runs).iter_mut().collect::<Vec<_>>()));
                }
                shared.work(&mut runs);
            });
            // Whether all threads together asked for too much does not depend on who asked for what.
            for (run, (room, asked)) in runs.iter_mut().zip(room) {
                let asked = asked.into_inner();
                run.flooded |= asked > room;
                run.room = room.saturating_sub(asked);
            }
            for beside in beside {
                let beside = beside.into_inner().unwrap_or_else(PoisonError::into_inner);
                runs.iter_mut().zip(beside).for_each(|(run, beside)| run.flooded |= beside.flooded);
            }
            (
                outcomes.into_inner().unwrap_or_else(PoisonError::into_inner),
                took.into_inner().unwrap_or_else(PoisonError::into_inner),
                done.into_inner().unwrap_or_else(PoisonError::into_inner),
            )
        };
        done.sort_unstable_by_key(|done: &PartDone| (done.member, done.part));
        let mut failed: Vec<Failed> = jobs.iter().map(|_| Failed::new()).collect();
        for part in done {
            jobs[part.member].run.effects.append(part.effects);
            failed[part.member].extend(part.failed);
        }
        for (query, failed) in failed.into_iter().enumerate() {
            if outcomes[query] == JobOutcome::Done {
                report_failed(lent, query, failed, &mut jobs[query].run);
            }
        }
        Some((outcomes, took))
    }

    /// One run after another, each on as many threads as have time.
    fn execute_apart(&mut self, now: &dyn Fn() -> u64) -> (Vec<JobOutcome>, Vec<u64>) {
        let Self { lent, jobs } = self;
        let mut took = Vec::with_capacity(jobs.len());
        let mut outcomes = Vec::with_capacity(jobs.len());
        let mut before = now();
        for (query, job) in jobs.iter_mut().enumerate() {
            lent.swap_queries(0, query);
            lent.baseline = job.lent.baseline;
            let (worker, run) = (&mut job.worker, &mut job.run);
            let mut work =
                Work { lent: &mut *lent, names: &job.names, changes: &[], part: Part::WHOLE, whole: None };
            let ran = catch_unwind(AssertUnwindSafe(|| worker.body.run(&mut work, run)));
            outcomes.push(match ran {
                Ok(()) => JobOutcome::Done,
                Err(panic) => JobOutcome::Panicked { message: panic_message(&*panic), rows: lent.at.get() },
            });
            lent.swap_queries(0, query);
            let after = now();
            took.push(after.saturating_sub(before));
            before = after;
        }
        (outcomes, took)
    }
}

impl Shared<'_> {
    /// Claims tiles until none is left.
    fn work(&self, runs: &mut [&mut Run]) {
        let mut took = vec![0; runs.len()];
        let at = Cell::new((0, 0));
        while let Some(mut tile) = self.tiles.claim() {
            let measured = is_measured(tile.number());
            let mut before = if measured { (self.now)() } else { 0 };
            for (member, (body, run)) in self.bodies.iter().zip(runs.iter_mut()).enumerate() {
                for part in tile.parts() {
                    // Relaxed: whether others stop a tile sooner or later makes no difference to anybody.
                    if self.over[member].load(Ordering::Relaxed) {
                        break;
                    }
                    run.begin_part(part);
                    let (room, asked) = &self.room[member];
                    let here = room.saturating_sub(asked.load(Ordering::Relaxed));
                    run.room = here;
                    let updated = catch_unwind(AssertUnwindSafe(|| {
                        body.update_part(&mut tile, member, part, &at, run)
                    }));
                    asked.fetch_add(here - run.room, Ordering::Relaxed);
                    match updated {
                        Ok(failed) if failed.is_empty() && run.effects.is_empty() => {}
                        Ok(failed) => {
                            let effects = std::mem::take(&mut run.effects);
                            lock(self.done).push(PartDone { member, part, effects, failed });
                        }
                        Err(panic) => {
                            self.over[member].store(true, Ordering::Relaxed);
                            let outcome =
                                JobOutcome::Panicked { message: panic_message(&*panic), rows: at.get() };
                            lock(self.outcomes)[member] = outcome;
                        }
                    }
                }
                if measured {
                    let after = (self.now)();
                    took[member] += after.saturating_sub(before);
                    before = after;
                }
            }
        }
        lock(self.took).iter_mut().zip(took).for_each(|(sum, took)| *sum += took);
    }
}

fn is_measured(tile: usize) -> bool {
    tile < MEASURED || tile.is_multiple_of(MEASURED)
}
