//! From a system that is due to a run that is open.

use super::World;
use super::events::{SystemError, SystemPhase};
use super::index::LentIndexes;
use super::pass::{Pass, arranged};
use super::scheduler::Dispatched;
use super::systems::SystemEntry;
use crate::id::{EntityId, RunId, SystemId};
use crate::memory::{Mask, ReservedIds, Storage};
use crate::schedule::DueRun;
use crate::system::{
    Body, Heard, Job, OpenRun, Part, Run, RunShared, Step, SystemKind, Worker, panic_message,
};
use crate::timing::RunTime;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

impl World {
    /// Runs a system that is due: on the world thread to the end, or as far as its dispatch.
    pub(super) fn dispatch(&mut self, place: usize, due: DueRun) -> Dispatched {
        let Some((due, begins)) = self.settle_due(place, due) else { return Dispatched::Over };
        match self.systems.list[place].kind {
            SystemKind::System => {
                self.run_on_world(place, due);
                return Dispatched::Over;
            }
            SystemKind::Iterable => return self.begin_items(place, due),
            _ => {}
        }
        let Self { systems, storage, .. } = self;
        let entry = &mut systems.list[place];
        for query in entry.queries.iter_mut().skip(if begins { 0 } else { 1 }) {
            storage.update_mask(query);
        }
        let in_pass = !begins;
        // The pass of a save began before there was a mask.
        if let Some(query) = entry.queries.first_mut().filter(|query| query.cache.last().is_none()) {
            storage.peek_mask(query);
        }
        if begins {
            entry.members = entry.queries.first().map_or(0, |query| query.cache.mask().members);
        }
        let touched: Vec<Vec<u32>> = if begins {
            let watched = entry.queries.iter().zip(&entry.watches);
            watched.map(|(query, token)| storage.take_touched(query, token)).collect()
        } else {
            Vec::new()
        };
        let is_empty = entry.members == 0 && entry.kind.is_over_members();
        if is_empty && !in_pass && touched.iter().all(Vec::is_empty) {
            entry.uses_time(due.taken, due.delta);
            return Dispatched::Over;
        }
        let Some(Body::Worker(mut worker)) = entry.body.take() else { return Dispatched::Over };
        let Some(indexes) = self.prepare_run(place, &mut worker, &due, begins) else {
            self.systems.list[place].body = Some(Body::Worker(worker));
            return Dispatched::Over;
        };
        let entry = &self.systems.list[place];
        let (kind, is_sliced) = (entry.kind, entry.budget.is_some() && entry.batch.is_none());
        if kind == SystemKind::EntitySystem && is_sliced {
            return Dispatched::Open(self.begin_slices(place, worker, &due, touched, indexes));
        }
        let (mut job, system, run) = self.begin_run(place, worker, &due, begins, touched);
        job.run.indexes = indexes;
        match kind {
            SystemKind::EntitySystem => {
                let completion = self.workers.run_here(system, run, job);
                self.take_in(completion);
            }
            SystemKind::Asynchronous => self.hand_out(place, system, run, job),
            _ => self.workers.spawn(system, run, job),
        }
        Dispatched::Open(run)
    }

    /// Hands a run to whoever finishes it.
    fn hand_out(&mut self, place: usize, system: SystemId, run: RunId, job: Box<Job>) {
        let open = OpenRun::new(job, self.workers.way_back(system, run));
        let Some(mut starter) = self.systems.list[place].starter.take() else { return };
        let called = catch_unwind(AssertUnwindSafe(|| starter(open)));
        if let Some(entry) = self.systems.get_mut(system) {
            entry.starter = Some(starter);
        }
        // What it dropped is on its way back.
        if let Err(panic) = called {
            let message = panic_message(&*panic);
            let name = self.system_name(system);
            let (system, phase, entity, tick) = (Some(system), SystemPhase::Update, None, self.clocks.tick);
            self.report(SystemError { system, name, phase, entity, message, panicked: true, tick });
        }
    }

    /// What a run stands for, and whether it begins a pass: each does, but those of systems in batches. None if there
    /// is nothing to do.
    fn settle_due(&mut self, place: usize, due: DueRun) -> Option<(DueRun, bool)> {
        let entry = &mut self.systems.list[place];
        if !entry.decides_late() {
            return Some((entry.turn_of(due), true));
        }
        let unadded = if due.taken { due.unadded } else { std::mem::take(&mut entry.unadded) };
        entry.accumulator.add(unadded);
        if let Some(&Pass { delta, tick, game_time, number, .. }) = entry.pass.as_ref() {
            return Some((DueRun { delta, tick, game_time, number, ..due }, false));
        }
        let number = entry.accumulator.state().runs;
        let delta = entry.accumulator.due()?;
        if !self.take_observed(place) {
            return None;
        }
        self.systems.list[place].accumulator.ran(delta);
        Some((DueRun { delta, number, ..due }, true))
    }

    /// Calls a system's hook before a run, and brings the indexes up to date that the run uses. None if there is to be
    /// no run.
    fn prepare_run(
        &mut self,
        place: usize,
        worker: &mut Worker,
        due: &DueRun,
        begins: bool,
    ) -> Option<LentIndexes> {
        let step = Step { tick: due.tick, delta: due.delta, game_time: due.game_time };
        let called = match begins {
            true => catch_unwind(AssertUnwindSafe(|| worker.body.before_run(self, &step))),
            false => Ok(Ok(())),
        };
        let (message, panicked) = match called {
            Ok(Ok(())) => match self.lend_indexes(place) {
                Ok(indexes) => return Some(indexes),
                Err(error) => (error.to_string(), false),
            },
            Ok(Err(message)) => (message, false),
            Err(panic) => (panic_message(&*panic), true),
        };
        let entry = &mut self.systems.list[place];
        entry.keeps_time(due.taken, due.delta);
        let (system, name) = (Some(entry.id), entry.name.to_string());
        let (phase, entity, tick) = (SystemPhase::Update, None, self.clocks.tick);
        self.report(SystemError { system, name, phase, entity, message, panicked, tick });
        None
    }

    /// Opens a run: borrows its pools and settles which members it visits, in which order.
    pub(super) fn begin_run(
        &mut self,
        place: usize,
        mut worker: Worker,
        due: &DueRun,
        begins: bool,
        touched: Vec<Vec<u32>>,
    ) -> (Box<Job>, SystemId, RunId) {
        let Self { systems, storage, order, runs, workers, .. } = self;
        let entry = &mut systems.list[place];
        let run = runs.begin(*due, workers.clock().now());
        entry.open_run = Some(run);
        let mut lent = storage.lend(run, &entry.borrows, &entry.queries, &entry.views);
        lent.own(entry.observed.iter().map(|observed| observed.written.clone()));
        let (mut batch, mut whole, mut part) = (0, None, Part::WHOLE);
        if begins {
            worker.apply_filters(&mut lent, entry.queries.len());
        }
        // Those in row order are needed beside the ones that are visited, by few systems.
        let keeps = entry.in_order || !entry.watches.is_empty();
        let members: Vec<Arc<Mask>> =
            lent.queries.iter().take_while(|_| keeps).map(|query| query.mask.clone()).collect();
        if entry.in_order {
            for (query, mask) in members.iter().enumerate() {
                lent.set_mask(query, arranged(mask, storage, order));
            }
        }
        if let (Some(size), Some(query)) = (entry.batch, entry.queries.first()) {
            if begins {
                entry.members = lent.members(0);
                let ids = lent.queries[0].mask.rows().filter_map(|row| storage.id_of(row)).collect();
                entry.pass = Some(Pass::new(ids, due.delta, due.tick, due.game_time, due.number));
                whole = Some(lent.queries[0].mask.clone());
            }
            if let Some(pass) = &mut entry.pass {
                let member = |id| {
                    let row = storage.slots.row(id)?;
                    Some((row, storage.member(query, row)?))
                };
                let next = pass.take(size, member);
                (batch, part) = (next.number, Part { first: begins, batch: true, last: next.last });
                lent.set_mask(0, next.mask);
                worker.apply_filters(&mut lent, entry.queries.len());
            }
            if part.last {
                entry.pass = None;
            }
        }
        let is_filtered = |query: usize| worker.filters.iter().any(|filter| filter.query == query);
        let heard = touched.into_iter().zip(members).enumerate();
        let heard = heard.map(|(query, (rows, members))| {
            let touched = (!is_filtered(query)).then_some(rows);
            Some(Heard { members, touched })
        });
        let heard = heard.collect();
        let creates = entry.capabilities.creates.is_some() || entry.capabilities.creates_anything;
        let ids = if creates { storage.slots.lend(entry.created_last + 16) } else { ReservedIds::default() };
        let run_state = Run {
            batch,
            ids,
            room: self.effect_limit,
            ..entry.new_run(place, due, &self.shared, self.resources, storage)
        };
        lent.baseline = entry.baseline;
        runs.note_masks(run, &lent, entry.batch.is_none());
        let names = entry.query_names.clone();
        let job = Job { worker, names, lent, heard, part, whole, run: run_state };
        (Box::new(job), entry.id, run)
    }

    /// A system of the world thread: its body is taken out while it has the world.
    fn run_on_world(&mut self, place: usize, due: DueRun) {
        let entry = &mut self.systems.list[place];
        let (id, name) = (entry.id, entry.name.clone());
        let Some(Body::World(mut body)) = entry.body.take() else { return };
        let step = Step { tick: due.tick, delta: due.delta, game_time: due.game_time };
        let before = self.runs.acting.replace(id);
        let start = self.workers.clock().now();
        let called = catch_unwind(AssertUnwindSafe(|| body.update(self, &step)));
        let end = self.workers.clock().now();
        self.note_written_on_world(id);
        self.runs.acting = before;
        self.timing.run(&RunTime { system: id, start, end, worker: None, completes_pass: true });
        let failure = match called {
            Ok(Ok(())) => None,
            Ok(Err(message)) => Some((message, false)),
            Err(panic) => Some((panic_message(&*panic), true)),
        };
        if let Some(entry) = self.systems.get_mut(id) {
            entry.body = Some(Body::World(body));
            match &failure {
                None => entry.uses_time(due.taken, due.delta),
                Some(_) => entry.keeps_time(due.taken, due.delta),
            }
        }
        if let Some((message, panicked)) = failure {
            let (phase, tick) = (SystemPhase::Update, self.clocks.tick);
            self.report(SystemError {
                system: Some(id),
                name: name.to_string(),
                phase,
                entity: None,
                message,
                panicked,
                tick,
            });
        }
    }
}

impl SystemEntry {
    /// A run of this system, as its updates see it, with room for no effects but errors.
    pub(super) fn new_run(
        &mut self,
        place: usize,
        due: &DueRun,
        shared: &Arc<RunShared>,
        world_entity: Option<EntityId>,
        storage: &Storage,
    ) -> Run {
        Run {
            name: self.name.clone(),
            place: place as u64,
            number: due.number,
            tick: due.tick,
            delta: due.delta,
            game_time: due.game_time,
            params: self.params.clone(),
            capabilities: self.capabilities.clone(),
            shared: shared.clone(),
            batch: 0,
            part: 0,
            world_entity,
            lookups: Arc::new(storage.lookups(&mut self.lookups)),
            indexes: LentIndexes::default(),
            written: Vec::new(),
            ids: ReservedIds::default(),
            effects: std::mem::take(&mut self.spare),
            room: 0,
            flooded: false,
            random: None,
            failed: false,
            scratch: Default::default(),
        }
    }
}
