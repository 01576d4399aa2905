//! Rules of heavy steps that are computed beside the world.

use crate::common::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use vivarium_world::{
    Catalog, Clock, LoadOptions, Loopback, OffThread, Run, SaveForm, Step, SystemDef, Value, World,
    WorldOptions,
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
    let id = world.add_system(sums("sum", Some(&loopback), None)).unwrap();
    assert!(world.try_step() && !world.try_step());
    world.remove_system(id);
    assert!(world.try_step(), "its gate went with it, though it was shut");
}

/// A system as `sums`, whose step in flight a save has.
fn saved_sums(name: &str, loopback: Option<&Loopback>) -> SystemDef {
    let step = OffThread::new(
        |world: &World, step: &Step| {
            let places = world.entities().filter_map(|id| world.peek::<Place>(id)).map(|place| place.x);
            (step.tick, places.collect::<Vec<f64>>())
        },
        |(tick, places): (u64, Vec<f64>)| {
            assert!(tick != 7, "seven is none");
            (tick, places.iter().map(|x| x.sqrt()).sum::<f64>())
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
    let step = step.in_saves(
        |&(tick, sum)| Value::List(vec![Value::Uint(tick), Value::Float(sum)]),
        |value| match value {
            Value::List(list) => match list.as_slice() {
                [Value::Uint(tick), sum] => Ok((*tick, sum.as_f64().ok_or("the sum is no number")?)),
                _ => Err("a tick and a sum are expected".to_owned()),
            },
            other => Err(format!("a list is expected, not {}", other.kind())),
        },
    );
    match loopback {
        Some(loopback) => step.loopback(loopback).system(name),
        None => step.system(name),
    }
}

fn saving_catalog(loopback: Option<Loopback>) -> Catalog {
    catalog(&Calls::default())
        .system(|| SystemDef::each::<&mut Place, _>("move", |place, _: &mut Run| place.x += 1.0))
        .system(move || saved_sums("sum", loopback.as_ref()))
}

const SAVING: &str = r#""step": 16, "systems": [ { "system": "move" }, { "system": "sum" } ],
    "entities": [ { "x": 1, "health": 0 }, { "x": 2.5, "health": 1 }, { "x": 7, "health": 0 } ]"#;

#[test]
fn a_world_saved_with_a_step_in_flight_and_loaded_goes_on_as_one_that_was_never_saved() {
    for threads in [0, 1, 2, 8] {
        let catalog = saving_catalog(None);
        let mut never = world_of(&catalog, threads);
        load(&mut never, SAVING);
        let mut saved = world_of(&catalog, threads);
        load(&mut saved, SAVING);
        for tick in 1..=10 {
            step(&mut never, 1);
            step(&mut saved, 1);
            // The step that was gathered just now is in the save.
            let form = if tick % 2 == 0 { SaveForm::Plain } else { SaveForm::Compressed };
            let text = saved.save(form).unwrap();
            assert!(text.contains("\"inFlight\""), "{text}");
            assert_eq!(saved.save(form).unwrap(), text, "saving changes nothing");
            let mut loaded = world_of(&catalog, threads);
            loaded.load("saved.json", &text, &LoadOptions::default()).unwrap();
            assert_eq!(loaded.save(form).unwrap(), text, "it is in flight in the loaded world");
            assert_eq!(loaded.state_hash(), never.state_hash(), "tick {tick} on {threads} threads");
            assert_eq!(errors(&mut saved), errors(&mut never));
            saved = loaded;
        }
        assert_eq!(never.save(SaveForm::Plain).unwrap(), saved.save(SaveForm::Plain).unwrap());
    }
}

#[test]
fn a_step_in_flight_that_failed_fails_in_the_loaded_world_too() {
    let catalog = saving_catalog(None);
    let mut world = world_of(&catalog, 0);
    load(&mut world, SAVING);
    step(&mut world, 7);
    let text = world.save(SaveForm::Plain).unwrap();
    assert!(text.contains(r#""inFlight": {"failed": "seven is none"}"#), "{text}");
    let mut loaded = world_of(&catalog, 0);
    loaded.load("saved.json", &text, &LoadOptions::default()).unwrap();
    assert_eq!(errors(&mut world), no_strings());
    step(&mut world, 2);
    step(&mut loaded, 2);
    assert_eq!(errors(&mut world), ["`sum` failed: seven is none"]);
    assert_eq!(errors(&mut loaded), ["`sum` failed: seven is none"]);
    assert_eq!(loaded.state_hash(), world.state_hash());
}

#[test]
fn a_save_waits_for_the_step_in_flight_as_long_as_the_world_is_patient() {
    let loopback = Loopback::new();
    let mut world = world_of(&saving_catalog(Some(loopback.clone())), 0);
    load(&mut world, SAVING);
    assert!(world.save(SaveForm::Plain).is_ok_and(|text| !text.contains("inFlight")), "nothing is in flight");
    assert!(world.try_step());
    world.set_patience(Duration::from_millis(20));
    let error = world.save(SaveForm::Plain).unwrap_err().to_string();
    assert_eq!(error, "the step of system \"sum\" that is in flight cannot be saved: it is not computed yet");
    assert_eq!(loopback.waiting(), ["sum"], "it waits still");
    world.set_patience(Duration::from_secs(20));
    let computing = loopback.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(20));
        computing.compute("sum")
    });
    let text = world.save(SaveForm::Plain).unwrap();
    assert!(thread.join().unwrap());
    let other = Loopback::new();
    let mut loaded = world_of(&saving_catalog(Some(other.clone())), 0);
    loaded.load("saved.json", &text, &LoadOptions::default()).unwrap();
    for _ in 0..4 {
        assert!(world.try_step() && loaded.try_step(), "what was in flight is there");
        assert_eq!(loaded.state_hash(), world.state_hash());
        assert!(loopback.compute("sum") && other.compute("sum"));
    }
}

#[test]
fn a_step_in_flight_that_no_save_can_have_is_an_error_that_says_why() {
    let catalog = catalog(&Calls::default()).system(|| sums("sum", None, None)).system(|| {
        let step = OffThread::new(|_: &World, _: &Step| (), |()| f64::NAN, |_: &mut World, _: f64| Ok(()));
        step.in_saves(|&x| Value::Float(x), |_| Ok(0.0)).system("nan")
    });
    for (system, why) in
        [("sum", "its `OffThread` has no `in_saves`"), ("nan", "it has a number that is not finite")]
    {
        let mut world = world_of(&catalog, 0);
        load(
            &mut world,
            &format!(r#""step": 16, "systems": [ {{ "system": "{system}" }} ], "entities": []"#),
        );
        step(&mut world, 1);
        let error = world.save(SaveForm::Plain).unwrap_err().to_string();
        assert_eq!(
            error,
            format!("the step of system \"{system}\" that is in flight cannot be saved: {why}")
        );
        step(&mut world, 1);
    }
}

#[test]
fn a_step_in_flight_that_cannot_be_read_is_a_fault_at_its_place() {
    let mut world = world_of(&saving_catalog(None), 0);
    let mut faults_of =
        |system: &str| faults(&mut world, &format!(r#""step": 16, "systems": [ {system} ], "entities": []"#));
    let told = faults_of(r#"{ "system": "sum", "inFlight": { "result": 5 } }"#);
    assert!(told.contains("inFlight") && told.contains("a list is expected, not"), "{told}");
    let told = faults_of(r#"{ "system": "sum", "inFlight": {} }"#);
    assert!(told.contains(r#"expected {"result": …} or {"failed": "why"}"#), "{told}");
    let told = faults_of(r#"{ "system": "sum", "inFlight": 3 }"#);
    assert!(told.contains("expected an object"), "{told}");
    let told = faults_of(r#"{ "system": "move", "inFlight": { "result": 5 } }"#);
    assert!(told.contains("the system computes no steps beside the world"), "{told}");
}
