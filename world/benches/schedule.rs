//! What the schedule costs: many systems, idle systems, a chain of systems, and what runs ask for, beside hecs and
//! plain loops without a schedule.

mod support;

use divan::Bencher;
use support::{
    Acceleration, Health, Nobody, Number, Position, SIZES, Tag, Velocity, accelerated, add_scaled, bundle,
    hecs_chain_of_six, hecs_emits_sets, world,
};
use vivarium_world::{EntityId, Run, SystemDef, World};

fn main() {
    support::run();
}

/// Fifty systems that match nothing, by the schedule, with timing.
#[divan::bench(args = [0, 2])]
fn fifty_idle_ours(bencher: Bencher<'_, '_>, threads: usize) {
    let mut world = world(threads);
    world.spawn_batch((0..1000).map(bundle));
    for _ in 0..50 {
        let system = SystemDef::each::<(&Health, &Nobody), _>("idle", |_, _: &mut Run| {});
        world.add_system(system).expect("all components are registered");
    }
    bencher.bench_local(|| world.step());
}

#[divan::bench]
fn fifty_idle_hecs(bencher: Bencher<'_, '_>) {
    let mut world = hecs::World::new();
    drop(world.spawn_batch((0..1000).map(bundle)));
    let mut queries: Vec<_> = (0..50).map(|_| hecs::PreparedQuery::<(&Health, &Nobody)>::new()).collect();
    bencher
        .bench_local(|| queries.iter_mut().map(|query| query.query_mut(&mut world).count()).sum::<usize>());
}

/// Fifty systems over a thousand entities.
#[divan::bench(args = [0, 2])]
fn fifty_systems_ours(bencher: Bencher<'_, '_>, threads: usize) {
    let mut world = world(threads);
    world.spawn_batch((0..1000).map(bundle));
    for _ in 0..50 {
        let system = SystemDef::each::<(&mut Position, &Velocity), _>("move", |(p, v), _: &mut Run| {
            add_scaled(&mut p.0, &v.0, 0.01)
        });
        world.add_system(system).expect("all components are registered");
    }
    bencher.bench_local(|| world.step());
}

#[divan::bench]
fn fifty_systems_hecs(bencher: Bencher<'_, '_>) {
    let mut world = hecs::World::new();
    drop(world.spawn_batch((0..1000).map(bundle)));
    let mut queries: Vec<_> =
        (0..50).map(|_| hecs::PreparedQuery::<(&mut Position, &Velocity)>::new()).collect();
    bencher.bench_local(|| {
        for query in &mut queries {
            query.query_mut(&mut world).for_each(|(p, v)| add_scaled(&mut p.0, &v.0, 0.01));
        }
    });
}

#[divan::bench]
fn fifty_systems_plain(bencher: Bencher<'_, '_>) {
    let (mut positions, velocities): (Vec<_>, Vec<_>) =
        (0..1000).map(|k| (bundle(k).0.0, bundle(k).1.0)).unzip();
    bencher.bench_local(|| {
        for _ in 0..50 {
            positions.iter_mut().zip(&velocities).for_each(|(p, v)| add_scaled(p, v, 0.01));
            divan::black_box(&mut positions);
        }
    });
}

/// Six systems of which each waits for the one before.
fn chain(n: usize, threads: usize) -> World {
    let mut world = world(threads);
    world.spawn_batch((0..n as u32).map(accelerated));
    for _ in 0..2 {
        let systems = [
            SystemDef::each_in_parallel::<(&mut Velocity, &Acceleration), _>(
                "push",
                |(v, a), _: &mut Run| add_scaled(&mut v.0, &a.0, 0.01),
            ),
            SystemDef::each_in_parallel::<(&mut Position, &Velocity), _>("go", |(p, v), _: &mut Run| {
                add_scaled(&mut p.0, &v.0, 0.01)
            }),
            SystemDef::each_in_parallel::<(&mut Acceleration, &Position), _>(
                "pull",
                |(a, p), _: &mut Run| add_scaled(&mut a.0, &p.0, -0.001),
            ),
        ];
        systems.into_iter().for_each(|system| _ = world.add_system(system).expect("all are registered"));
    }
    world
}

#[divan::bench(args = SIZES)]
fn chain_of_six_ours(bencher: Bencher<'_, '_>, n: usize) {
    let mut world = chain(n, 0);
    bencher.bench_local(|| world.step());
}

#[divan::bench(args = SIZES)]
fn chain_of_six_ours_two_threads(bencher: Bencher<'_, '_>, n: usize) {
    let mut world = chain(n, 2);
    bencher.bench_local(|| world.step());
}

#[divan::bench(args = SIZES)]
fn chain_of_six_hecs(bencher: Bencher<'_, '_>, n: usize) {
    hecs_chain_of_six(bencher, n);
}

#[divan::bench(args = SIZES)]
fn chain_of_six_plain(bencher: Bencher<'_, '_>, n: usize) {
    let mut all: Vec<_> = (0..n as u32).map(accelerated).collect();
    let mut p: Vec<_> = all.iter().map(|each| each.0.0).collect();
    let mut v: Vec<_> = all.iter().map(|each| each.1.0).collect();
    let mut a: Vec<_> = all.drain(..).map(|each| each.2.0).collect();
    bencher.bench_local(|| {
        for _ in 0..2 {
            v.iter_mut().zip(&a).for_each(|(v, a)| add_scaled(v, a, 0.01));
            p.iter_mut().zip(&v).for_each(|(p, v)| add_scaled(p, v, 0.01));
            a.iter_mut().zip(&p).for_each(|(a, p)| add_scaled(a, p, -0.001));
        }
        divan::black_box((&mut p, &mut v, &mut a));
    });
}

/// Every entity asks for one component of its own to be set.
#[divan::bench(args = SIZES)]
fn emit_set_ours(bencher: Bencher<'_, '_>, n: usize) {
    let mut world = world(0);
    world.spawn_batch((0..n as u32).map(bundle));
    let system = SystemDef::each::<(EntityId, &Number), _>("emit", |(id, number), run: &mut Run| {
        run.set(id, Health(number.0 as f32))
    });
    world.add_system(system.writes::<Health>()).expect("all components are registered");
    bencher.bench_local(|| world.step());
}

#[divan::bench(args = SIZES)]
fn emit_set_hecs(bencher: Bencher<'_, '_>, n: usize) {
    hecs_emits_sets(bencher, n);
}

/// Every tenth entity is killed, and as many are made, by a system.
#[divan::bench(args = SIZES)]
fn churn_ours(bencher: Bencher<'_, '_>, n: usize) {
    let mut world = world(0);
    world.spawn_batch((0..n as u32).map(|k| (Number(k), Health(1.0), Tag)));
    let system = SystemDef::each::<(EntityId, &Number), _>("churn", |(id, number), run: &mut Run| {
        if number.0 as u64 % 10 == run.tick() % 10 {
            run.kill(id)?;
            run.spawn((Number(number.0), Health(1.0), Tag))?;
        }
        Ok::<(), vivarium_world::EffectError>(())
    });
    let components = ["Number", "Health", "Tag"];
    world.add_system(system.kills().creates(components)).expect("all components are registered");
    bencher.bench_local(|| world.step());
}

#[divan::bench(args = SIZES)]
fn churn_hecs(bencher: Bencher<'_, '_>, n: usize) {
    let mut world = hecs::World::new();
    drop(world.spawn_batch((0..n as u32).map(|k| (Number(k), Health(1.0), Tag))));
    let mut query = hecs::PreparedQuery::<(hecs::Entity, &Number)>::new();
    let mut commands = hecs::CommandBuffer::new();
    let mut tick = 0_u32;
    bencher.bench_local(|| {
        tick += 1;
        for (id, number) in query.query_mut(&mut world) {
            if number.0 % 10 == tick % 10 {
                commands.despawn(id);
                commands.spawn((Number(number.0), Health(1.0), Tag));
            }
        }
        commands.run_on(&mut world);
    });
}
