//! Strings with how often they are used, and lists with whose they are.

use crate::view::{Requests, View};
use crate::{Select, format, widgets};
use egui::{RichText, TextEdit, Ui};
use egui_extras::{Column, TableRow};
use std::ops::Range;
use vivarium_world::inspect::{HeapPart, HeapRequest, HeapView, ListRow, StringRow, ViewRequest};

/// Which of them are shown, and which rows are in sight.
#[derive(Default)]
pub(super) struct Heap {
    filter: String,
    sight: Range<usize>,
}

impl Heap {
    pub(super) fn request(&self, part: HeapPart, wanted: &mut ViewRequest) {
        const MORE: usize = 40;
        let first = self.sight.start.saturating_sub(MORE);
        let count = self.sight.end + MORE - first;
        wanted.heap = Some(HeapRequest { part, filter: self.filter.clone(), first, count });
    }

    pub(super) fn ui(&mut self, ui: &mut Ui, view: &View<'_>, part: HeapPart, out: &mut Requests) {
        let Some(heap) = view.snapshot.heap.as_ref().filter(|heap| heap.part == part) else {
            widgets::nothing(ui, "Not counted yet");
            return;
        };
        ui.horizontal_wrapped(|ui| {
            let (hint, name) = match part {
                HeapPart::Strings => ("Filter texts", "Filter strings"),
                HeapPart::Lists => ("Filter components", "Filter lists"),
            };
            let edit = TextEdit::singleline(&mut self.filter).hint_text(hint).desired_width(180.0);
            ui.add(edit).accessible_name(name);
            ui.label(summary(heap)).on_hover_text(
                "A world that changes quickly is counted now and then; what runs write meanwhile is left out",
            );
        });
        if heap.matching == 0 {
            widgets::nothing(ui, if heap.total == 0 { "There are none" } else { "None passes the filter" });
            return;
        }
        match part {
            HeapPart::Strings => {
                self.table(ui, heap, &["uses", "text"], |row, at| {
                    if let Some(string) = heap.strings.get(at) {
                        string_row(row, string);
                    }
                });
            }
            HeapPart::Lists => {
                let titles = ["items", "bytes", "owner", "field", "begins with"];
                self.table(ui, heap, &titles, |row, at| {
                    if let Some(list) = heap.lists.get(at) {
                        list_row(row, view, list, out);
                    }
                });
            }
        }
    }

    fn table(
        &mut self,
        ui: &mut Ui,
        heap: &HeapView,
        titles: &[&str],
        mut draw: impl FnMut(&mut TableRow<'_, '_>, usize),
    ) {
        let table = widgets::table(ui)
            .id_salt(("heap", titles.len()))
            .auto_shrink(false)
            .columns(Column::initial(80.0).resizable(true), titles.len() - 1)
            .column(Column::remainder().at_least(100.0).clip(true));
        let table = table.header(widgets::ROW, |mut row| {
            for title in titles {
                row.col(|ui| drop(ui.strong(*title)));
            }
        });
        let mut sight: Option<Range<usize>> = None;
        table.body(|body| {
            body.rows(widgets::ROW, heap.matching, |mut row| {
                let index = row.index();
                sight = Some(sight.as_ref().map_or(index, |sight| sight.start)..index + 1);
                if let Some(at) = index.checked_sub(heap.first) {
                    draw(&mut row, at);
                }
            });
        });
        self.sight = sight.unwrap_or(0..0);
    }
}

/// `2 of 3 · counted at tick 1,204 in 50.0 µs`
fn summary(heap: &HeapView) -> String {
    format!(
        "{} · counted at tick {} in {}",
        widgets::shown_of(heap.matching, heap.total),
        format::count(heap.tick),
        format::duration(heap.took)
    )
}

fn string_row(row: &mut TableRow<'_, '_>, string: &StringRow) {
    row.col(|ui| match string.uses {
        0 => widgets::right(ui, RichText::new("unused").weak()),
        uses => widgets::right(ui, format::count(uses as u64)),
    });
    row.col(|ui| drop(ui.label(&*string.text).on_hover_text(&*string.text)));
}

fn list_row(row: &mut TableRow<'_, '_>, view: &View<'_>, list: &ListRow, out: &mut Requests) {
    row.col(|ui| widgets::right(ui, format::count(list.len as u64)));
    row.col(|ui| widgets::right(ui, format::bytes(list.bytes)));
    row.col(|ui| {
        let Some(owner) = &list.owner else {
            ui.weak("gone");
            return;
        };
        let link = ui.link(format::entity(&owner.type_name, owner.id)).on_hover_text("Select this entity");
        if link.clicked() {
            out.push(Select::Only(owner.ordinal).into());
        }
    });
    row.col(|ui| {
        let component = view.snapshot.catalog.component(list.component);
        let field = component.and_then(|component| component.fields.get(list.field));
        let field = field.map_or("", |field| field.name.as_str());
        ui.label(format!("{}.{field}", view.component_name(list.component)));
    });
    row.col(|ui| drop(ui.label(widgets::value_text(&list.begin, view))));
}
