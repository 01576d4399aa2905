//! One update: clocks, deferred frees, systems.

use super::scheduler::Notice;
use super::{SystemError, World, WorldEvent};
use crate::id::SystemId;
use crate::system::Phase;
use std::time::Duration;

/// What an update did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UpdateReport {
    /// Steps, or 1 for an update without fixed steps; 0 while paused.
    pub steps: u32,
    /// Steps that were dropped because they were too many.
    pub dropped: u64,
    /// The system that holds up the queue of the conflict scheduler: the steps after that were not done.
    pub stalled: Option<SystemId>,
    /// The gate that holds the next step, and the time for it.
    pub held_by: Option<String>,
    /// The last error that was reported meanwhile.
    pub last_error: Option<SystemError>,
}

impl World {
    /// Tells the world that so many milliseconds passed for the player.
    ///
    /// With a fixed step it does as many steps as fit, at most `max_catch_up`, and keeps the rest; time above that
    /// is dropped and counted. Then the systems of the variable phase run, with all of the time. While paused only the player's time goes on.
    ///
    /// Time that is negative or not finite counts as none. A world that was destroyed does
    /// nothing, nor does one while a load in slices is under way.
    pub fn update(&mut self, elapsed: f64) -> UpdateReport {
        if self.is_loading() {
            return UpdateReport::default();
        }
        if self.destroyed {
            self.pump();
            return UpdateReport::default();
        }
        let elapsed = if elapsed.is_finite() { elapsed.max(0.0) } else { 0.0 };
        self.last_error = None;
        self.clocks.player_time = (self.clocks.player_time + elapsed).min(f64::MAX);
        self.emit(WorldEvent::UpdateStarted);
        let mut report = UpdateReport::default();
        self.ask_startups();
        self.pump();
        self.run_slices(false);
        if !self.clocks.paused {
            let delta = (elapsed * self.clocks.time_scale).min(f64::MAX);
            match self.clocks.step {
                None => match self.advance(delta) {
                    Ok(()) => report.steps = 1,
                    Err(system) => report.stalled = Some(system),
                },
                Some(step) => {
                    self.clocks.accumulated = (self.clocks.accumulated + delta).min(f64::MAX);
                    while self.clocks.accumulated >= step && report.steps < self.clocks.max_catch_up {
                        report.held_by = self.shut_gate();
                        if report.held_by.is_some() {
                            self.gates.held = self.clocks.accumulated;
                            break;
                        }
                        if let Err(system) = self.advance(step) {
                            report.stalled = Some(system);
                            break;
                        }
                        self.clocks.accumulated -= step;
                        self.gates.held = (self.gates.held - step).max(0.0);
                        report.steps += 1;
                    }
                    // What a gate held is never dropped.
                    let spare = self.clocks.accumulated - self.gates.held;
                    if spare >= step {
                        let rest = spare % step;
                        report.dropped = ((spare - rest) / step).round() as u64;
                        self.clocks.accumulated = self.gates.held + rest;
                        self.clocks.dropped_steps = self.clocks.dropped_steps.saturating_add(report.dropped);
                    }
                }
            }
            if report.stalled.is_none() {
                self.run_variable(delta);
            }
            self.give_up_stuck();
        }
        self.emit(WorldEvent::UpdateFinished);
        report.last_error = self.last_error.take();
        report
    }

    /// Does one fixed step to its end, whatever time passed, paused or not: what it began is settled, so that no
    /// system is skipped for still being busy in the next. Without a fixed step it is 16 milliseconds. The variable
    /// phase follows, with the same time. Does nothing while a gate is shut; see [`try_step`](Self::try_step).
    pub fn step(&mut self) {
        self.try_step();
    }

    /// As [`step`](Self::step); whether it did the step, or a gate holds it.
    pub fn try_step(&mut self) -> bool {
        if self.destroyed || self.is_loading() || self.shut_gate().is_some() {
            return false;
        }
        let step = self.clocks.step.unwrap_or(16.0);
        self.clocks.player_time = (self.clocks.player_time + step).min(f64::MAX);
        self.emit(WorldEvent::UpdateStarted);
        self.ask_startups();
        let paused = std::mem::take(&mut self.clocks.paused);
        // A run that hangs is no reason to hang with it: it is skipped, or holds up the queue, as in an update.
        let _ = self.try_settle();
        let _ = self.advance(step);
        self.run_variable(step);
        let _ = self.try_settle();
        self.give_up_stuck();
        self.note_changes();
        self.note_written();
        self.clocks.paused = paused;
        self.emit(WorldEvent::UpdateFinished);
        true
    }

    /// Runs the systems of the variable phase. They belong to the last step.
    fn run_variable(&mut self, delta: f64) {
        if self.systems.list.iter().any(|entry| entry.phase == Phase::Variable) {
            self.run_systems(delta, Phase::Variable);
        }
    }

    /// Does one step, unless the queue is full and stays so: then the system that holds it up is named.
    fn advance(&mut self, delta: f64) -> Result<(), SystemId> {
        self.wait_for_room()?;
        let start = self.workers.clock().now();
        self.note_changes();
        self.note_written();
        self.forget_written();
        self.clocks.game_time = (self.clocks.game_time + delta).min(f64::MAX);
        self.clocks.tick += 1;
        self.timing.begin_tick(self.clocks.tick, start);
        self.promote_deferred(self.clocks.tick);
        self.run_systems(delta, Phase::Fixed);
        let elapsed = Duration::from_nanos((delta / self.clocks.time_scale.max(1e-9) * 1e6) as u64);
        self.timing.end_tick(self.workers.clock().now(), elapsed);
        Ok(())
    }

    /// Tells the scheduler that time passed, and has done what can be done.
    fn run_systems(&mut self, delta: f64, phase: Phase) {
        let (tick, game_time) = (self.clocks.tick, self.clocks.game_time);
        self.tell_scheduler(Notice::Update { phase, delta, tick, game_time });
        self.pump();
    }

    /// Pumps until another update may be queued.
    fn wait_for_room(&mut self) -> Result<(), SystemId> {
        let Some(most) = self.max_backlog.filter(|&most| self.backlog() >= most) else { return Ok(()) };
        let start = self.now();
        while self.backlog() >= most {
            let Some(scheduler) = self.seat.scheduler() else {
                // A system or listener updates the world over and over: nothing can make room before it returns.
                return self.runs.acting().map_or(Ok(()), Err);
            };
            let first_open = self.runs.iter().map(|open| open.system).next();
            let holds_up = scheduler.holds_up().or(first_open);
            let given_up = holds_up.is_some_and(|system| self.is_given_up(system));
            if given_up || Duration::from_nanos(self.now().saturating_sub(start)) > self.patience {
                // A scheduler that has no room and says for nobody why is not heeded.
                return holds_up.map_or(Ok(()), Err);
            }
            if let Some(completion) = self.workers.receive_for(Duration::from_millis(5)) {
                self.take_in(completion);
            }
            self.pump();
            self.run_slices(true);
        }
        Ok(())
    }

    /// Applies the effects of runs that are over, and starts those that may start. Never waits.
    pub fn pump(&mut self) {
        loop {
            self.receive_finished();
            if !self.with_scheduler(|scheduler, context| scheduler.pump(context)).unwrap_or(false) {
                return;
            }
        }
    }

    /// Whether a run is open or queued.
    pub fn is_busy(&self) -> bool {
        !self.runs.is_empty() || self.backlog() > 0
    }

    /// Lets game time stand still, or go on. What is open is drained by `pump` either way.
    pub fn set_paused(&mut self, paused: bool) {
        if std::mem::replace(&mut self.clocks.paused, paused) != paused {
            self.tell_scheduler(Notice::Paused(paused));
        }
    }

    /// Sets how many updates may have runs in the queue before the next waits for room, 8 at first; none is no bound.
    pub fn set_max_backlog(&mut self, updates: Option<usize>) {
        self.max_backlog = updates.map(|updates| updates.max(1));
    }

    /// Sets how many steps an update does at most to catch up.
    pub fn set_max_catch_up(&mut self, steps: u32) {
        self.clocks.max_catch_up = steps.max(1);
    }

    /// Sets how much game time passes for each millisecond of the player's time.
    ///
    /// # Errors
    /// If it is negative or not finite.
    pub fn set_time_scale(&mut self, scale: f64) -> Result<(), String> {
        if !scale.is_finite() || scale < 0.0 {
            return Err(format!("a time scale is a number from 0, not {scale}"));
        }
        self.clocks.time_scale = scale;
        Ok(())
    }

    /// Sets the fixed step in milliseconds of game time; none advances by what each update is told.
    ///
    /// # Errors
    /// If it is not above 0 and finite.
    pub fn set_step(&mut self, step: Option<f64>) -> Result<(), String> {
        if step.is_some_and(|step| !step.is_finite() || step <= 0.0) {
            return Err("a step is a number of milliseconds above 0".to_owned());
        }
        self.clocks.step = step;
        Ok(())
    }
}
