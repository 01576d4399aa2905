//! Times of ticks and systems.

mod detail; // one row opened: histogram and plot
mod export; // files for other programs
mod lanes; // the runs of one tick, by worker
mod model; // what is drawn, computed
mod strip; // the last ticks, and the slowest
mod table; // a row for each that is measured
#[cfg(test)]
mod tests;

use crate::view::{Requests, View};
use crate::{Request, format, widgets};
use egui::{DragValue, ScrollArea, Ui};
pub use export::TimingsForm;
use vivarium_world::Command;
use vivarium_world::inspect::{TickSample, TimingView, ViewRequest};

/// The chosen tick, which stays while others go by, the order of the rows, and the one that is open.
#[derive(Default)]
pub struct TimingPanel {
    chosen: Option<TickSample>,
    /// The ticks among which one was chosen: the strip stands still.
    frozen: Option<Vec<TickSample>>,
    table: table::Table,
    /// The length of a window while it is being changed, in milliseconds.
    window: Option<f64>,
}

impl TimingPanel {
    /// Asks for the timings.
    pub fn request(&self, _view: &View<'_>, wanted: &mut ViewRequest) {
        wanted.timing = true;
        wanted.systems = true;
    }

    /// Draws the panel.
    pub fn ui(&mut self, ui: &mut Ui, view: &View<'_>, out: &mut Requests) {
        let Some(timing) = &view.snapshot.timing else {
            widgets::nothing(ui, "No timings yet");
            return;
        };
        // A scene was loaded anew: what was kept is of another one.
        if self.chosen.as_ref().is_some_and(|tick| tick.tick > view.snapshot.status.tick) {
            self.let_go();
        }
        self.toolbar(ui, view, timing, out);
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            // Beside the bar that floats over the right edge.
            ui.set_max_width(ui.available_width() - ui.spacing().scroll.bar_width);
            self.strips(ui, view, timing);
            if let Some(tick) = &self.chosen {
                ui.add_space(4.0);
                lanes::ui(ui, view, tick, out);
            }
            ui.add_space(4.0);
            let ticks = self.frozen.as_ref().unwrap_or(&timing.ticks);
            self.table.ui(ui, view, timing, ticks, out);
            ui.add_space(4.0);
            detail::ui(ui, view, timing, ticks, self.table.open.as_ref());
        });
    }

    fn toolbar(&mut self, ui: &mut Ui, view: &View<'_>, timing: &TimingView, out: &mut Requests) {
        ui.horizontal_wrapped(|ui| {
            let tip = "Forget the slowest ticks and begin a new window";
            if ui.button("Reset").on_hover_text(tip).clicked() {
                out.push(Command::ResetTiming.into());
                self.let_go();
            }
            if ui.button("Copy as text").clicked() {
                ui.copy_text(model::as_text(view, timing, self.table.by));
            }
            ui.menu_button("Export", |ui| {
                for form in TimingsForm::ALL {
                    if ui.button(form.title()).clicked() {
                        out.push(self.export(view, timing, form));
                        ui.close();
                    }
                }
            });
            ui.separator();
            self.window_length(ui, timing, out);
            let budget = format::duration(model::budget(view.snapshot.status.step));
            ui.weak(format!("budget {budget} a tick"));
            if let Some(tick) = &self.chosen {
                ui.separator();
                let still = if self.frozen.is_some() { ", and the strip stands still" } else { "" };
                ui.label(format!("tick {} is kept{still}", format::count(tick.tick)));
                if ui.link("Let go").clicked() {
                    self.let_go();
                }
            }
        });
    }

    fn window_length(&mut self, ui: &mut Ui, timing: &TimingView, out: &mut Requests) {
        ui.label("window");
        let mut length = self.window.unwrap_or(timing.window.as_secs_f64() * 1e3);
        let drag = DragValue::new(&mut length).range(10.0..=600_000.0).speed(10.0).max_decimals(0);
        let drag = drag.suffix(" ms").update_while_editing(false);
        let response = ui.add(drag).accessible_name("Length of a window");
        let response = response.on_hover_text("What the table is computed over, in elapsed time");
        if response.changed() {
            self.window = Some(length);
        }
        if !response.dragged()
            && let Some(milliseconds) = self.window.take()
        {
            out.push(Command::TimingWindow { milliseconds }.into());
        }
    }

    fn export(&self, view: &View<'_>, timing: &TimingView, form: TimingsForm) -> Request {
        let name = view.snapshot.status.scene.to_lowercase().replace(|c: char| !c.is_alphanumeric(), "-");
        let system_name = |system| view.system_name(system);
        let text = match &self.frozen {
            Some(ticks) => form.write(&TimingView { ticks: ticks.clone(), ..timing.clone() }, system_name),
            None => form.write(timing, system_name),
        };
        Request::Export { name: format!("{name}-timings{}", form.ending()), text }
    }

    fn strips(&mut self, ui: &mut Ui, view: &View<'_>, timing: &TimingView) {
        let budget = model::budget(view.snapshot.status.step);
        let kept = self.chosen.as_ref().map(|tick| tick.tick);
        let ticks = self.frozen.as_ref().unwrap_or(&timing.ticks);
        let chosen = strip::last(ui, ticks, kept, budget).cloned();
        if !timing.slowest.is_empty() {
            ui.weak("Slowest since the load or the last reset");
        }
        let slowest = strip::slowest(ui, &timing.slowest, kept, budget).cloned();
        if chosen.is_some() && self.frozen.is_none() {
            self.frozen = Some(timing.ticks.clone());
        }
        self.chosen = slowest.or(chosen).or(self.chosen.take());
    }

    fn let_go(&mut self) {
        (self.chosen, self.frozen) = (None, None);
    }
}
