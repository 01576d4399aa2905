//! The keys of a template, each with its editor.

use super::TemplatesPanel;
use super::model::{self, Line, LineValue, Section, Source};
use crate::field_editor::Edited;
use crate::theme::Palette;
use crate::view::{Requests, View};
use crate::widgets;
use egui::containers::menu::{MenuButton, MenuConfig};
use egui::{Button, Grid, PopupCloseBehavior, RichText, ScrollArea, TextEdit, Ui};
use vivarium_world::inspect::TemplateView;
use vivarium_world::{Field, FieldValue, Role, Scalar};

impl TemplatesPanel {
    /// The merged config: every value with where it comes from.
    pub(super) fn keys(&mut self, ui: &mut Ui, view: &View<'_>, template: &TemplateView, out: &mut Requests) {
        let palette = Palette::of(ui.visuals());
        if template.values.is_none() {
            ui.label(RichText::new("No entity can be made of it").color(palette.error));
        }
        let sections = model::sections(template, &view.snapshot.catalog);
        for Section { component, lines } in &sections {
            let title = component.map_or("Other keys", |component| &component.name);
            ui.add_space(4.0);
            ui.label(RichText::new(title).strong());
            if lines.is_empty() {
                ui.weak("No key gives it a value");
                continue;
            }
            Grid::new(("keys", &template.name, title))
                .num_columns(5)
                .striped(true)
                .spacing([12.0, 2.0])
                .show(ui, |ui| {
                    for line in lines {
                        let given = !matches!(line.source, Source::Default(_));
                        let label = RichText::new(line.key);
                        ui.label(if given { label.strong() } else { label.weak() });
                        ui.push_id(line.key, |ui| {
                            ui.horizontal(|ui| self.line(ui, view, template, line, out));
                        });
                        origin(ui, line);
                        ui.horizontal(|ui| actions(ui, template, line, out));
                        ui.end_row();
                    }
                });
        }
        for (key, before) in &template.removed {
            ui.horizontal_wrapped(|ui| {
                ui.label(RichText::new(key).strikethrough());
                ui.weak(format!("taken out; the scene has {before}"));
                let button = ui.small_button("Put back").accessible_name(format!("Put back {key}"));
                if button.clicked()
                    && let Some(value) = model::parsed(before)
                {
                    out.push(model::set(template, key, value).into());
                }
            });
        }
    }

    /// The editor of a key.
    fn line(
        &mut self,
        ui: &mut Ui,
        view: &View<'_>,
        template: &TemplateView,
        line: &Line<'_>,
        out: &mut Requests,
    ) {
        let name = format!("{}.{}", template.name, line.key);
        let key = (template.name.clone(), line.key.to_owned());
        match line.value {
            LineValue::Field(field, value) if matches!(field.role, Role::Entity | Role::List) => {
                ui.weak(widgets::value_text(value, view))
                    .on_hover_text("A template cannot refer to entities; lists are changed in the file");
            }
            LineValue::Field(field, live) => {
                let edited = Edited { field, name: &name, live };
                if let Some(given) = self.holding.editor(ui, view, key, edited, out) {
                    let value = model::config_value(field, &given.value);
                    out.push(model::set(template, line.key, value).into());
                }
            }
            LineValue::Json(json) => {
                let field = Field::new(line.key, Scalar::U32, 0).role(Role::Text);
                let live = FieldValue::Text(json.to_owned());
                let edited = Edited { field: &field, name: &name, live: &live };
                let given = self.holding.editor(ui, view, key.clone(), edited, out);
                if let Some(FieldValue::Text(text)) = given.map(|given| given.value) {
                    match model::parsed(&text) {
                        Some(value) => out.push(model::set(template, line.key, value).into()),
                        None => self.holding.refuse(key, text),
                    }
                }
            }
        }
    }

    pub(super) fn add_key_menu(
        &mut self,
        ui: &mut Ui,
        view: &View<'_>,
        template: &TemplateView,
        out: &mut Requests,
    ) {
        let config = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
        let filter = &mut self.key_filter;
        let (button, _) = MenuButton::new("Add key").config(config).ui(ui, |ui| {
            ui.set_min_width(240.0);
            let edit = TextEdit::singleline(filter).hint_text("Filter keys").desired_width(220.0);
            ui.add(edit).accessible_name("Filter keys to add");
            let list = model::addable(template, &view.snapshot.catalog, filter);
            if list.is_empty() {
                ui.weak("No other key has such a name");
            }
            ScrollArea::vertical().max_height(320.0).show(ui, |ui| {
                for addable in list {
                    let loads = format!("loads {}", addable.components.join(", "));
                    let button = Button::new(addable.key).shortcut_text(loads).frame(false);
                    if ui.add(button).clicked() {
                        out.push(model::set(template, addable.key, addable.value.clone()).into());
                        ui.close();
                    }
                }
            });
        });
        button.accessible_name(format!("Add key to {}", template.name));
    }
}

/// Where a value comes from, and what its key loads.
fn origin(ui: &mut Ui, line: &Line<'_>) {
    let palette = Palette::of(ui.visuals());
    let text = RichText::new(line.source.text());
    ui.label(match line.source {
        Source::Edited(_) | Source::Added => text.color(palette.warn),
        Source::Scene | Source::Default(_) => text.weak(),
    });
    ui.label(RichText::new(&line.loads).weak());
}

fn actions(ui: &mut Ui, template: &TemplateView, line: &Line<'_>, out: &mut Requests) {
    let name = format!("{}.{}", template.name, line.key);
    if let Source::Edited(before) = line.source {
        let button = ui.small_button("reset").on_hover_text(format!("The scene has {before}"));
        if button.accessible_name(format!("Reset {name}")).clicked()
            && let Some(value) = model::parsed(before)
        {
            out.push(model::set(template, line.key, value).into());
        }
    }
    if !matches!(line.source, Source::Default(_)) {
        let button = ui.small_button("remove").on_hover_text("Take the key out of the template");
        if button.accessible_name(format!("Remove {name}")).clicked() {
            out.push(model::remove(template, line.key).into());
        }
    }
}
