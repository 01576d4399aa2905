//! The list of entities.

mod columns;
mod completion;
mod fading;
mod model;
mod rows;
mod toolbar;

use crate::theme::Palette;
use crate::view::{Requests, View};
use crate::{Select, format, request, widgets};
use completion::SearchBox;
use egui::accesskit::Role;
use egui::{EventFilter, Key, Modifiers, Rect, RichText, ScrollArea, Sense, Ui, WidgetInfo};
use egui_extras::Column;
use fading::Fading;
use model::Line;
use std::ops::Range;
use vivarium_world::Command;
use vivarium_world::inspect::{EntitiesRequest, EntityPage, GroupBy, Sort, ViewRequest};

/// The filter, the order, the columns, and which rows are in sight.
#[derive(Default)]
pub struct EntitiesPanel {
    search: SearchBox,
    sort: Sort,
    group: GroupBy,
    /// Groups of which only the heading is shown.
    closed: Vec<String>,
    /// Extra columns, each `component.field`.
    fields: Vec<String>,
    /// The rows drawn last.
    sight: Range<usize>,
    /// Where a stretch of selected rows starts.
    anchor: usize,
    /// Where the keyboard is.
    cursor: Option<usize>,
    /// A stretch, anchor and cursor, to select when its rows have come.
    pending: Option<(usize, usize)>,
    scroll_to: Option<usize>,
    /// Whether a row was clicked, which takes the keyboard to the list.
    focus_list: bool,
    fading: Fading,
    /// What is typed into the filter of "New".
    new_filter: String,
    /// What is typed into the filter of "Columns".
    column_filter: String,
}

impl EntitiesPanel {
    /// Asks for the rows in sight, or for those about to be selected.
    pub fn request(&self, view: &View<'_>, wanted: &mut ViewRequest) {
        let (first, count) = match self.pending {
            Some((anchor, cursor)) => (anchor.min(cursor), anchor.abs_diff(cursor) + 1),
            None => model::rows_for(&self.sight),
        };
        wanted.entities = Some(EntitiesRequest {
            filter: self.search.text().to_owned(),
            sort: self.sort.clone(),
            first,
            count,
            fields: self.fields.clone(),
            group: self.group,
            closed: self.closed.clone(),
            keep: view.selection.entities().take(model::MOST_KEPT).collect(),
            changes: true,
        });
    }

    /// Draws the panel.
    pub fn ui(&mut self, ui: &mut Ui, view: &View<'_>, out: &mut Requests) {
        let whole = ui.max_rect();
        self.toolbar(ui, view, out);
        if let Some(page) = &view.snapshot.entities {
            self.summary(ui, view, page, out);
            if page.fault.is_none() {
                self.select_pending(page, out);
                self.fading.take_in(ui, page);
                let table = ScrollArea::horizontal()
                    .auto_shrink(false)
                    .show(ui, |ui| self.table(ui, view, page, out));
                self.keyboard(ui, table.inner_rect, view, page, out);
            }
        } else {
            widgets::nothing(ui, "No rows yet");
        }
        self.take_dragged(ui, whole);
    }

    /// Replaces the filter.
    pub fn set_filter(&mut self, filter: String) {
        self.search.set_text(filter);
        self.start_over();
    }

    /// Shows a field, `component.field`, as a column.
    pub fn add_column(&mut self, field: String) {
        if !self.fields.contains(&field) {
            self.fields.push(field);
        }
    }

    /// Puts the keyboard into the search box.
    pub fn focus_search(&mut self) {
        self.search.focus();
    }

    /// After a change of filter or order the places of rows mean something else.
    fn start_over(&mut self) {
        self.cursor = None;
        self.anchor = 0;
        self.pending = None;
        self.scroll_to = Some(0);
    }

    fn summary(&mut self, ui: &mut Ui, view: &View<'_>, page: &EntityPage, out: &mut Requests) {
        let palette = Palette::of(ui.visuals());
        if let Some((message, _)) = &page.fault {
            ui.label(RichText::new(message).color(palette.error));
            return;
        }
        ui.horizontal_wrapped(|ui| {
            let found = widgets::shown_of(page.matching, page.total);
            ui.label(format!("{found} · {}", format::duration(page.took)));
            if !view.selection.is_empty() {
                ui.label(
                    RichText::new(format!("{} selected", format::count(view.selection.len() as u64)))
                        .strong(),
                );
                if ui.link("Select none").clicked() {
                    out.push(Select::None.into());
                }
            }
            if page.listed > 1 && ui.link("Select all").on_hover_text("Ctrl+A in the list").clicked() {
                self.select_all(page);
            }
        });
    }

    fn select_all(&mut self, page: &EntityPage) {
        let last = page.listed.min(model::MOST_SELECTED).saturating_sub(1);
        self.pending = Some((0, last));
    }

    fn select_pending(&mut self, page: &EntityPage, out: &mut Requests) {
        let Some((anchor, cursor)) = self.pending else { return };
        if anchor.max(cursor) >= page.listed {
            self.pending = None;
        } else if let Some(ordinals) = model::stretch(page, anchor, cursor) {
            self.pending = None;
            out.push(match ordinals[..] {
                [one] => Select::Only(one).into(),
                _ => Select::Set(ordinals).into(),
            });
        }
    }

    fn table(&mut self, ui: &mut Ui, view: &View<'_>, page: &EntityPage, out: &mut Requests) {
        // Whole even heights keep the rows of a long list exact in single precision.
        ui.spacing_mut().item_spacing.y = 0.0;
        ui.style_mut().interaction.selectable_labels = false;
        let (letters, id_width) = columns::id_width(ui, page);
        let mut table = widgets::table(ui)
            .id_salt(("entities", self.fields.len(), letters))
            .sense(Sense::CLICK)
            .auto_shrink(false)
            .column(Column::initial(id_width).resizable(true).clip(true))
            .column(Column::initial(110.0).resizable(true).clip(true))
            .column(Column::initial(80.0).resizable(true).clip(true))
            .columns(Column::initial(90.0).resizable(true).clip(true), self.fields.len())
            .column(Column::remainder().at_least(120.0).clip(true));
        if let Some(row) = self.scroll_to.take() {
            let line = if row == 0 { 0 } else { model::line_of(&page.groups, row) };
            table = table.scroll_to_row(line, None).animate_scrolling(false);
        }
        let mut sight: Option<Range<usize>> = None;
        let table = table.header(widgets::ROW, |mut row| self.header(&mut row));
        table.body(|body| {
            body.rows(widgets::ROW, page.listed + page.groups.len(), |mut row| {
                let index = match model::line_at(&page.groups, row.index()) {
                    Line::Heading(group) => return self.heading(&mut row, &page.groups[group]),
                    Line::Row(index) => index,
                };
                sight = Some(sight.as_ref().map_or(index, |sight| sight.start)..index + 1);
                match model::row_at(page, index) {
                    Some(entity) => self.row(&mut row, index, entity, view, out),
                    None => rows::placeholder(&mut row, self.fields.len()),
                }
            });
        });
        self.sight = sight.unwrap_or(0..0);
    }

    /// The list is one stop of the keyboard.
    fn keyboard(&mut self, ui: &mut Ui, rect: Rect, view: &View<'_>, page: &EntityPage, out: &mut Requests) {
        let response = ui.interact(rect, list_id(), Sense::FOCUSABLE);
        let name = format!("Entity list, {}", format::counted(page.listed, "row"));
        response.widget_info(|| WidgetInfo::labeled(Role::Table, true, &name));
        // Only after `interact`: that takes a click on a row for one outside the list.
        if std::mem::take(&mut self.focus_list) {
            response.request_focus();
        }
        if !response.has_focus() {
            return;
        }
        let stroke = ui.visuals().selection.stroke;
        ui.painter().rect_stroke(rect, 0.0, stroke, egui::StrokeKind::Inside);
        let arrows = EventFilter { vertical_arrows: true, ..EventFilter::default() };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(list_id(), arrows));
        let keys = [Key::ArrowUp, Key::ArrowDown, Key::PageUp, Key::PageDown, Key::Home, Key::End];
        for key in keys {
            // With Shift first: without it a key matches whatever Shift does.
            let shift = ui.input_mut(|input| input.consume_key(Modifiers::SHIFT, key));
            if shift || ui.input_mut(|input| input.consume_key(Modifiers::NONE, key)) {
                self.go(key, shift, view, page);
            }
        }
        if ui.input_mut(|input| input.consume_key(Modifiers::COMMAND, Key::A)) {
            self.select_all(page);
        }
        if view.selection.is_empty() {
            return;
        }
        if ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Delete)) {
            out.push(Command::Kill { entities: view.selection.entities().collect() }.into());
        }
        if ui.input_mut(|input| input.consume_key(Modifiers::COMMAND, Key::D)) {
            let selected: Vec<_> = view.selection.entities().collect();
            out.push(request::duplicate(&selected).into());
        }
    }

    fn go(&mut self, key: Key, extend: bool, view: &View<'_>, page: &EntityPage) {
        // The selection may have been changed elsewhere; the keyboard goes on from there if it is in sight.
        let primary = view.selection.primary();
        let place = page.rows.iter().position(|row| Some(row.ordinal) == primary).map(|at| page.first + at);
        let from = if self.pending.is_some() { self.cursor } else { place.or(self.cursor) };
        let Some(to) = model::moved(from, key, self.sight.len(), page.listed) else { return };
        if !extend {
            self.anchor = to;
        }
        self.cursor = Some(to);
        self.scroll_to = Some(to);
        self.pending = Some((self.anchor, to));
    }
}

fn list_id() -> egui::Id {
    egui::Id::unique("entity list")
}

#[cfg(test)]
mod tests;
