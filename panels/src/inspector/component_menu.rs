//! What can be done with a component of an entity: copied, pasted, reset, promoted, watched, removed.

use super::components::Scope;
use super::model;
use crate::request::together;
use crate::view::Requests;
use crate::{Request, format, widgets};
use egui::{Button, Context, Rect, Ui};
use vivarium_world::inspect::ComponentView;
use vivarium_world::{Command, ComponentId, FieldValue, Ordinal, Target};

/// A component's values, kept to paste them elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Copied {
    pub(super) component: String,
    /// Fields by name.
    values: Vec<(String, FieldValue)>,
}

impl Copied {
    /// What was copied last.
    pub(super) fn last(context: &Context) -> Option<Self> {
        context.data(|data| data.get_temp(id()))
    }

    /// Keeps it, and puts it on the clipboard as JSON.
    fn keep(self, context: &Context) {
        let fields = self.values.iter().map(|(name, value)| {
            (name.clone(), serde_json::to_value(value).unwrap_or(serde_json::Value::Null))
        });
        let object = serde_json::Map::from_iter(fields);
        let whole = serde_json::Map::from_iter([(self.component.clone(), object.into())]);
        context.copy_text(serde_json::Value::from(whole).to_string());
        context.data_mut(|data| data.insert_temp(id(), self));
    }

    /// Gives entities that have the component these values.
    pub(super) fn commands(&self, component: &ComponentView, entities: &[Ordinal]) -> Vec<Command> {
        let known = |(name, _): &&(String, FieldValue)| component.fields.iter().any(|f| f.name == *name);
        let set = |(name, value): &(String, FieldValue)| Command::Set {
            entities: entities.to_vec(),
            target: Target { component: component.name.clone(), field: name.clone() },
            value: value.clone(),
        };
        self.values.iter().filter(known).map(set).collect()
    }
}

fn id() -> egui::Id {
    egui::Id::unique("copied component")
}

/// What the user chose that the panel does itself.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Chosen {
    /// Watch its number fields.
    Watch,
    /// Watch them, and show them.
    Plot,
}

impl Scope<'_> {
    /// The end of the line of a component's header: its size, and its menu.
    pub(super) fn menu(&self, ui: &mut Ui, header: Rect, out: &mut Requests) -> Option<Chosen> {
        let component = self.shown.component;
        let mut line = widgets::end_of_line(ui, header, &component.name);
        let opened = line.menu_button("…", |ui| self.menu_entries(ui, out));
        opened.response.accessible_name(format!("Menu of {}", component.name));
        line.weak(if component.size == 0 { "tag".to_owned() } else { format::bytes(component.size) });
        if let Some(having) = self.some_have_it() {
            line.weak(having).on_hover_text("Edits reach those that have it");
        }
        opened.inner.flatten()
    }

    fn menu_entries(&self, ui: &mut Ui, out: &mut Requests) -> Option<Chosen> {
        let component = self.shown.component;
        let mut chosen = None;
        let described = !component.fields.is_empty();
        let copy = ui.add_enabled(described, Button::new("Copy"));
        if copy.on_hover_text("Keep its values to paste them elsewhere; as JSON on the clipboard").clicked() {
            let fields = component.fields.iter().map(|field| field.name.clone());
            let values = fields.zip(self.shown.state.values.iter().cloned()).collect();
            Copied { component: component.name.clone(), values }.keep(ui.ctx());
        }
        let copied = Copied::last(ui.ctx()).filter(|copied| copied.component == component.name);
        let paste = ui.add_enabled(copied.is_some(), Button::new("Paste"));
        let paste = paste.on_disabled_hover_text(format!("Copy the component {} first", component.name));
        if let (true, Some(copied)) = (paste.clicked(), copied) {
            out.push(together(copied.commands(component, self.entities)).into());
        }
        ui.separator();
        let changed = self.changed();
        let reset = ui.add_enabled(!changed.is_empty(), Button::new("Reset to template"));
        if reset.on_hover_text("Give every field the value of the template").clicked() {
            let sets = changed.iter().map(|(at, value)| self.set(&component.fields[*at], (*value).clone()));
            out.push(together(sets).into());
        }
        let keys: Vec<String> =
            changed.iter().filter_map(|(at, _)| component.fields[*at].key.clone()).collect();
        let promote = ui.add_enabled(!keys.is_empty(), Button::new("Promote to template"));
        let tip = "Let entities created from now on begin with the values this one has";
        if promote.on_hover_text(tip).clicked() {
            out.push(Command::Promote { entity: self.detail.ordinal, keys }.into());
        }
        ui.separator();
        let has_numbers = !model::number_fields(self.shown).is_empty();
        for (choice, text, tip) in [
            (Chosen::Watch, "Watch", "Keep the values of its number fields over time, in the tab History"),
            (Chosen::Plot, "Plot", "Watch its number fields and show the tab History"),
        ] {
            if ui.add_enabled(has_numbers, Button::new(text)).on_hover_text(tip).clicked() {
                chosen = Some(choice);
            }
        }
        if ui.button("Show entities that have it").clicked() {
            out.push(Request::Filter(format!("with:{}", component.name)));
        }
        ui.separator();
        let removable = component.id != ComponentId::ENTITY;
        let remove = ui.add_enabled(removable, Button::new("Remove component"));
        if remove.on_disabled_hover_text("Every entity has this one").clicked() {
            out.push(
                together(
                    self.having().map(|entity| Command::Drop { entity, component: component.name.clone() }),
                )
                .into(),
            );
        }
        chosen
    }

    /// The fields whose values are not the template's, with what the template gives.
    fn changed(&self) -> Vec<(usize, &FieldValue)> {
        let fields = 0..self.shown.component.fields.len();
        fields.filter_map(|at| Some((at, model::differs(self.shown.state, at)?))).collect()
    }
}
