//! Entities that a run created come into the world.

use super::{World, WorldEvent};
use crate::id::{ComponentId, EntityId};
use crate::system::{Effects, Staged};

impl World {
    /// Gives rows, ordinals and hooks to what a run created: ordinals and hooks in call order, rows by archetype.
    /// One whose hooks fail is freed again.
    pub(super) fn adopt(&mut self, Effects { staged, created, .. }: &mut Effects) {
        if created.is_empty() {
            return staged.clear();
        }
        self.release_rows();
        let since = self.runs.next();
        for staged in staged.iter_mut() {
            if !staged.ids.is_empty() {
                self.place_staged(staged);
            }
            staged.adopted();
        }
        self.order.push_all(created);
        if self.shared.registry.any_on_attach() {
            for &id in &*created {
                let components = self.components_of(id).unwrap_or_default();
                if !self.attach_all(id, &components, None, since) {
                    self.withdraw(id);
                }
            }
        }
        self.tell_links();
        if self.listeners.any() {
            for &id in &*created {
                // One that an earlier handler removed again was added all the same, but is gone.
                if self.contains(id) {
                    self.emit(WorldEvent::EntityAdded(id));
                }
            }
        }
    }

    /// Takes an entity back that nobody was told of.
    fn withdraw(&mut self, id: EntityId) {
        if self.ordinal(id).is_some() {
            self.order.remove(id);
            self.leaving.push_back(id);
            self.finish_removal(id);
        }
    }

    fn place_staged(&mut self, staged: &Staged) {
        let archetype = self.storage.rows.archetype(&staged.components);
        let mut done = 0;
        while done < staged.ids.len() {
            let (row, len) = self.storage.create_run(archetype, &staged.ids[done..]);
            for (&component, column) in staged.components.iter().zip(&staged.columns) {
                let size = self.storage.pool(component).block_size();
                let blocks = &column[done * size..(done + len as usize) * size];
                self.storage.pool_mut(component).fill_run(row, len, blocks);
            }
            done += len as usize;
        }
        for &place in &staged.statics {
            if let Some(row) = self.row(staged.ids[place as usize]) {
                self.storage.rows.set_static(row, true);
            }
        }
        for &place in &staged.dead {
            if let Some(row) = self.row(staged.ids[place as usize]) {
                self.storage.rows.set_queryable(row, false);
            }
        }
        debug_assert_eq!(staged.components[0], ComponentId::ENTITY);
    }
}
