//! `vivarium run`: a world without a window.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use serde_json::{Value, json};
use vivarium_panels::TimingsForm;
use vivarium_world::inspect::TimingView;
use vivarium_world::{Assertion, SaveForm, World};

use super::arguments::{Format, FormatArguments, WorldArguments, thread_count};
use super::exit::{Exit, Failure};
use super::open::{Opened, open, threads_or_default};
use super::output::Output;
use super::steps::{Steps, Stopped, Then, Tick};
use super::{Offer, query, report, script};
use crate::files::write_atomic;

#[derive(Debug, Args)]
pub(super) struct RunArguments {
    #[command(flatten)]
    pub(super) world: WorldArguments,
    /// Steps to run
    #[arg(long, value_name = "N")]
    pub(super) ticks: u64,
    /// Worker threads; 0 does everything on one. Results do not depend on it [default: one a core]
    #[arg(long, value_name = "N", value_parser = thread_count())]
    pub(super) threads: Option<u16>,
    /// Print the hash after every K-th tick, too
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) hash_every: Option<u64>,
    /// Stop as soon as this holds, such as `count(class:ship) = 0`; that it never does is a failure
    #[arg(long, value_name = "EXPR")]
    pub(super) until: Option<String>,
    /// Do the commands in this file first, a JSON object a line
    #[arg(long, value_name = "FILE", conflicts_with_all = ["until", "hash_every", "timings"])]
    pub(super) script: Option<PathBuf>,
    /// Write the last state to this file
    #[arg(long, value_name = "FILE")]
    pub(super) save: Option<PathBuf>,
    /// Save every entity as an object, not as a short string
    #[arg(long, requires = "save")]
    pub(super) plain: bool,
    /// Write what was measured to this file: .csv, .trace.json for trace viewers, or .json
    #[arg(long, value_name = "FILE")]
    pub(super) timings: Option<PathBuf>,
    #[command(flatten)]
    pub(super) format: FormatArguments,
}

pub(super) fn run(arguments: &RunArguments, offer: &Offer) -> Result<Exit, Failure> {
    if let Some(path) = &arguments.script {
        return script::run(arguments, path, offer);
    }
    let Opened { mut world, name, notes } =
        open(&arguments.world, threads_or_default(arguments.threads), offer)?;
    let until = arguments.until.as_deref().map(|text| query::assertion(text, &world)).transpose()?;
    world.record_changes(until.as_ref().is_some_and(|assertion| assertion.changed_within().is_some()));
    world.timing_mut().gather_distributions(arguments.timings.is_some());
    let mut steps = Steps::new(&arguments.world);
    let mut output = Output::stdout();
    let mut hashes = Vec::new();
    let as_text = arguments.format.format == Format::Text;
    if arguments.save.as_deref() == Some(Path::new("-")) {
        // The standard output has the hashes already.
        let message = "--save takes a file, not the standard output; save to a file, or use `vivarium save`";
        return Err(Failure::new(Exit::Usage, message));
    }
    let files_asked_for = arguments.save.is_some() || arguments.timings.is_some();
    let began = Instant::now();
    let stopped = steps.run(&mut world, arguments.ticks, |world, Tick { done, .. }| {
        if arguments.hash_every.is_some_and(|every| done % every == 0) && done < arguments.ticks {
            let hash = Hash { tick: world.clocks().tick, hash: world.state_hash() };
            match as_text {
                true => output.line(&hash)?,
                false => hashes.push(hash),
            }
        }
        if until.as_ref().is_some_and(|assertion| holds(assertion, world)) {
            return Ok(Then::Stop);
        }
        // Nobody reads the hashes any more, and nothing else was asked for.
        Ok(if output.is_closed() && !files_asked_for { Then::Stop } else { Then::GoOn })
    })?;
    let seconds = began.elapsed().as_secs_f64();
    let last = Hash { tick: world.clocks().tick, hash: world.state_hash() };
    if let Some(path) = &arguments.save {
        let form = if arguments.plain { SaveForm::Plain } else { SaveForm::Compressed };
        let text = world.save(form).map_err(|error| Failure::new(Exit::Unexpected, error))?;
        write_atomic(path, text.as_bytes())?;
    }
    if let Some(path) = &arguments.timings {
        world.timing_mut().flush();
        let timing = world.timing();
        let mut view = TimingView { window: timing.window(), rows: timing.rows(), ..TimingView::default() };
        timing.copy_ticks(&mut view.ticks);
        timing.copy_slowest(&mut view.slowest);
        let systems: Vec<_> = world.systems().map(|system| (system.id, system.name)).collect();
        let name_of = |id| {
            let found = systems.iter().find(|(other, _)| *other == id);
            found.map_or_else(|| "removed system".to_owned(), |(_, name)| name.to_string())
        };
        let text = TimingsForm::of_name(&path.to_string_lossy()).write(&view, name_of);
        write_atomic(path, text.as_bytes())?;
    }
    let mut exit = steps.conclude(stopped);
    if exit == Exit::Done && until.is_some() && stopped != Some(Stopped::ByCaller) {
        report(format_args!("after {} ticks what --until waits for does not hold", arguments.ticks));
        exit = Exit::AssertionFailed;
    }
    if as_text {
        output.line(&last)?;
    } else {
        hashes.push(last);
        output.json(&json!({
            "schema": 1,
            "scene": name,
            "tick": world.clocks().tick,
            "gameTime": world.clocks().game_time,
            "entities": world.len(),
            "threads": world.threads(),
            "seconds": seconds,
            "hashes": hashes.iter().map(Hash::as_json).collect::<Vec<_>>(),
            "notes": notes,
            "errors": steps.error_texts(),
            "errorCount": steps.error_count(),
            "exit": exit as u8,
        }))?;
    }
    Ok(exit)
}

/// Whether an assertion holds of the world now.
fn holds(assertion: &Assertion, world: &mut World) -> bool {
    world.settle();
    let mut tally = assertion.tally(0);
    world.each_subject(|subject| tally.add(&subject));
    tally.outcome().holds
}

/// The state after a tick, in one number.
pub(super) struct Hash {
    pub(super) tick: u64,
    pub(super) hash: u64,
}

impl Hash {
    /// The hash is a text: JavaScript's numbers cannot hold it.
    pub(super) fn as_json(&self) -> Value {
        json!({ "tick": self.tick, "hash": format!("{:016x}", self.hash) })
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tick {} hash {:016x}", self.tick, self.hash)
    }
}
