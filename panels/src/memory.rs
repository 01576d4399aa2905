//! Pools.

use crate::view::{Requests, View};
use crate::{format, widgets};
use egui::Ui;
use vivarium_world::inspect::ViewRequest;

/// Pools and their fill.
#[derive(Default)]
pub struct MemoryPanel {}

impl MemoryPanel {
    /// Asks for the pools.
    pub fn request(&self, _view: &View<'_>, wanted: &mut ViewRequest) {
        wanted.memory = true;
    }

    /// Draws the panel.
    pub fn ui(&mut self, ui: &mut Ui, view: &View<'_>, _out: &mut Requests) {
        let Some(memory) = &view.snapshot.memory else {
            widgets::nothing(ui, "No picture of the pools yet");
            return;
        };
        for pool in &memory.pools {
            let name = view.component_name(pool.component);
            ui.label(format!(
                "{name} {} of {}",
                format::count(pool.live as u64),
                format::count(pool.capacity as u64)
            ));
        }
    }
}
