//! Memory that nothing uses, given back.

use super::World;
use super::deferred::Owed;
use crate::component::{ListId, Role};
use crate::id::{ComponentId, EntityId};
use crate::system::Effects;
use std::collections::HashMap;

impl World {
    /// Gives back memory that nothing uses: strings and lists that no block names, the pools of a world without
    /// entities, and room that tables keep for more. What is open is settled first; nothing is given back if something stays open: a run
    /// that does not end, or the one that asks for this. Returns how many bytes fewer the world takes; the texts of
    /// strings count. The pages of rows that nobody has go back when rows are brought together by
    /// [`compact`](Self::compact).
    ///
    /// A number of a string or a list that was kept elsewhere than in a block finds nothing afterwards; see
    /// [`Strings`](crate::Strings) and [`Lists`](crate::Lists).
    pub fn shrink(&mut self) -> usize {
        if self.try_settle().is_err() || !self.runs.is_empty() {
            return 0;
        }
        let before = self.bytes();
        let in_use = |role| self.uses(role).into_keys().collect();
        self.shared.strings.keep_only(&in_use(Role::Text));
        self.shared.lists.keep_only(&in_use(Role::List));
        if self.is_empty() && self.resources.is_none() && self.deferred.requests.is_empty() {
            // Rows that nobody has keep their pages, until there is none but those.
            self.compact();
        }
        self.storage.slots.shrink();
        self.deferred.shrink();
        self.systems.list.iter_mut().for_each(|entry| entry.spare = Effects::default());
        before.saturating_sub(self.bytes())
    }

    /// How many blocks name each string, those that wait to be given back among them. What runs write at the moment is
    /// not counted.
    pub(crate) fn string_uses(&self) -> HashMap<u32, usize> {
        self.uses(Role::Text)
    }

    /// Calls `each` with every list of an entity, and with the component and the place of the field that holds it.
    pub(crate) fn each_list(&self, mut each: impl FnMut(ListId, EntityId, ComponentId, usize)) {
        for (component, definition) in self.shared.registry.iter() {
            let fields = definition.fields().iter().enumerate();
            let fields: Vec<(usize, usize)> = fields
                .filter(|(_, field)| field.role == Role::List)
                .map(|(place, field)| (place, field.offset))
                .collect();
            if fields.is_empty() {
                continue;
            }
            let pool = self.storage.pool(component);
            for row in pool.present().rows() {
                let Some((owner, block)) = self.storage.id_of(row).zip(pool.bytes_of(row)) else { continue };
                for &(place, at) in &fields {
                    let list = ListId::from_bits(number_at(block, at));
                    if !list.is_none() {
                        each(list, owner, component, place);
                    }
                }
            }
        }
    }

    /// How often blocks hold each number in fields of a role, those that wait to be given back among them.
    fn uses(&self, role: Role) -> HashMap<u32, usize> {
        let mut used = HashMap::new();
        let mut count = |number| *used.entry(number).or_insert(0) += 1;
        for (component, _) in self.shared.registry.iter() {
            let places = self.places_of(role, component);
            if places.is_empty() {
                continue;
            }
            let pool = self.storage.pool(component);
            let rows = pool.present().rows().chain(pool.deferred().rows());
            for row in rows.filter(|&row| !self.storage.rows.is_free(row)) {
                let Some(block) = pool.bytes_of(row) else { continue };
                places.iter().for_each(|&at| count(number_at(block, at)));
            }
        }
        for request in &self.deferred.requests {
            match &request.owed {
                Owed::Hook { component, block } => {
                    let places = self.places_of(role, *component);
                    places.into_iter().for_each(|at| count(number_at(block, at)));
                }
                Owed::Lists(lists) if role == Role::List => {
                    lists.iter().for_each(|list| count(list.bits()));
                }
                _ => {}
            }
        }
        used
    }

    /// Where in a component's blocks numbers of a role are.
    fn places_of(&self, role: Role, component: ComponentId) -> Vec<usize> {
        let fields = self.shared.registry.get(component).fields().iter();
        fields.filter(|field| field.role == role).map(|field| field.offset).collect()
    }
}

fn number_at(block: &[u8], at: usize) -> u32 {
    bytemuck::pod_read_unaligned(&block[at..at + size_of::<u32>()])
}
