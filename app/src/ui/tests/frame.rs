//! The frame: menus, keys, panels, dialogs, themes.

use super::*;

#[test]
fn a_menu_line_becomes_a_command() {
    let mut window = Window::paused();
    window.menu("Run", "Step ten times");
    assert_eq!(window.commands(), [Command::Step { steps: 10 }]);
    window.menu("Run", "As fast as it goes");
    assert_eq!(window.commands(), [Command::Speed { factor: None }]);
    window.menu("Run", "Compact memory");
    assert_eq!(window.commands(), [Command::Compact]);
}

#[test]
fn keys_run_pause_and_step() {
    let mut window = Window::paused();
    window.press(NONE, egui::Key::Space);
    assert_eq!(window.commands(), [Command::Run]);
    window.snapshot.borrow_mut().status.run_state = RunState::Running;
    window.press(NONE, egui::Key::Space);
    assert_eq!(window.commands(), [Command::Pause]);
    window.press(NONE, egui::Key::F10);
    assert_eq!(window.commands(), [], "a running world is not stepped");
    window.snapshot.borrow_mut().status.run_state = RunState::Paused;
    window.press(NONE, egui::Key::Period);
    assert_eq!(window.commands(), [Command::Step { steps: 1 }]);
}

#[test]
fn space_presses_a_button_reached_by_tab_but_not_one_that_was_clicked() {
    let mut window = Window::paused();
    window.click("Step N");
    window.commands();
    window.press(NONE, egui::Key::Space);
    assert_eq!(window.commands(), [Command::Run]);
    let step = window.harness.query_all_by_label("Step").next().expect("the button");
    step.focus();
    window.press(NONE, egui::Key::Tab);
    window.press(egui::Modifiers::SHIFT, egui::Key::Tab);
    window.press(NONE, egui::Key::Space);
    assert_eq!(window.commands(), [Command::Step { steps: 1 }]);
}

#[test]
fn panels_close_and_open_from_the_menu_by_key_and_by_reset() {
    let mut window = Window::paused();
    let open = |window: &Window, panel| window.harness.state().settings.layout.visible().contains(&panel);
    assert!(open(&window, PanelId::World));
    window.menu("View", "Log");
    assert!(!open(&window, PanelId::Log));
    window.press(CTRL, PanelId::Log.key().logical_key);
    assert!(open(&window, PanelId::Log));
    window.press(CTRL, PanelId::Memory.key().logical_key);
    assert!(open(&window, PanelId::Memory) && !open(&window, PanelId::World));
    window.menu("View", "Inspector");
    window.menu("View", "Reset layout");
    assert_eq!(window.harness.state().settings.layout.visible(), Layout::default().visible());
}

#[test]
fn only_panels_that_can_be_seen_ask_for_data() {
    let mut window = Window::paused();
    let view = window.last_view();
    assert!(view.entities.is_some() && view.shapes.is_some());
    assert!(!view.timing && !view.memory && !view.deferred);
    window.press(CTRL, PanelId::Memory.key().logical_key);
    let view = window.last_view();
    assert!(view.memory && view.systems, "it says how long the stretches are that systems meet");
    assert!(!view.schedule && !view.deferred && view.journal.is_none());
    assert!(view.shapes.is_none(), "the world is behind the memory panel");
    window.press(CTRL, PanelId::Deferred.key().logical_key);
    let view = window.last_view();
    assert!(view.deferred && view.systems, "it names the systems that asked");
    let asked = window.record.borrow().views.len();
    window.steps();
    assert_eq!(window.record.borrow().views.len(), asked, "nothing changed, so nothing is asked again");
}

#[test]
fn an_error_is_a_toast_and_a_line_of_the_log() {
    let mut window = Window::paused();
    window.harness.state_mut().request(Command::Hash.into());
    window.answer(Err("entity #3 is gone; select another".into()));
    assert!(window.has("Error"));
    assert!(window.has_text("entity #3 is gone; select another"));
    window.harness.run_steps(60);
    assert!(!window.has("Error"), "the toast has gone");
    assert!(window.harness.state().log.iter().any(|line| line.level == LogLevel::Error));
    assert!(window.has_text("entity #3 is gone; select another"), "the log panel still shows it");
}

#[test]
fn a_host_that_ended_is_told_once() {
    let mut window = Window::paused();
    window.record.borrow_mut().has_ended = true;
    window.steps();
    assert!(window.has_text("the thread of the world ended"));
    let errors = window.harness.state().log.iter().filter(|line| line.level == LogLevel::Error);
    assert_eq!(errors.count(), 1);
}

#[test]
fn the_empty_window_offers_samples_and_recent_files() {
    let mut window = Window::new(Status::default(), Choice::Cancelled);
    assert!(window.has("Samples"));
    window.click("flock");
    window.wait("the sample", |window| !window.record.borrow().commands.is_empty());
    let Some(Command::Load { source, text, keep_running, .. }) =
        window.record.borrow().commands.last().cloned()
    else {
        panic!("no load")
    };
    assert_eq!((source.as_str(), text.as_str(), keep_running), ("flock", SAMPLE.text, false));
    assert!(window.last_view().entities.is_none(), "there is nothing to ask for yet");
}

#[test]
fn a_scene_that_cannot_be_opened_first_leaves_its_error_in_sight() {
    let mut window = Window::new(Status::default(), Choice::Cancelled);
    window.harness.state_mut().request(Request::OpenPath("/nowhere/none.json".into()));
    window.wait("the error", |window| window.has("Error"));
    window.harness.run_steps(60);
    assert!(!window.has("Error"), "the message has gone");
    assert!(window.has_text("/nowhere/none.json"));
}

#[test]
fn when_all_panels_are_closed_the_window_says_how_to_open_them() {
    let mut window = Window::paused();
    for panel in PanelId::ALL {
        window.harness.state_mut().settings.layout.set_open(panel, false);
    }
    window.steps();
    window.click("Open them as at first");
    assert_eq!(window.harness.state().settings.layout.visible(), Layout::default().visible());
}

#[test]
fn the_palette_finds_a_command_by_letters_and_does_it() {
    let mut window = Window::paused();
    window.press(CTRL, egui::Key::K);
    assert!(window.harness.state().palette.is_open());
    window.harness.event(egui::Event::Text("log the state".into()));
    window.steps();
    window.press(NONE, egui::Key::Enter);
    assert_eq!(window.commands(), [Command::Hash]);
    assert!(!window.harness.state().palette.is_open());
    window.press(CTRL, egui::Key::P);
    window.press(NONE, egui::Key::Escape);
    assert!(!window.harness.state().palette.is_open());
}

#[test]
fn the_keys_window_lists_the_table() {
    let mut window = Window::paused();
    window.press(NONE, egui::Key::F1);
    assert!(window.has("Ctrl+S") && window.has("Run or pause"));
    window.press(NONE, egui::Key::F1);
    assert!(!window.has("Ctrl+Shift+S"));
    window.press(NONE, egui::Key::F1);
    window.press(NONE, egui::Key::Escape);
    assert!(!window.has("Ctrl+Shift+S"));
}

#[test]
fn a_picture_is_taken_without_a_window_once_the_data_is_there() {
    let mut window = Window::paused();
    let inspector = window.harness.state_mut();
    inspector.show_only(PanelId::Memory);
    let memory = inspector.picture([640, 400], 1.0);
    assert_eq!(memory.dimensions(), (640, 400));
    assert_eq!(inspector.picture([640, 400], 1.0), memory, "the same again");
    inspector.show_only(PanelId::Log);
    assert_ne!(inspector.picture([640, 400], 1.0), memory);
    assert!(window.last_view() == ViewRequest::default(), "the log needs nothing of the host");
}

#[test]
fn themes_are_switched_and_both_paint() {
    let mut window = Window::paused();
    window.snapshot.borrow_mut().entities = Some(EntityPage::default());
    window.menu("View", "Dark colours");
    let dark = window.harness.render().unwrap();
    window.menu("View", "Light colours");
    let light = window.harness.render().unwrap();
    let mean = |picture: &image::RgbaImage| {
        picture.pixels().map(|pixel| u64::from(pixel.0[0])).sum::<u64>()
            / u64::from(picture.width() * picture.height())
    };
    assert!(mean(&dark) < 80, "{}", mean(&dark));
    assert!(mean(&light) > 180, "{}", mean(&light));
}

#[test]
fn while_a_scene_is_loaded_nothing_of_the_status_bar_is_cut_off() {
    let mut status = paused();
    status.run_state = RunState::Loading { fraction: 0.069 };
    let mut window = Window::new(status, Choice::Cancelled);
    window.steps();
    let below = window.harness.ctx.content_rect().bottom();
    let cancel = window.harness.get_by_label("Cancel").rect();
    let bar = window.harness.get_by_role(egui::accesskit::Role::ProgressIndicator).rect();
    assert!(cancel.bottom() <= below && bar.bottom() <= below, "{cancel} {bar} in {below}");
    assert!(window.has_text("6.9 %") && !window.has_text("7%"), "said once, in one way");
}

#[test]
fn that_a_scene_is_loaded_is_told_when_its_picture_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("harbor.json");
    fs::write(&path, SAMPLE.text).unwrap();
    let mut window = Window::paused();
    window.harness.state_mut().request(Request::OpenPath(path));
    window.wait("the load", |window| !window.record.borrow().commands.is_empty());
    window.answer(Ok(Done::Loaded { entities: 4, notes: vec![] }));
    window.steps();
    let told = |window: &Window| window.harness.query_all_by_label_contains("loaded: ").count();
    assert_eq!(told(&window), 1, "in the log; the picture is still that of what was there before");
    {
        let mut snapshot = window.snapshot.borrow_mut();
        snapshot.sequence += 1;
        snapshot.shapes = Some(Default::default());
        snapshot.entities = Some(Default::default());
    }
    window.steps();
    assert_eq!(told(&window), 2);
}
