//! Rules of memory: what is given back, what a number of another world finds, and which code runs.

use crate::common::*;
use bytemuck::{Pod, Zeroable};
use vivarium_world::{
    Catalog, Component, ComponentDef, Field, FieldValue, ListError, ListId, Role, Scalar, SchedulerKind,
    SystemDef,
};

#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
struct Name {
    name: u32,
}
impl Component for Name {
    const NAME: &'static str = "name";
    fn definition() -> ComponentDef {
        ComponentDef::of::<Self>().field(Field::new("name", Scalar::U32, 0).role(Role::Text))
    }
}

fn catalog_with_names() -> Catalog {
    catalog(&Calls::default()).component::<Name>().unwrap()
}

#[test]
fn strings_no_block_names_are_given_back_by_shrink() {
    let mut world = world_of(&catalog_with_names(), 0);
    load(&mut world, r#""entities": [ { "type": "oak", "name": "old one" }, { "name": "young one" } ]"#);
    assert_eq!((world.strings().len(), world.strings().bytes()), (3, 19));
    let ids: Vec<_> = world.entities().collect();
    world.set_field(ids[0], "name", "name", &FieldValue::Text("felled".into())).unwrap();
    assert_eq!(world.strings().len(), 4);
    world.shrink();
    assert_eq!((world.strings().len(), world.strings().bytes()), (3, 18));
    let name = world.registry().of::<Name>().unwrap();
    assert_eq!(world.field(ids[0], name, 0), Some(FieldValue::Text("felled".into())));
    assert_eq!(world.field(ids[1], name, 0), Some(FieldValue::Text("young one".into())));
    assert_eq!(&*world.type_name(ids[0]), "oak");
    world.remove(ids[0]);
    world.shrink();
    assert_eq!(world.strings().len(), 3, "its block waits to be given back, and may be read until then");
    world.update(16.0);
    world.shrink();
    assert_eq!(world.strings().len(), 1);
    world.clear();
    assert!(world.strings().is_empty());
}

#[test]
fn the_pools_of_a_world_without_entities_give_their_memory_back_and_can_be_used_again() {
    for threads in THREADS {
        let (mut world, _) = world(threads);
        world.set_scheduler(SchedulerKind::Default);
        let seen = Seen::default();
        world.add_system(noting("noting", &seen)).unwrap();
        let place = world.registry().of::<Place>().unwrap();
        for round in 0..3 {
            let ids = world.spawn_batch((0..10_000).map(|n| (Place { x: n as f64 },)));
            world.update(16.0);
            world.settle();
            assert_eq!(seen.take().len(), 10_000, "round {round}");
            assert_eq!(world.get::<Place>(ids[9_999]), Some(Place { x: 9_999.0 }));
            world.shrink();
            assert_eq!(world.get::<Place>(ids[9_999]), Some(Place { x: 9_999.0 }), "what is in use stays");
            ids.into_iter().for_each(|id| _ = world.remove(id));
            world.update(16.0);
            world.settle();
            assert!(world.shrink() >= 80_000);
            assert_eq!(world.pool_len(place), 0);
        }
    }
}

#[test]
fn handles_of_another_world_find_nothing() {
    let (mut one, mut other) = (world_of(&catalog_with_names(), 0), world_of(&catalog_with_names(), 0));
    for world in [&mut one, &mut other] {
        load(world, r#""entities": [ { "type": "oak", "name": "a name" } ]"#);
    }
    let number = one.strings().intern("a name");
    assert_eq!(other.strings().get(number), None);
    let mut list = ListId::NONE;
    one.lists().push(&mut list, 1u64).unwrap();
    other.lists().create([]).unwrap();
    assert_eq!(other.lists().items(list), Err(ListError::Unknown(list)));
    // The same world's number of before a load.
    load(&mut one, r#""entities": [ { "type": "elm", "name": "another name" } ]"#);
    assert_eq!(one.strings().get(number), None);
    assert_eq!(one.lists().items(list), Err(ListError::Unknown(list)));
}

#[test]
fn a_system_that_asks_for_the_baseline_does_the_same_updates() {
    let mut sums = Vec::new();
    for (baseline, threads) in [(false, 0), (true, 0), (true, 4)] {
        let (mut world, _) = world(threads);
        world.spawn_batch((0..1000).map(|n| (Place { x: n as f64 }, Speed { vx: 0.1 * n as f64 })));
        world.spawn_batch((0..10).map(|n| (Place { x: n as f64 }, Speed { vx: 0.3 }, Frozen)));
        let of = |system: SystemDef| if baseline { system.baseline() } else { system };
        world
            .add_system(of(SystemDef::each::<(&mut Place, &Speed), _>("one", |(place, speed), _| {
                place.x += speed.vx * 0.7;
            })))
            .unwrap();
        world
            .add_system(of(SystemDef::each_in_parallel::<(&mut Place, &Speed), _>(
                "two",
                |(place, speed), _| {
                    place.x -= speed.vx * 0.3;
                },
            )))
            .unwrap();
        for _ in 0..5 {
            world.step();
        }
        sums.push(world.state_hash());
    }
    assert!(sums.iter().all(|sum| *sum == sums[0]), "{sums:?}");
}

#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
struct Cargo {
    items: ListId,
}
impl Component for Cargo {
    const NAME: &'static str = "cargo";
    fn definition() -> ComponentDef {
        ComponentDef::of::<Self>().field(Field::new("items", Scalar::U32, 0).role(Role::List))
    }
}

#[test]
fn a_list_whose_number_a_run_wrote_over_in_place_is_released_by_shrink() {
    for threads in THREADS {
        let catalog = catalog(&Calls::default()).component::<Cargo>().unwrap();
        let mut world = world_of(&catalog, threads);
        let mut items = ListId::NONE;
        world.lists().push(&mut items, 1u64).unwrap();
        let id = world.spawn((Cargo { items },));
        let anew = SystemDef::each::<(&mut Cargo,), _>("anew", |(cargo,), run| {
            cargo.items = ListId::NONE;
            run.lists().push(&mut cargo.items, 2u64).map_err(|error| error.to_string())
        });
        world.add_system(anew).unwrap();
        world.step();
        assert_eq!(world.lists().count(), 2);
        world.shrink();
        let now = world.get::<Cargo>(id).unwrap().items;
        assert_eq!((world.lists().count(), world.lists().len(now)), (1, Ok(1)));
        assert_eq!(world.lists().items(items), Err(ListError::Unknown(items)));
    }
}

/// The page that was filled last is given back when nobody has a block on it, and rows of its word come free later.
#[test]
fn entities_come_into_words_whose_pages_were_given_back() {
    let (mut world, _) = world(0);
    let mut ids: Vec<_> = (0..64).map(|n| world.spawn((Speed { vx: n as f64 },))).collect();
    for round in 0..3 {
        for &id in &ids {
            let _ = world.remove_component::<Speed>(id);
        }
        world.step();
        world.shrink();
        for id in ids.drain(..10) {
            world.remove(id);
        }
        world.step();
        world.shrink();
        let one = world.spawn((Speed { vx: 0.5 + round as f64 },));
        let more = world.spawn_batch((0..9).map(|n| (Speed { vx: n as f64 },)));
        assert_eq!(world.get::<Speed>(one), Some(Speed { vx: 0.5 + round as f64 }));
        for (n, &id) in more.iter().enumerate() {
            assert_eq!(world.get::<Speed>(id), Some(Speed { vx: n as f64 }));
        }
        assert_eq!(world.pool_len(world.registry().of::<Speed>().unwrap()), 10);
        ids.push(one);
        ids.extend(more);
    }
}
