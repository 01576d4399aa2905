//! The worker pool of a world, and the way back from it.

use super::clocks::Clock;
use crate::id::{RunId, SystemId};
use crate::system::{Job, JobOutcome};
use crossbeam_channel::{Receiver, Sender, unbounded};
use std::time::Duration;

/// A run that is over: what was lent, and what it asks for.
pub(crate) struct Completion {
    pub(crate) system: SystemId,
    pub(crate) run: RunId,
    pub(crate) job: Job,
    pub(crate) outcome: JobOutcome,
    /// On the world's clock.
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// Which worker; none is the world thread.
    pub(crate) worker: Option<usize>,
}

/// Threads that runs are sent to.
pub(crate) struct Workers {
    pool: Option<rayon::ThreadPool>,
    clock: Clock,
    sender: Sender<Completion>,
    receiver: Receiver<Completion>,
}

impl Workers {
    pub(crate) fn new(threads: usize, clock: Clock) -> std::io::Result<Self> {
        let mut workers = Self::without_threads(clock);
        if threads > 0 {
            let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let builder = builder.thread_name(|index| format!("vivarium-worker-{index}"));
            workers.pool = Some(builder.build().map_err(std::io::Error::other)?);
        }
        Ok(workers)
    }

    /// No threads: jobs run where they are sent from.
    pub(crate) fn without_threads(clock: Clock) -> Self {
        let (sender, receiver) = unbounded();
        Self { pool: None, clock, sender, receiver }
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Runs a job on this thread.
    pub(crate) fn run_here(&self, system: SystemId, run: RunId, mut job: Job) -> Completion {
        let start = self.clock.now();
        let outcome = job.execute();
        Completion { system, run, job, outcome, start, end: self.clock.now(), worker: None }
    }

    /// Sends a job to a worker, or runs it at once if there are none. Either way it comes back by `receive`.
    pub(crate) fn spawn(&self, system: SystemId, run: RunId, mut job: Job) {
        let Some(pool) = &self.pool else {
            let completion = self.run_here(system, run, job);
            // The receiver is ours, so it is there.
            let _ = self.sender.send(completion);
            return;
        };
        let (sender, clock) = (self.sender.clone(), self.clock.clone());
        pool.spawn(move || {
            let start = clock.now();
            let outcome = job.execute();
            let worker = rayon::current_thread_index();
            let completion = Completion { system, run, job, outcome, start, end: clock.now(), worker };
            // If the world is gone nobody waits for this.
            let _ = sender.send(completion);
        });
    }

    /// A run that is over, if one is.
    pub(crate) fn try_receive(&self) -> Option<Completion> {
        self.receiver.try_recv().ok()
    }

    /// The next run that is over; some run is open.
    pub(crate) fn receive(&self) -> Completion {
        self.receiver.recv().expect("this end keeps a sender")
    }

    /// The next run that is over, if one comes within a time.
    pub(crate) fn receive_for(&self, time: Duration) -> Option<Completion> {
        self.receiver.recv_timeout(time).ok()
    }

    /// Where runs come back, to sleep on.
    pub(crate) fn receiver(&self) -> &Receiver<Completion> {
        &self.receiver
    }
}
