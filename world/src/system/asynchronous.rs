//! Runs that somebody else finishes, whenever and wherever that is.

use super::body::{Job, JobOutcome, Lifecycle, Work, WorkerBody};
use super::named::Named;
use super::run::Run;
use std::any::Any;

/// Hands a finished job back, with how it ended.
type HandBack = Box<dyn FnOnce(Box<Job>, JobOutcome) + Send>;

/// A run that is open until [`finish`](Self::finish): what its system asks for is lent to it so long, and the system
/// [is running](crate::World::is_running). It may be sent to any thread, and kept over updates.
///
/// One that is dropped without being finished has failed.
pub struct OpenRun {
    job: Option<(Box<Job>, HandBack)>,
}

impl OpenRun {
    pub(crate) fn new(job: Box<Job>, hand_back: impl FnOnce(Box<Job>, JobOutcome) + Send + 'static) -> Self {
        Self { job: Some((job, Box::new(hand_back))) }
    }

    /// The run's queries by name, and the run itself: what it is told, and what it asks for.
    ///
    /// # Panics
    /// Never: only `finish` and dropping take the run away.
    pub fn open(&mut self) -> (Named<'_>, &mut Run) {
        let (job, _) = self.job.as_mut().expect("a run is there until it is finished");
        let Job { names, lent, run, .. } = &mut **job;
        (Named { lent, names }, run)
    }

    /// Ends the run; its effects are applied in their turn.
    pub fn finish(mut self) {
        self.end(JobOutcome::Done);
    }

    fn end(&mut self, outcome: JobOutcome) {
        if let Some((job, hand_back)) = self.job.take() {
            hand_back(job, outcome);
        }
    }
}

impl Drop for OpenRun {
    fn drop(&mut self) {
        let message = "the run was dropped before it was finished".to_owned();
        self.end(JobOutcome::Panicked { message, rows: (0, 0) });
    }
}

/// The part of an asynchronous system that runs take along: nothing.
pub(super) struct Absent;

impl Lifecycle for Absent {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

impl WorkerBody for Absent {
    fn run(&mut self, _: &mut Work<'_>, _: &mut Run) {}
}
