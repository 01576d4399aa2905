//! Rules of the record of changes.

use crate::common::*;
use vivarium_world::{EntityId, Filter, SystemDef, World};

/// The places of those that changed in the last so many ticks.
fn changed(world: &mut World, ticks: u64) -> Vec<f64> {
    let filter = Filter::compile(&format!("changed:{ticks}t"), world).unwrap();
    let mut found: Vec<EntityId> = Vec::new();
    world.each_subject(|subject| {
        if filter.matches(&subject) {
            found.push(subject.id());
        }
    });
    found.into_iter().map(|id| world.get::<Place>(id).unwrap().x).collect()
}

#[test]
fn changed_finds_who_was_written_in_the_last_ticks() {
    for threads in THREADS {
        let (mut world, _) = world(threads);
        let ids: Vec<EntityId> = (0..4).map(|x| world.spawn((Place { x: x as f64 },))).collect();
        world.add(ids[1], Speed { vx: 1.0 }).unwrap();
        world.record_changes(true);
        world.step();
        assert_eq!(changed(&mut world, 5), [0.0; 0], "what was there is not new");
        let moves =
            SystemDef::each::<(&mut Place, &Speed), _>("moves", |(place, speed), _| place.x += speed.vx);
        let moves = world.add_system(moves).unwrap();
        world.step();
        assert_eq!(changed(&mut world, 1), [2.0]);
        world.set_enabled(moves, false);
        world.set(ids[3], Place { x: 30.0 }).unwrap();
        assert_eq!(changed(&mut world, 1), [2.0, 30.0], "an edit is seen at once");
        world.step();
        world.spawn((Place { x: 9.0 },));
        world.step();
        assert_eq!(changed(&mut world, 1), [0.0; 0]);
        assert_eq!(changed(&mut world, 2), [9.0]);
        assert_eq!(changed(&mut world, 3), [2.0, 30.0, 9.0]);
        world.record_changes(false);
        assert_eq!(changed(&mut world, 3), [0.0; 0]);
    }
}

#[test]
fn what_is_written_before_the_first_step_is_recorded() {
    let (mut world, _) = world(0);
    world.record_changes(true);
    world.spawn((Place { x: 4.0 },));
    assert_eq!(changed(&mut world, 1), [4.0]);
    (0..3).for_each(|_| world.step());
    assert_eq!(changed(&mut world, 3), [0.0; 0]);
    assert_eq!(changed(&mut world, 4), [4.0]);
}

#[test]
fn the_record_goes_on_with_other_content_and_after_compaction() {
    let (mut world, _) = world(0);
    world.record_changes(true);
    load(&mut world, r#""entities": [{"x": 1}, {"x": 2}]"#);
    world.step();
    let id = world.entities().next().unwrap();
    world.compact();
    world.step();
    world.set(id, Place { x: 3.0 }).unwrap();
    world.step();
    assert_eq!(changed(&mut world, 2), [3.0]);
}
