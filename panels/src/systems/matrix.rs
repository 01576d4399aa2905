//! Which systems may run together, every pair of them, and why not.

use super::model;
use crate::theme::Palette;
use crate::view::View;
use crate::{format, widgets};
use egui::accesskit::Role;
use egui::{Align2, Color32, FontId, Rect, RichText, ScrollArea, Sense, TextStyle, Ui, pos2, vec2};
use vivarium_world::inspect::ScheduleView;
use vivarium_world::{ReasonKind, SystemId};

/// Side of a cell.
const CELL: f32 = 20.0;

/// The pair that was clicked, to explain it.
pub(super) type Pair = Option<(SystemId, SystemId)>;

/// Draws the matrix and, above it, the sentence that explains the chosen pair.
pub(super) fn ui(ui: &mut Ui, view: &View<'_>, schedule: &ScheduleView, chosen: &mut Pair) {
    explanation(ui, view, schedule, *chosen);
    ui.horizontal_wrapped(|ui| {
        ui.weak("Free pairs are empty.");
        for kind in
            [ReasonKind::WriteRead, ReasonKind::WriteWrite, ReasonKind::CreationRead, ReasonKind::Exclusive]
        {
            let colour = colour(kind, Palette::of(ui.visuals()));
            ui.label(RichText::new(format!("{} {kind}", model::letter(kind))).color(colour));
        }
    });
    ScrollArea::both().auto_shrink(false).show(ui, |ui| grid(ui, view, schedule, chosen));
}

fn explanation(ui: &mut Ui, view: &View<'_>, schedule: &ScheduleView, chosen: Pair) {
    let Some((a, b)) = chosen else {
        ui.weak("Click a cell to see why a pair may not run together");
        return;
    };
    match model::reason(schedule, a, b) {
        Some(reason) => ui.label(RichText::new(&reason.sentence).strong()),
        None => ui.label(format!("{} and {} may run together", view.system_name(a), view.system_name(b))),
    };
}

fn grid(ui: &mut Ui, view: &View<'_>, schedule: &ScheduleView, chosen: &mut Pair) {
    let systems = &view.snapshot.systems;
    let font = TextStyle::Body.resolve(ui.style());
    let palette = *Palette::of(ui.visuals());
    let title = |row: usize| format!("{} {}", row + 1, systems[row].name);
    let longest = (0..systems.len())
        .map(|row| ui.painter().layout_no_wrap(title(row), font.clone(), palette.text).size().x);
    let names = longest.fold(40.0, f32::max).ceil() + 8.0;
    let side = CELL * systems.len() as f32;
    let (rect, response) = ui.allocate_exact_size(vec2(names + side, CELL + side), Sense::hover());
    let text = match schedule.reasons.len() {
        1 => format!("{} by {}, 1 pair waits", format::counted(systems.len(), "system"), systems.len()),
        pairs => format!(
            "{} by {}, {} wait",
            format::counted(systems.len(), "system"),
            systems.len(),
            format::counted(pairs, "pair")
        ),
    };
    widgets::describe(&response, Role::Grid, &text);
    let cell = |row: usize, column: usize| {
        let min = rect.min + vec2(names + CELL * column as f32, CELL * (row + 1) as f32);
        Rect::from_min_size(min, vec2(CELL, CELL)).shrink(1.0)
    };
    let at = ui.ctx().pointer_hover_pos().filter(|at| rect.contains(*at));
    let painter = ui.painter_at(rect.intersect(ui.clip_rect()));
    for row in 0..systems.len() {
        let line = cell(row, row);
        let near = at.is_some_and(|at| (line.y_range().contains(at.y)) || line.x_range().contains(at.x));
        let colour = if near { palette.strong } else { palette.weak };
        painter.text(
            pos2(rect.left(), line.center().y),
            Align2::LEFT_CENTER,
            title(row),
            font.clone(),
            colour,
        );
        let number = (row + 1).to_string();
        let head = pos2(line.center().x, rect.top() + CELL / 2.0);
        painter.text(head, Align2::CENTER_CENTER, &number, FontId::proportional(10.0), colour);
        painter.rect_filled(line, 2.0, palette.line);
    }
    let place = |id: SystemId| systems.iter().position(|system| system.id == id);
    for reason in &schedule.reasons {
        let (Some(earlier), Some(later)) = (place(reason.earlier), place(reason.later)) else { continue };
        for (row, column) in [(later, earlier), (earlier, later)] {
            let rect = cell(row, column);
            if !ui.is_rect_visible(rect) {
                continue;
            }
            let colour = colour(reason.kind, &palette);
            let response = ui.interact(rect, ui.scope_id().with((row, column)), Sense::CLICK);
            let is_chosen = *chosen == Some((reason.earlier, reason.later));
            let fill = if response.hovered() || is_chosen { palette.selected } else { palette.faint };
            painter.rect_filled(rect, 2.0, fill);
            painter.text(
                rect.center(),
                Align2::CENTER_CENTER,
                model::letter(reason.kind),
                font.clone(),
                colour,
            );
            let (a, b) = (&systems[row].name, &systems[column].name);
            widgets::describe(&response, Role::Button, &format!("{a} and {b}: {}", reason.kind));
            if response.on_hover_text(&reason.sentence).clicked() {
                *chosen = Some((reason.earlier, reason.later));
            }
        }
    }
}

fn colour(kind: ReasonKind, palette: &Palette) -> Color32 {
    match kind {
        ReasonKind::WriteWrite => palette.warn,
        ReasonKind::CreationRead | ReasonKind::CreationQueried | ReasonKind::CreatesWrites => palette.good,
        ReasonKind::Exclusive => palette.error,
        ReasonKind::WriteRead | ReasonKind::ReadWrite => palette.accent,
    }
}
