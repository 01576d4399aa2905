//! Messages that rise in the corner for a moment. Whatever matters is in the log as well.

use egui::{Align2, Area, Color32, Context, Frame, Id, Order, RichText, vec2};
use std::time::Duration;
use vivarium_panels::Palette;
use vivarium_world::LogLevel;

/// The messages that are showing, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Toasts {
    list: Vec<Toast>,
    /// Numbers the messages, so that each keeps its own place.
    next: u64,
}

#[derive(Debug)]
struct Toast {
    number: u64,
    level: LogLevel,
    text: String,
    /// How often it was said.
    times: u32,
    /// Interface time at which it goes; none until it was first drawn.
    until: Option<f64>,
}

impl Toasts {
    /// How many show at once.
    const LIMIT: usize = 4;

    /// Says something. The same thing said again is counted instead of repeated.
    pub(crate) fn push(&mut self, level: LogLevel, text: impl Into<String>) {
        let text = text.into();
        if let Some(toast) = self.list.iter_mut().find(|toast| toast.level == level && toast.text == text) {
            toast.times += 1;
            toast.until = None;
            return;
        }
        self.list.push(Toast { number: self.next, level, text, times: 1, until: None });
        self.next += 1;
        if self.list.len() > Self::LIMIT {
            self.list.remove(0);
        }
    }

    /// Takes away the errors that begin so: what they tell of is no longer true.
    pub(crate) fn withdraw_errors(&mut self, beginning: &str) {
        self.list.retain(|toast| toast.level != LogLevel::Error || !toast.text.starts_with(beginning));
    }

    /// Draws them in the lower right corner, and takes away what showed long enough or was dismissed.
    pub(crate) fn ui(&mut self, context: &Context) {
        let now = context.input(|input| input.time);
        for toast in &mut self.list {
            let until = *toast.until.get_or_insert(now + lifetime(toast.level).as_secs_f64());
            let wait = (until - now).max(0.0);
            context.request_repaint_after(Duration::from_secs_f64(wait));
        }
        self.list.retain(|toast| toast.until.is_none_or(|until| until > now));
        let mut above = 34.0;
        let mut dismissed = None;
        for toast in self.list.iter_mut().rev() {
            let (height, state) = toast.ui(context, above);
            above += height + 6.0;
            match state {
                State::Shows => {}
                State::Hovered => toast.until = None,
                State::Dismissed => dismissed = Some(toast.number),
            }
        }
        self.list.retain(|toast| Some(toast.number) != dismissed);
    }
}

/// How long a message shows.
fn lifetime(level: LogLevel) -> Duration {
    match level {
        LogLevel::Info => Duration::from_secs(4),
        LogLevel::Warning => Duration::from_secs(8),
        LogLevel::Error => Duration::from_secs(12),
    }
}

enum State {
    Shows,
    Hovered,
    Dismissed,
}

impl Toast {
    /// Draws it so far above the lower edge, and says how high it is.
    fn ui(&self, context: &Context, above: f32) -> (f32, State) {
        let palette = Palette::of(&context.global_style().visuals);
        let (word, colour) = match self.level {
            LogLevel::Info => ("Note", palette.accent),
            LogLevel::Warning => ("Warning", palette.warn),
            LogLevel::Error => ("Error", palette.error),
        };
        let area = Area::new(Id::unique(("toast", self.number)))
            .order(Order::Foreground)
            .anchor(Align2::RIGHT_BOTTOM, vec2(-12.0, -above))
            .accessible_name(word);
        let shown = area.show(context, |ui| {
            let frame = Frame::popup(ui.style()).stroke((1.0, colour));
            frame.show(ui, |ui| self.content(ui, word, colour)).inner
        });
        let state = if shown.inner {
            State::Dismissed
        } else if shown.response.contains_pointer() {
            State::Hovered
        } else {
            State::Shows
        };
        (shown.response.rect.height(), state)
    }

    /// Whether it was dismissed.
    fn content(&self, ui: &mut egui::Ui, word: &str, colour: Color32) -> bool {
        ui.set_max_width(420.0);
        let mut dismissed = false;
        ui.horizontal(|ui| {
            ui.label(RichText::new(word).strong().color(colour));
            if self.times > 1 {
                ui.weak(format!("× {}", self.times));
            }
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                dismissed = ui.small_button("Dismiss").clicked();
            });
        });
        ui.label(&self.text);
        dismissed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui_kittest::{Harness, kittest::Queryable};

    fn harness() -> Harness<'static, Toasts> {
        Harness::builder().build_ui_state(|ui, toasts: &mut Toasts| toasts.ui(ui.ctx()), Toasts::default())
    }

    #[test]
    fn a_message_shows_and_goes_by_itself() {
        let mut harness = harness();
        harness.state_mut().push(LogLevel::Info, "saved harbor.json");
        harness.run_steps(2);
        assert!(harness.query_by_label("saved harbor.json").is_some());
        harness.run_steps(20);
        assert!(harness.query_by_label("saved harbor.json").is_none());
    }

    #[test]
    fn an_error_stays_longer_and_can_be_dismissed() {
        let mut harness = harness();
        harness.state_mut().push(LogLevel::Error, "no such file");
        harness.run_steps(32);
        assert!(harness.query_by_label("no such file").is_some());
        harness.get_by_label("Dismiss").click();
        harness.run_steps(2);
        assert!(harness.query_by_label("no such file").is_none());
    }

    #[test]
    fn the_same_message_is_counted() {
        let mut harness = harness();
        for _ in 0..3 {
            harness.state_mut().push(LogLevel::Warning, "slow");
        }
        harness.run_steps(2);
        assert!(harness.query_by_label("slow").is_some());
        assert!(harness.query_by_label("× 3").is_some());
    }

    #[test]
    fn the_oldest_makes_room() {
        let mut toasts = Toasts::default();
        for n in 0..9 {
            toasts.push(LogLevel::Info, format!("message {n}"));
        }
        let texts: Vec<&str> = toasts.list.iter().map(|toast| toast.text.as_str()).collect();
        assert_eq!(texts, ["message 5", "message 6", "message 7", "message 8"]);
    }
}
