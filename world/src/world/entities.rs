//! Coming and going: creation, death, removal.

use super::events::{SystemError, SystemPhase};
use super::{World, WorldEvent};
use crate::component::Component;
use crate::config::Config;
use crate::entity::{CreateError, Prepared};
use crate::id::{ComponentId, EntityId, RunId};
use crate::memory::{NewRow, Placer};
use crate::system::{Blocks, Bundle, panic_message};
use std::any::TypeId;
use std::panic::{AssertUnwindSafe, catch_unwind};

impl Blocks for NewRow<'_> {
    #[inline(always)]
    fn take<T: Component>(&mut self, place: usize, value: &T) {
        self.put(place, value);
    }
}

impl World {
    /// Creates an entity from a config: `type`, and whatever differs from the type's template.
    ///
    /// # Errors
    /// What is wrong with the config; nothing was created then.
    pub fn create(&mut self, config: &Config<'_>) -> Result<EntityId, CreateError> {
        if self.destroyed {
            return Err(CreateError::Destroyed);
        }
        let mut prepared = Prepared::default();
        let shared = self.shared.clone();
        let made = shared.factory.prepare(&shared.registry, shared.heap(), config, &mut prepared);
        made.map_err(|error| shared.factory.with_nearest(error))?;
        let id = self.place(&prepared);
        self.attach_all(id, &prepared.components, Some(config), self.runs.next());
        self.tell_links();
        self.emit(WorldEvent::EntityAdded(id));
        Ok(id)
    }

    /// Puts blocks into a new row and the entity into the order.
    pub(super) fn place(&mut self, prepared: &Prepared) -> EntityId {
        let id = self.place_unlisted(prepared);
        self.order.push(id);
        id
    }

    /// Puts blocks into a new row.
    pub(super) fn place_unlisted(&mut self, prepared: &Prepared) -> EntityId {
        self.release_rows();
        let archetype = self.storage.rows.archetype(&prepared.components);
        let id = self.storage.slots.reserve();
        let row = self.storage.create_row(archetype, id);
        self.fill_row(row, prepared);
        id
    }

    /// Puts blocks into a row that an entity just got, and the entity into the order.
    pub(super) fn fill_row(&mut self, row: u32, prepared: &Prepared) {
        for (component, block) in prepared.blocks(&self.shared.registry) {
            self.storage.insert(component, row, block);
        }
        if prepared.is_static {
            self.storage.rows.set_static(row, true);
        }
        if prepared.dead {
            self.storage.rows.set_queryable(row, false);
        }
    }

    /// Runs the attach hooks of a new entity, those of `load_last` components after the others; one that fails is
    /// reported and its component taken away. Whether none failed. Runs before `since` do not have its row.
    pub(super) fn attach_all(
        &mut self,
        id: EntityId,
        components: &[ComponentId],
        config: Option<&Config<'_>>,
        since: RunId,
    ) -> bool {
        let shared = self.shared.clone();
        let last = |component: &ComponentId| shared.registry.get(*component).load_last;
        let in_order = components.iter().filter(|c| !last(c)).chain(components.iter().filter(|c| last(c)));
        let mut all = true;
        for &component in in_order {
            let definition = shared.registry.get(component);
            if definition.on_attach.is_none() {
                continue;
            }
            let merged = config.and_then(|config| shared.factory.merge(config).ok());
            if let Err(fault) = self.attach(id, component, merged.as_ref().map(|(config, _)| config), since) {
                all = false;
                let entity = Some((id, self.ordinal(id)));
                let (name, message) = (definition.name().to_owned(), fault.to_string());
                let (system, phase, tick) = (self.runs.acting(), SystemPhase::Attach, self.clocks.tick);
                self.report(SystemError { system, name, phase, entity, message, panicked: false, tick });
            }
        }
        all
    }

    /// Creates an entity without a type from component values.
    ///
    /// # Panics
    /// If the scene has classes, under which every entity has the type of a template and is made by
    /// [`create`](Self::create); if a type is not registered, is `entity`, or occurs twice; or if the world was
    /// destroyed.
    pub fn spawn<B: Bundle>(&mut self, bundle: B) -> EntityId {
        self.release_rows();
        let placer = self.placer::<B>();
        let id = self.storage.slots.reserve();
        let placer = &mut self.placers[placer];
        let row = placer.place(&mut self.storage, id, |row| bundle.give(row));
        self.order.push(id);
        if self.shared.registry.any_on_attach() {
            let components = self.storage.components_of(row);
            self.attach_all(id, &components, None, self.runs.next());
        }
        self.tell_links();
        self.emit(WorldEvent::EntityAdded(id));
        id
    }

    /// Creates entities without a type from component values, many at once. Gives their ids in creation order.
    ///
    /// # Panics
    /// If the scene has classes, under which every entity has the type of a template and is made by
    /// [`create`](Self::create); if a type is not registered, is `entity`, or occurs twice; or if the world was
    /// destroyed.
    pub fn spawn_batch<B: Bundle>(&mut self, bundles: impl IntoIterator<Item = B>) -> Vec<EntityId> {
        let placer = self.placer::<B>();
        let placer = &mut self.placers[placer];
        let archetype = placer.archetype();
        let mut bundles = bundles.into_iter();
        let about = bundles.size_hint().0;
        let mut ids: Vec<EntityId> = Vec::with_capacity(about);
        self.storage.slots.make_room(about);
        self.order.reserve(about);
        loop {
            let from = ids.len();
            let fill = |row: &mut NewRow<'_>, bundle: B| bundle.give(row);
            if placer.place_run(&mut self.storage, &mut bundles, &mut ids, fill) == 0 {
                break;
            }
            self.order.push_all(&ids[from..]);
        }
        if self.shared.registry.any_on_attach() {
            let components = self.storage.rows.components(archetype).to_vec();
            let since = self.runs.next();
            for &id in &ids {
                self.attach_all(id, &components, None, since);
            }
        }
        self.tell_links();
        if self.listeners.any() {
            for &id in &ids {
                // One that an earlier listener removed again was added all the same, but is gone.
                if self.contains(id) {
                    self.emit(WorldEvent::EntityAdded(id));
                }
            }
        }
        ids
    }

    /// Where bundles of a type are placed: a place in `placers`.
    #[inline]
    fn placer<B: Bundle>(&mut self) -> usize {
        match self.last_placed {
            // Bundles of one type mostly come one after another.
            Some((known, placer)) if known == TypeId::of::<B>() => placer,
            _ => self.find_placer::<B>(),
        }
    }

    fn find_placer<B: Bundle>(&mut self) -> usize {
        let known = self.placer_of.get(&TypeId::of::<B>()).copied();
        let placer = known.unwrap_or_else(|| self.make_placer::<B>());
        self.last_placed = Some((TypeId::of::<B>(), placer));
        placer
    }

    #[cold]
    fn make_placer<B: Bundle>(&mut self) -> usize {
        assert!(!self.destroyed, "the world was destroyed; make a new one");
        // Classes come and go with the content, and placers with them.
        assert!(!self.shared.factory.has_classes(), "{}; make it by `World::create`", CreateError::NoType);
        let of_type = |(rust_type, name)| {
            let component = self.shared.registry.by_rust_type(rust_type);
            component.unwrap_or_else(|| panic!("component {name:?} is not registered in the world's catalog"))
        };
        let components: Vec<ComponentId> = B::types().into_iter().map(of_type).collect();
        let mut sorted = components.clone();
        sorted.push(ComponentId::ENTITY);
        sorted.sort_unstable();
        assert!(sorted.is_sorted_by(|a, b| a < b), "a bundle has each component once, and not `entity`");
        let archetype = self.storage.rows.archetype(&sorted);
        self.placers.push(Placer::new(&self.storage, archetype, components));
        self.placer_of.insert(TypeId::of::<B>(), self.placers.len() - 1);
        self.placers.len() - 1
    }

    /// Creates an entity with the blocks another has now; none if that is gone, or a run that writes one of its
    /// components does not end.
    pub fn duplicate(&mut self, id: EntityId) -> Option<EntityId> {
        let components = self.components_of(id)?;
        for &component in &components {
            self.wait_to_read(component).ok()?;
        }
        let entity = self.entity_block(id)?;
        let mut prepared =
            Prepared { is_static: entity.is_static(), dead: entity.is_dead(), ..Prepared::default() };
        for &component in &components {
            let start = prepared.blocks.len();
            prepared.blocks.extend_from_slice(self.peek_bytes(id, component)?);
            self.registry().get(component).copy_lists(&mut prepared.blocks[start..], self.lists());
        }
        prepared.components = components;
        let copy = self.place(&prepared);
        self.attach_all(copy, &prepared.components, None, self.runs.next());
        self.tell_links();
        self.emit(WorldEvent::EntityAdded(copy));
        Some(copy)
    }

    /// Lets an entity die: its components' death hooks run in component order, then it is removed. Whether it was
    /// there and alive. Not so, and reported, if a run that reads `entity` does not end.
    pub fn kill(&mut self, id: EntityId) -> bool {
        let Some(row) = self.row(id).filter(|_| self.ordinal(id).is_some()) else { return false };
        let Some(mut entity) = self.entity_block(id).filter(|entity| !entity.is_dead()) else { return false };
        if let Err(hung) = self.wait_to_write(ComponentId::ENTITY) {
            self.report_fault(&hung.into(), id);
            return false;
        }
        entity.set_dead();
        self.storage.pool_mut(ComponentId::ENTITY).replace(row, bytemuck::bytes_of(&entity));
        self.storage.rows.set_queryable(row, false);
        if self.shared.registry.any_on_died() {
            self.dying.push(id);
            self.run_death_hooks(id);
            self.dying.retain(|&dying| dying != id);
        }
        if self.contains(id) {
            self.emit(WorldEvent::EntityDied(id));
            self.remove(id);
        }
        true
    }

    fn run_death_hooks(&mut self, id: EntityId) {
        let shared = self.shared.clone();
        for component in self.components_of(id).unwrap_or_default() {
            let definition = shared.registry.get(component);
            let Some(hook) = &definition.on_died else { continue };
            if let Err(hung) = self.wait_to_read(component) {
                self.report_fault(&hung.into(), id);
                continue;
            }
            let Some(block) = self.peek_bytes(id, component).map(<[u8]>::to_vec) else { continue };
            let called = catch_unwind(AssertUnwindSafe(|| hook(id, &block, self)));
            let (message, panicked) = match called {
                Ok(Ok(())) => continue,
                Ok(Err(error)) => (error.0, false),
                Err(panic) => (panic_message(&*panic), true),
            };
            let (system, tick) = (self.runs.acting(), self.clocks.tick);
            let (name, phase) = (definition.name().to_owned(), SystemPhase::Died);
            let entity = Some((id, self.ordinal(id)));
            self.report(SystemError { system, name, phase, entity, message, panicked, tick });
        }
    }

    /// Removes an entity without death hooks. Whether it was there and not on its way out already.
    pub fn remove(&mut self, id: EntityId) -> bool {
        if self.ordinal(id).is_none() || self.dying.contains(&id) {
            return false;
        }
        self.depart(id);
        true
    }

    /// Takes an entity off the list, tells it, and gives up its row.
    pub(super) fn depart(&mut self, id: EntityId) {
        let is_told = self.listeners.any();
        if is_told {
            self.note_leaving(id);
        }
        self.order.remove(id);
        if is_told {
            self.leaving.push_back(id);
            if let Some(row) = self.row(id) {
                self.storage.rows.set_queryable(row, false);
            }
            // Its removal is finished once every listener has heard of it.
            self.emit(WorldEvent::EntityRemoved(id));
        } else if let Some(row) = self.row(id) {
            self.storage.retire_row(id, row);
            self.owe_row(row);
        }
        self.tell_links();
    }

    /// Gives up the row of an entity that is off the list; nothing for one whose row was given up before.
    pub(super) fn finish_removal(&mut self, id: EntityId) {
        let Some(at) = self.leaving.iter().position(|&leaving| leaving == id) else { return };
        self.leaving.remove(at);
        if let Some(row) = self.row(id) {
            self.storage.retire_row(id, row);
            self.owe_row(row);
        }
    }

    /// Writes a component in place through a closure. Waits for runs that hold it. None if the entity is gone or
    /// does not have it, or such a run does not end.
    pub fn update_component<T: Component, R>(
        &mut self,
        id: EntityId,
        change: impl FnOnce(&mut T) -> R,
    ) -> Option<R> {
        let component = self.shared.registry.of::<T>().filter(|&c| c != ComponentId::ENTITY)?;
        let row = self.row(id)?;
        self.wait_to_write(component).ok()?;
        let block = self.storage.pool_mut(component).bytes_of_mut(row)?;
        let value: &mut T = bytemuck::from_bytes_mut(block);
        let before = *value;
        let result = change(value);
        let after = *value;
        let noted = self.journal.wants_before(component).then(|| bytemuck::bytes_of(&before).into());
        self.owe_lists(component, bytemuck::bytes_of(&before), bytemuck::bytes_of(&after));
        self.tell_changed(id, component, noted);
        Some(result)
    }
}
