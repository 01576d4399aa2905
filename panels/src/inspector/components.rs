//! The components of an entity, each with its fields and their editors.

use super::model::{self, Shown};
use super::{InspectorPanel, MOST_COMPARED, raw};
use crate::field_editor::{Edited, Given};
use crate::theme::Palette;
use crate::view::{Requests, View};
use crate::{Request, format, widgets};
use egui::text::LayoutJob;
use egui::{
    Button, CollapsingHeader, FontSelection, Grid, Label, Rect, RichText, Sense, TextEdit, TextFormat, Ui,
};
use vivarium_world::inspect::EntityDetail;
use vivarium_world::{Command, ComponentId, Field, FieldValue, Ordinal, Target};

/// What an edit is made on, and whom it reaches.
struct Scope<'a> {
    view: &'a View<'a>,
    detail: &'a EntityDetail,
    /// The selected entities the snapshot knows.
    compared: &'a [&'a EntityDetail],
    /// Whom an edit reaches.
    entities: &'a [Ordinal],
    shown: &'a Shown<'a>,
}

impl InspectorPanel {
    pub(super) fn components(
        &mut self,
        ui: &mut Ui,
        view: &View<'_>,
        detail: &EntityDetail,
        out: &mut Requests,
    ) {
        let edit = TextEdit::singleline(&mut self.filter).hint_text("Filter components and fields");
        ui.add(edit.desired_width(f32::INFINITY)).accessible_name("Filter components and fields");
        let shown = model::shown(detail, &view.snapshot.catalog, &self.filter);
        if shown.is_empty() {
            ui.weak("No component or field has such a name");
        }
        let compared: Vec<_> =
            view.snapshot.details.iter().filter(|detail| view.selection.contains(detail.ordinal)).collect();
        let entities = view.edited_with(detail.ordinal);
        for shown in &shown {
            let scope = Scope { view, detail, compared: &compared, entities: &entities, shown };
            let header = CollapsingHeader::new(title(ui, view, shown))
                .id_salt(&shown.component.name)
                .default_open(!shown.fields.is_empty())
                .open((!self.filter.is_empty()).then_some(true));
            let body = |ui: &mut Ui| {
                ui.push_id(detail.ordinal, |ui| self.component(ui, &scope, out));
            };
            let header = header.show(ui, body).header_response.accessible_name(&shown.component.name);
            scope.menu(ui, header.rect, out);
        }
    }

    fn component(&mut self, ui: &mut Ui, scope: &Scope<'_>, out: &mut Requests) {
        raw::held(ui, scope.view, scope.shown.state, out);
        Grid::new("fields").num_columns(2).spacing([12.0, 3.0]).show(ui, |ui| {
            for &at in &scope.shown.fields {
                let (Some(field), Some(live)) =
                    (scope.shown.component.fields.get(at), scope.shown.state.values.get(at))
                else {
                    continue;
                };
                ui.push_id(at, |ui| self.field_name(ui, scope, at, field, out));
                ui.push_id(("editor", at), |ui| {
                    ui.horizontal(|ui| {
                        self.field(ui, scope, at, Edited { field, name: &scope.name(field), live }, out)
                    });
                });
                ui.end_row();
            }
        });
    }

    fn field(&mut self, ui: &mut Ui, scope: &Scope<'_>, at: usize, edited: Edited<'_>, out: &mut Requests) {
        let key = (scope.detail.ordinal, scope.shown.component.id, at);
        if let Some(given) = self.holding.editor(ui, scope.view, key, edited, out) {
            self.note = scope.write(at, edited.field, given, out);
        }
        if scope.compared.len() > 1
            && let Some(mixed) = model::mixed(scope.compared, scope.shown.component.id, at)
        {
            ui.label(RichText::new(mixed).color(Palette::of(ui.visuals()).warn));
        }
        if let Some(template) = model::differs(scope.shown.state, at) {
            let text = widgets::value_text(template, scope.view);
            let reset = ui.small_button("reset").on_hover_text(format!("The template has {text}"));
            if reset.accessible_name(format!("Reset {} to {text}", edited.name)).clicked() {
                out.push(scope.set(scope.entities, edited.field, template.clone()));
            }
        }
    }

    /// A field's name, strong and dotted where its value is not the template's.
    fn field_name(&mut self, ui: &mut Ui, scope: &Scope<'_>, at: usize, field: &Field, out: &mut Requests) {
        let text = match model::differs(scope.shown.state, at) {
            Some(_) => RichText::new(format!("• {}", field.name)).strong(),
            None => RichText::new(&field.name),
        };
        let mut tip = field.scalar.name().to_owned();
        if let Some((low, high)) = field.range {
            tip.push_str(&format!(", {} to {}", format::number(low), format::number(high)));
        }
        if let Some(key) = &field.key {
            tip.push_str(&format!(", key {key}"));
        }
        let label = Label::new(text).sense(Sense::CLICK).selectable(false);
        let response = ui.add(label).on_hover_text(format!("{tip}. A right click offers more."));
        response.context_menu(|ui| {
            if ui.button("Watch").on_hover_text("Draw its values over time, in the tab History").clicked() {
                self.history.watch(scope.view, scope.detail, scope.shown.component, at);
            }
            if ui.button("Show as column").clicked() {
                out.push(Request::Column(scope.name(field)));
            }
            if ui.button("Copy value").clicked()
                && let Some(value) = scope.shown.state.values.get(at)
            {
                ui.copy_text(value.to_string());
            }
        });
    }
}

impl Scope<'_> {
    /// How filters and columns name a field of this component.
    fn name(&self, field: &Field) -> String {
        format!("{}.{}", self.shown.component.name, field.name)
    }

    /// Asks to write what was given. A change gives every entity a value of its own. Returns why it does not.
    fn write(&self, at: usize, field: &Field, given: Given, out: &mut Requests) -> Option<String> {
        let Some(change) = given.change.filter(|_| self.entities.len() > 1) else {
            out.push(self.set(self.entities, field, given.value));
            return None;
        };
        if self.compared.len() < self.entities.len() {
            return Some(format!(
                "Too many are selected to change each; give a value, or select at most {MOST_COMPARED}"
            ));
        }
        for detail in self.compared {
            let state = detail.components.iter().find(|state| state.component == self.shown.component.id);
            let value = state.and_then(|state| state.values.get(at));
            if let Some(value) = value.and_then(|value| change.applied(field, value)) {
                out.push(self.set(&[detail.ordinal], field, value));
            }
        }
        None
    }

    fn set(&self, entities: &[Ordinal], field: &Field, value: FieldValue) -> Request {
        let target = Target { component: self.shown.component.name.clone(), field: field.name.clone() };
        Command::Set { entities: entities.to_vec(), target, value }.into()
    }

    /// What can be done to a component, at the end of the line of its header.
    fn menu(&self, ui: &mut Ui, header: Rect, out: &mut Requests) {
        let component = self.shown.component;
        let mut line = widgets::end_of_line(ui, header, &component.name);
        let opened = line.menu_button("…", |ui| self.menu_entries(ui, out));
        opened.response.accessible_name(format!("Menu of {}", component.name));
        line.weak(if component.size == 0 { "tag".to_owned() } else { format::bytes(component.size) });
    }

    fn menu_entries(&self, ui: &mut Ui, out: &mut Requests) {
        let component = self.shown.component;
        let fields = component.fields.iter().enumerate();
        let changed: Vec<_> =
            fields.filter_map(|(at, field)| Some((field, model::differs(self.shown.state, at)?))).collect();
        let reset = ui.add_enabled(!changed.is_empty(), Button::new("Reset to template"));
        if reset.on_hover_text("Give every field the value of the template").clicked() {
            out.extend(changed.iter().map(|(field, value)| self.set(self.entities, field, (*value).clone())));
        }
        let removable = component.id != ComponentId::ENTITY;
        let remove = ui.add_enabled(removable, Button::new("Remove component"));
        if remove.on_disabled_hover_text("Every entity has this one").clicked() {
            let name = &component.name;
            let drop = |&entity| Command::Drop { entity, component: name.clone() }.into();
            out.extend(self.entities.iter().map(drop));
        }
        if ui.button("Show entities that have it").clicked() {
            out.push(Request::Filter(format!("with:{}", component.name)));
        }
    }
}

/// A component's name with its first values.
fn title(ui: &Ui, view: &View<'_>, shown: &Shown<'_>) -> LayoutJob {
    let palette = Palette::of(ui.visuals());
    let font = FontSelection::default().resolve(ui.style());
    let changed = (0..shown.component.fields.len()).any(|at| model::differs(shown.state, at).is_some());
    let mut job = LayoutJob::default();
    let name = if changed { format!("{} •", shown.component.name) } else { shown.component.name.clone() };
    job.append(&name, 0.0, TextFormat::simple(font.clone(), palette.strong));
    let values = shown.component.fields.iter().zip(&shown.state.values).take(4);
    let texts = values.map(|(field, value)| widgets::field_text(field, value, view));
    let mut preview = texts.collect::<Vec<_>>().join("  ");
    if let Some((cut, _)) = preview.char_indices().nth(40) {
        preview.truncate(cut);
        preview.push('…');
    }
    job.append(&preview, 10.0, TextFormat::simple(font, palette.weak));
    job
}
