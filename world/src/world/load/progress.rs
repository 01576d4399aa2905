//! How far a load is.

/// What a load is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LoadPhase {
    /// The text is taken apart; it is counted in bytes.
    Reading,
    /// Entities are read and built.
    Entities,
    /// References between entities are resolved.
    Linking,
    /// Systems are made.
    Systems,
    /// Hooks of components run; then the content is exchanged and systems begin.
    Workers,
}

/// How far a load is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadProgress {
    /// What it is at.
    pub phase: LoadPhase,
    /// How much of the phase is done.
    pub done: usize,
    /// How much there is to do in it.
    pub total: usize,
    /// How much of all is done, from 0 to 1. It never goes back within a load, but for one that has to be built
    /// again since entities were created meanwhile.
    pub fraction: f64,
}

impl LoadPhase {
    /// Which part of a load it begins with, and which it is: reading and building entities is 0.6 of it, linking and
    /// systems 0.1 each, and 0.2 the rest.
    const fn share(self) -> (f64, f64) {
        match self {
            Self::Reading => (0.0, 0.15),
            Self::Entities => (0.15, 0.45),
            Self::Linking => (0.6, 0.1),
            Self::Systems => (0.7, 0.1),
            Self::Workers => (0.8, 0.2),
        }
    }
}

impl LoadProgress {
    pub(super) fn new(phase: LoadPhase, done: usize, total: usize) -> Self {
        let (before, share) = phase.share();
        let part = if total == 0 { 0.0 } else { (done as f64 / total as f64).min(1.0) };
        Self { phase, done, total, fraction: before + share * part }
    }
}
