//! The components of an entity, each with its fields and their editors.

use super::component_menu::Chosen;
use super::history::History;
use super::model::{self, Shown};
use super::raw;
use super::sheet::{Asked, Sheet};
use crate::field_editor::{Edited, Given};
use crate::theme::Palette;
use crate::view::{Requests, View};
use crate::widgets::DraggedField;
use crate::{Request, format, widgets};
use egui::text::LayoutJob;
use egui::{CollapsingHeader, FontSelection, Grid, Label, RichText, Sense, TextEdit, TextFormat, Ui};
use vivarium_world::inspect::{EntityDetail, SelectedComponent};
use vivarium_world::{Command, ComponentId, Field, FieldValue, Ordinal, Target};

/// What an edit is made on, and whom it reaches.
pub(super) struct Scope<'a> {
    pub(super) view: &'a View<'a>,
    pub(super) detail: &'a EntityDetail,
    /// What all whom an edit reaches have here; none if it is one alone, or not known yet.
    pub(super) together: Option<&'a SelectedComponent>,
    /// Whom an edit reaches.
    pub(super) entities: &'a [Ordinal],
    pub(super) shown: &'a Shown<'a>,
}

impl Sheet {
    pub(super) fn components(
        &mut self,
        ui: &mut Ui,
        view: &View<'_>,
        detail: &EntityDetail,
        entities: &[Ordinal],
        (history, asked): (&mut History, &mut Asked),
        out: &mut Requests,
    ) {
        let edit = TextEdit::singleline(&mut self.filter).hint_text("Filter components and fields");
        ui.add(edit.desired_width(f32::INFINITY)).accessible_name("Filter components and fields");
        let shown = model::shown(detail, &view.snapshot.catalog, &self.filter);
        if shown.is_empty() {
            ui.weak("No component or field has such a name");
        }
        let selected = view.snapshot.selected.as_ref().filter(|_| entities.len() > 1);
        for shown in &shown {
            let id = shown.component.id;
            let together = selected.and_then(|s| s.components.iter().find(|c| c.component == id));
            let scope = Scope { view, detail, together, entities, shown };
            let header = CollapsingHeader::new(title(ui, view, shown))
                .id_salt(&shown.component.name)
                .default_open(!shown.fields.is_empty())
                .open((!self.filter.is_empty()).then_some(true));
            let body = |ui: &mut Ui| {
                ui.push_id(detail.ordinal, |ui| self.component(ui, &scope, history, asked, out));
            };
            let header = header.show(ui, body).header_response.accessible_name(&shown.component.name);
            if let Some(chosen) = scope.menu(ui, header.rect, out) {
                for at in model::number_fields(shown) {
                    history.watch(view, detail, shown.component, at, out);
                }
                asked.history |= chosen == Chosen::Plot;
            }
        }
    }

    fn component(
        &mut self,
        ui: &mut Ui,
        scope: &Scope<'_>,
        history: &mut History,
        asked: &mut Asked,
        out: &mut Requests,
    ) {
        raw::held(ui, scope.shown.state, out);
        Grid::new("fields").num_columns(2).spacing([12.0, 3.0]).show(ui, |ui| {
            for &at in &scope.shown.fields {
                let (Some(field), Some(live)) =
                    (scope.shown.component.fields.get(at), scope.shown.state.values.get(at))
                else {
                    continue;
                };
                ui.push_id(at, |ui| scope.field_name(ui, at, field, history, asked, out));
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
        if scope.shown.component.id == ComponentId::ENTITY {
            let text = widgets::field_text(edited.field, edited.live, scope.view);
            ui.label(text).on_hover_text("The world's own: type and flags are set when an entity is created");
            return;
        }
        let key = (scope.detail.ordinal, scope.shown.component.id, at);
        if let Some(given) = self.holding.editor(ui, scope.view, key, edited, out) {
            out.push(scope.write(edited.field, given).into());
        }
        if let Some(mixed) = scope.together.and_then(|together| model::mixed(together.fields.get(at)?)) {
            ui.label(RichText::new(mixed).color(Palette::of(ui.visuals()).warn));
        }
        if let Some(template) = model::differs(scope.shown.state, at) {
            let text = widgets::field_text(edited.field, template, scope.view);
            let reset = ui.small_button("reset").on_hover_text(format!("The template has {text}"));
            if reset.accessible_name(format!("Reset {} to {text}", edited.name)).clicked() {
                out.push(scope.set(edited.field, template.clone()).into());
            }
        }
    }
}

impl Scope<'_> {
    /// How filters and columns name a field of this component.
    pub(super) fn name(&self, field: &Field) -> String {
        format!("{}.{}", self.shown.component.name, field.name)
    }

    fn target(&self, field: &Field) -> Target {
        Target { component: self.shown.component.name.clone(), field: field.name.clone() }
    }

    /// Writes what was given. A change gives every entity a value of its own.
    fn write(&self, field: &Field, given: Given) -> Command {
        match given.change.filter(|_| self.entities.len() > 1) {
            None => self.set(field, given.value),
            Some(change) => {
                let (operator, operand) = change.in_field(field);
                let (entities, target) = (self.entities.to_vec(), self.target(field));
                Command::Change { entities, target, operator, operand }
            }
        }
    }

    /// Gives the field one value.
    pub(super) fn set(&self, field: &Field, value: FieldValue) -> Command {
        Command::Set { entities: self.entities.to_vec(), target: self.target(field), value }
    }

    /// `3 of 5 have it`, if an edit reaches some that do not.
    pub(super) fn some_have_it(&self) -> Option<String> {
        let together = self.together.filter(|together| together.having < self.entities.len())?;
        let count = |n: usize| format::count(n as u64);
        Some(format!("{} of {} have it", count(together.having), count(self.entities.len())))
    }

    /// Those of the entities that have the component.
    pub(super) fn having(&self) -> impl Iterator<Item = Ordinal> + '_ {
        let lacks = |ordinal: &Ordinal| {
            self.together.is_some_and(|together| together.lacking.binary_search(ordinal).is_ok())
        };
        self.entities.iter().copied().filter(move |ordinal| !lacks(ordinal))
    }

    /// A field's name, strong and dotted where its value is not the template's.
    fn field_name(
        &self,
        ui: &mut Ui,
        at: usize,
        field: &Field,
        history: &mut History,
        asked: &mut Asked,
        out: &mut Requests,
    ) {
        let differs = model::differs(self.shown.state, at).is_some();
        let text = match differs {
            true => RichText::new(format!("• {}", field.name)).strong(),
            false => RichText::new(&field.name),
        };
        let mut tip = field.scalar.name().to_owned();
        if let Some((low, high)) = field.range {
            tip.push_str(&format!(", {} to {}", format::number(low), format::number(high)));
        }
        if let Some(key) = &field.key {
            tip.push_str(&format!(", key {key}"));
        }
        let label = Label::new(text).sense(Sense::CLICK | Sense::DRAG).selectable(false);
        let tip = format!("{tip}. A right click offers more; drag it to the entity list for a column.");
        let response = ui.add(label).on_hover_text(tip);
        response.dnd_set_drag_payload(DraggedField(self.name(field)));
        response.context_menu(|ui| {
            let watch = ui.button("Watch").on_hover_text("Keep its values over time, in the tab History");
            let plot = ui.button("Plot").on_hover_text("Watch it, and show the tab History");
            if watch.clicked() || plot.clicked() {
                history.watch(self.view, self.detail, self.shown.component, at, out);
                asked.history |= plot.clicked();
            }
            if ui.button("Show as column").clicked() {
                out.push(Request::Column(self.name(field)));
            }
            if ui.button("Copy value").clicked()
                && let Some(value) = self.shown.state.values.get(at)
            {
                ui.copy_text(value.to_string());
            }
            if let Some(key) = field.key.clone().filter(|_| differs) {
                let promote = ui.button("Promote to template");
                let tip = "Let entities created from now on begin with this value";
                if promote.on_hover_text(tip).clicked() {
                    out.push(Command::Promote { entity: self.detail.ordinal, keys: vec![key] }.into());
                }
            }
        });
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
