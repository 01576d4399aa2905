//! The pools: what is used, what is reserved, what is wasted.

use super::growth::Growth;
use crate::theme::Palette;
use crate::view::{Requests, View};
use crate::{PanelId, Request, format, widgets};
use egui::accesskit::Role;
use egui::{RichText, ScrollArea, Sense, Shape, Ui, pos2, vec2};
use egui_extras::{Column, TableRow};
use vivarium_world::inspect::{MemoryView, PoolView, SystemView};
use vivarium_world::{Command, ComponentId};

/// In which order they stand.
#[derive(Default)]
pub(super) struct Pools {
    by: Order,
}

/// What the table is ordered by, greatest first.
#[derive(Clone, Copy, Default, PartialEq)]
pub(super) enum Order {
    #[default]
    Registry,
    Bytes,
    Live,
    Waste,
}

/// A line of the table.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line<'a> {
    pub(super) pool: &'a PoolView,
    pub(super) name: String,
    /// Bytes of one block; none for a tag.
    pub(super) size: usize,
    /// Bytes of blocks that belong to entities.
    pub(super) used: usize,
    /// Allocated bytes without a living block in them.
    pub(super) waste: usize,
}

impl Line<'_> {
    /// Part of the capacity that holds blocks of entities; none for what has no blocks, as a tag, or no pages.
    pub(super) fn fill(&self) -> Option<f64> {
        (self.size > 0 && self.pool.capacity > 0).then(|| self.pool.live as f64 / self.pool.capacity as f64)
    }
}

pub(super) fn lines<'a>(view: &View<'a>, memory: &'a MemoryView, by: Order) -> Vec<Line<'a>> {
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

/// How long the stretches are that the queries over a component meet: the mean of the systems that touch it, each
/// counted by its stretches. None if none of them ran.
pub(super) fn mean_chunk(view: &View<'_>, component: ComponentId) -> Option<f64> {
    let touches =
        |system: &&SystemView| system.reads.contains(&component) || system.writes.contains(&component);
    let systems = view.snapshot.systems.iter().filter(touches);
    let of = systems
        .filter_map(|system| Some((system.members as f64, system.mean_chunk.filter(|&mean| mean > 0.0)?)));
    let (members, chunks) =
        of.fold((0.0, 0.0), |(all, chunks), (members, mean)| (all + members, chunks + members / mean));
    (chunks > 0.0).then(|| members / chunks)
}

impl Pools {
    /// Draws them. Gives the component whose cells are to be shown.
    pub(super) fn ui(
        &mut self,
        ui: &mut Ui,
        view: &View<'_>,
        memory: &MemoryView,
        growth: &Growth,
        out: &mut Requests,
    ) -> Option<ComponentId> {
        let lines = lines(view, memory, self.by);
        ui.horizontal_wrapped(|ui| tiles(ui, view, memory, &lines, growth));
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
        let table = |ui: &mut Ui| self.table(ui, view, &lines, growth, out);
        ScrollArea::horizontal().auto_shrink(false).show(ui, table).inner
    }

    fn table(
        &mut self,
        ui: &mut Ui,
        view: &View<'_>,
        lines: &[Line<'_>],
        growth: &Growth,
        out: &mut Requests,
    ) -> Option<ComponentId> {
        let mut opened = None;
        let table = widgets::table(ui)
            .id_salt("pools")
            .auto_shrink(false)
            .column(Column::initial(120.0).resizable(true).clip(true))
            .column(Column::exact(46.0))
            .column(Column::initial(130.0).resizable(true))
            .columns(Column::initial(70.0).resizable(true), 4)
            .columns(Column::initial(60.0).resizable(true), 3)
            .column(Column::initial(80.0).resizable(true))
            .column(Column::initial(140.0).resizable(true))
            .column(Column::remainder().at_least(100.0).clip(true));
        let table = table.header(widgets::ROW, |mut row| {
            self.title(&mut row, "pool", Order::Registry);
            row.col(|ui| drop(ui.strong("cells")));
            row.col(|ui| drop(ui.strong("fill")));
            self.title(&mut row, "bytes", Order::Bytes);
            self.title(&mut row, "live", Order::Live);
            self.title(&mut row, "waste", Order::Waste);
            for title in ["capacity", "pages", "deferred", "held", "mean chunk", "growth", "in use by"] {
                row.col(|ui| drop(ui.strong(title)));
            }
        });
        table.body(|body| {
            body.rows(widgets::ROW, lines.len(), |mut row| {
                let line = &lines[row.index()];
                pool_row(&mut row, view, line, growth, &mut opened, out);
            });
        });
        opened
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

fn tiles(ui: &mut Ui, view: &View<'_>, memory: &MemoryView, lines: &[Line<'_>], growth: &Growth) {
    let pools: usize = lines.iter().map(|line| line.pool.bytes).sum();
    let live: usize = lines.iter().map(|line| line.pool.live).sum();
    let used: usize = lines.iter().map(|line| line.used).sum();
    let deferred: usize = lines.iter().map(|line| line.pool.deferred + line.pool.quarantined).sum();
    let entities = view.snapshot.status.entities;
    let all = pools + memory.table_bytes + memory.string_bytes + memory.list_bytes;
    widgets::tile(ui, "live blocks", &format::count(live as u64));
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
    if let Some(pages) = growth.allocations() {
        widgets::tile(ui, "pages allocated per tick", &format::number(pages));
    }
    widgets::tile(ui, "per entity", &format::bytes(all / entities.max(1)));
}

/// The part of what is reserved that is not used.
pub(super) fn waste(used: usize, reserved: usize) -> f64 {
    if reserved == 0 { 0.0 } else { 1.0 - used.min(reserved) as f64 / reserved as f64 }
}

fn pool_row(
    row: &mut TableRow<'_, '_>,
    view: &View<'_>,
    line: &Line<'_>,
    growth: &Growth,
    opened: &mut Option<ComponentId>,
    out: &mut Requests,
) {
    let pool = line.pool;
    row.col(|ui| {
        let response = ui.link(&line.name).on_hover_text("Show the entities that have it");
        if response.clicked() {
            out.push(Request::Filter(format!("with:{}", line.name)));
        }
    });
    row.col(|ui| {
        let button = ui.small_button("Cells").accessible_name(format!("Cells of {}", line.name));
        if button.on_hover_text("Show what is in each of its cells").clicked() {
            *opened = Some(pool.component);
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
    row.col(|ui| match mean_chunk(view, pool.component) {
        Some(mean) => widgets::right(ui, format::number((mean * 10.0).round() / 10.0)),
        None => widgets::right(ui, RichText::new("–").weak()),
    });
    row.col(|ui| grown(ui, line, growth));
    row.col(|ui| {
        if let Some(run) = &pool.held_by {
            widgets::system_link(ui, view, run.system, out);
            ui.weak(format!("run {}", run.run));
        }
    });
}

/// How a pool grew while it was seen: a line, and by how much.
fn grown(ui: &mut Ui, line: &Line<'_>, growth: &Growth) {
    let size = vec2(60.0, widgets::ROW - 6.0);
    let points = growth.line(line.pool.component, size.x as usize);
    let text = match growth.of(line.pool.component, line.pool.bytes) {
        0 => "±0".to_owned(),
        by if by > 0 => format!("+{}", format::bytes(by.unsigned_abs() as usize)),
        by => format!("−{}", format::bytes(by.unsigned_abs() as usize)),
    };
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    let least = points.iter().map(|point| point[1]).fold(f64::INFINITY, f64::min);
    let most = points.iter().map(|point| point[1]).fold(0.0, f64::max);
    if let ([first, ..], [.., last]) = (&points[..], &points[..])
        && last[0] > first[0]
    {
        let place = |[x, y]: [f64; 2]| {
            let x = (x - first[0]) / (last[0] - first[0]);
            let y = if most > least { (y - least) / (most - least) } else { 0.5 };
            pos2(rect.left() + rect.width() * x as f32, rect.bottom() - rect.height() * y as f32)
        };
        let line = points.iter().map(|&point| place(point)).collect();
        ui.painter().add(Shape::line(line, (1.0, Palette::of(ui.visuals()).accent)));
    }
    let meaning = format!("{}: {text} since the panel was first seen", line.name);
    widgets::describe(&response, Role::Image, &meaning);
    response.on_hover_text(meaning);
    ui.label(text);
}
