//! Times of ticks and systems.

use crate::view::{Requests, View};
use crate::{format, widgets};
use egui::Ui;
use vivarium_world::inspect::ViewRequest;

/// Times.
#[derive(Default)]
pub struct TimingPanel {}

impl TimingPanel {
    /// Asks for the timings.
    pub fn request(&self, _view: &View<'_>, wanted: &mut ViewRequest) {
        wanted.timing = true;
    }

    /// Draws the panel.
    pub fn ui(&mut self, ui: &mut Ui, view: &View<'_>, _out: &mut Requests) {
        let Some(timing) = &view.snapshot.timing else {
            widgets::nothing(ui, "No timings yet");
            return;
        };
        for row in &timing.rows {
            ui.label(format!("{} {}", row.name, format::duration(row.avg)));
        }
    }
}
