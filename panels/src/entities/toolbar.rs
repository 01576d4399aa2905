//! What stands above the entity list: search, new, columns, and what is done to the selection.

use super::{EntitiesPanel, model};
use crate::format;
use crate::theme::Palette;
use crate::view::{Requests, View};
use crate::widgets;
use egui::containers::menu::{MenuButton, MenuConfig};
use egui::text::LayoutJob;
use egui::{
    Button, FontSelection, PopupCloseBehavior, RichText, ScrollArea, Stroke, TextBuffer, TextEdit,
    TextFormat, Ui,
};
use std::collections::BTreeMap;
use std::ops::Range;
use vivarium_world::Command;
use vivarium_world::inspect::TemplateView;

impl EntitiesPanel {
    pub(super) fn toolbar(&mut self, ui: &mut Ui, view: &View<'_>, out: &mut Requests) {
        let fault = view.snapshot.entities.as_ref().and_then(|page| page.fault.as_ref());
        self.search(ui, fault.map(|(_, range)| range));
        ui.horizontal_wrapped(|ui| {
            self.new_menu(ui, view, out);
            self.columns_menu(ui, view);
            ui.separator();
            let some = !view.selection.is_empty();
            let mut button =
                |text: &str, tip: &str| ui.add_enabled(some, Button::new(text)).on_hover_text(tip).clicked();
            if button("Duplicate", "Create each selected entity again, as it is now (Ctrl+D)") {
                out.extend(view.selection.entities().map(|entity| Command::Duplicate { entity }.into()));
            }
            if button("Kill", "Kill the selected entities; their death hooks run (Del)") {
                out.push(Command::Kill { entities: view.selection.entities().collect() }.into());
            }
            if button("Remove", "Remove the selected entities; no death hook runs") {
                out.push(Command::Remove { entities: view.selection.entities().collect() }.into());
            }
        });
    }

    fn search(&mut self, ui: &mut Ui, fault: Option<&Range<usize>>) {
        let mut layouter = |ui: &Ui, text: &dyn TextBuffer, width: f32| {
            let job = underlined(ui, text.as_str(), fault, width);
            ui.fonts_mut(|fonts| fonts.layout_job(job))
        };
        let edit = TextEdit::singleline(&mut self.filter)
            .hint_text("Search: guardian, class:actor, health.health < 10")
            .desired_width(f32::INFINITY)
            .layouter(&mut layouter);
        let response = ui.add(edit).accessible_name("Search entities").on_hover_text(
            "Terms side by side must all hold; also or, not, ( ). A word: in type or id. type: class: with: without: \
             id: static dead. Comparisons: component.field < <= = != >= > a number or another field.",
        );
        if std::mem::take(&mut self.focus_search) {
            response.request_focus();
        }
        if response.changed() {
            self.start_over();
        }
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

/// The text of the search box with what is at fault underlined.
fn underlined(ui: &Ui, text: &str, fault: Option<&Range<usize>>, width: f32) -> LayoutJob {
    let palette = Palette::of(ui.visuals());
    let font = FontSelection::default().resolve(ui.style());
    let plain = TextFormat::simple(font, palette.text);
    let mut job = LayoutJob::default();
    job.wrap.max_width = width;
    job.break_on_newline = false;
    match fault {
        None => job.append(text, 0.0, plain),
        Some(fault) => {
            let [before, wrong, after] = model::cut_at_fault(text, fault);
            let underline = Stroke::new(2.0, palette.error);
            job.append(before, 0.0, plain.clone());
            job.append(wrong, 0.0, TextFormat { underline, color: palette.error, ..plain.clone() });
            job.append(after, 0.0, plain);
        }
    }
    job
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
