//! The components of an entity, each with its fields and their editors.

use super::model::{self, Shown};
use super::{InspectorPanel, raw};
use crate::field_editor::Edited;
use crate::theme::Palette;
use crate::view::{Requests, View};
use crate::{Request, format, widgets};
use egui::text::LayoutJob;
use egui::{
    Align, Button, CollapsingHeader, FontSelection, Grid, Layout, Rect, RichText, TextEdit, TextFormat, Ui,
    UiBuilder,
};
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
            let body = |ui: &mut Ui| {
                ui.push_id(detail.ordinal, |ui| self.component(ui, view, detail, &compared, shown, out));
            };
            let header = header.show(ui, body).header_response.accessible_name(&shown.component.name);
            menu(ui, header.rect, view, detail, shown, out);
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
        raw::held(ui, view, shown.state, out);
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

/// What can be done to a component, at the end of the line of its header.
fn menu(
    ui: &mut Ui,
    header: Rect,
    view: &View<'_>,
    detail: &EntityDetail,
    shown: &Shown<'_>,
    out: &mut Requests,
) {
    let name = &shown.component.name;
    let line = Rect::from_x_y_ranges(header.left()..=ui.max_rect().right(), header.y_range());
    let layout = Layout::right_to_left(Align::Center);
    let mut line = ui.new_child(UiBuilder::new().id_salt(name).max_rect(line).layout(layout));
    let entities = view.edited_with(detail.ordinal);
    let opened = line.menu_button("…", |ui| {
        let fields = 0..shown.component.fields.len();
        let changed: Vec<_> = fields.filter_map(|at| Some((at, model::differs(shown.state, at)?))).collect();
        let reset = ui.add_enabled(!changed.is_empty(), Button::new("Reset to template"));
        if reset.on_hover_text("Give every field the value of the template").clicked() {
            let set =
                |(at, value): &(usize, &FieldValue)| set(&entities, shown, *at, (*value).clone()).into();
            out.extend(changed.iter().map(set));
        }
        let own = shown.component.id != ComponentId::ENTITY;
        let remove = ui.add_enabled(own, Button::new("Remove component"));
        if remove.on_disabled_hover_text("Every entity has this one").clicked() {
            let drop = |&entity| Command::Drop { entity, component: name.clone() }.into();
            out.extend(entities.iter().map(drop));
        }
        if ui.button("Show entities that have it").clicked() {
            out.push(Request::Filter(format!("with:{name}")));
        }
    });
    opened.response.accessible_name(format!("Menu of {name}"));
    line.weak(match shown.component.size {
        0 => "tag".to_owned(),
        size => format::bytes(size),
    });
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
