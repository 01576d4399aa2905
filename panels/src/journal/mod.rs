//! What happened to entities, and who asked for it.

mod model;
mod toolbar;

use crate::theme::Palette;
use crate::view::{Requests, View};
use crate::{Request, Select, format, widgets};
use egui::{RichText, Ui};
use egui_extras::{Column, TableRow};
use std::ops::Range;
use vivarium_world::inspect::{JournalRequest, JournalRow, JournalView, ViewRequest};
use vivarium_world::{Asker, Command, JournalKind, Target};

/// Which entries are shown, and which rows are in sight.
#[derive(Default)]
pub struct JournalPanel {
    filter: String,
    /// Kinds that are left out.
    hidden: Vec<JournalKind>,
    by: Option<Asker>,
    /// What is typed into the filter of "Watch".
    field_filter: String,
    /// The rows drawn last.
    sight: Range<usize>,
}

impl JournalPanel {
    /// Asks for the rows in sight.
    pub fn request(&self, _view: &View<'_>, wanted: &mut ViewRequest) {
        let (first, count) = model::rows_for(&self.sight);
        wanted.journal = Some(JournalRequest {
            filter: self.filter.clone(),
            kinds: model::kinds_without(&self.hidden),
            by: self.by,
            first,
            count,
        });
        // For the names of those who asked.
        wanted.systems = true;
    }

    /// Draws the panel.
    pub fn ui(&mut self, ui: &mut Ui, view: &View<'_>, out: &mut Requests) {
        let Some(journal) = &view.snapshot.journal else {
            widgets::nothing(ui, "No entries yet");
            return;
        };
        self.toolbar(ui, view, journal, out);
        watched(ui, view, journal, out);
        if let Some((message, _)) = &journal.fault {
            ui.label(RichText::new(message).color(Palette::of(ui.visuals()).error));
            return;
        }
        if journal.matching == 0 {
            widgets::nothing(ui, model::why_empty(journal));
            return;
        }
        self.table(ui, view, journal, out);
    }

    fn table(&mut self, ui: &mut Ui, view: &View<'_>, journal: &JournalView, out: &mut Requests) {
        let mut sight: Option<Range<usize>> = None;
        let table = widgets::table(ui)
            .id_salt("journal")
            .auto_shrink(false)
            .column(Column::initial(70.0).resizable(true))
            .column(Column::initial(130.0).resizable(true))
            .column(Column::initial(130.0).resizable(true).clip(true))
            .column(Column::initial(100.0).resizable(true).clip(true))
            .column(Column::initial(180.0).resizable(true).clip(true))
            .column(Column::remainder().at_least(80.0).clip(true));
        let table = table.header(widgets::ROW, |mut row| {
            for title in ["tick", "what", "entity", "component", "before → after", "asked by"] {
                row.col(|ui| drop(ui.strong(title)));
            }
        });
        table.body(|body| {
            body.rows(widgets::ROW, journal.matching, |mut row| {
                let index = row.index();
                sight = Some(sight.as_ref().map_or(index, |sight| sight.start)..index + 1);
                match index.checked_sub(journal.first).and_then(|at| journal.rows.get(at)) {
                    Some(entry) => entry_row(&mut row, view, entry, out),
                    None => (0..6).for_each(|_| _ = row.col(|ui| drop(ui.weak("…")))),
                }
            });
        });
        self.sight = sight.unwrap_or(0..0);
    }
}

fn entry_row(row: &mut TableRow<'_, '_>, view: &View<'_>, entry: &JournalRow, out: &mut Requests) {
    row.col(|ui| widgets::right(ui, format::count(entry.tick)));
    row.col(|ui| {
        let (sign, colour) = model::sign(entry.kind, Palette::of(ui.visuals()));
        ui.label(RichText::new(sign).color(colour).strong().monospace());
        ui.label(RichText::new(entry.kind.name()).color(colour));
    });
    row.col(|ui| entity(ui, entry, out));
    row.col(|ui| {
        let Some(component) = entry.component else { return };
        let name = view.component_name(component);
        if ui.link(&name).on_hover_text("Show the entities that have it").clicked() {
            out.push(Request::Filter(format!("with:{name}")));
        }
    });
    row.col(|ui| {
        let text = model::change_text(entry, view);
        ui.label(&text).on_hover_text(&text);
    });
    row.col(|ui| asker(ui, view, entry, out));
}

/// Who it happened to: a link while it is there.
fn entity(ui: &mut Ui, entry: &JournalRow, out: &mut Requests) {
    let name = format::entity(&entry.type_name, entry.id);
    let about = format!("#{}, {}", entry.ordinal, model::class_text(&entry.class));
    if !entry.lives {
        ui.label(RichText::new(&name).strikethrough().weak()).on_hover_text(format!("{about}, gone"));
    } else if ui.link(&name).on_hover_text(about).clicked() {
        out.push(Select::Only(entry.ordinal).into());
    }
}

/// Who asked: a link while the system is there.
fn asker(ui: &mut Ui, view: &View<'_>, entry: &JournalRow, out: &mut Requests) {
    match entry.by {
        Asker::System(system) if view.system(system).is_some() => {
            widgets::system_link(ui, view, system, out);
        }
        by => drop(ui.label(model::asker_text(by, &entry.by_name))),
    }
}

/// The fields whose every change is recorded.
fn watched(ui: &mut Ui, view: &View<'_>, journal: &JournalView, out: &mut Requests) {
    if journal.watched.is_empty() {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        ui.weak("Watched:");
        for watched in &journal.watched {
            widgets::entity_link(ui, view, watched.ordinal, out);
            ui.label(&*watched.name);
            let name = format!("Forget {} of {}", watched.name, view.entity_label(watched.ordinal));
            let button = ui.small_button("×").on_hover_text("Watch it no longer").accessible_name(name);
            if button.clicked()
                && let Some((component, field)) = watched.name.split_once('.')
            {
                let target = Target { component: component.to_owned(), field: field.to_owned() };
                out.push(Command::Watch { entity: watched.ordinal, target, on: false }.into());
            }
        }
    });
}

#[cfg(test)]
mod tests;
