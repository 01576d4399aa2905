//! Components of entities that are there: reading, writing, removing.

use super::events::{SystemError, SystemPhase};
use super::hung::Hung;
use super::{World, WorldEvent};
use crate::component::{Component, FieldValue, Known, field_value, set_field};
use crate::id::{ComponentId, EntityId};
use std::borrow::Cow;
use thiserror::Error;

/// Why a component of an entity could not be touched.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AccessFault {
    /// The entity is gone.
    #[error("there is no entity {0}")]
    NoEntity(EntityId),
    /// The entity does not have the component.
    #[error("entity {entity} has no {component:?}")]
    Missing {
        /// The entity.
        entity: EntityId,
        /// The component.
        component: Cow<'static, str>,
    },
    /// The component is not registered.
    #[error("{0:?} is not a registered component")]
    Unregistered(String),
    /// There is no such field.
    #[error("component {component:?} has no field {field:?}{near}")]
    NoField {
        /// The component.
        component: String,
        /// The field.
        field: String,
        /// "; did you mean …?" or nothing.
        near: String,
    },
    /// The value does not fit the field.
    #[error("{0}")]
    Value(String),
    /// `entity` is the world's own.
    #[error("the component \"entity\" is the world's own: it cannot be written, added or removed")]
    BuiltIn,
    /// The entity's class does not permit the component.
    #[error(
        "entity {entity} of type {type_name:?} cannot have {component:?}: class {class:?} does not permit it"
    )]
    OutsideClass {
        /// The entity.
        entity: EntityId,
        /// Its type.
        type_name: String,
        /// The component.
        component: String,
        /// The class.
        class: String,
    },
    /// A run holds the component and does not end.
    #[error(transparent)]
    Hung(#[from] Hung),
    /// The world was destroyed.
    #[error("the world was destroyed; make a new one")]
    Destroyed,
    /// The component's own hook refused.
    #[error("component {component:?} could not be attached to entity {entity}: {message}")]
    Attach {
        /// The entity.
        entity: EntityId,
        /// The component.
        component: String,
        /// What the hook said.
        message: String,
    },
}

impl World {
    /// Whether an entity is there.
    pub fn contains(&self, id: EntityId) -> bool {
        self.storage.slots.row(id).is_some()
    }

    pub(crate) fn row(&self, id: EntityId) -> Option<u32> {
        self.storage.slots.row(id)
    }

    /// A component of an entity; none if it is gone or does not have it. Waits for a run that writes it; none too if
    /// that does not end.
    pub fn get<T: Component>(&mut self, id: EntityId) -> Option<T> {
        let component = self.shared.registry.of::<T>()?;
        self.wait_to_read(component).ok()?;
        self.peek_bytes(id, component).map(bytemuck::pod_read_unaligned)
    }

    /// A component of an entity, if no run writes that component at the moment.
    pub fn peek<T: Component>(&self, id: EntityId) -> Option<&T> {
        let component = self.shared.registry.of::<T>()?;
        self.peek_bytes(id, component).map(bytemuck::from_bytes)
    }

    /// The block of an entity's component, if no run writes that component at the moment.
    pub fn peek_bytes(&self, id: EntityId, component: ComponentId) -> Option<&[u8]> {
        let pool = self.storage.pools.get(component.index())?;
        let row = self.row(id).filter(|&row| pool.present().has(row))?;
        pool.bytes_of(row)
    }

    /// Whether an entity is there and has a component.
    pub fn has(&self, id: EntityId, component: ComponentId) -> bool {
        let pool = self.storage.pools.get(component.index());
        self.row(id).zip(pool).is_some_and(|(row, pool)| pool.present().has(row))
    }

    /// The components of an entity, `entity` first; none if it is gone.
    pub fn components_of(&self, id: EntityId) -> Option<Vec<ComponentId>> {
        self.row(id).map(|row| self.storage.components_of(row))
    }

    /// The value of a field, if no run writes its component at the moment.
    pub fn field(&self, id: EntityId, component: ComponentId, field: usize) -> Option<FieldValue> {
        let block = self.peek_bytes(id, component)?;
        let field = self.shared.registry.get(component).fields().get(field)?;
        Some(field_value(field, block, self.heap(), |id| self.ordinal(id)))
    }

    /// Writes a component of an entity that has it. Waits for runs that hold the component.
    ///
    /// # Errors
    /// If the entity is gone or does not have it, it is `entity`, or a run that holds it does not end.
    pub fn set<T: Component>(&mut self, id: EntityId, value: T) -> Result<(), AccessFault> {
        let component = self.registered::<T>()?;
        self.set_bytes(id, component, bytemuck::bytes_of(&value))
    }

    pub(crate) fn registered<T: Component>(&self) -> Result<ComponentId, AccessFault> {
        self.shared.registry.of::<T>().ok_or_else(|| AccessFault::Unregistered(T::NAME.to_owned()))
    }

    pub(crate) fn set_bytes(
        &mut self,
        id: EntityId,
        component: ComponentId,
        block: &[u8],
    ) -> Result<(), AccessFault> {
        let row = self.row_with(id, component)?;
        self.wait_to_write(component)?;
        let before = self.before_change(row, component);
        self.owe_lists_of_row(row, component, block);
        self.storage.pool_mut(component).replace(row, block);
        self.tell_changed(id, component, before);
        Ok(())
    }

    /// Writes one field of an entity's component, by name.
    ///
    /// # Errors
    /// If entity, component or field is not there, or the value does not fit; nothing is changed then.
    pub fn set_field(
        &mut self,
        id: EntityId,
        component: &str,
        field: &str,
        value: &FieldValue,
    ) -> Result<(), AccessFault> {
        let component = self.component_named(component)?;
        let row = self.row_with(id, component)?;
        self.wait_to_write(component)?;
        let (_, place) = self.field_named_of(component, field)?;
        let before = self.before_change(row, component);
        let description = &self.shared.registry.get(component).fields()[place];
        let (order, slots) = (&self.order, self.storage.slots.table().clone());
        if let Some(block) = self.storage.pool_mut(component).bytes_of_mut(row) {
            let heap = self.shared.heap();
            set_field(description, block, value, heap, |ordinal| slots.id_of(order.by_ordinal(ordinal)?))
                .map_err(AccessFault::Value)?;
        }
        self.tell_changed(id, component, before);
        Ok(())
    }

    /// A component and the place of its field, by their names.
    pub(super) fn field_named(
        &self,
        component: &str,
        field: &str,
    ) -> Result<(ComponentId, usize), AccessFault> {
        self.field_named_of(self.component_named(component)?, field)
    }

    fn field_named_of(
        &self,
        component: ComponentId,
        field: &str,
    ) -> Result<(ComponentId, usize), AccessFault> {
        let definition = self.shared.registry.get(component);
        let place = definition.fields().iter().position(|known| known.name == field);
        place.map(|place| (component, place)).ok_or_else(|| {
            let names = definition.fields().iter().map(|field| field.name.as_str());
            AccessFault::NoField {
                component: definition.name().to_owned(),
                field: field.to_owned(),
                near: crate::scene::suggestion(field, names),
            }
        })
    }

    pub(crate) fn component_named(&self, name: &str) -> Result<ComponentId, AccessFault> {
        self.shared.registry.by_name(name).ok_or_else(|| AccessFault::Unregistered(name.to_owned()))
    }

    fn row_with(&self, id: EntityId, component: ComponentId) -> Result<u32, AccessFault> {
        let row = self.row(id).ok_or(AccessFault::NoEntity(id))?;
        if component == ComponentId::ENTITY {
            return Err(AccessFault::BuiltIn);
        }
        if component.index() >= self.storage.pools.len() {
            return Err(AccessFault::Unregistered(format!("#{component}")));
        }
        if !self.storage.pool(component).present().has(row) {
            let component = Cow::Owned(self.shared.registry.get(component).name().to_owned());
            return Err(AccessFault::Missing { entity: id, component });
        }
        Ok(row)
    }

    /// The block in a row is overwritten now; its hook is owed, and the lists it leaves behind.
    pub(super) fn owe_hook(&mut self, row: u32, component: ComponentId, new: &[u8]) {
        self.owe_lists_of_row(row, component, new);
        if self.shared.registry.get(component).on_free.is_some() {
            let block = self.storage.pool(component).bytes_of(row).map(Box::from);
            if let Some(block) = block {
                self.owe_hook_of(component, block);
            }
        }
    }

    fn owe_lists_of_row(&mut self, row: u32, component: ComponentId, new: &[u8]) {
        let definition = self.shared.registry.get(component);
        if definition.has_lists()
            && let Some(old) = self.storage.pool(component).bytes_of(row)
        {
            let lists = definition.lists_left(old, new);
            self.owe_left(lists);
        }
    }

    /// Owes the lists that a block had before it was changed and has no longer.
    pub(super) fn owe_lists(&mut self, component: ComponentId, before: &[u8], after: &[u8]) {
        let definition = self.shared.registry.get(component);
        if definition.has_lists() {
            let lists = definition.lists_left(before, after);
            self.owe_left(lists);
        }
    }

    /// Owes the lists of a block that was meant for a row but did not come there.
    pub(super) fn owe_lists_dropped(&mut self, row: u32, component: ComponentId, block: &[u8]) {
        let definition = self.shared.registry.get(component);
        if definition.has_lists() {
            // Lists that nobody can tell are not held stay until the world's content goes.
            let Ok(()) = self.wait_to_read(component) else { return };
            let definition = self.shared.registry.get(component);
            let held = self.storage.pool(component).bytes_of(row).unwrap_or_default();
            let lists = definition.lists_left(block, held);
            self.owe_left(lists);
        }
    }

    fn owe_left(&mut self, lists: Vec<crate::component::ListId>) {
        if !lists.is_empty() {
            self.owe_freed_lists(lists);
        }
    }

    pub(super) fn report_fault(&mut self, fault: &AccessFault, id: EntityId) {
        let (system, name) = self.runs.acting_name(&self.systems);
        let entity = Some((id, self.ordinal(id)));
        let (phase, tick) = (SystemPhase::Effects, self.clocks.tick);
        let message = fault.to_string();
        self.report(SystemError { system, name, phase, entity, message, panicked: false, tick });
    }

    /// The name of an entity's type; empty if it has none or is gone. Never changes while the entity is there.
    pub fn type_name(&self, id: EntityId) -> std::sync::Arc<str> {
        let entity = self.entity_block(id);
        let name = entity.and_then(|entity| self.shared.strings.get(entity.type_name()));
        name.unwrap_or_else(|| std::sync::Arc::from(""))
    }

    /// The built-in component of an entity that is there. Runs only read it.
    pub fn entity_block(&self, id: EntityId) -> Option<crate::component::Entity> {
        self.peek_bytes(id, ComponentId::ENTITY).map(bytemuck::pod_read_unaligned)
    }

    /// Removes a component. Its block is given back once no run can touch it.
    ///
    /// # Errors
    /// If the entity is gone or does not have it, or it is `entity`.
    pub fn remove_component<T: Component>(&mut self, id: EntityId) -> Result<(), AccessFault> {
        let Some(Known { component, plain: true }) = self.shared.registry.known::<T>() else {
            let component = self.registered::<T>()?;
            return self.remove_component_by_id(id, component);
        };
        let row = self.row(id).ok_or(AccessFault::NoEntity(id))?;
        if self.listeners.any() {
            return self.remove_component_by_id(id, component);
        }
        if !self.storage.pool_mut(component).defer(row) {
            return Err(AccessFault::Missing { entity: id, component: Cow::Borrowed(T::NAME) });
        }
        self.owe_block(component, row);
        self.tell_links();
        Ok(())
    }

    /// Removes a component by its id.
    ///
    /// # Errors
    /// As [`remove_component`](Self::remove_component).
    pub fn remove_component_by_id(
        &mut self,
        id: EntityId,
        component: ComponentId,
    ) -> Result<(), AccessFault> {
        let row = self.row_with(id, component)?;
        self.take_component(id, row, component);
        Ok(())
    }

    fn take_component(&mut self, id: EntityId, row: u32, component: ComponentId) {
        self.emit(WorldEvent::ComponentRemoved(id, component));
        // A listener may have removed the entity, moved its row, or loaded another world.
        let now = self.row(id);
        debug_assert!(now.is_none_or(|now| now == row) || self.listeners.any());
        if let Some(row) = now
            && self.storage.pool_mut(component).defer(row)
        {
            self.owe_block(component, row);
        }
        self.tell_links();
    }
}
