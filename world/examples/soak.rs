//! Two worlds that are treated alike for a long time: one on several threads, one on none. They must stay alike.
//!
//! `cargo run --release -p vivarium-world --example soak -- SECONDS [SEED [THREADS]]`
//!
//! Random systems come and go, some of which panic, fail, flood the world with effects or take long; entities are
//! made, killed, edited and removed; worlds are saved, loaded, cleared, compacted and shrunk. After every step their
//! hashes must be equal, nothing may be open once it is settled, and nothing may be left after a clear.

use bytemuck::{Pod, Zeroable};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use vivarium_world::{
    Catalog, Component, ComponentDef, EffectError, EntityId, Field, LoadOptions, Ordinal, Run, SaveForm,
    Scalar, SystemDef, World, WorldOptions,
};

macro_rules! components {
    ($($name:ident $text:literal $field:literal;)+) => { $(
        #[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
        #[repr(transparent)]
        struct $name(f64);
        impl Component for $name {
            const NAME: &'static str = $text;
            fn definition() -> ComponentDef {
                ComponentDef::of::<Self>().field(Field::new($field, Scalar::F64, 0))
            }
        }
    )+ };
}
components! {
    Heat "heat" "heat";
    Mass "mass" "mass";
    Age "age" "age";
}

const SCENE: &str = r#"{ "vivarium": 1, "name": "Soak", "random": { "seed": 11 }, "scheduler": "conflict", "step": 16,
  "systems": [ { "system": "warm" }, { "system": "weigh" }, { "system": "grow old" }, { "system": "renew", "every": 32 } ],
  "entities": [ { "heat": 1, "mass": 2, "age": 3 } ] }"#;

/// The systems a scene or a round may name.
const NAMES: [&str; 10] =
    ["warm", "weigh", "shared", "grow old", "renew", "cool", "panics", "fails", "floods", "sleeps"];

fn catalog() -> Catalog {
    let catalog = Catalog::new().component::<Heat>().and_then(Catalog::component::<Mass>);
    catalog
        .and_then(Catalog::component::<Age>)
        .expect("each name is used once")
        .system(|| {
            SystemDef::each::<&mut Heat, _>("warm", |heat: &mut Heat, run: &mut Run| {
                heat.0 = (heat.0 * 1.25 + run.random().next()).rem_euclid(97.0);
            })
        })
        .system(|| {
            SystemDef::each::<(&mut Mass, &Heat), _>(
                "weigh",
                |(mass, heat): (&mut Mass, &Heat), _: &mut Run| {
                    mass.0 = (mass.0 + heat.0).rem_euclid(1013.0);
                },
            )
        })
        .system(|| {
            let each = |(heat, mass): (&mut Heat, Option<&Mass>), run: &mut Run| {
                heat.0 = (heat.0 + mass.map_or(0.5, |mass| mass.0) + run.random().next()).rem_euclid(89.0);
            };
            SystemDef::each_in_parallel::<(&mut Heat, Option<&Mass>), _>("shared", each)
        })
        .system(|| {
            SystemDef::each::<(EntityId, &mut Age), _>(
                "grow old",
                |(id, age): (EntityId, &mut Age), run: &mut Run| {
                    age.0 += run.delta();
                    if age.0 > 400.0 + run.random().next() * 2000.0 { run.kill(id) } else { Ok(()) }
                },
            )
            .kills()
        })
        .system(|| {
            SystemDef::each_in_parallel::<&Heat, _>("renew", |heat: &Heat, run: &mut Run| {
                if run.random().next() < 0.12 {
                    run.spawn((Heat(heat.0), Mass(1.0), Age(0.0)))?;
                }
                Ok::<(), EffectError>(())
            })
            .creates(["heat", "mass", "age"])
        })
        .system(|| {
            SystemDef::each::<(EntityId, &Heat), _>("cool", |(id, heat): (EntityId, &Heat), run: &mut Run| {
                if heat.0 > 80.0 {
                    return run.remove::<Mass>(id);
                }
                if heat.0 < 5.0 { run.add(id, Mass(heat.0)) } else { Ok(()) }
            })
            .adds::<Mass>()
            .removes::<Mass>()
        })
        .system(|| {
            SystemDef::each::<&mut Mass, _>("panics", |mass: &mut Mass, run: &mut Run| {
                assert!(run.random().next() > 0.0005, "as it was to");
                mass.0 += 0.25;
            })
        })
        .system(|| {
            SystemDef::each::<&mut Age, _>("fails", |age: &mut Age, run: &mut Run| {
                age.0 += 0.125;
                if run.random().next() < 0.01 { Err("now and then".to_owned()) } else { Ok(()) }
            })
        })
        .system(|| {
            SystemDef::each::<(EntityId, &Age), _>("floods", |(id, age): (EntityId, &Age), run: &mut Run| {
                let times = if run.random().next() < 0.001 { 3_000 } else { 0 };
                (0..times).try_for_each(|_| run.set(id, Heat(age.0)))
            })
            .writes::<Heat>()
        })
        .system(|| {
            SystemDef::each::<&Mass, _>("sleeps", |_: &Mass, run: &mut Run| {
                if run.random().next() < 0.002 {
                    std::thread::sleep(Duration::from_micros(300));
                }
            })
        })
}

/// What decides what is done; the same for both worlds.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

fn world(threads: usize) -> World {
    let options = WorldOptions { threads, ..WorldOptions::default() };
    let mut world = World::new(&catalog(), options).expect("threads can be started");
    world.set_effect_limit(2_000);
    world.load("soak", SCENE, &LoadOptions::default()).expect("the scene is sound");
    world
}

/// Does one thing to a world, as the dice that are given say.
fn act(world: &mut World, dice: &mut Dice, fresh: f64) -> Result<&'static str, String> {
    let some = |dice: &mut Dice, world: &World| {
        let count = world.len().max(1) as u64;
        world.entities().nth(dice.below(count) as usize)
    };
    match dice.below(40) {
        0..8 => {
            let count = dice.below(300);
            let make = |n: u64| (Heat(fresh + n as f64), Mass(n as f64), Age(0.0));
            drop(world.spawn_batch((0..count).map(make)));
            Ok("spawn")
        }
        8..12 => {
            for _ in 0..dice.below(60) {
                if let Some(id) = some(dice, world) {
                    if dice.below(2) == 0 {
                        world.kill(id)
                    } else {
                        world.remove(id)
                    };
                }
            }
            Ok("remove")
        }
        12..18 => {
            for _ in 0..dice.below(60) {
                let Some(id) = some(dice, world) else { continue };
                let edited = match dice.below(3) {
                    0 => world.add(id, Heat(fresh)),
                    1 => world.set(id, Age(fresh)),
                    _ => world.remove_component::<Mass>(id),
                };
                // One without the component cannot be edited so.
                drop(edited);
            }
            Ok("edit")
        }
        18..24 => {
            let name = NAMES[dice.below(NAMES.len() as u64) as usize];
            match world.system_named(name) {
                Some(id) if dice.below(3) == 0 => _ = world.remove_system(id),
                Some(id) => {
                    let on = dice.below(3) > 0;
                    world.set_enabled(id, on);
                }
                None => {
                    let system = world.catalog().make_system(name).ok_or("a system of the catalog")?;
                    world.add_system(system).map_err(|error| error.to_string())?;
                }
            }
            Ok("systems")
        }
        24..27 => {
            let form = if dice.below(2) == 0 { SaveForm::Plain } else { SaveForm::Compressed };
            let before = world.state_hash();
            let text = world.save(form).map_err(|error| error.to_string())?;
            world.load("saved", &text, &LoadOptions::default()).map_err(|error| error.to_string())?;
            let after = world.state_hash();
            if before == after { Ok("save") } else { Err("a save does not load as it was".to_owned()) }
        }
        27 => {
            world.clear();
            let blocks: usize = world.registry().iter().map(|(id, _)| world.pool_len(id)).sum();
            if world.len() + blocks + world.deferred_blocks() > 0 || world.is_busy() {
                return Err(format!("{} entities and {blocks} blocks are left after a clear", world.len()));
            }
            world.load("soak", SCENE, &LoadOptions::default()).map_err(|error| error.to_string())?;
            Ok("clear")
        }
        28 => {
            world.compact();
            Ok("compact")
        }
        29 => {
            world.shrink();
            Ok("shrink")
        }
        _ => Ok("nothing"),
    }
}

fn trim(world: &mut World) {
    let many: Vec<EntityId> = world.entities().skip(20_000).collect();
    many.into_iter().for_each(|id| _ = world.remove(id));
}

/// What differs between the worlds, if anything does.
fn difference(one: &mut World, other: &mut World) -> Option<String> {
    for world in [&mut *one, &mut *other] {
        world.settle();
        if world.is_busy() {
            return Some(format!("{} threads: something is open after it was settled", world.threads()));
        }
    }
    if one.state_hash() == other.state_hash() {
        return None;
    }
    let ordinals =
        |world: &World| -> Vec<Ordinal> { world.entities().filter_map(|id| world.ordinal(id)).collect() };
    let (left, right) = (ordinals(one), ordinals(other));
    if left != right {
        return Some(format!("there are {} and {} entities, or others", left.len(), right.len()));
    }
    let differs = |ordinal: &&Ordinal| {
        let of = |world: &World| {
            let id = world.by_ordinal(**ordinal)?;
            Some((
                world.peek::<Heat>(id).copied(),
                world.peek::<Mass>(id).copied(),
                world.peek::<Age>(id).copied(),
            ))
        };
        of(one) != of(other)
    };
    Some(match left.iter().find(differs) {
        Some(ordinal) => format!("entity {ordinal:?} differs"),
        None => "the hashes differ".to_owned(),
    })
}

fn main() -> ExitCode {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let seconds = numbers.first().copied().unwrap_or(60);
    let seed = numbers.get(1).copied().unwrap_or(1);
    let threads = numbers.get(2).copied().unwrap_or(4) as usize;
    // Panics of systems are a part of this.
    std::panic::set_hook(Box::new(|_| {}));
    let (mut many, mut none) = (world(threads), world(0));
    let mut dice = Dice(seed);
    let start = Instant::now();
    let (mut steps, mut rounds, mut most, mut errors) = (0_u64, 0_u64, 0, 0_usize);
    while start.elapsed() < Duration::from_secs(seconds) {
        rounds += 1;
        let (roll, fresh) = (dice.below(u64::MAX >> 34), dice.below(1000) as f64);
        let mut done = Vec::new();
        for world in [&mut many, &mut none] {
            done.push(act(world, &mut Dice(roll), fresh));
            trim(world);
        }
        for _ in 0..1 + dice.below(4) {
            steps += 1;
            many.step();
            none.step();
        }
        if dice.below(4) == 0 {
            // Updates overlap where steps do not.
            let elapsed = 16.0 * (1 + dice.below(5)) as f64;
            many.update(elapsed);
            none.update(elapsed);
        }
        if dice.below(50) == 0 {
            many.set_tiles(dice.below(2) == 0);
        }
        most = most.max(none.len());
        for world in [&mut many, &mut none] {
            let (kept, dropped) = world.take_errors();
            errors += kept.len() + dropped;
        }
        let fault =
            done.iter().find_map(|done| done.clone().err()).or_else(|| difference(&mut many, &mut none));
        if let Some(fault) = fault {
            eprintln!("round {rounds}, step {steps}, seed {seed}, after {:?}: {fault}", done[0]);
            return ExitCode::FAILURE;
        }
    }
    println!(
        "{rounds} rounds, {steps} steps and {errors} errors in {:.0} s on {threads} threads and none, at most {most} entities: alike",
        start.elapsed().as_secs_f64()
    );
    ExitCode::SUCCESS
}
