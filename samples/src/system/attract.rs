//! Pulls bodies towards the origin.

use super::{number, param, seconds};
use crate::component::{Transform, Velocity};
use vivarium_world::{Query, Run, SystemDef};

type Bodies = (&'static Transform, &'static mut Velocity);

/// Pulls bodies towards the origin, near it less: within `core` the pull wanes to nothing.
pub fn attract() -> SystemDef {
    SystemDef::each_chunk::<Bodies, _>("attract", update)
        .param(number("pull", 120.0, -1000.0, 1000.0).unit("px/s²"))
        .param(number("core", 200.0, 1.0, 2000.0).unit("px"))
}

fn update((transforms, velocities, _): <Bodies as Query>::Chunk<'_>, run: &mut Run) {
    let pull = param(run, "pull") * seconds(run);
    let core = param(run, "core").powi(2);
    for (transform, velocity) in transforms.iter().zip(velocities) {
        let Transform { x, y, .. } = *transform;
        let change = pull / (x * x + y * y + core).sqrt();
        velocity.vx -= x * change;
        velocity.vy -= y * change;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::World;

    #[test]
    fn a_body_at_rest_falls_towards_the_origin() {
        let mut world = World::with([attract()]);
        let id = world.spawn((Transform { x: 300.0, y: -400.0, angle: 0.0 }, Velocity { vx: 0.0, vy: 0.0 }));
        world.steps(1);
        let Velocity { vx, vy } = world.read(id);
        assert!(vx < 0.0 && vy > 0.0 && (vy / vx + 4.0 / 3.0).abs() < 1e-4, "{vx} {vy}");
        assert!(vx.hypot(vy) < 120.0 * 0.016);
    }
}
