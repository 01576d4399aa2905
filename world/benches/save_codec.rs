//! What compressed saves cost against JSON of the same entities: bytes, and time to write and to read.
//!
//! `cargo bench -p vivarium-world --bench save_codec [-- ENTITIES]`; every ratio is ours ÷ JSON, measured in turns.

use std::hint::black_box;
use std::time::{Duration, Instant};
use vivarium_world::save::Definitions;
use vivarium_world::{Config, Stream, Value};

const ROUNDS: usize = 7;

fn main() {
    let count = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(100_000);
    println!("{count} entities; ours ÷ serde_json    bytes   write    read   (find definitions ÷ write)");
    for (name, entity) in [("tiles", tile as fn(&mut Stream) -> _), ("ships", ship), ("bodies", body)] {
        let mut random = Stream::new(1);
        let entities: Vec<Config<'_>> = (0..count).map(|_| entity(&mut random)).collect();
        compare(name, &entities);
    }
}

/// Integers on a grid, some absent.
fn tile(random: &mut Stream) -> Config<'static> {
    let mut config = Config::new();
    config.set("type", ["grass", "tree", "rock", "bush"][random.int(0, 4) as usize]);
    config.set("x", random.int(0, 500) * 32 + 16);
    config.set("y", random.int(0, 500) * 32 + 16);
    config.set("harvestAmount", random.int(0, 40));
    if random.int(0, 3) == 0 {
        config.set("harvestProgress", random.int(0, 1_000_000));
    }
    config
}

/// Single precision, truth values and names.
fn ship(random: &mut Stream) -> Config<'static> {
    let mut config = Config::new();
    config.set("type", "ship");
    for key in ["x", "y", "velocityX", "velocityY", "heading"] {
        config.set(key, Value::from(f64::from((random.next() * 2400.0) as f32)));
    }
    config.set("health", random.int(0, 100));
    config.set("docked", random.int(0, 2) == 0);
    config.set("name", format!("Rocinante {}", random.int(0, 1000)));
    config
}

/// Hundredths.
fn body(random: &mut Stream) -> Config<'static> {
    let mut config = Config::new();
    config.set("type", "body");
    for key in ["x", "y", "velocityX", "velocityY"] {
        config.set(key, Value::from(random.int(-100_000, 100_000) as f64 / 100.0));
    }
    config
}

fn compare(name: &str, entities: &[Config<'_>]) {
    let definitions = Definitions::discover(entities, &[]);
    let (text, ends) = write(&definitions, entities);
    let json = serde_json::to_string(entities).unwrap_or_default();
    let mut best = [Duration::MAX; 5];
    for _ in 0..ROUNDS {
        let times = [
            time(|| write(&definitions, entities)),
            time(|| serde_json::to_string(entities)),
            time(|| read(&definitions, &text, &ends)),
            time(|| serde_json::from_str::<Vec<Config<'_>>>(&json).map(|configs| configs.len())),
            time(|| Definitions::discover(entities, &[])),
        ];
        best = std::array::from_fn(|which| best[which].min(times[which]));
    }
    let [write, write_json, read, read_json, find] = best.map(|time| time.as_secs_f64());
    // Two quotes and a comma an entity.
    let bytes = (text.len() + 3 * ends.len()) as f64 / json.len() as f64;
    let (write, read, find) = (write / write_json, read / read_json, find / write_json);
    let strings = ends.len();
    println!("{name:8} {strings:9} strings      {bytes:8.2} {write:7.2} {read:7.2}   {find:7.2}");
}

fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}

/// All strings in one, and where each ends.
fn write(definitions: &Definitions, entities: &[Config<'_>]) -> (String, Vec<usize>) {
    let (mut text, mut ends) = (String::new(), Vec::new());
    for entity in entities {
        if definitions.encode(entity, &mut text).is_some() {
            ends.push(text.len());
        }
    }
    (text, ends)
}

fn read<'a>(definitions: &'a Definitions, text: &'a str, ends: &[usize]) -> Vec<Config<'a>> {
    let mut start = 0;
    let strings = ends.iter().map(|end| &text[std::mem::replace(&mut start, *end)..*end]);
    strings.filter_map(|string| definitions.decode(string).ok()).collect()
}
