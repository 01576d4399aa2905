//! What the user is asked before edits are lost.

use super::Inspector;
use super::path_dialog::{PathDialog, Typed};
use crate::cli::Differences;
use crate::documents::Purpose;
use egui::{Context, Id, Modal, Panel, RichText, ScrollArea, Ui};
use std::path::PathBuf;
use vivarium_panels::{Palette, View};

/// A question that has to be answered before anything else.
#[derive(Debug)]
pub(super) enum Question {
    /// Something was edited live and would be lost.
    Unsaved(Then),
    /// The file was changed by somebody else since it was opened.
    SaveOver {
        /// The file.
        path: PathBuf,
        /// What was to be saved.
        text: String,
    },
    /// There is a file of the name under which something is to be written.
    Replace {
        /// The file.
        path: PathBuf,
        /// What is to be written; none is the world.
        export: Option<String>,
    },
    /// The path of a file, typed where the system has no dialog for it.
    Path(PathDialog),
}

/// What goes on after the question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// A file is chosen and opened.
    Choose,
    /// This file is opened.
    Open(PathBuf),
    /// This sample is opened.
    Sample(String),
    /// The scene is loaded again.
    Reload,
    /// The window closes.
    Close,
}

impl Then {
    /// As the end of a sentence: "Save them before …?"
    const fn words(&self) -> &'static str {
        match self {
            Self::Choose | Self::Open(_) | Self::Sample(_) => "another scene is opened",
            Self::Reload => "the scene is loaded again",
            Self::Close => "the window closes",
        }
    }
}

/// What to do with a file that was changed on disk while the world was edited here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DiskAnswer {
    /// Load it, and lose the edits.
    TakeFile,
    /// Leave it on disk.
    KeepMine,
}

/// The open file as somebody else left it.
#[derive(Debug)]
pub(super) struct DiskChange {
    text: String,
    /// What differs from what was loaded; none if that is not known.
    differences: Option<Found>,
    is_shown: bool,
}

/// What came out when a file was compared with what was loaded.
#[derive(Debug)]
enum Found {
    /// So many values differ; the first of them are listed.
    Differences(usize, String),
    /// The file cannot be loaded.
    Faults(String),
}

impl Found {
    /// In a few words, and in full.
    fn texts(&self) -> (String, &str) {
        match self {
            Self::Differences(1, list) => ("1 value differs".to_owned(), list),
            Self::Differences(count, list) => (format!("{count} values differ"), list),
            Self::Faults(list) => ("it has faults".to_owned(), list),
        }
    }
}

impl DiskChange {
    /// Differences that are listed.
    const LISTED: usize = 200;

    /// The file `name` that holds `text` now, and held `loaded` before.
    pub(super) fn new(loaded: Option<&str>, name: &str, text: String) -> Self {
        let differences = loaded.map(|loaded| {
            let mut found = Differences::first(Self::LISTED);
            match found.compare_files(("before", loaded), (name, &text)) {
                Ok(()) => Found::Differences(found.count(), found.as_text()),
                Err(faults) => Found::Faults(faults.to_string()),
            }
        });
        Self { text, differences, is_shown: false }
    }

    /// Why the file cannot be loaded, if it is known not to be.
    pub(super) fn faults(&self) -> Option<&str> {
        match &self.differences {
            Some(Found::Faults(faults)) => Some(faults),
            _ => None,
        }
    }

    /// Whether the file says what it said before, if in other words.
    pub(super) const fn is_none(&self) -> bool {
        matches!(self.differences, Some(Found::Differences(0, _)))
    }

    /// What the file holds now.
    pub(super) fn into_text(self) -> String {
        self.text
    }
}

/// A bar, not a dialog: the world goes on while the user decides.
pub(super) fn changed_on_disk_bar(
    ui: &mut Ui,
    view: &View<'_>,
    change: &mut DiskChange,
) -> Option<DiskAnswer> {
    let palette = Palette::of(ui.visuals());
    let file = view.file.and_then(|file| file.file_name()).map(|name| name.to_string_lossy().into_owned());
    let file = file.unwrap_or("The file".into());
    let what = change.differences.as_ref().map_or(String::new(), |found| format!(" ({})", found.texts().0));
    let text = format!("{file} changed on disk{what}, and the world was edited here.");
    let mut answer = None;
    Panel::top("changed on disk").show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new(text).color(palette.warn));
            if ui.button("Take the file").on_hover_text("Load it; the edits made here are lost").clicked() {
                answer = Some(DiskAnswer::TakeFile);
            }
            if ui.button("Keep mine").on_hover_text("Go on; the next save writes over the file").clicked() {
                answer = Some(DiskAnswer::KeepMine);
            }
            if change.differences.is_none() {
                ui.weak("too long to compare");
            } else {
                ui.toggle_value(&mut change.is_shown, "Diff")
                    .on_hover_text("What changed in the file, value by value");
            }
        });
        if let (true, Some(found)) = (change.is_shown, &change.differences) {
            let list = found.texts().1;
            ScrollArea::both().max_height(160.0).auto_shrink([false, true]).show(ui, |ui| ui.monospace(list));
        }
    });
    answer
}

/// What was pressed in a dialog.
enum Pressed {
    Save,
    GiveUp,
    Cancel,
}

impl Inspector {
    /// Draws the question, if there is one, and goes on when it is answered.
    pub(super) fn ask(&mut self, context: &Context) {
        let Some(question) = &mut self.question else { return };
        let pressed = match question {
            Question::Unsaved(then) => dialog(
                context,
                "Unsaved edits",
                &format!(
                    "The world was edited by hand since it was loaded or saved. Save it before {}?",
                    then.words()
                ),
                ["Save", "Don't save"],
            ),
            Question::SaveOver { path, .. } => dialog(
                context,
                "Changed on disk",
                &format!("{} was changed by another program since it was opened here.", path.display()),
                ["Save over it", ""],
            ),
            Question::Replace { path, .. } => dialog(
                context,
                &format!("Replace {}?", path.file_name().unwrap_or_default().to_string_lossy()),
                &format!("{} exists already; what it holds would be lost.", path.display()),
                ["Replace", ""],
            ),
            Question::Path(_) => return self.ask_for_path(context),
        };
        let Some(pressed) = pressed else { return };
        match (self.question.take(), pressed) {
            (Some(Question::Unsaved(then)), Pressed::Save) => self.save_then(then),
            (Some(Question::Unsaved(then)), Pressed::GiveUp) => self.go_on(then),
            (Some(Question::SaveOver { path, text }), Pressed::Save) => self.documents.save_as(path, text),
            (Some(Question::Replace { path, export: None }), Pressed::Save) => self.save_world(Some(path)),
            (Some(Question::Replace { path, export: Some(text) }), Pressed::Save) => {
                self.documents.export(path, text);
            }
            _ => self.after_save = None,
        }
    }

    /// Asks for a path until it will do.
    fn ask_for_path(&mut self, context: &Context) {
        let Some(Question::Path(dialog)) = &mut self.question else { return };
        let Some(typed) = dialog.ui(context) else { return };
        self.question = None;
        match typed {
            Typed::Path(Purpose::Open, path) => self.documents.open_path(&path),
            Typed::Path(Purpose::Save(_), path) => self.save_to(path, false),
            Typed::Path(Purpose::Export { text, .. }, path) => self.export_to(path, text),
            Typed::Cancelled => self.after_save = None,
        }
    }

    /// Does what the bar about a changed file was answered.
    pub(super) fn answer_disk(&mut self, answer: DiskAnswer) {
        if let (Some(change), DiskAnswer::TakeFile) = (self.disk_change.take(), answer) {
            self.take_disk_text(change.into_text());
        }
    }
}

/// A dialog with up to two answers and *Cancel*.
fn dialog(context: &Context, title: &str, text: &str, [save, give_up]: [&str; 2]) -> Option<Pressed> {
    let mut pressed = None;
    let area = Modal::default_area(Id::unique("question")).accessible_name(title);
    let modal = Modal::new(Id::unique("question")).area(area).show(context, |ui| {
        ui.set_max_width(420.0);
        ui.heading(title);
        ui.add_space(4.0);
        ui.label(text);
        ui.add_space(8.0);
        ui.horizontal(|ui| {
            if ui.button(save).clicked() {
                pressed = Some(Pressed::Save);
            }
            if !give_up.is_empty() && ui.button(give_up).clicked() {
                pressed = Some(Pressed::GiveUp);
            }
            if ui.button("Cancel").clicked() {
                pressed = Some(Pressed::Cancel);
            }
        });
    });
    if pressed.is_none() && modal.should_close() {
        pressed = Some(Pressed::Cancel);
    }
    pressed
}
