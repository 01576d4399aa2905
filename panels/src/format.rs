//! Numbers as people read them.

use std::time::Duration;
use vivarium_world::EntityId;
use vivarium_world::inspect::RunState;

/// A whole number with thousands separated: `1,204`.
pub fn count(n: impl TryInto<u64>) -> String {
    let digits = n.try_into().unwrap_or(u64::MAX).to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count with its noun: `1 block`, `412 blocks`, `4 entities`.
pub(crate) fn counted(n: impl TryInto<u64>, noun: &str) -> String {
    let n = n.try_into().unwrap_or(u64::MAX);
    match noun.strip_suffix('y') {
        _ if n == 1 => format!("1 {noun}"),
        Some(stem) => format!("{} {stem}ies", count(n)),
        None => format!("{} {noun}s", count(n)),
    }
}

/// A size in memory: `512 B`, `6.4 KB`, `12.0 MB`. A kilobyte is 1,024 bytes.
pub(crate) fn bytes(n: usize) -> String {
    const UNITS: [&str; 4] = ["KB", "MB", "GB", "TB"];
    if n < 1024 {
        return format!("{n} B");
    }
    let mut size = n as f64 / 1024.0;
    let mut unit = 0;
    while size >= 999.95 && unit + 1 < UNITS.len() {
        size /= 1024.0;
        unit += 1;
    }
    format!("{size:.1} {}", UNITS[unit])
}

/// A span of time to three digits or so: `740 ns`, `3.2 µs`, `16.7 ms`, `2.4 s`.
pub(crate) fn duration(time: Duration) -> String {
    let nanos = time.as_nanos() as f64;
    match nanos {
        n if n < 1e3 => format!("{n:.0} ns"),
        n if n < 99_950.0 => format!("{:.1} µs", n / 1e3),
        n if n < 999_500.0 => format!("{:.0} µs", n / 1e3),
        n if n < 99_950_000.0 => format!("{:.1} ms", n / 1e6),
        n if n < 999_500_000.0 => format!("{:.0} ms", n / 1e6),
        n => format!("{:.1} s", n / 1e9),
    }
}

/// How long ago something was: `just now`, `3 minutes ago`, `2 days ago`.
pub(crate) fn ago(age: Duration) -> String {
    let units = [(86_400, "day"), (3_600, "hour"), (60, "minute")];
    let seconds = age.as_secs();
    match units.into_iter().find(|(length, _)| seconds >= *length) {
        Some((length, unit)) => {
            let count = seconds / length;
            let plural = if count == 1 { "" } else { "s" };
            format!("{} {unit}{plural} ago", self::count(count))
        }
        None => "just now".to_owned(),
    }
}

/// Milliseconds of game time as a clock: `0:16.4`, `1:02:03.4`.
pub(crate) fn clock(milliseconds: f64) -> String {
    let tenths = (milliseconds.max(0.0) / 100.0).floor() as u64;
    let (hours, minutes) = (tenths / 36_000, tenths / 600 % 60);
    let (seconds, tenth) = (tenths / 10 % 60, tenths % 10);
    if hours > 0 {
        format!("{}:{minutes:02}:{seconds:02}.{tenth}", count(hours))
    } else {
        format!("{minutes}:{seconds:02}.{tenth}")
    }
}

/// How often something happens: `59.8`, `1,204`.
pub(crate) fn rate(per_second: f64) -> String {
    if per_second < 100.0 { format!("{per_second:.1}") } else { count(per_second.round() as u64) }
}

/// A part of a whole: `0.4 %`, `43 %`.
pub(crate) fn percent(part: f64) -> String {
    let percent = part * 100.0;
    if percent > 0.0 && percent < 9.95 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}

/// A number that may be long, short enough for a cell: six significant digits at most.
pub(crate) fn number(n: f64) -> String {
    if n == n.trunc() && n.abs() < 1e9 {
        return format!("{n}");
    }
    if n != 0.0 && !(1e-4..1e9).contains(&n.abs()) {
        return format!("{n:.3e}");
    }
    let digits = (5 - n.abs().log10().floor().max(0.0) as i32).clamp(0, 6) as usize;
    let text = format!("{n:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// How texts name an entity: `guardian 42v3`.
pub(crate) fn entity(type_name: &str, id: EntityId) -> String {
    if type_name.is_empty() { format!("entity {id}") } else { format!("{type_name} {id}") }
}

/// What the world is doing, in words.
pub(crate) fn run_state(state: &RunState) -> String {
    match state {
        RunState::Empty => "no scene".to_owned(),
        RunState::Paused => "paused".to_owned(),
        RunState::Running => "running".to_owned(),
        RunState::Stepping { left } => format!("stepping, {} left", count(*left)),
        RunState::Loading { fraction } => format!("loading {}", percent(f64::from(fraction.clamp(0.0, 1.0)))),
        RunState::Stopped(reason) => format!("stopped: {}", reason.message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        let cases = [(0_u64, "0"), (999, "999"), (1_000, "1,000"), (1_204_567, "1,204,567")];
        for (n, text) in cases {
            assert_eq!(count(n), text);
        }
        assert_eq!(counted(1, "block"), "1 block");
        assert_eq!(counted(4_120, "block"), "4,120 blocks");
        assert_eq!((counted(1, "entity"), counted(0, "entity")), ("1 entity".into(), "0 entities".into()));
    }

    #[test]
    fn sizes_take_the_unit_that_keeps_them_short() {
        let cases = [
            (0, "0 B"),
            (1_023, "1023 B"),
            (1_024, "1.0 KB"),
            (6_554, "6.4 KB"),
            (1_048_575, "1.0 MB"),
            (5_368_709_120, "5.0 GB"),
        ];
        for (n, text) in cases {
            assert_eq!(bytes(n), text);
        }
    }

    #[test]
    fn times_take_the_unit_that_keeps_them_short() {
        let cases = [
            (740, "740 ns"),
            (3_240, "3.2 µs"),
            (140_000, "140 µs"),
            (999_600, "1.0 ms"),
            (16_700_000, "16.7 ms"),
            (250_000_000, "250 ms"),
            (2_400_000_000, "2.4 s"),
        ];
        for (nanos, text) in cases {
            assert_eq!(duration(Duration::from_nanos(nanos)), text);
        }
    }

    #[test]
    fn ages_take_the_greatest_unit_that_fits() {
        let cases = [
            (5, "just now"),
            (60, "1 minute ago"),
            (7_199, "1 hour ago"),
            (2 * 86_400, "2 days ago"),
            (4_000 * 86_400, "4,000 days ago"),
        ];
        for (seconds, text) in cases {
            assert_eq!(ago(Duration::from_secs(seconds)), text);
        }
    }

    #[test]
    fn game_time_reads_as_a_clock() {
        assert_eq!(clock(0.0), "0:00.0");
        assert_eq!(clock(16_450.0), "0:16.4");
        assert_eq!(clock(3_723_499.0), "1:02:03.4");
        assert_eq!(clock(-5.0), "0:00.0");
    }

    #[test]
    fn numbers_fit_a_cell() {
        let cases = [
            (0.0, "0"),
            (12.0, "12"),
            (-3.5, "-3.5"),
            (0.1 + 0.2, "0.3"),
            (1234.56789, "1234.57"),
            (1e-9, "1.000e-9"),
            (1e300, "1.000e300"),
        ];
        for (n, text) in cases {
            assert_eq!(number(n), text);
        }
        assert_eq!(number(f64::NAN), "NaN");
    }

    #[test]
    fn parts_show_a_digit_more_when_small() {
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(0.004), "0.4 %");
        assert_eq!(percent(0.43), "43 %");
        assert_eq!(rate(59.84), "59.8");
        assert_eq!(rate(1_204.4), "1,204");
    }

    #[test]
    fn loading_says_how_far() {
        assert_eq!(run_state(&RunState::Loading { fraction: 0.43 }), "loading 43 %");
    }
}
