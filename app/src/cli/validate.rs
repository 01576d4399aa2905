//! `vivarium validate`: whether scenes and saves can be loaded, and every fault if not.

use std::ffi::OsString;

use clap::Args;
use serde_json::{Value, json};
use vivarium_world::{Fault, LoadError, LoadOptions, LoadReport, TimingDependence, World, WorldOptions};

use super::arguments::{Format, FormatArguments};
use super::exit::{Exit, Failure};
use super::output::Output;
use super::{Offer, report};
use crate::files::Source;

#[derive(Debug, Args)]
pub(super) struct ValidateArguments {
    /// Scene and save files, `-`, or samples' names
    #[arg(required = true, value_name = "SCENE")]
    pub(super) scenes: Vec<OsString>,
    #[command(flatten)]
    pub(super) format: FormatArguments,
}

pub(super) fn run(arguments: &ValidateArguments, offer: &Offer) -> Result<Exit, Failure> {
    let mut output = Output::stdout();
    let mut checked = Vec::new();
    let mut exit = Exit::Done;
    for scene in &arguments.scenes {
        let name = scene.to_string_lossy().into_owned();
        let outcome = match check(scene, offer) {
            Ok(outcome) => outcome,
            Err(failure) => Outcome::Unreadable(failure),
        };
        exit = worse(exit, outcome.exit());
        match arguments.format.format {
            Format::Json => checked.push(outcome.as_json(&name)),
            Format::Text => match &outcome {
                Outcome::Valid(loaded, timing) => {
                    output.line(format_args!("{name}: valid, {} entities", loaded.entities))?;
                    for reason in timing {
                        output.line(format_args!("{name}: note: results may depend on timing: {reason}"))?;
                    }
                    loaded
                        .notes
                        .iter()
                        .try_for_each(|note| output.line(format_args!("{name}: note: {note}")))?;
                }
                Outcome::Invalid(error) => output.line(error)?,
                Outcome::Unreadable(failure) => report(&failure.message),
            },
        }
    }
    if arguments.format.format == Format::Json {
        output.json(&json!({ "schema": 1, "valid": exit == Exit::Done, "files": checked }))?;
    }
    Ok(exit)
}

enum Outcome {
    /// With the reasons why results may depend on timing.
    Valid(LoadReport, Vec<TimingDependence>),
    Invalid(LoadError),
    Unreadable(Failure),
}

fn check(scene: &std::ffi::OsStr, offer: &Offer) -> Result<Outcome, Failure> {
    let source = Source::find(scene, &offer.scenes)?;
    let text = source.read()?;
    // Only building the world finds every fault of meaning. One is enough: nothing runs.
    let mut world = World::new(&offer.catalog, WorldOptions::default())
        .map_err(|error| Failure::new(Exit::Unexpected, format_args!("no world: {error}")))?;
    Ok(match world.load(&source.to_string(), &text, &LoadOptions::default()) {
        Ok(loaded) => Outcome::Valid(loaded, world.timing_dependence()),
        Err(error) => Outcome::Invalid(error),
    })
}

/// A fault in a file outweighs a file that could not be looked at, so that the faults are not overlooked.
fn worse(one: Exit, other: Exit) -> Exit {
    match (one, other) {
        (Exit::Done, other) => other,
        (one, Exit::Done) => one,
        (_, Exit::Invalid) => Exit::Invalid,
        (one, _) => one,
    }
}

impl Outcome {
    fn exit(&self) -> Exit {
        match self {
            Self::Valid(..) => Exit::Done,
            Self::Invalid(_) => Exit::Invalid,
            Self::Unreadable(failure) => failure.exit,
        }
    }

    fn as_json(&self, name: &str) -> Value {
        match self {
            Self::Valid(loaded, timing) => json!({
                "file": name,
                "valid": true,
                "entities": loaded.entities,
                "deterministic": timing.is_empty(),
                "timingDependence": timing.iter().map(ToString::to_string).collect::<Vec<_>>(),
                "notes": loaded.notes,
            }),
            Self::Invalid(LoadError(faults)) => json!({
                "file": name,
                "valid": false,
                "faultCount": faults.len(),
                "faults": faults.iter().map(fault_as_json).collect::<Vec<_>>(),
            }),
            Self::Unreadable(failure) => {
                json!({ "file": name, "valid": false, "unreadable": failure.message })
            }
        }
    }
}

fn fault_as_json(fault: &Fault) -> Value {
    json!({
        "line": fault.position.map(|position| position.line),
        "column": fault.position.map(|position| position.column),
        "part": fault.part,
        "entity": fault.entity,
        "key": fault.key,
        "message": fault.message,
    })
}
