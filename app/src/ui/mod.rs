//! Everything in the window: one `fn ui` that the window, the tests and the screenshots share.
//!
//! ```text
//!   Snapshot ─▶ panels ─▶ Request ─┐
//!   menu, keys, palette ─▶ Action ─┴▶ act ─▶ Command ─▶ host ─▶ Reply ─▶ hear ─▶ toasts, log, files
//! ```
//!
//! Each frame draws first and acts afterwards, in one place. Only panels that can be seen are drawn, and only they
//! ask for data.

mod act;
mod hear;
mod link;
mod menu;
mod path_dialog;
mod question;
mod welcome;
mod write_back;

pub(crate) use act::is_possible;
pub use link::HostLink;

use crate::documents::Documents;
use crate::edits::Edits;
use crate::keys::{self, Action, Entry};
use crate::known_files::KnownFiles;
use crate::palette::{self, PaletteWindow};
use crate::pictures::Picture;
use crate::raster;
use crate::script::Script;
use crate::settings::Settings;
use crate::toasts::Toasts;
use crossbeam_channel::Receiver;
use egui::{Context, Panel, Ui};
use hear::Waiting;
use image::RgbaImage;
use question::{DiskAnswer, DiskChange, Question};
use std::collections::HashMap;
use std::time::{Duration, Instant};
use vivarium_panels::{History, PanelId, Panels, Request, SampleCard, View};
use vivarium_world::inspect::{RunState, Snapshot, ViewRequest};
use vivarium_world::{LogLevel, LogLine};
use welcome::Pictures;

/// The inspector: what the window shows and remembers, without the window.
pub struct Inspector {
    host: Box<dyn HostLink>,
    documents: Documents,
    settings: Settings,
    samples: Vec<SampleCard>,
    files: KnownFiles,
    /// Pictures of the samples, as they come.
    pictures: Pictures,
    panels: Panels,
    history: History,
    edits: Edits,
    log: Vec<LogLine>,
    toasts: Toasts,
    palette: PaletteWindow,
    table: Vec<Entry>,
    /// What is asked of the user before anything else goes on.
    question: Option<Question>,
    /// The text the open scene was loaded from, to say later what changed; none if it is very long.
    loaded_text: Option<String>,
    /// The open file, changed by somebody else while the world was edited here.
    disk_change: Option<DiskChange>,
    /// Commands whose reply is to be followed by something.
    waiting: HashMap<u64, Waiting>,
    /// Whether the host gave out edits to save that are not on disk: it counts them as saved from then on.
    unsaved: bool,
    /// What follows when templates were written to the file.
    writing: Option<write_back::Writing>,
    /// What goes on when a save has succeeded.
    after_save: Option<question::Then>,
    /// A load that is over, to be told when its picture is there.
    arrived: Option<Arrived>,
    /// What the host was last asked to show.
    wanted: Option<ViewRequest>,
    /// Whether the user was told that nobody answers any more.
    host_has_ended: bool,
    /// What drawing a frame takes; none where nobody measures it.
    frame_cost: Option<Duration>,
    /// The commands since the load.
    script: Script,
    keys_open: bool,
    about_open: bool,
    /// Whether the window may close without asking.
    may_close: bool,
    title: String,
}

/// A load that is over and not yet told.
struct Arrived {
    message: String,
    /// The snapshot that was there then, of what was there before.
    sequence: u64,
    since: Instant,
}

impl Arrived {
    /// How long its picture is waited for.
    const LONGEST: Duration = Duration::from_secs(3);
}

/// What the user asked for in one frame.
#[derive(Default)]
struct Asked {
    actions: Vec<Action>,
    requests: Vec<Request>,
    disk_answer: Option<DiskAnswer>,
}

/// Lines of the log that are kept.
const LOG_LIMIT: usize = 10_000;

/// While a reply or a file is awaited, at most so long passes before it is looked for.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

impl Inspector {
    /// An inspector of the world behind `host`.
    pub fn new(
        host: Box<dyn HostLink>,
        documents: Documents,
        settings: Settings,
        samples: Vec<SampleCard>,
    ) -> Self {
        let wake = documents.wake();
        Self {
            host,
            documents,
            settings,
            samples,
            files: KnownFiles::new(wake),
            pictures: Pictures::default(),
            panels: Panels::default(),
            history: History::default(),
            edits: Edits::default(),
            log: Vec::new(),
            toasts: Toasts::default(),
            palette: PaletteWindow::default(),
            table: keys::table(),
            question: None,
            loaded_text: None,
            disk_change: None,
            waiting: HashMap::new(),
            unsaved: false,
            writing: None,
            after_save: None,
            arrived: None,
            wanted: None,
            host_has_ended: false,
            frame_cost: None,
            script: Script::default(),
            keys_open: false,
            about_open: false,
            may_close: false,
            title: String::new(),
        }
    }

    /// What is kept for the next run.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The files.
    pub fn documents(&mut self) -> &mut Documents {
        &mut self.documents
    }

    /// Shows these pictures on the cards of the samples, each as soon as it comes.
    pub fn expect_pictures(&mut self, pictures: Receiver<Picture>) {
        self.pictures = Pictures { coming: Some(pictures), here: Vec::new() };
    }

    /// Says what drawing the last frame took. The mean of the last ones is shown.
    pub fn add_frame_cost(&mut self, cost: Duration) {
        /// The weight of the frames before against the new one.
        const BEFORE: u32 = 15;
        let before = self.frame_cost.unwrap_or(cost);
        self.frame_cost = Some((before * BEFORE + cost) / (BEFORE + 1));
    }

    /// Shows one panel and nothing else.
    pub fn show_only(&mut self, panel: PanelId) {
        self.settings.layout = crate::layout::Layout::only(panel);
    }

    /// Draws everything, and does what the user asks for.
    pub fn ui(&mut self, ui: &mut Ui) {
        let context = ui.ctx().clone();
        self.dress(&context);
        self.hear();
        self.take_dropped_files(&context);
        let mut asked = Asked::default();
        if self.question.is_none() {
            asked.actions = keys::pressed(&context, &self.table);
        }
        self.draw(ui, &mut asked);
        self.tell_arrived();
        self.toasts.ui(&context);
        self.ask(&context);
        for action in asked.actions {
            self.act(&context, action);
        }
        for request in asked.requests {
            self.request(request);
        }
        if let Some(answer) = asked.disk_answer {
            self.answer_disk(answer);
        }
        self.close_if_asked(&context);
        if self.documents.is_busy() || !self.waiting.is_empty() || self.arrived.is_some() {
            context.request_repaint_after(LOOK_AGAIN);
        }
    }

    /// Paints what the window shows, without a window. `size` is in pixels.
    pub fn picture(&mut self, size: [u32; 2], pixels_per_point: f32) -> RgbaImage {
        /// Enough for panels to find their places, ask for data and show it.
        const PASSES: usize = 5;
        raster::screenshot(size, pixels_per_point, PASSES, |ui| {
            let (wanted, sequence) = (self.wanted.clone(), self.host.snapshot().sequence);
            self.ui(ui);
            if self.wanted != wanted {
                self.wait_for_snapshot_after(sequence);
            }
        })
    }

    /// Waits until the host has answered a new request, or for as long as one may wait for a picture.
    fn wait_for_snapshot_after(&mut self, sequence: u64) {
        const LONGEST: Duration = Duration::from_secs(2);
        /// A snapshot that was under way when the request came is followed by the right one within this time.
        const FOLLOWING: Duration = Duration::from_millis(100);
        let mut end = Instant::now() + LONGEST;
        let mut newest = sequence;
        while Instant::now() < end {
            let sequence = self.host.snapshot().sequence;
            if sequence != newest {
                newest = sequence;
                end = end.min(Instant::now() + FOLLOWING);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Gives the context our colours and size.
    fn dress(&mut self, context: &Context) {
        // Kept in the context, because each picture is taken in a new one.
        let dressed = egui::Id::unique("dressed");
        if !context.data(|data| data.get_temp(dressed).unwrap_or(false)) {
            context.data_mut(|data| data.insert_temp(dressed, true));
            vivarium_panels::apply_theme(context);
            // The keys for it are in our table.
            context.options_mut(|options| options.zoom_with_keyboard = false);
        }
        if context.options(|options| options.theme_preference) != self.settings.theme {
            context.set_theme(self.settings.theme);
        }
        if (context.zoom_factor() - self.settings.zoom).abs() > f32::EPSILON {
            context.set_zoom_factor(self.settings.zoom);
        }
    }

    fn draw(&mut self, ui: &mut Ui, asked: &mut Asked) {
        self.look_at_files();
        let (edited, compress) = (self.has_edits(), self.settings.compress);
        let Self {
            host,
            documents,
            settings,
            samples,
            files,
            panels,
            history,
            log,
            palette,
            table,
            edits,
            pictures,
            frame_cost,
            disk_change,
            ..
        } = self;
        let Asked { actions, requests, disk_answer } = asked;
        let can_undo = edits.can_go();
        let snapshot = host.snapshot();
        let view = View {
            snapshot,
            selection: history.current(),
            can_go: history.can_go(),
            log,
            samples,
            recent: &settings.recent,
            files: files.shown(),
            file: documents.file(),
            edited,
        };
        Panel::top("menu").show(ui, |ui| menu::ui(ui, table, &view, can_undo, settings, compress, actions));
        Panel::top("transport").show(ui, |ui| panels.transport(ui, &view, requests));
        Panel::bottom("status").show(ui, |ui| {
            ui.horizontal(|ui| {
                panels.status(ui, &view, requests);
                frame_cost_label(ui, *frame_cost);
            });
        });
        if let Some(change) = disk_change {
            *disk_answer = question::changed_on_disk_bar(ui, &view, change);
        }
        let mut wanted = ViewRequest::default();
        if is_empty(snapshot) {
            egui::CentralPanel::default().show(ui, |ui| welcome::ui(ui, &view, pictures, requests));
        } else if settings.layout.visible().is_empty() {
            egui::CentralPanel::default().show(ui, |ui| welcome::no_panels(ui, actions));
        } else {
            egui::CentralPanel::default().frame(egui::Frame::new()).show(ui, |ui| {
                settings.layout.ui(ui, &mut |id, ui| panels.ui(id, ui, &view, requests));
            });
            for id in settings.layout.visible() {
                panels.request(id, &view, &mut wanted);
            }
        }
        if palette.is_open() {
            wanted.systems = true;
            let items = palette::items(ui.ctx(), table, &view, can_undo);
            if let Some(choice) = palette.ui(ui.ctx(), &items) {
                act::choose(choice, actions, requests);
            }
        }
        menu::keys_window(ui.ctx(), table, &mut self.keys_open);
        menu::about_window(ui.ctx(), &mut self.about_open);
        menu::drop_hint(ui.ctx());
        menu::window_title(ui.ctx(), &view, &mut self.title);
        if self.wanted.as_ref() != Some(&wanted) {
            self.host.set_view(wanted.clone());
            self.wanted = Some(wanted);
        }
    }

    /// Looks at the files that can be seen: in the list of scenes.
    fn look_at_files(&mut self) {
        if self.settings.layout.visible().contains(&PanelId::Scenes) && !is_empty(self.host.snapshot()) {
            let open = self.documents.file().map(std::path::Path::to_path_buf);
            let others = self.settings.recent.iter().filter(|path| Some(*path) != open.as_ref()).cloned();
            let paths = open.iter().cloned().chain(others).collect();
            self.files.look(paths);
        }
    }

    /// Whether edits made by hand would be lost.
    fn has_edits(&mut self) -> bool {
        let is_back = self.edits.is_back() && !self.is_editing();
        self.unsaved || self.host.snapshot().status.edited && !is_back
    }

    /// Whether edits are under way.
    fn is_editing(&self) -> bool {
        self.waiting.values().any(|waiting| matches!(waiting, Waiting::Edit { .. } | Waiting::Undone { .. }))
    }

    /// Opens a file that was dropped on the window.
    fn take_dropped_files(&mut self, context: &Context) {
        let dropped = context.input(|input| input.raw.dropped_files.clone());
        let mut paths = dropped.into_iter().map(|file| file.path().to_path_buf());
        if let Some(path) = paths.next() {
            self.request(Request::OpenPath(path));
        }
        if paths.next().is_some() {
            self.note(LogLevel::Warning, "only the first of the dropped files is opened: there is one world");
        }
    }

    /// Says that a load is over, once what it brought can be seen.
    fn tell_arrived(&mut self) {
        let Some(arrived) = &self.arrived else { return };
        let snapshot = self.host.snapshot();
        let is_shown = snapshot.sequence > arrived.sequence
            && self.wanted.as_ref().is_none_or(|wanted| {
                (wanted.shapes.is_none() || snapshot.shapes.is_some())
                    && (wanted.entities.is_none() || snapshot.entities.is_some())
            });
        if (is_shown || arrived.since.elapsed() > Arrived::LONGEST)
            && let Some(arrived) = self.arrived.take()
        {
            self.toasts.push(LogLevel::Info, arrived.message);
        }
    }

    /// Tells the user something, for a moment and in the log.
    fn note(&mut self, level: LogLevel, message: impl Into<String>) {
        let message = message.into();
        self.toasts.push(level, message.clone());
        let tick = self.host.snapshot().status.tick;
        self.write_log(LogLine { level, tick, source: "window".into(), message, system: None, entity: None });
    }

    fn write_log(&mut self, line: LogLine) {
        if self.log.len() >= LOG_LIMIT {
            self.log.drain(..LOG_LIMIT / 10);
        }
        self.log.push(line);
    }
}

/// What the window itself costs, at the right end of the status bar.
fn frame_cost_label(ui: &mut Ui, cost: Option<Duration>) {
    let Some(cost) = cost else { return };
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        let text = format!("frame {:.1} ms", cost.as_secs_f64() * 1e3);
        ui.weak(text).on_hover_text("What drawing this window takes each time, on average");
    });
}

/// Whether there is no world to show.
fn is_empty(snapshot: &Snapshot) -> bool {
    match snapshot.status.run_state {
        RunState::Empty => true,
        RunState::Loading { .. } => snapshot.status.scene.is_empty() && snapshot.status.entities == 0,
        _ => false,
    }
}

#[cfg(test)]
mod tests;
