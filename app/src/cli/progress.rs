//! How far a long load or run is, on standard error.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Time between redraws of the line on a terminal.
const ON_TERMINAL: Duration = Duration::from_millis(100);
/// Time between lines elsewhere, where each stays.
const ELSEWHERE: Duration = Duration::from_secs(10);

/// Shows how far a run of known length is: one line that is redrawn on a terminal, a line now and then elsewhere.
pub(super) struct Progress {
    total: u64,
    began: Instant,
    next: Instant,
    style: Style,
    drawn: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Quiet,
    Redrawn,
    Lines,
}

impl Progress {
    /// Begins now, at 0 of `total` ticks.
    pub(super) fn new(total: u64, quiet: bool) -> Self {
        let style = match (quiet, io::stderr().is_terminal()) {
            (true, _) => Style::Quiet,
            (false, true) => Style::Redrawn,
            (false, false) => Style::Lines,
        };
        let began = Instant::now();
        Self { total, began, next: began + Self::interval(style), style, drawn: false }
    }

    fn interval(style: Style) -> Duration {
        if style == Style::Redrawn { ON_TERMINAL } else { ELSEWHERE }
    }

    /// Begins with the load of a scene, which is only shown on a terminal, if it takes its time.
    pub(super) fn of_load(quiet: bool) -> Self {
        Self::new(0, quiet || !io::stderr().is_terminal())
    }

    /// A part of the load is done, from 0 to 1.
    pub(super) fn at_load(&mut self, fraction: f64) {
        self.show(|_| describe_load(fraction));
    }

    /// `done` ticks are done. Cheap enough to be called after each.
    pub(super) fn at(&mut self, done: u64) {
        let total = self.total;
        self.show(|elapsed| describe(done, total, elapsed));
    }

    fn show(&mut self, line: impl FnOnce(Duration) -> String) {
        let now = Instant::now();
        if self.style == Style::Quiet || now < self.next {
            return;
        }
        self.next = now + Self::interval(self.style);
        let line = line(now - self.began);
        // Nobody to show it to is no reason to stop.
        let mut stderr = io::stderr().lock();
        let _ = match self.style {
            Style::Redrawn => write!(stderr, "\r\x1b[K{line}").and_then(|()| stderr.flush()),
            Style::Lines | Style::Quiet => writeln!(stderr, "{line}"),
        };
        self.drawn = true;
    }

    /// Takes the line away, so that what follows starts at the margin.
    pub(super) fn clear(&mut self) {
        if self.drawn && self.style == Style::Redrawn {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
        self.drawn = false;
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

fn describe(done: u64, total: u64, elapsed: Duration) -> String {
    let percent = (done * 100).checked_div(total).unwrap_or(100);
    let rate = done as f64 / elapsed.as_secs_f64().max(1e-9);
    let left = Duration::from_secs_f64((total.saturating_sub(done)) as f64 / rate.max(1e-9));
    format!("tick {done} of {total} ({percent} %), {rate:.0} ticks/s, {} left", clock(left))
}

fn describe_load(fraction: f64) -> String {
    format!("loading {:.0} %", (fraction * 100.0).floor())
}

fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_far_how_fast_and_how_long() {
        let line = describe(250, 1000, Duration::from_secs(10));
        assert_eq!(line, "tick 250 of 1000 (25 %), 25 ticks/s, 30 s left");
        assert_eq!(describe(0, 0, Duration::ZERO), "tick 0 of 0 (100 %), 0 ticks/s, 0 s left");
        assert_eq!(describe_load(0.439), "loading 43 %");
        assert_eq!(clock(Duration::from_secs(3725)), "1 h 02 min");
    }
}
