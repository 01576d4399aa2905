//! Memory that nothing uses, given back.

use super::World;
use super::deferred::Owed;
use crate::component::Role;
use crate::id::ComponentId;
use std::collections::HashSet;

impl World {
    /// Gives back memory that nothing uses: strings that no block names, pools without a block, and room that tables
    /// keep for more. What is open is settled first; nothing is given back if a run does not end. Returns how many
    /// bytes fewer the world takes; the texts of strings count. To bring together what is left, see
    /// [`compact`](Self::compact).
    ///
    /// A number of a string that was kept elsewhere than in a block finds nothing afterwards; see
    /// [`Strings`](crate::Strings).
    pub fn shrink(&mut self) -> usize {
        if self.try_settle().is_err() {
            return 0;
        }
        let before = self.bytes();
        let used = self.strings_in_use();
        self.shared.strings.keep_only(&used);
        self.storage.shrink();
        self.deferred.shrink();
        before.saturating_sub(self.bytes())
    }

    /// The numbers of strings that blocks hold, those that wait to be given back among them.
    fn strings_in_use(&self) -> HashSet<u32> {
        let mut used = HashSet::new();
        for (component, definition) in self.shared.registry.iter() {
            let places = self.text_places(component);
            if places.is_empty() {
                continue;
            }
            let pool = self.storage.pool(component);
            for row in pool.present().rows().chain(pool.deferred().rows()) {
                let Some(block) = pool.bytes_of(row) else { continue };
                used.extend(places.iter().map(|&at| number_at(block, at)));
            }
            debug_assert!(definition.size() > 0, "a text takes room");
        }
        for request in &self.deferred.requests {
            if let Owed::Hook { component, block } = &request.owed {
                used.extend(self.text_places(*component).into_iter().map(|at| number_at(block, at)));
            }
        }
        used
    }

    /// Where in a component's blocks numbers of strings are.
    fn text_places(&self, component: ComponentId) -> Vec<usize> {
        let fields = self.shared.registry.get(component).fields().iter();
        fields.filter(|field| field.role == Role::Text).map(|field| field.offset).collect()
    }
}

fn number_at(block: &[u8], at: usize) -> u32 {
    bytemuck::pod_read_unaligned(&block[at..at + size_of::<u32>()])
}
