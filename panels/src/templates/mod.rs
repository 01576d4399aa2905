//! Classes with what they permit; templates with what they give, edited while the world is there.

mod editing;
mod model;

use crate::field_editor::Holding;
use crate::theme::Palette;
use crate::view::{Requests, View};
use crate::{Request, format, widgets};
use egui::{Button, CollapsingHeader, RichText, ScrollArea, TextEdit, Ui};
use vivarium_world::Command;
use vivarium_world::inspect::TemplateView;

/// Classes and templates.
#[derive(Default)]
pub struct TemplatesPanel {
    filter: String,
    /// The template to open and scroll to.
    shown: Option<String>,
    /// The value being edited: of a key of a template.
    holding: Holding<(String, String)>,
    /// What is typed into the filter of "Add key".
    key_filter: String,
}

impl TemplatesPanel {
    /// Opens a template and scrolls to it.
    pub fn show(&mut self, name: String) {
        self.filter.clear();
        self.shown = Some(name);
    }

    /// Draws the panel.
    pub fn ui(&mut self, ui: &mut Ui, view: &View<'_>, out: &mut Requests) {
        let catalog = &view.snapshot.catalog;
        if catalog.templates.is_empty() && catalog.classes.is_empty() {
            widgets::nothing(ui, "The scene has no templates");
            return;
        }
        let edit =
            TextEdit::singleline(&mut self.filter).hint_text("Filter templates by name, class or component");
        ui.add(edit.desired_width(f32::INFINITY)).accessible_name("Filter templates");
        edited_line(ui, view, out);
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            let templates = model::matching(catalog, &self.filter);
            let shown = widgets::shown_of(templates.len(), catalog.templates.len());
            ui.label(RichText::new(format!("Templates · {shown}")).strong());
            for template in templates {
                self.template(ui, view, template, out);
            }
            ui.add_space(8.0);
            ui.label(RichText::new(format!("Classes · {}", catalog.classes.len())).strong());
            for class in &catalog.classes {
                ui.horizontal_wrapped(|ui| {
                    if ui.link(&class.name).on_hover_text("Show the entities of this class").clicked() {
                        out.push(Request::Filter(format!("class:{}", class.name)));
                    }
                    ui.weak("permits");
                    for &component in &class.components {
                        widgets::component_link(ui, view, component, out);
                    }
                });
            }
        });
    }

    fn template(&mut self, ui: &mut Ui, view: &View<'_>, template: &TemplateView, out: &mut Requests) {
        let is_shown = self.shown.as_ref() == Some(&template.name);
        let title =
            if template.is_edited() { format!("{} •", template.name) } else { template.name.clone() };
        let header = CollapsingHeader::new(RichText::new(title).strong())
            .id_salt(&template.name)
            .open(is_shown.then_some(true));
        let body = |ui: &mut Ui| self.body(ui, view, template, out);
        let response = header.show(ui, body).header_response;
        if is_shown {
            response.scroll_to_me(Some(egui::Align::Min));
            self.shown = None;
        }
        let header = response.accessible_name(format!("Template {}", template.name)).rect;
        let mut line = widgets::end_of_line(ui, header, &template.name);
        let spawn = line.small_button("Spawn").on_hover_text("Create an entity of this type");
        if spawn.accessible_name(format!("Spawn {}", template.name)).clicked() {
            out.push(widgets::spawn(&template.name).into());
        }
        let instances = format::counted(template.instances, "instance");
        let link = line.link(&instances).on_hover_text("Show them in the entity list");
        if link.accessible_name(format!("{instances} of {}", template.name)).clicked() {
            out.push(Request::Filter(format!("type:{}", template.name)));
        }
        let palette = Palette::of(line.visuals());
        if let Some(class) = &template.class {
            widgets::chip(&mut line, class, palette.text).on_hover_text("Its class");
        }
        if template.is_edited() {
            widgets::chip(&mut line, "edited", palette.warn).on_hover_text("Unlike what the scene file says");
        }
    }

    fn body(&mut self, ui: &mut Ui, view: &View<'_>, template: &TemplateView, out: &mut Requests) {
        ui.horizontal_wrapped(|ui| {
            self.add_key_menu(ui, view, template, out);
            if template.is_edited() {
                let names = vec![template.name.clone()];
                write_button(ui, view, "Write to the scene file", names, out);
                if ui.button("Back to the scene's").on_hover_text("Take the edits of it back").clicked() {
                    out.extend(model::as_in_scene(template).map(Request::from));
                }
            }
            let selected = view.selection.primary().and_then(|primary| view.detail(primary));
            if let Some(entity) = selected.filter(|entity| *entity.type_name == template.name) {
                let text = format!("Promote from {}", view.entity_label(entity.ordinal));
                let tip = "Give the template what this entity has under the keys the template gives";
                if ui.button(text).on_hover_text(tip).clicked() {
                    out.push(Command::Promote { entity: entity.ordinal, keys: Vec::new() }.into());
                }
            }
        });
        widgets::hint(ui, "Edits are about entities to come; those that are there keep what they have.");
        self.keys(ui, view, template, out);
    }
}

/// How many templates are edited, and a way to write them all.
fn edited_line(ui: &mut Ui, view: &View<'_>, out: &mut Requests) {
    let templates = &view.snapshot.catalog.templates;
    let edited = templates.iter().filter(|template| template.is_edited());
    let names: Vec<String> = edited.map(|template| template.name.clone()).collect();
    if names.is_empty() {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        let text = format!("{} edited", format::counted(names.len(), "template"));
        ui.label(RichText::new(text).color(Palette::of(ui.visuals()).warn));
        write_button(ui, view, "Write all to the scene file", names, out);
    });
}

/// A button that writes templates to the scene file, if there is one.
fn write_button(ui: &mut Ui, view: &View<'_>, text: &str, names: Vec<String>, out: &mut Requests) {
    let button = ui.add_enabled(view.file.is_some(), Button::new(text));
    let button = button
        .on_hover_text("Only what these templates say changes in the file; the rest of it stays as it is")
        .on_disabled_hover_text("The scene did not come from a file: save it under a name first");
    if button.clicked() {
        out.push(Request::WriteTemplates(names));
    }
}

#[cfg(test)]
mod tests;
