//! The search box: what is typed, and what could be typed next.

use super::model;
use crate::theme::Palette;
use crate::view::View;
use egui::text::{CCursor, CCursorRange, LayoutJob};
use egui::text_selection::text_cursor_state::{byte_index_from_char_index, char_index_from_byte_index};
use egui::{
    FontSelection, Id, Key, Modifiers, Popup, PopupCloseBehavior, RichText, ScrollArea, Stroke, TextBuffer,
    TextEdit, TextFormat, Ui,
};
use std::ops::Range;
use vivarium_world::{Candidate, CandidateKind, Language, complete};

/// Candidates in sight at once; the others are scrolled to.
const HEIGHT: f32 = 220.0;

/// A query being typed.
#[derive(Default)]
pub(super) struct SearchBox {
    text: String,
    focus: bool,
    /// Whether candidates are offered, and the one the keyboard is at.
    offered: Option<usize>,
    /// Where the caret was, in bytes.
    caret: usize,
}

impl SearchBox {
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn set_text(&mut self, text: String) {
        (self.text, self.offered) = (text, None);
    }

    pub(super) fn focus(&mut self) {
        self.focus = true;
    }

    /// Draws it, with `fault` underlined. Whether the text changed.
    pub(super) fn ui(&mut self, ui: &mut Ui, view: &View<'_>, fault: Option<&Range<usize>>) -> bool {
        let id = Id::unique("search entities");
        let completion =
            self.offered.map(|_| complete(&self.text, self.caret, Language::Query, &*view.snapshot.catalog));
        let candidates = completion.as_ref().map_or(&[][..], |completion| &completion.candidates);
        let mut chosen = self.keys(ui, id, candidates);
        let mut layouter = |ui: &Ui, text: &dyn TextBuffer, width: f32| {
            let job = underlined(ui, text.as_str(), fault, width);
            ui.fonts_mut(|fonts| fonts.layout_job(job))
        };
        let edit = TextEdit::singleline(&mut self.text)
            .id(id)
            .lock_focus(!candidates.is_empty())
            .hint_text("Search: guardian, class:actor, health.health < 10")
            .desired_width(f32::INFINITY)
            .layouter(&mut layouter);
        let output = edit.show(ui);
        let response = output.response.response.accessible_name("Search entities").on_hover_text(
            "Terms side by side must all hold; also or, not, ( ). A word: in type or id. type: class: with: without: \
             id: static dead. Comparisons: component.field < <= = != >= > a number or another field. Ctrl+Space \
             offers what could follow.",
        );
        if std::mem::take(&mut self.focus) {
            response.request_focus();
        }
        if let Some(range) = output.cursor_range {
            self.caret = byte_index_from_char_index(&self.text, range.primary.index).0;
        }
        let changed = response.changed();
        if changed {
            self.offered = Some(0);
        }
        if let Some(at) = self.offered.filter(|_| !candidates.is_empty()) {
            let popup = Popup::from_response(&response)
                .id(id.with("candidates"))
                .open(true)
                .close_behavior(PopupCloseBehavior::IgnoreClicks)
                .accessible_name("What could follow");
            let shown = popup.show(|ui| list(ui, candidates, at));
            let at_pointer = ui.input(|input| input.pointer.latest_pos());
            let is_pressed = shown.as_ref().zip(at_pointer).is_some_and(|(shown, at)| {
                shown.response.rect.contains(at) && ui.input(|i| i.pointer.any_down())
            });
            if let Some(clicked) = shown.and_then(|shown| shown.inner) {
                chosen = Some(clicked);
            } else if !response.has_focus() && !changed && !is_pressed {
                // A press on a candidate takes the keyboard away before it is a click.
                self.offered = None;
            }
        }
        let taken = completion.as_ref().zip(chosen).and_then(|(completion, at)| {
            Some((completion.span.clone(), completion.candidates.get(at)?.text.clone()))
        });
        if let Some((span, text)) = taken {
            let (whole, caret) = model::completed(&self.text, span, &text);
            (self.text, self.caret, self.offered) = (whole, caret, None);
            let at = CCursor::new(char_index_from_byte_index(&self.text, caret.into()));
            let mut state = output.state;
            state.cursor.set_char_range(Some(CCursorRange::one(at)));
            state.store(ui.ctx(), id);
            ui.memory_mut(|memory| memory.request_focus(id));
            return true;
        }
        changed
    }

    /// The keys of the list of candidates; gives the one that is taken.
    fn keys(&mut self, ui: &mut Ui, id: Id, candidates: &[Candidate]) -> Option<usize> {
        if !ui.memory(|memory| memory.has_focus(id)) {
            return None;
        }
        if ui.input_mut(|input| input.consume_key(Modifiers::COMMAND, Key::Space)) {
            self.offered = Some(0);
        }
        let at = self.offered.filter(|_| !candidates.is_empty())?;
        let pressed = |ui: &mut Ui, key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
        if pressed(ui, Key::Escape) {
            self.offered = None;
            return None;
        }
        let at = at.min(candidates.len() - 1);
        let moved = match (pressed(ui, Key::ArrowDown), pressed(ui, Key::ArrowUp)) {
            (true, false) => (at + 1).min(candidates.len() - 1),
            (false, true) => at.saturating_sub(1),
            _ => at,
        };
        self.offered = Some(moved);
        pressed(ui, Key::Tab).then_some(moved)
    }
}

/// The candidates; gives the one that is clicked.
fn list(ui: &mut Ui, candidates: &[Candidate], at: usize) -> Option<usize> {
    let mut clicked = None;
    ui.set_min_width(240.0);
    ui.weak("Tab takes the marked one, arrows move, Esc closes");
    ScrollArea::vertical().max_height(HEIGHT).show(ui, |ui| {
        for (place, candidate) in candidates.iter().enumerate() {
            ui.horizontal(|ui| {
                let response = ui.selectable_label(place == at, &candidate.text);
                if place == at && !ui.clip_rect().contains_rect(response.rect) {
                    response.scroll_to_me(None);
                }
                if response.clicked() {
                    clicked = Some(place);
                }
                let kind = match candidate.kind {
                    CandidateKind::Language => "",
                    CandidateKind::Component => "component",
                    CandidateKind::Field => "field",
                    CandidateKind::Type => "type",
                    CandidateKind::Class => "class",
                    CandidateKind::Value => "value",
                };
                let detail = format!("{kind} {}", candidate.detail);
                ui.label(RichText::new(detail.trim()).weak().small());
            });
        }
    });
    clicked
}

/// The text of the search box with what is at fault underlined.
fn underlined(ui: &Ui, text: &str, fault: Option<&Range<usize>>, width: f32) -> LayoutJob {
    let palette = Palette::of(ui.visuals());
    let font = FontSelection::default().resolve(ui.style());
    let plain = TextFormat::simple(font, palette.text);
    let mut job = LayoutJob::default();
    job.wrap.max_width = width;
    job.break_on_newline = false;
    match fault {
        None => job.append(text, 0.0, plain),
        Some(fault) => {
            let [before, wrong, after] = model::cut_at_fault(text, fault);
            let underline = Stroke::new(2.0, palette.error);
            job.append(before, 0.0, plain.clone());
            job.append(wrong, 0.0, TextFormat { underline, color: palette.error, ..plain.clone() });
            job.append(after, 0.0, plain);
        }
    }
    job
}
