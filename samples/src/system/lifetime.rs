//! Lets entities age and die.

use crate::component::Lifetime;
use vivarium_world::{EffectError, EntityId, Run, SystemDef};

/// Lets entities age, and those die that have lived their lifespan.
pub fn lifetime() -> SystemDef {
    SystemDef::each::<(EntityId, &mut Lifetime), _>("lifetime", update).kills()
}

fn update((id, lifetime): (EntityId, &mut Lifetime), run: &mut Run) -> Result<(), EffectError> {
    lifetime.age += run.delta() as f32;
    let over = lifetime.lifespan > 0.0 && lifetime.age >= lifetime.lifespan;
    if over { run.kill(id) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::World;

    #[test]
    fn an_entity_dies_when_its_lifespan_is_over_unless_it_has_none() {
        let mut world = World::with([lifetime()]);
        let mortal = world.spawn((Lifetime { age: 0.0, lifespan: 100.0 },));
        let immortal = world.spawn((Lifetime { age: 0.0, lifespan: 0.0 },));
        world.steps(6);
        assert!(world.lives(mortal));
        world.steps(2);
        assert!(!world.lives(mortal) && world.lives(immortal));
    }
}
