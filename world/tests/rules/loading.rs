//! Rules of load, clear and save.

use crate::common::*;
use vivarium_world::{Field, FieldValue, LoadOptions, Run, SaveForm, Scalar, SystemDef, World};

#[test]
fn a_load_is_all_or_nothing_and_lists_every_fault() {
    let (mut world, calls) = world(0);
    load(&mut world, r#""entities": [ { "x": 1 } ]"#);
    let before = world.state_hash();
    calls.take();
    let error = faults(
        &mut world,
        r#""systems": [ { "system": "nobody" } ],
        "entities": [ { "x": "far" }, { "x": 2 }, { "vx": true }, { "target": true }, { "target": "me" } ]"#,
    );
    for part in ["nobody", "\"far\"", "\"x\"", "vx", "target"] {
        assert!(error.contains(part) || part == "\"far\"", "{part} in {error}");
    }
    assert!(error.lines().count() >= 5, "{error}");
    assert_eq!(world.state_hash(), before);
    assert_eq!(calls.take(), no_strings(), "no hook ran for what never was");
}

#[test]
fn old_entities_go_in_order_and_new_ones_come_in_order() {
    let (mut world, calls) = world(0);
    load(&mut world, r#""entities": [ { "x": 1 }, { "vx": 1, "x": 2 } ]"#);
    calls.take();
    record_events(&mut world, &calls);
    load(&mut world, r#""entities": [ { "x": 3 }, { "x": 4 } ]"#);
    let expected = [
        "attach place",
        "attach place",
        "removed readable",
        "removed readable",
        "free place 1",
        "free place 2",
        "free speed 1",
        "added readable",
        "added readable",
        "loaded",
    ];
    assert_eq!(calls.take(), expected);
}

#[test]
fn a_hook_that_fails_in_a_load_is_reported_and_not_fatal() {
    let (mut world, calls) = world(0);
    record_events(&mut world, &calls);
    let report = load(&mut world, r#""entities": [ { "x": -1, "vx": 1 }, { "x": -2 }, { "x": 2 } ]"#);
    assert_eq!(report.entities, 3);
    let errors = errors(&mut world);
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(errors[0].contains("it does not fit") && errors[1].contains("the hook fell"), "{errors:?}");
    assert_eq!(calls.count("error"), 2);
    assert_eq!(world.len(), 3);
}

#[test]
fn an_entity_a_listener_removed_is_not_told_as_added() {
    let (mut world, calls) = world(0);
    world.listen(|world, event| {
        if let vivarium_world::WorldEvent::EntityAdded(_) = event {
            let last = world.entities().next_back().unwrap();
            world.remove(last);
        }
    });
    record_events(&mut world, &calls);
    load(&mut world, r#""entities": [ { "x": 3 }, { "x": 4 }, { "x": 5 } ]"#);
    assert_eq!((calls.count("added"), calls.count("removed"), world.len()), (2, 2, 1));
}

#[test]
fn a_cleared_world_can_be_used_again() {
    for threads in THREADS {
        let (mut world, calls) = world(threads);
        for _ in 0..2 {
            let id = world.spawn((Place { x: 1.0 },));
            world
                .add_system(SystemDef::each::<(&mut Place,), _>("moves", |(place,), _| place.x += 1.0))
                .unwrap();
            world.step();
            assert_eq!(world.get::<Place>(id), Some(Place { x: 2.0 }));
            world.clear();
            assert_eq!((world.len(), world.systems().len(), world.clocks().tick), (0, 0, 0));
        }
        assert_eq!((calls.count("attach"), calls.count("free place 2")), (2, 2));
    }
}

#[test]
fn the_random_position_is_restored_and_a_seed_alone_begins_at_0() {
    let (mut world, _) = world(0);
    world.load("a.json", r#"{ "vivarium": 1, "random": { "seed": 5 } }"#, &LoadOptions::default()).unwrap();
    assert_eq!((world.random().state().seed, world.random().state().position), (5, 0));
    let first = world.random().next();
    let text = world.save(SaveForm::Plain).unwrap();
    let second = world.random().next();
    assert_ne!(first, second);
    world.load("b.json", &text, &LoadOptions::default()).unwrap();
    assert_eq!(world.random().next(), second);
    let report = world.load("c.json", r#"{ "vivarium": 1 }"#, &LoadOptions::default()).unwrap();
    let seed = world.random().state().seed.to_string();
    assert!(report.notes.iter().any(|note| note.contains(&seed)), "{:?}", report.notes);
    let options = LoadOptions { seed: Some(9), ..LoadOptions::default() };
    world.load("d.json", &text, &options).unwrap();
    assert_eq!((world.random().state().seed, world.random().state().position), (9, 0));
}

#[test]
fn a_save_keeps_clocks_and_what_systems_accumulated() {
    let calls = Calls::default();
    let make = || {
        SystemDef::each::<(&mut Place,), _>("moves", |(place,), run| place.x += run.delta())
            .every(10.0)
            .not_at_once()
    };
    let catalog = catalog(&calls).system(make);
    let mut world = world_of(&catalog, 0);
    let keys =
        r#""step": 4, "timeScale": 2, "systems": [ { "system": "moves" } ], "entities": [ { "x": 0 } ]"#;
    load(&mut world, keys);
    world.update(7.0);
    let id = world.system_named("moves").unwrap();
    let mut loaded = world_of(&catalog, 2);
    let text = world.save(SaveForm::Plain).unwrap();
    loaded.load("save.json", &text, &LoadOptions::default()).unwrap();
    assert_eq!(loaded.clocks(), world.clocks());
    for world in [&mut world, &mut loaded] {
        world.update(9.0);
        world.settle();
    }
    assert_eq!(loaded.state_hash(), world.state_hash());
    let x = |world: &mut World| {
        let id = world.entities().next().unwrap();
        world.get::<Place>(id).unwrap().x
    };
    assert_eq!((x(&mut world), x(&mut loaded)), (30.0, 30.0));
    world.set_enabled(id, false);
    let text = world.save(SaveForm::Plain).unwrap();
    loaded.load("save.json", &text, &LoadOptions::default()).unwrap();
    assert!(!loaded.systems().next().unwrap().enabled);
}

#[test]
fn a_number_json_cannot_hold_is_named_and_nothing_is_lost() {
    let (mut world, _) = world(0);
    let id = world.spawn((Place { x: f64::NAN },));
    let error = world.save(SaveForm::Plain).unwrap_err().to_string();
    assert!(error.contains("#0") && error.contains('x'), "{error}");
    assert!(world.contains(id));
}

#[test]
fn a_reference_to_something_outside_the_save_becomes_none_and_is_named() {
    let (mut world, _) = world(0);
    let report = load(&mut world, r#""entities": [ { "target": 1 }, { "target": 9, "x": 1 } ]"#);
    let [note] = report.notes.as_slice() else { panic!("{:?}", report.notes) };
    assert!(
        note.contains("entity 1: key \"target\": there is no entity 9 in the list, which has 2"),
        "{note}"
    );
    let ids: Vec<_> = world.entities().collect();
    assert_eq!(world.get::<Link>(ids[0]), Some(Link { target: ids[1].bits() }));
    assert_eq!(world.get::<Link>(ids[1]), Some(Link { target: 0 }));
    world.remove(ids[1]);
    let report = world.save_reported(SaveForm::Plain).unwrap();
    let [note] = report.notes.as_slice() else { panic!("{:?}", report.notes) };
    assert!(note.contains("entity #0: target refers to an entity that is gone"), "{note}");
    assert!(report.text.contains("\"target\":null"), "{}", report.text);
    let (mut again, _) = crate::common::world(0);
    again.load("save.json", &report.text, &LoadOptions::default()).unwrap();
    assert_eq!(again.state_hash(), world.state_hash());
}

#[test]
fn destroying_twice_is_destroying_once() {
    for threads in THREADS {
        let (mut world, calls) = world(threads);
        world.spawn((Place { x: 1.0 },));
        record_events(&mut world, &calls);
        calls.take();
        world.destroy();
        assert_eq!(calls.take(), ["removed readable", "free place 1", "cleared"]);
        world.destroy();
        world.clear();
        assert_eq!((calls.count("free"), world.is_destroyed(), world.len()), (0, true, 0));
    }
}

#[test]
fn a_save_settles_the_world_first() {
    let slow = |place: &mut Place, _: &mut Run| {
        std::thread::sleep(std::time::Duration::from_millis(3));
        place.x += 1.0;
    };
    let catalog = catalog(&Calls::default()).system(move || SystemDef::each::<&mut Place, _>("slow", slow));
    for threads in THREADS {
        let mut world = world_of(&catalog, threads);
        load(&mut world, r#""step": 1, "systems": [ { "system": "slow" } ], "entities": [ { "x": 0 } ]"#);
        world.update(3.0);
        let text = world.save(SaveForm::Plain).unwrap();
        assert!(!world.is_busy() && text.contains("\"x\":3"), "{text}");
    }
}

#[test]
fn a_save_keeps_run_counts_parameters_and_flags_of_systems() {
    let make = || {
        let each = |place: &mut Place, run: &mut Run| place.x += run.param("by");
        let by = Field::new("by", Scalar::F64, 0).default_value(FieldValue::Float(1.0));
        SystemDef::each::<&mut Place, _>("moves", each).param(by)
    };
    let catalog = catalog(&Calls::default()).system(make);
    let keys = r#""systems": [ { "system": "moves" }, { "system": "moves" } ], "entities": [ { "x": 0 } ]"#;
    for threads in THREADS {
        let mut world = world_of(&catalog, threads);
        load(&mut world, keys);
        let ids: Vec<_> = world.systems().map(|status| status.id).collect();
        world.set_param(ids[0], "by", FieldValue::Float(5.0)).unwrap();
        world.step();
        world.set_enabled(ids[1], false);
        world.step();
        let mut loaded = world_of(&catalog, threads);
        loaded.load("save.json", &world.save(SaveForm::Plain).unwrap(), &LoadOptions::default()).unwrap();
        let told = |world: &World| -> Vec<_> {
            let told = |status: vivarium_world::SystemStatus| {
                (status.runs, status.enabled, status.params.get("by").and_then(FieldValue::as_f64))
            };
            world.systems().map(told).collect()
        };
        assert_eq!(told(&world), [(2, true, Some(5.0)), (1, false, Some(1.0))]);
        assert_eq!(told(&loaded), told(&world));
        loaded.step();
        world.step();
        assert_eq!(loaded.state_hash(), world.state_hash());
    }
}
