//! Runs of several systems as one job, tile by tile. Each keeps its own run, errors and time.

use super::at_member::AtMember;
use super::body::{Job, JobOutcome, Part, Work, panic_message, report_failed};
use super::effects::Effects;
use super::run::Run;
use super::sharing::{Ended, Gathered, Room, lock};
use super::tiles::{Failed, Progress, SharedTileBody, tile_end};
use crate::memory::{Lent, ReservedIds, Tiles};
use crate::sync::Mutex;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError};

/// The first tiles are all measured, then one in so many: reading the clock takes a good part of a short update.
const MEASURED: usize = 8;

/// Several runs that are done together, in the order of their systems.
pub(crate) struct JoinedJob {
    /// The masks of all, each as the query of its place, and the pools of all.
    lent: Lent,
    /// The jobs; what each was lent has its mask, and no pools.
    #[expect(clippy::vec_box, reason = "they go on to other threads and back as they are")]
    jobs: Vec<Box<Job>>,
    /// Says which of the jobs a thread is at, for as many threads as there may be.
    at_member: Arc<AtMember>,
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
    /// Which members panicked, which ends their runs.
    ended: &'a Ended<JobOutcome>,
    /// By member.
    room: &'a [Room],
    done: &'a Gathered<PartDone>,
    at_member: &'a AtMember,
    /// By member: nanoseconds in the tiles that were measured.
    took: &'a Mutex<Vec<u64>>,
    now: &'a (dyn Fn() -> u64 + Sync),
}

impl JoinedJob {
    /// Of jobs whose bodies can all be driven tile by tile; `lent` has a query for each.
    #[expect(clippy::vec_box, reason = "see `jobs`")]
    pub(crate) fn new(lent: Lent, jobs: Vec<Box<Job>>, at_member: Arc<AtMember>) -> Self {
        Self { lent, jobs, at_member }
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
        let Self { lent, mut jobs, .. } = self;
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
        let Self { lent, jobs, at_member } = self;
        let mut outcomes: Vec<JobOutcome> = jobs.iter().map(|_| JobOutcome::Done).collect();
        let mut took = vec![0; jobs.len()];
        let mut progress: Vec<Progress> = jobs.iter().map(|_| Progress::default()).collect();
        for (query, (job, outcome)) in jobs.iter_mut().zip(&mut outcomes).enumerate() {
            at_member.begin(0, query);
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
                at_member.begin(0, query);
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
        at_member.end(0);
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
        let Self { lent, jobs, at_member } = self;
        let (outcomes, took, done) = {
            let baseline = jobs.iter().map(|job| job.lent.baseline).collect();
            let tiles = Tiles::new(lent, baseline)?;
            let mut bodies: Vec<&dyn SharedTileBody> = Vec::with_capacity(jobs.len());
            let mut runs: Vec<&mut Run> = Vec::with_capacity(jobs.len());
            for job in jobs.iter_mut() {
                let (worker, run) = (&mut job.worker, &mut job.run);
                bodies.push(worker.body.tile().and_then(|body| (*body).shared())?);
                runs.push(run);
            }
            let room: Vec<Room> = runs.iter().map(|run| Room::new(run.room)).collect();
            let ended = Ended::new(runs.len());
            let took = Mutex::new(vec![0; runs.len()]);
            let done = Gathered::new();
            let shared = Shared {
                tiles: &tiles,
                bodies: &bodies,
                ended: &ended,
                room: &room,
                done: &done,
                at_member,
                took: &took,
                now,
            };
            let helpers = (threads - 1).min(tiles.len().saturating_sub(1));
            let beside = |_| runs.iter().map(|run| run.beside(ReservedIds::default())).collect();
            let beside: Vec<Mutex<Vec<Run>>> = (0..helpers).map(beside).map(Mutex::new).collect();
            // A helper that no thread had time to begin is run by this one at the end, and finds nothing left.
            rayon::scope(|scope| {
                for (runs, thread) in beside.iter().zip(1..) {
                    let shared = &shared;
                    scope.spawn(move |_| shared.work(thread, &mut lock(runs).iter_mut().collect::<Vec<_>>()));
                }
                shared.work(0, &mut runs);
            });
            for (run, room) in runs.iter_mut().zip(room) {
                let (left, too_much) = room.close();
                run.flooded |= too_much;
                run.room = left;
            }
            for beside in beside {
                let beside = beside.into_inner().unwrap_or_else(PoisonError::into_inner);
                runs.iter_mut().zip(beside).for_each(|(run, beside)| run.flooded |= beside.flooded);
            }
            let outcomes = ended.close().into_iter().map(|why| why.unwrap_or(JobOutcome::Done));
            let took = took.into_inner().unwrap_or_else(PoisonError::into_inner);
            let done = done.in_order(|done: &PartDone| (done.member, done.part));
            (outcomes.collect::<Vec<_>>(), took, done)
        };
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
        let Self { lent, jobs, at_member } = self;
        let mut took = Vec::with_capacity(jobs.len());
        let mut outcomes = Vec::with_capacity(jobs.len());
        let mut before = now();
        for (query, job) in jobs.iter_mut().enumerate() {
            at_member.begin(0, query);
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
        at_member.end(0);
        (outcomes, took)
    }
}

impl Shared<'_> {
    /// Claims tiles until none is left; `thread` is its number among those that share the job.
    fn work(&self, thread: usize, runs: &mut [&mut Run]) {
        let mut took = vec![0; runs.len()];
        let at = Cell::new((0, 0));
        while let Some(mut tile) = self.tiles.claim() {
            let measured = is_measured(tile.number());
            let mut before = if measured { (self.now)() } else { 0 };
            for (member, (body, run)) in self.bodies.iter().zip(runs.iter_mut()).enumerate() {
                self.at_member.begin(thread, member);
                for part in tile.parts() {
                    if self.ended.is_over(member) {
                        break;
                    }
                    run.begin_part(part);
                    let here = self.room[member].left();
                    run.room = here;
                    let updated = catch_unwind(AssertUnwindSafe(|| {
                        body.update_part(&mut tile, member, part, &at, run)
                    }));
                    self.room[member].take(here - run.room);
                    match updated {
                        Ok(failed) if failed.is_empty() && run.effects.is_empty() => {}
                        Ok(failed) => {
                            let effects = std::mem::take(&mut run.effects);
                            self.done.put(PartDone { member, part, effects, failed });
                        }
                        Err(panic) => {
                            let (message, rows) = (panic_message(&*panic), at.get());
                            self.ended.end(member, JobOutcome::Panicked { message, rows });
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
        self.at_member.end(thread);
        lock(self.took).iter_mut().zip(took).for_each(|(sum, took)| *sum += took);
    }
}

fn is_measured(tile: usize) -> bool {
    tile < MEASURED || tile.is_multiple_of(MEASURED)
}
