//! The selected system: what is set and known of it.

use super::batches::{batch_of, enabled, touches};
use super::{links, model};
use crate::field_editor::{Edited, Holding};
use crate::theme::Palette;
use crate::view::{Requests, View};
use crate::{Select, format, widgets};
use egui::{DragValue, RichText, Ui};
use vivarium_world::inspect::{ScheduleView, SystemView};
use vivarium_world::{Command, ComponentId, SystemId};

/// The parameter that is being edited.
#[derive(Default)]
pub(super) struct Detail {
    holding: Holding<(SystemId, usize)>,
}

impl Detail {
    /// Draws what is set and known of a system.
    pub(super) fn ui(
        &mut self,
        ui: &mut Ui,
        view: &View<'_>,
        system: &SystemView,
        schedule: Option<&ScheduleView>,
        mark: &mut Option<ComponentId>,
        out: &mut Requests,
    ) {
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new(view.system_name(system.id)).strong().size(16.0));
            ui.weak(system.kind);
            ui.label(model::state(system, view));
            if ui.link("Close").clicked() {
                out.push(Select::System(None).into());
            }
        });
        settings(ui, system, out);
        if let Some(schedule) = schedule {
            batch(ui, view, schedule, system, out);
        }
        self.params(ui, view, system, out);
        counts(ui, system);
        ui.horizontal_wrapped(|ui| touches(ui, view, system, mark, out));
        last_error(ui, view, system, out);
        let Some(schedule) = schedule else { return };
        ui.separator();
        for neighbours in model::neighbours(schedule, system.id) {
            links::sentence(ui, view, &neighbours.sentence, neighbours.joined, mark, out);
        }
        let reasons = schedule.reasons.iter();
        for reason in reasons.filter(|r| r.earlier == system.id || r.later == system.id) {
            links::sentence(ui, view, &reason.sentence, false, mark, out);
        }
    }

    /// Parameters, edited as fields of components are.
    fn params(&mut self, ui: &mut Ui, view: &View<'_>, system: &SystemView, out: &mut Requests) {
        for (at, (field, value)) in system.params.iter().enumerate() {
            ui.horizontal_wrapped(|ui| {
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
    }
}

fn settings(ui: &mut Ui, system: &SystemView, out: &mut Requests) {
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
    });
}

/// Which batch it is in, and with whom.
fn batch(ui: &mut Ui, view: &View<'_>, schedule: &ScheduleView, system: &SystemView, out: &mut Requests) {
    let Some(number) = batch_of(schedule, system.id) else {
        ui.weak("in no batch");
        return;
    };
    let others = schedule.batches.get(number - 1).into_iter().flatten().filter(|&&id| id != system.id);
    ui.horizontal_wrapped(|ui| {
        ui.label(format!("in batch {number}"));
        for (n, &other) in others.enumerate() {
            if n == 0 {
                ui.weak("with");
            }
            widgets::system_link(ui, view, other, out);
        }
    });
}

fn counts(ui: &mut Ui, system: &SystemView) {
    ui.horizontal_wrapped(|ui| {
        ui.label(format!(
            "{} · {} · mean {}",
            format::counted(system.runs, "run"),
            format::counted(system.members, "member"),
            format::duration(system.mean)
        ));
        if let Some(chunk) = system.mean_chunk.filter(|_| system.members > 0) {
            let tip = "Members that lie side by side and are visited at once; more after Compact in Memory";
            ui.label(format!("in chunks of {}", format::rate(chunk))).on_hover_text(tip);
        }
    });
}

/// What went wrong last, with a link to whom it was about.
fn last_error(ui: &mut Ui, view: &View<'_>, system: &SystemView, out: &mut Requests) {
    let Some(error) = &system.last_error else { return };
    let colour = Palette::of(ui.visuals()).error;
    ui.horizontal_wrapped(|ui| {
        let verb = if error.panicked { "panicked" } else { "failed" };
        ui.label(RichText::new(format!("{verb} at tick {}:", format::count(error.tick))).color(colour));
        ui.label(RichText::new(&error.message).color(colour));
    });
    ui.horizontal(|ui| match error.entity {
        Some((_, Some(ordinal))) => {
            ui.weak("about");
            widgets::entity_link(ui, view, ordinal, out);
        }
        Some((id, None)) => drop(ui.weak(format!("about entity {id}, which is gone"))),
        None => {}
    });
}
