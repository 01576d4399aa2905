//! Samples and files.

use crate::Request;
use crate::view::{Requests, View};
use egui::Ui;

/// What can be opened.
#[derive(Default)]
pub struct ScenesPanel {}

impl ScenesPanel {
    /// Draws the panel.
    pub fn ui(&mut self, ui: &mut Ui, view: &View<'_>, out: &mut Requests) {
        if ui.button("Open…").clicked() {
            out.push(Request::OpenFile);
        }
        for sample in view.samples {
            if ui.link(&sample.name).on_hover_text(&sample.about).clicked() {
                out.push(Request::OpenSample(sample.name.clone()));
            }
        }
    }
}
