//! Rules of giving blocks back late.

use crate::common::*;
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};
use vivarium_world::{SchedulerKind, SystemDef, World};

/// A system that holds every place until it is told to go on. Its first run begins with the next update.
fn holding(world: &mut World) -> Sender<()> {
    world.set_scheduler(SchedulerKind::Default);
    let (go, wait) = channel::<()>();
    let wait = Mutex::new(wait);
    let system = SystemDef::worker(
        "holding",
        move |queries: &mut vivarium_world::Named<'_>, _: &mut vivarium_world::Run| {
            wait.lock().unwrap().recv().map_err(|error| error.to_string())?;
            queries.each::<(&mut Place,)>("all", |(place,)| place.x += 100.0);
            Ok(())
        },
    );
    world.add_system(system.query::<(&mut Place,)>("all").every(1e6)).unwrap();
    go
}

fn places(world: &World) -> usize {
    world.pool_len(world.registry().of::<Place>().unwrap())
}

#[test]
fn a_removed_block_is_still_counted_until_the_next_update() {
    let (mut world, calls) = world(0);
    let a = world.spawn((Place { x: 1.0 },));
    let b = world.spawn((Place { x: 2.0 },));
    world.remove(a);
    world.remove_component::<Place>(b).unwrap();
    assert_eq!((places(&world), calls.count("free")), (2, 0));
    world.set_paused(true);
    world.update(100.0);
    assert_eq!((places(&world), calls.count("free")), (2, 0), "nothing is freed while paused");
    world.set_paused(false);
    world.update(16.0);
    assert_eq!((places(&world), calls.count("free")), (0, 2));
}

#[test]
fn blocks_are_freed_in_the_order_they_were_given_up() {
    let (mut world, calls) = world(0);
    let ids = [5.0, 3.0, 8.0, 1.0].map(|x| world.spawn((Place { x },)));
    for k in [2, 0, 3, 1] {
        world.remove(ids[k]);
    }
    calls.take();
    world.update(16.0);
    assert_eq!(calls.take(), ["free place 8", "free place 5", "free place 1", "free place 3"]);
}

#[test]
fn no_block_is_freed_while_a_run_that_may_see_it_is_open() {
    for threads in [1, 4] {
        let (mut world, calls) = world(threads);
        let go = holding(&mut world);
        let old = world.spawn((Place { x: 1.0 },));
        world.update(16.0);
        world.remove(old);
        for _ in 0..3 {
            world.update(16.0);
        }
        assert_eq!((places(&world), calls.count("free")), (1, 0));
        // Its row is not handed out meanwhile.
        let new = world.spawn((Place { x: 2.0 },));
        go.send(()).unwrap();
        world.settle();
        assert_eq!(calls.count("free place 101"), 1, "freed when the last run that waited ended");
        assert_eq!(world.get::<Place>(new), Some(Place { x: 2.0 }));
        assert_eq!(places(&world), 1);
    }
}

#[test]
fn what_was_given_up_after_a_run_began_waits_for_the_runs_open_at_its_promotion() {
    let (mut world, calls) = world(4);
    let go = holding(&mut world);
    let ids: Vec<_> = (0..3).map(|n| world.spawn((Place { x: n as f64 }, Frozen))).collect();
    world.update(16.0);
    world.remove(ids[0]);
    world.update(16.0);
    world.remove(ids[1]);
    world.update(16.0);
    go.send(()).unwrap();
    world.settle();
    assert_eq!(calls.count("free"), 2);
}

#[test]
fn adding_where_the_old_block_is_owed_waits_for_the_run_that_holds_it() {
    for threads in [1, 4] {
        let (mut world, calls) = world(threads);
        let go = holding(&mut world);
        let id = world.spawn((Place { x: 1.0 },));
        world.update(16.0);
        world.remove_component::<Place>(id).unwrap();
        go.send(()).unwrap();
        world.add(id, Place { x: 2.0 }).unwrap();
        assert_eq!(world.get::<Place>(id), Some(Place { x: 2.0 }));
        world.settle();
        world.update(16.0);
        assert_eq!(calls.count("free place 101"), 1);
        assert_eq!(calls.count("free"), 1);
        assert_eq!(world.get::<Place>(id), Some(Place { x: 2.0 }));
    }
}

#[test]
fn a_component_written_by_hand_waits_for_the_run_that_holds_it() {
    let (mut world, _) = world(1);
    let go = holding(&mut world);
    let id = world.spawn((Place { x: 1.0 },));
    world.update(16.0);
    assert!(world.peek::<Place>(id).is_none(), "a run has it");
    go.send(()).unwrap();
    world.set(id, Place { x: 5.0 }).unwrap();
    assert_eq!(world.get::<Place>(id), Some(Place { x: 5.0 }), "the run came first");
}

#[test]
fn a_run_visits_the_rows_of_its_dispatch_whatever_happens_meanwhile() {
    let (mut world, _) = world(2);
    let go = holding(&mut world);
    let ids: Vec<_> = (0..200).map(|n| world.spawn((Place { x: n as f64 },))).collect();
    world.update(16.0);
    for k in (0..200).step_by(2) {
        world.remove(ids[k]);
    }
    let late: Vec<_> = (0..5000).map(|n| world.spawn((Place { x: n as f64 }, Speed { vx: 0.0 }))).collect();
    let same: Vec<_> = (0..500).map(|n| world.spawn((Place { x: n as f64 },))).collect();
    go.send(()).unwrap();
    world.settle();
    for (k, &id) in ids.iter().enumerate().skip(1).step_by(2) {
        assert_eq!(world.get::<Place>(id), Some(Place { x: k as f64 + 100.0 }));
    }
    for (k, &id) in late.iter().enumerate().chain(same.iter().enumerate()) {
        assert_eq!(world.get::<Place>(id), Some(Place { x: k as f64 }));
    }
}

#[test]
fn a_long_period_a_disabled_or_a_removed_system_never_delays_reuse() {
    for threads in THREADS {
        let (mut world, calls) = world(threads);
        world.set_scheduler(SchedulerKind::Default);
        let slow = SystemDef::each::<(&Place,), _>("slow", |_, _| ()).every(1e9);
        world.add_system(slow).unwrap();
        let off = world.add_system(SystemDef::each::<(&Place,), _>("off", |_, _| ())).unwrap();
        world.set_enabled(off, false);
        let gone = world.add_system(SystemDef::each::<(&Place,), _>("gone", |_, _| ())).unwrap();
        let id = world.spawn((Place { x: 1.0 },));
        world.update(16.0);
        world.settle();
        world.remove_system(gone);
        world.remove(id);
        world.update(16.0);
        assert_eq!((places(&world), calls.count("free")), (0, 1));
    }
}

#[test]
fn a_free_hook_that_panics_is_reported_and_the_others_still_run() {
    use vivarium_world::{Catalog, Component};
    let calls = Calls::default();
    let heard = calls.clone();
    let place = Place::definition().on_free::<Place>(move |place| {
        assert!(place.x != 1.0, "one is sticky");
        heard.push(format!("free {}", place.x));
    });
    let mut world = world_of(&Catalog::new().define(place).unwrap(), 0);
    let ids = [0.0, 1.0, 2.0].map(|x| world.spawn((Place { x },)));
    assert_eq!(ids.map(|id| world.remove(id)), [true; 3]);
    world.update(16.0);
    assert_eq!((calls.take(), places(&world)), (vec!["free 0".into(), "free 2".into()], 0));
    let errors = errors(&mut world);
    assert!(errors.len() == 1 && errors[0].contains("one is sticky"), "{errors:?}");
}

/// Tags have no hooks, so it makes no difference in which order many of them are given back.
#[test]
fn many_blocks_without_hooks_are_owed_and_given_back_as_few_are() {
    for count in [3, 64, 65, 500] {
        let (mut world, _) = world(0);
        let ids: Vec<_> = (0..count).map(|_| world.spawn((Frozen,))).collect();
        let frozen = world.registry().of::<Frozen>().unwrap();
        let counts = |world: &World| (world.pool_len(frozen), world.deferred_blocks());
        for &id in &ids {
            world.remove_component::<Frozen>(id).unwrap();
        }
        assert_eq!(counts(&world), (count, count));
        // What is added again is not owed any more, and may be removed and owed again.
        for &id in &ids[..2] {
            world.add(id, Frozen).unwrap();
        }
        assert_eq!(counts(&world), (count, count - 2));
        world.remove_component::<Frozen>(ids[0]).unwrap();
        assert_eq!(counts(&world), (count, count - 1));
        world.step();
        assert_eq!(counts(&world), (1, 0));
        assert!(world.has(ids[1], frozen) && !world.has(ids[0], frozen));
    }
}

#[test]
fn a_run_that_is_open_keeps_many_tags_owed_of_which_one_was_removed_twice() {
    let (mut world, _) = world(1);
    let go = holding(&mut world);
    world.spawn((Place { x: 1.0 },));
    let ids: Vec<_> = (0..300).map(|_| world.spawn((Frozen,))).collect();
    world.update(16.0);
    let frozen = world.registry().of::<Frozen>().unwrap();
    for tick in 0..3 {
        for &id in ids.iter().skip(tick).step_by(3) {
            world.remove_component::<Frozen>(id).unwrap();
        }
        world.update(16.0);
        world.add(ids[0], Frozen).unwrap();
        world.remove_component::<Frozen>(ids[0]).unwrap();
    }
    assert_eq!((world.pool_len(frozen), world.deferred_blocks()), (300, 300));
    go.send(()).unwrap();
    world.settle();
    world.update(16.0);
    assert_eq!((world.pool_len(frozen), world.deferred_blocks()), (0, 0));
    world.add(ids[0], Frozen).unwrap();
    assert!(world.has(ids[0], frozen));
}

#[test]
fn for_every_deferred_block_the_world_can_say_whose_it_was_who_asked_when_and_what_it_waits_for() {
    let (mut world, _) = world(2);
    let go = holding(&mut world);
    let (a, b) = (world.spawn((Place { x: 1.0 }, Speed { vx: 0.0 })), world.spawn((Place { x: 2.0 },)));
    world.update(16.0);
    let remover = move |world: &mut World, _: &vivarium_world::Step| {
        world.remove(a);
        Ok(())
    };
    let remover = world.add_system(SystemDef::system("remover", remover).reads::<Speed>()).unwrap();
    world.remove_component::<Place>(b).unwrap();
    world.update(16.0);
    assert!(!world.contains(a));
    let place = world.registry().of::<Place>().unwrap();
    let speed = world.registry().of::<Speed>().unwrap();
    let owed: Vec<_> = world.deferred().collect();
    let of =
        |owner, component| owed.iter().find(|block| block.owner == owner && block.component == component);
    let by_hand = of(b, place).unwrap();
    assert_eq!((by_hand.asked_by, by_hand.since, by_hand.waits_for.len()), (None, 1, 1));
    for component in [place, speed] {
        let removed = of(a, component).unwrap();
        assert_eq!((removed.asked_by, removed.since), (Some(remover), 2));
        assert_eq!(removed.waits_for, by_hand.waits_for);
        assert_ne!(removed.row, by_hand.row);
    }
    assert_eq!(owed.len(), world.deferred_blocks());
    assert!(owed.iter().all(|block| !block.quarantined));
    go.send(()).unwrap();
    world.settle();
    world.update(16.0);
    assert_eq!((world.deferred().count(), world.deferred_blocks()), (0, 0));
}

#[test]
fn nothing_is_freed_in_a_pause_but_by_a_clear() {
    for threads in THREADS {
        let (mut world, calls) = world(threads);
        let [a, b] = [1.0, 2.0].map(|x| world.spawn((Place { x },)));
        world.set_paused(true);
        world.remove(a);
        world.remove_component::<Place>(b).unwrap();
        for _ in 0..3 {
            world.update(16.0);
            world.pump();
            world.settle();
        }
        assert_eq!(calls.count("free"), 0);
        world.clear();
        assert_eq!(calls.count("free"), 2);
    }
}

#[test]
fn while_a_run_is_open_the_world_adds_pages_sets_bits_and_writes_rows_outside_its_mask() {
    for threads in [1, 4] {
        let (mut world, _) = world(threads);
        let go = holding(&mut world);
        let held = world.spawn((Place { x: 1.0 },));
        let [bare, dies] = [world.spawn((Frozen,)), world.spawn((Frozen,))];
        world.update(16.0);
        // Rows of new pages, a row that gets the component, flags: none of this waits for the run.
        let many = world.spawn_batch((0..500).map(|x| (Place { x: f64::from(x) }, Health { health: 1.0 })));
        world.add(bare, Place { x: 7.0 }).unwrap();
        world.remove_component::<Place>(many[3]).unwrap();
        assert!(world.kill(dies) && world.remove(many[4]) && world.remove(held));
        assert!(world.is_busy() && !world.contains(held) && !world.contains(dies));
        go.send(()).unwrap();
        assert_eq!(world.get::<Place>(bare), Some(Place { x: 7.0 }), "it is no member of the open run");
        let after = [many[0], many[499]].map(|id| world.get::<Place>(id).map(|place| place.x));
        assert_eq!((after, world.get::<Place>(many[3])), ([Some(0.0), Some(499.0)], None));
        assert_eq!(world.len(), 500);
    }
}

#[test]
fn compaction_waits_for_the_runs_that_are_open() {
    for threads in [1, 4] {
        let (mut world, _) = world(threads);
        let go = holding(&mut world);
        let ids: Vec<_> = (0..100).map(|x| world.spawn((Place { x: f64::from(x) },))).collect();
        ids.iter().step_by(2).for_each(|&id| _ = world.remove(id));
        world.update(16.0);
        assert!(world.is_busy());
        go.send(()).unwrap();
        assert!(world.compact() > 0);
        assert!(!world.is_busy(), "it is over before rows move");
        for (x, &id) in ids.iter().enumerate().skip(1).step_by(2) {
            assert_eq!(world.get::<Place>(id), Some(Place { x: x as f64 + 100.0 }));
        }
    }
}

#[test]
fn a_removed_running_system_keeps_what_it_borrowed_until_it_ends() {
    for threads in [1, 4] {
        let (mut world, calls) = world(threads);
        let go = holding(&mut world);
        let id = world.spawn((Place { x: 1.0 },));
        world.update(16.0);
        let system = world.systems().next().unwrap().id;
        // Its removal waits for the run, a second at most.
        std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(30));
            go.send(()).unwrap();
        });
        world.remove(id);
        assert!(world.remove_system(system));
        assert_eq!(world.systems().len(), 0);
        world.settle();
        world.update(16.0);
        assert_eq!(calls.count("free place 101"), 1, "it wrote the block before that was given back");
    }
}
