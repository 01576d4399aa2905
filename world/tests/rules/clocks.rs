//! Rules of the clocks and of an update.

use crate::common::*;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use vivarium_world::{
    Clock, EntityId, Named, OpenRun, Run, SchedulerKind, Step, SystemDef, World, WorldOptions,
};

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

#[test]
fn the_beginning_and_end_of_an_update_are_told_even_in_a_pause() {
    let (mut world, calls) = world(0);
    record_events(&mut world, &calls);
    for paused in [true, false] {
        world.set_paused(paused);
        world.update(20.0);
        assert_eq!(calls.take(), ["update", "updated"]);
    }
}

/// A worker that waits in its first run until it is told to go on.
fn waiting(seen: &Calls) -> (SystemDef, Sender<()>) {
    let (go, wait) = channel::<()>();
    let (wait, seen) = (Mutex::new(wait), seen.clone());
    let system = SystemDef::worker("waits", move |_: &mut Named<'_>, run: &mut Run| {
        seen.push(format!("waits at {}", run.game_time()));
        match run.tick() {
            1 => wait.lock().unwrap().recv().map_err(|error| error.to_string()),
            _ => Ok(()),
        }
    });
    (system.query::<&mut Place>("all"), go)
}

#[test]
fn a_queued_run_has_the_game_time_of_its_update_everywhere() {
    for threads in [1, 4] {
        let (mut world, _) = world(threads);
        world.set_step(None).unwrap();
        world.spawn((Place { x: 0.0 },));
        let calls = Calls::default();
        let (waits, go) = waiting(&calls);
        world.add_system(waits).unwrap();
        let (asked, heard, here) = (calls.clone(), calls.clone(), calls.clone());
        let worker = SystemDef::each::<&Place, _>("worker", move |_, run| {
            heard.push(format!("worker at {} of {}", run.game_time(), run.delta()));
        });
        let asks = worker.should_run(move |world| {
            asked.push(format!("asked at {}", world.game_time()));
            true
        });
        world.add_system(asks).unwrap();
        let on_world = SystemDef::each_on_world_thread::<&Place, _>("world", move |_, run| {
            here.push(format!("world at {} of {}", run.game_time(), run.delta()));
        });
        world.add_system(on_world).unwrap();
        for elapsed in [5.0, 7.0, 1.0] {
            world.update(elapsed);
        }
        assert_eq!((calls.count("worker"), calls.count("world")), (0, 0), "they wait for the first");
        go.send(()).unwrap();
        world.settle();
        let said = calls.take();
        for (name, times) in [
            ("waits", ["at 5", "at 12", "at 13"]),
            ("asked", ["at 5", "at 12", "at 13"]),
            ("worker", ["at 5 of 5", "at 12 of 7", "at 13 of 1"]),
            ("world", ["at 5 of 5", "at 12 of 7", "at 13 of 1"]),
        ] {
            let own: Vec<&str> =
                said.iter().filter_map(|call| call.strip_prefix(name)).map(str::trim).collect();
            assert_eq!(own, times, "{name}");
        }
    }
}

#[test]
fn a_pump_applies_completed_runs_and_starts_what_they_release() {
    for threads in [1, 4] {
        let (mut world, calls) = world(threads);
        world.set_step(None).unwrap();
        let id = world.spawn((Place { x: 0.0 },));
        let (waits, go) = waiting(&calls);
        world.add_system(waits).unwrap();
        let adds = SystemDef::each::<(EntityId, &Place), _>("adds", |(id, _), run| run.add(id, Frozen));
        world.add_system(adds.adds::<Frozen>()).unwrap();
        world.update(5.0);
        world.pump();
        assert!(world.get::<Frozen>(id).is_none() && world.is_busy(), "a pump never waits");
        go.send(()).unwrap();
        let tick = world.clocks().tick;
        while world.is_busy() {
            world.pump();
            std::thread::yield_now();
        }
        assert_eq!((world.get::<Frozen>(id), world.clocks().tick), (Some(Frozen), tick));
    }
}

#[test]
fn settling_pumps_until_nothing_is_open_or_queued() {
    for threads in THREADS {
        for scheduler in SCHEDULERS {
            let (mut world, calls) = noting_time(threads, scheduler);
            (0..5).for_each(|_| _ = world.update(2.0));
            world.settle();
            assert!(!world.is_busy() && world.backlog() == 0);
            assert_eq!(world.clocks().game_time, 10.0, "without moving the clocks");
            let said = calls.take();
            assert!(!said.is_empty());
            world.settle();
            world.pump();
            assert_eq!(calls.take(), no_strings());
        }
    }
}

#[test]
fn an_update_pumps_first() {
    let (mut world, _) = world(0);
    world.set_scheduler(SchedulerKind::Default);
    world.set_step(None).unwrap();
    let id = world.spawn((Place { x: 0.0 },));
    let open: Arc<Mutex<Vec<OpenRun>>> = Arc::default();
    let kept = open.clone();
    let system = SystemDef::asynchronous("elsewhere", move |run| kept.lock().unwrap().push(run));
    world.add_system(system.query::<&Place>("all").adds::<Frozen>()).unwrap();
    world.update(5.0);
    let mut run = open.lock().unwrap().pop().unwrap();
    run.open().1.add(id, Frozen).unwrap();
    run.finish();
    assert!(world.get::<Frozen>(id).is_none());
    world.update(7.0);
    assert_eq!(world.get::<Frozen>(id), Some(Frozen));
    let mut next = open.lock().unwrap().pop().expect("it was not skipped as still running");
    assert_eq!(next.open().1.delta(), 7.0);
    next.finish();
}

#[test]
fn a_world_reads_no_clock_but_the_one_it_is_given() {
    let now = Arc::new(AtomicU64::new(0));
    let read = now.clone();
    let clock = Clock::new(move || read.load(Ordering::Relaxed));
    for threads in THREADS {
        let options = WorldOptions { threads, clock: clock.clone() };
        let mut world = World::new(&catalog(&Calls::default()), options).unwrap();
        world.spawn((Place { x: 0.0 },));
        let slow = SystemDef::each::<&Place, _>("slow", |_, _| std::thread::sleep(Duration::from_millis(2)));
        world.add_system(slow).unwrap();
        (0..3).for_each(|_| world.step());
        world.timing_mut().flush();
        let rows = world.timing().rows();
        let measured: Vec<_> = rows.iter().filter(|row| row.samples > 0).collect();
        assert!(!measured.is_empty() && measured.iter().all(|row| row.max.is_zero()), "{measured:?}");
        assert_eq!((world.clocks().game_time, world.clocks().player_time), (48.0, 48.0));
    }
}
