//! Moves bodies by their velocity, under gravity and drag.

use super::{number, param, seconds};
use crate::component::{Mass, Transform, Velocity};
use vivarium_world::{Query, Run, SystemDef};

type Bodies = (&'static mut Transform, &'static mut Velocity, Option<&'static Mass>);

/// Moves bodies by their velocity, under gravity and drag. It limits their speed, so that none jumps over a wall
/// between two steps.
pub fn movement() -> SystemDef {
    SystemDef::each_with::<Bodies, _, _>("movement", Forces::of, update)
        .param(number("gravity", 240.0, -1000.0, 1000.0).unit("px/s²"))
        .param(number("damping", 0.92, 0.0, 1.0).unit("left after 1 s"))
        .param(number("top_speed", 1200.0, 0.0, 2000.0).unit("px/s"))
}

/// What moves every body of a run.
#[derive(Clone, Copy)]
struct Forces {
    seconds: f32,
    /// What gravity adds to the speed.
    pull: f32,
    /// The part of its speed that a body keeps.
    kept: f32,
    top_speed: f32,
}

impl Forces {
    fn of(run: &Run) -> Self {
        let seconds = seconds(run);
        Self {
            seconds,
            pull: param(run, "gravity") * seconds,
            kept: param(run, "damping").powf(seconds),
            top_speed: param(run, "top_speed"),
        }
    }
}

fn update((transform, velocity, mass): <Bodies as Query>::Row<'_>, forces: Forces, _: &mut Run) {
    let Forces { seconds, pull, kept, top_speed } = forces;
    let share = 1.0 - mass.map_or(0.0, |mass| mass.buoyancy);
    velocity.vx *= kept;
    velocity.vy = velocity.vy * kept + pull * share;
    let speed = velocity.vx.hypot(velocity.vy);
    if speed > top_speed {
        velocity.vx *= top_speed / speed;
        velocity.vy *= top_speed / speed;
    }
    transform.x += velocity.vx * seconds;
    transform.y += velocity.vy * seconds;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::World;

    #[test]
    fn what_does_not_float_falls_and_what_floats_rises() {
        let mut world = World::with([movement()]);
        let at_rest = (Transform { x: 0.0, y: 0.0, angle: 0.0 }, Velocity { vx: 0.0, vy: 0.0 });
        let stone = world.spawn(at_rest);
        let bubble = world.spawn((at_rest.0, at_rest.1, Mass { mass: 1.0, buoyancy: 1.5 }));
        world.steps(10);
        assert!(world.read::<Transform>(stone).y > 0.0);
        assert!(world.read::<Transform>(bubble).y < 0.0);
    }

    #[test]
    fn nothing_is_faster_than_the_top_speed() {
        let mut world = World::with([movement()]);
        world.set_param("movement", "top_speed", 100.0);
        let id = world.spawn((Transform { x: 0.0, y: 0.0, angle: 0.0 }, Velocity { vx: 3e4, vy: 4e4 }));
        world.steps(1);
        let Velocity { vx, vy } = world.read(id);
        assert!((vx.hypot(vy) - 100.0).abs() < 0.01, "{vx} {vy}");
    }
}
