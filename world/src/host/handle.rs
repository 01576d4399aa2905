//! Starting a host, and talking to it.

use super::command::{Command, Done, HostEvent, Reply};
use super::thread::HostThread;
use crate::catalog::Catalog;
use crate::inspect::{Snapshot, ViewRequest};
use crate::world::{Clock, World, WorldOptions};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use std::thread::JoinHandle;
use std::time::Duration;
use triple_buffer::{Output, triple_buffer};

/// How a host is set up.
#[derive(Default)]
pub struct HostOptions {
    /// Worker threads of the world; 0 runs everything on the host's thread.
    pub threads: usize,
    /// Called on the host's thread after every snapshot and event: wakes whoever draws.
    pub on_publish: Option<Box<dyn Fn() + Send>>,
}

/// What a host hears.
pub(super) enum Message {
    Command(u64, Command),
    View(Box<ViewRequest>),
}

/// Starts hosts.
pub struct Host;

impl Host {
    /// Starts a thread that owns a world in which scenes may name what the catalog has.
    ///
    /// # Errors
    /// If the thread, or the world's worker threads, cannot be started.
    pub fn spawn(catalog: &Catalog, options: HostOptions) -> std::io::Result<HostHandle> {
        let clock = Clock::system();
        let world = World::new(catalog, WorldOptions { threads: options.threads, clock: clock.clone() })?;
        let (inbox_sender, inbox) = unbounded();
        let (event_sender, events) = unbounded();
        let (input, output) = triple_buffer(&Snapshot::default());
        let thread = HostThread::new(world, clock, inbox, event_sender, input, options.on_publish);
        let thread = std::thread::Builder::new().name("vivarium-host".into()).spawn(|| thread.run())?;
        Ok(HostHandle {
            inbox: inbox_sender,
            events,
            output,
            next: 0,
            kept: Vec::new(),
            thread: Some(thread),
        })
    }
}

/// The way to a host. Dropping it ends the host.
pub struct HostHandle {
    inbox: Sender<Message>,
    events: Receiver<HostEvent>,
    output: Output<Snapshot>,
    next: u64,
    /// Events that came while `call` waited for another.
    kept: Vec<HostEvent>,
    thread: Option<JoinHandle<()>>,
}

impl HostHandle {
    /// Tells the host something, and returns the number its reply will carry. A host that ended replies to nothing.
    pub fn send(&mut self, command: Command) -> u64 {
        self.next += 1;
        // The host hangs up only when it ended, and then nobody waits for it.
        let _ = self.inbox.send(Message::Command(self.next, command));
        self.next
    }

    /// Tells the host something, and waits for its reply.
    ///
    /// # Errors
    /// What the host says is wrong, or that it has ended.
    pub fn call(&mut self, command: Command) -> Result<Done, String> {
        self.call_watching(command, |_| {})
    }

    /// As [`call`](Self::call); meanwhile the latest snapshot is looked at now and then.
    ///
    /// # Errors
    /// As `call`.
    pub fn call_watching(
        &mut self,
        command: Command,
        mut look: impl FnMut(&Snapshot),
    ) -> Result<Done, String> {
        const NOW_AND_THEN: Duration = Duration::from_millis(50);
        let number = self.send(command);
        loop {
            match self.events.recv_timeout(NOW_AND_THEN) {
                Ok(HostEvent::Reply(Reply { command, result, .. })) if command == number => return result,
                Ok(event) => self.kept.push(event),
                Err(RecvTimeoutError::Timeout) => look(self.output.read()),
                Err(RecvTimeoutError::Disconnected) => return Err("the host has ended".to_owned()),
            }
        }
    }

    /// The next thing the host tells, if there is one.
    pub fn try_event(&mut self) -> Option<HostEvent> {
        if self.kept.is_empty() { self.events.try_recv().ok() } else { Some(self.kept.remove(0)) }
    }

    /// Says what the next snapshots are to hold.
    pub fn set_view(&mut self, view: ViewRequest) {
        let _ = self.inbox.send(Message::View(Box::new(view)));
    }

    /// The latest snapshot.
    pub fn snapshot(&mut self) -> &Snapshot {
        self.output.read()
    }

    /// Whether the host still runs.
    pub fn is_alive(&self) -> bool {
        self.thread.as_ref().is_some_and(|thread| !thread.is_finished())
    }
}

impl Drop for HostHandle {
    fn drop(&mut self) {
        self.send(Command::Quit);
        if let Some(thread) = self.thread.take() {
            // A host that panicked said so on the standard error; there is nothing left to end.
            let _ = thread.join();
        }
    }
}
