//! `vivarium [FILE]`: the window.

use std::ffi::OsStr;
use std::sync::{Arc, OnceLock};

use clap::CommandFactory;
use vivarium_panels::SampleCard;
use vivarium_world::{Document, Host, HostOptions, nearest};

use super::Offer;
use super::arguments::Arguments;
use super::exit::{Exit, Failure};
use super::open::threads_or_default;
use crate::files::{EmbeddedScene, Source};
use crate::window::{self, Start, Wake};

pub(super) fn run(file: Option<&OsStr>, offer: &Offer) -> Result<Exit, Failure> {
    let open = match file {
        Some(file) => Some(find(file, offer)?),
        None => None,
    };
    // The host starts first, so that its failing is an error of the command line; it wakes the window once there is one.
    let wake = Arc::new(OnceLock::<Wake>::new());
    let heard = wake.clone();
    let on_publish = move || {
        if let Some(wake) = heard.get() {
            wake();
        }
    };
    // One core is the window's.
    let threads = threads_or_default(None).saturating_sub(1).max(1);
    let options = HostOptions { threads, on_publish: Some(Box::new(on_publish)) };
    let host = Host::spawn(&offer.catalog, options)
        .map_err(|error| Failure::new(Exit::Unexpected, format_args!("no threads for the world: {error}")))?;
    let start = Start { samples: cards(&offer.scenes), open, catalog: Some(offer.catalog.clone()) };
    let opened = window::run(start, move |context_wake| {
        // Set once, here.
        let _ = wake.set(context_wake);
        Box::new(host)
    });
    opened.map_err(|error| Failure::new(Exit::Unexpected, error))?;
    Ok(Exit::Done)
}

/// What to open. A file that is not there is an error of the command line, not one in a window.
fn find(file: &OsStr, offer: &Offer) -> Result<Source, Failure> {
    let source = Source::find(file, &offer.scenes).map_err(|error| {
        let command = Arguments::command();
        let names = command.get_subcommands().map(clap::Command::get_name);
        match nearest(&error.name, names) {
            Some(name) => {
                Failure::new(Exit::Usage, format_args!("{error}; or did you mean `vivarium {name}`?"))
            }
            None => Failure::from(error),
        }
    })?;
    source.check()?;
    Ok(source)
}

/// The scenes that are built in, with what their cards say.
pub(super) fn cards(scenes: &[EmbeddedScene]) -> Vec<(EmbeddedScene, SampleCard)> {
    let card = |scene: &EmbeddedScene| SampleCard {
        name: scene.name.to_owned(),
        about: scene.about.to_owned(),
        entities: Document::parse(scene.name, scene.text).map_or(0, |document| document.entity_count()),
    };
    scenes.iter().map(|scene| (*scene, card(scene))).collect()
}
