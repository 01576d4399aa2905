//! Lets bodies bounce off solids.

use super::{number, param};
use crate::component::{Body, Bumper, Solid, Transform, Velocity};
use vivarium_world::{Named, Run, SystemDef, With, Without};

type Solids = (&'static Transform, &'static Body, Option<&'static Bumper>, With<Solid>);
type Bodies = (&'static mut Transform, &'static mut Velocity, &'static Body, Without<Solid>);

/// Lets bodies bounce off solids: boxes, turned or not, and circles. To a solid every body is a circle.
pub fn bounce() -> SystemDef {
    SystemDef::worker("bounce", update)
        .query::<Solids>("solids")
        .query::<Bodies>("bodies")
        .param(number("restitution", 0.86, 0.0, 1.0).unit("of the speed"))
}

/// A solid, ready to be met by many bodies.
struct Obstacle {
    x: f32,
    y: f32,
    cos: f32,
    sin: f32,
    half_width: f32,
    half_height: f32,
    kick: f32,
}

/// Where two shapes overlap: the way out of the obstacle, of length 1, and how far it is.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Contact {
    normal: (f32, f32),
    depth: f32,
}

fn update(queries: &mut Named<'_>, run: &mut Run) -> Result<(), String> {
    let restitution = param(run, "restitution");
    let mut obstacles = Vec::new();
    queries.each::<Solids>("solids", |(transform, body, bumper, ())| {
        obstacles.push(Obstacle::new(transform, body, bumper));
    });
    queries.each::<Bodies>("bodies", |(transform, velocity, body, ())| {
        let radius = body.half_width.max(body.half_height);
        for obstacle in &obstacles {
            if let Some(Contact { normal: (x, y), depth }) =
                obstacle.contact(transform.x, transform.y, radius)
            {
                transform.x += x * depth;
                transform.y += y * depth;
                let speed = velocity.vx * x + velocity.vy * y;
                // One that already leaves has bounced; it was only not yet out.
                if speed < 0.0 {
                    let change = obstacle.kick - (1.0 + restitution) * speed;
                    velocity.vx += x * change;
                    velocity.vy += y * change;
                }
            }
        }
    });
    Ok(())
}

impl Obstacle {
    fn new(transform: &Transform, body: &Body, bumper: Option<&Bumper>) -> Self {
        let (sin, cos) = transform.angle.sin_cos();
        let Body { half_width, half_height, .. } = *body;
        let kick = bumper.map_or(0.0, |bumper| bumper.kick);
        Self { x: transform.x, y: transform.y, cos, sin, half_width, half_height, kick }
    }

    fn contact(&self, x: f32, y: f32, radius: f32) -> Option<Contact> {
        let (dx, dy) = (x - self.x, y - self.y);
        if self.half_height <= 0.0 {
            return away(dx, dy, self.half_width + radius);
        }
        // Seen from the box, which is then not turned.
        let (right, down) = (dx * self.cos + dy * self.sin, dy * self.cos - dx * self.sin);
        let nearest_right = right.clamp(-self.half_width, self.half_width);
        let nearest_down = down.clamp(-self.half_height, self.half_height);
        let inside = nearest_right == right && nearest_down == down;
        let contact = if inside {
            let (out_right, out_down) = (self.half_width - right.abs(), self.half_height - down.abs());
            if out_right < out_down {
                Contact { normal: (1f32.copysign(right), 0.0), depth: out_right + radius }
            } else {
                Contact { normal: (0.0, 1f32.copysign(down)), depth: out_down + radius }
            }
        } else {
            away(right - nearest_right, down - nearest_down, radius)?
        };
        let (right, down) = contact.normal;
        let normal = (right * self.cos - down * self.sin, right * self.sin + down * self.cos);
        Some(Contact { normal, ..contact })
    }
}

/// The contact of a point with a circle around the origin, which it leaves upwards if it is in the middle.
fn away(dx: f32, dy: f32, radius: f32) -> Option<Contact> {
    let distance = dx.hypot(dy);
    let normal = if distance > 0.0 { (dx / distance, dy / distance) } else { (0.0, -1.0) };
    (distance < radius).then_some(Contact { normal, depth: radius - distance })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::World;

    fn body(half_width: f32, half_height: f32) -> Body {
        Body { half_width, half_height, colour: 0xff }
    }

    fn at(x: f32, y: f32) -> Transform {
        Transform { x, y, angle: 0.0 }
    }

    #[test]
    fn a_body_is_pushed_out_of_a_wall_and_leaves_slower() {
        let mut world = World::with([bounce()]);
        world.spawn((at(0.0, 10.0), body(100.0, 10.0), Solid));
        let ball = world.spawn((at(5.0, -3.0), Velocity { vx: 7.0, vy: 50.0 }, body(4.0, 0.0)));
        world.steps(1);
        assert_eq!(world.read::<Transform>(ball), at(5.0, -4.0));
        assert_eq!(world.read::<Velocity>(ball), Velocity { vx: 7.0, vy: 50.0 - 1.86 * 50.0 });
        world.steps(1);
        assert_eq!(world.read::<Transform>(ball), at(5.0, -4.0));
    }

    #[test]
    fn a_bumper_lets_a_body_leave_faster() {
        let mut world = World::with([bounce()]);
        world.set_param("bounce", "restitution", 1.0);
        world.spawn((at(0.0, 0.0), body(20.0, 0.0), Solid, Bumper { kick: 30.0 }));
        let ball = world.spawn((at(22.0, 0.0), Velocity { vx: -50.0, vy: 0.0 }, body(4.0, 0.0)));
        world.steps(1);
        assert_eq!(world.read::<Velocity>(ball), Velocity { vx: 80.0, vy: 0.0 });
        assert_eq!(world.read::<Transform>(ball), at(24.0, 0.0));
    }

    #[test]
    fn a_turned_box_is_left_along_its_own_normal() {
        let quarter = std::f32::consts::FRAC_PI_2;
        let wall = Obstacle::new(&Transform { x: 0.0, y: 0.0, angle: quarter }, &body(50.0, 5.0), None);
        let Contact { normal, depth } = wall.contact(7.0, 30.0, 4.0).unwrap();
        assert!((normal.0 - 1.0).abs() < 1e-6 && normal.1.abs() < 1e-6, "{normal:?}");
        assert!((depth - 2.0).abs() < 1e-5, "{depth}");
        assert_eq!(wall.contact(30.0, 7.0, 4.0), None);
    }

    #[test]
    fn a_body_in_the_middle_of_a_solid_finds_a_way_out() {
        for half_height in [0.0, 5.0] {
            let solid = Obstacle::new(&at(3.0, 3.0), &body(8.0, half_height), None);
            let Contact { normal, depth } = solid.contact(3.0, 3.0, 1.0).unwrap();
            assert!((normal.0.hypot(normal.1) - 1.0).abs() < 1e-6);
            let (x, y) = (3.0 + normal.0 * depth, 3.0 + normal.1 * depth);
            assert_eq!(solid.contact(x, y, 0.99), None);
        }
    }
}
