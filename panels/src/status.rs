//! The bar below: how much there is, and what looking at it costs.

use crate::format;
use crate::panel_id::PanelId;
use crate::request::Request;
use crate::theme::Palette;
use crate::transport::state_light;
use crate::view::{Requests, View};
use egui::{ProgressBar, RichText, Ui};
use std::time::Duration;
use vivarium_world::Command;
use vivarium_world::inspect::{RunState, Status};

/// State, tick, entities, ticks a second, memory, and what the inspector costs.
#[derive(Default)]
pub struct StatusBar {}

impl StatusBar {
    /// Draws the bar in one line.
    pub fn ui(&mut self, ui: &mut Ui, view: &View<'_>, out: &mut Requests) {
        let status = &view.snapshot.status;
        let palette = Palette::of(ui.visuals());
        ui.horizontal(|ui| {
            state_light(ui, &status.run_state);
            if let RunState::Loading { fraction } = status.run_state {
                loading(ui, fraction, out);
            }
            if !status.scene.is_empty() {
                ui.separator();
                ui.label(RichText::new(&status.scene).strong()).on_hover_text(&status.about);
            }
            ui.separator();
            ui.label(format!("tick {}", format::count(status.tick)));
            ui.separator();
            let entities = format::counted(status.entities, "entity");
            link(ui, entities, PanelId::Entities, out);
            ui.separator();
            ui.label(format!("{} ticks/s", format::rate(status.ticks_per_second)));
            ui.separator();
            link(ui, format::bytes(status.bytes), PanelId::Memory, out);
            if status.deferred > 0 {
                ui.separator();
                let text = format!("{} deferred", format::count(status.deferred as u64));
                link(ui, text, PanelId::Deferred, out);
            }
            ui.separator();
            ui.label(RichText::new(cost_text(status)).color(palette.weak)).on_hover_text(
                "What looking at the world costs its thread, and the part of its time that is, over the last second",
            );
            ui.separator();
            let threads = format::counted(status.threads, "worker");
            ui.label(RichText::new(threads).color(palette.weak));
            if status.dropped_steps > 0 {
                ui.separator();
                let text = format!("{} dropped", format::counted(status.dropped_steps, "step"));
                ui.label(RichText::new(text).color(palette.warn))
                    .on_hover_text("The world could not keep up with the speed asked for; choose a lower one");
            }
        });
    }
}

/// What the inspector costs the world: each tick while it runs, else each snapshot.
fn cost_text(status: &Status) -> String {
    let share = status.inspector_share;
    let (cost, each) = match status.ticks_per_second > 0.0 {
        true => (Duration::from_secs_f64(share.max(0.0) / status.ticks_per_second), "tick"),
        false => (status.snapshot_cost, "snapshot"),
    };
    format!("inspector {} a {each} · {}", format::duration(cost), format::percent(share))
}

/// How far a load is, and the way to give it up. The state beside it says it in numbers.
fn loading(ui: &mut Ui, fraction: f32, out: &mut Requests) {
    let bar = ProgressBar::new(fraction).desired_width(120.0).desired_height(12.0);
    ui.add(bar).on_hover_text("The scene is built beside the world that is there, and then takes its place");
    if ui.small_button("Cancel").on_hover_text("Give up loading and keep what is there").clicked() {
        out.push(Command::CancelLoad.into());
    }
}

fn link(ui: &mut Ui, text: String, panel: PanelId, out: &mut Requests) {
    if ui.link(text).on_hover_text(format!("Show {}", panel.title())).clicked() {
        out.push(Request::ShowPanel(panel));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Fixture};
    use egui_kittest::kittest::Queryable;

    #[test]
    fn numbers_lead_to_their_panels() {
        let mut bar = StatusBar::default();
        let mut harness = fixture::harness(Fixture::paused(), move |ui, view, out| bar.ui(ui, view, out));
        harness.get_by_label("4 entities").click();
        harness.run();
        assert_eq!(harness.state_mut().take(), [Request::ShowPanel(PanelId::Entities)]);
    }

    #[test]
    fn dropped_steps_are_shown_only_when_there_are_any() {
        let mut bar = StatusBar::default();
        let mut harness = fixture::harness(Fixture::paused(), move |ui, view, out| bar.ui(ui, view, out));
        assert!(harness.query_by_label_contains("dropped").is_none());
        harness.state_mut().snapshot.status.dropped_steps = 1_500;
        harness.run();
        harness.get_by_label("1,500 steps dropped");
        harness.state_mut().snapshot.status.dropped_steps = 1;
        harness.run();
        harness.get_by_label("1 step dropped");
    }

    #[test]
    fn one_entity_is_not_called_entities() {
        let mut fixture = Fixture::paused();
        fixture.snapshot.status.entities = 1;
        let mut bar = StatusBar::default();
        let harness = fixture::harness(fixture, move |ui, view, out| bar.ui(ui, view, out));
        harness.get_by_label("1 entity");
    }

    #[test]
    fn what_looking_costs_is_shown() {
        let mut bar = StatusBar::default();
        let harness = fixture::harness(Fixture::paused(), move |ui, view, out| bar.ui(ui, view, out));
        harness.get_by_label("inspector 66.9 µs a tick · 0.4 %");
        let mut status = Fixture::paused().snapshot.status;
        status.ticks_per_second = 0.0;
        assert_eq!(cost_text(&status), "inspector 120 µs a snapshot · 0.4 %");
    }

    #[test]
    fn a_load_shows_how_far_it_is_and_can_be_cancelled() {
        let mut fixture = Fixture::paused();
        fixture.snapshot.status.run_state = RunState::Loading { fraction: 0.43 };
        let mut bar = StatusBar::default();
        let mut harness = fixture::harness(fixture, move |ui, view, out| bar.ui(ui, view, out));
        harness.get_by_role(egui::accesskit::Role::ProgressIndicator);
        harness.get_by_label("loading 43 %");
        harness.get_by_label("Cancel").click();
        harness.run_steps(2);
        assert_eq!(harness.state_mut().take_commands(), [Command::CancelLoad]);
        harness.state_mut().snapshot.status.run_state = RunState::Paused;
        harness.run_steps(2);
        assert!(harness.query_by_label("Cancel").is_none());
    }
}
