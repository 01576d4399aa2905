//! What panels may look at.

use crate::selection::Selection;
use crate::{format, request::Request};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use vivarium_world::inspect::{EntityDetail, Snapshot, SystemView, ViewRequest};
use vivarium_world::{ComponentId, LogLine, Ordinal, SystemId};

/// Everything a panel draws from.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// What the host knew a moment ago.
    pub snapshot: &'a Snapshot,
    /// What is selected.
    pub selection: &'a Selection,
    /// Whether there is an earlier and a later selection to go to.
    pub can_go: (bool, bool),
    /// The log, oldest first.
    pub log: &'a [LogLine],
    /// The samples the program brings along.
    pub samples: &'a [SampleCard],
    /// Files opened before, latest first.
    pub recent: &'a [PathBuf],
    /// What is known of some of these files.
    pub files: &'a [FileFacts],
    /// The file the scene came from; none for a sample or before the first load.
    pub file: Option<&'a Path>,
    /// Whether edits made by hand are neither saved nor taken back.
    pub edited: bool,
}

/// What is known of a file without loading it.
#[derive(Clone, Debug, PartialEq)]
pub struct FileFacts {
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// When it was last written, where the system says so.
    pub modified: Option<SystemTime>,
    /// How many entities it holds; none if it was not read.
    pub entities: Option<usize>,
    /// How many times smaller it is than if every entity were an object; none if all are.
    pub smaller: Option<f64>,
    /// Why it cannot be opened.
    pub problem: Option<String>,
    /// Whether another program changed it since it was first seen, or last read or written here.
    pub changed: bool,
}

/// A sample the program brings along.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleCard {
    /// Its name, by which [`Request::OpenSample`] opens it.
    pub name: String,
    /// What it shows, in a sentence or two.
    pub about: String,
    /// How many entities it starts with.
    pub entities: usize,
}

impl<'a> View<'a> {
    /// A view with nothing but a snapshot and a selection.
    pub fn new(snapshot: &'a Snapshot, selection: &'a Selection) -> Self {
        Self {
            snapshot,
            selection,
            can_go: (false, false),
            log: &[],
            samples: &[],
            recent: &[],
            files: &[],
            file: None,
            edited: snapshot.status.edited,
        }
    }

    /// The name of a component, or its number if the catalog does not have it.
    pub fn component_name(&self, id: ComponentId) -> String {
        match self.snapshot.catalog.component(id) {
            Some(component) => component.name.clone(),
            None => format!("component {id}"),
        }
    }

    /// A system of the snapshot.
    pub fn system(&self, id: SystemId) -> Option<&'a SystemView> {
        self.snapshot.systems.iter().find(|system| system.id == id)
    }

    /// The name of a system, with its number where another one has the same name; the number alone if the snapshot
    /// does not have it. The schedule's sentences name systems in the same way.
    pub fn system_name(&self, id: SystemId) -> String {
        let Some(system) = self.system(id) else { return format!("system {id}") };
        let shares = |other: &&SystemView| other.name == system.name;
        match self.snapshot.systems.iter().filter(shares).nth(1) {
            None => system.name.clone(),
            Some(_) => format!("{} #{id}", system.name),
        }
    }

    /// What the snapshot says of an entity, block by block, if it was asked.
    pub fn detail(&self, ordinal: Ordinal) -> Option<&'a EntityDetail> {
        self.snapshot.details.iter().find(|detail| detail.ordinal == ordinal)
    }

    /// How texts name an entity: `guardian 42v3`; `#17` if the snapshot does not say who it is.
    pub fn entity_label(&self, ordinal: Ordinal) -> String {
        if let Some(detail) = self.detail(ordinal) {
            return format::entity(&detail.type_name, detail.id);
        }
        if let Some(name) = self.snapshot.names.iter().find(|name| name.ordinal == ordinal) {
            return format::entity(&name.type_name, name.id);
        }
        let rows = self.snapshot.entities.as_ref().map_or(&[][..], |page| &page.rows);
        match rows.iter().find(|row| row.ordinal == ordinal) {
            Some(row) => format::entity(&row.type_name, row.id),
            None => format!("#{ordinal}"),
        }
    }

    /// The entities an edit made on `ordinal` applies to: the whole selection if it is part of it.
    pub fn edited_with(&self, ordinal: Ordinal) -> Vec<Ordinal> {
        if self.selection.contains(ordinal) { self.selection.entities().collect() } else { vec![ordinal] }
    }
}

/// Asks to look into an entity, once however many panels want it.
pub(crate) fn look_into(wanted: &mut ViewRequest, ordinal: Ordinal) {
    if !wanted.details.contains(&ordinal) {
        wanted.details.push(ordinal);
    }
}

/// Where panels put what they ask for.
pub(crate) type Requests = Vec<Request>;

#[cfg(test)]
mod tests {
    use crate::fixture::{BOUNCE, Fixture, MOVE, WATCH};
    use vivarium_world::SystemId;

    #[test]
    fn systems_of_one_name_are_told_apart_by_their_numbers() {
        let mut fixture = Fixture::paused();
        fixture.snapshot.systems[2].name = "move".to_owned();
        let name = |id| fixture.view().system_name(id);
        assert_eq!([MOVE, BOUNCE, WATCH].map(name), ["move #0", "bounce", "move #2"]);
        assert_eq!(name(SystemId(9)), "system 9");
    }
}
