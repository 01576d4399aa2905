//! What is selected, and the way back to what was.

use crate::request::Select;
use std::collections::BTreeSet;
use vivarium_world::{Ordinal, SystemId};

/// What is selected everywhere in the window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    entities: BTreeSet<Ordinal>,
    /// Always one of `entities`, unless there are none.
    primary: Option<Ordinal>,
    system: Option<SystemId>,
}

impl Selection {
    /// The selected entities, in creation order.
    pub fn entities(&self) -> impl Iterator<Item = Ordinal> + '_ {
        self.entities.iter().copied()
    }

    /// How many entities are selected.
    pub fn len(&self) -> usize {
        self.entities.len()
    }

    /// Whether no entity is selected.
    pub fn is_empty(&self) -> bool {
        self.entities.is_empty()
    }

    /// Whether this entity is selected.
    pub fn contains(&self, ordinal: Ordinal) -> bool {
        self.entities.contains(&ordinal)
    }

    /// The entity the inspector shows: the one selected last.
    pub fn primary(&self) -> Option<Ordinal> {
        self.primary
    }

    /// The selected system.
    pub fn system(&self) -> Option<SystemId> {
        self.system
    }

    /// This selection after a change.
    #[must_use]
    pub fn after(&self, change: &Select) -> Self {
        let mut next = self.clone();
        match change {
            Select::Only(ordinal) => {
                next.entities = BTreeSet::from([*ordinal]);
                next.primary = Some(*ordinal);
            }
            Select::Toggle(ordinal) => {
                if next.entities.remove(ordinal) {
                    if next.primary == Some(*ordinal) {
                        next.primary = next.entities.last().copied();
                    }
                } else {
                    next.entities.insert(*ordinal);
                    next.primary = Some(*ordinal);
                }
            }
            Select::Set(list) => {
                next.entities = list.iter().copied().collect();
                next.primary = list.last().copied();
            }
            Select::Add(list) => {
                next.entities.extend(list);
                next.primary = list.last().copied().or(next.primary);
            }
            Select::None => {
                next.entities.clear();
                next.primary = None;
            }
            Select::System(system) => next.system = *system,
        }
        next
    }
}

/// The selection with the ones before and after it.
#[derive(Clone, Debug, Default)]
pub struct History {
    current: Selection,
    /// Oldest first.
    back: Vec<Selection>,
    /// Nearest last.
    forward: Vec<Selection>,
}

impl History {
    /// How many selections can be gone back.
    const LIMIT: usize = 100;

    /// What is selected now.
    pub fn current(&self) -> &Selection {
        &self.current
    }

    /// Changes the selection. What could be gone forward to is forgotten; a change that changes nothing is
    /// none.
    pub fn apply(&mut self, change: &Select) {
        let next = self.current.after(change);
        if next == self.current {
            return;
        }
        self.back.push(std::mem::replace(&mut self.current, next));
        self.forward.clear();
        if self.back.len() > Self::LIMIT {
            self.back.remove(0);
        }
    }

    /// Goes to the selection before, if there is one.
    pub fn back(&mut self) {
        if let Some(before) = self.back.pop() {
            self.forward.push(std::mem::replace(&mut self.current, before));
        }
    }

    /// Goes to the selection after, if there is one.
    pub fn forward(&mut self) {
        if let Some(after) = self.forward.pop() {
            self.back.push(std::mem::replace(&mut self.current, after));
        }
    }

    /// Whether there is a selection before, and one after.
    pub fn can_go(&self) -> (bool, bool) {
        (!self.back.is_empty(), !self.forward.is_empty())
    }

    /// Forgets everything: after a load the numbers name other entities.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordinals(selection: &Selection) -> Vec<u64> {
        selection.entities().map(|ordinal| ordinal.0).collect()
    }

    #[test]
    fn the_primary_is_the_one_selected_last() {
        let mut history = History::default();
        history.apply(&Select::Only(Ordinal(5)));
        history.apply(&Select::Toggle(Ordinal(2)));
        assert_eq!(ordinals(history.current()), [2, 5]);
        assert_eq!(history.current().primary(), Some(Ordinal(2)));
        history.apply(&Select::Toggle(Ordinal(2)));
        assert_eq!(history.current().primary(), Some(Ordinal(5)));
        history.apply(&Select::Add(vec![Ordinal(9), Ordinal(7)]));
        assert_eq!(ordinals(history.current()), [5, 7, 9]);
        assert_eq!(history.current().primary(), Some(Ordinal(7)));
        history.apply(&Select::None);
        assert_eq!(history.current().primary(), None);
    }

    #[test]
    fn back_and_forward_walk_the_same_way() {
        let mut history = History::default();
        history.apply(&Select::Only(Ordinal(1)));
        history.apply(&Select::Only(Ordinal(2)));
        history.back();
        assert_eq!(ordinals(history.current()), [1]);
        history.back();
        history.back();
        assert!(history.current().is_empty());
        assert_eq!(history.can_go(), (false, true));
        history.forward();
        history.forward();
        assert_eq!(ordinals(history.current()), [2]);
        assert_eq!(history.can_go(), (true, false));
    }

    #[test]
    fn a_new_selection_forgets_the_way_forward() {
        let mut history = History::default();
        history.apply(&Select::Only(Ordinal(1)));
        history.apply(&Select::Only(Ordinal(2)));
        history.back();
        history.apply(&Select::Only(Ordinal(3)));
        assert_eq!(history.can_go(), (true, false));
        history.back();
        assert_eq!(ordinals(history.current()), [1]);
    }

    #[test]
    fn selecting_the_same_again_is_no_step() {
        let mut history = History::default();
        history.apply(&Select::Only(Ordinal(1)));
        history.apply(&Select::Only(Ordinal(1)));
        history.back();
        assert!(history.current().is_empty());
    }

    #[test]
    fn a_system_is_selected_beside_entities() {
        let mut history = History::default();
        history.apply(&Select::Only(Ordinal(1)));
        history.apply(&Select::System(Some(SystemId(4))));
        assert_eq!(history.current().system(), Some(SystemId(4)));
        assert_eq!(ordinals(history.current()), [1]);
    }

    #[test]
    fn the_way_back_is_bounded() {
        let mut history = History::default();
        for n in 0..300 {
            history.apply(&Select::Only(Ordinal(n)));
        }
        for _ in 0..300 {
            history.back();
        }
        assert_eq!(ordinals(history.current()), [199]);
    }
}
