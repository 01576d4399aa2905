//! What the journal shows, in words.

use crate::theme::Palette;
use crate::view::View;
use crate::{format, widgets};
use egui::Color32;
use std::ops::Range;
use vivarium_world::inspect::{JournalRow, JournalView};
use vivarium_world::{Asker, JournalKind, Ordinal};

/// The rows to ask for when these were in sight: some more on both sides, for scrolling.
pub(super) fn rows_for(sight: &Range<usize>) -> (usize, usize) {
    const MORE: usize = 40;
    let first = sight.start.saturating_sub(MORE);
    (first, sight.end + MORE - first)
}

/// The kinds that are left when some are hidden; none stands for all of them.
pub(super) fn kinds_without(hidden: &[JournalKind]) -> Vec<JournalKind> {
    match hidden.is_empty() {
        true => Vec::new(),
        false => JournalKind::ALL.into_iter().filter(|kind| !hidden.contains(kind)).collect(),
    }
}

/// `4 entries · 12 dropped · 2.0 KB`, and how many match.
pub(super) fn summary(journal: &JournalView) -> String {
    let mut text = match journal.matching == journal.kept {
        true => format::counted(journal.kept, "entry"),
        false => format!("{} entries", widgets::shown_of(journal.matching, journal.kept)),
    };
    if journal.dropped > 0 {
        text.push_str(&format!(" · {} dropped", format::count(journal.dropped)));
    }
    format!("{text} · {}", format::bytes(journal.bytes))
}

/// Why no row is shown.
pub(super) fn why_empty(journal: &JournalView) -> &'static str {
    match (journal.kept, journal.is_recording) {
        (0, false) => {
            "Nothing is recorded. Press Record to see what happens to entities, and who asked for it."
        }
        (0, true) => "Nothing happened yet",
        _ => "No entry matches",
    }
}

/// A sign for a kind, and its colour.
pub(super) fn sign(kind: JournalKind, palette: &Palette) -> (&'static str, Color32) {
    match kind {
        JournalKind::Created => ("+", palette.good),
        JournalKind::Changed => ("~", palette.accent),
        JournalKind::Killed => ("x", palette.error),
        JournalKind::Removed => ("-", palette.warn),
        JournalKind::ComponentAdded => (">", palette.good),
        JournalKind::ComponentRemoved => ("<", palette.warn),
    }
}

/// The fields of an entity, `component.field`: of the components it has as far as that is known, else of all.
pub(super) fn fields_of(view: &View<'_>, entity: Ordinal) -> Vec<String> {
    let rows = view.snapshot.entities.as_ref().map_or(&[][..], |page| &page.rows);
    let has: Option<Vec<_>> = match view.detail(entity) {
        Some(detail) => Some(detail.components.iter().map(|state| state.component).collect()),
        None => rows.iter().find(|row| row.ordinal == entity).map(|row| row.components.clone()),
    };
    let components = view.snapshot.catalog.components.iter();
    let its = components.filter(|component| has.as_ref().is_none_or(|has| has.contains(&component.id)));
    let fields = its.flat_map(|component| {
        component.fields.iter().map(|field| format!("{}.{}", component.name, field.name))
    });
    fields.collect()
}

pub(super) fn class_text(class: &str) -> String {
    if class.is_empty() { "no class".to_owned() } else { format!("class {class}") }
}

pub(super) fn asker_text(by: Asker, name: &str) -> &str {
    match by {
        Asker::System(_) => name,
        Asker::Hand => "by hand",
        Asker::World => "world",
    }
}

/// `health: 60 → 58`
pub(super) fn change_text(row: &JournalRow, view: &View<'_>) -> String {
    let Some(change) = &row.change else { return String::new() };
    let component = row.component.and_then(|component| view.snapshot.catalog.component(component));
    let Some(field) = component.and_then(|component| component.fields.get(change.field)) else {
        return format!("{} → {}", change.before, change.after);
    };
    let text = |value| widgets::field_text(field, value, view);
    format!("{}: {} → {}", field.name, text(&change.before), text(&change.after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    #[test]
    fn rows_around_those_in_sight_are_asked_for() {
        assert_eq!(rows_for(&(0..0)), (0, 40));
        assert_eq!(rows_for(&(100..130)), (60, 110));
    }

    #[test]
    fn hidden_kinds_are_left_out_and_none_hidden_asks_for_all() {
        assert!(kinds_without(&[]).is_empty());
        let left = kinds_without(&[JournalKind::Created, JournalKind::Changed]);
        assert_eq!(left.len(), JournalKind::ALL.len() - 2);
        assert!(!left.contains(&JournalKind::Changed));
    }

    #[test]
    fn the_summary_says_what_is_kept_dropped_and_shown() {
        let fixture = Fixture::paused();
        let mut journal = fixture.snapshot.journal.clone().unwrap();
        assert_eq!(summary(&journal), "4 entries · 12 dropped · 2.0 KB");
        journal.matching = 1;
        journal.dropped = 0;
        assert_eq!(summary(&journal), "1 of 4 entries · 2.0 KB");
    }

    #[test]
    fn the_fields_to_watch_are_those_of_the_components_an_entity_has() {
        let fixture = Fixture::paused();
        let fields = |ordinal| fields_of(&fixture.view(), Ordinal(ordinal));
        assert!(fields(2).contains(&"health.health".to_owned()), "looked into");
        assert_eq!(fields(0).last().unwrap(), "body.colour", "in the list");
        assert_eq!(fields(99).last().unwrap(), "label.text", "unknown");
    }

    #[test]
    fn a_change_is_told_with_its_field_before_and_after() {
        let fixture = Fixture::paused();
        let journal = fixture.snapshot.journal.as_ref().unwrap();
        let texts: Vec<_> = journal.rows.iter().map(|row| change_text(row, &fixture.view())).collect();
        assert_eq!(texts, ["", "", "health: 60 → 58", ""]);
        let unknown = JournalRow { component: None, ..journal.rows[2].clone() };
        assert_eq!(change_text(&unknown, &fixture.view()), "60 → 58");
    }
}
