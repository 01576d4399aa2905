//! Pools and tables: what is used, what is reserved, what is wasted.

use crate::theme::Palette;
use crate::view::{Requests, View};
use crate::{PanelId, Request, format, widgets};
use egui::{RichText, ScrollArea, Ui, vec2};
use egui_extras::{Column, TableRow};
use vivarium_world::Command;
use vivarium_world::inspect::{MemoryView, PoolView, ViewRequest};

/// Pools and their fill.
#[derive(Default)]
pub struct MemoryPanel {
    by: Order,
}

/// What the table is ordered by, greatest first.
#[derive(Clone, Copy, Default, PartialEq)]
enum Order {
    #[default]
    Registry,
    Bytes,
    Live,
    Waste,
}

/// A line of the table.
#[derive(Clone, Debug, PartialEq)]
struct Line<'a> {
    pool: &'a PoolView,
    name: String,
    /// Bytes of one block; none for a tag.
    size: usize,
    /// Bytes of blocks that belong to entities.
    used: usize,
    /// Allocated bytes without a living block in them.
    waste: usize,
}

impl Line<'_> {
    /// Part of the capacity that holds blocks of entities; none for what has no blocks, as a tag, or no pages.
    fn fill(&self) -> Option<f64> {
        (self.size > 0 && self.pool.capacity > 0).then(|| self.pool.live as f64 / self.pool.capacity as f64)
    }
}

fn lines<'a>(view: &View<'a>, memory: &'a MemoryView, by: Order) -> Vec<Line<'a>> {
    let line = |pool: &'a PoolView| {
        let size = view.snapshot.catalog.component(pool.component).map_or(0, |component| component.size);
        let used = pool.live * size;
        let waste = pool.bytes.saturating_sub(used);
        Line { pool, name: view.component_name(pool.component), size, used, waste }
    };
    let mut lines: Vec<_> = memory.pools.iter().map(line).collect();
    lines.sort_by_key(|line| {
        std::cmp::Reverse(match by {
            Order::Registry => 0,
            Order::Bytes => line.pool.bytes,
            Order::Live => line.pool.live,
            Order::Waste => line.waste,
        })
    });
    lines
}

impl MemoryPanel {
    /// Asks for the pools.
    pub fn request(&self, _view: &View<'_>, wanted: &mut ViewRequest) {
        wanted.memory = true;
    }

    /// Draws the panel.
    pub fn ui(&mut self, ui: &mut Ui, view: &View<'_>, out: &mut Requests) {
        let Some(memory) = &view.snapshot.memory else {
            widgets::nothing(ui, "No picture of the pools yet");
            return;
        };
        let lines = lines(view, memory, self.by);
        ui.horizontal_wrapped(|ui| tiles(ui, view, memory, &lines));
        ui.add_space(4.0);
        ui.horizontal_wrapped(|ui| {
            let compact = ui.button("Compact");
            let tip = "Regroup rows so that queries meet long runs of members; nothing may be open for it";
            if compact.on_hover_text(tip).clicked() {
                out.push(Command::Compact.into());
            }
            if view.snapshot.status.deferred > 0 {
                let blocks = format::counted(view.snapshot.status.deferred, "block");
                if ui.link(format!("{blocks} wait to be freed")).clicked() {
                    out.push(Request::ShowPanel(PanelId::Deferred));
                }
            }
        });
        ScrollArea::horizontal().auto_shrink(false).show(ui, |ui| self.table(ui, view, &lines, out));
    }

    fn table(&mut self, ui: &mut Ui, view: &View<'_>, lines: &[Line<'_>], out: &mut Requests) {
        let table = widgets::table(ui)
            .id_salt("pools")
            .auto_shrink(false)
            .column(Column::initial(120.0).resizable(true).clip(true))
            .column(Column::initial(130.0).resizable(true))
            .columns(Column::initial(70.0).resizable(true), 4)
            .columns(Column::initial(60.0).resizable(true), 3)
            .column(Column::remainder().at_least(100.0).clip(true));
        let table = table.header(widgets::ROW, |mut row| {
            self.title(&mut row, "pool", Order::Registry);
            row.col(|ui| drop(ui.strong("fill")));
            self.title(&mut row, "bytes", Order::Bytes);
            self.title(&mut row, "live", Order::Live);
            self.title(&mut row, "waste", Order::Waste);
            for title in ["capacity", "pages", "deferred", "held", "in use by"] {
                row.col(|ui| drop(ui.strong(title)));
            }
        });
        table.body(|body| {
            body.rows(widgets::ROW, lines.len(), |mut row| {
                let line = &lines[row.index()];
                pool_row(&mut row, view, line, out);
            });
        });
    }

    fn title(&mut self, row: &mut TableRow<'_, '_>, text: &str, order: Order) {
        row.col(|ui| {
            let mark = if self.by == order && order != Order::Registry { " ↓" } else { "" };
            let button = egui::Button::new(RichText::new(format!("{text}{mark}")).strong()).frame(false);
            if ui.add(button).accessible_name(format!("Sort by {text}")).clicked() {
                self.by = order;
            }
        });
    }
}

fn tiles(ui: &mut Ui, view: &View<'_>, memory: &MemoryView, lines: &[Line<'_>]) {
    let pools: usize = lines.iter().map(|line| line.pool.bytes).sum();
    let used: usize = lines.iter().map(|line| line.used).sum();
    let deferred: usize = lines.iter().map(|line| line.pool.deferred + line.pool.quarantined).sum();
    let entities = view.snapshot.status.entities;
    let all = pools + memory.table_bytes + memory.string_bytes + memory.list_bytes;
    widgets::tile(ui, "used by blocks", &format::bytes(used));
    widgets::tile(ui, "reserved by pools", &format::bytes(pools));
    widgets::tile(
        ui,
        "waste",
        &format!("{} · {}", format::bytes(pools - used.min(pools)), format::percent(waste(used, pools))),
    );
    widgets::tile(ui, "tables", &format::bytes(memory.table_bytes));
    let strings =
        format!("{} · {}", format::count(memory.strings as u64), format::bytes(memory.string_bytes));
    widgets::tile(ui, "strings", &strings);
    let lists = format!("{} · {}", format::count(memory.lists as u64), format::bytes(memory.list_bytes));
    widgets::tile(ui, "lists", &lists);
    widgets::tile(ui, "deferred blocks", &format::count(deferred as u64));
    widgets::tile(ui, "per entity", &format::bytes(all / entities.max(1)));
}

/// The part of what is reserved that is not used.
fn waste(used: usize, reserved: usize) -> f64 {
    if reserved == 0 { 0.0 } else { 1.0 - used.min(reserved) as f64 / reserved as f64 }
}

fn pool_row(row: &mut TableRow<'_, '_>, view: &View<'_>, line: &Line<'_>, out: &mut Requests) {
    let pool = line.pool;
    row.col(|ui| {
        let response = ui.link(&line.name).on_hover_text("Show the entities that have it");
        if response.clicked() {
            out.push(Request::Filter(format!("with:{}", line.name)));
        }
    });
    row.col(|ui| {
        let Some(fill) = line.fill() else {
            ui.weak("–").on_hover_text("It has no blocks to fill");
            return;
        };
        let (live, capacity) = (format::count(pool.live as u64), format::count(pool.capacity as u64));
        let meaning = format!("{}: {live} of {capacity} live", line.name);
        let colour = Palette::of(ui.visuals()).accent;
        widgets::bar(ui, vec2(80.0, widgets::ROW), fill, colour, &meaning);
        ui.label(format::percent(fill));
    });
    row.col(|ui| widgets::right(ui, format::bytes(pool.bytes)));
    row.col(|ui| widgets::right(ui, format::count(pool.live as u64)));
    row.col(|ui| widgets::right(ui, format::bytes(line.waste)));
    row.col(|ui| widgets::right(ui, format::count(pool.capacity as u64)));
    row.col(|ui| widgets::right(ui, format::count(pool.pages as u64)));
    row.col(|ui| widgets::right(ui, format::count(pool.deferred as u64)));
    row.col(|ui| {
        let held = RichText::new(format::count(pool.quarantined as u64));
        let warn = Palette::of(ui.visuals()).warn;
        widgets::right(ui, if pool.quarantined > 0 { held.color(warn) } else { held });
    });
    row.col(|ui| {
        if let Some(run) = &pool.held_by {
            widgets::system_link(ui, view, run.system, out);
            ui.weak(format!("run {}", run.run));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Fixture};
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    fn shown() -> Harness<'static, Fixture> {
        let mut panel = MemoryPanel::default();
        fixture::harness(Fixture::paused(), move |ui, view, out| panel.ui(ui, view, out))
    }

    #[test]
    fn what_is_allocated_and_not_used_is_waste() {
        let fixture = Fixture::paused();
        let view = fixture.view();
        let lines = lines(&view, fixture.snapshot.memory.as_ref().unwrap(), Order::Registry);
        assert_eq!((lines[0].used, lines[0].waste), (48, 720));
        assert_eq!(lines[0].fill(), Some(4.0 / 64.0));
        let empty = PoolView { capacity: 0, pages: 0, bytes: 0, ..lines[0].pool.clone() };
        assert_eq!(Line { pool: &empty, ..lines[0].clone() }.fill(), None);
        assert_eq!(waste(0, 0), 0.0);
    }

    #[test]
    fn the_greatest_come_first_in_a_chosen_order() {
        let fixture = Fixture::paused();
        let view = fixture.view();
        let order = |by| {
            let lines = lines(&view, fixture.snapshot.memory.as_ref().unwrap(), by);
            lines.into_iter().map(|line| line.name).collect::<Vec<_>>()
        };
        assert_eq!(order(Order::Registry), ["transform", "velocity", "body"]);
        assert_eq!(order(Order::Waste), ["transform", "velocity", "body"]);
        assert_eq!(order(Order::Live), ["transform", "body", "velocity"]);
    }

    #[test]
    fn a_pool_leads_to_the_entities_that_have_it() {
        let mut harness = shown();
        harness.get_by_label("velocity: 2 of 64 live");
        harness.get_by_label("velocity").click();
        harness.run();
        assert_eq!(harness.state_mut().take(), [Request::Filter("with:velocity".to_owned())]);
    }

    #[test]
    fn compacting_is_asked_for() {
        let mut harness = shown();
        harness.get_by_label("Compact").click();
        harness.run();
        assert_eq!(harness.state_mut().take_commands(), [Command::Compact]);
    }

    #[test]
    fn a_tag_has_no_fill() {
        let mut fixture = Fixture::paused();
        let memory = fixture.snapshot.memory.as_mut().unwrap();
        let tag = PoolView { component: fixture::FROZEN, live: 16, capacity: 1, ..memory.pools[1].clone() };
        memory.pools.push(tag);
        let mut panel = MemoryPanel::default();
        let harness = fixture::harness(fixture, move |ui, view, out| panel.ui(ui, view, out));
        harness.get_by_label("–");
        assert!(harness.query_by_label_contains("1600").is_none());
    }

    #[test]
    fn tiles_keep_their_names_in_one_line_whatever_the_width() {
        for width in (200..1_000).step_by(50) {
            let mut panel = MemoryPanel::default();
            let show = move |ui: &mut Ui, view: &View<'_>, out: &mut Requests| panel.ui(ui, view, out);
            let harness = fixture::harness_of_size([width as f32, 700.0], Fixture::paused(), show);
            for name in ["used by blocks", "reserved by pools", "deferred blocks", "per entity"] {
                let rect = harness.get_by_label(name).rect();
                assert!(rect.height() < 20.0 && rect.right() <= width as f32, "{name} at {width}: {rect}");
            }
        }
    }

    #[test]
    fn tiles_add_up() {
        let harness = shown();
        harness.get_by_label("1.8 KB");
        harness.get_by_label("3 · 40 B");
    }
}
