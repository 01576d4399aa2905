//! Lets bodies fade towards the end of their lives.

use super::{number, param};
use crate::component::{Body, Lifetime};
use vivarium_world::{Query, Run, SystemDef};

type Mortals = (&'static mut Body, &'static Lifetime);

/// Lets bodies fade in the last part of their lives.
pub fn fade() -> SystemDef {
    SystemDef::each_with::<Mortals, _, _>("fade", |run: &Run| param(run, "last_part"), update)
        .param(number("last_part", 0.2, 0.01, 1.0).unit("of the lifespan"))
}

fn update((body, lifetime): <Mortals as Query>::Row<'_>, last_part: f32, _: &mut Run) {
    if lifetime.lifespan > 0.0 {
        let left = 1.0 - lifetime.age / lifetime.lifespan;
        let opaque = (255.0 * left / last_part).clamp(0.0, 255.0) as u32;
        // A body that is translucent from the start stays so.
        body.colour = body.colour & !0xff | opaque.min(body.colour & 0xff);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::World;

    #[test]
    fn only_the_old_fade_and_their_hue_stays() {
        let mut world = World::with([fade()]);
        let body = Body { half_width: 1.0, half_height: 1.0, colour: 0x1234_56ff };
        let young = world.spawn((body, Lifetime { age: 100.0, lifespan: 1000.0 }));
        let old = world.spawn((body, Lifetime { age: 900.0, lifespan: 1000.0 }));
        world.steps(1);
        assert_eq!(world.read::<Body>(young).colour, 0x1234_56ff);
        let colour = world.read::<Body>(old).colour;
        assert_eq!(colour >> 8, 0x12_3456);
        assert!((126..=128).contains(&(colour & 0xff)), "{colour:x}");
    }
}
