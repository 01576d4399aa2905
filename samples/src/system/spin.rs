//! Turns what spins.

use crate::component::{Spin, Transform};
use std::f32::consts::{PI, TAU};
use vivarium_world::{Run, SystemDef};

/// Turns what spins. It runs on the world thread, to show how such a system stands in a schedule.
pub fn spin() -> SystemDef {
    SystemDef::each_on_world_thread::<(&mut Transform, &Spin), _>("spin", update)
}

fn update((transform, spin): (&mut Transform, &Spin), run: &mut Run) {
    let angle = transform.angle + spin.rate * super::seconds(run);
    // Kept small: an angle that grows for hours would turn in jumps.
    transform.angle = if angle.abs() > PI { angle - TAU * (angle / TAU).round() } else { angle };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::World;

    #[test]
    fn an_angle_turns_and_stays_within_half_a_turn() {
        let mut world = World::with([spin()]);
        let id = world.spawn((Transform { x: 0.0, y: 0.0, angle: 3.1 }, Spin { rate: 10.0 }));
        world.steps(1);
        let angle = world.read::<Transform>(id).angle;
        assert!((angle - (3.26 - TAU)).abs() < 1e-5, "{angle}");
    }
}
