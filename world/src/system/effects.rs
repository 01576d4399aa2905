//! What a run asks the world thread to do afterwards: data, applied at one place.

use crate::id::{ComponentId, EntityId};
use std::any::{Any, TypeId};

/// What a structural change does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangeKind {
    /// Add a component, or put its block in the place of the old one.
    Put,
    /// Write over the block of a component that is there.
    Set,
    /// Take a component away.
    Remove,
}

/// Changes of one kind to one component that were asked for one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChangeRun {
    pub(crate) kind: ChangeKind,
    pub(crate) component: ComponentId,
    /// How many of `Changes::ids` it takes.
    pub(crate) count: usize,
    /// Bytes of a block; 0 for what writes none.
    pub(crate) size: usize,
}

/// Structural changes in the order they were asked for.
#[derive(Default)]
pub(crate) struct Changes {
    pub(crate) runs: Vec<ChangeRun>,
    pub(crate) ids: Vec<EntityId>,
    /// A block for each entity of each run that writes.
    pub(crate) blocks: Vec<u8>,
    /// The Rust type of the last run's component.
    last: Option<(ChangeKind, TypeId)>,
}

impl Changes {
    /// Adds a change like the one before; false if it is not alike.
    #[inline(always)]
    pub(crate) fn again(&mut self, kind: ChangeKind, rust_type: TypeId, id: EntityId, block: &[u8]) -> bool {
        let Some(run) = self.runs.last_mut().filter(|_| self.last == Some((kind, rust_type))) else {
            return false;
        };
        run.count += 1;
        self.ids.push(id);
        self.blocks.extend_from_slice(block);
        true
    }

    /// Each run with its entities and their blocks.
    pub(crate) fn each_run(&self) -> impl Iterator<Item = (ChangeRun, &[EntityId], &[u8])> {
        let (mut ids, mut blocks) = (self.ids.as_slice(), self.blocks.as_slice());
        self.runs.iter().map(move |&run| {
            let (these, later) = ids.split_at(run.count);
            let (own, others) = blocks.split_at(run.count * run.size);
            (ids, blocks) = (later, others);
            (run, these, own)
        })
    }

    /// Adds the changes that were asked for after these.
    pub(crate) fn append(&mut self, later: &mut Changes) {
        self.runs.append(&mut later.runs);
        self.ids.append(&mut later.ids);
        self.blocks.append(&mut later.blocks);
        self.last = None;
    }

    /// Adds a change that may be unlike the one before.
    pub(crate) fn add(
        &mut self,
        kind: ChangeKind,
        component: ComponentId,
        rust_type: TypeId,
        id: EntityId,
        block: &[u8],
    ) {
        self.runs.push(ChangeRun { kind, component, count: 0, size: block.len() });
        self.last = Some((kind, rust_type));
        self.again(kind, rust_type, id, block);
    }
}

/// Empties a list, and keeps its memory unless most of that was not used.
fn empty<T>(list: &mut Vec<T>) {
    if list.len() < list.capacity() / 4 {
        *list = Vec::new();
    }
    list.clear();
}

/// Errors of one run that are kept; more are counted.
pub(crate) const ERRORS_KEPT: usize = 1000;

/// Effects of one run, each kind in call order.
#[derive(Default)]
pub(crate) struct Effects {
    /// With the entity, where it is one's.
    pub(crate) errors: Vec<(Option<EntityId>, String)>,
    /// Errors beyond those that are kept.
    pub(crate) more_errors: usize,
    pub(crate) changes: Changes,
    pub(crate) events: Vec<Box<dyn Any + Send>>,
    pub(crate) deaths: Vec<EntityId>,
    /// Created entities in call order.
    pub(crate) created: Vec<EntityId>,
    /// The same, packed by what they are made of.
    pub(crate) staged: Vec<Staged>,
    /// The kind of bundle spawned last, and where and how it is staged.
    pub(crate) last_spawned: Option<LastSpawned>,
}

/// Where bundles of one type are staged.
pub(crate) struct LastSpawned {
    pub(crate) rust_type: TypeId,
    /// Its place in `Effects::staged`.
    pub(crate) staged: usize,
    /// The column of each component, in the tuple's order.
    pub(crate) columns: Vec<usize>,
}

/// Entities of the same components, not yet in rows: a column a component.
pub(crate) struct Staged {
    /// In registry order, `entity` first.
    pub(crate) components: Box<[ComponentId]>,
    pub(crate) ids: Vec<EntityId>,
    pub(crate) columns: Vec<Vec<u8>>,
    /// Places in `ids` of static and of dead entities.
    pub(crate) statics: Vec<u32>,
    pub(crate) dead: Vec<u32>,
}

impl Staged {
    /// Forgets the entities, which have rows now.
    pub(crate) fn adopted(&mut self) {
        let Self { ids, columns, statics, dead, .. } = self;
        empty(ids);
        columns.iter_mut().for_each(empty);
        empty(statics);
        empty(dead);
    }
}

impl Effects {
    pub(crate) fn is_empty(&self) -> bool {
        self.errors.is_empty()
            && self.changes.runs.is_empty()
            && self.events.is_empty()
            && self.deaths.is_empty()
            && self.created.is_empty()
    }

    /// Adds an error, if there are not too many.
    pub(crate) fn fail(&mut self, id: Option<EntityId>, message: String) {
        if self.errors.len() < ERRORS_KEPT {
            self.errors.push((id, message));
        } else {
            self.more_errors += 1;
        }
    }

    /// The memory these took, for the next run of their system, which mostly asks for as much. What was staged is
    /// adopted.
    pub(crate) fn emptied(mut self) -> Self {
        self.errors.clear();
        self.events.clear();
        self.last_spawned = None;
        empty(&mut self.changes.runs);
        empty(&mut self.changes.ids);
        empty(&mut self.changes.blocks);
        self.changes.last = None;
        empty(&mut self.deaths);
        empty(&mut self.created);
        Self { more_errors: 0, ..self }
    }

    /// Adds what was asked for after this.
    pub(crate) fn append(&mut self, mut later: Effects) {
        let more = later.errors.len().saturating_sub(ERRORS_KEPT.saturating_sub(self.errors.len()));
        self.errors.append(&mut later.errors);
        self.errors.truncate(ERRORS_KEPT);
        self.more_errors += more + later.more_errors;
        self.changes.append(&mut later.changes);
        self.events.append(&mut later.events);
        self.deaths.append(&mut later.deaths);
        self.created.append(&mut later.created);
        for mut staged in later.staged {
            let at = self.staged_for(&staged.components);
            let own = &mut self.staged[at];
            let before = own.ids.len() as u32;
            own.ids.append(&mut staged.ids);
            own.columns.iter_mut().zip(&mut staged.columns).for_each(|(own, column)| own.append(column));
            own.statics.extend(staged.statics.into_iter().map(|place| before + place));
            own.dead.extend(staged.dead.into_iter().map(|place| before + place));
        }
    }

    /// Where entities of these components are staged.
    pub(crate) fn staged_for(&mut self, components: &[ComponentId]) -> usize {
        // The last one first: runs create many of one kind in a row.
        let found = self.staged.iter().rposition(|staged| *staged.components == *components);
        found.unwrap_or_else(|| {
            self.staged.push(Staged {
                components: components.into(),
                ids: Vec::new(),
                columns: vec![Vec::new(); components.len()],
                statics: Vec::new(),
                dead: Vec::new(),
            });
            self.staged.len() - 1
        })
    }
}
