//! Runs of the conflict scheduler between the update that queued them and the end of their effects: which may start,
//! and whose effects may be applied. Decided here, done by the world.
//!
//! | stage | meaning | what moves it on |
//! |---|---|---|
//! | waiting | earlier runs stand in its way | the last of them completes, then `start` |
//! | working | dispatched | `finish`, with what it asks for |
//! | done | its effects wait for their turn | `publishable` names it, then `complete` |
//!
//! A run waits for every earlier one it conflicts with, for earlier runs of its own system, and for earlier ones that
//! may kill: whoever comes after a death does not see the dead. Its creations are published in queue order among
//! creators, and after the runs that read or write what is created; its kills after every earlier run.

use super::access::Access;
use super::due::DueRun;
use crate::id::{RunId, SystemId};
use std::collections::VecDeque;
use std::sync::Arc;

/// A queued run; tickets grow in queue order and are never used again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Ticket(u64);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Waiting,
    /// So many of its runs work still.
    Working {
        runs: Runs,
        left: u32,
        creates: bool,
        kills: bool,
    },
    /// So many of its runs are not complete.
    Done {
        runs: Runs,
        left: u32,
        creates: bool,
        kills: bool,
    },
}

/// What a queued run was dispatched as: one run, or one for each of the systems that are joined in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Runs {
    pub(crate) first: RunId,
    pub(crate) count: u32,
}

impl Runs {
    fn has(self, run: RunId) -> bool {
        (self.first.0..self.first.0 + self.count as u64).contains(&run.0)
    }

    /// Each in order.
    pub(crate) fn iter(self) -> impl Iterator<Item = RunId> {
        (self.first.0..self.first.0 + self.count as u64).map(RunId)
    }
}

#[derive(Debug)]
struct Queued {
    ticket: Ticket,
    due: DueRun,
    /// Runs of other systems that are joined with it, in order.
    joined: Vec<DueRun>,
    /// The access it was queued with.
    access: Arc<Access>,
    stage: Stage,
    /// Earlier runs it waits for.
    blockers: u32,
}

impl Queued {
    fn is_of(&self, system: SystemId) -> bool {
        self.due.system == system || self.joined.iter().any(|due| due.system == system)
    }

    /// Whether a later queued run waits for this one.
    fn blocks_run(&self, later: &Self) -> bool {
        self.blocks(later.due.system, &later.access) || later.joined.iter().any(|due| self.is_of(due.system))
    }

    /// Whether a later run of `system` with `access` waits for this one.
    fn blocks(&self, system: SystemId, access: &Access) -> bool {
        self.is_of(system) || self.access.may_kill() || self.access.conflict(access).is_some()
    }
}

/// The queue, in the order of updates, then of registration.
#[derive(Debug, Default)]
pub(crate) struct RunQueue {
    runs: VecDeque<Queued>,
    next: u64,
}

impl RunQueue {
    pub(crate) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// How many updates have runs in the queue.
    pub(crate) fn backlog(&self) -> usize {
        let first = self.runs.front();
        let changes =
            self.runs.iter().zip(self.runs.iter().skip(1)).filter(|(a, b)| a.due.tick != b.due.tick);
        first.map_or(0, |_| 1 + changes.count())
    }

    /// Queues a run behind all others.
    #[cfg(test)]
    fn push(&mut self, due: DueRun, access: Arc<Access>) -> Ticket {
        self.push_joined(due, Vec::new(), access)
    }

    /// Queues runs that are done as one, with the access of all.
    pub(crate) fn push_joined(&mut self, due: DueRun, joined: Vec<DueRun>, access: Arc<Access>) -> Ticket {
        let ticket = Ticket(self.next);
        self.next += 1;
        let mut queued = Queued { ticket, due, joined, access, stage: Stage::Waiting, blockers: 0 };
        queued.blockers = self.runs.iter().filter(|earlier| earlier.blocks_run(&queued)).count() as u32;
        self.runs.push_back(queued);
        ticket
    }

    fn place(&self, ticket: Ticket) -> usize {
        self.runs
            .binary_search_by_key(&ticket, |run| run.ticket)
            .expect("a ticket is used until it is complete")
    }

    /// The first run that may start.
    pub(crate) fn startable(&self) -> Option<Ticket> {
        let ready = |run: &&Queued| run.stage == Stage::Waiting && run.blockers == 0;
        self.runs.iter().find(ready).map(|run| run.ticket)
    }

    /// The runs that may start now, in order.
    pub(crate) fn all_startable(&self) -> impl Iterator<Item = (Ticket, SystemId)> + '_ {
        let ready = |run: &&Queued| run.stage == Stage::Waiting && run.blockers == 0;
        self.runs.iter().filter(ready).map(|run| (run.ticket, run.due.system))
    }

    /// A run was dispatched.
    pub(crate) fn start(&mut self, ticket: Ticket, runs: Runs) {
        let place = self.place(ticket);
        let queued = &mut self.runs[place];
        assert!(
            queued.stage == Stage::Waiting && queued.blockers == 0,
            "a run starts once, when nothing is in its way"
        );
        queued.stage = Stage::Working { runs, left: runs.count, creates: false, kills: false };
    }

    /// A run's work is done, and what it asks for is known.
    pub(crate) fn finish(&mut self, ticket: Ticket, creates: bool, kills: bool) {
        let place = self.place(ticket);
        let stage = &mut self.runs[place].stage;
        if let Stage::Working { runs, left, creates: created, kills: killed } = *stage {
            let (creates, kills) = (created || creates, killed || kills);
            *stage = match left {
                0 | 1 => Stage::Done { runs, left: runs.count, creates, kills },
                _ => Stage::Working { runs, left: left - 1, creates, kills },
            };
        }
    }

    /// The first run whose effects may be applied.
    pub(crate) fn publishable(&self) -> Option<(Ticket, Runs)> {
        (0..self.runs.len()).find_map(|place| match self.runs[place].stage {
            Stage::Done { runs, .. } if self.may_publish(place) => Some((self.runs[place].ticket, runs)),
            _ => None,
        })
    }

    /// The queued run that was dispatched as a run.
    pub(crate) fn ticket_of(&self, run: RunId) -> Option<Ticket> {
        let is_it = |queued: &&Queued| match queued.stage {
            Stage::Waiting => false,
            Stage::Working { runs, .. } | Stage::Done { runs, .. } => runs.has(run),
        };
        self.runs.iter().find(is_it).map(|queued| queued.ticket)
    }

    fn may_publish(&self, place: usize) -> bool {
        let run = &self.runs[place];
        let mut earlier = self.runs.range(..place);
        match run.stage {
            Stage::Waiting | Stage::Working { .. } => false,
            Stage::Done { kills: true, .. } => place == 0,
            Stage::Done { creates: true, .. } => {
                !earlier.any(|other| other.access.is_published_before(&run.access))
            }
            Stage::Done { .. } => true,
        }
    }

    /// A run's effects are applied, or it will never run: whoever waits for it waits no longer.
    pub(crate) fn complete(&mut self, ticket: Ticket) {
        let place = self.place(ticket);
        let Some(run) = self.runs.remove(place) else { return };
        for later in self.runs.range_mut(place..) {
            if run.blocks_run(later) {
                later.blockers -= 1;
            }
        }
    }

    /// What a ticket is for, and what is joined with it.
    pub(crate) fn due(&self, ticket: Ticket) -> (DueRun, &[DueRun]) {
        let queued = &self.runs[self.place(ticket)];
        (queued.due, &queued.joined)
    }

    /// One of the runs of a ticket is over, its effects applied; with the last of them the ticket is complete.
    pub(crate) fn run_completed(&mut self, ticket: Ticket) {
        let place = self.place(ticket);
        match &mut self.runs[place].stage {
            Stage::Done { left: left @ 2.., .. } => *left -= 1,
            _ => self.complete(ticket),
        }
    }

    /// Takes the runs of a system that have not started out of the queue.
    pub(crate) fn forget(&mut self, system: SystemId) {
        let waiting: Vec<Ticket> = self.waiting_of(system).collect();
        for ticket in waiting {
            let place = self.place(ticket);
            let queued = &mut self.runs[place];
            // Who waits for whom stays as it was: joined runs keep the access of all, which each of them conflicts with.
            queued.joined.retain(|due| due.system != system);
            if queued.due.system != system {
                continue;
            }
            if queued.joined.is_empty() {
                self.complete(ticket);
            } else {
                queued.due = queued.joined.remove(0);
            }
        }
    }

    /// Runs of a system that have not started.
    pub(crate) fn waiting_of(&self, system: SystemId) -> impl Iterator<Item = Ticket> + '_ {
        let waiting = move |run: &&Queued| run.is_of(system) && run.stage == Stage::Waiting;
        self.runs.iter().filter(waiting).map(|run| run.ticket)
    }

    /// How many runs of a system are queued and have not started, and whom the first of them waits for.
    pub(crate) fn waits(&self, system: SystemId) -> (usize, Option<SystemId>) {
        let mut waiting = self.waiting_of(system);
        let Some(first) = waiting.next() else { return (0, None) };
        let place = self.place(first);
        let run = &self.runs[place];
        let blocker = self.runs.range(..place).find(|earlier| earlier.blocks_run(run));
        (1 + waiting.count(), blocker.map(|blocker| blocker.due.system))
    }

    /// The system whose run the oldest queued work waits for.
    pub(crate) fn oldest(&self) -> Option<SystemId> {
        self.runs.front().map(|run| run.due.system)
    }

    pub(crate) fn clear(&mut self) {
        self.runs.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::ComponentId;
    use crate::schedule::QueryAccess;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    struct Spec {
        reads: Vec<u16>,
        writes: Vec<u16>,
        creates: Option<Vec<u16>>,
        kills: bool,
        exclusive: bool,
    }

    fn spec() -> impl Strategy<Value = Spec> {
        let components = || proptest::collection::vec(1..6u16, 0..3);
        let creates = proptest::option::weighted(0.3, components());
        (components(), components(), creates, proptest::bool::weighted(0.2), proptest::bool::weighted(0.1))
            .prop_map(|(reads, writes, creates, kills, exclusive)| Spec {
                reads,
                writes,
                creates,
                kills,
                exclusive,
            })
    }

    fn access(spec: &Spec) -> Arc<Access> {
        let ids = |list: &[u16]| list.iter().map(|&id| ComponentId(id)).collect::<Vec<_>>();
        let mut access = Access::new().query(QueryAccess::new().required(ids(&spec.reads)));
        for id in ids(&spec.writes) {
            access = access.write(id);
        }
        if let Some(created) = &spec.creates {
            access = access.creates(ids(created));
        }
        if spec.kills {
            access = access.kills();
        }
        Arc::new(if spec.exclusive { access.exclusive() } else { access })
    }

    fn due(system: u32, tick: u64) -> DueRun {
        let (delta, game_time) = (1.0, tick as f64);
        DueRun { system: SystemId(system), delta, tick, game_time, number: 0, taken: true, unadded: 0.0 }
    }

    /// What happened to a run of the model, in the order it happened.
    #[derive(Default, Clone, Debug)]
    struct Seen {
        started: Option<usize>,
        published: Option<usize>,
    }

    proptest! {
        /// Random systems over several updates, with runs that end in random order: nothing overlaps that conflicts,
        /// conflicting runs and creators keep queue order, kills come after all before them, and all of it drains.
        #[test]
        fn whatever_ends_first_conflicting_runs_keep_their_order_and_everything_drains(
            specs in proptest::collection::vec(spec(), 1..8),
            updates in 1..4usize,
            choices in proptest::collection::vec(any::<u16>(), 200),
        ) {
            let accesses: Vec<_> = specs.iter().map(access).collect();
            let mut queue = RunQueue::default();
            let mut runs = Vec::new();
            for update in 0..updates {
                for (place, access) in accesses.iter().enumerate() {
                    let ticket = queue.push(due(place as u32, update as u64), access.clone());
                    runs.push((ticket, place));
                }
            }
            prop_assert_eq!(queue.backlog(), updates);
            let mut seen = vec![Seen::default(); runs.len()];
            let mut working: Vec<Ticket> = Vec::new();
            let (mut time, mut choices) = (0, choices.into_iter().cycle());
            let index = |ticket: Ticket| runs.iter().position(|run| run.0 == ticket).unwrap();
            while !queue.is_empty() {
                while let Some(ticket) = queue.startable() {
                    queue.start(ticket, Runs { first: RunId(index(ticket) as u64), count: 1 });
                    for &other in &working {
                        let (a, b) = (index(other).min(index(ticket)), index(other).max(index(ticket)));
                        let clash = accesses[runs[a].1].conflict(&accesses[runs[b].1]);
                        prop_assert!(clash.is_none(), "{:?} and {:?} overlap", a, b);
                    }
                    working.push(ticket);
                    seen[index(ticket)].started = Some(time);
                    time += 1;
                }
                prop_assert!(!working.is_empty(), "nothing works, and nothing can start");
                let choice = choices.next().unwrap() as usize;
                let ticket = working.swap_remove(choice % working.len());
                let spec = &specs[runs[index(ticket)].1];
                queue.finish(ticket, spec.creates.is_some(), spec.kills && !choice.is_multiple_of(3));
                while let Some((ticket, runs)) = queue.publishable() {
                    prop_assert_eq!((runs.first.0 as usize, queue.ticket_of(runs.first)), (index(ticket), Some(ticket)));
                    queue.complete(ticket);
                    seen[index(ticket)].published = Some(time);
                    time += 1;
                }
            }
            for later in 0..runs.len() {
                for earlier in 0..later {
                    let (first, second) = (&accesses[runs[earlier].1], &accesses[runs[later].1]);
                    let waits = first.conflict(second).is_some() || first.may_kill() || runs[earlier].1 == runs[later].1;
                    if waits {
                        prop_assert!(seen[earlier].published < seen[later].started);
                    }
                    if first.may_create() && second.may_create() {
                        prop_assert!(seen[earlier].published < seen[later].published);
                    }
                }
            }
        }
    }

    #[test]
    fn an_idle_queue_names_nobody_and_a_full_one_its_oldest() {
        let mut queue = RunQueue::default();
        assert_eq!((queue.backlog(), queue.oldest(), queue.startable()), (0, None, None));
        let writes = Arc::new(Access::new().write(ComponentId(1)));
        let first = queue.push(due(4, 1), writes.clone());
        queue.push(due(5, 1), writes.clone());
        queue.push(due(4, 2), writes);
        assert_eq!((queue.backlog(), queue.oldest()), (2, Some(SystemId(4))));
        assert_eq!(queue.waits(SystemId(5)), (1, Some(SystemId(4))));
        let runs = Runs { first: RunId(7), count: 1 };
        queue.start(first, runs);
        queue.finish(first, false, false);
        assert_eq!(queue.publishable(), Some((first, runs)));
        queue.complete(first);
        assert_eq!(queue.waits(SystemId(5)), (1, None));
        assert_eq!(queue.waits(SystemId(4)), (1, Some(SystemId(5))));
    }
}
