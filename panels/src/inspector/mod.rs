//! The selected entity, block by block.

mod components;
mod history;
mod model;
mod raw;

use crate::field_editor::Holding;
use crate::theme::Palette;
use crate::view::{Requests, View, look_into};
use crate::{PanelId, Request, Select, format, widgets};
use egui::containers::menu::{MenuButton, MenuConfig};
use egui::{Button, PopupCloseBehavior, RichText, ScrollArea, TextEdit, Ui};
use vivarium_world::inspect::{EntityDetail, ViewRequest};
use vivarium_world::{Command, ComponentId, Ordinal};

/// The most entities looked into at once, to tell values that do not agree and to change each.
const MOST_COMPARED: usize = 256;

/// The tab, the filter, and the value being edited.
#[derive(Default)]
pub struct InspectorPanel {
    tab: Tab,
    filter: String,
    /// What is typed into the filter of "Add component".
    add_filter: String,
    history: history::History,
    /// Why the last edit was not made.
    note: Option<String>,
    holding: Holding<(Ordinal, ComponentId, usize)>,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Tab {
    #[default]
    Components,
    Systems,
    History,
    Raw,
}

impl InspectorPanel {
    /// Asks for the selected entities, the primary one first.
    pub fn request(&self, view: &View<'_>, wanted: &mut ViewRequest) {
        self.history.request(wanted);
        let Some(primary) = view.selection.primary() else { return };
        look_into(wanted, primary);
        let others = view.selection.entities().filter(|&other| other != primary);
        others.take(MOST_COMPARED - 1).for_each(|other| look_into(wanted, other));
        wanted.systems |= self.tab == Tab::Systems;
    }

    /// Shows blocks as they lie in memory.
    pub(crate) fn show_raw(&mut self) {
        self.tab = Tab::Raw;
    }

    /// Draws the panel.
    pub fn ui(&mut self, ui: &mut Ui, view: &View<'_>, out: &mut Requests) {
        ui.horizontal(|ui| {
            let (back, forward) = view.can_go;
            let mut step = |on: bool, text: &str, name: &str, request: Request| {
                let response = ui.add_enabled(on, Button::new(text)).on_hover_text(name);
                if response.accessible_name(name).clicked() {
                    out.push(request);
                }
            };
            step(back, "←", "Selection before (Alt+Left)", Request::Back);
            step(forward, "→", "Selection after (Alt+Right)", Request::Forward);
            ui.separator();
            for (tab, name) in [
                (Tab::Components, "Components"),
                (Tab::Systems, "Systems"),
                (Tab::History, "History"),
                (Tab::Raw, "Raw"),
            ] {
                ui.selectable_value(&mut self.tab, tab, name);
            }
        });
        self.history.record(view);
        if self.tab == Tab::History {
            self.history.ui(ui, view, out);
            return;
        }
        let Some(primary) = view.selection.primary() else {
            widgets::nothing(ui, "Select an entity to look into it");
            return;
        };
        let Some(detail) = view.detail(primary) else {
            widgets::nothing(ui, &format!("{} is gone, or was not read yet", view.entity_label(primary)));
            return;
        };
        self.header(ui, view, detail, out);
        if let Some(note) = &self.note {
            ui.label(RichText::new(note).color(Palette::of(ui.visuals()).warn));
        }
        ui.separator();
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| match self.tab {
            Tab::Components | Tab::History => self.components(ui, view, detail, out),
            Tab::Systems => systems(ui, view, detail, out),
            Tab::Raw => raw::ui(ui, view, detail, out),
        });
    }

    fn header(&mut self, ui: &mut Ui, view: &View<'_>, detail: &EntityDetail, out: &mut Requests) {
        let palette = Palette::of(ui.visuals());
        ui.horizontal_wrapped(|ui| {
            let name = RichText::new(format::entity(&detail.type_name, detail.id)).size(16.0);
            ui.label(if detail.dead { name.strikethrough() } else { name.strong() });
            ui.weak(format!("#{}", detail.ordinal));
            if !detail.class.is_empty() {
                widgets::chip(ui, &detail.class, palette.text).on_hover_text("Its class");
            }
            if detail.dead {
                widgets::chip(ui, "dead", palette.error);
            }
            if detail.is_static {
                widgets::chip(ui, "static", palette.weak);
            }
        });
        ui.horizontal_wrapped(|ui| {
            let entities = view.edited_with(detail.ordinal);
            if ui.button("Duplicate").on_hover_text("Create it again, as it is now").clicked() {
                out.extend(entities.iter().map(|&entity| Command::Duplicate { entity }.into()));
            }
            if ui.button("Kill").on_hover_text("Its death hooks run").clicked() {
                out.push(Command::Kill { entities: entities.clone() }.into());
            }
            if ui.button("Remove").on_hover_text("No death hook runs").clicked() {
                out.push(Command::Remove { entities: entities.clone() }.into());
            }
            self.add_menu(ui, view, detail, out);
            if !detail.type_name.is_empty()
                && ui.link("Template").on_hover_text("Show its template").clicked()
            {
                out.push(Request::ShowPanel(PanelId::Templates));
            }
        });
        if view.selection.len() > 1 {
            ui.horizontal_wrapped(|ui| {
                let text =
                    format!("{} selected; edits go to all", format::count(view.selection.len() as u64));
                ui.label(RichText::new(text).color(palette.warn));
                if ui.link("Only this one").clicked() {
                    out.push(Select::Only(detail.ordinal).into());
                }
            });
        }
    }

    fn add_menu(&mut self, ui: &mut Ui, view: &View<'_>, detail: &EntityDetail, out: &mut Requests) {
        let config = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
        let filter = &mut self.add_filter;
        MenuButton::new("Add component").config(config).ui(ui, |ui| {
            let edit = TextEdit::singleline(filter).hint_text("Filter components").desired_width(180.0);
            ui.add(edit).accessible_name("Filter components to add");
            ScrollArea::vertical().max_height(320.0).show(ui, |ui| {
                for (component, forbidden) in model::addable(detail, &view.snapshot.catalog, filter) {
                    let button = Button::new(&component.name).frame(false);
                    let response = ui.add_enabled(forbidden.is_none(), button);
                    let response = match &forbidden {
                        Some(reason) => response.on_disabled_hover_text(reason),
                        None => response,
                    };
                    if response.clicked() {
                        let component = &component.name;
                        let add = |entity| Command::Add { entity, component: component.clone() }.into();
                        out.extend(view.edited_with(detail.ordinal).into_iter().map(add));
                        ui.close();
                    }
                }
            });
        });
    }
}

/// The systems that match the entity, with what each does to it.
fn systems(ui: &mut Ui, view: &View<'_>, detail: &EntityDetail, out: &mut Requests) {
    if detail.systems.is_empty() {
        ui.weak("No system matches this entity");
    }
    let has = |id: &ComponentId| detail.components.iter().any(|state| state.component == *id);
    for &id in &detail.systems {
        ui.horizontal_wrapped(|ui| {
            widgets::system_link(ui, view, id, out);
            let Some(system) = view.system(id) else { return };
            if !system.enabled {
                ui.weak("off");
            }
            for (verb, components) in [("reads", &system.reads), ("writes", &system.writes)] {
                let touched: Vec<_> = components.iter().copied().filter(has).collect();
                if !touched.is_empty() {
                    ui.weak(verb);
                }
                for component in touched {
                    widgets::component_chip(ui, view, component);
                }
            }
        });
    }
}

#[cfg(test)]
mod tests;
