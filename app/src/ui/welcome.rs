//! What the window shows before there is a world.

use egui::{Frame, RichText, ScrollArea, Ui, vec2};
use vivarium_panels::{Palette, Request, SampleCard, View};
use vivarium_world::inspect::RunState;

/// Width of a card, in points.
const CARD: f32 = 230.0;

/// Draws the samples as cards, the recent files and how to open another.
pub(super) fn ui(ui: &mut Ui, view: &View<'_>, out: &mut Vec<Request>) {
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.vertical_centered(|ui| {
            ui.add_space(24.0);
            ui.label(RichText::new("Vivarium").size(30.0).strong());
            ui.label("Keeps a living entity world under glass.");
            ui.add_space(10.0);
            if let RunState::Loading { fraction } = view.snapshot.status.run_state {
                ui.add(egui::ProgressBar::new(fraction).desired_width(CARD * 2.0).text("loading"));
            }
            if ui.button(RichText::new("Open…").size(16.0)).clicked() {
                out.push(Request::OpenFile);
            }
            ui.weak("or drop a scene or a save on this window");
            ui.add_space(16.0);
        });
        if !view.samples.is_empty() {
            ui.heading("Samples");
            ui.horizontal_wrapped(|ui| {
                for sample in view.samples {
                    card(ui, sample, out);
                }
            });
        }
        if !view.recent.is_empty() {
            ui.add_space(12.0);
            ui.heading("Recent files");
            for path in view.recent {
                if ui.link(path.display().to_string()).clicked() {
                    out.push(Request::OpenPath(path.clone()));
                }
            }
        }
    });
}

fn card(ui: &mut Ui, sample: &SampleCard, out: &mut Vec<Request>) {
    let palette = Palette::of(ui.visuals());
    Frame::new().fill(palette.faint).stroke((1.0, palette.line)).corner_radius(6.0).inner_margin(10.0).show(
        ui,
        |ui| {
            ui.allocate_ui(vec2(CARD, 96.0), |ui| {
                ui.set_min_size(vec2(CARD, 96.0));
                ui.vertical(|ui| {
                    ui.set_width(CARD);
                    if ui.link(RichText::new(&sample.name).size(16.0).strong()).clicked() {
                        out.push(Request::OpenSample(sample.name.clone()));
                    }
                    ui.label(&sample.about);
                    ui.weak(format!("{} entities", sample.entities));
                });
            });
        },
    );
}
