//! The way to the host.

use vivarium_world::inspect::{Snapshot, ViewRequest};
use vivarium_world::{Command, HostEvent, HostHandle};

/// What the window needs of a host. None of it waits for the world.
pub trait HostLink {
    /// Tells the host something, and returns the number its reply will carry.
    fn send(&mut self, command: Command) -> u64;
    /// The next thing the host tells, if there is one.
    fn try_event(&mut self) -> Option<HostEvent>;
    /// Says what the next snapshots are to hold.
    fn set_view(&mut self, view: ViewRequest);
    /// The latest snapshot.
    fn snapshot(&mut self) -> &Snapshot;
    /// Whether the host still runs.
    fn is_alive(&self) -> bool;
}

impl HostLink for HostHandle {
    fn send(&mut self, command: Command) -> u64 {
        HostHandle::send(self, command)
    }

    fn try_event(&mut self) -> Option<HostEvent> {
        HostHandle::try_event(self)
    }

    fn set_view(&mut self, view: ViewRequest) {
        HostHandle::set_view(self, view);
    }

    fn snapshot(&mut self) -> &Snapshot {
        HostHandle::snapshot(self)
    }

    fn is_alive(&self) -> bool {
        HostHandle::is_alive(self)
    }
}
