//! Lets the sea rise and fall.

use crate::component::Tide;
use std::f64::consts::TAU;
use vivarium_world::{Run, SystemDef};

/// Lets the sea rise and fall, as high above the mean as below.
pub fn tide() -> SystemDef {
    SystemDef::each_on_world_thread::<(&mut Tide,), _>("tide", update)
}

fn update((tide,): (&mut Tide,), run: &mut Run) {
    let period = f64::from(tide.period).max(1.0);
    tide.level = (TAU * run.game_time() / period).sin() as f32;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::World;

    #[test]
    fn a_flood_is_followed_by_an_ebb() {
        let mut world = World::with([tide()]);
        let id = world.spawn((Tide { period: 1600.0, level: 0.0 },));
        world.steps(25);
        assert!(world.read::<Tide>(id).level > 0.9);
        world.steps(50);
        assert!(world.read::<Tide>(id).level < -0.9);
    }
}
