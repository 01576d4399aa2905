//! The whole window over a host that only records, driven by labels and keys as a user would.

use super::*;
use crate::documents::Choice;
use crate::documents::tests::Always;
use crate::files::EmbeddedScene;
use crate::layout::Layout;
use crate::raster::Raster;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use vivarium_world::inspect::{CatalogView, EntityPage, KeyOrigin, Status, TemplateKey, TemplateView};
use vivarium_world::{Command, Config, Done, HostEvent, Ordinal, Reply, Restored};

/// What the recording host was told, and what it will tell.
#[derive(Default)]
struct Record {
    commands: Vec<Command>,
    views: Vec<ViewRequest>,
    events: VecDeque<HostEvent>,
    has_ended: bool,
}

struct Recorder {
    record: Rc<RefCell<Record>>,
    snapshot: Rc<RefCell<Snapshot>>,
    shown: Snapshot,
}

impl HostLink for Recorder {
    fn send(&mut self, command: Command) -> u64 {
        let mut record = self.record.borrow_mut();
        record.commands.push(command);
        record.commands.len() as u64
    }
    fn try_event(&mut self) -> Option<HostEvent> {
        self.record.borrow_mut().events.pop_front()
    }
    fn set_view(&mut self, view: ViewRequest) {
        self.snapshot.borrow_mut().sequence += 1;
        self.record.borrow_mut().views.push(view);
    }
    fn is_alive(&self) -> bool {
        !self.record.borrow().has_ended
    }
    fn snapshot(&mut self) -> &Snapshot {
        self.shown = self.snapshot.borrow().clone();
        &self.shown
    }
}

/// The window under test with both ends in hand.
struct Window {
    harness: Harness<'static, Inspector>,
    record: Rc<RefCell<Record>>,
    snapshot: Rc<RefCell<Snapshot>>,
}

const SAMPLE: EmbeddedScene = EmbeddedScene { name: "flock", about: "Birds.", text: "{\"vivarium\":1}" };

impl Window {
    /// A window in which the user always chooses `choice` in dialogs.
    fn new(status: Status, choice: Choice) -> Self {
        let record = Rc::new(RefCell::new(Record::default()));
        let snapshot = Rc::new(RefCell::new(Snapshot { status, ..Snapshot::default() }));
        let host =
            Recorder { record: record.clone(), snapshot: snapshot.clone(), shown: Snapshot::default() };
        let documents = Documents::new(vec![SAMPLE], Box::new(Always(choice)), Arc::new(|| {}));
        let samples = vec![SampleCard { name: "flock".into(), about: "Birds.".into(), entities: 300 }];
        let inspector = Inspector::new(Box::new(host), documents, Settings::default(), samples);
        let harness = Harness::builder()
            .with_size([1280.0, 800.0])
            .renderer(Raster::default())
            .build_ui_state(|ui, inspector: &mut Inspector| inspector.ui(ui), inspector);
        let mut window = Self { harness, record, snapshot };
        window.steps();
        window
    }

    /// A window on a paused world.
    fn paused() -> Self {
        Self::new(paused(), Choice::Cancelled)
    }

    fn steps(&mut self) {
        self.harness.run_steps(3);
    }

    fn click(&mut self, label: &str) {
        let Some(node) = self.harness.query_all_by_label(label).next() else {
            panic!("nothing is called {label}")
        };
        node.click();
        self.steps();
    }

    /// Presses a button of a dialog, which is drawn after everything else.
    fn press_in_dialog(&mut self, label: &str) {
        let Some(node) = self.harness.query_all_by_label(label).last() else {
            panic!("nothing is called {label}")
        };
        node.click();
        self.steps();
    }

    /// Opens a menu and presses a line of it.
    fn menu(&mut self, menu: &str, line: &str) {
        self.click(menu);
        let table = keys::table();
        let entry = table.iter().find(|entry| entry.title == line).expect("a line of the table");
        let keys = entry.keys.first().map(|key| self.harness.ctx.format_shortcut(key));
        // The name of a line ends with its key.
        let name = keys.map_or(line.to_owned(), |keys| format!("{line} {keys}"));
        self.click(&name);
    }

    fn press(&mut self, modifiers: egui::Modifiers, key: egui::Key) {
        self.harness.key_press_modifiers(modifiers, key);
        self.steps();
    }

    fn has(&self, label: &str) -> bool {
        self.harness.query_all_by_label(label).next().is_some()
    }

    fn has_text(&self, part: &str) -> bool {
        self.harness.query_all_by_label_contains(part).next().is_some()
    }

    fn commands(&self) -> Vec<Command> {
        std::mem::take(&mut self.record.borrow_mut().commands)
    }

    /// Answers the last command, an edit with what takes it back.
    fn answer(&mut self, result: Result<Done, String>) {
        let command = self.record.borrow().commands.len() as u64;
        let undo = match (self.record.borrow().commands.last(), &result) {
            (_, Ok(Done::Created(entities))) => Some(Command::Remove { entities: entities.clone() }),
            (Some(Command::Remove { entities }), Ok(_)) => {
                let restored = |&entity| Restored { entity, config: Config::new() };
                Some(Command::Restore { entities: entities.iter().map(restored).collect() })
            }
            (Some(Command::Enable { system, on }), Ok(_)) => {
                Some(Command::Enable { system: *system, on: !on })
            }
            _ => None,
        };
        self.record.borrow_mut().events.push_back(HostEvent::Reply(Reply { command, result, undo }));
        self.steps();
    }

    /// Draws until something holds.
    fn wait(&mut self, what: &str, mut until: impl FnMut(&Self) -> bool) {
        let end = Instant::now() + Duration::from_secs(20);
        while !until(self) {
            assert!(Instant::now() < end, "waited in vain for: {what}");
            std::thread::sleep(Duration::from_millis(5));
            self.harness.step();
        }
    }

    /// Opens a file, and lets the host say that it is loaded.
    fn load(&mut self, path: &Path) {
        self.harness.state_mut().request(Request::OpenPath(path.to_path_buf()));
        self.wait("the load", |window| !window.record.borrow().commands.is_empty());
        self.answer(Ok(Done::Loaded { entities: 4, notes: vec!["unknown key `nmae`".into()] }));
        self.commands();
    }

    fn last_view(&self) -> ViewRequest {
        self.record.borrow().views.last().cloned().unwrap_or_default()
    }

    fn set_edited(&mut self, edited: bool) {
        self.snapshot.borrow_mut().status.edited = edited;
        self.steps();
    }

    /// Lets the user press the cross of the window; whether it closes.
    fn close(&mut self) -> bool {
        let viewport = self.harness.input_mut().viewports.entry(egui::ViewportId::ROOT).or_default();
        viewport.events.push(egui::ViewportEvent::Close);
        self.harness.step();
        !self.viewport_commands().contains(&egui::ViewportCommand::CancelClose)
    }

    fn viewport_commands(&self) -> Vec<egui::ViewportCommand> {
        let output = self.harness.output();
        output
            .viewport_output
            .get(&egui::ViewportId::ROOT)
            .map(|output| output.commands.clone())
            .unwrap_or_default()
    }
}

fn paused() -> Status {
    Status {
        scene: "Harbor".into(),
        run_state: RunState::Paused,
        speed: 1.0,
        step: 16.0,
        entities: 4,
        tick: 1_204,
        ..Status::default()
    }
}

const NONE: egui::Modifiers = egui::Modifiers::NONE;
const CTRL: egui::Modifiers = egui::Modifiers::COMMAND;

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
