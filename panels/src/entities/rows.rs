//! The lines of the entity list: headings of groups, and entities.

use super::{EntitiesPanel, fading, model};
use crate::theme::Palette;
use crate::view::{Requests, View};
use crate::{PanelId, Request, Select, format, request, widgets};
use egui::accesskit::Role;
use egui::text::LayoutJob;
use egui::{Modifiers, RichText, TextFormat, TextStyle, Ui, WidgetInfo};
use egui_extras::TableRow;
use vivarium_world::Command;
use vivarium_world::inspect::{EntityGroup, EntityRow};

impl EntitiesPanel {
    /// The heading of a group: a click closes or opens it.
    pub(super) fn heading(&mut self, row: &mut TableRow<'_, '_>, group: &EntityGroup) {
        let is_closed = group.listed == 0 && group.count > 0;
        let (arrow, name) = (if is_closed { "▶" } else { "▼" }, model::group_name(self.group, group));
        row.col(|ui| drop(ui.label(format!("{arrow} {}", format::count(group.count as u64)))));
        row.col(|ui| drop(ui.label(RichText::new(&name).strong())));
        for _ in 0..self.fields.len() + 2 {
            row.col(|_| {});
        }
        let response = row.response().on_hover_text(if is_closed { "Open" } else { "Close" });
        let count = format::counted(group.count, "entity");
        response.widget_info(|| {
            WidgetInfo::selected(Role::Button, true, !is_closed, format!("Group {name}, {count}"))
        });
        if response.clicked() {
            let name = group.name.to_string();
            match self.closed.iter().position(|closed| *closed == name) {
                Some(place) => drop(self.closed.remove(place)),
                None => self.closed.push(name),
            }
            // Rows below stand elsewhere now.
            (self.cursor, self.pending, self.anchor) = (None, None, 0);
        }
    }

    pub(super) fn row(
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
            if entity.dead || entity.gone { text.strikethrough().weak() } else { text }
        };
        let id = entity.id.to_string();
        let fresh = self.fading.of(entity.ordinal);
        row.col(|ui| {
            fading::mark(ui, fresh);
            ui.label(text(&id).monospace());
        });
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
        let name = model::row_name(entity);
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
            out.push(request::duplicate(&entities).into());
        }
        if !entity.type_name.is_empty() && ui.button(format!("Only type {}", entity.type_name)).clicked() {
            self.set_filter(format!("type:{}", entity.type_name));
        }
    }
}

/// A row that has not come yet.
pub(super) fn placeholder(row: &mut TableRow<'_, '_>, fields: usize) {
    row.col(|ui| drop(ui.weak("…")));
    for _ in 0..fields + 3 {
        row.col(|_| {});
    }
}

/// The names of an entity's components, each on a ground of its own, as one text.
fn chips(ui: &Ui, entity: &EntityRow, view: &View<'_>) -> LayoutJob {
    let palette = Palette::of(ui.visuals());
    let font = TextStyle::Small.resolve(ui.style());
    let is_gone = entity.dead || entity.gone;
    let chip = TextFormat {
        background: palette.chip,
        ..TextFormat::simple(font.clone(), if is_gone { palette.weak } else { palette.text })
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
