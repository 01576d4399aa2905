//! Rule 9: what comes of systems depends on scene, seed and steps, not on threads or on who ends first.

use super::held::{Held, PATIENCE};
use crate::common::*;
use std::time::{Duration, Instant};
use vivarium_world::{EntityId, Run, SaveForm, SchedulerKind, SystemDef, World};

const UPDATES: u64 = 4;

/// The hash of a world, and the save of its entities. That has the rows where they are not those of a load, and so
/// tells who got whose row.
fn state(world: &mut World) -> (u64, String) {
    let hash = world.state_hash();
    // Systems that no catalog has are in no save.
    let systems: Vec<_> = world.systems().map(|status| status.id).collect();
    systems.into_iter().for_each(|system| _ = world.remove_system(system));
    (hash, world.save(SaveForm::Plain).unwrap())
}

/// What came of a world that went so many steps, of which so many are queued before any run ends.
fn outcome(
    systems: &'static str,
    threads: usize,
    queued: u64,
    choose: impl Fn(&[&'static str]) -> &'static str + Copy,
) -> (u64, String) {
    let mut held = Held::new(systems, threads);
    held.world.set_step(Some(16.0)).unwrap();
    for update in 1..=UPDATES {
        assert_eq!(held.world.update(16.0).stalled, None);
        if update % queued == 0 {
            held.drain_by(false, choose);
        }
    }
    held.drain_by(false, choose);
    assert_eq!(errors(&mut held.world), no_strings(), "{systems}");
    state(&mut held.world)
}

#[test]
fn rule_9_results_are_the_same_on_any_number_of_threads_whoever_ends_first() {
    for systems in [
        "a c:place\n b c:speed\n c c:health",
        "a c:place\n b c:place\n c kills",
        "a kills\n b c:place\n c q:place",
        "a w:place\n b c:place\n c kills\n d c:place,speed",
        "a q:\n b c:place\n c +:speed\n d kills c:health",
        "a alone c:place\n b c:place\n c c:*",
    ] {
        let wanted = outcome(systems, 0, 1, |open| open[0]);
        for threads in [0, 1, 2, 8] {
            for queued in [1, 2, UPDATES] {
                let last = |open: &[&'static str]| *open.iter().max().unwrap();
                let first = |open: &[&'static str]| *open.iter().min().unwrap();
                let about = format!("{systems} on {threads} threads, {queued} updates at once");
                assert_eq!(outcome(systems, threads, queued, last), wanted, "{about}, the last ends first");
                assert_eq!(outcome(systems, threads, queued, first), wanted, "{about}, the first ends first");
            }
        }
    }
}

/// Entities by their values, in the order of their rows.
fn rows_of(world: &mut World) -> Vec<f64> {
    let mut rows = Vec::new();
    world.each::<&Health>(|health| rows.push(health.health));
    rows
}

#[test]
fn rule_9_a_row_given_up_at_a_step_serves_creations_of_later_steps_only() {
    for threads in [0, 1, 2, 8] {
        for queued in [1, 2, 3] {
            let (mut world, _) = world(threads);
            world.set_scheduler(SchedulerKind::Conflict);
            world.set_step(Some(16.0)).unwrap();
            world.spawn_batch((1..=3).map(|n| (Health { health: f64::from(n) },)));
            // The first step kills the first, the second the next.
            let kill = |(id, health): (EntityId, &Health), run: &mut Run| match health.health {
                n if n == run.tick() as f64 && n < 3.0 => run.kill(id),
                _ => Ok(()),
            };
            world.add_system(SystemDef::each::<(EntityId, &Health), _>("kills", kill).kills()).unwrap();
            let create = |_: &mut vivarium_world::Named<'_>, run: &mut Run| {
                let created = run.create(&config(&format!(r#"{{ "health": {} }}"#, run.tick() * 10)));
                created.map(|_| ()).map_err(|error| error.to_string())
            };
            world.add_system(SystemDef::worker("creates", create).creates(["health"])).unwrap();
            for step in 1..=3 {
                world.update(16.0);
                if step % queued == 0 {
                    world.settle();
                }
            }
            world.settle();
            let about = format!("on {threads} threads, {queued} updates at once");
            assert_eq!(rows_of(&mut world), [20.0, 30.0, 3.0, 10.0], "{about}");
            assert_eq!(errors(&mut world), no_strings(), "{about}");
        }
    }
}

#[test]
fn rule_9_a_hash_has_all_that_was_queued_up_to_it() {
    let hash = |threads: usize| {
        let (mut world, _) = world(threads);
        load(&mut world, r#""step": 16, "entities": [{ "x": 1 }, { "x": 2, "vx": 1 }]"#);
        let slow = |place: &mut Place, _: &mut Run| {
            std::thread::sleep(Duration::from_millis(1));
            place.x = place.x * 3.0 + 1.0;
        };
        world.add_system(SystemDef::each::<&mut Place, _>("slow", slow)).unwrap();
        let follow = |(speed, place): (&mut Speed, &Place), _: &mut Run| speed.vx += place.x;
        world.add_system(SystemDef::each::<(&mut Speed, &Place), _>("follow", follow)).unwrap();
        (0..5).for_each(|_| _ = world.update(16.0));
        (world.state_hash(), world.is_busy())
    };
    let wanted = hash(0);
    assert!(!wanted.1);
    [1, 2, 8].into_iter().for_each(|threads| assert_eq!(hash(threads), wanted, "on {threads} threads"));
}

/// What each member of a shared run draws and creates depends on the part it is in, which has a fixed size.
#[test]
fn rule_9_parts_of_a_shared_run_do_not_depend_on_threads() {
    let outcome = |threads: usize| {
        let (mut world, _) = world(threads);
        load(&mut world, r#""step": 16, "entities": []"#);
        world.spawn_batch((0..2000).map(|n| (Place { x: f64::from(n) },)));
        let draw = |place: &mut Place, run: &mut Run| {
            place.x = run.random().next();
            match place.x < 0.05 {
                true => run.create(&config(&format!(r#"{{ "health": {} }}"#, place.x))).map(|_| ()),
                false => Ok(()),
            }
            .map_err(|error| error.to_string())
        };
        let system = SystemDef::each_in_parallel::<&mut Place, _>("draws", draw).creates(["health"]);
        world.add_system(system).unwrap();
        let begin = Instant::now();
        while world.clocks().tick < 3 {
            assert!(begin.elapsed() < PATIENCE);
            world.update(16.0);
        }
        state(&mut world)
    };
    let wanted = outcome(0);
    for threads in [1, 2, 8] {
        assert!(outcome(threads) == wanted, "on {threads} threads");
    }
}
