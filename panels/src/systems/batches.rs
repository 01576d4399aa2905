//! The batches: a card each, a row a system, and between cards why the later one waits.

use super::cards::{self, Ends, Kind, Line};
use super::links;
use super::model::{self, Heat, Touch};
use crate::theme::Palette;
use crate::view::{Requests, View};
use crate::{Select, format, widgets};
use egui::{
    Align, Color32, CornerRadius, Layout, Rect, RichText, ScrollArea, Sense, Stroke, TextStyle, Ui,
    UiBuilder, vec2,
};
use std::time::Duration;
use vivarium_world::inspect::{ScheduleView, SystemView};
use vivarium_world::{Command, ComponentId, SystemId};

/// Height of a line.
const LINE: f32 = 24.0;
/// Room between the edge of a card and what is in it.
const MARGIN: f32 = 10.0;
/// Width of the switch at the left.
const SWITCH: f32 = 24.0;
/// Width of the bar of a mean time and of the time beside it.
const MEAN: f32 = 60.0;
const TIME: f32 = 60.0;
/// The widest a name, a kind and a state may be.
const WIDEST: [f32; 3] = [190.0, 130.0, 140.0];

/// How wide things are, so that they stand below each other and can be scrolled to.
#[derive(Default)]
pub(super) struct Batches {
    /// The widest row of the last frame.
    width: f32,
    /// The widest name and kind, and the widest state there ever was: it changes all the time.
    columns: [f32; 3],
}

impl Batches {
    /// Draws the cards. Without a schedule they are one.
    pub(super) fn ui(
        &mut self,
        ui: &mut Ui,
        view: &View<'_>,
        schedule: Option<&ScheduleView>,
        mark: &mut Option<ComponentId>,
        out: &mut Requests,
    ) {
        let lines = cards::lines(&view.snapshot.systems, schedule);
        let slowest = view.snapshot.systems.iter().map(|system| system.mean).max().unwrap_or_default();
        ui.style_mut().interaction.selectable_labels = false;
        self.measure(ui, view, *mark);
        let columns = self.columns;
        ui.spacing_mut().item_spacing.y = 0.0;
        ScrollArea::both().auto_shrink(false).show_rows(ui, LINE, lines.len(), |ui, range| {
            let width = ui.available_width().max(self.width);
            let mut widest: f32 = 0.0;
            for (at, line) in range.clone().zip(lines.get(range).unwrap_or_default()) {
                let (rect, _) = ui.allocate_exact_size(vec2(width, LINE), Sense::hover());
                ground(ui, rect, line);
                let used = Drawn { view, mark, out, slowest, columns }.line(ui, rect, at, line);
                widest = widest.max(used - rect.left() + MARGIN);
            }
            self.width = widest;
        });
    }

    /// Makes columns as wide as what they hold.
    fn measure(&mut self, ui: &Ui, view: &View<'_>, mark: Option<ComponentId>) {
        let font = TextStyle::Body.resolve(ui.style());
        let gap = 2.0 * ui.spacing().item_spacing.x;
        let palette = Palette::of(ui.visuals());
        let width =
            |text: String| ui.painter().layout_no_wrap(text, font.clone(), palette.text).size().x + gap;
        let [mut name, mut kind, mut state] = [0.0, 0.0, self.columns[2]];
        for system in &view.snapshot.systems {
            // Room for the mark of an error.
            let mark_of_error = if system.last_error.is_some() { " !" } else { "" };
            let (text, _) = marked(view, system, mark, palette);
            name = f32::max(name, width(text + mark_of_error));
            kind = f32::max(kind, width(system.kind.to_owned()));
            state = f32::max(state, width(model::state(system, view)));
        }
        let [widest_name, widest_kind, widest_state] = WIDEST;
        self.columns = [name.min(widest_name), kind.min(widest_kind), state.min(widest_state)];
    }
}

/// The ground of a card, and the frame of those that run as one.
fn ground(ui: &Ui, rect: Rect, line: &Line<'_>) {
    const RADIUS: u8 = 5;
    let Some(ends) = line.card else { return };
    let palette = Palette::of(ui.visuals());
    let top = if ends.first { RADIUS } else { 0 };
    let bottom = if ends.last { RADIUS } else { 0 };
    let corners = CornerRadius { nw: top, ne: top, sw: bottom, se: bottom };
    let (painter, line_stroke) = (ui.painter(), Stroke::new(1.0, palette.line));
    painter.rect_filled(rect, corners, palette.faint);
    outline(ui, rect, ends, line_stroke);
    if let Some(ends) = line.frame {
        let inner = rect.shrink2(vec2(MARGIN / 2.0, 0.0));
        outline(ui, inner, ends, Stroke::new(1.5, palette.accent));
    }
}

/// The sides of a rectangle, and its top and bottom where it has ends.
fn outline(ui: &Ui, rect: Rect, ends: Ends, stroke: Stroke) {
    let painter = ui.painter();
    painter.vline(rect.left() + 0.5, rect.y_range(), stroke);
    painter.vline(rect.right() - 0.5, rect.y_range(), stroke);
    if ends.first {
        painter.hline(rect.x_range(), rect.top() + 0.5, stroke);
    }
    if ends.last {
        painter.hline(rect.x_range(), rect.bottom() - 0.5, stroke);
    }
}

struct Drawn<'d, 'v> {
    view: &'d View<'v>,
    mark: &'d mut Option<ComponentId>,
    out: &'d mut Requests,
    slowest: Duration,
    columns: [f32; 3],
}

impl Drawn<'_, '_> {
    /// Draws a line; gives how far to the right it reaches.
    fn line(&mut self, ui: &mut Ui, rect: Rect, at: usize, line: &Line<'_>) -> f32 {
        let inner = rect.shrink2(vec2(MARGIN, 0.0));
        if let Kind::System(system, elsewhere) = line.kind {
            return self.system(ui, rect, at, system, elsewhere);
        }
        let mut ui = row(ui, inner, (at, 0));
        let ui = &mut ui;
        match line.kind {
            Kind::Head(number, count) => {
                let name = number.map_or("In no batch".to_owned(), |number| format!("Batch {number}"));
                ui.strong(name);
                ui.weak(format::counted(count, "system"));
            }
            Kind::Joined(count) => {
                let text = format!("{} run as one, tile by tile", format::counted(count, "system"));
                ui.label(RichText::new(text).color(Palette::of(ui.visuals()).accent));
            }
            Kind::Elsewhere(system, batch) => {
                ui.add_space(SWITCH);
                widgets::system_link(ui, self.view, system.id, self.out);
                ui.weak(format!("runs as one with others, in batch {batch}"));
            }
            Kind::Why(reason) => {
                ui.weak("↓");
                links::line(ui, self.view, &reason.sentence, self.mark, self.out);
            }
            Kind::MoreReasons(more) => {
                ui.weak(format!("↓ and for {}: see the matrix", format::counted(more, "more reason")));
            }
            Kind::Gap | Kind::System(..) => {}
        }
        ui.min_rect().right()
    }

    fn system(
        &mut self,
        ui: &mut Ui,
        rect: Rect,
        at: usize,
        system: &SystemView,
        elsewhere: Option<usize>,
    ) -> f32 {
        let view = self.view;
        let response = ui.interact(rect, ui.scope_id().with(("system", system.id.0)), Sense::CLICK);
        let palette = *Palette::of(ui.visuals());
        let is_selected = view.selection.system() == Some(system.id);
        if is_selected || response.hovered() {
            let ground = if is_selected { palette.selected } else { palette.chip.gamma_multiply(0.6) };
            ui.painter().rect_filled(rect.shrink2(vec2(MARGIN - 3.0, 1.0)), 3.0, ground);
        }
        if response.clicked() {
            self.out.push(Select::System(Some(system.id)).into());
        }
        let (mut left, mut column) = (rect.left() + MARGIN, 0);
        let mut cell = |ui: &mut Ui, width: f32| {
            let cell = Rect::from_x_y_ranges(left..=left + width - 6.0, rect.y_range());
            left += width;
            column += 1;
            let mut ui = row(ui, cell, (at, column));
            ui.shrink_clip_rect(cell);
            ui
        };
        let [name, kind, state] = self.columns;
        let mut on = cell(ui, SWITCH);
        enabled(&mut on, system, "", self.out);
        let mut name = cell(ui, name);
        self.name(&mut name, system);
        cell(ui, kind).weak(system.kind);
        let mut mean = cell(ui, MEAN + TIME + 12.0);
        self.mean(&mut mean, system);
        let state_text = egui::Label::new(model::state(system, view)).truncate();
        cell(ui, state).add(state_text);
        let rest = Rect::from_x_y_ranges(left..=rect.right().max(left) - MARGIN, rect.y_range());
        let mut rest = row(ui, rest, (at, 0));
        if let Some(batch) = elsewhere {
            rest.weak(format!("batch {batch} ·"));
        }
        touches(&mut rest, view, system, self.mark, self.out);
        rest.min_rect().right()
    }

    fn name(&mut self, ui: &mut Ui, system: &SystemView) {
        let palette = *Palette::of(ui.visuals());
        let (text, colour) = marked(self.view, system, *self.mark, &palette);
        let text =
            RichText::new(text).color(if system.last_error.is_some() { palette.error } else { colour });
        let response = ui.link(text);
        if response.clicked() {
            self.out.push(Select::System(Some(system.id)).into());
        }
        if let Some(error) = &system.last_error {
            // Colour alone would not say it.
            ui.label(RichText::new("!").color(palette.error).strong());
            response.on_hover_text(format!("Last error, at tick {}: {}", error.tick, error.message));
        }
    }

    fn mean(&self, ui: &mut Ui, system: &SystemView) {
        let palette = Palette::of(ui.visuals());
        let heat = Heat::of(system.mean, self.view.snapshot.status.step);
        let colour = match heat {
            Heat::Cool => palette.accent,
            Heat::Warm => palette.warn,
            Heat::Hot => palette.error,
        };
        let part = system.mean.as_secs_f64() / self.slowest.as_secs_f64();
        let mean = format::duration(system.mean);
        let meaning = format!("{} takes {mean} on average, {}", system.name, heat.words());
        widgets::bar(ui, vec2(MEAN, widgets::ROW), part, colour, &meaning);
        ui.label(mean);
    }
}

/// The name of a system with what it does to the marked component, and a colour that says the same.
pub(super) fn marked(
    view: &View<'_>,
    system: &SystemView,
    mark: Option<ComponentId>,
    palette: &Palette,
) -> (String, Color32) {
    let name = view.system_name(system.id);
    match mark.map(|component| Touch::of(system, component)) {
        None => (name, palette.accent),
        Some(None) => (name, palette.weak),
        Some(Some(touch)) => {
            let colour = match touch {
                Touch::Writes => palette.warn,
                Touch::Reads => palette.accent,
                Touch::Creates => palette.good,
            };
            (format!("{name}: {}", touch.word()), colour)
        }
    }
}

/// A line of widgets in a rectangle: of a line, and a column in it.
fn row(ui: &mut Ui, rect: Rect, place: (usize, usize)) -> Ui {
    let layout = Layout::left_to_right(Align::Center);
    ui.new_child(UiBuilder::new().id_salt(("cell", place)).max_rect(rect).layout(layout))
}

/// A switch for whether a system takes part.
pub(super) fn enabled(ui: &mut Ui, system: &SystemView, text: &str, out: &mut Requests) {
    let mut on = system.enabled;
    let response = ui.checkbox(&mut on, text).accessible_name(format!("{} takes part", system.name));
    if response.changed() {
        out.push(Command::Enable { system: system.id, on }.into());
    }
}

/// What a system reads, writes and creates.
pub(super) fn touches(
    ui: &mut Ui,
    view: &View<'_>,
    system: &SystemView,
    mark: &mut Option<ComponentId>,
    out: &mut Requests,
) {
    let palette = Palette::of(ui.visuals());
    if system.exclusive {
        widgets::chip(ui, "anything", palette.error)
            .on_hover_text("It may touch anything, and so runs alone");
    }
    let mut chips = |ui: &mut Ui, verb: &str, components: &[ComponentId]| {
        if !components.is_empty() {
            ui.weak(verb);
        }
        for &component in components {
            links::component(ui, view, component, mark, out);
        }
    };
    // What is written is read too; saying so twice says nothing.
    let reads: Vec<_> = system.reads.iter().copied().filter(|id| !system.writes.contains(id)).collect();
    chips(ui, "writes", &system.writes);
    chips(ui, "reads", &reads);
    match &system.creates {
        Some(components) => chips(ui, "creates", components),
        None => drop(ui.weak("creates anything")),
    }
    if system.kills {
        ui.weak("kills");
    }
}

/// Where a system stands, for its neighbours in a row.
pub(super) fn batch_of(schedule: &ScheduleView, system: SystemId) -> Option<usize> {
    schedule.batches.iter().position(|batch| batch.contains(&system)).map(|at| at + 1)
}
