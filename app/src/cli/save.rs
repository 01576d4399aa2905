//! `vivarium save`: a scene or save written anew.

use std::path::{Path, PathBuf};

use clap::Args;
use vivarium_world::SaveForm;
use vivarium_world::save::Definition;

use super::arguments::WorldArguments;
use super::exit::{Exit, Failure};
use super::open::{Opened, open};
use super::output::Output;
use super::{Offer, report};
use crate::files::{read_scene, write_atomic};

#[derive(Debug, Args)]
pub(super) struct SaveArguments {
    #[command(flatten)]
    pub(super) world: WorldArguments,
    /// File to write; `-` is the standard output
    pub(super) out: PathBuf,
    /// Every entity an object
    #[arg(long, conflicts_with = "compressed")]
    pub(super) plain: bool,
    /// Entities as short strings wherever that is exact; this is the default
    #[arg(long)]
    pub(super) compressed: bool,
    /// JSON list of definitions to use for their types instead of those that would be found
    #[arg(long, value_name = "FILE", conflicts_with = "plain")]
    pub(super) definitions: Option<PathBuf>,
}

pub(super) fn run(arguments: &SaveArguments, offer: &Offer) -> Result<Exit, Failure> {
    let definitions = match &arguments.definitions {
        Some(path) => read_definitions(path)?,
        None => Vec::new(),
    };
    let Opened { mut world, .. } = open(&arguments.world, 0, offer)?;
    let form = if arguments.plain { SaveForm::Plain } else { SaveForm::Compressed };
    let text = world.save_with(form, &definitions).map_err(|error| Failure::new(Exit::Unexpected, error))?;
    if arguments.out == Path::new("-") {
        let mut output = Output::stdout();
        output.text(&text)?;
        output.flush()?;
    } else {
        write_atomic(&arguments.out, text.as_bytes())?;
        if !arguments.world.quiet {
            let (path, bytes) = (arguments.out.display(), text.len());
            report(format_args!("{path}: {} entities in {bytes} bytes", world.len()));
        }
    }
    Ok(Exit::Done)
}

/// A list of definitions, as JSON.
fn read_definitions(path: &Path) -> Result<Vec<Definition>, Failure> {
    let text = read_scene(path)?;
    serde_json::from_str(&text).map_err(|error| {
        let place = format!("{}:{}:{}", path.display(), error.line(), error.column());
        Failure::new(Exit::Invalid, format_args!("{place}: not a list of entity definitions: {error}"))
    })
}
