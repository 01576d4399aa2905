//! What runs asked for, applied on the world thread in one order.

use super::adding::PutBlock;
use super::events::{SystemError, SystemPhase};
use super::open_runs::Ready;
use super::{AccessFault, World};
use crate::component::ComponentDef;
use crate::id::{ComponentId, EntityId, RunId};
use crate::system::{ChangeKind, ChangeRun, Changes, Effects, RunShared};

impl World {
    /// Applies the effects of finished runs in the order the runs finished.
    pub(super) fn apply_ready(&mut self) {
        while let Some(ready) = self.runs.ready.pop_front() {
            self.apply(ready);
        }
    }

    /// Applies the effects of one finished run, if they wait; with the time it was due at. Whether they waited.
    pub(super) fn apply_effects_of(&mut self, run: RunId) -> bool {
        let Some(ready) = self.take_ready(run) else { return false };
        let (content, before) = (self.content, self.logical);
        self.logical = self.runs.time_of(run).or(before);
        self.apply(ready);
        if self.content == content {
            self.logical = before;
        }
        true
    }

    /// Throws the effects of one finished run away, if they wait, but for its errors. Whether they waited.
    pub(super) fn discard_effects_of(&mut self, run: RunId) -> bool {
        let Some(mut ready) = self.take_ready(run) else { return false };
        let shared = self.shared.clone();
        for &id in &ready.effects.created {
            // The run may have written it down somewhere.
            self.storage.slots.retire(id);
        }
        self.discard(&shared, &mut ready.effects);
        // What is left are its errors.
        self.apply(ready);
        true
    }

    fn take_ready(&mut self, run: RunId) -> Option<Ready> {
        let at = self.runs.ready.iter().position(|ready| ready.run == run)?;
        self.runs.ready.remove(at)
    }

    fn apply(&mut self, ready: Ready) {
        let Ready { run, system, mut effects, .. } = ready;
        if effects.is_empty() {
            return self.end_run(run);
        }
        let (content, shared) = (self.content, self.shared.clone());
        let before = self.runs.acting.replace(system);
        let start = self.workers.clock().now();
        let changed = self.apply_groups(&mut effects, content);
        if self.content != content {
            // A listener loaded or cleared the world: what is left went with the old content.
            return self.free_effects(&shared, &mut effects, changed);
        }
        let took = self.workers.clock().now().saturating_sub(start);
        self.timing.effects(system, took, true);
        if let Some(entry) = self.systems.get_mut(system) {
            entry.spare = effects.emptied();
        }
        self.runs.acting = before;
        self.end_run(run);
    }

    /// Applies effects group by group; stops where the content is no longer the run's. How many changes were made.
    fn apply_groups(&mut self, effects: &mut Effects, content: u64) -> usize {
        self.apply_errors(effects);
        let changed = self.apply_changes(&effects.changes, content);
        self.tell_links();
        for event in std::mem::take(&mut effects.events) {
            if self.content != content {
                return changed;
            }
            self.tell_typed(event);
        }
        for &id in &effects.deaths {
            if self.content != content {
                return changed;
            }
            // Killed twice in one run, or killed and gone: nothing to do.
            if !self.kill(id) {
                self.dropped_effects += 1;
            }
        }
        if self.content == content {
            self.adopt(effects);
        }
        changed
    }

    fn apply_errors(&mut self, effects: &mut Effects) {
        let (system, name) = self.runs.acting_name(&self.systems);
        let tick = self.clocks.tick;
        self.dropped_errors += std::mem::take(&mut effects.more_errors);
        for (id, message) in std::mem::take(&mut effects.errors) {
            let entity = id.map(|id| (id, self.ordinal(id)));
            let (name, phase) = (name.clone(), SystemPhase::Update);
            self.report(SystemError { system, name, phase, entity, message, panicked: false, tick });
        }
    }

    /// Makes changes one after another, while the content is the run's; how many.
    fn apply_changes(&mut self, changes: &Changes, content: u64) -> usize {
        let mut done = 0;
        for (ChangeRun { kind, component, size, .. }, ids, blocks) in changes.each_run() {
            if self.content != content {
                return done;
            }
            let block = |k: usize| &blocks[k * size..(k + 1) * size];
            if self.can_edit_quickly(component) {
                let refused = self.edit_quickly(component).apply(kind, ids, blocks, size);
                refused.into_iter().for_each(|k| self.apply_change(kind, component, ids[k], block(k)));
                done += ids.len();
                continue;
            }
            for (k, &id) in ids.iter().enumerate() {
                if self.content != content {
                    return done;
                }
                self.apply_change(kind, component, id, block(k));
                done += 1;
            }
        }
        done
    }

    fn apply_change(&mut self, kind: ChangeKind, component: ComponentId, id: EntityId, block: &[u8]) {
        let result = match kind {
            ChangeKind::Put => match self.put_block(id, component, block) {
                // Whatever its hook says, the block is the row's.
                Ok(put) => return self.finish_change(id, component, put),
                Err(fault) => Err(fault),
            },
            ChangeKind::Set => self.set_bytes(id, component, block),
            ChangeKind::Remove => self.remove_component_by_id(id, component),
        };
        let Err(fault) = result else { return };
        self.refuse_change(&fault, id);
        self.drop_block_of(kind, id, component, block);
    }

    fn finish_change(&mut self, id: EntityId, component: ComponentId, put: PutBlock) {
        if let Err(fault) = self.finish_adding(id, component, put) {
            self.refuse_change(&fault, id);
        }
    }

    fn refuse_change(&mut self, fault: &AccessFault, id: EntityId) {
        match self.contains(id) {
            true => self.report_fault(fault, id),
            false => self.dropped_effects += 1,
        }
    }

    /// A change that is not made: owes the hook of a block that was to be a component, and the lists of a block except
    /// those its entity holds already.
    fn drop_block_of(&mut self, kind: ChangeKind, id: EntityId, component: ComponentId, block: &[u8]) {
        if kind == ChangeKind::Remove {
            return;
        }
        if kind == ChangeKind::Put && self.shared.registry.get(component).on_free.is_some() {
            self.owe_hook_of(component, block.into());
        }
        match self.row(id) {
            Some(row) => self.owe_lists_dropped(row, component, block),
            None => self.owe_lists(component, block, &[]),
        }
    }

    /// Throws a run's effects away, all but its errors.
    pub(super) fn discard(&mut self, shared: &RunShared, effects: &mut Effects) {
        self.free_staged(shared, effects);
        for (run, ids, blocks) in effects.changes.each_run() {
            for (k, &id) in ids.iter().enumerate() {
                self.drop_block_of(run.kind, id, run.component, &blocks[k * run.size..(k + 1) * run.size]);
            }
        }
        let (errors, more_errors) = (std::mem::take(&mut effects.errors), effects.more_errors);
        *effects = Effects { errors, more_errors, ..Effects::default() };
    }

    /// Frees what a run whose content is gone staged, and the blocks it was to add from the change at `from` on.
    pub(super) fn free_effects(&mut self, shared: &RunShared, effects: &mut Effects, from: usize) {
        self.free_staged(shared, effects);
        let mut place = 0;
        for (ChangeRun { kind, component, size, count }, _, blocks) in effects.changes.each_run() {
            let done = from.saturating_sub(place).min(count);
            place += count;
            let definition = shared.registry.get(component);
            if kind == ChangeKind::Put && definition.frees() {
                (done..count)
                    .for_each(|k| self.free_now(shared, definition, &blocks[k * size..(k + 1) * size]));
            }
        }
    }

    /// Frees the blocks of entities that a run created and nobody adopts.
    fn free_staged(&mut self, shared: &RunShared, effects: &mut Effects) {
        for staged in std::mem::take(&mut effects.staged) {
            for (&component, column) in staged.components.iter().zip(&staged.columns) {
                let definition = shared.registry.get(component);
                let size = definition.size();
                if definition.frees() {
                    let count = staged.ids.len();
                    (0..count)
                        .for_each(|k| self.free_now(shared, definition, &column[k * size..(k + 1) * size]));
                }
            }
        }
    }

    fn free_now(&mut self, shared: &RunShared, definition: &ComponentDef, block: &[u8]) {
        if let Err(panic) = definition.free(block, &shared.lists) {
            self.report_free(definition.name().to_owned(), &*panic);
        }
    }
}
