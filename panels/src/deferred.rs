//! Blocks waiting to be freed, and the runs they wait for.

use crate::series::Series;
use crate::theme::Palette;
use crate::view::{Requests, View};
use crate::{Request, Select, format, widgets};
use egui::Ui;
use egui_extras::Column;
use egui_plot::{Line, Plot, PlotPoints};
use vivarium_world::inspect::{DeferredView, OpenRun, ViewRequest};
use vivarium_world::{EntityId, SystemId};

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

    /// A lane a run, from its start to now; the one that begins leftmost holds things up.
    fn runs(&self, ui: &mut Ui, view: &View<'_>, deferred: &DeferredView, out: &mut Requests) {
        let palette = Palette::of(ui.visuals());
        if deferred.runs.is_empty() {
            ui.label(egui::RichText::new("No run is open: nothing holds blocks up").color(palette.weak));
        } else {
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 0.0;
                let longest = deferred.runs.iter().map(|run| run.open_for).max().unwrap_or_default();
                let (rect, _) = ui.allocate_exact_size(egui::vec2(LANE, 14.0), egui::Sense::hover());
                let font = egui::TextStyle::Small.resolve(ui.style());
                let text =
                    |at, align, text: String| ui.painter().text(at, align, text, font.clone(), palette.weak);
                text(
                    rect.left_center(),
                    egui::Align2::LEFT_CENTER,
                    format!("{} ago", format::duration(longest)),
                );
                text(rect.right_center(), egui::Align2::RIGHT_CENTER, "now".to_owned());
            });
        }
        for lane in lanes(deferred) {
            ui.horizontal(|ui| lane_row(ui, view, &lane, out));
            if let Some(warning) = stuck(&lane) {
                ui.label(egui::RichText::new(warning).color(palette.warn));
            }
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
                    let name = view.component_name(block.component);
                    if ui.link(&name).on_hover_text("Show the entities that have it").clicked() {
                        out.push(Request::Filter(format!("with:{name}")));
                    }
                });
                row.col(|ui| widgets::right(ui, format::count(block.row)));
                row.col(|ui| owner(ui, deferred, block.owner, out));
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

/// Width of the lanes, in points.
const LANE: f32 = 220.0;

/// A run that is open.
#[derive(Debug, PartialEq)]
struct Lane<'a> {
    run: &'a OpenRun,
    /// Where it begins, from 0 for the run that began first to 1 for now.
    from: f64,
    /// Blocks that wait for it.
    waiting: usize,
    /// Whether it began first, and blocks wait for it.
    holds_up: bool,
}

/// A lane a run, those that began first on top.
fn lanes<'a>(deferred: &'a DeferredView) -> Vec<Lane<'a>> {
    let longest = deferred.runs.iter().map(|run| run.open_for).max().unwrap_or_default().as_secs_f64();
    let first = first_open(&deferred.runs).map(|run| run.run);
    let lane = |run: &'a OpenRun| {
        let OpenRun { run: number, open_for, .. } = run;
        let waiting = deferred.list.iter().filter(|block| block.waits_for.contains(number)).count();
        let from = if longest > 0.0 { 1.0 - open_for.as_secs_f64() / longest } else { 0.0 };
        Lane { run, from, waiting, holds_up: first == Some(*number) && waiting > 0 }
    };
    let mut lanes: Vec<Lane<'_>> = deferred.runs.iter().map(lane).collect();
    lanes.sort_by_key(|lane| lane.run.run);
    lanes
}

/// What is to be said of a run that is open for suspiciously long.
fn stuck(lane: &Lane<'_>) -> Option<String> {
    const LONG: std::time::Duration = std::time::Duration::from_secs(10);
    let OpenRun { name, open_for, .. } = lane.run;
    (*open_for >= LONG).then(|| {
        format!(
            "`{name}` has not ended for {}: what it may still touch is quarantined until it does",
            format::duration(*open_for)
        )
    })
}

fn lane_row(ui: &mut Ui, view: &View<'_>, lane: &Lane<'_>, out: &mut Requests) {
    let palette = Palette::of(ui.visuals());
    let OpenRun { run, system, name, open_for } = lane.run;
    let mut meaning = format!(
        "run {run} of {name}, open for {}, {} waiting for it",
        format::duration(*open_for),
        format::counted(lane.waiting, "block")
    );
    if lane.holds_up {
        meaning.push_str(", holds things up");
    }
    let (rect, response) = ui.allocate_exact_size(egui::vec2(LANE, widgets::ROW), egui::Sense::hover());
    let ground = egui::Rect::from_center_size(rect.center(), egui::vec2(LANE, 10.0));
    ui.painter().rect_filled(ground, 2.0, palette.chip);
    let left = ground.left() + ground.width() * lane.from.clamp(0.0, 0.99) as f32;
    let colour = if lane.holds_up { palette.warn } else { palette.accent };
    ui.painter().rect_filled(ground.with_min_x(left), 2.0, colour);
    widgets::describe(&response, egui::accesskit::Role::Meter, &meaning);
    response.on_hover_text(meaning);
    widgets::system_link(ui, view, *system, out);
    ui.label(format!("run {run} · open {}", format::duration(*open_for)));
    if lane.holds_up {
        ui.label(egui::RichText::new("holds things up").color(palette.warn));
    }
}

/// Whose block it was: a link while that entity is there.
fn owner(ui: &mut Ui, deferred: &DeferredView, id: EntityId, out: &mut Requests) {
    match deferred.owners.iter().find(|owner| owner.id == id) {
        Some(owner) => {
            let link = ui.link(format::entity(&owner.type_name, id)).on_hover_text("Select this entity");
            if link.clicked() {
                out.push(Select::Only(owner.ordinal).into());
            }
        }
        None => {
            ui.label(egui::RichText::new(id.to_string()).strikethrough().weak()).on_hover_text("It is gone");
        }
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
    use crate::PanelId;
    use crate::fixture::{self, BOUNCE, Fixture};
    use egui_kittest::kittest::Queryable;
    use std::time::Duration;
    use vivarium_world::Ordinal;

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
        harness.get_by_label("run 7 of move, open for 3.0 ms, 1 block waiting for it, holds things up");
        harness.get_by_label("move (run 7)");
    }

    #[test]
    fn lanes_begin_where_their_runs_did_and_the_first_holds_things_up() {
        let mut deferred = Fixture::paused().snapshot.deferred.unwrap();
        let first = deferred.runs[0].clone();
        let later = OpenRun { run: vivarium_world::RunId(8), open_for: first.open_for / 3, ..first.clone() };
        deferred.runs = vec![later, first];
        let lanes = lanes(&deferred);
        assert_eq!(lanes.iter().map(|lane| lane.run.run.0).collect::<Vec<_>>(), [7, 8]);
        assert_eq!((lanes[0].from, lanes[0].waiting, lanes[0].holds_up), (0.0, 1, true));
        assert!((lanes[1].from - 2.0 / 3.0).abs() < 1e-6 && !lanes[1].holds_up);
    }

    #[test]
    fn a_run_that_does_not_end_is_warned_of() {
        let mut fixture = Fixture::paused();
        let deferred = fixture.snapshot.deferred.as_mut().unwrap();
        deferred.runs[0].open_for = Duration::from_secs(12);
        deferred.list[0].quarantined = true;
        let mut panel = DeferredPanel::default();
        let harness = fixture::harness(fixture, move |ui, view, out| panel.ui(ui, view, out));
        harness.get_by_label_contains("`move` has not ended for 12.0 s");
        harness.get_by_label("quarantined: its run hangs");
    }

    #[test]
    fn pool_and_owner_are_links_while_the_owner_is_there() {
        let mut fixture = Fixture::paused();
        let deferred = fixture.snapshot.deferred.as_mut().unwrap();
        let mut block = deferred.list[0].clone();
        block.owner = fixture::id(2);
        deferred.list.push(block);
        let mut panel = DeferredPanel::default();
        let mut harness = fixture::harness(fixture, move |ui, view, out| panel.ui(ui, view, out));
        harness.get_by_label("guardian 42v1").click();
        harness.run();
        assert_eq!(harness.state_mut().take(), [Select::Only(Ordinal(2)).into()]);
        harness.get_by_label("49v1").click();
        harness.run();
        assert!(harness.state_mut().take().is_empty());
        harness.get_all_by_label("transform").next().unwrap().click();
        harness.run();
        assert_eq!(harness.state_mut().take(), [Request::Filter("with:transform".to_owned())]);
    }
}
