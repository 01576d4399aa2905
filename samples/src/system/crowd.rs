//! Fills the world with bodies that circle its origin.

use super::emit::{Sources, any, any_angle, emitters};
use super::{BODY, count, number, param};
use crate::component::Velocity;
use vivarium_world::{Named, Run, SystemDef};

/// Fills the world: while there are fewer than `target` bodies, new ones come around the sources, and circle the
/// origin.
pub fn crowd() -> SystemDef {
    SystemDef::worker("crowd", update)
        .query::<Sources>("sources")
        .query::<&Velocity>("bodies")
        .param(count("target", 250_000, 1_000_000).unit("bodies"))
        .param(count("most", 25_000, 100_000).unit("bodies a run"))
        .param(number("radius", 240.0, 0.0, 2000.0).unit("px"))
        .param(number("speed", 250.0, -1000.0, 1000.0).unit("px/s"))
        .creates(BODY)
}

fn update(queries: &mut Named<'_>, run: &mut Run) -> Result<(), String> {
    let missing = (run.param("target") as usize).saturating_sub(queries.len("bodies"));
    let most = missing.min(run.param("most") as usize);
    if most == 0 {
        return Ok(());
    }
    let emitters = emitters(queries, "sources", run);
    let (radius, speed) = (param(run, "radius"), param(run, "speed"));
    for _ in 0..most {
        let Some(emitter) = any(&emitters, run) else { break };
        // The root spreads them evenly over the disc.
        let distance = radius * (run.random().next() as f32).sqrt();
        let (sin, cos) = any_angle(run).sin_cos();
        let (x, y) = (emitter.at().x + cos * distance, emitter.at().y + sin * distance);
        let pace = speed * (0.6 + 0.4 * run.random().next() as f32) / x.hypot(y).max(1.0);
        run.create(&emitter.config((x, y), (-y * pace, x * pace)))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::component::{Transform, Velocity};
    use crate::fixture::World;

    #[test]
    fn bodies_come_around_a_source_and_go_around_the_origin() {
        let mut world = World::load(
            r#"{ "vivarium": 1, "random": { "seed": 3 }, "step": 16, "scheduler": "conflict",
              "templates": { "dot": { "class": "mover", "half_width": 2 }, "jet": { "class": "source" } },
              "systems": [ { "system": "crowd", "params": { "target": 500, "most": 200, "radius": 50 } } ],
              "entities": [ { "type": "jet", "x": 300, "y": 0, "emits": "dot" } ] }"#,
        );
        for expected in [201, 401, 501, 501] {
            world.steps(1);
            assert_eq!(world.len(), expected);
        }
        for id in world.ids().skip(1).collect::<Vec<_>>() {
            let (Transform { x, y, .. }, Velocity { vx, vy }) = (world.read(id), world.read(id));
            assert!((x - 300.0).hypot(y) <= 50.0);
            assert!((x * vx + y * vy).abs() < 1.0 && vy > 0.0, "{x} {y} {vx} {vy}");
        }
    }
}
