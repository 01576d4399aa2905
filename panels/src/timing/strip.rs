//! The last ticks as bars, and under them the slowest ones.

use super::model::{self, Load};
use crate::theme::Palette;
use crate::{format, widgets};
use egui::accesskit::Role;
use egui::{Align2, Color32, EventFilter, FontId, Key, Mesh, Rect, Response, Sense, Shape, Ui, pos2, vec2};
use std::time::Duration;
use vivarium_world::inspect::TickSample;

/// Width of a bar of the last ticks.
const BAR: f32 = 4.0;
/// Height of the strip of the last ticks.
const HEIGHT: f32 = 64.0;
/// Height of the strip of the slowest ticks, of which the lowest part has their times.
const SLOW_HEIGHT: f32 = 44.0;
const SLOW_TEXT: f32 = 14.0;

/// The colour of a load; its height says the same.
pub(super) fn colour(load: Load, palette: &Palette) -> Color32 {
    match load {
        Load::Light => palette.good,
        Load::Full => palette.warn,
        Load::Over => palette.error,
    }
}

/// A bar a tick; several ticks a bar when there are more than fit, each bar as high as its slowest. Gives the tick
/// that was clicked, or gone to with the arrow keys from the `chosen` one.
pub(super) fn last<'t>(
    ui: &mut Ui,
    ticks: &'t [TickSample],
    chosen: Option<u64>,
    budget: Duration,
) -> Option<&'t TickSample> {
    let size = vec2(ui.available_width().max(80.0), HEIGHT);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let bars = model::bars(ticks.len(), (rect.width() / BAR) as usize);
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
        let Some(part) = ticks.get(range.clone()) else { continue };
        let Some(tick) = model::slowest(part) else { continue };
        let height = (tick.took.as_secs_f32() / top * rect.height()).clamp(1.0, rect.height());
        let min = pos2(rect.left() + BAR * n as f32, rect.bottom() - height);
        let kept = part.iter().any(|tick| chosen == Some(tick.tick));
        let colour = if kept { palette.strong } else { colour(Load::of(tick.took, budget), palette) };
        if kept {
            // Seen however low its bar is.
            let whole = Rect::from_x_y_ranges(min.x - 1.0..=min.x + BAR, rect.y_range());
            mesh.add_colored_rect(whole, palette.selected);
        }
        mesh.add_colored_rect(Rect::from_min_size(min, vec2(BAR - 1.0, height)), colour);
    }
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, 2.0, palette.field);
    painter.add(Shape::mesh(mesh));
    if budget <= highest {
        let line = rect.bottom() - budget.as_secs_f32() / top * rect.height();
        painter.hline(rect.x_range(), line, (1.0, palette.weak));
    }
    if response.has_focus() {
        let frame = rect.shrink(1.0);
        painter.rect_stroke(frame, 2.0, (1.0, palette.accent), egui::StrokeKind::Inside);
    }
    let pointed = response.hover_pos().or(response.interact_pointer_pos());
    let bar = pointed.and_then(|at| bars.get(((at.x - rect.left()) / BAR).max(0.0) as usize));
    let under = bar.and_then(|range| ticks.get(range.clone())).and_then(model::slowest);
    let gone_to = keys(ui, &response).and_then(|by| match chosen {
        Some(from) => model::neighbour(ticks, from, by),
        None => ticks.last(),
    });
    if response.clicked() {
        response.request_focus();
        return under.or(model::slowest(ticks));
    }
    if let Some(tick) = under {
        response.on_hover_text_at_pointer(model::words(tick, budget));
    }
    gone_to
}

/// How many ticks the arrow keys go while the strip has the focus.
fn keys(ui: &Ui, response: &Response) -> Option<isize> {
    if !response.has_focus() {
        return None;
    }
    let arrows = EventFilter { horizontal_arrows: true, ..EventFilter::default() };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, arrows));
    let pressed = |key| ui.input(|input| input.key_pressed(key));
    if pressed(Key::ArrowLeft) {
        return Some(-1);
    }
    pressed(Key::ArrowRight).then_some(1)
}

/// The slowest ticks, slowest first, each with its time. Gives the one that was clicked.
pub(super) fn slowest<'t>(
    ui: &mut Ui,
    ticks: &'t [TickSample],
    chosen: Option<u64>,
    budget: Duration,
) -> Option<&'t TickSample> {
    let slowest = ticks.first()?.took.as_secs_f32().max(1e-9);
    let palette = *Palette::of(ui.visuals());
    let width = ui.available_width().max(80.0);
    let each = (width / ticks.len() as f32).clamp(52.0, 90.0);
    let shown = ((width / each) as usize).max(1);
    let (rect, _) = ui.allocate_exact_size(vec2(width, SLOW_HEIGHT), Sense::hover());
    let painter = ui.painter_at(rect);
    let mut clicked = None;
    for (n, tick) in ticks.iter().take(shown).enumerate() {
        let cell = Rect::from_min_size(
            pos2(rect.left() + each * n as f32, rect.top()),
            vec2(each - 3.0, SLOW_HEIGHT),
        );
        let response = ui.interact(cell, ui.scope_id().with(("slow", n)), Sense::click());
        widgets::describe(&response, Role::Button, &model::words(tick, budget));
        let kept = chosen == Some(tick.tick);
        let ground = if kept || response.hovered() { palette.selected } else { palette.faint };
        painter.rect_filled(cell, 2.0, ground);
        let room = SLOW_HEIGHT - SLOW_TEXT;
        let height = (tick.took.as_secs_f32() / slowest * room).clamp(1.0, room);
        let bottom = rect.top() + room;
        let bar = Rect::from_x_y_ranges(cell.x_range(), bottom - height..=bottom);
        painter.rect_filled(bar, 2.0, colour(Load::of(tick.took, budget), &palette));
        let colour = if kept || response.has_focus() { palette.strong } else { palette.text };
        let (at, font) = (pos2(cell.center().x, rect.bottom()), FontId::proportional(11.0));
        painter.text(at, Align2::CENTER_BOTTOM, format::duration(tick.took), font, colour);
        if response.on_hover_text(model::words(tick, budget)).clicked() {
            clicked = Some(tick);
        }
    }
    clicked
}
