//! Queries of the world thread, batches, and what counts as changed.

use bytemuck::{Pod, Zeroable};
use std::sync::{Arc, Mutex};
use vivarium_world::{
    Catalog, Changed, Component, ComponentDef, EntityId, Field, PreparedQuery, Run, Scalar, SystemDef, With,
    Without, World, WorldEvent, WorldOptions,
};

#[derive(Clone, Copy, PartialEq, Debug, Pod, Zeroable)]
#[repr(C)]
struct Position {
    x: f32,
}

impl Component for Position {
    const NAME: &'static str = "position";
    fn definition() -> ComponentDef {
        ComponentDef::of::<Self>().field(Field::new("x", Scalar::F32, 0))
    }
}

#[derive(Clone, Copy, PartialEq, Debug, Pod, Zeroable)]
#[repr(C)]
struct Velocity {
    vx: f32,
}

impl Component for Velocity {
    const NAME: &'static str = "velocity";
    fn definition() -> ComponentDef {
        ComponentDef::of::<Self>().field(Field::new("vx", Scalar::F32, 0))
    }
}

fn catalog() -> Catalog {
    Catalog::new().component::<Position>().and_then(Catalog::component::<Velocity>).unwrap()
}

fn world() -> World {
    World::new(&catalog(), WorldOptions::default()).unwrap()
}

fn at(x: f32) -> Position {
    Position { x }
}

/// The x of everything a query of positions finds, sorted.
fn found(query: &mut PreparedQuery<(&Position, Changed<Position>)>, world: &mut World) -> Vec<f32> {
    let mut found = Vec::new();
    query.each(world, |(position, ())| found.push(position.x));
    found.sort_by(f32::total_cmp);
    found
}

#[test]
fn a_batch_is_what_its_bundles_are_one_by_one() {
    let (mut one, mut many) = (world(), world());
    let bundles = (0..1000).map(|n| (at(n as f32), Velocity { vx: n as f32 }));
    let ids: Vec<EntityId> = bundles.clone().map(|bundle| one.spawn(bundle)).collect();
    let batch = many.spawn_batch(bundles);
    assert_eq!(batch, ids);
    assert_eq!(many.entities().collect::<Vec<_>>(), ids);
    assert_eq!(many.state_hash(), one.state_hash());
    assert_eq!(many.get::<Position>(batch[999]), Some(at(999.0)));
    assert!(many.spawn_batch(std::iter::empty::<(Position,)>()).is_empty());
}

#[test]
fn a_batch_is_told_entity_by_entity_once_all_are_there() {
    let mut world = world();
    let told = Arc::new(Mutex::new(Vec::new()));
    let log = told.clone();
    world.listen(move |world, event| {
        if let WorldEvent::EntityAdded(id) = event {
            assert_eq!(world.len(), 300);
            log.lock().unwrap().push(*id);
        }
    });
    let ids = world.spawn_batch((0..300).map(|n| (at(n as f32),)));
    assert_eq!(*told.lock().unwrap(), ids);
}

#[test]
fn a_prepared_query_sees_what_changed_since_its_last_visit() {
    let mut world = world();
    let ids = world.spawn_batch((0..200).map(|n| (at(n as f32),)));
    let mut query = PreparedQuery::<&mut Position>::new();
    query.each(&mut world, |position| position.x += 1.0);
    assert_eq!(query.count(&mut world), 200);
    world.remove(ids[7]);
    world.spawn((at(-1.0), Velocity { vx: 0.0 }));
    let mut sum = 0.0;
    query.each(&mut world, |position| sum += position.x);
    assert_eq!(sum, (1..=200).sum::<i32>() as f32 - 8.0 - 1.0);
    world.compact();
    assert_eq!(query.count(&mut world), 200);
    let mut slices = 0;
    query.each_chunk(&mut world, |(positions, len)| {
        assert_eq!(positions.len(), len);
        slices += len;
    });
    assert_eq!(slices, 200);
}

#[test]
fn a_prepared_query_serves_one_world_after_another() {
    let (mut first, mut second) = (world(), world());
    first.spawn((at(1.0),));
    second.spawn_batch([(at(2.0),), (at(3.0),)]);
    let mut query = PreparedQuery::<&Position>::new();
    assert_eq!(query.count(&mut first), 1);
    assert_eq!(query.count(&mut second), 2);
    drop(second);
    assert_eq!(query.count(&mut first), 1);
}

#[test]
fn with_and_without_choose_entities() {
    let mut world = world();
    world.spawn((at(1.0),));
    world.spawn((at(2.0), Velocity { vx: 0.0 }));
    let (mut with, mut without) = (Vec::new(), Vec::new());
    world.each::<(&Position, With<Velocity>)>(|(position, ())| with.push(position.x));
    world.each::<(&Position, Without<Velocity>)>(|(position, ())| without.push(position.x));
    assert_eq!((with, without), (vec![2.0], vec![1.0]));
}

#[test]
fn components_of_others_can_be_read_while_visiting() {
    let mut world = world();
    let ids = world.spawn_batch((0..100).map(|n| (at(n as f32), Velocity { vx: 0.0 })));
    let gone = ids[50];
    world.remove(gone);
    let mut query = PreparedQuery::<(EntityId, &mut Velocity)>::new();
    query.each_reading::<Position>(&mut world, |(id, velocity), positions| {
        velocity.vx = positions.get(id).unwrap().x;
        assert_eq!(positions.get(gone), None);
    });
    assert_eq!(world.get::<Velocity>(ids[99]).unwrap().vx, 99.0);
}

#[test]
#[should_panic(expected = "reads \"position\" of others and writes it")]
fn a_query_that_writes_a_component_cannot_read_it_of_others() {
    let mut query = PreparedQuery::<&mut Position>::new();
    query.each_reading::<Position>(&mut world(), |_, _| {});
}

#[test]
fn changed_yields_exactly_what_was_written_since_the_last_visit() {
    let mut world = world();
    let ids = world.spawn_batch((0..300).map(|n| (at(n as f32),)));
    let mut query = PreparedQuery::new();
    assert_eq!(found(&mut query, &mut world).len(), 300, "all are new at first");
    assert!(found(&mut query, &mut world).is_empty());
    world.set(ids[200], at(1000.0)).unwrap();
    world.update_component(ids[3], |position: &mut Position| position.x = 2000.0);
    world.spawn((at(3000.0),));
    assert_eq!(found(&mut query, &mut world), [1000.0, 2000.0, 3000.0]);
    assert!(found(&mut query, &mut world).is_empty());
    world.remove_component::<Position>(ids[4]).unwrap();
    world.add(ids[5], at(5.5)).unwrap();
    world.set(ids[6], at(6.5)).unwrap();
    world.remove(ids[6]);
    assert_eq!(found(&mut query, &mut world), [5.5]);
}

#[test]
fn changed_sees_the_writes_of_runs_and_of_other_queries_but_not_its_own() {
    let mut world = world();
    world.spawn_batch((0..100).map(|n| (at(n as f32),)));
    world.spawn_batch((0..10).map(|n| (at(n as f32), Velocity { vx: 1.0 })));
    let mut watch = PreparedQuery::new();
    found(&mut watch, &mut world);
    world.each::<(&mut Position, With<Velocity>)>(|(position, ())| position.x += 1.0);
    assert_eq!(found(&mut watch, &mut world).len(), 10);
    let system = SystemDef::each::<(&mut Position, &Velocity), _>("move", |(position, _), _: &mut Run| {
        position.x += 1.0;
    });
    world.add_system(system).unwrap();
    world.step();
    world.settle();
    assert_eq!(found(&mut watch, &mut world).len(), 10);
    let mut own = PreparedQuery::<(&mut Position, Changed<Position>)>::new();
    own.each(&mut world, |(position, ())| position.x += 1.0);
    assert_eq!(own.count(&mut world), 0, "its own writes are none to it");
    assert_eq!(found(&mut watch, &mut world).len(), 110);
}

#[test]
fn systems_see_changes_between_their_runs_and_compaction_keeps_them() {
    let mut world = world();
    let ids = world.spawn_batch((0..200).map(|n| (at(n as f32),)));
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    let system =
        SystemDef::each::<(&Position, Changed<Position>), _>("look", move |(position, ()), _: &mut Run| {
            log.lock().unwrap().push(position.x);
        });
    world.add_system(system).unwrap();
    world.step();
    assert_eq!(seen.lock().unwrap().len(), 200);
    seen.lock().unwrap().clear();
    world.step();
    assert!(seen.lock().unwrap().is_empty());
    world.set(ids[150], at(1000.0)).unwrap();
    (0..100).for_each(|n| _ = world.remove(ids[n]));
    assert!(world.compact() > 0);
    world.step();
    assert_eq!(*seen.lock().unwrap(), [1000.0]);
}

#[test]
fn selecting_gives_the_ids_of_the_members_that_were_chosen_in_row_order() {
    use crate::common::{Frozen, Place};
    let (mut world, _) = crate::common::world(0);
    let ids: Vec<_> = (0..3000).map(|n| world.spawn((Place { x: n as f64 },))).collect();
    for &id in ids.iter().step_by(7) {
        world.remove(id);
    }
    let mut query = PreparedQuery::<(&Place, Without<Frozen>)>::new();
    for modulus in [1, 2, 5, 4000] {
        let chosen = query.select(&mut world, |(place, ())| place.x as usize % modulus == 1 % modulus);
        let expected = (0..3000).filter(|n| n % 7 != 0 && n % modulus == 1 % modulus).map(|n| ids[n]);
        assert_eq!(chosen, expected.collect::<Vec<_>>());
    }
}
