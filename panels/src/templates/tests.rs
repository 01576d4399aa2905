use super::*;
use crate::fixture::{self, Fixture};
use egui::Key;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use std::sync::Arc;
use vivarium_world::inspect::KeyOrigin;
use vivarium_world::{Config, Ordinal, Value};

fn shown(fixture: Fixture) -> Harness<'static, Fixture> {
    let mut panel = TemplatesPanel::default();
    fixture::harness(fixture, move |ui, view, out| panel.ui(ui, view, out))
}

fn opened(fixture: Fixture) -> Harness<'static, Fixture> {
    let mut panel = TemplatesPanel::default();
    panel.show("guardian".to_owned());
    let mut harness = fixture::harness(fixture, move |ui, view, out| panel.ui(ui, view, out));
    harness.run();
    harness
}

/// The fixture with the health of guardians edited.
fn edited() -> Fixture {
    let mut fixture = Fixture::paused();
    let guardian = &mut Arc::make_mut(&mut fixture.snapshot.catalog).templates[1];
    guardian.keys[0].origin = KeyOrigin::Edited(Some("80".to_owned()));
    guardian.removed = vec![("label".to_owned(), "\"Ida\"".to_owned())];
    fixture
}

fn change(set: &[(&str, Value<'static>)], remove: &[&str]) -> Command {
    Command::Template {
        name: "guardian".to_owned(),
        set: Config::from_iter(set.iter().map(|(key, value)| (key.to_string(), value.clone()))),
        remove: remove.iter().map(|key| key.to_string()).collect(),
    }
}

#[test]
fn instances_lead_to_the_entity_list() {
    let mut harness = shown(Fixture::paused());
    harness.get_by_label("2 instances of guardian").click();
    harness.run();
    assert_eq!(harness.state_mut().take(), [Request::Filter("type:guardian".to_owned())]);
}

#[test]
fn an_entity_of_the_type_is_spawned() {
    let mut harness = shown(Fixture::paused());
    harness.get_by_label("Spawn grass").click();
    harness.run();
    assert_eq!(harness.state_mut().take_commands(), [widgets::spawn("grass")]);
}

#[test]
fn keys_say_where_they_come_from_and_what_they_load() {
    let mut harness = shown(edited());
    assert!(harness.query_by_label("loads health").is_none());
    harness.get_by_label("Template guardian").click();
    harness.run();
    harness.get_by_label("loads health");
    harness.get_by_label("edited; the scene has 80");
    harness.get_by_label("scene file");
    assert!(harness.query_all_by_label("default of transform").count() == 3);
    harness.get_by_label("taken out; the scene has \"Ida\"");
}

#[test]
fn a_value_that_is_typed_becomes_the_templates() {
    let mut harness = opened(Fixture::paused());
    harness.get_by_label("guardian.health").click();
    harness.run();
    harness.key_press_modifiers(egui::Modifiers::COMMAND, Key::A);
    harness.run();
    harness.get_by_label("guardian.health").type_text("55.5");
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    assert_eq!(harness.state_mut().take_commands(), [change(&[("health", Value::Float(55.5))], &[])]);
}

#[test]
fn a_key_is_added_taken_out_and_put_back() {
    let mut harness = opened(edited());
    harness.get_by_label("Remove guardian.radius").click();
    harness.run();
    harness.get_by_label("Put back label").click();
    harness.run();
    harness.get_by_label("Reset guardian.health").click();
    harness.run();
    harness.get_by_label("Back to the scene's").click();
    harness.run();
    let (ida, eighty) = (Value::from("Ida"), Value::Uint(80));
    let expected = [
        change(&[], &["radius"]),
        change(&[("label", ida.clone())], &[]),
        change(&[("health", eighty.clone())], &[]),
        change(&[("health", eighty), ("label", ida)], &[]),
    ];
    assert_eq!(harness.state_mut().take_commands(), expected);
    harness.get_by_label("Add key to guardian").click();
    harness.run();
    harness.get_by_label_contains("angle loads transform").click();
    harness.run();
    assert_eq!(harness.state_mut().take_commands(), [change(&[("angle", Value::Uint(0))], &[])]);
}

#[test]
fn edited_templates_are_written_to_the_file_if_there_is_one() {
    let mut panel = TemplatesPanel::default();
    let with_file = move |ui: &mut Ui, view: &View<'_>, out: &mut Requests| {
        panel.ui(ui, &View { file: Some(std::path::Path::new("harbor.json")), ..*view }, out);
    };
    let mut harness = fixture::harness(edited(), with_file);
    harness.get_by_label("1 template edited");
    harness.get_by_label("Write all to the scene file").click();
    harness.run();
    assert_eq!(harness.state_mut().take(), [Request::WriteTemplates(vec!["guardian".to_owned()])]);
    let mut harness = opened(edited());
    harness.get_by_label("Write to the scene file").click();
    harness.run();
    assert!(harness.state_mut().take().is_empty(), "it did not come from a file");
}

#[test]
fn the_selected_entity_of_the_type_can_be_promoted() {
    let mut harness = opened(Fixture::paused().select(&[2]));
    harness.get_by_label("Promote from guardian 42v1").click();
    harness.run();
    let promote = Command::Promote { entity: Ordinal(2), keys: Vec::new() };
    assert_eq!(harness.state_mut().take_commands(), [promote]);
    let harness = opened(Fixture::paused());
    assert!(harness.query_by_label_contains("Promote from").is_none());
}
