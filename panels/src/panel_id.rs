//! The panels there are.

use egui::{Key, KeyboardShortcut, Modifiers};
use serde::{Deserialize, Serialize};

/// A panel. Layouts are kept by it, so a name once given stays.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PanelId {
    /// Samples and files.
    Scenes,
    /// The list of entities.
    Entities,
    /// Classes and templates.
    Templates,
    /// The scene, painted.
    World,
    /// Systems, batches and why they wait.
    Schedule,
    /// Times of ticks and systems.
    Timing,
    /// Pools.
    Memory,
    /// Blocks waiting to be freed.
    Deferred,
    /// The selected entity, block by block.
    Inspector,
    /// What happened to entities, and who asked.
    Journal,
    /// The log.
    Log,
}

impl PanelId {
    /// Every panel, in the order of menus and keys.
    pub const ALL: [Self; 11] = [
        Self::Scenes,
        Self::Entities,
        Self::World,
        Self::Inspector,
        Self::Schedule,
        Self::Timing,
        Self::Memory,
        Self::Deferred,
        Self::Templates,
        Self::Log,
        Self::Journal,
    ];

    /// What tabs and menus call it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Scenes => "Scenes",
            Self::Entities => "Entities",
            Self::Templates => "Templates",
            Self::World => "World",
            Self::Schedule => "Schedule",
            Self::Timing => "Timing",
            Self::Memory => "Memory",
            Self::Deferred => "Deferred free",
            Self::Inspector => "Inspector",
            Self::Journal => "Journal",
            Self::Log => "Log",
        }
    }

    /// What files and the command line call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scenes => "scenes",
            Self::Entities => "entities",
            Self::Templates => "templates",
            Self::World => "world",
            Self::Schedule => "schedule",
            Self::Timing => "timing",
            Self::Memory => "memory",
            Self::Deferred => "deferred",
            Self::Inspector => "inspector",
            Self::Journal => "journal",
            Self::Log => "log",
        }
    }

    /// The panel of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|panel| panel.name() == name)
    }

    /// The key that shows it: Ctrl+1 to Ctrl+9, Ctrl+0 for the tenth, and Ctrl+J for the journal.
    pub const fn key(self) -> KeyboardShortcut {
        let key = match self {
            Self::Scenes => Key::Num1,
            Self::Entities => Key::Num2,
            Self::World => Key::Num3,
            Self::Inspector => Key::Num4,
            Self::Schedule => Key::Num5,
            Self::Timing => Key::Num6,
            Self::Memory => Key::Num7,
            Self::Deferred => Key::Num8,
            Self::Templates => Key::Num9,
            Self::Log => Key::Num0,
            Self::Journal => Key::J,
        };
        KeyboardShortcut::new(Modifiers::COMMAND, key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_and_keys_tell_panels_apart() {
        let names: HashSet<_> = PanelId::ALL.iter().map(|panel| panel.name()).collect();
        let keys: HashSet<_> = PanelId::ALL.iter().map(|panel| panel.key().logical_key).collect();
        assert_eq!((names.len(), keys.len()), (PanelId::ALL.len(), PanelId::ALL.len()));
        for panel in PanelId::ALL {
            assert_eq!(PanelId::from_name(panel.name()), Some(panel));
            let stored = serde_json::to_value(panel).unwrap();
            assert_eq!(stored, panel.name());
        }
    }
}
