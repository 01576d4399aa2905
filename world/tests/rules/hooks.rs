//! Rules of what systems hear: hooks of a run, changes of members, beginnings and ends.

use crate::common::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use vivarium_world::{
    Catalog, Clock, EntityId, EntitySystem, LoadOptions, Members, Named, Query, QueryChanges, Run, SaveForm,
    SchedulerKind, Startup, Step, System, SystemDef, Without, WorkerSystem, World, WorldOptions,
};

const SCHEDULERS: [SchedulerKind; 2] = [SchedulerKind::Default, SchedulerKind::Conflict];

/// Every number of threads with every scheduler.
fn each_setting(mut test: impl FnMut(World, Calls)) {
    for threads in THREADS {
        for scheduler in SCHEDULERS {
            let (mut world, calls) = world(threads);
            world.set_scheduler(scheduler);
            test(world, calls);
        }
    }
}

/// Notes every hook.
struct Noting {
    calls: Calls,
    /// What fails.
    fails: &'static str,
}

impl Noting {
    fn note(&self, hook: &str, what: String) -> Result<(), String> {
        self.calls.push(format!("{hook}{what}"));
        if self.fails == hook { Err(format!("{hook} fails")) } else { Ok(()) }
    }
}

fn places(members: &mut Members<'_, (EntityId, &'static Place, Without<Frozen>)>) -> String {
    let mut text = String::new();
    members.each(|(_, place, ())| text += &format!(" {}", place.x));
    text
}

fn count(changes: &QueryChanges) -> String {
    format!(" -{} +{}", changes.removed.len(), changes.added.len())
}

impl EntitySystem for Noting {
    type Query = (EntityId, &'static Place, Without<Frozen>);
    const HEARS_CHANGES: bool = true;

    fn update(&mut self, (_, place, ()): <Self::Query as Query>::Row<'_>, _: &mut Run) -> Result<(), String> {
        self.note("update", format!(" {}", place.x))
    }
    fn init(&mut self, members: &mut Members<'_, Self::Query>, _: &mut Run) -> Result<(), String> {
        self.note("init", places(members))
    }
    fn before_run(&mut self, world: &World, _: &Step) -> Result<(), String> {
        self.note("before", format!(" {}", world.len()))
    }
    fn query_changed(&mut self, query: &str, changes: &QueryChanges, _: &mut Run) -> Result<(), String> {
        self.note("changed", format!(" {query:?}{}", count(changes)))
    }
    fn pre_run(&mut self, members: &mut Members<'_, Self::Query>, _: &mut Run) -> Result<(), String> {
        self.note("run", places(members))
    }
    fn pre_batch(&mut self, members: &mut Members<'_, Self::Query>, _: &mut Run) -> Result<(), String> {
        self.note("batch", places(members))
    }
    fn entity_removed(&mut self, _: EntityId, _: &mut Run) {
        self.calls.push("gone");
    }
}

fn noting(calls: &Calls, fails: &'static str) -> Noting {
    Noting { calls: calls.clone(), fails }
}

#[test]
fn a_run_hears_changes_then_prepares_then_updates_then_hears_who_left() {
    each_setting(|mut world, _| {
        let calls = Calls::default();
        let system = SystemDef::entity_worker("noting", noting(&calls, ""));
        world.add_system(system.query::<&Speed>("fast")).unwrap();
        let first = world.spawn((Place { x: 1.0 },));
        world.spawn((Place { x: 2.0 }, Speed { vx: 0.0 }));
        world.step();
        let joined = ["before 2", "changed \"\" -0 +2", "changed \"fast\" -0 +1", "run 1 2", "batch 1 2"];
        assert_eq!(calls.take(), [&joined[..], &["update 1", "update 2"]].concat());
        world.step();
        assert_eq!(calls.take(), ["before 2", "run 1 2", "batch 1 2", "update 1", "update 2"]);
        world.kill(first);
        world.step();
        let left = ["before 1", "changed \"\" -1 +0", "run 2", "batch 2", "update 2", "gone"];
        assert_eq!(calls.take(), left);
    });
}

#[test]
fn a_system_without_members_left_hears_that_they_left() {
    each_setting(|mut world, _| {
        let calls = Calls::default();
        world.add_system(SystemDef::entity_system("noting", noting(&calls, ""))).unwrap();
        let only = world.spawn((Place { x: 1.0 },));
        world.step();
        world.remove(only);
        calls.take();
        world.step();
        assert_eq!(calls.take(), ["before 0", "changed \"\" -1 +0", "run", "batch", "gone"]);
        world.step();
        assert_eq!(calls.take(), no_strings(), "nothing changed and nobody is there");
    });
}

#[test]
fn a_member_whose_components_changed_is_reported_again_and_one_that_then_left_leaves() {
    each_setting(|mut world, _| {
        let calls = Calls::default();
        world.add_system(SystemDef::entity_worker("noting", noting(&calls, ""))).unwrap();
        let [stays, leaves] = [1.0, 2.0].map(|x| world.spawn((Place { x },)));
        world.step();
        let changes = |world: &mut World| {
            calls.take();
            world.step();
            calls.take().into_iter().find(|call| call.starts_with("changed")).unwrap_or_default()
        };
        world.add(stays, Place { x: 3.0 }).unwrap();
        world.add(leaves, Place { x: 4.0 }).unwrap();
        world.kill(leaves);
        assert_eq!(changes(&mut world), "changed \"\" -1 +1");
        world.set(stays, Place { x: 5.0 }).unwrap();
        assert_eq!(changes(&mut world), "", "a value that changed is no change of members");
        world.add(stays, Frozen).unwrap();
        assert_eq!(changes(&mut world), "changed \"\" -1 +0");
        world.remove_component::<Frozen>(stays).unwrap();
        let brief = world.spawn((Place { x: 9.0 },));
        world.kill(brief);
        assert_eq!(changes(&mut world), "changed \"\" -0 +1", "who came and went in between was never there");
        world.add(stays, Speed { vx: 1.0 }).unwrap();
        assert_eq!(changes(&mut world), "", "the query does not name speed");
    });
}

#[test]
fn compaction_changes_no_members() {
    let (mut world, _) = world(0);
    let calls = Calls::default();
    let ids: Vec<EntityId> = (0..200).map(|x| world.spawn((Place { x: x as f64 },))).collect();
    world.add_system(SystemDef::entity_worker("noting", noting(&calls, ""))).unwrap();
    world.step();
    ids.iter().step_by(2).for_each(|&id| _ = world.kill(id));
    world.step();
    assert!(world.compact() > 0);
    calls.take();
    world.step();
    assert_eq!(calls.count("changed"), 0);
}

#[test]
fn a_failing_query_changed_is_reported_and_the_run_goes_on() {
    each_setting(|mut world, _| {
        let calls = Calls::default();
        world.add_system(SystemDef::entity_worker("noting", noting(&calls, "changed"))).unwrap();
        world.spawn((Place { x: 1.0 },));
        world.step();
        assert_eq!(calls.take().last().unwrap(), "update 1");
        assert_eq!(errors(&mut world), ["`noting` failed: changed fails"]);
    });
}

#[test]
fn a_failing_preparation_leaves_out_the_updates_and_keeps_the_time() {
    for (fails, error) in [("run", "run fails"), ("batch", "batch fails"), ("before", "before fails")] {
        each_setting(|mut world, _| {
            let calls = Calls::default();
            let system = SystemDef::entity_worker("noting", noting(&calls, fails)).every(16.0);
            let id = world.add_system(system).unwrap();
            world.spawn((Place { x: 1.0 },));
            world.step();
            assert_eq!(calls.count("update"), 0);
            assert_eq!(errors(&mut world), [format!("`noting` failed: {error}")]);
            let status = world.systems().find(|status| status.id == id).unwrap();
            assert_eq!(status.runs, 0);
        });
    }
}

fn batches(calls: &Calls) -> Vec<String> {
    calls.take().into_iter().filter(|call| call.starts_with("batch") || call.starts_with("run")).collect()
}

#[test]
fn a_pass_in_batches_visits_who_was_there_when_it_began_a_batch_an_update() {
    each_setting(|mut world, _| {
        let calls = Calls::default();
        let ids: Vec<EntityId> = (0..5).map(|x| world.spawn((Place { x: x as f64 },))).collect();
        let deltas = Calls::default();
        let heard = deltas.clone();
        let system = SystemDef::entity_worker("noting", noting(&calls, "")).work_batch(2).every(32.0);
        world.add_system(system.not_at_once()).unwrap();
        let timed = SystemDef::each::<&Place, _>("timed", move |_, run| heard.push(run.delta().to_string()));
        world.add_system(timed.work_batch(2).every(32.0).not_at_once()).unwrap();
        world.step();
        assert_eq!(batches(&calls), no_strings());
        world.step();
        assert_eq!(batches(&calls), ["run 0 1 2 3 4", "batch 0 1"]);
        world.spawn((Place { x: 9.0 },));
        world.kill(ids[2]);
        world.step();
        assert_eq!(batches(&calls), ["batch 3"], "who left consumes its position");
        world.step();
        assert_eq!(batches(&calls), ["batch 4"], "newcomers wait");
        world.step();
        assert_eq!(batches(&calls), ["run 0 1 3 4 9", "batch 0 1"], "time went on meanwhile");
        assert_eq!(deltas.take(), ["32"; 6]);
    });
}

#[test]
fn a_batch_publishes_its_effects_by_itself() {
    each_setting(|mut world, _| {
        (0..3).for_each(|x| _ = world.spawn((Place { x: x as f64 },)));
        let adds = SystemDef::each::<(EntityId, &Place), _>("adds", |(id, place), run| {
            run.add(id, Speed { vx: place.x })
        });
        world.add_system(adds.adds::<Speed>().work_batch(1)).unwrap();
        for done in 1..=3 {
            world.step();
            let mut fast = 0;
            world.each::<&Speed>(|_| fast += 1);
            assert_eq!(fast, done);
        }
    });
}

#[test]
fn a_failing_preparation_ends_the_pass() {
    each_setting(|mut world, _| {
        let calls = Calls::default();
        (0..4).for_each(|x| _ = world.spawn((Place { x: x as f64 },)));
        world.add_system(SystemDef::entity_worker("noting", noting(&calls, "batch")).work_batch(2)).unwrap();
        world.step();
        world.step();
        assert_eq!(batches(&calls), ["run 0 1 2 3", "batch 0 1", "run 0 1 2 3", "batch 0 1"]);
    });
}

#[test]
fn in_order_visits_members_in_creation_order() {
    each_setting(|mut world, _| {
        let early = world.spawn((Place { x: 1.0 }, Speed { vx: 0.0 }));
        let gone = world.spawn((Place { x: 0.0 },));
        world.spawn((Place { x: 2.0 },));
        world.kill(gone);
        world.step();
        world.step();
        // Takes the lowest free row of its archetype, before the entity created earlier.
        world.spawn((Place { x: 3.0 },));
        world.remove_component::<Speed>(early).unwrap();
        let (rows, order) = (Calls::default(), Calls::default());
        for (calls, in_order) in [(&rows, false), (&order, true)] {
            let heard = calls.clone();
            let system =
                SystemDef::each::<&Place, _>("noting", move |place, _| heard.push(place.x.to_string()));
            world.add_system(if in_order { system.in_order() } else { system }).unwrap();
        }
        world.step();
        assert_eq!(order.take(), ["1", "2", "3"]);
        assert_ne!(rows.take(), ["1", "2", "3"]);
    });
}

#[test]
fn a_filter_leaves_out_members_and_counts_what_it_reads_as_read() {
    each_setting(|mut world, _| {
        for x in 0..100 {
            world.spawn((Place { x: x as f64 }, Speed { vx: (x % 3) as f64 }));
        }
        world.spawn((Place { x: 1000.0 },));
        let seen = Calls::default();
        let heard = seen.clone();
        let slow = SystemDef::each::<&mut Place, _>("slow", move |place, _| heard.push(place.x.to_string()));
        let id = world.add_system(slow.filter::<&Speed>(|speed| speed.vx == 0.0)).unwrap();
        world.step();
        let expected: Vec<String> = (0..100).filter(|x| x % 3 == 0).map(|x| x.to_string()).collect();
        assert_eq!(seen.take(), expected);
        let speed = world.registry().by_name("speed").unwrap();
        let status = world.systems().find(|status| status.id == id).unwrap();
        assert!(status.access.reads().iter().any(|read| read == speed));
    });
}

#[test]
fn a_filtered_query_hears_who_stopped_suiting() {
    each_setting(|mut world, _| {
        let calls = Calls::default();
        let id = world.spawn((Place { x: 1.0 }, Speed { vx: 0.0 }));
        let system = SystemDef::entity_worker("noting", noting(&calls, ""));
        world.add_system(system.filter::<&Speed>(|speed| speed.vx == 0.0)).unwrap();
        world.step();
        world.set(id, Speed { vx: 1.0 }).unwrap();
        calls.take();
        world.step();
        assert!(calls.take().contains(&"changed \"\" -1 +0".to_owned()));
    });
}

#[test]
fn an_observer_runs_only_after_what_it_watches_changed() {
    each_setting(|mut world, _| {
        let calls = Calls::default();
        let heard = calls.clone();
        let id = world.spawn((Place { x: 0.0 },));
        let observer = SystemDef::worker("observer", move |_: &mut Named<'_>, run: &mut Run| {
            heard.push(run.delta().to_string());
            Ok(())
        });
        world.add_system(observer.when_changed::<Speed>()).unwrap();
        let runs = |world: &mut World| {
            world.step();
            calls.take()
        };
        assert_eq!(runs(&mut world), no_strings());
        world.set(id, Place { x: 1.0 }).unwrap();
        assert_eq!(runs(&mut world), no_strings());
        world.add(id, Speed { vx: 1.0 }).unwrap();
        assert_eq!(runs(&mut world), ["48"], "time accumulated meanwhile");
        assert_eq!(runs(&mut world), no_strings());
        world.set(id, Speed { vx: 2.0 }).unwrap();
        assert_eq!(runs(&mut world), ["32"]);
        world.remove_component::<Speed>(id).unwrap();
        assert_eq!(runs(&mut world), ["16"]);
        assert_eq!(runs(&mut world), no_strings());
    });
}

#[test]
fn an_observer_does_not_observe_its_own_writes() {
    each_setting(|mut world, _| {
        let id = world.spawn((Speed { vx: 0.0 },));
        let observer = SystemDef::each::<&mut Speed, _>("observer", |speed, _| speed.vx += 1.0);
        world.add_system(observer.when_changed::<Speed>()).unwrap();
        (0..3).for_each(|_| world.step());
        assert_eq!(world.get::<Speed>(id).unwrap().vx, 1.0);
    });
}

#[test]
fn init_begins_with_what_was_loaded_which_is_then_no_change() {
    for threads in THREADS {
        let calls = Calls::default();
        let noted = calls.clone();
        let catalog =
            catalog(&Calls::default()).system(move || SystemDef::entity_worker("noting", noting(&noted, "")));
        let mut world = world_of(&catalog, threads);
        load(&mut world, r#""systems": [{"system": "noting"}], "entities": [{"x": 1}, {"x": 2}]"#);
        assert_eq!(calls.take(), ["init 1 2"]);
        world.step();
        assert_eq!(calls.take()[..2], ["before 2", "run 1 2"]);
        world.spawn((Place { x: 3.0 },));
        world.init();
        assert_eq!(calls.take(), ["init 1 2 3"]);
        world.step();
        assert_eq!(calls.count("changed"), 0);
    }
}

#[test]
fn a_failing_init_is_reported_and_the_load_stands() {
    let calls = Calls::default();
    let catalog =
        catalog(&Calls::default()).system(move || SystemDef::entity_worker("noting", noting(&calls, "init")));
    let mut world = world_of(&catalog, 0);
    load(&mut world, r#""systems": [{"system": "noting"}], "entities": [{"x": 1}]"#);
    assert_eq!(errors(&mut world), ["`noting` failed: init fails"]);
    assert_eq!((world.len(), world.systems().len()), (1, 1));
}

/// Notes its beginnings and ends; its startup takes a number of askings.
struct Living {
    calls: Calls,
    takes: u32,
}

impl System for Living {
    fn update(&mut self, _: &mut World, _: &Step) -> Result<(), String> {
        self.calls.push("update");
        Ok(())
    }
    fn startup(&mut self, _: &mut World) -> Result<Startup, String> {
        self.calls.push("startup");
        match self.takes {
            0 => Ok(Startup::Done),
            u32::MAX => Err("no fuel".to_owned()),
            _ => {
                self.takes -= 1;
                Ok(Startup::Later)
            }
        }
    }
    fn shutdown(&mut self, _: &mut World) {
        self.calls.push("shutdown");
    }
    fn attached(&mut self, world: &mut World) {
        self.calls.push(format!("attached {}", world.len()));
    }
    fn detached(&mut self, world: &mut World) {
        self.calls.push(format!("detached {}", world.len()));
    }
}

fn living_catalog(calls: &Calls, takes: u32) -> Catalog {
    let calls = calls.clone();
    let make = move || SystemDef::system("living", Living { calls: calls.clone(), takes });
    catalog(&Calls::default()).system(make)
}

#[test]
fn a_system_starts_up_once_and_shuts_down_once_and_hears_content_come_and_go() {
    let calls = Calls::default();
    let mut world = world_of(&living_catalog(&calls, 0), 0);
    load(&mut world, r#""systems": [{"system": "living"}], "entities": [{"x": 1}]"#);
    world.step();
    assert_eq!(calls.take(), ["startup", "attached 1", "update"]);
    load(&mut world, r#""systems": [{"system": "living"}], "entities": [{"x": 1}, {"x": 2}]"#);
    assert_eq!(calls.take(), ["detached 1", "shutdown", "startup", "attached 2"]);
    world.clear();
    assert_eq!(calls.take(), ["detached 2", "shutdown"]);
    let id =
        world.add_system(SystemDef::system("living", Living { calls: calls.clone(), takes: 0 })).unwrap();
    world.remove_system(id);
    assert_eq!(calls.take(), ["startup", "attached 0", "detached 0", "shutdown"]);
}

#[test]
fn a_load_that_fails_starts_and_ends_nothing() {
    let calls = Calls::default();
    let mut world = world_of(&living_catalog(&calls, 0), 0);
    load(&mut world, r#""systems": [{"system": "living"}]"#);
    calls.take();
    let text = scene(r#""systems": [{"system": "living"}, {"system": "unknown"}]"#);
    assert!(world.load("test.json", &text, &LoadOptions::default()).is_err());
    assert_eq!(calls.take(), no_strings());
}

#[test]
fn a_system_takes_part_when_its_startup_is_done() {
    let calls = Calls::default();
    let (mut world, _) = world(0);
    world.add_system(SystemDef::system("living", Living { calls: calls.clone(), takes: 2 })).unwrap();
    (0..3).for_each(|_| world.step());
    assert_eq!(calls.take(), ["startup", "attached 0", "startup", "startup", "update", "update"]);
}

#[test]
fn a_startup_that_fails_or_takes_more_than_fifteen_seconds_switches_the_system_off() {
    let now = Arc::new(AtomicU64::new(0));
    let read = now.clone();
    let clock = Clock::new(move || read.load(Ordering::Relaxed));
    let mut world = World::new(&catalog(&Calls::default()), WorldOptions { threads: 0, clock }).unwrap();
    let calls = Calls::default();
    for (name, takes) in [("slow", 1000), ("failing", u32::MAX)] {
        world.add_system(SystemDef::system(name, Living { calls: calls.clone(), takes })).unwrap();
    }
    assert_eq!(errors(&mut world), ["`failing` failed: no fuel"]);
    world.step();
    assert_eq!(errors(&mut world), no_strings());
    now.store(16_000_000_000, Ordering::Relaxed);
    world.step();
    assert_eq!(errors(&mut world), ["`slow` failed: its startup takes more than 15 s; it is switched off"]);
    assert!(world.systems().all(|status| !status.enabled));
    assert_eq!(calls.count("update"), 0);
}

#[test]
fn a_system_reaches_another_by_type() {
    struct Score(u32);
    impl WorkerSystem for Score {
        fn update(&mut self, _: &mut Named<'_>, _: &mut Run) -> Result<(), String> {
            self.0 += 1;
            Ok(())
        }
    }
    each_setting(|mut world, _| {
        world.add_system(SystemDef::worker("score", Score(0))).unwrap();
        let seen = Calls::default();
        let heard = seen.clone();
        let asks = move |world: &mut World, _: &Step| {
            let score = world.get_system::<Score>().map(|score| score.0);
            heard.push(format!("{score:?} {}", world.get_system::<Living>().is_some()));
            Ok(())
        };
        world.add_system(SystemDef::system("asks", asks)).unwrap();
        world.step();
        world.step();
        let said = seen.take();
        assert!(said.iter().all(|said| said.ends_with("false")));
        assert!(world.get_system::<Score>().unwrap().0 > 0);
        let (_, added) = world.add_if_absent(SystemDef::worker("score", Score(0))).unwrap();
        assert!(!added, "one of that name is there");
    });
}

#[test]
fn a_save_in_the_middle_of_a_pass_goes_on_with_it() {
    let make = || {
        let catalog = catalog(&Calls::default()).system(|| {
            let moves = |place: &mut Place, run: &mut Run| {
                place.x += run.delta() + run.random().next() + run.number() as f64
            };
            SystemDef::each::<&mut Place, _>("moves", moves).work_batch(3).every(32.0)
        });
        world_of(&catalog, 0)
    };
    let mut world = make();
    let entities: Vec<String> = (0..11).map(|x| format!("{{\"x\": {x}}}")).collect();
    load(
        &mut world,
        &format!(r#""step": 16, "systems": [{{"system": "moves"}}], "entities": [{}]"#, entities.join(",")),
    );
    let ids: Vec<EntityId> = world.entities().collect();
    world.step();
    world.kill(ids[4]);
    world.kill(ids[9]);
    world.step();
    for form in [SaveForm::Plain, SaveForm::Compressed] {
        let text = world.save(form).unwrap();
        assert!(text.contains("\"pass\""), "{text}");
        let mut loaded = make();
        loaded.load("save", &text, &LoadOptions::default()).unwrap();
        assert_eq!(loaded.state_hash(), world.state_hash());
        let mut twin = make();
        twin.load("save", &text, &LoadOptions::default()).unwrap();
        for tick in 0..6 {
            loaded.step();
            twin.step();
            assert_eq!(loaded.state_hash(), twin.state_hash(), "tick {tick}");
        }
    }
    let text = world.save(SaveForm::Plain).unwrap();
    let mut loaded = make();
    loaded.load("save", &text, &LoadOptions::default()).unwrap();
    for tick in 0..8 {
        world.step();
        loaded.step();
        assert_eq!(loaded.state_hash(), world.state_hash(), "tick {tick}");
    }
    let beyond = text.replace("\"left\": [", "\"left\": [50, 5, ");
    let error = loaded.load("save", &beyond, &LoadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("the pass has places beyond the list, which has 9 entities"), "{error}");
}

#[test]
fn a_save_knows_whether_an_observer_has_something_to_see() {
    let calls = Calls::default();
    let heard = calls.clone();
    let catalog = catalog(&Calls::default()).system(move || {
        let heard = heard.clone();
        let sees = move |_: &mut Named<'_>, _: &mut Run| {
            heard.push("sees");
            Ok(())
        };
        SystemDef::worker("sees", sees).when_changed::<Place>()
    });
    let mut world = world_of(&catalog, 0);
    load(&mut world, r#""systems": [{"system": "sees"}], "entities": [{"x": 1}]"#);
    world.step();
    assert_eq!(calls.take(), ["sees"]);
    let seen = world.save(SaveForm::Plain).unwrap();
    let id = world.entities().next().unwrap();
    world.set(id, Place { x: 2.0 }).unwrap();
    let unseen = world.save(SaveForm::Plain).unwrap();
    for (text, expected) in [(seen, 0), (unseen, 1)] {
        world.load("save", &text, &LoadOptions::default()).unwrap();
        world.step();
        assert_eq!(calls.take().len(), expected);
    }
}
