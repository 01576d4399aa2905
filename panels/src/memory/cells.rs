//! The cells of a pool, 64 to a strip, painted by their state; or the same as a table.

use super::geometry::{CELLS, Geometry};
use crate::theme::Palette;
use crate::view::{Requests, View};
use crate::{Request, Select, format, widgets};
use egui::accesskit::Role;
use egui::epaint::{Mesh, Vertex, WHITE_UV};
use egui::{Color32, ComboBox, Pos2, Rect, RichText, ScrollArea, Sense, Slider, Ui, Vec2, vec2};
use egui_extras::Column;
use std::ops::Range;
use vivarium_world::ComponentId;
use vivarium_world::inspect::{BlockState, CellsRequest, CellsView, Strip, ViewRequest};

/// Which pool, how large, and what is in sight.
pub(super) struct Cells {
    component: Option<ComponentId>,
    /// Width and height of a cell, in points.
    zoom: f32,
    as_table: bool,
    sight: Range<usize>,
    /// The row under the pointer.
    hovered: Option<u32>,
    /// The row whose block is to be opened when it is known whose it is.
    opening: Option<u32>,
}

impl Default for Cells {
    fn default() -> Self {
        Self { component: None, zoom: 6.0, as_table: false, sight: 0..64, hovered: None, opening: None }
    }
}

impl Cells {
    pub(super) fn show(&mut self, component: ComponentId) {
        *self =
            Self { component: Some(component), zoom: self.zoom, as_table: self.as_table, ..Self::default() };
    }

    /// The pool that is shown: the chosen one, or the first that is not the built-in.
    fn shown(&self, view: &View<'_>) -> Option<ComponentId> {
        let known = |id: &ComponentId| view.snapshot.catalog.component(*id).is_some();
        self.component.filter(known).or_else(|| {
            let others = view.snapshot.catalog.components.iter().map(|component| component.id);
            others.into_iter().find(|&id| id != ComponentId::ENTITY)
        })
    }

    pub(super) fn request(&self, view: &View<'_>, wanted: &mut ViewRequest) {
        const MORE: usize = 32;
        let Some(component) = self.shown(view) else { return };
        let first = self.sight.start.saturating_sub(MORE);
        let count = self.sight.end + MORE - first;
        wanted.cells = Some(CellsRequest { component, first, count, at: self.opening.or(self.hovered) });
    }

    pub(super) fn ui(&mut self, ui: &mut Ui, view: &View<'_>, out: &mut Requests) {
        let Some(shown) = self.shown(view) else {
            widgets::nothing(ui, "There are no components");
            return;
        };
        self.toolbar(ui, view, shown);
        let Some(cells) = view.snapshot.cells.as_ref().filter(|cells| cells.component == shown) else {
            widgets::nothing(ui, "No picture of the cells yet");
            return;
        };
        self.open(cells, out);
        if cells.total == 0 {
            widgets::nothing(ui, "No row ever had this component");
        } else if self.as_table {
            self.table(ui, view, cells);
        } else {
            self.painting(ui, view, cells);
        }
    }

    fn toolbar(&mut self, ui: &mut Ui, view: &View<'_>, shown: ComponentId) {
        ui.horizontal_wrapped(|ui| {
            let mut chosen = shown;
            ui.name_inputs("Pool", |ui| {
                ComboBox::from_id_salt("pool").selected_text(view.component_name(shown)).show_ui(ui, |ui| {
                    for component in &view.snapshot.catalog.components {
                        ui.selectable_value(&mut chosen, component.id, &component.name);
                    }
                });
            });
            if chosen != shown {
                self.show(chosen);
            }
            let slider = Slider::new(&mut self.zoom, 2.0..=16.0).step_by(1.0).text("zoom").show_value(false);
            ui.add_enabled(!self.as_table, slider);
            ui.checkbox(&mut self.as_table, "As a table");
        });
        if !self.as_table {
            ui.horizontal_wrapped(legend);
        }
    }

    /// Opens the block that was clicked, now that it is known whose it is.
    fn open(&mut self, cells: &CellsView, out: &mut Requests) {
        let Some(at) = cells.at.as_ref().filter(|at| Some(at.row) == self.opening) else { return };
        self.opening = None;
        if let Some(owner) = &at.owner {
            out.push(Select::Only(owner.ordinal).into());
            out.push(Request::Raw);
        }
    }

    fn painting(&mut self, ui: &mut Ui, view: &View<'_>, cells: &CellsView) {
        let groups = cells.groups.iter().map(|group| group.strips);
        let geometry = Geometry::new(groups, self.zoom, ui.available_width() - 16.0);
        let (mut sight, mut hovered) = (0..0, None);
        ScrollArea::both().auto_shrink(false).show_viewport(ui, |ui, viewport| {
            let size = vec2(geometry.width(), geometry.height());
            let (rect, response) = ui.allocate_exact_size(size, Sense::click());
            widgets::describe(&response, Role::Image, &meaning(view, cells));
            let within = viewport.top()..viewport.bottom();
            sight = geometry.strips(within.clone());
            for (group, top) in geometry.headings(within) {
                heading(ui, view, cells, group, rect.min + vec2(0.0, top));
            }
            let palette = Palette::of(ui.visuals());
            let mut mesh = Mesh::default();
            for at in sight.clone() {
                let Some(place) = geometry.place(at).map(|place| place.translate(rect.min.to_vec2())) else {
                    continue;
                };
                match at.checked_sub(cells.first).and_then(|at| cells.strips.get(at)) {
                    Some(strip) => paint_strip(&mut mesh, place, strip, palette),
                    None => quad(&mut mesh, place, palette.faint),
                }
            }
            ui.painter().add(mesh);
            let under = response.hover_pos().and_then(|at| geometry.at(at - rect.min.to_vec2()));
            let under =
                under.and_then(|(at, cell)| Some((cells.strips.get(at.checked_sub(cells.first)?)?, cell)));
            if let Some((strip, cell)) = under {
                let row = strip.word * CELLS + cell;
                hovered = Some(row);
                if response.clicked() {
                    self.opening = Some(row);
                }
                response.on_hover_text_at_pointer(cell_text(cells, strip, cell));
            }
        });
        (self.sight, self.hovered) = (sight, hovered);
    }

    /// The twin of the painting: how many cells of each strip are in which state.
    fn table(&mut self, ui: &mut Ui, view: &View<'_>, cells: &CellsView) {
        let table = widgets::table(ui)
            .id_salt("cells")
            .auto_shrink(false)
            .column(Column::initial(120.0).resizable(true))
            .columns(Column::initial(80.0).resizable(true), 6)
            .column(Column::remainder().at_least(120.0).clip(true));
        let table = table.header(widgets::ROW, |mut row| {
            for title in ["rows", "page", "live", "free", "deferred", "quarantined", "written", "made of"] {
                row.col(|ui| drop(ui.strong(title)));
            }
        });
        let mut sight: Option<Range<usize>> = None;
        table.body(|body| {
            body.rows(widgets::ROW, cells.total, |mut row| {
                let index = row.index();
                sight = Some(sight.as_ref().map_or(index, |sight| sight.start)..index + 1);
                let Some(strip) = index.checked_sub(cells.first).and_then(|at| cells.strips.get(at)) else {
                    row.col(|ui| drop(ui.weak("…")));
                    (0..7).for_each(|_| _ = row.col(|_| {}));
                    return;
                };
                let first = strip.word * CELLS;
                let rows = format!("{}–{}", format::count(first), format::count(first + CELLS - 1));
                row.col(|ui| drop(ui.label(rows)));
                row.col(|ui| drop(ui.label(if strip.has_page { "yes" } else { "none" })));
                for count in counts(strip) {
                    row.col(|ui| widgets::right(ui, format::count(count)));
                }
                row.col(|ui| drop(ui.label(made_of(view, cells, group_of(cells, index)))));
            });
        });
        self.sight = sight.unwrap_or(0..0);
        self.hovered = None;
    }
}

/// Live, free, deferred, quarantined, written.
fn counts(strip: &Strip) -> [u32; 5] {
    let of = |state| (0..CELLS).filter(|&cell| strip.state(cell) == state).count() as u32;
    let [live, free, deferred, quarantined] =
        [BlockState::Live, BlockState::Free, BlockState::Deferred, BlockState::Quarantined].map(of);
    [live, free, deferred, quarantined, strip.written.count_ones()]
}

/// The group that a strip belongs to.
fn group_of(cells: &CellsView, strip: usize) -> usize {
    let mut end = 0;
    let ends = cells.groups.iter().map(|group| {
        end += group.strips;
        end
    });
    ends.take_while(|end| *end <= strip).count()
}

fn made_of(view: &View<'_>, cells: &CellsView, group: usize) -> String {
    let Some(group) = cells.groups.get(group) else { return String::new() };
    let names: Vec<String> = group.components.iter().map(|&id| view.component_name(id)).collect();
    if names.is_empty() { "nothing else".to_owned() } else { names.join(", ") }
}

fn heading(ui: &Ui, view: &View<'_>, cells: &CellsView, group: usize, at: Pos2) {
    let strips = cells.groups.get(group).map_or(0, |group| group.strips);
    let text = format!("{} · {}", made_of(view, cells, group), format::counted(strips, "strip"));
    let font = egui::TextStyle::Small.resolve(ui.style());
    let colour = Palette::of(ui.visuals()).weak;
    ui.painter().text(at + vec2(0.0, Geometry::HEADING - 4.0), egui::Align2::LEFT_BOTTOM, text, font, colour);
}

/// What the painting shows, in a sentence.
fn meaning(view: &View<'_>, cells: &CellsView) -> String {
    let mut sums = [0; 5];
    for strip in &cells.strips {
        sums.iter_mut().zip(counts(strip)).for_each(|(sum, count)| *sum += count);
    }
    let [live, free, deferred, quarantined, written] = sums.map(format::count);
    format!(
        "Cells of {}: {} in {}; in sight {live} live, {free} free, {deferred} deferred, {quarantined} quarantined, \
         {written} written",
        view.component_name(cells.component),
        format::counted(cells.total, "strip"),
        format::counted(cells.groups.len(), "group"),
    )
}

pub(super) fn state_word(state: BlockState) -> &'static str {
    match state {
        BlockState::NoPage => "no page",
        BlockState::Free => "free",
        BlockState::Live => "live",
        BlockState::Deferred => "waits to be freed",
        BlockState::Quarantined => "quarantined",
    }
}

/// `row 70 = page 1, cell 6 · live · written this tick · guardian 42v1`
fn cell_text(cells: &CellsView, strip: &Strip, cell: u32) -> String {
    let row = strip.word * CELLS + cell;
    let mut text = format!(
        "row {} = page {}, cell {cell} · {}",
        format::count(row),
        format::count(strip.word),
        state_word(strip.state(cell))
    );
    if strip.is_written(cell) {
        text.push_str(" · written this tick");
    }
    if let Some(owner) = cells.at.as_ref().filter(|at| at.row == row).and_then(|at| at.owner.as_ref()) {
        text.push_str(&format!(" · {}; click to see its block", format::entity(&owner.type_name, owner.id)));
    }
    text
}

/// The colour of a state, and which part of a cell has it: states differ in shape too.
fn look(state: BlockState, is_written: bool, palette: &Palette) -> (Color32, Rect) {
    let part = |left, top, right, bottom| Rect::from_min_max(Pos2::new(left, top), Pos2::new(right, bottom));
    match state {
        BlockState::NoPage => (Color32::TRANSPARENT, part(0.0, 0.0, 0.0, 0.0)),
        BlockState::Free => (palette.weak, part(0.35, 0.35, 0.65, 0.65)),
        BlockState::Live if is_written => (palette.good, part(0.0, 0.0, 1.0, 1.0)),
        BlockState::Live => (palette.accent, part(0.0, 0.15, 1.0, 0.85)),
        BlockState::Deferred => (palette.warn, part(0.0, 0.5, 1.0, 1.0)),
        BlockState::Quarantined => (palette.error, part(0.0, 0.0, 1.0, 0.5)),
    }
}

fn quad(mesh: &mut Mesh, rect: Rect, colour: Color32) {
    let first = mesh.vertices.len() as u32;
    for pos in [rect.left_top(), rect.right_top(), rect.left_bottom(), rect.right_bottom()] {
        mesh.vertices.push(Vertex { pos, uv: WHITE_UV, color: colour });
    }
    mesh.indices.extend([0, 1, 2, 2, 1, 3].map(|corner| first + corner));
}

/// Cells alike side by side are one shape where they are too small to be told apart.
fn paint_strip(mesh: &mut Mesh, place: Rect, strip: &Strip, palette: &Palette) {
    let size = place.height();
    quad(mesh, place, if strip.has_page { palette.chip } else { palette.faint });
    let looks = |cell: u32| (strip.state(cell), strip.is_written(cell));
    let gap = if size >= 4.0 { 1.0 } else { 0.0 };
    let mut cell = 0;
    while cell < CELLS {
        let alike = looks(cell);
        let most = if gap > 0.0 || alike.0 == BlockState::Free { 1 } else { CELLS - cell };
        let len = (cell..cell + most).take_while(|&next| looks(next) == alike).count() as u32;
        let (colour, part) = look(alike.0, alike.1, palette);
        if colour != Color32::TRANSPARENT {
            let corner = place.min + vec2(cell as f32 * size, 0.0);
            let whole = Vec2::new(len as f32 * size - gap, size - gap);
            let rect =
                Rect::from_min_max(corner + part.min.to_vec2() * whole, corner + part.max.to_vec2() * whole);
            quad(mesh, rect, colour);
        }
        cell += len;
    }
}

fn state_tip(state: BlockState, is_written: bool) -> &'static str {
    match state {
        BlockState::Live if is_written => "An entity's block, written since the tick began",
        BlockState::Live => "An entity's block",
        BlockState::Free => "Nobody's; may be handed out",
        BlockState::Deferred => "Removed, and waiting for open runs",
        BlockState::Quarantined => "Removed, and held by a run that hangs",
        BlockState::NoPage => "No memory was allocated here",
    }
}

/// What the shapes mean.
fn legend(ui: &mut Ui) {
    let palette = Palette::of(ui.visuals());
    let states = [
        (BlockState::Live, false, "live"),
        (BlockState::Live, true, "written this tick"),
        (BlockState::Free, false, "free"),
        (BlockState::Deferred, false, "deferred"),
        (BlockState::Quarantined, false, "quarantined"),
        (BlockState::NoPage, false, "no page"),
    ];
    for (state, is_written, word) in states {
        let (rect, _) = ui.allocate_exact_size(Vec2::splat(11.0), Sense::hover());
        let ground = if state == BlockState::NoPage { palette.faint } else { palette.chip };
        ui.painter().rect_filled(rect, 0.0, ground);
        let (colour, part) = look(state, is_written, palette);
        let shape = Rect::from_min_max(
            rect.min + part.min.to_vec2() * rect.size(),
            rect.min + part.max.to_vec2() * rect.size(),
        );
        ui.painter().rect_filled(shape, 0.0, colour);
        ui.label(RichText::new(word).small()).on_hover_text(state_tip(state, is_written));
    }
}
