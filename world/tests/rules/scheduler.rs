//! Rules of the default scheduler.

use crate::common::*;
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};
use vivarium_world::{Named, Run, SchedulerKind, Step, SystemDef, World};

fn update(world: &mut World) {
    world.update(1.0);
}

fn default_world(threads: usize) -> (World, Calls) {
    let (mut world, _) = world(threads);
    world.set_scheduler(SchedulerKind::Default);
    world.set_step(None).unwrap();
    world.spawn((Place { x: 0.0 }, Speed { vx: 0.0 }, Health { health: 0.0 }));
    (world, Calls::default())
}

/// A worker that says its name and delta and then waits to be told to go on.
fn gated<Q: vivarium_world::Query + 'static>(name: &'static str, calls: &Calls) -> (SystemDef, Sender<()>) {
    let (go, wait) = channel::<()>();
    let (wait, calls) = (Mutex::new(wait), calls.clone());
    let system = SystemDef::worker(name, move |_: &mut Named<'_>, run: &mut Run| {
        calls.push(format!("{name} {}", run.delta()));
        wait.lock().unwrap().recv().map_err(|error| error.to_string())
    });
    (system.query::<Q>("all"), go)
}

fn plain<Q: vivarium_world::Query + 'static>(name: &'static str, calls: &Calls) -> SystemDef {
    let calls = calls.clone();
    let say = move |_: &mut Named<'_>, run: &mut Run| {
        calls.push(format!("{name} {}", run.delta()));
        Ok(())
    };
    SystemDef::worker(name, say).query::<Q>("all")
}

fn open(world: &World) -> Vec<String> {
    world.systems().filter(|status| status.open_run.is_some()).map(|status| status.name.to_string()).collect()
}

#[test]
fn systems_that_conflict_both_run_in_one_update_without_threads() {
    let (mut world, calls) = default_world(0);
    world.add_system(plain::<(&mut Place,)>("a", &calls)).unwrap();
    world.add_system(plain::<(&mut Place,)>("b", &calls)).unwrap();
    let heard = calls.clone();
    world
        .add_system(SystemDef::system("c", move |_: &mut World, step: &Step| {
            heard.push(format!("c {}", step.delta));
            Ok(())
        }))
        .unwrap();
    update(&mut world);
    assert_eq!(calls.take(), ["a 1", "b 1", "c 1"]);
    assert!(!world.is_busy(), "effects of a run that is over are applied");
}

#[test]
fn a_running_system_is_skipped_and_keeps_its_time() {
    let (mut world, calls) = default_world(2);
    let (system, go) = gated::<(&Place,)>("slow", &calls);
    world.add_system(system).unwrap();
    (0..3).for_each(|_| update(&mut world));
    go.send(()).unwrap();
    world.settle();
    update(&mut world);
    go.send(()).unwrap();
    world.settle();
    assert_eq!(calls.take(), ["slow 1", "slow 3"]);
}

#[test]
fn workers_overlap_where_their_access_allows() {
    let (mut world, calls) = default_world(4);
    let (a, go_a) = gated::<(&mut Place, &Health)>("a", &calls);
    let (b, go_b) = gated::<(&mut Speed, &Health)>("b", &calls);
    let (c, go_c) = gated::<(&Place,)>("c", &calls);
    for system in [a, b, c] {
        world.add_system(system).unwrap();
    }
    update(&mut world);
    assert_eq!(open(&world), ["a", "b"], "c reads what a writes");
    go_a.send(()).unwrap();
    go_b.send(()).unwrap();
    world.settle();
    update(&mut world);
    assert!(open(&world).contains(&"c".to_owned()));
    for go in [go_a, go_b, go_c] {
        let _ = go.send(());
    }
    world.settle();
}

#[test]
fn a_skipped_system_has_first_claim_and_is_never_starved() {
    for threads in [1, 4] {
        let (mut world, calls) = default_world(threads);
        let (first, go_first) = gated::<(&mut Place,)>("first", &calls);
        let (second, go_second) = gated::<(&mut Place,)>("second", &calls);
        world.add_system(first).unwrap();
        world.add_system(second).unwrap();
        update(&mut world);
        assert_eq!(open(&world), ["first"]);
        for round in 0..3 {
            go_first.send(()).unwrap();
            world.settle();
            update(&mut world);
            assert_eq!(open(&world), ["second"], "round {round}: it waited longer than the first");
            go_second.send(()).unwrap();
            world.settle();
            update(&mut world);
            assert_eq!(open(&world), ["first"], "round {round}");
        }
        go_first.send(()).unwrap();
        world.settle();
        let total = |name: &str, said: &[String]| -> f64 {
            said.iter().filter_map(|call| call.strip_prefix(name)?.trim().parse::<f64>().ok()).sum()
        };
        let said = calls.take();
        assert_eq!(total("second", &said), 6.0, "{said:?}");
    }
}

#[test]
fn nothing_that_conflicts_with_a_claim_is_dispatched_before_it() {
    let (mut world, calls) = default_world(4);
    let (a, go_a) = gated::<(&Place,)>("a", &calls);
    let (b, go_b) = gated::<(&mut Place,)>("b", &calls);
    let (c, go_c) = gated::<(&Place,)>("c", &calls);
    let (d, go_d) = gated::<(&Speed,)>("d", &calls);
    for system in [a, b, c, d] {
        world.add_system(system).unwrap();
    }
    update(&mut world);
    assert_eq!(open(&world), ["a", "d"], "c could read beside a, but b waits for it");
    update(&mut world);
    assert_eq!(open(&world), ["a", "d"]);
    go_a.send(()).unwrap();
    go_d.send(()).unwrap();
    world.settle();
    update(&mut world);
    assert_eq!(open(&world), ["b", "d"]);
    for go in [go_a, go_b, go_c, go_d] {
        let _ = go.send(());
        let _ = go.send(());
    }
    world.settle();
}

#[test]
fn a_claim_of_a_system_that_left_or_was_disabled_is_void() {
    for removes in [true, false] {
        let (mut world, calls) = default_world(4);
        let (a, go_a) = gated::<(&Place,)>("a", &calls);
        let (b, _go_b) = gated::<(&mut Place,)>("b", &calls);
        world.add_system(a).unwrap();
        let b = world.add_system(b).unwrap();
        update(&mut world);
        if removes {
            world.remove_system(b);
        } else {
            world.set_enabled(b, false);
        }
        go_a.send(()).unwrap();
        world.settle();
        update(&mut world);
        assert_eq!(open(&world), ["a"]);
        go_a.send(()).unwrap();
        world.settle();
    }
}

#[test]
fn an_error_is_reported_and_the_next_systems_still_run() {
    for threads in THREADS {
        let (mut world, calls) = default_world(threads);
        world.add_system(SystemDef::system("bad", |_: &mut World, _: &Step| Err("no".to_owned()))).unwrap();
        world.add_system(SystemDef::system("worse", |_: &mut World, _: &Step| panic!("never"))).unwrap();
        world.add_system(plain::<(&Place,)>("good", &calls)).unwrap();
        let report = world.update(1.0);
        world.settle();
        assert_eq!(calls.take(), ["good 1"]);
        assert_eq!(report.last_error.map(|error| error.name), Some("worse".to_owned()));
        assert_eq!(errors(&mut world), ["`bad` failed: no", "`worse` panicked: never"]);
        assert_eq!(world.update(1.0).last_error.map(|error| error.message), Some("never".to_owned()));
        world.remove_system(world.system_named("bad").unwrap());
        world.remove_system(world.system_named("worse").unwrap());
        assert_eq!(world.update(1.0).last_error, None);
    }
}

#[test]
fn systems_removed_meanwhile_do_not_run_and_appended_ones_wait() {
    let (mut world, calls) = default_world(0);
    let heard = calls.clone();
    world
        .add_system(SystemDef::system("a", move |world: &mut World, _: &Step| {
            if let Some(b) = world.system_named("b") {
                world.remove_system(b);
                world.add_system(plain::<(&Place,)>("c", &heard)).map_err(|error| error.to_string())?;
            }
            Ok(())
        }))
        .unwrap();
    world.add_system(plain::<(&Place,)>("b", &calls)).unwrap();
    update(&mut world);
    assert_eq!(calls.take(), no_strings());
    update(&mut world);
    assert_eq!(calls.take(), ["c 1"]);
}

#[test]
fn a_pause_queues_nothing_and_drains_what_is_open() {
    let (mut world, calls) = default_world(1);
    let (slow, go) = gated::<(&mut Place,)>("slow", &calls);
    world.add_system(slow).unwrap();
    update(&mut world);
    world.set_paused(true);
    go.send(()).unwrap();
    while world.is_busy() {
        world.pump();
        std::thread::yield_now();
    }
    update(&mut world);
    assert_eq!((calls.take(), world.clocks().game_time), (vec!["slow 1".to_owned()], 1.0));
}
