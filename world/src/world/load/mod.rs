//! Loading: everything is read, checked and built beside the old content, then put in its place.
//!
//! ```text
//! text ─▶ Document ─▶ Content: components, classes, templates; entities; links; systems; hooks ─▶ exchange
//! └── reading ──┘     └─────── a world of its own beside the one that is there ──────────────┘
//! ```
//!
//! A load is a list of small steps. [`World::load`] does them all, [`World::load_sliced`] as many as fit a budget.

mod content; // document to content
mod declarations; // components, classes, templates
mod entities; // configs to rows
mod progress;
mod references; // between entities
mod systems;

pub use progress::{LoadPhase, LoadProgress};

use super::World;
use crate::scene::{Document, DocumentReader, Fault, Faults, Text};
use content::Content;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How to load.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadOptions {
    /// A seed instead of the scene's.
    pub seed: Option<u64>,
    /// Whether keys no component loads are faults rather than notes.
    pub deny_unknown: bool,
}

/// What was loaded, and what a reader may want to know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadReport {
    /// Entities.
    pub entities: usize,
    /// Unknown keys, a fresh seed, and the like.
    pub notes: Vec<String>,
}

/// Everything that is wrong with a scene, each fault with its place. The world is as it was.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadError(pub Faults);

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for LoadError {}

impl From<Faults> for LoadError {
    fn from(faults: Faults) -> Self {
        Self(faults)
    }
}

/// How far a load in slices is after one of them.
#[derive(Clone, Debug, PartialEq)]
pub enum LoadStep {
    /// There is more to do.
    Going(LoadProgress),
    /// The scene is in the place of what was loaded before.
    Loaded(LoadReport),
}

/// A load that is under way.
pub(super) struct Loading<'a> {
    source: String,
    options: LoadOptions,
    stage: Stage<'a>,
}

enum Stage<'a> {
    Reading(DocumentReader<'a>),
    Building(Box<Content<'a>>),
}

/// So much text is read between two looks at the clock.
const TEXT_AT_ONCE: usize = 1 << 18;

impl<'a> Loading<'a> {
    fn new(source: &str, text: Text<'a>, options: &LoadOptions) -> Self {
        let stage = Stage::Reading(DocumentReader::new(source, text));
        Self { source: source.to_owned(), options: options.clone(), stage }
    }

    /// Does one step, and says whether there is nothing left but the exchange.
    fn step(&mut self, before: &World) -> Result<bool, LoadError> {
        if before.destroyed {
            let message = "the world was destroyed; make a new one".to_owned();
            let (position, part, entity, key) = Default::default();
            let fault = Fault { source: self.source.clone(), position, part, entity, key, message };
            return Err(Faults::from(fault).into());
        }
        match &mut self.stage {
            Stage::Reading(reader) => {
                if reader.read(TEXT_AT_ONCE)? {
                    let nothing = DocumentReader::new("", Text::Borrowed(""));
                    let document = std::mem::replace(reader, nothing).finish()?;
                    self.build(Arc::new(document), before)?;
                }
                Ok(false)
            }
            Stage::Building(content) => content.step(),
        }
    }

    fn build(&mut self, document: Arc<Document<'a>>, before: &World) -> Result<(), LoadError> {
        self.stage = Stage::Building(Box::new(Content::new(document, &self.options, before)?));
        Ok(())
    }

    /// Ends it: what was built takes the place of what is there. None if it has to be built once more, because ids
    /// were handed out meanwhile.
    fn exchange(&mut self, world: &mut World) -> Result<Option<LoadReport>, LoadError> {
        let Stage::Building(content) = &mut self.stage else { return Ok(None) };
        if !content.is_successor_of(world) {
            let document = content.document();
            self.build(document, world)?;
            return Ok(None);
        }
        let Some((fresh, report)) = content.take() else { return Ok(None) };
        world.replace_content(fresh);
        Ok(Some(report))
    }

    fn progress(&self) -> LoadProgress {
        match &self.stage {
            Stage::Reading(reader) => {
                let (done, total) = reader.progress();
                LoadProgress::new(LoadPhase::Reading, done, total)
            }
            Stage::Building(content) => content.progress(),
        }
    }
}

impl World {
    /// Loads a scene or a save in the place of what is loaded. `source` is what faults call the text. A load in
    /// slices that is under way is cancelled.
    ///
    /// # Errors
    /// Everything that is wrong with it; the world is then as it was.
    pub fn load(&mut self, source: &str, text: &str, options: &LoadOptions) -> Result<LoadReport, LoadError> {
        self.cancel_load();
        let mut loading = Loading::new(source, Text::Borrowed(text), options);
        loop {
            while !loading.step(self)? {}
            if let Some(report) = loading.exchange(self)? {
                return Ok(report);
            }
        }
    }

    /// Begins a load that [`continue_load`](Self::continue_load) does slice by slice; one that is under way is
    /// cancelled. Until it is over the old content stays as it is, and updates do nothing. A load, a clear, or the
    /// end of the world cancel it.
    pub fn load_sliced(&mut self, source: &str, text: impl Into<Arc<str>>, options: &LoadOptions) {
        self.cancel_load();
        self.loading = Some(Box::new(Loading::new(source, Text::Shared(text.into()), options)));
    }

    /// Goes on with the load that [`load_sliced`](Self::load_sliced) began, for about so long on the world's clock,
    /// and always a little. The last slice exchanges the content, which is not interrupted. None if no load is under
    /// way.
    ///
    /// # Errors
    /// Everything that is wrong with the scene; the world is then as it was, and the load over.
    pub fn continue_load(&mut self, budget: Duration) -> Option<Result<LoadStep, LoadError>> {
        let mut loading = self.loading.take()?;
        let start = self.now();
        let is_over = |world: &Self| Duration::from_nanos(world.now().saturating_sub(start)) >= budget;
        loop {
            match loading.step(self) {
                Err(error) => return Some(Err(error)),
                Ok(false) => {}
                Ok(true) => match loading.exchange(self) {
                    Err(error) => return Some(Err(error)),
                    Ok(Some(report)) => return Some(Ok(LoadStep::Loaded(report))),
                    Ok(None) => {}
                },
            }
            if is_over(self) {
                let progress = loading.progress();
                self.loading = Some(loading);
                return Some(Ok(LoadStep::Going(progress)));
            }
        }
    }

    /// How far the load is that is under way.
    pub fn load_progress(&self) -> Option<LoadProgress> {
        self.loading.as_ref().map(|loading| loading.progress())
    }

    /// Whether a load in slices is under way.
    pub fn is_loading(&self) -> bool {
        self.loading.is_some()
    }

    /// Gives up the load that is under way; whether one was. The content is as it was.
    pub fn cancel_load(&mut self) -> bool {
        self.loading.take().is_some()
    }
}
