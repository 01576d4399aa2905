//! Systems, batches and why they wait.

mod matrix;
mod model;

use crate::field_editor::{Edited, Holding};
use crate::theme::Palette;
use crate::view::{Requests, View};
use crate::{Select, format, widgets};
use egui::{Align2, DragValue, Panel, Rect, RichText, ScrollArea, Sense, TextStyle, Ui, accesskit, vec2};
use egui_extras::{Column, TableRow};
use model::{Line, Touch};
use std::time::Duration;
use vivarium_world::inspect::{ScheduleView, SystemView, ViewRequest};
use vivarium_world::{Command, ComponentId, SystemId};

/// Which view, which pair is explained, and the parameter being edited.
#[derive(Default)]
pub struct SystemsPanel {
    mode: Mode,
    pair: matrix::Pair,
    /// The component whose readers and writers are marked.
    component: Option<ComponentId>,
    holding: Holding<(SystemId, usize)>,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Mode {
    #[default]
    Batches,
    Matrix,
}

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
            let panel =
                Panel::bottom(ui.scope_id().with("system detail")).resizable(true).default_size(150.0);
            panel.show(ui, |ui| {
                ScrollArea::vertical()
                    .auto_shrink(false)
                    .show(ui, |ui| self.detail(ui, view, system, schedule, out));
            });
        }
        match (self.mode, schedule) {
            (Mode::Matrix, Some(schedule)) => matrix::ui(ui, view, schedule, &mut self.pair),
            _ => self.list(ui, view, schedule, out),
        }
    }

    fn toolbar(&mut self, ui: &mut Ui, view: &View<'_>, schedule: Option<&ScheduleView>) {
        ui.horizontal_wrapped(|ui| {
            let Some(schedule) = schedule else {
                ui.weak("The scene's scheduler makes no batches");
                return;
            };
            ui.selectable_value(&mut self.mode, Mode::Batches, "Batches");
            ui.selectable_value(&mut self.mode, Mode::Matrix, "Matrix");
            ui.separator();
            let batches = schedule.batches.len();
            let batches = if batches == 1 { "1 batch".to_owned() } else { format!("{batches} batches") };
            ui.label(format!("{} in {batches}", format::counted(view.snapshot.systems.len(), "system")));
            ui.separator();
            self.component_menu(ui, view);
            ui.separator();
            if ui.button("Copy as text").clicked() {
                ui.copy_text(model::as_text(view, schedule));
            }
            if ui.button("Copy as DOT").on_hover_text("For Graphviz").clicked() {
                ui.copy_text(model::as_dot(view, schedule));
            }
        });
    }

    fn component_menu(&mut self, ui: &mut Ui, view: &View<'_>) {
        let text = self.component.map_or_else(|| "none".to_owned(), |id| view.component_name(id));
        ui.label("Mark");
        ui.name_inputs("Mark who touches", |ui| {
            egui::ComboBox::from_id_salt("mark").selected_text(text).show_ui(ui, |ui| {
                ui.selectable_value(&mut self.component, None, "none");
                for component in &view.snapshot.catalog.components {
                    ui.selectable_value(&mut self.component, Some(component.id), &component.name);
                }
            });
        });
    }

    fn list(&self, ui: &mut Ui, view: &View<'_>, schedule: Option<&ScheduleView>, out: &mut Requests) {
        let lines = model::lines(&view.snapshot.systems, schedule);
        let slowest = view.snapshot.systems.iter().map(|system| system.mean).max().unwrap_or_default();
        ScrollArea::horizontal().auto_shrink(false).show(ui, |ui| {
            ui.style_mut().interaction.selectable_labels = false;
            let clip = ui.clip_rect().intersect(ui.max_rect());
            let table = widgets::table(ui)
                .id_salt("systems")
                .sense(Sense::CLICK)
                .auto_shrink(false)
                .column(Column::exact(24.0))
                .column(Column::initial(150.0).resizable(true).clip(true))
                .column(Column::initial(90.0).resizable(true).clip(true))
                .column(Column::initial(130.0).resizable(true))
                .column(Column::initial(130.0).resizable(true).clip(true))
                .column(Column::initial(70.0).resizable(true))
                .column(Column::initial(70.0).resizable(true))
                .column(Column::remainder().at_least(160.0).clip(true));
            let table = table.header(widgets::ROW, |mut row| {
                for title in ["on", "system", "kind", "mean", "state", "members", "runs", "touches"] {
                    row.col(|ui| drop(ui.strong(title)));
                }
            });
            table.body(|body| {
                body.rows(widgets::ROW, lines.len(), |mut row| match &lines[row.index()] {
                    Line::Head(name, why) => head(&mut row, name, *why, clip),
                    Line::System(system) => {
                        let touch = self.component.map(|component| Touch::of(system, component));
                        system_row(&mut row, view, system, slowest, touch, out);
                    }
                });
            });
        });
    }

    /// What is set and known of one system.
    fn detail(
        &mut self,
        ui: &mut Ui,
        view: &View<'_>,
        system: &SystemView,
        schedule: Option<&ScheduleView>,
        out: &mut Requests,
    ) {
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new(&system.name).strong().size(16.0));
            ui.weak(system.kind);
            ui.label(model::state(system, view));
            if ui.link("Close").clicked() {
                out.push(Select::System(None).into());
            }
        });
        ui.horizontal_wrapped(|ui| {
            enabled(ui, system, "takes part", out);
            let mut period = system.period;
            let drag = DragValue::new(&mut period).range(0.0..=3_600_000.0).speed(1.0).suffix(" ms");
            let drag = drag.update_while_editing(false);
            ui.label("runs every");
            let response = ui.add(drag).accessible_name(format!("Period of {}", system.name));
            if response.on_hover_text("0 runs it at every step").changed() {
                out.push(Command::Period { system: system.id, milliseconds: period }.into());
            }
            ui.label(format!(
                "{} · {} · mean {}",
                format::counted(usize::try_from(system.runs).unwrap_or(usize::MAX), "run"),
                format::counted(system.members, "member"),
                format::duration(system.mean)
            ));
            if let Some(chunk) = system.mean_chunk.filter(|_| system.members > 0) {
                let tip =
                    "Members that lie side by side and are visited at once; more after Compact in Memory";
                ui.label(format!("in chunks of {}", format::rate(chunk))).on_hover_text(tip);
            }
        });
        ui.horizontal_wrapped(|ui| touches(ui, view, system));
        for neighbours in schedule.into_iter().flat_map(|schedule| model::neighbours(schedule, system.id)) {
            let sentence = RichText::new(&neighbours.sentence);
            ui.label(if neighbours.joined { sentence.strong() } else { sentence.weak() });
        }
        for (at, (field, value)) in system.params.iter().enumerate() {
            ui.horizontal(|ui| {
                ui.push_id((system.id, at), |ui| {
                    ui.label(&field.name);
                    let name = format!("{}.{}", system.name, field.name);
                    let edited = Edited { field, name: &name, live: value };
                    if let Some(given) = self.holding.editor(ui, view, (system.id, at), edited, out) {
                        let value = given.value;
                        out.push(
                            Command::Param { system: system.id, name: field.name.clone(), value }.into(),
                        );
                    }
                });
            });
        }
        if let Some(error) = &system.last_error {
            ui.label(RichText::new(&error.message).color(Palette::of(ui.visuals()).error));
        }
        let reasons = schedule.map_or(&[][..], |schedule| &schedule.reasons);
        for reason in reasons.iter().filter(|r| r.earlier == system.id || r.later == system.id) {
            ui.label(&reason.sentence);
        }
    }
}

/// The head of a batch. Why it waits runs over all columns, as far as `clip` reaches.
fn head(row: &mut TableRow<'_, '_>, name: &str, why: Option<&str>, clip: Rect) {
    row.set_overline(true);
    row.col(|_| {});
    row.col(|ui| drop(ui.strong(name)));
    let mut text = None;
    row.col(|ui| {
        if let Some(why) = why {
            let response = ui.allocate_response(ui.available_size(), Sense::hover());
            widgets::describe(&response, accesskit::Role::Label, why);
            text = Some((response.rect.left_center(), why));
        }
    });
    for _ in 0..4 {
        row.col(|_| {});
    }
    // Last, or the grounds of the cells it runs over would cover it.
    row.col(|ui| {
        if let Some((at, why)) = text {
            let (font, colour) = (TextStyle::Body.resolve(ui.style()), ui.visuals().weak_text_color());
            let mut painter = ui.painter().clone();
            painter.set_clip_rect(Rect::from_x_y_ranges(clip.x_range(), ui.clip_rect().y_range()));
            painter.text(at, Align2::LEFT_CENTER, why, font, colour);
        }
    });
}

fn system_row(
    row: &mut TableRow<'_, '_>,
    view: &View<'_>,
    system: &SystemView,
    slowest: Duration,
    touch: Option<Option<Touch>>,
    out: &mut Requests,
) {
    row.set_selected(view.selection.system() == Some(system.id));
    row.col(|ui| enabled(ui, system, "", out));
    row.col(|ui| {
        let palette = Palette::of(ui.visuals());
        let name = match touch {
            None => RichText::new(&system.name),
            Some(None) => RichText::new(&system.name).weak(),
            Some(Some(touch)) => {
                let colour = if touch == Touch::Writes { palette.warn } else { palette.accent };
                RichText::new(format!("{}: {}", system.name, touch.word())).color(colour)
            }
        };
        let failed = system.last_error.is_some();
        let response = ui.label(if failed { name.color(palette.error) } else { name });
        if let Some(error) = &system.last_error {
            response.on_hover_text(format!("Last error: {}", error.message));
        }
    });
    row.col(|ui| drop(ui.weak(system.kind)));
    row.col(|ui| {
        let part = system.mean.as_secs_f64() / slowest.as_secs_f64();
        let mean = format::duration(system.mean);
        let colour = Palette::of(ui.visuals()).accent;
        widgets::bar(
            ui,
            vec2(60.0, widgets::ROW),
            part,
            colour,
            &format!("{} takes {mean} on average", system.name),
        );
        ui.label(mean);
    });
    row.col(|ui| drop(ui.label(model::state(system, view))));
    row.col(|ui| widgets::right(ui, format::count(system.members as u64)));
    row.col(|ui| widgets::right(ui, format::count(system.runs)));
    row.col(|ui| touches(ui, view, system));
    if row.response().clicked() {
        out.push(Select::System(Some(system.id)).into());
    }
}

fn enabled(ui: &mut Ui, system: &SystemView, text: &str, out: &mut Requests) {
    let mut on = system.enabled;
    let response = ui.checkbox(&mut on, text).accessible_name(format!("{} takes part", system.name));
    if response.changed() {
        out.push(Command::Enable { system: system.id, on }.into());
    }
}

/// What a system reads, writes and creates.
fn touches(ui: &mut Ui, view: &View<'_>, system: &SystemView) {
    let palette = Palette::of(ui.visuals());
    if system.exclusive {
        widgets::chip(ui, "anything", palette.error)
            .on_hover_text("It may touch anything, and so runs alone");
    }
    let chips = |ui: &mut Ui, verb: &str, components: &[ComponentId]| {
        if !components.is_empty() {
            ui.weak(verb);
        }
        for &component in components {
            widgets::component_chip(ui, view, component);
        }
    };
    // What is written is read too; saying so twice says nothing.
    let reads: Vec<_> = system.reads.iter().copied().filter(|id| !system.writes.contains(id)).collect();
    chips(ui, "writes", &system.writes);
    chips(ui, "reads", &reads);
    match &system.creates {
        Some(components) => chips(ui, "creates", components),
        None => drop(ui.weak("creates anything")),
    }
    if system.kills {
        ui.weak("kills");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, BOUNCE, Fixture, MOVE};
    use egui::Key;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;
    use vivarium_world::FieldValue;

    fn shown(fixture: Fixture) -> Harness<'static, Fixture> {
        let mut panel = SystemsPanel::default();
        fixture::harness(fixture, move |ui, view, out| panel.ui(ui, view, out))
    }

    #[test]
    fn a_system_is_switched_off() {
        let mut harness = shown(Fixture::paused());
        harness.get_by_label("move takes part").click();
        harness.run();
        assert_eq!(harness.state_mut().take_commands(), [Command::Enable { system: MOVE, on: false }]);
    }

    #[test]
    fn a_click_on_a_row_opens_the_system() {
        let mut harness = shown(Fixture::paused());
        harness.get_by_label("bounce").click();
        harness.run();
        assert_eq!(harness.state_mut().take(), [Select::System(Some(BOUNCE)).into()]);
        harness.get_by_label("bounce.damping");
        harness.get_by_label("Period of bounce");
    }

    #[test]
    fn an_open_system_says_with_which_neighbours_it_runs_as_one() {
        let mut fixture = Fixture::paused();
        fixture.selection = fixture.selection.after(&Select::System(Some(BOUNCE)));
        let mut harness = shown(fixture);
        harness.get_by_label("`move` and `bounce` run as one, tile by tile");
        harness.get_by_label("`bounce` and `watch` do not run as one: `watch` has a filter");
        let selection = harness.state().selection.after(&Select::System(Some(MOVE)));
        harness.state_mut().selection = selection;
        harness.run();
        harness.get_by_label("`move` and `bounce` run as one, tile by tile");
        assert!(harness.query_by_label_contains("`watch` has a filter").is_none());
    }

    #[test]
    fn a_parameter_is_written_on_enter() {
        let mut fixture = Fixture::paused();
        fixture.selection = fixture.selection.after(&Select::System(Some(BOUNCE)));
        let mut harness = shown(fixture);
        harness.get_by_label("bounce.damping").click();
        harness.run();
        harness.key_press_modifiers(egui::Modifiers::COMMAND, Key::A);
        harness.run();
        harness.get_by_label("bounce.damping").type_text("0.5");
        harness.run();
        harness.key_press(Key::Enter);
        harness.run();
        let (name, value) = ("damping".to_owned(), FieldValue::Float(0.5));
        assert_eq!(harness.state_mut().take_commands(), [Command::Param { system: BOUNCE, name, value }]);
    }

    #[test]
    fn a_cell_of_the_matrix_explains_itself() {
        let mut harness = shown(Fixture::paused());
        harness.get_by_label("Matrix").click();
        harness.run();
        assert!(harness.query_by_label_contains("waits for").is_none());
        harness.get_by_label("bounce and move: write/write").click();
        harness.run();
        harness.get_by_label("`bounce` waits for `move`: both write `velocity`");
    }

    #[test]
    fn who_touches_a_component_is_marked() {
        let mut harness = shown(Fixture::paused());
        harness.get_by_role_and_label(accesskit::Role::ComboBox, "Mark who touches").click();
        harness.run();
        harness.get_by_role_and_label(accesskit::Role::Button, "body").click();
        harness.run();
        harness.get_by_label("bounce: reads");
        harness.get_by_label("move");
    }

    #[test]
    fn without_batches_systems_are_still_listed() {
        let mut fixture = Fixture::paused();
        fixture.snapshot.schedule = None;
        let harness = shown(fixture);
        harness.get_by_label("The scene's scheduler makes no batches");
        harness.get_by_label("watch");
        harness.get_by_label("waiting for move");
    }
}
