//! Rules of what a run asks for, and when it happens.

use crate::common::*;
use proptest::prelude::*;
use std::sync::{Arc, Mutex};
use vivarium_world::{Changed, EntityId, Named, Run, SchedulerKind, SystemDef, World, WorldEvent};

/// A worker system that does one thing once a run.
fn worker(name: &str, mut once: impl FnMut(&mut Run) -> Result<(), String> + Send + 'static) -> SystemDef {
    SystemDef::worker(name, move |_: &mut Named<'_>, run: &mut Run| once(run))
}

#[test]
fn effects_are_applied_in_groups_and_in_call_order_within_one() {
    for threads in THREADS {
        let (mut world, calls) = world(threads);
        let a = world.spawn((Place { x: 1.0 },));
        let b = world.spawn((Place { x: 2.0 },));
        calls.take();
        record_events(&mut world, &calls);
        let heard = calls.clone();
        world.on(move |_, word: &&'static str| heard.push(format!("heard {word}")));
        let system = worker("all", move |run| {
            run.spawn((Place { x: 3.0 },))?;
            run.kill(b)?;
            run.send("one");
            run.add(a, Frozen)?;
            run.fail(a, "so what");
            run.set(a, Place { x: 4.0 })?;
            run.send("two");
            run.remove::<Frozen>(a)?;
            run.fail(b, "again");
            Ok(())
        });
        let system = system.creates(["place"]).kills().adds::<Frozen>().removes::<Frozen>().writes::<Place>();
        world.add_system(system).unwrap();
        world.step();
        let expected = [
            "update",
            "error `all` failed: so what (entity 0v1, #0)",
            "error `all` failed: again (entity 1v1, #1)",
            "got frozen",
            "changed place",
            "lost frozen",
            "heard one",
            "heard two",
            "died place",
            "died readable",
            "removed readable",
            "attach place",
            "added readable",
            "updated",
        ];
        assert_eq!(calls.take(), expected);
    }
}

#[test]
fn effects_for_an_entity_that_is_gone_are_dropped_and_counted() {
    for threads in THREADS {
        let (mut world, _) = world(threads);
        let gone = world.spawn((Place { x: 1.0 },));
        world.remove(gone);
        let system = worker("late", move |run| {
            run.set(gone, Place { x: 2.0 })?;
            run.add(gone, Frozen)?;
            run.remove::<Frozen>(gone)?;
            run.kill(gone)?;
            Ok(())
        });
        world.add_system(system.kills().adds::<Frozen>().removes::<Frozen>().writes::<Place>()).unwrap();
        world.step();
        assert_eq!(world.dropped_effects(), 4);
        assert_eq!(errors(&mut world), no_strings());
    }
}

#[test]
fn an_undeclared_effect_is_an_error_that_says_what_to_declare() {
    let (mut world, _) = world(0);
    let id = world.spawn((Place { x: 1.0 },));
    type Attempt = Box<dyn FnMut(&mut Run) -> Result<(), String> + Send>;
    let try_it: Vec<(&str, Attempt)> = vec![
        ("kills()", Box::new(move |run| Ok(run.kill(id)?))),
        ("adds::<T>()", Box::new(move |run| Ok(run.add(id, Frozen)?))),
        ("removes::<T>()", Box::new(move |run| Ok(run.remove::<Place>(id)?))),
        ("writes::<T>()", Box::new(move |run| Ok(run.set(id, Place { x: 2.0 })?))),
        ("creates([…])", Box::new(move |run| Ok(run.spawn((Place { x: 2.0 },)).map(drop)?))),
        ("creates([…])", Box::new(move |run| Ok(run.create(&config(r#"{ "x": 2 }"#)).map(drop)?))),
    ];
    for (declare, mut once) in try_it {
        let system = world.add_system(worker("greedy", move |run| once(run))).unwrap();
        world.step();
        world.remove_system(system);
        let errors = errors(&mut world);
        assert!(
            errors.len() == 1 && errors[0].contains(declare) && errors[0].contains("greedy"),
            "{errors:?}"
        );
    }
    assert_eq!((world.len(), world.get::<Place>(id)), (1, Some(Place { x: 1.0 })));
}

#[test]
fn the_id_of_a_created_entity_may_be_stored_at_once() {
    for threads in THREADS {
        let (mut world, _) = world(threads);
        let parent = world.spawn((Link { target: 0 },));
        let system = SystemDef::each::<(&mut Link,), _>("parents", |(link,), run| {
            let child = run.spawn((Place { x: 1.0 },))?;
            link.target = child.bits();
            run.create(&config(r#"{ "x": 2 }"#)).map(drop)
        });
        let id = world.add_system(system.creates(["place"])).unwrap();
        world.step();
        world.set_enabled(id, false);
        let child = EntityId::from_bits(world.get::<Link>(parent).unwrap().target).unwrap();
        assert_eq!(world.get::<Place>(child), Some(Place { x: 1.0 }));
        let order: Vec<_> = world.entities().collect();
        assert_eq!((order.len(), order[1]), (3, child), "{threads}");
    }
}

#[test]
fn a_created_entity_joins_queries_when_it_is_adopted() {
    for threads in THREADS {
        let (mut world, _) = world(threads);
        world.spawn((Place { x: 0.0 },));
        let seen = Seen::default();
        let noted = seen.clone();
        let system = SystemDef::each::<(EntityId, &Place), _>("doubles", move |(id, place), run| {
            noted.push(id);
            run.spawn((Place { x: place.x + 1.0 },)).map(drop)
        });
        world.add_system(system.creates(["place"])).unwrap();
        let visited: Vec<usize> = (0..4)
            .map(|_| {
                world.step();
                seen.take().len()
            })
            .collect();
        assert_eq!(visited, [1, 2, 4, 8]);
    }
}

#[test]
fn what_a_panicking_run_staged_is_freed_and_what_it_asked_for_forgotten() {
    for threads in THREADS {
        let (mut world, calls) = world(threads);
        let id = world.spawn((Place { x: 1.0 },));
        calls.take();
        let system = worker("falls", move |run| {
            run.spawn((Place { x: 8.0 },))?;
            run.create(&config(r#"{ "x": 9, "vx": 1 }"#))?;
            run.kill(id)?;
            panic!("no more");
        });
        world.add_system(system.creates(["place", "speed"]).kills()).unwrap();
        world.step();
        assert_eq!(calls.take(), ["free place 8", "free place 9", "free speed 1"]);
        assert!(world.contains(id) && world.len() == 1);
    }
}

/// A system that adds these to an entity, one after another, in its first run only.
fn adding(id: EntityId, values: &'static [f64], after: impl Fn(&mut Run) + Send + 'static) -> SystemDef {
    let system = worker("adds", move |run| {
        if run.tick() == 1 {
            for &vx in values {
                run.add(id, Speed { vx })?;
            }
            after(run);
        }
        Ok(())
    });
    system.adds::<Speed>()
}

#[test]
fn the_hook_of_a_block_that_is_not_added_runs_once_on_every_path() {
    type Ends = fn(&mut World, EntityId);
    let step: Ends = |world, _| world.step();
    let gone: Ends = |world, id| {
        world.remove(id);
        world.step();
    };
    let clears_meanwhile: Ends = |world, _| {
        world.listen(|world, event| {
            if let WorldEvent::ComponentAdded(..) = event {
                world.clear();
            }
        });
        world.step();
    };
    type After = fn(&mut Run);
    let floods: After = |run| (0..100).for_each(|_| run.send(1));
    let panics: After = |_| panic!("no more");
    let nothing: After = |_| ();
    let paths = [
        ("the entity is gone", gone, nothing, 3),
        ("the hook refuses one", step, nothing, 3),
        ("the run asks for too much", step, floods, 3),
        ("the run panics", step, panics, 3),
        ("a listener clears the world at the first", clears_meanwhile, nothing, 3),
    ];
    for threads in THREADS {
        for scheduler in [SchedulerKind::Default, SchedulerKind::Conflict] {
            for (name, ends, after, frees) in paths {
                let (mut world, calls) = world(threads);
                world.set_scheduler(scheduler.clone());
                world.set_effect_limit(50);
                let id = world.spawn((Frozen,));
                world.add_system(adding(id, &[1.0, -1.0, 2.0], after)).unwrap();
                ends(&mut world, id);
                world.settle();
                world.step();
                world.clear();
                let mut freed: Vec<String> = calls.take();
                freed.retain(|call| call.starts_with("free"));
                assert_eq!(freed.len(), frees, "{name}, {threads} threads: {freed:?}");
                for vx in ["1", "-1", "2"] {
                    assert_eq!(
                        freed.iter().filter(|call| **call == format!("free speed {vx}")).count(),
                        1,
                        "{name}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_hook_of_a_component_a_class_forbids_runs_for_the_block_that_is_not_added() {
    for threads in THREADS {
        let (mut world, calls) = world(threads);
        let keys = r#""classes": { "actor": ["place"] }, "templates": { "guard": { "class": "actor", "x": 1 } },
            "entities": [ { "type": "guard" } ]"#;
        load(&mut world, keys);
        let id = world.entities().next().unwrap();
        world.add_system(adding(id, &[5.0], |_| ())).unwrap();
        world.step();
        assert_eq!(errors(&mut world).len(), 1);
        world.step();
        assert_eq!(calls.count("free speed 5"), 1);
    }
}

#[test]
fn the_hook_of_a_tag_runs_when_what_a_run_staged_is_discarded() {
    let calls = Calls::default();
    let heard = calls.clone();
    let tag =
        <Frozen as vivarium_world::Component>::definition().on_free::<Frozen>(move |_| heard.push("free"));
    for threads in THREADS {
        let mut world = world_of(&vivarium_world::Catalog::new().define(tag.clone()).unwrap(), threads);
        let system = worker("falls", |run| {
            run.spawn((Frozen,))?;
            panic!("no more");
        });
        world.add_system(system.creates(["frozen"])).unwrap();
        world.step();
        let id = world.spawn((Frozen,));
        world.remove(id);
        world.clear();
        assert_eq!(calls.take(), ["free", "free"]);
    }
}

#[test]
fn replies_of_a_run_that_load_clear_or_destroy_overtake_are_freed_with_the_blocks_they_add() {
    let ends: [fn(&mut World); 3] =
        [World::clear, World::destroy, |world| _ = load(world, r#""entities": [ { "frozen": 1 } ]"#)];
    for threads in [1, 4] {
        for scheduler in [SchedulerKind::Default, SchedulerKind::Conflict] {
            for end in ends {
                let (mut world, calls) = world(threads);
                world.set_scheduler(scheduler.clone());
                let id = world.spawn((Frozen,));
                let (go, wait) = std::sync::mpsc::channel::<()>();
                let wait = Mutex::new(wait);
                let system = worker("slow", move |run| {
                    run.spawn((Place { x: 8.0 },))?;
                    run.add(id, Speed { vx: 3.0 })?;
                    run.add(id, Speed { vx: 4.0 })?;
                    wait.lock().unwrap().recv().map_err(|error| error.to_string())
                });
                world.add_system(system.creates(["place"]).adds::<Speed>()).unwrap();
                world.update(16.0);
                assert!(world.is_busy());
                go.send(()).unwrap();
                end(&mut world);
                let mut freed = calls.take();
                freed.retain(|call| call.starts_with("free") || call.starts_with("attach"));
                freed.sort();
                assert_eq!(freed, ["free place 8", "free speed 3", "free speed 4"]);
            }
        }
    }
}

#[test]
fn one_adoption_that_fails_is_named_and_freed_and_the_rest_are_adopted() {
    for threads in THREADS {
        let (mut world, calls) = world(threads);
        record_events(&mut world, &calls);
        let system = worker("maker", |run| {
            for x in [1.0, -1.0, -2.0, 2.0] {
                run.spawn((Place { x }, Speed { vx: 5.0 }))?;
            }
            Ok(())
        });
        let id = world.add_system(system.creates(["place", "speed"])).unwrap();
        world.step();
        world.remove_system(id);
        assert_eq!(calls.count("added"), 2);
        assert_eq!(world.len(), 2);
        let (errors, _) = world.take_errors();
        assert_eq!(errors.len(), 2);
        assert!(errors.iter().all(|error| error.system == Some(id) && error.entity.is_some()), "{errors:?}");
        calls.take();
        world.step();
        assert_eq!(calls.count("free place -"), 2);
        assert_eq!(calls.count("free speed"), 2);
        world.clear();
        assert_eq!((calls.count("free place"), calls.count("free speed")), (4, 4));
    }
}

#[test]
fn effects_of_a_run_overtaken_by_a_load_or_a_clear_are_discarded_whole() {
    for threads in [1, 4] {
        for clears in [true, false] {
            let (mut world, calls) = world(threads);
            world.set_scheduler(SchedulerKind::Default);
            let id = world.spawn((Place { x: 1.0 },));
            let (go, wait) = std::sync::mpsc::channel::<()>();
            let wait = Mutex::new(wait);
            let system = worker("slow", move |run| {
                run.spawn((Place { x: 8.0 },))?;
                run.kill(id)?;
                run.send("done");
                wait.lock().unwrap().recv().map_err(|error| error.to_string())
            });
            world.add_system(system.creates(["place"]).kills()).unwrap();
            let heard = calls.clone();
            world.on(move |_, _: &&'static str| heard.push("heard"));
            world.update(16.0);
            assert!(world.is_busy());
            calls.take();
            go.send(()).unwrap();
            if clears {
                world.clear();
            } else {
                load(&mut world, r#""entities": [ { "vx": 1 } ]"#);
            }
            world.settle();
            assert_eq!(calls.count("free place 8"), 1);
            assert_eq!((calls.count("heard"), calls.count("died")), (0, 0));
            assert_eq!(world.len(), usize::from(!clears));
            assert!(!world.is_busy());
        }
    }
}

#[test]
fn a_listener_may_settle_hash_or_load_while_effects_are_applied() {
    for threads in THREADS {
        let (mut world, calls) = world(threads);
        let id = world.spawn((Place { x: 1.0 },));
        let hashed = Arc::new(Mutex::new(Vec::new()));
        let hashes = hashed.clone();
        world.on(move |world, word: &&'static str| match *word {
            "settle" => {
                world.settle();
                hashes.lock().unwrap().push(world.state_hash());
            }
            _ => drop(load(world, r#""entities": [ { "vx": 1 } ]"#)),
        });
        let system = |word: &'static str| {
            let system = worker(word, move |run| {
                run.send(word);
                run.kill(id)?;
                run.spawn((Place { x: 8.0 },)).map(drop)?;
                Ok(())
            });
            system.creates(["place"]).kills()
        };
        let saves = world.add_system(system("settle")).unwrap();
        world.step();
        assert_eq!(hashed.lock().unwrap().len(), 1);
        world.remove_system(saves);
        assert_eq!(world.len(), 1);
        world.add_system(system("load")).unwrap();
        calls.take();
        world.step();
        assert_eq!(world.len(), 1, "what the run still asked for went with its world");
        assert_eq!(calls.count("free place 8"), 2);
        world.step();
        assert!(world.entities().all(|id| world.peek::<Speed>(id).is_some()));
    }
}

#[test]
fn results_do_not_depend_on_threads() {
    let hash = |threads| {
        let (mut world, _) = world(threads);
        let seed: Vec<_> = (0..50).map(|n| world.spawn((Place { x: n as f64 }, Speed { vx: 1.0 }))).collect();
        for name in ["a", "b"] {
            let system = SystemDef::each::<(EntityId, &mut Place), _>(name, |(id, place), run: &mut Run| {
                place.x += 1.0;
                if (place.x as u64).is_multiple_of(7) {
                    run.kill(id)?;
                    run.create(&config(r#"{ "x": 1, "vx": 2 }"#))?;
                    run.spawn((Place { x: 3.0 },))?;
                }
                Ok::<(), vivarium_world::EffectError>(())
            });
            world.add_system(system.kills().creates(["place", "speed"])).unwrap();
        }
        let system = SystemDef::each::<(EntityId, &Speed), _>("c", |(id, _), run: &mut Run| {
            if run.tick().is_multiple_of(2) { run.add(id, Frozen) } else { run.remove::<Frozen>(id) }
        });
        world.add_system(system.adds::<Frozen>().removes::<Frozen>()).unwrap();
        world.remove(seed[3]);
        let hashes: Vec<u64> = (0..30)
            .map(|_| {
                world.step();
                world.state_hash()
            })
            .collect();
        (hashes, world.len())
    };
    let expected = hash(0);
    assert!(expected.1 > 50);
    assert_eq!(hash(1), expected);
    assert_eq!(hash(4), expected);
}

/// What a run asks of one entity, by its place; those beyond the living are gone.
#[derive(Clone, Copy, Debug)]
enum Ask {
    Add(usize, u64),
    Set(usize, u64),
    Remove(usize),
    Freeze(usize),
    Thaw(usize),
}

/// Asks of many neighbours in a row, and of some here and there.
fn asks() -> impl Strategy<Value = Vec<Ask>> {
    let ask = |(kind, at, value): (u8, usize, u64)| match kind {
        0 => Ask::Add(at, value),
        1 => Ask::Set(at, value),
        2 => Ask::Remove(at),
        3 => Ask::Freeze(at),
        _ => Ask::Thaw(at),
    };
    let single = (0..5_u8, 0..160_usize, 1..9_u64).prop_map(move |one| vec![ask(one)]);
    let many = (0..5_u8, 0..150_usize, 1..100_usize, 1..9_u64, any::<bool>());
    let many = many.prop_map(move |(kind, at, len, value, back)| {
        let one = |k: usize| ask((kind, at + if back { len - k } else { k }, value + k as u64));
        (0..len).map(one).collect()
    });
    let some = prop_oneof![single, many];
    proptest::collection::vec(some, 0..8).prop_map(|asks| asks.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn changes_of_a_run_do_what_single_calls_do(rounds in proptest::collection::vec(asks(), 1..4), watched: bool) {
        let [(mut one, _), (mut two, _)] = [world(0), world(0)];
        let spawn = |world: &mut World| -> Vec<EntityId> {
            let ids = (0..150).map(|n| world.spawn((Speed { vx: n as f64 },))).collect::<Vec<_>>();
            world.remove(ids[70]);
            ids
        };
        let (ids, same) = (spawn(&mut one), spawn(&mut two));
        prop_assert_eq!(&ids, &same);
        let seen = [Calls::default(), Calls::default()];
        let asked: Arc<Mutex<Vec<Ask>>> = Arc::default();
        let (to_do, those) = (asked.clone(), ids.clone());
        let system = worker("asks", move |run| {
            for ask in to_do.lock().unwrap().drain(..) {
                let id = |at: usize| those.get(at).copied().unwrap_or(those[70]);
                match ask {
                    Ask::Add(at, target) => run.add(id(at), Link { target })?,
                    Ask::Set(at, target) => run.set(id(at), Link { target })?,
                    Ask::Remove(at) => run.remove::<Link>(id(at))?,
                    Ask::Freeze(at) => run.add(id(at), Frozen)?,
                    Ask::Thaw(at) => run.remove::<Frozen>(id(at))?,
                }
            }
            Ok(())
        });
        let system = system.adds::<Link>().writes::<Link>().removes::<Link>().adds::<Frozen>().removes::<Frozen>();
        two.add_system(system).unwrap();
        for (world, seen) in [&mut one, &mut two].into_iter().zip(&seen).filter(|_| watched) {
            let seen = seen.clone();
            let notes = SystemDef::each::<(EntityId, &Link, Changed<Link>), _>("notes", move |(id, link, ()), _: &mut Run| {
                seen.push(format!("{id} {}", link.target));
            });
            world.add_system(notes).unwrap();
        }
        for round in rounds {
            *asked.lock().unwrap() = round.clone();
            for ask in round {
                let id = |at: usize| ids.get(at).copied().unwrap_or(ids[70]);
                // What cannot be done is dropped.
                let _ = match ask {
                    Ask::Add(at, target) => one.add(id(at), Link { target }),
                    Ask::Set(at, target) => one.set(id(at), Link { target }),
                    Ask::Remove(at) => one.remove_component::<Link>(id(at)),
                    Ask::Freeze(at) => one.add(id(at), Frozen),
                    Ask::Thaw(at) => one.remove_component::<Frozen>(id(at)),
                };
            }
            for _ in 0..3 {
                one.step();
                two.step();
            }
            for &id in &ids {
                prop_assert_eq!(one.get::<Link>(id), two.get::<Link>(id));
                prop_assert_eq!(one.get::<Frozen>(id), two.get::<Frozen>(id));
            }
            let seen = seen.each_ref().map(Calls::take);
            prop_assert_eq!(&seen[0], &seen[1]);
            for component in [one.registry().of::<Frozen>().unwrap(), one.registry().of::<Link>().unwrap()] {
                prop_assert_eq!(one.pool_len(component), two.pool_len(component));
            }
        }
    }
}
