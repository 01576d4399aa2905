//! A breeze that swings from side to side.

use super::{number, param, seconds};
use crate::component::{Mass, Velocity};
use std::f64::consts::TAU;
use vivarium_world::{Query, Run, SystemDef};

type Light = (&'static mut Velocity, &'static Mass);

/// A breeze that swings from side to side; it moves the light more than the heavy.
pub fn wind() -> SystemDef {
    SystemDef::each_with::<Light, _, _>("wind", push, update)
        .param(number("strength", 60.0, 0.0, 500.0).unit("N"))
        .param(number("period", 9000.0, 100.0, 60_000.0).unit("ms"))
}

/// What the wind of a run adds to the speed of a body whose mass is 1.
fn push(run: &Run) -> f32 {
    let swing = (TAU * run.game_time() / run.param("period")).sin() as f32;
    swing * param(run, "strength") * seconds(run)
}

fn update((velocity, mass): <Light as Query>::Row<'_>, push: f32, _: &mut Run) {
    velocity.vx += push / mass.mass.max(0.1);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::World;

    #[test]
    fn the_light_are_moved_more_than_the_heavy() {
        let mut world = World::with([wind()]);
        let still = Velocity { vx: 0.0, vy: 0.0 };
        let heavy = world.spawn((still, Mass { mass: 10.0, buoyancy: 0.0 }));
        let light = world.spawn((still, Mass { mass: 0.5, buoyancy: 0.0 }));
        world.steps(20);
        let (heavy, light) = (world.read::<Velocity>(heavy).vx, world.read::<Velocity>(light).vx);
        assert!(heavy > 0.0 && (light / heavy - 20.0).abs() < 0.01, "{heavy} {light}");
    }
}
