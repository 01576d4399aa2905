//! Edits: what is sent, taken back, and written to the file of a template.

use super::*;

#[test]
fn delete_kills_what_is_selected_and_only_that() {
    let mut window = Window::paused();
    window.press(NONE, egui::Key::Delete);
    assert_eq!(window.commands(), []);
    let select = vivarium_panels::Select::Set(vec![Ordinal(3), Ordinal(1)]);
    window.harness.state_mut().request(select.into());
    window.press(NONE, egui::Key::Delete);
    assert_eq!(window.commands(), [Command::Kill { entities: vec![Ordinal(1), Ordinal(3)] }]);
    window.press(CTRL, egui::Key::D);
    let duplicate = |n| Command::Duplicate { entity: Ordinal(n) };
    assert_eq!(window.commands(), [Command::All { commands: vec![duplicate(1), duplicate(3)] }]);
}

#[test]
fn a_created_entity_is_selected_and_back_returns() {
    let mut window = Window::paused();
    window.harness.state_mut().request(vivarium_panels::Select::Only(Ordinal(2)).into());
    window.press(CTRL, egui::Key::D);
    window.answer(Ok(Done::Created(vec![Ordinal(9)])));
    assert_eq!(window.harness.state().history.current().primary(), Some(Ordinal(9)));
    window.press(egui::Modifiers::ALT, egui::Key::ArrowLeft);
    assert_eq!(window.harness.state().history.current().primary(), Some(Ordinal(2)));
    window.press(egui::Modifiers::ALT, egui::Key::ArrowRight);
    assert_eq!(window.harness.state().history.current().primary(), Some(Ordinal(9)));
    for (button, primary) in [(egui::PointerButton::Extra1, 2), (egui::PointerButton::Extra2, 9)] {
        for pressed in [true, false] {
            let (pos, modifiers) = (egui::pos2(600.0, 400.0), NONE);
            window.harness.event(egui::Event::PointerButton { pos, button, pressed, modifiers });
            window.steps();
        }
        assert_eq!(window.harness.state().history.current().primary(), Some(Ordinal(primary)));
    }
    assert_eq!(window.harness.state().history.current().primary(), Some(Ordinal(9)));
}

#[test]
fn an_edit_is_taken_back_and_done_again() {
    let mut window = Window::paused();
    window.press(CTRL, egui::Key::Z);
    assert_eq!(window.commands(), [], "there is nothing to take back");
    let enable = |on| Command::Enable { system: vivarium_world::SystemId(1), on };
    window.harness.state_mut().request(enable(false).into());
    window.answer(Ok(Done::Ok));
    window.commands();
    window.press(CTRL, egui::Key::Z);
    assert_eq!(window.commands(), [enable(true)]);
    window.press(CTRL, egui::Key::Y);
    assert_eq!(window.record.borrow().commands, [enable(false)]);
    window.answer(Ok(Done::Ok));
    window.commands();
    window.menu("Edit", "Undo");
    assert_eq!(window.commands(), [enable(true)]);
}

#[test]
fn what_was_done_is_copied_as_a_script() {
    let mut window = Window::paused();
    window.menu("Run", "Step ten times");
    window.menu("Run", "Compact memory");
    window.click("Edit");
    window.harness.get_by_label("Copy what was done as a script").click();
    // The press and the copy are in frames of their own.
    let copied = (0..3).find_map(|_| {
        window.harness.step();
        window.harness.output().platform_output.commands.iter().find_map(|command| match command {
            egui::OutputCommand::CopyText(text) => Some(text.clone()),
            _ => None,
        })
    });
    let lines: Vec<Command> =
        copied.expect("a text").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines, [Command::Step { steps: 10 }, Command::Compact]);
}

#[test]
fn an_edit_that_failed_is_not_taken_back() {
    let mut window = Window::paused();
    let enable = Command::Enable { system: vivarium_world::SystemId(1), on: false };
    window.harness.state_mut().request(enable.into());
    window.answer(Err("there is no system 1".into()));
    window.commands();
    window.press(CTRL, egui::Key::Z);
    assert_eq!(window.commands(), []);
}

#[test]
fn a_spawned_entity_is_removed_by_undo() {
    let mut window = Window::paused();
    window.harness.state_mut().request(Command::Spawn { config: Default::default() }.into());
    window.answer(Ok(Done::Created(vec![Ordinal(9)])));
    window.commands();
    window.press(CTRL, egui::Key::Z);
    assert_eq!(window.record.borrow().commands, [Command::Remove { entities: vec![Ordinal(9)] }]);
    window.answer(Ok(Done::Count(1)));
    window.commands();
    window.press(CTRL, egui::Key::Y);
    let restored = vec![Restored { entity: Ordinal(9), config: Config::new() }];
    assert_eq!(window.commands(), [Command::Restore { entities: restored }], "it comes back as itself");
}

/// A window on a file with a template whose height was changed from 3 to 4.
fn with_edited_template(path: &Path) -> Window {
    fs::write(path, OAKS).unwrap();
    let mut window = Window::paused();
    window.load(path);
    let key = TemplateKey {
        key: "height".into(),
        value: "4".into(),
        loads: vec!["body".into()],
        origin: KeyOrigin::Edited(Some("3".into())),
    };
    let oak = TemplateView {
        name: "oak".into(),
        class: None,
        keys: vec![key],
        removed: vec![],
        components: vec![],
        values: None,
        instances: 0,
    };
    let catalog = CatalogView { templates: vec![oak], ..CatalogView::default() };
    window.snapshot.borrow_mut().catalog = Arc::new(catalog);
    window.set_edited(true);
    window
}

const OAKS: &str = "{ \"vivarium\":1,\n\"templates\": { \"elm\": {}, \"oak\": { \"height\":   3 } },\n\n \"entities\": [ ] }";

#[test]
fn a_template_is_written_to_the_file_and_nothing_else_changes_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("oaks.json");
    let mut window = with_edited_template(&path);
    let says = |height: u64| Command::FileSays {
        name: "oak".into(),
        config: Config::from_iter([("height", height)]),
    };
    window.harness.state_mut().request(Request::WriteTemplates(vec!["oak".into()]));
    window.wait("the write", |window| window.record.borrow().commands.contains(&says(4)));
    let written = OAKS.replace("  3", "  4");
    assert_eq!(fs::read_to_string(&path).unwrap(), written);
    assert_eq!(window.harness.state().loaded_text.as_deref(), Some(written.as_str()));
    window.commands();
    window.press(CTRL, egui::Key::Z);
    window.wait("the undo", |window| window.record.borrow().commands.contains(&says(3)));
    assert_eq!(fs::read_to_string(&path).unwrap(), OAKS);
    window.commands();
    window.press(CTRL, egui::Key::Y);
    window.wait("the redo", |window| window.record.borrow().commands.contains(&says(4)));
    assert_eq!(fs::read_to_string(&path).unwrap(), written);
}

#[test]
fn a_template_is_not_written_over_what_somebody_else_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("oaks.json");
    let mut window = with_edited_template(&path);
    let theirs = OAKS.replace("elm", "yew");
    fs::write(&path, &theirs).unwrap();
    window.harness.state_mut().request(Request::WriteTemplates(vec!["oak".into()]));
    window.wait("the message", |window| window.has_text("nothing was written"));
    assert_eq!(fs::read_to_string(&path).unwrap(), theirs);
    window.wait("the bar", |window| window.has("Keep mine"));
    window.harness.state_mut().request(Request::WriteTemplates(vec!["oak".into()]));
    window.steps();
    assert_eq!(fs::read_to_string(&path).unwrap(), theirs);
    window.click("Keep mine");
    window.harness.state_mut().request(Request::WriteTemplates(vec!["oak".into()]));
    let merged = theirs.replace("  3", "  4");
    window.wait("the write", |_| fs::read_to_string(&path).unwrap() == merged);
}

#[test]
fn without_a_file_no_template_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = with_edited_template(&folder.path().join("oaks.json"));
    window.harness.state_mut().request(Request::OpenSample("flock".into()));
    window.steps();
    window.press_in_dialog("Don't save");
    window.wait("the load", |window| !window.record.borrow().commands.is_empty());
    window.answer(Ok(Done::Loaded { entities: 1, notes: vec![] }));
    window.harness.state_mut().request(Request::WriteTemplates(vec!["oak".into()]));
    window.steps();
    assert!(window.has_text("save it under a name"));
}
