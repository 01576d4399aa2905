//! What a load of 100,000 entities takes, from JSON and from a compressed save, beside `serde_json` reading the same
//! JSON into values; and what saving takes, beside `serde_json` writing those.
//!
//! `cargo bench -p vivarium-world --bench load`; only ratios within one run mean anything.

use divan::Bencher;
use std::fmt::Write;
use std::sync::LazyLock;
use vivarium_world::{Catalog, LoadOptions, SaveForm, Stream, World, WorldOptions};

fn main() {
    divan::Divan::from_args().max_time(std::time::Duration::from_secs(10)).main();
}

const ENTITIES: usize = 100_000;

/// Bodies as a simulation leaves them: places in single precision, a few integers, a flag.
static SCENE: LazyLock<String> = LazyLock::new(|| {
    let mut random = Stream::new(1);
    let mut text = String::from(
        r#"{ "vivarium": 1, "random": { "seed": 1 }, "scheduler": "conflict",
"components": {
  "place": { "fields": [ { "name": "x", "type": "f32" }, { "name": "y", "type": "f32" } ] },
  "speed": { "fields": [ { "name": "vx", "type": "f32" }, { "name": "vy", "type": "f32" } ] },
  "health": { "fields": [ { "name": "health", "type": "u16" }, { "name": "maxHealth", "type": "u16" } ] },
  "look": { "fields": [ { "name": "tint", "type": "u32", "role": "colour" }, { "name": "shown", "type": "bool8" } ] } },
"classes": { "actor": [ "place", "speed", "health", "look" ] },
"templates": { "ship": { "class": "actor", "maxHealth": 100 }, "rock": { "class": "actor", "shown": true } },
"entities": [
"#,
    );
    let mut number = |most: f64| (random.next() * most) as f32;
    for k in 0..ENTITIES {
        let name = if k % 4 == 0 { "rock" } else { "ship" };
        let (x, y, vx, vy) = (number(2400.0), number(1600.0), number(10.0) - 5.0, number(10.0) - 5.0);
        let health = number(100.0) as u32;
        let separator = if k == 0 { "" } else { ",\n" };
        let _ = write!(
            text,
            r#"{separator}{{"type":"{name}","x":{x},"y":{y},"vx":{vx},"vy":{vy},"health":{health},"tint":{}}}"#,
            0x3a7f2cff_u32 + health
        );
    }
    text.push_str("\n] }");
    text
});

static COMPRESSED: LazyLock<String> = LazyLock::new(|| {
    let mut world = world();
    world.load("scene", &SCENE, &LoadOptions::default()).unwrap();
    world.save(SaveForm::Compressed).unwrap()
});

fn world() -> World {
    World::new(&Catalog::new(), WorldOptions::default()).unwrap()
}

#[divan::bench]
fn a_serde_json_reads_values(bencher: Bencher<'_, '_>) {
    bencher.bench_local(|| serde_json::from_str::<serde_json::Value>(&SCENE).unwrap());
}

#[divan::bench]
fn load_json(bencher: Bencher<'_, '_>) {
    load(bencher, &SCENE);
}

#[divan::bench]
fn load_compressed(bencher: Bencher<'_, '_>) {
    load(bencher, &COMPRESSED);
}

/// The world that is replaced is empty each time: taking it away is not part of it.
fn load(bencher: Bencher<'_, '_>, text: &str) {
    bencher.with_inputs(world).bench_local_values(|mut world| {
        world.load("scene", text, &LoadOptions::default()).unwrap();
        world
    });
}

#[divan::bench]
fn b_serde_json_writes_values(bencher: Bencher<'_, '_>) {
    let value: serde_json::Value = serde_json::from_str(&SCENE).unwrap();
    bencher.bench_local(|| serde_json::to_string(&value).unwrap());
}

#[divan::bench(args = [true, false])]
fn save(bencher: Bencher<'_, '_>, compressed: bool) {
    let mut world = world();
    world.load("scene", &SCENE, &LoadOptions::default()).unwrap();
    let form = if compressed { SaveForm::Compressed } else { SaveForm::Plain };
    bencher.bench_local(|| world.save(form).unwrap());
}
