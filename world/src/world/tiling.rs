//! Systems that run as one, tile by tile: which they are, and their dispatch.

use super::World;
use super::open_runs::Joint;
use super::systems::{SystemEntry, Systems};
use crate::id::{ComponentId, RunId, SystemId};
use crate::schedule::{Access, DueRun, Obstacle, TileTraits, apart, group_ends};
use crate::system::{AtMember, Body, Job, JoinedJob, Part, Phase, Run, SystemKind};
use std::sync::Arc;

/// Which systems of a list run as one.
pub(super) struct TileGroups {
    /// By place: the end of its group.
    ends: Vec<usize>,
    /// By place: what its group touches, if it is of more than one.
    accesses: Vec<Option<Arc<Access>>>,
}

impl TileGroups {
    fn of(list: &[SystemEntry]) -> Self {
        let about = |place: usize| (&*list[place].access, list[place].tile);
        let ends = group_ends(list.len(), |place| apart(about(place), about(place + 1)).is_some());
        let mut accesses: Vec<Option<Arc<Access>>> = vec![None; list.len()];
        let mut start = 0;
        while start < list.len() {
            let end = ends[start];
            if end - start > 1 {
                let all = list[start..end].iter().fold(Access::new(), |all, entry| all.and(&entry.access));
                accesses[start..end].fill(Some(Arc::new(all)));
            }
            start = end;
        }
        Self { ends, accesses }
    }
}

impl Systems {
    fn tiles(&mut self) -> &TileGroups {
        let list = &self.list;
        self.tiles.get_or_insert_with(|| Arc::new(TileGroups::of(list)))
    }
}

impl SystemEntry {
    /// What decides whether it is joined with its neighbours.
    pub(super) fn tile_traits(&mut self) -> TileTraits {
        let body = match &mut self.body {
            Some(Body::Worker(worker)) => worker.body.tile(),
            _ => None,
        };
        let by_row = body.is_some() && self.queries.len() == 1;
        let shared = body.is_some_and(|body| body.shared().is_some());
        let obstacles = [
            (self.kind != SystemKind::EntityWorker, Obstacle::NotOfEntities),
            (self.access.alone().is_some(), Obstacle::Alone),
            (self.capabilities.any(), Obstacle::Effects),
            (!self.lookups.is_empty(), Obstacle::OtherEntities),
            (self.batch.is_some(), Obstacle::Batches),
            (self.in_order, Obstacle::CreationOrder),
            (!self.views.is_empty(), Obstacle::Filter),
            (self.hears_changes(), Obstacle::Changes),
            (self.should_run.is_some(), Obstacle::Asked),
            (!by_row, Obstacle::NotByRow),
        ];
        let obstacle = obstacles.into_iter().find_map(|(is, obstacle)| is.then_some(obstacle));
        TileTraits { obstacle, variable: self.phase == Phase::Variable, shared }
    }

    fn hears_changes(&self) -> bool {
        let looks = self.queries.iter().any(|query| !query.changed.is_empty());
        looks || !self.watches.is_empty() || !self.observed.is_empty()
    }
}

impl World {
    /// Whether neighbours whose updates touch their own row only are run as one, tile by tile, which they are unless
    /// it is switched off. Results are the same either way; see [`Plan::tiles`](crate::Plan::tiles).
    pub fn set_tiles(&mut self, tiles: bool) {
        self.systems.apart = !tiles;
        self.systems.list_changed();
    }

    /// How many systems run as one with the one at a place, from it on.
    ///
    /// None do where somebody listens for what systems send who sees the world, which is as it is between their runs,
    /// or where the journal is to say which of them wrote a field.
    pub(super) fn tile_group(&mut self, place: usize) -> usize {
        if self.systems.apart || self.listeners.any_typed_sees_world() || self.journal.looks_at_runs() {
            return 1;
        }
        self.systems.tiles().ends[place] - place
    }

    /// What the group of the system at a place touches.
    pub(super) fn tile_access(&mut self, place: usize) -> Arc<Access> {
        let joined = self.systems.tiles().accesses[place].clone();
        joined.unwrap_or_else(|| self.systems.list[place].access.clone())
    }

    pub(super) fn is_row_local(&self, place: usize) -> bool {
        self.systems.list[place].tile.obstacle.is_none()
    }

    /// Runs systems as one job; each gets a run of its own, if it has members.
    pub(super) fn dispatch_joined(&mut self, dues: &[(usize, DueRun)]) -> Vec<RunId> {
        let now = self.now();
        let Self { systems, storage, runs, .. } = self;
        let mut members = Vec::with_capacity(dues.len());
        let mut borrows: Vec<(ComponentId, bool)> = Vec::new();
        for &(place, due) in dues {
            let entry = &mut systems.list[place];
            let due = entry.turn_of(due);
            storage.update_mask(&mut entry.queries[0]);
            entry.members = entry.queries[0].cache.mask().members;
            if entry.members == 0 {
                entry.uses_time(due.taken, due.delta);
                continue;
            }
            let Some(Body::Worker(worker)) = entry.body.take() else { continue };
            for &(component, writes) in &entry.borrows {
                match borrows.iter_mut().find(|(borrowed, _)| *borrowed == component) {
                    Some((_, to_write)) => *to_write |= writes,
                    None => borrows.push((component, writes)),
                }
            }
            let run = runs.begin(due, now);
            entry.open_run = Some(run);
            members.push((place, due, worker, run));
        }
        let Some(&(_, _, _, first)) = members.first() else { return Vec::new() };
        let queries = members.iter().map(|&(place, ..)| &systems.list[place].queries[0]);
        let lent = storage.lend_joined(first, &borrows, queries);
        let at_member = Arc::new(AtMember::new(self.workers.threads()));
        for (member, &(place, _, _, run)) in members.iter().enumerate() {
            let mask = systems.list[place].queries[0].cache.mask().clone();
            runs.join(run, Joint { first, member, at_member: at_member.clone() }, mask);
        }
        let opened = members.iter().map(|&(_, _, _, run)| run).collect();
        let mut ids: Vec<(SystemId, RunId)> = Vec::with_capacity(members.len());
        let mut jobs = Vec::with_capacity(members.len());
        for (query, (place, due, worker, run)) in members.into_iter().enumerate() {
            let entry = &mut systems.list[place];
            ids.push((entry.id, run));
            let mut own = lent.without_pools(run, query);
            own.baseline = entry.baseline;
            jobs.push(Box::new(Job {
                worker,
                names: entry.query_names.clone(),
                lent: own,
                heard: Vec::new(),
                part: Part::WHOLE,
                whole: None,
                run: Run {
                    room: self.effect_limit,
                    ..entry.new_run(place, &due, &self.shared, self.resources, storage)
                },
            }));
        }
        self.workers.spawn_joined(ids, JoinedJob::new(lent, jobs, at_member));
        opened
    }
}
