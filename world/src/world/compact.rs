//! Compaction: rows regrouped so that queries meet long runs of members.

use super::World;
use crate::id::EntityId;
use crate::memory::Storage;
use crate::system::Body;
use std::collections::HashMap;

impl World {
    /// Puts every entity into the row it would have if the world were built anew from what its entities are made
    /// of now, in creation order. What is open is settled and what is owed is freed first. Returns how many
    /// entities changed their row: none if a run does not end.
    ///
    /// Systems visit rows in order, so the order of visits may change.
    pub fn compact(&mut self) -> usize {
        if self.try_settle().is_err() {
            return 0;
        }
        while let Some(&id) = self.leaving.front() {
            self.finish_removal(id);
        }
        self.free_all_deferred();
        let layouts = self.registry().iter().map(|(_, definition)| definition.layout);
        let mut fresh = Storage::new(layouts);
        let ids: Vec<EntityId> = self.entities().chain(self.world_entity()).collect();
        let (mut placed, mut moved) = (Vec::with_capacity(ids.len()), 0);
        for id in ids {
            let Some(row) = self.row(id) else { continue };
            let components = self.storage.components_of(row);
            let archetype = fresh.rows.archetype(&components);
            let new_row = fresh.create_row(archetype, id);
            moved += (new_row != row) as usize;
            placed.push((id, row, new_row));
            for component in components {
                if let Some(block) = self.storage.pool(component).bytes_of(row) {
                    fresh.insert(component, new_row, block);
                }
            }
            fresh.rows.set_queryable(new_row, self.storage.rows.queryable().has(row));
            fresh.rows.set_static(new_row, self.storage.rows.statics().has(row));
        }
        fresh.slots = std::mem::take(&mut self.storage.slots);
        if self.storage.is_watched() {
            let new_rows: HashMap<u32, u32> =
                placed.iter().map(|&(_, row, new_row)| (row, new_row)).collect();
            fresh.take_watchers(&self.storage, |row| new_rows.get(&row).copied());
            for entry in &mut self.systems.list {
                if let Some(links) = &mut entry.links {
                    links.members.moved(|row| new_rows.get(&row).copied());
                }
                if let Some(Body::Worker(worker)) = &mut entry.body {
                    let tracked = worker.tracked.iter_mut().flatten();
                    tracked.for_each(|tracked| tracked.moved(|row| new_rows.get(&row).copied()));
                }
            }
        }
        for (id, _, row) in placed {
            fresh.slots.bind(id, row);
        }
        self.storage = fresh;
        self.placers.clear();
        self.placer_of.clear();
        self.last_placed = None;
        for entry in &mut self.systems.list {
            entry.queries.iter_mut().for_each(|query| query.cache = Default::default());
            entry.lookups.iter_mut().for_each(|plan| *plan = plan.again());
        }
        moved
    }
}
