//! How pools grew while the panel was seen.

use crate::series::Series;
use std::collections::{BTreeMap, VecDeque};
use vivarium_world::ComponentId;
use vivarium_world::inspect::MemoryView;

/// Bytes of each pool over time, and how many pages were allocated.
#[derive(Default)]
pub(super) struct Growth {
    pools: BTreeMap<ComponentId, Pool>,
    /// Ticks at which pages were counted, with how many came since the one before.
    allocated: VecDeque<(u64, usize)>,
}

#[derive(Default)]
struct Pool {
    bytes: Series,
    first: usize,
    pages: usize,
}

/// Ticks over which allocations are averaged.
const SPAN: u64 = 100;

impl Growth {
    /// Keeps what the pools are at a tick. An earlier tick than the last is of a scene loaded anew, and begins anew.
    pub(super) fn record(&mut self, tick: u64, memory: &MemoryView) {
        if self.allocated.back().is_some_and(|(last, _)| *last > tick) {
            *self = Self::default();
        }
        let mut came = 0;
        for pool in &memory.pools {
            let known = self.pools.entry(pool.component).or_insert_with(|| Pool {
                first: pool.bytes,
                pages: pool.pages,
                bytes: Series::default(),
            });
            came += pool.pages.saturating_sub(known.pages);
            known.pages = pool.pages;
            known.bytes.push(tick, pool.bytes as f64);
        }
        match self.allocated.back_mut() {
            Some((last, count)) if *last == tick => *count += came,
            _ => self.allocated.push_back((tick, came)),
        }
        while self.allocated.front().is_some_and(|(first, _)| first + SPAN < tick) {
            self.allocated.pop_front();
        }
    }

    /// Pages allocated a tick over the last ticks; none before two of them were seen.
    pub(super) fn allocations(&self) -> Option<f64> {
        let ((first, _), (last, _)) = (self.allocated.front()?, self.allocated.back()?);
        let pages: usize = self.allocated.iter().skip(1).map(|(_, pages)| pages).sum();
        (last > first).then(|| pages as f64 / (last - first) as f64)
    }

    /// By how many bytes a pool grew, or shrank, since it was first seen.
    pub(super) fn of(&self, component: ComponentId, bytes: usize) -> i64 {
        self.pools.get(&component).map_or(0, |pool| bytes as i64 - pool.first as i64)
    }

    /// Bytes over time, with no more than two points a column.
    pub(super) fn line(&self, component: ComponentId, columns: usize) -> Vec<[f64; 2]> {
        self.pools.get(&component).map(|pool| pool.bytes.line(columns)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Fixture, TRANSFORM, VELOCITY};

    fn memory(pages: usize) -> MemoryView {
        let mut memory = Fixture::paused().snapshot.memory.unwrap();
        for pool in &mut memory.pools {
            (pool.pages, pool.bytes) = (pages, pages * 512);
        }
        memory
    }

    #[test]
    fn pages_that_came_are_counted_a_tick_and_those_given_back_are_not() {
        let mut growth = Growth::default();
        growth.record(10, &memory(4));
        assert_eq!(growth.allocations(), None);
        growth.record(12, &memory(5));
        growth.record(12, &memory(6));
        growth.record(14, &memory(1));
        assert_eq!(growth.allocations(), Some(6.0 / 4.0), "two pages for each of three pools in four ticks");
        growth.record(114, &memory(1));
        assert_eq!(growth.allocations(), Some(0.0), "long ago");
    }

    #[test]
    fn growth_is_counted_from_what_was_seen_first_until_a_scene_begins_anew() {
        let mut growth = Growth::default();
        growth.record(1, &memory(1));
        growth.record(2, &memory(3));
        assert_eq!(growth.of(TRANSFORM, 1_536), 1_024);
        assert_eq!(growth.line(VELOCITY, 10), [[1.0, 512.0], [2.0, 1_536.0]]);
        growth.record(0, &memory(2));
        assert_eq!(growth.of(TRANSFORM, 1_024), 0);
        assert_eq!(growth.of(ComponentId(99), 5), 0);
    }
}
