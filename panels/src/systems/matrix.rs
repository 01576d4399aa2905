//! Which systems may run together, every pair of them, and why not.

use super::graph::colour;
use super::links;
use super::model;
use super::what_if::{self, Pair};
use crate::theme::Palette;
use crate::view::{Requests, View};
use crate::{Select, format, widgets};
use egui::accesskit::Role;
use egui::{
    Align2, FontId, Painter, Rect, Response, RichText, ScrollArea, Sense, Stroke, StrokeKind, TextStyle, Ui,
    pos2, vec2,
};
use vivarium_world::inspect::{PairReason, ScheduleView};
use vivarium_world::{ComponentId, ReasonKind, SystemId};

/// Side of a cell.
const CELL: f32 = 20.0;

/// The pair that is explained, and whether the pairs are a list.
#[derive(Default)]
pub(super) struct Matrix {
    /// The pair that was clicked.
    pub(super) pair: Option<Pair>,
    as_list: bool,
}

impl Matrix {
    /// Draws the matrix and, above it, what there is to say about the chosen pair.
    pub(super) fn ui(
        &mut self,
        ui: &mut Ui,
        view: &View<'_>,
        schedule: &ScheduleView,
        mark: &mut Option<ComponentId>,
        out: &mut Requests,
    ) {
        what_if::ui(ui, view, schedule, self.pair, mark, out);
        ui.horizontal_wrapped(|ui| {
            ui.checkbox(&mut self.as_list, "As a list");
            ui.weak("Free pairs are empty.");
            let kinds = [
                ReasonKind::WriteRead,
                ReasonKind::WriteWrite,
                ReasonKind::CreationRead,
                ReasonKind::Exclusive,
            ];
            for kind in kinds {
                let name = if kind == ReasonKind::WriteRead { "read/write" } else { kind.label() };
                let colour = colour(kind, Palette::of(ui.visuals()));
                ui.label(RichText::new(format!("{} {name}", model::letter(kind))).color(colour));
            }
        });
        if self.as_list {
            self.list(ui, view, schedule, mark, out);
        } else {
            ScrollArea::both().auto_shrink(false).show(ui, |ui| self.grid(ui, view, schedule, out));
        }
    }

    /// The pairs that wait, a line each.
    fn list(
        &mut self,
        ui: &mut Ui,
        view: &View<'_>,
        schedule: &ScheduleView,
        mark: &mut Option<ComponentId>,
        out: &mut Requests,
    ) {
        let reasons = &schedule.reasons;
        ScrollArea::both().auto_shrink(false).show_rows(ui, widgets::ROW, reasons.len(), |ui, range| {
            for reason in reasons.get(range).unwrap_or_default() {
                let pair = (reason.earlier, reason.later);
                ui.horizontal(|ui| {
                    ui.set_min_height(widgets::ROW);
                    let is_chosen = self.pair == Some(pair);
                    let what_if = ui.selectable_label(is_chosen, "What if not");
                    if what_if.on_hover_text("The batches without it").clicked() {
                        self.pair = Some(pair);
                    }
                    let colour = colour(reason.kind, Palette::of(ui.visuals()));
                    ui.label(RichText::new(reason.kind.label()).color(colour));
                    links::line(ui, view, &reason.sentence, mark, out);
                });
            }
        });
    }

    fn grid(&mut self, ui: &mut Ui, view: &View<'_>, schedule: &ScheduleView, out: &mut Requests) {
        let systems = &view.snapshot.systems;
        let font = TextStyle::Body.resolve(ui.style());
        let palette = *Palette::of(ui.visuals());
        let title = |row: usize| format!("{} {}", row + 1, view.system_name(systems[row].id));
        let longest = (0..systems.len())
            .map(|row| ui.painter().layout_no_wrap(title(row), font.clone(), palette.text).size().x);
        let names = longest.fold(40.0, f32::max).ceil() + 8.0;
        let side = CELL * systems.len() as f32;
        let (rect, response) = ui.allocate_exact_size(vec2(names + side, CELL + side), Sense::CLICK);
        let waiting = match schedule.reasons.len() {
            1 => "1 pair waits".to_owned(),
            pairs => format!("{} wait", format::counted(pairs, "pair")),
        };
        let text = format!("{} by {}, {waiting}", format::counted(systems.len(), "system"), systems.len());
        widgets::describe(&response, Role::Grid, &text);
        let grid = Grid { corner: rect.min + vec2(names, CELL), count: systems.len() };
        let hovered = response.hover_pos().or(ui.ctx().pointer_hover_pos().filter(|at| rect.contains(*at)));
        let hovered = hovered.and_then(|at| grid.at(at));
        let painter = ui.painter_at(rect.intersect(ui.clip_rect()));
        for row in 0..systems.len() {
            let line = grid.cell(row, row);
            let is_near = hovered.is_some_and(|(r, c)| r == row || c == row);
            let colour = if is_near { palette.strong } else { palette.weak };
            self.title(
                ui,
                &painter,
                view,
                Rect::from_x_y_ranges(rect.left()..=grid.corner.x, line.y_range()),
                row,
                out,
            );
            let number = (row + 1).to_string();
            let head = pos2(line.center().x, rect.top() + CELL / 2.0);
            painter.text(head, Align2::CENTER_CENTER, &number, FontId::proportional(10.0), colour);
            painter.rect_filled(line, 2.0, palette.line);
        }
        if let Some((row, column)) = hovered {
            for line in grid.cross(row, column) {
                painter.rect_filled(line, 0.0, palette.chip.gamma_multiply(0.5));
            }
        }
        let place = |id: SystemId| systems.iter().position(|system| system.id == id);
        for reason in &schedule.reasons {
            let (Some(earlier), Some(later)) = (place(reason.earlier), place(reason.later)) else { continue };
            for (row, column) in [(later, earlier), (earlier, later)] {
                let cell = grid.cell(row, column);
                if ui.is_rect_visible(cell) {
                    let [a, b] = [row, column].map(|place| view.system_name(systems[place].id));
                    let response = ui.interact(cell, ui.scope_id().with((row, column)), Sense::CLICK);
                    self.cell(&painter, response, &format!("{a} and {b}"), reason, &palette);
                }
            }
        }
        self.outline(&painter, &grid, place, &palette);
        // Free pairs are no widgets of their own: there may be a thousand of them.
        let clicked = response.interact_pointer_pos().filter(|_| response.clicked());
        if let Some((row, column)) = clicked.and_then(|at| grid.at(at)).filter(|(row, column)| row != column)
        {
            self.pair = Some((systems[row].id, systems[column].id));
        }
        let free = hovered.filter(|(row, column)| {
            row != column && model::reason(schedule, systems[*row].id, systems[*column].id).is_none()
        });
        if let Some((row, column)) = free {
            let text = model::explain(view, schedule, systems[row].id, systems[column].id);
            response.on_hover_text_at_pointer(text);
        }
    }

    /// The name of a row: a link.
    fn title(
        &self,
        ui: &Ui,
        painter: &Painter,
        view: &View<'_>,
        place: Rect,
        row: usize,
        out: &mut Requests,
    ) {
        let Some(system) = view.snapshot.systems.get(row) else { return };
        let palette = Palette::of(ui.visuals());
        let response = ui.interact(place, ui.scope_id().with(("title", row)), Sense::CLICK);
        let is_selected = view.selection.system() == Some(system.id);
        let colour = if response.hovered() || is_selected { palette.strong } else { palette.accent };
        let font = TextStyle::Body.resolve(ui.style());
        let text = format!("{} {}", row + 1, view.system_name(system.id));
        painter.text(place.left_center(), Align2::LEFT_CENTER, &text, font, colour);
        widgets::describe(&response, Role::Link, &text);
        if response.on_hover_text("Show this system").clicked() {
            out.push(Select::System(Some(system.id)).into());
        }
    }

    /// The cell of a pair that waits.
    fn cell(
        &mut self,
        painter: &Painter,
        response: Response,
        names: &str,
        reason: &PairReason,
        palette: &Palette,
    ) {
        let cell = response.rect;
        let fill = if response.hovered() { palette.selected } else { palette.faint };
        painter.rect_filled(cell, 2.0, fill);
        let font = FontId::proportional(13.0);
        let colour = colour(reason.kind, palette);
        painter.text(cell.center(), Align2::CENTER_CENTER, model::letter(reason.kind), font, colour);
        widgets::describe(&response, Role::Button, &format!("{names}: {}", reason.kind));
        if response.on_hover_text(&reason.sentence).clicked() {
            self.pair = Some((reason.earlier, reason.later));
        }
    }

    /// Marks the cells of the chosen pair.
    fn outline(
        &self,
        painter: &Painter,
        grid: &Grid,
        place: impl Fn(SystemId) -> Option<usize>,
        palette: &Palette,
    ) {
        let chosen = self.pair.and_then(|(a, b)| Some((place(a)?, place(b)?)));
        for (row, column) in chosen.into_iter().flat_map(|(a, b)| [(a, b), (b, a)]) {
            let stroke = Stroke::new(2.0, palette.strong);
            painter.rect_stroke(grid.cell(row, column), 2.0, stroke, StrokeKind::Inside);
        }
    }
}

/// Cells in rows and columns.
struct Grid {
    /// The upper left corner of the first cell.
    corner: egui::Pos2,
    count: usize,
}

impl Grid {
    fn cell(&self, row: usize, column: usize) -> Rect {
        let min = self.corner + vec2(CELL * column as f32, CELL * row as f32);
        Rect::from_min_size(min, vec2(CELL, CELL)).shrink(1.0)
    }

    /// The row and column at a place; none beside the cells.
    fn at(&self, at: egui::Pos2) -> Option<(usize, usize)> {
        let from = at - self.corner;
        if from.x < 0.0 || from.y < 0.0 {
            return None;
        }
        let (row, column) = ((from.y / CELL) as usize, (from.x / CELL) as usize);
        (row < self.count && column < self.count).then_some((row, column))
    }

    /// The whole row and the whole column of a cell.
    fn cross(&self, row: usize, column: usize) -> [Rect; 2] {
        let last = self.count.saturating_sub(1);
        [self.cell(row, 0).union(self.cell(row, last)), self.cell(0, column).union(self.cell(last, column))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_in_the_cell_that_is_drawn_there() {
        let grid = Grid { corner: pos2(100.0, 50.0), count: 7 };
        for (row, column) in [(0, 0), (3, 6), (6, 3)] {
            assert_eq!(grid.at(grid.cell(row, column).center()), Some((row, column)));
        }
        assert_eq!(grid.at(pos2(99.0, 60.0)), None);
        assert_eq!(grid.at(pos2(110.0, 49.0)), None);
        assert_eq!(grid.at(grid.cell(7, 0).center()), None);
        let [row, column] = grid.cross(2, 4);
        assert!(row.intersects(column) && row.width() > 130.0 && column.height() > 130.0);
    }
}
