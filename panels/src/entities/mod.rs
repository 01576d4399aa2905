//! The list of entities.

mod model;
mod toolbar;

use crate::theme::Palette;
use crate::view::{Requests, View};
use crate::{PanelId, Request, Select, format, widgets};
use egui::accesskit::Role;
use egui::text::LayoutJob;
use egui::{
    EventFilter, Key, Modifiers, Rect, RichText, ScrollArea, Sense, TextFormat, TextStyle, Ui, WidgetInfo,
};
use egui_extras::{Column, TableRow};
use std::ops::Range;
use vivarium_world::Command;
use vivarium_world::inspect::{EntitiesRequest, EntityPage, EntityRow, Sort, SortBy, ViewRequest};

/// The filter, the order, the columns, and which rows are in sight.
#[derive(Default)]
pub struct EntitiesPanel {
    filter: String,
    sort: Sort,
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
    focus_search: bool,
    /// Whether a row was clicked, which takes the keyboard to the list.
    focus_list: bool,
    /// What is typed into the filter of "New".
    new_filter: String,
    /// What is typed into the filter of "Columns".
    column_filter: String,
}

impl EntitiesPanel {
    /// Asks for the rows in sight, or for those about to be selected.
    pub fn request(&self, _view: &View<'_>, wanted: &mut ViewRequest) {
        let (first, count) = match self.pending {
            Some((anchor, cursor)) => (anchor.min(cursor), anchor.abs_diff(cursor) + 1),
            None => model::rows_for(&self.sight),
        };
        wanted.entities = Some(EntitiesRequest {
            filter: self.filter.clone(),
            sort: self.sort.clone(),
            first,
            count,
            fields: self.fields.clone(),
        });
    }

    /// Draws the panel.
    pub fn ui(&mut self, ui: &mut Ui, view: &View<'_>, out: &mut Requests) {
        self.toolbar(ui, view, out);
        let Some(page) = &view.snapshot.entities else {
            widgets::nothing(ui, "No rows yet");
            return;
        };
        self.summary(ui, view, page, out);
        if page.fault.is_some() {
            return;
        }
        self.select_pending(page, out);
        let table =
            ScrollArea::horizontal().auto_shrink(false).show(ui, |ui| self.table(ui, view, page, out));
        self.keyboard(ui, table.inner_rect, view, page, out);
    }

    /// Replaces the filter.
    pub fn set_filter(&mut self, filter: String) {
        self.filter = filter;
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
        self.focus_search = true;
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
            if page.matching > 1 && ui.link("Select all").on_hover_text("Ctrl+A in the list").clicked() {
                self.select_all(page);
            }
        });
    }

    fn select_all(&mut self, page: &EntityPage) {
        let last = page.matching.min(model::MOST_SELECTED).saturating_sub(1);
        self.pending = Some((0, last));
    }

    fn select_pending(&mut self, page: &EntityPage, out: &mut Requests) {
        let Some((anchor, cursor)) = self.pending else { return };
        if anchor.max(cursor) >= page.matching {
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
        let mut table = widgets::table(ui)
            .id_salt(("entities", self.fields.len()))
            .sense(Sense::CLICK)
            .auto_shrink(false)
            .column(Column::initial(70.0).resizable(true).clip(true))
            .column(Column::initial(110.0).resizable(true).clip(true))
            .column(Column::initial(80.0).resizable(true).clip(true))
            .columns(Column::initial(90.0).resizable(true).clip(true), self.fields.len())
            .column(Column::remainder().at_least(120.0).clip(true));
        if let Some(row) = self.scroll_to.take() {
            table = table.scroll_to_row(row, None).animate_scrolling(false);
        }
        let mut sight: Option<Range<usize>> = None;
        let table = table.header(widgets::ROW, |mut row| self.header(&mut row));
        table.body(|body| {
            body.rows(widgets::ROW, page.matching, |mut row| {
                let index = row.index();
                sight = Some(sight.as_ref().map_or(index, |sight| sight.start)..index + 1);
                match model::row_at(page, index) {
                    Some(entity) => self.row(&mut row, index, entity, view, out),
                    None => placeholder(&mut row, self.fields.len()),
                }
            });
        });
        self.sight = sight.unwrap_or(0..0);
    }

    fn header(&mut self, row: &mut TableRow<'_, '_>) {
        let mut chosen = None;
        let mut title = |row: &mut TableRow<'_, '_>, text: &str, by: SortBy| {
            row.col(|ui| {
                let arrow = match (self.sort.by == by, self.sort.descending) {
                    (false, _) => "",
                    (true, false) => " ↑",
                    (true, true) => " ↓",
                };
                let button = egui::Button::new(RichText::new(format!("{text}{arrow}")).strong()).frame(false);
                let response = ui.add(button).on_hover_text("Sort by this");
                response.widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("Sort by {text}")));
                if response.clicked() {
                    chosen = Some(by);
                }
            });
        };
        title(row, "id", SortBy::Ordinal);
        title(row, "type", SortBy::Type);
        title(row, "class", SortBy::Class);
        for field in &self.fields {
            title(row, field, SortBy::Field(field.clone()));
        }
        row.col(|ui| {
            ui.strong("components");
        });
        if let Some(by) = chosen {
            self.sort = model::clicked(&self.sort, by);
            self.start_over();
        }
    }

    fn row(
        &mut self,
        row: &mut TableRow<'_, '_>,
        index: usize,
        entity: &EntityRow,
        view: &View<'_>,
        out: &mut Requests,
    ) {
        let selected = view.selection.contains(entity.ordinal);
        row.set_selected(selected);
        let text = |text: &str| {
            let text = RichText::new(text);
            if entity.dead { text.strikethrough().weak() } else { text }
        };
        let id = entity.id.to_string();
        row.col(|ui| drop(ui.label(text(&id).monospace())));
        row.col(|ui| drop(ui.label(text(&entity.type_name))));
        row.col(|ui| drop(ui.label(text(&entity.class))));
        for at in 0..self.fields.len() {
            let value = entity.fields.get(at).and_then(Option::as_ref);
            row.col(|ui| match value {
                Some(value) => widgets::right(ui, text(&widgets::value_text(value, view))),
                None => widgets::right(ui, RichText::new("–").weak()),
            });
        }
        row.col(|ui| drop(ui.label(chips(ui, entity, view))));
        let response = row.response();
        let name = format::entity(&entity.type_name, entity.id);
        response.widget_info(|| WidgetInfo::selected(Role::Row, true, selected, &name));
        if response.double_clicked() {
            out.push(Request::ShowPanel(PanelId::Inspector));
        } else if response.clicked() {
            let modifiers = response.ctx.input(|input| input.modifiers);
            self.click(index, entity, modifiers, out);
            self.focus_list = true;
        }
        response.context_menu(|ui| self.row_menu(ui, entity, view, out));
    }

    fn click(&mut self, index: usize, entity: &EntityRow, modifiers: Modifiers, out: &mut Requests) {
        self.cursor = Some(index);
        if modifiers.shift {
            self.pending = Some((self.anchor, index));
            return;
        }
        self.anchor = index;
        out.push(match modifiers.command {
            true => Select::Toggle(entity.ordinal).into(),
            false => Select::Only(entity.ordinal).into(),
        });
    }

    fn row_menu(&mut self, ui: &mut Ui, entity: &EntityRow, view: &View<'_>, out: &mut Requests) {
        let entities = view.edited_with(entity.ordinal);
        let many = if entities.len() > 1 {
            format!(" {}", format::count(entities.len() as u64))
        } else {
            String::new()
        };
        if ui.button(format!("Kill{many}")).clicked() {
            out.push(Command::Kill { entities: entities.clone() }.into());
        }
        if ui.button(format!("Remove{many}")).clicked() {
            out.push(Command::Remove { entities: entities.clone() }.into());
        }
        if ui.button(format!("Duplicate{many}")).clicked() {
            out.extend(entities.iter().map(|&entity| Command::Duplicate { entity }.into()));
        }
        if !entity.type_name.is_empty() && ui.button(format!("Only type {}", entity.type_name)).clicked() {
            self.set_filter(format!("type:{}", entity.type_name));
        }
    }

    /// The list is one stop of the keyboard.
    fn keyboard(&mut self, ui: &mut Ui, rect: Rect, view: &View<'_>, page: &EntityPage, out: &mut Requests) {
        let response = ui.interact(rect, list_id(), Sense::FOCUSABLE);
        let name = format!("Entity list, {}", format::counted(page.matching, "row"));
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
            out.extend(view.selection.entities().map(|entity| Command::Duplicate { entity }.into()));
        }
    }

    fn go(&mut self, key: Key, extend: bool, view: &View<'_>, page: &EntityPage) {
        // The selection may have been changed elsewhere; the keyboard goes on from there if it is in sight.
        let primary = view.selection.primary();
        let place = page.rows.iter().position(|row| Some(row.ordinal) == primary).map(|at| page.first + at);
        let from = if self.pending.is_some() { self.cursor } else { place.or(self.cursor) };
        let Some(to) = model::moved(from, key, self.sight.len(), page.matching) else { return };
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

fn placeholder(row: &mut TableRow<'_, '_>, fields: usize) {
    row.col(|ui| drop(ui.weak("…")));
    for _ in 0..fields + 3 {
        row.col(|_| {});
    }
}

/// The names of an entity's components, each on a ground of its own, as one text.
fn chips(ui: &Ui, entity: &EntityRow, view: &View<'_>) -> LayoutJob {
    let palette = Palette::of(ui.visuals());
    let font = TextStyle::Small.resolve(ui.style());
    let chip = TextFormat {
        background: palette.chip,
        ..TextFormat::simple(font.clone(), if entity.dead { palette.weak } else { palette.text })
    };
    let gap = TextFormat::simple(font, palette.text);
    let mut job = LayoutJob::default();
    for &component in &entity.components {
        match view.snapshot.catalog.component(component) {
            Some(component) => job.append(&component.name, 0.0, chip.clone()),
            None => job.append(&format!("component {component}"), 0.0, chip.clone()),
        }
        job.append("  ", 0.0, gap.clone());
    }
    job
}

#[cfg(test)]
mod tests;
