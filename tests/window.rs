//! The window over a living world: everything but the screen is real.

use egui::{Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use vivarium_app::documents::{Choice, Chosen, Dialogs, Documents, Purpose};
use vivarium_app::files::{EmbeddedScene, Source};
use vivarium_app::settings::Settings;
use vivarium_app::ui::Inspector;
use vivarium_panels::{PanelId, SampleCard};
use vivarium_world::{Host, HostOptions};

/// Nobody chooses a file.
struct NoDialogs;

impl Dialogs for NoDialogs {
    fn choose(&self, _purpose: &Purpose, chosen: Chosen) {
        chosen(Choice::NoDialog);
    }
}

struct Window(Harness<'static, Inspector>);

impl Window {
    /// A window without a scene.
    fn empty() -> Self {
        let options = HostOptions { threads: 1, on_publish: None };
        let host = Host::spawn(&vivarium_samples::catalog(), options).unwrap();
        let scenes: Vec<EmbeddedScene> = vivarium_samples::scenes()
            .iter()
            .map(|scene| EmbeddedScene { name: scene.name, about: scene.about, text: scene.text })
            .collect();
        let card = |scene: &EmbeddedScene| SampleCard {
            name: scene.name.into(),
            about: scene.about.into(),
            entities: 1,
        };
        let cards = scenes.iter().map(card).collect();
        let documents = Documents::new(scenes, Box::new(NoDialogs), Arc::new(|| {}));
        let inspector = Inspector::new(Box::new(host), documents, Settings::default(), cards);
        let mut harness = Harness::builder()
            .with_size([1400.0, 900.0])
            .build_ui_state(|ui, inspector: &mut Inspector| inspector.ui(ui), inspector);
        harness.run_steps(2);
        Self(harness)
    }

    /// A window on a scene file.
    fn on(path: &Path) -> Self {
        let mut window = Self::empty();
        window.0.state_mut().documents().open(Source::File(path.to_path_buf()));
        window.wait_for("loaded: ");
        window
    }

    fn has(&self, part: &str) -> bool {
        self.0.query_all_by_label_contains(part).next().is_some()
    }

    fn wait(&mut self, what: &str, until: impl Fn(&Self) -> bool) {
        let end = Instant::now() + Duration::from_secs(60);
        while !until(self) {
            assert!(Instant::now() < end, "waited in vain for {what}");
            std::thread::sleep(Duration::from_millis(5));
            self.0.step();
        }
    }

    fn wait_for(&mut self, part: &str) {
        self.wait(part, |window| window.has(part));
    }

    fn click(&mut self, label: &str) {
        let Some(node) = self.0.query_all_by_label(label).next() else { panic!("nothing is called {label}") };
        node.click();
        self.0.run_steps(3);
    }

    fn press(&mut self, modifiers: Modifiers, key: Key) {
        self.0.key_press_modifiers(modifiers, key);
        self.0.run_steps(2);
    }

    /// The step the status bar shows.
    fn tick(&self) -> u64 {
        let labels = self.0.query_all_by_label_contains("tick ");
        let texts = labels.filter_map(|node| node.accesskit_node().value());
        let ticks = texts.filter_map(|text| text.strip_prefix("tick ")?.replace(',', "").parse().ok());
        ticks.max().expect("a tick")
    }
}

/// A scene of its own in a folder of its own, with one ball that stands still.
fn scene() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("port.json");
    fs::write(&path, text("Port", 100.0)).unwrap();
    (folder, path)
}

fn text(name: &str, x: f64) -> String {
    format!(
        r#"{{ "vivarium": 1, "name": "{name}", "random": {{ "seed": 1 }}, "step": 16,
            "templates": {{ "buoy": {{ "class": "wall", "x": {x}, "y": 50, "half_width": 4 }} }},
            "bounds": [0, 0, 200, 100],
            "entities": [ {{ "type": "buoy" }} ] }}"#
    )
}

#[test]
fn a_sample_is_opened_run_and_paused() {
    let mut window = Window::empty();
    window.click("harbor");
    window.wait_for("loaded: harbor");
    assert_eq!(window.tick(), 0);
    window.press(Modifiers::NONE, Key::Space);
    window.wait("ten ticks", |window| window.tick() > 10);
    window.press(Modifiers::NONE, Key::Space);
    window.wait_for("State: paused");
    let tick = window.tick();
    window.press(Modifiers::NONE, Key::F10);
    window.wait("one tick more", |window| window.tick() == tick + 1);
}

#[test]
fn every_panel_shows_a_living_world() {
    let mut window = Window::empty();
    window.click("bouncing");
    window.wait_for("loaded: bouncing");
    window.press(Modifiers::NONE, Key::Space);
    for panel in PanelId::ALL {
        window.press(Modifiers::COMMAND, panel.key().logical_key);
        let tick = window.tick();
        window.wait("the world to go on", |window| window.tick() > tick + 5);
    }
    assert!(window.0.query_by_label("Error").is_none(), "no message of an error shows");
}

#[test]
fn a_file_saved_by_an_editor_is_taken_over_and_a_broken_one_is_not() {
    let (_folder, path) = scene();
    let mut window = Window::on(&path);
    fs::write(&path, text("Harbour", 120.0)).unwrap();
    window.wait_for("Harbour");
    fs::write(&path, "{ \"vivarium\": 1,").unwrap();
    window.wait_for("port.json:1");
    assert!(window.has("Harbour"), "the world lives on");
}

#[test]
fn a_saved_world_is_a_scene_that_can_be_opened() {
    let (_folder, path) = scene();
    let mut window = Window::on(&path);
    window.press(Modifiers::NONE, Key::F10);
    window.wait("a tick", |window| window.tick() == 1);
    window.press(Modifiers::COMMAND, Key::S);
    window.wait_for("saved ");
    assert!(fs::read_to_string(&path).unwrap().contains("\"Port\""));
    let other = Window::on(&path);
    assert!(other.has("1 entities") || other.has("1 entity"));
}

#[test]
fn an_entity_is_killed_and_comes_back() {
    let (_folder, path) = scene();
    let mut window = Window::on(&path);
    window.press(Modifiers::COMMAND, PanelId::Entities.key().logical_key);
    window.wait_for("buoy");
    window.click("buoy");
    window.wait_for("buoy 0v1");
    window.press(Modifiers::NONE, Key::Delete);
    window.wait("no entity", |window| window.has("0 entities"));
    window.press(Modifiers::COMMAND, Key::Z);
    window.wait("the entity", |window| window.has("1 entities") || window.has("1 entity"));
    window.press(Modifiers::COMMAND, Key::Y);
    window.wait("no entity", |window| window.has("0 entities"));
}
