//! Heavy steps on threads of their own: one in flight, joined a step later, never waited for.

use super::{SaveError, World};
use crate::config::{Config, Value};
use crate::system::{
    Body, InFlight, Lifecycle, Startup, Step, SystemDef, SystemKind, WorldBody, panic_message,
};
use crossbeam_channel::{Receiver, Sender, unbounded};
use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

type Task = Box<dyn FnOnce() + Send>;
type Gather<I> = Box<dyn FnMut(&World, &Step) -> I + Send>;
type Apply<O> = Box<dyn FnMut(&mut World, O) -> Result<(), String> + Send>;

type Write<O> = Box<dyn Fn(&O) -> Value<'static> + Send>;
type Read<O> = Box<dyn Fn(&Value<'_>) -> Result<O, String> + Send>;

/// How a save has what was computed.
struct Saved<O> {
    write: Write<O>,
    read: Read<O>,
}

/// How often a save that waits for a step looks whether it is there.
const LOOK: Duration = Duration::from_millis(1);
/// The keys of a step in a save.
const RESULT: &str = "result";
const FAILED: &str = "failed";

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A step that is computed beside the world: gathered at one step, computed on a thread of its own while the world goes
/// on, and applied at the next.
///
/// The next fixed step does not begin before the result is there: a gate of the system's name holds it, and its time
/// with it, so the result is always applied exactly one step after it was gathered, however long it took. Nothing waits
/// for it: an update returns and tries again later. After two seconds the gate is reported as an error with that name;
/// see [`World::set_gate`]. What is in flight when the content of the world goes is dropped.
///
/// A save waits for the step in flight, as long as the world's [patience](World::patience), and has its result, if
/// [`in_saves`](Self::in_saves) says how; without that a world with a step in flight cannot be saved. What `compute`
/// itself remembers is in no save.
///
/// ```
/// use vivarium_world::{Catalog, OffThread, Step, World, WorldOptions};
///
/// let count = OffThread::new(
///     |world: &World, _: &Step| world.len(),
///     |entities: usize| (1..=entities as u64).product::<u64>(),
///     |_: &mut World, product: u64| {
///         println!("{product}");
///         Ok(())
///     },
/// );
/// # let mut world = World::new(&Catalog::new(), WorldOptions::default())?;
/// world.add_system(count.system("factorial")).unwrap();
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct OffThread<I, O> {
    name: String,
    gather: Gather<I>,
    compute: Arc<Mutex<dyn FnMut(I) -> O + Send>>,
    apply: Apply<O>,
    saved: Option<Saved<O>>,
    /// Where tasks are computed; none is a thread that is yet to be started.
    tasks: Option<Sender<Task>>,
    loopback: Option<Loopback>,
    flight: Arc<Mutex<Flight<O>>>,
}

/// The step in flight.
struct Flight<O> {
    /// Whether one is awaited.
    awaited: bool,
    /// Its result, or what it said when it panicked.
    result: Option<Result<O, String>>,
}

impl<I: Send + 'static, O: Send + 'static> OffThread<I, O> {
    /// A step whose data is gathered from the world, computed without it, and applied to it.
    pub fn new(
        gather: impl FnMut(&World, &Step) -> I + Send + 'static,
        compute: impl FnMut(I) -> O + Send + 'static,
        apply: impl FnMut(&mut World, O) -> Result<(), String> + Send + 'static,
    ) -> Self {
        Self {
            name: String::new(),
            gather: Box::new(gather),
            compute: Arc::new(Mutex::new(compute)),
            apply: Box::new(apply),
            saved: None,
            tasks: None,
            loopback: None,
            flight: Arc::new(Mutex::new(Flight { awaited: false, result: None })),
        }
    }

    /// Computes where and when a test says, instead of on a thread.
    pub fn loopback(mut self, loopback: &Loopback) -> Self {
        self.loopback = Some(loopback.clone());
        self
    }

    /// Lets saves have what was computed and is not applied yet: `write` says it as a value, all of it, and `read` makes
    /// the same of that again.
    ///
    /// ```
    /// use vivarium_world::{OffThread, Step, Value, World};
    ///
    /// let count = OffThread::new(
    ///     |world: &World, _: &Step| world.len() as u64,
    ///     |entities: u64| entities * entities,
    ///     |_: &mut World, _: u64| Ok(()),
    /// );
    /// let count = count.in_saves(|square: &u64| Value::from(*square), |value: &Value<'_>| match value {
    ///     Value::Uint(square) => Ok(*square),
    ///     other => Err(format!("a whole number is expected, not {}", other.kind())),
    /// });
    /// # let _ = count;
    /// ```
    pub fn in_saves(
        mut self,
        write: impl Fn(&O) -> Value<'static> + Send + 'static,
        read: impl Fn(&Value<'_>) -> Result<O, String> + Send + 'static,
    ) -> Self {
        self.saved = Some(Saved { write: Box::new(write), read: Box::new(read) });
        self
    }

    /// The system that does it: on the world thread, alone unless it is declared what it reads and writes. Its gate
    /// has the name it is given here.
    pub fn system(mut self, name: impl Into<String>) -> SystemDef {
        self.name = name.into();
        SystemDef::new(self.name.clone(), SystemKind::System, Body::World(Box::new(self)))
    }

    fn send(&mut self, task: Task) -> Result<(), String> {
        if let Some(loopback) = &self.loopback {
            lock(&loopback.tasks).push_back((self.name.clone(), task));
            return Ok(());
        }
        if self.tasks.is_none() {
            let (sender, receiver): (Sender<Task>, Receiver<Task>) = unbounded();
            let thread = std::thread::Builder::new().name(format!("vivarium-step-{}", self.name));
            // It ends when the sender goes; nobody waits for one that hangs.
            let started = thread.spawn(move || receiver.into_iter().for_each(|task| task()));
            started.map_err(|error| format!("no thread for it: {error}"))?;
            self.tasks = Some(sender);
        }
        let sent = self.tasks.as_ref().map(|tasks| tasks.send(task));
        sent.and_then(Result::ok).ok_or_else(|| "its thread is gone".to_owned())
    }

    /// How a save has a result that is there, such that it can be read again.
    fn write(&self, result: &Result<O, String>, saved: &Saved<O>) -> Result<Config<'static>, String> {
        let mut config = Config::new();
        match result {
            Err(message) => config.set(FAILED, message.clone()),
            Ok(output) => {
                let value = (saved.write)(output);
                if value.is_not_finite() {
                    return Err("it has a number that is not finite".to_owned());
                }
                let text = serde_json::to_string(&value).map_err(|error| error.to_string())?;
                let again: Value<'_> = serde_json::from_str(&text).map_err(|error| error.to_string())?;
                (saved.read)(&again).map_err(|why| format!("it cannot be read again: {why}"))?;
                config.set(RESULT, value);
            }
        }
        Ok(config)
    }

    fn forget(&self) {
        let mut flight = lock(&self.flight);
        (flight.awaited, flight.result) = (false, None);
    }
}

impl<I: Send + 'static, O: Send + 'static> WorldBody for OffThread<I, O> {
    fn update(&mut self, world: &mut World, step: &Step) -> Result<(), String> {
        let mut applied = Ok(());
        {
            let mut flight = lock(&self.flight);
            if flight.awaited {
                // Without fixed steps no gate was asked: it is joined when it is there.
                let Some(result) = flight.result.take() else { return Ok(()) };
                flight.awaited = false;
                drop(flight);
                applied = result.and_then(|output| (self.apply)(world, output));
            }
        }
        let input = (self.gather)(world, step);
        lock(&self.flight).awaited = true;
        let (compute, flight) = (self.compute.clone(), self.flight.clone());
        let task = move || {
            let computed = catch_unwind(AssertUnwindSafe(|| (lock(&compute))(input)));
            let mut flight = lock(&flight);
            if flight.awaited {
                flight.result = Some(computed.map_err(|panic| panic_message(&*panic)));
            }
        };
        if let Err(message) = self.send(Box::new(task)) {
            self.forget();
            return Err(message);
        }
        applied
    }
}

impl<I: Send + 'static, O: Send + 'static> Lifecycle for OffThread<I, O> {
    fn startup(&mut self, world: &mut World) -> Result<Startup, String> {
        let flight = self.flight.clone();
        let is_there = move |_: u64| {
            let flight = lock(&flight);
            !flight.awaited || flight.result.is_some()
        };
        world.set_gate_of_system(&self.name, is_there);
        Ok(Startup::Done)
    }

    fn shutdown(&mut self, world: &mut World) {
        world.remove_gate(&self.name);
        self.forget();
        self.tasks = None;
    }

    fn in_flight(&self) -> InFlight {
        let flight = lock(&self.flight);
        match (&self.saved, flight.awaited, &flight.result) {
            (_, false, _) => InFlight::Nothing,
            (None, ..) => InFlight::Saved(Err("its `OffThread` has no `in_saves`".to_owned())),
            (Some(_), _, None) => InFlight::Computing,
            (Some(saved), _, Some(result)) => {
                let written = catch_unwind(AssertUnwindSafe(|| self.write(result, saved)));
                InFlight::Saved(written.unwrap_or_else(|panic| Err(panic_message(&*panic))))
            }
        }
    }

    fn put_in_flight(&mut self, config: &Config<'_>) -> Result<(), String> {
        let result = match (config.get(RESULT), config.get(FAILED), &self.saved) {
            (_, _, None) => return Err("the system's `OffThread` has no `in_saves`".to_owned()),
            (Some(value), None, Some(saved)) => {
                let read = catch_unwind(AssertUnwindSafe(|| (saved.read)(value)));
                Ok(read.unwrap_or_else(|panic| Err(panic_message(&*panic)))?)
            }
            (None, Some(Value::Text(message)), _) => Err(message.clone().into_owned()),
            _ => return Err(r#"expected {"result": …} or {"failed": "why"}"#.to_owned()),
        };
        let mut flight = lock(&self.flight);
        (flight.awaited, flight.result) = (true, Some(result));
        Ok(())
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

impl World {
    /// Waits until every step in flight that a save is to have is computed, at most the world's patience.
    pub(super) fn wait_for_flights(&self) -> Result<(), SaveError> {
        let start = self.now();
        let is_computing = |body: &Option<Body>| {
            body.as_ref().is_some_and(|body| matches!(body.in_flight(), InFlight::Computing))
        };
        while let Some(entry) = self.systems.list.iter().find(|entry| is_computing(&entry.body)) {
            if Duration::from_nanos(self.now().saturating_sub(start)) > self.patience {
                let (system, why) = (entry.name.to_string(), "it is not computed yet".to_owned());
                return Err(SaveError::InFlight { system, why });
            }
            std::thread::sleep(LOOK);
        }
        Ok(())
    }
}

/// Where the heavy steps of [`OffThread`] systems wait for a test to compute them, in any order it likes.
#[derive(Clone, Default)]
pub struct Loopback {
    /// With the names of their systems.
    tasks: Arc<Mutex<VecDeque<(String, Task)>>>,
}

impl std::fmt::Debug for Loopback {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Loopback").field("waiting", &self.waiting()).finish()
    }
}

impl Loopback {
    /// One at which nothing waits.
    pub fn new() -> Self {
        Self::default()
    }

    /// The systems whose steps wait, those gathered first first.
    pub fn waiting(&self) -> Vec<String> {
        lock(&self.tasks).iter().map(|(name, _)| name.clone()).collect()
    }

    /// Computes the first step that waits of a system, on this thread. Whether one waited.
    pub fn compute(&self, system: &str) -> bool {
        let task = {
            let mut tasks = lock(&self.tasks);
            tasks.iter().position(|(name, _)| name == system).and_then(|at| tasks.remove(at))
        };
        task.map(|(_, task)| task()).is_some()
    }
}
