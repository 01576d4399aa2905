//! How systems wait for each other, as tables: rows of systems with what they declare; batches, reasons and the order
//! in which they run and publish. Every row is planned, and run with several numbers of threads.
//!
//! | word | meaning |
//! |---|---|
//! | `r:place,speed` | reads outside its queries |
//! | `w:place` | writes |
//! | `+:place` `-:place` | adds, removes |
//! | `q:place` `q:?place` `q:!place` | a query for an entity with, with or without, without it; `q:` matches everything |
//! | `c:place,speed` | creates an entity of these in each run |
//! | `kills` | kills an entity in each run |
//! | `alone` `c:*` | asks to run alone, may create anything |

mod determinism;
mod held;
mod order;

use crate::common::*;
use held::{Held, check, row};
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;
use vivarium_world::{Named, Run, SchedulerKind, SystemDef, World};

#[test]
fn rule_1_everything_a_query_names_is_read_and_so_is_what_is_declared_beside_it() {
    check(&[
        row("a q:place\n b w:place", "a | b", "a b: read/write", ""),
        row("a q:speed,?place\n b w:place", "a | b", "a b: read/write", ""),
        row("a q:speed,!place\n b w:place", "a | b", "a b: read/write", ""),
        row("a r:place\n b w:place", "a | b", "a b: read/write", ""),
        row("a q:speed\n b w:place", "a b", "", ""),
    ]);
}

#[test]
fn rule_1_who_asks_to_or_may_create_anything_runs_alone() {
    check(&[
        row("a q:place\n b alone\n c q:place", "a | b | c", "a b: exclusive\n b c: exclusive", ""),
        row("a q:place\n b c:*\n c q:place", "a | b | c", "a b: exclusive\n b c: exclusive", ""),
    ]);
}

#[test]
fn rule_1_additions_and_removals_count_as_writes() {
    check(&[
        row("a +:place\n b q:place", "a | b", "a b: write/read", ""),
        row("a -:place\n b r:place", "a | b", "a b: write/read", ""),
        row("a +:place\n b -:place", "a | b", "a b: write/write", ""),
        row("a +:place\n b +:speed", "a b", "", ""),
    ]);
}

#[test]
fn rule_2_writers_take_turns_and_readers_share() {
    check(&[
        row("a w:place\n b w:place", "a | b", "a b: write/write", ""),
        row("a w:place\n b q:place", "a | b", "a b: write/read", ""),
        row("a q:place\n b w:place", "a | b", "a b: read/write", ""),
        row("a q:place\n b q:place\n c r:place", "a b c", "", ""),
        row("a w:place\n b w:speed\n c w:health", "a b c", "", ""),
        row("a w:place r:speed\n b w:speed r:place", "a | b", "a b: write/read, read/write", ""),
    ]);
}

#[test]
fn rule_2_a_creation_is_waited_for_by_those_who_can_see_it() {
    check(&[
        row("a c:place\n b w:place", "a | b", "a b: creates/writes", ""),
        row("a c:place\n b r:place", "a | b", "a b: creation seen", ""),
        row("a c:place\n b q:place", "a | b", "a b: creation seen", ""),
        row("a c:place\n b q:", "a | b", "a b: creation seen", ""),
        row("a c:place\n b q:?place", "a | b", "a b: creation seen", ""),
        // Its query requires more than is created, or something else.
        row("a c:place\n b q:place,speed", "a b", "", ""),
        row("a c:place\n b q:speed", "a b", "", ""),
        row("a c:place,speed\n b q:place,speed", "a | b", "a b: creation seen", ""),
    ]);
}

#[test]
fn rule_2_a_creator_runs_beside_earlier_readers_writers_and_creators() {
    check(&[
        row("a q:place\n b c:place", "a b", "", "a b"),
        row("a w:place\n b c:place", "a b", "", "a b"),
        row("a c:place\n b c:place", "a b", "", "a b"),
    ]);
}

#[test]
fn rule_3_a_level_is_one_above_the_highest_that_is_waited_for() {
    check(&[
        row(
            "a w:place\n b q:place\n c q:place\n d w:place",
            "a | b c | d",
            "a b: write/read\n a c: write/read\n a d: write/write\n b d: read/write\n c d: read/write",
            "",
        ),
        row(
            "a w:place\n b w:speed\n c q:place w:health\n d q:speed",
            "a b | c d",
            "a c: write/read\n b d: write/read",
            "",
        ),
    ]);
}

/// `c` waits for `a`, which ended, and not for `b`, which is of the batch before it and works still.
#[test]
fn rule_3_batches_are_no_barrier() {
    let mut held = Held::new("a w:place\n b w:speed\n c q:place", 8);
    held.world.update(1.0);
    held.gather();
    assert_eq!(held.world.plan().batches().levels(), [0, 0, 1]);
    held.end(0);
    held.until(|held| held.open.contains(&2));
    assert!(held.open.contains(&1), "{:?}", held.open);
    held.drain(false);
}

#[test]
fn rule_3_a_plan_never_changes_and_another_is_compiled_when_systems_come_or_go() {
    let mut held = Held::new("a w:place\n b w:speed", 0);
    let before = held.world.plan();
    let more = SystemDef::worker("c", |_: &mut Named<'_>, _: &mut Run| Ok(())).reads::<Place>();
    let id = held.world.add_system(more).unwrap();
    let with = held.world.plan();
    assert_eq!((before.systems().len(), with.batches().levels()), (2, &[0, 0, 1][..]));
    held.world.remove_system(id);
    let after = held.world.plan();
    assert_eq!((after.batches().levels(), with.systems().len()), (&[0, 0][..], 3));
}

/// Runs that say their delta and tick; the first is held.
fn slow_and_late(threads: usize) -> (World, Calls, Sender<()>) {
    let (mut world, _) = world(threads);
    world.set_scheduler(SchedulerKind::Conflict);
    world.set_step(None).unwrap();
    world.spawn((Place { x: 0.0 }, Speed { vx: 0.0 }));
    let calls = Calls::default();
    let (go, wait) = channel::<()>();
    let wait = Mutex::new(wait);
    let say = |name: &'static str, calls: &Calls| {
        let calls = calls.clone();
        move |run: &Run| calls.push(format!("{name} {} at {}", run.delta(), run.game_time()))
    };
    let (slow, late) = (say("slow", &calls), say("late", &calls));
    let hold = move |_: &mut Named<'_>, run: &mut Run| {
        wait.lock().unwrap().recv().map_err(|error| error.to_string())?;
        slow(run);
        Ok(())
    };
    world.add_system(SystemDef::worker("slow", hold).query::<&mut Place>("all")).unwrap();
    let follow = move |_: &mut Named<'_>, run: &mut Run| {
        late(run);
        Ok(())
    };
    world.add_system(SystemDef::worker("late", follow).query::<&Place>("all")).unwrap();
    (world, calls, go)
}

#[test]
fn rule_4_every_update_queues_a_run_and_deltas_are_neither_merged_nor_dropped() {
    for threads in [1, 2, 8] {
        let (mut world, calls, go) = slow_and_late(threads);
        world.set_time_scale(2.0).unwrap();
        [1.0, 2.0, 5.0].into_iter().for_each(|elapsed| _ = world.update(elapsed));
        assert_eq!(calls.take(), no_strings());
        (0..3).for_each(|_| go.send(()).unwrap());
        world.settle();
        let expected =
            ["slow 2 at 2", "late 2 at 2", "slow 4 at 6", "late 4 at 6", "slow 10 at 16", "late 10 at 16"];
        assert_eq!(calls.take(), expected, "on {threads} threads");
    }
}

#[test]
fn rule_4_a_system_without_a_conflict_goes_on_while_another_is_updates_behind() {
    let mut held = Held::new("a w:place\n b w:speed", 2);
    held.world.update(1.0);
    held.gather();
    held.end(1);
    held.until(|held| held.is_published(1));
    held.world.update(1.0);
    held.gather();
    held.end(1);
    held.until(|held| held.is_published(1));
    let said = held.calls.take();
    assert_eq!(said.iter().filter(|call| *call == "published b").count(), 2, "{said:?}");
    assert_eq!(said.iter().filter(|call| *call == "began a").count(), 1, "its own runs are sequential");
    held.drain(false);
}

#[test]
fn rule_5_creations_are_published_in_order_after_earlier_readers_and_writers_of_what_is_created() {
    check(&[
        row("a c:place\n b c:speed\n c c:health", "a b c", "", "a b, b c"),
        row("a q:place\n b q:speed\n c c:place", "a b c", "", "a c"),
        row("a w:place\n b w:speed\n c c:place,speed", "a b c", "", "a c, b c"),
        // A query that matches every entity is disturbed by any.
        row("a q:\n b c:place", "a b", "", "a b"),
        // Nothing of what is created is touched.
        row("a w:speed\n b c:place", "a b", "", ""),
    ]);
}

#[test]
fn rule_5_kills_are_published_after_every_earlier_run() {
    check(&[
        row("a w:place\n b w:speed\n c kills", "a b c", "", "a c, b c"),
        row("a c:place\n b kills", "a b", "", "a b"),
    ]);
}

#[test]
fn rule_5_every_later_run_waits_for_a_kill() {
    for threads in [0, 1, 2, 8] {
        let mut held = Held::new("a kills\n b q:place\n c r:speed", threads);
        assert_eq!(held.world.plan().batches().levels(), [0, 0, 0], "it is no conflict");
        held.world.update(1.0);
        let together = held.drain(false);
        assert!(together.iter().all(|open| *open == ["a"] || !open.contains(&"a")), "{together:?}");
        assert_eq!(held.calls.take()[..2], ["began a", "published a"]);
    }
}

#[test]
fn rule_6_the_pump_starts_at_once_what_a_completed_run_releases() {
    for threads in [1, 2, 8] {
        let mut held = Held::new("a w:place\n b q:place", threads);
        held.world.update(1.0);
        held.gather();
        assert_eq!(held.open, [0]);
        // No update, only the pump.
        held.end(0);
        held.until(|held| held.open == [1]);
        assert_eq!(held.calls.take(), ["began a", "published a", "began b"]);
        held.drain(false);
    }
}

#[test]
fn rule_7_a_pause_queues_nothing_and_drains_without_moving_the_clocks() {
    for threads in [1, 2, 8] {
        let (mut world, calls, go) = slow_and_late(threads);
        world.update(1.0);
        world.update(1.0);
        world.set_paused(true);
        world.update(7.0);
        let (tick, game_time) = (world.clocks().tick, world.clocks().game_time);
        (0..2).for_each(|_| go.send(()).unwrap());
        world.settle();
        assert_eq!(calls.take(), ["slow 1 at 1", "late 1 at 1", "slow 1 at 2", "late 1 at 2"]);
        assert_eq!((world.clocks().tick, world.clocks().game_time), (tick, game_time));
        assert_eq!((tick, game_time, world.clocks().player_time), (2, 2.0, 9.0));
    }
}

#[test]
fn rule_7_a_clear_discards_queued_runs_and_unpublished_effects() {
    let mut held = Held::new("a w:place\n b c:place\n c q:place", 8);
    held.world.update(1.0);
    held.world.update(1.0);
    held.gather();
    // What it created waits for `a`.
    held.end(1);
    held.go.iter().for_each(|go| (0..4).for_each(|_| go.send(()).unwrap()));
    held.world.clear();
    held.world.settle();
    let said = held.calls.take();
    assert!(!said.contains(&"published b".to_owned()), "{said:?}");
    assert_eq!((held.world.len(), held.world.is_busy()), (0, false));
}

#[test]
fn rule_7_a_pending_run_of_a_removed_system_is_skipped() {
    for threads in [1, 2, 8] {
        let mut held = Held::new("a w:place\n b w:place\n c q:place", threads);
        held.world.update(1.0);
        held.gather();
        let id = held.world.system_named("b").unwrap();
        held.world.remove_system(id);
        held.drain(false);
        assert_eq!(held.calls.take(), ["began a", "published a", "began c", "published c"]);
    }
}

#[test]
fn rule_8_an_update_past_the_bound_queues_nothing_and_names_who_holds_it_up() {
    let (mut world, calls, go) = slow_and_late(2);
    world.set_max_backlog(Some(2));
    world.set_patience(Duration::from_millis(20));
    let slow = world.system_named("slow");
    assert_eq!([1.0, 2.0, 4.0].map(|elapsed| world.update(elapsed).stalled), [None, None, slow]);
    assert_eq!(world.clocks().tick, 2);
    (0..2).for_each(|_| go.send(()).unwrap());
    world.set_patience(Duration::from_secs(20));
    world.settle();
    assert_eq!(calls.take(), ["slow 1 at 1", "late 1 at 1", "slow 2 at 3", "late 2 at 3"]);
}

#[test]
fn rule_8_without_a_bound_any_number_of_updates_is_queued() {
    let (mut world, calls, go) = slow_and_late(2);
    world.set_max_backlog(None);
    world.set_patience(Duration::from_millis(20));
    assert!((0..40).all(|_| world.update(1.0).stalled.is_none()));
    (0..40).for_each(|_| go.send(()).unwrap());
    world.set_patience(Duration::from_secs(20));
    world.settle();
    assert_eq!((calls.count("slow 1 "), calls.count("late 1 ")), (40, 40));
}

#[test]
fn default_systems_run_in_order_of_registration_and_effects_apply_when_a_run_finishes() {
    for systems in
        ["a w:place\n b w:place\n c q:place", "a c:place\n b q:place\n c kills", "a q:\n b alone\n c q:"]
    {
        let mut held = Held::new(systems, 0);
        held.world.set_scheduler(SchedulerKind::Default);
        held.world.update(1.0);
        let expected = ["began a", "published a", "began b", "published b", "began c", "published c"];
        assert_eq!(held.calls.take(), expected, "{systems}");
    }
}
