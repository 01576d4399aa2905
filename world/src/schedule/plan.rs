//! The schedule of a list of systems, compiled before anything runs.

use super::access::Access;
use super::conflict::{Reason, ReasonKind};
use super::tiles::{Apart, TileTraits};
use crate::id::SystemId;
use std::collections::HashMap;

/// A system as the plan knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemAccess {
    /// Which one.
    pub id: SystemId,
    /// Its name; several may share one.
    pub name: String,
    /// What it touches.
    pub access: Access,
}

/// What two systems of a plan mean to each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pair {
    /// They may run at once.
    Free,
    /// The later one waits for the earlier one: every reason, the strongest first. Never empty.
    Ordered(Vec<Reason>),
}

/// Which systems may run together: levels, and the systems of each level.
///
/// A system is one level above the highest system before it that it waits for. Batches describe; they are no
/// barrier: a run starts as soon as those it waits for are done.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Batches {
    /// By system, in registration order.
    levels: Vec<usize>,
    /// By level: indices of systems, in registration order.
    batches: Vec<Vec<usize>>,
}

impl Batches {
    /// Batches of `systems` systems, of which a later one waits for an earlier one where `waits` says so.
    fn of(systems: usize, waits: impl Fn(usize, usize) -> bool) -> Self {
        let mut levels: Vec<usize> = Vec::with_capacity(systems);
        let mut batches: Vec<Vec<usize>> = Vec::new();
        for later in 0..systems {
            let below = (0..later).filter(|&earlier| waits(earlier, later)).map(|earlier| levels[earlier]);
            let level = below.max().map_or(0, |highest| highest + 1);
            levels.push(level);
            if level == batches.len() {
                batches.push(Vec::new());
            }
            batches[level].push(later);
        }
        Self { levels, batches }
    }

    /// The level of each system, in registration order.
    pub fn levels(&self) -> &[usize] {
        &self.levels
    }

    /// The systems of each level, as places in registration order.
    pub fn batches(&self) -> &[Vec<usize>] {
        &self.batches
    }
}

/// A compiled schedule. Never changes; compile another when systems or what they declare change.
///
/// Systems are named by their place in registration order, from 0, except where an id is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    pub(super) systems: Vec<SystemAccess>,
    /// By system: its name, with its id where another one has the same name.
    labels: Vec<String>,
    /// What a run of column waits for a run of row for, if it was queued later: n × n, because in the next update
    /// a system of an earlier place comes later.
    relations: Vec<Option<ReasonKind>>,
    predecessors: Vec<Vec<usize>>,
    batches: Batches,
    /// By system but the last: why it is not joined with the next; none if it is.
    pub(super) joints: Vec<Option<Apart>>,
}

impl Plan {
    /// Compiles the schedule of these systems, which are in registration order.
    ///
    /// Takes time and space with the square of their number: a byte a pair.
    pub fn compile(systems: &[SystemAccess]) -> Self {
        let count = systems.len();
        let relations: Vec<Option<ReasonKind>> = systems
            .iter()
            .flat_map(|earlier| systems.iter().map(|later| earlier.access.conflict(&later.access)))
            .collect();
        let waits = |earlier: usize, later: usize| relations[earlier * count + later].is_some();
        let predecessors =
            (0..count).map(|later| (0..later).filter(|&earlier| waits(earlier, later)).collect()).collect();
        Self {
            batches: Batches::of(count, waits),
            joints: Vec::new(),
            predecessors,
            labels: labels(systems),
            systems: systems.to_vec(),
            relations,
        }
        .with_tiles(&vec![TileTraits::UNKNOWN; count], true)
    }

    /// The systems, in registration order.
    pub fn systems(&self) -> &[SystemAccess] {
        &self.systems
    }

    /// The place of a system in registration order; none if it is not in the plan.
    pub fn place(&self, id: SystemId) -> Option<usize> {
        self.systems.iter().position(|system| system.id == id)
    }

    /// What to call a system: its name, with its id where several systems have that name.
    pub fn label(&self, place: usize) -> &str {
        &self.labels[place]
    }

    /// Which systems may run together.
    pub fn batches(&self) -> &Batches {
        &self.batches
    }

    /// The ids of the systems of each batch.
    pub fn batch_ids(&self) -> Vec<Vec<SystemId>> {
        let ids = |batch: &Vec<usize>| batch.iter().map(|&place| self.systems[place].id).collect();
        self.batches.batches.iter().map(ids).collect()
    }

    /// Whether a run of the system at `later` waits for a run of the one at `earlier` that was queued before it.
    ///
    /// Any two places may be asked for: runs of the next update come later whatever their place, and a system
    /// always waits for itself.
    pub fn conflicts(&self, earlier: usize, later: usize) -> bool {
        earlier == later || self.conflict(earlier, later).is_some()
    }

    /// The strongest reason why a run of `later` waits for a run of `earlier` that was queued before it.
    pub fn conflict(&self, earlier: usize, later: usize) -> Option<ReasonKind> {
        self.relations[earlier * self.systems.len() + later]
    }

    /// The systems of earlier places that a system waits for in one update, each for a reason of its own.
    pub fn predecessors(&self, place: usize) -> &[usize] {
        &self.predecessors[place]
    }

    /// The predecessors of each system that are not predecessors of its predecessors: enough to draw the order.
    pub fn nearest_predecessors(&self) -> Vec<Vec<usize>> {
        let count = self.systems.len();
        let mut ancestors: Vec<Vec<bool>> = Vec::with_capacity(count);
        let mut nearest = Vec::with_capacity(count);
        for place in 0..count {
            let mut known = vec![false; count];
            let mut near = Vec::new();
            for &earlier in self.predecessors[place].iter().rev() {
                if !known[earlier] {
                    known[earlier] = true;
                    known.iter_mut().zip(&ancestors[earlier]).for_each(|(known, &is)| *known |= is);
                    near.push(earlier);
                }
            }
            near.reverse();
            nearest.push(near);
            ancestors.push(known);
        }
        nearest
    }

    /// What the systems of two places mean to each other in one update, in either order.
    pub fn pair(&self, one: usize, other: usize) -> Pair {
        let (earlier, later) = (one.min(other), one.max(other));
        match self.conflict(earlier, later) {
            None => Pair::Free,
            Some(_) => Pair::Ordered(self.systems[earlier].access.reasons(&self.systems[later].access)),
        }
    }

    /// The batches if these two systems, in either order, did not wait for each other; none if one of them is
    /// not in the plan.
    pub fn what_if(&self, without: (SystemId, SystemId)) -> Option<Batches> {
        let (one, other) = (self.place(without.0)?, self.place(without.1)?);
        let freed = (one.min(other), one.max(other));
        Some(Batches::of(self.systems.len(), |earlier, later| {
            (earlier, later) != freed && self.conflict(earlier, later).is_some()
        }))
    }
}

fn labels(systems: &[SystemAccess]) -> Vec<String> {
    let mut uses: HashMap<&str, usize> = HashMap::new();
    for system in systems {
        *uses.entry(&system.name).or_default() += 1;
    }
    let label = |system: &SystemAccess| match uses[system.name.as_str()] {
        1 => system.name.clone(),
        _ => format!("{} #{}", system.name, system.id),
    };
    systems.iter().map(label).collect()
}
