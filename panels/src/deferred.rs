//! Blocks waiting to be freed, and the runs they wait for.

use crate::series::Series;
use crate::theme::Palette;
use crate::view::{Requests, View};
use crate::{format, widgets};
use egui::Ui;
use egui_extras::Column;
use egui_plot::{Line, Plot, PlotPoints};
use vivarium_world::SystemId;
use vivarium_world::inspect::{DeferredView, OpenRun, ViewRequest};

/// What waits to be freed, for how long, and for what.
#[derive(Default)]
pub struct DeferredPanel {
    /// How many blocks waited while the panel was seen.
    blocks: Series,
}

/// `412 blocks · 6.4 KB · oldest 37 ticks · waiting for flocking`
fn headline(deferred: &DeferredView, tick: u64) -> String {
    let mut text =
        format!("{} · {}", format::counted(deferred.blocks, "block"), format::bytes(deferred.bytes));
    if let Some(oldest) = deferred.list.iter().map(|block| block.since).min() {
        let age = format::counted(tick.saturating_sub(oldest) as usize, "tick");
        text.push_str(&format!(" · oldest {age}"));
    }
    if let Some(run) = first_open(&deferred.runs) {
        text.push_str(&format!(" · waiting for {}", run.name));
    }
    let held = deferred.list.iter().filter(|block| block.quarantined).count();
    if held > 0 {
        text.push_str(&format!(" · {} held by a run that hangs", format::counted(held, "block")));
    }
    text
}

/// The run that holds things up: the one opened first.
fn first_open(runs: &[OpenRun]) -> Option<&OpenRun> {
    runs.iter().min_by_key(|run| run.run)
}

impl DeferredPanel {
    /// Asks for the blocks.
    pub fn request(&self, _view: &View<'_>, wanted: &mut ViewRequest) {
        wanted.deferred = true;
        // For the names of those who asked.
        wanted.systems = true;
    }

    /// Draws the panel.
    pub fn ui(&mut self, ui: &mut Ui, view: &View<'_>, out: &mut Requests) {
        let Some(deferred) = &view.snapshot.deferred else {
            widgets::nothing(ui, "No picture of the blocks yet");
            return;
        };
        let tick = view.snapshot.status.tick;
        ui.label(egui::RichText::new(headline(deferred, tick)).strong());
        ui.separator();
        self.blocks.push(tick, deferred.blocks as f64);
        if self.blocks.len() > 1 {
            self.chart(ui);
        }
        self.runs(ui, view, deferred, out);
        self.blocks(ui, view, deferred, out);
    }

    fn chart(&self, ui: &mut Ui) {
        let points = PlotPoints::from(self.blocks.line(ui.available_width().max(80.0) as usize));
        let colour = Palette::of(ui.visuals()).accent;
        ui.weak("Blocks that wait, tick by tick");
        Plot::new("deferred over time")
            .height(90.0)
            .include_y(0.0)
            .allow_scroll(false)
            .x_axis_formatter(|mark, _| format::count(mark.value.max(0.0) as u64))
            .show(ui, |plot| plot.line(Line::new("blocks", points).color(colour).width(1.5)));
        ui.add_space(4.0);
    }

    /// A lane a run, from its start to now; the longest one holds things up.
    fn runs(&self, ui: &mut Ui, view: &View<'_>, deferred: &DeferredView, out: &mut Requests) {
        let palette = Palette::of(ui.visuals());
        if deferred.runs.is_empty() {
            ui.label(egui::RichText::new("No run is open").color(palette.weak));
        }
        let longest = deferred.runs.iter().map(|run| run.open_for).max().unwrap_or_default();
        let holds_up = first_open(&deferred.runs).map(|run| run.run);
        for run in &deferred.runs {
            ui.horizontal(|ui| {
                let waiting = deferred.list.iter().filter(|block| block.waits_for.contains(&run.run)).count();
                let part = run.open_for.as_secs_f64() / longest.as_secs_f64();
                let first = holds_up == Some(run.run);
                let colour = if first && waiting > 0 { palette.warn } else { palette.accent };
                let meaning = format!(
                    "run {} of {}, open for {}, {} waiting for it",
                    run.run,
                    run.name,
                    format::duration(run.open_for),
                    format::counted(waiting, "block")
                );
                widgets::bar(ui, egui::vec2(160.0, widgets::ROW), part, colour, &meaning);
                widgets::system_link(ui, view, run.system, out);
                ui.label(format!("run {} · open {}", run.run, format::duration(run.open_for)));
            });
        }
        ui.separator();
    }

    fn blocks(&self, ui: &mut Ui, view: &View<'_>, deferred: &DeferredView, out: &mut Requests) {
        let tick = view.snapshot.status.tick;
        if deferred.list.len() < deferred.blocks {
            ui.label(format!(
                "The oldest {} are listed",
                widgets::shown_of(deferred.list.len(), deferred.blocks)
            ));
        }
        let table = widgets::table(ui)
            .id_salt("deferred blocks")
            .column(Column::initial(110.0).resizable(true))
            .column(Column::initial(60.0))
            .column(Column::initial(80.0))
            .column(Column::initial(110.0).resizable(true))
            .column(Column::initial(70.0))
            .column(Column::initial(60.0))
            .column(Column::remainder());
        let titles = ["Pool", "Row", "Owner", "Asked for by", "At tick", "Age", "Waits for"];
        let header = table.header(widgets::ROW, |mut row| {
            for title in titles {
                row.col(|ui| {
                    ui.strong(title);
                });
            }
        });
        header.body(|body| {
            body.rows(widgets::ROW, deferred.list.len(), |mut row| {
                let block = &deferred.list[row.index()];
                row.col(|ui| {
                    ui.label(view.component_name(block.component));
                });
                row.col(|ui| widgets::right(ui, format::count(block.row)));
                row.col(|ui| {
                    ui.label(block.owner.to_string());
                });
                row.col(|ui| asker(ui, view, block.asked_by, out));
                row.col(|ui| widgets::right(ui, format::count(block.since)));
                row.col(|ui| widgets::right(ui, format::count(tick.saturating_sub(block.since))));
                row.col(|ui| {
                    let runs: Vec<_> = block.waits_for.iter().map(|&run| run_name(deferred, run)).collect();
                    let text =
                        if block.quarantined { "quarantined: its run hangs" } else { &runs.join(", ") };
                    ui.label(text);
                });
            });
        });
    }
}

fn asker(ui: &mut Ui, view: &View<'_>, system: Option<SystemId>, out: &mut Requests) {
    match system {
        Some(system) => {
            widgets::system_link(ui, view, system, out);
        }
        None => {
            ui.label("world");
        }
    }
}

fn run_name(deferred: &DeferredView, run: vivarium_world::RunId) -> String {
    match deferred.runs.iter().find(|open| open.run == run) {
        Some(open) => format!("{} (run {run})", open.name),
        None => format!("run {run}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, BOUNCE, Fixture};
    use crate::{PanelId, Request, Select};
    use egui_kittest::kittest::Queryable;

    #[test]
    fn the_headline_says_how_much_how_old_and_why() {
        let fixture = Fixture::paused();
        let deferred = fixture.snapshot.deferred.as_ref().unwrap();
        assert_eq!(headline(deferred, 1_237), "1 block · 12 B · oldest 37 ticks · waiting for move");
        assert_eq!(headline(&DeferredView::default(), 5), "0 blocks · 0 B");
        let mut held = deferred.clone();
        held.list[0].quarantined = true;
        assert!(headline(&held, 1_237).ends_with(" · 1 block held by a run that hangs"));
    }

    #[test]
    fn who_asked_is_a_link_to_the_schedule() {
        let mut panel = DeferredPanel::default();
        let mut harness = fixture::harness(Fixture::paused(), move |ui, view, out| panel.ui(ui, view, out));
        harness.get_by_label("bounce").click();
        harness.run();
        let expected = [Select::System(Some(BOUNCE)).into(), Request::ShowPanel(PanelId::Schedule)];
        assert_eq!(harness.state_mut().take(), expected);
    }

    #[test]
    fn a_lane_says_what_waits_for_its_run() {
        let mut panel = DeferredPanel::default();
        let harness = fixture::harness(Fixture::paused(), move |ui, view, out| panel.ui(ui, view, out));
        harness.get_by_label("run 7 of move, open for 3.0 ms, 1 block waiting for it");
        harness.get_by_label("move (run 7)");
    }
}
