//! Components that entities get when they are there already.

use super::{AccessFault, World, WorldEvent};
use crate::component::{AttachContext, Component, Known};
use crate::id::{ComponentId, EntityId, RunId};
use crate::system::RunShared;

/// How the block of a component that is added came into its row.
pub(super) struct PutBlock {
    /// Whether it took the place of another.
    replaces: bool,
    /// Runs from this one on may have it in their mask.
    since: RunId,
}

impl World {
    /// Adds a component; one that is there is replaced.
    ///
    /// # Errors
    /// If the entity is gone, its class does not permit the component, the component's hook refuses, or a run that
    /// holds the old block does not end.
    pub fn add<T: Component>(&mut self, id: EntityId, value: T) -> Result<(), AccessFault> {
        let RunShared { registry, factory, .. } = &*self.shared;
        let block = bytemuck::bytes_of(&value);
        // Nobody is to be told and nobody asked: straight into the pool.
        if let Some(Known { component, plain: true }) = registry.known::<T>()
            && !self.listeners.any()
            && !factory.has_classes()
            && self.storage.put_plain(id, component, block, true)
        {
            self.tell_links();
            return Ok(());
        }
        let component = self.registered::<T>()?;
        self.add_bytes(id, component, block)
    }

    /// Adds a component with its default values, by name.
    ///
    /// # Errors
    /// As `add`; also if the component cannot be made without a config.
    pub fn add_default(&mut self, id: EntityId, component: &str) -> Result<(), AccessFault> {
        let component = self.component_named(component)?;
        let definition = self.shared.registry.get(component);
        let mut block = vec![0; definition.size()];
        definition
            .to_block(&crate::config::Config::new(), self.shared.heap(), &mut block)
            .map_err(|error| AccessFault::Value(format!("component {:?}: {error}", definition.name())))?;
        self.add_bytes(id, component, &block)
    }

    pub(crate) fn add_bytes(
        &mut self,
        id: EntityId,
        component: ComponentId,
        block: &[u8],
    ) -> Result<(), AccessFault> {
        let put = self.put_block(id, component, block)?;
        self.finish_adding(id, component, put)
    }

    /// Puts the block of a component that is added into its row, where it is torn down like any other from now on.
    ///
    /// # Errors
    /// If it did not come there.
    pub(super) fn put_block(
        &mut self,
        id: EntityId,
        component: ComponentId,
        block: &[u8],
    ) -> Result<PutBlock, AccessFault> {
        let row = self.row(id).ok_or(AccessFault::NoEntity(id))?;
        if component == ComponentId::ENTITY {
            return Err(AccessFault::BuiltIn);
        }
        self.check_class(id, component)?;
        let since = self.runs.next();
        let pool = self.storage.pool(component);
        let replaces = pool.present().has(row);
        if replaces {
            self.wait_to_write(component)?;
            self.owe_hook(row, component, block);
            self.storage.pool_mut(component).replace(row, block);
            self.storage.mark_replaced(component, row);
        } else {
            if pool.deferred().has(row) {
                self.wait_to_write(component)?;
                // Who left without the old block reads it now or never.
                self.tell_links();
                self.owe_hook(row, component, block);
                self.reclaim(component, row);
            }
            self.storage.insert(component, row, block);
        }
        Ok(PutBlock { replaces, since })
    }

    /// Runs the hook of a component whose block was put, and tells that it was added.
    pub(super) fn finish_adding(
        &mut self,
        id: EntityId,
        component: ComponentId,
        PutBlock { replaces, since }: PutBlock,
    ) -> Result<(), AccessFault> {
        if self.shared.registry.get(component).on_attach.is_some() {
            let attached = self.attach(id, component, None, since);
            if attached.is_err() && replaces {
                self.emit(WorldEvent::ComponentRemoved(id, component));
            }
            attached?;
        }
        self.tell_links();
        self.emit(WorldEvent::ComponentAdded(id, component));
        Ok(())
    }

    /// Runs a component's hook for being attached; if it refuses, the component is taken away again. Only runs from
    /// `since` on may have the block in their mask: those before are not waited for.
    pub(super) fn attach(
        &mut self,
        id: EntityId,
        component: ComponentId,
        config: Option<&crate::config::Config<'_>>,
        since: RunId,
    ) -> Result<(), AccessFault> {
        let shared = self.shared.clone();
        let definition = shared.registry.get(component);
        let (Some(hook), Some(row)) = (&definition.on_attach, self.row(id)) else { return Ok(()) };
        self.wait_for_runs_from(component, since)?;
        let Some(before) = self.storage.pool(component).unseen_bytes_of(row) else { return Ok(()) };
        let before = before.to_vec();
        let mut block = before.clone();
        let mut context = AttachContext { strings: &shared.strings, lists: &shared.lists, world: self };
        let called = std::panic::AssertUnwindSafe(|| hook(id, &mut block, &mut context, config));
        let result = match std::panic::catch_unwind(called) {
            Ok(result) => result.map_err(|error| error.0),
            Err(panic) => Err(format!("the hook panicked: {}", crate::system::panic_message(&*panic))),
        };
        // The hook may have removed it, or moved its row.
        let Some(row) = self.row(id).filter(|_| self.has(id, component)) else {
            self.owe_lists(component, &block, &before);
            return Ok(());
        };
        self.owe_lists(component, &before, &block);
        // Also where the hook failed: lists it made are released with the block.
        self.wait_for_runs_from(component, since)?;
        self.storage.pool_mut(component).replace_unseen(row, &block);
        result.map_err(|message| {
            self.storage.pool_mut(component).defer(row);
            self.owe_block(component, row);
            AccessFault::Attach { entity: id, component: definition.name().to_owned(), message }
        })
    }

    fn check_class(&self, id: EntityId, component: ComponentId) -> Result<(), AccessFault> {
        let factory = &self.shared.factory;
        if !factory.has_classes() {
            return Ok(());
        }
        let type_name = self.type_name(id);
        match factory.class_of(&type_name) {
            Some(class) if !class.components.contains(&component) => Err(AccessFault::OutsideClass {
                entity: id,
                type_name: type_name.to_string(),
                component: self.shared.registry.get(component).name().to_owned(),
                class: class.name.clone(),
            }),
            _ => Ok(()),
        }
    }
}
