use super::*;
use crate::fixture::{self, Fixture};
use egui::Key;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use vivarium_world::{FieldValue, Target};

fn shown(fixture: Fixture) -> Harness<'static, Fixture> {
    let mut panel = InspectorPanel::default();
    fixture::harness(fixture, move |ui, view, out| panel.ui(ui, view, out))
}

fn target(component: &str, field: &str) -> Target {
    Target { component: component.to_owned(), field: field.to_owned() }
}

fn type_into(harness: &mut Harness<'static, Fixture>, name: &str, text: &str) {
    harness.get_by_label(name).click();
    harness.run();
    harness.key_press_modifiers(egui::Modifiers::COMMAND, Key::A);
    harness.run();
    harness.get_by_label(name).type_text(text);
    harness.run();
}

#[test]
fn typing_a_number_and_enter_writes_it() {
    let mut harness = shown(Fixture::paused().select(&[2]));
    type_into(&mut harness, "health.health", "72.5");
    assert!(harness.state_mut().take().is_empty(), "nothing is written while it is being typed");
    harness.key_press(Key::Enter);
    harness.run();
    let entities = vec![Ordinal(2)];
    let expected =
        Command::Set { entities, target: target("health", "health"), value: FieldValue::Float(72.5) };
    assert_eq!(harness.state_mut().take_commands(), [expected]);
}

#[test]
fn what_is_not_a_number_is_said_until_the_next_edit() {
    for text in ["abc", "1e999"] {
        let mut harness = shown(Fixture::paused().select(&[2]));
        type_into(&mut harness, "health.health", text);
        harness.key_press(Key::Enter);
        harness.run();
        assert!(harness.state_mut().take().is_empty(), "{text:?} is not written");
        harness.get_by_label("not a number");
        type_into(&mut harness, "health.health", "5");
        assert!(harness.query_by_label("not a number").is_none(), "gone while the next is typed");
        harness.key_press(Key::Enter);
        harness.run();
        assert_eq!(harness.state_mut().take_commands().len(), 1);
        assert!(harness.query_by_label("not a number").is_none());
    }
}

#[test]
fn a_field_being_edited_stops_following_the_world() {
    let mut harness = shown(Fixture::paused().select(&[2]));
    type_into(&mut harness, "health.health", "72.5");
    harness.state_mut().snapshot.details[0].components[4].values[0] = FieldValue::Float(1.0);
    harness.run();
    assert_eq!(harness.get_by_label("health.health").value(), Some("72.5".to_owned()));
    harness.key_press(Key::Escape);
    harness.run();
    assert!(harness.state_mut().take().is_empty(), "Escape writes nothing");
    assert_eq!(harness.get_by_label("health.health").value(), Some("1.0".to_owned()));
}

#[test]
fn an_edit_goes_to_the_whole_selection() {
    let mut harness = shown(Fixture::paused().select(&[3, 2]));
    harness.get_by_label("2 selected; edits go to all");
    harness.get_by_label("health.mortal").click();
    harness.run();
    let entities = vec![Ordinal(2), Ordinal(3)];
    let expected =
        Command::Set { entities, target: target("health", "mortal"), value: FieldValue::Bool(false) };
    assert_eq!(harness.state_mut().take_commands(), [expected]);
}

#[test]
fn a_change_gives_each_selected_entity_its_own_value() {
    let mut fixture = Fixture::paused().select(&[3, 2]);
    let mut other = fixture::guardian();
    other.ordinal = Ordinal(3);
    other.components[4].values[0] = FieldValue::Float(10.0);
    fixture.snapshot.details.push(other);
    let mut harness = shown(fixture);
    harness.get_by_label("mixed 10 … 60");
    type_into(&mut harness, "health.health", "*= 1.5");
    harness.key_press(Key::Enter);
    harness.run();
    let set = |ordinal, health| Command::Set {
        entities: vec![Ordinal(ordinal)],
        target: target("health", "health"),
        value: FieldValue::Float(health),
    };
    assert_eq!(harness.state_mut().take_commands(), [set(2, 90.0), set(3, 15.0)]);
}

#[test]
fn a_change_is_refused_where_not_all_values_are_known() {
    let mut harness = shown(Fixture::paused().select(&[3, 2]));
    type_into(&mut harness, "health.health", "*= 1.5");
    harness.key_press(Key::Enter);
    harness.run();
    assert!(harness.state_mut().take_commands().is_empty());
    harness.get_by_label_contains("Too many are selected");
}

#[test]
fn a_watched_field_is_drawn_over_time() {
    let mut harness = shown(Fixture::paused().select(&[2]));
    harness.get_by_label("• health").click_secondary();
    harness.run();
    harness.get_by_label("Watch").click();
    harness.run();
    harness.get_by_label("History").click();
    harness.run();
    harness.get_by_label("guardian 42v1 health.health");
    harness.get_by_label("60");
    harness.get_by_label("Forget guardian 42v1 health.health").click();
    harness.run();
    harness.get_by_label_contains("Nothing is watched");
}

#[test]
fn a_field_becomes_a_column_of_the_list() {
    let mut harness = shown(Fixture::paused().select(&[2]));
    harness.get_by_label("radius").click_secondary();
    harness.run();
    harness.get_by_label("Show as column").click();
    harness.run();
    assert_eq!(harness.state_mut().take(), [Request::Column("body.radius".to_owned())]);
}

#[test]
fn a_value_unlike_its_template_can_be_reset() {
    let mut harness = shown(Fixture::paused().select(&[2]));
    assert!(harness.query_by_label_contains("Reset body").is_none());
    harness.get_by_label("Reset health.health to 100").click();
    harness.run();
    let set = Command::Set {
        entities: vec![Ordinal(2)],
        target: target("health", "health"),
        value: FieldValue::Float(100.0),
    };
    assert_eq!(harness.state_mut().take_commands(), [set]);
}

#[test]
fn a_text_is_written_on_enter() {
    let mut harness = shown(Fixture::paused().select(&[2]));
    type_into(&mut harness, "label.text", "Eve");
    harness.key_press(Key::Enter);
    harness.run();
    let value = FieldValue::Text("Eve".to_owned());
    let expected = Command::Set { entities: vec![Ordinal(2)], target: target("label", "text"), value };
    assert_eq!(harness.state_mut().take_commands(), [expected]);
}

#[test]
fn angles_are_in_degrees_and_units_are_shown() {
    let harness = shown(Fixture::paused().select(&[2]));
    harness.get_by_label("transform.angle");
    assert!(harness.query_by_value("90°").is_some() || harness.query_by_label("90°").is_some());
    assert!(harness.query_by_value("10.5 px").is_some() || harness.query_by_label("10.5 px").is_some());
}

#[test]
fn a_link_leads_to_the_entity_a_field_points_to() {
    let mut harness = shown(Fixture::paused().select(&[2]));
    harness.get_by_label("guardian 43v1").click();
    harness.run();
    assert_eq!(harness.state_mut().take(), [Select::Only(Ordinal(3)).into()]);
}

#[test]
fn a_filter_leaves_what_has_the_name() {
    let mut harness = shown(Fixture::paused().select(&[2]));
    harness.get_by_label("Filter components and fields").focus();
    harness.run();
    harness.get_by_label("Filter components and fields").type_text("radius");
    harness.run();
    harness.get_by_label("body.radius");
    assert!(harness.query_by_label("body.colour").is_none());
    assert!(harness.query_by_label("health").is_none());
}

#[test]
fn a_component_is_added_and_removed() {
    let mut harness = shown(Fixture::paused().select(&[2]));
    harness.get_by_label("Add component").click();
    harness.run();
    harness.get_by_label("frozen").click();
    harness.run();
    let add = Command::Add { entity: Ordinal(2), component: "frozen".to_owned() };
    assert_eq!(harness.state_mut().take_commands(), [add]);
    harness.get_by_label("Menu of velocity").click();
    harness.run();
    harness.get_by_label("Remove component").click();
    harness.run();
    let drop = Command::Drop { entity: Ordinal(2), component: "velocity".to_owned() };
    assert_eq!(harness.state_mut().take_commands(), [drop]);
}

#[test]
fn the_raw_tab_shows_bytes_beside_fields() {
    let mut harness = shown(Fixture::paused().select(&[2]));
    harness.get_by_label("Raw").click();
    harness.run();
    harness.get_by_label("00 00 28 41");
    harness.get_by_label("10.5");
    harness.get_by_label("12 B · row 70 = page 1, cell 6 · live · tick 1,204");
}

#[test]
fn the_systems_tab_says_who_touches_what() {
    let mut panel = InspectorPanel { tab: Tab::Systems, ..InspectorPanel::default() };
    let mut wanted = ViewRequest::default();
    let fixture = Fixture::paused().select(&[2]);
    panel.request(&fixture.view(), &mut wanted);
    assert!(wanted.systems);
    assert_eq!(wanted.details, [Ordinal(2)]);
    let mut harness = fixture::harness(fixture, move |ui, view, out| panel.ui(ui, view, out));
    harness.get_by_label("bounce").click();
    harness.run();
    let expected = [Select::System(Some(fixture::BOUNCE)).into(), Request::ShowPanel(PanelId::Schedule)];
    assert_eq!(harness.state_mut().take(), expected);
}

#[test]
fn an_entity_that_is_gone_is_said_to_be() {
    let harness = shown(Fixture::paused().select(&[77]));
    harness.get_by_label("#77 is gone, or was not read yet");
}
