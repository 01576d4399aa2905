//! Rules of systems: when they run, over what, and what becomes of their errors.

use crate::common::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use vivarium_world::{
    Changed, EntityId, Named, ParallelSystem, Run, SchedulerKind, Step, SystemDef, SystemPhase, With,
    Without, World,
};

const SCHEDULERS: [SchedulerKind; 2] = [SchedulerKind::Default, SchedulerKind::Conflict];

/// Every number of threads with every scheduler.
fn each_setting(mut test: impl FnMut(World, Calls)) {
    for threads in THREADS {
        for scheduler in SCHEDULERS {
            let (mut world, calls) = world(threads);
            world.set_scheduler(scheduler);
            world.set_step(None).unwrap();
            test(world, calls);
        }
    }
}

fn update(world: &mut World, elapsed: f64) {
    world.update(elapsed);
    world.settle();
}

#[test]
fn a_long_step_gives_one_run_with_the_largest_multiple_of_the_period() {
    each_setting(|mut world, calls| {
        world.spawn((Place { x: 0.0 },));
        calls.take();
        let heard = calls.clone();
        let each =
            SystemDef::each::<(&Place,), _>("noting", move |_, run| heard.push(format!("{}", run.delta())));
        world.add_system(each.every(10.0).not_at_once()).unwrap();
        for elapsed in [9.0, 3.0, 35.0, 3.0] {
            update(&mut world, elapsed);
        }
        assert_eq!(calls.take(), ["10", "30", "10"]);
    });
}

#[test]
fn a_run_that_fails_keeps_its_time() {
    each_setting(|mut world, _| {
        let calls = Calls::default();
        world.spawn((Place { x: 0.0 },));
        let fails = Arc::new(AtomicBool::new(true));
        for kind in ["world", "worker", "panics"] {
            let (heard, fails) = (calls.clone(), fails.clone());
            let note = move |delta: f64| {
                heard.push(format!("{kind} {delta}"));
                if fails.load(Ordering::Relaxed) { Err("not now".to_owned()) } else { Ok(()) }
            };
            let system = match kind {
                "world" => SystemDef::system(kind, move |_: &mut World, step: &Step| note(step.delta)),
                "worker" => {
                    SystemDef::worker(kind, move |_: &mut Named<'_>, run: &mut Run| note(run.delta()))
                }
                _ => SystemDef::each::<(&Place,), _>(kind, move |_, run| note(run.delta()).unwrap()),
            };
            world.add_system(system).unwrap();
        }
        update(&mut world, 5.0);
        fails.store(false, Ordering::Relaxed);
        update(&mut world, 7.0);
        update(&mut world, 1.0);
        let mut said = calls.take();
        said.sort();
        let expected = [
            "panics 1",
            "panics 12",
            "panics 5",
            "worker 1",
            "worker 12",
            "worker 5",
            "world 1",
            "world 12",
            "world 5",
        ];
        assert_eq!(said, expected);
        assert_eq!(world.take_errors().0.len(), 3);
    });
}

#[test]
fn a_disabled_system_accumulates_nothing() {
    each_setting(|mut world, _| {
        let calls = Calls::default();
        let heard = calls.clone();
        let id = world
            .add_system(
                SystemDef::system("noting", move |_: &mut World, step: &Step| {
                    heard.push(format!("{}", step.delta));
                    Ok(())
                })
                .every(10.0)
                .not_at_once(),
            )
            .unwrap();
        update(&mut world, 6.0);
        world.set_enabled(id, false);
        update(&mut world, 100.0);
        world.set_enabled(id, true);
        update(&mut world, 4.0);
        assert_eq!(calls.take(), ["10"]);
    });
}

#[test]
fn a_step_a_system_does_not_want_is_lost() {
    each_setting(|mut world, _| {
        let calls = Calls::default();
        world.spawn((Place { x: 0.0 },));
        for name in ["world", "worker"] {
            let heard = calls.clone();
            let system = if name == "world" {
                SystemDef::system(name, move |_: &mut World, step: &Step| {
                    heard.push(format!("{name} {}", step.delta));
                    Ok(())
                })
            } else {
                SystemDef::each::<(&Place,), _>(name, move |_, run| {
                    heard.push(format!("{name} {}", run.delta()))
                })
            };
            let wanted =
                system.every(10.0).not_at_once().should_run(|world| world.clocks().game_time != 106.0);
            world.add_system(wanted).unwrap();
        }
        for elapsed in [6.0, 100.0, 5.0] {
            update(&mut world, elapsed);
        }
        let mut said = calls.take();
        said.sort();
        assert_eq!(said, ["worker 10", "world 10"]);
    });
}

#[test]
fn a_failing_item_is_reported_with_its_entity_and_the_next_goes_on() {
    each_setting(|mut world, _| {
        let ids: Vec<EntityId> = (0..5).map(|n| world.spawn((Place { x: n as f64 },))).collect();
        for on_world in [true, false] {
            let each = |(place,): (&mut Place,), _: &mut Run| {
                place.x += 10.0;
                if place.x as i64 % 2 == 1 { Err(format!("{} is odd", place.x)) } else { Ok(()) }
            };
            let system = if on_world {
                SystemDef::each_on_world_thread::<(&mut Place,), _>("checks", each)
            } else {
                SystemDef::each::<(&mut Place,), _>("checks", each)
            };
            let id = world.add_system(system).unwrap();
            update(&mut world, 1.0);
            world.remove_system(id);
            let (errors, _) = world.take_errors();
            let entities: Vec<_> = errors.iter().map(|error| error.entity.unwrap().0).collect();
            assert_eq!(entities, [ids[1], ids[3]]);
            assert!(errors.iter().all(|error| error.phase == SystemPhase::Update && !error.panicked));
        }
        assert_eq!(world.get::<Place>(ids[4]), Some(Place { x: 24.0 }));
    });
}

#[test]
fn a_panic_ends_its_run_and_names_the_system_and_the_entity() {
    each_setting(|mut world, _| {
        let ids: Vec<EntityId> = (0..3).map(|n| world.spawn((Place { x: n as f64 },))).collect();
        // Scattered, so that rows are visited one by one.
        let system = world
            .add_system(SystemDef::each::<(&mut Place,), _>("falls", |(place,), _| {
                assert!(place.x != 1.0, "one is too many");
                place.x += 10.0;
            }))
            .unwrap();
        update(&mut world, 1.0);
        let (errors, _) = world.take_errors();
        assert_eq!(errors.len(), 1);
        assert!(
            errors[0].panicked && errors[0].name == "falls" && errors[0].message.contains("one is too many")
        );
        let x = |id| world.peek::<Place>(id).map(|place| place.x);
        assert_eq!(ids.iter().map(|&id| x(id)).collect::<Vec<_>>(), [Some(10.0), Some(1.0), Some(2.0)]);
        let status = world.systems().next().unwrap();
        assert!(status.id == system && status.enabled && status.open_run.is_none());
        let error = status.last_error.unwrap();
        assert!(error.message.contains("one is too many") && error.tick == 1);
        assert_eq!(error.entity, errors[0].entity, "what was reported is what is remembered");
        update(&mut world, 1.0);
        assert_eq!(world.take_errors().0.len(), 1, "the host decides, not the world");
    });
}

#[test]
fn names_may_be_used_twice() {
    let (mut world, _) = world(0);
    let system = || SystemDef::each::<(&Place,), _>("same", |_, _| ());
    let (a, b) = (world.add_system(system()).unwrap(), world.add_system(system()).unwrap());
    assert_ne!(a, b);
    assert_eq!(world.system_named("same"), Some(a));
    assert!(world.remove_system(a) && !world.remove_system(a));
    assert_eq!(world.system_named("same"), Some(b));
}

#[test]
fn membership_is_what_the_bits_say_at_dispatch() {
    each_setting(|mut world, _| {
        let calls = Calls::default();
        let both = world.spawn((Place { x: 1.0 }, Speed { vx: 1.0 }));
        let frozen = world.spawn((Place { x: 2.0 }, Speed { vx: 1.0 }, Frozen));
        let place = world.spawn((Place { x: 3.0 },));
        let heard = calls.clone();
        world
            .add_system(SystemDef::each::<(&Place, With<Speed>, Without<Frozen>, Option<&Health>), _>(
                "query",
                move |(place, (), (), health), _| heard.push(format!("{} {}", place.x, health.is_some())),
            ))
            .unwrap();
        update(&mut world, 1.0);
        assert_eq!(calls.take(), ["1 false"]);
        world.add(place, Speed { vx: 1.0 }).unwrap();
        world.add(place, Health { health: 1.0 }).unwrap();
        world.remove_component::<Frozen>(frozen).unwrap();
        world.remove(both);
        update(&mut world, 1.0);
        let mut said = calls.take();
        said.sort();
        assert_eq!(said, ["2 false", "3 true"]);
        world.add(frozen, Frozen).unwrap();
        world.remove_component::<Speed>(place).unwrap();
        update(&mut world, 1.0);
        assert_eq!(calls.take(), no_strings());
    });
}

#[test]
fn static_entities_are_left_out_on_the_world_thread_and_included_in_workers() {
    each_setting(|mut world, _| {
        let (on_world, on_worker) = (Calls::default(), Calls::default());
        world.create(&config(r#"{ "x": 1, "isStatic": true }"#)).unwrap();
        world.create(&config(r#"{ "x": 2 }"#)).unwrap();
        let (a, b) = (on_world.clone(), on_worker.clone());
        let here = SystemDef::each_on_world_thread::<(&Place,), _>("here", move |(place,), _| {
            a.push(format!("{}", place.x))
        });
        world.add_system(here).unwrap();
        world
            .add_system(SystemDef::each::<(&Place,), _>("there", move |(place,), _| {
                b.push(format!("{}", place.x))
            }))
            .unwrap();
        update(&mut world, 1.0);
        assert_eq!((on_world.take(), on_worker.take()), (vec!["2".into()], vec!["1".into(), "2".into()]));
    });
}

#[test]
fn the_visit_order_is_the_same_for_the_same_history_whatever_the_threads() {
    let mut orders = Vec::new();
    each_setting(|mut world, _| {
        let mut ids: Vec<EntityId> = Vec::new();
        for n in 0..400 {
            ids.push(if n % 3 == 0 {
                world.spawn((Place { x: n as f64 }, Speed { vx: 0.0 }))
            } else {
                world.spawn((Place { x: n as f64 },))
            });
            if n % 4 == 0 {
                world.remove(ids[n / 2]);
            }
            if n % 50 == 0 {
                update(&mut world, 1.0);
            }
        }
        let seen = Seen::default();
        world.add_system(noting("noting", &seen)).unwrap();
        update(&mut world, 1.0);
        let order: Vec<u64> = seen.take().into_iter().map(|id| world.ordinal(id).unwrap().0).collect();
        assert_eq!(order.len(), world.len());
        orders.push(order);
    });
    assert!(orders.iter().all(|order| *order == orders[0]));
}

#[test]
fn a_query_that_could_hand_out_a_block_twice_is_refused() {
    let (mut world, _) = world(0);
    let refused = |world: &mut World, system| world.add_system(system).unwrap_err().to_string();
    let error = refused(&mut world, SystemDef::each::<(&mut Place, &Place), _>("twice", |_, _| ()));
    assert!(error.contains("twice") && error.contains("\"place\""), "{error}");
    refused(&mut world, SystemDef::each::<(Option<&Place>, &mut Place), _>("twice", |_, _| ()));
    let error = refused(&mut world, SystemDef::each::<(&mut vivarium_world::Entity,), _>("own", |_, _| ()));
    assert!(error.contains("entity"), "{error}");
    assert_eq!(world.systems().len(), 0);
    world.add_system(SystemDef::each::<(&Place, &Place, With<Place>), _>("fine", |_, _| ())).unwrap();
}

#[test]
fn a_system_that_removes_itself_or_adds_another_does_no_harm() {
    each_setting(|mut world, calls| {
        let heard = calls.clone();
        world
            .add_system(SystemDef::system("first", move |world: &mut World, _: &Step| {
                let me = world.system_named("first").unwrap();
                world.remove_system(me);
                let heard = heard.clone();
                let added = SystemDef::system("second", move |_: &mut World, _: &Step| {
                    heard.push("second");
                    Ok(())
                });
                world.add_system(added).map(drop).map_err(|error| error.to_string())
            }))
            .unwrap();
        update(&mut world, 1.0);
        assert_eq!(calls.take(), no_strings(), "one added meanwhile waits");
        update(&mut world, 1.0);
        assert_eq!(calls.take(), ["second"]);
    });
}

#[test]
fn a_system_may_load_or_clear_the_world_it_runs_in() {
    each_setting(|mut world, _| {
        world.spawn((Place { x: 0.0 },));
        let loads = |world: &mut World, _: &Step| {
            load(world, r#""entities": [ { "x": 1 }, { "x": 2 } ]"#);
            let other = SystemDef::system("other", |_: &mut World, _: &Step| Ok(()));
            world.add_system(other).map(drop).map_err(|error| error.to_string())
        };
        world.add_system(SystemDef::system("loads", loads)).unwrap();
        world.add_system(SystemDef::each::<(&mut Place,), _>("moves", |(place,), _| place.x += 1.0)).unwrap();
        update(&mut world, 1.0);
        assert_eq!(world.len(), 2);
        let names: Vec<_> = world.systems().map(|status| status.name.to_string()).collect();
        assert_eq!(names, ["other"]);
        update(&mut world, 16.0);
        assert_eq!(world.systems().next().unwrap().runs, 1, "its body is its own");
        assert!(world.take_errors().0.is_empty());
    });
}

#[test]
fn a_run_writes_by_id_at_once_and_reads_what_it_wrote() {
    each_setting(|mut world, _| {
        let target = world.spawn((Health { health: 1.0 },));
        for _ in 0..3 {
            world.spawn((Link { target: target.bits() },));
        }
        let hits = SystemDef::each::<&Link, _>("hits", |link, run| {
            let Some(target) = EntityId::from_bits(link.target) else { return Err("no target".to_owned()) };
            let health = run.read::<Health>(target)?.ok_or("it has no health")?;
            run.write(target, Health { health: health.health * 2.0 })?;
            Ok(())
        });
        world.add_system(hits.writes_at_once::<Health>()).unwrap();
        let seen = Calls::default();
        let heard = seen.clone();
        let changed = SystemDef::each::<(&Health, Changed<Health>), _>("changed", move |(health, ()), _| {
            heard.push(health.health.to_string());
        });
        world.add_system(changed).unwrap();
        update(&mut world, 1.0);
        assert_eq!(
            world.get::<Health>(target).unwrap().health,
            8.0,
            "each of three updates sees the one before"
        );
        update(&mut world, 1.0);
        assert_eq!(errors(&mut world), no_strings());
        assert!(seen.take().contains(&"8".to_owned()), "who looks for changes is told");
    });
}

#[test]
fn writing_by_id_what_a_query_visits_or_threads_share_is_refused_at_registration() {
    let (mut world, _) = world(0);
    let visited = SystemDef::each::<&Health, _>("visited", |_, _| {}).writes_at_once::<Health>();
    let shared = SystemDef::each_in_parallel::<&Place, _>("shared", |_, _| {}).writes_at_once::<Health>();
    let refused = [visited, shared].map(|system| world.add_system(system).unwrap_err().to_string());
    assert!(refused[0].contains("a query of it visits that component"), "{}", refused[0]);
    assert!(refused[1].contains("not shared by threads"), "{}", refused[1]);
    let undeclared = SystemDef::each::<EntityId, _>("undeclared", |id, run| {
        run.write(id, Health { health: 0.0 }).map(|_| ())
    });
    world.add_system(undeclared).unwrap();
    world.spawn((Health { health: 1.0 },));
    world.step();
    assert!(errors(&mut world)[0].contains("declare it with `writes_at_once::<T>()`"));
}

/// Multiplies what it visits, part by part, in a way that depends on the order.
#[derive(Default)]
struct Digest(f64);

impl ParallelSystem for Digest {
    type Query = (EntityId, &'static mut Place);
    type Part = f64;

    fn update(
        &self,
        (id, place): (EntityId, &mut Place),
        part: &mut f64,
        run: &mut Run,
    ) -> Result<(), String> {
        place.x += run.random().next();
        *part = *part * 1.000_1 + place.x;
        if place.x > 4000.0 { run.kill(id).map_err(String::from) } else { Ok(()) }
    }
    fn merge(&mut self, parts: Vec<f64>, _: &mut Run) -> Result<(), String> {
        self.0 = parts.into_iter().fold(self.0, |sum, part| sum * 1.000_3 + part);
        Ok(())
    }
}

#[test]
fn the_state_of_parts_is_brought_together_in_row_order_whatever_the_threads() {
    let mut results = Vec::new();
    for threads in [0, 1, 2, 8] {
        let (mut world, _) = world(threads);
        load(&mut world, r#""entities": []"#);
        world.spawn_batch((0..5000).map(|x| (Place { x: x as f64 },)));
        world.add_system(SystemDef::parallel("digest", Digest::default()).kills()).unwrap();
        (0..3).for_each(|_| world.step());
        results.push((world.state_hash(), world.len(), world.get_system::<Digest>().unwrap().0.to_bits()));
    }
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]), "{results:?}");
    assert!(results[0].1 < 5000);
}

#[test]
fn a_run_draws_the_same_values_whatever_the_threads() {
    let draws = |threads: usize, parallel: bool| {
        let (mut world, _) = world(threads);
        load(&mut world, r#""step": 16"#);
        let ids = world.spawn_batch((0..3000).map(|x| (Place { x: f64::from(x) },)));
        for name in ["one", "two"] {
            let draw = |place: &mut Place, run: &mut Run| place.x = place.x * 0.5 + run.random().next();
            let system = if parallel {
                SystemDef::each_in_parallel::<&mut Place, _>(name, draw)
            } else {
                SystemDef::each::<&mut Place, _>(name, draw)
            };
            world.add_system(system).unwrap();
        }
        (0..3).for_each(|_| world.step());
        ids.into_iter().map(|id| world.get::<Place>(id).unwrap().x.to_bits()).collect::<Vec<_>>()
    };
    for parallel in [false, true] {
        let expected = draws(0, parallel);
        assert_ne!(expected[0], expected[1]);
        for threads in [1, 4] {
            assert!(draws(threads, parallel) == expected, "{threads} threads, parallel {parallel}");
        }
    }
}

#[test]
fn effects_of_a_run_in_parts_are_merged_in_the_order_of_its_parts() {
    let results = |threads: usize| {
        let (mut world, calls) = world(threads);
        load(&mut world, r#""step": 16"#);
        world.spawn_batch((0..3000).map(|x| (Speed { vx: f64::from(x) },)));
        let each = |speed: &Speed, run: &mut Run| {
            if (speed.vx as u64).is_multiple_of(10) {
                run.send(speed.vx as u64);
                run.spawn((Frozen, Link { target: speed.vx as u64 }))?;
            }
            Ok::<(), vivarium_world::EffectError>(())
        };
        let system = SystemDef::each_in_parallel::<&Speed, _>("parts", each);
        world.add_system(system.creates(["frozen", "link"])).unwrap();
        let heard = calls.clone();
        world.on(move |_, sent: &u64| heard.push(format!("{sent}")));
        calls.take();
        world.step();
        let created: Vec<u64> =
            world.entities().filter_map(|id| world.peek::<Link>(id)).map(|link| link.target).collect();
        (calls.take(), created)
    };
    let expected: Vec<u64> = (0..3000).step_by(10).collect();
    for threads in THREADS {
        let (sent, created) = results(threads);
        assert_eq!(sent, expected.iter().map(u64::to_string).collect::<Vec<_>>(), "{threads} threads");
        assert_eq!(created, expected, "{threads} threads");
    }
}

#[test]
fn a_parameter_that_is_set_counts_from_the_next_run_on() {
    each_setting(|mut world, _| {
        let calls = Calls::default();
        world.spawn((Place { x: 0.0 },));
        let heard = calls.clone();
        let each = move |_: &Place, run: &mut Run| heard.push(format!("{}", run.param("by")));
        let by = vivarium_world::Field::new("by", vivarium_world::Scalar::F64, 0).range(0.0, 10.0);
        let id = world.add_system(SystemDef::each::<&Place, _>("by", each).param(by)).unwrap();
        update(&mut world, 1.0);
        world.set_param(id, "by", vivarium_world::FieldValue::Float(4.0)).unwrap();
        assert!(world.set_param(id, "by", vivarium_world::FieldValue::Float(11.0)).is_err());
        assert!(world.set_param(id, "bye", vivarium_world::FieldValue::Float(1.0)).is_err());
        update(&mut world, 1.0);
        assert_eq!(calls.take(), ["0", "4"]);
    });
}
