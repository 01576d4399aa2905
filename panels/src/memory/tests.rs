use super::pools::{Line, Order, lines, mean_chunk, waste};
use super::*;
use crate::Request;
use crate::Select;
use crate::fixture::{self, Fixture};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use std::cell::RefCell;
use std::rc::Rc;
use vivarium_world::inspect::{CellsRequest, PoolView};
use vivarium_world::{Command, Ordinal};

fn shown() -> Harness<'static, Fixture> {
    let mut panel = MemoryPanel::default();
    fixture::harness(Fixture::paused(), move |ui, view, out| panel.ui(ui, view, out))
}

#[test]
fn what_is_allocated_and_not_used_is_waste() {
    let fixture = Fixture::paused();
    let view = fixture.view();
    let lines = lines(&view, fixture.snapshot.memory.as_ref().unwrap(), Order::Registry);
    assert_eq!((lines[0].used, lines[0].waste), (48, 720));
    assert_eq!(lines[0].fill(), Some(4.0 / 64.0));
    let empty = PoolView { capacity: 0, pages: 0, bytes: 0, ..lines[0].pool.clone() };
    assert_eq!(Line { pool: &empty, ..lines[0].clone() }.fill(), None);
    assert_eq!(waste(0, 0), 0.0);
}

#[test]
fn the_greatest_come_first_in_a_chosen_order() {
    let fixture = Fixture::paused();
    let view = fixture.view();
    let order = |by| {
        let lines = lines(&view, fixture.snapshot.memory.as_ref().unwrap(), by);
        lines.into_iter().map(|line| line.name).collect::<Vec<_>>()
    };
    assert_eq!(order(Order::Registry), ["transform", "velocity", "body"]);
    assert_eq!(order(Order::Waste), ["transform", "velocity", "body"]);
    assert_eq!(order(Order::Live), ["transform", "body", "velocity"]);
}

#[test]
fn a_pool_leads_to_the_entities_that_have_it() {
    let mut harness = shown();
    harness.get_by_label("velocity: 2 of 64 live");
    harness.get_by_label("velocity").click();
    harness.run();
    assert_eq!(harness.state_mut().take(), [Request::Filter("with:velocity".to_owned())]);
}

#[test]
fn compacting_is_asked_for() {
    let mut harness = shown();
    harness.get_by_label("Compact").click();
    harness.run();
    assert_eq!(harness.state_mut().take_commands(), [Command::Compact]);
}

#[test]
fn a_tag_has_no_fill() {
    let mut fixture = Fixture::paused();
    let memory = fixture.snapshot.memory.as_mut().unwrap();
    let tag = PoolView { component: fixture::FROZEN, live: 16, capacity: 1, ..memory.pools[1].clone() };
    memory.pools.push(tag);
    let mut panel = MemoryPanel::default();
    let harness = fixture::harness(fixture, move |ui, view, out| panel.ui(ui, view, out));
    assert_eq!(harness.query_all_by_label("–").count(), 2, "nor a mean chunk");
    assert!(harness.query_by_label_contains("1600").is_none());
}

#[test]
fn tiles_keep_their_names_in_one_line_whatever_the_width() {
    for width in (200..1_000).step_by(50) {
        let mut panel = MemoryPanel::default();
        let show = move |ui: &mut Ui, view: &View<'_>, out: &mut Requests| panel.ui(ui, view, out);
        let harness = fixture::harness_of_size([width as f32, 700.0], Fixture::paused(), show);
        for name in ["used by blocks", "reserved by pools", "deferred blocks", "per entity"] {
            let rect = harness.get_by_label(name).rect();
            assert!(rect.height() < 20.0 && rect.right() <= width as f32, "{name} at {width}: {rect}");
        }
    }
}

#[test]
fn tiles_add_up() {
    let harness = shown();
    harness.get_by_label("1.8 KB");
    harness.get_by_label("3 · 40 B");
}

/// The panel under test beside its window.
fn kept(fixture: Fixture) -> (Harness<'static, Fixture>, Rc<RefCell<MemoryPanel>>) {
    let panel = Rc::new(RefCell::new(MemoryPanel::default()));
    let drawn = panel.clone();
    (fixture::harness(fixture, move |ui, view, out| drawn.borrow_mut().ui(ui, view, out)), panel)
}

fn asked(harness: &Harness<'_, Fixture>, panel: &RefCell<MemoryPanel>) -> ViewRequest {
    let mut wanted = ViewRequest::default();
    panel.borrow().request(&harness.state().view(), &mut wanted);
    wanted
}

#[test]
fn only_what_the_tab_shows_is_asked_for() {
    let (mut harness, panel) = kept(Fixture::paused());
    let pools = asked(&harness, &panel);
    assert!(pools.memory && pools.cells.is_none() && pools.heap.is_none());
    harness.get_by_label("Strings").click();
    harness.run();
    let strings = asked(&harness, &panel);
    assert!(!strings.memory && strings.cells.is_none());
    assert_eq!(strings.heap.unwrap().part, HeapPart::Strings);
    harness.get_by_label("grass");
    harness.get_by_label("1,200");
    harness.get_by_label("unused");
    harness.get_by_label("Lists").click();
    harness.run();
    assert_eq!(asked(&harness, &panel).heap.unwrap().part, HeapPart::Lists);
    harness.get_by_label("Not counted yet");
}

#[test]
fn the_mean_chunk_of_a_pool_is_that_of_the_systems_that_touch_it() {
    let mut fixture = Fixture::paused();
    // `move` and `bounce` touch the velocity.
    (fixture.snapshot.systems[0].members, fixture.snapshot.systems[0].mean_chunk) = (90, Some(30.0));
    (fixture.snapshot.systems[1].members, fixture.snapshot.systems[1].mean_chunk) = (10, Some(10.0));
    assert_eq!(mean_chunk(&fixture.view(), fixture::VELOCITY), Some(25.0));
    assert_eq!(mean_chunk(&fixture.view(), fixture::LABEL), None);
}

#[test]
fn a_pool_leads_to_its_cells_and_a_cell_to_the_raw_block() {
    let (mut harness, panel) = kept(Fixture::paused());
    harness.get_by_label("Cells of transform").click();
    harness.run();
    let CellsRequest { component, .. } = asked(&harness, &panel).cells.unwrap();
    assert_eq!(component, fixture::TRANSFORM);
    let painting = harness.get_by_label_contains("Cells of transform: 3 strips in 2 groups");
    // The second group has one strip, whose word is 1; its cell 6 is row 70.
    let rect = painting.rect();
    let geometry = geometry::Geometry::new([2, 1], 6.0, 1_000.0);
    let place = geometry.place(2).unwrap();
    let point = rect.min + egui::vec2(place.left() + 6.5 * 6.0, place.center().y);
    harness.hover_at(point);
    harness.run();
    assert_eq!(asked(&harness, &panel).cells.unwrap().at, Some(70));
    harness.drag_at(point);
    harness.run();
    harness.drop_at(point);
    harness.run();
    assert_eq!(harness.state_mut().take(), [Select::Only(Ordinal(2)).into(), Request::Raw]);
}

#[test]
fn cells_have_a_table_beside_the_painting() {
    let (mut harness, _) = kept(Fixture::paused());
    harness.get_by_label("Cells of transform").click();
    harness.run();
    harness.get_by_label("As a table").click();
    harness.run();
    harness.get_by_label("0–63");
    harness.get_by_label("64–127");
    harness.get_by_label("transform, velocity, body, health");
    assert!(harness.query_by_label_contains("3 strips in 2 groups").is_none());
}
