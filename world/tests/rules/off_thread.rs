//! Rules of heavy steps that are computed beside the world.

use crate::common::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use vivarium_world::{
    Catalog, Clock, LoadOptions, Loopback, OffThread, Step, SystemDef, World, WorldOptions,
};

/// Adds up all places beside the world, and gives each entity with health the sum a step later.
fn sums(name: &str, loopback: Option<&Loopback>, wait: Option<Receiver<()>>) -> SystemDef {
    let step = OffThread::new(
        |world: &World, step: &Step| {
            let places = world.entities().filter_map(|id| world.peek::<Place>(id)).map(|place| place.x);
            (step.tick, places.collect::<Vec<f64>>())
        },
        move |(tick, places): (u64, Vec<f64>)| {
            if let Some(wait) = &wait {
                let _ = wait.recv();
            }
            (tick, places.iter().sum::<f64>())
        },
        |world: &mut World, (tick, sum): (u64, f64)| {
            assert_eq!(world.tick(), tick + 1, "it is applied one step later");
            for id in world.entities().collect::<Vec<_>>() {
                let health = world.peek::<Health>(id).map_or(0.0, |health| health.health);
                world.set(id, Health { health: health * 0.5 + sum }).map_err(|error| error.to_string())?;
            }
            Ok(())
        },
    );
    match loopback {
        Some(loopback) => step.loopback(loopback).system(name),
        None => step.system(name),
    }
}

fn moving(threads: usize) -> World {
    let (mut world, _) = world(threads);
    load(&mut world, r#""step": 16, "entities": []"#);
    world.spawn_batch((0..50).map(|n| (Place { x: f64::from(n) }, Health { health: 0.0 })));
    world
        .add_system(SystemDef::each::<&mut Place, _>(
            "move",
            |place: &mut Place, _: &mut vivarium_world::Run| place.x += 1.0,
        ))
        .unwrap();
    world
}

/// Steps until so many were done, however often a gate holds one.
fn step(world: &mut World, steps: u64) {
    let until = world.clocks().tick + steps;
    while world.clocks().tick < until {
        if !world.try_step() {
            std::thread::yield_now();
        }
    }
}

#[test]
fn a_heavy_step_is_applied_a_step_later_whatever_computes_it() {
    let with_loopback = {
        let mut world = moving(0);
        let loopback = Loopback::new();
        world.add_system(sums("sum", Some(&loopback), None)).unwrap();
        for n in 0..10 {
            assert!(world.try_step(), "step {n}");
            assert!(!world.try_step(), "it is not computed");
            assert_eq!((world.clocks().tick, loopback.waiting()), (n + 1, vec!["sum".to_owned()]));
            assert!(loopback.compute("sum") && !loopback.compute("sum"));
        }
        assert!(world.take_errors().0.is_empty());
        world.state_hash()
    };
    for threads in [0, 1, 2, 8] {
        let mut world = moving(threads);
        world.add_system(sums("sum", None, None)).unwrap();
        step(&mut world, 10);
        assert!(world.take_errors().0.is_empty());
        assert_eq!(world.state_hash(), with_loopback, "{threads} threads");
    }
}

#[test]
fn steps_in_flight_may_end_in_any_order() {
    let hash = |order: [&str; 3]| {
        let mut world = moving(1);
        let loopback = Loopback::new();
        for name in ["a", "b", "c"] {
            world.add_system(sums(name, Some(&loopback), None)).unwrap();
        }
        for _ in 0..5 {
            assert!(world.try_step());
            assert_eq!(loopback.waiting(), ["a", "b", "c"]);
            for name in order {
                assert!(!world.try_step(), "all must be there");
                assert!(loopback.compute(name));
            }
        }
        world.state_hash()
    };
    let wanted = hash(["a", "b", "c"]);
    assert_eq!(hash(["c", "a", "b"]), wanted);
    assert_eq!(hash(["b", "c", "a"]), wanted);
}

#[test]
fn a_compute_that_hangs_names_itself_and_the_world_stays_usable() {
    let time = Arc::new(AtomicU64::new(0));
    let clock = {
        let time = time.clone();
        Clock::new(move || time.fetch_add(1_000, Ordering::SeqCst))
    };
    let catalog: Catalog = catalog(&Calls::default());
    let mut world = World::new(&catalog, WorldOptions { threads: 1, clock }).unwrap();
    world
        .load(
            "test.json",
            &scene(r#""step": 16, "entities": [ { "x": 1, "health": 0 } ]"#),
            &LoadOptions::default(),
        )
        .unwrap();
    let (go, wait) = channel();
    let id = world.add_system(sums("slow sum", None, Some(wait))).unwrap();
    assert_eq!(world.update(16.0).steps, 1);
    let held = world.update(16.0);
    assert_eq!((held.steps, held.held_by.as_deref()), (0, Some("slow sum")));
    assert_eq!(errors(&mut world), no_strings(), "not yet late");
    time.fetch_add(3_000_000_000, Ordering::SeqCst);
    world.update(16.0);
    let told = errors(&mut world);
    assert!(told[0].starts_with("`slow sum` failed: the gate has held step 2 for"), "{told:?}");
    let entity = world.entities().next().unwrap();
    world.set(entity, Place { x: 7.0 }).unwrap();
    assert_eq!(world.update(0.0).held_by.as_deref(), Some("slow sum"));
    go.send(()).unwrap();
    for _ in 0..10_000 {
        let _ = go.send(());
        world.update(0.0);
        if world.clocks().tick == 3 {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(world.clocks().tick, 3, "the time that was held was caught up with");
    world.remove_system(id);
    assert!(world.try_step(), "its gate went with it");
}

#[test]
fn a_compute_that_panics_is_reported_with_its_system_and_the_next_is_gathered() {
    let mut world = moving(0);
    let loopback = Loopback::new();
    let bad = OffThread::new(
        |_: &World, step: &Step| step.tick,
        |tick: u64| {
            assert!(tick != 1, "one is none");
            tick
        },
        |_: &mut World, _: u64| Ok(()),
    );
    world.add_system(bad.loopback(&loopback).system("bad")).unwrap();
    for _ in 0..3 {
        assert!(world.try_step());
        assert!(loopback.compute("bad"));
    }
    assert_eq!(errors(&mut world), ["`bad` failed: one is none"]);
}

#[test]
fn what_is_in_flight_when_the_content_goes_is_dropped() {
    let mut world = moving(0);
    let loopback = Loopback::new();
    world.add_system(sums("sum", Some(&loopback), None)).unwrap();
    assert!(world.try_step());
    world.clear();
    assert!(world.try_step(), "no gate is left");
    assert!(loopback.compute("sum"), "it may end later");
    world.add_system(sums("sum", Some(&loopback), None)).unwrap();
    assert!(world.try_step() && !world.try_step());
}
