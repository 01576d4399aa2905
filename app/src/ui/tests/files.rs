//! Files: opened, saved, closed, changed by others.

use super::*;

#[test]
fn an_opened_file_becomes_recent() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("harbor.json");
    fs::write(&path, "{}").unwrap();
    let mut window = Window::paused();
    window.load(&path);
    assert_eq!(window.harness.state().settings.recent, std::slice::from_ref(&path));
    assert_eq!(window.harness.state().documents.file(), Some(path.as_path()));
}

#[test]
fn a_load_that_fails_leaves_the_open_file_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (good, bad) = (folder.path().join("good.json"), folder.path().join("bad.json"));
    fs::write(&good, "{}").unwrap();
    fs::write(&bad, "{").unwrap();
    let mut window = Window::paused();
    window.load(&good);
    window.harness.state_mut().request(Request::OpenPath(bad));
    window.wait("the load", |window| !window.record.borrow().commands.is_empty());
    window.answer(Err("bad.json:1:2: the text ends here".into()));
    assert!(window.has_text("bad.json:1:2: the text ends here"));
    assert_eq!(window.harness.state().documents.file(), Some(good.as_path()));
}

#[test]
fn saving_writes_what_the_host_answers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("harbor.json");
    fs::write(&path, "{}").unwrap();
    let mut window = Window::paused();
    window.load(&path);
    window.press(CTRL, egui::Key::S);
    assert!(matches!(window.record.borrow().commands[..], [Command::Save { .. }]));
    window.answer(Ok(Done::Saved { text: "saved".into(), entities: 4 }));
    window.wait("the save", |window| window.has_text("saved "));
    assert_eq!(fs::read_to_string(&path).unwrap(), "saved");
}

#[test]
fn a_sample_is_saved_under_a_chosen_name() {
    let folder = tempfile::tempdir().unwrap();
    let chosen = folder.path().join("mine");
    let mut window = Window::new(paused(), Choice::File(chosen.clone()));
    window.harness.state_mut().request(Request::OpenSample("flock".into()));
    window.wait("the load", |window| !window.record.borrow().commands.is_empty());
    window.answer(Ok(Done::Loaded { entities: 1, notes: vec![] }));
    window.commands();
    window.press(CTRL, egui::Key::S);
    window.wait("the save", |window| !window.record.borrow().commands.is_empty());
    window.answer(Ok(Done::Saved { text: "mine".into(), entities: 1 }));
    let written = chosen.with_extension("json");
    window.wait("the file", |window| window.harness.state().documents.file() == Some(&written));
    assert_eq!(fs::read_to_string(&written).unwrap(), "mine");
}

#[test]
fn where_there_is_no_dialog_a_path_is_typed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("typed.json");
    fs::write(&path, "{}").unwrap();
    let mut window = Window::new(paused(), Choice::NoDialog);
    window.press(CTRL, egui::Key::O);
    assert!(window.has("Open a scene or save"));
    window.press(CTRL, egui::Key::A);
    window.harness.event(egui::Event::Text(path.display().to_string()));
    window.steps();
    window.press_in_dialog("Open");
    window.wait("the load", |window| !window.record.borrow().commands.is_empty());
    assert!(!window.has("Open a scene or save"));
    assert!(
        matches!(&window.commands()[..], [Command::Load { source, .. }] if *source == path.display().to_string())
    );
}

#[test]
fn a_save_that_is_called_off_does_not_close_the_window_later() {
    let mut window = Window::paused();
    window.set_edited(true);
    window.close();
    window.steps();
    window.press_in_dialog("Save");
    assert_eq!(window.commands(), [], "the user chose no file");
    assert!(window.harness.state().after_save.is_none());
    assert!(!window.harness.state().may_close);
}

#[test]
fn closing_with_edits_asks_and_cancel_stays() {
    let mut window = Window::paused();
    assert!(window.close(), "without edits it closes at once");
    window.set_edited(true);
    assert!(!window.close());
    window.steps();
    assert!(window.has("Unsaved edits"));
    window.press_in_dialog("Cancel");
    assert!(!window.has("Unsaved edits"));
    assert!(!window.harness.state().may_close);
}

#[test]
fn closing_with_edits_can_give_them_up() {
    let mut window = Window::paused();
    window.set_edited(true);
    window.close();
    window.steps();
    window.press_in_dialog("Don't save");
    assert!(window.close());
}

#[test]
fn closing_with_edits_can_save_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("harbor.json");
    fs::write(&path, "{}").unwrap();
    let mut window = Window::paused();
    window.load(&path);
    window.set_edited(true);
    window.close();
    window.steps();
    window.press_in_dialog("Save");
    window.answer(Ok(Done::Saved { text: "kept".into(), entities: 4 }));
    window.wait("the window to close", |window| window.harness.state().may_close);
    assert_eq!(fs::read_to_string(&path).unwrap(), "kept");
}

#[test]
fn a_save_that_is_under_way_is_finished_before_the_window_closes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("harbor.json");
    fs::write(&path, "{}").unwrap();
    let mut window = Window::paused();
    window.load(&path);
    window.press(CTRL, egui::Key::S);
    assert!(!window.close(), "the host has not answered yet");
    window.answer(Ok(Done::Saved { text: "kept".into(), entities: 4 }));
    window.wait("the window to close", |window| window.harness.state().may_close);
    assert_eq!(fs::read_to_string(&path).unwrap(), "kept");
}

#[test]
fn edits_that_could_not_be_written_are_still_unsaved() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("harbor.json");
    fs::write(&path, "{}").unwrap();
    let mut window = Window::paused();
    window.load(&path);
    window.set_edited(true);
    window.press(CTRL, egui::Key::S);
    folder.close().unwrap();
    window.answer(Ok(Done::Saved { text: "lost".into(), entities: 4 }));
    // The host counts the edits as saved once it has given them out.
    window.set_edited(false);
    window.wait("the error", |window| window.has("Error"));
    assert!(!window.close());
    window.steps();
    assert!(window.has("Unsaved edits"));
}

#[test]
fn a_question_keeps_the_keys() {
    let mut window = Window::paused();
    window.set_edited(true);
    window.close();
    window.steps();
    window.press(NONE, egui::Key::F10);
    assert_eq!(window.commands(), []);
}

#[test]
fn a_file_changed_on_disk_is_taken_at_once_without_edits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("harbor.json");
    fs::write(&path, "{}").unwrap();
    let mut window = Window::paused();
    window.load(&path);
    fs::write(&path, "{ }").unwrap();
    window.wait("the reload", |window| !window.record.borrow().commands.is_empty());
    let Some(Command::Load { text, keep_running, .. }) = window.commands().pop() else { panic!("no load") };
    assert_eq!((text.as_str(), keep_running), ("{ }", true));
}

#[test]
fn a_file_changed_on_disk_waits_for_an_answer_when_there_are_edits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("harbor.json");
    fs::write(&path, SAMPLE.text).unwrap();
    let mut window = Window::paused();
    window.load(&path);
    window.set_edited(true);
    fs::write(&path, "{ \"vivarium\": 1, \"name\": \"New\" }").unwrap();
    window.wait("the bar", |window| window.has("Take the file"));
    assert_eq!(window.commands(), []);
    assert!(window.has_text("1 value differs"));
    window.click("Diff");
    assert!(window.has_text("name: nothing -> \"New\""));
    window.click("Keep mine");
    assert!(!window.has("Take the file"));
    fs::write(&path, "{  }").unwrap();
    window.wait("the bar", |window| window.has("Take the file"));
    window.click("Take the file");
    assert!(matches!(window.commands()[..], [Command::Load { keep_running: true, .. }]));
}

#[test]
fn a_save_while_the_bar_waits_for_an_answer_asks_before_it_writes_over_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("harbor.json");
    fs::write(&path, SAMPLE.text).unwrap();
    let mut window = Window::paused();
    window.load(&path);
    window.set_edited(true);
    let theirs = "{ \"vivarium\": 1, \"name\": \"Theirs\" }";
    fs::write(&path, theirs).unwrap();
    window.wait("the bar", |window| window.has("Take the file"));
    for (answer, left) in [("Cancel", theirs), ("Save over it", "mine")] {
        window.press(CTRL, egui::Key::S);
        window.answer(Ok(Done::Saved { text: "mine".into(), entities: 4 }));
        window.commands();
        window.wait("the question", |window| window.has("Changed on disk"));
        assert_eq!(fs::read_to_string(&path).unwrap(), theirs);
        window.press_in_dialog(answer);
        window.wait("the save", |window| !window.harness.state().documents.is_busy());
        assert_eq!(fs::read_to_string(&path).unwrap(), left);
    }
    window.wait("the bar to go", |window| !window.has("Take the file"));
}

#[test]
fn a_typed_path_or_an_added_ending_replaces_a_file_only_after_asking() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flock.json");
    for choice in [Choice::NoDialog, Choice::File(path.with_extension(""))] {
        fs::write(&path, "old").unwrap();
        let mut window = Window::new(paused(), choice.clone());
        window.harness.state_mut().request(Request::OpenSample("flock".into()));
        window.wait("the load", |window| !window.record.borrow().commands.is_empty());
        window.answer(Ok(Done::Loaded { entities: 1, notes: vec![] }));
        window.commands();
        for answer in ["Cancel", "Replace"] {
            window.press(CTRL, egui::Key::S);
            if choice == Choice::NoDialog {
                window.press(CTRL, egui::Key::A);
                window.harness.event(egui::Event::Text(path.display().to_string()));
                window.steps();
                window.press_in_dialog("Save");
            }
            window.wait("the question", |window| window.has("Replace flock.json?"));
            assert_eq!(window.commands(), []);
            window.press_in_dialog(answer);
        }
        assert!(matches!(window.record.borrow().commands[..], [Command::Save { .. }]));
        window.answer(Ok(Done::Saved { text: "new".into(), entities: 1 }));
        window.wait("the file", |window| window.harness.state().documents.file() == Some(path.as_path()));
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    }
}

#[test]
fn what_a_panel_exports_goes_to_the_file_the_user_names() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("times.csv");
    fs::write(&path, "old").unwrap();
    let export = |text: &str| Request::Export { name: "times.csv".into(), text: text.into() };
    let mut window = Window::new(paused(), Choice::File(path.clone()));
    window.harness.state_mut().request(export("chosen"));
    window.wait("the file", |_| fs::read_to_string(&path).unwrap() == "chosen");
    let mut window = Window::new(paused(), Choice::NoDialog);
    for (answer, left) in [("Cancel", "chosen"), ("Replace", "typed")] {
        window.harness.state_mut().request(export("typed"));
        window.wait("the dialog", |window| window.has("Export"));
        window.press(CTRL, egui::Key::A);
        window.harness.event(egui::Event::Text(path.display().to_string()));
        window.steps();
        window.press_in_dialog("Export");
        window.wait("the question", |window| window.has("Replace times.csv?"));
        window.press_in_dialog(answer);
        window.wait("the file", |_| fs::read_to_string(&path).unwrap() == left);
    }
    assert_eq!(window.commands(), []);
}

#[test]
fn edits_that_were_all_taken_back_count_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("harbor.json");
    fs::write(&path, "{}").unwrap();
    let mut window = Window::paused();
    window.load(&path);
    let title = |window: &Window| window.harness.state().title.clone();
    let enable = Command::Enable { system: vivarium_world::SystemId(1), on: false };
    window.harness.state_mut().request(enable.into());
    window.set_edited(true);
    window.answer(Ok(Done::Ok));
    assert!(window.has("edited") && title(&window).contains('*'));
    window.press(CTRL, egui::Key::Z);
    window.answer(Ok(Done::Ok));
    assert!(!window.has("edited") && !title(&window).contains('*'));
    window.press(CTRL, egui::Key::Y);
    window.answer(Ok(Done::Ok));
    assert!(window.has("edited"));
    window.press(CTRL, egui::Key::Z);
    window.answer(Err("there is no system 1".into()));
    assert!(window.has("edited"), "it was not taken back");
}

#[test]
fn a_file_changed_on_disk_is_taken_at_once_when_all_edits_were_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("harbor.json");
    fs::write(&path, "{}").unwrap();
    let mut window = Window::paused();
    window.load(&path);
    window.harness.state_mut().request(Command::Spawn { config: Default::default() }.into());
    window.set_edited(true);
    window.answer(Ok(Done::Created(vec![Ordinal(9)])));
    window.press(CTRL, egui::Key::Z);
    window.answer(Ok(Done::Count(1)));
    window.commands();
    fs::write(&path, "{ }").unwrap();
    window.wait("the reload", |window| !window.record.borrow().commands.is_empty());
    assert!(matches!(window.commands()[..], [Command::Load { .. }]));
}

#[test]
fn a_file_that_only_looks_different_raises_no_bar() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("harbor.json");
    fs::write(&path, SAMPLE.text).unwrap();
    let mut window = Window::paused();
    window.load(&path);
    window.set_edited(true);
    fs::write(&path, "{ \"vivarium\": 1 }").unwrap();
    window.wait("the news", |window| {
        window.harness.state().loaded_text.as_deref() == Some("{ \"vivarium\": 1 }")
    });
    assert!(!window.has("Take the file"));
}

#[test]
fn what_a_changed_file_is_compared_with_is_what_was_saved_last() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("harbor.json");
    fs::write(&path, SAMPLE.text).unwrap();
    let mut window = Window::paused();
    window.load(&path);
    window.press(CTRL, egui::Key::S);
    window.answer(Ok(Done::Saved { text: "{\"vivarium\":1,\"name\":\"Mine\"}".into(), entities: 4 }));
    window.wait("the save", |window| window.has_text("saved "));
    window.set_edited(true);
    fs::write(&path, SAMPLE.text).unwrap();
    window.wait("the bar", |window| window.has("Take the file"));
    assert!(window.has_text("1 value differs"));
}

#[test]
fn faults_of_a_changed_file_are_told_with_their_place_until_it_is_loaded_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("harbor.json");
    fs::write(&path, SAMPLE.text).unwrap();
    let mut window = Window::paused();
    window.load(&path);
    window.set_edited(true);
    fs::write(&path, "{ \"vivarium\": 1,\n  \"name\" }").unwrap();
    window.wait("the error", |window| window.has("Error"));
    let place = format!("{}:2:", path.display());
    let is_told = |line: &&LogLine| line.level == LogLevel::Error && line.message.starts_with(&place);
    assert_eq!(window.harness.state().log.iter().filter(is_told).count(), 1);
    assert!(window.has_text("it has faults"));
    fs::write(&path, "{ \"vivarium\": 1, \"name\": \"New\" }").unwrap();
    window.wait("the bar", |window| window.has_text("1 value differs"));
    // Again, lest the message has gone by itself meanwhile.
    window.harness.state_mut().toasts.push(LogLevel::Error, format!("{place}9: a colon is missing"));
    window.click("Take the file");
    assert!(window.has("Error"));
    window.answer(Ok(Done::Loaded { entities: 4, notes: vec![] }));
    assert!(!window.has("Error"));
}

#[test]
fn saves_are_compressed_until_the_user_says_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("harbor.json");
    let saves = |text: &str, press: bool| {
        fs::write(&path, text).unwrap();
        let mut window = Window::paused();
        window.load(&path);
        if press {
            window.press(CTRL, egui::Key::K);
            window.harness.event(egui::Event::Text("saves plain".into()));
            window.steps();
            window.press(NONE, egui::Key::Enter);
        }
        window.press(CTRL, egui::Key::S);
        window.commands()
    };
    let (plain, compressed) = (vivarium_world::SaveForm::Plain, vivarium_world::SaveForm::Compressed);
    let definitions = "{ \"vivarium\": 1, \"entityDefinitions\": {} }";
    assert_eq!(saves(SAMPLE.text, false), [Command::Save { form: compressed }]);
    assert_eq!(saves(SAMPLE.text, true), [Command::Save { form: plain }]);
    assert_eq!(saves(definitions, false), [Command::Save { form: compressed }]);
    assert_eq!(saves(definitions, true), [Command::Save { form: plain }]);
}

#[test]
fn opening_over_edits_asks_first() {
    let mut window = Window::paused();
    window.set_edited(true);
    window.harness.state_mut().request(Request::OpenSample("flock".into()));
    window.steps();
    assert!(window.has("Unsaved edits"));
    assert_eq!(window.commands(), []);
    window.press_in_dialog("Don't save");
    window.wait("the load", |window| !window.record.borrow().commands.is_empty());
}

/// A file as the window system hands it over.
#[derive(Debug)]
struct Dropped(std::path::PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }
    fn bytes(&self) -> Result<Vec<u8>, String> {
        fs::read(&self.0).map_err(|error| error.to_string())
    }
}

#[test]
fn the_first_of_the_files_dropped_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = Window::paused();
    for name in ["harbor.json", "other.json"] {
        let path = folder.path().join(name);
        fs::write(&path, "{}").unwrap();
        window.harness.input_mut().dropped_files.push(Arc::new(Dropped(path)));
    }
    window.wait("the load", |window| !window.record.borrow().commands.is_empty());
    let commands = window.commands();
    let [Command::Load { source, .. }] = &commands[..] else { panic!("{commands:?}") };
    assert!(source.ends_with("harbor.json"), "{source}");
    assert!(window.has_text("only the first of the dropped files"));
}

#[test]
fn a_typed_path_that_will_not_do_keeps_the_dialog_open_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = Window::new(paused(), Choice::NoDialog);
    window.harness.state_mut().request(Request::SaveAs);
    window.wait("the dialog", |window| window.has("Save the world"));
    let type_path = |window: &mut Window, path: &std::path::Path| {
        window.press(CTRL, egui::Key::A);
        window.harness.event(egui::Event::Text(path.display().to_string()));
        window.steps();
    };
    type_path(&mut window, &folder.path().join("none/harbor"));
    assert!(window.has("It is saved as harbor.json: scenes end in .json"));
    window.press_in_dialog("Save");
    assert!(window.has("Save the world"), "it stays open");
    assert!(window.has_text("make it first, or choose another"));
    assert_eq!(window.commands(), []);
    type_path(&mut window, &folder.path().join("harbor"));
    assert!(!window.has_text("make it first, or choose another"));
    window.press_in_dialog("Save");
    assert!(matches!(window.record.borrow().commands[..], [Command::Save { .. }]));
}
