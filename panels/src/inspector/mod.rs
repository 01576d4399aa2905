//! The selected entity, block by block; a pinned one beside it; and fields watched over time.

mod add;
mod component_menu;
mod components;
mod history;
mod model;
mod raw;
mod references;
mod sheet;

use crate::theme::Palette;
use crate::view::{Requests, View, look_into};
use crate::{Request, widgets};
use egui::{Button, Panel, RichText, Ui};
use history::History;
use sheet::{Sheet, Tab};
use vivarium_world::Ordinal;
use vivarium_world::inspect::ViewRequest;

/// A sheet for what is selected, one for the pinned entity, and the watched fields.
#[derive(Default)]
pub struct InspectorPanel {
    sheet: Sheet,
    pinned: Option<(Ordinal, Sheet)>,
    history: History,
    /// Whether the watched fields are shown in the place of the entity.
    shows_history: bool,
    /// The scene the pinned entity is of.
    scene: String,
}

impl InspectorPanel {
    /// Asks for the selected entity, the pinned and the watched ones, and what several selected ones have in common.
    pub fn request(&self, view: &View<'_>, wanted: &mut ViewRequest) {
        self.history.request(wanted);
        if let Some((pinned, sheet)) = &self.pinned {
            look_into(wanted, *pinned);
            sheet.request(*pinned, wanted);
        }
        if self.shows_history {
            return;
        }
        let Some(primary) = view.selection.primary() else { return };
        look_into(wanted, primary);
        self.sheet.request(primary, wanted);
        if view.selection.len() > 1 && self.sheet.tab == Tab::Components {
            wanted.selected = view.selection.entities().collect();
        }
    }

    /// Shows blocks as they lie in memory.
    pub(crate) fn show_raw(&mut self) {
        (self.sheet.tab, self.shows_history) = (Tab::Raw, false);
    }

    /// Draws the panel.
    pub fn ui(&mut self, ui: &mut Ui, view: &View<'_>, out: &mut Requests) {
        if self.scene != view.snapshot.status.scene {
            // Its number is somebody else's now.
            self.pinned = None;
            self.scene.clone_from(&view.snapshot.status.scene);
        }
        self.history.record(view);
        self.pinned(ui, view, out);
        ui.horizontal_wrapped(|ui| {
            narrow(ui);
            let (back, forward) = view.can_go;
            let mut step = |on: bool, text: &str, name: &str, request: Request| {
                let response = ui.add_enabled(on, Button::new(text)).on_hover_text(name);
                if response.accessible_name(name).clicked() {
                    out.push(request);
                }
            };
            step(back, "←", "Selection before (Alt+Left)", Request::Back);
            step(forward, "→", "Selection after (Alt+Right)", Request::Forward);
            for tab in Tab::ALL {
                let chosen = !self.shows_history && self.sheet.tab == tab;
                if ui.selectable_label(chosen, tab.name()).clicked() {
                    (self.sheet.tab, self.shows_history) = (tab, false);
                }
            }
            if ui.selectable_label(self.shows_history, "History").clicked() {
                self.shows_history = true;
            }
        });
        if self.shows_history {
            self.history.ui(ui, view, out);
            return;
        }
        let Some(primary) = view.selection.primary() else {
            widgets::nothing(ui, "Select an entity to look into it");
            return;
        };
        let entities = view.edited_with(primary);
        let asked = self.sheet.ui(ui, view, primary, &entities, &mut self.history, out);
        if asked.pin {
            // It looks as it did where it was.
            let sheet = Sheet { tab: self.sheet.tab, is_pinned: true, ..Sheet::default() };
            self.pinned = Some((primary, sheet));
        }
        self.shows_history |= asked.history;
    }

    /// The pinned entity, above whatever is selected.
    fn pinned(&mut self, ui: &mut Ui, view: &View<'_>, out: &mut Requests) {
        let Some((pinned, sheet)) = &mut self.pinned else { return };
        let (pinned, height) = (*pinned, ui.available_height() * 0.5);
        let (mut unpin, mut history) = (false, false);
        let panel = Panel::top("pinned entity").resizable(true).default_size(height);
        panel.show(ui, |ui| {
            ui.horizontal_wrapped(|ui| {
                narrow(ui);
                ui.label(RichText::new("Pinned").color(Palette::of(ui.visuals()).strong));
                unpin = ui.button("Unpin").on_hover_text("Show the selected entity only").clicked();
                for tab in Tab::ALL {
                    let response = ui.selectable_label(sheet.tab == tab, tab.name());
                    if response.accessible_name(format!("{} of the pinned entity", tab.name())).clicked() {
                        sheet.tab = tab;
                    }
                }
            });
            ui.push_id("pinned sheet", |ui| {
                history = sheet.ui(ui, view, pinned, &[pinned], &mut self.history, out).history;
            });
        });
        self.shows_history |= history;
        if unpin {
            self.pinned = None;
        }
    }
}

/// All tabs are to stand on one line of a panel as wide as it is at first.
fn narrow(ui: &mut Ui) {
    ui.spacing_mut().item_spacing.x = 4.0;
    ui.spacing_mut().button_padding.x = 5.0;
}

#[cfg(test)]
mod tests;
