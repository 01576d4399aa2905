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

use crate::common::*;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};
use vivarium_world::{EntityId, Named, Pair, Run, SchedulerKind, SystemDef, Without, World};

/// How long a test waits for what must come.
const PATIENCE: Duration = Duration::from_secs(20);

/// One row of a table.
struct Row {
    /// A system a line: its name, then words.
    systems: &'static str,
    /// The names of each batch; batches are parted by `|`.
    batches: &'static str,
    /// Who waits for whom and why, a pair a line: `earlier later: reason, reason`. Other pairs are free.
    waits: &'static str,
    /// Pairs whose effects are published in this order although the later ends first and does not wait to run:
    /// `earlier later`, parted by `,`.
    publishes: &'static str,
}

/// A list of components as calls with each of them as a type.
macro_rules! with_each {
    ($system:ident, $list:expr, $method:ident) => {
        $list.split(',').fold($system, |system, component| match component {
            "place" => system.$method::<Place>(),
            "speed" => system.$method::<Speed>(),
            "health" => system.$method::<Health>(),
            _ => panic!("no component {component}"),
        })
    };
}

/// A system that does what its words say.
fn declared(system: SystemDef, words: &str) -> SystemDef {
    words.split_whitespace().fold(system, |system, word| match word.split_once(':').unwrap_or((word, "")) {
        ("r", list) => with_each!(system, list, reads),
        ("w", list) => with_each!(system, list, writes),
        ("+", list) => with_each!(system, list, adds),
        ("-", list) => with_each!(system, list, removes),
        ("c", "*") => system.creates_anything(),
        ("c", list) => system.creates(list.split(',')),
        ("kills", _) => system.kills(),
        ("alone", _) => system.exclusive(),
        ("q", "") => system.query::<EntityId>(word),
        ("q", "place") => system.query::<&Place>(word),
        ("q", "speed") => system.query::<&Speed>(word),
        ("q", "place,speed") => system.query::<(&Place, &Speed)>(word),
        ("q", "?place") => system.query::<(Option<&Place>,)>(word),
        ("q", "speed,?place") => system.query::<(&Speed, Option<&Place>)>(word),
        ("q", "speed,!place") => system.query::<(&Speed, Without<Place>)>(word),
        _ => panic!("no word {word}"),
    })
}

/// What a run does: creates and kills what its words say.
fn act(words: &str, victims: &mut Vec<EntityId>, run: &mut Run) -> Result<(), String> {
    for word in words.split_whitespace() {
        if let Some(list) = word.strip_prefix("c:").filter(|list| *list != "*") {
            let keys = list.split(',').map(|component| match component {
                "place" => r#""x": 1"#,
                "speed" => r#""vx": 1"#,
                _ => r#""health": 1"#,
            });
            let json = format!("{{ {} }}", keys.collect::<Vec<_>>().join(", "));
            run.create(&config(&json)).map_err(|error| error.to_string())?;
        }
        if word == "kills" {
            let victim = victims.pop().ok_or("nobody is left to kill")?;
            run.kill(victim).map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}

fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

/// A world of these systems. With threads every run says that it began, and waits to be told to end.
struct Held {
    world: World,
    names: Vec<&'static str>,
    /// `began NAME` and `published NAME`, in order.
    calls: Calls,
    /// The names of those that were published.
    published: Calls,
    /// How many runs of each system ended.
    over: Vec<usize>,
    began: Receiver<usize>,
    ended: Receiver<usize>,
    go: Vec<Sender<()>>,
    /// Runs that began and were not told to end, by system.
    open: Vec<usize>,
}

impl Held {
    fn new(systems: &'static str, threads: usize) -> Self {
        let (mut world, _) = world(threads);
        world.set_scheduler(SchedulerKind::Conflict);
        world.set_step(None).unwrap();
        let calls = Calls::default();
        let published = Calls::default();
        let (say, note) = (calls.clone(), published.clone());
        world.on::<&'static str>(move |_, name| {
            say.push(format!("published {name}"));
            note.push(*name);
        });
        for _ in 0..4 {
            world.spawn((Place { x: 0.0 }, Speed { vx: 0.0 }, Health { health: 0.0 }));
        }
        let (say_began, began) = channel();
        let (say_ended, ended) = channel();
        let (mut names, mut go) = (Vec::new(), Vec::new());
        for (index, line) in lines(systems).enumerate() {
            let (name, words) = line.split_once(' ').unwrap_or((line, ""));
            let (tell, wait) = channel::<()>();
            let wait = Mutex::new(wait);
            let mut victims: Vec<EntityId> = (0..4).map(|_| world.spawn((Frozen,))).collect();
            let (calls, say_began, say_ended) = (calls.clone(), say_began.clone(), say_ended.clone());
            let update = move |_: &mut Named<'_>, run: &mut Run| {
                calls.push(format!("began {name}"));
                if threads > 0 {
                    let _ = say_began.send(index);
                    wait.lock().unwrap().recv().map_err(|error| error.to_string())?;
                }
                run.send::<&'static str>(name);
                act(words, &mut victims, run)?;
                if threads > 0 {
                    let _ = say_ended.send(index);
                }
                Ok(())
            };
            world.add_system(declared(SystemDef::worker(name, update), words)).unwrap();
            names.push(name);
            go.push(tell);
        }
        let over = vec![0; names.len()];
        Self { world, names, calls, published, over, began, ended, go, open: Vec::new() }
    }

    /// Whether a system's runs that ended are published.
    fn is_published(&self, system: usize) -> bool {
        self.published.count(self.names[system]) == self.over[system]
    }

    /// Waits until every run that was dispatched has begun, as far as there are threads for them.
    fn gather(&mut self) {
        let is_open = |name: &str| {
            self.world.systems().any(|status| status.open_run.is_some() && *status.name == *name)
        };
        let work =
            (0..self.names.len()).filter(|&system| is_open(self.names[system]) && self.is_published(system));
        let work = work.count().min(self.world.threads());
        while self.open.len() < work {
            self.open.push(self.began.recv_timeout(PATIENCE).unwrap());
        }
    }

    /// Pumps until something is so.
    #[track_caller]
    fn until(&mut self, what: impl Fn(&Self) -> bool) {
        let begin = Instant::now();
        while !what(self) {
            assert!(begin.elapsed() < PATIENCE, "open are {:?}", self.open);
            self.world.pump();
            self.gather();
            std::thread::yield_now();
        }
    }

    /// Lets a run end.
    fn end(&mut self, system: usize) {
        self.open.retain(|&open| open != system);
        self.go[system].send(()).unwrap();
        assert_eq!(self.ended.recv_timeout(PATIENCE), Ok(system));
        self.over[system] += 1;
    }

    /// Lets every run end, always the one of the last system first; which were open at once. Between two of them the
    /// world has the time to publish what it should not yet, or the last is waited for.
    fn drain(&mut self, published_at_once: bool) -> Vec<Vec<usize>> {
        let mut together = Vec::new();
        let begin = Instant::now();
        while self.world.is_busy() {
            self.world.pump();
            self.gather();
            let Some(&last) = self.open.iter().max() else {
                assert!(begin.elapsed() < PATIENCE, "nothing is open, and something is queued");
                std::thread::yield_now();
                continue;
            };
            let mut open = self.open.clone();
            open.sort_unstable();
            together.push(open);
            self.end(last);
            if published_at_once {
                self.until(|held| held.is_published(last));
            } else {
                std::thread::sleep(Duration::from_micros(500));
            }
        }
        together
    }
}

/// The reasons of a plan, a pair a line, as a row has them.
fn reasons(world: &mut World, names: &[&str]) -> Vec<String> {
    let plan = world.plan();
    let pairs = (0..names.len()).flat_map(|later| (0..later).map(move |earlier| (earlier, later)));
    let line = |(earlier, later)| match plan.pair(earlier, later) {
        Pair::Free => None,
        Pair::Ordered(reasons) => {
            let reasons: Vec<_> = reasons.iter().map(|reason| reason.kind().label()).collect();
            Some(format!("{} {}: {}", names[earlier], names[later], reasons.join(", ")))
        }
    };
    pairs.filter_map(line).collect()
}

impl Row {
    #[track_caller]
    fn check(&self) {
        for threads in [0, 1, 2, 8] {
            self.check_with(threads);
        }
    }

    #[track_caller]
    fn check_with(&self, threads: usize) {
        let mut held = Held::new(self.systems, threads);
        let names = held.names.clone();
        let about = format!("{} on {threads} threads", self.systems);
        // Known before the first update.
        let batches = held.world.plan().batches().batches().to_vec();
        let batches: Vec<_> = batches
            .iter()
            .map(|batch| batch.iter().map(|&place| names[place]).collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(batches.join(" | "), self.batches, "{about}");
        let waits: Vec<_> = lines(self.waits).collect();
        assert_eq!(reasons(&mut held.world, &names), waits, "{about}");

        held.world.update(1.0);
        let apart = waits.is_empty() && self.publishes.is_empty();
        let together = held.drain(apart && threads > 0);
        let said = held.calls.take();
        let at = |what: String| {
            said.iter().position(|call| *call == what).unwrap_or_else(|| panic!("{what}: {said:?}"))
        };
        assert_eq!(said.len(), 2 * names.len(), "each runs and publishes once: {about}, {said:?}");
        let ordered = |earlier: &str, later: &str| {
            waits.iter().any(|line| line.starts_with(&format!("{earlier} {later}:")))
        };
        for later in 0..names.len() {
            for earlier in 0..later {
                let (a, b) = (names[earlier], names[later]);
                let overlapped = together.iter().any(|open| open.contains(&earlier) && open.contains(&later));
                if ordered(a, b) {
                    let in_order = at(format!("published {a}")) < at(format!("began {b}"));
                    assert!(in_order, "{b} ran before the effects of {a}: {about}, {said:?}");
                    assert!(!overlapped, "{a} and {b} were open at once: {about}");
                } else if threads == 8 && waits.is_empty() {
                    assert!(overlapped, "{a} and {b} were not open at once: {about}");
                }
            }
        }
        for pair in self.publishes.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let (a, b) = pair.split_once(' ').unwrap();
            let in_order = at(format!("published {a}")) < at(format!("published {b}"));
            assert!(in_order, "{b} published before {a}: {about}, {said:?}");
        }
        // The last ends first, and waits for nobody.
        if threads == 8 && apart {
            let published: Vec<_> = said.iter().filter_map(|call| call.strip_prefix("published ")).collect();
            assert_eq!(published, names.iter().rev().copied().collect::<Vec<_>>(), "{about}");
        }
        assert_eq!(errors(&mut held.world), no_strings(), "{about}");
    }
}

#[track_caller]
fn check(rows: &[Row]) {
    rows.iter().for_each(Row::check);
}

const fn row(
    systems: &'static str,
    batches: &'static str,
    waits: &'static str,
    publishes: &'static str,
) -> Row {
    Row { systems, batches, waits, publishes }
}

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
        assert!(together.iter().all(|open| *open == [0] || !open.contains(&0)), "{together:?}");
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
