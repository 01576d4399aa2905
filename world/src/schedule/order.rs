//! A registration order that lets readers run before the writers of what they read.

use super::plan::SystemAccess;
use crate::id::SystemId;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// An order of systems by what they touch.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct AccessOrder {
    /// The places the systems had before, in the order they should be registered in.
    pub order: Vec<usize>,
    /// Where no order could suit every reader.
    pub broken: Vec<BrokenCycle>,
}

/// Systems that each should run before another of them; one of them had to begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenCycle {
    /// The one that begins.
    pub first: SystemId,
    /// Those that read what it writes and run after it all the same, in the order they were registered in.
    pub readers: Vec<SystemId>,
    /// Everyone in the cycle, in the order they were registered in.
    pub cycle: Vec<SystemId>,
}

impl BrokenCycle {
    /// A sentence about it, with a name for each system.
    pub fn sentence(&self, name: impl Fn(SystemId) -> String) -> String {
        let list =
            |ids: &[SystemId]| ids.iter().map(|&id| format!("`{}`", name(id))).collect::<Vec<_>>().join(", ");
        format!(
            "{} wait for each other in a circle; `{}` begins, although what it writes is read by {}",
            list(&self.cycle),
            name(self.first),
            list(&self.readers)
        )
    }
}

/// Orders systems so that a writer of a component runs after those that only read it; otherwise they stay in the
/// order they are given in.
///
/// Where systems wait for each other in a circle, the one begins that disturbs least: every component it creates
/// counts 3, every component it writes 2, every reader it would have to wait for 1. Of equals the first given
/// begins. That every system reads `entity` counts only where one names it.
pub fn order_by_access(systems: &[SystemAccess]) -> AccessOrder {
    let edges = Edges::of(systems);
    let mut waits_for: Vec<usize> = edges.readers.iter().map(Vec::len).collect();
    let mut is_left = vec![true; systems.len()];
    let mut ready: BinaryHeap<Reverse<usize>> =
        (0..systems.len()).filter(|&place| waits_for[place] == 0).map(Reverse).collect();
    let mut result = AccessOrder::default();
    while result.order.len() < systems.len() {
        let next = match ready.pop() {
            Some(Reverse(place)) => place,
            None => {
                let (first, broken) = break_cycle(systems, &edges, &is_left);
                result.broken.push(broken);
                first
            }
        };
        is_left[next] = false;
        result.order.push(next);
        for &writer in &edges.writers[next] {
            waits_for[writer] -= 1;
            if waits_for[writer] == 0 && is_left[writer] {
                ready.push(Reverse(writer));
            }
        }
    }
    result
}

/// Which system of a cycle among those left begins; none of them is ready.
fn break_cycle(systems: &[SystemAccess], edges: &Edges, is_left: &[bool]) -> (usize, BrokenCycle) {
    let cycle = edges.first_cycle(is_left);
    let waiting = |place: usize| edges.readers[place].iter().copied().filter(|&reader| is_left[reader]);
    let score = |place: usize| {
        let access = &systems[place].access;
        let created = access.created_components().map_or(0, |created| created.len());
        3 * created + 2 * access.writes().len() + waiting(place).count()
    };
    let first = cycle.iter().copied().min_by_key(|&place| (score(place), place)).unwrap_or(0);
    let ids = |places: &mut dyn Iterator<Item = usize>| places.map(|place| systems[place].id).collect();
    let broken = BrokenCycle {
        first: systems[first].id,
        readers: ids(&mut waiting(first)),
        cycle: ids(&mut cycle.iter().copied()),
    };
    (first, broken)
}

/// Who should run before whom, by place.
struct Edges {
    /// By writer: those that only read what it writes, ascending.
    readers: Vec<Vec<usize>>,
    /// By reader: the writers of what it only reads, ascending.
    writers: Vec<Vec<usize>>,
}

impl Edges {
    fn of(systems: &[SystemAccess]) -> Self {
        let count = systems.len();
        let mut edges = Self { readers: vec![Vec::new(); count], writers: vec![Vec::new(); count] };
        for (reader, system) in systems.iter().enumerate() {
            let only_read = system.access.named_reads().difference(system.access.writes());
            for (writer, other) in systems.iter().enumerate() {
                if only_read.intersects(other.access.writes()) {
                    edges.readers[writer].push(reader);
                    edges.writers[reader].push(writer);
                }
            }
        }
        edges
    }

    /// Systems left that can all reach each other and that nobody else left should run before, ascending.
    ///
    /// There are some if everyone left waits for someone left.
    fn first_cycle(&self, is_left: &[bool]) -> Vec<usize> {
        let Some(mut start) = is_left.iter().position(|&left| left) else { return Vec::new() };
        loop {
            let before = reach(&self.readers, start, is_left);
            let after = reach(&self.writers, start, is_left);
            // Someone who comes before without coming after is nearer to a cycle that nobody comes before.
            match (0..is_left.len()).find(|&place| before[place] && !after[place]) {
                Some(earlier) => start = earlier,
                None => return (0..is_left.len()).filter(|&place| before[place]).collect(),
            }
        }
    }
}

/// Everyone left that can be reached from `start`, which is among them.
fn reach(edges: &[Vec<usize>], start: usize, is_left: &[bool]) -> Vec<bool> {
    let mut reached = vec![false; is_left.len()];
    reached[start] = true;
    let mut open = vec![start];
    while let Some(place) = open.pop() {
        for &next in &edges[place] {
            if is_left[next] && !reached[next] {
                reached[next] = true;
                open.push(next);
            }
        }
    }
    reached
}
