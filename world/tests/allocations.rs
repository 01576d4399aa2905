//! What a step asks the allocator for does not grow with the number of entities, once the world is warm.
//!
//! One test to a process: whatever else runs in it would be counted too.

use bytemuck::{Pod, Zeroable};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use vivarium_world::{
    Catalog, Chain, Component, ComponentDef, EntityId, Field, Named, Run, Scalar, SchedulerKind, SystemDef,
    World, WorldOptions,
};

/// The allocator of the system, with a count of what it is asked for on any thread.
struct Counting;

static CALLS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);

fn count(bytes: usize) {
    CALLS.fetch_add(1, Relaxed);
    BYTES.fetch_add(bytes as u64, Relaxed);
}

// SAFETY: every call is handed on unchanged to the allocator of the system, which keeps the contract; counting
// neither allocates nor unwinds.
#[allow(unsafe_code, reason = "an allocator cannot be written without, and only this test has one")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`, and every block is of the allocator of the system.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        // SAFETY: the caller keeps the contract of `realloc`, and every block is of the allocator of the system.
        unsafe { System.realloc(block, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

macro_rules! component {
    ($name:ident, $text:literal) => {
        #[derive(Clone, Copy, Pod, Zeroable)]
        #[repr(C)]
        struct $name {
            value: f64,
        }
        impl Component for $name {
            const NAME: &'static str = $text;
            fn definition() -> ComponentDef {
                ComponentDef::of::<Self>().field(Field::new($text, Scalar::F64, 0))
            }
        }
    };
}
component!(Place, "place");
component!(Speed, "speed");
component!(Heat, "heat");

/// Every kind of system that goes over entities, and one that asks for something for each.
fn systems() -> [SystemDef; 6] {
    let count = |queries: &mut Named<'_>, _: &mut Run| {
        queries.each::<(&mut Heat,)>("hot", |(heat,)| heat.value *= 0.5);
        Ok(())
    };
    let chain = Chain::new()
        .then::<(&mut Place, &Speed), _>(|(place, speed), _: &mut Run| place.value += speed.value)
        .then::<&mut Place, _>(|place, _: &mut Run| place.value *= 0.5);
    [
        SystemDef::worker("worker", count).query::<(&mut Heat,)>("hot"),
        SystemDef::each::<(&mut Place, &Speed), _>("each", |(place, speed), _| place.value += speed.value),
        SystemDef::each_in_parallel::<(&mut Speed,), _>("parallel", |(speed,), _| speed.value *= 0.5),
        SystemDef::each_on_world_thread::<(&mut Heat,), _>("entities", |(heat,), _| heat.value += 1.0),
        SystemDef::chain("chain", chain),
        SystemDef::each::<(EntityId, &Place), _>("sets", |(id, place), run: &mut Run| {
            run.set(id, Heat { value: place.value })
        })
        .writes::<Heat>(),
    ]
}

/// Allocations and bytes of a number of steps of a warm world.
fn of_steps(system: SystemDef, entities: usize, threads: usize, steps: u64) -> (u64, u64) {
    let catalog = Catalog::new().component::<Place>().and_then(Catalog::component::<Speed>);
    let catalog = catalog.and_then(Catalog::component::<Heat>).unwrap();
    let mut world = World::new(&catalog, WorldOptions { threads, ..WorldOptions::default() }).unwrap();
    world.set_scheduler(SchedulerKind::Conflict);
    world.set_step(Some(16.0)).unwrap();
    world.spawn_batch((0..entities).map(|n| {
        let value = n as f64;
        (Place { value }, Speed { value }, Heat { value })
    }));
    world.add_system(system).unwrap();
    // Long enough for what keeps the last so many steps, such as timings, to be full.
    (0..40).for_each(|_| world.step());
    let before = (CALLS.load(Relaxed), BYTES.load(Relaxed));
    (0..steps).for_each(|_| world.step());
    (CALLS.load(Relaxed) - before.0, BYTES.load(Relaxed) - before.1)
}

#[test]
fn a_step_allocates_no_more_with_more_entities() {
    const STEPS: u64 = 64;
    for threads in [0, 2] {
        for (few, many) in systems().into_iter().zip(systems()) {
            let name = few.name().to_owned();
            let few = of_steps(few, 1_000, threads, STEPS);
            let many = of_steps(many, 100_000, threads, STEPS);
            println!("{name} on {threads} threads: {few:?} at 1,000, {many:?} at 100,000");
            if threads == 0 {
                assert_eq!(few, many, "{name}: calls and bytes of {STEPS} steps");
            } else {
                // Channels and the pool allocate now and then, depending on who is first.
                assert!(many.0 <= few.0 + STEPS, "{name}: {few:?} became {many:?} in {STEPS} steps");
                assert!(many.1 <= few.1 + STEPS * 1024, "{name}: {few:?} became {many:?} in {STEPS} steps");
            }
        }
    }
}
