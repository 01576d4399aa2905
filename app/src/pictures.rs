//! Small pictures of the built-in scenes, as they look after a few seconds of life.
//!
//! Each scene is run by a host of its own, on one thread in the background, and only its shapes are kept.

use crate::files::EmbeddedScene;
use crossbeam_channel::{Receiver, unbounded};
use egui::{Color32, Mesh, Painter, Pos2, Rect, Shape as Painted, pos2, vec2};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use vivarium_world::inspect::{RunState, Shape, ShapesRequest, Snapshot, ViewRequest};
use vivarium_world::{Catalog, Command, Host, HostHandle, HostOptions};

/// Steps a scene lives before its picture is taken.
const STEPS: u64 = 150;
/// Shapes in a picture at most.
const SHAPES: usize = 3_000;
/// A scene that takes longer than this gets no picture.
const PATIENCE: Duration = Duration::from_secs(10);

/// A scene as it looked.
pub struct Picture {
    /// Its name.
    pub name: &'static str,
    shapes: Vec<Shape>,
    /// What of the world is shown.
    bounds: Rect,
}

/// Takes the pictures one after the other on a thread of its own, and calls `wake` after each. The thread ends early
/// when nobody wants them any more.
pub fn take(
    catalog: Catalog,
    scenes: Vec<EmbeddedScene>,
    wake: Arc<dyn Fn() + Send + Sync>,
) -> Receiver<Picture> {
    let (outbox, pictures) = unbounded();
    let work = move || {
        for scene in scenes {
            // A scene that cannot be loaded says why when it is opened.
            let Some(picture) = take_one(&catalog, &scene) else { continue };
            if outbox.send(picture).is_err() {
                return;
            }
            wake();
        }
    };
    // Without a thread there are no pictures, and the cards have text only.
    let _ = thread::Builder::new().name("vivarium-pictures".into()).spawn(work);
    pictures
}

fn take_one(catalog: &Catalog, scene: &EmbeddedScene) -> Option<Picture> {
    let mut host = Host::spawn(catalog, HostOptions::default()).ok()?;
    let (source, text) = (scene.name.to_owned(), scene.text.to_owned());
    host.call(Command::Load { source, text, seed: Some(1), keep_running: false }).ok()?;
    host.call(Command::Step { steps: STEPS }).ok()?;
    let shapes = ShapesRequest { limit: SHAPES, ..ShapesRequest::default() };
    host.set_view(ViewRequest { shapes: Some(shapes), ..ViewRequest::default() });
    let snapshot = wait(&mut host, |snapshot| {
        let status = &snapshot.status;
        status.run_state == RunState::Paused && status.tick >= STEPS && snapshot.shapes.is_some()
    })?;
    let shapes = snapshot.shapes.as_ref()?.shapes.clone();
    let bounds = match snapshot.catalog.bounds {
        Some([left, top, right, bottom]) => {
            Rect::from_min_max(pos2(left as f32, top as f32), pos2(right as f32, bottom as f32))
        }
        None => Rect::from_points(&shapes.iter().map(|shape| pos2(shape.x, shape.y)).collect::<Vec<_>>()),
    };
    Some(Picture { name: scene.name, shapes, bounds })
}

/// The first snapshot for which something holds.
fn wait(host: &mut HostHandle, until: impl Fn(&Snapshot) -> bool) -> Option<Snapshot> {
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        let snapshot = host.snapshot();
        if until(snapshot) {
            return Some(snapshot.clone());
        }
        if matches!(snapshot.status.run_state, RunState::Stopped(_)) {
            return None;
        }
        thread::sleep(Duration::from_millis(5));
    }
    None
}

impl Picture {
    /// Paints it into a rectangle, as large as it fits.
    pub fn paint(&self, painter: &Painter, rect: Rect) {
        let scale = (rect.width() / self.bounds.width()).min(rect.height() / self.bounds.height());
        if !scale.is_finite() || scale <= 0.0 {
            return;
        }
        let place = |x: f32, y: f32| rect.center() + (pos2(x, y) - self.bounds.center()) * scale;
        let mut mesh = Mesh::default();
        for shape in &self.shapes {
            let [r, g, b, a] = shape.colour.to_be_bytes();
            let colour = Color32::from_rgba_unmultiplied(r, g, b, a);
            let centre = place(shape.x, shape.y);
            let half = vec2(shape.half_width, shape.half_height) * scale;
            if shape.half_height > 0.0 {
                mesh.add_colored_rect(Rect::from_center_size(centre, half * 2.0), colour);
            } else {
                add_disc(&mut mesh, centre, half.x.max(0.6), colour);
            }
        }
        painter.with_clip_rect(rect.intersect(painter.clip_rect())).add(Painted::mesh(mesh));
    }
}

/// A disc of few corners: it is only some pixels wide.
fn add_disc(mesh: &mut Mesh, centre: Pos2, radius: f32, colour: Color32) {
    let corners = if radius < 2.0 { 4 } else { 12 };
    let first = mesh.vertices.len() as u32;
    for n in 0..corners {
        let angle = std::f32::consts::TAU * n as f32 / corners as f32;
        mesh.colored_vertex(centre + vec2(angle.cos(), angle.sin()) * radius, colour);
    }
    for n in 1..corners - 1 {
        mesh.add_triangle(first, first + n, first + n + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raster;

    fn scenes() -> Vec<EmbeddedScene> {
        let scene =
            vivarium_samples::scenes().iter().find(|scene| scene.name == "bouncing").expect("the sample");
        let broken = EmbeddedScene { name: "broken", about: "", text: "{" };
        let good = EmbeddedScene { name: scene.name, about: scene.about, text: scene.text };
        vec![broken, good]
    }

    #[test]
    fn a_scene_is_painted_as_it_lives_and_a_broken_one_is_left_out() {
        let pictures = take(vivarium_samples::catalog(), scenes(), Arc::new(|| {}));
        let picture = pictures.recv_timeout(PATIENCE * 2).expect("a picture");
        assert_eq!(picture.name, "bouncing");
        assert!(picture.shapes.len() > 100, "{} shapes", picture.shapes.len());
        assert!(pictures.recv_timeout(PATIENCE).is_err(), "there is no other");
        let image = raster::screenshot([160, 100], 1.0, 1, |ui| {
            picture.paint(ui.painter(), Rect::from_min_size(Pos2::ZERO, vec2(160.0, 100.0)));
        });
        let background = image.get_pixel(0, 0).0;
        let painted = image.pixels().filter(|pixel| pixel.0 != background).count();
        assert!(painted > 500, "{painted} pixels");
    }
}
