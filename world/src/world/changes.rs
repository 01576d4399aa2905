//! A record of which entities changed when, kept while somebody asks.

use super::World;
use crate::id::{ComponentId, EntityId};
use crate::memory::{StorageToken, WatchToken};

/// The tick each row was last written at since the record began, in any component; the rows of one storage.
pub(super) struct ChangeRecord {
    storage: StorageToken,
    watches: Vec<(ComponentId, WatchToken)>,
    last: Vec<Option<u64>>,
}

impl World {
    /// Keeps a record of which entities change from now on, or keeps it no longer. It costs something for each row that
    /// is written; without it nothing.
    pub fn record_changes(&mut self, on: bool) {
        match on {
            true if self.changes.is_none() => self.begin_changes(),
            true => {}
            false => {
                self.changes = None;
                self.storage.unwatch(&[]);
            }
        }
    }

    fn begin_changes(&mut self) {
        let mut watches = Vec::new();
        for (component, _) in self.shared.registry.iter() {
            let token = WatchToken::default();
            self.storage.watch(component, &token);
            // What is there is not new.
            self.storage.take_is_dirty(component, &token);
            watches.push((component, token));
        }
        self.changes = Some(ChangeRecord { storage: self.storage.token(), watches, last: Vec::new() });
    }

    /// Notes what was written since this was last called; it counts for the tick the world is at.
    pub(super) fn note_changes(&mut self) {
        let Some(mut record) = self.changes.take() else { return };
        if !record.storage.is_of(&self.storage) {
            // Rows are others than they were.
            return self.begin_changes();
        }
        for (component, token) in &record.watches {
            for row in self.storage.take_dirty(*component, token) {
                let row = row as usize;
                if row >= record.last.len() {
                    record.last.resize(row + 1, None);
                }
                record.last[row] = Some(self.clocks.tick);
            }
        }
        self.changes = Some(record);
    }

    /// Whether an entity came, or a component of it was written or added, in the last so many ticks or since, as far as
    /// there is a [record](Self::record_changes) of it. A system that got `&mut T` of an entity counts as having written
    /// it.
    pub fn changed_within(&self, id: EntityId, ticks: u64) -> bool {
        let (Some(record), Some(row)) = (&self.changes, self.row(id)) else { return false };
        if !record.storage.is_of(&self.storage) {
            return false;
        }
        let last = record.last.get(row as usize).copied().flatten();
        let is_recent = last.is_some_and(|last| self.clocks.tick.saturating_sub(last) < ticks);
        let since = |(component, token): &(ComponentId, WatchToken)| {
            self.storage.dirty(*component, token).is_some_and(|rows| rows.has(row))
        };
        ticks > 0 && (is_recent || record.watches.iter().any(since))
    }
}
