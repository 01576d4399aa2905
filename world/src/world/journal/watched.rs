//! Fields whose every change is recorded, whoever makes it.
//!
//! They are compared with what was seen last whenever a run's pools come back, when a system of the world thread is
//! done, and when a component is written by hand or by an effect. So each change has a name beside it, and only runs
//! that write a watched component are looked at.

use super::entry::{FieldChange, JournalKind};
use crate::component::FieldValue;
use crate::id::{ComponentId, EntityId, Ordinal, RunId, SystemId};
use crate::world::{AccessFault, World};
use std::sync::Arc;

/// A field whose every change is recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct WatchedField {
    /// Whose.
    pub ordinal: Ordinal,
    /// Of which component.
    pub component: ComponentId,
    /// Its place among the component's fields.
    pub field: usize,
    /// `component.field`.
    pub name: Arc<str>,
    /// The value seen last; none while the entity does not have the component.
    pub value: Option<FieldValue>,
}

impl World {
    /// Records every change of a field, whoever makes it, while the journal records.
    ///
    /// # Errors
    /// If entity, component or field is not there.
    pub fn watch_field(&mut self, id: EntityId, component: &str, field: &str) -> Result<(), AccessFault> {
        let ordinal = self.ordinal(id).ok_or(AccessFault::NoEntity(id))?;
        let name = format!("{component}.{field}");
        let (component, field) = self.field_named(component, field)?;
        if !self.journal.watched.iter().any(|known| known.is(ordinal, component, field)) {
            let (name, value) = (Arc::from(name), self.field(id, component, field));
            self.journal.watched.push(WatchedField { ordinal, component, field, name, value });
        }
        Ok(())
    }

    /// Watches a field no longer; whether it was watched.
    ///
    /// # Errors
    /// If there is no such component or field.
    pub fn unwatch_field(
        &mut self,
        ordinal: Ordinal,
        component: &str,
        field: &str,
    ) -> Result<bool, AccessFault> {
        let (component, field) = self.field_named(component, field)?;
        let before = self.journal.watched.len();
        self.journal.watched.retain(|known| !known.is(ordinal, component, field));
        Ok(self.journal.watched.len() < before)
    }

    /// A run's pools are back: records what it wrote into watched fields.
    #[inline]
    pub(in crate::world) fn note_written_by(&mut self, system: SystemId, run: RunId) {
        if self.journal.looks_at_runs() {
            let tick = self.runs.time_of(run).map_or(self.tick(), |(tick, _)| tick);
            self.note_watched_of(system, tick);
        }
    }

    /// A system of the world thread is done: records what it wrote into watched fields.
    #[inline]
    pub(in crate::world) fn note_written_on_world(&mut self, system: SystemId) {
        if self.journal.looks_at_runs() {
            self.note_watched(Some(system), self.tick(), None);
        }
    }

    /// Records what was written into watched fields by nobody knows whom.
    #[inline]
    pub(in crate::world) fn note_written(&mut self) {
        if self.journal.looks_at_runs() {
            self.note_watched(None, self.tick(), None);
        }
    }

    /// Only components the system says it writes: others come back to the next run that looks.
    fn note_watched_of(&mut self, system: SystemId, tick: u64) {
        let writes = |world: &Self, component| {
            world.systems.get(system).is_none_or(|entry| entry.access.writes().contains(component))
        };
        let components: Vec<ComponentId> =
            self.journal.watched.iter().map(|watched| watched.component).collect();
        for (at, component) in components.into_iter().enumerate() {
            if writes(self, component) {
                self.note_watched_at(at, Some(system), tick);
            }
        }
    }

    pub(super) fn note_watched(
        &mut self,
        system: Option<SystemId>,
        tick: u64,
        component: Option<ComponentId>,
    ) {
        for at in 0..self.journal.watched.len() {
            if component.is_none_or(|component| self.journal.watched[at].component == component) {
                self.note_watched_at(at, system, tick);
            }
        }
    }

    /// The present value of a watched field; none if it is not there, or a run writes its pool.
    pub(super) fn watched_value(&self, at: usize) -> Option<FieldValue> {
        let WatchedField { ordinal, component, field, .. } = *self.journal.watched.get(at)?;
        self.field(self.by_ordinal(ordinal)?, component, field)
    }

    fn note_watched_at(&mut self, at: usize, system: Option<SystemId>, tick: u64) {
        let Some(after) = self.watched_value(at) else { return };
        let WatchedField { ordinal, component, field, value, .. } = &mut self.journal.watched[at];
        let (ordinal, component, field) = (*ordinal, *component, *field);
        // A component that was just added has not changed.
        let Some(before) = value.replace(after.clone()) else { return };
        if is_other(&before, &after)
            && let Some(id) = self.by_ordinal(ordinal)
        {
            let change = FieldChange { field, before, after };
            self.push_entry(id, JournalKind::Changed, Some(component), Some(change), system, tick);
        }
    }

    /// Finds what is watched again in new content of the same scene; what is not there is watched no longer.
    pub(super) fn rewatch(&mut self) {
        for watched in std::mem::take(&mut self.journal.watched) {
            if let Some((component, field)) = watched.name.split_once('.')
                && let Ok((component, field)) = self.field_named(component, field)
            {
                self.journal.watched.push(WatchedField { component, field, ..watched });
            }
        }
    }
}

impl WatchedField {
    pub(super) fn is(&self, ordinal: Ordinal, component: ComponentId, field: usize) -> bool {
        (self.ordinal, self.component, self.field) == (ordinal, component, field)
    }
}

/// Whether a value became another; a number that is none is equal to itself here.
pub(super) fn is_other(before: &FieldValue, after: &FieldValue) -> bool {
    match (before, after) {
        (FieldValue::Float(before), FieldValue::Float(after)) => before.to_bits() != after.to_bits(),
        (before, after) => before != after,
    }
}
