//! Values over time, kept while a panel looks at them, and drawn with no more points than there are columns.

use std::collections::VecDeque;

/// Ticks and values, oldest first.
#[derive(Default)]
pub(crate) struct Series {
    points: VecDeque<[f64; 2]>,
}

impl Series {
    /// The most points kept.
    const LIMIT: usize = 10_000;

    /// Keeps the value at a tick, the last one of each. A tick before the last is of a scene loaded anew, and begins anew.
    pub(crate) fn push(&mut self, tick: u64, value: f64) {
        let tick = tick as f64;
        match self.points.back_mut() {
            Some(last) if last[0] == tick => {
                last[1] = value;
                return;
            }
            Some(last) if last[0] > tick => self.points.clear(),
            _ => {}
        }
        self.points.push_back([tick, value]);
        if self.points.len() > Self::LIMIT {
            self.points.pop_front();
        }
    }

    /// How many points there are.
    pub(crate) fn len(&self) -> usize {
        self.points.len()
    }

    /// The latest points, oldest first, at most `count`.
    pub(crate) fn last(&self, count: usize) -> Vec<[f64; 2]> {
        self.points.iter().skip(self.points.len().saturating_sub(count)).copied().collect()
    }

    /// The points of a line `columns` wide.
    pub(crate) fn line(&self, columns: usize) -> Vec<[f64; 2]> {
        decimated(self.points.len(), |at| self.points[at], columns)
    }
}

/// Of `len` points in the order of their first numbers at most two for each of `columns`, those with the least and the
/// greatest second number, so that no peak is lost.
pub(crate) fn decimated(len: usize, point: impl Fn(usize) -> [f64; 2], columns: usize) -> Vec<[f64; 2]> {
    let columns = columns.max(1);
    if len <= columns * 2 {
        return (0..len).map(point).collect();
    }
    let mut points = Vec::with_capacity(columns * 2);
    for column in 0..columns {
        let part = || (column * len / columns..(column + 1) * len / columns).map(&point);
        let least = part().min_by(|a, b| a[1].total_cmp(&b[1]));
        let greatest = part().max_by(|a, b| a[1].total_cmp(&b[1]));
        let mut pair: Vec<_> = least.into_iter().chain(greatest).collect();
        pair.sort_by(|a, b| a[0].total_cmp(&b[0]));
        pair.dedup();
        points.extend(pair);
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_of_a_tick_is_kept_and_an_earlier_tick_begins_anew() {
        let mut series = Series::default();
        for (tick, value) in [(4, 60.0), (4, 59.0), (5, 58.0)] {
            series.push(tick, value);
        }
        assert_eq!(series.line(10), [[4.0, 59.0], [5.0, 58.0]]);
        series.push(3, 1.0);
        assert_eq!(series.line(10), [[3.0, 1.0]]);
    }

    #[test]
    fn a_series_is_bounded() {
        let mut series = Series::default();
        (0..20_000).for_each(|tick| series.push(tick, 0.0));
        assert_eq!(series.len(), Series::LIMIT);
        assert_eq!(series.line(20_000)[0], [10_000.0, 0.0]);
    }

    #[test]
    fn a_line_keeps_its_peaks_when_points_are_left_out() {
        let points = decimated(10_000, |n| [n as f64, if n == 7_777 { 90.0 } else { 3.0 }], 200);
        assert!(points.len() <= 400);
        assert!(points.contains(&[7_777.0, 90.0]));
        assert!(points.windows(2).all(|pair| pair[0][0] < pair[1][0]), "in order, none twice");
        assert_eq!(decimated(5, |n| [n as f64, 0.0], 200).len(), 5);
    }
}
