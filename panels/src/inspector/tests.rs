use super::*;
use crate::fixture::{self, BODY, FOLLOW, Fixture, HEALTH};
use crate::{PanelId, Select};
use egui::Key;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use vivarium_world::inspect::{
    CandidatesView, EntityName, ReferencesView, SelectedComponent, SelectedView, Spread,
};
use vivarium_world::{Command, FieldValue, Operator, Target};

fn shown(fixture: Fixture) -> Harness<'static, Fixture> {
    let mut panel = InspectorPanel::default();
    fixture::harness(fixture, move |ui, view, out| panel.ui(ui, view, out))
}

fn target(component: &str, field: &str) -> Target {
    Target { component: component.to_owned(), field: field.to_owned() }
}

/// Two guardians selected whose health is not the same.
fn several() -> Fixture {
    let mut fixture = Fixture::paused().select(&[3, 2]);
    let part = |component, having, lacking: &[u64], spread: Spread| SelectedComponent {
        component,
        having,
        lacking: lacking.iter().map(|&n| Ordinal(n)).collect(),
        fields: vec![spread],
    };
    fixture.snapshot.selected = Some(SelectedView {
        entities: 2,
        components: vec![
            part(BODY, 1, &[3], Spread::Same(FieldValue::Float(8.0))),
            part(HEALTH, 2, &[], Spread::Mixed(Some((10.0, 60.0)))),
        ],
    });
    fixture
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
fn a_change_of_several_is_one_command_that_gives_each_its_own_value() {
    let mut harness = shown(several());
    harness.get_by_label("mixed 10 … 60");
    harness.get_by_label("1 of 2 have it");
    type_into(&mut harness, "health.health", "*= 1.5");
    harness.key_press(Key::Enter);
    harness.run();
    let change = Command::Change {
        entities: vec![Ordinal(2), Ordinal(3)],
        target: target("health", "health"),
        operator: Operator::Multiply,
        operand: 1.5,
    };
    assert_eq!(harness.state_mut().take_commands(), [change]);
}

#[test]
fn a_component_is_removed_from_those_that_have_it() {
    let mut harness = shown(several());
    let drop = |entity| Command::Drop { entity: Ordinal(entity), component: "body".to_owned() };
    harness.get_by_label("Menu of body").click();
    harness.run();
    harness.get_by_label("Remove component").click();
    harness.run();
    assert_eq!(harness.state_mut().take_commands(), [drop(2)]);
}

#[test]
fn what_several_have_in_common_is_asked_for_while_it_is_shown() {
    let mut panel = InspectorPanel::default();
    let fixture = several();
    let asked = |panel: &InspectorPanel| {
        let mut wanted = ViewRequest::default();
        panel.request(&fixture.view(), &mut wanted);
        wanted
    };
    let wanted = asked(&panel);
    assert_eq!((wanted.details, wanted.selected), (vec![Ordinal(2)], vec![Ordinal(2), Ordinal(3)]));
    panel.sheet.tab = Tab::References;
    let wanted = asked(&panel);
    assert_eq!((wanted.references, wanted.selected), (vec![Ordinal(2)], vec![]));
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
fn what_the_class_forbids_stands_below_with_the_reason() {
    let mut fixture = Fixture::paused().select(&[2]);
    let detail = &mut fixture.snapshot.details[0];
    detail.class = "prop".into();
    detail.components.retain(|state| state.component != BODY && state.component != HEALTH);
    let mut harness = shown(fixture);
    harness.get_by_label("Add component").click();
    harness.run();
    let reasons = harness.query_all_by_label("class prop does not permit it").count();
    assert_eq!(reasons, 2, "health and frozen");
    harness.get_by_label("health").click();
    harness.run();
    assert!(harness.state_mut().take_commands().is_empty());
}

#[test]
fn the_values_of_a_component_are_copied_and_pasted_as_one_step() {
    let mut harness = shown(Fixture::paused().select(&[2]));
    harness.get_by_label("Menu of velocity").click();
    harness.run();
    harness.get_by_label("Copy").click();
    let copied = (0..3).find_map(|_| {
        harness.step();
        harness.output().platform_output.commands.iter().find_map(|command| match command {
            egui::OutputCommand::CopyText(text) => Some(text.clone()),
            _ => None,
        })
    });
    assert_eq!(copied.unwrap(), r#"{"velocity":{"x":1.0,"y":-2.0}}"#);
    harness.get_by_label("Menu of velocity").click();
    harness.run();
    harness.get_by_label("Paste").click();
    harness.run();
    let set = |field: &str, value| Command::Set {
        entities: vec![Ordinal(2)],
        target: target("velocity", field),
        value: FieldValue::Float(value),
    };
    let commands = vec![set("x", 1.0), set("y", -2.0)];
    assert_eq!(harness.state_mut().take_commands(), [Command::All { commands }]);
}

#[test]
fn values_unlike_the_template_are_reset_or_promoted() {
    let mut harness = shown(Fixture::paused().select(&[2]));
    for entry in ["Reset to template", "Promote to template"] {
        harness.get_by_label("Menu of health").click();
        harness.run();
        harness.get_by_label(entry).click();
        harness.run();
    }
    let set = Command::Set {
        entities: vec![Ordinal(2)],
        target: target("health", "health"),
        value: FieldValue::Float(100.0),
    };
    let promote = Command::Promote { entity: Ordinal(2), keys: vec!["health".to_owned()] };
    assert_eq!(harness.state_mut().take_commands(), [set, promote]);
}

#[test]
fn a_component_is_plotted_from_its_menu() {
    let mut harness = shown(Fixture::paused().select(&[2]));
    harness.get_by_label("Menu of velocity").click();
    harness.run();
    harness.get_by_label("Plot").click();
    harness.run();
    harness.get_by_label("guardian 42v1 velocity.x");
    harness.get_by_label("guardian 42v1 velocity.y");
}

#[test]
fn a_pinned_entity_stays_in_sight_whatever_is_selected() {
    let mut fixture = Fixture::paused().select(&[2]);
    let mut other = fixture::guardian();
    (other.ordinal, other.id) = (Ordinal(3), fixture::id(3));
    fixture.snapshot.details.push(other);
    let panel = std::rc::Rc::new(std::cell::RefCell::new(InspectorPanel::default()));
    let drawn = panel.clone();
    let mut harness = fixture::harness(fixture, move |ui, view, out| drawn.borrow_mut().ui(ui, view, out));
    harness.get_by_label("Pin").click();
    harness.run();
    harness.state_mut().selection = harness.state().selection.after(&Select::Only(Ordinal(3)));
    harness.run();
    harness.get_by_label("Pinned");
    assert_eq!(harness.query_all_by_label("guardian 42v1").count(), 1);
    let mut wanted = ViewRequest::default();
    panel.borrow().request(&harness.state().view(), &mut wanted);
    assert_eq!(wanted.details, [Ordinal(2), Ordinal(3)]);
    assert_eq!(harness.query_all_by_label("Kill").count(), 2);
    harness.get_all_by_label("Kill").next().unwrap().click();
    harness.run();
    let kill = Command::Kill { entities: vec![Ordinal(2)] };
    assert_eq!(harness.state_mut().take_commands(), [kill], "an edit of the pinned one reaches it alone");
    harness.get_by_label("Unpin").click();
    harness.run();
    assert!(harness.query_by_label("Unpin").is_none());
}

#[test]
fn who_points_to_the_entity_is_listed_with_component_and_field() {
    let mut fixture = Fixture::paused().select(&[2]);
    fixture.snapshot.references =
        vec![ReferencesView { to: Ordinal(2), list: vec![fixture::reference(3, FOLLOW, None)], total: 1 }];
    let mut harness = shown(fixture);
    harness.get_by_label("References").click();
    harness.run();
    harness.get_by_label("1 field points to this entity");
    harness.get_by_label("follow.target");
    harness.get_by_label("guardian 43v1").click();
    harness.run();
    assert_eq!(harness.state_mut().take(), [Select::Only(Ordinal(3)).into()]);
}

#[test]
fn an_entity_to_point_to_is_searched_for() {
    let panel = std::rc::Rc::new(std::cell::RefCell::new(InspectorPanel::default()));
    let drawn = panel.clone();
    let show = move |ui: &mut Ui, view: &View<'_>, out: &mut Requests| drawn.borrow_mut().ui(ui, view, out);
    let mut harness = fixture::harness(Fixture::paused().select(&[2]), show);
    let asked = |harness: &Harness<'static, Fixture>| {
        let mut wanted = ViewRequest::default();
        panel.borrow().request(&harness.state().view(), &mut wanted);
        wanted.candidates
    };
    assert_eq!(asked(&harness), None);
    harness.get_by_label("Choose follow.target").click();
    harness.run();
    harness.get_by_label("Search for follow.target").type_text("grass");
    harness.run();
    assert_eq!(asked(&harness), Some("grass".to_owned()));
    let name = EntityName { ordinal: Ordinal(1), id: fixture::id(1), type_name: "grass".into() };
    harness.state_mut().snapshot.candidates =
        Some(CandidatesView { text: "grass".to_owned(), matching: 7, fault: None, list: vec![name] });
    harness.run();
    harness.get_by_label("6 more match");
    harness.get_by_label("grass 41v1").click();
    harness.run();
    let set = Command::Set {
        entities: vec![Ordinal(2)],
        target: target("follow", "target"),
        value: FieldValue::Entity(Some(Ordinal(1))),
    };
    assert_eq!(harness.state_mut().take_commands(), [set]);
    assert_eq!(asked(&harness), None, "nobody searches any more");
}

#[test]
fn the_template_is_a_link() {
    let mut harness = shown(Fixture::paused().select(&[2]));
    harness.get_by_label("Template").click();
    harness.run();
    assert_eq!(harness.state_mut().take(), [Request::Template("guardian".to_owned())]);
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
    let mut panel = InspectorPanel::default();
    panel.sheet.tab = Tab::Systems;
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
