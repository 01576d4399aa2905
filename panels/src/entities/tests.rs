use super::*;
use crate::fixture::{self, Fixture};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use std::cell::RefCell;
use std::rc::Rc;
use vivarium_world::Ordinal;
use vivarium_world::inspect::{EntityGroup, SortBy};

/// A panel in a window, and the panel itself to ask what it wants.
fn shown(fixture: Fixture) -> (Harness<'static, Fixture>, Rc<RefCell<EntitiesPanel>>) {
    let panel = Rc::new(RefCell::new(EntitiesPanel::default()));
    let drawn = panel.clone();
    let harness = fixture::harness(fixture, move |ui, view, out| drawn.borrow_mut().ui(ui, view, out));
    (harness, panel)
}

fn wanted(panel: &RefCell<EntitiesPanel>, harness: &Harness<'static, Fixture>) -> EntitiesRequest {
    let mut wanted = ViewRequest::default();
    panel.borrow().request(&harness.state().view(), &mut wanted);
    wanted.entities.unwrap()
}

#[test]
fn a_click_selects_with_ctrl_it_toggles_with_shift_it_takes_the_stretch() {
    let (mut harness, _) = shown(Fixture::paused());
    harness.get_by_label("41v1").click();
    harness.run();
    assert_eq!(harness.state_mut().take(), [Select::Only(Ordinal(1)).into()]);
    harness.get_by_label("42v1").click_modifiers(Modifiers::COMMAND);
    harness.run();
    assert_eq!(harness.state_mut().take(), [Select::Toggle(Ordinal(2)).into()]);
    harness.get_by_label("40v1").click_modifiers(Modifiers::SHIFT);
    harness.run();
    let stretch = vec![Ordinal(2), Ordinal(1), Ordinal(0)];
    assert_eq!(harness.state_mut().take(), [Select::Set(stretch).into()]);
}

#[test]
fn only_rows_in_sight_are_asked_for() {
    let mut fixture = Fixture::paused();
    let page = fixture.snapshot.entities.as_mut().unwrap();
    (page.matching, page.listed, page.total) = (1_000_000, 1_000_000, 1_000_000);
    let (harness, panel) = shown(fixture);
    let asked = wanted(&panel, &harness);
    assert_eq!(asked.first, 0);
    assert!((30..300).contains(&asked.count), "{}", asked.count);
    assert!(harness.query_all_by_label("…").count() > 10, "rows not there yet have placeholders");
    harness.get_by_label("1,000,000 · 3.0 ms");
}

#[test]
fn the_end_of_a_long_list_is_fetched_and_then_selected() {
    let mut fixture = Fixture::paused();
    let page = fixture.snapshot.entities.as_mut().unwrap();
    (page.matching, page.listed, page.total) = (1_000_000, 1_000_000, 1_000_000);
    let (mut harness, panel) = shown(fixture);
    harness.get_by_label("41v1").click();
    harness.run();
    harness.state_mut().take();
    harness.key_press(Key::End);
    harness.run();
    assert!(harness.state_mut().take().is_empty(), "the row has not come yet");
    let asked = wanted(&panel, &harness);
    assert_eq!((asked.first, asked.count), (999_999, 1));
    harness.state_mut().snapshot.entities.as_mut().unwrap().first = 999_996;
    harness.run();
    assert_eq!(harness.state_mut().take(), [Select::Only(Ordinal(3)).into()]);
    assert!(panel.borrow().sight.end == 1_000_000, "{:?}", panel.borrow().sight);
    harness.get_by_label("43v1");
}

#[test]
fn the_end_of_the_list_is_in_sight_in_a_low_panel() {
    let mut fixture = Fixture::paused();
    let page = fixture.snapshot.entities.as_mut().unwrap();
    (page.matching, page.listed, page.total, page.first) = (40, 40, 40, 36);
    let mut panel = EntitiesPanel::default();
    let show = move |ui: &mut Ui, view: &View<'_>, out: &mut Requests| panel.ui(ui, view, out);
    let mut harness = fixture::harness_of_size([900.0, 140.0], fixture, show);
    harness.get_by_label("Entity list, 40 rows").focus();
    harness.run();
    harness.key_press(Key::End);
    harness.run();
    let last = harness.get_by_label("43v1").rect();
    let list = harness.get_by_label("Entity list, 40 rows").rect();
    assert!(list.bottom() <= 140.0, "{list}");
    assert!(last.top() > list.top() && last.bottom() <= list.bottom(), "{last} in {list}");
}

#[test]
fn arrows_walk_the_list_and_shift_stretches() {
    let (mut harness, _) = shown(Fixture::paused());
    harness.get_by_label("40v1").click();
    harness.run();
    harness.state_mut().take();
    harness.key_press(Key::ArrowDown);
    harness.run();
    harness.run();
    assert_eq!(harness.state_mut().take(), [Select::Only(Ordinal(1)).into()]);
    harness.key_press_modifiers(Modifiers::SHIFT, Key::ArrowDown);
    harness.run();
    harness.run();
    assert_eq!(harness.state_mut().take(), [Select::Set(vec![Ordinal(1), Ordinal(2)]).into()]);
}

#[test]
fn delete_kills_and_ctrl_d_duplicates_the_selection() {
    let (mut harness, _) = shown(Fixture::paused().select(&[1]));
    harness.get_by_label("42v1").click_modifiers(Modifiers::COMMAND);
    harness.run();
    harness.state_mut().take();
    harness.key_press(Key::Delete);
    harness.run();
    let entities = vec![Ordinal(1), Ordinal(2)];
    assert_eq!(harness.state_mut().take_commands(), [Command::Kill { entities }]);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::D);
    harness.run();
    let commands = vec![Command::Duplicate { entity: Ordinal(1) }, Command::Duplicate { entity: Ordinal(2) }];
    assert_eq!(harness.state_mut().take_commands(), [Command::All { commands }]);
}

#[test]
fn the_search_is_asked_for_and_its_fault_is_told() {
    let (mut harness, panel) = shown(Fixture::paused());
    harness.get_by_label("Search entities").focus();
    harness.run();
    harness.get_by_label("Search entities").type_text("wiht:velocity");
    harness.run();
    assert_eq!(wanted(&panel, &harness).filter, "wiht:velocity");
    let page = harness.state_mut().snapshot.entities.as_mut().unwrap();
    page.fault = Some(("there is no `wiht:`; did you mean `with:`?".to_owned(), 0..4));
    page.rows.clear();
    harness.run();
    harness.get_by_label("there is no `wiht:`; did you mean `with:`?");
    assert!(harness.query_by_label("Sort by type").is_none());
}

#[test]
fn headers_sort() {
    let (mut harness, panel) = shown(Fixture::paused());
    harness.get_by_label("Sort by type").click();
    harness.run();
    assert_eq!(wanted(&panel, &harness).sort, Sort { by: SortBy::Type, descending: false });
    harness.get_by_label("Sort by type").click();
    harness.run();
    assert_eq!(wanted(&panel, &harness).sort, Sort { by: SortBy::Type, descending: true });
}

#[test]
fn a_field_becomes_a_column_with_live_values() {
    let (mut harness, panel) = shown(Fixture::paused());
    harness.get_by_label("Columns").click();
    harness.run();
    harness.get_by_label("health.health").click();
    harness.run();
    assert_eq!(wanted(&panel, &harness).fields, ["health.health"]);
    let rows = &mut harness.state_mut().snapshot.entities.as_mut().unwrap().rows;
    rows[2].fields = vec![Some(vivarium_world::FieldValue::Float(61.5))];
    harness.run();
    harness.get_by_label("61.5");
}

#[test]
fn a_template_is_spawned_from_the_menu() {
    let (mut harness, _) = shown(Fixture::paused());
    harness.get_by_label("New").click();
    harness.run();
    harness.get_by_label_contains("guardian 2").click();
    harness.run();
    assert_eq!(harness.state_mut().take_commands(), [widgets::spawn("guardian")]);
}

#[test]
fn all_matching_are_selected_at_once() {
    let (mut harness, _) = shown(Fixture::paused());
    harness.get_by_label("Select all").click();
    harness.run();
    harness.run();
    let all = (0..4).map(Ordinal).collect();
    assert_eq!(harness.state_mut().take(), [Select::Set(all).into()]);
}

/// The fixture's rows by type: two grasses, two guardians.
fn grouped(listed: [usize; 2]) -> Fixture {
    let mut fixture = Fixture::paused();
    let page = fixture.snapshot.entities.as_mut().unwrap();
    let group = |name: &str, first, listed| EntityGroup { name: name.into(), first, listed, count: 2 };
    page.groups = vec![group("grass", 0, listed[0]), group("guardian", listed[0], listed[1])];
    page.rows.drain(..2 - listed[0]);
    page.listed = listed[0] + listed[1];
    fixture
}

#[test]
fn rows_are_grouped_and_a_group_is_closed_by_a_click() {
    let (mut harness, panel) = shown(Fixture::paused());
    harness.get_by_label("Group: none").click();
    harness.run();
    harness.get_by_label("Group by type").click();
    harness.run();
    assert_eq!(wanted(&panel, &harness).group, GroupBy::Type);
    harness.state_mut().snapshot.entities = grouped([2, 2]).snapshot.entities;
    harness.run();
    harness.get_by_label("Group guardian, 2 entities");
    harness.get_by_label("Group grass, 2 entities").click();
    harness.run();
    assert_eq!(wanted(&panel, &harness).closed, ["grass"]);
    harness.state_mut().snapshot.entities = grouped([0, 2]).snapshot.entities;
    harness.run();
    harness.get_by_label("42v1").click();
    harness.run();
    assert_eq!(harness.state_mut().take(), [Select::Only(Ordinal(2)).into()]);
    harness.get_by_label("Group grass, 2 entities").click();
    harness.run();
    assert!(wanted(&panel, &harness).closed.is_empty());
}

#[test]
fn rows_of_selected_entities_stay_when_they_are_gone() {
    let mut fixture = Fixture::paused().select(&[1, 2]);
    let page = fixture.snapshot.entities.as_mut().unwrap();
    (page.rows[1].gone, page.matching, page.total) = (true, 3, 3);
    let (harness, panel) = shown(fixture);
    assert_eq!(wanted(&panel, &harness).keep, [Ordinal(1), Ordinal(2)]);
    harness.get_by_label("grass 41v1, gone");
    harness.get_by_label("3 · 3.0 ms");
}

#[test]
fn rows_written_in_the_last_tick_say_so() {
    let (mut harness, panel) = shown(Fixture::paused());
    assert!(wanted(&panel, &harness).changes);
    harness.state_mut().snapshot.entities.as_mut().unwrap().rows[2].changed = true;
    harness.run();
    harness.get_by_label("guardian 42v1, changed this tick");
    assert!(panel.borrow().fading.of(Ordinal(2)) > 0.9);
}

#[test]
fn the_whole_header_of_a_column_sorts_by_it() {
    let (mut harness, panel) = shown(Fixture::paused());
    let cell = harness.get_by_label("Sort by id").rect();
    assert!(cell.width() > 40.0 && cell.height() > 15.0, "{cell}");
    let end = cell.right_center() - egui::vec2(6.0, 0.0);
    for _ in 0..2 {
        harness.hover_at(end);
        harness.event(egui::Event::PointerButton {
            pos: end,
            button: egui::PointerButton::Primary,
            pressed: true,
            modifiers: Modifiers::NONE,
        });
        harness.event(egui::Event::PointerButton {
            pos: end,
            button: egui::PointerButton::Primary,
            pressed: false,
            modifiers: Modifiers::NONE,
        });
        harness.run();
    }
    assert_eq!(wanted(&panel, &harness).sort, Sort { by: SortBy::Id, descending: true });
}

#[test]
fn ids_of_seven_digits_are_not_cut() {
    let mut fixture = Fixture::paused();
    let rows = &mut fixture.snapshot.entities.as_mut().unwrap().rows;
    rows[0].id = vivarium_world::EntityId::from_bits(123 << 32 | 9_999_999).unwrap();
    let (harness, _) = shown(fixture);
    let id = harness.get_by_label("9999999v123").rect();
    let cell = harness.get_by_label("Sort by id").rect();
    assert!(id.width() <= cell.width(), "{id} in {cell}");
}

#[test]
fn what_could_follow_is_offered_and_tab_takes_it() {
    let (mut harness, panel) = shown(Fixture::paused());
    harness.get_by_label("Search entities").focus();
    harness.run();
    harness.get_by_label("Search entities").type_text("with:velo");
    harness.run();
    harness.get_by_label("velocity");
    harness.key_press(Key::Tab);
    harness.run();
    assert_eq!(wanted(&panel, &harness).filter, "with:velocity");
    assert!(harness.query_by_label("velocity").is_none(), "the list is closed");
    harness.get_by_label("Search entities").type_text(" or ");
    harness.run();
    harness.key_press(Key::Escape);
    harness.run();
    assert!(harness.query_by_label_contains("Tab takes").is_none());
}

#[test]
fn a_candidate_is_taken_by_a_click() {
    let (mut harness, panel) = shown(Fixture::paused());
    harness.get_by_label("Search entities").focus();
    harness.run();
    harness.get_by_label("Search entities").type_text("class:ac");
    harness.run();
    // Rows of the list have the class too, as labels.
    harness.get_by_role_and_label(Role::Button, "actor").click();
    harness.run();
    assert_eq!(wanted(&panel, &harness).filter, "class:actor");
}

#[test]
fn a_field_dragged_from_the_inspector_becomes_a_column() {
    let (mut harness, panel) = shown(Fixture::paused());
    egui::DragAndDrop::set_payload(&harness.ctx, widgets::DraggedField("body.radius".to_owned()));
    let to = harness.get_by_label("Sort by type").rect().center();
    harness.drag_at(to);
    harness.step();
    egui::DragAndDrop::set_payload(&harness.ctx, widgets::DraggedField("body.radius".to_owned()));
    harness.drop_at(to);
    harness.run();
    assert_eq!(wanted(&panel, &harness).fields, ["body.radius"]);
    harness.get_by_label("Sort by body.radius").click_secondary();
    harness.run();
    harness.get_by_label("Remove column").click();
    harness.run();
    assert!(wanted(&panel, &harness).fields.is_empty());
}
