//! Rules of schedulers that somebody else wrote.

use crate::common::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use vivarium_world::{
    ConflictScheduler, Dispatched, FinishedRun, LoadOptions, Named, Phase, ReadyEffects, Run, RunId,
    SaveForm, Scheduler, SchedulerContext, SchedulerKind, Step, SystemDef, SystemId, World,
};

/// Runs systems in the opposite order of their registration, and says what it is told.
struct Backwards {
    calls: Calls,
    effects: ReadyEffects,
    held: Arc<Mutex<Vec<RunId>>>,
}

impl Backwards {
    fn new(calls: &Calls, effects: ReadyEffects) -> Self {
        Self { calls: calls.clone(), effects, held: Arc::default() }
    }
}

impl Scheduler for Backwards {
    fn name(&self) -> &str {
        "backwards"
    }
    fn update(&mut self, context: &mut SchedulerContext<'_>, phase: Phase, delta: f64) {
        for system in context.systems().into_iter().rev() {
            if context.advance(system, phase, delta)
                && context.can_start(system)
                && let Some(due) = context.due(system)
            {
                context.dispatch(due);
            }
        }
    }
    fn effects_ready(&mut self, _: &mut SchedulerContext<'_>, run: &FinishedRun) -> ReadyEffects {
        self.calls.push(format!("ready creates {} kills {}", run.creates, run.kills));
        if self.effects == ReadyEffects::Hold {
            self.held.lock().unwrap().push(run.run);
        }
        self.effects
    }
    fn run_completed(&mut self, _: &mut SchedulerContext<'_>, _: RunId, _: SystemId) {
        self.calls.push("completed");
    }
    fn system_added(&mut self, _: &mut SchedulerContext<'_>, _: SystemId) {
        self.calls.push("added");
    }
    fn system_removed(&mut self, _: &mut SchedulerContext<'_>, _: SystemId) {
        self.calls.push("removed");
    }
    fn paused(&mut self, _: &mut SchedulerContext<'_>, paused: bool) {
        self.calls.push(format!("paused {paused}"));
    }
    fn before_clear(&mut self) {
        self.calls.push("before clear");
    }
    fn reset(&mut self) {
        self.calls.push("reset");
    }
    fn destroy(&mut self) {
        self.calls.push("destroy");
    }
}

fn say(name: &'static str, calls: &Calls) -> SystemDef {
    let calls = calls.clone();
    SystemDef::system(name, move |_: &mut World, _: &Step| {
        calls.push(name);
        Ok(())
    })
    .reads::<Place>()
}

/// A worker that asks for a change of every place's entity.
fn heals(calls: &Calls) -> SystemDef {
    let calls = calls.clone();
    SystemDef::worker("heals", move |queries: &mut Named<'_>, run: &mut Run| {
        calls.push("heals");
        let mut ids = Vec::new();
        queries.each::<(vivarium_world::EntityId, &Place)>("all", |(id, _)| ids.push(id));
        ids.into_iter().try_for_each(|id| run.set(id, Health { health: 9.0 }))?;
        Ok(())
    })
    .query::<(vivarium_world::EntityId, &Place)>("all")
    .writes::<Health>()
}

fn healthy(world: &World) -> usize {
    let health = |id| world.peek::<Health>(id).is_some_and(|health| health.health == 9.0);
    world.entities().filter(|&id| health(id)).count()
}

#[test]
fn a_custom_scheduler_decides_the_order() {
    for threads in THREADS {
        let (mut world, _) = world(threads);
        let calls = Calls::default();
        world.set_custom_scheduler(Box::new(Backwards::new(&Calls::default(), ReadyEffects::Apply)));
        assert_eq!(world.scheduler(), SchedulerKind::Custom("backwards".into()));
        for name in ["a", "b", "c"] {
            world.add_system(say(name, &calls)).unwrap();
        }
        world.step();
        assert_eq!(calls.take(), ["c", "b", "a"]);
    }
}

#[test]
fn a_scheduler_is_told_what_happens() {
    let (mut world, _) = world(0);
    let calls = Calls::default();
    world.set_custom_scheduler(Box::new(Backwards::new(&calls, ReadyEffects::Apply)));
    world.spawn((Place { x: 0.0 }, Health { health: 1.0 }));
    let id = world.add_system(heals(&calls)).unwrap();
    world.step();
    world.set_paused(true);
    world.set_paused(true);
    world.set_paused(false);
    world.remove_system(id);
    assert_eq!(
        calls.take(),
        [
            "added",
            "heals",
            "ready creates false kills false",
            "completed",
            "paused true",
            "paused false",
            "removed"
        ]
    );
    world.clear();
    assert_eq!(calls.take(), ["before clear", "reset"]);
    assert_eq!(world.scheduler().name(), "backwards", "a clear leaves the scheduler");
    world.add_system(say("a", &calls)).unwrap();
    world.step();
    assert_eq!(calls.take(), ["added", "a"]);
    load(&mut world, r#""entities": []"#);
    assert_eq!(calls.take(), ["before clear", "destroy"]);
    assert_eq!(world.scheduler(), SchedulerKind::Conflict, "a scene brings its own");
}

#[test]
fn effects_are_applied_held_or_discarded_as_the_scheduler_says() {
    for threads in THREADS {
        for (effects, healed, errors_told) in
            [(ReadyEffects::Apply, 2, 1), (ReadyEffects::Hold, 0, 0), (ReadyEffects::Discard, 0, 1)]
        {
            let (mut world, _) = world(threads);
            let calls = Calls::default();
            let scheduler = Backwards::new(&calls, effects);
            let held = scheduler.held.clone();
            world.set_custom_scheduler(Box::new(scheduler));
            let ids = [1.0, 2.0].map(|x| world.spawn((Place { x }, Health { health: 1.0 })));
            world.add_system(heals(&calls)).unwrap();
            let fail = move |_: &mut Named<'_>, run: &mut Run| {
                run.fail(ids[0], "told");
                Ok(())
            };
            world.add_system(SystemDef::worker("fails", fail).query::<&Speed>("all")).unwrap();
            world.step();
            assert_eq!(healthy(&world), healed, "{effects:?}");
            assert_eq!(errors(&mut world).len(), errors_told, "{effects:?}");
            assert_eq!(world.is_busy(), effects == ReadyEffects::Hold);
            assert_eq!(held.lock().unwrap().len(), if effects == ReadyEffects::Hold { 2 } else { 0 });
            world.clear();
            assert!(!world.is_busy(), "a clear discards what was held");
        }
    }
}

/// Dispatches everything at once, whatever is in the way.
struct Liar;

impl Scheduler for Liar {
    fn name(&self) -> &str {
        "liar"
    }
    fn update(&mut self, context: &mut SchedulerContext<'_>, phase: Phase, delta: f64) {
        for system in context.systems() {
            if context.advance(system, phase, delta)
                && let Some(due) = context.due(system)
            {
                context.dispatch(due);
            }
        }
    }
}

fn held_open(name: &'static str) -> (SystemDef, Sender<()>) {
    let (go, wait) = channel::<()>();
    let wait = Mutex::new(wait);
    let system = SystemDef::worker(name, move |_: &mut Named<'_>, _: &mut Run| {
        wait.lock().unwrap().recv().map_err(|error| error.to_string())
    });
    (system.query::<(&mut Place,)>("all"), go)
}

#[test]
fn a_scheduler_that_lies_is_caught_before_anything_runs_and_the_world_goes_on() {
    let (mut world, _) = world(2);
    world.set_custom_scheduler(Box::new(Liar));
    world.spawn((Place { x: 0.0 },));
    let (first, go) = held_open("first");
    let calls = Calls::default();
    world.add_system(first).unwrap();
    let reader = calls.clone();
    let second = SystemDef::each::<&Place, _>("second", move |_, _: &mut Run| reader.push("second"));
    let second = world.add_system(second).unwrap();
    let said = |world: &mut World| {
        let panic = catch_unwind(AssertUnwindSafe(|| world.update(16.0))).unwrap_err();
        panic.downcast_ref::<String>().unwrap().clone()
    };
    let message = said(&mut world);
    assert_eq!(
        message,
        "the scheduler \"liar\" dispatched `second`, which reads \"place\", while a run holds it"
    );
    world.set_enabled(second, false);
    assert_eq!(said(&mut world), "the scheduler \"liar\" dispatched `first`, which is still running");
    assert_eq!(calls.take(), no_strings());
    go.send(()).unwrap();
    world.settle();
    assert!(!world.is_busy());
    world.set_enabled(second, true);
    world.remove_system(world.system_named("first").unwrap());
    world.step();
    assert_eq!(calls.take(), ["second"]);
}

/// Keeps each run for the update after.
#[derive(Default)]
struct Late(Vec<vivarium_world::DueRun>);

impl Scheduler for Late {
    fn name(&self) -> &str {
        "late"
    }
    fn update(&mut self, context: &mut SchedulerContext<'_>, phase: Phase, delta: f64) {
        for due in self.0.split_off(0) {
            assert_eq!(context.dispatch(due), Dispatched::Over);
        }
        for system in context.systems() {
            if context.advance(system, phase, delta) {
                self.0.extend(context.take_due(system));
            }
        }
        context.with_game_time(77, 7.7, |context| {
            assert_eq!((context.world().tick(), context.world().game_time()), (77, 7.7));
        });
    }
    fn reset(&mut self) {
        self.0.clear();
    }
    fn backlog(&self) -> usize {
        usize::from(!self.0.is_empty())
    }
    fn queued_runs(&self, system: SystemId) -> (usize, Option<SystemId>) {
        (self.0.iter().filter(|due| due.system == system).count(), None)
    }
}

#[test]
fn a_queued_run_has_the_game_time_of_the_update_that_queued_it() {
    let (mut world, _) = world(0);
    world.set_custom_scheduler(Box::new(Late::default()));
    world.set_step(None).unwrap();
    let calls = Calls::default();
    let heard = calls.clone();
    let system = SystemDef::system("asks", move |world: &mut World, step: &Step| {
        assert_eq!((world.tick(), world.game_time()), (step.tick, step.game_time));
        heard.push(format!("{} at {} of {}", step.delta, step.game_time, world.clocks().game_time));
        Ok(())
    });
    let id = world.add_system(system).unwrap();
    world.update(3.0);
    assert_eq!((calls.take(), world.queued_runs(id).0, world.backlog()), (no_strings(), 1, 1));
    world.update(5.0);
    assert_eq!(calls.take(), ["3 at 3 of 8"]);
    assert_eq!((world.tick(), world.game_time()), (2, 8.0));
    world.clear();
    world.update(1.0);
    assert_eq!(calls.take(), no_strings());
}

/// Wraps the conflict scheduler and counts.
struct Counting(ConflictScheduler, Calls);

impl Scheduler for Counting {
    fn name(&self) -> &str {
        "counting"
    }
    fn update(&mut self, context: &mut SchedulerContext<'_>, phase: Phase, delta: f64) {
        self.1.push("update");
        self.0.update(context, phase, delta);
    }
    fn pump(&mut self, context: &mut SchedulerContext<'_>) -> bool {
        self.0.pump(context)
    }
    fn effects_ready(&mut self, context: &mut SchedulerContext<'_>, run: &FinishedRun) -> ReadyEffects {
        self.0.effects_ready(context, run)
    }
    fn run_completed(&mut self, context: &mut SchedulerContext<'_>, run: RunId, system: SystemId) {
        self.0.run_completed(context, run, system);
    }
    fn system_removed(&mut self, context: &mut SchedulerContext<'_>, system: SystemId) {
        self.0.system_removed(context, system);
    }
    fn before_clear(&mut self) {
        self.0.before_clear();
    }
    fn reset(&mut self) {
        self.0.reset();
    }
    fn backlog(&self) -> usize {
        self.0.backlog()
    }
}

#[test]
fn scenes_name_schedulers_of_the_catalog() {
    let calls = Calls::default();
    let (made, ran) = (calls.clone(), calls.clone());
    let catalog = catalog(&Calls::default())
        .system(move || say("a", &ran))
        .scheduler("counting", move || Counting(ConflictScheduler::default(), made.clone()));
    let mut world = world_of(&catalog, 0);
    let text =
        r#"{ "vivarium": 1, "scheduler": "counting", "systems": [ { "system": "a" } ], "entities": [] }"#;
    world.load("test.json", text, &LoadOptions::default()).unwrap();
    world.step();
    assert_eq!(
        (calls.take(), world.scheduler().name()),
        (vec!["update".to_owned(), "a".to_owned()], "counting")
    );
    let saved = world.save(SaveForm::Plain).unwrap();
    assert!(saved.contains("\"counting\""), "{saved}");
    world.load("saved.json", &saved, &LoadOptions::default()).unwrap();
    assert_eq!(world.scheduler().name(), "counting");
    let unknown = text.replace("counting", "countin");
    let error = world.load("test.json", &unknown, &LoadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("there is no scheduler \"countin\"; did you mean \"counting\"?"), "{error}");
    assert!(error.contains("test.json:1:"), "{error}");
    assert_eq!(world.scheduler().name(), "counting", "the world is as it was");
}

#[test]
#[should_panic(expected = "the scheduler \"conflict\" is built in")]
fn the_names_of_built_in_schedulers_are_taken() {
    let _ = catalog(&Calls::default()).scheduler("conflict", ConflictScheduler::default);
}

/// A system of the world thread that does something to the world once.
fn once(what: impl Fn(&mut World) + Send + 'static, calls: &Calls) -> SystemDef {
    let (mut done, calls) = (false, calls.clone());
    SystemDef::system("once", move |world: &mut World, _: &Step| {
        calls.push("once");
        if !std::mem::replace(&mut done, true) {
            what(world);
        }
        Ok(())
    })
}

fn each_built_in(mut test: impl FnMut(World)) {
    for threads in THREADS {
        for scheduler in SchedulerKind::BUILT_IN {
            let (mut world, _) = world(threads);
            world.set_scheduler(scheduler);
            world.spawn((Place { x: 0.0 }, Health { health: 1.0 }));
            test(world);
        }
    }
}

#[test]
fn a_system_that_clears_the_world_leaves_a_scheduler_that_works() {
    each_built_in(|mut world| {
        let calls = Calls::default();
        let later = calls.clone();
        let clears = once(
            move |world| {
                world.clear();
                world.spawn((Place { x: 0.0 },));
                world.add_system(say("new", &later)).unwrap();
                world.update(16.0);
            },
            &calls,
        );
        world.add_system(clears).unwrap();
        world.add_system(say("old", &calls)).unwrap();
        let kind = world.scheduler();
        world.step();
        world.step();
        let said = calls.take();
        assert_eq!(said.iter().filter(|call| **call == "new").count(), 2, "{said:?}");
        assert!(!said.contains(&"old".to_owned()), "{said:?}");
        assert_eq!((world.scheduler(), world.is_busy()), (kind, false));
    });
}

#[test]
fn a_system_that_loads_a_scene_leaves_the_scheduler_of_the_scene() {
    each_built_in(|mut world| {
        let calls = Calls::default();
        let loads = once(|world| _ = load(world, r#""step": 5, "entities": [ { "x": 1 } ]"#), &calls);
        world.add_system(loads).unwrap();
        world.add_system(heals(&calls)).unwrap();
        world.step();
        assert_eq!((world.scheduler(), world.len(), world.systems().len()), (SchedulerKind::Conflict, 1, 0));
        world.add_system(heals(&calls)).unwrap();
        calls.take();
        world.step();
        world.settle();
        assert_eq!((calls.take(), world.is_busy()), (vec!["heals".to_owned()], false));
    });
}

#[test]
fn a_system_that_changes_the_scheduler_is_heeded() {
    each_built_in(|mut world| {
        let calls = Calls::default();
        let changes = once(
            |world| {
                let other = SchedulerKind::BUILT_IN.into_iter().find(|kind| *kind != world.scheduler());
                world.set_scheduler(other.unwrap());
            },
            &calls,
        );
        let kind = world.scheduler();
        world.add_system(changes).unwrap();
        world.add_system(heals(&calls)).unwrap();
        world.step();
        assert_ne!(world.scheduler(), kind);
        world.step();
        world.settle();
        assert!(!world.is_busy());
        assert_eq!(calls.count("once"), 2);
        assert_eq!(healthy(&world), 1);
    });
}

#[test]
fn an_update_that_a_system_asks_for_is_done_when_the_scheduler_is_back() {
    each_built_in(|mut world| {
        let calls = Calls::default();
        world.add_system(once(|world| _ = world.update(16.0), &calls)).unwrap();
        world.add_system(say("after", &calls)).unwrap();
        world.step();
        world.settle();
        let said = calls.take();
        assert_eq!(said, ["once", "after", "once", "after"]);
        assert_eq!(world.clocks().tick, 2);
    });
}

#[test]
fn a_system_that_updates_the_world_without_end_stalls_it_by_name() {
    each_built_in(|mut world| {
        let calls = Calls::default();
        let stalled = Arc::new(Mutex::new(None));
        let found = stalled.clone();
        let id = world
            .add_system(once(
                move |world| {
                    for _ in 0..20 {
                        let report = world.update(16.0);
                        found.lock().unwrap().get_or_insert(report.stalled.is_some());
                        *found.lock().unwrap() = Some(report.stalled.is_some());
                    }
                },
                &calls,
            ))
            .unwrap();
        world.step();
        world.settle();
        assert_eq!(*stalled.lock().unwrap(), Some(true));
        assert!(world.systems().any(|status| status.id == id));
        assert!(!world.is_busy());
        assert!(calls.count("once") < 20, "updates that were refused are not made up for");
    });
}

#[test]
fn a_system_that_settles_the_world_finds_effects_applied_under_default() {
    for threads in THREADS {
        let (mut world, _) = world(threads);
        world.set_scheduler(SchedulerKind::Default);
        world.spawn((Place { x: 0.0 }, Health { health: 1.0 }));
        let calls = Calls::default();
        world.add_system(heals(&calls)).unwrap();
        let heard = calls.clone();
        let looks = SystemDef::system("looks", move |world: &mut World, _: &Step| {
            world.settle();
            heard.push(format!("{}", healthy(world)));
            Ok(())
        });
        world.add_system(looks.reads::<Speed>()).unwrap();
        world.step();
        assert_eq!(calls.take(), ["heals", "1"]);
    }
}
