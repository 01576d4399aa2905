//! Rules of components: how they load, what they are made of, how they come and go.

use crate::common::*;
use bytemuck::{Pod, Zeroable};
use vivarium_world::{
    AccessFault, Catalog, Component, ComponentDef, ComponentId, Config, Entity, EntityId, Field, LoadOptions,
    Role, SaveForm, Scalar, SystemDef, Value, World,
};

fn names(world: &World, id: vivarium_world::EntityId) -> Vec<String> {
    let components = world.components_of(id).unwrap();
    components.into_iter().map(|component| world.registry().get(component).name().to_owned()).collect()
}

#[test]
fn the_presence_of_a_load_key_counts_and_not_its_value() {
    let (mut world, _) = world(0);
    let id = world.create(&config(r#"{ "health": 0, "frozen": false }"#)).unwrap();
    assert_eq!(names(&world, id), ["entity", "health", "frozen"]);
}

#[test]
fn one_key_may_load_many_components() {
    #[derive(Clone, Copy, Pod, Zeroable)]
    #[repr(C)]
    struct Shadow(f64);
    impl Component for Shadow {
        const NAME: &'static str = "shadow";
        fn definition() -> ComponentDef {
            ComponentDef::of::<Self>().load_keys(["x", "shade"])
        }
    }
    let catalog = catalog(&Calls::default()).component::<Shadow>().unwrap();
    let mut world = world_of(&catalog, 0);
    let id = world.create(&config(r#"{ "x": 1 }"#)).unwrap();
    assert_eq!(names(&world, id), ["entity", "place", "shadow"]);
    let id = world.create(&config(r#"{ "shade": null }"#)).unwrap();
    assert_eq!(names(&world, id), ["entity", "shadow"]);
}

#[test]
fn components_load_in_registry_order_whatever_the_order_of_the_keys() {
    let (mut world, calls) = world(0);
    let id = world.create(&config(r#"{ "health": 1, "vx": 1, "x": 1 }"#)).unwrap();
    assert_eq!(calls.take(), ["attach place", "attach speed", "attach health"]);
    assert_eq!(names(&world, id), ["entity", "place", "speed", "health"]);
    world.spawn((Health { health: 1.0 }, Place { x: 1.0 }));
    assert_eq!(calls.take(), ["attach place", "attach health"]);
}

#[test]
fn the_built_in_component_is_always_there_and_never_touched_by_hand() {
    let (mut world, _) = world(0);
    let id = world.create(&Config::new()).unwrap();
    assert_eq!(names(&world, id), ["entity"]);
    let entity = world.get::<Entity>(id).unwrap();
    assert_eq!(world.set(id, entity), Err(AccessFault::BuiltIn));
    assert_eq!(world.add(id, entity), Err(AccessFault::BuiltIn));
    assert_eq!(world.add_default(id, "entity"), Err(AccessFault::BuiltIn));
    assert_eq!(world.remove_component::<Entity>(id), Err(AccessFault::BuiltIn));
    assert_eq!(world.remove_component_by_id(id, ComponentId::ENTITY), Err(AccessFault::BuiltIn));
    assert_eq!(world.update_component(id, |_: &mut Entity| ()), None);
}

#[test]
fn nobody_sees_a_former_owners_bytes() {
    let (mut world, _) = world(0);
    for n in 0..200 {
        let id = world.spawn((Place { x: 7.0 }, Health { health: 7.0 }));
        if n % 2 == 0 {
            world.remove(id);
        } else {
            world.remove_component::<Health>(id).unwrap();
        }
    }
    world.step();
    let ids: Vec<_> = world.entities().collect();
    for id in ids {
        world.add_default(id, "health").unwrap();
        assert_eq!(world.get::<Health>(id), Some(Health { health: 0.0 }));
    }
}

#[test]
fn a_component_added_at_run_time_is_told_and_a_loaded_one_is_not() {
    let (mut world, calls) = world(0);
    record_events(&mut world, &calls);
    let id = world.create(&config(r#"{ "x": 1 }"#)).unwrap();
    assert_eq!(calls.take(), ["attach place", "added readable"]);
    world.add(id, Speed { vx: 1.0 }).unwrap();
    assert_eq!(calls.take(), ["attach speed", "got speed"]);
    world.remove_component::<Speed>(id).unwrap();
    assert_eq!(calls.take(), ["lost speed"]);
    assert!(matches!(world.remove_component::<Speed>(id), Err(AccessFault::Missing { .. })));
    assert_eq!(calls.take(), no_strings());
}

#[test]
fn a_removed_component_can_be_read_while_its_removal_is_told() {
    let (mut world, calls) = world(0);
    let heard = calls.clone();
    world.listen(move |world, event| {
        if let vivarium_world::WorldEvent::ComponentRemoved(id, _) = event {
            heard.push(format!("{:?}", world.peek::<Frozen>(*id).is_some()));
        }
    });
    let id = world.spawn((Frozen,));
    world.remove_component::<Frozen>(id).unwrap();
    assert_eq!(calls.take(), ["true"]);
    assert!(!world.has(id, world.registry().of::<Frozen>().unwrap()));
}

#[test]
fn adding_a_component_that_is_there_replaces_it() {
    let (mut world, calls) = world(0);
    let id = world.spawn((Place { x: 1.0 },));
    calls.take();
    world.add(id, Place { x: 2.0 }).unwrap();
    assert_eq!(calls.take(), ["attach place"]);
    assert_eq!(world.get::<Place>(id), Some(Place { x: 2.0 }));
    world.step();
    assert_eq!(calls.take(), ["free place 1"]);
    world.step();
    assert_eq!(calls.take(), no_strings());
}

#[test]
fn a_component_taken_away_and_added_again_owes_its_hook_once() {
    let (mut world, calls) = world(0);
    let id = world.spawn((Place { x: 1.0 },));
    for x in [2.0, 3.0] {
        world.remove_component::<Place>(id).unwrap();
        world.add(id, Place { x }).unwrap();
    }
    calls.take();
    world.step();
    assert_eq!(calls.take(), ["free place 1", "free place 2"]);
    assert_eq!(world.get::<Place>(id), Some(Place { x: 3.0 }));
    world.remove(id);
    world.step();
    assert_eq!(calls.take(), ["free place 3"]);
}

#[test]
fn a_hook_that_refuses_leaves_no_component_behind() {
    let (mut world, calls) = world(0);
    let id = world.spawn((Frozen,));
    for vx in [-1.0, -2.0] {
        let fault = world.add(id, Speed { vx }).unwrap_err();
        assert!(matches!(fault, AccessFault::Attach { .. }), "{fault}");
        assert_eq!(names(&world, id), ["entity", "frozen"]);
        world.step();
        assert_eq!(calls.take(), [format!("free speed {vx}")]);
    }
    world.add(id, Speed { vx: 1.0 }).unwrap();
    assert_eq!(names(&world, id), ["entity", "speed", "frozen"]);
}

#[test]
fn an_unknown_key_is_named_once_or_is_an_error() {
    let (mut world, _) = world(0);
    let keys = r#""entities": [ { "x": 1, "wobble": 2 }, { "wobble": 3, "helth": 4 } ]"#;
    let report = load(&mut world, keys);
    let about = |key: &str| report.notes.iter().filter(|note| note.contains(key)).count();
    assert_eq!((about("wobble"), about("helth")), (1, 1), "{:?}", report.notes);
    assert!(report.notes.iter().any(|note| note.contains("\"health\"")), "{:?}", report.notes);
    let options = LoadOptions { deny_unknown: true, ..LoadOptions::default() };
    let error = world.load("test.json", &scene(keys), &options).unwrap_err().to_string();
    let about = |key: &str| error.lines().filter(|line| line.contains(key)).count();
    assert_eq!((about("\"wobble\""), about("\"helth\"")), (2, 1), "{error}");
    assert_eq!(world.len(), 2);
}

#[test]
fn a_component_nobody_described_is_shown_as_bytes() {
    #[derive(Clone, Copy, Pod, Zeroable)]
    #[repr(C)]
    struct Opaque([u8; 3]);
    impl Component for Opaque {
        const NAME: &'static str = "opaque";
        fn definition() -> ComponentDef {
            ComponentDef::of::<Self>()
        }
    }
    let catalog = catalog(&Calls::default()).component::<Opaque>().unwrap();
    let mut world = world_of(&catalog, 0);
    let id = world.spawn((Opaque([1, 2, 3]),));
    let component = world.registry().of::<Opaque>().unwrap();
    assert_eq!(world.peek_bytes(id, component), Some([1, 2, 3].as_slice()));
    assert_eq!(names(&world, id), ["entity", "opaque"]);
    let text = world.save(SaveForm::Plain).unwrap();
    let before = world.state_hash();
    world.load("save.json", &text, &LoadOptions::default()).unwrap();
    assert_eq!(world.state_hash(), before, "{text}");
}

#[test]
fn a_component_added_late_comes_back_from_a_save_whatever_its_load_keys() {
    #[derive(Clone, Copy, Pod, Zeroable)]
    #[repr(C)]
    struct Armour(u32);
    impl Component for Armour {
        const NAME: &'static str = "armour";
        fn definition() -> ComponentDef {
            let field = vivarium_world::Field::new("plates", vivarium_world::Scalar::U32, 0);
            ComponentDef::of::<Self>().field(field).load_keys(["isArmoured"])
        }
    }
    let catalog = catalog(&Calls::default()).component::<Armour>().unwrap();
    let mut world = world_of(&catalog, 0);
    let id = world.spawn((Place { x: 1.0 },));
    world.add(id, Armour(5)).unwrap();
    for form in [SaveForm::Plain, SaveForm::Compressed] {
        let (before, text) = (world.state_hash(), world.save(form).unwrap());
        world.load("save.json", &text, &LoadOptions::default()).unwrap();
        assert_eq!(world.state_hash(), before, "{text}");
    }
}

#[test]
fn a_component_that_was_lost_stays_lost_in_a_save() {
    let (mut world, _) = world(0);
    load(
        &mut world,
        r#""templates": { "post": { "x": 1, "health": 2 } }, "entities": [ { "type": "post" } ]"#,
    );
    let id = world.entities().next().unwrap();
    world.remove_component::<Health>(id).unwrap();
    for form in [SaveForm::Plain, SaveForm::Compressed] {
        let (before, text) = (world.state_hash(), world.save(form).unwrap());
        world.load("save.json", &text, &LoadOptions::default()).unwrap();
        assert_eq!(world.state_hash(), before, "{text}");
        assert_eq!(names(&world, world.entities().next().unwrap()), ["entity", "place"]);
    }
}

fn with_late(calls: &Calls) -> Catalog {
    #[derive(Clone, Copy, Pod, Zeroable)]
    #[repr(C)]
    struct Late;
    impl Component for Late {
        const NAME: &'static str = "late";
        fn definition() -> ComponentDef {
            ComponentDef::of::<Self>().load_last()
        }
    }
    let heard = calls.clone();
    let late = Late::definition().on_attach::<Late>(move |_, _, _, _| {
        heard.push("attach late");
        Ok(())
    });
    // Registered before the others, so that only `load_last` puts it behind them.
    let catalog = Catalog::new().define(late).unwrap();
    let calls = calls.clone();
    let place = Place::definition().on_attach::<Place>(move |_, _, _, _| {
        calls.push("attach place");
        Ok(())
    });
    catalog.define(place).unwrap()
}

#[test]
fn a_load_last_component_loads_once_the_whole_batch_exists() {
    let calls = Calls::default();
    let mut world = world_of(&with_late(&calls), 0);
    load(&mut world, r#""entities": [ { "x": 1, "late": true }, { "late": true }, { "x": 2 } ]"#);
    assert_eq!(calls.take(), ["attach place", "attach place", "attach late", "attach late"]);
}

#[test]
fn no_worker_creates_or_adds_a_load_last_component() {
    let mut world = world_of(&with_late(&Calls::default()), 0);
    let system = || SystemDef::each::<(&Place,), _>("maker", |_, _| ());
    let error = world.add_system(system().creates(["place", "late"])).unwrap_err().to_string();
    assert!(error.contains("\"late\"") && error.contains("maker"), "{error}");
    let error = SystemDef::each::<(&Place,), _>("anything", |_, run| {
        run.create(&config(r#"{"late":true}"#)).map(drop)
    });
    world.add_system(error.creates_anything()).unwrap();
    world.spawn((Place { x: 1.0 },));
    world.step();
    let errors = errors(&mut world);
    assert!(errors.len() == 1 && errors[0].contains("late"), "{errors:?}");
    assert_eq!(world.len(), 1);
}

/// `Frozen` has no hooks, `Place` has, and a listener hears of both.
#[test]
fn an_edit_of_one_component_does_what_single_calls_do() {
    fn places(world: &mut World, ids: &[EntityId]) -> Vec<Option<Place>> {
        ids.iter().map(|&id| world.get::<Place>(id)).collect()
    }
    for listens in [false, true] {
        let [(mut one, by_calls), (mut two, by_edit)] = [world(0), world(0)];
        let spawn = |world: &mut World| -> Vec<EntityId> {
            if listens {
                world.listen(|_, _| ());
            }
            (0..200).map(|n| world.spawn((Place { x: n as f64 }, Speed { vx: 1.0 }))).collect()
        };
        let (ids, same) = (spawn(&mut one), spawn(&mut two));
        assert_eq!(ids, same);
        let gone = ids[7];
        one.remove(gone);
        two.remove(gone);
        for round in 0..3 {
            let some = || ids.iter().copied().skip(round).step_by(round + 2);
            let mut edit = two.edit::<Frozen>().unwrap();
            for id in some() {
                assert_eq!(edit.add(id, Frozen), one.add(id, Frozen));
            }
            for id in some().step_by(2) {
                assert_eq!(edit.remove(id), one.remove_component::<Frozen>(id).is_ok());
                assert_eq!(edit.remove(id), one.remove_component::<Frozen>(id).is_ok());
            }
            for id in some().step_by(4) {
                assert_eq!(edit.add(id, Frozen), one.add(id, Frozen));
            }
            drop(edit);
            let mut edit = two.edit::<Place>().unwrap();
            for id in some() {
                let change = |place: &mut Place| std::mem::replace(&mut place.x, round as f64);
                assert_eq!(edit.update(id, change), one.update_component(id, change));
            }
            for id in some().step_by(3) {
                assert_eq!(edit.remove(id), one.remove_component::<Place>(id).is_ok());
            }
            for id in some().step_by(6) {
                assert_eq!(edit.add(id, Place { x: 9.0 }), one.add(id, Place { x: 9.0 }));
            }
            drop(edit);
            for component in [one.registry().of::<Frozen>().unwrap(), one.registry().of::<Place>().unwrap()] {
                assert_eq!(one.pool_len(component), two.pool_len(component));
            }
            assert_eq!(one.deferred_blocks(), two.deferred_blocks());
            assert_eq!(places(&mut one, &ids), places(&mut two, &ids));
            if round > 0 {
                one.step();
                two.step();
            }
            assert_eq!(by_calls.take(), by_edit.take());
            assert_eq!(one.state_hash(), two.state_hash());
        }
        assert!(two.edit::<Entity>().is_err());
    }
}

#[test]
fn a_tag_is_a_component_of_size_0() {
    for threads in THREADS {
        let (mut world, _) = world(threads);
        let tag = world.registry().of::<Frozen>().unwrap();
        assert_eq!(world.registry().get(tag).size(), 0);
        let [_, with] = [world.spawn((Place { x: 1.0 },)), world.spawn((Place { x: 2.0 }, Frozen))];
        assert_eq!(
            (world.get::<Frozen>(with), world.peek_bytes(with, tag)),
            (Some(Frozen), Some([].as_slice()))
        );
        let seen = Seen::default();
        let noted = seen.clone();
        let visits = SystemDef::each::<(EntityId, &Frozen), _>("tagged", move |(id, _), _| noted.push(id));
        world.add_system(visits).unwrap();
        world.step();
        assert_eq!(seen.take(), [with]);
    }
}

#[test]
fn a_field_says_its_name_type_place_unit_range_and_role() {
    let field = Field::new("angle", Scalar::F32, 4).unit("rad").range(-4.0, 4.0).role(Role::Angle);
    let definition = ComponentDef::described("look", vec![Field::new("colour", Scalar::U32, 0), field]);
    let catalog = Catalog::new().define(definition).unwrap();
    let look = catalog.registry().by_name("look").map(|look| catalog.registry().get(look)).unwrap();
    let field = &look.fields()[1];
    assert_eq!(
        (&*field.name, field.scalar, field.offset, field.role),
        ("angle", Scalar::F32, 4, Role::Angle)
    );
    assert_eq!((field.unit.as_deref(), field.range, look.size()), (Some("rad"), Some((-4.0, 4.0)), 8));
}

#[test]
fn a_description_that_does_not_fit_its_block_is_refused() {
    let refused = |field| Catalog::new().define(Place::definition().field(field)).unwrap_err().to_string();
    assert!(refused(Field::new("behind", Scalar::F64, 8)).contains("does not fit its block of 8 bytes"));
    assert!(refused(Field::new("across", Scalar::U32, 2)).contains("does not fit"));
    assert!(refused(Field::new("x", Scalar::F64, 0)).contains("two fields named \"x\""));
    assert!(refused(Field::new("target", Scalar::U16, 0).role(Role::Entity)).contains("needs a"));
}

#[test]
fn attaching_has_the_config_at_load_and_none_at_run_time_or_adoption() {
    for threads in THREADS {
        let calls = Calls::default();
        let heard = calls.clone();
        let place = Place::definition().on_attach::<Place>(move |_, _, _, config| {
            heard.push(config.map_or("none".to_owned(), |config| format!("{:?}", config.get("x"))));
            Ok(())
        });
        let catalog = Catalog::new().define(place).and_then(Catalog::component::<Frozen>).unwrap();
        let mut world = world_of(&catalog, threads);
        let keys = r#""templates": { "post": { "x": 2 } }, "entities": [ { "x": 1 }, { "type": "post" } ]"#;
        load(&mut world, keys);
        let heard = calls.take();
        assert!(heard.len() == 2 && heard[0].contains('1') && heard[1].contains('2'), "{heard:?}");
        world.create(&config(r#"{ "x": 3 }"#)).unwrap();
        assert!(calls.take()[0].contains('3'));
        let id = world.spawn((Frozen,));
        world.add(id, Place { x: 4.0 }).unwrap();
        let creates =
            SystemDef::each::<&Frozen, _>("creates", |_, run| run.create(&config(r#"{ "x": 5 }"#)).map(drop));
        world.add_system(creates.creates(["place"])).unwrap();
        world.step();
        assert_eq!(calls.take(), ["none", "none"]);
    }
}

#[test]
fn an_attach_hook_may_create_entities_that_belong_to_its_own() {
    let link = Link::definition().on_attach::<Link>(|_, link, context, _| {
        link.target = context.world().spawn((Frozen,)).bits();
        Ok(())
    });
    let catalog = Catalog::new().define(link).and_then(Catalog::component::<Frozen>).unwrap();
    for threads in THREADS {
        let mut world = world_of(&catalog, threads);
        load(&mut world, r#""entities": [ { "target": null } ]"#);
        let parent = world.spawn((Link { target: 0 },));
        let creates = SystemDef::each::<&Frozen, _>("creates", |_, run| match run.tick() {
            1 => run.spawn((Link { target: 0 },)).map(drop),
            _ => Ok(()),
        });
        let id = world.add_system(creates.creates(["link"])).unwrap();
        world.step();
        world.remove_system(id);
        // Each of the two children that were there made an entity, whose hook made a child.
        assert_eq!(world.len(), 8);
        let child = EntityId::from_bits(world.get::<Link>(parent).unwrap().target).unwrap();
        assert_eq!(world.get::<Frozen>(child), Some(Frozen));
        let mut children = 0;
        world.each::<&Frozen>(|_| children += 1);
        assert_eq!((children, errors(&mut world)), (4, no_strings()));
    }
}

#[test]
fn the_components_a_merged_config_loads_can_be_told() {
    let (mut world, calls) = world(0);
    load(&mut world, r#""templates": { "post": { "x": 1, "health": 2 } }"#);
    let told = |world: &World, json: &str| -> Vec<String> {
        let components = world.factory().config_components(world.registry(), &config(json)).unwrap();
        components.into_iter().map(|c| world.registry().get(c).name().to_owned()).collect()
    };
    for json in [r#"{ "type": "post", "vx": 1 }"#, r#"{ "frozen": 0, "vx": "no number" }"#, "{}"] {
        let components = told(&world, json);
        assert_eq!((world.len(), calls.take()), (0, no_strings()), "nothing is made");
        if let Ok(id) = world.create(&config(json)) {
            assert_eq!(names(&world, id), components);
            world.clear();
            load(&mut world, r#""templates": { "post": { "x": 1, "health": 2 } }"#);
            calls.take();
        }
    }
    assert_eq!(told(&world, r#"{ "type": "post", "vx": 1 }"#), ["entity", "place", "speed", "health"]);
    load(&mut world, r#""classes": { "a": ["place"] }, "templates": { "t": { "class": "a", "x": 1 } }"#);
    let forbidden = config(r#"{ "type": "t", "vx": 1 }"#);
    let error = world.factory().config_components(world.registry(), &forbidden).unwrap_err();
    assert_eq!(Err(error), world.create(&forbidden));
}

#[test]
fn a_component_may_make_and_save_its_state_in_its_own_way() {
    let health = Health::definition()
        .load_keys(["health", "percent"])
        .from_config::<Health>(|config, _| {
            let percent = config.get("percent").and_then(Value::as_f64);
            Ok(Health { health: percent.map_or(0.0, |percent| percent / 100.0) })
        })
        .save_state::<Health>(|health, _, state| state.set("percent", health.health * 100.0));
    let mut world = world_of(&Catalog::new().define(health).unwrap(), 0);
    load(
        &mut world,
        r#""templates": { "t": { "health": 1 } }, "entities": [ { "type": "t", "percent": 50 } ]"#,
    );
    for form in [SaveForm::Plain, SaveForm::Compressed] {
        let text = world.save(form).unwrap();
        assert!(form == SaveForm::Compressed || text.contains(r#"{"type":"t","percent":50"#), "{text}");
        world.load("save.json", &text, &LoadOptions::default()).unwrap();
        let id = world.entities().next().unwrap();
        assert_eq!(world.get::<Health>(id), Some(Health { health: 0.5 }));
    }
}
