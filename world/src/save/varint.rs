//! Numbers in as few printable characters as a JSON string holds unescaped.
//!
//! Little-endian base 45. The last digit comes from an alphabet of its own, so a number ends by itself. Neither
//! alphabet has a quote, a backslash or `!`, the mark of an absent field.

use super::decode::DecodeFault;

const RADIX: u64 = 45;
/// Digits with another digit to follow.
const MORE: &[u8; 45] = b"PQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}";
/// Digits that end a number.
const LAST: &[u8; 45] = b"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNO";

/// What a byte means: the value of a last digit, `FOLLOWED` more for any other digit, or no digit.
const MEANINGS: [u8; 256] = {
    let mut meanings = [NO_DIGIT; 256];
    let mut value = 0;
    while value < 45 {
        meanings[LAST[value as usize] as usize] = value;
        meanings[MORE[value as usize] as usize] = value + FOLLOWED;
        value += 1;
    }
    meanings
};
const FOLLOWED: u8 = 64;
const NO_DIGIT: u8 = u8::MAX;

/// The most digits that 64 bits need.
const MAX_DIGITS: usize = 12;

/// What a digit at each place is worth.
const WEIGHTS: [u64; MAX_DIGITS] = {
    let mut weights = [1; MAX_DIGITS];
    let mut place = 1;
    while place < MAX_DIGITS {
        weights[place] = weights[place - 1] * RADIX;
        place += 1;
    }
    weights
};

/// Appends `n`.
pub(crate) fn write(out: &mut String, mut n: u64) {
    let mut push = |digit: u8| out.push(char::from(digit));
    // Two at a time, for each division has to wait for the one before.
    while n >= RADIX * RADIX {
        let pair = n % (RADIX * RADIX);
        push(MORE[(pair % RADIX) as usize]);
        push(MORE[(pair / RADIX) as usize]);
        n /= RADIX * RADIX;
    }
    if n >= RADIX {
        push(MORE[(n % RADIX) as usize]);
        n /= RADIX;
    }
    push(LAST[n as usize]);
}

/// All numbers of a text that is nothing else; none if it is something else.
pub(crate) fn read_all(text: &str) -> Option<Vec<u64>> {
    let (mut numbers, mut at) = (Vec::new(), 0);
    while at < text.len() {
        numbers.push(read(text.as_bytes(), &mut at).ok()?);
    }
    Some(numbers)
}

/// How many characters `n` takes.
pub(super) fn length(n: u64) -> u32 {
    let mut length = 1;
    let mut left = n / RADIX;
    while left > 0 {
        length += 1;
        left /= RADIX;
    }
    length
}

/// The number at `at`, which moves behind it; in case of a fault it points at the character to blame.
pub(super) fn read(bytes: &[u8], at: &mut usize) -> Result<u64, DecodeFault> {
    let digits = bytes.get(*at..).unwrap_or_default();
    let mut number = 0_u64;
    let mut place = 0;
    let fault = loop {
        let Some(byte) = digits.get(place) else { break DecodeFault::EndsWithinNumber };
        let meaning = MEANINGS[usize::from(*byte)];
        if meaning == NO_DIGIT {
            break DecodeFault::NotADigit;
        }
        let digit = u64::from(meaning % FOLLOWED);
        let part = WEIGHTS.get(place).and_then(|weight| digit.checked_mul(*weight));
        let Some(sum) = part.and_then(|part| number.checked_add(part)) else {
            break DecodeFault::NumberTooGreat;
        };
        number = sum;
        if meaning < FOLLOWED {
            if digit == 0 && place > 0 {
                break DecodeFault::NeedlessDigit;
            }
            *at += place + 1;
            return Ok(number);
        }
        place += 1;
    };
    *at += place;
    Err(fault)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde::Deserialize;

    fn written(n: u64) -> String {
        let mut out = String::new();
        write(&mut out, n);
        out
    }

    fn fault(text: &str) -> (DecodeFault, usize) {
        let mut at = 0;
        (read(text.as_bytes(), &mut at).unwrap_err(), at)
    }

    #[test]
    fn the_known_numbers_are_written_and_read() {
        #[derive(Deserialize)]
        struct Vectors {
            varints: Vec<Vector>,
        }
        #[derive(Deserialize)]
        struct Vector {
            value: u64,
            encoded: String,
        }
        let vectors: Vectors =
            serde_json::from_str(include_str!("../../tests/vectors/save-codec.json")).unwrap();
        assert!(!vectors.varints.is_empty());
        for Vector { value, encoded } in vectors.varints {
            assert_eq!(written(value), encoded);
            let mut at = 0;
            assert_eq!(read(encoded.as_bytes(), &mut at), Ok(value));
            assert_eq!(at, encoded.len());
        }
    }

    proptest! {
        #[test]
        fn every_number_comes_back_from_as_many_characters_as_foretold(bits in any::<u64>(), shift in 0..64) {
            let n = bits >> shift;
            let text = written(n);
            prop_assert_eq!(text.len(), length(n) as usize);
            let mut at = 0;
            prop_assert_eq!(read(text.as_bytes(), &mut at), Ok(n));
            prop_assert_eq!(at, text.len());
        }
    }

    #[test]
    fn numbers_beyond_64_bits_are_refused() {
        let greatest = written(u64::MAX);
        assert_eq!(read(greatest.as_bytes(), &mut 0), Ok(u64::MAX));
        let mut beyond = greatest.into_bytes();
        beyond[0] += 1;
        assert_eq!(read(&beyond, &mut 0), Err(DecodeFault::NumberTooGreat));
        assert_eq!(fault(&"}".repeat(1000)).0, DecodeFault::NumberTooGreat);
        assert_eq!(fault(&format!("{}$", "P".repeat(50))).0, DecodeFault::NumberTooGreat);
    }

    #[test]
    fn a_number_is_written_in_one_way_only() {
        assert_eq!(fault("P#"), (DecodeFault::NeedlessDigit, 1));
        assert_eq!(fault("QPP#"), (DecodeFault::NeedlessDigit, 3));
    }

    #[test]
    fn a_number_without_end_or_of_other_characters_is_refused() {
        assert_eq!(fault(""), (DecodeFault::EndsWithinNumber, 0));
        assert_eq!(fault("PQ"), (DecodeFault::EndsWithinNumber, 2));
        assert_eq!(fault("P!"), (DecodeFault::NotADigit, 1));
        assert_eq!(fault("\\"), (DecodeFault::NotADigit, 0));
        assert_eq!(fault("é"), (DecodeFault::NotADigit, 0));
    }
}
