//! How the times of a window are spread: counted in buckets, so that a window costs the same however long it is.

use std::time::Duration;

/// Buckets a doubling of the time: a bucket is at most a sixteenth of its times wide.
const FINE: u32 = 16;
/// Times below this many nanoseconds have a bucket each.
const EXACT: u64 = FINE as u64;

/// How often times fell into each bucket. Buckets come as greater times do, at most 976.
#[derive(Clone, Debug, Default)]
pub(super) struct Histogram {
    counts: Vec<u32>,
    total: u64,
}

impl Histogram {
    /// Counts a time in nanoseconds.
    pub(super) fn add(&mut self, time: u64) {
        let bucket = bucket_of(time);
        if bucket >= self.counts.len() {
            self.counts.resize(bucket + 1, 0);
        }
        self.counts[bucket] = self.counts[bucket].saturating_add(1);
        self.total += 1;
    }

    /// Forgets every time, and keeps the room.
    pub(super) fn clear(&mut self) {
        self.counts.fill(0);
        self.total = 0;
    }

    /// What was counted, between the least and the greatest of the times; none if nothing was.
    pub(super) fn distribution(&self, least: u64, greatest: u64) -> Option<Distribution> {
        if self.total == 0 {
            return None;
        }
        let filled = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let buckets = filled.map(|(bucket, &count)| Bucket {
            from: Duration::from_nanos(start_of(bucket)),
            to: Duration::from_nanos(start_of(bucket + 1)),
            count: u64::from(count),
        });
        let percentile = |part: f64| Duration::from_nanos(self.ranked(part).clamp(least, greatest));
        let [p50, p95, p99] = [0.5, 0.95, 0.99].map(percentile);
        Some(Distribution { p50, p95, p99, buckets: buckets.collect() })
    }

    /// The middle of the bucket that holds the time of this rank, from 0 to 1.
    fn ranked(&self, part: f64) -> u64 {
        let rank = ((part * self.total as f64).ceil() as u64).clamp(1, self.total);
        let mut below = 0;
        let found = self.counts.iter().position(|&count| {
            below += u64::from(count);
            below >= rank
        });
        found.map_or(0, |bucket| start_of(bucket).midpoint(start_of(bucket + 1) - 1))
    }
}

/// The bucket a time falls into.
fn bucket_of(time: u64) -> usize {
    if time < EXACT {
        return time as usize;
    }
    let doublings = time.ilog2() - FINE.ilog2();
    let fine = (time >> doublings) as u32 - FINE;
    (FINE * (doublings + 1) + fine) as usize
}

/// The least time that falls into a bucket; the greatest there is for the bucket behind the last.
fn start_of(bucket: usize) -> u64 {
    let bucket = bucket as u32;
    if bucket < FINE {
        return u64::from(bucket);
    }
    let (doublings, fine) = (bucket / FINE - 1, bucket % FINE);
    u64::from(FINE + fine).checked_shl(doublings).filter(|start| start >> doublings > 0).unwrap_or(u64::MAX)
}

/// How the times of a window are spread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distribution {
    /// Half of the times are at most this, to a thirty-second of it; so are the others.
    pub p50: Duration,
    /// 95 of 100 times are at most this.
    pub p95: Duration,
    /// 99 of 100 times are at most this.
    pub p99: Duration,
    /// The buckets that hold any time, from short times to long ones.
    pub buckets: Vec<Bucket>,
}

/// How many times lie in a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// The least of it.
    pub from: Duration,
    /// Where the next begins.
    pub to: Duration,
    /// How many times lie in it.
    pub count: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_falls_between_the_ends_of_a_narrow_bucket() {
        let times = (0..70_u64).chain((4..64).flat_map(|shift| {
            let power = 1_u64 << shift;
            [power - 1, power, power + 1, power + (power >> 1)]
        }));
        for time in times.chain([u64::MAX]) {
            let bucket = bucket_of(time);
            let (from, to) = (start_of(bucket), start_of(bucket + 1));
            assert!(from <= time && (time < to || to == u64::MAX), "{time}: {from}..{to}");
            assert!(to - from <= (time / 16).max(1), "{time}: {from}..{to}");
        }
        assert_eq!(bucket_of(u64::MAX), 975);
    }

    #[test]
    fn percentiles_are_those_of_the_sorted_times_to_a_thirty_second() {
        let mut histogram = Histogram::default();
        let mut times: Vec<u64> = (1..=1_000).map(|n: u64| n * n * 37).collect();
        times.iter().for_each(|&time| histogram.add(time));
        times.sort_unstable();
        let found = histogram.distribution(times[0], times[999]).unwrap();
        for (percentile, rank) in [(found.p50, 500), (found.p95, 950), (found.p99, 990)] {
            let exact = times[rank - 1] as f64;
            let off = (percentile.as_nanos() as f64 - exact).abs() / exact;
            assert!(off <= 1.0 / 32.0, "rank {rank}: {percentile:?} for {exact}");
        }
        assert_eq!(found.buckets.iter().map(|bucket| bucket.count).sum::<u64>(), 1_000);
        assert!(found.buckets.windows(2).all(|pair| pair[0].to <= pair[1].from));
    }

    #[test]
    fn equal_times_have_exactly_that_percentile() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.distribution(0, 0), None);
        (0..10).for_each(|_| histogram.add(12_345));
        let found = histogram.distribution(12_345, 12_345).unwrap();
        assert_eq!([found.p50, found.p95, found.p99], [Duration::from_nanos(12_345); 3]);
        histogram.clear();
        assert_eq!(histogram.distribution(0, 0), None);
    }
}
