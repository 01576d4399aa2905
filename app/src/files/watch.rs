//! Hearing of changes that others make to open files.
//!
//! Editors save in many ways: they write in place, replace the file by another, swap links, remove it and make it
//! anew, or do several of these in a burst. So folders are watched rather than files, events only say *look again*,
//! and what counts is whether the content differs from the one that was known. A slow look at the files' times runs
//! beside, for file systems that send no events.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, select, unbounded};
use notify::event::ModifyKind;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::fingerprint::Fingerprint;
use super::read::{ReadError, read_scene};
use super::watch_places::{Places, Stamp};

/// Quiet time after an event before the file is read: a save is several events.
const DEBOUNCE: Duration = Duration::from_millis(60);
/// A burst of saves is looked at this often, however dense it is.
const CEILING: Duration = Duration::from_millis(500);
/// A file that is gone or ends too early is looked at again this often before that is believed; each wait is twice
/// the one before.
const RETRIES: u32 = 4;
/// Time between looks at the files' times where events work, and where they do not.
const POLL: Duration = Duration::from_secs(2);
const POLL_WITHOUT_EVENTS: Duration = Duration::from_millis(500);

/// What happened to a watched file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileEvent {
    /// The content differs from the one known before.
    Changed {
        /// The file, as it was given to [`Watcher::watch`].
        path: PathBuf,
        /// What it holds now.
        text: String,
    },
    /// The file is gone and stayed away for about a second.
    Removed {
        /// The file, as it was given to [`Watcher::watch`].
        path: PathBuf,
    },
    /// The file is there and cannot be read.
    Unreadable {
        /// The file, as it was given to [`Watcher::watch`].
        path: PathBuf,
        /// Why, and what to do.
        message: String,
    },
}

impl FileEvent {
    /// The file, as it was given to [`Watcher::watch`].
    pub fn path(&self) -> &Path {
        match self {
            Self::Changed { path, .. } | Self::Removed { path } | Self::Unreadable { path, .. } => path,
        }
    }
}

/// Watches files on a thread of its own, which ends when this is dropped.
#[derive(Debug)]
pub struct Watcher {
    orders: Option<Sender<Order>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
enum Order {
    Watch { path: PathBuf, known: Option<Fingerprint> },
    Forget { path: PathBuf },
}

impl Watcher {
    /// Starts the thread. Events arrive on the receiver; `wake` is called on the watcher's thread after each.
    ///
    /// # Errors
    /// If the system gives no thread. If it gives no file events, files are polled instead.
    pub fn start(wake: impl Fn() + Send + 'static) -> io::Result<(Self, Receiver<FileEvent>)> {
        let (orders, order_inbox) = unbounded();
        let (events, event_inbox) = unbounded();
        let thread = thread::Builder::new().name("vivarium-watch".into()).spawn(move || {
            Thread::new(events, Box::new(wake)).run(&order_inbox);
        })?;
        Ok((Self { orders: Some(orders), thread: Some(thread) }, event_inbox))
    }

    /// Watches `path` (in place of an earlier call for the same path). `known` is the content the caller has; if the
    /// file holds something else already, that is reported as a change.
    pub fn watch(&self, path: &Path, known: Option<Fingerprint>) {
        self.order(Order::Watch { path: path.to_path_buf(), known });
    }

    /// Watches `path` no longer. Events that are under way may still arrive.
    pub fn forget(&self, path: &Path) {
        self.order(Order::Forget { path: path.to_path_buf() });
    }

    fn order(&self, order: Order) {
        if let Some(orders) = &self.orders {
            // The thread ends only when this is dropped.
            let _ = orders.send(order);
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What was last reported, or known to the caller, of a file.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Content(Fingerprint),
    Gone,
    Unreadable(String),
}

#[derive(Debug)]
struct Watched {
    /// The path made absolute, so that a later change of the current folder does not move it.
    absolute: PathBuf,
    places: Places,
    seen: Seen,
    stamp: Option<Stamp>,
    pending: Option<Pending>,
}

/// A look at the file that is due.
#[derive(Clone, Copy, Debug)]
struct Pending {
    first: Instant,
    due: Instant,
    /// Looks since the last event that found the file gone or incomplete.
    tries: u32,
}

impl Watched {
    fn look_soon(&mut self, now: Instant) {
        let first = self.pending.filter(|pending| pending.tries == 0).map_or(now, |pending| pending.first);
        self.pending = Some(Pending { first, due: (now + DEBOUNCE).min(first + CEILING), tries: 0 });
    }
}

struct Thread {
    files: BTreeMap<PathBuf, Watched>,
    /// Folders that are watched now, as they were when the watch began.
    armed: BTreeMap<PathBuf, Option<Stamp>>,
    system: Option<RecommendedWatcher>,
    raw: Receiver<notify::Result<notify::Event>>,
    events: Sender<FileEvent>,
    wake: Box<dyn Fn() + Send>,
    polled: Instant,
    /// Those of them the system refused to watch.
    unheard: BTreeSet<PathBuf>,
}

impl Thread {
    fn new(events: Sender<FileEvent>, wake: Box<dyn Fn() + Send>) -> Self {
        let (raw_outbox, raw) = unbounded();
        let handler = move |event: notify::Result<notify::Event>| {
            // Reading the file raises access events; following them would never end.
            if !matches!(&event, Ok(event) if matches!(event.kind, EventKind::Access(_))) {
                let _ = raw_outbox.send(event);
            }
        };
        let system = notify::recommended_watcher(handler).ok();
        let polled = Instant::now();
        let (files, armed, unheard) = Default::default();
        Self { files, armed, unheard, system, raw, events, wake, polled }
    }

    fn run(&mut self, orders: &Receiver<Order>) {
        // Without a system watcher its channel has no sender, and a closed channel is always ready.
        let raw = if self.system.is_some() { self.raw.clone() } else { crossbeam_channel::never() };
        loop {
            let wait = self.next_due().map(|due| due.saturating_duration_since(Instant::now()));
            let timer = wait.map_or_else(crossbeam_channel::never, crossbeam_channel::after);
            select! {
                recv(orders) -> order => match order {
                    Ok(order) => self.obey(order),
                    Err(_) => return,
                },
                recv(raw) -> event => if let Ok(event) = event { self.hear(event) },
                recv(timer) -> _ => {}
            }
            self.work(Instant::now());
        }
    }

    fn next_due(&self) -> Option<Instant> {
        let poll = (!self.files.is_empty()).then(|| self.polled + self.poll_interval());
        self.files.values().filter_map(|file| file.pending).map(|pending| pending.due).chain(poll).min()
    }

    fn poll_interval(&self) -> Duration {
        if self.system.is_none() || !self.unheard.is_empty() { POLL_WITHOUT_EVENTS } else { POLL }
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::Watch { path, known } => {
                let absolute = std::path::absolute(&path).unwrap_or_else(|_| path.clone());
                let mut file = Watched {
                    places: Places::of(&absolute),
                    absolute,
                    seen: known.map_or(Seen::Gone, Seen::Content),
                    stamp: None,
                    pending: None,
                };
                file.look_soon(Instant::now());
                self.files.insert(path, file);
            }
            Order::Forget { path } => {
                self.files.remove(&path);
            }
        }
        self.arm();
    }

    fn hear(&mut self, event: notify::Result<notify::Event>) {
        let now = Instant::now();
        let Ok(event) = event else {
            // Something was lost; any file may have changed.
            self.files.values_mut().for_each(|file| file.look_soon(now));
            return;
        };
        for path in &event.paths {
            let moved = matches!(
                event.kind,
                EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)) | EventKind::Any
            );
            if moved && self.armed.contains_key(path) {
                self.disarm(path);
            }
        }
        for file in self.files.values_mut() {
            if event.need_rescan() || event.paths.iter().any(|path| file.places.concern(path)) {
                file.look_soon(now);
            }
        }
    }

    fn work(&mut self, now: Instant) {
        if now.saturating_duration_since(self.polled) >= self.poll_interval() {
            self.polled = now;
            self.arm();
            for file in self.files.values_mut() {
                if file.pending.is_none() && file.stamp != Stamp::of(&file.absolute) {
                    file.look_soon(now);
                }
            }
        }
        let is_due = |file: &Watched| file.pending.is_some_and(|pending| pending.due <= now);
        if self.files.values().any(is_due) {
            // Watch first, then read: what is written in between is heard of.
            self.arm();
            let mut found = Vec::new();
            for (path, file) in self.files.iter_mut().filter(|(_, file)| is_due(file)) {
                found.extend(look(path, file));
            }
            for event in found {
                if self.events.send(event).is_ok() {
                    (self.wake)();
                }
            }
        }
    }

    /// Brings the watched folders in line with where the files are now.
    fn arm(&mut self) {
        // A folder may come to be between the walk and the watch, hence a few rounds.
        for _ in 0..4 {
            for file in self.files.values_mut() {
                file.places = Places::of(&file.absolute);
            }
            let wanted: BTreeMap<PathBuf, Option<Stamp>> = self
                .files
                .values()
                .flat_map(|file| &file.places.folders)
                .map(|folder| (folder.clone(), Stamp::of(folder)))
                .collect();
            if wanted == self.armed {
                return;
            }
            let outdated: Vec<PathBuf> = self
                .armed
                .iter()
                .filter(|(path, stamp)| wanted.get(*path) != Some(stamp))
                .map(|(path, _)| path.clone())
                .collect();
            for folder in outdated {
                self.disarm(&folder);
            }
            for (folder, stamp) in wanted {
                if self.armed.contains_key(&folder) {
                    continue;
                }
                if let Some(system) = &mut self.system
                    && system.watch(&folder, RecursiveMode::NonRecursive).is_err()
                {
                    self.unheard.insert(folder.clone());
                }
                self.armed.insert(folder, stamp);
            }
        }
    }

    fn disarm(&mut self, folder: &Path) {
        self.armed.remove(folder);
        self.unheard.remove(folder);
        if let Some(system) = &mut self.system {
            // The watch may have ended with its folder.
            let _ = system.unwatch(folder);
        }
    }
}

/// Reads the file and says what is new, or puts the look off if it seems to be in the middle of a save.
fn look(path: &Path, file: &mut Watched) -> Option<FileEvent> {
    let pending = file.pending.take()?;
    file.stamp = Stamp::of(&file.absolute);
    let read = read_scene(&file.absolute);
    let (seen, incomplete) = match &read {
        Ok(text) => (Seen::Content(Fingerprint::of(text)), ends_too_early(text)),
        Err(ReadError::Missing { .. }) => (Seen::Gone, true),
        Err(error) => (Seen::Unreadable(error.to_string()), true),
    };
    if seen == file.seen {
        return None;
    }
    if incomplete && pending.tries < RETRIES {
        let wait = DEBOUNCE * 2_u32.pow(pending.tries);
        file.pending = Some(Pending { due: Instant::now() + wait, tries: pending.tries + 1, ..pending });
        return None;
    }
    file.seen = seen;
    let path = path.to_path_buf();
    Some(match read {
        Ok(text) => FileEvent::Changed { path, text },
        Err(ReadError::Missing { .. }) => FileEvent::Removed { path },
        Err(error) => FileEvent::Unreadable { path, message: error.to_string() },
    })
}

/// The text is the beginning of a JSON document and nothing more, as it is while a program writes it.
fn ends_too_early(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_err_and(|error| error.is_eof())
}

#[cfg(test)]
#[path = "watch_tests.rs"]
mod tests;
