//! Rules of runs that do not end: how long they are waited for, and what goes on without them.

use crate::common::*;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use vivarium_world::{
    AccessFault, Catalog, Component, CreateError, EntityId, LoadOptions, Named, Run, SaveError, SaveForm,
    SchedulerKind, SystemDef, SystemPhase, World, WorldEvent, WorldOptions,
};

const SOON: Duration = Duration::from_millis(40);
/// Longer than anything here waits, far shorter than any wait without end.
const LATE: Duration = Duration::from_secs(20);
/// Patience that outlasts `LATE`: who waits once, waits too long.
const ENDLESS: Duration = Duration::from_secs(60);

/// The way to a run that hangs.
struct Hang {
    go: Sender<()>,
    begun: Receiver<()>,
}

impl Hang {
    /// Lets it go on.
    fn end(&self) {
        self.go.send(()).unwrap();
    }
}

/// A system that writes every place of its dispatch once it is told to, which is never if the sender is kept.
fn hanging() -> (SystemDef, Hang) {
    let (go, wait) = channel::<()>();
    let (begin, begun) = channel::<()>();
    let wait = Mutex::new(wait);
    let body = move |queries: &mut Named<'_>, run: &mut Run| {
        let _ = begin.send(());
        // Dropping the other end lets it go as well.
        let _ = wait.lock().unwrap().recv();
        queries.each::<(&mut Place,)>("all", |(place,)| place.x += 100.0);
        if run.number() == 0 {
            run.spawn((Health { health: 7.0 },))?;
        }
        Ok(())
    };
    let system = SystemDef::worker("hanging", body).query::<(&mut Place,)>("all").creates(["health"]);
    (system.every(1e6), Hang { go, begun })
}

/// A world in which a run hangs that began when there was one entity, whose place is 1.
fn hung(threads: usize, scheduler: SchedulerKind) -> (World, Calls, Hang, vivarium_world::EntityId) {
    let (mut world, calls) = world(threads);
    world.set_scheduler(scheduler);
    world.set_patience(SOON);
    let (system, go) = hanging();
    world.add_system(system).unwrap();
    let id = world.spawn((Place { x: 1.0 }, Speed { vx: 5.0 }));
    world.update(16.0);
    go.begun.recv_timeout(LATE).unwrap();
    calls.take();
    (world, calls, go, id)
}

fn until(world: &mut World, what: impl Fn(&mut World) -> bool) {
    let start = Instant::now();
    while !what(world) {
        world.pump();
        assert!(start.elapsed() < LATE, "it does not come");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn quarantined(world: &World) -> Vec<f64> {
    let place = world.registry().of::<Place>().unwrap();
    world
        .deferred()
        .filter(|block| block.quarantined && block.component == place)
        .map(|b| b.row as f64)
        .collect()
}

const BOTH: [SchedulerKind; 2] = [SchedulerKind::Default, SchedulerKind::Conflict];

#[test]
fn a_run_that_is_stuck_for_ten_seconds_of_unscaled_time_is_reported_once_with_its_name() {
    for threads in [1, 2] {
        let (mut world, _, go, _) = hung(threads, SchedulerKind::Default);
        world.set_time_scale(0.001).unwrap();
        let heard = Calls::default();
        let hear = heard.clone();
        world.listen(move |_, event| {
            if let WorldEvent::SystemError(error) = event {
                assert_eq!(error.phase, SystemPhase::Hung);
                hear.push(error.name.clone());
            }
        });
        world.update(9_000.0);
        assert_eq!(heard.take(), no_strings(), "not after nine seconds");
        for _ in 0..5 {
            world.update(9_000.0);
        }
        assert_eq!(heard.take(), ["hanging"]);
        assert_eq!(errors(&mut world).len(), 1);
        go.end();
    }
}

#[test]
fn blocks_a_hung_run_may_touch_are_quarantined_and_others_are_given_back() {
    for threads in [1, 2] {
        let (mut world, calls, go, seen) = hung(threads, SchedulerKind::Default);
        let later = world.spawn((Place { x: 2.0 },));
        world.update(16.0);
        world.update(10_100.0);
        world.update(16.0);
        world.remove(seen);
        world.remove(later);
        world.update(16.0);
        assert_eq!(calls.count("free place 2"), 1, "the run began before this one came");
        assert_eq!(
            (quarantined(&world).len(), calls.count("free place"), calls.count("free speed")),
            (1, 1, 0)
        );
        // New entities get other rows.
        let rows: Vec<f64> = quarantined(&world);
        let new: Vec<_> = (0..300).map(|_| world.spawn((Place { x: 9.0 }, Speed { vx: 0.0 }))).collect();
        for &id in &new {
            world.remove(id);
        }
        assert!(world.deferred().all(|block| block.quarantined || !rows.contains(&(block.row as f64))));
        let block = world.deferred().find(|block| block.quarantined).unwrap();
        assert_eq!((block.owner, block.waits_for.len()), (seen, 1));
        go.end();
        until(&mut world, |world| quarantined(world).is_empty());
        world.settle();
        world.update(16.0);
        world.update(16.0);
        assert_eq!(
            (calls.count("free place 101"), calls.count("free speed 5")),
            (1, 1),
            "{:?}",
            calls.take()
        );
    }
}

#[test]
fn clear_load_and_destroy_part_with_a_hung_run_and_drop_what_it_brings_later() {
    for (threads, scheduler) in [1, 2].into_iter().flat_map(|threads| BOTH.map(|kind| (threads, kind))) {
        for how in 0..3 {
            let (mut world, calls, go, _) = hung(threads, scheduler.clone());
            let start = Instant::now();
            match how {
                0 => world.clear(),
                1 => _ = load(&mut world, r#""entities": [ { "x": 3 } ]"#),
                _ => world.destroy(),
            }
            assert!(start.elapsed() < LATE);
            let report = errors(&mut world).join("\n");
            assert!(report.contains("hanging") && report.contains("does not end"), "{report}");
            assert_eq!(calls.count("free place 1"), 0, "a run may be writing it");
            assert_eq!(calls.count("free speed 5"), 1);
            let entities = world.len();
            go.end();
            until(&mut world, |_| calls.count("free place 101") == 1);
            assert_eq!(calls.count("free health 7"), 1, "what it staged is freed");
            world.settle();
            for _ in 0..3 {
                world.update(16.0);
            }
            assert_eq!(world.len(), entities, "what it created is not adopted");
            assert_eq!((calls.count("free place"), calls.count("free speed")), (1, 1));
        }
    }
}

#[test]
fn a_world_whose_every_thread_hangs_stays_usable() {
    for threads in [1, 2] {
        let (mut world, _) = world(threads);
        let mut keep = Vec::new();
        for round in 0..3 {
            world.set_patience(SOON);
            for _ in 0..threads {
                world.clear();
                world.spawn((Place { x: 1.0 },));
                let (system, go) = hanging();
                world.add_system(system).unwrap();
                keep.push(go);
                world.update(16.0);
                keep.last().unwrap().begun.recv_timeout(LATE).unwrap();
            }
            world.clear();
            world.set_patience(LATE);
            let seen = Seen::default();
            world.add_system(noting("noting", &seen)).unwrap();
            let id = world.spawn((Place { x: round as f64 },));
            world.update(16.0);
            world.try_settle().unwrap();
            assert_eq!(seen.take(), [id], "threads {threads} round {round}");
        }
    }
}

#[test]
fn systems_beside_a_hung_one_go_on_with_threads_of_their_own() {
    let (mut world, _, go, _) = hung(1, SchedulerKind::Default);
    let calls = Calls::default();
    let count = calls.clone();
    world.add_system(SystemDef::each::<(&Speed,), _>("beside", move |_, _| count.push("beside"))).unwrap();
    world.update(16.0);
    world.update(10_100.0);
    until(&mut world, |world| {
        world.update(16.0);
        calls.count("beside") > 2
    });
    go.end();
}

#[test]
fn an_edit_of_what_a_hung_run_holds_is_refused_and_names_the_system() {
    for threads in [1, 2] {
        let (mut world, _, go, id) = hung(threads, SchedulerKind::Conflict);
        let error = world.set(id, Place { x: 3.0 }).unwrap_err();
        assert!(matches!(error, AccessFault::Hung(_)) && error.to_string().contains("hanging"), "{error}");
        world.set_patience(ENDLESS);
        let start = Instant::now();
        for _ in 0..50 {
            assert_eq!(world.get::<Place>(id), None, "nobody waits for it again");
            assert!(world.set_field(id, "place", "x", &vivarium_world::FieldValue::Float(1.0)).is_err());
            assert_eq!(world.duplicate(id), None);
            assert_eq!(world.update_component(id, |place: &mut Place| place.x), None);
        }
        assert!(start.elapsed() < LATE);
        assert!(world.set(id, Speed { vx: 1.0 }).is_ok(), "it does not hold this");
        assert!(matches!(world.save(SaveForm::Plain), Err(SaveError::Hung(_))));
        assert_eq!(world.compact(), 0);
        assert!(world.remove_component::<Place>(id).is_ok());
        assert!(matches!(world.add(id, Place { x: 4.0 }), Err(AccessFault::Hung(_))));
        go.end();
        until(&mut world, |world| !world.is_busy());
        world.add(id, Place { x: 4.0 }).unwrap();
        assert_eq!(world.get::<Place>(id), Some(Place { x: 4.0 }));
        assert!(world.save(SaveForm::Plain).is_ok() || !errors(&mut world).is_empty());
    }
}

#[test]
fn a_step_beside_a_hung_run_waits_for_it_once() {
    let (mut world, _, go, _) = hung(2, SchedulerKind::Default);
    world.step();
    world.set_patience(ENDLESS);
    let start = Instant::now();
    for _ in 0..100 {
        world.step();
    }
    assert!(start.elapsed() < LATE);
    go.end();
}

#[test]
fn dropping_a_world_never_waits() {
    for threads in [1, 2] {
        let (mut world, _, go, _) = hung(threads, SchedulerKind::Default);
        world.set_patience(Duration::from_secs(3600));
        let start = Instant::now();
        drop(world);
        assert!(start.elapsed() < LATE);
        // The run goes on with pools of its own.
        go.end();
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn patience_is_measured_on_the_clock_the_world_was_given() {
    use std::sync::atomic::{AtomicU64, Ordering};
    let now = Arc::new(AtomicU64::new(0));
    let clock = now.clone();
    // An hour a look.
    let clock = vivarium_world::Clock::new(move || clock.fetch_add(3_600_000_000_000, Ordering::SeqCst));
    let catalog = catalog(&Calls::default());
    let mut world = World::new(&catalog, WorldOptions { threads: 1, clock }).unwrap();
    assert_eq!(world.patience(), Duration::from_secs(5));
    let (system, go) = hanging();
    world.add_system(system).unwrap();
    world.spawn((Place { x: 1.0 },));
    world.update(16.0);
    world.set_patience(ENDLESS);
    let start = Instant::now();
    assert!(world.try_settle().is_err());
    assert!(start.elapsed() < LATE, "not a minute of the machine's clock");
    go.end();
}

#[test]
fn a_destroyed_world_refuses_what_is_asked_of_it() {
    for threads in [0, 2] {
        let (mut world, calls) = world(threads);
        let id = world.spawn((Place { x: 1.0 },));
        world.set_resource(Health { health: 2.0 }).unwrap();
        world.destroy();
        assert_eq!((calls.count("free place 1"), calls.count("free health 2"), world.len()), (1, 1, 0));
        world.destroy();
        assert_eq!(calls.count("free"), 2, "a second call does nothing");
        assert!(world.is_destroyed());
        let ends = |text: String| assert!(text.contains("destroyed"), "{text}");
        ends(
            world
                .load("a.json", &scene(r#""entities": []"#), &LoadOptions::default())
                .unwrap_err()
                .to_string(),
        );
        assert_eq!(world.create(&config("{}")), Err(CreateError::Destroyed));
        ends(world.set_resource(Health { health: 2.0 }).unwrap_err().to_string());
        ends(world.add_system(noting("late", &Seen::default())).unwrap_err().to_string());
        assert_eq!(world.update(100.0).steps, 0);
        assert!(!world.try_step());
        assert_eq!((world.clocks().tick, world.get::<Place>(id)), (0, None));
        let spawned = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| world.spawn((Frozen,))));
        assert!(spawned.unwrap_err().downcast_ref::<&str>().unwrap().contains("destroyed"));
    }
}

#[test]
fn a_run_that_asks_for_too_much_is_refused_more_reported_and_its_effects_discarded() {
    for (threads, scheduler) in THREADS.into_iter().flat_map(|threads| BOTH.map(|kind| (threads, kind))) {
        let (mut world, calls) = world(threads);
        world.set_scheduler(scheduler);
        world.set_effect_limit(1000);
        let told = calls.clone();
        let flood = move |_: &mut Named<'_>, run: &mut Run| {
            let mut made = 0;
            let error = loop {
                match run.spawn((Health { health: 1.0 },)) {
                    Ok(_) => made += 1,
                    Err(error) => break error,
                }
                assert!(made < 5000, "nobody stops it");
            };
            told.push(format!("{made} {error}"));
            run.send(7u32);
            Ok(())
        };
        world.on(|_, _: &u32| panic!("nothing is sent"));
        world.add_system(SystemDef::worker("flood", flood).creates(["health"])).unwrap();
        world.update(16.0);
        world.settle();
        let said = calls.take();
        assert!(
            said.iter().any(|said| said.starts_with("1000 ") && said.contains("\"flood\" asked")),
            "{said:?}"
        );
        assert_eq!(said.iter().filter(|said| *said == "free health 1").count(), 1000);
        assert_eq!(world.len(), 0);
        let errors = errors(&mut world);
        assert!(errors.len() == 1 && errors[0].contains("flood"), "{errors:?}");
        assert!(!world.is_busy());
    }
}

#[test]
fn threads_that_share_a_run_may_ask_for_as_much_together_as_one_alone() {
    for (limit, adopted) in [(4000, 4000), (3999, 0)] {
        for threads in THREADS {
            let (mut world, _) = world(threads);
            world.set_effect_limit(limit);
            world.spawn_batch((0..2000).map(|n| (Place { x: n as f64 },)));
            let twice = SystemDef::each_in_parallel::<(&Place,), _>("twice", |_, run: &mut Run| {
                let made = run.spawn((Speed { vx: 0.0 },)).and_then(|_| run.spawn((Speed { vx: 1.0 },)));
                made.map(|_| ()).map_err(|error| error.to_string())
            });
            world.add_system(twice.creates(["speed"])).unwrap();
            world.update(16.0);
            world.settle();
            assert_eq!(world.len(), 2000 + adopted, "{threads} threads, {limit}");
        }
    }
}

#[test]
fn a_run_keeps_its_first_thousand_errors_and_counts_the_others() {
    for threads in THREADS {
        let (mut world, _) = world(threads);
        world.spawn_batch((0..3000).map(|n| (Place { x: n as f64 },)));
        let all = SystemDef::each::<(&Place,), _>("sour", |_, _| Err("no"));
        world.add_system(all).unwrap();
        world.update(16.0);
        world.settle();
        let (errors, more) = world.take_errors();
        assert_eq!((errors.len(), more), (1000, 2000));
    }
}

#[test]
fn what_a_run_in_parts_created_before_it_panicked_is_freed() {
    for threads in THREADS {
        let (mut world, calls) = world(threads);
        world.spawn_batch((0..1000).map(|n| (Place { x: n as f64 },)));
        let falling = SystemDef::each_in_parallel::<(&Place,), _>("falling", |(place,), run: &mut Run| {
            run.spawn((Health { health: place.x },)).unwrap();
            assert!(place.x != 900.0, "it fell");
        });
        world.add_system(falling.creates(["health"])).unwrap();
        world.update(16.0);
        world.settle();
        assert_eq!(world.len(), 1000);
        let freed = calls.take();
        let mut freed: Vec<&String> = freed.iter().filter(|call| call.starts_with("free health")).collect();
        let all = freed.len();
        freed.sort();
        freed.dedup();
        assert!(freed.len() == all && freed.contains(&&"free health 900".to_owned()), "{all}");
    }
}

#[test]
fn ids_made_while_a_load_takes_the_old_content_away_mean_nothing_in_the_new() {
    for _ in 0..2 {
        let (mut world, _) = world(0);
        load(&mut world, r#""entities": [ { "x": 1 }, { "x": 2 } ]"#);
        let made = Arc::new(Mutex::new(Vec::new()));
        let making = made.clone();
        world.listen(move |world, event| {
            if let WorldEvent::EntityRemoved(_) = event
                && making.lock().unwrap().len() < 200
            {
                let id = world.spawn((Frozen,));
                making.lock().unwrap().push(id);
                world.remove(id);
            }
        });
        let many = vec![r#"{ "x": 1 }"#; 300].join(", ");
        load(&mut world, &format!(r#""entities": [ {many} ]"#));
        assert_eq!(world.len(), 300);
        assert!(made.lock().unwrap().len() >= 200);
        for &id in made.lock().unwrap().iter() {
            assert!(!world.contains(id), "{id} is an id of the content before");
        }
        let ids: Vec<_> = world.entities().collect();
        world.clear();
        let new: Vec<_> = (0..400).map(|_| world.spawn((Frozen,))).collect();
        assert!(new.iter().all(|id| !ids.contains(id) && !made.lock().unwrap().contains(id)));
    }
}

#[test]
fn a_hung_run_keeps_the_whole_catalog_of_pools_alive_while_the_world_goes_on() {
    // Its rows and pages are its own even when the world reuses the same rows many times.
    let calls = Calls::default();
    let catalog = Catalog::new().define(Place::definition()).and_then(Catalog::component::<Speed>).unwrap();
    let mut world = world_of(&catalog, 2);
    world.set_scheduler(SchedulerKind::Default);
    world.set_patience(SOON);
    let (go, wait) = channel::<()>();
    let wait = Mutex::new(wait);
    let told = calls.clone();
    let body = move |queries: &mut Named<'_>, _: &mut Run| {
        let _ = wait.lock().unwrap().recv();
        let mut sum = 0.0;
        queries.each::<(&mut Place,)>("all", |(place,)| sum += place.x);
        told.push(format!("{sum}"));
        Ok(())
    };
    world.add_system(SystemDef::worker("summing", body).query::<(&mut Place,)>("all")).unwrap();
    world.spawn_batch((0..1000).map(|_| (Place { x: 1.0 },)));
    world.update(16.0);
    for _ in 0..5 {
        world.clear();
        world.spawn_batch((0..2000).map(|_| (Place { x: 1e9 }, Speed { vx: 0.0 })));
        world.update(16.0);
    }
    go.send(()).unwrap();
    until(&mut world, |_| calls.count("1000") == 1);
}

/// Three systems that run as one, of which the second hangs at one entity until it is let go.
fn joined_and_hung(threads: usize, scheduler: SchedulerKind, shared: bool) -> (World, Hang, Vec<EntityId>) {
    let (mut world, _) = world(threads);
    world.set_scheduler(scheduler);
    world.set_patience(SOON);
    let ids = world.spawn_batch((0..3000).map(|n| (Place { x: f64::from(n) },)));
    let (go, wait) = channel::<()>();
    let (begin, begun) = channel::<()>();
    let (wait, begin) = (Mutex::new(wait), Mutex::new(begin));
    let add = |place: &mut Place, _: &mut Run| place.x += 10_000.0;
    let hang = move |place: &mut Place, _: &mut Run| {
        if place.x == 11_000.0 {
            let _ = begin.lock().unwrap().send(());
            let _ = wait.lock().unwrap().recv();
        }
        place.x += 10_000.0;
    };
    let systems = match shared {
        false => [
            SystemDef::each::<&mut Place, _>("first", add),
            SystemDef::each::<&mut Place, _>("second", hang),
            SystemDef::each::<&mut Place, _>("third", add),
        ],
        true => [
            SystemDef::each_in_parallel::<&mut Place, _>("first", add),
            SystemDef::each_in_parallel::<&mut Place, _>("second", hang),
            SystemDef::each_in_parallel::<&mut Place, _>("third", add),
        ],
    };
    systems.into_iter().for_each(|system| _ = world.add_system(system).unwrap());
    assert_eq!(format!("{:?}", world.plan().tiles()), "[0..3]");
    world.update(16.0);
    let hang = Hang { go, begun };
    hang.begun.recv_timeout(LATE).unwrap();
    (world, hang, ids)
}

#[test]
fn of_systems_that_run_as_one_the_one_that_hangs_is_blamed() {
    for (threads, shared) in [(1, false), (2, false), (1, true), (2, true)] {
        for scheduler in BOTH {
            let about = format!("on {threads} threads, shared {shared}, {scheduler:?}");
            let (mut world, go, ids) = joined_and_hung(threads, scheduler.clone(), shared);
            if shared {
                // The other threads come to an end.
                std::thread::sleep(SOON);
            }
            let edit = world.set(ids[0], Place { x: 1.0 }).unwrap_err().to_string();
            assert!(edit.contains("`second` has been running"), "{about}: {edit}");
            let told = errors(&mut world);
            assert_eq!(told.len(), 1, "{about}: {told:?}");
            assert!(told[0].starts_with("`second` failed: `second` has been running"), "{about}: {told:?}");
            assert_eq!(world.try_settle().unwrap_err().name, "second", "{about}");
            assert_eq!(errors(&mut world), no_strings(), "{about}: all were given up with it");
            go.end();
            until(&mut world, |world| !world.is_busy());
            assert!(world.get::<Place>(ids[1000]).is_some_and(|place| place.x == 31_000.0), "{about}");
            assert_eq!(errors(&mut world), no_strings(), "{about}");
        }
    }
}

#[test]
fn runs_that_are_done_as_one_are_given_up_together_after_ten_seconds() {
    for scheduler in BOTH {
        let (mut world, go, ids) = joined_and_hung(1, scheduler.clone(), false);
        world.set_time_scale(0.001).unwrap();
        (0..3).for_each(|_| _ = world.update(6_000.0));
        let told = errors(&mut world);
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].starts_with("`second` failed"), "{told:?}");
        // Rows that none of them visits are given back, those of all are kept.
        let later = world.spawn((Place { x: -1.0 },));
        world.remove(ids[7]);
        world.remove(later);
        world.set_time_scale(1.0).unwrap();
        world.update(16.0);
        world.update(16.0);
        assert_eq!(quarantined(&world).len(), 1);
        go.end();
        until(&mut world, |world| quarantined(world).is_empty());
    }
}
