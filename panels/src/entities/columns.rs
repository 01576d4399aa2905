//! The columns of the entity list: their headers, and fields dropped on the list.

use super::{EntitiesPanel, model};
use crate::theme::Palette;
use crate::widgets::DraggedField;
use egui::accesskit::Role;
use egui::{DragAndDrop, Rect, RichText, Sense, StrokeKind, TextStyle, Ui, WidgetInfo};
use egui_extras::TableRow;
use vivarium_world::inspect::{EntityPage, Sort, SortBy};

/// Letters and width of the longest id, so that none is cut.
pub(super) fn id_width(ui: &Ui, page: &EntityPage) -> (usize, f32) {
    let longest = page.rows.iter().map(|row| row.id.to_string().len()).max().unwrap_or(0);
    // In whole steps: a column that is wider by a letter is a new one, with its first width.
    let letters = longest.max(6).next_multiple_of(3);
    let font = TextStyle::Monospace.resolve(ui.style());
    let letter = ui.fonts_mut(|fonts| fonts.glyph_width(&font, '0'));
    (letters, letters as f32 * letter + 8.0)
}

impl EntitiesPanel {
    /// The whole cell of a title sorts by its column.
    pub(super) fn header(&mut self, row: &mut TableRow<'_, '_>) {
        let (mut chosen, mut removed) = (None, None);
        let mut title = |row: &mut TableRow<'_, '_>, text: &str, by: SortBy, place: Option<usize>| {
            row.col(|ui| {
                let arrow = match (self.sort.by == by, self.sort.descending) {
                    (false, _) => "",
                    (true, false) => " ↑",
                    (true, true) => " ↓",
                };
                let cell = ui.max_rect();
                let response = ui.interact(cell, ui.scope_id().with(("title", text)), Sense::click());
                if response.hovered() || response.has_focus() {
                    ui.painter().rect_filled(cell, 2.0, Palette::of(ui.visuals()).chip);
                }
                ui.label(RichText::new(format!("{text}{arrow}")).strong());
                response.widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("Sort by {text}")));
                let response = response.on_hover_text("Sort by this; a right click offers more");
                if response.clicked() {
                    chosen = Some(model::clicked(&self.sort, by.clone()));
                }
                response.context_menu(|ui| {
                    for (text, descending) in [("Least first", false), ("Greatest first", true)] {
                        if ui.button(text).clicked() {
                            chosen = Some(Sort { by: by.clone(), descending });
                        }
                    }
                    if place.is_some() && ui.button("Remove column").clicked() {
                        removed = place;
                    }
                });
            });
        };
        title(row, "id", SortBy::Id, None);
        title(row, "type", SortBy::Type, None);
        title(row, "class", SortBy::Class, None);
        for (place, field) in self.fields.iter().enumerate() {
            title(row, field, SortBy::Field(field.clone()), Some(place));
        }
        title(row, "components", SortBy::Components, None);
        if let Some(sort) = chosen {
            self.sort = sort;
            self.start_over();
        }
        if let Some(place) = removed {
            let field = SortBy::Field(self.fields.remove(place));
            if self.sort.by == field {
                self.sort = Sort::default();
            }
        }
    }

    /// A field that is dropped anywhere on the panel becomes a column.
    pub(super) fn take_dragged(&mut self, ui: &Ui, panel: Rect) {
        let Some(field) = DragAndDrop::payload::<DraggedField>(ui.ctx()) else { return };
        let is_over = ui.input(|input| input.pointer.latest_pos()).is_some_and(|at| panel.contains(at));
        let accent = Palette::of(ui.visuals()).accent;
        ui.painter().rect_stroke(
            panel.shrink(1.0),
            2.0,
            egui::Stroke::new(if is_over { 2.0 } else { 1.0 }, accent),
            StrokeKind::Inside,
        );
        if is_over && ui.input(|input| input.pointer.any_released()) {
            DragAndDrop::clear_payload(ui.ctx());
            self.add_column(field.0.clone());
        }
    }
}
