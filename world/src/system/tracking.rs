//! Who joined and left a query since its system last ran.

use crate::id::EntityId;
use crate::memory::Mask;

/// Entities that left a query and entities that joined it since the system's last run, each in row order.
///
/// A member that got or lost a component the query names, or got another block in the place of one, is among those
/// that joined, though it was a member before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryChanges {
    /// Who left.
    pub removed: Vec<EntityId>,
    /// Who joined, or changed.
    pub added: Vec<EntityId>,
}

impl QueryChanges {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.added.is_empty()
    }
}

/// The members of a query as its system saw them last, by row.
#[derive(Default)]
pub(crate) struct Tracked {
    members: Vec<Option<EntityId>>,
}

impl Tracked {
    /// What changed where something may have: in `touched` rows, or anywhere if there is no list of them.
    pub(crate) fn take_in(
        &mut self,
        touched: Option<&[u32]>,
        mask: &Mask,
        id_of: impl Fn(u32) -> Option<EntityId>,
    ) -> QueryChanges {
        let mut changes = QueryChanges::default();
        match touched {
            Some(rows) => {
                for &row in rows {
                    let now = if mask.has(row) { id_of(row) } else { None };
                    self.note(row, now, true, &mut changes);
                }
            }
            None => {
                let mut next = 0;
                for row in mask.rows() {
                    (next..row).for_each(|row| self.note(row, None, false, &mut changes));
                    self.note(row, id_of(row), false, &mut changes);
                    next = row + 1;
                }
                (next..self.members.len() as u32).for_each(|row| self.note(row, None, false, &mut changes));
            }
        }
        changes
    }

    /// Notes who is a member in a row now. Who was one before and is not any more, and who is one now and was not.
    pub(crate) fn exchange(
        &mut self,
        row: u32,
        now: Option<EntityId>,
    ) -> (Option<EntityId>, Option<EntityId>) {
        let mut changes = QueryChanges::default();
        self.note(row, now, false, &mut changes);
        (changes.removed.pop(), changes.added.pop())
    }

    fn note(&mut self, row: u32, now: Option<EntityId>, again: bool, changes: &mut QueryChanges) {
        let at = row as usize;
        let before = self.members.get(at).copied().flatten();
        if before != now {
            changes.removed.extend(before);
            if at >= self.members.len() {
                self.members.resize(at + 1, None);
            }
            self.members[at] = now;
        }
        if before != now || again {
            changes.added.extend(now);
        }
    }

    /// The same members after their rows moved.
    pub(crate) fn moved(&mut self, moved: impl Fn(u32) -> Option<u32>) {
        let before = std::mem::take(&mut self.members);
        for (row, id) in before.into_iter().enumerate().filter(|(_, id)| id.is_some()) {
            if let Some(row) = moved(row as u32) {
                let row = row as usize;
                if row >= self.members.len() {
                    self.members.resize(row + 1, None);
                }
                self.members[row] = id;
            }
        }
    }
}
