//! Rules of the clocks and of an update.

use crate::common::*;
use vivarium_world::{SchedulerKind, Step, SystemDef, World};

/// A world without a fixed step in which a system notes delta and game time of each run.
fn noting_time(threads: usize, scheduler: SchedulerKind) -> (World, Calls) {
    let (mut world, calls) = world(threads);
    world.set_scheduler(scheduler);
    world.set_step(None).unwrap();
    world.spawn((Place { x: 0.0 },));
    let heard = calls.clone();
    let each = SystemDef::each::<(&Place,), _>("noting", move |_, run| {
        heard.push(format!("{} at {}", run.delta(), run.game_time()));
    });
    world.add_system(each).unwrap();
    calls.take();
    (world, calls)
}

const SCHEDULERS: [SchedulerKind; 2] = [SchedulerKind::Default, SchedulerKind::Conflict];

#[test]
fn systems_see_the_game_time_already_advanced() {
    for threads in THREADS {
        for scheduler in SCHEDULERS {
            let (mut world, calls) = noting_time(threads, scheduler);
            world.update(5.0);
            world.settle();
            world.update(7.0);
            world.settle();
            assert_eq!(calls.take(), ["5 at 5", "7 at 12"]);
        }
    }
}

#[test]
fn only_the_players_time_goes_on_in_a_pause() {
    let (mut world, calls) = noting_time(0, SchedulerKind::Conflict);
    record_events(&mut world, &calls);
    world.update(5.0);
    world.set_paused(true);
    calls.take();
    world.update(5.0);
    assert_eq!(calls.take(), ["update", "updated"]);
    assert_eq!((world.clocks().player_time, world.clocks().game_time), (10.0, 5.0));
    world.set_paused(false);
    world.update(1.0);
    assert_eq!(calls.take(), ["update", "1 at 6", "updated"]);
    assert_eq!(world.clocks().tick, 2);
}

#[test]
fn game_time_goes_at_the_time_scale() {
    let (mut world, calls) = noting_time(0, SchedulerKind::Conflict);
    world.set_time_scale(0.5).unwrap();
    world.update(10.0);
    assert_eq!(calls.take(), ["5 at 5"]);
    assert_eq!(world.clocks().player_time, 10.0);
    assert!(world.set_time_scale(-1.0).is_err() && world.set_time_scale(f64::NAN).is_err());
    assert_eq!(world.clocks().time_scale, 0.5);
}

#[test]
fn a_fixed_step_runs_as_often_as_it_fits_and_keeps_the_rest() {
    let (mut world, calls) = noting_time(0, SchedulerKind::Conflict);
    world.set_step(Some(10.0)).unwrap();
    assert_eq!(world.update(25.0).steps, 2);
    assert_eq!(world.update(4.0).steps, 0);
    assert_eq!(world.update(1.0).steps, 1);
    assert_eq!(calls.take(), ["10 at 10", "10 at 20", "10 at 30"]);
    assert_eq!((world.clocks().tick, world.clocks().accumulated), (3, 0.0));
}

#[test]
fn time_above_the_catch_up_is_dropped_and_counted() {
    let (mut world, _) = noting_time(0, SchedulerKind::Conflict);
    world.set_step(Some(10.0)).unwrap();
    let report = world.update(1_005.0);
    assert_eq!((report.steps, report.dropped), (8, 92));
    assert_eq!((world.clocks().dropped_steps, world.clocks().accumulated), (92, 5.0));
    world.update(f64::MAX);
    world.set_time_scale(1000.0).unwrap();
    world.update(f64::MAX);
    assert!(world.clocks().accumulated.is_finite());
    assert_eq!(world.update(10.0 / 1000.0).steps, 1, "it goes on after an absurd time");
}

#[test]
fn time_that_is_no_time_counts_as_none() {
    let (mut world, _) = noting_time(0, SchedulerKind::Conflict);
    for elapsed in [f64::NAN, -5.0, f64::INFINITY] {
        world.update(elapsed);
    }
    assert_eq!((world.clocks().player_time, world.clocks().game_time), (0.0, 0.0));
    assert!(world.set_step(Some(0.0)).is_err() && world.set_step(Some(f64::NAN)).is_err());
}

#[test]
fn all_systems_of_a_step_see_the_same_step_number() {
    for threads in THREADS {
        let (mut world, calls) = world(threads);
        world.spawn((Place { x: 0.0 },));
        calls.take();
        let (first, second) = (calls.clone(), calls.clone());
        world
            .add_system(SystemDef::system("a", move |_: &mut World, step: &Step| {
                first.push(format!("{}", step.tick));
                Ok(())
            }))
            .unwrap();
        world
            .add_system(SystemDef::each::<(&Place,), _>("b", move |_, run| {
                second.push(format!("{}", run.tick()));
            }))
            .unwrap();
        world.update(40.0);
        world.settle();
        assert_eq!(calls.take(), ["1", "1", "2", "2"]);
    }
}
