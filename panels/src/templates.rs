//! Classes and templates.

use crate::view::{Requests, View};
use egui::Ui;

/// Classes and templates.
#[derive(Default)]
pub struct TemplatesPanel {}

impl TemplatesPanel {
    /// Draws the panel.
    pub fn ui(&mut self, ui: &mut Ui, view: &View<'_>, _out: &mut Requests) {
        for template in &view.snapshot.catalog.templates {
            ui.label(&template.name);
        }
    }
}
