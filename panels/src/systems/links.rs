//! Names in the schedule: each is a link.

use super::model::{self, Part};
use crate::request::Request;
use crate::theme::Palette;
use crate::view::{Requests, View};
use crate::widgets;
use egui::accesskit::Role;
use egui::{CursorIcon, Label, Response, RichText, Sense, Ui, vec2};
use vivarium_world::ComponentId;

/// A component's name on a ground of its own. A click marks who touches it, or ends that; its menu leads to the
/// entities that have it.
pub(super) fn component(
    ui: &mut Ui,
    view: &View<'_>,
    id: ComponentId,
    mark: &mut Option<ComponentId>,
    out: &mut Requests,
) -> Response {
    let palette = Palette::of(ui.visuals());
    let name = view.component_name(id);
    let is_marked = *mark == Some(id);
    let ground = if is_marked { palette.selected } else { palette.chip };
    let text = RichText::new(&name).color(palette.text).background_color(ground).small();
    let response = ui.add(Label::new(text).selectable(false).sense(Sense::click()));
    widgets::describe(&response, Role::Link, &name);
    let response = response
        .on_hover_cursor(CursorIcon::PointingHand)
        .on_hover_text("Mark who touches it; the right button leads to its entities");
    if response.clicked() {
        *mark = if is_marked { None } else { Some(id) };
    }
    response.context_menu(|ui| {
        if ui.button(format!("Mark who touches {name}")).clicked() {
            *mark = Some(id);
            ui.close();
        }
        if ui.button(format!("Show entities with {name}")).clicked() {
            out.push(Request::Filter(format!("with:{name}")));
            ui.close();
        }
    });
    response
}

/// A sentence whose names are links, on as many lines as it takes.
pub(super) fn sentence(
    ui: &mut Ui,
    view: &View<'_>,
    text: &str,
    strong: bool,
    mark: &mut Option<ComponentId>,
    out: &mut Requests,
) {
    let response = ui.horizontal_wrapped(|ui| write(ui, view, text, strong, mark, out)).response;
    widgets::describe(&response, Role::Paragraph, text);
}

/// The same on one line.
pub(super) fn line(
    ui: &mut Ui,
    view: &View<'_>,
    text: &str,
    mark: &mut Option<ComponentId>,
    out: &mut Requests,
) {
    let response = ui.horizontal(|ui| write(ui, view, text, false, mark, out)).response;
    widgets::describe(&response, Role::Paragraph, text);
}

fn write(
    ui: &mut Ui,
    view: &View<'_>,
    text: &str,
    strong: bool,
    mark: &mut Option<ComponentId>,
    out: &mut Requests,
) {
    let palette = *Palette::of(ui.visuals());
    ui.spacing_mut().item_spacing = vec2(0.0, 2.0);
    for part in model::parts(view, text) {
        match part {
            Part::Words(words) => {
                let words = RichText::new(words);
                ui.label(words.color(if strong { palette.strong } else { palette.weak }));
            }
            Part::System(id, name) => {
                let response = ui.link(name).on_hover_text("Show this system");
                if response.clicked() {
                    out.push(crate::Select::System(Some(id)).into());
                }
            }
            Part::Component(id, _) => drop(component(ui, view, id, mark, out)),
        }
    }
}
