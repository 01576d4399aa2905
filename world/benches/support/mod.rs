//! Components, worlds and inputs that all benchmarks share.
#![allow(dead_code, reason = "each benchmark uses a part")]

use bytemuck::{Pod, Zeroable};
use vivarium_world::{Catalog, Component, ComponentDef, World, WorldOptions};

/// Runs what is asked for on the command line, each at most a few seconds.
pub(crate) fn run() {
    divan::Divan::from_args().max_time(std::time::Duration::from_secs(3)).main();
}

/// How many entities: what fits the first-level cache, the second, and none.
pub(crate) const SIZES: [usize; 3] = [1_000, 100_000, 1_000_000];

macro_rules! components {
    ($($name:ident($type:ty);)+) => { $(
        #[derive(Clone, Copy, Pod, Zeroable)]
        #[repr(transparent)]
        pub(crate) struct $name(pub(crate) $type);
        components!(@component $name);
    )+ };
    ($($name:ident;)+) => { $(
        #[derive(Clone, Copy, Pod, Zeroable)]
        #[repr(C)]
        pub(crate) struct $name;
        components!(@component $name);
    )+ };
    (@component $name:ident) => {
        impl Component for $name {
            const NAME: &'static str = stringify!($name);
            fn definition() -> ComponentDef {
                ComponentDef::of::<Self>()
            }
        }
    };
}
components! {
    Position([f32; 3]);
    Velocity([f32; 3]);
    Acceleration([f32; 3]);
    Health(f32);
    Number(u32);
    Target(u64);
}
components! {
    Tag;
    Nobody;
}

/// An empty world with so many worker threads.
pub(crate) fn world(threads: usize) -> World {
    macro_rules! catalog {
        ($($name:ty)*) => { Catalog::new()$(.component::<$name>().expect("each name is used once"))* };
    }
    let catalog = catalog!(Position Velocity Acceleration Health Number Target Tag Nobody);
    let options = WorldOptions { threads, ..WorldOptions::default() };
    let mut world = World::new(&catalog, options).expect("threads can be started");
    world.set_step(Some(16.0)).expect("a step above 0");
    world
}

/// What entity `n` is made of, eight scalars.
pub(crate) fn bundle(n: u32) -> (Position, Velocity, Health, Number) {
    let position = Position([(n & 1023) as f32, ((n >> 3) & 1023) as f32, ((n >> 7) & 511) as f32]);
    let velocity = Velocity([(n & 7) as f32 - 3.5, (n & 3) as f32 * 0.25, (n & 1) as f32 * 0.125]);
    (position, velocity, Health((n % 100) as f32), Number(n))
}

/// Numbers below `n` in an order that looks random and is always the same.
pub(crate) fn shuffled(n: usize) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..n as u32).collect();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for at in (1..n).rev() {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        numbers.swap(at, (state >> 33) as usize % (at + 1));
    }
    numbers
}

/// `to += by * factor`, lane by lane.
#[inline(always)]
pub(crate) fn add_scaled(to: &mut [f32; 3], by: &[f32; 3], factor: f32) {
    for (to, by) in to.iter_mut().zip(by) {
        *to += by * factor;
    }
}

/// An entity of a chain.
pub(crate) fn accelerated(k: u32) -> (Position, Velocity, Acceleration) {
    let (position, velocity, ..) = bundle(k);
    (position, velocity, Acceleration([0.125, 0.5, (k & 3) as f32 * 0.25]))
}

/// Six updates one after another in hecs, each of which needs what the one before wrote.
pub(crate) fn hecs_chain_of_six(bencher: divan::Bencher<'_, '_>, n: usize) {
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

/// Every entity asks for one component of its own to be set, in hecs.
pub(crate) fn hecs_emits_sets(bencher: divan::Bencher<'_, '_>, n: usize) {
    let mut world = hecs::World::new();
    drop(world.spawn_batch((0..n as u32).map(bundle)));
    let mut query = hecs::PreparedQuery::<(hecs::Entity, &Number)>::new();
    let mut commands = hecs::CommandBuffer::new();
    bencher.bench_local(|| {
        for (id, number) in query.query_mut(&mut world) {
            commands.insert_one(id, Health(number.0 as f32));
        }
        commands.run_on(&mut world);
    });
}
