//! Who created, changed, killed or removed which entity, and which system asked: recorded while somebody wants it.
//!
//! The journal hears every [`WorldEvent`] before anybody else does, at the one place where events are told. While it
//! does not record and nobody listens, no event is told at all, and coming and going takes the quick ways.

mod entry; // one thing that happened
mod watched; // fields

pub use entry::{Asker, FieldChange, JournalEntry, JournalKind};
pub use watched::WatchedField;

use super::{World, WorldEvent};
use crate::component::field_value;
use crate::id::{ComponentId, EntityId, Ordinal, SystemId};
use std::collections::VecDeque;
use std::sync::Arc;
use watched::is_other;

/// The entries that are kept, oldest first, and what is watched.
#[derive(Debug)]
pub struct Journal {
    is_recording: bool,
    /// Whether what happens now was asked for by the user.
    by_hand: bool,
    limit: usize,
    entries: VecDeque<JournalEntry>,
    /// Bytes of what the entries keep of entities.
    block_bytes: usize,
    /// The number the next entry gets.
    next: u64,
    watched: Vec<WatchedField>,
    /// Who was told to have died and not yet to be gone.
    dying: Vec<EntityId>,
    /// The numbers of those who are off the list and not yet told to be gone.
    leaving: Vec<(EntityId, Ordinal)>,
}

impl Default for Journal {
    fn default() -> Self {
        Self {
            is_recording: false,
            by_hand: false,
            limit: Self::LIMIT,
            entries: VecDeque::new(),
            block_bytes: 0,
            next: 0,
            watched: Vec::new(),
            dying: Vec::new(),
            leaving: Vec::new(),
        }
    }
}

impl Journal {
    /// How many entries are kept at first.
    pub const LIMIT: usize = 10_000;
    /// The most that can be kept.
    pub const MOST: usize = 1_000_000;

    /// Whether anything is recorded.
    pub fn is_recording(&self) -> bool {
        self.is_recording
    }

    /// The entries that are kept, oldest first.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = &JournalEntry> {
        self.entries.iter()
    }

    /// How many entries there were that are kept no longer.
    pub fn dropped(&self) -> u64 {
        self.next - self.entries.len() as u64
    }

    /// How many entries are kept at most.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// The fields whose every change is recorded.
    pub fn watched(&self) -> &[WatchedField] {
        &self.watched
    }

    /// The kept entry with a number.
    pub(crate) fn entry(&self, number: u64) -> Option<&JournalEntry> {
        self.entries.get(usize::try_from(number.checked_sub(self.dropped())?).ok()?)
    }

    /// The kept entries from a number on.
    pub(crate) fn entries_from(&self, number: u64) -> impl Iterator<Item = &JournalEntry> {
        let at = usize::try_from(number.saturating_sub(self.dropped())).unwrap_or(usize::MAX);
        self.entries.range(at.min(self.entries.len())..)
    }

    /// Bytes of the entries, about.
    pub(crate) fn bytes(&self) -> usize {
        self.entries.len() * size_of::<JournalEntry>() + self.block_bytes
    }

    /// Whether it looks at what each run writes.
    pub(super) fn looks_at_runs(&self) -> bool {
        self.is_recording && !self.watched.is_empty()
    }

    /// The number the next entry gets.
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    fn push(&mut self, mut entry: JournalEntry) {
        entry.number = self.next;
        self.next += 1;
        self.block_bytes += entry.block_bytes();
        self.entries.push_back(entry);
        self.shorten();
    }

    fn shorten(&mut self) {
        while self.entries.len() > self.limit
            && let Some(oldest) = self.entries.pop_front()
        {
            self.block_bytes -= oldest.block_bytes();
        }
    }

    /// Whether it wants to know what a component held before it is written.
    #[inline]
    pub(super) fn wants_before(&self, component: ComponentId) -> bool {
        self.is_recording
            && (self.by_hand || self.watched.iter().any(|watched| watched.component == component))
    }
}

impl World {
    /// The journal.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Records from now on what happens to entities, or no longer. It costs something for each; without it nothing.
    pub fn record_journal(&mut self, on: bool) {
        self.journal.is_recording = on;
        self.listeners.wake_for_journal(on);
        self.journal.dying.clear();
        self.journal.leaving.clear();
        for at in 0..self.journal.watched.len() {
            self.journal.watched[at].value = self.watched_value(at);
        }
    }

    /// Sets how many entries are kept: at least 1, at most [`Journal::MOST`].
    pub fn limit_journal(&mut self, entries: usize) {
        self.journal.limit = entries.clamp(1, Journal::MOST);
        self.journal.shorten();
    }

    /// Forgets the entries.
    pub fn forget_journal(&mut self) {
        self.journal.entries = VecDeque::new();
        self.journal.block_bytes = 0;
        self.journal.next = 0;
    }

    /// Says whether what happens from now on was asked for by the user or a script: the journal tells it from what the
    /// program around the world does.
    pub fn set_by_hand(&mut self, by_hand: bool) {
        self.journal.by_hand = by_hand;
    }

    /// Whether the journal records; from now on it does not, and nobody is woken for it.
    pub(super) fn pause_journal(&mut self) -> bool {
        let was = std::mem::take(&mut self.journal.is_recording);
        self.listeners.wake_for_journal(false);
        was
    }

    /// Goes on for new content: numbers of entities mean others now, so entries about old ones are forgotten, and
    /// what was watched too unless the scene is the same.
    pub(super) fn resume_journal(&mut self, is_recording: bool, is_same_scene: bool) {
        self.forget_journal();
        if !is_same_scene {
            self.journal.watched.clear();
        }
        self.rewatch();
        self.record_journal(is_recording);
    }

    /// Remembers who it is that is taken off the list.
    pub(super) fn note_leaving(&mut self, id: EntityId) {
        if self.journal.is_recording
            && let Some(ordinal) = self.order.ordinal(id)
        {
            self.journal.leaving.push((id, ordinal));
        }
    }

    /// Records what an event tells of an entity.
    pub(super) fn note_event(&mut self, event: &WorldEvent) {
        if !self.journal.is_recording {
            return;
        }
        match *event {
            WorldEvent::EntityAdded(id) => self.note(id, JournalKind::Created, None, None),
            WorldEvent::EntityDied(id) => {
                self.journal.dying.push(id);
                self.note(id, JournalKind::Killed, None, None);
            }
            WorldEvent::EntityRemoved(id) => {
                match self.journal.dying.iter().position(|&dying| dying == id) {
                    // That it died was told.
                    Some(at) => drop(self.journal.dying.swap_remove(at)),
                    None => self.note(id, JournalKind::Removed, None, None),
                }
                self.journal.leaving.retain(|(leaving, _)| *leaving != id);
            }
            WorldEvent::ComponentAdded(id, component) => {
                self.note(id, JournalKind::ComponentAdded, Some(component), None);
            }
            WorldEvent::ComponentRemoved(id, component) => {
                self.note(id, JournalKind::ComponentRemoved, Some(component), None);
            }
            _ => {}
        }
    }

    /// The block of a row before it is written, if the journal wants to know.
    #[inline]
    pub(super) fn before_change(&self, row: u32, component: ComponentId) -> Option<Box<[u8]>> {
        if !self.journal.wants_before(component) {
            return None;
        }
        self.storage.pool(component).bytes_of(row).map(Box::from)
    }

    /// Tells that a component was written, which held `before`.
    pub(super) fn tell_changed(&mut self, id: EntityId, component: ComponentId, before: Option<Box<[u8]>>) {
        if let Some(before) = before {
            if self.journal.by_hand {
                self.note_differences(id, component, &before);
            }
            self.note_watched(self.runs.acting(), self.tick(), Some(component));
        }
        self.emit(WorldEvent::ComponentChanged(id, component));
    }

    /// Records every field that differs.
    fn note_differences(&mut self, id: EntityId, component: ComponentId, before: &[u8]) {
        let Some(after) = self.peek_bytes(id, component) else { return };
        if after == before {
            return;
        }
        let (shared, after) = (self.shared.clone(), Box::<[u8]>::from(after));
        let fields = shared.registry.get(component).fields();
        if fields.is_empty() {
            return self.note(id, JournalKind::Changed, Some(component), None);
        }
        let value = |field: usize, block: &[u8], world: &Self| {
            field_value(&fields[field], block, shared.heap(), |id| world.ordinal(id))
        };
        for field in 0..fields.len() {
            let (before, after) = (value(field, before, self), value(field, &after, self));
            if is_other(&before, &after) {
                let ordinal = self.ordinal(id);
                let is_this = |known: &&mut WatchedField| {
                    ordinal.is_some_and(|ordinal| known.is(ordinal, component, field))
                };
                if let Some(watched) = self.journal.watched.iter_mut().find(is_this) {
                    watched.value = Some(after.clone());
                }
                let change = FieldChange { field, before, after };
                self.note(id, JournalKind::Changed, Some(component), Some(change));
            }
        }
    }

    fn note(
        &mut self,
        id: EntityId,
        kind: JournalKind,
        component: Option<ComponentId>,
        change: Option<FieldChange>,
    ) {
        self.push_entry(id, kind, component, change, self.runs.acting(), self.tick());
    }

    fn push_entry(
        &mut self,
        id: EntityId,
        kind: JournalKind,
        component: Option<ComponentId>,
        change: Option<FieldChange>,
        system: Option<SystemId>,
        tick: u64,
    ) {
        let leaving = || self.journal.leaving.iter().find(|(leaving, _)| *leaving == id);
        let Some(ordinal) = self.ordinal(id).or_else(|| leaving().map(|(_, ordinal)| *ordinal)) else {
            return;
        };
        let (type_name, entity) = (self.type_name(id), self.entity_block(id));
        let class = self.factory().class_of(&type_name).map_or("", |class| class.name.as_str());
        let components: Box<[ComponentId]> = self.components_of(id).unwrap_or_default().into();
        let block = |&component: &ComponentId| self.peek_bytes(id, component).map(Box::from);
        let by = match system {
            Some(system) => Asker::System(system),
            None if self.journal.by_hand => Asker::Hand,
            None => Asker::World,
        };
        let by_name = system.and_then(|id| self.systems.get(id)).map(|entry| entry.name.clone());
        let entry = JournalEntry {
            number: 0,
            tick,
            kind,
            by,
            by_name: by_name.unwrap_or_else(|| Arc::from("")),
            ordinal,
            id,
            class: Arc::from(class),
            type_name,
            is_static: entity.is_some_and(|entity| entity.is_static()),
            is_dead: entity.is_some_and(|entity| entity.is_dead()),
            component,
            change,
            blocks: components.iter().map(block).collect(),
            components,
        };
        self.journal.push(entry);
    }
}

#[cfg(test)]
mod tests {
    use crate::component::{Component, ComponentDef};
    use crate::id::ComponentId;
    use crate::{Catalog, World, WorldOptions};

    #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
    #[repr(C)]
    struct Chosen;
    impl Component for Chosen {
        const NAME: &'static str = "chosen";
        fn definition() -> ComponentDef {
            ComponentDef::of::<Self>()
        }
    }

    #[test]
    fn a_world_that_does_not_record_tells_no_events_and_takes_the_quick_ways() {
        let catalog = Catalog::new().component::<Chosen>().unwrap();
        let mut world = World::new(&catalog, WorldOptions::default()).unwrap();
        let chosen = ComponentId(1);
        let is_quick = |world: &World| !world.listeners.any() && world.can_edit_quickly(chosen);
        assert!(is_quick(&world));
        world.record_journal(true);
        assert!(!is_quick(&world));
        world.record_journal(false);
        assert!(is_quick(&world));
        world.listen(|_, _| {});
        world.record_journal(true);
        world.record_journal(false);
        assert!(world.listeners.any(), "somebody else listens");
    }
}
