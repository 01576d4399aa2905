//! Who points to the entity.

use super::model;
use crate::view::{Requests, View};
use crate::{format, widgets};
use egui::{RichText, Ui};
use vivarium_world::inspect::EntityDetail;

pub(super) fn ui(ui: &mut Ui, view: &View<'_>, detail: &EntityDetail, out: &mut Requests) {
    let Some(found) = view.snapshot.references.iter().find(|found| found.to == detail.ordinal) else {
        ui.weak("Looking for references…");
        return;
    };
    if found.total == 0 {
        ui.weak("Nobody points to this entity");
        return;
    }
    let fields = format::counted(found.total, "field");
    let verb = if found.total == 1 { "points" } else { "point" };
    ui.label(RichText::new(format!("{fields} {verb} to this entity")).strong());
    for line in model::reference_lines(found, &view.snapshot.catalog) {
        ui.horizontal_wrapped(|ui| {
            let label = format::entity(&line.from.type_name, line.from.id);
            if ui.link(label).on_hover_text("Select this entity").clicked() {
                out.push(crate::Select::Only(line.from.ordinal).into());
            }
            ui.label(&line.field);
        });
    }
    let more = found.total - found.list.len();
    if more > 0 {
        ui.weak(format!("and {} more", format::count(more as u64)));
    }
    ui.add_space(4.0);
    if ui.link("Select them all").clicked() {
        let from = found.list.iter().map(|reference| reference.from.ordinal);
        out.push(crate::Select::Set(from.collect()).into());
    }
    let pointing = detail.components.iter().any(|state| {
        state.values.iter().any(|value| matches!(value, vivarium_world::FieldValue::Entity(Some(_))))
    });
    if pointing {
        widgets::hint(ui, "Whom this entity points to stands at its own fields, in the tab Components");
    }
}
