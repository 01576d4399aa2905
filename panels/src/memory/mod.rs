//! Memory: pools, their cells, strings and lists.

mod cells;
mod geometry;
mod growth;
mod heap;
mod pools;

use crate::view::{Requests, View};
use crate::widgets;
use cells::Cells;
use egui::Ui;
use growth::Growth;
use heap::Heap;
use pools::Pools;
use vivarium_world::ComponentId;
use vivarium_world::inspect::{HeapPart, ViewRequest};

/// Pools and their fill; the cells of one pool; strings and lists.
#[derive(Default)]
pub struct MemoryPanel {
    tab: Tab,
    pools: Pools,
    cells: Cells,
    strings: Heap,
    lists: Heap,
    growth: Growth,
}

/// What is shown of memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Tab {
    #[default]
    Pools,
    Cells,
    Strings,
    Lists,
}

impl MemoryPanel {
    /// Asks for what the tab shows.
    pub fn request(&self, view: &View<'_>, wanted: &mut ViewRequest) {
        match self.tab {
            Tab::Pools => {
                wanted.memory = true;
                // For how long the stretches are that their queries meet.
                wanted.systems = true;
            }
            Tab::Cells => self.cells.request(view, wanted),
            Tab::Strings => self.strings.request(HeapPart::Strings, wanted),
            Tab::Lists => self.lists.request(HeapPart::Lists, wanted),
        }
    }

    /// Draws the panel.
    pub fn ui(&mut self, ui: &mut Ui, view: &View<'_>, out: &mut Requests) {
        if let Some(memory) = &view.snapshot.memory {
            self.growth.record(view.snapshot.status.tick, memory);
        }
        ui.horizontal_wrapped(|ui| {
            let tabs = [
                (Tab::Pools, "Pools"),
                (Tab::Cells, "Cells"),
                (Tab::Strings, "Strings"),
                (Tab::Lists, "Lists"),
            ];
            for (tab, name) in tabs {
                ui.selectable_value(&mut self.tab, tab, name);
            }
        });
        ui.separator();
        match self.tab {
            Tab::Pools => match &view.snapshot.memory {
                Some(memory) => {
                    if let Some(component) = self.pools.ui(ui, view, memory, &self.growth, out) {
                        self.show_cells(component);
                    }
                }
                None => widgets::nothing(ui, "No picture of the pools yet"),
            },
            Tab::Cells => self.cells.ui(ui, view, out),
            Tab::Strings => self.strings.ui(ui, view, HeapPart::Strings, out),
            Tab::Lists => self.lists.ui(ui, view, HeapPart::Lists, out),
        }
    }

    /// Shows the cells of a component's pool.
    fn show_cells(&mut self, component: ComponentId) {
        self.tab = Tab::Cells;
        self.cells.show(component);
    }
}

#[cfg(test)]
mod tests;
