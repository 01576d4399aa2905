//! The selected system with its direct neighbours only, and on each edge the reason.

use super::batches::marked;
use super::graph_layout::GraphLayout;
use super::model;
use super::what_if::Pair;
use crate::theme::Palette;
use crate::view::{Requests, View};
use crate::{Select, format, widgets};
use egui::accesskit::Role;
use egui::epaint::CubicBezierShape;
use egui::{
    Align, Color32, FontId, Layout, Rect, RichText, ScrollArea, Sense, Stroke, StrokeKind, Ui, UiBuilder,
    vec2,
};
use vivarium_world::inspect::{PairReason, ScheduleView};
use vivarium_world::{ComponentId, ReasonKind, SystemId};

/// Who a system waits for, and who waits for it, each with the reason.
pub(super) fn neighbours(schedule: &ScheduleView, system: SystemId) -> (Vec<&PairReason>, Vec<&PairReason>) {
    let all = |is_it: fn(&PairReason) -> SystemId| {
        schedule.reasons.iter().filter(|reason| is_it(reason) == system).collect()
    };
    (all(|reason| reason.later), all(|reason| reason.earlier))
}

/// Text of an edge that is shorter has a letter in place of the kind of its reason.
const SHORT: f32 = 150.0;

/// What is written on an edge: `write/write: velocity, transform`, or in little room `w velocity, transform`.
fn edge_text(view: &View<'_>, reason: &PairReason, is_short: bool) -> String {
    let components: Vec<String> = reason.components.iter().map(|&id| view.component_name(id)).collect();
    let components = components.join(", ");
    match (components.is_empty(), is_short) {
        (true, _) => reason.kind.label().to_owned(),
        (false, true) => format!("{} {components}", model::letter(reason.kind)),
        (false, false) => format!("{}: {components}", reason.kind.label()),
    }
}

/// The colour of a kind of reason; a word says the same.
pub(super) fn colour(kind: ReasonKind, palette: &Palette) -> Color32 {
    match kind {
        ReasonKind::WriteWrite => palette.warn,
        ReasonKind::CreationRead | ReasonKind::CreationQueried | ReasonKind::CreatesWrites => palette.good,
        ReasonKind::Exclusive => palette.error,
        ReasonKind::WriteRead | ReasonKind::ReadWrite => palette.accent,
    }
}

/// Draws the graph; gives the pair whose reason was clicked.
pub(super) fn ui(
    ui: &mut Ui,
    view: &View<'_>,
    schedule: &ScheduleView,
    mark: Option<ComponentId>,
    out: &mut Requests,
) -> Option<Pair> {
    let Some(system) = view.selection.system().filter(|&id| view.system(id).is_some()) else {
        choose(ui, view, out);
        return None;
    };
    let (before, after) = neighbours(schedule, system);
    ui.weak(format!(
        "{} waits for {} and is waited for by {}",
        view.system_name(system),
        format::counted(before.len(), "system"),
        format::counted(after.len(), "system")
    ));
    let margin = vec2(8.0, 4.0);
    let room = ui.available_width() - 2.0 * margin.x - ui.spacing().scroll.allocated_width();
    let mut clicked = None;
    ScrollArea::both().auto_shrink(false).show_viewport(ui, |ui, seen| {
        // In sight however far down its neighbours go.
        let middle = seen.top() + seen.height().min(300.0) / 2.0 - margin.y;
        let layout = GraphLayout::new(before.len(), after.len(), room, middle);
        let (rect, _) = ui.allocate_exact_size(layout.size + 2.0 * margin, Sense::hover());
        let at = rect.min.to_vec2() + margin;
        let sides = before.iter().zip(&layout.before).chain(after.iter().zip(&layout.after));
        for (reason, place) in sides.clone() {
            edge(ui, &layout, *place, at, colour(reason.kind, Palette::of(ui.visuals())));
        }
        for (reason, place) in sides {
            let other = if reason.later == system { reason.earlier } else { reason.later };
            node(ui, view, place.translate(at), other, mark, out);
            if edge_label(ui, view, layout.text(*place).translate(at), reason) {
                clicked = Some((reason.earlier, reason.later));
            }
        }
        node(ui, view, layout.centre.translate(at), system, mark, out);
    });
    clicked
}

/// Every system, to begin with one.
fn choose(ui: &mut Ui, view: &View<'_>, out: &mut Requests) {
    ui.weak("Choose a system to see who it waits for, and who waits for it:");
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            for system in &view.snapshot.systems {
                widgets::system_link(ui, view, system.id, out);
            }
        });
    });
}

fn edge(ui: &Ui, layout: &GraphLayout, place: Rect, at: egui::Vec2, colour: Color32) {
    let points = layout.edge(place).map(|point| point + at);
    let stroke = Stroke::new(1.5, colour);
    let painter = ui.painter();
    let is_before = place.left() < layout.centre.left();
    let bend = if is_before {
        // The text has a line under it.
        [points[1], points[2], points[3], points[4]]
    } else {
        [points[0], points[1], points[2], points[3]]
    };
    let straight = if is_before { [points[0], points[1]] } else { [points[3], points[4]] };
    painter.add(CubicBezierShape::from_points_stroke(bend, false, Color32::TRANSPARENT, stroke));
    painter.line_segment(straight, stroke);
    // The head of the arrow, at who waits.
    let [.., tip] = points;
    painter.add(egui::Shape::convex_polygon(
        vec![tip, tip + vec2(-7.0, -4.0), tip + vec2(-7.0, 4.0)],
        colour,
        Stroke::NONE,
    ));
}

/// The text of an edge; gives whether it was clicked.
fn edge_label(ui: &mut Ui, view: &View<'_>, place: Rect, reason: &PairReason) -> bool {
    let palette = *Palette::of(ui.visuals());
    let text = edge_text(view, reason, place.width() < SHORT);
    let response =
        ui.interact(place, ui.scope_id().with(("edge", reason.earlier.0, reason.later.0)), Sense::click());
    let job = egui::text::LayoutJob {
        wrap: egui::text::TextWrapping::truncate_at_width(place.width() - 6.0),
        ..egui::text::LayoutJob::single_section(
            text.clone(),
            egui::TextFormat::simple(FontId::proportional(11.0), colour(reason.kind, &palette)),
        )
    };
    let galley = ui.painter().layout_job(job);
    let ground = if response.hovered() || response.has_focus() { palette.selected } else { palette.panel };
    let room = Rect::from_center_size(place.center(), galley.size() + vec2(6.0, 2.0));
    ui.painter().rect_filled(room, 2.0, ground);
    ui.painter().galley(room.min + vec2(3.0, 1.0), galley, palette.text);
    widgets::describe(
        &response,
        Role::Button,
        &format!("{}. {}", edge_text(view, reason, false), reason.sentence),
    );
    response.on_hover_text(&reason.sentence).clicked()
}

fn node(
    ui: &mut Ui,
    view: &View<'_>,
    place: Rect,
    system: SystemId,
    mark: Option<ComponentId>,
    out: &mut Requests,
) {
    let palette = *Palette::of(ui.visuals());
    let Some(known) = view.system(system) else { return };
    let is_centre = view.selection.system() == Some(system);
    let (text, colour) = marked(view, known, mark, &palette);
    let response = ui.interact(place, ui.scope_id().with(("node", system.0)), Sense::click());
    let ground = if is_centre || response.hovered() { palette.selected } else { palette.chip };
    ui.painter().rect_filled(place, 4.0, ground);
    let stroke = if mark.is_some() { colour } else { palette.line };
    let width = if is_centre || response.has_focus() { 2.0 } else { 1.0 };
    ui.painter().rect_stroke(place, 4.0, (width, stroke), StrokeKind::Inside);
    let colour = if mark.is_none() { palette.strong } else { colour };
    let inner = place.shrink2(vec2(8.0, 0.0));
    let mut child = ui.new_child(
        UiBuilder::new()
            .id_salt(("name of", system.0))
            .max_rect(inner)
            .layout(Layout::left_to_right(Align::Center)),
    );
    child.style_mut().interaction.selectable_labels = false;
    child.add(egui::Label::new(RichText::new(&text).color(colour)).truncate());
    let state = model::state(known, view);
    let name = if is_centre { format!("{text}, {state}") } else { format!("Go to {text}, {state}") };
    widgets::describe(&response, Role::Link, &name);
    if response.on_hover_text(format!("{}: {state}", known.name)).clicked() && !is_centre {
        out.push(Select::System(Some(system)).into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{BOUNCE, Fixture, MOVE, WATCH};

    #[test]
    fn neighbours_are_those_of_a_reason_and_no_others() {
        let fixture = Fixture::paused();
        let schedule = fixture.snapshot.schedule.as_deref().unwrap();
        let count = |system| {
            let (before, after) = neighbours(schedule, system);
            (before.len(), after.len())
        };
        assert_eq!([count(MOVE), count(BOUNCE), count(WATCH)], [(0, 1), (1, 0), (0, 0)]);
    }

    #[test]
    fn an_edge_says_its_kind_and_its_components() {
        let fixture = Fixture::paused();
        let mut reason = fixture.snapshot.schedule.as_deref().unwrap().reasons[0].clone();
        assert_eq!(edge_text(&fixture.view(), &reason, false), "write/write: velocity");
        assert_eq!(edge_text(&fixture.view(), &reason, true), "w velocity");
        (reason.kind, reason.components) = (ReasonKind::Exclusive, Vec::new());
        assert_eq!(edge_text(&fixture.view(), &reason, true), "exclusive");
    }
}
