//! The runs of one tick: a lane for the world thread and for each worker, and the same as a table.

use super::model;
use crate::request::{Request, Select};
use crate::theme::Palette;
use crate::view::{Requests, View};
use crate::{PanelId, format, widgets};
use egui::accesskit::Role;
use egui::{Align2, FontId, Rect, RichText, Sense, Ui, vec2};
use egui_extras::Column;
use std::time::Duration;
use vivarium_world::inspect::TickSample;

/// Width of the names of lanes.
const NAMES: f32 = 90.0;

/// Draws a tick from its start to the end of its last run.
pub(super) fn ui(ui: &mut Ui, view: &View<'_>, tick: &TickSample, out: &mut Requests) {
    let palette = *Palette::of(ui.visuals());
    let end = tick.runs.iter().map(|run| run.2).max().unwrap_or_default().max(tick.took);
    let title = format!("Tick {}: {}", format::count(tick.tick), format::duration(tick.took));
    ui.label(RichText::new(title).strong());
    let whole = end.as_secs_f32().max(1e-9);
    for (worker, runs) in model::lanes(tick, view.snapshot.status.threads) {
        ui.horizontal(|ui| {
            let name = RichText::new(model::lane_name(worker)).weak();
            ui.add_sized([NAMES, widgets::ROW], egui::Label::new(name));
            let size = vec2(ui.available_width().max(80.0), widgets::ROW);
            let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
            let painter = ui.painter_at(rect);
            painter.rect_filled(rect, 2.0, palette.field);
            let x = |time: Duration| rect.left() + time.as_secs_f32() / whole * rect.width();
            if end > tick.took {
                painter.vline(x(tick.took), rect.y_range(), (1.0, palette.weak));
            }
            for at in runs {
                let (system, start, stop, _) = tick.runs[at];
                let bar = Rect::from_x_y_ranges(x(start)..=x(stop).max(x(start) + 2.0), rect.y_range())
                    .shrink2(vec2(0.0, 2.0));
                let response = ui.interact(bar, ui.scope_id().with(("run", at)), Sense::click());
                let ground = if response.hovered() { palette.chip } else { palette.selected };
                painter.rect_filled(bar, 2.0, ground);
                // So that runs side by side are told apart, however short.
                painter.vline(bar.left(), bar.y_range(), (1.0, palette.accent));
                let name = view.system_name(system);
                let clip = painter.with_clip_rect(bar.intersect(ui.clip_rect()));
                let left = bar.left_center() + vec2(3.0, 0.0);
                clip.text(left, Align2::LEFT_CENTER, &name, FontId::proportional(11.0), palette.strong);
                let text = format!(
                    "{name}: {} from {}",
                    format::duration(stop.saturating_sub(start)),
                    format::duration(start)
                );
                widgets::describe(&response, Role::Link, &text);
                if response.on_hover_text(text).clicked() && view.system(system).is_some() {
                    out.push(Select::System(Some(system)).into());
                    out.push(Request::ShowPanel(PanelId::Schedule));
                }
            }
        });
    }
    ui.horizontal(|ui| {
        ui.add_space(NAMES + ui.spacing().item_spacing.x);
        ui.weak("0");
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.weak(format::duration(end));
            if end > tick.took {
                ui.weak("the line is the end of the tick ·");
            }
        });
    });
    let title = format!("{} as a table", format::counted(tick.runs.len(), "run"));
    egui::CollapsingHeader::new(title).id_salt("runs of the tick").show(ui, |ui| table(ui, view, tick, out));
}

fn table(ui: &mut Ui, view: &View<'_>, tick: &TickSample, out: &mut Requests) {
    let columns = widgets::table(ui)
        .id_salt("runs")
        .vscroll(false)
        .column(Column::initial(150.0).resizable(true).clip(true))
        .columns(Column::initial(90.0).resizable(true), 2)
        .column(Column::remainder());
    let table = columns.header(widgets::ROW, |mut row| {
        for title in ["system", "start", "took", "on"] {
            row.col(|ui| drop(ui.strong(title)));
        }
    });
    table.body(|body| {
        body.rows(widgets::ROW, tick.runs.len(), |mut row| {
            let (system, start, stop, worker) = tick.runs[row.index()];
            row.col(|ui| match view.system(system) {
                Some(_) => drop(widgets::system_link(ui, view, system, out)),
                None => drop(ui.label(view.system_name(system))),
            });
            row.col(|ui| widgets::right(ui, format::duration(start)));
            row.col(|ui| widgets::right(ui, format::duration(stop.saturating_sub(start))));
            row.col(|ui| drop(ui.label(model::lane_name(worker))));
        });
    });
}
