//! Every scene loads, runs without errors, and is the same whatever the threads, saved or not.

use vivarium_samples::{SampleScene, catalog, component, scenes};
use vivarium_world::{Document, LoadOptions, SaveForm, SchedulerKind, World, WorldOptions};

const STRICT: LoadOptions = LoadOptions { seed: None, deny_unknown: true };

fn scene(name: &str) -> &'static SampleScene {
    scenes().iter().find(|scene| scene.name == name).unwrap_or_else(|| panic!("no scene {name:?}"))
}

/// The scene's text, for the crowd with fewer bodies: the tests ask for what is right, not for how fast it is.
fn text(scene: &SampleScene) -> String {
    scene.text.replace(r#""target": 250000, "most": 25000"#, r#""target": 3000, "most": 400"#)
}

fn load(text: &str, threads: usize) -> World {
    let mut world = World::new(&catalog(), WorldOptions { threads, ..WorldOptions::default() }).unwrap();
    let report = world.load("scene.json", text, &STRICT).unwrap();
    assert_eq!(report.notes, [] as [&str; 0]);
    world
}

fn run(world: &mut World, steps: usize) -> u64 {
    (0..steps).for_each(|_| world.step());
    world.settle();
    let (errors, more) = world.take_errors();
    assert!(errors.is_empty() && more == 0, "{errors:?}");
    world.state_hash()
}

/// How many entities have a velocity.
fn bodies(world: &World) -> usize {
    world.entities().filter(|&id| world.peek::<component::Velocity>(id).is_some()).count()
}

#[test]
fn every_scene_says_about_itself_what_the_list_says() {
    for scene in scenes() {
        let document = Document::parse(scene.name, scene.text).unwrap();
        assert_eq!(document.header().about, scene.about);
        assert_eq!(document.header().name.to_lowercase(), scene.name);
        assert!(document.header().bounds.is_some(), "{}", scene.name);
    }
}

#[test]
fn every_scene_runs_without_errors() {
    for scene in scenes() {
        for threads in [0, 2] {
            run(&mut load(&text(scene), threads), 600);
        }
    }
}

#[test]
fn the_state_is_the_same_on_any_number_of_threads() {
    let conflict = |scene: &&SampleScene| {
        Document::parse(scene.name, scene.text).unwrap().header().scheduler == SchedulerKind::Conflict
    };
    let checked: Vec<_> = scenes().iter().filter(conflict).collect();
    assert_eq!(checked.len(), 2);
    for scene in checked {
        let hashes = [0, 1, 2, 8].map(|threads| run(&mut load(&text(scene), threads), 600));
        assert!(hashes.iter().all(|&hash| hash == hashes[0]), "{}: {hashes:x?}", scene.name);
    }
}

#[test]
fn a_loaded_save_goes_on_exactly_as_the_saved_world() {
    for scene in scenes() {
        for form in [SaveForm::Plain, SaveForm::Compressed] {
            let mut world = load(&text(scene), 0);
            let before = run(&mut world, 123);
            let saved = world.save(form).unwrap();
            let mut loaded = load(&saved, 0);
            assert_eq!(loaded.state_hash(), before, "{} {form:?}", scene.name);
            assert_eq!(run(&mut loaded, 100), run(&mut world, 100), "{} {form:?}", scene.name);
            assert_eq!(loaded.save(form).unwrap(), world.save(form).unwrap(), "{} {form:?}", scene.name);
        }
    }
}

#[test]
fn the_spawner_holds_the_number_of_bodies() {
    let mut world = load(scene("bouncing").text, 0);
    assert_eq!(bodies(&world), 300);
    for _ in 0..60 {
        run(&mut world, 50);
        let now = bodies(&world);
        assert!((285..=304).contains(&now), "{now}");
    }
}

#[test]
fn no_body_leaves_the_box() {
    let mut world = load(scene("bouncing").text, 0);
    for _ in 0..20 {
        run(&mut world, 50);
        for id in world.entities().collect::<Vec<_>>() {
            if let (Some(at), Some(_)) =
                (world.get::<component::Transform>(id), world.get::<component::Velocity>(id))
            {
                assert!((0.0..=1600.0).contains(&at.x) && (0.0..=1000.0).contains(&at.y), "{id} {at:?}");
            }
        }
    }
}

#[test]
fn the_crowd_fills_up_to_its_target_and_no_further() {
    let mut world = load(scene("crowd").text, 2);
    run(&mut world, 12);
    assert_eq!(bodies(&world), 250_000);
    assert_eq!(world.len(), 250_006);
}

#[test]
fn ships_call_at_stations_and_keep_their_cargo() {
    let mut world = load(scene("harbor").text, 0);
    run(&mut world, 4000);
    let cargo = world.registry().by_name("cargo").unwrap();
    let ships: Vec<_> = world.entities().filter(|&id| world.has(id, cargo)).collect();
    assert_eq!(ships.len(), 10);
    for id in ships {
        let voyage = world.get::<component::Voyage>(id).unwrap();
        assert!(voyage.calls >= 2, "{id} {voyage:?}");
        let target = vivarium_world::EntityId::from_bits(voyage.target).unwrap();
        assert_eq!(&*world.type_name(target), "station");
    }
}

#[test]
fn every_number_of_a_component_says_its_unit_or_range() {
    use vivarium_world::{Role, Scalar};
    let catalog = catalog();
    for (_, definition) in catalog.registry().iter().skip(1) {
        for field in definition.fields() {
            let described = field.unit.is_some() || field.range.is_some() || field.role != Role::Plain;
            assert!(described || field.scalar == Scalar::U32, "{}.{}", definition.name(), field.name);
        }
    }
}

#[test]
fn neighbours_that_move_the_same_bodies_run_as_one_and_do_what_they_do_apart() {
    for (name, joined) in [("crowd", "[1..4]"), ("bouncing", "[0..2]")] {
        let text = text(scene(name));
        let mut apart = load(&text, 0);
        apart.set_tiles(false);
        let wanted = run(&mut apart, 60);
        for threads in [0, 2] {
            let mut world = load(&text, threads);
            assert_eq!(format!("{:?}", world.plan().tiles()), joined, "{name}");
            assert_eq!(run(&mut world, 60), wanted, "{name} on {threads} threads");
        }
    }
}
