//! Choosing the entity a field points to: by a query, or among the selected ones.

use crate::view::{Requests, View};
use crate::{format, widgets};
use egui::containers::menu::{MenuButton, MenuConfig};
use egui::{PopupCloseBehavior, RichText, TextEdit, Ui};
use vivarium_world::Ordinal;

/// Selected entities offered at once.
const OFFERED: usize = 8;

/// A link to the entity, and a menu to choose another. `search` is what is typed while the menu is open. Returns whom
/// the user chose, if anybody or nobody.
pub(super) fn entity(
    ui: &mut Ui,
    view: &View<'_>,
    name: &str,
    target: Option<Ordinal>,
    search: &mut Option<String>,
    out: &mut Requests,
) -> Option<Option<Ordinal>> {
    match target {
        Some(target) => drop(widgets::entity_link(ui, view, target, out)),
        None => drop(ui.weak("none")),
    }
    let mut chosen = None;
    let config = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    let (response, menu) = MenuButton::new("…").config(config).ui(ui, |ui| {
        let opened = search.is_none();
        let text = search.get_or_insert_default();
        ui.set_min_width(220.0);
        if target.is_some() && ui.button("Point to none").clicked() {
            chosen = Some(None);
        }
        let others = view.selection.entities().filter(|&other| Some(other) != target);
        for other in others.take(OFFERED) {
            if ui.button(format!("Point to {}", view.entity_label(other))).clicked() {
                chosen = Some(Some(other));
            }
        }
        let edit = TextEdit::singleline(text).hint_text("Search: guardian, class:actor").desired_width(200.0);
        let response = ui.add(edit).accessible_name(format!("Search for {name}"));
        if opened {
            response.request_focus();
        }
        if let Some(found) = candidates(ui, view, text, target) {
            chosen = Some(Some(found));
        }
        if chosen.is_some() {
            ui.close();
        }
    });
    response.accessible_name(format!("Choose {name}"));
    if menu.is_none() || chosen.is_some() {
        *search = None;
    }
    chosen
}

/// The entities that match what is typed, as far as they have come.
fn candidates(ui: &mut Ui, view: &View<'_>, text: &str, target: Option<Ordinal>) -> Option<Ordinal> {
    let found = view.snapshot.candidates.as_ref().filter(|found| found.text == text)?;
    if let Some(fault) = &found.fault {
        ui.label(RichText::new(fault).color(ui.visuals().error_fg_color));
    }
    let mut chosen = None;
    for candidate in found.list.iter().filter(|candidate| Some(candidate.ordinal) != target) {
        if ui.button(format::entity(&candidate.type_name, candidate.id)).clicked() {
            chosen = Some(candidate.ordinal);
        }
    }
    let more = found.matching.saturating_sub(found.list.len());
    if more > 0 {
        ui.weak(format!("{} more match", format::count(more as u64)));
    }
    if found.matching == 0 && found.fault.is_none() {
        ui.weak("No entity matches");
    }
    chosen
}
