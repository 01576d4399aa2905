//! What is at the limits of what a scene can say is loaded and saved exactly, or refused by name; in bounded time.

use crate::common::*;
use std::time::{Duration, Instant};
use vivarium_world::{
    Catalog, Config, EntityId, FieldValue, LoadOptions, SaveForm, SceneHeader, SceneText, Value, World,
};

const FORMS: [SaveForm; 2] = [SaveForm::Plain, SaveForm::Compressed];

fn loaded(text: &str) -> World {
    let (mut world, _) = world(0);
    let report = world.load("limits.json", text, &LoadOptions::default());
    report.unwrap_or_else(|error| panic!("{error}\n{}", &text[..text.len().min(2000)]));
    world
}

fn refused(text: &str) -> String {
    let (mut world, _) = world(0);
    let error = world.load("limits.json", text, &LoadOptions::default()).expect_err("it is refused");
    error.to_string()
}

/// Checks that a world comes back from either form of save as it was, and that its save then is the same text.
#[track_caller]
fn comes_back(world: &mut World) {
    for form in FORMS {
        let text = world.save(form).unwrap();
        let mut again = loaded(&text);
        assert_eq!(again.state_hash(), world.state_hash(), "{form:?}");
        assert_eq!(again.save(form).unwrap(), text);
    }
}

/// The first field of a component of an entity.
fn field(world: &World, id: EntityId, component: &str) -> FieldValue {
    world.field(id, world.registry().by_name(component).unwrap(), 0).unwrap()
}

/// A scene of entities with one number each, in a field of a type.
fn numbers(scalar: &str, numbers: &[&str]) -> String {
    let entities: Vec<String> = numbers.iter().map(|n| format!(r#"{{ "type": "t", "n": {n} }}"#)).collect();
    let fields = format!(r#"[ {{ "name": "n", "type": "{scalar}" }} ]"#);
    scene(&format!(
        r#""components": {{ "number": {{ "fields": {fields} }} }}, "entities": [ {} ]"#,
        entities.join(", ")
    ))
}

#[test]
fn numbers_at_the_limits_of_every_type_come_back_exactly() {
    for (scalar, least, greatest) in [
        ("u8", "0", "255"),
        ("u16", "0", "65535"),
        ("u32", "0", "4294967295"),
        ("u64", "9007199254740993", "18446744073709551615"),
        ("i8", "-128", "127"),
        ("i16", "-32768", "32767"),
        ("i32", "-2147483648", "2147483647"),
        ("i64", "-9223372036854775808", "9223372036854775807"),
        ("f32", "-3.4028235e38", "3.4028235e38"),
        ("f64", "-1.7976931348623157e308", "1.7976931348623157e308"),
    ] {
        let mut world = loaded(&numbers(scalar, &[least, greatest, "0", "1", least]));
        let ids: Vec<EntityId> = world.entities().collect();
        let shown = |id| match field(&world, id, "number") {
            FieldValue::Float(n) if scalar == "f32" => format!("{:e}", n as f32),
            FieldValue::Float(n) => format!("{n:e}"),
            other => other.to_string(),
        };
        assert_eq!((shown(ids[0]), shown(ids[1])), (least.to_owned(), greatest.to_owned()), "{scalar}");
        comes_back(&mut world);
    }
    for scalar in ["f32", "f64"] {
        let small = ["-0.0", "0.0", "1e-45", "-5e-324", "1.1754943508222875e-38", "0.1", "16777217", "1e22"];
        comes_back(&mut loaded(&numbers(scalar, &small)));
    }
    comes_back(&mut loaded(&numbers("bool8", &["true", "false"])));
}

#[test]
fn a_number_beyond_its_type_is_refused_by_its_key() {
    for (scalar, number) in [
        ("u8", "256"),
        ("u8", "-1"),
        ("u8", "0.5"),
        ("u64", "18446744073709551616"),
        ("i64", "9223372036854775808"),
        ("i64", "1e19"),
        ("f32", "3.5e38"),
        ("f64", "1e309"),
        ("bool8", "2"),
        ("u32", "null"),
        ("u32", "true"),
        ("f64", "\"NaN\""),
        ("f64", "{}"),
    ] {
        let error = refused(&numbers(
            scalar,
            &["1", number].map(|n| if scalar == "bool8" && n == "1" { "true" } else { n }),
        ));
        assert!(
            error.contains("limits.json:1:") && error.contains("entity 1 (\"t\"): key \"n\": "),
            "{error}"
        );
    }
}

#[test]
fn what_is_not_finite_is_refused_with_the_creation_number_and_the_key() {
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let (mut world, _) = world(0);
        let ids: Vec<EntityId> = (0..3).map(|x| world.spawn((Place { x: f64::from(x) },))).collect();
        world.remove(ids[0]);
        world.set(ids[2], Place { x: number }).unwrap();
        for form in FORMS {
            let error = world.save(form).unwrap_err().to_string();
            assert!(error.starts_with("entity #2 ") && error.contains("x is not a finite number"), "{error}");
        }
        world.set(ids[2], Place { x: -0.0 }).unwrap();
        comes_back(&mut world);
    }
}

#[test]
fn a_number_that_is_not_finite_is_found_inside_what_a_component_saves_in_its_own_way() {
    use bytemuck::{Pod, Zeroable};
    use vivarium_world::{Component, ComponentDef};
    #[derive(Clone, Copy, Pod, Zeroable)]
    #[repr(C)]
    struct Deep(f64);
    impl Component for Deep {
        const NAME: &'static str = "deep";
        fn definition() -> ComponentDef {
            ComponentDef::of::<Self>().load_keys(["deep"]).save_state(|deep: &Self, _, out| {
                let inner = Config::from_iter([("n", Value::from(deep.0))]);
                out.set("deep", Value::List(vec![Value::Object(inner)]));
            })
        }
    }
    let mut world = world_of(&Catalog::new().component::<Deep>().unwrap(), 0);
    let id = world.spawn((Deep(f64::NAN),));
    let error = world.save(SaveForm::Plain).unwrap_err().to_string();
    assert!(error.contains("deep is not a finite number"), "{error}");
    world.set(id, Deep(0.5)).unwrap();
    assert!(world.save(SaveForm::Plain).unwrap().contains(r#""deep":[{"n":0.5}]"#));
}

/// Names of all sorts.
const NAMES: [&str; 9] = [
    "a \"quoted\" one",
    "back\\slash",
    "two\nlines\r\n\tand a tab",
    "\u{0}\u{1f}\u{7f}",
    "ünïcödé €😀",
    "\u{202e}right to left\u{2066}",
    "#g(q-!ok{)",
    " blank ",
    "{\"x\": 1}",
];

#[test]
fn names_and_texts_of_any_signs_come_back() {
    let mut header =
        SceneHeader { name: NAMES.concat(), about: NAMES.join("\u{2028}"), ..SceneHeader::default() };
    for (place, name) in NAMES.iter().enumerate() {
        let config = Config::from_iter([("label", Value::from(*name)), ("x", Value::from(place as u64))]);
        let template =
            vivarium_world::SceneTemplate { name: (*name).to_owned(), config: config.into_owned() };
        header.templates.push(template);
    }
    let components = format!(
        r#"{{"vivarium": 1, "components": {{"text": {{"fields": [{{"name": {0}, "type": "u32", "role": "text", "key": "label"}}]}}}}}}"#,
        serde_json::to_string(NAMES[0]).unwrap()
    );
    let parsed = vivarium_world::Document::parse("components", &components).unwrap();
    header.components = parsed.header().components.clone();
    let mut text = SceneText::new(&header);
    for name in NAMES {
        text.push_config(&Config::from_iter([("type", Value::from(name))]));
        text.push_config(&Config::from_iter([
            ("type", Value::from(name)),
            ("label", Value::from(format!("{name}!"))),
        ]));
        text.push_config(&Config::from_iter([("label", Value::from(""))]));
        text.push_config(&Config::from_iter([("label", Value::from(name))]));
    }
    let mut world = loaded(&text.finish(None));
    let ids: Vec<EntityId> = world.entities().collect();
    for (place, name) in NAMES.iter().enumerate() {
        assert_eq!(&*world.type_name(ids[4 * place]), *name);
        let label = |id| field(&world, id, "text");
        assert_eq!(label(ids[4 * place]), FieldValue::Text((*name).to_owned()));
        assert_eq!(label(ids[4 * place + 2]), FieldValue::Text(String::new()));
    }
    comes_back(&mut world);
    assert_eq!(loaded(&world.save(SaveForm::Plain).unwrap()).info().name, NAMES.concat());
}

#[test]
fn an_empty_name_is_refused_where_something_has_to_be_called_by_it() {
    for (keys, part) in [
        (r#""templates": { "": { "x": 1 } }"#, "template \"\""),
        (r#""classes": { "": [ "place" ] }"#, "class \"\""),
        (r#""components": { "": { "fields": [] } }"#, "component \"\""),
        (r#""systems": [ { "system": "" } ]"#, "system 0"),
    ] {
        let error = refused(&scene(keys));
        assert!(error.contains(part) && error.contains("one character"), "{error}");
    }
    // A type that is empty is none.
    let mut world = loaded(&scene(r#""entities": [ { "type": "", "x": 1 }, { "x": 1 } ]"#));
    comes_back(&mut world);
}

#[test]
fn times_at_the_end_of_numbers_stay_numbers() {
    let most = "1.7976931348623157e308";
    for step in ["", r#", "step": 1e308"#, r#", "step": 1e-300"#] {
        let mut world = loaded(&scene(&format!(
            r#""gameTime": {most}, "playerTime": {most}, "accumulated": {most}, "timeScale": {most},
               "tick": 9007199254740900, "entities": [ {{ "x": 1 }} ] {step}"#
        )));
        world.update(f64::MAX);
        world.update(16.0);
        world.step();
        comes_back(&mut world);
    }
}

/// Checks that something takes no longer than what is proportional to its size may take, on a slow machine too.
fn in_bounded_time<R>(what: &str, act: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let result = act();
    assert!(start.elapsed() < Duration::from_secs(60), "{what} took {:?}", start.elapsed());
    result
}

/// So many templates, each with a key that nobody loads, and an entity of each.
fn templates(count: usize) -> String {
    let template = |n: usize| format!(r#""type {n}": {{ "x": {n}, "strange {n}": 0 }}"#);
    let templates: Vec<String> = (0..count).map(template).collect();
    let entities: Vec<String> = (0..count).map(|n| format!(r#"{{ "type": "type {n}" }}"#)).collect();
    let (templates, entities) = (templates.join(", "), entities.join(", "));
    scene(&format!(r#""templates": {{ {templates} }}, "entities": [ {entities} ]"#))
}

#[test]
fn ten_thousand_templates_come_back() {
    in_bounded_time("a scene of very many templates", || {
        let (mut world, _) = world(0);
        let report = world.load("limits.json", &templates(10_000), &LoadOptions::default()).unwrap();
        assert!(report.notes.len() < 110, "{}", report.notes.len());
        assert!(report.notes.iter().any(|note| note.contains("9900 more keys")), "{:?}", report.notes.last());
        comes_back(&mut world);
    });
}

#[test]
fn the_same_fault_in_thousands_of_parts_takes_bounded_time() {
    let text = templates(3000);
    in_bounded_time("unknown keys", || {
        let (mut world, _) = world(0);
        let options = LoadOptions { deny_unknown: true, ..LoadOptions::default() };
        let error = world.load("limits.json", &text, &options).unwrap_err().to_string();
        assert!(error.ends_with("and 2900 more"), "{}", error.len());
    });
    in_bounded_time("unknown types", || {
        let classed = text.replace("\"strange", "\"class\": \"a\", \"strange");
        let misspelt = classed.replace("{ \"type\": \"type", "{ \"type\": \"typo");
        let error =
            refused(&misspelt.replace("\"entities\"", r#""classes": { "a": [ "place" ] }, "entities""#));
        let first = "entity 0 (\"typo 0\"): key \"type\": no template is named \"typo 0\"; did you mean";
        assert!(error.contains(first) && error.ends_with("and 2900 more"), "{}", &error[..400]);
    });
}

#[test]
fn an_entity_and_a_component_of_very_many_keys_take_bounded_time() {
    const KEYS: usize = 20_000;
    let fields: Vec<String> =
        (0..KEYS).map(|n| format!(r#"{{ "name": "field {n}", "type": "u8" }}"#)).collect();
    let keys = |from: usize| -> String {
        (from..KEYS).map(|n| format!(r#""field {n}": {}"#, n % 256)).collect::<Vec<_>>().join(", ")
    };
    let text = scene(&format!(
        r#""components": {{ "wide": {{ "fields": [ {} ] }} }}, "templates": {{ "wide": {{ {} }} }},
           "entities": [ {{ "type": "wide", {} }}, {{ "type": "wide" }}, {{ {} }} ]"#,
        fields.join(", "),
        keys(0),
        keys(KEYS / 2),
        keys(1),
    ));
    in_bounded_time("an entity of very many keys", || comes_back(&mut loaded(&text)));
}

#[test]
fn values_nested_deeply_are_passed_over_or_refused() {
    let nested = |levels: usize| {
        let value = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        scene(&format!(
            r#""templates": {{ "t": {{ "a": {value} }} }}, "entities": [ {{ "x": 1, "b": {value} }} ]"#
        ))
    };
    comes_back(&mut loaded(&nested(100)));
    let error = refused(&nested(100_000));
    assert!(error.contains("template \"t\": key \"a\": nested too deeply"), "{error}");
    assert!(error.contains("entity 0: key \"b\": nested too deeply"), "{error}");
}

#[test]
fn no_message_is_long_however_long_what_it_is_about() {
    let long = "é".repeat(200_000);
    for keys in [
        format!(r#""{long}": 1, "step": 0"#),
        format!(r#""templates": {{ "{long}": {{ "class": "{long}" }} }}"#),
        format!(r#""classes": {{ "a": [ "place" ] }}, "entities": [ {{ "type": "{long}" }} ]"#),
        format!(r#""classes": {{ "{long}": [ "{long}" ] }}"#),
        format!(
            r#""components": {{ "{long}": {{ "fields": [ {{ "name": "{long}", "type": "{long}" }} ] }} }}"#
        ),
        format!(r#""systems": [ {{ "system": "{long}", "order": 1 }} ]"#),
        format!(r#""order": "{long}", "scheduler": "{long}""#),
        format!(
            r#""entities": [ {{ "{long}": 1, "{long}": 2 }}, {{ "a": {{ "{long}": 1, "{long}": 2 }} }} ]"#
        ),
        format!(r#""entities": [ {{ "x": "{long}" }}, {{ "target": "{long}" }}, "{long}" ]"#),
        format!(r#""entityDefinitions": {{ "{long}": {{ "type": "a", "properties": [] }} }}"#),
        format!(r#""entityDefinitions": {{ "0": {{ "types": [ "{long}", "{long}" ], "properties": [] }} }}"#),
        format!(r#""layout": {{ "archetypes": [ [ "{long}" ] ], "extents": "", "rows": "" }}"#),
        format!(r#""layout": {{ "{long}": 1 }}"#),
    ] {
        let error = refused(&scene(&keys));
        let faults = error.lines().count();
        let most = error.lines().map(|line| line.chars().count()).max();
        assert!(faults < 8 && most < Some(1200), "{faults} {most:?} {}", &keys[..40]);
    }
    let (mut world, _) = world(0);
    let report = load(&mut world, &format!(r#""entities": [ {{ "{long}": 1 }} ]"#));
    assert!(report.notes.iter().all(|note| note.chars().count() < 1200));
}

#[test]
fn a_seed_beyond_what_a_scene_may_name_is_refused_wherever_it_comes_from() {
    let (mut world, _) = world(0);
    let load = |world: &mut World, seed| {
        let options = LoadOptions { seed: Some(seed), ..LoadOptions::default() };
        world.load("limits.json", &scene(r#""entities": []"#), &options)
    };
    let error = load(&mut world, vivarium_world::MAX_SEED + 1).unwrap_err().to_string();
    assert!(error.contains("the seed 9007199254740993 is too great"), "{error}");
    load(&mut world, vivarium_world::MAX_SEED).unwrap();
    comes_back(&mut world);
}

#[test]
fn every_fault_of_a_field_a_system_and_a_pass_is_listed() {
    let error = refused(&scene(
        r#""components": { "a": { "fields": [ { "name": 7, "type": "u33", "role": "clour", "key": "", "range": [ 2, 1 ] } ] } },
           "systems": [ { "system": 7, "every": -1, "pass": { "left": [ -1, 2, 3 ], "delta": -1 } } ],
           "layout": { "archetypes": [], "rows": "" }"#,
    ));
    for part in [
        "expected a text, found 7",
        "there is no field type \"u33\"",
        "there is no field role \"clour\"",
        "key \"key\": expected a text with at least one character",
        "the least value comes first",
        "system 0: key \"system\": expected a text",
        "key \"every\": expected a number of milliseconds, 0 or more, found -1",
        "key \"left\": expected an integer from 0",
        "expected a count after each place",
        "key \"delta\": expected a number of milliseconds",
    ] {
        assert!(error.contains(part), "{part} in\n{error}");
    }
    let error = refused(&scene("\"layout\": { \"archetypes\": [],\n\"rows\": \"\" }"));
    assert_eq!(error, "limits.json:2:12: key \"layout\": missing field `extents`");
}

#[test]
fn a_reference_that_went_through_json_is_set_as_the_one_that_was_written() {
    let (mut world, _) = world(0);
    let [from, to] = [0, 1].map(|_| world.spawn((Link { target: 0 },)));
    let written = FieldValue::Entity(world.ordinal(to));
    let read: FieldValue = serde_json::from_str(&serde_json::to_string(&written).unwrap()).unwrap();
    world.set_field(from, "link", "target", &read).unwrap();
    assert_eq!(field(&world, from, "link"), written);
    let error = world.set_field(from, "link", "target", &FieldValue::Uint(99)).unwrap_err().to_string();
    assert!(error.contains("there is no entity #99"), "{error}");
}
