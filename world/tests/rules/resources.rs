//! Rules of resources: components of the world itself.

use crate::common::*;
use vivarium_world::{LoadOptions, SaveForm, SystemDef, World};

#[test]
fn a_resource_is_read_and_written_and_is_no_entity_of_the_list() {
    let (mut world, _) = world(0);
    assert_eq!((world.world_entity(), world.resource::<Health>()), (None, None));
    world.set_resource(Health { health: 1.0 }).unwrap();
    world.set_resource(Health { health: 2.0 }).unwrap();
    world.set_resource(Frozen).unwrap();
    assert_eq!(world.resource::<Health>(), Some(Health { health: 2.0 }));
    assert_eq!(world.len(), 0);
    assert_eq!(world.entities().count(), 0);
    let id = world.world_entity().unwrap();
    assert!(!world.kill(id) && !world.remove(id) && world.ordinal(id).is_none());
    world.remove_component::<Frozen>(id).unwrap();
    assert_eq!(world.resource::<Frozen>(), None);
}

#[test]
fn systems_use_resources_like_any_component() {
    for threads in THREADS {
        let (mut world, _) = world(threads);
        world.set_resource(Health { health: 0.0 }).unwrap();
        world.spawn((Place { x: 5.0 },));
        world
            .add_system(SystemDef::each::<(&mut Health,), _>("scores", |(health,), _| health.health += 1.0))
            .unwrap();
        let sets = SystemDef::each::<(&mut Place,), _>("reads", |(place,), run| {
            let own = run.world_entity().ok_or("there is none")?;
            place.x += run.read::<Health>(own)?.ok_or("it has none")?.health;
            run.set(own, Speed { vx: place.x }).map_err(|error| error.to_string())
        });
        world.add_system(sets.reads::<Health>().writes::<Speed>()).unwrap();
        world.set_resource(Speed { vx: 0.0 }).unwrap();
        for _ in 0..3 {
            world.step();
        }
        assert_eq!(errors(&mut world), no_strings());
        assert_eq!(world.resource::<Health>(), Some(Health { health: 3.0 }));
        assert_eq!(world.resource::<Speed>(), Some(Speed { vx: 11.0 }));
    }
}

fn round_trip(world: &mut World) {
    for form in [SaveForm::Plain, SaveForm::Compressed] {
        let (before, text) = (world.state_hash(), world.save(form).unwrap());
        world.load("save.json", &text, &LoadOptions::default()).unwrap();
        assert_eq!(world.state_hash(), before, "{text}");
    }
}

#[test]
fn resources_are_saved_and_loaded_under_the_key_world() {
    let (mut world, calls) = world(0);
    let keys = r#""classes": { "a": ["place"] }, "templates": { "t": { "class": "a", "x": 1 } },
        "world": { "health": 7, "frozen": true, "target": 0 }, "entities": [ { "type": "t" } ]"#;
    load(&mut world, keys);
    assert_eq!(world.resource::<Health>(), Some(Health { health: 7.0 }));
    let first = world.entities().next().unwrap();
    assert_eq!(world.resource::<Link>(), Some(Link { target: first.bits() }));
    assert!(!world.save(SaveForm::Plain).unwrap().contains("layout"), "a load gives the same rows");
    let before = world.state_hash();
    world.set_resource(Health { health: 8.0 }).unwrap();
    assert_ne!(world.state_hash(), before, "resources are state");
    round_trip(&mut world);
    world.set_resource(Speed { vx: 3.0 }).unwrap();
    round_trip(&mut world);
    assert_eq!(world.resource::<Speed>(), Some(Speed { vx: 3.0 }));
    world.clear();
    assert_eq!(world.world_entity(), None);
    for part in ["place", "speed", "health"] {
        assert_eq!(calls.count(&format!("attach {part}")), calls.count(&format!("free {part}")), "{part}");
    }
}

#[test]
fn a_fault_of_a_resource_names_its_place() {
    let (mut world, _) = world(0);
    let error = faults(&mut world, r#""world": { "health": "much" }"#);
    assert!(error.contains("world") && error.contains("\"health\""), "{error}");
    let error = faults(&mut world, r#""world": { "target": "me" }"#);
    assert!(error.contains("world") && error.contains("\"target\""), "{error}");
    let report = load(&mut world, r#""world": { "helth": 1 }"#);
    assert!(report.notes.iter().any(|note| note.contains("\"helth\"")), "{:?}", report.notes);
    world.set_resource(Health { health: f64::INFINITY }).unwrap();
    assert!(world.save(SaveForm::Plain).unwrap_err().to_string().contains("health"));
}

#[test]
fn compaction_keeps_resources() {
    let (mut world, _) = world(0);
    world.spawn((Place { x: 1.0 },));
    world.set_resource(Health { health: 7.0 }).unwrap();
    let id = world.spawn((Place { x: 2.0 },));
    world.add(id, Speed { vx: 1.0 }).unwrap();
    let before = world.state_hash();
    world.compact();
    assert_eq!(world.state_hash(), before);
    assert_eq!(world.resource::<Health>(), Some(Health { health: 7.0 }));
}
