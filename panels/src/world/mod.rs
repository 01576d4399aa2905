//! The scene, painted.

mod camera;
mod mesh;

use crate::theme::Palette;
use crate::view::{Requests, View, look_into};
use crate::{PanelId, Request, Select, format, widgets};
use camera::Camera;
use egui::accesskit::Role;
use egui::{Key, Mesh, Pos2, Rect, Response, RichText, Sense, Shape, Stroke, StrokeKind, Ui, Vec2, vec2};
use std::sync::Arc;
use vivarium_world::Ordinal;
use vivarium_world::inspect::{ColourBy, ShapesRequest, ShapesView, ViewRequest};

/// The most shapes asked for at once; of more every n-th is shown.
const MOST_SHAPES: usize = 300_000;

/// Where the eye is, what colours mean, and what the mouse is doing.
#[derive(Default)]
pub struct WorldPanel {
    camera: Camera,
    /// Size of the painted part when it was drawn last.
    size: Vec2,
    /// The scene the camera was fitted to.
    fitted: Option<String>,
    colour: ColourBy,
    follow: bool,
    /// Whether the followed entity was not among the shapes.
    lost: bool,
    hovered: Option<Ordinal>,
    /// Where a box selection started.
    corner: Option<Pos2>,
    /// The mesh painted last, and what it was made of.
    painted: Option<(Painted, Arc<Mesh>)>,
}

/// What a mesh depends on.
#[derive(Clone, Copy, PartialEq)]
struct Painted {
    sequence: u64,
    camera: Camera,
    screen: Rect,
}

impl WorldPanel {
    /// Asks for the shapes in sight.
    pub fn request(&self, view: &View<'_>, wanted: &mut ViewRequest) {
        let known = self.fitted.is_some() && !(self.follow && self.lost);
        let within = if known { self.camera.wanted(self.size, view.snapshot.catalog.bounds) } else { None };
        wanted.shapes = Some(ShapesRequest { within, colour: self.colour.clone(), limit: MOST_SHAPES });
        // Only to name it.
        if let Some(hovered) = self.hovered {
            look_into(wanted, hovered);
        }
    }

    /// Draws the panel.
    pub fn ui(&mut self, ui: &mut Ui, view: &View<'_>, out: &mut Requests) {
        let Some(shapes) = &view.snapshot.shapes else {
            widgets::nothing(ui, "No picture of the scene yet");
            return;
        };
        let fit = ui.horizontal_wrapped(|ui| self.toolbar(ui, view, shapes)).inner;
        let (rect, response) =
            ui.allocate_exact_size(ui.available_size().max(vec2(40.0, 40.0)), Sense::click_and_drag());
        self.size = rect.size();
        self.keep_in_view(view, shapes, rect, fit || (response.double_clicked() && self.hovered.is_none()));
        self.navigate(ui, &response, rect);
        self.select(ui, view, shapes, &response, rect, out);
        self.paint(ui, view, shapes, &response, rect);
        let selected = match view.selection.len() {
            0 => String::new(),
            n => format!(", {} selected", format::count(n as u64)),
        };
        let text = format!("World with {}{selected}", format::counted(shapes.shapes.len(), "shape"));
        widgets::describe(&response, Role::Canvas, &text);
        self.name_hovered(view, shapes, response, rect);
    }

    /// Returns whether all is to be shown.
    fn toolbar(&mut self, ui: &mut Ui, view: &View<'_>, shapes: &ShapesView) -> bool {
        let fit = ui.button("Fit").on_hover_text("Show all (double-click, or F)").clicked();
        ui.checkbox(&mut self.follow, "Follow selection")
            .on_hover_text("Keep the selected entity in the middle");
        ui.label("Colour by");
        ui.name_inputs("Colour by", |ui| self.colour_menu(ui, view));
        if matches!(self.colour, ColourBy::Field(_)) {
            ui.label(RichText::new("blue is least, yellow greatest").weak());
        }
        let mut text = format::counted(shapes.shapes.len(), "shape");
        if shapes.sampled > 1 {
            let (every, total) = (format::count(shapes.sampled as u64), format::count(shapes.total as u64));
            text = format!("{text}: 1 in {every} of {total}");
        } else if shapes.total > shapes.shapes.len() {
            text = format!("{text} of {} near", format::count(shapes.total as u64));
        }
        ui.label(text);
        if shapes.tick != view.snapshot.status.tick {
            ui.label(RichText::new(format!("as of tick {}", format::count(shapes.tick))).weak())
                .on_hover_text("A run holds the positions; they are shown anew when it ends");
        }
        fit
    }

    fn colour_menu(&mut self, ui: &mut Ui, view: &View<'_>) {
        let text = match &self.colour {
            ColourBy::Own => "own colour",
            ColourBy::Type => "type",
            ColourBy::Class => "class",
            ColourBy::Field(field) => field,
        };
        egui::ComboBox::from_id_salt("colour by").selected_text(text.to_owned()).show_ui(ui, |ui| {
            ui.selectable_value(&mut self.colour, ColourBy::Own, "own colour");
            ui.selectable_value(&mut self.colour, ColourBy::Type, "type");
            ui.selectable_value(&mut self.colour, ColourBy::Class, "class");
            for field in widgets::field_names(&view.snapshot.catalog) {
                ui.selectable_value(&mut self.colour, ColourBy::Field(field.clone()), field);
            }
        });
    }

    /// Fits the camera to a scene it has not seen, and moves it along with what it follows.
    fn keep_in_view(&mut self, view: &View<'_>, shapes: &ShapesView, rect: Rect, fit: bool) {
        let scene = &view.snapshot.status.scene;
        if fit || self.fitted.as_ref() != Some(scene) {
            let Some(bounds) = view.snapshot.catalog.bounds.or_else(|| mesh::extent(&shapes.shapes)) else {
                return;
            };
            self.camera = Camera::fit(bounds, rect.size());
            self.fitted = Some(scene.clone());
            self.follow &= !fit;
        }
        if self.follow
            && let Some(primary) = view.selection.primary()
        {
            let shape = shapes.shapes.iter().find(|shape| shape.ordinal == primary);
            self.lost = shape.is_none();
            if let Some(shape) = shape.filter(|shape| shape.x.is_finite() && shape.y.is_finite()) {
                self.camera.centre = (f64::from(shape.x), f64::from(shape.y));
            }
        }
    }

    fn navigate(&mut self, ui: &Ui, response: &Response, rect: Rect) {
        let boxing = self.corner.is_some() || ui.input(|input| input.modifiers.shift);
        let by_middle = response.dragged_by(egui::PointerButton::Middle);
        if by_middle || response.dragged_by(egui::PointerButton::Primary) && !boxing {
            self.camera.pan(response.drag_delta());
            self.follow &= response.drag_delta() == Vec2::ZERO;
        }
        if let Some(at) = response.hover_pos() {
            let (scroll, pinch) = ui.input(|input| (input.smooth_scroll_delta().y, input.zoom_delta()));
            let factor = (scroll * 0.005).exp() * pinch;
            if factor != 1.0 {
                let at = if self.follow { rect.center() } else { at };
                self.camera.zoom(rect, at, factor);
            }
        }
        if response.has_focus() {
            self.keys(ui, response, rect);
        }
    }

    fn keys(&mut self, ui: &Ui, response: &Response, rect: Rect) {
        let filter =
            egui::EventFilter { horizontal_arrows: true, vertical_arrows: true, ..Default::default() };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
        let step = rect.size() * 0.1;
        ui.input(|input| {
            for (key, delta) in [
                (Key::ArrowLeft, vec2(step.x, 0.0)),
                (Key::ArrowRight, vec2(-step.x, 0.0)),
                (Key::ArrowUp, vec2(0.0, step.y)),
                (Key::ArrowDown, vec2(0.0, -step.y)),
            ] {
                if input.key_pressed(key) && input.modifiers.is_none() {
                    self.camera.pan(delta);
                }
            }
            if input.key_pressed(Key::Plus) || input.key_pressed(Key::Equals) {
                self.camera.zoom(rect, rect.center(), 1.25);
            }
            if input.key_pressed(Key::Minus) {
                self.camera.zoom(rect, rect.center(), 0.8);
            }
            if input.key_pressed(Key::F) && input.modifiers.is_none() {
                self.fitted = None;
            }
        });
    }

    fn select(
        &mut self,
        ui: &Ui,
        view: &View<'_>,
        shapes: &ShapesView,
        response: &Response,
        rect: Rect,
        out: &mut Requests,
    ) {
        let modifiers = ui.input(|input| input.modifiers);
        if response.drag_started_by(egui::PointerButton::Primary) && modifiers.shift {
            self.corner = ui.input(|input| input.pointer.press_origin());
        }
        let pointer = response.interact_pointer_pos();
        if response.drag_stopped()
            && let (Some(corner), Some(pointer)) = (self.corner.take(), pointer)
        {
            let (a, b) = (self.camera.to_world(rect, corner), self.camera.to_world(rect, pointer));
            let found = mesh::within(&shapes.shapes, a, b);
            out.push(if modifiers.command { Select::Add(found) } else { Select::Set(found) }.into());
        }
        if response.clicked()
            && let Some(pointer) = pointer
        {
            response.request_focus();
            match (self.shape_under(shapes, rect, pointer), modifiers.command) {
                (Some(ordinal), true) => out.push(Select::Toggle(ordinal).into()),
                (Some(ordinal), false) => out.push(Select::Only(ordinal).into()),
                (None, true) => {}
                (None, false) if view.selection.is_empty() => {}
                (None, false) => out.push(Select::None.into()),
            }
        }
        if response.double_clicked() && self.hovered.is_some() {
            out.push(Request::ShowPanel(PanelId::Inspector));
        }
    }

    /// The entity whose shape is under a point of the screen, or no more than a few points beside it.
    fn shape_under(&self, shapes: &ShapesView, rect: Rect, at: Pos2) -> Option<Ordinal> {
        let slack = 4.0 / self.camera.scale;
        mesh::shape_at(&shapes.shapes, self.camera.to_world(rect, at), slack).map(|shape| shape.ordinal)
    }

    fn name_hovered(&mut self, view: &View<'_>, shapes: &ShapesView, response: Response, rect: Rect) {
        let still = !response.dragged();
        let at = response.hover_pos().filter(|_| still);
        self.hovered = at.and_then(|at| self.shape_under(shapes, rect, at));
        if let Some(hovered) = self.hovered {
            response.on_hover_text_at_pointer(view.entity_label(hovered));
        }
    }

    fn paint(&mut self, ui: &Ui, view: &View<'_>, shapes: &ShapesView, response: &Response, rect: Rect) {
        let palette = Palette::of(ui.visuals());
        let painter = ui.painter().with_clip_rect(rect.intersect(ui.clip_rect()));
        painter.rect_filled(rect, 0.0, palette.field);
        if let Some([left, top, right, bottom]) = view.snapshot.catalog.bounds {
            let corner = |x: f64, y: f64| self.camera.to_screen(rect, x as f32, y as f32);
            let bounds = Rect::from_two_pos(corner(left, top), corner(right, bottom));
            painter.rect_stroke(bounds, 0.0, Stroke::new(1.0, palette.line), StrokeKind::Outside);
        }
        if !view.selection.is_empty() {
            let chosen = |ordinal| view.selection.contains(ordinal);
            let rims = mesh::rims(&shapes.shapes, self.camera, rect, palette.strong, chosen);
            painter.add(Shape::mesh(rims));
        }
        painter.add(Shape::Mesh(self.mesh(view, shapes, rect)));
        if let (Some(corner), Some(pointer)) = (self.corner, response.interact_pointer_pos()) {
            let selected = Rect::from_two_pos(corner, pointer);
            painter.rect_filled(selected, 0.0, palette.accent.gamma_multiply(0.15));
            painter.rect_stroke(selected, 0.0, Stroke::new(1.0, palette.accent), StrokeKind::Inside);
        }
        if response.has_focus() {
            painter.rect_stroke(rect, 0.0, ui.visuals().selection.stroke, StrokeKind::Inside);
        }
    }

    /// The mesh of all shapes, made anew only when something changed.
    fn mesh(&mut self, view: &View<'_>, shapes: &ShapesView, screen: Rect) -> Arc<Mesh> {
        let key = Painted { sequence: view.snapshot.sequence, camera: self.camera, screen };
        match &self.painted {
            Some((painted, mesh)) if *painted == key => mesh.clone(),
            _ => {
                let mesh = Arc::new(mesh::shapes(&shapes.shapes, self.camera, screen));
                self.painted = Some((key, mesh.clone()));
                mesh
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Fixture};
    use egui::{Event, Modifiers, PointerButton, pos2};
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;
    use std::cell::RefCell;
    use std::rc::Rc;

    fn shown(fixture: Fixture) -> (Harness<'static, Fixture>, Rc<RefCell<WorldPanel>>) {
        let panel = Rc::new(RefCell::new(WorldPanel::default()));
        let drawn = panel.clone();
        let harness = fixture::harness(fixture, move |ui, view, out| drawn.borrow_mut().ui(ui, view, out));
        (harness, panel)
    }

    /// Where a place of the world is in the window.
    fn place(harness: &Harness<'_, Fixture>, panel: &RefCell<WorldPanel>, x: f32, y: f32) -> Pos2 {
        let rect = harness.get_by_label_contains("World with").rect();
        panel.borrow().camera.to_screen(rect, x, y)
    }

    /// Presses or releases in a single step: a press held over several is no click.
    fn button(harness: &mut Harness<'_, Fixture>, pos: Pos2, pressed: bool, modifiers: Modifiers) {
        let press = Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers };
        let held = Event::ModifiersChanged(modifiers);
        harness.input_mut().events.extend([held, Event::PointerMoved(pos), press]);
        harness.step();
    }

    fn click(harness: &mut Harness<'_, Fixture>, pos: Pos2) {
        button(harness, pos, true, Modifiers::NONE);
        button(harness, pos, false, Modifiers::NONE);
        harness.run();
    }

    #[test]
    fn a_sample_says_how_many_it_stands_for() {
        let mut fixture = Fixture::paused();
        let shapes = fixture.snapshot.shapes.as_mut().unwrap();
        (shapes.sampled, shapes.total) = (2, 8);
        let mut panel = WorldPanel::default();
        let harness = fixture::harness(fixture, move |ui, view, out| panel.ui(ui, view, out));
        harness.get_by_label("4 shapes: 1 in 2 of 8");
    }

    #[test]
    fn a_click_selects_the_shape_under_the_cursor_and_beside_all_none() {
        let (mut harness, panel) = shown(Fixture::paused());
        let (guardian, nowhere) = (place(&harness, &panel, 102.0, 50.0), place(&harness, &panel, 20.0, 90.0));
        click(&mut harness, guardian);
        assert_eq!(harness.state_mut().take(), [Select::Only(Ordinal(2)).into()]);
        harness.get_by_label("World with 4 shapes, 1 selected");
        click(&mut harness, nowhere);
        assert_eq!(harness.state_mut().take(), [Select::None.into()]);
    }

    #[test]
    fn a_box_drawn_with_shift_selects_what_is_in_it() {
        let (mut harness, panel) = shown(Fixture::paused());
        let (from, to) = (place(&harness, &panel, 10.0, 10.0), place(&harness, &panel, 70.0, 30.0));
        let before = panel.borrow().camera;
        button(&mut harness, from, true, Modifiers::SHIFT);
        harness.input_mut().events.push(Event::PointerMoved(from.lerp(to, 0.5)));
        harness.step();
        button(&mut harness, to, false, Modifiers::SHIFT);
        assert_eq!(harness.state_mut().take(), [Select::Set(vec![Ordinal(0), Ordinal(1)]).into()]);
        assert_eq!(panel.borrow().camera, before, "the box does not pan");
    }

    #[test]
    fn dragging_pans_and_fit_shows_all_again() {
        let (mut harness, panel) = shown(Fixture::paused());
        let fitted = panel.borrow().camera;
        let from = place(&harness, &panel, 100.0, 90.0);
        harness.drag_at(from);
        harness.hover_at(from + vec2(40.0, 0.0));
        harness.run();
        harness.drop_at(from + vec2(40.0, 0.0));
        harness.run();
        assert!(panel.borrow().camera.centre.0 < fitted.centre.0);
        assert!(harness.state_mut().take().is_empty(), "a drag selects nothing");
        harness.get_by_label("Fit").click();
        harness.run();
        assert_eq!(panel.borrow().camera, fitted);
    }

    #[test]
    fn the_wheel_zooms_and_then_only_what_is_near_is_asked_for() {
        let (mut harness, panel) = shown(Fixture::paused());
        let asked = |harness: &Harness<'_, Fixture>| {
            let mut wanted = ViewRequest::default();
            panel.borrow().request(&harness.state().view(), &mut wanted);
            wanted.shapes.unwrap()
        };
        assert_eq!(asked(&harness).within, None);
        harness.hover_at(pos2(500.0, 400.0));
        for _ in 0..20 {
            let delta = vec2(0.0, 60.0);
            let phase = egui::TouchPhase::Move;
            harness.event(Event::MouseWheel {
                unit: egui::MouseWheelUnit::Point,
                delta,
                phase,
                modifiers: Modifiers::NONE,
                source: egui::MouseWheelSource::Wheel,
            });
            harness.run_steps(4);
        }
        let within = asked(&harness).within.unwrap();
        assert!(within[2] - within[0] < 200.0, "{within:?}");
    }

    #[test]
    fn following_keeps_the_selected_entity_in_the_middle() {
        let (mut harness, panel) = shown(Fixture::paused().select(&[3]));
        harness.get_by_label("Follow selection").click();
        harness.run();
        assert_eq!(panel.borrow().camera.centre, (150.0, 80.0));
        harness.state_mut().snapshot.shapes.as_mut().unwrap().shapes[3].x = 160.0;
        harness.run();
        assert_eq!(panel.borrow().camera.centre, (160.0, 80.0));
    }

    #[test]
    fn colours_are_asked_for_by_a_field() {
        let (mut harness, panel) = shown(Fixture::paused());
        harness.get_by_role_and_label(Role::ComboBox, "Colour by").click();
        harness.run();
        harness.get_by_label("transform.angle").click();
        harness.run();
        let mut wanted = ViewRequest::default();
        panel.borrow().request(&harness.state().view(), &mut wanted);
        assert_eq!(wanted.shapes.unwrap().colour, ColourBy::Field("transform.angle".to_owned()));
    }
}
