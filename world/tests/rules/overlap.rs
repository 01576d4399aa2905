//! Rules of updates that overlap under the conflict scheduler: results depend on scene, seed and steps only.

use crate::common::*;
use vivarium_world::{EffectError, EntityId, Named, Run, SchedulerKind, SystemDef, World};

/// A world whose runs fail now and then, in every way there is.
fn failing(threads: usize) -> World {
    let (mut world, _) = world(threads);
    load(&mut world, r#""step": 16, "entities": []"#);
    assert_eq!(world.scheduler(), SchedulerKind::Conflict);
    world.set_effect_limit(300);
    world.spawn_batch(
        (0..400).map(|n| (Place { x: f64::from(n) }, Speed { vx: 0.0 }, Health { health: 0.0 })),
    );
    let note = |name: &'static str, every: f64| {
        let system = SystemDef::worker(name, move |queries: &mut Named<'_>, run: &mut Run| {
            let (delta, number) = (run.delta(), run.number() as f64);
            queries.each::<&mut Place>("all", |place| place.x = place.x * 0.5 + delta + number * 0.125);
            if run.random().next() < 0.4 { Err("not this time".to_owned()) } else { Ok(()) }
        });
        system.query::<&mut Place>("all").every(every)
    };
    world.add_system(note("each step", 0.0)).unwrap();
    world.add_system(note("every third", 48.0)).unwrap();
    let panics = SystemDef::each::<&mut Speed, _>("panics", |speed: &mut Speed, run: &mut Run| {
        speed.vx += run.delta() + run.random().next();
        assert!(run.random().next() > 0.002, "as it was to");
    });
    world.add_system(panics.every(32.0).not_at_once()).unwrap();
    let floods = SystemDef::each::<(EntityId, &Speed), _>(
        "floods",
        |(id, speed): (EntityId, &Speed), run: &mut Run| {
            if run.random().next() < 0.745 {
                run.set(id, Health { health: speed.vx + run.delta() })?;
            }
            Ok::<(), EffectError>(())
        },
    );
    world.add_system(floods.writes::<Health>()).unwrap();
    world
}

#[test]
fn what_becomes_of_the_time_of_a_failed_run_does_not_depend_on_how_soon_it_ends() {
    let results = |threads: usize, together: u32| {
        let mut world = failing(threads);
        let hashes: Vec<u64> = (0..6)
            .map(|_| {
                (0..8 / together).for_each(|_| _ = world.update(16.0 * f64::from(together)));
                world.settle();
                world.state_hash()
            })
            .collect();
        let runs: Vec<u64> = world.systems().map(|status| status.runs).collect();
        let failed = world.take_errors().0.len();
        assert!(failed > 20, "{failed} runs failed");
        (hashes, runs)
    };
    let wanted = results(0, 1);
    for threads in [0, 1, 2, 8] {
        for together in [1, 2, 8] {
            assert_eq!(results(threads, together), wanted, "{threads} threads, {together} steps an update");
        }
    }
}
