//! Classes with what they permit, templates with what they give.

use crate::theme::Palette;
use crate::view::{Requests, View};
use crate::{Request, format, widgets};
use egui::{CollapsingHeader, Grid, RichText, ScrollArea, TextEdit, Ui};
use vivarium_world::inspect::{CatalogView, TemplateView};

/// Classes and templates.
#[derive(Default)]
pub struct TemplatesPanel {
    filter: String,
}

/// The templates whose name, class or a component matches.
fn matching<'a>(catalog: &'a CatalogView, filter: &str) -> Vec<&'a TemplateView> {
    let matches = |template: &&TemplateView| {
        let component =
            |id| catalog.component(id).is_some_and(|component| widgets::fuzzy(filter, &component.name));
        widgets::fuzzy(filter, &template.name)
            || template.class.as_deref().is_some_and(|class| widgets::fuzzy(filter, class))
            || template.components.iter().any(|&id| component(id))
    };
    catalog.templates.iter().filter(matches).collect()
}

impl TemplatesPanel {
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
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            let templates = matching(catalog, &self.filter);
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
                        widgets::component_chip(ui, view, component);
                    }
                });
            }
        });
    }

    fn template(&self, ui: &mut Ui, view: &View<'_>, template: &TemplateView, out: &mut Requests) {
        let header = CollapsingHeader::new(RichText::new(&template.name).strong()).id_salt(&template.name);
        let response = header.show(ui, |ui| details(ui, view, template)).header_response;
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
        if let Some(class) = &template.class {
            let text = Palette::of(line.visuals()).text;
            widgets::chip(&mut line, class, text).on_hover_text("Its class");
        }
    }
}

fn details(ui: &mut Ui, view: &View<'_>, template: &TemplateView) {
    ui.horizontal_wrapped(|ui| {
        for &component in &template.components {
            widgets::component_chip(ui, view, component);
        }
    });
    if template.keys.is_empty() {
        ui.weak("It gives no keys");
        return;
    }
    Grid::new("keys").num_columns(3).striped(true).spacing([12.0, 2.0]).show(ui, |ui| {
        for (key, value, loads) in &template.keys {
            ui.label(key);
            ui.label(RichText::new(value).monospace());
            ui.weak(if loads.is_empty() {
                "loads nothing".to_owned()
            } else {
                format!("loads {}", loads.join(", "))
            });
            ui.end_row();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Fixture};
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    fn shown() -> Harness<'static, Fixture> {
        let mut panel = TemplatesPanel::default();
        fixture::harness(Fixture::paused(), move |ui, view, out| panel.ui(ui, view, out))
    }

    #[test]
    fn a_filter_looks_at_names_classes_and_components() {
        let fixture = Fixture::paused();
        let names = |filter| {
            let list = matching(&fixture.snapshot.catalog, filter);
            list.into_iter().map(|template| template.name.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(names(""), ["grass", "guardian"]);
        assert_eq!(names("veloc"), ["guardian"]);
        assert_eq!(names("prop"), ["grass"]);
        assert!(names("zzz").is_empty());
    }

    #[test]
    fn instances_lead_to_the_entity_list() {
        let mut harness = shown();
        harness.get_by_label("2 instances of guardian").click();
        harness.run();
        assert_eq!(harness.state_mut().take(), [Request::Filter("type:guardian".to_owned())]);
    }

    #[test]
    fn an_entity_of_the_type_is_spawned() {
        let mut harness = shown();
        harness.get_by_label("Spawn grass").click();
        harness.run();
        assert_eq!(harness.state_mut().take_commands(), [widgets::spawn("grass")]);
    }

    #[test]
    fn keys_say_what_they_load() {
        let mut harness = shown();
        assert!(harness.query_by_label("loads health").is_none());
        harness.get_by_label("Template guardian").click();
        harness.run();
        harness.get_by_label("loads health");
    }
}
