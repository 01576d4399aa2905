//! The log.

use crate::view::{Requests, View};
use egui::Ui;

/// The log.
#[derive(Default)]
pub struct LogPanel {}

impl LogPanel {
    /// Draws the panel.
    pub fn ui(&mut self, ui: &mut Ui, view: &View<'_>, _out: &mut Requests) {
        let height = ui.text_style_height(&egui::TextStyle::Body);
        egui::ScrollArea::vertical().stick_to_bottom(true).auto_shrink(false).show_rows(
            ui,
            height,
            view.log.len(),
            |ui, rows| {
                for line in view.log.get(rows).unwrap_or_default() {
                    ui.label(format!("{} {} {}", line.tick, line.source, line.message));
                }
            },
        );
    }
}
