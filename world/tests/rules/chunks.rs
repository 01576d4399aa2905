//! How the members of queries lie, and what compaction does about it.

use crate::support::{Position, SCENE, Velocity, catalog};
use vivarium_world::{EntityId, LoadOptions, World, WorldOptions};

#[test]
fn compaction_raises_the_mean_chunk_of_a_query_whose_members_scattered() {
    let mut world = World::new(&catalog(), WorldOptions::default()).unwrap();
    let scene = SCENE.replace(r#"{ "system": "aging" }, { "system": "spawner", "every": 32 }"#, "");
    let scene = scene.replace(r#"{ "system": "movement" }, "#, r#"{ "system": "movement" }"#);
    world.load("chunks.json", &scene, &LoadOptions::default()).unwrap();
    let mean = |world: &World| world.systems().next().unwrap().mean_chunk;
    assert_eq!(mean(&world), None, "it did not run yet");
    let (still, moves) = (Position { x: 0.0, y: 0.0 }, Velocity::default());
    let ids: Vec<EntityId> = (0..1000).map(|_| world.spawn((still, moves))).collect();
    world.step();
    assert!(mean(&world).unwrap() > 100.0, "{:?}", mean(&world));
    for &id in ids.iter().step_by(2) {
        world.remove_component::<Velocity>(id).unwrap();
    }
    world.step();
    let scattered = mean(&world).unwrap();
    assert!(scattered < 1.5, "{scattered}");
    assert!(world.compact() > 0);
    world.step();
    assert!(mean(&world).unwrap() > 50.0 * scattered, "{:?}", mean(&world));
    let system = world.systems().next().unwrap();
    assert!(system.members > 500 && system.members <= 502, "{}", system.members);
}
