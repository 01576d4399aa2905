//! `vivarium verify`: whether a scene gives the same states whatever the number of threads.

use clap::Args;
use serde_json::{Value, json};
use vivarium_world::{SaveForm, World};

use super::Offer;
use super::arguments::{Format, FormatArguments, WorldArguments, thread_count};
use super::diff::Differences;
use super::exit::{Exit, Failure};
use super::open::SceneText;
use super::output::Output;
use super::steps::{Steps, Then, Tick, step};

/// Values named of the first tick that differs.
const VALUES_NAMED: usize = 10;

#[derive(Debug, Args)]
pub(super) struct VerifyArguments {
    #[command(flatten)]
    pub(super) world: WorldArguments,
    /// Steps to run
    #[arg(long, value_name = "N")]
    pub(super) ticks: u64,
    /// Numbers of worker threads to compare
    #[arg(long = "threads", value_name = "N,N…", value_delimiter = ',', default_values_t = [0, 1, 2, 8])]
    #[arg(value_parser = thread_count())]
    pub(super) counts: Vec<u16>,
    /// Compare after every K-th tick and the last one
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) every: u64,
    #[command(flatten)]
    pub(super) format: FormatArguments,
}

pub(super) fn run(arguments: &VerifyArguments, offer: &Offer) -> Result<Exit, Failure> {
    let scene = SceneText::read(&arguments.world.scene, offer)?;
    let mut world_arguments = arguments.world.clone();
    let counts: Vec<usize> = arguments.counts.iter().copied().map(usize::from).collect();
    let mut worlds = Vec::new();
    for &threads in &counts {
        let mut opened = scene.load(&world_arguments, threads, offer)?;
        // A scene without a seed draws a fresh one at each load; all worlds are to have the first one's.
        world_arguments.seed.get_or_insert(opened.world.random().state().seed);
        opened.world.settle();
        worlds.push(opened.world);
    }
    let Some((first, others)) = worlds.split_first_mut() else {
        return Err(Failure::new(Exit::Usage, "--threads names no number of threads"));
    };
    let mut steps = Steps::new(&arguments.world);
    let mut difference = compare(first, others, &counts)?;
    let mut stopped = None;
    if difference.is_none() {
        stopped = steps.run(first, arguments.ticks, |first, Tick { done, .. }| {
            others.iter_mut().for_each(step);
            if done % arguments.every != 0 && done < arguments.ticks {
                return Ok(Then::GoOn);
            }
            difference = compare(first, others, &counts)?;
            Ok(if difference.is_some() { Then::Stop } else { Then::GoOn })
        })?;
    }
    let tick = first.clocks().tick;
    let hash = first.state_hash();
    let mut output = Output::stdout();
    match (arguments.format.format, &difference) {
        (Format::Json, difference) => output.json(&json!({
            "schema": 1,
            "equal": difference.is_none(),
            "threads": counts,
            "tick": tick,
            "hash": format!("{hash:016x}"),
            "difference": difference.as_ref().map(Difference::as_json),
        }))?,
        (Format::Text, None) => {
            output.line(format_args!("tick {tick} hash {hash:016x} equal on {counts:?} threads"))?
        }
        (Format::Text, Some(difference)) => output.line(difference.as_text())?,
    }
    let exit = steps.conclude(stopped);
    Ok(if difference.is_some() { Exit::Differs } else { exit })
}

/// The first tick that differs, and what differs in it.
struct Difference {
    tick: u64,
    /// The two numbers of threads.
    threads: [usize; 2],
    /// Names of the components whose pools differ.
    pools: Vec<String>,
    values: Differences,
}

fn compare(first: &mut World, others: &mut [World], counts: &[usize]) -> Result<Option<Difference>, Failure> {
    let hash = first.state_hash();
    for (world, &threads) in others.iter_mut().zip(counts.iter().skip(1)) {
        if world.state_hash() != hash {
            let threads = [counts.first().copied().unwrap_or_default(), threads];
            return difference(first, world, threads).map(Some);
        }
    }
    Ok(None)
}

/// What differs between two worlds after the same number of ticks.
fn difference(first: &mut World, world: &mut World, threads: [usize; 2]) -> Result<Difference, Failure> {
    let (ours, theirs) = (first.pool_hashes(), world.pool_hashes());
    let differing = |&&(component, _): &&_| {
        let find =
            |hashes: &[_]| hashes.iter().find(|&&(other, _)| other == component).map(|&(_, hash)| hash);
        find(&ours) != find(&theirs)
    };
    let mut components: Vec<_> =
        ours.iter().chain(&theirs).filter(differing).map(|&(component, _)| component).collect();
    components.sort();
    components.dedup();
    let pools =
        components.iter().map(|&component| first.registry().get(component).name().to_owned()).collect();
    let mut values = Differences::first(VALUES_NAMED);
    let save = |world: &mut World| {
        world.save(SaveForm::Plain).map_err(|error| Failure::new(Exit::Unexpected, error))
    };
    let (a, b) = (save(first)?, save(world)?);
    values.compare_files(("a", &a), ("b", &b)).map_err(|faults| Failure::new(Exit::Unexpected, faults))?;
    Ok(Difference { tick: first.clocks().tick, threads, pools, values })
}

impl Difference {
    fn as_text(&self) -> String {
        let [a, b] = self.threads;
        let pools = self.pools.join(", ");
        let mut text = format!("tick {}: {a} and {b} threads differ in {pools}\n", self.tick);
        text.push_str(&self.values.as_text());
        text.trim_end().to_owned()
    }

    fn as_json(&self) -> Value {
        json!({ "tick": self.tick, "threads": self.threads, "pools": self.pools, "values": self.values.as_json() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};
    use vivarium_samples::component::Tide;
    use vivarium_world::{Catalog, LoadOptions, SystemDef, WorldOptions};

    /// Worlds of one entity whose tide rises by the system's own whim.
    fn worlds(whim: fn() -> f32) -> [World; 2] {
        let catalog = Catalog::new().component::<Tide>().unwrap().system(move || {
            SystemDef::each_on_world_thread::<(&mut Tide,), _>("whim", move |(tide,): (&mut Tide,), _| {
                tide.level = whim();
            })
        });
        let scene = r#"{ "vivarium": 1, "step": 16, "scheduler": "conflict", "random": { "seed": 1 },
            "systems": [{ "system": "whim" }], "entities": [{ "type": "moon", "period": 5, "level": 0 }] }"#;
        std::array::from_fn(|_| {
            let mut world = World::new(&catalog, WorldOptions::default()).unwrap();
            world.load("scene", scene, &LoadOptions::default()).unwrap();
            world
        })
    }

    #[test]
    fn the_pool_the_entity_and_the_field_that_differ_are_named() {
        static CALLS: AtomicU32 = AtomicU32::new(0);
        let [mut first, mut other] = worlds(|| CALLS.fetch_add(1, Ordering::Relaxed) as f32);
        let counts = [0, 2];
        let mut compare = || {
            let found = compare(&mut first, std::slice::from_mut(&mut other), &counts).unwrap();
            first.step();
            other.step();
            found
        };
        assert!(compare().is_none());
        let text = compare().unwrap().as_text();
        assert_eq!(text, "tick 1: 0 and 2 threads differ in tide\nentities[0] (moon).level: 0 -> 1");
    }

    #[test]
    fn worlds_that_do_the_same_are_equal() {
        let [mut first, mut other] = worlds(|| 3.5);
        for _ in 0..5 {
            first.step();
            other.step();
            assert!(compare(&mut first, std::slice::from_mut(&mut other), &[0, 1]).unwrap().is_none());
        }
    }
}
