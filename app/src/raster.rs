//! Paints what egui asks for into a picture, on the processor: no display, no driver, the same pixels on every
//! machine.
//!
//!   `FullOutput` ─▶ tessellate ─▶ triangles ─▶ rows of pixels ─▶ `RgbaImage`
//!
//! Colours are multiplied and blended in gamma space with premultiplied alpha, as egui expects of a painter. A
//! pixel belongs to a triangle if its centre lies in it; a centre on an edge two triangles share belongs to one
//! of them only, so that translucent neighbours leave neither seams nor overlaps. Paint callbacks are left out.

use egui::epaint::textures::TexturesDelta;
use egui::epaint::{ClippedPrimitive, ImageData, ImageDelta, Mesh, Primitive, Vertex};
use egui::{
    Color32, Context, FullOutput, Pos2, Rect, TextureFilter, TextureId, TextureOptions, Ui, pos2, vec2,
};
use image::RgbaImage;
use std::collections::HashMap;

/// Pixels, premultiplied: red, green, blue, alpha.
type Pixel = [u8; 4];

/// Seconds of interface time between two passes of [`screenshot`]: longer than any animation.
const PASS_SECONDS: f64 = 1.0;

/// Paints a whole interface that has no window.
///
/// `size` is in pixels. The first passes let the interface find its layout; the last one, of at least one, is
/// painted. Time stands at a fixed point, so that equal interfaces give equal pictures.
pub fn screenshot(
    size: [u32; 2],
    pixels_per_point: f32,
    passes: usize,
    mut ui: impl FnMut(&mut Ui),
) -> RgbaImage {
    let context = Context::default();
    let mut raster = Raster::default();
    let mut picture = RgbaImage::new(0, 0);
    let passes = passes.max(1);
    for pass in 0..passes {
        let input = input(size, pixels_per_point, pass as f64 * PASS_SECONDS);
        let mut output = context.run_ui(input, &mut ui);
        raster.apply(&mut output.textures_delta);
        if pass + 1 == passes {
            picture = raster.paint_output(&context, output, size);
        }
    }
    picture
}

/// What a window of `size` pixels that nobody touches gives to egui at `time`.
fn input(size: [u32; 2], pixels_per_point: f32, time: f64) -> egui::RawInput {
    let points = vec2(size[0] as f32, size[1] as f32) / pixels_per_point;
    let mut input = egui::RawInput {
        screen_rect: Some(Rect::from_min_size(Pos2::ZERO, points)),
        time: Some(time),
        predicted_dt: PASS_SECONDS as f32,
        max_texture_side: Some(8192),
        ..Default::default()
    };
    if let Some(viewport) = input.viewports.get_mut(&egui::ViewportId::ROOT) {
        viewport.native_pixels_per_point = Some(pixels_per_point);
        viewport.inner_rect = input.screen_rect;
    }
    input
}

/// A painter with the textures it was given.
#[derive(Default)]
pub struct Raster {
    textures: HashMap<TextureId, Texture>,
    /// Freed by the last delta; the output that came with it may still use them.
    freed: Vec<TextureId>,
}

impl Raster {
    /// Takes over new, changed and freed textures, and empties `delta`.
    pub fn apply(&mut self, delta: &mut TexturesDelta) {
        for id in self.freed.drain(..) {
            self.textures.remove(&id);
        }
        for (id, images) in delta.set.drain() {
            for image in images {
                self.textures.entry(id).or_default().apply(&image);
            }
        }
        self.freed.extend(delta.free.drain());
    }

    /// Paints the output of a pass; its textures must have been applied.
    pub fn paint_output(&self, context: &Context, output: FullOutput, size: [u32; 2]) -> RgbaImage {
        let FullOutput { shapes, pixels_per_point, mut textures_delta, .. } = output;
        textures_delta.clear();
        let primitives = context.tessellate(shapes, pixels_per_point);
        let background = context.global_style().visuals.panel_fill;
        self.paint(&primitives, size, pixels_per_point, background)
    }

    /// Paints triangles over a background into a picture of `size` pixels.
    pub fn paint(
        &self,
        primitives: &[ClippedPrimitive],
        size: [u32; 2],
        pixels_per_point: f32,
        background: Color32,
    ) -> RgbaImage {
        let mut canvas = Canvas::new(size, background);
        for ClippedPrimitive { clip_rect, primitive } in primitives {
            let Primitive::Mesh(mesh) = primitive else { continue };
            let Some(texture) = self.textures.get(&mesh.texture_id) else { continue };
            let clip = canvas.clip(*clip_rect, pixels_per_point);
            if clip.left < clip.right && clip.top < clip.bottom {
                canvas.mesh(mesh, texture, clip, pixels_per_point);
            }
        }
        canvas.into_image()
    }
}

/// An image triangles are coloured with.
struct Texture {
    width: usize,
    height: usize,
    texels: Vec<Pixel>,
    options: TextureOptions,
}

impl Default for Texture {
    fn default() -> Self {
        Self { width: 0, height: 0, texels: Vec::new(), options: TextureOptions::LINEAR }
    }
}

impl Texture {
    /// Replaces the whole image, or the part a patch covers.
    fn apply(&mut self, delta: &ImageDelta) {
        let ImageData::Color(image) = &delta.image;
        let [width, height] = image.size;
        let texels = image.pixels.iter().map(Color32::to_array);
        let Some([left, top]) = delta.pos else {
            *self = Self { width, height, texels: texels.collect(), options: delta.options };
            return;
        };
        let texels: Vec<Pixel> = texels.collect();
        for (row, source) in texels.chunks_exact(width.max(1)).enumerate() {
            let start = (top + row) * self.width + left;
            if let Some(target) = self.texels.get_mut(start..start + width) {
                target.copy_from_slice(source);
            }
        }
    }

    /// The texel at whole coordinates; those outside are clamped to the edge.
    fn texel(&self, x: i32, y: i32) -> Pixel {
        let x = x.clamp(0, self.width as i32 - 1) as usize;
        let y = y.clamp(0, self.height as i32 - 1) as usize;
        self.texels.get(y * self.width + x).copied().unwrap_or([255; 4])
    }

    /// The colour at `u`, `v`, in texels from the corner, each channel from 0 to 255.
    fn sample(&self, u: f32, v: f32) -> [f32; 4] {
        /// Nearer than this to the middle of a texel, its neighbours would change nothing.
        const NEAR: f32 = 1.0 / 512.0;
        if self.options.magnification == TextureFilter::Nearest {
            return self.texel(u.floor() as i32, v.floor() as i32).map(f32::from);
        }
        let (x, y) = (u - 0.5, v - 0.5);
        let (left, top) = ((x + NEAR).floor(), (y + NEAR).floor());
        let (across, down) = (x - left, y - top);
        let (left, top) = (left as i32, top as i32);
        let corner = self.texel(left, top).map(f32::from);
        if across < NEAR && down < NEAR {
            return corner;
        }
        let right = self.texel(left + 1, top).map(f32::from);
        let below = self.texel(left, top + 1).map(f32::from);
        let opposite = self.texel(left + 1, top + 1).map(f32::from);
        std::array::from_fn(|i| {
            let upper = corner[i] + (right[i] - corner[i]) * across;
            let lower = below[i] + (opposite[i] - below[i]) * across;
            upper + (lower - upper) * down
        })
    }
}

/// Whole pixels: left and top belong to it, right and bottom do not.
#[derive(Clone, Copy)]
struct Clip {
    left: i32,
    top: i32,
    right: i32,
    bottom: i32,
}

/// The picture while it is painted.
struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<Pixel>,
}

impl Canvas {
    fn new(size: [u32; 2], background: Color32) -> Self {
        let [width, height] = size.map(|side| side as usize);
        Self { width, height, pixels: vec![background.to_array(); width * height] }
    }

    fn into_image(self) -> RgbaImage {
        RgbaImage::from_raw(self.width as u32, self.height as u32, self.pixels.into_flattened())
            .unwrap_or_default()
    }

    /// The pixels of a clip rectangle, which is in points.
    fn clip(&self, rect: Rect, pixels_per_point: f32) -> Clip {
        let pixel =
            |point: f32, side: usize| ((point * pixels_per_point).round() as i32).clamp(0, side as i32);
        Clip {
            left: pixel(rect.left(), self.width),
            top: pixel(rect.top(), self.height),
            right: pixel(rect.right(), self.width),
            bottom: pixel(rect.bottom(), self.height),
        }
    }

    fn mesh(&mut self, mesh: &Mesh, texture: &Texture, clip: Clip, pixels_per_point: f32) {
        let size = [texture.width as f32, texture.height as f32];
        let corner = |index: u32| -> Option<Corner> {
            Corner::new(mesh.vertices.get(index as usize)?, pixels_per_point, size)
        };
        for [a, b, c] in mesh.triangles() {
            if let (Some(a), Some(b), Some(c)) = (corner(a), corner(b), corner(c)) {
                self.triangle([a, b, c], texture, clip);
            }
        }
    }

    fn triangle(&mut self, mut corners: [Corner; 3], texture: &Texture, clip: Clip) {
        corners.sort_by(|a, b| a.at.y.total_cmp(&b.at.y).then(a.at.x.total_cmp(&b.at.x)));
        let [a, b, c] = corners;
        let top = first_centre(a.at.y).max(clip.top);
        let bottom = first_centre(c.at.y).min(clip.bottom);
        if top >= bottom {
            return;
        }
        let Some(ink) = Ink::new(&corners, texture) else { return };
        for y in top..bottom {
            let centre = y as f32 + 0.5;
            let long = crossing(a.at, c.at, centre);
            let short =
                if centre < b.at.y { crossing(a.at, b.at, centre) } else { crossing(b.at, c.at, centre) };
            let left = first_centre(long.min(short)).max(clip.left);
            let right = first_centre(long.max(short)).min(clip.right);
            if left < right {
                let row = y as usize * self.width;
                let span = &mut self.pixels[row + left as usize..row + right as usize];
                ink.fill(span, pos2(left as f32 + 0.5, centre), texture);
            }
        }
    }
}

/// A corner of a triangle, in pixels and texels.
#[derive(Clone, Copy)]
struct Corner {
    at: Pos2,
    /// Red, green, blue, alpha from 0 to 255; then the place in the texture, in texels.
    values: [f32; 6],
}

impl Corner {
    /// None for a vertex that is nowhere.
    fn new(vertex: &Vertex, pixels_per_point: f32, texture: [f32; 2]) -> Option<Self> {
        let [r, g, b, a] = vertex.color.to_array().map(f32::from);
        let at = vertex.pos * pixels_per_point;
        let values = [r, g, b, a, vertex.uv.x * texture[0], vertex.uv.y * texture[1]];
        at.is_finite().then_some(Self { at, values })
    }
}

/// The first whole pixel whose centre is not before `edge`.
fn first_centre(edge: f32) -> i32 {
    (edge - 0.5).ceil() as i32
}

/// Where the line from `a` down to `b` meets the row at `y`. Triangles that share the edge get the same number,
/// because the upper end always comes first.
fn crossing(a: Pos2, b: Pos2, y: f32) -> f32 {
    if b.y <= a.y {
        return b.x;
    }
    let part = ((y - a.y) / (b.y - a.y)).clamp(0.0, 1.0);
    a.x + (b.x - a.x) * part
}

/// How the pixels of one triangle get their colour.
enum Ink {
    /// One colour all over.
    Solid(Pixel),
    /// Colours change from pixel to pixel; the texture does not.
    Shaded { plane: Plane, texel: [f32; 4] },
    /// The texture changes from pixel to pixel.
    Textured(Plane),
}

impl Ink {
    /// None for a triangle that covers nothing.
    fn new(corners: &[Corner; 3], texture: &Texture) -> Option<Self> {
        let [a, b, c] = corners;
        let one_texel = a.values[4..] == b.values[4..] && a.values[4..] == c.values[4..];
        let one_colour = a.values[..4] == b.values[..4] && a.values[..4] == c.values[..4];
        if !one_texel {
            return Some(Self::Textured(Plane::new(corners)?));
        }
        let texel = texture.sample(a.values[4], a.values[5]);
        if one_colour {
            return Some(Self::Solid(multiply(&a.values, texel)));
        }
        Some(Self::Shaded { plane: Plane::new(corners)?, texel })
    }

    /// Paints a row of pixels, the first with its centre at `start`.
    fn fill(&self, span: &mut [Pixel], start: Pos2, texture: &Texture) {
        match self {
            Self::Solid(colour @ [_, _, _, 255]) => span.fill(*colour),
            Self::Solid([0, 0, 0, 0]) => {}
            Self::Solid(colour) => span.iter_mut().for_each(|pixel| blend(pixel, *colour)),
            Self::Shaded { plane, texel } => {
                let mut values = plane.at(start);
                for pixel in span {
                    blend(pixel, multiply(&values, *texel));
                    plane.step(&mut values);
                }
            }
            Self::Textured(plane) => {
                let mut values = plane.at(start);
                for pixel in span {
                    blend(pixel, multiply(&values, texture.sample(values[4], values[5])));
                    plane.step(&mut values);
                }
            }
        }
    }
}

/// Values that change evenly over a triangle.
struct Plane {
    origin: Pos2,
    values: [f32; 6],
    across: [f32; 6],
    down: [f32; 6],
}

impl Plane {
    /// None if the corners stand in a line.
    fn new([a, b, c]: &[Corner; 3]) -> Option<Self> {
        let (ab, ac) = (b.at - a.at, c.at - a.at);
        let area = ab.x * ac.y - ab.y * ac.x;
        if area == 0.0 || !area.is_finite() {
            return None;
        }
        let slope = |i: usize| {
            let (to_b, to_c) = (b.values[i] - a.values[i], c.values[i] - a.values[i]);
            ((to_b * ac.y - to_c * ab.y) / area, (to_c * ab.x - to_b * ac.x) / area)
        };
        Some(Self {
            origin: a.at,
            values: a.values,
            across: std::array::from_fn(|i| slope(i).0),
            down: std::array::from_fn(|i| slope(i).1),
        })
    }

    fn at(&self, point: Pos2) -> [f32; 6] {
        let from = point - self.origin;
        std::array::from_fn(|i| self.values[i] + self.across[i] * from.x + self.down[i] * from.y)
    }

    /// Moves one pixel to the right.
    fn step(&self, values: &mut [f32; 6]) {
        for (value, across) in values.iter_mut().zip(self.across) {
            *value += across;
        }
    }
}

/// A vertex colour times a texel, both from 0 to 255.
fn multiply(values: &[f32; 6], texel: [f32; 4]) -> Pixel {
    std::array::from_fn(|i| (values[i] * texel[i] * (1.0 / 255.0) + 0.5) as u8)
}

/// Lays a premultiplied colour over a pixel.
fn blend(pixel: &mut Pixel, colour: Pixel) {
    let rest = 255 - u32::from(colour[3]);
    for (under, over) in pixel.iter_mut().zip(colour) {
        // Exactly `under * rest / 255`, rounded.
        let scaled = u32::from(*under) * rest + 128;
        *under = over.saturating_add(((scaled + (scaled >> 8)) >> 8) as u8);
    }
}

#[cfg(test)]
impl egui_kittest::TestRenderer for Raster {
    fn handle_delta(&mut self, delta: &mut TexturesDelta) {
        self.apply(delta);
    }

    fn render(&mut self, context: &Context, output: &FullOutput) -> Result<RgbaImage, String> {
        let size = context.input(|input| input.content_rect().size()) * output.pixels_per_point;
        let primitives = context.tessellate(output.shapes.clone(), output.pixels_per_point);
        let background = context.global_style().visuals.panel_fill;
        let size = [size.x.round() as u32, size.y.round() as u32];
        Ok(self.paint(&primitives, size, output.pixels_per_point, background))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::epaint::{ColorImage, Mesh};

    const TEXTURE: TextureId = TextureId::User(7);

    /// A raster whose one texture holds these texels.
    fn raster(size: [usize; 2], texels: Vec<Color32>, options: TextureOptions) -> Raster {
        let mut delta = TexturesDelta::default();
        delta.push(TEXTURE, ImageDelta::full(ColorImage::new(size, texels), options));
        let mut raster = Raster::default();
        raster.apply(&mut delta);
        raster
    }

    fn white() -> Raster {
        raster([1, 1], vec![Color32::WHITE], TextureOptions::LINEAR)
    }

    fn vertex(x: f32, y: f32, color: Color32) -> Vertex {
        Vertex { pos: pos2(x, y), uv: pos2(0.5, 0.5), color }
    }

    fn mesh(vertices: Vec<Vertex>, indices: Vec<u32>) -> Mesh {
        Mesh { indices, vertices, texture_id: TEXTURE }
    }

    fn rect(rect: Rect, colour: Color32) -> Mesh {
        let mut mesh = Mesh::with_texture(TEXTURE);
        mesh.add_rect_with_uv(rect, Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0)), colour);
        mesh
    }

    fn clipped(clip_rect: Rect, mesh: Mesh) -> ClippedPrimitive {
        ClippedPrimitive { clip_rect, primitive: Primitive::Mesh(mesh) }
    }

    fn square(left: f32, top: f32, side: f32) -> Rect {
        Rect::from_min_size(pos2(left, top), vec2(side, side))
    }

    fn paint(raster: &Raster, mesh: Mesh) -> RgbaImage {
        raster.paint(&[clipped(square(0.0, 0.0, 8.0), mesh)], [8, 8], 1.0, Color32::BLACK)
    }

    fn count(picture: &RgbaImage, colour: Pixel) -> usize {
        picture.pixels().filter(|pixel| pixel.0 == colour).count()
    }

    #[test]
    fn a_rectangle_covers_the_pixels_whose_centres_it_holds() {
        let picture = paint(&white(), rect(square(1.0, 2.0, 3.0), Color32::RED));
        assert_eq!(count(&picture, [255, 0, 0, 255]), 9);
        assert_eq!(picture.get_pixel(1, 2).0, [255, 0, 0, 255]);
        assert_eq!(picture.get_pixel(3, 4).0, [255, 0, 0, 255]);
        assert_eq!(picture.get_pixel(0, 2).0, [0, 0, 0, 255]);
        assert_eq!(picture.get_pixel(4, 4).0, [0, 0, 0, 255]);
    }

    #[test]
    fn half_a_pixel_moves_the_edge_with_the_centre() {
        let picture = paint(&white(), rect(square(1.6, 1.4, 2.0), Color32::WHITE));
        assert_eq!(picture.get_pixel(1, 1).0[0], 0);
        assert_eq!(picture.get_pixel(2, 1).0[0], 255);
        assert_eq!(picture.get_pixel(3, 2).0[0], 255);
        assert_eq!(picture.get_pixel(4, 2).0[0], 0);
        assert_eq!(picture.get_pixel(3, 3).0[0], 0);
    }

    #[test]
    fn a_shared_edge_is_painted_once() {
        let half = Color32::from_rgba_premultiplied(64, 64, 64, 128);
        let (a, b, c, d) =
            (vertex(0.0, 0.0, half), vertex(8.0, 0.0, half), vertex(8.0, 8.0, half), vertex(0.0, 8.0, half));
        let centre = vertex(3.5, 4.5, half);
        let fan = mesh(vec![a, b, c, d, centre], vec![0, 1, 4, 4, 2, 1, 2, 3, 4, 0, 4, 3]);
        let picture = paint(&white(), fan);
        assert_eq!(count(&picture, [64, 64, 64, 255]), 64, "each pixel is covered exactly once");
    }

    #[test]
    fn premultiplied_colours_are_laid_over_what_is_there() {
        let raster = white();
        let under =
            clipped(square(0.0, 0.0, 8.0), rect(square(0.0, 0.0, 8.0), Color32::from_rgb(200, 100, 0)));
        let over_colour = Color32::from_rgba_premultiplied(0, 0, 128, 128);
        let over = clipped(square(0.0, 0.0, 8.0), rect(square(0.0, 0.0, 4.0), over_colour));
        let light = Color32::from_rgba_premultiplied(50, 0, 0, 0);
        let additive = clipped(square(0.0, 0.0, 8.0), rect(square(4.0, 4.0, 4.0), light));
        let picture = raster.paint(&[under, over, additive], [8, 8], 1.0, Color32::BLACK);
        assert_eq!(picture.get_pixel(1, 1).0, [100, 50, 128, 255]);
        assert_eq!(picture.get_pixel(6, 1).0, [200, 100, 0, 255]);
        assert_eq!(picture.get_pixel(6, 6).0, [250, 100, 0, 255]);
    }

    #[test]
    fn nothing_is_painted_outside_the_clip_rectangle() {
        let clip = square(2.0, 2.0, 3.0);
        let primitive = clipped(clip, rect(square(-50.0, -50.0, 200.0), Color32::WHITE));
        let picture = white().paint(&[primitive], [8, 8], 1.0, Color32::BLACK);
        assert_eq!(count(&picture, [255; 4]), 9);
        let away = clipped(square(100.0, 100.0, 5.0), rect(square(0.0, 0.0, 200.0), Color32::WHITE));
        let picture = white().paint(&[away], [8, 8], 1.0, Color32::BLACK);
        assert_eq!(count(&picture, [255; 4]), 0);
    }

    #[test]
    fn points_are_scaled_to_pixels() {
        let primitive = clipped(square(0.0, 0.0, 4.0), rect(square(1.0, 1.0, 1.0), Color32::WHITE));
        let picture = white().paint(&[primitive], [8, 8], 2.0, Color32::BLACK);
        assert_eq!(count(&picture, [255; 4]), 4);
        assert_eq!(picture.get_pixel(2, 2).0, [255; 4]);
    }

    #[test]
    fn colours_change_evenly_between_corners() {
        let (dark, bright) = (Color32::BLACK, Color32::from_rgb(160, 160, 160));
        let ramp = mesh(
            vec![
                vertex(0.0, 0.0, dark),
                vertex(8.0, 0.0, bright),
                vertex(8.0, 8.0, bright),
                vertex(0.0, 8.0, dark),
            ],
            vec![0, 1, 2, 0, 2, 3],
        );
        let picture = paint(&white(), ramp);
        for y in 0..8 {
            let row: Vec<u8> = (0..8).map(|x| picture.get_pixel(x, y).0[0]).collect();
            assert_eq!(row, [10, 30, 50, 70, 90, 110, 130, 150]);
        }
    }

    #[test]
    fn a_texture_as_large_as_its_rectangle_is_copied_texel_by_texel() {
        let texels: Vec<Color32> = (0..16).map(|i| Color32::from_rgb(i * 16, 255 - i * 16, i)).collect();
        for options in [TextureOptions::LINEAR, TextureOptions::NEAREST] {
            let raster = raster([4, 4], texels.clone(), options);
            let picture = paint(&raster, rect(square(2.0, 3.0, 4.0), Color32::WHITE));
            for (i, texel) in texels.iter().enumerate() {
                let (x, y) = (i as u32 % 4 + 2, i as u32 / 4 + 3);
                assert_eq!(picture.get_pixel(x, y).0, texel.to_array(), "texel {i}");
            }
        }
    }

    #[test]
    fn magnified_texels_are_blended_or_kept_as_the_texture_asks() {
        let texels = vec![Color32::BLACK, Color32::WHITE];
        let across = |options| {
            let picture =
                paint(&raster([2, 1], texels.clone(), options), rect(square(0.0, 0.0, 8.0), Color32::WHITE));
            (0..8).map(|x| picture.get_pixel(x, 0).0[0]).collect::<Vec<u8>>()
        };
        assert_eq!(across(TextureOptions::NEAREST), [0, 0, 0, 0, 255, 255, 255, 255]);
        let smooth = across(TextureOptions::LINEAR);
        assert_eq!((smooth[0], smooth[7]), (0, 255));
        assert!(smooth.windows(2).all(|pair| pair[0] <= pair[1]));
        assert!((95..=97).contains(&smooth[3]), "three eighths of the way: {smooth:?}");
    }

    #[test]
    fn a_vertex_colour_tints_the_texture() {
        let raster = raster([1, 1], vec![Color32::from_rgb(100, 200, 255)], TextureOptions::NEAREST);
        let picture = paint(&raster, rect(square(0.0, 0.0, 8.0), Color32::from_rgb(255, 128, 0)));
        assert_eq!(picture.get_pixel(3, 3).0, [100, 100, 0, 255]);
    }

    #[test]
    fn a_patch_changes_its_part_of_a_texture_only() {
        let mut raster = raster([2, 2], vec![Color32::RED; 4], TextureOptions::NEAREST);
        let patch = ColorImage::new([1, 1], vec![Color32::GREEN]);
        let mut delta = TexturesDelta::default();
        delta.push(TEXTURE, ImageDelta::partial([1, 0], patch, TextureOptions::NEAREST));
        raster.apply(&mut delta);
        let picture = paint(&raster, rect(square(0.0, 0.0, 2.0), Color32::WHITE));
        assert_eq!(picture.get_pixel(1, 0).0, [0, 255, 0, 255]);
        assert_eq!(count(&picture, [255, 0, 0, 255]), 3);
    }

    #[test]
    fn a_freed_texture_lasts_until_the_next_delta() {
        let mut raster = white();
        let mut delta = TexturesDelta::default();
        delta.free(TEXTURE);
        raster.apply(&mut delta);
        let all = || rect(square(0.0, 0.0, 8.0), Color32::WHITE);
        assert_eq!(count(&paint(&raster, all()), [255; 4]), 64);
        raster.apply(&mut TexturesDelta::default());
        assert_eq!(count(&paint(&raster, all()), [255; 4]), 0);
    }

    #[test]
    fn triangles_that_are_nowhere_or_without_end_are_harmless() {
        let colour = Color32::WHITE;
        let broken = mesh(
            vec![vertex(f32::NAN, 0.0, colour), vertex(5.0, 0.0, colour), vertex(5.0, 5.0, colour)],
            vec![0, 1, 2, 1, 2, 9],
        );
        assert_eq!(count(&paint(&white(), broken), [255; 4]), 0);
        let line = mesh(
            vec![vertex(0.0, 0.0, colour), vertex(5.0, 5.0, Color32::RED), vertex(7.0, 7.0, colour)],
            vec![0, 1, 2],
        );
        assert_eq!(count(&paint(&white(), line), [255; 4]), 0);
        let vast = rect(Rect::from_min_max(pos2(-1e9, -1e9), pos2(1e9, 1e9)), colour);
        assert_eq!(count(&paint(&white(), vast), [255; 4]), 64);
    }

    #[test]
    fn equal_interfaces_give_equal_pictures_with_text_in_them() {
        let shot = |text: &str| {
            screenshot([160, 60], 2.0, 3, |ui| {
                ui.label(text);
            })
        };
        let (one, same, other) = (shot("live"), shot("live"), shot("dead"));
        assert_eq!(one.dimensions(), (160, 60));
        assert_eq!(one, same);
        assert_ne!(one, other);
        let background = one.get_pixel(159, 59).0;
        assert!(one.pixels().filter(|pixel| pixel.0 != background).count() > 50, "text has ink");
    }
}
