//! Rules of a load in slices: 9.3.

use crate::common::*;
use std::time::Duration;
use vivarium_world::{LoadOptions, LoadPhase, LoadProgress, LoadStep, SaveForm, World, WorldEvent};

const NO_TIME: Duration = Duration::ZERO;

/// A scene of many entities that refer to each other, with systems nobody needs.
fn many(count: usize) -> String {
    let entities: Vec<String> = (0..count)
        .map(|k| format!(r#"{{ "x": {k}, "vx": 1.5, "target": {}, "nobody": 1 }}"#, (k * 7) % count))
        .collect();
    scene(&format!(r#""entities": [ {} ], "gameTime": 5"#, entities.join(",\n")))
}

/// Does slice after slice, and gives what each said.
fn slices(world: &mut World) -> (Vec<LoadProgress>, usize) {
    let mut told = Vec::new();
    loop {
        match world.continue_load(NO_TIME).expect("a load is under way").unwrap() {
            LoadStep::Going(progress) => {
                assert_eq!(world.load_progress().as_ref(), Some(&progress));
                told.push(progress);
            }
            LoadStep::Loaded(report) => return (told, report.entities),
        }
    }
}

#[test]
fn a_load_in_slices_gives_what_a_load_at_once_gives() {
    let text = many(2000);
    let (mut at_once, _) = world(0);
    let report = at_once.load("many.json", &text, &LoadOptions::default()).unwrap();
    for budget in [NO_TIME, Duration::from_secs(1000)] {
        let (mut sliced, _) = world(1);
        load(&mut sliced, r#""entities": [ { "x": 1 } ]"#);
        sliced.load_sliced("many.json", text.as_str(), &LoadOptions::default());
        let step = loop {
            match sliced.continue_load(budget).unwrap().unwrap() {
                LoadStep::Loaded(report) => break report,
                LoadStep::Going(_) => assert_eq!(budget, NO_TIME),
            }
        };
        assert_eq!(step, report);
        assert_eq!(sliced.state_hash(), at_once.state_hash());
        assert_eq!(sliced.save(SaveForm::Plain).unwrap(), at_once.save(SaveForm::Plain).unwrap());
        assert!(sliced.continue_load(budget).is_none() && !sliced.is_loading());
    }
}

#[test]
fn progress_names_the_phase_and_only_grows() {
    let (mut world, _) = world(0);
    world.load_sliced("many.json", many(3000), &LoadOptions::default());
    let first = world.load_progress().unwrap();
    assert_eq!((first.phase, first.done, first.fraction), (LoadPhase::Reading, 0, 0.0));
    let (told, entities) = slices(&mut world);
    assert_eq!(entities, 3000);
    assert!(told.is_sorted_by(|a, b| (a.phase, a.fraction) <= (b.phase, b.fraction)), "{told:?}");
    for (phase, least, most) in [
        (LoadPhase::Entities, 0.15, 0.6),
        (LoadPhase::Linking, 0.6, 0.7),
        (LoadPhase::Systems, 0.7, 0.8),
        (LoadPhase::Workers, 0.8, 1.0),
    ] {
        let of_phase: Vec<_> = told.iter().filter(|progress| progress.phase == phase).collect();
        assert!(!of_phase.is_empty(), "{phase:?} is seen");
        for LoadProgress { done, total, fraction, .. } in of_phase {
            assert!(
                done <= total && (least..=most).contains(fraction),
                "{phase:?}: {done} of {total}, {fraction}"
            );
        }
    }
    assert_eq!(told.iter().find(|p| p.phase == LoadPhase::Entities && p.done > 0).unwrap().total, 3000);
}

#[test]
fn a_cancelled_load_leaves_the_old_content_as_it_was() {
    let text = many(600);
    // Whatever it is at when it is cancelled.
    for stop in 0..40 {
        let (mut world, calls) = world(0);
        load(&mut world, r#""entities": [ { "x": 1 } ]"#);
        let id = world.entities().next().unwrap();
        let before = world.state_hash();
        world.load_sliced("many.json", text.as_str(), &LoadOptions::default());
        let is_over =
            (0..stop).any(|_| matches!(world.continue_load(NO_TIME), Some(Ok(LoadStep::Loaded(_)))));
        if is_over {
            assert!(stop > 10, "slices are small");
            return;
        }
        assert!(world.cancel_load() && !world.is_loading() && !world.cancel_load());
        assert_eq!((world.state_hash(), world.len()), (before, 1));
        assert_eq!(world.get::<Place>(id), Some(Place { x: 1.0 }));
        // What hooks attached was freed, block by block.
        let (attached, freed) = (calls.count("attach"), calls.count("free"));
        assert!(freed == 0 && attached == 1 || freed == 1200 && attached > 1, "{attached} {freed}");
        world.step();
        assert_eq!(world.clocks().tick, 1);
    }
    panic!("the load does not end");
}

#[test]
fn a_load_or_a_clear_during_it_cancels_it() {
    let (mut world, _) = world(0);
    let begin = |world: &mut World| {
        world.load_sliced("many.json", many(1000), &LoadOptions::default());
        for _ in 0..3 {
            world.continue_load(NO_TIME).unwrap().unwrap();
        }
    };
    begin(&mut world);
    load(&mut world, r#""entities": [ { "x": 1 } ]"#);
    assert!(!world.is_loading() && world.len() == 1);
    begin(&mut world);
    world.clear();
    assert!(!world.is_loading() && world.is_empty());
    begin(&mut world);
    world.load_sliced(
        "other.json",
        scene(r#""entities": [ { "x": 1 }, { "x": 2 } ]"#),
        &LoadOptions::default(),
    );
    assert_eq!(slices(&mut world).1, 2);
    begin(&mut world);
    drop(world);
}

#[test]
fn update_does_nothing_while_a_load_is_under_way() {
    let (mut world, calls) = world(0);
    load(&mut world, r#""entities": [ { "x": 1 } ]"#);
    calls.take();
    world.load_sliced("many.json", many(600), &LoadOptions::default());
    let before = world.clocks().clone();
    world.listen(|_, event| assert_ne!(*event, WorldEvent::UpdateStarted));
    let report = world.update(100.0);
    assert!(report.steps == 0 && !world.try_step());
    assert_eq!(*world.clocks(), before);
    assert_eq!(calls.take(), no_strings());
}

#[test]
fn a_fault_in_a_slice_lists_all_and_leaves_the_world_as_it_was() {
    let (mut world, _) = world(0);
    load(&mut world, r#""entities": [ { "x": 1 } ]"#);
    let before = world.state_hash();
    let text = many(700).replace("\"x\": 5,", "\"x\": \"far\",").replace("\"x\": 600,", "\"x\": true,");
    let whole = world.load("many.json", &text, &LoadOptions::default()).unwrap_err();
    world.load_sliced("many.json", text, &LoadOptions::default());
    let error = loop {
        if let Err(error) = world.continue_load(NO_TIME).unwrap() {
            break error;
        }
    };
    assert_eq!(error, whole);
    assert_eq!(error.0.len(), 2, "{error}");
    assert!(!world.is_loading() && world.state_hash() == before);
    world.load_sliced("cut.json", r#"{ "vivarium": 1, "entities": [ {"#, &LoadOptions::default());
    let error = world.continue_load(NO_TIME).unwrap().unwrap_err();
    assert!(
        error.to_string().starts_with("cut.json:1:33: the text ends in the middle of an object"),
        "{error}"
    );
}

#[test]
fn entities_are_told_as_ready_once_all_were_added_and_before_the_load_is_over() {
    let (mut world, calls) = world(0);
    let seen = calls.clone();
    world.listen(move |world, event| match event {
        WorldEvent::EntityAdded(_) => seen.push("added"),
        WorldEvent::EntitiesReady => seen.push(format!("ready {}", world.len())),
        WorldEvent::Loaded => seen.push("loaded"),
        _ => {}
    });
    world.load_sliced(
        "a.json",
        scene(r#""entities": [ { "health": 1 }, { "health": 2 } ]"#),
        &LoadOptions::default(),
    );
    slices(&mut world);
    assert_eq!(calls.take()[2..], ["added", "added", "ready 2", "loaded"]);
}

#[test]
fn no_id_that_was_given_out_meanwhile_means_a_loaded_entity() {
    let (mut world, _) = world(0);
    load(&mut world, r#""entities": [ { "x": 1 } ]"#);
    let mut old: Vec<_> = world.entities().collect();
    world.load_sliced("many.json", many(300), &LoadOptions::default());
    let mut slices = 0;
    while let LoadStep::Going(_) = world.continue_load(NO_TIME).unwrap().unwrap() {
        slices += 1;
        assert!(slices < 1000, "it ends");
        if slices < 8 {
            let id = world.spawn((Place { x: 5.0 },));
            world.remove(id);
            old.extend([id, world.spawn((Place { x: 6.0 },))]);
        }
    }
    assert_eq!(world.len(), 300);
    assert!(old.iter().all(|&id| !world.contains(id)), "stale ids find nothing");
}
