//! Where the eye is: which part of the world a rectangle of the screen shows.

use egui::{Pos2, Rect, Vec2, pos2};

/// A place and a scale. `x` and `y` of the world grow to the right and downwards, as on the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Camera {
    /// What is in the middle of the screen.
    pub(super) centre: (f64, f64),
    /// Points of the screen a unit of the world takes.
    pub(super) scale: f64,
}

/// The scales zooming stops at.
const SCALES: std::ops::RangeInclusive<f64> = 1e-5..=1e4;

impl Default for Camera {
    fn default() -> Self {
        Self { centre: (0.0, 0.0), scale: 1.0 }
    }
}

impl Camera {
    /// Shows all of `bounds` — left, top, right, bottom — with a little air around.
    pub(super) fn fit(bounds: [f64; 4], screen: Vec2) -> Self {
        let [left, top, right, bottom] = bounds;
        let across = |length: f64, points: f32| f64::from(points.max(1.0)) / length.abs().max(1e-6);
        let scale = across(right - left, screen.x).min(across(bottom - top, screen.y)) * 0.95;
        Self {
            centre: ((left + right) / 2.0, (top + bottom) / 2.0),
            scale: scale.clamp(*SCALES.start(), *SCALES.end()),
        }
    }

    /// Where a place of the world is on the screen.
    pub(super) fn to_screen(self, screen: Rect, x: f32, y: f32) -> Pos2 {
        let middle = screen.center();
        pos2(
            middle.x + ((f64::from(x) - self.centre.0) * self.scale) as f32,
            middle.y + ((f64::from(y) - self.centre.1) * self.scale) as f32,
        )
    }

    /// Which place of the world is at a point of the screen.
    pub(super) fn to_world(self, screen: Rect, at: Pos2) -> (f64, f64) {
        let from_middle = at - screen.center();
        (
            self.centre.0 + f64::from(from_middle.x) / self.scale,
            self.centre.1 + f64::from(from_middle.y) / self.scale,
        )
    }

    /// Moves what is shown by `delta` points of the screen.
    pub(super) fn pan(&mut self, delta: Vec2) {
        self.centre.0 -= f64::from(delta.x) / self.scale;
        self.centre.1 -= f64::from(delta.y) / self.scale;
    }

    /// Zooms in by `factor`; what is under `at` stays there.
    pub(super) fn zoom(&mut self, screen: Rect, at: Pos2, factor: f32) {
        let (x, y) = self.to_world(screen, at);
        self.scale = (self.scale * f64::from(factor)).clamp(*SCALES.start(), *SCALES.end());
        let from_middle = at - screen.center();
        self.centre = (x - f64::from(from_middle.x) / self.scale, y - f64::from(from_middle.y) / self.scale);
    }

    /// The part of the world in sight: left, top, right, bottom.
    pub(super) fn sight(self, screen: Vec2) -> [f64; 4] {
        let (x, y) = self.centre;
        let (w, h) = (f64::from(screen.x) / self.scale / 2.0, f64::from(screen.y) / self.scale / 2.0);
        [x - w, y - h, x + w, y + h]
    }

    /// What to ask for so that panning a little finds shapes there: the sight with a margin, on a coarse grid
    /// so that it seldom changes. None if that holds all of `bounds`.
    pub(super) fn wanted(self, screen: Vec2, bounds: Option<[f64; 4]>) -> Option<[f32; 4]> {
        let [left, top, right, bottom] = self.sight(screen);
        let (step_x, step_y) = ((right - left) / 4.0, (bottom - top) / 4.0);
        let down = |n: f64, step: f64| ((n / step).floor() - 1.0) * step;
        let up = |n: f64, step: f64| ((n / step).ceil() + 1.0) * step;
        let wanted = [down(left, step_x), down(top, step_y), up(right, step_x), up(bottom, step_y)];
        let whole = bounds
            .is_some_and(|[l, t, r, b]| wanted[0] <= l && wanted[1] <= t && wanted[2] >= r && wanted[3] >= b);
        (!whole && wanted.iter().all(|n| n.is_finite())).then(|| wanted.map(|n| n as f32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::vec2;

    const SCREEN: Rect = Rect { min: pos2(100.0, 50.0), max: pos2(500.0, 250.0) };

    #[test]
    fn fitting_shows_all_bounds_and_centres_them() {
        let camera = Camera::fit([0.0, 0.0, 800.0, 100.0], SCREEN.size());
        assert_eq!(camera.to_screen(SCREEN, 400.0, 50.0), SCREEN.center());
        let (corner, other) = (camera.to_screen(SCREEN, 0.0, 0.0), camera.to_screen(SCREEN, 800.0, 100.0));
        assert!(SCREEN.contains(corner) && SCREEN.contains(other), "{corner:?} {other:?}");
        assert!(corner.x < SCREEN.left() + 20.0);
    }

    #[test]
    fn a_world_without_extent_still_fits() {
        let camera = Camera::fit([5.0, 5.0, 5.0, 5.0], SCREEN.size());
        assert_eq!(camera.to_screen(SCREEN, 5.0, 5.0), SCREEN.center());
        assert!(camera.scale.is_finite());
    }

    #[test]
    fn zooming_keeps_what_is_under_the_cursor() {
        let mut camera = Camera::fit([0.0, 0.0, 800.0, 100.0], SCREEN.size());
        let at = pos2(180.0, 90.0);
        let before = camera.to_world(SCREEN, at);
        camera.zoom(SCREEN, at, 3.0);
        let after = camera.to_world(SCREEN, at);
        assert!((before.0 - after.0).abs() < 1e-6 && (before.1 - after.1).abs() < 1e-6);
        for _ in 0..100 {
            camera.zoom(SCREEN, at, 10.0);
        }
        assert!(camera.scale <= 1e4);
    }

    #[test]
    fn panning_moves_the_world_with_the_hand() {
        let mut camera = Camera::default();
        let before = camera.to_screen(SCREEN, 7.0, 7.0);
        camera.pan(vec2(30.0, -4.0));
        assert_eq!(camera.to_screen(SCREEN, 7.0, 7.0), before + vec2(30.0, -4.0));
    }

    #[test]
    fn only_what_is_near_is_asked_for_when_zoomed_in() {
        let bounds = [0.0, 0.0, 800.0, 100.0];
        let mut camera = Camera::fit(bounds, SCREEN.size());
        assert_eq!(camera.wanted(SCREEN.size(), Some(bounds)), None);
        camera.zoom(SCREEN, SCREEN.center(), 8.0);
        let wanted = camera.wanted(SCREEN.size(), Some(bounds)).unwrap();
        let sight = camera.sight(SCREEN.size());
        assert!(f64::from(wanted[0]) < sight[0] && f64::from(wanted[2]) > sight[2]);
        assert!(wanted[2] - wanted[0] < 400.0, "{wanted:?}");
        camera.pan(vec2(1.0, 1.0));
        let again = camera.wanted(SCREEN.size(), Some(bounds)).unwrap();
        assert_eq!(wanted, again);
    }
}
