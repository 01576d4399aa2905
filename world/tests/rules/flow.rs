//! From a scene's text through ticks to a save and back: the same state each way.

use crate::support::{Position, SCENE, catalog};
use vivarium_world::{LoadOptions, SaveForm, World, WorldOptions};

fn world(threads: usize) -> World {
    let mut world = World::new(&catalog(), WorldOptions { threads, ..WorldOptions::default() }).unwrap();
    world.load("sparks.json", SCENE, &LoadOptions::default()).unwrap();
    world
}

fn hash_after(world: &mut World, steps: usize) -> u64 {
    (0..steps).for_each(|_| world.step());
    let (errors, more) = world.take_errors();
    assert!(errors.is_empty() && more == 0, "{errors:?}");
    world.state_hash()
}

#[test]
fn entities_move_age_die_and_come_again() {
    let mut world = world(0);
    hash_after(&mut world, 100);
    assert!(world.len() > 40 && world.len() < 60, "{}", world.len());
    assert!(world.entities().count() == world.len());
    let first = world.by_ordinal(vivarium_world::Ordinal(1)).unwrap();
    assert_eq!(world.get::<Position>(first).map(|position| position.x), Some(5.0));
}

#[test]
fn the_state_is_the_same_on_any_number_of_threads() {
    let hashes = [0, 1, 2, 8].map(|threads| hash_after(&mut world(threads), 150));
    assert!(hashes.iter().all(|&hash| hash == hashes[0]), "{hashes:x?}");
}

#[test]
fn a_loaded_save_goes_on_exactly_as_the_saved_world() {
    for form in [SaveForm::Plain, SaveForm::Compressed] {
        let mut world = world(2);
        let before = hash_after(&mut world, 77);
        let text = world.save(form).unwrap();
        let mut loaded = World::new(&catalog(), WorldOptions::default()).unwrap();
        loaded.load("save.json", &text, &LoadOptions::default()).unwrap();
        assert_eq!(loaded.state_hash(), before, "{form:?}\n{text}");
        assert_eq!(hash_after(&mut loaded, 150), hash_after(&mut world, 150), "{form:?}");
        let again = loaded.save(form).unwrap();
        assert_eq!(again, world.save(form).unwrap());
    }
}

#[test]
fn a_scene_with_faults_leaves_the_world_as_it_was_and_lists_them_all() {
    let mut world = world(1);
    let before = hash_after(&mut world, 10);
    let broken = SCENE.replace("\"movement\"", "\"movment\"").replace("\"vx\": 3", "\"vx\": \"fast\"");
    let error = world.load("broken.json", &broken, &LoadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("movement") && error.contains("a number is expected, not a text"), "{error}");
    assert!(error.contains("broken.json:3:"), "{error}");
    assert_eq!(world.state_hash(), before);
}

#[test]
fn systems_visit_the_entities_of_a_loaded_save_in_the_order_they_had() {
    // Every visit draws a number, so another order gives other ages.
    let scene =
        SCENE.replace(r#"{ "system": "movement" }"#, r#"{ "system": "movement" }, { "system": "jitter" }"#);
    let mut world = World::new(&catalog(), WorldOptions::default()).unwrap();
    world.load("jitter.json", &scene, &LoadOptions::default()).unwrap();
    for _ in 0..5 {
        hash_after(&mut world, 31);
        let text = world.save(SaveForm::Compressed).unwrap();
        assert!(text.contains("\"layout\""), "{text}");
        let mut loaded = World::new(&catalog(), WorldOptions::default()).unwrap();
        loaded.load("save.json", &text, &LoadOptions::default()).unwrap();
        assert_eq!(hash_after(&mut loaded, 60), hash_after(&mut world, 60));
    }
}

#[test]
fn a_layout_that_does_not_fit_is_a_fault() {
    let mut world = world(0);
    hash_after(&mut world, 100);
    let text = world.save(SaveForm::Plain).unwrap();
    let start = text.find("\"rows\":\"").unwrap() + 8;
    for (broken, expected) in [
        (format!("{}$$$$$$\"}}\n}}", &text[..start]), "does not give one row to each"),
        (text.replace("\"extents\":\"", "\"extents\":\"O"), "no archetype 44"),
        (text.replace("\"archetypes\":[[", "\"archetypes\":[[\"wings\","), "no component \"wings\""),
    ] {
        let before = world.state_hash();
        let error = world.load("save.json", &broken, &LoadOptions::default()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert_eq!(world.state_hash(), before);
    }
}

#[test]
fn updates_may_overlap_and_the_state_is_still_the_same() {
    let scene =
        SCENE.replace(r#"{ "system": "movement" }"#, r#"{ "system": "movement" }, { "system": "jitter" }"#);
    let run = |threads: usize, settle_every: usize| {
        let mut world = World::new(&catalog(), WorldOptions { threads, ..WorldOptions::default() }).unwrap();
        world.load("jitter.json", &scene, &LoadOptions::default()).unwrap();
        for step in 1..=200 {
            world.update(16.0);
            if step % settle_every == 0 {
                world.settle();
            }
        }
        assert_eq!(world.clocks().tick, 200);
        (hash_after(&mut world, 0), world.len())
    };
    let expected = run(0, 1);
    for (threads, settle_every) in [(0, 1000), (1, 1), (1, 1000), (2, 7), (2, 1000), (8, 1000)] {
        assert_eq!(run(threads, settle_every), expected, "{threads} threads, settled every {settle_every}");
    }
}

#[test]
fn a_wrong_value_in_a_template_is_named_once_where_it_stands() {
    let scene = SCENE.replace(r#""spark": { "age": 0 }"#, r#""spark": { "age": "old", "isStatic": 1 }"#);
    let mut world = World::new(&catalog(), WorldOptions::default()).unwrap();
    let error = world.load("broken.json", &scene, &LoadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("broken.json:2:") && error.contains("\"spark\""), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
}
