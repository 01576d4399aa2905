//! Blocks as they lie in memory, hex beside what it means.

use super::model;
use crate::theme::Palette;
use crate::view::{Requests, View};
use crate::{PanelId, Request, Select, format};
use egui::{Grid, RichText, Ui};
use vivarium_world::inspect::{BlockState, ComponentState, ComponentView, EntityDetail};

pub(super) fn ui(ui: &mut Ui, view: &View<'_>, detail: &EntityDetail, out: &mut Requests) {
    ui.label(format!("Row {} in every pool", format::count(detail.row)));
    for state in &detail.components {
        let Some(component) = view.snapshot.catalog.component(state.component) else { continue };
        ui.push_id(&component.name, |ui| block(ui, component, state, out));
    }
}

fn block(ui: &mut Ui, component: &ComponentView, state: &ComponentState, out: &mut Requests) {
    ui.add_space(6.0);
    ui.horizontal_wrapped(|ui| {
        ui.strong(format!("Pool {}", component.name));
        ui.label(place(state));
        held(ui, state, out);
    });
    if state.raw.bytes.is_empty() {
        ui.weak("A tag: it has no bytes");
        return;
    }
    Grid::new("bytes").num_columns(4).spacing([12.0, 2.0]).striped(true).show(ui, |ui| {
        for line in model::raw_lines(&component.fields, state.raw.bytes.len()) {
            let bytes = &state.raw.bytes[line.bytes.clone()];
            ui.label(RichText::new(format!("+{}", line.bytes.start)).monospace().weak());
            ui.label(RichText::new(model::hex(bytes)).monospace());
            match line.field {
                Some(field) => {
                    ui.label(format!("{}: {}", field.name, field.scalar.name()));
                    ui.label(
                        RichText::new(model::decode(field.scalar, bytes).unwrap_or_default()).monospace(),
                    );
                }
                None => {
                    ui.weak("undescribed");
                    ui.label("");
                }
            }
            ui.end_row();
        }
    });
}

/// `12 B · row 70 = page 1, cell 6 · live · tick 1,204`
fn place(state: &ComponentState) -> String {
    let raw = &state.raw;
    let name = match raw.state {
        BlockState::NoPage => "no page",
        BlockState::Free => "free",
        BlockState::Live => "live",
        BlockState::Deferred => "waits to be freed",
        BlockState::Quarantined => "quarantined: a run that hangs holds it",
    };
    format!(
        "{} · row {} = page {}, cell {} · {name} · tick {}",
        format::bytes(raw.bytes.len()),
        format::count(raw.row),
        format::count(raw.page),
        raw.row % 64,
        format::count(state.tick)
    )
}

/// Says which run holds the pool, if one does.
pub(super) fn held(ui: &mut Ui, state: &ComponentState, out: &mut Requests) {
    let Some(run) = &state.held_by else { return };
    let warn = Palette::of(ui.visuals()).warn;
    let text = format!("as of tick {}: run {} writes it, of", format::count(state.tick), run.run);
    ui.label(RichText::new(text).color(warn));
    let link = ui.link(&run.name).on_hover_text("Show this system in the schedule");
    if link.clicked() {
        out.push(Select::System(Some(run.system)).into());
        out.push(Request::ShowPanel(PanelId::Schedule));
    }
}
