use super::*;
use crate::PanelId;
use crate::fixture::{self, BOUNCE, Fixture, WATCH};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use std::cell::RefCell;
use std::rc::Rc;
use vivarium_world::Ordinal;

fn shown(fixture: Fixture) -> (Harness<'static, Fixture>, Rc<RefCell<JournalPanel>>) {
    let panel = Rc::new(RefCell::new(JournalPanel::default()));
    let drawn = panel.clone();
    (fixture::harness(fixture, move |ui, view, out| drawn.borrow_mut().ui(ui, view, out)), panel)
}

fn asked(harness: &Harness<'_, Fixture>, panel: &RefCell<JournalPanel>) -> JournalRequest {
    let mut wanted = ViewRequest::default();
    panel.borrow().request(&harness.state().view(), &mut wanted);
    wanted.journal.unwrap()
}

#[test]
fn an_entry_says_what_happened_to_whom_and_who_asked_with_links() {
    let (mut harness, _) = shown(Fixture::paused());
    harness.get_by_label("health: 60 → 58");
    harness.get_by_label("winter");
    harness.get_by_label("bounce").click();
    harness.run();
    let schedule = Request::ShowPanel(PanelId::Schedule);
    assert_eq!(harness.state_mut().take(), [Select::System(Some(BOUNCE)).into(), schedule]);
    harness.get_by_label("frozen").click();
    harness.run();
    assert_eq!(harness.state_mut().take(), [Request::Filter("with:frozen".to_owned())]);
    harness.get_by_label("guardian 43v1").click();
    harness.run();
    assert_eq!(harness.state_mut().take(), [Select::Only(Ordinal(3)).into()]);
    harness.get_by_label("guardian 49v1").click();
    harness.run();
    assert!(harness.state_mut().take().is_empty(), "who is gone is no link");
}

#[test]
fn recording_is_worded_and_switched() {
    let mut fixture = Fixture::paused();
    let (mut harness, _) = shown(Fixture::paused());
    harness.get_by_label("● recording");
    harness.get_by_label("Stop").click();
    harness.run();
    assert_eq!(harness.state_mut().take_commands(), [Command::Record { on: false, keep: None }]);
    fixture.snapshot.journal = Some(JournalView { limit: 10_000, ..JournalView::default() });
    let (mut harness, _) = shown(fixture);
    harness.get_by_label("not recording");
    harness.get_by_label_contains("Press Record to see");
    harness.get_by_label("Record").click();
    harness.run();
    assert_eq!(harness.state_mut().take_commands(), [Command::Record { on: true, keep: None }]);
}

#[test]
fn kinds_askers_and_a_query_choose_what_is_asked_for_and_exported() {
    let (mut harness, panel) = shown(Fixture::paused());
    assert_eq!(asked(&harness, &panel).kinds, []);
    harness.get_by_label("Show created").click();
    harness.run();
    harness.get_by_label("Asked by").click();
    harness.run();
    harness.get_by_label("watch").click();
    harness.run();
    harness.get_by_label("Filter journal").focus();
    harness.run();
    harness.get_by_label("Filter journal").type_text("type:guardian");
    harness.run();
    let wanted = asked(&harness, &panel);
    assert_eq!((wanted.filter.as_str(), wanted.by), ("type:guardian", Some(Asker::System(WATCH))));
    assert!(!wanted.kinds.contains(&JournalKind::Created) && wanted.kinds.len() == 5);
    harness.state_mut().take();
    harness.get_by_label("Export CSV…").click();
    harness.run();
    let (filter, kinds, by) = (wanted.filter, wanted.kinds, wanted.by);
    assert_eq!(harness.state_mut().take_commands(), [Command::ExportJournal { filter, kinds, by }]);
}

#[test]
fn a_fault_of_the_filter_is_shown_in_place_of_the_rows() {
    let mut fixture = Fixture::paused();
    let journal = fixture.snapshot.journal.as_mut().unwrap();
    journal.fault = Some(("There is no component `helth`.".to_owned(), 5..10));
    let (harness, _) = shown(fixture);
    harness.get_by_label("There is no component `helth`.");
    harness.get_by_label("Show killed");
    assert!(harness.query_by_label("winter").is_none());
}

#[test]
fn a_watched_field_can_be_forgotten() {
    let (mut harness, _) = shown(Fixture::paused());
    harness.get_by_label("Forget health.health of guardian 42v1").click();
    harness.run();
    let target = Target { component: "health".into(), field: "health".into() };
    let expected = Command::Watch { entity: Ordinal(2), target, on: false };
    assert_eq!(harness.state_mut().take_commands(), [expected]);
}

#[test]
fn a_journal_can_be_cleared_unless_it_is_empty() {
    let (mut harness, _) = shown(Fixture::paused());
    harness.get_by_label("Clear").click();
    harness.run();
    assert_eq!(harness.state_mut().take_commands(), [Command::ForgetJournal]);
    harness.state_mut().snapshot.journal = Some(JournalView { limit: 10, ..JournalView::default() });
    harness.run();
    harness.get_by_label("Clear").click();
    harness.run();
    assert!(harness.state_mut().take_commands().is_empty());
}

#[test]
fn a_field_of_the_selected_entity_can_be_watched() {
    let (mut harness, _) = shown(Fixture::paused().select(&[2]));
    harness.get_by_label("Watch").click();
    harness.run();
    harness.get_by_label("velocity.x").click();
    harness.run();
    let target = Target { component: "velocity".into(), field: "x".into() };
    let expected = Command::Watch { entity: Ordinal(2), target, on: true };
    assert_eq!(harness.state_mut().take_commands(), [expected]);
}
