//! The scene, painted.

use crate::view::{Requests, View};
use crate::{format, widgets};
use egui::Ui;
use vivarium_world::inspect::{ShapesRequest, ViewRequest};

/// The scene, painted.
#[derive(Default)]
pub struct WorldPanel {}

impl WorldPanel {
    /// Asks for the shapes in sight.
    pub fn request(&self, _view: &View<'_>, wanted: &mut ViewRequest) {
        wanted.shapes = Some(ShapesRequest::default());
    }

    /// Draws the panel.
    pub fn ui(&mut self, ui: &mut Ui, view: &View<'_>, _out: &mut Requests) {
        match &view.snapshot.shapes {
            Some(shapes) => drop(ui.label(format::counted(shapes.shapes.len(), "shape"))),
            None => widgets::nothing(ui, "No picture of the scene yet"),
        }
    }
}
