//! All panels together, by name.

use crate::panel_id::PanelId;
use crate::request::Request;
use crate::view::View;
use crate::{
    DeferredPanel, EntitiesPanel, InspectorPanel, JournalPanel, LogPanel, MemoryPanel, ScenesPanel,
    StatusBar, SystemsPanel, TemplatesPanel, TimingPanel, TransportBar, WorldPanel,
};
use egui::Ui;
use vivarium_world::inspect::ViewRequest;

/// Every panel and bar, each with what it alone remembers.
#[derive(Default)]
pub struct Panels {
    transport: TransportBar,
    status: StatusBar,
    scenes: ScenesPanel,
    entities: EntitiesPanel,
    templates: TemplatesPanel,
    world: WorldPanel,
    systems: SystemsPanel,
    timing: TimingPanel,
    memory: MemoryPanel,
    deferred: DeferredPanel,
    inspector: InspectorPanel,
    journal: JournalPanel,
    log: LogPanel,
}

impl Panels {
    /// Draws the bar above: run, pause, step, speed.
    pub fn transport(&mut self, ui: &mut Ui, view: &View<'_>, out: &mut Vec<Request>) {
        self.transport.ui(ui, view, out);
    }

    /// Draws the bar below: state, tick, entities, memory, costs.
    pub fn status(&mut self, ui: &mut Ui, view: &View<'_>, out: &mut Vec<Request>) {
        self.status.ui(ui, view, out);
    }

    /// Draws a panel.
    pub fn ui(&mut self, id: PanelId, ui: &mut Ui, view: &View<'_>, out: &mut Vec<Request>) {
        let before = out.len();
        match id {
            PanelId::Scenes => self.scenes.ui(ui, view, out),
            PanelId::Entities => self.entities.ui(ui, view, out),
            PanelId::Templates => self.templates.ui(ui, view, out),
            PanelId::World => self.world.ui(ui, view, out),
            PanelId::Schedule => self.systems.ui(ui, view, out),
            PanelId::Timing => self.timing.ui(ui, view, out),
            PanelId::Memory => self.memory.ui(ui, view, out),
            PanelId::Deferred => self.deferred.ui(ui, view, out),
            PanelId::Inspector => self.inspector.ui(ui, view, out),
            PanelId::Journal => self.journal.ui(ui, view, out),
            PanelId::Log => self.log.ui(ui, view, out),
        }
        for request in out.iter_mut().skip(before) {
            match request {
                Request::Filter(filter) => self.entities.set_filter(std::mem::take(filter)),
                Request::Column(field) => self.entities.add_column(std::mem::take(field)),
                Request::Raw => {
                    self.inspector.show_raw();
                    *request = Request::ShowPanel(PanelId::Inspector);
                    continue;
                }
                Request::Template(name) => {
                    self.templates.show(std::mem::take(name));
                    *request = Request::ShowPanel(PanelId::Templates);
                    continue;
                }
                _ => continue,
            }
            *request = Request::ShowPanel(PanelId::Entities);
        }
    }

    /// Adds what a visible panel wants to see. Call it for visible panels only.
    pub fn request(&self, id: PanelId, view: &View<'_>, wanted: &mut ViewRequest) {
        match id {
            PanelId::Scenes | PanelId::Templates | PanelId::Log => {}
            PanelId::Entities => self.entities.request(view, wanted),
            PanelId::World => self.world.request(view, wanted),
            PanelId::Schedule => self.systems.request(view, wanted),
            PanelId::Timing => self.timing.request(view, wanted),
            PanelId::Memory => self.memory.request(view, wanted),
            PanelId::Deferred => self.deferred.request(view, wanted),
            PanelId::Inspector => self.inspector.request(view, wanted),
            PanelId::Journal => self.journal.request(view, wanted),
        }
    }

    /// Puts the keyboard into the search box of the entity list, for Ctrl+F.
    pub fn focus_search(&mut self) {
        self.entities.focus_search();
    }

    /// Shows a field, `component.field`, as a column of the entity list.
    pub fn add_column(&mut self, field: impl Into<String>) {
        self.entities.add_column(field.into());
    }

    /// Shows the entities for which `filter` holds in the entity list.
    pub fn set_filter(&mut self, filter: impl Into<String>) {
        self.entities.set_filter(filter.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Fixture};
    use egui_kittest::kittest::Queryable;

    #[test]
    fn a_filter_asked_for_by_one_panel_reaches_the_entity_list() {
        let panels = std::rc::Rc::new(std::cell::RefCell::new(Panels::default()));
        let drawn = panels.clone();
        let mut harness = fixture::harness(Fixture::paused(), move |ui, view, out| {
            drawn.borrow_mut().ui(PanelId::Templates, ui, view, out);
        });
        harness.get_by_label("2 instances of guardian").click();
        harness.run();
        assert_eq!(harness.state_mut().take(), [Request::ShowPanel(PanelId::Entities)]);
        let mut wanted = ViewRequest::default();
        panels.borrow().request(PanelId::Entities, &harness.state().view(), &mut wanted);
        assert_eq!(wanted.entities.unwrap().filter, "type:guardian");
    }

    #[test]
    fn every_panel_draws_a_snapshot_without_anything_in_it() {
        for id in PanelId::ALL {
            let mut panels = Panels::default();
            let mut fixture = Fixture::paused().select(&[2]);
            fixture.snapshot = Default::default();
            fixture.log.clear();
            let harness = fixture::harness(fixture, move |ui, view, out| panels.ui(id, ui, view, out));
            assert!(harness.state().requests.is_empty(), "{id:?} asks for nothing by itself");
        }
    }

    #[test]
    fn panels_ask_only_for_what_they_show() {
        let (fixture, panels) = (Fixture::paused().select(&[2]), Panels::default());
        let asked = |id| {
            let mut wanted = ViewRequest::default();
            panels.request(id, &fixture.view(), &mut wanted);
            wanted
        };
        for id in [PanelId::Scenes, PanelId::Templates, PanelId::Log] {
            assert_eq!(asked(id), ViewRequest::default(), "{id:?}");
        }
        assert!(asked(PanelId::Memory).memory && !asked(PanelId::Memory).timing);
        assert!(asked(PanelId::Deferred).deferred);
        assert!(asked(PanelId::Journal).journal.is_some() && asked(PanelId::Memory).journal.is_none());
        assert!(asked(PanelId::Schedule).schedule && asked(PanelId::Schedule).systems);
        assert_eq!(asked(PanelId::Inspector).details, [vivarium_world::Ordinal(2)]);
    }
}
