//! Runs that do not end: how long they are waited for, and how the world goes on without them.
//!
//! A run that is waited for longer than the world's patience, or that is open for [`STUCK_AFTER`] of the player's
//! time, is *given up*: it is reported once, keeps its thread while fresh threads take the place of the others, and
//! nothing waits for it any more. Blocks it may still touch are quarantined. If it ends after all it comes back like
//! any other run, unless its content was taken away meanwhile: then all it brings is dropped.

use super::World;
use super::events::{SystemError, SystemPhase};
use super::open_runs::Open;
use super::workers::Completion;
use crate::id::{ComponentId, RunId, SystemId};
use crate::memory::{Pool, Presence};
use crate::system::{Job, Run, RunShared};
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;

/// Milliseconds of the player's time after which a run that is still open counts as stuck.
const STUCK_AFTER: f64 = 10_000.0;

/// How often a wait looks at the clock.
const LOOK: Duration = Duration::from_millis(5);

/// A run that was waited for does not end.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{name}` has been running for {seconds} seconds and does not end; disable it and load the scene anew"
)]
pub struct Hung {
    /// The system.
    pub system: SystemId,
    /// Its name.
    pub name: String,
    /// How long the run has been open, on the world's clock.
    pub seconds: u64,
}

/// What a run that was given up may still touch.
#[derive(Debug, Default)]
pub(crate) struct Held {
    /// Rows of its masks; none if that is not known any more, which is any row.
    rows: Option<Presence>,
    /// Components whose blocks it visits.
    visits: Vec<ComponentId>,
    /// Components it reads of any entity.
    reads: Vec<ComponentId>,
}

impl Held {
    /// Whether the run may touch the block of a component in a row.
    pub(super) fn has_block(&self, component: ComponentId, row: u32) -> bool {
        self.reads.contains(&component)
            || self.rows.as_ref().is_none_or(|rows| self.visits.contains(&component) && rows.has(row))
    }

    /// Whether the run may touch any block of a row, which has these components.
    pub(super) fn has_row(&self, row: u32, components: &[ComponentId]) -> bool {
        self.rows.as_ref().is_none_or(|rows| rows.has(row))
            || self.reads.iter().any(|component| components.contains(component))
    }
}

/// A run whose content was taken away before it ended.
pub(crate) struct Abandoned {
    run: RunId,
    /// Pools it may be writing whose blocks have hooks to be called when it is over.
    pools: Vec<(ComponentId, Pool)>,
}

impl World {
    /// How long the world waits for a run that holds what is needed: an edit, a save, or a load names the system
    /// then, and goes on without it or says why it cannot. 5 seconds unless it is set.
    pub fn patience(&self) -> Duration {
        self.patience
    }

    /// Sets how long the world waits for a run. Measured on the world's clock.
    pub fn set_patience(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// Waits until nothing is open or queued, and applies all effects. A run that does not end is given up after
    /// the world's [`patience`](Self::patience), and reported.
    pub fn settle(&mut self) {
        // Who asks for more uses `try_settle`.
        let _ = self.try_settle();
    }

    /// As [`settle`](Self::settle).
    ///
    /// # Errors
    /// The system whose run does not end; everything else is as after `pump`.
    pub fn try_settle(&mut self) -> Result<(), Hung> {
        self.settle_for(self.patience).inspect_err(|_| self.give_up_working(|_, _| true))
    }

    /// As [`settle`](Self::settle), but gives up after a while; the run goes on.
    ///
    /// # Errors
    /// The system whose run is open still; everything else is as after `pump`.
    pub fn settle_within(&mut self, time: Duration) -> Result<(), SystemId> {
        self.settle_for(time).map_err(|hung| hung.system)
    }

    fn settle_for(&mut self, time: Duration) -> Result<(), Hung> {
        let mut start = None;
        loop {
            self.pump();
            if self.has_slices() {
                self.run_slices(true);
                continue;
            }
            // Asked for by a listener or a system, the run the world thread is at is still open.
            match self.wait_a_little(&mut start, time, |_, _| true)? {
                Waited::Over => return Ok(()),
                Waited::Longer => {}
            }
        }
    }

    /// Waits until no run works any more, or only some that are given up. Their effects are not applied here.
    pub(super) fn wait_for_runs(&mut self) -> Result<(), Hung> {
        self.wait_for(|_, _| true)
    }

    /// Waits for the run that writes a component, if one does. Its effects are not applied here.
    #[inline]
    pub(crate) fn wait_to_read(&mut self, component: ComponentId) -> Result<(), Hung> {
        if !self.storage.pool(component).is_lent_to_write() {
            return Ok(());
        }
        self.wait_for(|world, open| {
            let pool = world.storage.pool(component);
            pool.is_lent_to_write() && pool.holders().contains(&open.run)
        })
    }

    /// Waits for all runs that hold a component. Their effects are not applied here.
    #[inline]
    pub(crate) fn wait_to_write(&mut self, component: ComponentId) -> Result<(), Hung> {
        self.wait_for_runs_from(component, RunId(0))
    }

    /// Waits for the runs from `first` on that hold a component. Their effects are not applied here.
    #[inline]
    pub(super) fn wait_for_runs_from(&mut self, component: ComponentId, first: RunId) -> Result<(), Hung> {
        if !self.storage.pool(component).is_lent() {
            return Ok(());
        }
        self.wait_for(|world, open| {
            open.run >= first && world.storage.pool(component).holders().contains(&open.run)
        })
    }

    /// Takes in runs that come back until none works that bars the way. One that does not end within the world's
    /// patience is given up.
    #[cold]
    fn wait_for(&mut self, bars: impl Fn(&Self, &Open) -> bool) -> Result<(), Hung> {
        let mut start = None;
        loop {
            while let Some(completion) = self.workers.try_receive() {
                self.take_in(completion);
            }
            match self.wait_a_little(&mut start, self.patience, &bars) {
                Ok(Waited::Over) => return Ok(()),
                Ok(Waited::Longer) => {}
                Err(hung) => {
                    self.give_up_working(&bars);
                    return Err(hung);
                }
            }
        }
    }

    /// Waits for the next run that comes back if one works that bars the way, and takes it in.
    fn wait_a_little(
        &mut self,
        start: &mut Option<u64>,
        time: Duration,
        bars: impl Fn(&Self, &Open) -> bool,
    ) -> Result<Waited, Hung> {
        let mut first = None;
        let mut all_given_up = true;
        for open in self.runs.iter().filter(|open| !open.done && !open.sliced && bars(self, open)) {
            first.get_or_insert(open);
            all_given_up &= open.held.is_some();
        }
        let Some(first) = first else { return Ok(Waited::Over) };
        if all_given_up {
            return Err(self.hung(first));
        }
        let now = self.now();
        let waited = now.saturating_sub(*start.get_or_insert(now));
        if Duration::from_nanos(waited) > time {
            return Err(self.hung(first));
        }
        if let Some(completion) = self.workers.receive_for(LOOK) {
            self.take_in(completion);
        }
        Ok(Waited::Longer)
    }

    /// Who does not end, of a run and those that are done as one with it: one that a thread is at.
    fn hung(&self, open: &Open) -> Hung {
        let blamed = self.runs.at_work_with(open);
        self.hung_itself(self.runs.iter().find(|open| blamed.contains(&open.run)).unwrap_or(open))
    }

    fn hung_itself(&self, open: &Open) -> Hung {
        let seconds = Duration::from_nanos(self.now().saturating_sub(open.since)).as_secs();
        Hung { system: open.system, name: self.system_name(open.system), seconds }
    }

    /// Whether a run of a system was given up and is open still.
    pub(super) fn is_given_up(&self, system: SystemId) -> bool {
        self.runs.iter().any(|open| open.system == system && open.held.is_some())
    }

    /// Gives up the runs that bar the way.
    fn give_up_working(&mut self, bars: impl Fn(&Self, &Open) -> bool) {
        let working = self
            .runs
            .iter()
            .filter(|open| !open.done && !open.sliced && open.held.is_none() && bars(self, open));
        let runs: Vec<RunId> = working.map(|open| open.run).collect();
        self.give_up(runs);
    }

    /// Gives up the runs that are open for too long of the player's time.
    pub(super) fn give_up_stuck(&mut self) {
        if self.runs.is_empty() {
            return;
        }
        let now = self.clocks.player_time;
        let mut runs = Vec::new();
        for open in self.runs.iter_mut().filter(|open| !open.done && !open.sliced && open.held.is_none()) {
            if now - *open.since_player.get_or_insert(now) > STUCK_AFTER {
                runs.push(open.run);
            }
        }
        self.give_up(runs);
    }

    fn give_up(&mut self, runs: Vec<RunId>) {
        if runs.is_empty() {
            return;
        }
        // A run that never began works on fresh threads like any other.
        let waiting = self.workers.renew();
        let (waiting, failure) = match waiting {
            Ok(waiting) => (waiting, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        let mut errors = Vec::new();
        for run in runs {
            if waiting.contains(&run) {
                self.runs.iter_mut().filter(|open| open.run == run).for_each(|open| open.since_player = None);
                continue;
            }
            let Some(open) = self.runs.iter().find(|open| open.run == run && open.held.is_none()) else {
                continue;
            };
            // Runs that are done as one end together, if they do; those that no thread is at are not to blame.
            let (blamed, together) = (self.runs.at_work_with(open), self.runs.done_as_one_with(open));
            for run in together {
                let Some(open) = self.runs.iter().find(|open| open.run == run) else { continue };
                let (hung, held) = (self.hung_itself(open), self.held_by(open));
                self.runs.hold(run, held);
                if blamed.contains(&run) {
                    errors.push(self.hung_error(hung, failure.as_ref()));
                }
            }
        }
        errors.into_iter().for_each(|error| self.report(error));
    }

    /// Why a run is given up, and, if so, that it takes its thread along.
    fn hung_error(&self, hung: Hung, failure: Option<&std::io::Error>) -> SystemError {
        let mut message = hung.to_string();
        if let Some(failure) = failure {
            message.push_str(&format!("; threads in the place of its own cannot be started: {failure}"));
        }
        let (system, phase, tick) = (Some(hung.system), SystemPhase::Hung, self.clocks.tick);
        let (name, entity) = (hung.name, None);
        SystemError { system, name, phase, entity, message, panicked: false, tick }
    }

    /// What an open run may touch.
    fn held_by(&self, open: &Open) -> Held {
        let rows = open.masks.as_ref().map(|masks| {
            let mut rows = Presence::default();
            masks.iter().for_each(|mask| mask.add_to(&mut rows));
            rows
        });
        let Some(entry) = self.systems.get(open.system) else {
            // It was removed: which pools it borrowed they know themselves.
            let borrowed = self.shared.registry.iter().map(|(component, _)| component);
            let borrowed = borrowed.filter(|&c| self.storage.pool(c).holders().contains(&open.run)).collect();
            return Held { rows: None, visits: Vec::new(), reads: borrowed };
        };
        Held {
            rows,
            visits: entry.borrows.iter().map(|&(component, _)| component).collect(),
            reads: entry.lookups.iter().map(|plan| plan.component).collect(),
        }
    }

    /// Parts with the runs that still work: the content they belong to goes. What they write, and has hooks to be
    /// called, is kept until they end.
    pub(super) fn abandon_runs(&mut self) {
        for open in self.runs.take_working().into_iter().filter(|open| !open.sliced) {
            let mut pools = Vec::new();
            for (component, definition) in self.shared.registry.iter() {
                let pool = self.storage.pool(component);
                let writes = pool.is_lent_to_write() && pool.holders().contains(&open.run);
                if writes && definition.frees() {
                    pools.push((component, self.storage.take_pool(component, definition.layout)));
                }
            }
            self.deferred
                .forget_blocks_of(&pools.iter().map(|&(component, _)| component).collect::<Vec<_>>());
            self.abandoned.push(Abandoned { run: open.run, pools });
        }
    }

    /// A run ended whose content is gone: all it brings is dropped, and what it kept from being freed is freed.
    pub(super) fn drop_abandoned(&mut self, completion: Completion) {
        let Completion { run, job, .. } = completion;
        let Job { run: Run { mut effects, shared, .. }, .. } = *job;
        self.free_effects(&shared, &mut effects, 0);
        let Some(at) = self.abandoned.iter().position(|abandoned| abandoned.run == run) else { return };
        for (component, pool) in self.abandoned.remove(at).pools {
            self.free_abandoned(&shared, component, &pool);
        }
    }

    fn free_abandoned(&mut self, shared: &Arc<RunShared>, component: ComponentId, pool: &Pool) {
        let definition = shared.registry.get(component);
        let rows: Vec<u32> = pool.present().rows().chain(pool.deferred().rows()).collect();
        for row in rows {
            if let Some(block) = pool.owed_bytes_of(row)
                && let Err(panic) = definition.free(block, &shared.lists)
            {
                self.report_free(definition.name().to_owned(), &*panic);
            }
        }
    }
}

/// What came of waiting for a while.
enum Waited {
    /// Nothing is in the way.
    Over,
    /// Something may be still.
    Longer,
}
