//! All shapes as one mesh: a hundred thousand shapes one by one would take longer than a frame.

use super::camera::Camera;
use egui::epaint::{Vertex, WHITE_UV};
use egui::{Color32, Mesh, Pos2, Rect, pos2, vec2};
use std::sync::LazyLock;
use vivarium_world::Ordinal;
use vivarium_world::inspect::Shape;

/// Corners of circles, by radius on the screen.
const CORNERS: [(f32, usize); 4] = [(2.0, 6), (6.0, 12), (32.0, 24), (f32::INFINITY, 48)];

/// The corners of each kind of circle, on the unit circle.
static CIRCLES: LazyLock<[Vec<(f32, f32)>; 4]> = LazyLock::new(|| {
    CORNERS.map(|(_, corners)| {
        let corner = |n: usize| (n as f32 * std::f32::consts::TAU / corners as f32).sin_cos();
        (0..corners).map(corner).collect()
    })
});

/// Half the width below which a shape is painted as a square: nobody sees the difference.
const DOT: f32 = 1.0;

/// A shape on the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Figure {
    centre: Pos2,
    half_width: f32,
    /// None for a circle.
    half_height: Option<f32>,
}

impl Figure {
    /// `shape` as seen through `camera`, `grow` points larger on each side; never too small to see. None if
    /// it is out of sight.
    fn of(shape: &Shape, camera: Camera, screen: Rect, grow: f32) -> Option<Self> {
        let centre = camera.to_screen(screen, shape.x, shape.y);
        let on_screen = |half: f32| ((f64::from(half) * camera.scale) as f32).max(DOT * 0.75) + grow;
        let half_width = on_screen(shape.half_width);
        let half_height = (shape.half_height > 0.0).then(|| on_screen(shape.half_height));
        let reach = half_width.max(half_height.unwrap_or(0.0));
        screen.expand(reach).contains(centre).then_some(Self { centre, half_width, half_height })
    }

    fn paint(self, mesh: &mut Mesh, colour: Color32) {
        match self.half_height {
            Some(half_height) => self.quad(mesh, half_height, colour),
            None if self.half_width <= DOT => self.quad(mesh, self.half_width, colour),
            None => self.fan(mesh, colour),
        }
    }

    fn quad(self, mesh: &mut Mesh, half_height: f32, colour: Color32) {
        let size = 2.0 * vec2(self.half_width, half_height);
        mesh.add_colored_rect(Rect::from_center_size(self.centre, size), colour);
    }

    fn fan(self, mesh: &mut Mesh, colour: Color32) {
        let kind =
            CORNERS.iter().position(|&(radius, _)| self.half_width <= radius).unwrap_or(CORNERS.len() - 1);
        let first = mesh.vertices.len() as u32;
        let (corners, radius) = (&CIRCLES[kind], self.half_width);
        mesh.vertices.extend(corners.iter().map(|&(sin, cos)| Vertex {
            pos: pos2(self.centre.x + radius * cos, self.centre.y + radius * sin),
            uv: WHITE_UV,
            color: colour,
        }));
        let corners = corners.len() as u32;
        mesh.indices.extend((1..corners - 1).flat_map(|n| [first, first + n, first + n + 1]));
    }
}

/// The shapes in sight, each in its colour.
pub(super) fn shapes(shapes: &[Shape], camera: Camera, screen: Rect) -> Mesh {
    let mut mesh = Mesh::default();
    mesh.vertices.reserve(shapes.len() * 4);
    mesh.indices.reserve(shapes.len() * 6);
    for shape in shapes {
        if let Some(figure) = Figure::of(shape, camera, screen, 0.0) {
            figure.paint(&mut mesh, colour(shape.colour));
        }
    }
    mesh
}

/// A rim around the shapes in sight for which `chosen` holds, to be painted beneath them.
pub(super) fn rims(
    shapes: &[Shape],
    camera: Camera,
    screen: Rect,
    colour: Color32,
    chosen: impl Fn(Ordinal) -> bool,
) -> Mesh {
    let mut mesh = Mesh::default();
    for shape in shapes.iter().filter(|shape| chosen(shape.ordinal)) {
        if let Some(figure) = Figure::of(shape, camera, screen, 3.0) {
            figure.paint(&mut mesh, colour);
        }
    }
    mesh
}

/// `0xRRGGBBAA` as egui has it.
fn colour(rgba: u32) -> Color32 {
    match rgba.to_be_bytes() {
        [r, g, b, 255] => Color32::from_rgb(r, g, b),
        [r, g, b, a] => Color32::from_rgba_unmultiplied(r, g, b, a),
    }
}

/// The shape at a place of the world, reaching `slack` further than painted. Of several the one whose centre
/// is nearest, and of equals the one painted last.
pub(super) fn shape_at(shapes: &[Shape], (x, y): (f64, f64), slack: f64) -> Option<&Shape> {
    let mut best: Option<(f64, &Shape)> = None;
    for shape in shapes {
        let (dx, dy) = ((f64::from(shape.x) - x).abs(), (f64::from(shape.y) - y).abs());
        let half_width = f64::from(shape.half_width) + slack;
        let distance = dx * dx + dy * dy;
        let inside = match shape.half_height > 0.0 {
            true => dx <= half_width && dy <= f64::from(shape.half_height) + slack,
            false => distance <= half_width * half_width,
        };
        if inside && best.is_none_or(|(least, _)| distance <= least) {
            best = Some((distance, shape));
        }
    }
    best.map(|(_, shape)| shape)
}

/// The entities whose centres lie between two places of the world.
pub(super) fn within(shapes: &[Shape], a: (f64, f64), b: (f64, f64)) -> Vec<Ordinal> {
    let xs = a.0.min(b.0)..=a.0.max(b.0);
    let ys = a.1.min(b.1)..=a.1.max(b.1);
    let inside = |shape: &&Shape| xs.contains(&f64::from(shape.x)) && ys.contains(&f64::from(shape.y));
    shapes.iter().filter(inside).map(|shape| shape.ordinal).collect()
}

/// Left, top, right, bottom of all shapes together; none if there are none.
pub(super) fn extent(shapes: &[Shape]) -> Option<[f64; 4]> {
    let mut extent: Option<[f32; 4]> = None;
    for shape in shapes.iter().filter(|shape| shape.x.is_finite() && shape.y.is_finite()) {
        let height = if shape.half_height > 0.0 { shape.half_height } else { shape.half_width };
        let (w, h) = (shape.half_width, height);
        let own = [shape.x - w, shape.y - h, shape.x + w, shape.y + h];
        extent = Some(match extent {
            None => own,
            Some([l, t, r, b]) => [l.min(own[0]), t.min(own[1]), r.max(own[2]), b.max(own[3])],
        });
    }
    extent.map(|extent| extent.map(f64::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCREEN: Rect = Rect { min: pos2(0.0, 0.0), max: pos2(400.0, 200.0) };

    fn shape(ordinal: u64, x: f32, y: f32, half_width: f32, half_height: f32) -> Shape {
        Shape { ordinal: Ordinal(ordinal), x, y, half_width, half_height, colour: 0x1020_30ff }
    }

    fn camera(scale: f64) -> Camera {
        Camera { centre: (100.0, 50.0), scale }
    }

    #[test]
    fn circles_have_as_many_corners_as_their_size_shows() {
        let corners =
            |radius: f32| shapes(&[shape(0, 100.0, 50.0, radius, 0.0)], camera(1.0), SCREEN).vertices.len();
        assert_eq!([0.0, 0.5, 1.5, 5.0, 20.0, 500.0].map(corners), [4, 4, 6, 12, 24, 48]);
    }

    #[test]
    fn a_circle_is_covered_by_its_triangles() {
        let mesh = shapes(&[shape(0, 100.0, 50.0, 40.0, 0.0)], camera(1.0), SCREEN);
        assert!(mesh.is_valid());
        let area: f32 = mesh
            .triangles()
            .map(|t| {
                let [a, b, c] = t.map(|n| mesh.vertices[n as usize].pos);
                (b - a).rot90().dot(c - a).abs() / 2.0
            })
            .sum();
        let circle = std::f32::consts::PI * 1600.0;
        assert!((0.97..=1.0).contains(&(area / circle)), "{area}");
    }

    #[test]
    fn boxes_are_two_triangles_and_keep_their_sides() {
        let mesh = shapes(&[shape(0, 100.0, 50.0, 30.0, 10.0)], camera(2.0), SCREEN);
        assert_eq!((mesh.vertices.len(), mesh.indices.len()), (4, 6));
        assert_eq!(mesh.calc_bounds().size(), vec2(120.0, 40.0));
        assert_eq!(mesh.vertices[0].color, Color32::from_rgb(0x10, 0x20, 0x30));
    }

    #[test]
    fn shapes_out_of_sight_cost_nothing_and_broken_ones_neither() {
        let far = [shape(0, 9_000.0, 50.0, 5.0, 0.0), shape(1, f32::NAN, 0.0, 5.0, 0.0)];
        assert!(shapes(&far, camera(1.0), SCREEN).is_empty());
        let edge = [shape(0, -104.0, 50.0, 5.0, 0.0)];
        assert!(!shapes(&edge, camera(1.0), SCREEN).is_empty());
    }

    #[test]
    fn a_hundred_thousand_shapes_are_one_mesh() {
        let many: Vec<_> =
            (0..100_000).map(|n| shape(n, (n % 200) as f32, (n / 1_000) as f32, 0.2, 0.0)).collect();
        let mesh = shapes(&many, camera(1.0), SCREEN);
        assert!(mesh.is_valid());
        assert_eq!(mesh.vertices.len(), 400_000);
    }

    #[test]
    fn only_chosen_shapes_get_a_rim_and_it_is_larger() {
        let both = [shape(0, 90.0, 50.0, 5.0, 5.0), shape(1, 120.0, 50.0, 5.0, 5.0)];
        let rim = rims(&both, camera(1.0), SCREEN, Color32::WHITE, |ordinal| ordinal == Ordinal(1));
        assert_eq!(rim.vertices.len(), 4);
        assert_eq!(rim.calc_bounds().size(), vec2(16.0, 16.0));
    }

    #[test]
    fn the_nearest_shape_is_found_even_a_little_beside_it() {
        let list =
            [shape(0, 10.0, 10.0, 8.0, 0.0), shape(1, 14.0, 10.0, 2.0, 0.0), shape(2, 50.0, 10.0, 20.0, 1.0)];
        let at = |x, y, slack| shape_at(&list, (x, y), slack).map(|shape| shape.ordinal.0);
        assert_eq!(at(13.0, 10.0, 0.0), Some(1));
        assert_eq!(at(6.0, 10.0, 0.0), Some(0));
        assert_eq!(at(65.0, 10.5, 0.0), Some(2));
        assert_eq!(at(65.0, 13.0, 0.0), None);
        assert_eq!(at(65.0, 13.0, 3.0), Some(2));
    }

    #[test]
    fn a_box_takes_centres_whichever_corner_it_starts_at() {
        let list = [shape(0, 10.0, 10.0, 8.0, 0.0), shape(1, 30.0, 30.0, 8.0, 0.0)];
        assert_eq!(within(&list, (20.0, 20.0), (0.0, 0.0)), [Ordinal(0)]);
        assert_eq!(within(&list, (0.0, 40.0), (40.0, 0.0)), [Ordinal(0), Ordinal(1)]);
    }

    #[test]
    fn the_extent_holds_every_shape_whole() {
        let list = [
            shape(0, 10.0, 10.0, 8.0, 0.0),
            shape(1, 30.0, 30.0, 4.0, 1.0),
            shape(2, f32::NAN, 0.0, 1.0, 0.0),
        ];
        assert_eq!(extent(&list), Some([2.0, 2.0, 34.0, 31.0]));
        assert_eq!(extent(&[]), None);
    }
}
