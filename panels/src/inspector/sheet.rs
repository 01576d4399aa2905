//! One entity looked into: its header, and under it one of the tabs.

use super::history::History;
use super::{add, raw, references};
use crate::field_editor::Holding;
use crate::theme::Palette;
use crate::view::{Requests, View};
use crate::{Request, Select, format, request, widgets};
use egui::{RichText, ScrollArea, Ui};
use vivarium_world::inspect::{EntityDetail, ViewRequest};
use vivarium_world::{Command, ComponentId, Ordinal};

/// What of an entity is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Tab {
    #[default]
    Components,
    Systems,
    References,
    Raw,
}

impl Tab {
    pub(super) const ALL: [Self; 4] = [Self::Components, Self::Systems, Self::References, Self::Raw];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Components => "Components",
            Self::Systems => "Systems",
            Self::References => "References",
            Self::Raw => "Raw",
        }
    }
}

/// The tab, the filter, and the value being edited.
#[derive(Default)]
pub(super) struct Sheet {
    pub(super) tab: Tab,
    /// Whether its entity stays whatever is selected.
    pub(super) is_pinned: bool,
    pub(super) filter: String,
    /// What is typed into the filter of "Add component".
    pub(super) add_filter: String,
    pub(super) holding: Holding<(Ordinal, ComponentId, usize)>,
}

/// What a sheet asks of the panel it stands in.
#[derive(Default)]
pub(super) struct Asked {
    /// To pin its entity.
    pub(super) pin: bool,
    /// To show the watched fields.
    pub(super) history: bool,
}

impl Sheet {
    /// Asks for what the tab shows beyond the blocks.
    pub(super) fn request(&self, entity: Ordinal, wanted: &mut ViewRequest) {
        match self.tab {
            Tab::Components => {
                if let Some(text) = self.holding.search() {
                    wanted.candidates = Some(text.to_owned());
                }
            }
            Tab::Systems => wanted.systems = true,
            Tab::References if !wanted.references.contains(&entity) => wanted.references.push(entity),
            Tab::References | Tab::Raw => {}
        }
    }

    /// Draws it. Edits reach all of `entities`.
    pub(super) fn ui(
        &mut self,
        ui: &mut Ui,
        view: &View<'_>,
        entity: Ordinal,
        entities: &[Ordinal],
        history: &mut History,
        out: &mut Requests,
    ) -> Asked {
        let mut asked = Asked::default();
        let Some(detail) = view.detail(entity) else {
            widgets::nothing(ui, &format!("{} is gone, or was not read yet", view.entity_label(entity)));
            return asked;
        };
        self.header(ui, view, detail, entities, &mut asked, out);
        ui.separator();
        ScrollArea::vertical().id_salt(self.tab.name()).auto_shrink(false).show(ui, |ui| match self.tab {
            Tab::Components => self.components(ui, view, detail, entities, (history, &mut asked), out),
            Tab::Systems => systems(ui, view, detail, out),
            Tab::References => references::ui(ui, view, detail, out),
            Tab::Raw => raw::ui(ui, view, detail, out),
        });
        asked
    }

    fn header(
        &mut self,
        ui: &mut Ui,
        view: &View<'_>,
        detail: &EntityDetail,
        entities: &[Ordinal],
        asked: &mut Asked,
        out: &mut Requests,
    ) {
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
            if !detail.type_name.is_empty()
                && ui.link("Template").on_hover_text("Show its template").clicked()
            {
                out.push(Request::Template(detail.type_name.to_string()));
            }
        });
        ui.horizontal_wrapped(|ui| {
            if ui.button("Duplicate").on_hover_text("Create it again, as it is now").clicked() {
                out.push(request::duplicate(entities).into());
            }
            if ui.button("Kill").on_hover_text("Its death hooks run").clicked() {
                out.push(Command::Kill { entities: entities.to_vec() }.into());
            }
            if ui.button("Remove").on_hover_text("No death hook runs").clicked() {
                out.push(Command::Remove { entities: entities.to_vec() }.into());
            }
            add::menu(ui, view, detail, entities, &mut self.add_filter, out);
            if !self.is_pinned {
                let tip = "Keep it in sight above, whatever is selected";
                asked.pin = ui.button("Pin").on_hover_text(tip).clicked();
            }
        });
        if entities.len() > 1 {
            ui.horizontal_wrapped(|ui| {
                let text = format!("{} selected; edits go to all", format::count(entities.len() as u64));
                ui.label(RichText::new(text).color(palette.warn));
                if ui.link("Only this one").clicked() {
                    out.push(Select::Only(detail.ordinal).into());
                }
            });
        }
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
                    widgets::component_link(ui, view, component, out);
                }
            }
        });
    }
}
