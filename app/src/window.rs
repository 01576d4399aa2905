//! The window itself: an event loop around [`Inspector`].

use crate::documents::{Documents, NativeDialogs};
use crate::files::{EmbeddedScene, Source};
use crate::pictures;
use crate::raster;
use crate::settings::Settings;
use crate::ui::{HostLink, Inspector};
use eframe::CreationContext;
use egui::{Color32, Context, IconData, Pos2, Rect, StrokeKind, Vec2, ViewportBuilder, Visuals, pos2};
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use vivarium_panels::SampleCard;
use vivarium_world::Catalog;

/// Called on any thread when there is something new to draw.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// What the window opens with.
pub struct Start {
    /// Scenes that are part of the program, with what their cards say.
    pub samples: Vec<(EmbeddedScene, SampleCard)>,
    /// What to open first.
    pub open: Option<Source>,
    /// What the scenes name, for pictures of them; none shows no pictures.
    pub catalog: Option<Catalog>,
}

/// Why there is no window.
#[derive(Debug, thiserror::Error)]
pub enum WindowError {
    /// There is no screen to open it on.
    #[error("no display to open a window on ({0}); without one, `vivarium run` runs a scene in the terminal")]
    NoDisplay(String),
    /// The screen cannot draw it.
    #[error(
        "the display has no OpenGL to draw a window with ({0}); `vivarium run` runs a scene in the terminal"
    )]
    NoGraphics(String),
    /// A library of the system is missing.
    #[error(
        "the window needs a library of the system that is missing ({0}); install it, or use `vivarium run`, which \
         needs none"
    )]
    NoLibrary(String),
    /// Anything else.
    #[error("the window could not be opened ({0}); `vivarium run` runs a scene in the terminal")]
    Other(String),
}

impl From<eframe::Error> for WindowError {
    fn from(error: eframe::Error) -> Self {
        let text = one_line(&error.to_string());
        match error {
            eframe::Error::WinitEventLoop(_) | eframe::Error::Winit(_) => {
                Self::NoDisplay(reason(&text).to_owned())
            }
            eframe::Error::Glutin(_) | eframe::Error::NoGlutinConfigs(..) | eframe::Error::OpenGL(_) => {
                Self::NoGraphics(text)
            }
            eframe::Error::AppCreation(_) => Self::Other(text),
        }
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The part of an error after the place in the window library's code it comes from.
fn reason(text: &str) -> &str {
    let reason = text.rsplit_once(": ").map_or(text, |(_, reason)| reason);
    reason.trim_end_matches('.')
}

/// Opens the window and returns when it was closed. `connect` starts the host; it is given what to call when there is
/// a new snapshot or event.
///
/// # Errors
/// If there is no display, or none that can draw. The sentence says what to do instead.
///
/// # Panics
/// If drawing panics, which is a defect.
pub fn run(start: Start, connect: impl FnOnce(Wake) -> Box<dyn HostLink>) -> Result<(), WindowError> {
    let viewport = ViewportBuilder::default()
        .with_title("Vivarium")
        .with_app_id("vivarium")
        .with_inner_size([1400.0, 880.0])
        .with_min_inner_size([640.0, 400.0])
        .with_icon(icon())
        .with_drag_and_drop(true);
    let options = eframe::NativeOptions { viewport, renderer: eframe::Renderer::Glow, ..Default::default() };
    let opened = Arc::new(AtomicBool::new(false));
    let is_open = opened.clone();
    let run = || {
        eframe::run_native(
            "vivarium",
            options,
            Box::new(move |creation| {
                is_open.store(true, Ordering::Relaxed);
                Ok(Box::new(Shell::new(creation, start, connect)))
            }),
        )
    };
    // A missing library of the system is a panic of the window library, before anything is open.
    let quiet = QuietPanics::until(opened.clone());
    let result = panic::catch_unwind(AssertUnwindSafe(run));
    match result {
        Ok(result) => Ok(result?),
        Err(payload) if opened.load(Ordering::Relaxed) => panic::resume_unwind(payload),
        Err(_) => Err(WindowError::NoLibrary(quiet.message())),
    }
}

/// A few bodies under glass, for the task bar.
fn icon() -> IconData {
    const SIDE: u32 = 64;
    let picture = raster::screenshot([SIDE, SIDE], 1.0, 1, |ui| {
        let painter = ui.ctx().layer_painter(egui::LayerId::background());
        let all = Rect::from_min_size(Pos2::ZERO, Vec2::splat(SIDE as f32));
        painter.rect_filled(all, 0.0, Color32::from_rgb(16, 18, 22));
        painter.rect_stroke(
            all.shrink(5.0),
            12.0,
            (4.0, Color32::from_rgb(112, 184, 255)),
            StrokeKind::Inside,
        );
        let bodies = [
            (22.0, 40.0, 9.0, Color32::from_rgb(217, 87, 122)),
            (42.0, 44.0, 6.0, Color32::from_rgb(104, 206, 138)),
            (38.0, 24.0, 7.0, Color32::from_rgb(240, 180, 76)),
        ];
        for (x, y, radius, colour) in bodies {
            painter.circle_filled(pos2(x, y), radius, colour);
        }
    });
    IconData { rgba: picture.into_raw(), width: SIDE, height: SIDE }
}

/// Keeps the messages of panics to itself until the window is open.
struct QuietPanics {
    message: Arc<Mutex<String>>,
}

impl QuietPanics {
    fn until(opened: Arc<AtomicBool>) -> Self {
        let message = Arc::new(Mutex::new(String::new()));
        let (kept, usual) = (message.clone(), panic::take_hook());
        panic::set_hook(Box::new(move |info| {
            if opened.load(Ordering::Relaxed) {
                usual(info);
                return;
            }
            let text = info.payload_as_str().unwrap_or("it does not say which");
            *kept.lock().unwrap_or_else(PoisonError::into_inner) =
                one_line(text).trim_end_matches('.').to_owned();
        }));
        Self { message }
    }

    fn message(&self) -> String {
        self.message.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Under which name the settings are kept.
const SETTINGS: &str = "settings";

/// The inspector in its window.
struct Shell {
    inspector: Inspector,
    pace: Arc<Pace>,
}

impl Shell {
    fn new(
        creation: &CreationContext<'_>,
        start: Start,
        connect: impl FnOnce(Wake) -> Box<dyn HostLink>,
    ) -> Self {
        let kept = creation.storage.and_then(|storage| storage.get_string(SETTINGS));
        let settings = kept.as_deref().map(Settings::from_text).unwrap_or_default();
        let pace = Arc::new(Pace::default());
        let wake: Wake = {
            let (context, pace) = (creation.egui_ctx.clone(), pace.clone());
            Arc::new(move || pace.wake(&context))
        };
        let (scenes, cards): (Vec<EmbeddedScene>, Vec<SampleCard>) = start.samples.into_iter().unzip();
        // Whoever opens something has no use for pictures of other scenes.
        let catalog = start.catalog.filter(|_| start.open.is_none());
        let pictures = catalog.map(|catalog| pictures::take(catalog, scenes.clone(), wake.clone()));
        let mut documents = Documents::new(scenes, Box::new(NativeDialogs), wake.clone());
        if let Some(source) = start.open {
            documents.open(source);
        }
        let mut inspector = Inspector::new(connect(wake), documents, settings, cards);
        if let Some(pictures) = pictures {
            inspector.expect_pictures(pictures);
        }
        Self { inspector, pace }
    }
}

impl eframe::App for Shell {
    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        let start = Instant::now();
        self.inspector.ui(ui);
        self.inspector.add_frame_cost(start.elapsed());
        self.pace.is_fast.store(ui.input(|input| input.pointer.any_down()), Ordering::Relaxed);
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        storage.set_string(SETTINGS, self.inspector.settings().text());
    }

    fn persist_egui_memory(&self) -> bool {
        // What is worth keeping is in the settings, where it can be reset.
        false
    }

    fn clear_color(&self, visuals: &Visuals) -> [f32; 4] {
        visuals.panel_fill.to_normalized_gamma_f32()
    }
}

/// How often news is drawn: eyes need no more, and the world has better things to do.
#[derive(Default)]
struct Pace {
    /// While the user holds a button, things should follow the hand.
    is_fast: AtomicBool,
    last: Mutex<Option<Instant>>,
}

impl Pace {
    const USUAL: Duration = Duration::from_millis(33);
    const FAST: Duration = Duration::from_millis(16);

    /// Asks for a frame, now or when the last one has been shown long enough.
    fn wake(&self, context: &Context) {
        let wait = self.wait(Instant::now());
        if wait.is_zero() {
            context.request_repaint();
        } else {
            context.request_repaint_after(wait);
        }
    }

    /// How long the frame asked for at `now` has to wait.
    fn wait(&self, now: Instant) -> Duration {
        let interval = if self.is_fast.load(Ordering::Relaxed) { Self::FAST } else { Self::USUAL };
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let due = match *last {
            // A frame that is still to come serves everything until then.
            Some(last) if last > now => last,
            Some(last) => (last + interval).max(now),
            None => now,
        };
        *last = Some(due);
        due.saturating_duration_since(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn news_is_drawn_thirty_times_a_second_and_twice_as_often_under_the_hand() {
        let start = Instant::now();
        let frames = |pace: &Pace| {
            let mut shown: Vec<Duration> = Vec::new();
            for millisecond in 0..1000 {
                let now = start + Duration::from_millis(millisecond);
                let due = (now + pace.wait(now)).duration_since(start);
                if shown.last() != Some(&due) {
                    shown.push(due);
                }
            }
            shown
        };
        let usual = frames(&Pace::default());
        assert!((29..=32).contains(&usual.len()), "{usual:?}");
        let fast = Pace::default();
        fast.is_fast.store(true, Ordering::Relaxed);
        let fast = frames(&fast);
        assert!((60..=64).contains(&fast.len()), "{} frames", fast.len());
    }

    #[test]
    fn the_first_news_after_a_pause_is_drawn_at_once() {
        let pace = Pace::default();
        let start = Instant::now();
        assert_eq!(pace.wait(start), Duration::ZERO);
        assert!(!pace.wait(start + Duration::from_millis(1)).is_zero());
        assert_eq!(pace.wait(start + Duration::from_secs(9)), Duration::ZERO);
    }

    #[test]
    fn a_reason_comes_without_the_place_in_the_code() {
        assert_eq!(reason("os error at lib/src/mod.rs:765: DISPLAY is not set."), "DISPLAY is not set");
        assert_eq!(reason("no reason"), "no reason");
    }

    #[test]
    fn every_error_is_one_line_that_names_the_way_without_a_window() {
        let errors = [
            WindowError::NoDisplay("a".into()),
            WindowError::NoGraphics("b".into()),
            WindowError::NoLibrary("c".into()),
            WindowError::Other("d".into()),
        ];
        for error in errors {
            let text = error.to_string();
            assert!(text.contains("`vivarium run`") && !text.contains('\n'), "{text}");
        }
    }
}
