//! Where the boxes of the graph stand: those a system waits for, the system, those that wait for it.

use egui::{Pos2, Rect, Vec2, pos2, vec2};
use std::ops::RangeInclusive;

/// Height of a box.
const HEIGHT: f32 = 26.0;
/// Width of a box, by the room there is.
const BOX: RangeInclusive<f32> = 96.0..=150.0;
/// Length of the bent part of an edge.
const BEND: f32 = 40.0;
/// Length of the text on an edge, by the room that is left.
const TEXT: RangeInclusive<f32> = 90.0..=220.0;
const GAP: f32 = 10.0;

/// The boxes, from the left upper corner of the graph.
#[derive(Debug, PartialEq)]
pub(super) struct GraphLayout {
    pub(super) size: Vec2,
    /// Length of the text on an edge.
    text: f32,
    /// The system itself.
    pub(super) centre: Rect,
    /// Those it waits for, at the left.
    pub(super) before: Vec<Rect>,
    /// Those that wait for it, at the right.
    pub(super) after: Vec<Rect>,
}

impl GraphLayout {
    /// Boxes for so many systems on either side, as wide as `width` if they can be, and the system itself as near to
    /// `middle`, from the top, as it can be.
    pub(super) fn new(before: usize, after: usize, width: f32, middle: f32) -> Self {
        let size = vec2((width / 6.0).clamp(*BOX.start(), *BOX.end()), HEIGHT);
        let text = ((width - 3.0 * size.x) / 2.0 - BEND).clamp(*TEXT.start(), *TEXT.end());
        let rows = before.max(after).max(1) as f32;
        let height = rows * (HEIGHT + GAP) + GAP;
        let centre = size.x + text + BEND;
        let top = |count: usize| {
            let own = count as f32 * (HEIGHT + GAP) + GAP;
            (middle - own / 2.0).min(height - own).max(0.0) + GAP
        };
        let column = |count: usize, left: f32| {
            let top = top(count);
            let place = move |n: usize| pos2(left, top + n as f32 * (HEIGHT + GAP));
            (0..count).map(move |n| Rect::from_min_size(place(n), size)).collect()
        };
        Self {
            size: vec2(2.0 * centre + size.x, height),
            text,
            centre: Rect::from_min_size(pos2(centre, top(1)), size),
            before: column(before, 0.0),
            after: column(after, 2.0 * centre),
        }
    }

    /// The points of the edge between a neighbour and the centre: a straight part for its text, then a bend. From
    /// who is waited for to who waits.
    pub(super) fn edge(&self, neighbour: Rect) -> [Pos2; 5] {
        let (text, bend) = (vec2(self.text, 0.0), vec2(BEND / 2.0, 0.0));
        if neighbour.left() < self.centre.left() {
            let (from, to) = (neighbour.right_center(), self.centre.left_center());
            [from, from + text, from + text + bend, to - bend, to]
        } else {
            let (from, to) = (self.centre.right_center(), neighbour.left_center());
            [from, from + bend, to - text - bend, to - text, to]
        }
    }

    /// Where the text of that edge stands.
    pub(super) fn text(&self, neighbour: Rect) -> Rect {
        let room = vec2(self.text - 12.0, HEIGHT);
        if neighbour.left() < self.centre.left() {
            Rect::from_min_size(neighbour.right_top() + vec2(6.0, 0.0), room)
        } else {
            Rect::from_min_size(neighbour.left_top() - vec2(self.text - 6.0, 0.0), room)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_and_texts_lie_inside_and_apart() {
        for (before, after, width, middle) in [
            (0, 0, 0.0, 0.0),
            (1, 0, 800.0, 20.0),
            (3, 1, 9000.0, 900.0),
            (7, 49, 600.0, 700.0),
            (49, 1, 600.0, -5.0),
            (2, 2, 700.0, 50.0),
        ] {
            let layout = GraphLayout::new(before, after, width, middle);
            assert_eq!((layout.before.len(), layout.after.len()), (before, after));
            let neighbours: Vec<Rect> = layout.before.iter().chain(&layout.after).copied().collect();
            let texts = neighbours.iter().map(|&rect| layout.text(rect));
            let all: Vec<Rect> = neighbours.iter().copied().chain(texts).chain([layout.centre]).collect();
            let whole = Rect::from_min_size(Pos2::ZERO, layout.size);
            for (n, rect) in all.iter().enumerate() {
                assert!(whole.contains_rect(*rect), "{rect} of {before}, {after}");
                assert!(all[n + 1..].iter().all(|other| !other.intersect(*rect).is_positive()));
            }
        }
    }

    #[test]
    fn the_system_itself_stands_where_one_looks() {
        for middle in [300.0, 900.0] {
            let layout = GraphLayout::new(2, 49, 700.0, middle);
            assert!((layout.centre.center().y - middle).abs() <= GAP);
            let [first, second] = [layout.before[0], layout.before[1]].map(|rect| rect.center().y);
            assert!((first.midpoint(second) - middle).abs() <= GAP, "its few neighbours stand by it");
        }
        let layout = GraphLayout::new(0, 49, 700.0, 1e6);
        assert!(layout.centre.bottom() <= layout.size.y);
    }

    #[test]
    fn an_edge_goes_from_who_is_waited_for_to_who_waits() {
        let layout = GraphLayout::new(2, 2, 800.0, 0.0);
        assert!((layout.size.x - 800.0).abs() < 0.01);
        for neighbour in &layout.before {
            let points = layout.edge(*neighbour);
            assert_eq!((points[0], points[4]), (neighbour.right_center(), layout.centre.left_center()));
        }
        for neighbour in &layout.after {
            let points = layout.edge(*neighbour);
            assert_eq!((points[0], points[4]), (layout.centre.right_center(), neighbour.left_center()));
            assert!(points.windows(2).all(|pair| pair[0].x <= pair[1].x));
        }
    }
}
