//! The Schedule panel by its labels.

use super::*;
use crate::fixture::{self, BOUNCE, Fixture, MOVE, VELOCITY, WATCH};
use crate::{Request, Select};
use egui::{Key, accesskit};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use vivarium_world::inspect::SystemState;
use vivarium_world::{Command, FieldValue, Ordinal};

fn shown(fixture: Fixture) -> Harness<'static, Fixture> {
    let mut panel = SystemsPanel::default();
    fixture::harness(fixture, move |ui, view, out| panel.ui(ui, view, out))
}

/// The panel with a system selected.
fn opened(system: vivarium_world::SystemId) -> Harness<'static, Fixture> {
    let mut fixture = Fixture::paused();
    fixture.selection = fixture.selection.after(&Select::System(Some(system)));
    shown(fixture)
}

fn click(harness: &mut Harness<'_, Fixture>, label: &str) {
    harness.get_by_label(label).click();
    harness.run();
}

const WAITS: &str = "`bounce` waits for `move`: both write `velocity`";

#[test]
fn a_system_is_switched_off() {
    let mut harness = shown(Fixture::paused());
    click(&mut harness, "move takes part");
    assert_eq!(harness.state_mut().take_commands(), [Command::Enable { system: MOVE, on: false }]);
}

#[test]
fn a_click_on_a_name_opens_the_system() {
    let mut harness = shown(Fixture::paused());
    click(&mut harness, "watch");
    assert_eq!(harness.state_mut().take(), [Select::System(Some(WATCH)).into()]);
    harness.get_by_label("Period of watch");
    harness.get_by_label("in batch 1");
}

#[test]
fn cards_have_the_reason_between_them_and_systems_that_run_as_one_are_said_to() {
    let harness = shown(Fixture::paused());
    let top = |label| harness.get_by_label(label).rect().top();
    assert!(top("Batch 1") < top("2 systems run as one, tile by tile"));
    assert!(top("2 systems run as one, tile by tile") < top(WAITS));
    assert!(top(WAITS) < top("Batch 2"));
    harness.get_by_label("runs as one with others, in batch 1");
    harness.get_by_label("move takes 40.0 µs on average, little of the step");
    harness.get_by_label("waiting for move");
}

#[test]
fn an_open_system_says_with_which_neighbours_it_runs_as_one() {
    let mut harness = opened(BOUNCE);
    harness.get_by_label("`move` and `bounce` run as one, tile by tile");
    harness.get_by_label("`bounce` and `watch` do not run as one: `watch` has a filter");
    let selection = harness.state().selection.after(&Select::System(Some(MOVE)));
    harness.state_mut().selection = selection;
    harness.run();
    harness.get_by_label("`move` and `bounce` run as one, tile by tile");
    assert!(harness.query_by_label_contains("`watch` has a filter").is_none());
}

#[test]
fn a_parameter_is_written_on_enter() {
    let mut harness = opened(BOUNCE);
    click(&mut harness, "bounce.damping");
    harness.key_press_modifiers(egui::Modifiers::COMMAND, Key::A);
    harness.run();
    harness.get_by_label("bounce.damping").type_text("0.5");
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    let (name, value) = ("damping".to_owned(), FieldValue::Float(0.5));
    assert_eq!(harness.state_mut().take_commands(), [Command::Param { system: BOUNCE, name, value }]);
}

#[test]
fn the_last_error_leads_to_its_entity() {
    let mut harness = opened(WATCH);
    harness.get_by_label("failed at tick 8:");
    harness.get_by_label("grass 40v1 has no health");
    let entity = harness.state().view().entity_label(Ordinal(0));
    click(&mut harness, &entity);
    assert_eq!(harness.state_mut().take(), [Select::Only(Ordinal(0)).into()]);
    harness.state_mut().snapshot.systems[2].last_error.as_mut().unwrap().entity =
        Some((fixture::id(0), None));
    harness.run();
    harness.get_by_label_contains("which is gone");
}

#[test]
fn a_cell_of_the_matrix_explains_itself_and_says_what_if_not() {
    let mut harness = shown(Fixture::paused());
    click(&mut harness, "Matrix");
    harness.get_by_label("3 systems by 3, 1 pair waits");
    assert!(harness.query_by_label_contains("waits for").is_none());
    click(&mut harness, "bounce and move: write/write");
    harness.get_by_label(WAITS);
    harness.get_by_label("If it were not so, there would be 1 batch in place of 2:");
    harness.get_by_label("Batch 1 would have 3 systems");
    harness.get_by_label("(now in 2)");
}

#[test]
fn systems_of_one_name_have_cells_of_their_own() {
    let mut fixture = Fixture::paused();
    fixture.snapshot.systems[1].name = "move".to_owned();
    let mut harness = shown(fixture);
    click(&mut harness, "Matrix");
    harness.get_by_label("2 move #1");
    click(&mut harness, "move #1 and move #0: write/write");
    harness.get_by_label_contains("If it were not so");
}

#[test]
fn a_free_cell_of_the_matrix_is_explained_too() {
    let mut harness = shown(Fixture::paused());
    click(&mut harness, "Matrix");
    let cell = harness.get_by_label("bounce and move: write/write").rect();
    // Row 3, column 1: watch and move.
    let at = cell.center() + egui::vec2(0.0, cell.height() + 2.0);
    harness.drag_at(at);
    harness.drop_at(at);
    harness.run();
    harness.get_by_label_contains("`move` and `watch` may run at once: ");
    assert!(harness.query_by_label_contains("If it were not so").is_none());
}

#[test]
fn pairs_are_a_list_too() {
    let mut harness = shown(Fixture::paused());
    click(&mut harness, "Matrix");
    click(&mut harness, "As a list");
    harness.get_by_label(WAITS);
    click(&mut harness, "What if not");
    harness.get_by_label_contains("If it were not so, there would be 1 batch");
}

#[test]
fn the_graph_shows_the_selected_system_and_its_direct_neighbours_only() {
    let mut harness = opened(MOVE);
    click(&mut harness, "Graph");
    harness.get_by_label("move waits for 0 systems and is waited for by 1 system");
    harness.get_by_label("move, idle");
    assert!(harness.query_by_label_contains("Go to watch").is_none());
    click(&mut harness, "Go to bounce, waiting for move");
    assert_eq!(harness.state_mut().take(), [Select::System(Some(BOUNCE)).into()]);
    harness.get_by_label("bounce waits for 1 system and is waited for by 0 systems");
}

#[test]
fn an_edge_of_the_graph_says_its_reason_and_leads_to_what_if() {
    let mut harness = opened(MOVE);
    click(&mut harness, "Graph");
    click(&mut harness, &format!("write/write: velocity. {WAITS}"));
    harness.get_by_label("If it were not so, there would be 1 batch in place of 2:");
}

#[test]
fn without_a_selection_the_graph_asks_for_one() {
    let mut harness = shown(Fixture::paused());
    click(&mut harness, "Graph");
    harness.get_by_label_contains("Choose a system");
    click(&mut harness, "bounce");
    assert_eq!(harness.state_mut().take()[0], Select::System(Some(BOUNCE)).into());
    harness.get_by_label("bounce, waiting for move");
}

#[test]
fn who_touches_a_component_is_marked() {
    let mut harness = shown(Fixture::paused());
    harness.get_by_role_and_label(accesskit::Role::ComboBox, "Mark who touches").click();
    harness.run();
    harness.get_by_role_and_label(accesskit::Role::Button, "body").click();
    harness.run();
    harness.get_by_label("bounce: reads");
    assert!(harness.query_by_label_contains("move: ").is_none());
}

#[test]
fn a_click_on_a_component_marks_who_touches_it_in_the_graph_too() {
    let mut harness = opened(MOVE);
    harness.get_all_by_label("velocity").next().unwrap().click();
    harness.run();
    harness.get_by_label("bounce: writes");
    click(&mut harness, "Graph");
    harness.get_by_label("move: writes, idle");
    harness.get_by_label("Go to bounce: writes, waiting for move");
}

#[test]
fn the_menu_of_a_component_leads_to_its_entities() {
    let mut harness = shown(Fixture::paused());
    harness.get_all_by_label("velocity").next().unwrap().click_secondary();
    harness.run();
    click(&mut harness, "Show entities with velocity");
    assert_eq!(harness.state_mut().take(), [Request::Filter("with:velocity".to_owned())]);
    assert_eq!(harness.state().view().component_name(VELOCITY), "velocity");
}

#[test]
fn what_a_system_is_doing_and_the_backlog_are_told() {
    let mut fixture = Fixture::paused();
    fixture.snapshot.status.backlog = 3;
    fixture.snapshot.systems[0].state = SystemState::Running { worker: Some(2) };
    fixture.snapshot.systems[0].waiting = 2;
    let harness = shown(fixture);
    harness.get_by_label("running on worker 2, backlog 2");
    harness.get_by_label("backlog 3 updates");
}

#[test]
fn in_a_narrow_panel_the_side_is_below() {
    let mut fixture = Fixture::paused();
    fixture.selection = fixture.selection.after(&Select::System(Some(MOVE)));
    let mut panel = SystemsPanel::default();
    let harness =
        fixture::harness_of_size([500.0, 600.0], fixture, move |ui, view, out| panel.ui(ui, view, out));
    let side = harness.get_by_label("Period of move").rect();
    assert!(side.top() > harness.get_by_label("Batch 1").rect().bottom());
    assert!(side.right() <= 500.0);
}

#[test]
fn without_batches_systems_are_still_listed() {
    let mut fixture = Fixture::paused();
    fixture.snapshot.schedule = None;
    let harness = shown(fixture);
    harness.get_by_label("The scene's scheduler makes no batches");
    harness.get_by_label("watch");
    harness.get_by_label("waiting for move");
}
