//! What stands above the entity list: search, new, columns, and what is done to the selection.

use super::EntitiesPanel;
use crate::view::{Requests, View};
use crate::{format, request, widgets};
use egui::containers::menu::{MenuButton, MenuConfig};
use egui::{Button, PopupCloseBehavior, RichText, ScrollArea, TextEdit, Ui};
use std::collections::BTreeMap;
use vivarium_world::Command;
use vivarium_world::inspect::{GroupBy, TemplateView};

impl EntitiesPanel {
    pub(super) fn toolbar(&mut self, ui: &mut Ui, view: &View<'_>, out: &mut Requests) {
        let fault = view.snapshot.entities.as_ref().and_then(|page| page.fault.as_ref());
        if self.search.ui(ui, view, fault.map(|(_, range)| range)) {
            self.start_over();
        }
        ui.horizontal_wrapped(|ui| {
            self.new_menu(ui, view, out);
            self.columns_menu(ui, view);
            self.group_menu(ui);
            ui.separator();
            let some = !view.selection.is_empty();
            let mut button =
                |text: &str, tip: &str| ui.add_enabled(some, Button::new(text)).on_hover_text(tip).clicked();
            if button("Duplicate", "Create each selected entity again, as it is now (Ctrl+D)") {
                let selected: Vec<_> = view.selection.entities().collect();
                out.push(request::duplicate(&selected).into());
            }
            if button("Kill", "Kill the selected entities; their death hooks run (Del)") {
                out.push(Command::Kill { entities: view.selection.entities().collect() }.into());
            }
            if button("Remove", "Remove the selected entities; no death hook runs") {
                out.push(Command::Remove { entities: view.selection.entities().collect() }.into());
            }
        });
    }

    fn new_menu(&mut self, ui: &mut Ui, view: &View<'_>, out: &mut Requests) {
        let templates = &view.snapshot.catalog.templates;
        let filter = &mut self.new_filter;
        menu("New").ui(ui, |ui| {
            ui.add(TextEdit::singleline(filter).hint_text("Filter templates").desired_width(180.0))
                .accessible_name("Filter templates");
            ScrollArea::vertical().max_height(320.0).show(ui, |ui| {
                for (class, templates) in by_class(templates, filter) {
                    ui.label(RichText::new(class).weak().small());
                    for template in templates {
                        let instances = format::count(template.instances as u64);
                        let button = Button::new(&template.name).shortcut_text(instances).frame(false);
                        if ui.add(button).on_hover_text(format!("Create a {}", template.name)).clicked() {
                            out.push(widgets::spawn(&template.name).into());
                            ui.close();
                        }
                    }
                }
            });
        });
    }

    fn group_menu(&mut self, ui: &mut Ui) {
        let name = |group| match group {
            GroupBy::None => "none",
            GroupBy::Type => "type",
            GroupBy::Class => "class",
        };
        let before = self.group;
        let menu = ui.menu_button(format!("Group: {}", name(before)), |ui| {
            for group in [GroupBy::None, GroupBy::Type, GroupBy::Class] {
                let text = match group {
                    GroupBy::None => "Not grouped".to_owned(),
                    group => format!("Group by {}", name(group)),
                };
                ui.selectable_value(&mut self.group, group, text);
            }
        });
        menu.response.on_hover_text("Rows of a type or class stand together, under a heading");
        if self.group != before {
            self.closed.clear();
            self.start_over();
        }
    }

    fn columns_menu(&mut self, ui: &mut Ui, view: &View<'_>) {
        menu("Columns").ui(ui, |ui| {
            let edit =
                TextEdit::singleline(&mut self.column_filter).hint_text("Filter fields").desired_width(180.0);
            ui.add(edit).accessible_name("Filter fields");
            ScrollArea::vertical().max_height(320.0).show(ui, |ui| {
                for name in widgets::field_names(&view.snapshot.catalog) {
                    if !widgets::fuzzy(&self.column_filter, &name) {
                        continue;
                    }
                    let place = self.fields.iter().position(|field| *field == name);
                    let mut on = place.is_some();
                    if ui.checkbox(&mut on, &name).changed() {
                        match place {
                            Some(place) => drop(self.fields.remove(place)),
                            None => self.fields.push(name),
                        }
                    }
                }
            });
        });
    }
}

/// A menu one can type into: a click inside does not close it.
fn menu(title: &'static str) -> MenuButton<'static> {
    let config = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    MenuButton::new(title).config(config)
}

/// The templates that match, by class; those without one last.
fn by_class<'a>(templates: &'a [TemplateView], filter: &str) -> Vec<(&'a str, Vec<&'a TemplateView>)> {
    let mut groups: BTreeMap<(bool, &str), Vec<&TemplateView>> = BTreeMap::new();
    for template in templates.iter().filter(|template| widgets::fuzzy(filter, &template.name)) {
        let class = template.class.as_deref();
        groups.entry((class.is_none(), class.unwrap_or("no class"))).or_default().push(template);
    }
    groups.into_iter().map(|((_, class), templates)| (class, templates)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    #[test]
    fn templates_are_grouped_by_class_and_filtered() {
        let fixture = Fixture::paused();
        let mut templates = fixture.snapshot.catalog.templates.clone();
        templates[0].class = None;
        let names = |filter| {
            let group = |(class, list): (&str, Vec<&TemplateView>)| {
                format!("{class}: {}", list.iter().map(|t| t.name.as_str()).collect::<Vec<_>>().join(" "))
            };
            by_class(&templates, filter).into_iter().map(group).collect::<Vec<_>>()
        };
        assert_eq!(names(""), ["actor: guardian", "no class: grass"]);
        assert_eq!(names("gu"), ["actor: guardian"]);
    }
}
