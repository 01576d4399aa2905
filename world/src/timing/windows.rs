//! The updates, runs and effects of a stretch of time.

use super::distribution::{Distribution, Histogram};
use super::sample::TimingRow;
use crate::id::SystemId;
use std::sync::Arc;
use std::time::Duration;

/// Sum, least, greatest and count of some times in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Statistics {
    sum: u64,
    min: u64,
    max: u64,
    samples: u64,
}

impl Statistics {
    const EMPTY: Self = Self { sum: 0, min: u64::MAX, max: 0, samples: 0 };

    fn add(&mut self, time: u64) {
        self.sum = self.sum.saturating_add(time);
        self.min = self.min.min(time);
        self.max = self.max.max(time);
        self.samples += 1;
    }

    fn mean(&self) -> Duration {
        Duration::from_nanos(self.sum.checked_div(self.samples).unwrap_or(0))
    }

    fn min(&self) -> Duration {
        Duration::from_nanos(if self.samples == 0 { 0 } else { self.min })
    }
}

/// Statistics of the present window and of the last whole one.
#[derive(Clone, Debug)]
struct Windowed {
    present: Statistics,
    last: Statistics,
    /// The time told last.
    latest: u64,
    /// How the times of the present window are spread, while somebody asks.
    histogram: Option<Histogram>,
    distribution: Option<Arc<Distribution>>,
}

impl Windowed {
    const EMPTY: Self = Self {
        present: Statistics::EMPTY,
        last: Statistics::EMPTY,
        latest: 0,
        histogram: None,
        distribution: None,
    };

    fn add(&mut self, time: u64) {
        self.present.add(time);
        self.latest = time;
        if let Some(histogram) = &mut self.histogram {
            histogram.add(time);
        }
    }

    fn flush(&mut self) {
        self.last = std::mem::replace(&mut self.present, Statistics::EMPTY);
        self.distribution = self.histogram.as_mut().and_then(|histogram| {
            let found = histogram.distribution(self.last.min, self.last.max).map(Arc::new);
            histogram.clear();
            found
        });
    }

    /// Forgets every time; goes on to gather what it gathers.
    fn reset(&mut self) {
        let histogram = self.histogram.take();
        *self = Self { histogram, ..Self::EMPTY };
        if let Some(histogram) = &mut self.histogram {
            histogram.clear();
        }
    }

    fn gather(&mut self, on: bool) {
        (self.histogram, self.distribution) = (on.then(Histogram::default), None);
    }

    fn row(&self, system: Option<SystemId>, name: &str, effects: Duration) -> TimingRow {
        let Statistics { max, samples, .. } = self.last;
        TimingRow {
            system,
            name: name.to_owned(),
            avg: self.last.mean(),
            min: self.last.min(),
            max: Duration::from_nanos(max),
            samples,
            effects,
            last: Duration::from_nanos(self.latest),
            distribution: self.distribution.clone(),
        }
    }
}

/// Time of a pass of which some runs are done and others follow.
#[derive(Clone, Copy, Debug, Default)]
struct OpenPass(u64);

impl OpenPass {
    /// Adds a part; gives the time of the pass if this part completes it.
    fn add(&mut self, time: u64, completes: bool) -> Option<u64> {
        self.0 = self.0.saturating_add(time);
        completes.then(|| std::mem::take(&mut self.0))
    }
}

#[derive(Clone, Debug)]
struct SystemTimes {
    id: SystemId,
    name: String,
    run: Windowed,
    run_pass: OpenPass,
    effects: Windowed,
    effects_pass: OpenPass,
}

/// The window that is being filled and the last whole one.
#[derive(Clone, Debug)]
pub(super) struct Windows {
    length: Duration,
    elapsed: Duration,
    /// Whether the spread of times is gathered.
    gathers: bool,
    update: Windowed,
    effects: Windowed,
    /// By id, ascending.
    systems: Vec<SystemTimes>,
    /// Place of the system told of last: mostly the same one or its neighbour is next.
    recent: usize,
}

impl Windows {
    pub(super) fn new(length: Duration) -> Self {
        Self {
            length,
            elapsed: Duration::ZERO,
            gathers: false,
            update: Windowed::EMPTY,
            effects: Windowed::EMPTY,
            systems: Vec::new(),
            recent: 0,
        }
    }

    pub(super) fn length(&self) -> Duration {
        self.length
    }

    pub(super) fn set_length(&mut self, length: Duration) {
        self.length = length;
    }

    /// Begins to gather how times are spread, or ends it.
    pub(super) fn gather_distributions(&mut self, on: bool) {
        if std::mem::replace(&mut self.gathers, on) != on {
            self.update.gather(on);
            self.effects.gather(on);
            self.systems.iter_mut().for_each(|system| system.run.gather(on));
        }
    }

    /// A system that is there already gets the new name and keeps its times.
    pub(super) fn add_system(&mut self, id: SystemId, name: &str) {
        match self.place(id) {
            Ok(place) => name.clone_into(&mut self.systems[place].name),
            Err(place) => {
                let mut system = SystemTimes {
                    id,
                    name: name.to_owned(),
                    run: Windowed::EMPTY,
                    run_pass: OpenPass::default(),
                    effects: Windowed::EMPTY,
                    effects_pass: OpenPass::default(),
                };
                system.run.gather(self.gathers);
                self.systems.insert(place, system);
            }
        }
    }

    pub(super) fn remove_system(&mut self, id: SystemId) {
        if let Ok(place) = self.place(id) {
            self.systems.remove(place);
        }
    }

    pub(super) fn remove_all_systems(&mut self) {
        self.systems.clear();
    }

    /// Gives whether the window is whole with this update.
    pub(super) fn update(&mut self, took: u64, elapsed: Duration) -> bool {
        self.update.add(took);
        self.elapsed = self.elapsed.saturating_add(elapsed);
        self.elapsed >= self.length
    }

    pub(super) fn run(&mut self, id: SystemId, took: u64, completes_pass: bool) {
        let Some(system) = self.system(id) else { return };
        if let Some(sample) = system.run_pass.add(took, completes_pass) {
            system.run.add(sample);
        }
    }

    pub(super) fn effects(&mut self, id: SystemId, took: u64, completes_pass: bool) {
        let Some(system) = self.system(id) else { return };
        if let Some(sample) = system.effects_pass.add(took, completes_pass) {
            system.effects.add(sample);
            self.effects.add(sample);
        }
    }

    pub(super) fn flush(&mut self) {
        self.elapsed = Duration::ZERO;
        self.update.flush();
        self.effects.flush();
        for system in &mut self.systems {
            system.run.flush();
            system.effects.flush();
        }
    }

    /// Forgets every time, also of passes that are not complete.
    pub(super) fn reset(&mut self) {
        self.elapsed = Duration::ZERO;
        self.update.reset();
        self.effects.reset();
        for system in &mut self.systems {
            system.run.reset();
            system.run_pass = OpenPass::default();
            system.effects.reset();
            system.effects_pass = OpenPass::default();
        }
    }

    pub(super) fn mean(&self, id: SystemId) -> Duration {
        self.place(id).map_or(Duration::ZERO, |place| self.systems[place].run.last.mean())
    }

    pub(super) fn rows(&self) -> Vec<TimingRow> {
        let mut rows = Vec::with_capacity(2 + self.systems.len());
        rows.push(self.update.row(None, "update", Duration::ZERO));
        rows.push(self.effects.row(None, "effects", Duration::ZERO));
        let row =
            |system: &SystemTimes| system.run.row(Some(system.id), &system.name, system.effects.last.mean());
        rows.extend(self.systems.iter().map(row));
        rows
    }

    fn place(&self, id: SystemId) -> Result<usize, usize> {
        self.systems.binary_search_by_key(&id, |system| system.id)
    }

    fn system(&mut self, id: SystemId) -> Option<&mut SystemTimes> {
        let is_at = |place: usize| self.systems.get(place).is_some_and(|system| system.id == id);
        self.recent = if is_at(self.recent) {
            self.recent
        } else if is_at(self.recent + 1) {
            self.recent + 1
        } else {
            self.place(id).ok()?
        };
        self.systems.get_mut(self.recent)
    }
}
