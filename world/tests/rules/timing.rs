//! Rules of performance timing, as a world keeps it.

use crate::common::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use vivarium_world::{Clock, Step, SystemDef, World, WorldOptions};

/// A world whose clock goes on by a microsecond each time somebody looks.
fn timed(threads: usize) -> World {
    let now = Arc::new(AtomicU64::new(0));
    let clock = Clock::new(move || now.fetch_add(1_000, Ordering::SeqCst));
    World::new(&catalog(&Calls::default()), WorldOptions { threads, clock }).unwrap()
}

/// Names and samples of the lines of the last whole window.
fn samples(world: &World) -> Vec<(String, u64)> {
    let rows = world.timing().rows();
    rows.into_iter().filter(|row| row.samples > 0).map(|row| (row.name, row.samples)).collect()
}

#[test]
fn paused_updates_are_not_counted_and_a_flush_by_hand_works_while_paused() {
    for threads in [0, 2] {
        let mut world = timed(threads);
        world.spawn((Place { x: 1.0 },));
        world.add_system(noting("noting", &Seen::default())).unwrap();
        for _ in 0..3 {
            world.step();
        }
        world.set_paused(true);
        for _ in 0..5 {
            world.update(16.0);
        }
        world.timing_mut().flush();
        let counted = samples(&world);
        assert!(counted.iter().any(|(name, count)| name == "noting" && *count == 3), "{counted:?}");
        assert!(counted.iter().all(|(_, count)| *count <= 3), "{counted:?}");
    }
}

#[test]
fn systems_of_the_main_thread_are_measured_too_and_each_by_itself_whatever_its_name() {
    let mut world = timed(0);
    for runs in [1, 2] {
        let twin = SystemDef::system("twin", |_: &mut World, _: &Step| Ok(()));
        world.add_system(twin.every(if runs == 1 { 1e9 } else { 0.0 })).unwrap();
    }
    for _ in 0..4 {
        world.step();
    }
    world.timing_mut().flush();
    let counted: Vec<u64> =
        samples(&world).into_iter().filter(|(name, _)| name == "twin").map(|(_, count)| count).collect();
    assert_eq!(counted, [1, 4]);
}

#[test]
fn a_run_with_no_members_is_no_sample() {
    let mut world = timed(0);
    world.add_system(noting("noting", &Seen::default())).unwrap();
    world.step();
    world.spawn((Place { x: 1.0 },));
    world.step();
    world.timing_mut().flush();
    assert!(samples(&world).contains(&("noting".to_owned(), 1)), "{:?}", samples(&world));
}

#[test]
fn a_pass_in_batches_is_one_sample() {
    for threads in [0, 2] {
        let mut world = timed(threads);
        (0..6).for_each(|x| _ = world.spawn((Place { x: f64::from(x) },)));
        let system = noting("batched", &Seen::default()).work_batch(2);
        world.add_system(system).unwrap();
        // Three batches are a pass; the next pass is not over yet.
        (0..5).for_each(|_| world.step());
        world.timing_mut().flush();
        assert!(samples(&world).contains(&("batched".to_owned(), 1)), "{:?}", samples(&world));
        world.step();
        world.timing_mut().flush();
        assert!(samples(&world).contains(&("batched".to_owned(), 1)), "{:?}", samples(&world));
    }
}

#[test]
fn a_window_is_a_thousand_milliseconds_unless_it_is_set() {
    let mut world = timed(0);
    world.spawn((Place { x: 1.0 },));
    world.add_system(noting("noting", &Seen::default())).unwrap();
    world.set_step(None).unwrap();
    assert_eq!(world.timing().window().as_millis(), 1000);
    (0..9).for_each(|_| _ = world.update(100.0));
    assert_eq!(samples(&world), []);
    world.update(100.0);
    let updates = samples(&world).into_iter().find(|(name, _)| name == "update");
    assert_eq!(updates.map(|(_, count)| count > 0), Some(true));
}
