//! Bits by row with a summary above: what a pool has, which rows are free, which are alive.

/// A set of rows as words of 64 bits, and one summary bit for each word that is not zero.
#[derive(Default, Clone, Debug)]
pub(crate) struct Presence {
    words: Vec<u64>,
    summary: Vec<u64>,
    count: usize,
}

impl Presence {
    /// The bits of a word; zero beyond what was ever set.
    #[inline]
    pub(crate) fn word(&self, word: usize) -> u64 {
        self.words.get(word).copied().unwrap_or(0)
    }

    /// All words.
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    /// One bit for each of the 64 words from `64 * at` that has a row.
    #[inline]
    pub(crate) fn summary(&self, at: usize) -> u64 {
        self.summary.get(at).copied().unwrap_or(0)
    }

    /// How many summary words there are.
    #[inline]
    pub(crate) fn summaries(&self) -> usize {
        self.summary.len()
    }

    /// How many rows are in the set.
    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// How many rows are in both sets.
    pub(crate) fn count_common(&self, other: &Presence) -> usize {
        let words = self.summary.iter().enumerate().flat_map(|(at, &summary)| {
            ones(summary & other.summary(at)).map(move |word| at * 64 + word as usize)
        });
        words.map(|word| (self.words[word] & other.word(word)).count_ones() as usize).sum()
    }

    #[inline]
    pub(crate) fn has(&self, row: u32) -> bool {
        self.word(row as usize / 64) >> (row % 64) & 1 == 1
    }

    /// The first row of a word.
    #[inline(never)]
    fn begin_word(&mut self, word: usize, bit: u64) {
        if word >= self.words.len() {
            self.grow(word + 1);
        }
        self.words[word] = bit;
        self.summary[word / 64] |= 1 << (word % 64);
        self.count += 1;
    }

    #[cold]
    fn grow(&mut self, words: usize) {
        if self.words.len() < words {
            self.words.resize(words, 0);
            self.summary.resize(words.div_ceil(64), 0);
        }
    }

    /// Adds a row; whether it was missing.
    #[inline]
    pub(crate) fn set(&mut self, row: u32) -> bool {
        let (word, bit) = (row as usize / 64, 1u64 << (row % 64));
        match self.words.get_mut(word) {
            Some(own) if *own != 0 => {
                let missing = *own & bit == 0;
                *own |= bit;
                self.count += missing as usize;
                missing
            }
            _ => {
                self.begin_word(word, bit);
                true
            }
        }
    }

    /// Takes a row out; whether it was there.
    #[inline]
    pub(crate) fn clear(&mut self, row: u32) -> bool {
        let (word, bit) = (row as usize / 64, 1u64 << (row % 64));
        let Some(bits) = self.words.get_mut(word) else { return false };
        let there = *bits & bit != 0;
        *bits &= !bit;
        if *bits == 0 {
            self.summary[word / 64] &= !(1 << (word % 64));
        }
        self.count -= there as usize;
        there
    }

    /// Adds the rows of `bits` in a word.
    #[inline]
    pub(crate) fn set_word(&mut self, word: usize, bits: u64) {
        if bits == 0 {
            return;
        }
        if word >= self.words.len() {
            self.grow(word + 1);
        }
        self.count += (bits & !self.words[word]).count_ones() as usize;
        self.words[word] |= bits;
        self.summary[word / 64] |= 1 << (word % 64);
    }

    /// Takes the rows of `bits` in a word out.
    #[inline]
    pub(crate) fn clear_word(&mut self, word: usize, bits: u64) {
        let Some(own) = self.words.get_mut(word) else { return };
        self.count -= (*own & bits).count_ones() as usize;
        *own &= !bits;
        if *own == 0 {
            self.summary[word / 64] &= !(1 << (word % 64));
        }
    }

    /// Takes out whatever rows are in the other set.
    pub(crate) fn subtract(&mut self, other: &Presence) {
        other.each_word(|word, bits| self.clear_word(word, bits));
    }

    /// Calls `f` with each word that has a row, and its bits, in order.
    #[inline]
    pub(crate) fn each_word(&self, mut f: impl FnMut(usize, u64)) {
        for (at, &summary) in self.summary.iter().enumerate() {
            for in_summary in ones(summary) {
                let word = at * 64 + in_summary as usize;
                f(word, self.words[word]);
            }
        }
    }

    /// Takes every row out; only words that had one are touched.
    pub(crate) fn clear_all(&mut self) {
        for (at, summary) in self.summary.iter_mut().enumerate() {
            for word in ones(std::mem::take(summary)) {
                self.words[at * 64 + word as usize] = 0;
            }
        }
        self.count = 0;
    }

    /// Adds the rows of another set.
    pub(crate) fn add_all(&mut self, other: &Presence) {
        for (at, &summary) in other.summary.iter().enumerate() {
            for word in ones(summary) {
                let word = at * 64 + word as usize;
                self.set_word(word, other.words[word]);
            }
        }
    }

    /// Adds `len` rows from `row`.
    pub(crate) fn set_range(&mut self, row: u32, len: u32) {
        each_word(row, len, |word, bits| self.set_word(word, bits));
    }

    /// The rows in order.
    pub(crate) fn rows(&self) -> impl Iterator<Item = u32> + '_ {
        self.summary.iter().enumerate().flat_map(move |(at, &summary)| {
            ones(summary).flat_map(move |in_summary| {
                let word = at * 64 + in_summary as usize;
                ones(self.words[word]).map(move |bit| word as u32 * 64 + bit)
            })
        })
    }

    /// Bytes allocated.
    pub(crate) fn bytes(&self) -> usize {
        (self.words.capacity() + self.summary.capacity()) * 8
    }
}

/// Whether a row is in a set of which these are the words.
#[inline]
pub(crate) fn has_row(words: &[u64], row: u32) -> bool {
    words.get(row as usize / 64).is_some_and(|word| word >> (row % 64) & 1 == 1)
}

/// The numbers of the bits that are set, least first.
#[inline]
pub(crate) fn ones(mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        if bits == 0 {
            return None;
        }
        let bit = bits.trailing_zeros();
        bits &= bits - 1;
        Some(bit)
    })
}

/// `len` ones from bit `from`; `from + len` is at most 64.
#[inline]
pub(crate) fn run_of_ones(from: u32, len: u32) -> u64 {
    debug_assert!(from + len <= 64);
    if len == 0 { 0 } else { (u64::MAX >> (64 - len)) << from }
}

/// Calls `f` with each word that `len` rows from `row` touch, and the bits of them in it.
#[inline]
pub(crate) fn each_word(row: u32, len: u32, mut f: impl FnMut(usize, u64)) {
    let (mut row, end) = (row, row + len);
    while row < end {
        let from = row % 64;
        let part = (64 - from).min(end - row);
        f(row as usize / 64, run_of_ones(from, part));
        row += part;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[derive(Debug, Clone)]
    enum Op {
        Set(u32),
        Clear(u32),
        Range(u32, u32),
        Word(u32, u64),
        Subtract(u32, u32),
    }

    fn op() -> impl Strategy<Value = Op> {
        prop_oneof![
            (0..9000u32).prop_map(Op::Set),
            (0..9000u32).prop_map(Op::Clear),
            (0..9000u32, 0..300u32).prop_map(|(row, len)| Op::Range(row, len)),
            (0..140u32, 0..u64::MAX).prop_map(|(word, bits)| Op::Word(word, bits)),
            (0..9000u32, 0..300u32).prop_map(|(row, len)| Op::Subtract(row, len)),
        ]
    }

    proptest! {
        #[test]
        fn presence_agrees_with_a_set_of_rows(ops in proptest::collection::vec(op(), 0..200)) {
            let (mut real, mut model) = (Presence::default(), BTreeSet::new());
            for op in ops {
                match op {
                    Op::Set(row) => prop_assert_eq!(real.set(row), model.insert(row)),
                    Op::Clear(row) => prop_assert_eq!(real.clear(row), model.remove(&row)),
                    Op::Range(row, len) => {
                        real.set_range(row, len);
                        model.extend(row..row + len);
                    }
                    Op::Word(word, bits) => {
                        real.clear_word(word as usize, bits);
                        ones(bits).for_each(|bit| _ = model.remove(&(word * 64 + bit)));
                    }
                    Op::Subtract(row, len) => {
                        let mut other = Presence::default();
                        other.set_range(row, len);
                        real.subtract(&other);
                        model.retain(|known| !(row..row + len).contains(known));
                    }
                }
                prop_assert_eq!(real.count(), model.len());
            }
            prop_assert!(real.rows().eq(model.iter().copied()));
            for word in 0..160 {
                let summed = real.summary(word / 64) >> (word % 64) & 1 == 1;
                prop_assert_eq!(summed, real.word(word) != 0);
            }
        }
    }
}
