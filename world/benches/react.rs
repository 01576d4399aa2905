//! What it costs to find what changed, and what runs ask for.

mod support;

use divan::Bencher;
use support::{Health, Nobody, Number, SIZES, Target, bundle, hecs_emits_sets, shuffled, world};
use vivarium_world::{Changed, EntityId, PreparedQuery, Run, SystemDef};

fn main() {
    support::run();
}

/// A random hundredth is written, and found.
#[divan::bench(args = SIZES)]
fn changed_plain_bits(bencher: Bencher<'_, '_>, n: usize) {
    let mut health: Vec<f32> = (0..n as u32).map(|k| bundle(k).2.0).collect();
    let mut dirty = vec![0_u64; n.div_ceil(64)];
    let order = shuffled(n);
    bencher.bench_local(|| {
        for &k in &order[..n / 100] {
            health[k as usize] += 1.0;
            dirty[k as usize / 64] |= 1 << (k % 64);
        }
        let mut sum = 0.0;
        for (word, bits) in dirty.iter_mut().enumerate() {
            while *bits != 0 {
                sum += health[word * 64 + bits.trailing_zeros() as usize];
                *bits &= *bits - 1;
            }
        }
        sum
    });
}

#[divan::bench(args = SIZES)]
fn changed_hecs(bencher: Bencher<'_, '_>, n: usize) {
    #[derive(Clone, Copy, PartialEq)]
    struct Watched(f32);
    let mut world = hecs::World::new();
    let ids: Vec<hecs::Entity> = (0..n as u32).map(|k| world.spawn((Watched(bundle(k).2.0),))).collect();
    let mut tracker = hecs::ChangeTracker::<Watched>::new();
    tracker.track(&mut world);
    let order = shuffled(n);
    bencher.bench_local(|| {
        for &k in &order[..n / 100] {
            world.query_one_mut::<&mut Watched>(ids[k as usize]).expect("it is there").0 += 1.0;
        }
        let mut changes = tracker.track(&mut world);
        changes.changed().map(|(_, _, new)| new.0).sum::<f32>()
    });
}

#[divan::bench(args = SIZES)]
fn changed_ours(bencher: Bencher<'_, '_>, n: usize) {
    let mut world = world(0);
    let ids = world.spawn_batch((0..n as u32).map(bundle));
    let mut query = PreparedQuery::<(&Health, Changed<Health>)>::new();
    query.each(&mut world, |_| {});
    let order = shuffled(n);
    bencher.bench_local(|| {
        let mut healths = world.edit::<Health>().expect("all components are registered");
        for &k in &order[..n / 100] {
            healths.update(ids[k as usize], |health| health.0 += 1.0).expect("it is there");
        }
        drop(healths);
        let mut sum = 0.0;
        query.each(&mut world, |(health, ())| sum += health.0);
        sum
    });
}

/// Every entity asks for one component of its own to be set.
#[divan::bench(args = SIZES)]
fn emit_hecs(bencher: Bencher<'_, '_>, n: usize) {
    hecs_emits_sets(bencher, n);
}

#[divan::bench(args = SIZES)]
fn emit_ours(bencher: Bencher<'_, '_>, n: usize) {
    let mut world = world(0);
    world.spawn_batch((0..n as u32).map(bundle));
    let system = SystemDef::each::<(EntityId, &Number), _>("emit", |(id, number), run: &mut Run| {
        run.set(id, Health(number.0 as f32))
    });
    world.add_system(system.writes::<Health>()).expect("all components are registered");
    bencher.bench_local(|| world.step());
}

/// Every entity asks for a component it does not have.
#[divan::bench(args = SIZES)]
fn emit_add_plain(bencher: Bencher<'_, '_>, n: usize) {
    let numbers: Vec<u32> = (0..n as u32).collect();
    bencher.with_inputs(|| vec![None; n]).bench_local_values(|mut targets: Vec<Option<Target>>| {
        let asked: Vec<(usize, Target)> =
            numbers.iter().map(|&number| (number as usize, Target(number as u64))).collect();
        asked.into_iter().for_each(|(k, target)| targets[k] = Some(target));
        targets
    });
}

#[divan::bench(args = SIZES)]
fn emit_add_hecs(bencher: Bencher<'_, '_>, n: usize) {
    let mut query = hecs::PreparedQuery::<(hecs::Entity, &Number)>::new();
    let without = || {
        let mut world = hecs::World::new();
        drop(world.spawn_batch((0..n as u32).map(bundle)));
        world
    };
    bencher.with_inputs(without).bench_local_values(|mut world| {
        let mut commands = hecs::CommandBuffer::new();
        for (id, number) in query.query_mut(&mut world) {
            commands.insert_one(id, Target(number.0 as u64));
        }
        commands.run_on(&mut world);
        world
    });
}

#[divan::bench(args = SIZES)]
fn emit_add_ours(bencher: Bencher<'_, '_>, n: usize) {
    let without = || {
        let mut world = world(0);
        world.spawn_batch((0..n as u32).map(bundle));
        let system = SystemDef::each::<(EntityId, &Number), _>("emit", |(id, number), run: &mut Run| {
            run.add(id, Target(number.0 as u64))
        });
        world.add_system(system.adds::<Target>()).expect("all components are registered");
        world
    };
    bencher.with_inputs(without).bench_local_values(|mut world| {
        world.step();
        world
    });
}

/// Fifty systems that match nothing, by the schedule, with timing.
#[divan::bench]
fn fifty_idle_systems(bencher: Bencher<'_, '_>) {
    let mut world = world(2);
    world.spawn_batch((0..1000).map(bundle));
    for _ in 0..50 {
        let system = SystemDef::each::<(&Health, &Nobody), _>("idle", |_, _: &mut Run| {});
        world.add_system(system).expect("all components are registered");
    }
    bencher.bench_local(|| world.step());
}
