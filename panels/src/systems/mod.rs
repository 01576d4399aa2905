//! Systems, batches and why they wait.

mod batches; // a card a batch
mod cards; // the lines of those cards
mod detail; // the selected system
mod graph; // the selected system and its neighbours
mod graph_layout; // where their boxes stand
mod links; // names that are links
mod matrix; // every pair of systems
mod model; // words and texts
#[cfg(test)]
mod tests;
mod what_if; // one pair, and the batches without its reasons

use crate::view::{Requests, View};
use crate::{format, widgets};
use egui::{Panel, ScrollArea, Ui};
use model::Copied;
use vivarium_world::ComponentId;
use vivarium_world::inspect::{ScheduleView, SystemView, ViewRequest};

/// Which view is shown, and what each remembers.
#[derive(Default)]
pub struct SystemsPanel {
    mode: Mode,
    batches: batches::Batches,
    matrix: matrix::Matrix,
    detail: detail::Detail,
    /// The component whose readers and writers are marked.
    mark: Option<ComponentId>,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Mode {
    #[default]
    Batches,
    Matrix,
    Graph,
}

/// A panel as wide as this has its side at the right, a narrower one below.
const WIDE: f32 = 860.0;

impl SystemsPanel {
    /// Asks for the systems and the schedule.
    pub fn request(&self, _view: &View<'_>, wanted: &mut ViewRequest) {
        wanted.systems = true;
        wanted.schedule = true;
    }

    /// Draws the panel.
    pub fn ui(&mut self, ui: &mut Ui, view: &View<'_>, out: &mut Requests) {
        if view.snapshot.systems.is_empty() {
            widgets::nothing(ui, "The scene has no systems, or they were not read yet");
            return;
        }
        let schedule = view.snapshot.schedule.as_deref();
        self.toolbar(ui, view, schedule);
        if let Some(system) = view.selection.system().and_then(|id| view.system(id)) {
            self.side(ui, view, system, schedule, out);
        }
        match (self.mode, schedule) {
            (Mode::Matrix, Some(schedule)) => self.matrix.ui(ui, view, schedule, &mut self.mark, out),
            (Mode::Graph, Some(schedule)) => {
                let clicked = graph::ui(ui, view, schedule, self.mark, out);
                if let Some(pair) = clicked {
                    self.matrix.pair = Some(pair);
                    self.mode = Mode::Matrix;
                }
            }
            _ => self.batches.ui(ui, view, schedule, &mut self.mark, out),
        }
    }

    /// What is set and known of the selected system.
    fn side(
        &mut self,
        ui: &mut Ui,
        view: &View<'_>,
        system: &SystemView,
        schedule: Option<&ScheduleView>,
        out: &mut Requests,
    ) {
        let id = ui.scope_id();
        let panel = if ui.available_width() >= WIDE {
            Panel::right(id.with("system side")).resizable(true).default_size(300.0)
        } else {
            Panel::bottom(id.with("system detail")).resizable(true).default_size(190.0)
        };
        panel.show(ui, |ui| {
            ScrollArea::vertical()
                .auto_shrink(false)
                .show(ui, |ui| self.detail.ui(ui, view, system, schedule, &mut self.mark, out));
        });
    }

    fn toolbar(&mut self, ui: &mut Ui, view: &View<'_>, schedule: Option<&ScheduleView>) {
        ui.horizontal_wrapped(|ui| {
            let Some(schedule) = schedule else {
                ui.weak("The scene's scheduler makes no batches");
                return;
            };
            for (mode, name) in [(Mode::Batches, "Batches"), (Mode::Matrix, "Matrix"), (Mode::Graph, "Graph")]
            {
                ui.selectable_value(&mut self.mode, mode, name);
            }
            ui.separator();
            self.component_menu(ui, view);
            ui.separator();
            ui.menu_button("Copy", |ui| {
                for (form, title, tip) in Copied::ALL {
                    if ui.button(title).on_hover_text(tip).clicked() {
                        ui.copy_text(form.text(view, schedule));
                        ui.close();
                    }
                }
            });
            ui.separator();
            let systems = format::counted(view.snapshot.systems.len(), "system");
            ui.label(format!("{systems} in {}", batches_text(schedule.batches.len())));
            match view.snapshot.status.backlog {
                0 => {}
                backlog => drop(ui.label(format!("backlog {}", format::counted(backlog, "update")))),
            }
        });
    }

    fn component_menu(&mut self, ui: &mut Ui, view: &View<'_>) {
        let text = self.mark.map_or_else(|| "none".to_owned(), |id| view.component_name(id));
        ui.label("Mark");
        ui.name_inputs("Mark who touches", |ui| {
            egui::ComboBox::from_id_salt("mark").selected_text(text).show_ui(ui, |ui| {
                ui.selectable_value(&mut self.mark, None, "none");
                for component in &view.snapshot.catalog.components {
                    ui.selectable_value(&mut self.mark, Some(component.id), &component.name);
                }
            });
        });
    }
}

/// `1 batch`, `3 batches`
fn batches_text(count: usize) -> String {
    if count == 1 { "1 batch".to_owned() } else { format!("{} batches", format::count(count)) }
}
