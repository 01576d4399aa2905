//! The components of an entity, each with its fields and their editors.

use super::model::{self, Shown};
use super::{InspectorPanel, raw};
use crate::field_editor::Edited;
use crate::theme::Palette;
use crate::view::{Requests, View};
use crate::{format, widgets};
use egui::text::LayoutJob;
use egui::{CollapsingHeader, FontSelection, Grid, RichText, TextEdit, TextFormat, Ui};
use vivarium_world::inspect::EntityDetail;
use vivarium_world::{Command, ComponentId, FieldValue, Ordinal, Target};

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
        for shown in &shown {
            let header = CollapsingHeader::new(title(ui, view, shown))
                .id_salt(&shown.component.name)
                .default_open(!shown.fields.is_empty())
                .open((!self.filter.is_empty()).then_some(true));
            let response = header.show(ui, |ui| {
                ui.push_id(detail.ordinal, |ui| self.component(ui, view, detail, &compared, shown, out));
            });
            response.header_response.accessible_name(&shown.component.name);
        }
    }

    fn component(
        &mut self,
        ui: &mut Ui,
        view: &View<'_>,
        detail: &EntityDetail,
        compared: &[&EntityDetail],
        shown: &Shown<'_>,
        out: &mut Requests,
    ) {
        let name = &shown.component.name;
        let entities = view.edited_with(detail.ordinal);
        ui.horizontal_wrapped(|ui| {
            ui.weak(if shown.component.size == 0 {
                "tag".to_owned()
            } else {
                format::bytes(shown.component.size)
            });
            raw::held(ui, view, shown.state, out);
            if shown.component.id == ComponentId::ENTITY {
                return;
            }
            let changed = (0..shown.component.fields.len())
                .filter_map(|at| Some((at, model::differs(shown.state, at)?)));
            let changed: Vec<_> = changed.collect();
            if !changed.is_empty() {
                let reset =
                    ui.small_button("Reset").on_hover_text("Give every field the value of the template");
                if reset.accessible_name(format!("Reset {name} to its template")).clicked() {
                    let set = |(at, value): &(usize, &FieldValue)| {
                        set(&entities, shown, *at, (*value).clone()).into()
                    };
                    out.extend(changed.iter().map(set));
                }
            }
            let remove = ui.small_button("Remove").on_hover_text("Take this component from the entity");
            if remove.accessible_name(format!("Remove {name}")).clicked() {
                let drop = |&entity| Command::Drop { entity, component: name.clone() }.into();
                out.extend(entities.iter().map(drop));
            }
        });
        Grid::new("fields").num_columns(2).spacing([12.0, 3.0]).show(ui, |ui| {
            for &at in &shown.fields {
                ui.push_id(at, |ui| field_name(ui, shown, at));
                ui.push_id(("editor", at), |ui| {
                    ui.horizontal(|ui| self.field(ui, view, detail.ordinal, compared, shown, at, out));
                });
                ui.end_row();
            }
        });
    }

    #[expect(clippy::too_many_arguments, reason = "what a field is of, and where requests go")]
    fn field(
        &mut self,
        ui: &mut Ui,
        view: &View<'_>,
        ordinal: Ordinal,
        compared: &[&EntityDetail],
        shown: &Shown<'_>,
        at: usize,
        out: &mut Requests,
    ) {
        let (Some(field), Some(live)) = (shown.component.fields.get(at), shown.state.values.get(at)) else {
            return;
        };
        let name = format!("{}.{}", shown.component.name, field.name);
        let key = (ordinal, shown.component.id, at);
        let edited = Edited { field, name: &name, live };
        if let Some(given) = self.holding.editor(ui, view, key, edited, out) {
            out.push(set(&view.edited_with(ordinal), shown, at, given).into());
        }
        if compared.len() > 1
            && let Some(mixed) = model::mixed(compared, shown.component.id, at)
        {
            ui.label(RichText::new(mixed).color(Palette::of(ui.visuals()).warn));
        }
        if let Some(template) = model::differs(shown.state, at) {
            let text = widgets::value_text(template, view);
            let reset = ui.small_button("reset").on_hover_text(format!("The template has {text}"));
            if reset.accessible_name(format!("Reset {name} to {text}")).clicked() {
                out.push(set(&view.edited_with(ordinal), shown, at, template.clone()).into());
            }
        }
    }
}

/// The command that writes a field.
fn set(entities: &[Ordinal], shown: &Shown<'_>, field: usize, value: FieldValue) -> Command {
    let target = Target {
        component: shown.component.name.clone(),
        field: shown.component.fields.get(field).map(|field| field.name.clone()).unwrap_or_default(),
    };
    Command::Set { entities: entities.to_vec(), target, value }
}

/// A field's name, strong and dotted where its value is not the template's.
fn field_name(ui: &mut Ui, shown: &Shown<'_>, at: usize) {
    let Some(field) = shown.component.fields.get(at) else { return };
    let text = match model::differs(shown.state, at) {
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
    ui.label(text).on_hover_text(tip);
}

/// A component's name with its first values.
fn title(ui: &Ui, view: &View<'_>, shown: &Shown<'_>) -> LayoutJob {
    let palette = Palette::of(ui.visuals());
    let font = FontSelection::default().resolve(ui.style());
    let changed = (0..shown.component.fields.len()).any(|at| model::differs(shown.state, at).is_some());
    let mut job = LayoutJob::default();
    let name = if changed { format!("{} •", shown.component.name) } else { shown.component.name.clone() };
    job.append(&name, 0.0, TextFormat::simple(font.clone(), palette.strong));
    let values = shown.state.values.iter().take(4).map(|value| widgets::value_text(value, view));
    let mut preview = values.collect::<Vec<_>>().join(" ");
    if let Some((cut, _)) = preview.char_indices().nth(40) {
        preview.truncate(cut);
        preview.push('…');
    }
    job.append(&preview, 10.0, TextFormat::simple(font, palette.weak));
    job
}
