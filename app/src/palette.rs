//! The command palette: everything that can be done, found by typing a few of its letters.

use crate::keys::{self, Action, Entry};
use crate::ui::is_possible;
use egui::{Align2, Context, Id, Key, Modifiers, RichText, ScrollArea, TextEdit, vec2};
use std::path::PathBuf;
use vivarium_panels::View;
use vivarium_world::SystemId;

/// What a line of the palette does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Choice {
    /// An action of the table.
    Action(Action),
    /// Open a sample.
    Sample(String),
    /// Open a file.
    Path(PathBuf),
    /// Create an entity from a template.
    Spawn(String),
    /// Select a system.
    System(SystemId),
}

/// A line of the palette.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// What it does.
    pub choice: Choice,
    /// What it is called, and found by.
    pub title: String,
    /// Its keys, or what kind of thing it is.
    pub note: String,
}

/// Everything that can be done right now.
pub(crate) fn items(
    context: &Context,
    table: &[Entry],
    view: &View<'_>,
    can_undo: (bool, bool),
) -> Vec<Item> {
    let possible =
        |entry: &&Entry| entry.action != Action::Palette && is_possible(entry.action, view, can_undo);
    let actions = table.iter().filter(possible).map(|entry| Item {
        choice: Choice::Action(entry.action),
        title: format!("{}: {}", entry.menu.title(), entry.title),
        note: keys::keys_text(context, entry),
    });
    let samples = view.samples.iter().map(|sample| Item {
        choice: Choice::Sample(sample.name.clone()),
        title: format!("Open sample: {}", sample.name),
        note: "sample".into(),
    });
    let recent = view.recent.iter().map(|path| Item {
        choice: Choice::Path(path.clone()),
        title: format!("Open file: {}", path.display()),
        note: "recent".into(),
    });
    let templates = view.snapshot.catalog.templates.iter().map(|template| Item {
        choice: Choice::Spawn(template.name.clone()),
        title: format!("Spawn: {}", template.name),
        note: "template".into(),
    });
    let systems = view.snapshot.systems.iter().map(|system| Item {
        choice: Choice::System(system.id),
        title: format!("Go to system: {}", system.name),
        note: "system".into(),
    });
    actions.chain(samples).chain(recent).chain(templates).chain(systems).collect()
}

/// How well `typed` fits `title`; none if a letter of it is missing. Letters count in order, whatever lies
/// between; those that follow each other or begin a word count more.
fn score(title: &str, typed: &str) -> Option<i32> {
    let title: Vec<char> = title.to_lowercase().chars().collect();
    let mut at = 0;
    let mut score = 0;
    let mut last = None;
    for letter in typed.to_lowercase().chars().filter(|letter| !letter.is_whitespace()) {
        let follows = last.is_some_and(|last: usize| title.get(last + 1) == Some(&letter));
        let found = match last {
            Some(last) if follows => last + 1,
            _ => at + title[at..].iter().position(|other| *other == letter)?,
        };
        let begins = found == 0 || !title[found - 1].is_alphanumeric();
        score += if follows { 3 } else { 0 } + if begins { 2 } else { 0 };
        last = Some(found);
        at = found + 1;
    }
    Some(score)
}

/// The lines that fit what was typed, the best first; equally good ones keep their order.
fn matching<'a>(items: &'a [Item], typed: &str) -> Vec<&'a Item> {
    let mut found: Vec<(i32, &Item)> =
        items.iter().filter_map(|item| Some((score(&item.title, typed)?, item))).collect();
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found.into_iter().map(|(_, item)| item).collect()
}

/// The palette while it is open.
#[derive(Debug, Default)]
pub(crate) struct PaletteWindow {
    open: bool,
    typed: String,
    at: usize,
}

impl PaletteWindow {
    /// Opens it, empty; closes it if it is open.
    pub(crate) fn toggle(&mut self) {
        *self = Self { open: !self.open, ..Self::default() };
    }

    /// Whether it is open.
    pub(crate) fn is_open(&self) -> bool {
        self.open
    }

    /// Draws it, and returns what was chosen.
    pub(crate) fn ui(&mut self, context: &Context, items: &[Item]) -> Option<Choice> {
        if !self.open {
            return None;
        }
        let found = matching(items, &self.typed);
        self.at = self.at.min(found.len().saturating_sub(1));
        let (moved, enter, escape) = context.input_mut(|input| {
            let down = input.count_and_consume_key(Modifiers::NONE, Key::ArrowDown);
            let up = input.count_and_consume_key(Modifiers::NONE, Key::ArrowUp);
            let enter = input.consume_key(Modifiers::NONE, Key::Enter);
            (down as isize - up as isize, enter, input.consume_key(Modifiers::NONE, Key::Escape))
        });
        self.at = self.at.saturating_add_signed(moved).min(found.len().saturating_sub(1));
        let mut chosen = if enter { found.get(self.at).map(|item| item.choice.clone()) } else { None };
        let area = egui::Modal::default_area(Id::unique("palette"))
            .anchor(Align2::CENTER_TOP, vec2(0.0, 60.0))
            .accessible_name("All commands");
        let modal = egui::Modal::new(Id::unique("palette")).area(area).show(context, |ui| {
            ui.set_width(520.0);
            self.field(ui);
            ui.separator();
            if found.is_empty() {
                ui.weak("Nothing is called that.");
            }
            if let Some(clicked) = self.list(ui, &found, moved != 0) {
                chosen = Some(clicked);
            }
        });
        if chosen.is_some() || escape || modal.should_close() {
            *self = Self::default();
        }
        chosen
    }

    fn field(&mut self, ui: &mut egui::Ui) {
        let hint = "Type a few letters of a command";
        let field = TextEdit::singleline(&mut self.typed).hint_text(hint).desired_width(f32::INFINITY);
        let response = ui.add(field);
        response.request_focus();
        if response.changed() {
            self.at = 0;
        }
    }

    fn list(&self, ui: &mut egui::Ui, found: &[&Item], moved: bool) -> Option<Choice> {
        let mut chosen = None;
        ScrollArea::vertical().max_height(360.0).show(ui, |ui| {
            for (n, item) in found.iter().enumerate() {
                let mut button = egui::Button::selectable(n == self.at, &item.title);
                if !item.note.is_empty() {
                    button = button.right_text(RichText::new(&item.note).weak());
                }
                let button = button.min_size(vec2(ui.available_width(), 0.0));
                let response = ui.add(button);
                if n == self.at && moved {
                    response.scroll_to_me(None);
                }
                if response.clicked() {
                    chosen = Some(item.choice.clone());
                }
            }
        });
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(typed: &str) -> Vec<String> {
        let titles =
            ["File: Save", "File: Save as…", "Run: Step", "View: Reset layout", "Go to system: flock"];
        let items: Vec<Item> = titles
            .iter()
            .map(|title| Item {
                choice: Choice::Sample((*title).into()),
                title: (*title).into(),
                note: String::new(),
            })
            .collect();
        matching(&items, typed).into_iter().map(|item| item.title.clone()).collect()
    }

    #[test]
    fn nothing_typed_shows_everything_in_order() {
        assert_eq!(titles("").len(), 5);
        assert_eq!(titles("  ")[0], "File: Save");
    }

    #[test]
    fn letters_in_order_find_a_line_whatever_lies_between() {
        assert_eq!(titles("rsl"), ["View: Reset layout"]);
        assert_eq!(titles("FLOCK"), ["Go to system: flock"]);
        assert_eq!(titles("save as"), ["File: Save as…"]);
        assert!(titles("xyz").is_empty());
    }

    #[test]
    fn whole_words_come_before_scattered_letters() {
        assert_eq!(titles("step")[0], "Run: Step");
        assert_eq!(titles("sys")[0], "Go to system: flock");
    }
}
