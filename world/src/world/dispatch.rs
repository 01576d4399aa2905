//! From a system that is due to a run that is open.

use super::World;
use super::events::{SystemError, SystemPhase};
use super::scheduler::Dispatched;
use crate::memory::ReservedIds;
use crate::schedule::DueRun;
use crate::system::{Body, Effects, Job, Run, Step, SystemKind};
use crate::timing::RunTime;
use std::sync::Arc;

impl World {
    /// Runs a system that is due: on the world thread to the end, or as far as its dispatch.
    pub(super) fn dispatch(&mut self, place: usize, due: DueRun) -> Dispatched {
        let DueRun { delta, tick, game_time, number, taken, .. } = due;
        let entry = &mut self.systems.list[place];
        if entry.kind == SystemKind::System {
            self.run_on_world(place, due);
            return Dispatched::Over;
        }
        let system = entry.id;
        for query in &mut entry.queries {
            self.storage.update_mask(query);
        }
        entry.members = entry.queries.first().map_or(0, |query| query.cache.mask().members);
        if entry.members == 0 && entry.kind != SystemKind::Worker {
            if !taken {
                entry.accumulator.ran(delta);
            }
            return Dispatched::Over;
        }
        let Some(Body::Worker(body)) = entry.body.take() else { return Dispatched::Over };
        let run = self.runs.begin(due, self.workers.clock().now());
        entry.open_run = Some(run);
        let lent = self.storage.lend(run, &entry.borrows, &entry.queries);
        let creates = entry.capabilities.creates.is_some() || entry.capabilities.creates_anything;
        let ids =
            if creates { self.storage.slots.lend(entry.created_last + 16) } else { ReservedIds::default() };
        let job = Job {
            body,
            names: entry.query_names.clone(),
            lent,
            run: Run {
                name: entry.name.clone(),
                place: place as u64,
                number,
                tick,
                delta,
                game_time,
                params: entry.params.clone(),
                capabilities: entry.capabilities.clone(),
                shared: self.shared.clone(),
                part: 0,
                world_entity: self.resources,
                lookups: Arc::new(self.storage.lookups(&mut entry.lookups)),
                ids,
                effects: Effects::default(),
                room: self.effect_limit,
                flooded: false,
                random: None,
                failed: false,
                scratch: Default::default(),
            },
        };
        if entry.kind == SystemKind::EntitySystem {
            let completion = self.workers.run_here(system, run, job);
            self.take_in(completion);
        } else {
            self.workers.spawn(system, run, job);
        }
        Dispatched::Open(run)
    }

    /// A system of the world thread: its body is taken out while it has the world.
    fn run_on_world(&mut self, place: usize, due: DueRun) {
        let entry = &mut self.systems.list[place];
        let (id, name) = (entry.id, entry.name.clone());
        let Some(Body::World(mut body)) = entry.body.take() else { return };
        let step = Step { tick: due.tick, delta: due.delta, game_time: due.game_time };
        let before = self.runs.acting.replace(id);
        let start = self.workers.clock().now();
        let called = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| body(self, &step)));
        let end = self.workers.clock().now();
        self.runs.acting = before;
        self.timing.run(&RunTime { system: id, start, end, worker: None, completes_pass: true });
        let failure = match called {
            Ok(Ok(())) => None,
            Ok(Err(message)) => Some((message, false)),
            Err(panic) => Some((crate::system::panic_message(&*panic), true)),
        };
        if let Some(entry) = self.systems.get_mut(id) {
            entry.body = Some(Body::World(body));
            match &failure {
                None if !due.taken => entry.accumulator.ran(due.delta),
                None => {}
                Some((message, _)) => {
                    entry.last_error = Some(message.clone());
                    if due.taken {
                        entry.accumulator.failed(due.delta);
                    }
                }
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
