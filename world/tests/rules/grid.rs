//! Rules of grids, against a look at every entity.

use crate::common::*;
use bytemuck::{Pod, Zeroable};
use proptest::prelude::*;
use vivarium_world::{Component, ComponentDef, EntityId, Field, Scalar, SystemDef, World};

#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
struct Spot {
    x: f64,
    y: f64,
}
impl Component for Spot {
    const NAME: &'static str = "spot";
    fn definition() -> ComponentDef {
        let field = |name, offset| Field::new(name, Scalar::F64, offset);
        ComponentDef::of::<Self>().field(field("x", 0)).field(field("y", 8))
    }
}

fn grid_world(threads: usize) -> World {
    let mut world = world_of(&catalog(&Calls::default()).component::<Spot>().unwrap(), threads);
    world.add_grid("spots", "spot", ["x", "y"], 10.0).unwrap();
    world
}

#[derive(Clone, Debug)]
enum Change {
    Spawn(f64, f64),
    Move(usize, f64, f64),
    Kill(usize),
    Remove(usize),
    Ask(f64, f64, f64),
}

fn change() -> impl Strategy<Value = Change> {
    let at = -60.0..60.0f64;
    prop_oneof![
        3 => (at.clone(), at.clone()).prop_map(|(x, y)| Change::Spawn(x, y)),
        3 => (any::<usize>(), at.clone(), at.clone()).prop_map(|(n, x, y)| Change::Move(n, x, y)),
        1 => any::<usize>().prop_map(Change::Kill),
        1 => any::<usize>().prop_map(Change::Remove),
        2 => (at.clone(), at, 0.0..90.0f64).prop_map(|(x, y, radius)| Change::Ask(x, y, radius)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn a_grid_finds_whom_a_look_at_everyone_finds(changes in proptest::collection::vec(change(), 1..120)) {
        let mut world = grid_world(0);
        for change in changes {
            let ids: Vec<EntityId> = world.entities().collect();
            let pick = |n: usize| ids.get(n % ids.len().max(1)).copied();
            match change {
                Change::Spawn(x, y) => _ = world.spawn((Spot { x, y },)),
                Change::Move(n, x, y) => {
                    if let Some(id) = pick(n) {
                        world.add(id, Spot { x, y }).unwrap();
                    }
                }
                Change::Kill(n) => _ = pick(n).map(|id| world.kill(id)),
                Change::Remove(n) => _ = pick(n).map(|id| world.remove_component::<Spot>(id)),
                Change::Ask(x, y, radius) => {
                    let mut expected = Vec::new();
                    world.each::<(EntityId, &Spot)>(|(id, spot)| {
                        let (dx, dy) = (spot.x - x, spot.y - y);
                        if dx * dx + dy * dy <= radius * radius {
                            expected.push(id);
                        }
                    });
                    prop_assert_eq!(world.grid("spots").unwrap().near([x, y], radius), expected);
                }
            }
            world.update(16.0);
        }
    }
}

#[test]
fn a_run_finds_neighbours_in_a_grid_as_it_was_when_the_run_began() {
    for threads in THREADS {
        let mut world = grid_world(threads);
        for n in 0..30 {
            world.spawn((Spot { x: n as f64 * 4.0, y: 0.0 },));
        }
        world.spawn((Spot { x: f64::NAN, y: 0.0 },));
        world.spawn((Spot { x: 1e300, y: -1e300 },));
        let seen = Calls::default();
        let heard = seen.clone();
        let system = SystemDef::each::<(EntityId, &Spot), _>("near", move |(id, spot), run| {
            let near = run.grid("spots")?.near([spot.x, spot.y], 5.0);
            assert!(spot.x.is_nan() || near.contains(&id));
            heard.push(near.len().to_string());
            Ok::<(), vivarium_world::EffectError>(())
        });
        world.add_system(system.uses_grid::<Spot>("spots")).unwrap();
        world.step();
        assert_eq!(errors(&mut world), no_strings());
        let counts = seen.take();
        assert_eq!(
            (counts.iter().filter(|n| *n == "3").count(), counts.iter().filter(|n| *n == "2").count()),
            (28, 2)
        );
    }
}

#[test]
fn a_grid_over_what_is_no_place_or_without_a_size_is_refused() {
    let mut world = grid_world(0);
    let mut refuse =
        |component, fields, cell| world.add_grid("new", component, fields, cell).unwrap_err().to_string();
    assert!(refuse("spit", ["x", "y"], 1.0).contains("\"spit\", which is not registered"));
    assert!(refuse("spot", ["x", "z"], 1.0).contains("\"z\""));
    assert!(refuse("spot", ["x", "y"], 0.0).contains("size above 0"));
    assert!(refuse("link", ["target", "target"], 1.0).contains("a place in a grid"));
    assert!(world.grid("spot").err().unwrap().to_string().contains("spots"));
}

#[test]
fn nobody_is_near_with_a_radius_below_zero_or_none() {
    let mut world = grid_world(0);
    let id = world.spawn((Spot { x: 5.0, y: 5.0 },));
    let grid = world.grid("spots").unwrap();
    assert_eq!(grid.near([5.0, 5.0], 0.0), [id]);
    assert_eq!(grid.near([5.0, 5.0], -2.0), []);
    assert_eq!(grid.near([5.0, 5.0], f64::NAN), []);
    assert_eq!(grid.near([f64::NAN, 5.0], 9.0), []);
    assert_eq!(grid.near([5.0, 5.0], f64::INFINITY), [id]);
}

#[test]
fn a_crowd_in_one_cell_comes_and_goes_in_bounded_time() {
    let mut world = grid_world(0);
    let ids: Vec<EntityId> = (0..60_000).map(|_| world.spawn((Spot { x: 1.0, y: 1.0 },))).collect();
    assert_eq!(world.grid("spots").unwrap().near([1.0, 1.0], 0.5).len(), ids.len());
    let start = std::time::Instant::now();
    for (place, &id) in ids.iter().rev().enumerate() {
        world.set(id, Spot { x: 100.0 * place as f64, y: 50.0 }).unwrap();
    }
    assert_eq!(world.grid("spots").unwrap().near([1.0, 1.0], 0.5), []);
    assert_eq!(world.grid("spots").unwrap().near([100.0, 50.0], 0.5), [ids[ids.len() - 2]]);
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}

#[test]
fn a_grid_says_that_it_is_one_when_it_cannot_be_made_or_found() {
    let mut world = grid_world(0);
    let add = |world: &mut World, name: &str, component: &str, field: &str| {
        world.add_grid(name, component, [field, "y"], 1.0).unwrap_err().to_string()
    };
    assert_eq!(add(&mut world, "spots", "spot", "x"), "grid \"spots\" is there already; remove it first");
    let near = "grid \"new\" is over the component \"spt\", which is not registered; did you mean \"spot\"?";
    assert_eq!(add(&mut world, "new", "spt", "x"), near);
    assert!(add(&mut world, "new", "spot", "z").starts_with("grid \"new\" is over a field \"z\", which"));
    let unknown = world.grid("spot").err().unwrap().to_string();
    assert_eq!(
        unknown,
        "there is no grid named \"spot\"; did you mean \"spots\"?; add it with `World::add_grid`"
    );
}
