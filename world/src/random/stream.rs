//! Streams of random numbers: a seed and a position, each draw a function of both.
//!
//! A stream is the sequence of 32-bit words that Philox gives for the counters 0, 1, 2, … under the seed as
//! key; the position counts words. A draw takes the next word, or the next two.

use super::philox::{philox, words};
use crate::sync::{AtomicU64, Ordering};
use serde::{Deserialize, Serialize};
use std::hash::{BuildHasher, RandomState};

/// The greatest seed a scene may name: every integer up to it is exact in a double, and so in any JSON reader.
pub const MAX_SEED: u64 = 1 << 53;

/// What restores every later draw of a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, try_from = "WrittenState")]
pub struct StreamState {
    /// Which stream; read from a file it is at most [`MAX_SEED`].
    pub seed: u64,
    /// How many words were drawn.
    pub position: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenState {
    seed: u64,
    #[serde(default)]
    position: u64,
}

impl TryFrom<WrittenState> for StreamState {
    type Error = String;

    fn try_from(WrittenState { seed, position }: WrittenState) -> Result<Self, String> {
        if seed > MAX_SEED {
            return Err(format!("the seed {seed} is too great: a seed is an integer from 0 to {MAX_SEED}"));
        }
        Ok(Self { seed, position })
    }
}

/// A stream for one owner: a run, a test, a generator of scenes.
#[derive(Clone, Debug)]
pub struct Stream {
    seed: u64,
    position: u64,
    /// The words around `position`, unless it is the first of four: then they are computed when drawn.
    block: [u32; 4],
}

/// A stream that any thread may draw from.
///
/// A draw claims its positions at once and atomically, so none is handed out twice; which thread gets which
/// value depends on timing.
#[derive(Debug)]
pub struct SharedStream {
    seed: u64,
    position: AtomicU64,
}

impl Stream {
    /// The stream of `seed`, from its start.
    pub fn new(seed: u64) -> Self {
        Self::from_state(StreamState { seed, position: 0 })
    }

    /// The stream as it was when `state` was taken.
    pub fn from_state(state: StreamState) -> Self {
        let StreamState { seed, position } = state;
        Self { seed, position, block: block_at(seed, position) }
    }

    /// What restores every later draw.
    pub fn state(&self) -> StreamState {
        StreamState { seed: self.seed, position: self.position }
    }

    /// Any 32-bit number. Takes one word.
    pub fn uint32(&mut self) -> u32 {
        let word = self.position as usize % 4;
        if word == 0 {
            self.block = block_at(self.seed, self.position);
        }
        self.position = self.position.wrapping_add(1);
        self.block[word]
    }

    /// A number from 0 up to but not including 1, with 53 random bits. Takes two words.
    #[expect(clippy::should_implement_trait, reason = "a stream never ends, so its items are no options")]
    pub fn next(&mut self) -> f64 {
        unit(self.two())
    }

    /// An integer from `low` up to but not including `high`, each as likely as any other.
    ///
    /// Takes one word where the range holds at most 2^32 integers and two where it holds more, and again as many
    /// each time it has to reject a draw to stay fair, which is rare for small ranges and never needed for
    /// powers of two.
    ///
    /// # Panics
    /// If the range is empty.
    pub fn int(&mut self, low: i64, high: i64) -> i64 {
        integer(self, low, high)
    }
}

impl SharedStream {
    /// The stream of `seed`, from its start.
    pub fn new(seed: u64) -> Self {
        Self::from_state(StreamState { seed, position: 0 })
    }

    /// The stream as it was when `state` was taken.
    pub fn from_state(state: StreamState) -> Self {
        Self { seed: state.seed, position: AtomicU64::new(state.position) }
    }

    /// What restores every later draw.
    pub fn state(&self) -> StreamState {
        StreamState { seed: self.seed, position: self.position.load(Ordering::Relaxed) }
    }

    /// Any 32-bit number. Claims one position.
    pub fn uint32(&self) -> u32 {
        word_at(self.seed, self.claim(1))
    }

    /// A number from 0 up to but not including 1, with 53 random bits. Claims two positions.
    pub fn next(&self) -> f64 {
        unit((&mut &*self).two())
    }

    /// An integer from `low` up to but not including `high`, each as likely as any other.
    ///
    /// Claims as many positions as [`Stream::int`] takes words: further ones each time it has to reject a draw,
    /// so other threads' draws may lie between them.
    ///
    /// # Panics
    /// If the range is empty.
    pub fn int(&self, low: i64, high: i64) -> i64 {
        integer(&mut &*self, low, high)
    }

    /// Relaxed is enough: the position orders nothing but itself.
    fn claim(&self, count: u64) -> u64 {
        self.position.fetch_add(count, Ordering::Relaxed)
    }
}

/// The stream of one piece of one run of one system, the same whatever thread it is drawn on.
///
/// `system` names the system within the world and must be the same whenever the scene is replayed. The stream's
/// seed is the first 64 bits of Philox at the counter (run, piece) under a key that is the first 64 bits of Philox
/// at the counter (system, 2^64 − 1) under the world's seed. That counter is one that [`SharedStream`] never
/// reaches. The derived seed may be above [`MAX_SEED`], so its state is not one for a file.
pub fn run_stream(seed: u64, system: u64, run: u64, piece: u64) -> Stream {
    let system = first_half(at(words(system), words(u64::MAX), words(seed)));
    Stream::new(join(first_half(at(words(run), words(piece), system))))
}

/// A seed nobody chose, at most [`MAX_SEED`], for a scene that names none.
///
/// It comes from the keys the standard library draws from the operating system for its hash maps; no clock is
/// read. Whoever uses it reports it, so that the run can be repeated.
pub fn fresh_seed() -> u64 {
    // `RandomState` keeps 128 random bits to itself; the hash of a constant under them shows 64 of their mixing.
    RandomState::new().hash_one(0_u8) >> 11
}

/// Where the words of a draw come from. Two words of one draw are neighbours.
trait Words {
    fn one(&mut self) -> u32;
    fn two(&mut self) -> [u32; 2];
}

impl Words for Stream {
    fn one(&mut self) -> u32 {
        self.uint32()
    }
    fn two(&mut self) -> [u32; 2] {
        [self.uint32(), self.uint32()]
    }
}

impl Words for &SharedStream {
    fn one(&mut self) -> u32 {
        self.uint32()
    }
    fn two(&mut self) -> [u32; 2] {
        let first = self.claim(2);
        let second = first.wrapping_add(1);
        let block = block_at(self.seed, first);
        let next =
            if second.is_multiple_of(4) { word_at(self.seed, second) } else { block[second as usize % 4] };
        [block[first as usize % 4], next]
    }
}

fn block_at(seed: u64, position: u64) -> [u32; 4] {
    at(words(position / 4), [0; 2], words(seed))
}

fn word_at(seed: u64, position: u64) -> u32 {
    block_at(seed, position)[position as usize % 4]
}

fn at(low: [u32; 2], high: [u32; 2], key: [u32; 2]) -> [u32; 4] {
    philox([low[0], low[1], high[0], high[1]], key)
}

fn first_half([low, high, ..]: [u32; 4]) -> [u32; 2] {
    [low, high]
}

fn join([low, high]: [u32; 2]) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

fn unit([a, b]: [u32; 2]) -> f64 {
    let bits = u64::from(a >> 5) << 26 | u64::from(b >> 6);
    bits as f64 / (1_u64 << 53) as f64
}

/// D. Lemire's multiplication: the draw times the size of the range, in twice the width, has the result in its
/// upper half; the lower half says whether the draw is one of the few that would favour a result.
fn integer(source: &mut impl Words, low: i64, high: i64) -> i64 {
    assert!(low < high, "no integer lies between {low} and {high}: the first must be the lesser");
    let size = high.wrapping_sub(low) as u64;
    let offset = match u32::try_from(size) {
        Ok(size) => {
            let favoured = size.wrapping_neg() % size;
            loop {
                let product = u64::from(source.one()) * u64::from(size);
                if product as u32 >= favoured {
                    break product >> 32;
                }
            }
        }
        Err(_) if size == 1 << 32 => u64::from(source.one()),
        Err(_) => {
            let favoured = size.wrapping_neg() % size;
            loop {
                let product = u128::from(join(source.two())) * u128::from(size);
                if product as u64 >= favoured {
                    break (product >> 64) as u64;
                }
            }
        }
    };
    low.wrapping_add(offset as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[derive(Deserialize)]
    struct Vectors {
        streams: Vec<Draws>,
    }

    #[derive(Deserialize)]
    struct Draws {
        seed: u64,
        start: u64,
        uint32: Vec<u32>,
        units: Vec<f64>,
    }

    fn vectors() -> Vec<Draws> {
        let vectors: Vectors = serde_json::from_str(include_str!("../../tests/vectors/philox.json")).unwrap();
        assert!(!vectors.streams.is_empty());
        vectors.streams
    }

    #[test]
    fn a_stream_draws_the_known_words_and_units() {
        for Draws { seed, start, uint32, units } in vectors() {
            let state = StreamState { seed, position: start };
            let mut stream = Stream::from_state(state);
            assert_eq!(uint32.iter().map(|_| stream.uint32()).collect::<Vec<_>>(), uint32);
            let mut stream = Stream::from_state(state);
            assert_eq!(units.iter().map(|_| stream.next()).collect::<Vec<_>>(), units);
        }
    }

    #[test]
    fn a_shared_stream_draws_what_a_stream_of_one_owner_draws() {
        for Draws { seed, start, uint32, units } in vectors() {
            let state = StreamState { seed, position: start };
            let shared = SharedStream::from_state(state);
            assert_eq!(uint32.iter().map(|_| shared.uint32()).collect::<Vec<_>>(), uint32);
            let shared = SharedStream::from_state(state);
            assert_eq!(units.iter().map(|_| shared.next()).collect::<Vec<_>>(), units);
            let mut alone = Stream::from_state(shared.state());
            for high in [1, 2, 3, 1000, (1 << 31) + 1, 1 << 32, (1 << 32) + 1, i64::MAX] {
                assert_eq!(shared.int(-high, high), alone.int(-high, high));
                assert_eq!(shared.state(), alone.state());
            }
        }
    }

    #[test]
    fn restoring_a_state_restores_every_later_draw() {
        let mut stream = Stream::new(77);
        for _ in 0..9 {
            let mut restored = Stream::from_state(stream.state());
            let mut copy = stream.clone();
            assert_eq!(restored.next(), copy.next());
            assert_eq!(restored.int(0, 1_000_000_007), copy.int(0, 1_000_000_007));
            stream.uint32();
        }
    }

    #[test]
    fn no_position_is_handed_out_twice_among_threads() {
        let shared = SharedStream::new(5);
        let drawn: Vec<u32> = std::thread::scope(|scope| {
            let draw = || (0..5000).map(|_| shared.uint32()).collect::<Vec<_>>();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(draw)).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        let mut alone = Stream::new(5);
        let mut expected: Vec<u32> = drawn.iter().map(|_| alone.uint32()).collect();
        let mut drawn = drawn;
        drawn.sort_unstable();
        expected.sort_unstable();
        assert_eq!(drawn, expected);
        assert_eq!(shared.state(), alone.state());
    }

    #[test]
    fn integers_stay_in_their_half_open_range_and_reach_its_ends() {
        let mut stream = Stream::new(1);
        let drawn: HashSet<i64> = (0..400).map(|_| stream.int(-2, 3)).collect();
        assert_eq!(drawn, HashSet::from([-2, -1, 0, 1, 2]));
        assert_eq!(stream.int(i64::MAX - 1, i64::MAX), i64::MAX - 1);
        for _ in 0..100 {
            assert!(stream.int(i64::MIN, i64::MAX) < i64::MAX);
        }
    }

    #[test]
    fn integers_are_fair_where_a_plain_product_would_favour_some() {
        // A product alone sends four words to three results: multiples of three would come twice as often.
        let size = 3 << 30;
        let mut stream = Stream::new(9);
        let mut thirds = [0_u32; 3];
        for _ in 0..30_000 {
            thirds[(stream.int(0, size) % 3) as usize] += 1;
        }
        assert!(thirds.iter().all(|&count| count.abs_diff(10_000) < 500), "{thirds:?}");
    }

    #[test]
    #[should_panic(expected = "no integer lies between 3 and 3")]
    fn an_empty_range_is_a_panic() {
        Stream::new(0).int(3, 3);
    }

    #[test]
    fn streams_of_runs_differ_in_every_part_of_their_name() {
        let seeds = HashSet::from(
            [
                (0, 0, 0, 0),
                (1, 0, 0, 0),
                (0, 1, 0, 0),
                (0, 0, 1, 0),
                (0, 0, 0, 1),
                (0, 1, 1, 0),
                (0, 0, 1, 1),
            ]
            .map(|(seed, system, run, piece)| run_stream(seed, system, run, piece).state().seed),
        );
        assert_eq!(seeds.len(), 7);
        assert_eq!(run_stream(1234, 5, 6, 7).next(), run_stream(1234, 5, 6, 7).next());
        assert!(!seeds.contains(&0), "a run must not draw from the world's own stream");
    }

    #[test]
    fn a_state_is_read_from_json_with_its_seed_checked() {
        let state: StreamState = serde_json::from_str(r#"{"seed":1234}"#).unwrap();
        assert_eq!(state, StreamState { seed: 1234, position: 0 });
        assert_eq!(serde_json::to_string(&state).unwrap(), r#"{"seed":1234,"position":0}"#);
        let error = serde_json::from_str::<StreamState>(r#"{"seed":9007199254740993}"#).unwrap_err();
        assert!(error.to_string().contains("from 0 to 9007199254740992"), "{error}");
    }

    #[test]
    fn fresh_seeds_differ_and_may_stand_in_a_scene() {
        let seeds: HashSet<u64> = (0..100).map(|_| fresh_seed()).collect();
        assert!(seeds.len() > 90);
        assert!(seeds.iter().all(|&seed| seed <= MAX_SEED));
    }
}
