//! What the journal keeps of one thing that happened.

use crate::component::FieldValue;
use crate::id::{ComponentId, EntityId, Ordinal, SystemId};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What an entry of the journal tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JournalKind {
    /// An entity came.
    Created,
    /// A field got another value: by hand, or in a watched field by whomever.
    Changed,
    /// An entity died.
    Killed,
    /// An entity was removed without dying.
    Removed,
    /// An entity got a component after it was made.
    ComponentAdded,
    /// An entity lost a component.
    ComponentRemoved,
}

impl JournalKind {
    /// Every kind.
    pub const ALL: [Self; 6] = [
        Self::Created,
        Self::Changed,
        Self::Killed,
        Self::Removed,
        Self::ComponentAdded,
        Self::ComponentRemoved,
    ];

    /// What lists and files call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Changed => "changed",
            Self::Killed => "killed",
            Self::Removed => "removed",
            Self::ComponentAdded => "component added",
            Self::ComponentRemoved => "component removed",
        }
    }
}

/// Who asked for something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Asker {
    /// A system, in its run or by the effects of one.
    System(SystemId),
    /// The user, or a script.
    Hand,
    /// The program around the world, or nobody knows.
    World,
}

/// One thing that happened, with the entity as it was then.
#[derive(Clone, Debug, PartialEq)]
pub struct JournalEntry {
    /// Counts the entries since the last load, those no longer kept included.
    pub number: u64,
    /// The tick it happened at.
    pub tick: u64,
    /// What happened.
    pub kind: JournalKind,
    /// Who asked for it.
    pub by: Asker,
    /// The name the asking system had; empty for anybody else.
    pub by_name: Arc<str>,
    /// The entity's creation number.
    pub ordinal: Ordinal,
    /// The entity.
    pub id: EntityId,
    /// Its type; empty if it has none.
    pub type_name: Arc<str>,
    /// Its class; empty if it has none.
    pub class: Arc<str>,
    /// Whether it was static.
    pub is_static: bool,
    /// Whether it was dead.
    pub is_dead: bool,
    /// The component that was added, removed or changed.
    pub component: Option<ComponentId>,
    /// Which field changed, by its place among the component's fields, and how; none for a component nobody
    /// described.
    pub change: Option<FieldChange>,
    /// Its components then.
    pub(crate) components: Box<[ComponentId]>,
    /// The block of each, none for those a run held.
    pub(crate) blocks: Box<[Option<Box<[u8]>>]>,
}

impl JournalEntry {
    /// Bytes of what it keeps of the entity.
    pub(super) fn block_bytes(&self) -> usize {
        let blocks = self.blocks.iter().flatten().map(|block| block.len()).sum::<usize>();
        blocks + self.blocks.len() * size_of::<Option<Box<[u8]>>>() + self.components.len() * 2
    }
}

/// A field before and after.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldChange {
    /// Its place among the component's fields.
    pub field: usize,
    /// Its value before.
    pub before: FieldValue,
    /// Its value after.
    pub after: FieldValue,
}
