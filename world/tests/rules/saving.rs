//! Rules of saves: 9.6, and what of the world they hold.

use crate::common::*;
use vivarium_world::{Catalog, Changed, EntityId, LoadOptions, Run, SaveForm, SystemDef, World};

const FORMS: [SaveForm; 2] = [SaveForm::Plain, SaveForm::Compressed];

/// Things that move now and then, and what looks only at those that did.
fn watching() -> Catalog {
    let nudge = || {
        SystemDef::each::<(EntityId, &mut Speed), _>("nudge", |(_, speed), run: &mut Run| {
            speed.vx += run.random().next();
        })
        .every(48.0)
    };
    let follow = || {
        SystemDef::each::<(&Speed, Changed<Speed>, &mut Place), _>(
            "follow",
            |(speed, (), place), _: &mut Run| {
                place.x += speed.vx;
            },
        )
        .every(80.0)
    };
    let count = || {
        SystemDef::each::<(&Place, Changed<Place>, &mut Health), _>(
            "count",
            |(_, (), health), _: &mut Run| {
                health.health += 1.0;
            },
        )
    };
    catalog(&Calls::default()).system(nudge).system(follow).system(count)
}

fn watched(threads: usize) -> World {
    let mut world = world_of(&watching(), threads);
    let entities: Vec<String> = (0..100)
        .map(|k| match k % 3 {
            0 => format!(r#"{{ "x": {k}, "vx": 0.5, "health": 0 }}"#),
            1 => format!(r#"{{ "x": {k}, "health": 3 }}"#),
            _ => format!(r#"{{ "x": {k}, "vx": {k} }}"#),
        })
        .collect();
    load(
        &mut world,
        &format!(
            r#""step": 16, "systems": [ {{ "system": "follow" }}, {{ "system": "nudge" }}, {{ "system": "count" }} ],
            "world": {{ "x": 5, "vx": 1, "health": 0 }}, "entities": [ {} ]"#,
            entities.join(", ")
        ),
    );
    world
}

fn steps(world: &mut World, count: usize) -> u64 {
    (0..count).for_each(|_| world.step());
    world.state_hash()
}

#[test]
fn a_save_holds_what_queries_for_changes_have_not_seen() {
    for form in FORMS {
        for before in 0..12 {
            let mut world = watched(1);
            steps(&mut world, before);
            // Written by hand, and not seen by anybody: of the list, and of the world itself.
            let ids: Vec<_> = world.entities().collect();
            world.set(ids[7], Place { x: 77.0 }).unwrap();
            world.remove(ids[50]);
            world.set_resource(Speed { vx: 9.0 }).unwrap();
            let text = world.save(form).unwrap();
            let mut loaded = world_of(&watching(), 0);
            loaded.load("save.json", &text, &LoadOptions::default()).unwrap();
            assert_eq!(loaded.save(form).unwrap(), text);
            for more in [1, 4, 20] {
                assert_eq!(steps(&mut loaded, more), steps(&mut world, more), "{form:?} {before} {more}");
            }
            assert_eq!(loaded.save(form).unwrap(), world.save(form).unwrap());
        }
    }
}

#[test]
fn what_was_not_seen_is_a_fault_if_it_does_not_fit_the_system() {
    let mut world = watched(0);
    steps(&mut world, 3);
    let text = world.save(SaveForm::Plain).unwrap();
    let start = text.find("\"unseen\": [").unwrap() + 11;
    let end = start + text[start..].find(']').unwrap();
    for (unseen, expected) in [
        ("", "key \"unseen\": the system looks for changes of 1 components, not of 0"),
        ("null, null", "looks for changes of 1 components, not of 2"),
        ("7", "key \"unseen\": expected a text, found 7"),
        ("\"P\"", "does not say places of the list"),
        ("\"#aO\"", "does not say places of the list"),
    ] {
        let broken = format!("{}{unseen}{}", &text[..start], &text[end..]);
        let broken =
            if unseen.is_empty() { text.replacen("\"unseen\": [", "\"unseen\": [null, ", 1) } else { broken };
        let error = world.load("save.json", &broken, &LoadOptions::default()).unwrap_err().to_string();
        let expected = if unseen.is_empty() { "of 1 components, not of 2" } else { expected };
        assert!(error.contains(expected), "{unseen}: {error}");
    }
}

#[test]
fn a_save_leaves_out_what_its_template_says_and_what_is_nothing() {
    let (mut world, _) = world(0);
    let keys = r#""templates": { "ship": { "health": 100, "vx": 0, "target": null } },
        "entities": [ { "type": "ship", "x": 1 }, { "type": "ship", "x": 2, "vx": 3, "target": 0 },
        { "type": "ship", "health": 5 }, { "x": 7, "target": null }, { "target": null } ]"#;
    load(&mut world, keys);
    let ids: Vec<_> = world.entities().collect();
    let text = world.save(SaveForm::Plain).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("    {\"")).map(str::trim).collect();
    let expected = [
        r#"{"type":"ship","x":1},"#,
        r#"{"type":"ship","x":2,"vx":3,"target":0},"#,
        r#"{"type":"ship","health":5},"#,
        r#"{"x":7,"target":null},"#,
        r#"{"target":null}"#,
    ];
    assert_eq!(lines, expected, "{text}");
    world.remove_component::<Speed>(ids[0]).unwrap();
    world.set(ids[1], Speed { vx: 0.0 }).unwrap();
    world.kill(ids[2]);
    for form in FORMS {
        let text = world.save(form).unwrap();
        let (mut loaded, _) = crate::common::world(0);
        loaded.load("save.json", &text, &LoadOptions::default()).unwrap();
        assert_eq!(loaded.state_hash(), world.state_hash(), "{text}");
    }
}

#[test]
fn a_compressed_save_has_no_sign_that_only_people_need() {
    let (mut world, _) = world(0);
    let entities: Vec<String> =
        (0..300).map(|k| format!(r#"{{ "type": "a", "x": {k}, "health": 7 }}"#)).collect();
    load(&mut world, &format!(r#""name": "A b", "entities": [ {} ]"#, entities.join(", ")));
    let text = world.save(SaveForm::Compressed).unwrap();
    assert_eq!(text.matches([' ', '\n']).count(), 2, "{text}");
    assert!(text.len() < 300 * 8, "{}", text.len());
}
