//! The entity list without its drawing: which rows to ask for, where the cursor goes, what is sorted.

use egui::Key;
use std::ops::Range;
use vivarium_world::Ordinal;
use vivarium_world::inspect::{EntityGroup, EntityPage, EntityRow, GroupBy, Sort, SortBy};

/// Rows asked for beyond the ones in sight, so that scrolling a little meets no gap.
const MARGIN: usize = 64;

/// The most rows one selection may take: each must be fetched once.
pub(super) const MOST_SELECTED: usize = 100_000;

/// The most selected entities whose rows stay when they are gone.
pub(super) const MOST_KEPT: usize = 200;

/// A line of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// The heading of a group, by its place.
    Heading(usize),
    /// A row.
    Row(usize),
}

/// What stands at a line: before the rows of each group stands its heading.
pub(super) fn line_at(groups: &[EntityGroup], line: usize) -> Line {
    let below = headings_until(groups, line);
    match below.checked_sub(1) {
        None => Line::Row(line),
        Some(group) if groups[group].first + group == line => Line::Heading(group),
        Some(group) => Line::Row(line - group - 1),
    }
}

/// How many headings stand at a line or before it.
fn headings_until(groups: &[EntityGroup], line: usize) -> usize {
    let (mut low, mut high) = (0, groups.len());
    while low < high {
        let middle = low.midpoint(high);
        match groups[middle].first + middle <= line {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    low
}

/// The line a row stands at.
pub(super) fn line_of(groups: &[EntityGroup], row: usize) -> usize {
    row + groups.partition_point(|group| group.first <= row)
}

/// What the heading of a group says.
pub(super) fn group_name(by: GroupBy, group: &EntityGroup) -> String {
    match (by, &*group.name) {
        (GroupBy::Class, "") => "no class".to_owned(),
        (_, "") => "no type".to_owned(),
        (_, name) => name.to_owned(),
    }
}

/// What a row is called, for screen readers.
pub(super) fn row_name(entity: &EntityRow) -> String {
    let name = crate::format::entity(&entity.type_name, entity.id);
    match (entity.gone, entity.dead, entity.changed) {
        (true, ..) => format!("{name}, gone"),
        (_, true, _) => format!("{name}, dead"),
        (_, _, true) => format!("{name}, changed this tick"),
        _ => name,
    }
}

/// A text with a stretch of it replaced, and where the caret is then: behind what came in.
pub(super) fn completed(text: &str, span: Range<usize>, by: &str) -> (String, usize) {
    let boundary =
        |at: usize| (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    let (start, end) = (boundary(span.start), boundary(span.end).max(boundary(span.start)));
    (format!("{}{by}{}", &text[..start], &text[end..]), start + by.len())
}

/// The rows to ask for so that those in `sight` are there. Starts at whole margins, so that scrolling by a
/// row seldom changes what is asked for.
pub(super) fn rows_for(sight: &Range<usize>) -> (usize, usize) {
    let first = (sight.start / MARGIN).saturating_sub(1) * MARGIN;
    let end = (sight.end / MARGIN + 2) * MARGIN;
    (first, end - first)
}

/// The row at place `index` of the whole list, if the page holds it.
pub(super) fn row_at(page: &EntityPage, index: usize) -> Option<&EntityRow> {
    page.rows.get(index.checked_sub(page.first)?)
}

/// The entities of a stretch from `anchor` to `cursor`, the cursor's last; none while the page does not hold
/// them all.
pub(super) fn stretch(page: &EntityPage, anchor: usize, cursor: usize) -> Option<Vec<Ordinal>> {
    let (low, high) = (anchor.min(cursor), anchor.max(cursor));
    let from = low.checked_sub(page.first)?;
    let rows = page.rows.get(from..=high - page.first)?;
    let mut ordinals: Vec<_> = rows.iter().map(|row| row.ordinal).collect();
    if cursor < anchor {
        ordinals.reverse();
    }
    Some(ordinals)
}

/// Where a key takes the cursor in a list of `len` rows of which `page` are in sight. None if the list is
/// empty or the key is another.
pub(super) fn moved(cursor: Option<usize>, key: Key, page: usize, len: usize) -> Option<usize> {
    let last = len.checked_sub(1)?;
    let page = page.saturating_sub(1).max(1);
    let to = match (key, cursor) {
        (Key::Home, _) => 0,
        (Key::End, _) => last,
        (Key::ArrowUp | Key::PageUp | Key::ArrowDown | Key::PageDown, None) => 0,
        (Key::ArrowUp, Some(at)) => at.saturating_sub(1),
        (Key::PageUp, Some(at)) => at.saturating_sub(page),
        (Key::ArrowDown, Some(at)) => at + 1,
        (Key::PageDown, Some(at)) => at + page,
        _ => return None,
    };
    Some(to.min(last))
}

/// The order after a click on the header of `by`: least first, then greatest first, then creation order.
pub(super) fn clicked(sort: &Sort, by: SortBy) -> Sort {
    if sort.by != by {
        return Sort { by, descending: false };
    }
    match (&sort.by, sort.descending) {
        (_, false) => Sort { by, descending: true },
        (_, true) => Sort::default(),
    }
}

/// `text` cut into the part before a fault, the fault and the part after it. A range that does not fit the
/// text, as after a further letter was typed, is cut to it.
pub(super) fn cut_at_fault<'a>(text: &'a str, fault: &Range<usize>) -> [&'a str; 3] {
    let boundary =
        |at: usize| (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    let start = boundary(fault.start);
    let end = boundary(fault.end).max(start);
    [&text[..start], &text[start..end], &text[end..]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    fn page() -> EntityPage {
        let mut page = Fixture::paused().snapshot.entities.unwrap();
        page.first = 100;
        page
    }

    #[test]
    fn headings_stand_before_the_rows_of_their_groups() {
        let group = |first, listed| EntityGroup { name: "".into(), first, listed, count: 3 };
        // The second and the last are closed.
        let groups = [group(0, 2), group(2, 0), group(2, 3), group(5, 0)];
        use Line::{Heading, Row};
        let lines = [Heading(0), Row(0), Row(1), Heading(1), Heading(2), Row(2), Row(3), Row(4), Heading(3)];
        for (at, line) in lines.into_iter().enumerate() {
            assert_eq!(line_at(&groups, at), line, "line {at}");
            if let Row(row) = line {
                assert_eq!(line_of(&groups, row), at, "row {row}");
            }
        }
        assert_eq!((line_at(&[], 7), line_of(&[], 7)), (Row(7), 7));
    }

    #[test]
    fn a_candidate_takes_the_place_of_the_word_that_was_begun() {
        assert_eq!(completed("class:ac dead", 6..8, "actor"), ("class:actor dead".to_owned(), 11));
        assert_eq!(completed("", 0..0, "with:"), ("with:".to_owned(), 5));
        assert_eq!(completed("aé", 2..9, "x"), ("ax".to_owned(), 2), "whatever the range");
    }

    #[test]
    fn rows_in_sight_are_asked_for_with_a_margin() {
        for sight in [0..40, 63..90, 64..100, 1_000..1_040] {
            let (first, count) = rows_for(&sight);
            assert!(
                first <= sight.start && first + count >= sight.end + MARGIN,
                "{sight:?}: {first} {count}"
            );
            assert!(sight.start < MARGIN || first + MARGIN <= sight.start, "{sight:?}: {first}");
        }
        assert_eq!(rows_for(&(200..230)), rows_for(&(210..240)));
    }

    #[test]
    fn rows_are_found_only_where_the_page_holds_them() {
        let page = page();
        assert_eq!(row_at(&page, 99), None);
        assert_eq!(row_at(&page, 102).unwrap().ordinal, Ordinal(2));
        assert_eq!(row_at(&page, 104), None);
    }

    #[test]
    fn a_stretch_ends_with_the_cursor_and_is_whole_or_nothing() {
        let page = page();
        assert_eq!(stretch(&page, 101, 103), Some(vec![Ordinal(1), Ordinal(2), Ordinal(3)]));
        assert_eq!(stretch(&page, 103, 101), Some(vec![Ordinal(3), Ordinal(2), Ordinal(1)]));
        assert_eq!(stretch(&page, 99, 101), None);
        assert_eq!(stretch(&page, 101, 104), None);
    }

    #[test]
    fn keys_move_the_cursor_and_stop_at_the_ends() {
        let cases = [
            (Some(5), Key::ArrowDown, Some(6)),
            (Some(99), Key::ArrowDown, Some(99)),
            (Some(0), Key::ArrowUp, Some(0)),
            (Some(5), Key::PageDown, Some(14)),
            (Some(5), Key::PageUp, Some(0)),
            (Some(5), Key::End, Some(99)),
            (None, Key::ArrowDown, Some(0)),
            (Some(5), Key::A, None),
        ];
        for (cursor, key, to) in cases {
            assert_eq!(moved(cursor, key, 10, 100), to, "{cursor:?} {key:?}");
        }
        assert_eq!(moved(None, Key::End, 10, 0), None);
    }

    #[test]
    fn a_header_is_clicked_up_down_and_back() {
        let up = clicked(&Sort::default(), SortBy::Type);
        let down = clicked(&up, SortBy::Type);
        assert_eq!(up, Sort { by: SortBy::Type, descending: false });
        assert_eq!(down, Sort { by: SortBy::Type, descending: true });
        assert_eq!(clicked(&down, SortBy::Type), Sort::default());
        assert_eq!(clicked(&down, SortBy::Class), Sort { by: SortBy::Class, descending: false });
    }

    #[test]
    fn a_fault_is_cut_out_whatever_its_range() {
        assert_eq!(cut_at_fault("wiht:velocity", &(0..4)), ["", "wiht", ":velocity"]);
        assert_eq!(cut_at_fault("ab", &(1..9)), ["a", "b", ""]);
        assert_eq!(cut_at_fault("aé", &(2..3)), ["a", "é", ""]);
        assert_eq!(cut_at_fault("ab", &(7..9)), ["ab", "", ""]);
    }
}
