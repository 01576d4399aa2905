//! A host without a window: for what only snapshots show.

use std::thread;
use std::time::{Duration, Instant};

use vivarium_world::inspect::{RunState, Snapshot, ViewRequest};
use vivarium_world::{Command, Host, HostEvent, HostHandle, HostOptions, LogLevel};

use super::Offer;
use super::arguments::WorldArguments;
use super::exit::{Exit, Failure};
use super::interrupt::Interrupt;
use super::progress::Progress;
use super::report;

/// Between looks at how far the host is.
const LOOK_AGAIN: Duration = Duration::from_millis(2);
/// Loading and drawing answer within this time, or something is wrong.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// A host that holds a loaded world and steps only when it is told to.
pub(super) struct Hosted {
    pub(super) host: HostHandle,
    /// Why the ticks ended early, if they did.
    pub(super) exit: Exit,
    interrupt: Interrupt,
}

impl Hosted {
    /// Loads a scene's text and does so many ticks.
    pub(super) fn run(
        arguments: &WorldArguments,
        (name, text): (&str, &str),
        ticks: u64,
        threads: usize,
        offer: &Offer,
    ) -> Result<Self, Failure> {
        if arguments.dt.is_some() {
            return Err(Failure::new(Exit::Usage, "--dt is not for this command; set `step` in the scene"));
        }
        let options = HostOptions { threads, ..HostOptions::default() };
        let mut host = Host::spawn(&offer.catalog, options).map_err(|error| {
            Failure::new(Exit::Unexpected, format_args!("no threads for the world: {error}"))
        })?;
        let load = Command::Load {
            source: name.to_owned(),
            text: text.to_owned(),
            seed: arguments.seed,
            keep_running: false,
        };
        let mut progress = Progress::of_load(arguments.quiet);
        let loaded = host.call_watching(load, |snapshot| {
            if let RunState::Loading { fraction } = snapshot.status.run_state {
                progress.at_load(fraction.into());
            }
        });
        drop(progress);
        loaded.map_err(|message| Failure::new(Exit::Invalid, message))?;
        let mut hosted = Self { host, exit: Exit::Done, interrupt: Interrupt::install() };
        if ticks > 0 {
            hosted.step(arguments, ticks)?;
        }
        hosted.tell_errors();
        Ok(hosted)
    }

    /// Does so many ticks. `exit` says why they ended early, if they did.
    pub(super) fn step(&mut self, arguments: &WorldArguments, ticks: u64) -> Result<(), Failure> {
        let deadline = arguments.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut progress = Progress::new(ticks, arguments.quiet);
        let target = self.host.snapshot().status.tick.saturating_add(ticks);
        self.host
            .call(Command::Step { steps: ticks })
            .map_err(|message| Failure::new(Exit::Unexpected, message))?;
        loop {
            let is_alive = self.host.is_alive();
            let status = &self.host.snapshot().status;
            let left = target.saturating_sub(status.tick);
            match &status.run_state {
                RunState::Stopped(_) => self.exit = Exit::SystemFailed,
                RunState::Paused if left == 0 => {}
                _ if self.interrupt.asked() => self.exit = Exit::Interrupted,
                _ if deadline.is_some_and(|deadline| Instant::now() >= deadline) => {
                    report("out of time; allow more with --timeout, or run fewer ticks");
                    self.exit = Exit::Timeout;
                }
                _ if !is_alive => {
                    return Err(Failure::new(Exit::Unexpected, "the world's thread ended unexpectedly"));
                }
                _ => {
                    progress.at(ticks.saturating_sub(left));
                    thread::sleep(LOOK_AGAIN);
                    continue;
                }
            }
            // Ticks that are still to come are not wanted any more.
            let _ = self.host.call(Command::Pause);
            return Ok(());
        }
    }

    /// A snapshot that holds what is asked for.
    pub(super) fn snapshot(
        &mut self,
        view: ViewRequest,
        is_there: impl Fn(&Snapshot) -> bool,
    ) -> Result<&Snapshot, Failure> {
        self.host.set_view(view);
        let end = Instant::now() + LONGEST_WAIT;
        while !is_there(self.host.snapshot()) {
            if Instant::now() > end || !self.host.is_alive() {
                return Err(Failure::new(Exit::Unexpected, "the world did not answer"));
            }
            thread::sleep(LOOK_AGAIN);
        }
        Ok(self.host.snapshot())
    }

    /// Tells the user what systems reported.
    pub(super) fn tell_errors(&mut self) {
        while let Some(event) = self.host.try_event() {
            if let HostEvent::Log(line) = event
                && line.level == LogLevel::Error
            {
                report(format_args!("tick {}: {}", line.tick, line.message));
                if self.exit == Exit::Done {
                    self.exit = Exit::SystemFailed;
                }
            }
        }
    }
}
