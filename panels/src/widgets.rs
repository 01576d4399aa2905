//! Small things several panels draw.

use crate::format;
use crate::panel_id::PanelId;
use crate::request::{Request, Select};
use crate::theme::Palette;
use crate::view::{Requests, View};
use egui::accesskit;
use egui::{Color32, Rect, Response, RichText, Sense, Ui, Vec2, WidgetInfo};
use egui_extras::TableBuilder;
use vivarium_world::inspect::{CatalogView, ComponentView};
use vivarium_world::{Command, ComponentId, Field, FieldValue, Ordinal, Role, SystemId};

/// Height of a row in every table, whole so that rows stay sharp.
pub(crate) const ROW: f32 = 20.0;

/// A striped table whose cells run from left to right, never higher than the room there is: what stood out
/// of a low panel could not be scrolled to.
pub(crate) fn table(ui: &mut Ui) -> TableBuilder<'_> {
    TableBuilder::new(ui)
        .striped(true)
        .min_scrolled_height(0.0)
        .cell_layout(egui::Layout::left_to_right(egui::Align::Center))
}

/// A link that selects an entity.
pub(crate) fn entity_link(ui: &mut Ui, view: &View<'_>, ordinal: Ordinal, out: &mut Requests) -> Response {
    let response = ui.link(view.entity_label(ordinal)).on_hover_text("Select this entity");
    if response.clicked() {
        out.push(Select::Only(ordinal).into());
    }
    response
}

/// A link that selects a system and shows it in the schedule.
pub(crate) fn system_link(ui: &mut Ui, view: &View<'_>, system: SystemId, out: &mut Requests) -> Response {
    let response = ui.link(view.system_name(system)).on_hover_text("Show this system in the schedule");
    if response.clicked() {
        out.push(Select::System(Some(system)).into());
        out.push(Request::ShowPanel(PanelId::Schedule));
    }
    response
}

/// A component's name on a ground of its own, as a link to the entities that have it.
pub(crate) fn component_link(ui: &mut Ui, view: &View<'_>, component: ComponentId, out: &mut Requests) {
    let (name, palette) = (view.component_name(component), Palette::of(ui.visuals()));
    let text = RichText::new(&name).color(palette.accent).background_color(palette.chip).small();
    let link = ui.add(egui::Link::new(text)).on_hover_text("Show the entities that have it");
    if link.accessible_name(&name).clicked() {
        out.push(Request::Filter(format!("with:{name}")));
    }
}

/// A word on a ground of its own.
pub(crate) fn chip(ui: &mut Ui, text: &str, colour: Color32) -> Response {
    let ground = Palette::of(ui.visuals()).chip;
    ui.label(RichText::new(text).color(colour).background_color(ground).small())
}

/// A bar filled to `part` of its width, with its meaning as accessible text.
pub(crate) fn bar(ui: &mut Ui, size: Vec2, part: f64, colour: Color32, meaning: &str) -> Response {
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    let ground = Palette::of(ui.visuals()).chip;
    let bar = Rect::from_center_size(rect.center(), egui::vec2(rect.width(), rect.height().min(10.0)));
    ui.painter().rect_filled(bar, 2.0, ground);
    let part = if part.is_finite() { part.clamp(0.0, 1.0) as f32 } else { 0.0 };
    let filled = Rect::from_min_size(bar.min, egui::vec2(bar.width() * part, bar.height()));
    ui.painter().rect_filled(filled, 2.0, colour);
    describe(&response, accesskit::Role::Meter, meaning);
    response.on_hover_text(meaning)
}

/// A number with its name above it. Among others in a wrapped line it goes to the next line whole.
pub(crate) fn tile(ui: &mut Ui, name: &str, value: &str) {
    const MARGIN: f32 = 8.0;
    let palette = Palette::of(ui.visuals());
    let galley = |ui: &Ui, text: RichText| {
        let text = egui::WidgetText::from(text);
        text.into_galley(ui, Some(egui::TextWrapMode::Extend), f32::INFINITY, egui::TextStyle::Body)
    };
    let name = galley(ui, RichText::new(name).color(palette.weak).small());
    let value = galley(ui, RichText::new(value).color(palette.strong).size(16.0));
    let gap = ui.spacing().item_spacing.y;
    let inner = egui::vec2(name.size().x.max(value.size().x), name.size().y + gap + value.size().y);
    let (rect, _) = ui.allocate_exact_size(inner + Vec2::splat(2.0 * MARGIN), Sense::hover());
    ui.painter().rect_filled(rect, 4.0, palette.faint);
    let layout = egui::Layout::top_down(egui::Align::Min);
    let mut ui = ui.new_child(egui::UiBuilder::new().max_rect(rect.shrink(MARGIN)).layout(layout));
    ui.label(name);
    ui.label(value);
}

/// Says what a painted thing is, to screen readers and to tests.
pub(crate) fn describe(response: &Response, role: accesskit::Role, text: &str) {
    response.widget_info(|| WidgetInfo::labeled(role, response.enabled(), text));
}

/// The rest of the line of a collapsing header, from its right end: for what can be done with what it heads.
pub(crate) fn end_of_line(ui: &mut Ui, header: Rect, name: &str) -> Ui {
    let line = Rect::from_x_y_ranges(header.left()..=ui.max_rect().right(), header.y_range());
    let layout = egui::Layout::right_to_left(egui::Align::Center);
    ui.new_child(egui::UiBuilder::new().id_salt(("end of line", name)).max_rect(line).layout(layout))
}

/// The field, `component.field`, that is dragged to where it becomes a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DraggedField(pub(crate) String);

/// A line that says where else to look.
pub(crate) fn hint(ui: &mut Ui, text: &str) {
    ui.add_space(4.0);
    ui.label(RichText::new(text).weak());
}

/// A line in place of a panel that has nothing to show.
pub(crate) fn nothing(ui: &mut Ui, text: &str) {
    ui.vertical_centered(|ui| {
        ui.add_space(24.0);
        ui.label(RichText::new(text).weak());
    });
}

/// A text right-aligned in its cell, for numbers.
pub(crate) fn right(ui: &mut Ui, text: impl Into<RichText>) {
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        ui.label(text.into());
    });
}

/// Whether the letters of `needle` occur in `text` in their order, whatever the case.
pub(crate) fn fuzzy(needle: &str, text: &str) -> bool {
    let mut letters = text.chars().flat_map(char::to_lowercase);
    needle
        .chars()
        .filter(|c| !c.is_whitespace())
        .flat_map(char::to_lowercase)
        .all(|c| letters.any(|l| l == c))
}

/// A value as a cell shows it.
pub(crate) fn value_text(value: &FieldValue, view: &View<'_>) -> String {
    match value {
        FieldValue::Float(n) => format::number(*n),
        FieldValue::Entity(Some(ordinal)) => view.entity_label(*ordinal),
        other => other.to_string(),
    }
}

/// A value as its field's description has it: `90°`, `10.5 px`, `#ff8000ff`.
pub(crate) fn field_text(field: &Field, value: &FieldValue, view: &View<'_>) -> String {
    match (field.role, value) {
        (Role::Colour, FieldValue::Uint(rgba)) => format!("#{:08x}", *rgba as u32),
        (Role::Angle, FieldValue::Float(n)) => format!("{}°", format::number(n.to_degrees())),
        (Role::Flags, FieldValue::Uint(n)) => format!("{n:#x}"),
        _ => match &field.unit {
            Some(unit) => format!("{} {unit}", value_text(value, view)),
            None => value_text(value, view),
        },
    }
}

/// Every `component.field` there is.
pub(crate) fn field_names(catalog: &CatalogView) -> Vec<String> {
    let names = |component: &ComponentView| {
        let name = component.name.clone();
        component.fields.iter().map(move |field| format!("{name}.{}", field.name)).collect::<Vec<_>>()
    };
    catalog.components.iter().flat_map(names).collect()
}

/// The command that creates an entity of a type.
pub(crate) fn spawn(type_name: &str) -> Command {
    Command::Spawn { config: [("type".to_owned(), serde_json::Value::from(type_name))].into() }
}

/// `12 of 345` for filtered lists, `345` for whole ones.
pub(crate) fn shown_of(shown: usize, total: usize) -> String {
    if shown == total {
        format::count(total as u64)
    } else {
        format!("{} of {}", format::count(shown as u64), format::count(total as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fuzzy_match_keeps_the_order_of_letters() {
        assert!(fuzzy("", "guardian"));
        assert!(fuzzy("gdn", "Guardian"));
        assert!(fuzzy("G U", "guardian"));
        assert!(!fuzzy("ndg", "guardian"));
    }
}
