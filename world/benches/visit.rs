//! What it costs to visit entities: one simple update, a chain of six, looking up others by id, choosing some, many
//! kinds of a few, and an update that is heavy by itself.

mod support;

use divan::Bencher;
use support::{
    Acceleration, Health, Position, SIZES, Tag, Target, Velocity, accelerated, add_scaled, bundle,
    hecs_chain_of_six, shuffled, world,
};
use vivarium_world::{EntityId, PreparedQuery, Run, SystemDef, World};

fn main() {
    support::run();
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

#[divan::bench(args = SIZES)]
fn chain_of_six_hecs(bencher: Bencher<'_, '_>, n: usize) {
    hecs_chain_of_six(bencher, n);
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

/// A list of the entities whose health is over 75, about a quarter.
#[divan::bench(args = SIZES)]
fn select_plain(bencher: Bencher<'_, '_>, n: usize) {
    let all: Vec<(u64, f32)> = (0..n as u32).map(|k| (k as u64, bundle(k).2.0)).collect();
    bencher.bench_local(|| {
        all.iter().filter(|(_, health)| *health > 75.0).map(|&(id, _)| id).collect::<Vec<u64>>()
    });
}

#[divan::bench(args = SIZES)]
fn select_hecs(bencher: Bencher<'_, '_>, n: usize) {
    let mut world = hecs::World::new();
    drop(world.spawn_batch((0..n as u32).map(bundle)));
    let mut query = hecs::PreparedQuery::<(hecs::Entity, &Health)>::new();
    bencher.bench_local(|| {
        let over = query.query_mut(&mut world).filter(|(_, health)| health.0 > 75.0);
        over.map(|(id, _)| id).collect::<Vec<hecs::Entity>>()
    });
}

#[divan::bench(args = SIZES)]
fn select_ours(bencher: Bencher<'_, '_>, n: usize) {
    let mut world = moving(n, 0);
    let mut query = PreparedQuery::<&Health>::new();
    bencher.bench_local(|| query.select(&mut world, |health| health.0 > 75.0));
}

/// Calls `$spawn` with entities of eight kinds, in turns.
macro_rules! of_eight_kinds {
    ($spawn:expr, $n:expr) => {
        for k in 0..$n as u32 {
            let (position, velocity, health, number) = bundle(k);
            match k % 8 {
                0 => _ = $spawn.spawn((health,)),
                1 => _ = $spawn.spawn((health, Tag)),
                2 => _ = $spawn.spawn((health, number)),
                3 => _ = $spawn.spawn((health, number, Tag)),
                4 => _ = $spawn.spawn((health, position)),
                5 => _ = $spawn.spawn((health, position, Tag)),
                6 => _ = $spawn.spawn((health, velocity)),
                _ => _ = $spawn.spawn((health, velocity, Tag)),
            }
        }
    };
}

#[divan::bench(args = SIZES)]
fn fragmented_plain(bencher: Bencher<'_, '_>, n: usize) {
    let mut health: Vec<f32> = (0..n as u32).map(|k| bundle(k).2.0).collect();
    bencher.bench_local(|| {
        health.iter_mut().for_each(|health| *health *= 0.9);
        divan::black_box(&mut health);
    });
}

#[divan::bench(args = SIZES)]
fn fragmented_hecs(bencher: Bencher<'_, '_>, n: usize) {
    let mut world = hecs::World::new();
    of_eight_kinds!(world, n);
    let mut query = hecs::PreparedQuery::<&mut Health>::new();
    bencher.bench_local(|| query.query_mut(&mut world).for_each(|health| health.0 *= 0.9));
}

#[divan::bench(args = SIZES)]
fn fragmented_ours(bencher: Bencher<'_, '_>, n: usize) {
    let mut world = world(0);
    of_eight_kinds!(world, n);
    let mut query = PreparedQuery::<&mut Health>::new();
    bencher.bench_local(|| query.each(&mut world, |health| health.0 *= 0.9));
}

/// A long chain of dependent operations, which no layout makes quicker.
fn heavy(health: &mut f32) {
    for _ in 0..50 {
        *health = (*health * 0.5 + 1.0).sqrt();
    }
}

#[divan::bench(args = SIZES)]
fn heavy_plain(bencher: Bencher<'_, '_>, n: usize) {
    let mut health: Vec<f32> = (0..n as u32).map(|k| bundle(k).2.0).collect();
    bencher.bench_local(|| {
        health.iter_mut().for_each(heavy);
        divan::black_box(&mut health);
    });
}

#[divan::bench(args = SIZES)]
fn heavy_hecs(bencher: Bencher<'_, '_>, n: usize) {
    let mut world = hecs::World::new();
    drop(world.spawn_batch((0..n as u32).map(bundle)));
    let mut query = hecs::PreparedQuery::<&mut Health>::new();
    bencher.bench_local(|| query.query_mut(&mut world).for_each(|health| heavy(&mut health.0)));
}

#[divan::bench(args = SIZES)]
fn heavy_ours(bencher: Bencher<'_, '_>, n: usize) {
    let mut world = moving(n, 0);
    let mut query = PreparedQuery::<&mut Health>::new();
    bencher.bench_local(|| query.each(&mut world, |health| heavy(&mut health.0)));
}
