//! What the window shows before there is a world.

use crate::keys::Action;
use crate::pictures::Picture;
use crossbeam_channel::Receiver;
use egui::{Align, Button, Frame, Layout, RichText, ScrollArea, Sense, Ui, UiBuilder, vec2};
use vivarium_panels::{Palette, Request, SampleCard, View, count};
use vivarium_world::LogLevel;
use vivarium_world::inspect::RunState;

/// Width of a card, height of its picture and of its text, in points.
const CARD: f32 = 250.0;
const PICTURE: f32 = 140.0;
const TEXT: f32 = 100.0;
/// Space within a card and between cards.
const SPACE: f32 = 12.0;

/// The pictures of the samples that are there, and those that are to come.
#[derive(Default)]
pub(super) struct Pictures {
    pub(super) coming: Option<Receiver<Picture>>,
    pub(super) here: Vec<Picture>,
}

impl Pictures {
    fn get(&mut self, name: &str) -> Option<&Picture> {
        if let Some(coming) = &self.coming {
            self.here.extend(coming.try_iter());
        }
        self.here.iter().find(|picture| picture.name == name)
    }
}

/// Draws the samples as cards, the recent files and how to open another.
pub(super) fn ui(ui: &mut Ui, view: &View<'_>, pictures: &mut Pictures, out: &mut Vec<Request>) {
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        let columns =
            ((ui.available_width() / (CARD + 3.0 * SPACE)) as usize).clamp(1, view.samples.len().max(1));
        let width = columns as f32 * (CARD + 3.0 * SPACE) - SPACE;
        let left = ((ui.available_width() - width) / 2.0).max(0.0);
        ui.horizontal_top(|ui| {
            ui.add_space(left);
            ui.vertical(|ui| {
                ui.set_width(width.min(ui.available_width()));
                begin(ui, view, out);
                samples(ui, view, columns, pictures, out);
                recent(ui, view, out);
            });
        });
    });
}

fn begin(ui: &mut Ui, view: &View<'_>, out: &mut Vec<Request>) {
    ui.add_space(24.0);
    ui.label(RichText::new("Vivarium").size(30.0).strong());
    ui.label("Keeps a living entity world under glass.");
    ui.add_space(10.0);
    if let RunState::Loading { fraction } = view.snapshot.status.run_state {
        ui.add(egui::ProgressBar::new(fraction).desired_width(CARD).text("loading"));
    }
    ui.horizontal(|ui| {
        if ui.add(Button::new(RichText::new("Open…").size(16.0))).clicked() {
            out.push(Request::OpenFile);
        }
        ui.weak("or drop a scene or a save on this window");
    });
    errors(ui, view);
}

/// What went wrong: the log that keeps it is not in sight here.
fn errors(ui: &mut Ui, view: &View<'_>) {
    /// As many as one reads.
    const SHOWN: usize = 3;
    let palette = Palette::of(ui.visuals());
    let errors = view.log.iter().rev().filter(|line| line.level == LogLevel::Error);
    for line in errors.take(SHOWN) {
        ui.add_space(6.0);
        ui.label(RichText::new(&line.message).color(palette.error));
    }
}

/// What stands where panels would, if all are closed.
pub(super) fn no_panels(ui: &mut Ui, out: &mut Vec<Action>) {
    ui.vertical_centered(|ui| {
        ui.add_space(ui.available_height() / 3.0);
        ui.label("All panels are closed. The View menu opens them one by one.");
        ui.add_space(6.0);
        if ui.button("Open them as at first").clicked() {
            out.push(Action::ResetLayout);
        }
    });
}

fn samples(ui: &mut Ui, view: &View<'_>, columns: usize, pictures: &mut Pictures, out: &mut Vec<Request>) {
    if view.samples.is_empty() {
        return;
    }
    ui.add_space(18.0);
    ui.heading("Samples");
    for row in view.samples.chunks(columns) {
        ui.add_space(SPACE / 2.0);
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = SPACE;
            for sample in row {
                card(ui, sample, pictures.get(&sample.name), out);
            }
        });
    }
}

fn recent(ui: &mut Ui, view: &View<'_>, out: &mut Vec<Request>) {
    if view.recent.is_empty() {
        return;
    }
    ui.add_space(18.0);
    ui.heading("Recent files");
    for path in view.recent {
        if ui.link(path.display().to_string()).clicked() {
            out.push(Request::OpenPath(path.clone()));
        }
    }
}

/// A card that can be pressed anywhere.
fn card(ui: &mut Ui, sample: &SampleCard, picture: Option<&Picture>, out: &mut Vec<Request>) {
    let palette = Palette::of(ui.visuals());
    let response = ui
        .scope_builder(UiBuilder::new().sense(Sense::click()), |ui| {
            let line = if ui.response().hovered() { palette.accent } else { palette.line };
            let frame = Frame::new().fill(palette.faint).stroke((1.0, line)).corner_radius(6.0);
            frame.inner_margin(SPACE).show(ui, |ui| content(ui, sample, picture, out));
        })
        .response;
    if response.on_hover_cursor(egui::CursorIcon::PointingHand).clicked() {
        out.push(Request::OpenSample(sample.name.clone()));
    }
}

fn content(ui: &mut Ui, sample: &SampleCard, picture: Option<&Picture>, out: &mut Vec<Request>) {
    let palette = Palette::of(ui.visuals());
    ui.allocate_ui_with_layout(vec2(CARD, 0.0), Layout::top_down(Align::Min), |ui| {
        ui.set_width(CARD);
        ui.set_min_height(PICTURE + TEXT);
        let (_, rect) = ui.allocate_space(vec2(CARD, PICTURE));
        ui.painter().rect_filled(rect, 4.0, palette.field);
        if let Some(picture) = picture {
            picture.paint(ui.painter(), rect.shrink(4.0));
        }
        if ui.link(RichText::new(&sample.name).size(16.0).strong()).clicked() {
            out.push(Request::OpenSample(sample.name.clone()));
        }
        ui.label(&sample.about);
        ui.weak(if sample.entities == 1 {
            "1 entity".to_owned()
        } else {
            format!("{} entities", count(sample.entities as u64))
        });
    });
}
