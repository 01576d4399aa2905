//! The loop: commands, completions, update, publish.

use super::command::{Command, HostEvent, LogLevel, LogLine, Reply};
use super::handle::Message;
use super::loading::HostLoading;
use super::running::{Drive, Rate};
use crate::inspect::{Inspector, RunState, Snapshot, StopReason, ViewRequest};
use crate::scene::SchedulerKind;
use crate::world::{Clock, SystemPhase, World};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, select};
use std::time::Duration;
use triple_buffer::Input;

/// Snapshots are made at most this often.
const PUBLISH_EVERY: u64 = 1_000_000_000 / 60;
/// Templates' instances are counted at most this often.
const COUNT_EVERY: u64 = 500_000_000;
/// How long a snapshot waits for what is open; after that it shows what can be read.
const DRAIN: Duration = Duration::from_millis(50);
/// How long an idle host sleeps before it looks whether a list or a count is due.
const IDLE: Duration = Duration::from_millis(250);

/// A world and the thread it lives on.
pub(super) struct HostThread {
    pub(super) world: World,
    clock: Clock,
    inbox: Receiver<Message>,
    events: Sender<HostEvent>,
    output: Input<Snapshot>,
    on_publish: Option<Box<dyn Fn() + Send>>,
    pub(super) inspector: Inspector,
    view: ViewRequest,
    pub(super) drive: Drive,
    pub(super) loading: HostLoading,
    /// Times faster than real time; none is as fast as it goes.
    pub(super) speed: Option<f64>,
    /// Whether anything was edited by hand since the load or the last save.
    pub(super) edited: bool,
    /// On the clock: when the world was last told what time passed.
    last_update: u64,
    last_publish: u64,
    last_count: u64,
    /// Whether something may look different from the last snapshot.
    pub(super) changed: bool,
    sequence: u64,
    pub(super) rate: Rate,
    /// Nanoseconds spent on snapshots, and snapshots, over the same second.
    spent: Rate,
    snapshots: Rate,
    quit: bool,
}

impl HostThread {
    pub(super) fn new(
        world: World,
        clock: Clock,
        inbox: Receiver<Message>,
        events: Sender<HostEvent>,
        output: Input<Snapshot>,
        on_publish: Option<Box<dyn Fn() + Send>>,
    ) -> Self {
        let mut inspector = Inspector::default();
        inspector.reset(&world);
        Self {
            world,
            clock,
            inbox,
            events,
            output,
            on_publish,
            inspector,
            view: ViewRequest::default(),
            drive: Drive::Empty,
            loading: HostLoading::default(),
            speed: Some(1.0),
            edited: false,
            last_update: 0,
            last_publish: 0,
            last_count: 0,
            changed: true,
            sequence: 0,
            rate: Rate::default(),
            spent: Rate::default(),
            snapshots: Rate::default(),
            quit: false,
        }
    }

    pub(super) fn run(mut self) {
        self.last_update = self.clock.now();
        while !self.quit {
            while let Ok(message) = self.inbox.try_recv() {
                self.hear(message);
                if self.quit {
                    return;
                }
            }
            self.advance();
            self.tell_errors();
            self.publish();
            self.sleep();
        }
    }

    fn hear(&mut self, message: Message) {
        self.changed = true;
        match message {
            Message::View(view) => self.view = *view,
            Message::Command(_, Command::Quit) => {
                // A run that does not end is left behind.
                self.world.settle();
                self.quit = true;
            }
            Message::Command(number, command) if self.loading.is_going() => {
                self.hear_while_loading(number, command);
            }
            Message::Command(number, command) => self.hear_command(number, command),
        }
    }

    /// Does a command, and answers it; a load is answered once it is over.
    pub(super) fn hear_command(&mut self, number: u64, command: Command) {
        if let Command::Load { .. } = command {
            return self.begin_load(number, command);
        }
        let (result, undo) = match self.execute(command) {
            Ok((done, undo)) => (Ok(done), undo),
            Err(message) => (Err(message), None),
        };
        self.tell_errors();
        self.tell(HostEvent::Reply(Reply { command: number, result, undo }));
    }

    /// Whether it was told to end.
    pub(super) fn quits(&self) -> bool {
        self.quit
    }

    pub(super) fn tell(&self, event: HostEvent) {
        // Whoever hung up wants to hear nothing.
        let _ = self.events.send(event);
        if let Some(wake) = &self.on_publish {
            wake();
        }
    }

    pub(super) fn log(&self, level: LogLevel, source: &str, message: String) {
        self.tell(HostEvent::Log(self.line(level, source, message)));
    }

    /// A line that is about nobody.
    fn line(&self, level: LogLevel, source: &str, message: String) -> LogLine {
        let (tick, source) = (self.world.clocks().tick, source.to_owned());
        LogLine { level, tick, source, message, system: None, entity: None }
    }

    /// Starts counting time from now, after a pause or a change of speed.
    pub(super) fn restart_time(&mut self) {
        self.last_update = self.clock.now();
        self.rate.reset(self.last_update);
    }

    /// Lets the world do what is due.
    fn advance(&mut self) {
        if self.loading.is_going() {
            return self.go_on_loading();
        }
        let before = self.world.clocks().tick;
        match (&mut self.drive, self.speed) {
            (Drive::Stepping { left }, _) => {
                step(&mut self.world);
                // A gate may have held it.
                *left -= u64::from(self.world.clocks().tick > before).min(*left);
                if *left == 0 {
                    self.drive = Drive::Paused;
                }
            }
            (Drive::Running, None) => step(&mut self.world),
            (Drive::Running, Some(speed)) => {
                let now = self.clock.now();
                let elapsed = now.saturating_sub(self.last_update) as f64 / 1e6;
                self.last_update = now;
                // What a frame's worth of time may need at this speed; beyond it steps are dropped and counted.
                self.world.set_max_catch_up((8.0 * speed.max(1.0)) as u32);
                self.world.update(elapsed * speed);
            }
            (Drive::Empty | Drive::Paused | Drive::Stopped(_), _) => return,
        }
        let steps = self.world.clocks().tick - before;
        self.rate.add(steps);
        self.changed |= steps > 0;
    }

    /// Tells what systems reported, and stops the world if one panicked.
    pub(super) fn tell_errors(&mut self) {
        let (errors, more) = self.world.take_errors();
        for error in errors {
            let message = error.to_string();
            let line = self.line(LogLevel::Error, &error.name, message.clone());
            let entity = error.entity.and_then(|(_, ordinal)| ordinal);
            self.tell(HostEvent::Log(LogLine { system: error.system, entity, ..line }));
            let stops = error.panicked || error.phase == SystemPhase::Gate;
            if stops && self.drive.is_moving() {
                self.drive = Drive::Stopped(StopReason { system: error.system, message });
                self.changed = true;
            }
        }
        if more > 0 {
            self.log(
                LogLevel::Error,
                "world",
                format!("{more} more errors of the same update are not shown"),
            );
        }
    }

    fn fill_status(&mut self, run_state: RunState) {
        let now = self.clock.now();
        let deferred = if self.view.deferred || self.view.memory { self.world.deferred_blocks() } else { 0 };
        let (bytes, backlog) = (self.world.bytes(), self.world.backlog());
        let clocks = self.world.clocks().clone();
        let info = self.world.info();
        let ticks_per_second = if self.drive.is_moving() { self.rate.measure(now) } else { 0.0 };
        let (spent, snapshots) = (self.spent.measure(now), self.snapshots.measure(now));
        let inspector_share = (spent / 1e9).min(1.0);
        let cost = if snapshots > 0.0 { spent / snapshots } else { 0.0 };
        self.sequence += 1;
        let snapshot = self.output.input_buffer_mut();
        snapshot.sequence = self.sequence;
        let status = &mut snapshot.status;
        status.scene.clone_from(&info.name);
        status.about.clone_from(&info.about);
        status.run_state = run_state;
        status.tick = clocks.tick;
        status.game_time = clocks.game_time;
        status.player_time = clocks.player_time;
        status.step = clocks.step.unwrap_or(0.0);
        status.speed = self.speed.unwrap_or(f64::INFINITY);
        status.ticks_per_second = ticks_per_second;
        status.entities = self.world.len();
        status.bytes = bytes;
        status.deferred = deferred;
        status.snapshot_cost = Duration::from_nanos(cost as u64);
        status.inspector_share = inspector_share;
        status.edited = self.edited;
        status.threads = self.world.threads();
        status.dropped_steps = clocks.dropped_steps;
        status.backlog = backlog;
    }

    /// Makes a snapshot if something changed, the display is ready for one, and the last was taken.
    fn publish(&mut self) {
        let now = self.clock.now();
        // A load is not to wait for pictures of what is about to go.
        let interval = if self.loading.is_going() { 3 * PUBLISH_EVERY } else { PUBLISH_EVERY };
        let due = now.saturating_sub(self.last_publish) >= interval;
        if !self.changed || !due || !self.output.consumed() && self.sequence > 0 {
            return;
        }
        // Pools that runs write cannot be read; a moment later they can. A world that is never idle by itself is
        // drained, so that what is shown is of now.
        if self.world.is_busy() {
            if now.saturating_sub(self.last_publish) < 2 * PUBLISH_EVERY {
                return;
            }
            let _ = self.world.settle_within(DRAIN);
        }
        (self.last_publish, self.changed) = (now, false);
        if now.saturating_sub(self.last_count) >= COUNT_EVERY {
            self.last_count = now;
            self.inspector.count_instances(&self.world);
        }
        let state = match self.world.load_progress() {
            Some(progress) => RunState::Loading { fraction: progress.fraction as f32 },
            None => self.drive.state(),
        };
        self.fill_status(state);
        let snapshot = self.output.input_buffer_mut();
        self.inspector.fill(&mut self.world, &self.view, snapshot);
        self.output.publish();
        self.changed = self.inspector.is_behind();
        self.spent.add(self.clock.now().saturating_sub(now));
        self.snapshots.add(1);
        if let Some(wake) = &self.on_publish {
            wake();
        }
    }

    /// Waits for a command, a run that comes back, or the time of the next step or snapshot.
    fn sleep(&mut self) {
        let wait = self.rest();
        if wait.is_zero() {
            return;
        }
        if !self.world.is_busy() {
            match self.inbox.recv_timeout(wait) {
                Ok(message) => self.hear(message),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => self.quit = true,
            }
            return;
        }
        let completions = self.world.completions().clone();
        select! {
            recv(self.inbox) -> message => match message {
                Ok(message) => self.hear(message),
                Err(_) => self.quit = true,
            },
            recv(completions) -> completion => if let Ok(completion) = completion {
                self.world.pump_with(completion);
                self.changed = true;
            },
            default(wait) => {}
        }
    }

    /// How long nothing is due.
    fn rest(&self) -> Duration {
        let now = self.clock.now();
        let until_publish = (self.last_publish + PUBLISH_EVERY).saturating_sub(now);
        match (&self.drive, self.speed) {
            _ if self.loading.is_going() => Duration::ZERO,
            (Drive::Stepping { .. }, _) | (Drive::Running, None) => Duration::ZERO,
            (Drive::Running, Some(speed)) => {
                let clocks = self.world.clocks();
                let missing = clocks.step.unwrap_or(0.0) - clocks.accumulated;
                let until_step = missing / (clocks.time_scale * speed).max(1e-9) * 1e6;
                let waited = now.saturating_sub(self.last_update) as f64;
                Duration::from_nanos((until_step - waited).clamp(100_000.0, PUBLISH_EVERY as f64) as u64)
            }
            _ if self.changed => Duration::from_nanos(until_publish.max(1_000_000)),
            _ => IDLE,
        }
    }
}

/// Does one step that no clock asked for.
///
/// The default scheduler skips what still runs, which is right beside a clock. Here no time passes between steps, and
/// systems would hardly ever run; so each step is waited for.
fn step(world: &mut World) {
    world.step();
    if world.scheduler() == SchedulerKind::Default {
        world.settle();
    }
}
