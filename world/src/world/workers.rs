//! The worker pool of a world, and the way back from it.

use super::at_work::AtWork;
use super::clocks::Clock;
use crate::id::{RunId, SystemId};
use crate::system::{Job, JobOutcome, JoinedDone, JoinedJob};
use crossbeam_channel::{Receiver, Sender, unbounded};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A run that is over: what was lent, and what it asks for.
pub(crate) struct Completion {
    pub(crate) system: SystemId,
    pub(crate) run: RunId,
    /// The content of the world it belongs to.
    pub(crate) content: u64,
    pub(crate) job: Box<Job>,
    pub(crate) outcome: JobOutcome,
    /// On the world's clock.
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// Which worker; none is the world thread.
    pub(crate) worker: Option<usize>,
}

/// A run that no thread has begun.
struct Single {
    system: SystemId,
    run: RunId,
    content: u64,
    job: Box<Job>,
}

/// Runs that are done as one.
struct Joined {
    runs: Vec<(SystemId, RunId)>,
    content: u64,
    job: JoinedJob,
}

/// What no thread has begun.
enum Waiting {
    Single(Single),
    Joined(Joined),
}

impl Waiting {
    fn runs(&self) -> Vec<RunId> {
        match self {
            Self::Single(single) => vec![single.run],
            Self::Joined(joined) => joined.runs.iter().map(|&(_, run)| run).collect(),
        }
    }
}

type Queue = Arc<Mutex<VecDeque<Waiting>>>;

/// Threads that runs are sent to.
pub(crate) struct Workers {
    pool: Option<rayon::ThreadPool>,
    threads: usize,
    /// Runs in the order they were sent: each thread that has time takes the first. Kept here rather than by the
    /// pool, so that they can move to another pool.
    queue: Queue,
    /// What the threads are at.
    at_work: AtWork,
    /// Which content of the world runs belong to from now on.
    pub(super) content: u64,
    clock: Clock,
    sender: Sender<Completion>,
    receiver: Receiver<Completion>,
}

impl Workers {
    pub(crate) fn new(threads: usize, clock: Clock) -> std::io::Result<Self> {
        let mut workers = Self::without_threads(clock);
        workers.threads = threads;
        workers.pool = start_threads(threads)?;
        workers.at_work = AtWork::new(threads);
        Ok(workers)
    }

    /// No threads: jobs run where they are sent from.
    pub(crate) fn without_threads(clock: Clock) -> Self {
        let (sender, receiver) = unbounded();
        let (queue, at_work) = (Queue::default(), AtWork::new(0));
        Self { pool: None, threads: 0, queue, at_work, content: 0, clock, sender, receiver }
    }

    /// Lets fresh threads go on with what no thread has begun. Those there were end as soon as they are done with
    /// what they are at. Gives the runs that were not begun.
    pub(crate) fn renew(&mut self) -> std::io::Result<Vec<RunId>> {
        let fresh = start_threads(self.threads)?;
        // Dropping a pool waits for none of its threads.
        self.pool = fresh;
        self.at_work = AtWork::new(self.threads);
        let waiting: Vec<Vec<RunId>> = lock(&self.queue).iter().map(Waiting::runs).collect();
        waiting.iter().for_each(|_| self.call_a_thread());
        Ok(waiting.concat())
    }

    /// Ends the threads as soon as they are done with what they are at; that still comes back.
    pub(crate) fn stop(&mut self) {
        (self.pool, self.threads) = (None, 0);
    }

    /// The worker that is at a run; none if no worker is, or one of those that were let go.
    pub(crate) fn worker_of(&self, run: RunId) -> Option<usize> {
        self.at_work.worker_of(run)
    }

    /// How many threads runs are done on.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Runs a job on this thread.
    pub(crate) fn run_here(&self, system: SystemId, run: RunId, job: Box<Job>) -> Completion {
        execute(Single { system, run, content: self.content, job }, &self.clock)
    }

    /// Lets the system of a job begin with what is there, on this thread.
    pub(crate) fn initialise(&self, system: SystemId, run: RunId, mut job: Box<Job>) -> Completion {
        let start = self.clock.now();
        let outcome = job.initialise();
        let (content, end) = (self.content, self.clock.now());
        Completion { system, run, content, job, outcome, start, end, worker: None }
    }

    /// A run that was done on this thread.
    pub(crate) fn completion(
        &self,
        system: SystemId,
        run: RunId,
        job: Box<Job>,
        outcome: JobOutcome,
        start: u64,
    ) -> Completion {
        let (content, end, worker) = (self.content, self.clock.now(), None);
        Completion { system, run, content, job, outcome, start, end, worker }
    }

    /// The way back for a run that somebody else finishes.
    pub(crate) fn way_back(
        &self,
        system: SystemId,
        run: RunId,
    ) -> impl FnOnce(Box<Job>, JobOutcome) + Send + 'static {
        let (content, sender, clock) = (self.content, self.sender.clone(), self.clock.clone());
        let start = clock.now();
        move |job, outcome| {
            let (end, worker) = (clock.now(), None);
            // If the world is gone nobody waits for this.
            let _ = sender.send(Completion { system, run, content, job, outcome, start, end, worker });
        }
    }

    /// Sends a job to a worker, or runs it at once if there are none. Either way it comes back by `try_receive` or
    /// `receive_for`.
    pub(crate) fn spawn(&self, system: SystemId, run: RunId, job: Box<Job>) {
        if self.pool.is_none() {
            let completion = self.run_here(system, run, job);
            // The receiver is ours, so it is there.
            let _ = self.sender.send(completion);
            return;
        }
        lock(&self.queue).push_back(Waiting::Single(Single { system, run, content: self.content, job }));
        self.call_a_thread();
    }

    /// Has the next thread with time begin the first run that waits, if one does then.
    fn call_a_thread(&self) {
        let Some(pool) = &self.pool else { return };
        let (queue, sender, clock) = (self.queue.clone(), self.sender.clone(), self.clock.clone());
        let at_work = self.at_work.clone();
        pool.spawn(move || {
            let next = lock(&queue).pop_front();
            match next {
                Some(Waiting::Single(single)) => {
                    at_work.begin(single.run, 1);
                    let completion = execute(single, &clock);
                    // Before it is sent: who takes it in may look at once.
                    at_work.end();
                    // If the world is gone nobody waits for this.
                    let _ = sender.send(completion);
                }
                Some(Waiting::Joined(joined)) => {
                    if let Some(&(_, first)) = joined.runs.first() {
                        at_work.begin(first, joined.runs.len());
                    }
                    execute_joined(joined, &clock, &sender);
                    at_work.end();
                }
                None => {}
            }
        });
    }

    /// Sends the runs of a joined job to a worker, or does them at once if there are none. They come back one by one,
    /// in order.
    pub(crate) fn spawn_joined(&self, runs: Vec<(SystemId, RunId)>, job: JoinedJob) {
        let joined = Joined { runs, content: self.content, job };
        if self.pool.is_none() {
            execute_joined(joined, &self.clock, &self.sender);
            return;
        }
        lock(&self.queue).push_back(Waiting::Joined(joined));
        self.call_a_thread();
    }

    /// A run that is over, if one is.
    pub(crate) fn try_receive(&self) -> Option<Completion> {
        self.receiver.try_recv().ok()
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

impl Drop for Workers {
    fn drop(&mut self) {
        // Nobody waits for what was not begun.
        lock(&self.queue).clear();
    }
}

fn start_threads(threads: usize) -> std::io::Result<Option<rayon::ThreadPool>> {
    if threads == 0 {
        return Ok(None);
    }
    let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let builder = builder.thread_name(|index| format!("vivarium-worker-{index}"));
    builder.build().map(Some).map_err(std::io::Error::other)
}

fn lock(queue: &Mutex<VecDeque<Waiting>>) -> MutexGuard<'_, VecDeque<Waiting>> {
    // Nothing panics while it is held.
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

fn execute_joined(joined: Joined, clock: &Clock, sender: &Sender<Completion>) {
    let Joined { runs, content, job } = joined;
    let worker = rayon::current_thread_index();
    let done = job.execute(&|| clock.now());
    for ((system, run), JoinedDone { job, outcome, start, end }) in runs.into_iter().zip(done) {
        // As above.
        let _ = sender.send(Completion { system, run, content, job, outcome, start, end, worker });
    }
}

fn execute(single: Single, clock: &Clock) -> Completion {
    let Single { system, run, content, mut job } = single;
    let start = clock.now();
    let outcome = job.execute();
    let worker = rayon::current_thread_index();
    Completion { system, run, content, job, outcome, start, end: clock.now(), worker }
}
