//! The Timing panel by its labels.

use super::*;
use crate::fixture::{self, Fixture, MOVE};
use crate::{PanelId, Request, Select};
use egui::Key;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;

fn shown() -> Harness<'static, Fixture> {
    let mut panel = TimingPanel::default();
    fixture::harness(Fixture::paused(), move |ui, view, out| panel.ui(ui, view, out))
}

const SLOW: &str = "tick 1,019: 19.0 ms, over its budget, 2 runs";

#[test]
fn the_strip_says_how_many_ticks_were_over_budget() {
    let harness = shown();
    // Of 1,000 to 1,203 those that leave 17, 18 or 19 by 20 took longer than 16 ms.
    harness.get_by_label("The last 204 ticks, 30 over budget");
}

#[test]
fn a_slow_tick_is_opened_and_let_go() {
    let mut harness = shown();
    assert!(harness.query_by_label("move: 50.0 µs from 10.0 µs").is_none());
    harness.get_by_label(SLOW).click();
    harness.run();
    harness.get_by_label("move: 50.0 µs from 10.0 µs");
    harness.get_by_label("worker 1");
    harness.get_by_label("tick 1,019 is kept");
    harness.get_by_label("Let go").click();
    harness.run();
    assert!(harness.query_by_label("move: 50.0 µs from 10.0 µs").is_none());
}

#[test]
fn a_run_of_a_tick_leads_to_its_system_in_the_lanes_and_in_their_table() {
    let mut harness = shown();
    harness.get_by_label(SLOW).click();
    harness.run();
    harness.get_by_label("move: 50.0 µs from 10.0 µs").click();
    harness.run();
    let expected = [Select::System(Some(MOVE)).into(), Request::ShowPanel(PanelId::Schedule)];
    assert_eq!(harness.state_mut().take(), expected);
    assert!(harness.query_by_label("50.0 µs").is_none());
    harness.get_by_label("2 runs as a table").click();
    harness.run();
    harness.get_by_label("50.0 µs");
    assert_eq!(harness.query_all_by_label("world thread").count(), 2, "in the lanes and in the table");
}

#[test]
fn a_click_on_the_strip_keeps_a_tick_and_freezes_the_strip() {
    let mut harness = shown();
    harness.get_by_label_contains("The last 204 ticks").click();
    harness.run();
    harness.get_by_label_contains("is kept, and the strip stands still");
    harness.state_mut().snapshot.timing.as_mut().unwrap().ticks.truncate(5);
    harness.run();
    harness.get_by_label_contains("The last 204 ticks");
    harness.get_by_label("Let go").click();
    harness.run();
    harness.get_by_label_contains("The last 5 ticks");
}

#[test]
fn what_is_kept_is_let_go_when_the_scene_begins_anew() {
    let mut harness = shown();
    harness.get_by_label_contains("The last 204 ticks").click();
    harness.run();
    harness.get_by_label_contains("is kept");
    harness.state_mut().snapshot.status.tick = 3;
    harness.run();
    assert!(harness.query_by_label_contains("is kept").is_none());
}

#[test]
fn arrow_keys_go_from_tick_to_tick() {
    let mut harness = shown();
    harness.get_by_label_contains("The last 204 ticks").focus();
    harness.run();
    for (key, tick) in [(Key::ArrowRight, "1,203"), (Key::ArrowLeft, "1,202"), (Key::ArrowLeft, "1,201")] {
        harness.key_press(key);
        harness.run();
        harness.get_by_label_contains(&format!("tick {tick} is kept"));
    }
}

#[test]
fn timings_are_reset() {
    let mut harness = shown();
    harness.get_by_label("Reset").click();
    harness.run();
    assert_eq!(harness.state_mut().take_commands(), [Command::ResetTiming]);
}

#[test]
fn a_row_leads_to_its_system() {
    let mut harness = shown();
    harness.get_by_label("move: 75 % of the time of all systems");
    harness.get_by_label("move").click();
    harness.run();
    let expected = [Select::System(Some(MOVE)).into(), Request::ShowPanel(PanelId::Schedule)];
    assert_eq!(harness.state_mut().take(), expected);
}

#[test]
fn a_row_opens_its_histogram_and_its_plot() {
    let mut harness = shown();
    harness.get_by_label("Milliseconds a tick: at most 19.0 ms in the last 204 ticks");
    harness.get_by_label("605 µs").click();
    harness.run();
    harness.get_by_label("60 samples: half at most 600 µs, 95 % at most 900 µs, 99 % at most 1.1 ms");
    harness.get_by_label("Milliseconds of move a tick: at most 50.0 µs in the last 204 ticks");
    harness.get_by_label("Histogram as a table").click();
    harness.run();
    harness.get_by_label("37");
    harness.get_by_label("605 µs").click();
    harness.run();
    assert!(harness.query_by_label_contains("60 samples").is_none());
}

#[test]
fn rows_are_sorted_by_a_click_on_a_heading() {
    let mut harness = shown();
    let below = |harness: &Harness<'_, Fixture>, one: &str, other: &str| {
        let top = |label| harness.get_by_label(label).rect().top();
        top(one) > top(other)
    };
    assert!(below(&harness, "move", "update"));
    harness.get_by_label("Sort by per entity").click();
    harness.run();
    assert!(below(&harness, "update", "move"));
    harness.get_by_label("Sort by name").click();
    harness.run();
    assert!(below(&harness, "move", "update"));
}

#[test]
fn every_row_has_a_trend_of_the_last_ticks() {
    let harness = shown();
    harness.get_by_label("move: at most 50.0 µs in the last 204 ticks");
    harness.get_by_label("update: at most 19.0 ms in the last 204 ticks");
    assert!(harness.query_by_label_contains("bounce: at most").is_none(), "it never ran in them");
}

#[test]
fn the_length_of_a_window_is_set_on_enter() {
    let mut harness = shown();
    harness.get_by_label("Length of a window").click();
    harness.run();
    harness.key_press_modifiers(egui::Modifiers::COMMAND, Key::A);
    harness.run();
    harness.get_by_label("Length of a window").type_text("250");
    harness.run();
    assert_eq!(harness.state_mut().take_commands(), []);
    harness.key_press(Key::Enter);
    harness.run();
    assert_eq!(harness.state_mut().take_commands(), [Command::TimingWindow { milliseconds: 250.0 }]);
}

#[test]
fn timings_are_exported_under_the_name_of_the_scene() {
    let mut harness = shown();
    for (title, ending, begins) in [
        ("Table as CSV…", ".csv", "name,samples,"),
        ("Everything as JSON…", ".json", "{\n"),
        ("Ticks as Chrome trace…", ".trace.json", "{"),
    ] {
        harness.get_by_label("Export").click();
        harness.run();
        harness.get_by_label(title).click();
        harness.run();
        let requests = harness.state_mut().take();
        let [Request::Export { name, text }] = requests.as_slice() else { panic!("{requests:?}") };
        assert_eq!(*name, format!("harbor-timings{ending}"));
        assert!(text.starts_with(begins), "{text}");
    }
}

#[test]
fn without_a_whole_window_the_panel_says_so() {
    let mut fixture = Fixture::paused();
    fixture.snapshot.timing.as_mut().unwrap().rows.clear();
    let mut panel = TimingPanel::default();
    let harness = fixture::harness(fixture, move |ui, view, out| panel.ui(ui, view, out));
    harness.get_by_label("No whole window yet");
}
