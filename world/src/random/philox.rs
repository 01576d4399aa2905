//! Philox4x32-10: a keyed bijection of 128-bit counters, so that any draw can be computed from its number.
//!
//! Described in J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011).

const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
/// Added to the key between rounds: the golden ratio and the square root of three.
const KEY_STEPS: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
const ROUNDS: usize = 10;

/// The four words at `counter`; every array has its low word first.
pub(super) fn philox(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let [mut a, mut b, mut c, mut d] = counter;
    let [mut key_low, mut key_high] = key;
    for _ in 0..ROUNDS {
        let first = u64::from(a) * u64::from(MULTIPLIERS[0]);
        let second = u64::from(c) * u64::from(MULTIPLIERS[1]);
        a = (second >> 32) as u32 ^ b ^ key_low;
        b = second as u32;
        c = (first >> 32) as u32 ^ d ^ key_high;
        d = first as u32;
        key_low = key_low.wrapping_add(KEY_STEPS[0]);
        key_high = key_high.wrapping_add(KEY_STEPS[1]);
    }
    [a, b, c, d]
}

/// A number as two words, the low one first.
pub(super) const fn words(n: u64) -> [u32; 2] {
    [n as u32, (n >> 32) as u32]
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Deserialize)]
    struct Vectors {
        known_answers: Vec<KnownAnswer>,
    }

    #[derive(Deserialize)]
    struct KnownAnswer {
        counter: [u32; 4],
        key: [u32; 2],
        output: [u32; 4],
    }

    #[test]
    fn the_words_are_those_of_the_reference_implementation() {
        let vectors: Vectors = serde_json::from_str(include_str!("../../tests/vectors/philox.json")).unwrap();
        assert!(!vectors.known_answers.is_empty());
        for answer in vectors.known_answers {
            assert_eq!(philox(answer.counter, answer.key), answer.output);
        }
    }
}
