//! What an entity of four components and a tag costs to make: one by one, many at once, and asked for by a run.

mod support;

use divan::Bencher;
use support::{Health, Number, Position, SIZES, Tag, Velocity, bundle, world};
use vivarium_world::{Named, Run, SystemDef};

fn main() {
    support::run();
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
fn many_at_once_plain(bencher: Bencher<'_, '_>, n: usize) {
    bencher.bench_local(|| {
        let all = 0..n as u32;
        (
            all.clone().map(|k| bundle(k).0).collect::<Vec<_>>(),
            all.clone().map(|k| bundle(k).1).collect::<Vec<_>>(),
            all.clone().map(|k| bundle(k).2).collect::<Vec<_>>(),
            all.map(|k| bundle(k).3).collect::<Vec<_>>(),
        )
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

/// The values wait in a list until all are there.
#[divan::bench(args = SIZES)]
fn asked_for_plain(bencher: Bencher<'_, '_>, n: usize) {
    type Columns = (Vec<Position>, Vec<Velocity>, Vec<Health>, Vec<Number>);
    bencher.bench_local(|| {
        let asked: Vec<_> = (0..n as u32).map(bundle).collect();
        let mut columns = Columns::default();
        for (position, velocity, health, number) in asked {
            columns.0.push(position);
            columns.1.push(velocity);
            columns.2.push(health);
            columns.3.push(number);
        }
        columns
    });
}

#[divan::bench(args = SIZES)]
fn asked_for_hecs(bencher: Bencher<'_, '_>, n: usize) {
    bencher.with_inputs(hecs::World::new).bench_local_values(|mut world| {
        let mut commands = hecs::CommandBuffer::new();
        (0..n as u32).for_each(|k| commands.spawn(tagged(k)));
        commands.run_on(&mut world);
        world
    });
}

#[divan::bench(args = SIZES)]
fn asked_for_ours(bencher: Bencher<'_, '_>, n: usize) {
    let with_system = || {
        let mut world = world(0);
        let system = SystemDef::worker("create", move |_: &mut Named<'_>, run: &mut Run| {
            for k in 0..n as u32 {
                run.spawn(tagged(k))?;
            }
            Ok(())
        });
        let system = system.creates(["Position", "Velocity", "Health", "Number", "Tag"]);
        world.add_system(system).expect("all components are registered");
        world
    };
    bencher.with_inputs(with_system).bench_local_values(|mut world| {
        world.step();
        world
    });
}
