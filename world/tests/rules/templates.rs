//! Rules of templates and classes.

use crate::common::*;
use vivarium_world::{
    AccessFault, CreateError, EffectError, Named, Run, SchedulerKind, Step, SystemDef, World,
};

const CLASSES: &str = r#""classes": { "actor": ["place", "health"] },
    "templates": { "guard": { "class": "actor", "health": 9, "x": 1 } }"#;

#[test]
fn the_callers_keys_lie_on_top_one_level_deep() {
    let (mut world, _) = world(0);
    load(&mut world, r#""templates": { "guard": { "health": 9, "x": 1 } }"#);
    let id = world.create(&config(r#"{ "type": "guard", "x": 2, "vx": 3 }"#)).unwrap();
    let (x, health, vx) =
        (world.get::<Place>(id).unwrap().x, world.get::<Health>(id).unwrap().health, world.get::<Speed>(id));
    assert_eq!((x, health, vx), (2.0, 9.0, Some(Speed { vx: 3.0 })));
    assert_eq!(&*world.type_name(id), "guard");
}

#[test]
fn without_classes_a_config_of_no_or_an_unknown_type_is_used_as_it_is() {
    let (mut world, _) = world(0);
    let id = world.create(&config(r#"{ "type": "nobody", "x": 2 }"#)).unwrap();
    assert_eq!((&*world.type_name(id), world.get::<Place>(id)), ("nobody", Some(Place { x: 2.0 })));
    assert!(world.create(&config("{}")).is_ok());
}

#[test]
fn with_a_class_every_template_names_a_known_one() {
    let (mut world, _) = world(0);
    let error = faults(&mut world, r#""classes": { "actor": ["place"] }, "templates": { "a": { "x": 1 } }"#);
    assert!(error.contains("names no class"), "{error}");
    let keys = r#""classes": { "actor": ["place"] }, "templates": { "a": { "class": "acter" } }"#;
    let error = faults(&mut world, keys);
    assert!(error.contains("\"acter\"") && error.contains("\"actor\""), "{error}");
}

#[test]
fn with_a_class_every_load_has_a_known_type() {
    let (mut world, _) = world(0);
    load(&mut world, CLASSES);
    assert_eq!(world.create(&config(r#"{ "x": 1 }"#)), Err(CreateError::NoType));
    let error = world.create(&config(r#"{ "type": "gard" }"#)).unwrap_err().to_string();
    assert!(error.contains("\"gard\"") && error.contains("\"guard\""), "{error}");
    let error =
        faults(&mut world, &format!(r#"{CLASSES}, "entities": [ {{ "type": "gard" }}, {{ "x": 1 }} ]"#));
    assert!(error.contains("\"guard\"") && error.contains("has no type"), "{error}");
}

#[test]
fn with_a_class_no_entity_is_made_of_values_alone() {
    for threads in THREADS {
        for scheduler in [SchedulerKind::Default, SchedulerKind::Conflict] {
            let (mut world, _) = world(threads);
            world.spawn((Place { x: 1.0 },));
            load(&mut world, &format!(r#"{CLASSES}, "entities": [ {{ "type": "guard" }} ]"#));
            world.set_scheduler(scheduler);
            let worker = SystemDef::worker("worker", |_: &mut Named<'_>, run: &mut Run| {
                let refused = run.spawn((Place { x: 2.0 },));
                assert!(matches!(refused, Err(EffectError::Create { error: CreateError::NoType, .. })));
                run.create(&config(r#"{ "type": "guard", "x": 3 }"#))?;
                refused.map(drop).map_err(String::from)
            });
            world.add_system(worker.creates(["place", "health"])).unwrap();
            for batch in [false, true] {
                let spawns = move |world: &mut World, _: &Step| {
                    if batch {
                        world.spawn_batch([(Place { x: 2.0 },)]);
                    } else {
                        world.spawn((Place { x: 2.0 },));
                    }
                    Ok(())
                };
                world.add_system(SystemDef::system("world", spawns)).unwrap();
            }
            // One scheduler skips what the worker bars.
            (0..4).for_each(|_| world.step());
            let errors = errors(&mut world);
            let said = |words: &str| errors.iter().filter(|error| error.contains(words)).count();
            assert_eq!(said("has no type"), errors.len(), "{errors:?}");
            assert!(said("`worker` failed") > 0 && said("make it by `World::create`") > 1, "{errors:?}");
            assert!(world.entities().all(|id| &*world.type_name(id) == "guard"));
            assert!(world.len() > 1);
            world.clear();
            world.spawn((Place { x: 1.0 },));
        }
    }
}

#[test]
fn type_and_class_never_change_after_creation() {
    let (mut world, _) = world(0);
    load(&mut world, &format!(r#"{CLASSES}, "entities": [ {{ "type": "guard" }} ]"#));
    let id = world.entities().next().unwrap();
    let value = vivarium_world::FieldValue::Text("other".into());
    for field in world.registry().get(vivarium_world::ComponentId::ENTITY).fields().to_vec() {
        assert_eq!(world.set_field(id, "entity", &field.name, &value), Err(AccessFault::BuiltIn));
    }
    world.remove_component::<Health>(id).unwrap();
    let copy = world.duplicate(id).unwrap();
    for id in [id, copy] {
        let entity = world.entity(id).unwrap();
        assert_eq!((&*entity.type_name(), entity.class()), ("guard", Some("actor")));
    }
}

#[test]
fn a_caller_never_names_a_class() {
    let (mut world, _) = world(0);
    load(&mut world, CLASSES);
    let named = config(r#"{ "type": "guard", "class": "actor" }"#);
    assert_eq!(world.create(&named), Err(CreateError::ClassGiven));
}

#[test]
fn a_forbidden_key_names_entity_type_key_and_class() {
    let (mut world, _) = world(0);
    let keys = format!(r#"{CLASSES}, "entities": [ {{ "type": "guard" }}, {{ "type": "guard", "vx": 1 }} ]"#);
    let error = faults(&mut world, &keys);
    for part in ["1", "\"guard\"", "\"vx\"", "\"actor\"", "\"speed\""] {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn adding_a_forbidden_component_at_run_time_is_the_same_error() {
    for threads in THREADS {
        let (mut world, _) = world(threads);
        load(&mut world, &format!(r#"{CLASSES}, "entities": [ {{ "type": "guard" }} ]"#));
        let id = world.entities().next().unwrap();
        let fault = world.add(id, Speed { vx: 1.0 }).unwrap_err();
        let AccessFault::OutsideClass { entity, type_name, component, class } = &fault else {
            panic!("{fault}")
        };
        assert_eq!((*entity, &**type_name, &**component, &**class), (id, "guard", "speed", "actor"));
        let adding = vivarium_world::SystemDef::each::<(vivarium_world::EntityId, &Place), _>(
            "adding",
            |(id, _), run| run.add(id, Speed { vx: 1.0 }),
        );
        world.add_system(adding.adds::<Speed>()).unwrap();
        world.step();
        let errors = errors(&mut world);
        assert!(
            errors.len() == 1 && errors[0].contains("adding") && errors[0].contains(&fault.to_string()),
            "{errors:?}"
        );
        assert_eq!(world.get::<Speed>(id), None);
    }
}
