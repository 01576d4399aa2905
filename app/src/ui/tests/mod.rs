//! The whole window over a host that only records, driven by labels and keys as a user would.

mod edits;
mod files;
mod frame;

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
