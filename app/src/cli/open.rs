//! From a scene's name to a loaded world.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::thread;
use std::time::Duration;

use vivarium_world::{LoadOptions, LoadReport, LoadStep, World, WorldOptions};

use super::arguments::WorldArguments;
use super::exit::{Exit, Failure};
use super::progress::Progress;
use super::{Offer, report};
use crate::files::{Session, Source};

/// Between two looks at how far a load is.
const BETWEEN_LINES: Duration = Duration::from_millis(50);

/// A world, what it was loaded from, and what its loading brought up.
pub(super) struct Opened {
    pub(super) world: World,
    pub(super) name: String,
    pub(super) notes: Vec<String>,
}

/// Loads the scene the arguments name into a world with so many threads.
pub(super) fn open(arguments: &WorldArguments, threads: usize, offer: &Offer) -> Result<Opened, Failure> {
    let text = SceneText::read(&arguments.scene, offer)?;
    let opened = text.load(arguments, threads, offer)?;
    if !arguments.quiet {
        opened.notes.iter().for_each(|note| report(format_args!("note: {note}")));
    }
    Ok(opened)
}

/// The number asked for, or as many threads as there are cores.
pub(super) fn threads_or_default(asked: Option<u16>) -> usize {
    asked.map_or_else(|| thread::available_parallelism().map_or(1, usize::from), usize::from)
}

/// A scene that was read and can be loaded more than once.
pub(super) struct SceneText {
    session: Session,
    name: String,
    text: Cow<'static, str>,
}

impl SceneText {
    pub(super) fn read(scene: &OsStr, offer: &Offer) -> Result<Self, Failure> {
        let source = Source::find(scene, &offer.scenes)?;
        let (session, text) = Session::open(&source)?;
        Ok(Self { session, name: source.to_string(), text })
    }

    /// Where it came from.
    pub(super) fn session(&self) -> Session {
        self.session.clone()
    }

    /// What errors call it, and what it says.
    pub(super) fn name_and_text(&self) -> (&str, &str) {
        (&self.name, &self.text)
    }

    /// Loads it into a world with so many threads.
    pub(super) fn load(
        &self,
        arguments: &WorldArguments,
        threads: usize,
        offer: &Offer,
    ) -> Result<Opened, Failure> {
        let options = WorldOptions { threads, ..WorldOptions::default() };
        let mut world = World::new(&offer.catalog, options)
            .map_err(|error| Failure::new(Exit::Unexpected, format_args!("no worker threads: {error}")))?;
        let options = LoadOptions { seed: arguments.seed, ..LoadOptions::default() };
        let loaded = self.load_into(&mut world, &options, arguments.quiet)?;
        if let Some(step) = arguments.dt {
            world.set_step(Some(step)).map_err(|message| Failure::new(Exit::Usage, message))?;
        }
        Ok(Opened { world, name: self.name.clone(), notes: loaded.notes })
    }

    /// Loads it slice by slice, and shows how far that is.
    fn load_into(
        &self,
        world: &mut World,
        options: &LoadOptions,
        quiet: bool,
    ) -> Result<LoadReport, Failure> {
        let mut progress = Progress::of_load(quiet);
        world.load_sliced(&self.name, &*self.text, options);
        while let Some(step) = world.continue_load(BETWEEN_LINES) {
            match step.map_err(|error| Failure::new(Exit::Invalid, error))? {
                LoadStep::Going(going) => progress.at_load(going.fraction),
                LoadStep::Loaded(report) => return Ok(report),
            }
        }
        Err(Failure::new(Exit::Unexpected, "the load ended without a result"))
    }
}
