//! What panels ask the app for.

use crate::panel_id::PanelId;
use std::path::PathBuf;
use vivarium_world::{Command, Ordinal, SystemId};

/// One thing a panel asks for. The app does it; commands it sends to the host.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Tell the host.
    Command(Command),
    /// Change the selection.
    Select(Select),
    /// Go to the selection before.
    Back,
    /// Go to the selection after.
    Forward,
    /// Let the user choose a file to open.
    OpenFile,
    /// Open this file.
    OpenPath(PathBuf),
    /// Open the sample of this name.
    OpenSample(String),
    /// Save to the file the scene came from.
    Save,
    /// Let the user choose a file to save to.
    SaveAs,
    /// Let the user choose a file, and write this text to it.
    Export {
        /// The name to propose; its ending says what the text is.
        name: String,
        /// The text.
        text: String,
    },
    /// Load the scene again from where it came from.
    Reload,
    /// Bring a panel to the front.
    ShowPanel(PanelId),
    /// Show the entities for which this holds in the entity list. [`Panels`](crate::Panels) does it and asks
    /// for the panel; the app never sees it from there.
    Filter(String),
    /// Show the blocks of the selected entity as they lie in memory. [`Panels`](crate::Panels) does it and asks for the
    /// panel.
    Raw,
    /// Show a template. [`Panels`](crate::Panels) does it and asks for the panel.
    Template(String),
    /// Write these templates to the scene file; nothing else in it changes.
    WriteTemplates(Vec<String>),
    /// Show a field, `component.field`, as a column of the entity list. [`Panels`](crate::Panels) does it.
    Column(String),
}

/// The command that creates each of these entities again, as one step.
pub fn duplicate(entities: &[Ordinal]) -> Command {
    together(entities.iter().map(|&entity| Command::Duplicate { entity }))
}

/// Edits as one step.
pub(crate) fn together(commands: impl IntoIterator<Item = Command>) -> Command {
    let mut commands: Vec<Command> = commands.into_iter().collect();
    match commands.pop() {
        Some(one) if commands.is_empty() => one,
        last => {
            commands.extend(last);
            Command::All { commands }
        }
    }
}

/// A change of the selection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Select {
    /// This entity and no other.
    Only(Ordinal),
    /// In if it is out, out if it is in.
    Toggle(Ordinal),
    /// These and no others; the last is the primary one.
    Set(Vec<Ordinal>),
    /// These too; the last becomes the primary one.
    Add(Vec<Ordinal>),
    /// No entity.
    None,
    /// This system; entities stay.
    System(Option<SystemId>),
}

impl From<Command> for Request {
    fn from(command: Command) -> Self {
        Self::Command(command)
    }
}

impl From<Select> for Request {
    fn from(select: Select) -> Self {
        Self::Select(select)
    }
}
