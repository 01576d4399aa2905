//! The selected entity, block by block.

use crate::view::{Requests, View};
use crate::{format, widgets};
use egui::Ui;
use vivarium_world::inspect::ViewRequest;

/// The selected entity.
#[derive(Default)]
pub struct InspectorPanel {}

impl InspectorPanel {
    /// Asks for the primary entity of the selection.
    pub fn request(&self, view: &View<'_>, wanted: &mut ViewRequest) {
        wanted.details.extend(view.selection.primary());
    }

    /// Draws the panel.
    pub fn ui(&mut self, ui: &mut Ui, view: &View<'_>, _out: &mut Requests) {
        let Some(detail) = view.selection.primary().and_then(|primary| view.detail(primary)) else {
            widgets::nothing(ui, "Select an entity to look into it");
            return;
        };
        ui.heading(format::entity(&detail.type_name, detail.id));
        for state in &detail.components {
            ui.collapsing(view.component_name(state.component), |ui| {
                let fields = view.snapshot.catalog.component(state.component).map_or(&[][..], |c| &c.fields);
                for (field, value) in fields.iter().zip(&state.values) {
                    ui.label(format!("{} {value}", field.name));
                }
            });
        }
    }
}
