//! A dialog in which a path is typed, where the system has none to choose a file with.

use crate::documents::Purpose;
use egui::{Context, Id, Key, Modal, RichText, TextEdit};
use std::path::{Path, PathBuf};
use vivarium_panels::Palette;

/// The path that is typed, and what for.
#[derive(Debug)]
pub(super) struct PathDialog {
    purpose: Purpose,
    typed: String,
    /// Why what was typed will not do.
    problem: Option<String>,
}

/// How the dialog ended.
#[derive(Debug)]
pub(super) enum Typed {
    /// With this path.
    Path(Purpose, PathBuf),
    /// With none.
    Cancelled,
}

/// The path with the ending that scenes have, where it has none.
pub(super) fn with_ending(path: PathBuf) -> PathBuf {
    if path.extension().is_none() { path.with_extension("json") } else { path }
}

impl PathDialog {
    pub(super) fn new(purpose: Purpose) -> Self {
        let folder = std::env::current_dir().unwrap_or_default();
        let typed = match &purpose {
            Purpose::Open => folder.join(""),
            Purpose::Save(name) | Purpose::Export { name, .. } => folder.join(name),
        };
        Self { purpose, typed: typed.display().to_string(), problem: None }
    }

    /// What is typed as a path, with the ending it gets.
    fn path(&self) -> PathBuf {
        let path = PathBuf::from(self.typed.trim());
        let is_named = path.file_name().is_some() && !path.is_dir();
        if is_named && matches!(self.purpose, Purpose::Save(_)) { with_ending(path) } else { path }
    }

    /// Why the path will not do, if it is known.
    fn fault(&self) -> Option<String> {
        let path = self.path();
        let name = path.display();
        if self.typed.trim().is_empty() {
            return Some("type the path of a file".to_owned());
        }
        if path.is_dir() {
            return Some(format!("{name} is a folder; add the name of a file"));
        }
        if self.purpose == Purpose::Open {
            return (!path.is_file()).then(|| format!("there is no file {name}"));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty())?;
        (!folder.is_dir())
            .then(|| format!("there is no folder {}; make it first, or choose another", folder.display()))
    }

    /// What becomes of the path that is typed, where that is not what is typed.
    fn note(&self) -> Option<String> {
        let path = self.path();
        let is_as_typed = path == Path::new(self.typed.trim());
        let name = path.file_name()?.to_string_lossy().into_owned();
        (!is_as_typed).then(|| format!("It is saved as {name}: scenes end in .json"))
    }

    /// Draws it; it stays open until the path will do, or it is cancelled.
    pub(super) fn ui(&mut self, context: &Context) -> Option<Typed> {
        let (title, button) = match &self.purpose {
            Purpose::Open => ("Open a scene or save", "Open"),
            Purpose::Save(_) => ("Save the world", "Save"),
            Purpose::Export { .. } => ("Export", "Export"),
        };
        let (mut confirmed, mut cancelled) = (false, false);
        let area = Modal::default_area(Id::unique("path")).accessible_name(title);
        let modal = Modal::new(Id::unique("path")).area(area).show(context, |ui| {
            ui.set_width(460.0);
            ui.heading(title);
            ui.add_space(4.0);
            let field = TextEdit::singleline(&mut self.typed)
                .hint_text("Path of the file")
                .desired_width(f32::INFINITY);
            let field = ui.name_inputs("Path of the file", |ui| ui.add(field));
            if field.changed() {
                self.problem = None;
            }
            let entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
            if !field.has_focus() && !entered {
                field.request_focus();
            }
            if let Some(problem) = &self.problem {
                ui.label(RichText::new(problem).color(Palette::of(ui.visuals()).error));
            } else if let Some(note) = self.note() {
                ui.weak(note);
            }
            ui.add_space(8.0);
            ui.horizontal(|ui| {
                confirmed = ui.button(button).clicked() || entered;
                cancelled = ui.button("Cancel").clicked();
            });
        });
        if confirmed {
            self.problem = self.fault();
            if self.problem.is_none() {
                return Some(Typed::Path(self.purpose.clone(), self.path()));
            }
        }
        (cancelled || modal.should_close()).then_some(Typed::Cancelled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dialog(purpose: Purpose, typed: &Path) -> PathDialog {
        PathDialog { typed: typed.display().to_string(), ..PathDialog::new(purpose) }
    }

    #[test]
    fn a_missing_folder_or_file_and_a_folder_are_faults() {
        let folder = tempfile::tempdir().unwrap();
        let save = |path: &Path| dialog(Purpose::Save("x.json".into()), path).fault();
        assert_eq!(save(&folder.path().join("new.json")), None);
        let fault = save(&folder.path().join("none/new.json")).unwrap();
        assert!(fault.contains("there is no folder") && fault.ends_with("make it first, or choose another"));
        assert!(save(folder.path()).unwrap().contains("is a folder"));
        assert_eq!(save(Path::new("new.json")), None, "the folder the program is in");
        assert!(save(Path::new(" ")).unwrap().contains("type the path"));
        let open = dialog(Purpose::Open, &folder.path().join("new.json"));
        assert!(open.fault().unwrap().starts_with("there is no file"));
    }

    #[test]
    fn an_ending_that_is_added_is_told() {
        let named = dialog(Purpose::Save(String::new()), Path::new("scenes/harbor"));
        assert_eq!(named.path(), Path::new("scenes/harbor.json"));
        assert_eq!(named.note().unwrap(), "It is saved as harbor.json: scenes end in .json");
        assert_eq!(dialog(Purpose::Save(String::new()), Path::new("scenes/a.txt")).note(), None);
        let export = Purpose::Export { name: "times.csv".into(), text: String::new() };
        assert_eq!(dialog(export, Path::new("scenes/times")).note(), None);
    }
}
