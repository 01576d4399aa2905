//! Systems, batches and why they wait.

use crate::view::{Requests, View};
use egui::Ui;
use vivarium_world::Command;
use vivarium_world::inspect::ViewRequest;

/// The schedule.
#[derive(Default)]
pub struct SystemsPanel {}

impl SystemsPanel {
    /// Asks for the systems and the schedule.
    pub fn request(&self, _view: &View<'_>, wanted: &mut ViewRequest) {
        wanted.systems = true;
        wanted.schedule = true;
    }

    /// Draws the panel.
    pub fn ui(&mut self, ui: &mut Ui, view: &View<'_>, out: &mut Requests) {
        for system in &view.snapshot.systems {
            let mut on = system.enabled;
            if ui.checkbox(&mut on, &system.name).changed() {
                out.push(Command::Enable { system: system.id, on }.into());
            }
        }
    }
}
