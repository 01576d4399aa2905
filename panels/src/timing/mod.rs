//! Times of ticks and systems.

mod model;

use crate::theme::Palette;
use crate::view::{Requests, View};
use crate::{format, series, widgets};
use egui::accesskit::Role;
use egui::{Align2, Color32, FontId, Mesh, Rect, RichText, ScrollArea, Sense, Shape, Ui, pos2, vec2};
use egui_extras::{Column, TableRow};
use egui_plot::{HLine, Line, Plot, PlotPoints};
use model::Load;
use std::time::Duration;
use vivarium_world::Command;
use vivarium_world::inspect::{TickSample, TimingRow, TimingView, ViewRequest};

/// The chosen tick, which stays while others go by.
#[derive(Default)]
pub struct TimingPanel {
    chosen: Option<TickSample>,
}

/// Width of a bar of the tick strip.
const BAR: f32 = 4.0;

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
        self.toolbar(ui, view, timing, out);
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            self.strip(ui, view, &timing.ticks);
            self.slowest(ui, view, timing);
            if let Some(tick) = &self.chosen {
                lanes(ui, view, tick);
            }
            ui.add_space(4.0);
            ScrollArea::horizontal().show(ui, |ui| table(ui, view, timing, out));
            ui.add_space(4.0);
            plot(ui, view, &timing.ticks);
        });
    }

    fn toolbar(&mut self, ui: &mut Ui, view: &View<'_>, timing: &TimingView, out: &mut Requests) {
        ui.horizontal_wrapped(|ui| {
            let tip = "Forget the slowest ticks and begin a new window";
            if ui.button("Reset").on_hover_text(tip).clicked() {
                out.push(Command::ResetTiming.into());
                self.chosen = None;
            }
            if ui.button("Copy as text").clicked() {
                ui.copy_text(model::as_text(view, timing));
            }
            ui.weak(format!(
                "window {} · budget {} a tick",
                format::duration(timing.window),
                format::duration(model::budget(view.snapshot.status.step))
            ));
            if let Some(tick) = &self.chosen {
                ui.label(format!("tick {} is kept", format::count(tick.tick)));
                if ui.link("Let go").clicked() {
                    self.chosen = None;
                }
            }
        });
    }

    /// A bar a tick; several ticks a bar when there are more than fit, each bar as high as its slowest.
    fn strip(&mut self, ui: &mut Ui, view: &View<'_>, ticks: &[TickSample]) {
        let size = vec2(ui.available_width().max(80.0), 64.0);
        let (rect, response) = ui.allocate_exact_size(size, Sense::click());
        let bars = model::bars(ticks.len(), (rect.width() / BAR) as usize);
        let budget = model::budget(view.snapshot.status.step);
        let over = ticks.iter().filter(|tick| Load::of(tick.took, budget) == Load::Over).count();
        let text = format!(
            "The last {}, {} over budget",
            format::counted(ticks.len(), "tick"),
            format::count(over as u64)
        );
        widgets::describe(&response, Role::Button, &text);
        let palette = Palette::of(ui.visuals());
        let highest = model::full_height(ticks);
        let top = highest.as_secs_f32().max(1e-9);
        let mut mesh = Mesh::default();
        for (n, range) in bars.iter().enumerate() {
            let Some(tick) = ticks.get(range.clone()).and_then(model::slowest) else { continue };
            let height = (tick.took.as_secs_f32() / top * rect.height()).clamp(1.0, rect.height());
            let min = pos2(rect.left() + BAR * n as f32, rect.bottom() - height);
            let kept = self.chosen.as_ref().is_some_and(|chosen| chosen.tick == tick.tick);
            let colour = if kept { palette.strong } else { colour(Load::of(tick.took, budget), palette) };
            mesh.add_colored_rect(Rect::from_min_size(min, vec2(BAR - 1.0, height)), colour);
        }
        let painter = ui.painter_at(rect);
        painter.rect_filled(rect, 2.0, palette.field);
        painter.add(Shape::mesh(mesh));
        if budget <= highest {
            let line = rect.bottom() - budget.as_secs_f32() / top * rect.height();
            painter.hline(rect.x_range(), line, (1.0, palette.weak));
        }
        let pointed = response.hover_pos().or(response.interact_pointer_pos());
        let bar = pointed.and_then(|at| bars.get(((at.x - rect.left()) / BAR).max(0.0) as usize));
        let tick = bar.and_then(|range| ticks.get(range.clone())).and_then(model::slowest);
        let clicked = response.clicked();
        if let Some(tick) = tick {
            response.on_hover_text_at_pointer(words(tick, budget));
        }
        if clicked {
            self.chosen = tick.or(model::slowest(ticks)).cloned();
        }
    }

    fn slowest(&mut self, ui: &mut Ui, view: &View<'_>, timing: &TimingView) {
        let budget = model::budget(view.snapshot.status.step);
        ui.horizontal_wrapped(|ui| {
            ui.weak("Slowest:");
            for tick in timing.slowest.iter().take(12) {
                let text = format!("tick {} {}", format::count(tick.tick), format::duration(tick.took));
                let text =
                    RichText::new(text).color(colour(Load::of(tick.took, budget), Palette::of(ui.visuals())));
                let kept = self.chosen.as_ref().is_some_and(|chosen| chosen.tick == tick.tick);
                if ui.selectable_label(kept, text).on_hover_text(words(tick, budget)).clicked() {
                    self.chosen = Some(tick.clone());
                }
            }
        });
    }
}

/// `tick 1,019: 19.0 ms, over its budget, 2 runs`
fn words(tick: &TickSample, budget: Duration) -> String {
    format!(
        "tick {}: {}, {}, {}",
        format::count(tick.tick),
        format::duration(tick.took),
        Load::of(tick.took, budget).words(),
        format::counted(tick.runs.len(), "run")
    )
}

fn colour(load: Load, palette: &Palette) -> Color32 {
    match load {
        Load::Light => palette.good,
        Load::Full => palette.warn,
        Load::Over => palette.error,
    }
}

/// The runs of one tick, a lane for each worker, from the tick's start to its end.
fn lanes(ui: &mut Ui, view: &View<'_>, tick: &TickSample) {
    let palette = *Palette::of(ui.visuals());
    let end =
        tick.runs.iter().map(|run| run.2).max().unwrap_or_default().max(tick.took).as_secs_f32().max(1e-9);
    ui.label(
        RichText::new(format!("Tick {}: {}", format::count(tick.tick), format::duration(tick.took))).strong(),
    );
    for (worker, runs) in model::lanes(tick) {
        ui.horizontal(|ui| {
            let name = worker.map_or("world thread".to_owned(), |worker| format!("worker {worker}"));
            ui.add_sized([90.0, widgets::ROW], egui::Label::new(RichText::new(name).weak()));
            let size = vec2(ui.available_width().max(80.0), widgets::ROW);
            let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
            let painter = ui.painter_at(rect);
            painter.rect_filled(rect, 2.0, palette.field);
            for at in runs {
                let (system, start, stop, _) = tick.runs[at];
                let x = |time: Duration| rect.left() + time.as_secs_f32() / end * rect.width();
                let bar = Rect::from_x_y_ranges(x(start)..=x(stop).max(x(start) + 1.0), rect.y_range())
                    .shrink2(vec2(0.0, 2.0));
                painter.rect_filled(bar, 2.0, palette.selected);
                let name = view.system_name(system);
                let clip = painter.with_clip_rect(bar.intersect(ui.clip_rect()));
                let left = bar.left_center() + vec2(3.0, 0.0);
                clip.text(left, Align2::LEFT_CENTER, &name, FontId::proportional(11.0), palette.strong);
                let response = ui.interact(bar, ui.scope_id().with(("run", at)), Sense::hover());
                let text = format!(
                    "{name}: {} from {}",
                    format::duration(stop.saturating_sub(start)),
                    format::duration(start)
                );
                widgets::describe(&response, Role::Meter, &text);
                response.on_hover_text(text);
            }
        });
    }
}

fn table(ui: &mut Ui, view: &View<'_>, timing: &TimingView, out: &mut Requests) {
    if timing.rows.is_empty() {
        ui.weak("No whole window yet");
        return;
    }
    ui.push_id("rows", |ui| {
        let table = widgets::table(ui)
            .vscroll(false)
            .column(Column::initial(130.0).resizable(true).clip(true))
            .columns(Column::initial(70.0).resizable(true), 5)
            .column(Column::remainder().at_least(130.0));
        let table = table.header(widgets::ROW, |mut row| {
            for title in ["name", "avg", "min", "max", "samples", "effects", "share"] {
                row.col(|ui| drop(ui.strong(title)));
            }
        });
        table.body(|body| {
            body.rows(widgets::ROW, timing.rows.len(), |mut row| {
                let line = &timing.rows[row.index()];
                timing_row(&mut row, view, timing, line, out);
            });
        });
    });
}

fn timing_row(
    row: &mut TableRow<'_, '_>,
    view: &View<'_>,
    timing: &TimingView,
    line: &TimingRow,
    out: &mut Requests,
) {
    row.col(|ui| match line.system {
        Some(system) if view.system(system).is_some() => drop(widgets::system_link(ui, view, system, out)),
        _ => drop(ui.label(&line.name)),
    });
    for time in [line.avg, line.min, line.max] {
        row.col(|ui| widgets::right(ui, format::duration(time)));
    }
    row.col(|ui| widgets::right(ui, format::count(line.samples)));
    row.col(|ui| {
        widgets::right(ui, if line.system.is_some() { format::duration(line.effects) } else { String::new() })
    });
    row.col(|ui| {
        let share = model::share(timing, line);
        let colour = Palette::of(ui.visuals()).accent;
        let text = format::percent(share);
        widgets::bar(
            ui,
            vec2(80.0, widgets::ROW),
            share,
            colour,
            &format!("{}: {text} of the update", line.name),
        );
        ui.label(text);
    });
}

fn plot(ui: &mut Ui, view: &View<'_>, ticks: &[TickSample]) {
    let palette = Palette::of(ui.visuals());
    let point = |at: usize| [ticks[at].tick as f64, ticks[at].took.as_secs_f64() * 1e3];
    let points = series::decimated(ticks.len(), point, ui.available_width().max(80.0) as usize);
    let budget = model::budget(view.snapshot.status.step).as_secs_f64() * 1e3;
    let slowest = points.iter().map(|point| point[1]).fold(0.0, f64::max);
    ui.label(RichText::new("Milliseconds a tick").weak());
    Plot::new("tick times")
        .height(140.0)
        .include_y(0.0)
        .allow_scroll(false)
        .x_axis_formatter(|mark, _| format::count(mark.value.max(0.0) as u64))
        .show(ui, |plot| {
            plot.line(Line::new("tick", PlotPoints::from(points)).color(palette.accent).width(1.5));
            // Far above the ticks it would only flatten them.
            if budget > 0.0 && budget < slowest * 3.0 {
                plot.hline(HLine::new("budget", budget).color(palette.warn));
            }
        });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Fixture, MOVE};
    use crate::{PanelId, Request, Select};
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    fn shown() -> Harness<'static, Fixture> {
        let mut panel = TimingPanel::default();
        fixture::harness(Fixture::paused(), move |ui, view, out| panel.ui(ui, view, out))
    }

    #[test]
    fn the_strip_says_how_many_ticks_were_over_budget() {
        let harness = shown();
        // Of 1,000 to 1,203 those that leave 17, 18 or 19 by 20 took longer than 16 ms.
        harness.get_by_label("The last 204 ticks, 30 over budget");
    }

    #[test]
    fn a_slow_tick_is_opened_and_let_go() {
        let mut harness = shown();
        assert!(harness.query_by_label("move: 50.0 µs from 10.0 µs").is_none());
        harness.get_by_label("tick 1,019 19.0 ms").click();
        harness.run();
        harness.get_by_label("move: 50.0 µs from 10.0 µs");
        harness.get_by_label("Let go").click();
        harness.run();
        assert!(harness.query_by_label("move: 50.0 µs from 10.0 µs").is_none());
    }

    #[test]
    fn a_click_on_the_strip_keeps_a_tick() {
        let mut harness = shown();
        harness.get_by_label_contains("The last 204 ticks").click();
        harness.run();
        harness.get_by_label_contains("is kept");
    }

    #[test]
    fn timings_are_reset() {
        let mut harness = shown();
        harness.get_by_label("Reset").click();
        harness.run();
        assert_eq!(harness.state_mut().take_commands(), [Command::ResetTiming]);
    }

    #[test]
    fn a_row_leads_to_its_system() {
        let mut harness = shown();
        harness.get_by_label("move: 67 % of the update");
        harness.get_by_label("move").click();
        harness.run();
        let expected = [Select::System(Some(MOVE)).into(), Request::ShowPanel(PanelId::Schedule)];
        assert_eq!(harness.state_mut().take(), expected);
    }
}
