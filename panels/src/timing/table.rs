//! The last window, a row for the update, for the effects, and for each system.

use super::model::{self, Column as By, Row};
use crate::theme::Palette;
use crate::view::{Requests, View};
use crate::{format, widgets};
use egui::accesskit::Role;
use egui::{ScrollArea, Sense, Shape, Stroke, Ui, pos2, vec2};
use egui_extras::{Column, TableRow};
use std::time::Duration;
use vivarium_world::SystemId;
use vivarium_world::inspect::{TickSample, TimingView};

/// A row by what it is about.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Key {
    /// The update, or the effects as a whole.
    Whole(String),
    /// A system.
    System(SystemId),
}

impl Key {
    /// Which row it is.
    pub(super) fn of(row: &Row<'_>) -> Self {
        row.of.system.map_or_else(|| Self::Whole(row.of.name.clone()), Self::System)
    }
}

/// The order, and the row that is open.
#[derive(Default)]
pub(super) struct Table {
    pub(super) by: By,
    pub(super) open: Option<Key>,
}

/// Columns of a trend.
const TREND: usize = 40;

impl Table {
    pub(super) fn ui(
        &mut self,
        ui: &mut Ui,
        view: &View<'_>,
        timing: &TimingView,
        ticks: &[TickSample],
        out: &mut Requests,
    ) {
        if timing.rows.is_empty() {
            ui.weak("No whole window yet");
            return;
        }
        let rows = model::rows(view, timing, self.by);
        let by_system = model::by_system(ticks);
        let whole: Vec<Duration> = ticks.iter().map(|tick| tick.took).collect();
        ScrollArea::horizontal().id_salt("timing rows").show(ui, |ui| {
            ui.style_mut().interaction.selectable_labels = false;
            let table = widgets::table(ui)
                .id_salt("rows")
                .vscroll(false)
                .sense(Sense::CLICK)
                .column(Column::initial(130.0).resizable(true).clip(true))
                .columns(Column::initial(56.0).resizable(true), 8)
                .columns(Column::initial(66.0).resizable(true), 3)
                .column(Column::initial(120.0).resizable(true))
                .column(Column::remainder().at_least(90.0));
            let table = table.header(widgets::ROW, |mut row| {
                for column in By::ALL {
                    row.col(|ui| self.heading(ui, column));
                }
                row.col(|ui| drop(ui.strong("trend")));
            });
            table.body(|body| {
                body.rows(widgets::ROW, rows.len(), |mut table_row| {
                    let row = &rows[table_row.index()];
                    let times = match row.of.system {
                        Some(system) => by_system.get(&system).map_or(&[][..], Vec::as_slice),
                        None if row.of.name == "update" => &whole,
                        None => &[],
                    };
                    self.row(&mut table_row, view, row, times, out);
                });
            });
        });
    }

    fn heading(&mut self, ui: &mut Ui, column: By) {
        let is_sorted = self.by == column && column != By::Name;
        let text = format!("{}{}", column.title(), if is_sorted { " ↓" } else { "" });
        let tip = match column {
            By::Name => "Sort as they come",
            By::P50 => "Half of the times are at most this; measured while this panel is open",
            By::P95 => "95 of 100 times are at most this; measured while this panel is open",
            By::P99 => "99 of 100 times are at most this; measured while this panel is open",
            By::PerEntity => "The mean time of a run for each of its members",
            By::Effects => "The mean time of applying what a run asks for",
            By::Share => "The part of the time that all systems took in the window",
            _ => "Sort by this, the greatest first",
        };
        let button = egui::Button::new(egui::RichText::new(text).strong()).frame(false);
        let response = ui.add(button).accessible_name(format!("Sort by {}", column.title()));
        if response.on_hover_text(tip).clicked() {
            self.by = column;
        }
    }

    fn row(
        &mut self,
        table_row: &mut TableRow<'_, '_>,
        view: &View<'_>,
        row: &Row<'_>,
        times: &[Duration],
        out: &mut Requests,
    ) {
        let key = Key::of(row);
        table_row.set_selected(self.open.as_ref() == Some(&key));
        table_row.col(|ui| match row.of.system {
            Some(system) if view.system(system).is_some() => {
                drop(widgets::system_link(ui, view, system, out));
            }
            _ => drop(ui.label(&row.of.name)),
        });
        for column in &By::ALL[1..12] {
            table_row.col(|ui| widgets::right(ui, column.text(row)));
        }
        table_row.col(|ui| {
            let Some(share) = row.share else { return };
            let colour = Palette::of(ui.visuals()).accent;
            let text = By::Share.text(row);
            let meaning = format!("{}: {text} of the time of all systems", row.of.name);
            widgets::bar(ui, vec2(70.0, widgets::ROW), share, colour, &meaning);
            ui.label(text);
        });
        table_row.col(|ui| trend(ui, &row.of.name, times));
        if table_row.response().clicked() {
            self.open = if self.open.as_ref() == Some(&key) { None } else { Some(key) };
        }
    }
}

/// A small line of the last ticks, without numbers.
fn trend(ui: &mut Ui, name: &str, times: &[Duration]) {
    let Some(greatest) = times.iter().max().filter(|time| !time.is_zero()) else { return };
    let (rect, response) = ui.allocate_exact_size(vec2(80.0, widgets::ROW), Sense::hover());
    let text = format!(
        "{name}: at most {} in the last {}",
        format::duration(*greatest),
        format::counted(times.len(), "tick")
    );
    widgets::describe(&response, Role::Image, &text);
    let peaks = model::peaks(times, TREND);
    let inner = rect.shrink2(vec2(1.0, 3.0));
    let step = inner.width() / peaks.len().saturating_sub(1).max(1) as f32;
    let point = |(n, time): (usize, &Duration)| {
        let height = time.as_secs_f32() / greatest.as_secs_f32() * inner.height();
        pos2(inner.left() + step * n as f32, inner.bottom() - height)
    };
    let points = peaks.iter().enumerate().map(point).collect();
    let stroke = Stroke::new(1.0, Palette::of(ui.visuals()).accent);
    ui.painter_at(rect).add(Shape::line(points, stroke));
    response.on_hover_text(text);
}
