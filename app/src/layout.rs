//! Where the panels stand: a tree of splits and tabs that the user rearranges by dragging.

use egui::{Ui, WidgetText};
use egui_tiles::{
    Behavior, Container, EditAction, Linear, LinearDir, SimplificationOptions, Tabs, Tile, TileId, Tiles,
    Tree, UiResponse,
};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use vivarium_panels::PanelId;

/// The arrangement of the panels. Each is in it exactly once; a closed one keeps its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Layout {
    tree: Tree<PanelId>,
}

impl Default for Layout {
    fn default() -> Self {
        use PanelId::{
            Deferred, Entities, Inspector, Journal, Log, Memory, Scenes, Schedule, Templates, Timing, World,
        };
        let mut tiles = Tiles::default();
        let scenes = tabs(&mut tiles, &[Scenes]);
        let entities = tabs(&mut tiles, &[Entities]);
        let centre = tabs(&mut tiles, &[World, Schedule, Timing, Memory, Deferred, Templates]);
        let inspector = tabs(&mut tiles, &[Inspector]);
        let lower = tabs(&mut tiles, &[Journal, Log]);
        let left = split(&mut tiles, LinearDir::Vertical, &[(scenes, 0.6), (entities, 1.4)]);
        let columns = [(left, 0.8), (centre, 1.4), (inspector, 0.95)];
        let upper = split(&mut tiles, LinearDir::Horizontal, &columns);
        let root = split(&mut tiles, LinearDir::Vertical, &[(upper, 1.55), (lower, 0.42)]);
        let mut layout = Self { tree: Tree::new(egui::Id::unique("panels"), root, tiles) };
        // The journal is empty until somebody records.
        layout.show(Log);
        layout
    }
}

/// Adds panels that share a place.
fn tabs(tiles: &mut Tiles<PanelId>, panels: &[PanelId]) -> TileId {
    let children: Vec<TileId> = panels.iter().map(|panel| tiles.insert_pane(*panel)).collect();
    tiles.insert_container(Container::Tabs(Tabs::new(children)))
}

/// Adds a row or a column of tiles, each with its share of the space.
fn split(tiles: &mut Tiles<PanelId>, direction: LinearDir, shares: &[(TileId, f32)]) -> TileId {
    let mut linear = Linear::new(direction, shares.iter().map(|(tile, _)| *tile).collect());
    for (tile, share) in shares {
        linear.shares.set_share(*tile, *share);
    }
    tiles.insert_container(Container::Linear(linear))
}

impl Layout {
    /// One panel and nothing else, all others closed.
    pub fn only(panel: PanelId) -> Self {
        let mut layout = Self::default();
        for other in PanelId::ALL {
            layout.set_open(other, other == panel);
        }
        layout
    }

    /// Adds the panels that are not in it, beside the log: a kept layout may be older than they are.
    #[must_use]
    pub fn completed(mut self) -> Self {
        let missing = PanelId::ALL.into_iter().filter(|panel| self.tree.tiles.find_pane(panel).is_none());
        let missing: Vec<PanelId> = missing.collect();
        let beside = self.tree.tiles.find_pane(&PanelId::Log).and_then(|log| self.tree.tiles.parent_of(log));
        for panel in missing {
            let tile = self.tree.tiles.insert_pane(panel);
            if let Some(Tile::Container(container)) =
                beside.and_then(|beside| self.tree.tiles.get_mut(beside))
            {
                container.add_child(tile);
            }
        }
        self
    }

    /// Whether it can be drawn: a kept layout may come from another version or be damaged.
    pub fn is_sound(&self) -> bool {
        let mut seen = HashSet::new();
        let mut panels = HashSet::new();
        let mut open: Vec<TileId> = self.tree.root().into_iter().collect();
        while let Some(tile) = open.pop() {
            if !seen.insert(tile) {
                return false;
            }
            match self.tree.tiles.get(tile) {
                None => return false,
                Some(Tile::Pane(panel)) => {
                    if !panels.insert(*panel) {
                        return false;
                    }
                }
                Some(Tile::Container(container)) => open.extend(container.children()),
            }
        }
        panels.len() == PanelId::ALL.len()
    }

    /// Whether a panel is open, be it behind another one.
    pub fn is_open(&self, panel: PanelId) -> bool {
        self.tree.tiles.find_pane(&panel).is_some_and(|tile| self.tree.is_visible(tile))
    }

    /// Opens a panel where it was before, or closes it.
    pub fn set_open(&mut self, panel: PanelId, open: bool) {
        if let Some(tile) = self.tree.tiles.find_pane(&panel) {
            self.tree.set_visible(tile, open);
        }
    }

    /// Opens a panel and brings it to the front.
    pub fn show(&mut self, panel: PanelId) {
        self.set_open(panel, true);
        if let Some(tile) = self.tree.tiles.find_pane(&panel) {
            self.tree.make_active(|candidate, _| candidate == tile);
        }
    }

    /// The panels that can be seen right now, in the order of [`PanelId::ALL`].
    pub fn visible(&self) -> Vec<PanelId> {
        let active = self.tree.active_tiles();
        let mut panels: Vec<PanelId> =
            active.iter().filter_map(|tile| self.tree.tiles.get_pane(tile)).copied().collect();
        panels.sort_by_key(|panel| PanelId::ALL.iter().position(|other| other == panel));
        panels
    }

    /// Draws everything; `draw` draws the panels that can be seen.
    pub fn ui(&mut self, ui: &mut Ui, draw: &mut dyn FnMut(PanelId, &mut Ui)) {
        let dragged = self.tree.dragged_id(ui.ctx());
        let mut dock = Dock { draw, dropped: false };
        self.tree.ui(&mut dock, ui);
        if let Some(tile) = dragged.filter(|_| dock.dropped) {
            self.split_beside(tile);
        }
    }

    /// A tab dropped on one half of a panel splits that panel inside its tabs; we want the tabs as a whole to be
    /// split, so that there are never tabs within tabs.
    fn split_beside(&mut self, dropped: TileId) {
        let tiles = &mut self.tree.tiles;
        let Some(split) = tiles.parent_of(dropped) else { return };
        let Some(tabs) = tiles.parent_of(split) else { return };
        let above = tiles.parent_of(tabs);
        let Some(Container::Linear(linear)) = tiles.get_container(split) else { return };
        let Some(Container::Tabs(_)) = tiles.get_container(tabs) else { return };
        let Some(&beside) = linear.children.iter().find(|child| **child != dropped) else { return };
        if let Some(Tile::Container(Container::Tabs(inner))) = tiles.get_mut(tabs) {
            inner.children.iter_mut().filter(|child| **child == split).for_each(|child| *child = beside);
            inner.set_active(beside);
        }
        let mut replace = |parent, old, new| match tiles.get_mut(parent) {
            Some(Tile::Container(container)) => container.replace_child(old, new).is_some(),
            _ => false,
        };
        replace(split, beside, tabs);
        if !above.is_some_and(|above| replace(above, tabs, split)) {
            self.tree.root = Some(split);
        }
    }

    /// Whether the user is dragging a tab.
    pub fn is_dragging(&self, ui: &Ui) -> bool {
        self.tree.dragged_id(ui.ctx()).is_some()
    }
}

/// How tabs look and what they do.
struct Dock<'a> {
    draw: &'a mut dyn FnMut(PanelId, &mut Ui),
    /// Whether a tab was dropped somewhere in this frame.
    dropped: bool,
}

/// Space between the edge of a panel and what is in it, in points.
const MARGIN: i8 = 6;

impl Behavior<PanelId> for Dock<'_> {
    fn pane_ui(&mut self, ui: &mut Ui, _tile: TileId, panel: &mut PanelId) -> UiResponse {
        egui::Frame::new().fill(ui.visuals().panel_fill).inner_margin(MARGIN).show(ui, |ui| {
            ui.set_min_size(ui.available_size());
            ui.push_id(*panel, |ui| (self.draw)(*panel, ui));
        });
        UiResponse::None
    }

    fn tab_title_for_pane(&mut self, panel: &PanelId) -> WidgetText {
        panel.title().into()
    }

    fn is_tab_closable(&self, tiles: &Tiles<PanelId>, tile: TileId) -> bool {
        tiles.get_pane(&tile).is_some()
    }

    fn on_tab_close(&mut self, tiles: &mut Tiles<PanelId>, tile: TileId) -> bool {
        // Kept out of sight rather than taken out, so that it comes back where it was.
        tiles.set_visible(tile, false);
        false
    }

    fn on_edit(&mut self, action: EditAction) {
        self.dropped |= action == EditAction::TileDropped;
    }

    fn simplification_options(&self) -> SimplificationOptions {
        SimplificationOptions { all_panes_must_have_tabs: true, ..Default::default() }
    }

    fn gap_width(&self, _style: &egui::Style) -> f32 {
        3.0
    }

    fn min_size(&self) -> f32 {
        80.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui_kittest::{Harness, kittest::Queryable};

    #[test]
    fn the_first_layout_shows_five_panels_and_holds_all() {
        let layout = Layout::default();
        assert!(layout.is_sound());
        let expected = [PanelId::Scenes, PanelId::Entities, PanelId::World, PanelId::Inspector, PanelId::Log];
        assert_eq!(layout.visible(), expected);
        assert!(PanelId::ALL.into_iter().all(|panel| layout.is_open(panel)));
    }

    #[test]
    fn a_shown_panel_comes_to_the_front_of_its_tabs() {
        let mut layout = Layout::default();
        layout.show(PanelId::Memory);
        assert!(layout.visible().contains(&PanelId::Memory));
        assert!(!layout.visible().contains(&PanelId::World), "it stands behind");
    }

    #[test]
    fn a_closed_panel_comes_back_where_it_was() {
        let mut layout = Layout::default();
        layout.set_open(PanelId::Inspector, false);
        assert!(!layout.is_open(PanelId::Inspector));
        assert!(!layout.visible().contains(&PanelId::Inspector));
        layout.show(PanelId::Inspector);
        assert_eq!(layout.visible(), Layout::default().visible());
    }

    #[test]
    fn one_panel_alone_hides_all_others() {
        for panel in PanelId::ALL {
            assert_eq!(Layout::only(panel).visible(), [panel]);
        }
    }

    #[test]
    fn a_tab_dropped_on_half_a_panel_splits_the_whole_group() {
        let show =
            |ui: &mut Ui, layout: &mut Layout| layout.ui(ui, &mut |panel, ui| drop(ui.weak(panel.name())));
        let mut harness =
            Harness::builder().with_size([1200.0, 800.0]).build_ui_state(show, Layout::default());
        harness.step();
        let place = |layout: &Layout, panel| {
            let tile = layout.tree.tiles.find_pane(&panel).unwrap();
            layout.tree.tiles.rect(tile).unwrap()
        };
        let from = harness.get_by_label("Memory").rect().center();
        let to = place(harness.state(), PanelId::World).split_top_bottom_at_fraction(0.5).1.center();
        harness.drag_at(from);
        harness.step();
        for part in [0.3, 0.6, 1.0, 1.0] {
            harness.hover_at(from + (to - from) * part);
            harness.step();
        }
        harness.drop_at(to);
        harness.run_steps(3);
        let layout = harness.state();
        assert!(layout.is_sound(), "{layout:#?}");
        let visible = layout.visible();
        assert!(visible.contains(&PanelId::Memory) && visible.contains(&PanelId::World), "{layout:#?}");
        for tile in layout.tree.tiles.tiles() {
            let Tile::Container(Container::Tabs(tabs)) = tile else { continue };
            for child in &tabs.children {
                assert!(layout.tree.tiles.get_pane(child).is_some(), "only panels are tabs: {layout:#?}");
            }
        }
        assert!(place(layout, PanelId::Memory).top() > place(layout, PanelId::World).bottom());
    }

    #[test]
    fn a_layout_survives_its_text() {
        let mut layout = Layout::default();
        layout.set_open(PanelId::Log, false);
        layout.show(PanelId::Timing);
        let text = serde_json::to_string(&layout).unwrap();
        let read: Layout = serde_json::from_str(&text).unwrap();
        assert!(read.is_sound());
        assert_eq!(read.visible(), layout.visible());
    }

    #[test]
    fn a_kept_layout_gets_panels_it_does_not_know_beside_the_log() {
        let mut layout = Layout::default();
        let tile = layout.tree.tiles.find_pane(&PanelId::Journal).unwrap();
        layout.tree.remove_recursively(tile);
        layout.show(PanelId::Memory);
        assert!(!layout.is_sound());
        let layout = layout.completed();
        assert!(layout.is_sound() && layout.is_open(PanelId::Journal));
        assert!(layout.visible().contains(&PanelId::Memory), "the rest stays");
    }

    #[test]
    fn a_layout_with_a_missing_a_doubled_or_a_circular_tile_is_not_sound() {
        let mut missing = Layout::default();
        let tile = missing.tree.tiles.find_pane(&PanelId::Log).unwrap();
        missing.tree.tiles.remove(tile);
        assert!(!missing.is_sound());

        let mut doubled = Layout::default();
        let tile = doubled.tree.tiles.find_pane(&PanelId::Log).unwrap();
        doubled.tree.tiles.insert(tile, Tile::Pane(PanelId::World));
        assert!(!doubled.is_sound());

        let mut circular = Layout::default();
        let root = circular.tree.root().unwrap();
        let inner = circular.tree.tiles.tile_ids().find(|tile| *tile != root).unwrap();
        circular.tree.tiles.insert(inner, Tile::Container(Container::Tabs(Tabs::new(vec![root]))));
        assert!(!circular.is_sound());
    }
}
