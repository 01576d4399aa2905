//! Rules of entities: ids, order, references, removal, death.

use crate::common::*;
use std::collections::BTreeSet;
use vivarium_world::{
    ComponentId, EntityId, HookError, LoadOptions, SaveForm, SchedulerKind, SystemDef, SystemPhase, World,
    WorldEvent,
};

fn xs(world: &mut World) -> Vec<f64> {
    let ids: Vec<EntityId> = world.entities().collect();
    ids.into_iter().map(|id| world.get::<Place>(id).unwrap().x).collect()
}

#[test]
fn a_stale_id_finds_nothing_and_never_its_successor() {
    let (mut world, _) = world(0);
    let old = world.spawn((Place { x: 1.0 },));
    world.remove(old);
    world.step();
    let new = world.spawn((Place { x: 2.0 },));
    assert_eq!(new.slot(), old.slot(), "the slot is used again");
    assert_ne!(new, old);
    assert!(!world.contains(old) && !world.kill(old) && !world.remove(old));
    assert_eq!((world.get::<Place>(old), world.ordinal(old)), (None, None));
    assert!(world.set(old, Place { x: 3.0 }).is_err() && world.add(old, Frozen).is_err());
    assert_eq!(world.get::<Place>(new), Some(Place { x: 2.0 }));
}

#[test]
fn an_id_of_before_a_load_or_a_clear_finds_nothing_after_it() {
    let (mut world, _) = world(0);
    let mut old: BTreeSet<EntityId> = (0..100).map(|n| world.spawn((Place { x: n as f64 },))).collect();
    for round in 0..3 {
        if round == 1 {
            world.clear();
        } else {
            load(&mut world, r#""entities": [ { "x": 1 }, { "x": 2 } ]"#);
        }
        let more: Vec<_> = (0..100).map(|n| world.spawn((Place { x: n as f64 },))).collect();
        assert!(world.entities().all(|id| !old.contains(&id)), "round {round}");
        assert!(old.iter().all(|&id| !world.contains(id)));
        old.extend(more);
    }
}

#[test]
fn an_id_a_panicking_run_wrote_down_is_nobodys() {
    for threads in THREADS {
        let (mut world, _) = world(threads);
        let holder = world.spawn((Link { target: 0 },));
        let first = SystemDef::each::<(&mut Link,), _>("first", |(link,), run| {
            link.target = run.spawn((Frozen,)).unwrap().bits();
            assert_eq!(link.target, 0, "half done");
        });
        let id = world.add_system(first.creates(["frozen"])).unwrap();
        world.step();
        world.set_enabled(id, false);
        let written = EntityId::from_bits(world.get::<Link>(holder).unwrap().target).unwrap();
        assert!(!world.contains(written));
        for _ in 0..40 {
            assert_ne!(world.spawn((Frozen,)), written, "{threads} threads");
        }
    }
}

#[test]
fn entities_are_in_creation_order_after_removals_from_the_middle() {
    let (mut world, _) = world(0);
    let ids: Vec<_> = (0..300).map(|n| world.spawn((Place { x: n as f64 },))).collect();
    for (n, &id) in ids.iter().enumerate() {
        if n % 3 != 0 {
            world.remove(id);
        }
    }
    world.step();
    world.spawn((Place { x: 1000.0 },));
    let expected: Vec<f64> = (0..300).step_by(3).map(|n| n as f64).chain([1000.0]).collect();
    assert_eq!(xs(&mut world), expected);
    assert_eq!(world.ordinal(ids[297]).map(|ordinal| ordinal.0), Some(297));
    assert_eq!(world.by_ordinal(vivarium_world::Ordinal(298)), None);
}

#[test]
fn a_reference_is_saved_as_a_place_and_found_again() {
    let (mut world, _) = world(0);
    let gone = world.spawn((Frozen,));
    let target = world.spawn((Place { x: 5.0 },));
    let back = world.spawn((Link { target: target.bits() },));
    world.spawn((Link { target: gone.bits() },));
    world.add(target, Link { target: back.bits() }).unwrap();
    world.remove(gone);
    for form in [SaveForm::Plain, SaveForm::Compressed] {
        let text = world.save(form).unwrap();
        world.load("save.json", &text, &LoadOptions::default()).unwrap();
        let ids: Vec<_> = world.entities().collect();
        let mut target = |id| world.get::<Link>(id).map(|link| link.target);
        assert_eq!(target(ids[1]), Some(ids[0].bits()), "a reference backward");
        assert_eq!(target(ids[0]), Some(ids[1].bits()), "a reference forward");
        assert_eq!(target(ids[2]), Some(0), "a reference to one that is gone");
    }
}

#[test]
fn a_removed_entity_is_off_the_list_and_readable_while_it_is_told() {
    let (mut world, calls) = world(0);
    let id = world.spawn((Place { x: 1.0 },));
    calls.take();
    let heard = calls.clone();
    world.listen(move |world, event| {
        if let WorldEvent::EntityRemoved(id) = event {
            let x = world.get::<Place>(*id).map(|place| place.x);
            heard.push(format!("{x:?} {} {}", world.len(), world.remove(*id)));
        }
    });
    assert!(world.remove(id));
    assert_eq!(calls.take(), ["Some(1.0) 0 false"]);
    world.step();
    assert_eq!(calls.take(), ["free place 1"]);
}

#[test]
fn a_second_removal_is_a_no_op() {
    let (mut world, calls) = world(0);
    let id = world.spawn((Place { x: 1.0 },));
    assert!(world.remove(id));
    calls.take();
    assert!(!world.remove(id) && !world.kill(id));
    world.step();
    world.step();
    assert_eq!(calls.take(), ["free place 1"]);
}

#[test]
fn a_death_is_flag_then_hooks_in_component_order_then_told_then_removal() {
    let (mut world, calls) = world(0);
    let id = world.spawn((Health { health: 3.0 }, Place { x: 1.0 }));
    calls.take();
    record_events(&mut world, &calls);
    assert!(world.kill(id));
    assert_eq!(calls.take(), ["died place", "died health", "died readable", "removed readable"]);
    assert!(!world.kill(id));
    world.step();
    assert_eq!(calls.take(), ["update", "free place 1", "free health 3", "updated"]);
}

#[test]
fn a_death_hook_that_fails_or_panics_is_reported_and_the_others_still_run() {
    let (mut world, calls) = world(0);
    for x in [-3.0, -4.0] {
        let id = world.spawn((Place { x }, Health { health: 3.0 }));
        calls.take();
        assert!(world.kill(id));
        assert_eq!(calls.take(), ["died place", "died health"]);
        let (errors, _) = world.take_errors();
        assert_eq!(errors.len(), 1);
        assert_eq!((errors[0].phase, errors[0].panicked), (SystemPhase::Died, x == -4.0));
        assert_eq!(errors[0].entity.map(|(id, _)| id), Some(id));
        assert!(!world.contains(id));
    }
}

/// A world whose `health` has a death hook of one's own.
fn with_death_hook(
    hook: impl Fn(EntityId, &mut World) -> Result<(), HookError> + Send + Sync + 'static,
) -> World {
    use vivarium_world::{Catalog, Component};
    let health = Health::definition().on_died::<Health>(move |id, _, world| hook(id, world));
    let catalog = Catalog::new().define(health).and_then(Catalog::component::<Place>).unwrap();
    world_of(&catalog, 0)
}

#[test]
fn a_death_hook_may_read_the_dead_and_load_others() {
    let mut world = with_death_hook(|id, world| {
        let x = world.get::<Place>(id).map_or(-1.0, |place| place.x);
        assert!(world.entity_block(id).is_some_and(|entity| entity.is_dead()));
        world.spawn((Place { x: x + 1.0 },));
        Ok(())
    });
    let id = world.spawn((Place { x: 1.0 }, Health { health: 1.0 }));
    world.kill(id);
    assert!(world.take_errors().0.is_empty());
    assert_eq!(xs(&mut world), [2.0]);
}

#[test]
fn a_death_is_died_once_though_its_hook_kills_or_removes_again() {
    let calls = Calls::default();
    let heard = calls.clone();
    let mut world = with_death_hook(move |id, world| {
        heard.push(format!("hook {} {}", world.kill(id), world.remove(id)));
        assert!(world.get::<Place>(id).is_some(), "it is still whole");
        Ok(())
    });
    record_events(&mut world, &calls);
    let id = world.spawn((Place { x: 1.0 }, Health { health: 1.0 }));
    calls.take();
    world.kill(id);
    assert!(world.take_errors().0.is_empty());
    assert_eq!(calls.take(), ["hook false false", "died readable", "removed readable"]);
    assert!(!world.contains(id));
}

#[test]
fn an_entity_killed_when_it_is_added_dies_like_any_other() {
    let (mut world, calls) = world(0);
    world.listen(|world, event| {
        if let WorldEvent::EntityAdded(id) = event
            && world.peek::<Health>(*id).is_some()
        {
            world.kill(*id);
        }
    });
    record_events(&mut world, &calls);
    let id = world.spawn((Place { x: 1.0 }, Health { health: 1.0 }));
    assert!(!world.contains(id) && world.is_empty());
    let expected = [
        "attach place",
        "attach health",
        "died place",
        "died health",
        "added readable",
        "died readable",
        "removed readable",
    ];
    assert_eq!(calls.take(), expected);
    world.step();
    assert_eq!(calls.count("free"), 2);
}

#[test]
fn an_entity_on_its_way_out_cannot_be_killed() {
    let (mut world, calls) = world(0);
    world.listen(|world, event| {
        if let WorldEvent::EntityRemoved(id) = event {
            assert!(!world.kill(*id));
        }
    });
    let id = world.spawn((Place { x: 1.0 },));
    world.remove(id);
    assert_eq!(calls.count("died"), 0);
}

#[test]
fn no_death_hook_runs_on_removal_load_or_clear() {
    let (mut world, calls) = world(0);
    let id = world.spawn((Place { x: 1.0 },));
    world.remove(id);
    world.spawn((Place { x: 2.0 },));
    load(&mut world, r#""entities": [ { "x": 3 } ]"#);
    world.clear();
    assert_eq!((calls.count("died"), calls.count("attach"), calls.count("free")), (0, 3, 3));
}

#[test]
fn a_dead_entity_is_loaded_and_left_out_of_queries() {
    for threads in THREADS {
        let (mut world, _) = world(threads);
        load(&mut world, r#""entities": [ { "x": 1, "dead": true }, { "x": 2 } ]"#);
        let seen = Seen::default();
        world.add_system(noting("noting", &seen)).unwrap();
        for _ in 0..2 {
            world.step();
            let visited: Vec<f64> =
                seen.take().into_iter().map(|id| world.get::<Place>(id).unwrap().x).collect();
            assert_eq!(visited, [2.0]);
        }
        let dead = world.entities().next().unwrap();
        assert!(world.entity_block(dead).unwrap().is_dead());
        assert!(!world.kill(dead), "it died long ago");
    }
}

#[test]
fn type_static_and_dead_come_back_from_a_save() {
    let (mut world, _) = world(0);
    load(
        &mut world,
        r#""templates": { "rock": { "x": 0, "isStatic": true }, "ghost": { "x": 0, "dead": true } },
        "entities": [ { "type": "rock" }, { "type": "rock", "isStatic": false }, { "x": 1, "isStatic": true },
            { "type": "ghost" }, { "type": "ghost", "dead": false }, { "type": "rock", "dead": true } ]"#,
    );
    let flags = |world: &World| -> Vec<_> {
        let flags = |id| (world.type_name(id).to_string(), world.entity_block(id).unwrap());
        world.entities().map(flags).map(|(name, e)| (name, e.is_static(), e.is_dead())).collect()
    };
    let before = flags(&world);
    let expected = [
        ("rock", true, false),
        ("rock", false, false),
        ("", true, false),
        ("ghost", false, true),
        ("ghost", false, false),
        ("rock", true, true),
    ];
    assert_eq!(before, expected.map(|(name, is_static, dead)| (name.to_owned(), is_static, dead)));
    for form in [SaveForm::Plain, SaveForm::Compressed] {
        let text = world.save(form).unwrap();
        world.load("save.json", &text, &LoadOptions::default()).unwrap();
        assert_eq!(flags(&world), before, "{text}");
    }
    assert!(!world.save(SaveForm::Plain).unwrap().contains("class"));
}

#[test]
fn a_components_free_hook_runs_once_on_every_path() {
    for threads in THREADS {
        let (mut world, calls) = world(threads);
        let spawn = |world: &mut World, n: usize| -> Vec<EntityId> {
            (0..n).map(|n| world.spawn((Place { x: n as f64 }, Speed { vx: 0.0 }))).collect()
        };
        let ids = spawn(&mut world, 10);
        world.remove(ids[0]);
        world.kill(ids[1]);
        world.remove_component::<Place>(ids[2]).unwrap();
        world.remove(ids[2]);
        world.remove_component::<Place>(ids[3]).unwrap();
        world.add(ids[3], Place { x: 0.0 }).unwrap();
        world.kill(ids[3]);
        world.add(ids[4], Place { x: 0.0 }).unwrap();
        assert_eq!(calls.count("free"), 0, "nothing is freed before the next update");
        world.step();
        assert_eq!(calls.count("free"), 10);
        world.remove(ids[5]);
        world.remove_component::<Speed>(ids[6]).unwrap();
        load(&mut world, r#""entities": [ { "x": 3 } ]"#);
        assert_eq!(calls.count("free"), 22);
        spawn(&mut world, 5);
        let first = world.entities().next().unwrap();
        world.remove_component_by_id(first, ComponentId(1)).unwrap();
        world.clear();
        assert_eq!(calls.count("free"), 33);
        assert_eq!(calls.count("attach"), 33);
    }
}

#[test]
fn a_hash_and_a_save_name_entities_by_ordinal_and_never_by_id() {
    let history = |spent: usize| {
        let (mut world, _) = world(0);
        let before: Vec<EntityId> = (0..spent).map(|_| world.spawn((Frozen,))).collect();
        before.into_iter().for_each(|id| _ = world.remove(id));
        let text = r#""entities": [ { "target": 1 }, { "x": 1 }, { "target": 0, "x": 3 } ]"#;
        load(&mut world, text);
        let ids: Vec<EntityId> = world.entities().collect();
        world.kill(ids[1]);
        (ids, world.state_hash(), world.save(SaveForm::Plain).unwrap())
    };
    let (few, many) = (history(0), history(100));
    assert_ne!(few.0, many.0, "the ids are others");
    assert_eq!((few.1, few.2), (many.1, many.2));
}

#[test]
fn an_entity_that_two_runs_kill_dies_once() {
    for threads in THREADS {
        for scheduler in [SchedulerKind::Default, SchedulerKind::Conflict] {
            let (mut world, calls) = world(threads);
            world.set_scheduler(scheduler);
            world.spawn((Place { x: 1.0 },));
            for name in ["one", "two"] {
                let kills = SystemDef::each::<(EntityId, &Place), _>(name, |(id, _), run| {
                    run.kill(id)?;
                    run.kill(id)
                });
                world.add_system(kills.kills()).unwrap();
            }
            record_events(&mut world, &calls);
            world.update(17.0);
            world.settle();
            world.step();
            let counts =
                ["died place", "died readable", "removed", "free place"].map(|call| calls.count(call));
            assert_eq!((counts, world.len()), ([1; 4], 0));
        }
    }
}
