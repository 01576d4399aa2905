//! Which rows of one component were written in this tick, while somebody asks.

use super::World;
use crate::id::ComponentId;
use crate::memory::{Presence, StorageToken, WatchToken};

/// A watch of one pool of one storage.
pub(super) struct WrittenRecord {
    storage: StorageToken,
    component: ComponentId,
    token: WatchToken,
}

impl World {
    /// Notes from now on which rows of a component are written in each tick; none notes nothing. It costs something for
    /// each row that is written; without it nothing.
    pub(crate) fn record_written(&mut self, component: Option<ComponentId>) {
        let Some(component) = component.filter(|component| component.index() < self.storage.pools.len())
        else {
            self.written = None;
            return;
        };
        let known = self.written.as_ref();
        if known.is_some_and(|known| known.component == component && known.storage.is_of(&self.storage)) {
            return;
        }
        let token = WatchToken::default();
        self.storage.watch(component, &token);
        // What is there is not new.
        self.storage.take_is_dirty(component, &token);
        self.written = Some(WrittenRecord { storage: self.storage.token(), component, token });
    }

    /// A tick begins: what was written before is not of it.
    pub(super) fn forget_written(&mut self) {
        if let Some(record) = &self.written
            && record.storage.is_of(&self.storage)
        {
            self.storage.take_is_dirty(record.component, &record.token);
        }
    }

    /// The rows of a component that were written since this tick began; none while that is not noted.
    pub(crate) fn written_rows(&self, component: ComponentId) -> Option<&Presence> {
        let record = self.written.as_ref().filter(|record| record.component == component)?;
        record.storage.is_of(&self.storage).then(|| self.storage.dirty(component, &record.token))?
    }
}
