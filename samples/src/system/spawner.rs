//! Keeps up the number of bodies.

use super::emit::{Sources, any, any_angle, emitters};
use super::{BODY, count, number};
use crate::component::Velocity;
use vivarium_world::{Named, Run, SystemDef};

/// Keeps up the number of moving bodies: while there are fewer than `target`, sources emit new ones.
pub fn spawner() -> SystemDef {
    SystemDef::worker("spawner", update)
        .query::<Sources>("sources")
        .query::<&Velocity>("bodies")
        .param(count("target", 300, 100_000).unit("bodies"))
        .param(count("most", 4, 1000).unit("bodies a run"))
        .param(number("oldest", 1500.0, 0.0, 10_000.0).unit("ms"))
        .creates(BODY)
}

fn update(queries: &mut Named<'_>, run: &mut Run) -> Result<(), String> {
    let missing = (run.param("target") as usize).saturating_sub(queries.len("bodies"));
    let emitters = emitters(queries, "sources", run);
    let oldest = run.param("oldest");
    for _ in 0..missing.min(run.param("most") as usize) {
        let Some(emitter) = any(&emitters, run) else { break };
        let velocity = emitter.launch(run);
        let mut config = emitter.config((emitter.at().x, emitter.at().y), velocity);
        config.set("angle", f64::from(any_angle(run)));
        // Born at different ages, they do not all die at once.
        config.set("age", run.random().next() * oldest);
        run.create(&config)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::fixture::World;

    const SCENE: &str = r#"{ "vivarium": 1, "random": { "seed": 3 }, "step": 16, "scheduler": "conflict",
      "templates": { "ball": { "class": "mover", "half_width": 4 }, "jet": { "class": "source" } },
      "systems": [ { "system": "spawner", "params": { "target": 30, "most": 4 } } ],
      "entities": [ { "type": "jet", "x": 7, "y": 8, "emits": "ball", "launch_speed": 100 } ] }"#;

    #[test]
    fn as_many_as_allowed_come_each_run_until_there_are_enough() {
        let mut world = World::load(SCENE);
        for expected in [5, 9, 13] {
            world.steps(1);
            assert_eq!(world.len(), expected);
        }
        world.steps(20);
        assert_eq!(world.len(), 31);
    }

    #[test]
    fn a_source_of_an_unknown_type_is_an_error_that_names_it() {
        let mut world = World::load(&SCENE.replace(r#""emits": "ball""#, r#""emits": "bal""#));
        let errors = world.errors_of(1);
        assert!(errors.len() == 1 && errors[0].contains(r#""bal"; did you mean "ball"?"#), "{errors:?}");
    }

    #[test]
    fn without_a_source_nothing_comes() {
        let mut world = World::load(&SCENE.replace(r#""emits": "ball", "#, ""));
        world.steps(5);
        assert_eq!(world.len(), 1);
    }
}
