//! Rules of systems that work off items, a part an update, and of runs that somebody else finishes.

use crate::common::*;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use vivarium_world::{
    Clock, EntityId, EntitySystem, IterableSystem, Members, OpenRun, Run, SchedulerKind, Step, SystemDef,
    World, WorldOptions,
};

const SCHEDULERS: [SchedulerKind; 2] = [SchedulerKind::Default, SchedulerKind::Conflict];

/// A world whose clock advances a millisecond whenever it is told so, with each scheduler.
fn each_setting(mut test: impl FnMut(World, Arc<AtomicU64>)) {
    for scheduler in SCHEDULERS {
        let now = Arc::new(AtomicU64::new(0));
        let read = now.clone();
        let clock = Clock::new(move || read.load(Ordering::Relaxed));
        let mut world = World::new(&catalog(&Calls::default()), WorldOptions { threads: 0, clock }).unwrap();
        world.set_scheduler(scheduler);
        world.set_step(None).unwrap();
        test(world, now);
    }
}

const MILLISECOND: u64 = 1_000_000;

/// Works off the numbers up to five, each of which takes a millisecond.
struct Five {
    calls: Calls,
    now: Arc<AtomicU64>,
    prepares: bool,
}

impl IterableSystem for Five {
    type Item = u32;

    fn items(&mut self, _: &mut World, step: &Step) -> Result<Vec<u32>, String> {
        self.calls.push(format!("items {}", step.delta));
        if self.prepares { Ok((1..=5).collect()) } else { Err("no items today".to_owned()) }
    }

    fn update(&mut self, item: u32, world: &mut World, step: &Step) -> Result<(), String> {
        self.now.fetch_add(MILLISECOND, Ordering::Relaxed);
        self.calls.push(format!("{item} {}", step.delta));
        world.spawn((Place { x: item as f64 },));
        if item == 2 { Err("two is not wanted".to_owned()) } else { Ok(()) }
    }
}

fn five(calls: &Calls, now: &Arc<AtomicU64>) -> Five {
    Five { calls: calls.clone(), now: now.clone(), prepares: true }
}

#[test]
fn what_is_over_the_budget_goes_on_in_the_next_update_with_the_original_delta() {
    each_setting(|mut world, now| {
        let calls = Calls::default();
        let system = SystemDef::iterable("five", five(&calls, &now)).budget(2.0).check_every(1);
        let id = world.add_system(system).unwrap();
        let runs = |world: &World| world.systems().next().unwrap().runs;
        world.update(10.0);
        assert_eq!(calls.take(), ["items 10", "1 10", "2 10"]);
        assert!(world.is_running(id));
        world.update(3.0);
        assert_eq!(calls.take(), ["3 10", "4 10"]);
        world.set_paused(true);
        world.update(100.0);
        assert_eq!(calls.take(), ["5 10"], "what is open drains while paused");
        world.set_paused(false);
        // One scheduler queued the run that was due meanwhile, the other merges its time with what follows.
        let (queues, merged) = (world.scheduler() == SchedulerKind::Conflict, ["items 4", "1 4", "2 4"]);
        if queues {
            assert_eq!(calls.count("items 3"), 0);
        } else {
            world.update(1.0);
            assert_eq!(calls.take(), merged);
        }
        world.settle();
        assert!(!world.is_running(id));
        assert_eq!(runs(&world), 2);
        assert_eq!(errors(&mut world), ["`five` failed: two is not wanted"; 2]);
    });
}

#[test]
fn without_a_budget_a_run_does_all_its_items() {
    each_setting(|mut world, now| {
        let calls = Calls::default();
        world.add_system(SystemDef::iterable("five", five(&calls, &now))).unwrap();
        world.update(1.0);
        assert_eq!((calls.take().len(), world.len()), (6, 5));
    });
}

#[test]
fn a_preparation_that_fails_drops_the_queue_and_keeps_the_time() {
    each_setting(|mut world, now| {
        let calls = Calls::default();
        let system = Five { prepares: false, ..five(&calls, &now) };
        world.add_system(SystemDef::iterable("five", system)).unwrap();
        world.update(1.0);
        world.update(1.0);
        assert_eq!(calls.take(), ["items 1", "items 2"]);
        assert_eq!(errors(&mut world), ["`five` failed: no items today"; 2]);
    });
}

#[test]
fn removing_loading_and_clearing_give_up_what_is_left_of_a_run() {
    for end in [World::clear, |world: &mut World| _ = load(world, r#""entities": []"#)] {
        each_setting(|mut world, now| {
            let calls = Calls::default();
            let system = SystemDef::iterable("five", five(&calls, &now)).budget(1.0).check_every(1);
            world.add_system(system).unwrap();
            world.update(1.0);
            calls.take();
            end(&mut world);
            world.update(1.0);
            assert_eq!((calls.take(), world.is_busy()), (no_strings(), false));
        });
    }
    each_setting(|mut world, now| {
        let calls = Calls::default();
        let system = SystemDef::iterable("five", five(&calls, &now)).budget(1.0).check_every(1);
        let id = world.add_system(system).unwrap();
        world.update(1.0);
        world.remove_system(id);
        world.settle();
        assert!(!world.is_busy());
    });
}

/// Notes its members, each of which takes a millisecond.
struct Slow {
    calls: Calls,
    now: Arc<AtomicU64>,
}

impl EntitySystem for Slow {
    type Query = (EntityId, &'static mut Place);

    fn update(&mut self, (id, place): (EntityId, &mut Place), run: &mut Run) -> Result<(), String> {
        self.now.fetch_add(MILLISECOND, Ordering::Relaxed);
        self.calls.push(format!("{} {}", place.x, run.delta()));
        place.x += 100.0;
        run.add(id, Frozen).map_err(String::from)
    }
    fn pre_run(&mut self, members: &mut Members<'_, Self::Query>, _: &mut Run) -> Result<(), String> {
        self.calls.push(format!("run {}", members.len()));
        Ok(())
    }
    fn pre_batch(&mut self, _: &mut Members<'_, Self::Query>, _: &mut Run) -> Result<(), String> {
        self.calls.push("batch");
        Ok(())
    }
}

#[test]
fn a_sliced_entity_system_checks_each_member_again_and_publishes_when_it_is_over() {
    each_setting(|mut world, now| {
        let calls = Calls::default();
        let ids: Vec<EntityId> = (0..4).map(|x| world.spawn((Place { x: x as f64 },))).collect();
        let system = SystemDef::entity_system("slow", Slow { calls: calls.clone(), now: now.clone() });
        world.add_system(system.adds::<Frozen>().budget(1.0).check_every(1)).unwrap();
        let frozen = world.registry().by_name("frozen").unwrap();
        world.update(7.0);
        assert_eq!(calls.take(), ["run 4", "batch", "0 7"]);
        world.kill(ids[1]);
        // Between the parts nothing is lent.
        world.set(ids[2], Place { x: 50.0 }).unwrap();
        world.update(1.0);
        assert_eq!(calls.take(), ["50 7"]);
        assert!(!world.has(ids[0], frozen), "effects wait for the end of the run");
        world.update(1.0);
        assert_eq!(calls.take()[0], "3 7");
        world.settle();
        assert!(world.has(ids[0], frozen) && world.has(ids[3], frozen));
        assert_eq!(errors(&mut world), no_strings());
    });
}

#[test]
fn others_that_touch_the_same_wait_for_the_end_of_a_sliced_run() {
    each_setting(|mut world, now| {
        let calls = Calls::default();
        (0..3).for_each(|x| _ = world.spawn((Place { x: x as f64 },)));
        let system = SystemDef::entity_system("slow", Slow { calls: calls.clone(), now: now.clone() });
        world.add_system(system.adds::<Frozen>().budget(1.0).check_every(1)).unwrap();
        let heard = calls.clone();
        let reads =
            SystemDef::each::<&Place, _>("reads", move |place, _| heard.push(format!("sees {}", place.x)));
        world.add_system(reads.every(1.0)).unwrap();
        world.update(1.0);
        world.update(1.0);
        assert_eq!(calls.count("sees"), 0);
        world.update(1.0);
        world.settle();
        let seen = calls.take();
        let first = seen.iter().position(|call| call.starts_with("sees")).unwrap();
        assert_eq!(seen[first..first + 3], ["sees 100", "sees 101", "sees 102"].map(str::to_owned));
    });
}

#[test]
fn an_asynchronous_run_is_open_until_somebody_finishes_it() {
    for threads in THREADS {
        for scheduler in SCHEDULERS {
            let (mut world, _) = world(threads);
            world.set_scheduler(scheduler);
            let id = world.spawn((Place { x: 1.0 },));
            let open: Arc<Mutex<Vec<OpenRun>>> = Arc::default();
            let kept = open.clone();
            let system = SystemDef::asynchronous("elsewhere", move |run| kept.lock().unwrap().push(run));
            let system = world.add_system(system.query::<&mut Place>("places").adds::<Frozen>()).unwrap();
            world.update(16.0);
            assert!(world.is_running(system));
            let mut run = open.lock().unwrap().pop().unwrap();
            std::thread::spawn(move || {
                let (mut queries, state) = run.open();
                queries.each::<&mut Place>("places", |place| place.x += 1.0);
                state.add(id, Frozen).unwrap();
                run.finish();
            })
            .join()
            .unwrap();
            world.pump();
            assert_eq!(world.get::<Place>(id).map(|place| place.x), Some(2.0));
            let frozen = world.registry().by_name("frozen").unwrap();
            assert!(world.has(id, frozen));
            world.update(16.0);
            world.update(16.0);
            assert_eq!(open.lock().unwrap().len(), 1, "its runs are one after another");
            drop(open.lock().unwrap().pop());
            world.pump();
            assert_eq!(
                errors(&mut world),
                ["`elsewhere` panicked: the run was dropped before it was finished"]
            );
            open.lock().unwrap().clear();
        }
    }
}

#[test]
fn a_world_that_is_cleared_does_not_wait_for_an_asynchronous_run_for_ever() {
    let (mut world, _) = world(0);
    world.set_patience(std::time::Duration::from_millis(20));
    let open: Arc<Mutex<Vec<OpenRun>>> = Arc::default();
    let kept = open.clone();
    let system = SystemDef::asynchronous("elsewhere", move |run| kept.lock().unwrap().push(run));
    world.add_system(system.query::<&mut Place>("places")).unwrap();
    world.spawn((Place { x: 1.0 },));
    world.update(16.0);
    world.clear();
    let id = world.spawn((Place { x: 5.0 },));
    let mut run = open.lock().unwrap().pop().unwrap();
    run.open().0.each::<&mut Place>("places", |place| place.x = 9.0);
    run.finish();
    world.pump();
    assert_eq!(world.get::<Place>(id).map(|place| place.x), Some(5.0));
}

#[test]
fn the_clock_is_looked_at_after_so_many_items() {
    each_setting(|mut world, now| {
        let calls = Calls::default();
        let system = SystemDef::iterable("five", five(&calls, &now)).budget(1.0).check_every(3);
        world.add_system(system).unwrap();
        world.update(10.0);
        assert_eq!(calls.take(), ["items 10", "1 10", "2 10", "3 10"]);
    });
}

#[test]
fn an_item_that_fails_is_reported_and_the_next_goes_on() {
    each_setting(|mut world, now| {
        let calls = Calls::default();
        world.add_system(SystemDef::iterable("five", five(&calls, &now))).unwrap();
        world.update(1.0);
        assert_eq!(calls.take(), ["items 1", "1 1", "2 1", "3 1", "4 1", "5 1"]);
        assert_eq!(errors(&mut world), ["`five` failed: two is not wanted"]);
    });
}
