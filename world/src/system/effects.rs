//! What a run asks the world thread to do afterwards: data, applied at one place.

use crate::id::{ComponentId, EntityId};
use std::any::Any;

/// One structural change, in the order it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Add a component or put its block in the place of the old one; the block is at this byte of `blocks`.
    Put { id: EntityId, component: ComponentId, at: usize },
    /// Write over the block of a component that is there.
    Set { id: EntityId, component: ComponentId, at: usize },
    /// Take a component away.
    Remove { id: EntityId, component: ComponentId },
}

/// Effects of one run, each kind in call order.
#[derive(Default)]
pub(crate) struct Effects {
    /// With the entity, where it is one's.
    pub(crate) errors: Vec<(Option<EntityId>, String)>,
    pub(crate) changes: Vec<Change>,
    /// Blocks of `changes`.
    pub(crate) blocks: Vec<u8>,
    pub(crate) events: Vec<Box<dyn Any + Send>>,
    pub(crate) deaths: Vec<EntityId>,
    /// Created entities in call order.
    pub(crate) created: Vec<EntityId>,
    /// The same, packed by what they are made of.
    pub(crate) staged: Vec<Staged>,
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

impl Effects {
    pub(crate) fn is_empty(&self) -> bool {
        self.errors.is_empty()
            && self.changes.is_empty()
            && self.events.is_empty()
            && self.deaths.is_empty()
            && self.created.is_empty()
    }

    /// Where entities of these components are staged.
    pub(crate) fn staged_for(&mut self, components: &[ComponentId]) -> &mut Staged {
        // The last one first: runs create many of one kind in a row.
        let found = self.staged.iter().rposition(|staged| *staged.components == *components);
        let at = found.unwrap_or_else(|| {
            self.staged.push(Staged {
                components: components.into(),
                ids: Vec::new(),
                columns: vec![Vec::new(); components.len()],
                statics: Vec::new(),
                dead: Vec::new(),
            });
            self.staged.len() - 1
        });
        &mut self.staged[at]
    }
}
