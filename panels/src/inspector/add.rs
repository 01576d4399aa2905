//! The menu of components an entity could be given.

use super::component_menu::Copied;
use super::model;
use crate::request::together;
use crate::theme::Palette;
use crate::view::{Requests, View};
use egui::containers::menu::{MenuButton, MenuConfig};
use egui::{Button, PopupCloseBehavior, RichText, ScrollArea, TextEdit, Ui};
use vivarium_world::inspect::EntityDetail;
use vivarium_world::{Command, Ordinal};

/// What can be added is a button; what the class forbids stands below, with the reason.
pub(super) fn menu(
    ui: &mut Ui,
    view: &View<'_>,
    detail: &EntityDetail,
    entities: &[Ordinal],
    filter: &mut String,
    out: &mut Requests,
) {
    let config = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    MenuButton::new("Add component").config(config).ui(ui, |ui| {
        ui.set_min_width(260.0);
        let edit = TextEdit::singleline(filter).hint_text("Filter components").desired_width(240.0);
        ui.add(edit).accessible_name("Filter components to add");
        let list = model::addable(detail, &view.snapshot.catalog, filter);
        if list.is_empty() {
            ui.weak("No other component has such a name");
        }
        ScrollArea::vertical().max_height(320.0).show(ui, |ui| {
            let copied = Copied::last(ui.ctx());
            for (component, forbidden) in list {
                if let Some(reason) = forbidden {
                    ui.horizontal(|ui| {
                        ui.add_enabled(false, Button::new(&component.name).frame(false));
                        let warn = Palette::of(ui.visuals()).warn;
                        ui.label(RichText::new(reason).color(warn).small());
                    });
                    continue;
                }
                let name = &component.name;
                let entities = model::without(view.snapshot.selected.as_ref(), component.id, entities);
                let add = |&entity: &Ordinal| Command::Add { entity, component: name.clone() };
                if ui.add(Button::new(name).frame(false)).clicked() {
                    out.push(together(entities.iter().map(add)).into());
                    ui.close();
                }
                if let Some(copied) = copied.as_ref().filter(|copied| copied.component == *name) {
                    let button = Button::new(format!("{name}, as copied")).frame(false);
                    if ui.add(button).clicked() {
                        let adds = entities.iter().map(add);
                        out.push(together(adds.chain(copied.commands(component, &entities))).into());
                        ui.close();
                    }
                }
            }
        });
    });
}
