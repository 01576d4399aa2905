//! All panels together, by name.

use crate::panel_id::PanelId;
use crate::request::Request;
use crate::view::View;
use crate::{
    DeferredPanel, EntitiesPanel, InspectorPanel, LogPanel, MemoryPanel, ScenesPanel, StatusBar,
    SystemsPanel, TemplatesPanel, TimingPanel, TransportBar, WorldPanel,
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
            PanelId::Log => self.log.ui(ui, view, out),
        }
        for request in out.iter_mut().skip(before) {
            if let Request::Filter(filter) = request {
                self.entities.set_filter(std::mem::take(filter));
                *request = Request::ShowPanel(PanelId::Entities);
            }
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
        }
    }

    /// Puts the keyboard into the search box of the entity list, for Ctrl+F.
    pub fn focus_search(&mut self) {
        self.entities.focus_search();
    }

    /// Shows the entities for which `filter` holds in the entity list.
    pub fn set_filter(&mut self, filter: impl Into<String>) {
        self.entities.set_filter(filter.into());
    }
}
