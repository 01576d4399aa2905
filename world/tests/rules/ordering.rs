//! Rules of the order in which systems are registered.

use crate::common::*;
use vivarium_world::{Catalog, LoadOptions, Query, Run, SaveForm, SystemDef, SystemOrder, World};

fn touching<Q: Query + 'static>(name: &'static str, calls: &Calls) -> SystemDef {
    let calls = calls.clone();
    let system = SystemDef::worker(name, move |_: &mut vivarium_world::Named<'_>, _: &mut Run| {
        calls.push(name);
        Ok(())
    });
    system.query::<Q>("all")
}

/// Systems that move and look, and two that wait for each other.
fn ordering_catalog(calls: &Calls) -> Catalog {
    let (move_, look, one, other) = (calls.clone(), calls.clone(), calls.clone(), calls.clone());
    catalog(&Calls::default())
        .system(move || touching::<(&mut Place, &Frozen)>("move", &move_))
        .system(move || touching::<&Place>("look", &look))
        .system(move || touching::<(&mut Speed, &Health)>("one", &one))
        .system(move || touching::<(&mut Health, &Speed)>("other", &other))
}

fn names(world: &World) -> String {
    world.systems().map(|status| status.name.to_string()).collect::<Vec<_>>().join(" ")
}

fn scene_of(systems: &str, more: &str) -> String {
    let systems: Vec<String> =
        systems.split(' ').map(|name| format!("{{ \"system\": \"{name}\" }}")).collect();
    format!(
        r#"{{ "vivarium": 1, "random": {{ "seed": 1 }}, "step": 16, {more} "systems": [ {} ], "entities": [ {{ "x": 1 }} ] }}"#,
        systems.join(", ")
    )
}

#[test]
fn a_world_ordered_by_access_runs_readers_before_writers() {
    for threads in THREADS {
        // With threads the default scheduler may skip what waits.
        for scheduler in if threads == 0 { &["default", "conflict"][..] } else { &["conflict"] } {
            let calls = Calls::default();
            let mut world = world_of(&ordering_catalog(&calls), threads);
            let text = scene_of("move look", &format!("\"scheduler\": \"{scheduler}\","));
            world.load("test.json", &text, &LoadOptions::default()).unwrap();
            world.step();
            assert_eq!(calls.take(), ["move", "look"]);
            assert!(world.order_by_access().is_empty());
            assert_eq!((names(&world), world.system_order()), ("look move".to_owned(), SystemOrder::Access));
            assert_eq!(world.plan().label(0), "look");
            world.step();
            assert_eq!(calls.take(), ["look", "move"]);
        }
    }
}

#[test]
fn a_system_added_later_takes_its_place_in_the_order() {
    let mut world = world_of(&ordering_catalog(&Calls::default()), 0);
    world.order_by_access();
    for name in ["move", "other", "look"] {
        world.add_system(world.catalog().make_system(name).unwrap()).unwrap();
    }
    assert_eq!(names(&world), "other look move");
    world.set_system_order(SystemOrder::Registration);
    let broken = world.order_by_access();
    assert_eq!((names(&world), broken), ("other look move".to_owned(), Vec::new()));
    world.clear();
    assert_eq!(world.system_order(), SystemOrder::Registration);
}

#[test]
fn a_scene_may_ask_for_an_order_by_access_and_its_circles_are_notes() {
    let mut world = world_of(&ordering_catalog(&Calls::default()), 0);
    let text = scene_of("move one other look", "\"order\": \"access\",");
    let report = world.load("test.json", &text, &LoadOptions::default()).unwrap();
    assert_eq!(names(&world), "look move one other");
    assert_eq!(
        report.notes,
        [
            "`one`, `other` wait for each other in a circle; `one` begins, although what it writes is read by `other`"
        ]
    );
    let saved = world.save(SaveForm::Plain).unwrap();
    assert!(saved.contains("\"order\": \"access\""), "{saved}");
    world.load("saved.json", &saved, &LoadOptions::default()).unwrap();
    assert_eq!(
        (names(&world), world.system_order()),
        ("look move one other".to_owned(), SystemOrder::Access)
    );
    world.load("test.json", &scene_of("move look", ""), &LoadOptions::default()).unwrap();
    assert_eq!((names(&world), world.system_order()), ("move look".to_owned(), SystemOrder::Registration));
    assert!(!world.save(SaveForm::Plain).unwrap().contains("\"order\""));
}

#[test]
fn an_unknown_order_is_a_fault_that_says_what_would_be_right() {
    let mut world = world_of(&ordering_catalog(&Calls::default()), 0);
    let text = scene_of("move", "\"order\": \"acces\",");
    let error = world.load("test.json", &text, &LoadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("there is no order \"acces\" of systems; did you mean \"access\"?"), "{error}");
}
