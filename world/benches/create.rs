//! What an entity of four components and a tag costs to make, one by one and many at once.

mod support;

use divan::Bencher;
use support::{Health, Number, Position, SIZES, Tag, Velocity, bundle, world};

fn main() {
    divan::main();
}

fn tagged(n: u32) -> (Position, Velocity, Health, Number, Tag) {
    let (position, velocity, health, number) = bundle(n);
    (position, velocity, health, number, Tag)
}

#[divan::bench(args = SIZES)]
fn one_by_one_plain(bencher: Bencher<'_, '_>, n: usize) {
    type Columns = (Vec<Position>, Vec<Velocity>, Vec<Health>, Vec<Number>);
    bencher.with_inputs(Columns::default).bench_local_values(|mut columns| {
        for k in 0..n as u32 {
            let (position, velocity, health, number) = bundle(k);
            columns.0.push(position);
            columns.1.push(velocity);
            columns.2.push(health);
            columns.3.push(number);
        }
        columns
    });
}

#[divan::bench(args = SIZES)]
fn one_by_one_hecs(bencher: Bencher<'_, '_>, n: usize) {
    bencher.with_inputs(hecs::World::new).bench_local_values(|mut world| {
        (0..n as u32).for_each(|k| _ = world.spawn(tagged(k)));
        world
    });
}

#[divan::bench(args = SIZES)]
fn one_by_one_ours(bencher: Bencher<'_, '_>, n: usize) {
    bencher.with_inputs(|| world(0)).bench_local_values(|mut world| {
        (0..n as u32).for_each(|k| _ = world.spawn(tagged(k)));
        world
    });
}

#[divan::bench(args = SIZES)]
fn many_at_once_hecs(bencher: Bencher<'_, '_>, n: usize) {
    bencher.with_inputs(hecs::World::new).bench_local_values(|mut world| {
        drop(world.spawn_batch((0..n as u32).map(tagged)));
        world
    });
}

#[divan::bench(args = SIZES)]
fn many_at_once_ours(bencher: Bencher<'_, '_>, n: usize) {
    bencher.with_inputs(|| world(0)).bench_local_values(|mut world| {
        drop(world.spawn_batch((0..n as u32).map(tagged)));
        world
    });
}
