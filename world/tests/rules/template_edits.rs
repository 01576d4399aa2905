//! Templates changed while the world is there.

use crate::common::*;
use crate::undo::{edit, host};
use vivarium_world::inspect::{KeyOrigin, ViewRequest};
use vivarium_world::{
    Command, Component, ComponentDef, Config, Done, Field, Ordinal, PromoteError, Run, SaveForm, Scalar,
    SystemDef, TemplateEditError, World,
};

const GUARD: &str = r#""templates": { "guard": { "health": 9, "x": 1 }, "post": { "x": 3 } },
    "entities": [ { "type": "guard" }, { "type": "guard", "x": 4, "vx": 2 }, { "x": 5 } ]"#;

#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Age {
    age: f64,
}

impl Component for Age {
    const NAME: &'static str = "age";
    fn definition() -> ComponentDef {
        ComponentDef::of::<Self>().field(Field::new("age", Scalar::F64, 0))
    }
}

fn place(world: &World, at: usize) -> f64 {
    world.peek::<Place>(world.entities().nth(at).unwrap()).unwrap().x
}

#[test]
fn an_edit_is_about_entities_to_come_and_those_that_are_there_keep_what_they_have() {
    for threads in THREADS {
        let (mut world, _) = world(threads);
        load(&mut world, GUARD);
        let worker = SystemDef::worker("maker", |_: &mut vivarium_world::Named<'_>, run: &mut Run| {
            run.create(&config(r#"{ "type": "guard" }"#))?;
            Ok(())
        });
        world.add_system(worker.creates(["place", "health", "speed"])).unwrap();
        world.step();
        world.edit_template("guard", &config(r#"{ "x": 8, "vx": 3 }"#), &["health".into()]).unwrap();
        world.step();
        world.settle();
        let made = world.create(&config(r#"{ "type": "guard" }"#)).unwrap();
        assert_eq!((place(&world, 0), place(&world, 1), place(&world, 3)), (1.0, 4.0, 1.0));
        let last = world.entities().nth(4).unwrap();
        for id in [made, last] {
            assert_eq!(world.get::<Place>(id), Some(Place { x: 8.0 }));
            assert_eq!(world.get::<Speed>(id), Some(Speed { vx: 3.0 }));
            assert!(world.get::<Health>(id).is_none());
        }
    }
}

#[test]
fn a_save_after_an_edit_loads_as_the_same_world() {
    for form in [SaveForm::Plain, SaveForm::Compressed] {
        let (mut first, _) = world(0);
        load(&mut first, GUARD);
        first.edit_template("guard", &config(r#"{ "x": 8, "vx": 3 }"#), &["health".into()]).unwrap();
        first.create(&config(r#"{ "type": "guard" }"#)).unwrap();
        let (text, hash) = (first.save(form).unwrap(), first.state_hash());
        let (mut second, _) = world(0);
        second.load("save.json", &text, &Default::default()).unwrap();
        assert_eq!(second.state_hash(), hash, "{text}");
        assert_eq!(second.factory().template("guard"), first.factory().template("guard"));
        assert_eq!(second.save(form).unwrap(), text);
    }
}

#[test]
fn an_edit_that_leads_to_no_template_changes_nothing() {
    let (mut world, _) = world(0);
    let classes = r#""classes": { "actor": ["place", "health"] },
        "templates": { "guard": { "class": "actor", "health": 9, "x": 1 } }"#;
    load(&mut world, classes);
    let before = world.factory().template("guard").cloned();
    for (name, set, remove, part) in [
        ("gard", r#"{ "x": 2 }"#, "", "did you mean \"guard\""),
        ("guard", r#"{ "xx": 2 }"#, "", "no component loads the key \"xx\""),
        ("guard", r#"{ "class": "actor" }"#, "", "\"class\" of a template is changed in the scene file"),
        ("guard", r#"{ "type": "other" }"#, "", "\"type\" of a template"),
        ("guard", r#"{ "vx": 2 }"#, "", "class \"actor\" does not permit"),
        ("guard", r#"{ "x": "far" }"#, "", "a number is expected, not a text"),
        ("guard", r#"{ "isStatic": 3 }"#, "", "true or false is expected"),
        ("guard", "{}", "vx", "has no key \"vx\" to remove"),
    ] {
        let remove: Vec<String> = (!remove.is_empty()).then(|| remove.to_owned()).into_iter().collect();
        let error = world.edit_template(name, &config(set), &remove).unwrap_err();
        assert!(error.to_string().contains(part), "{set}: {error}");
        assert_eq!(world.factory().template("guard").cloned(), before, "{set}");
    }
}

#[test]
fn a_key_of_a_component_that_saves_in_its_own_way_is_not_edited_while_entities_have_it() {
    let age = Age::definition().save_state::<Age>(|_, _, state| state.set("old", true));
    let mut world = world_of(&catalog(&Calls::default()).define(age).unwrap(), 0);
    load(&mut world, r#""templates": { "guard": { "age": 1 } }"#);
    let older = config(r#"{ "age": 2 }"#);
    world.edit_template("guard", &older, &[]).unwrap();
    world.create(&config(r#"{ "type": "guard" }"#)).unwrap();
    let error = world.edit_template("guard", &older, &[]).unwrap_err();
    assert!(matches!(error, TemplateEditError::SavesItself { .. }), "{error}");
}

#[test]
fn values_of_an_entity_become_its_templates() {
    let (mut world, _) = world(0);
    load(&mut world, GUARD);
    let ids: Vec<_> = world.entities().collect();
    let values = |world: &mut World, at: usize, keys: &[&str]| {
        let keys: Vec<String> = keys.iter().map(|&key| key.to_owned()).collect();
        world.values_for_template(ids[at], &keys)
    };
    assert_eq!(values(&mut world, 1, &[]).unwrap(), config(r#"{ "x": 4 }"#), "only what the template gives");
    assert_eq!(values(&mut world, 0, &[]).unwrap(), Config::new());
    assert_eq!(values(&mut world, 1, &["vx", "x"]).unwrap(), config(r#"{ "vx": 2, "x": 4 }"#));
    assert!(matches!(values(&mut world, 1, &["y"]), Err(PromoteError::NoValue { .. })));
    assert!(matches!(values(&mut world, 2, &[]), Err(PromoteError::NoTemplate(_))));
    world.add(ids[0], Link { target: ids[1].bits() }).unwrap();
    assert!(matches!(values(&mut world, 0, &["target"]), Err(PromoteError::Reference(_))));
    world.set(ids[0], Place { x: f64::NAN }).unwrap();
    assert!(matches!(values(&mut world, 0, &[]), Err(PromoteError::NotFinite(_))));
    world.remove(ids[0]);
    assert!(matches!(values(&mut world, 0, &[]), Err(PromoteError::NoEntity(_))));
}

#[test]
fn the_host_tells_where_each_key_comes_from_and_takes_edits_back() {
    let mut host = host(GUARD);
    host.set_view(ViewRequest::default());
    let keys = |host: &mut vivarium_world::HostHandle| {
        // Past what was published before the edit.
        let sequence = host.snapshot().sequence;
        host.set_view(ViewRequest::default());
        while host.snapshot().sequence == sequence {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let guard = &host.snapshot().catalog.templates[0];
        let key = |key: &vivarium_world::inspect::TemplateKey| match &key.origin {
            KeyOrigin::Scene => format!("{}={}", key.key, key.value),
            KeyOrigin::Edited(before) => format!("{}={} not {before:?}", key.key, key.value),
        };
        let mut lines: Vec<String> = guard.keys.iter().map(key).collect();
        lines.extend(guard.removed.iter().map(|(key, value)| format!("{key} without {value}")));
        lines.join(", ")
    };
    assert_eq!(keys(&mut host), "health=9, x=1");
    let (done, undo) = edit(&mut host, Command::Promote { entity: Ordinal(1), keys: vec![] }).unwrap();
    assert_eq!(done, Done::Count(1));
    assert_eq!(keys(&mut host), "health=9, x=4 not Some(\"1\")");
    let template = |set: &str, remove: &[&str]| Command::Template {
        name: "guard".into(),
        set: config(set),
        remove: remove.iter().map(|&key| key.to_owned()).collect(),
    };
    let (_, second) = edit(&mut host, template(r#"{ "vx": 2 }"#, &["health"])).unwrap();
    assert_eq!(keys(&mut host), "x=4 not Some(\"1\"), vx=2 not None, health without 9");
    let says = Command::FileSays { name: "guard".into(), config: config(r#"{ "x": 4, "vx": 2 }"#) };
    edit(&mut host, says).unwrap();
    assert_eq!(keys(&mut host), "x=4, vx=2");
    edit(&mut host, second.unwrap()).unwrap();
    edit(&mut host, undo.unwrap()).unwrap();
    assert_eq!(keys(&mut host), "x=1 not Some(\"4\"), health=9 not None, vx without 2");
    host.call(Command::Save { form: SaveForm::Plain }).unwrap();
    assert_eq!(keys(&mut host), "x=1, health=9", "a save says all templates as they are");
}
