//! Where the strips of a pool stand: groups under each other, each with a heading and its strips in columns.

use egui::{Pos2, Rect, pos2, vec2};
use std::ops::Range;

/// Cells of a strip.
pub(super) const CELLS: u32 = 64;
/// Room between strips, in points.
const BETWEEN: (f32, f32) = (10.0, 2.0);

/// Strips of a given size in a given width.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Geometry {
    cell: f32,
    columns: usize,
    groups: Vec<Group>,
    height: f32,
}

#[derive(Clone, Debug, PartialEq)]
struct Group {
    /// Where its heading begins.
    top: f32,
    /// Its strips, counted through all groups.
    strips: Range<usize>,
}

impl Geometry {
    /// Room of a group's heading.
    pub(super) const HEADING: f32 = 24.0;

    /// Groups of so many strips, with cells `cell` points wide and high, in a room `width` wide.
    pub(super) fn new(groups: impl IntoIterator<Item = usize>, cell: f32, width: f32) -> Self {
        let columns = ((width + BETWEEN.0) / (CELLS as f32 * cell + BETWEEN.0)).floor().max(1.0) as usize;
        let (mut top, mut first, mut placed) = (0.0, 0, Vec::new());
        for strips in groups {
            placed.push(Group { top, strips: first..first + strips });
            top += Self::HEADING + strips.div_ceil(columns) as f32 * (cell + BETWEEN.1) + 6.0;
            first += strips;
        }
        Self { cell, columns, groups: placed, height: top }
    }

    pub(super) fn height(&self) -> f32 {
        self.height
    }

    /// How wide all columns are.
    pub(super) fn width(&self) -> f32 {
        self.columns as f32 * (CELLS as f32 * self.cell + BETWEEN.0) - BETWEEN.0
    }

    /// The headings within a stretch from top to bottom: which group, and where it begins.
    pub(super) fn headings(&self, within: Range<f32>) -> impl Iterator<Item = (usize, f32)> {
        let tops = self.groups.iter().map(|group| group.top).enumerate();
        tops.filter(move |(_, top)| *top < within.end && top + Self::HEADING > within.start)
    }

    /// The strips that can be seen within a stretch from top to bottom, and perhaps some more beside them.
    pub(super) fn strips(&self, within: Range<f32>) -> Range<usize> {
        let step = self.cell + BETWEEN.1;
        let mut seen: Option<Range<usize>> = None;
        for group in &self.groups {
            let begin = group.top + Self::HEADING;
            let line = |y: f32| ((y - begin) / step).floor().max(0.0) as usize;
            let first = group.strips.start + line(within.start) * self.columns;
            let last = group.strips.start + (line(within.end) + 1) * self.columns;
            let part = first.min(group.strips.end)..last.min(group.strips.end);
            if within.end > begin && !part.is_empty() {
                seen = Some(seen.map_or(part.start, |seen| seen.start)..part.end);
            }
        }
        seen.unwrap_or(0..0)
    }

    /// Where a strip is.
    pub(super) fn place(&self, strip: usize) -> Option<Rect> {
        let group = self.groups.iter().find(|group| group.strips.contains(&strip))?;
        let at = strip - group.strips.start;
        let (column, line) = (at % self.columns, at / self.columns);
        let size = vec2(CELLS as f32 * self.cell, self.cell);
        let left = column as f32 * (size.x + BETWEEN.0);
        let top = group.top + Self::HEADING + line as f32 * (size.y + BETWEEN.1);
        Some(Rect::from_min_size(pos2(left, top), size))
    }

    /// The strip at a point, and the cell in it.
    pub(super) fn at(&self, point: Pos2) -> Option<(usize, u32)> {
        self.strips(point.y..point.y).find_map(|strip| {
            let place = self.place(strip)?;
            let cell = ((point.x - place.left()) / self.cell).floor() as u32;
            place.contains(point).then_some((strip, cell.min(CELLS - 1)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_groups() -> Geometry {
        Geometry::new([5, 3], 4.0, 600.0)
    }

    #[test]
    fn strips_stand_in_as_many_columns_as_fit_and_at_least_one() {
        assert_eq!(two_groups().columns, 2);
        assert_eq!(Geometry::new([5], 8.0, 100.0).columns, 1);
        assert_eq!(two_groups().width(), 522.0);
    }

    #[test]
    fn every_strip_is_found_where_it_stands() {
        let geometry = two_groups();
        for strip in 0..8 {
            let place = geometry.place(strip).unwrap();
            assert_eq!(geometry.at(place.min + vec2(0.5, 0.5)), Some((strip, 0)));
            assert_eq!(geometry.at(place.min + vec2(63.5 * 4.0, 3.5)), Some((strip, 63)));
            assert!(place.bottom() <= geometry.height());
        }
        assert_eq!(geometry.place(8), None);
        assert_eq!(geometry.at(pos2(5.0, 5.0)), None, "a heading");
        assert_eq!(geometry.at(pos2(9_999.0, 30.0)), None);
    }

    #[test]
    fn only_strips_and_headings_in_sight_are_told() {
        let geometry = Geometry::new([1_000, 10], 4.0, 600.0);
        let seen = geometry.strips(600.0..660.0);
        assert!(seen.len() <= 24 && seen.len() >= 20, "{seen:?}");
        assert!(seen.clone().all(|strip| {
            let place = geometry.place(strip).unwrap();
            place.bottom() > 590.0 && place.top() < 670.0
        }));
        assert_eq!(geometry.headings(600.0..660.0).count(), 0);
        let all = geometry.strips(0.0..geometry.height());
        assert_eq!(all, 0..1_010);
        assert_eq!(geometry.headings(0.0..geometry.height()).count(), 2);
        assert_eq!(Geometry::new([], 4.0, 600.0).strips(0.0..100.0), 0..0);
    }
}
