//! Running a world for a number of ticks, until something stops it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use vivarium_world::{SchedulerKind, SystemError, World};

use super::arguments::WorldArguments;
use super::exit::{Exit, Failure};
use super::interrupt::Interrupt;
use super::progress::Progress;
use super::report;

/// After the time allowed, a tick that hangs has this long to end before the process does.
const GRACE: Duration = Duration::from_secs(5);
/// Errors of systems told in full; more are counted.
const ERRORS_TOLD: usize = 20;

/// Runs worlds, and stops when the user, the clock or a failing system says so.
pub(super) struct Steps {
    interrupt: Interrupt,
    deadline: Option<Instant>,
    quiet: bool,
    /// A world is stepping now; what comes before and after may take its time.
    stepping: Arc<AtomicBool>,
    errors: Vec<SystemError>,
    error_count: usize,
}

/// Why a run ended, if not because it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stopped {
    /// The user asked for it.
    Interrupted,
    /// The time allowed is over.
    OutOfTime,
    /// A system panicked.
    SystemPanicked,
    /// The caller saw what it waited for.
    ByCaller,
}

/// A tick that was done.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tick {
    /// How many are done with it.
    pub(super) done: u64,
    /// How long its step took.
    pub(super) took: Duration,
}

/// What to do after a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    GoOn,
    Stop,
}

impl Steps {
    /// The time allowed begins now.
    pub(super) fn new(arguments: &WorldArguments) -> Self {
        let deadline = arguments.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let stepping = Arc::new(AtomicBool::new(false));
        if let Some(timeout) = arguments.timeout {
            watch_for_a_hang(timeout.saturating_add(GRACE), stepping.clone());
        }
        Self {
            interrupt: Interrupt::install(),
            deadline,
            quiet: arguments.quiet,
            stepping,
            errors: Vec::new(),
            error_count: 0,
        }
    }

    /// Does `ticks` steps; `after` is called after each.
    pub(super) fn run(
        &mut self,
        world: &mut World,
        ticks: u64,
        mut after: impl FnMut(&mut World, Tick) -> Result<Then, Failure>,
    ) -> Result<Option<Stopped>, Failure> {
        let mut progress = Progress::new(ticks, self.quiet);
        let mut stopped = None;
        self.stepping.store(true, Ordering::Relaxed);
        for done in 1..=ticks {
            let began = Instant::now();
            step(world);
            let took = began.elapsed();
            progress.at(done);
            let panicked = self.collect_errors(world);
            if after(world, Tick { done, took })? == Then::Stop {
                stopped = Some(Stopped::ByCaller);
            } else if panicked {
                stopped = Some(Stopped::SystemPanicked);
            } else if self.interrupt.asked() {
                stopped = Some(Stopped::Interrupted);
            } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) && done < ticks {
                stopped = Some(Stopped::OutOfTime);
            }
            if stopped.is_some() {
                break;
            }
        }
        world.settle();
        self.stepping.store(false, Ordering::Relaxed);
        if self.collect_errors(world) && stopped.is_none() {
            stopped = Some(Stopped::SystemPanicked);
        }
        Ok(stopped)
    }

    /// Does `ticks` steps and looks at nothing in between.
    pub(super) fn run_silently(&mut self, world: &mut World, ticks: u64) -> Result<Option<Stopped>, Failure> {
        self.run(world, ticks, |_, _| Ok(Then::GoOn))
    }

    /// Tells what went wrong in the runs so far, and how the process should end.
    pub(super) fn conclude(&self, stopped: Option<Stopped>) -> Exit {
        for error in &self.errors {
            report(format_args!("tick {}: {error}", error.tick));
        }
        if self.error_count > self.errors.len() {
            report(format_args!("and {} more errors", self.error_count - self.errors.len()));
        }
        match stopped {
            Some(Stopped::Interrupted) => Exit::Interrupted,
            Some(Stopped::OutOfTime) => {
                report("out of time; allow more with --timeout, or run fewer ticks");
                Exit::Timeout
            }
            _ if self.error_count > 0 => Exit::SystemFailed,
            Some(Stopped::SystemPanicked) => Exit::SystemFailed,
            None | Some(Stopped::ByCaller) => Exit::Done,
        }
    }

    /// The first errors of systems, as text.
    pub(super) fn error_texts(&self) -> Vec<String> {
        self.errors.iter().map(|error| format!("tick {}: {error}", error.tick)).collect()
    }

    /// How many errors systems reported.
    pub(super) fn error_count(&self) -> usize {
        self.error_count
    }

    /// Keeps the first errors, counts all, and tells whether one was a panic.
    fn collect_errors(&mut self, world: &mut World) -> bool {
        let (errors, more) = world.take_errors();
        self.error_count += errors.len() + more;
        let panicked = errors.iter().any(|error| error.panicked);
        let room = ERRORS_TOLD - self.errors.len();
        self.errors.extend(errors.into_iter().take(room));
        panicked
    }
}

/// Does one step.
///
/// The default scheduler skips what still runs, which is right beside a clock. Here no time passes between steps, and
/// systems would hardly ever run; so each step is waited for, and the result does not depend on timing.
pub(super) fn step(world: &mut World) {
    world.step();
    if world.scheduler() == SchedulerKind::Default {
        world.settle();
    }
}

/// Ends the process if a world still steps after `time`: a tick that hangs cannot be ended in any other way.
fn watch_for_a_hang(time: Duration, stepping: Arc<AtomicBool>) {
    let watch = move || {
        thread::sleep(time);
        // Relaxed: the flag guards no other data.
        if stepping.load(Ordering::Relaxed) {
            report("out of time in the middle of a tick, which seems to hang");
            std::process::exit(Exit::Timeout as i32);
        }
    };
    // Without a watchdog the run is only ended between ticks.
    let _ = thread::Builder::new().name("vivarium-timeout".into()).spawn(watch);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::arguments::Arguments;
    use clap::Parser;
    use vivarium_world::{Catalog, LoadOptions, Named, Run, SystemDef, WorldOptions};

    /// A world of one system, run for ten ticks: why it stopped, how it ends, how many errors there were.
    fn outcome(update: fn(&Run) -> Result<(), String>) -> (Option<Stopped>, Exit, usize) {
        let catalog = Catalog::new()
            .system(move || SystemDef::worker("odd", move |_: &mut Named<'_>, run: &mut Run| update(run)));
        let mut world = World::new(&catalog, WorldOptions::default()).unwrap();
        let scene =
            r#"{ "vivarium": 1, "step": 16, "scheduler": "conflict", "systems": [{ "system": "odd" }] }"#;
        world.load("scene", scene, &LoadOptions::default()).unwrap();
        let arguments =
            Arguments::try_parse_from(["vivarium", "run", "scene", "--ticks", "10", "--quiet"]).unwrap();
        let Some(super::super::arguments::Subcommands::Run(arguments)) = arguments.command else { panic!() };
        let mut steps = Steps::new(&arguments.world);
        let stopped = steps.run_silently(&mut world, arguments.ticks).unwrap();
        (stopped, steps.conclude(stopped), steps.error_count())
    }

    #[test]
    fn a_run_without_errors_is_done() {
        assert_eq!(outcome(|_| Ok(())), (None, Exit::Done, 0));
    }

    #[test]
    fn a_system_that_reports_errors_is_a_failure_of_the_whole_run() {
        assert_eq!(outcome(|_| Err("no wind".into())), (None, Exit::SystemFailed, 10));
    }

    #[test]
    fn a_system_that_panics_ends_the_run() {
        let (stopped, exit, errors) = outcome(|_| panic!("no water"));
        assert_eq!((stopped, exit), (Some(Stopped::SystemPanicked), Exit::SystemFailed));
        assert!(errors >= 1, "{errors}");
    }
}
