//! The bar above: run, pause, step, speed.

use crate::request::Request;
use crate::theme::Palette;
use crate::view::{Requests, View};
use crate::{format, widgets};
use egui::accesskit::Role;
use egui::{Button, Color32, DragValue, RichText, Sense, Ui};
use vivarium_world::Command;
use vivarium_world::inspect::{RunState, Status};

/// Run, pause, step, speed, and how it goes.
pub struct TransportBar {
    /// How many steps the second step button does.
    steps: u64,
    /// The speed last asked for that was not "as fast as it goes", to return to.
    factor: f64,
}

impl Default for TransportBar {
    fn default() -> Self {
        Self { steps: 10, factor: 1.0 }
    }
}

/// The speeds on offer.
const SPEEDS: [f64; 8] = [0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 100.0];

impl TransportBar {
    /// Draws the bar in one line.
    pub fn ui(&mut self, ui: &mut Ui, view: &View<'_>, out: &mut Requests) {
        let status = &view.snapshot.status;
        ui.horizontal_wrapped(|ui| {
            self.buttons(ui, view, out);
            ui.separator();
            self.speed(ui, status, out);
            ui.separator();
            state_light(ui, &status.run_state);
            ui.separator();
            ui.label(format!("tick {}", format::count(status.tick))).on_hover_text("Steps since the load");
            ui.label(format::clock(status.game_time)).on_hover_text("Game time");
            ui.label(format!("{} ticks/s", format::rate(status.ticks_per_second)))
                .on_hover_text("Steps a second, measured over the last second");
        });
    }

    fn buttons(&mut self, ui: &mut Ui, view: &View<'_>, out: &mut Requests) {
        let status = &view.snapshot.status;
        let moving = is_moving(&status.run_state);
        let ready = !matches!(status.run_state, RunState::Empty | RunState::Loading { .. });
        let palette = Palette::of(ui.visuals());
        let mut button = |text: &str, on: bool, tip: &str| {
            ui.add_enabled(on, Button::new(text).min_size(egui::vec2(52.0, 0.0))).on_hover_text(tip).clicked()
        };
        if moving {
            if button("Pause", true, "Stop after the step that is open (Space)") {
                out.push(Command::Pause.into());
            }
        } else if button("Run", ready, "Let the world live (Space)") {
            out.push(Command::Run.into());
        }
        if button("Step", ready && !moving, "Do one step and pause (F10)") {
            out.push(Command::Step { steps: 1 }.into());
        }
        if button("Step N", ready && !moving, "Do a number of steps and pause") {
            out.push(Command::Step { steps: self.steps }.into());
        }
        let drag = DragValue::new(&mut self.steps).range(1..=1_000_000).speed(0.2).prefix("N ");
        ui.name_inputs("Number of steps", |ui| ui.add(drag)).on_hover_text("How many steps “Step N” does");
        if view.edited {
            ui.label(RichText::new("edited").color(palette.warn))
                .on_hover_text("Something was edited by hand since the load or the last save");
        }
    }

    fn speed(&mut self, ui: &mut Ui, status: &Status, out: &mut Requests) {
        let fast = status.speed.is_infinite();
        if !fast && status.speed > 0.0 {
            self.factor = status.speed;
        }
        let text = if fast { "as fast as it goes".to_owned() } else { format_speed(status.speed) };
        let mut chosen = None;
        ui.name_inputs("Speed", |ui| {
            egui::ComboBox::from_id_salt("speed").selected_text(text).width(110.0).show_ui(ui, |ui| {
                for factor in SPEEDS {
                    if ui.selectable_label(!fast && status.speed == factor, format_speed(factor)).clicked() {
                        chosen = Some(Some(factor));
                    }
                }
                if ui.selectable_label(fast, "as fast as it goes").clicked() {
                    chosen = Some(None);
                }
            });
        });
        let mut factor = self.factor;
        let drag = DragValue::new(&mut factor).range(0.1..=1000.0).speed(0.02).suffix("×").max_decimals(2);
        let response = ui.name_inputs("Speed factor", |ui| ui.add_enabled(!fast, drag));
        if response.on_hover_text("Times real time").changed() {
            chosen = Some(Some(factor));
        }
        if let Some(factor) = chosen {
            out.push(Request::Command(Command::Speed { factor }));
        }
    }
}

fn format_speed(factor: f64) -> String {
    format!("{}×", format::number(factor))
}

/// Whether the world is doing steps.
fn is_moving(state: &RunState) -> bool {
    matches!(state, RunState::Running | RunState::Stepping { .. })
}

fn state_colour(state: &RunState, palette: &Palette) -> Color32 {
    match state {
        RunState::Empty => palette.weak,
        RunState::Paused => palette.accent,
        RunState::Running | RunState::Stepping { .. } => palette.good,
        RunState::Loading { .. } => palette.warn,
        RunState::Stopped(_) => palette.error,
    }
}

/// A coloured dot and the state in words.
pub(crate) fn state_light(ui: &mut Ui, state: &RunState) {
    let colour = state_colour(state, Palette::of(ui.visuals()));
    let (rect, response) = ui.allocate_exact_size(egui::vec2(10.0, 10.0), Sense::hover());
    ui.painter().circle_filled(rect.center(), 5.0, colour);
    let words = format::run_state(state);
    widgets::describe(&response, Role::Image, &format!("State: {words}"));
    ui.label(RichText::new(words).color(colour).strong());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Fixture};
    use egui_kittest::kittest::Queryable;
    use vivarium_world::inspect::StopReason;

    fn bar(fixture: Fixture) -> egui_kittest::Harness<'static, Fixture> {
        let mut bar = TransportBar::default();
        fixture::harness(fixture, move |ui, view, out| bar.ui(ui, view, out))
    }

    #[test]
    fn run_is_asked_for_when_paused_and_pause_when_running() {
        let mut harness = bar(Fixture::paused());
        harness.get_by_label("Run").click();
        harness.run();
        assert_eq!(harness.state_mut().take_commands(), [Command::Run]);
        harness.state_mut().snapshot.status.run_state = RunState::Running;
        harness.run();
        assert!(harness.query_by_label("Run").is_none());
        harness.get_by_label("Pause").click();
        harness.run();
        assert_eq!(harness.state_mut().take_commands(), [Command::Pause]);
    }

    #[test]
    fn steps_are_asked_for_one_or_several_at_a_time() {
        let mut harness = bar(Fixture::paused());
        harness.get_by_label("Step").click();
        harness.run();
        harness.get_by_label("Step N").click();
        harness.run();
        let commands = harness.state_mut().take_commands();
        assert_eq!(commands, [Command::Step { steps: 1 }, Command::Step { steps: 10 }]);
    }

    #[test]
    fn an_empty_world_cannot_run() {
        let mut fixture = Fixture::paused();
        fixture.snapshot.status.run_state = RunState::Empty;
        let mut harness = bar(fixture);
        harness.get_by_label("Run").click();
        harness.run();
        assert!(harness.state_mut().take_commands().is_empty());
    }

    #[test]
    fn the_speed_has_a_list_with_no_limit_at_its_end() {
        let mut harness = bar(Fixture::paused());
        harness.get_by_label("Speed").click();
        harness.run();
        harness.get_by_label("as fast as it goes").click();
        harness.run();
        assert_eq!(harness.state_mut().take_commands(), [Command::Speed { factor: None }]);
    }

    #[test]
    fn the_state_is_worded() {
        let mut fixture = Fixture::paused();
        let message = "system `bounce` panicked: index 9 of 4".to_owned();
        fixture.snapshot.status.run_state = RunState::Stopped(StopReason { system: None, message });
        let harness = bar(fixture);
        harness.get_by_label("State: stopped: system `bounce` panicked: index 9 of 4");
        harness.get_by_label("tick 1,204");
    }
}
