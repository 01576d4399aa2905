//! The list of entities.

use crate::view::{Requests, View};
use crate::{Select, format, widgets};
use egui::{TextEdit, Ui};
use vivarium_world::inspect::{EntitiesRequest, ViewRequest};

/// The filter, and the rows in sight.
#[derive(Default)]
pub struct EntitiesPanel {
    filter: String,
    focus: bool,
}

impl EntitiesPanel {
    /// Asks for the rows in sight.
    pub fn request(&self, _view: &View<'_>, wanted: &mut ViewRequest) {
        let filter = self.filter.clone();
        wanted.entities = Some(EntitiesRequest { filter, count: 200, ..EntitiesRequest::default() });
    }

    /// Draws the panel.
    pub fn ui(&mut self, ui: &mut Ui, view: &View<'_>, out: &mut Requests) {
        let search = ui.add(TextEdit::singleline(&mut self.filter).hint_text("Search"));
        if std::mem::take(&mut self.focus) {
            search.request_focus();
        }
        let Some(page) = &view.snapshot.entities else { return };
        ui.label(format!(
            "{} · {}",
            widgets::shown_of(page.matching, page.total),
            format::duration(page.took)
        ));
        egui::ScrollArea::vertical().show(ui, |ui| {
            for row in &page.rows {
                let label = format::entity(&row.type_name, row.id);
                if ui.selectable_label(view.selection.contains(row.ordinal), label).clicked() {
                    out.push(Select::Only(row.ordinal).into());
                }
            }
        });
    }

    /// Replaces the filter.
    pub fn set_filter(&mut self, filter: String) {
        self.filter = filter;
    }

    /// Puts the keyboard into the search box.
    pub fn focus_search(&mut self) {
        self.focus = true;
    }
}
