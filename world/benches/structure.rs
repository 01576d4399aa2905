//! What it costs that entities come and go, and that their components do.

mod support;

use divan::Bencher;
use support::{SIZES, Tag, Target, bundle, shuffled, world};

fn main() {
    support::run();
}

/// A tenth of the values is written over at random: the least that coming and going could cost.
#[divan::bench(args = SIZES)]
fn churn_plain(bencher: Bencher<'_, '_>, n: usize) {
    let mut all: Vec<_> = (0..n as u32).map(bundle).collect();
    let leaving = shuffled(n);
    bencher.bench_local(|| {
        for &k in &leaving[..n / 10] {
            all[k as usize] = bundle(k);
        }
        divan::black_box(&mut all);
    });
}

/// A tenth of the entities leaves, and as many come.
#[divan::bench(args = SIZES)]
fn churn_hecs(bencher: Bencher<'_, '_>, n: usize) {
    let mut world = hecs::World::new();
    let mut ids: Vec<hecs::Entity> = (0..n as u32).map(|k| world.spawn(bundle(k))).collect();
    let leaving = shuffled(n);
    bencher.bench_local(|| {
        for &k in &leaving[..n / 10] {
            world.despawn(ids[k as usize]).expect("it is there");
        }
        for &k in &leaving[..n / 10] {
            ids[k as usize] = world.spawn(bundle(k));
        }
    });
}

#[divan::bench(args = SIZES)]
fn churn_ours(bencher: Bencher<'_, '_>, n: usize) {
    let mut world = world(0);
    let mut ids: Vec<_> = (0..n as u32).map(|k| world.spawn(bundle(k))).collect();
    let leaving = shuffled(n);
    bencher.bench_local(|| {
        for &k in &leaving[..n / 10] {
            world.remove(ids[k as usize]);
        }
        // Without systems a step gives back what was removed, and no more.
        world.step();
        for &k in &leaving[..n / 10] {
            ids[k as usize] = world.spawn(bundle(k));
        }
    });
}

/// A random fifth of the entities gets a tag, or loses it.
#[divan::bench(args = SIZES)]
fn toggle_plain_bits(bencher: Bencher<'_, '_>, n: usize) {
    let mut bits = vec![0_u64; n.div_ceil(64)];
    let order = shuffled(n);
    bencher.bench_local(|| {
        for &k in &order[..n / 5] {
            bits[k as usize / 64] ^= 1 << (k % 64);
        }
        divan::black_box(&mut bits);
    });
}

#[divan::bench(args = SIZES)]
fn toggle_hecs(bencher: Bencher<'_, '_>, n: usize) {
    let mut world = hecs::World::new();
    let ids: Vec<hecs::Entity> = (0..n as u32).map(|k| world.spawn(bundle(k))).collect();
    let order = shuffled(n);
    bencher.bench_local(|| {
        for &k in &order[..n / 5] {
            let id = ids[k as usize];
            if world.remove_one::<Tag>(id).is_err() {
                world.insert_one(id, Tag).expect("it is there");
            }
        }
    });
}

#[divan::bench(args = SIZES)]
fn toggle_ours(bencher: Bencher<'_, '_>, n: usize) {
    let mut world = world(0);
    let ids = world.spawn_batch((0..n as u32).map(bundle));
    let order = shuffled(n);
    bencher.bench_local(|| {
        let mut tags = world.edit::<Tag>().expect("all components are registered");
        for &k in &order[..n / 5] {
            let id = ids[k as usize];
            if !tags.remove(id) {
                tags.add(id, Tag).expect("it is there");
            }
        }
        drop(tags);
        world.step();
    });
}

/// Every entity gets a component, and loses it again.
#[divan::bench(args = SIZES)]
fn add_and_remove_plain(bencher: Bencher<'_, '_>, n: usize) {
    let mut targets = vec![None; n];
    bencher.bench_local(|| {
        targets.iter_mut().zip(0..).for_each(|(target, k)| *target = Some(Target(k)));
        divan::black_box(&mut targets);
        targets.fill_with(|| None);
        divan::black_box(&mut targets);
    });
}

#[divan::bench(args = SIZES)]
fn add_and_remove_hecs(bencher: Bencher<'_, '_>, n: usize) {
    let mut world = hecs::World::new();
    let ids: Vec<hecs::Entity> = (0..n as u32).map(|k| world.spawn(bundle(k))).collect();
    bencher.bench_local(|| {
        for (&id, k) in ids.iter().zip(0..) {
            world.insert_one(id, Target(k)).expect("it is there");
        }
        for &id in &ids {
            world.remove_one::<Target>(id).expect("it has one");
        }
    });
}

#[divan::bench(args = SIZES)]
fn add_and_remove_ours(bencher: Bencher<'_, '_>, n: usize) {
    let mut world = world(0);
    let ids = world.spawn_batch((0..n as u32).map(bundle));
    bencher.bench_local(|| {
        let mut targets = world.edit::<Target>().expect("all components are registered");
        for (&id, k) in ids.iter().zip(0..) {
            targets.add(id, Target(k)).expect("it is there");
        }
        for &id in &ids {
            targets.remove(id);
        }
        drop(targets);
        world.step();
    });
}
