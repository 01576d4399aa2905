//! Runs of the world thread that take several updates: a part of them an update, by a time budget.

use super::World;
use super::events::{SystemError, SystemPhase};
use super::index::LentIndexes;
use super::pass::Pass;
use super::scheduler::Dispatched;
use crate::id::{RunId, SystemId};
use crate::schedule::DueRun;
use crate::system::{Body, IterableBody, Job, JobOutcome, Part, Step, Worker, panic_message};
use crate::timing::RunTime;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A run that is not over.
pub(crate) enum Slice {
    Items {
        run: RunId,
        due: DueRun,
        body: Box<dyn IterableBody>,
    },
    /// Its pools are lent to it while it is at work only.
    Members {
        run: RunId,
        job: Box<Job>,
        /// Who is left; none if all that is left to do is to end.
        pass: Option<Pass>,
    },
}

impl World {
    /// Goes on with every run that takes several updates: each as long as it may in one, or to its end.
    pub(super) fn run_slices(&mut self, to_the_end: bool) {
        if !self.runs.any_sliced() {
            return;
        }
        let content = self.content;
        let sliced = self.systems.list.iter().filter(|entry| entry.slice.is_some());
        let ids: Vec<SystemId> = sliced.map(|entry| entry.id).collect();
        for id in ids {
            if self.content == content {
                self.run_slice(id, to_the_end);
            }
        }
    }

    /// Whether there are runs to go on with, beside one that is at work.
    pub(super) fn has_slices(&self) -> bool {
        self.runs.any_sliced() && self.systems.list.iter().any(|entry| entry.slice.is_some())
    }

    /// Gives up what is left of the run of a system that takes several updates.
    pub(super) fn drop_slice_of(&mut self, id: SystemId) {
        if let Some(slice) = self.systems.get_mut(id).and_then(|entry| entry.slice.take()) {
            self.drop_slice(id, *slice);
        }
    }

    /// Gives up what is left of runs that take several updates. Their systems keep what time they had.
    pub(super) fn drop_slices(&mut self) {
        let sliced = self.systems.list.iter_mut().filter_map(|entry| Some((entry.id, entry.slice.take()?)));
        let sliced: Vec<(SystemId, Box<Slice>)> = sliced.collect();
        for (id, slice) in sliced {
            self.drop_slice(id, *slice);
        }
    }

    fn drop_slice(&mut self, id: SystemId, slice: Slice) {
        let (run, body) = match slice {
            Slice::Items { run, mut body, .. } => {
                body.forget();
                (run, Body::Iterable(body))
            }
            Slice::Members { run, job, .. } => {
                let Job { worker, run: mut state, .. } = *job;
                self.storage.slots.take_back(state.ids.rest());
                for &id in &state.effects.created {
                    // The run may have written it down somewhere.
                    self.storage.slots.retire(id);
                }
                let shared = self.shared.clone();
                self.discard(&shared, &mut state.effects);
                (run, Body::Worker(worker))
            }
        };
        if let Some(entry) = self.systems.get_mut(id) {
            entry.body = Some(body);
        }
        self.end_run(run);
    }

    /// Whether a run in slices bars a system from running. It holds no pool between its slices.
    pub(super) fn is_barred_by_slices(&self, place: usize) -> bool {
        if !self.runs.any_sliced() {
            return false;
        }
        let access = &self.systems.list[place].access;
        let sliced = self.systems.list.iter().filter(|entry| entry.slice.is_some());
        sliced
            .into_iter()
            .any(|entry| entry.access.conflict(access).is_some() || access.conflict(&entry.access).is_some())
    }

    /// Begins a run over items, with its first part.
    pub(super) fn begin_items(&mut self, place: usize, due: DueRun) -> Dispatched {
        let entry = &mut self.systems.list[place];
        let id = entry.id;
        let Some(Body::Iterable(mut body)) = entry.body.take() else { return Dispatched::Over };
        let (step, content) = (step_of(&due), self.content);
        let before = self.runs.acting.replace(id);
        let prepared = catch_unwind(AssertUnwindSafe(|| body.prepare(self, &step)));
        if self.content != content {
            return Dispatched::Over;
        }
        self.runs.acting = before;
        let failure = match prepared {
            Ok(Ok(())) => None,
            Ok(Err(message)) => Some((message, false)),
            Err(panic) => Some((panic_message(&*panic), true)),
        };
        if let Some((message, panicked)) = failure {
            body.forget();
            if let Some(entry) = self.systems.get_mut(id) {
                entry.body = Some(Body::Iterable(body));
                entry.keeps_time(due.taken, due.delta);
            }
            self.report_item(id, message, panicked);
            return Dispatched::Over;
        }
        let now = self.now();
        let run = self.runs.begin_sliced(due, now);
        let Some(entry) = self.systems.get_mut(id) else { return Dispatched::Over };
        entry.open_run = Some(run);
        entry.slice = Some(Box::new(Slice::Items { run, due, body }));
        self.run_slice(id, false);
        Dispatched::Open(run)
    }

    /// Begins a run over members, with its first part.
    pub(super) fn begin_slices(
        &mut self,
        place: usize,
        worker: Worker,
        due: &DueRun,
        touched: Vec<Vec<u32>>,
        indexes: LentIndexes,
    ) -> RunId {
        let entry = &mut self.systems.list[place];
        // The first part is like a batch of a pass.
        entry.batch = Some(entry.check_every);
        let (mut job, id, run) = self.begin_run(place, worker, due, true, touched);
        job.run.indexes = indexes;
        self.runs.slice(run);
        let entry = &mut self.systems.list[place];
        entry.batch = None;
        let pass = entry.pass.take();
        let start = self.now();
        self.work_slice(id, run, job, pass, start, false);
        run
    }

    fn run_slice(&mut self, id: SystemId, to_the_end: bool) {
        let Some(entry) = self.systems.get_mut(id) else { return };
        let Some(slice) = entry.slice.take() else { return };
        let start = self.now();
        match *slice {
            Slice::Items { run, due, body } => self.work_items(id, run, due, body, start, to_the_end),
            Slice::Members { run, mut job, mut pass } => {
                self.lend_again(id, run, &mut job);
                self.next_members(id, &mut job, &mut pass);
                self.work_slice(id, run, job, pass, start, to_the_end);
            }
        }
    }

    /// Whether a run has worked as long as it may in an update.
    fn is_over_budget(&self, id: SystemId, start: u64, to_the_end: bool) -> bool {
        let budget = self.systems.get(id).and_then(|entry| entry.budget).filter(|_| !to_the_end);
        budget.is_some_and(|budget| self.now().saturating_sub(start) as f64 / 1e6 >= budget)
    }

    fn work_items(
        &mut self,
        id: SystemId,
        run: RunId,
        due: DueRun,
        mut body: Box<dyn IterableBody>,
        start: u64,
        to_the_end: bool,
    ) {
        let check_every = self.systems.get(id).map_or(1, |entry| entry.check_every);
        let (step, content) = (step_of(&due), self.content);
        let mut failed = false;
        let mut done = 0;
        while !body.is_done() {
            if done > 0 && done % check_every == 0 && self.is_over_budget(id, start, to_the_end) {
                break;
            }
            done += 1;
            let before = (self.runs.acting.replace(id), self.logical.replace((due.tick, due.game_time)));
            let result = catch_unwind(AssertUnwindSafe(|| body.next(self, &step)));
            if self.content != content {
                // The system went with the old content.
                return;
            }
            (self.runs.acting, self.logical) = before;
            match result {
                Ok(None | Some(Ok(()))) => {}
                Ok(Some(Err(message))) => self.report_item(id, message, false),
                Err(panic) => {
                    self.report_item(id, panic_message(&*panic), true);
                    body.forget();
                    failed = true;
                }
            }
        }
        let (end, is_over) = (self.now(), body.is_done());
        self.timing.run(&RunTime { system: id, start, end, worker: None, completes_pass: is_over });
        let Some(entry) = self.systems.get_mut(id) else {
            self.end_late(id, "", Body::Iterable(body));
            return self.end_run(run);
        };
        if !is_over {
            entry.slice = Some(Box::new(Slice::Items { run, due, body }));
            return;
        }
        entry.body = Some(Body::Iterable(body));
        if failed {
            entry.keeps_time(due.taken, due.delta);
        } else {
            entry.uses_time(due.taken, due.delta);
        }
        self.runs.finish_sliced(run, id);
    }

    /// Does parts of a run over members, the first of which is lent already, until it is over or was long enough.
    fn work_slice(
        &mut self,
        id: SystemId,
        run: RunId,
        mut job: Box<Job>,
        mut pass: Option<Pass>,
        start: u64,
        to_the_end: bool,
    ) {
        loop {
            let outcome = job.execute();
            let is_over = pass.is_none() || job.run.failed || outcome != JobOutcome::Done;
            job.part.last = is_over;
            if is_over {
                let completion = self.workers.completion(id, run, job, outcome, start);
                return self.take_in(completion);
            }
            if self.is_over_budget(id, start, to_the_end) {
                self.storage.take_back_from(&mut job.lent);
                let end = self.now();
                self.timing.run(&RunTime { system: id, start, end, worker: None, completes_pass: false });
                if let Some(entry) = self.systems.get_mut(id) {
                    entry.slice = Some(Box::new(Slice::Members { run, job, pass }));
                }
                return;
            }
            self.next_members(id, &mut job, &mut pass);
        }
    }

    /// Lends a run its pools again.
    fn lend_again(&mut self, id: SystemId, run: RunId, job: &mut Job) {
        let Some(place) = self.systems.place(id) else { return };
        let Self { systems, storage, .. } = self;
        let entry = &mut systems.list[place];
        job.lent = storage.lend(run, &entry.borrows, &entry.queries, &entry.views);
    }

    /// Gives a run its next members, of those that are still there.
    fn next_members(&mut self, id: SystemId, job: &mut Job, pass: &mut Option<Pass>) {
        job.heard.clear();
        job.whole = None;
        job.part = Part { first: false, batch: false, last: false };
        let Some(place) = self.systems.place(id) else { return };
        let Self { systems, storage, .. } = self;
        let entry = &systems.list[place];
        let Some(query) = entry.queries.first() else { return };
        let member = |id| {
            let row = storage.slots.row(id)?;
            Some((row, storage.member(query, row)?))
        };
        let Some(left) = pass else { return };
        let next = left.take(entry.check_every, member);
        job.lent.set_mask(0, next.mask);
        job.worker.apply_filters(&mut job.lent, entry.queries.len());
        if next.last {
            *pass = None;
        }
    }

    fn report_item(&mut self, id: SystemId, message: String, panicked: bool) {
        let name = self.system_name(id);
        let (system, phase, entity, tick) = (Some(id), SystemPhase::Update, None, self.clocks.tick);
        self.report(SystemError { system, name, phase, entity, message, panicked, tick });
    }
}

fn step_of(due: &DueRun) -> Step {
    Step { tick: due.tick, delta: due.delta, game_time: due.game_time }
}
