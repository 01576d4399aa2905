//! Hostile scenes: each is loaded or refused with a clear message, in bounded time and memory, and never half.

use crate::common::*;
use crate::support;
use vivarium_world::{LoadOptions, SaveForm, World, WorldOptions};

fn load_text(text: &str) -> Result<World, String> {
    let (mut world, _) = world(0);
    let loaded = world.load("hostile.json", text, &LoadOptions::default());
    loaded.map(|_| world).map_err(|error| error.to_string())
}

/// The message of a scene that must not load.
fn refused(text: &str) -> String {
    match load_text(text) {
        Ok(world) => panic!("{} entities were loaded", world.len()),
        Err(message) => message,
    }
}

#[test]
fn a_save_that_claims_a_million_million_entities_is_refused() {
    // As a varint.
    let mut number = String::new();
    let mut left = 1_000_000_000_000_u64;
    let (more, last) = (
        "PQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}".as_bytes(),
        "#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNO".as_bytes(),
    );
    while left >= 45 {
        number.push(char::from(more[(left % 45) as usize]));
        left /= 45;
    }
    number.push(char::from(last[left as usize]));
    let entity = r#""entities": [ { "x": 1 } ]"#;
    for (rest, expected) in [
        (
            format!(r##""layout": {{ "archetypes": [["place"]], "extents": "#", "rows": "#{number}" }}"##),
            "does not give one row",
        ),
        (
            format!(r##""layout": {{ "archetypes": [["place"]], "extents": "#", "rows": "{number}$" }}"##),
            "does not give one row",
        ),
        (
            format!(r##""layout": {{ "archetypes": [["place"]], "extents": "{number}", "rows": "#$" }}"##),
            "no archetype 1000000000000",
        ),
        (r#""layout": { "archetypes": [], "extents": "", "rows": "" }"#.to_owned(), "does not give one row"),
    ] {
        let error = refused(&scene(&format!("{entity}, {rest}")));
        assert!(error.contains(expected) && error.contains("hostile.json:"), "{error}");
    }
    let string = format!(
        r#""entities": [ "{number}$" ], "entityDefinitions": {{ "0": {{ "type": "a", "properties": [] }} }}"#
    );
    assert!(refused(&scene(&string)).contains("no definition has the key 1000000000000"));
    let text = format!(
        r##""entities": [ "#{number}x" ], "entityDefinitions": {{ "0": {{ "type": "a", "properties": [ {{ "name": "t", "type": "string" }} ] }} }}"##
    );
    assert!(refused(&scene(&text)).contains("a text of 1000000000000 UTF-16 units goes beyond the end"));
}

#[test]
fn a_layout_of_very_many_extents_takes_no_memory_for_blocks() {
    let extents = "#".repeat(100_000);
    let layout =
        format!(r##""layout": {{ "archetypes": [["place"]], "extents": "{extents}", "rows": "#$" }}"##);
    let mut world = load_text(&scene(&format!(r#""entities": [ {{ "x": 1 }} ], {layout}"#))).unwrap();
    assert_eq!(world.len(), 1);
    assert!(world.bytes() < 100 << 20, "{}", world.bytes());
    world.step();
}

#[test]
fn cyclic_references_are_references_like_others() {
    let mut world =
        load_text(&scene(r#""entities": [ { "target": 0 }, { "target": 2 }, { "target": 1 } ]"#)).unwrap();
    let ids: Vec<_> = world.entities().collect();
    let targets = ids.iter().map(|&id| world.get::<Link>(id).unwrap().target).collect::<Vec<_>>();
    assert_eq!(targets, [ids[0].bits(), ids[2].bits(), ids[1].bits()]);
    let text = world.save(SaveForm::Plain).unwrap();
    assert_eq!(load_text(&text).unwrap().state_hash(), world.state_hash());
}

#[test]
fn enormous_numbers_are_refused_or_harmless() {
    for keys in [
        r#""tick": 18446744073709551615"#,
        r#""systems": [ { "system": "movement", "runs": 18446744073709551615 } ]"#,
        r#""gameTime": -1"#,
        r#""step": 0"#,
        r#""timeScale": -1e308"#,
        r#""gameTime": 1e999"#,
        r#""entities": [ { "x": 1e999 } ]"#,
        r#""random": { "seed": 1e300 }"#,
    ] {
        let mut world = World::new(&support::catalog(), WorldOptions::default()).unwrap();
        let text = format!("{{ \"vivarium\": 1, {keys} }}");
        assert!(world.load("hostile.json", &text, &LoadOptions::default()).is_err(), "{keys}");
    }
    for keys in [
        r#""tick": 9007199254740991"#,
        r#""systems": [ { "system": "movement", "runs": 9007199254740991, "accumulated": 1e308, "every": 1e-300 } ]"#,
        r#""gameTime": 1e308, "playerTime": 1e308, "accumulated": 1e308, "timeScale": 1e308"#,
        r#""step": 1e-300"#,
        r#""random": { "seed": 9007199254740991, "position": 18446744073709551615 }"#,
        r#""entities": [ { "x": 1e38, "y": -1e-300, "vx": 3.4e38, "vy": 0 } ], "systems": [ { "system": "movement" } ]"#,
    ] {
        let mut world = World::new(&support::catalog(), WorldOptions::default()).unwrap();
        let text = format!("{{ \"vivarium\": 1, {keys} }}");
        world
            .load("hostile.json", &text, &LoadOptions::default())
            .unwrap_or_else(|error| panic!("{keys}: {error}"));
        (0..3).for_each(|_| world.step());
        world.update(1e300);
    }
}

#[test]
fn a_hundred_megabytes_of_spaces_are_passed_over() {
    let spaces = " ".repeat(100 << 20);
    assert!(refused(&spaces).contains("the text is empty"));
    let between = format!("{{ \"vivarium\": 1, \"entities\": [ {{ {spaces} \"x\": 1 }} ] }}");
    assert_eq!(load_text(&between).unwrap().len(), 1);
}

#[test]
fn keys_that_stand_twice_are_named_wherever_they_stand() {
    for (keys, expected) in [
        (r#""name": "a", "name": "b""#, "key \"name\": stands twice"),
        (r#""entities": [ { "x": 1, "x": 2 } ]"#, "entity 0: key \"x\": stands twice"),
        (r#""entities": [], "entities": []"#, "key \"entities\": stands twice"),
        (r#""templates": { "a": {}, "a": {} }"#, "stands twice"),
        (r#""world": { "x": 1, "x": 2 }"#, "stands twice"),
    ] {
        let error = refused(&scene(keys));
        assert!(error.contains(expected), "{keys}: {error}");
    }
}

#[test]
fn a_world_without_a_resource_is_saved_as_it_is() {
    let mut world = load_text(&scene(r#""world": { "nobody": 1 }"#)).unwrap();
    let text = world.save(SaveForm::Plain).unwrap();
    assert_eq!(load_text(&text).unwrap().state_hash(), world.state_hash());
    world.set_resource(Health { health: 1.0 }).unwrap();
    let own = world.world_entity().unwrap();
    world.remove_component::<Health>(own).unwrap();
    let text = world.save(SaveForm::Plain).unwrap();
    assert_eq!(load_text(&text).unwrap().state_hash(), world.state_hash());
}
