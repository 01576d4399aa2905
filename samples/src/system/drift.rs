//! Moves many bodies by their velocity, and nothing else.

use crate::component::{Transform, Velocity};
use vivarium_world::{Query, Run, SystemDef};

type Bodies = (&'static mut Transform, &'static Velocity);

/// Moves bodies by their velocity, many at a time.
pub fn drift() -> SystemDef {
    SystemDef::each_chunk::<Bodies, _>("drift", update)
}

fn update((transforms, velocities, _): <Bodies as Query>::Chunk<'_>, run: &mut Run) {
    let seconds = super::seconds(run);
    for (transform, velocity) in transforms.iter_mut().zip(velocities) {
        transform.x += velocity.vx * seconds;
        transform.y += velocity.vy * seconds;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::World;

    #[test]
    fn a_body_moves_by_its_velocity() {
        let mut world = World::with([drift()]);
        let id = world.spawn((Transform { x: 1.0, y: 2.0, angle: 3.0 }, Velocity { vx: 125.0, vy: -250.0 }));
        world.steps(1);
        assert_eq!(world.read::<Transform>(id), Transform { x: 3.0, y: -2.0, angle: 3.0 });
    }
}
