//! Fixed and variable phases, and gates that hold steps.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use vivarium_world::{
    Catalog, Clock, LoadOptions, Step, SystemDef, SystemError, SystemPhase, World, WorldOptions,
};

const MILLISECOND: u64 = 1_000_000;

/// What ran: the system's name and its step.
type Log = Arc<Mutex<Vec<(&'static str, Step)>>>;

fn logging(log: &Log, name: &'static str) -> SystemDef {
    let log = log.clone();
    SystemDef::system(name, move |_: &mut World, step: &Step| {
        log.lock().unwrap().push((name, *step));
        Ok(())
    })
}

/// A world of two fixed and two variable systems, steps of 10 ms, and a clock turned by hand.
fn world(scheduler: &str, clock: &Arc<AtomicU64>, log: &Log) -> World {
    let (now, options) = (clock.clone(), WorldOptions::default());
    let clock = Clock::new(move || now.load(Ordering::Relaxed));
    let mut world = World::new(&Catalog::new(), WorldOptions { clock, ..options }).unwrap();
    let scene = format!(r#"{{ "vivarium": 1, "step": 10, "scheduler": "{scheduler}" }}"#);
    world.load("phases.json", &scene, &LoadOptions::default()).unwrap();
    for system in [
        logging(log, "draw").variable(),
        logging(log, "move"),
        logging(log, "sound").variable(),
        logging(log, "hit"),
    ] {
        world.add_system(system).unwrap();
    }
    world
}

fn taken(log: &Log) -> Vec<(&'static str, u64, f64)> {
    std::mem::take(&mut *log.lock().unwrap())
        .into_iter()
        .map(|(name, step)| (name, step.tick, step.delta))
        .collect()
}

#[test]
fn fixed_phases_run_every_step_and_variable_ones_once_an_update_after_them() {
    for scheduler in ["default", "conflict"] {
        let (clock, log) = Default::default();
        let mut world = world(scheduler, &clock, &log);
        assert_eq!(world.update(25.0).steps, 2);
        let steps = [("move", 1, 10.0), ("hit", 1, 10.0), ("move", 2, 10.0), ("hit", 2, 10.0)];
        let frame = [("draw", 2, 25.0), ("sound", 2, 25.0)];
        assert_eq!(taken(&log), [&steps[..], &frame].concat(), "{scheduler}");
        assert_eq!(world.update(3.0).steps, 0);
        assert_eq!(taken(&log), [("draw", 2, 3.0), ("sound", 2, 3.0)], "the step is the same");
        world.set_paused(true);
        world.update(50.0);
        assert_eq!(taken(&log), []);
        world.step();
        let all = [("move", 3, 10.0), ("hit", 3, 10.0), ("draw", 3, 10.0), ("sound", 3, 10.0)];
        assert_eq!(taken(&log), all, "a step by hand is one update");
    }
}

#[test]
fn without_fixed_steps_both_phases_run_with_all_of_the_time() {
    let (clock, log) = Default::default();
    let mut world = world("conflict", &clock, &log);
    world.set_step(None).unwrap();
    world.update(7.0);
    assert_eq!(taken(&log), [("move", 1, 7.0), ("hit", 1, 7.0), ("draw", 1, 7.0), ("sound", 1, 7.0)]);
}

#[test]
fn a_gate_holds_the_next_step_and_its_time_until_it_opens() {
    let (clock, log) = Default::default();
    let mut world = world("conflict", &clock, &log);
    let asked = Arc::new(AtomicU64::new(0));
    let may_go_to = Arc::new(AtomicU64::new(2));
    let (tell, limit) = (asked.clone(), may_go_to.clone());
    world.set_gate("peers", move |step| {
        tell.store(step, Ordering::Relaxed);
        step <= limit.load(Ordering::Relaxed)
    });
    let report = world.update(45.0);
    assert_eq!((report.steps, report.held_by.as_deref()), (2, Some("peers")));
    assert_eq!((asked.load(Ordering::Relaxed), world.clocks().accumulated), (3, 25.0));
    taken(&log);
    // Far more than an update catches up with waits; none of it is dropped.
    assert_eq!((world.update(205.0).steps, world.clocks().accumulated), (0, 230.0));
    assert_eq!(taken(&log), [("draw", 2, 205.0), ("sound", 2, 205.0)], "variable phases go on");
    assert!(!world.try_step(), "a step by hand is held too");
    assert_eq!(world.clocks().tick, 2);
    may_go_to.store(100, Ordering::Relaxed);
    for (left, steps) in [(150.0, 8), (70.0, 8), (0.0, 7)] {
        let report = world.update(0.0);
        assert_eq!((report.steps, report.dropped, report.held_by), (steps, 0, None));
        assert_eq!(world.clocks().accumulated, left);
    }
    assert_eq!((world.clocks().tick, world.clocks().dropped_steps), (25, 0));
    assert!(world.try_step() && world.take_errors().0.is_empty());
    // Time that no gate held is still dropped.
    assert_eq!(world.update(200.0).dropped, 12);
}

#[test]
fn an_update_waits_a_quarter_of_a_millisecond_for_a_gate_to_open() {
    let (clock, log): (Arc<AtomicU64>, Log) = Default::default();
    let mut world = world("default", &clock, &log);
    for (opens_after, steps) in [(249_000, 1), (251_000, 0)] {
        let (now, start) = (clock.clone(), clock.load(Ordering::Relaxed));
        world.set_gate("slow", move |_| now.fetch_add(1_000, Ordering::Relaxed) - start >= opens_after);
        assert_eq!(world.update(10.0).steps, steps, "{opens_after}");
        assert!(clock.load(Ordering::Relaxed) - start < 300_000);
    }
    assert!(world.remove_gate("slow") && !world.remove_gate("slow"));
    assert_eq!(world.update(0.0).steps, 1);
    // A clock that stands still holds nobody for ever.
    world.set_gate("shut", |_| false);
    assert_eq!(world.update(10.0).held_by.as_deref(), Some("shut"));
}

#[test]
fn a_gate_that_stays_shut_for_two_seconds_is_an_error_with_its_name() {
    let (clock, log): (Arc<AtomicU64>, Log) = Default::default();
    let mut world = world("conflict", &clock, &log);
    let open = Arc::new(AtomicBool::new(false));
    let is_open = open.clone();
    world.set_gate("peers", move |_| is_open.load(Ordering::Relaxed));
    let mut errors_after = |milliseconds: u64| -> Vec<SystemError> {
        clock.fetch_add(milliseconds * MILLISECOND, Ordering::Relaxed);
        world.update(10.0);
        world.take_errors().0
    };
    assert_eq!(errors_after(0), []);
    assert_eq!(errors_after(1_999), []);
    let errors = errors_after(1);
    assert_eq!((errors[0].name.as_str(), errors[0].phase, errors.len()), ("peers", SystemPhase::Gate, 1));
    assert!(errors[0].message.contains("held step 1 for 2.0 s"), "{}", errors[0].message);
    assert_eq!(errors_after(1_000), []);
    assert_eq!(errors_after(1_000).len(), 1, "and again");
    open.store(true, Ordering::Relaxed);
    assert_eq!(errors_after(0), []);
    open.store(false, Ordering::Relaxed);
    assert_eq!(errors_after(5_000), [], "its time begins anew");
}

#[test]
fn a_gate_that_panics_is_shut_and_reported() {
    let (clock, log) = Default::default();
    let mut world = world("conflict", &clock, &log);
    world.set_gate("faulty", |_| panic!("lost the others"));
    assert_eq!(world.update(10.0).steps, 0);
    let (errors, _) = world.take_errors();
    assert!(errors[0].panicked && errors[0].message.contains("lost the others"), "{errors:?}");
    world.set_gate("faulty", |_| true);
    assert_eq!(world.update(0.0).steps, 1);
}
