//! What it costs to visit entities: one simple update, a chain of six, and looking up others by id.

mod support;

use divan::Bencher;
use support::{Acceleration, Position, SIZES, Target, Velocity, add_scaled, bundle, shuffled, world};
use vivarium_world::{EntityId, PreparedQuery, Run, SystemDef, World};

fn main() {
    divan::main();
}

fn moving(n: usize, threads: usize) -> World {
    let mut world = world(threads);
    world.spawn_batch((0..n as u32).map(bundle));
    world
}

#[divan::bench(args = SIZES)]
fn move_plain(bencher: Bencher<'_, '_>, n: usize) {
    let (mut positions, velocities): (Vec<_>, Vec<_>) =
        (0..n as u32).map(|k| (bundle(k).0.0, bundle(k).1.0)).unzip();
    bencher.bench_local(|| {
        positions
            .iter_mut()
            .zip(&velocities)
            .for_each(|(position, velocity)| add_scaled(position, velocity, 0.5));
        divan::black_box(&mut positions);
    });
}

#[divan::bench(args = SIZES)]
fn move_hecs(bencher: Bencher<'_, '_>, n: usize) {
    let mut world = hecs::World::new();
    drop(world.spawn_batch((0..n as u32).map(bundle)));
    let mut query = hecs::PreparedQuery::<(&mut Position, &Velocity)>::new();
    bencher.bench_local(|| {
        query
            .query_mut(&mut world)
            .for_each(|(position, velocity)| add_scaled(&mut position.0, &velocity.0, 0.5));
    });
}

#[divan::bench(args = SIZES)]
fn move_ours(bencher: Bencher<'_, '_>, n: usize) {
    let mut world = moving(n, 0);
    let mut query = PreparedQuery::<(&mut Position, &Velocity)>::new();
    bencher.bench_local(|| {
        query.each(&mut world, |(position, velocity)| add_scaled(&mut position.0, &velocity.0, 0.5));
    });
}

/// The same by a system whose run two threads share, scheduling and effects included.
#[divan::bench(args = SIZES)]
fn move_ours_two_threads(bencher: Bencher<'_, '_>, n: usize) {
    let mut world = moving(n, 2);
    let system = SystemDef::each_in_parallel::<(&mut Position, &Velocity), _>(
        "move",
        |(position, velocity), _: &mut Run| add_scaled(&mut position.0, &velocity.0, 0.5),
    );
    world.add_system(system).expect("all components are registered");
    bencher.bench_local(|| world.step());
}

fn accelerated(k: u32) -> (Position, Velocity, Acceleration) {
    let (position, velocity, ..) = bundle(k);
    (position, velocity, Acceleration([0.125, 0.5, (k & 3) as f32 * 0.25]))
}

#[divan::bench(args = SIZES)]
fn chain_of_six_hecs(bencher: Bencher<'_, '_>, n: usize) {
    let mut world = hecs::World::new();
    drop(world.spawn_batch((0..n as u32).map(accelerated)));
    let mut push = hecs::PreparedQuery::<(&mut Velocity, &Acceleration)>::new();
    let mut go = hecs::PreparedQuery::<(&mut Position, &Velocity)>::new();
    let mut pull = hecs::PreparedQuery::<(&mut Acceleration, &Position)>::new();
    bencher.bench_local(|| {
        for _ in 0..2 {
            push.query_mut(&mut world).for_each(|(v, a)| add_scaled(&mut v.0, &a.0, 0.01));
            go.query_mut(&mut world).for_each(|(p, v)| add_scaled(&mut p.0, &v.0, 0.01));
            pull.query_mut(&mut world).for_each(|(a, p)| add_scaled(&mut a.0, &p.0, -0.001));
        }
    });
}

#[divan::bench(args = SIZES)]
fn chain_of_six_ours(bencher: Bencher<'_, '_>, n: usize) {
    let mut world = world(0);
    world.spawn_batch((0..n as u32).map(accelerated));
    let mut push = PreparedQuery::<(&mut Velocity, &Acceleration)>::new();
    let mut go = PreparedQuery::<(&mut Position, &Velocity)>::new();
    let mut pull = PreparedQuery::<(&mut Acceleration, &Position)>::new();
    bencher.bench_local(|| {
        for _ in 0..2 {
            push.each(&mut world, |(v, a)| add_scaled(&mut v.0, &a.0, 0.01));
            go.each(&mut world, |(p, v)| add_scaled(&mut p.0, &v.0, 0.01));
            pull.each(&mut world, |(a, p)| add_scaled(&mut a.0, &p.0, -0.001));
        }
    });
}

/// Each entity takes the position of another, at random.
#[divan::bench(args = SIZES)]
fn follow_hecs(bencher: Bencher<'_, '_>, n: usize) {
    let mut world = hecs::World::new();
    let ids: Vec<hecs::Entity> = (0..n as u32).map(|k| world.spawn(bundle(k))).collect();
    for (&id, &target) in ids.iter().zip(&shuffled(n)) {
        world.insert_one(id, Target(ids[target as usize].to_bits().get())).expect("it is there");
    }
    let mut positions = hecs::PreparedQuery::<&Position>::new();
    let mut followers = hecs::PreparedQuery::<(&mut Velocity, &Target)>::new();
    bencher.bench_local(|| {
        let mut borrow = positions.query(&world);
        let view = borrow.view();
        for (velocity, target) in followers.query(&world).iter() {
            let target = hecs::Entity::from_bits(target.0).and_then(|target| view.get(target));
            velocity.0 = target.expect("it is there").0;
        }
    });
}

#[divan::bench(args = SIZES)]
fn follow_ours(bencher: Bencher<'_, '_>, n: usize) {
    let mut world = world(0);
    let ids = world.spawn_batch((0..n as u32).map(bundle));
    for (&id, &target) in ids.iter().zip(&shuffled(n)) {
        world.add(id, Target(ids[target as usize].bits())).expect("it is there");
    }
    let mut followers = PreparedQuery::<(&mut Velocity, &Target)>::new();
    bencher.bench_local(|| {
        followers.each_reading::<Position>(&mut world, |(velocity, target), positions| {
            let target = EntityId::from_bits(target.0).and_then(|target| positions.get(target));
            velocity.0 = target.expect("it is there").0;
        });
    });
}
