//! Keeps bodies in a rectangle around the origin.

use super::{number, param};
use crate::component::{Transform, Velocity};
use vivarium_world::{Query, Run, SystemDef};

type Bodies = (&'static mut Transform, &'static mut Velocity);

/// Turns bodies back at the edges of a rectangle around the origin.
pub fn edges() -> SystemDef {
    SystemDef::each_chunk::<Bodies, _>("edges", update)
        .param(number("width", 3200.0, 1.0, 20_000.0).unit("px"))
        .param(number("height", 2000.0, 1.0, 20_000.0).unit("px"))
}

fn update((transforms, velocities, _): <Bodies as Query>::Chunk<'_>, run: &mut Run) {
    let (right, bottom) = (param(run, "width") / 2.0, param(run, "height") / 2.0);
    for (transform, velocity) in transforms.iter_mut().zip(velocities) {
        (transform.x, velocity.vx) = turned_back(transform.x, velocity.vx, right);
        (transform.y, velocity.vy) = turned_back(transform.y, velocity.vy, bottom);
    }
}

/// Place and velocity along one axis, back inside `-edge..=edge` and heading inwards. It selects instead of
/// branching, so that a chunk takes the same time wherever its bodies are.
#[inline(always)]
fn turned_back(at: f32, velocity: f32, edge: f32) -> (f32, f32) {
    let inwards = velocity.abs().copysign(-at);
    (at.max(-edge).min(edge), if at.abs() > edge { inwards } else { velocity })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::World;

    #[test]
    fn what_is_outside_is_put_on_the_edge_and_heads_inwards() {
        assert_eq!(turned_back(5.0, 2.0, 10.0), (5.0, 2.0));
        assert_eq!(turned_back(11.0, 2.0, 10.0), (10.0, -2.0));
        assert_eq!(turned_back(11.0, -2.0, 10.0), (10.0, -2.0));
        assert_eq!(turned_back(-11.0, -2.0, 10.0), (-10.0, 2.0));
    }

    #[test]
    fn each_axis_has_its_own_edge() {
        let mut world = World::with([edges()]);
        let id = world.spawn((Transform { x: 1500.0, y: 1500.0, angle: 0.0 }, Velocity { vx: 1.0, vy: 1.0 }));
        world.steps(1);
        assert_eq!(world.read::<Transform>(id), Transform { x: 1500.0, y: 1000.0, angle: 0.0 });
        assert_eq!(world.read::<Velocity>(id), Velocity { vx: 1.0, vy: -1.0 });
    }
}
