//! What stands above the journal: recording, choosing, exporting.

use super::{JournalPanel, model};
use crate::theme::Palette;
use crate::view::{Requests, View};
use crate::widgets;
use egui::containers::menu::{MenuButton, MenuConfig};
use egui::{Button, ComboBox, DragValue, PopupCloseBehavior, RichText, ScrollArea, TextEdit, Ui};
use vivarium_world::inspect::JournalView;
use vivarium_world::{Asker, Command, Journal, JournalKind, Target};

impl JournalPanel {
    pub(super) fn toolbar(
        &mut self,
        ui: &mut Ui,
        view: &View<'_>,
        journal: &JournalView,
        out: &mut Requests,
    ) {
        ui.horizontal_wrapped(|ui| {
            record(ui, journal, out);
            ui.separator();
            ui.label(model::summary(journal));
            keep(ui, journal, out);
            let some = journal.kept > 0;
            let button = ui.add_enabled(some, Button::new("Clear")).on_hover_text("Forget every entry");
            if button.clicked() {
                out.push(Command::ForgetJournal.into());
            }
            let button = ui.add_enabled(some, Button::new("Export CSV…"));
            if button.on_hover_text("Write the entries that match to a file, oldest first").clicked() {
                out.push(self.export().into());
            }
            self.watch_menu(ui, view, out);
        });
        ui.horizontal_wrapped(|ui| {
            let edit = TextEdit::singleline(&mut self.filter)
                .hint_text("Filter: type:guardian, health.health < 10")
                .desired_width(260.0);
            ui.add(edit).accessible_name("Filter journal").on_hover_text(
                "The language of the entity list. An entry is shown if this held for its entity when it happened; \
                 changed:5t holds for the last five ticks.",
            );
            self.askers(ui, view);
            for kind in JournalKind::ALL {
                let mut on = !self.hidden.contains(&kind);
                let name = format!("Show {}", kind.name());
                if ui.checkbox(&mut on, kind.name()).accessible_name(name).changed() {
                    match on {
                        true => self.hidden.retain(|hidden| *hidden != kind),
                        false => self.hidden.push(kind),
                    }
                }
            }
        });
    }

    /// Lets the user choose a field of the selected entity whose every change is recorded.
    fn watch_menu(&mut self, ui: &mut Ui, view: &View<'_>, out: &mut Requests) {
        let Some(entity) = view.selection.primary() else {
            ui.add_enabled(false, Button::new("Watch")).on_disabled_hover_text("Select an entity first");
            return;
        };
        let config = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
        let menu = MenuButton::new("Watch").config(config).ui(ui, |ui| {
            ui.weak(format!("Record every change, whoever makes it, of {}", view.entity_label(entity)));
            let edit = TextEdit::singleline(&mut self.field_filter).hint_text("Filter fields");
            ui.add(edit.desired_width(180.0)).accessible_name("Filter fields to watch");
            ScrollArea::vertical().max_height(280.0).show(ui, |ui| {
                for name in model::fields_of(view, entity) {
                    let Some((component, field)) = name.split_once('.') else { continue };
                    if widgets::fuzzy(&self.field_filter, &name) && ui.button(&name).clicked() {
                        let target = Target { component: component.to_owned(), field: field.to_owned() };
                        out.push(Command::Watch { entity, target, on: true }.into());
                        ui.close();
                    }
                }
            });
        });
        menu.0.on_hover_text("Record every change of a field of the selected entity");
    }

    fn export(&self) -> Command {
        let (filter, by) = (self.filter.clone(), self.by);
        Command::ExportJournal { filter, kinds: model::kinds_without(&self.hidden), by }
    }

    /// Lets the user choose whose deeds are shown.
    fn askers(&mut self, ui: &mut Ui, view: &View<'_>) {
        let text = match self.by {
            None => "anyone".to_owned(),
            Some(Asker::System(system)) => view.system_name(system),
            Some(by) => model::asker_text(by, "").to_owned(),
        };
        ui.weak("asked by");
        ui.name_inputs("Asked by", |ui| {
            ComboBox::from_id_salt("asked by").selected_text(text).width(100.0).show_ui(ui, |ui| {
                ui.selectable_value(&mut self.by, None, "anyone");
                for by in [Asker::Hand, Asker::World] {
                    ui.selectable_value(&mut self.by, Some(by), model::asker_text(by, ""));
                }
                for system in &view.snapshot.systems {
                    ui.selectable_value(&mut self.by, Some(Asker::System(system.id)), &system.name);
                }
            });
        });
    }
}

/// Starts and stops recording.
fn record(ui: &mut Ui, journal: &JournalView, out: &mut Requests) {
    let (palette, on) = (Palette::of(ui.visuals()), journal.is_recording);
    let (text, tip) = match on {
        true => ("Stop", "Record no longer; what is recorded stays"),
        false => ("Record", "Record what happens to entities from now on; it costs something for each"),
    };
    if ui.button(text).on_hover_text(tip).clicked() {
        out.push(Command::Record { on: !on, keep: None }.into());
    }
    match on {
        true => ui.label(RichText::new("● recording").color(palette.error).strong()),
        false => ui.label(RichText::new("not recording").color(palette.weak)),
    };
}

/// Lets the user choose how many entries are kept.
fn keep(ui: &mut Ui, journal: &JournalView, out: &mut Requests) {
    let mut keep = journal.limit;
    let drag = DragValue::new(&mut keep).range(1..=Journal::MOST).speed(100.0).prefix("keep ");
    let response = ui.name_inputs("Entries to keep", |ui| ui.add(drag));
    let response = response.on_hover_text("How many entries are kept; the oldest make room");
    if response.changed() && keep != journal.limit {
        out.push(Command::Record { on: journal.is_recording, keep: Some(keep) }.into());
    }
}
