//! Samples and files.

use crate::theme::Palette;
use crate::view::{FileFacts, Requests, SampleCard, View};
use crate::{Request, format};
use egui::{Frame, RichText, ScrollArea, Ui};
use std::path::Path;
use std::time::SystemTime;

/// What can be opened, and what is.
#[derive(Default)]
pub struct ScenesPanel {}

impl ScenesPanel {
    /// Draws the panel.
    pub fn ui(&mut self, ui: &mut Ui, view: &View<'_>, out: &mut Requests) {
        ui.horizontal_wrapped(|ui| {
            if ui.button("Open…").on_hover_text("Open a scene or a save (Ctrl+O)").clicked() {
                out.push(Request::OpenFile);
            }
            ui.weak("or drop a file on the window");
        });
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            loaded(ui, view, out);
            ui.add_space(6.0);
            ui.label(RichText::new("Samples").strong());
            for sample in view.samples {
                card(ui, sample, out);
            }
            ui.add_space(6.0);
            ui.label(RichText::new("Recent files").strong());
            if view.recent.is_empty() {
                ui.weak("None yet");
            }
            for path in view.recent {
                let link = ui.link(file_name(path)).on_hover_text(path.display().to_string());
                if link.clicked() {
                    out.push(Request::OpenPath(path.clone()));
                }
                facts(ui, view, path);
            }
        });
    }
}

/// What is loaded, from where, and whether it was changed.
fn loaded(ui: &mut Ui, view: &View<'_>, out: &mut Requests) {
    let status = &view.snapshot.status;
    if status.scene.is_empty() {
        return;
    }
    ui.add_space(6.0);
    ui.label(RichText::new(&status.scene).strong().size(16.0));
    if !status.about.is_empty() {
        ui.label(&status.about);
    }
    match view.file {
        Some(path) => {
            ui.weak(file_name(path)).on_hover_text(path.display().to_string());
            facts(ui, view, path);
        }
        None => drop(ui.weak("not saved to a file")),
    }
    ui.horizontal_wrapped(|ui| {
        if ui.button("Reload").on_hover_text("Load it again from where it came from (Ctrl+R)").clicked() {
            out.push(Request::Reload);
        }
        if view.file.is_some() && ui.button("Save").on_hover_text("Ctrl+S").clicked() {
            out.push(Request::Save);
        }
        if ui.button("Save as…").on_hover_text("Ctrl+Shift+S").clicked() {
            out.push(Request::SaveAs);
        }
        if view.edited {
            ui.label(RichText::new("edited").color(Palette::of(ui.visuals()).warn));
        }
    });
}

fn card(ui: &mut Ui, sample: &SampleCard, out: &mut Requests) {
    let palette = Palette::of(ui.visuals());
    Frame::new().fill(palette.faint).corner_radius(4.0).inner_margin(8.0).show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.horizontal_wrapped(|ui| {
            if ui.link(RichText::new(&sample.name).strong()).on_hover_text("Open this sample").clicked() {
                out.push(Request::OpenSample(sample.name.clone()));
            }
            ui.weak(format::counted(sample.entities, "entity"));
        });
        ui.label(&sample.about);
    });
}

/// What is known of a file, in a line; nothing if nothing is.
fn facts(ui: &mut Ui, view: &View<'_>, path: &Path) {
    let Some(facts) = view.files.iter().find(|facts| facts.path == path) else { return };
    let palette = Palette::of(ui.visuals());
    ui.horizontal_wrapped(|ui| {
        if facts.changed {
            ui.label(RichText::new("changed on disk").small().color(palette.warn)).on_hover_text(
                "Another program changed it since it was first seen, or last read or saved here",
            );
        }
        match &facts.problem {
            Some(problem) => ui.label(RichText::new(problem).small().color(palette.error)),
            None => ui.label(RichText::new(facts_text(facts, SystemTime::now())).small().color(palette.weak)),
        }
    });
}

/// `12.0 KB · 1,204 entities · 3.4 × smaller than plain · written 3 minutes ago`
fn facts_text(facts: &FileFacts, now: SystemTime) -> String {
    let mut parts = vec![format::bytes(usize::try_from(facts.bytes).unwrap_or(usize::MAX))];
    parts.extend(facts.entities.map(|entities| format::counted(entities, "entity")));
    parts.extend(facts.smaller.map(|smaller| format!("{smaller:.1} × smaller than plain")));
    let age = facts.modified.map(|modified| now.duration_since(modified).unwrap_or_default());
    parts.extend(age.map(|age| format!("written {}", format::ago(age))));
    parts.join(" · ")
}

/// The last part of a path; all of it if it has none.
fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Fixture};
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;
    use std::time::Duration;

    fn shown(fixture: Fixture) -> Harness<'static, Fixture> {
        let mut panel = ScenesPanel::default();
        fixture::harness(fixture, move |ui, view, out| panel.ui(ui, view, out))
    }

    #[test]
    fn samples_and_recent_files_are_opened() {
        let mut harness = shown(Fixture::paused());
        harness.get_by_label("1,000 entities");
        harness.get_by_label("flock").click();
        harness.run();
        assert_eq!(harness.state_mut().take(), [Request::OpenSample("flock".to_owned())]);
        harness.get_by_label("harbor.json").click();
        harness.run();
        assert_eq!(harness.state_mut().take(), [Request::OpenPath("/home/ada/harbor.json".into())]);
        harness.get_by_label("Open…").click();
        harness.run();
        assert_eq!(harness.state_mut().take(), [Request::OpenFile]);
    }

    #[test]
    fn a_file_is_described_by_what_is_known_of_it() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        let known = FileFacts {
            path: "/home/ada/harbor.json".into(),
            bytes: 12_288,
            modified: Some(now - Duration::from_secs(190)),
            entities: Some(1_204),
            smaller: Some(3.42),
            problem: None,
            changed: false,
        };
        let text = "12.0 KB · 1,204 entities · 3.4 × smaller than plain · written 3 minutes ago";
        assert_eq!(facts_text(&known, now), text);
        let unread = FileFacts { entities: None, smaller: None, modified: None, ..known.clone() };
        assert_eq!(facts_text(&unread, now), "12.0 KB");
        let show = move |known: FileFacts| {
            let mut panel = ScenesPanel::default();
            let files = [known];
            fixture::harness(Fixture::paused(), move |ui, view, out| {
                panel.ui(ui, &View { files: &files, ..*view }, out);
            })
        };
        show(FileFacts { changed: true, ..known.clone() }).get_by_label("changed on disk");
        show(FileFacts { problem: Some("it is gone".to_owned()), ..known }).get_by_label("it is gone");
    }

    #[test]
    fn what_came_from_no_file_can_only_be_saved_as() {
        let mut harness = shown(Fixture::paused());
        assert!(harness.query_by_label("Save").is_none());
        harness.get_by_label("Save as…").click();
        harness.run();
        assert_eq!(harness.state_mut().take(), [Request::SaveAs]);
    }

    #[test]
    fn before_the_first_load_there_is_nothing_to_save() {
        let mut fixture = Fixture::paused();
        fixture.snapshot.status = Default::default();
        let harness = shown(fixture);
        assert!(harness.query_by_label("Save as…").is_none());
        harness.get_by_label("harbor");
    }
}
