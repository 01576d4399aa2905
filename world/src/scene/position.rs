//! Where in a text something stands.

use std::fmt;

/// A place in a text, as editors show it: `12:7`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    /// Bytes from the start of the text.
    pub offset: usize,
    /// The line, from 1.
    pub line: usize,
    /// The character in its line, from 1.
    pub column: usize,
}

impl Position {
    /// The position of the byte at `offset`; of the end, if the text is shorter.
    ///
    /// Reads the text up to there.
    pub fn of(text: &str, offset: usize) -> Self {
        Self::START.advance(text, offset)
    }

    const START: Self = Self { offset: 0, line: 1, column: 1 };

    /// The position of `offset`, which does not lie before `self`, in the same text.
    fn advance(self, text: &str, offset: usize) -> Self {
        let bytes = text.as_bytes();
        let offset = offset.min(bytes.len());
        let passed = &bytes[self.offset.min(offset)..offset];
        // Bytes that continue a character have the bits 10 on top and count as no column.
        let characters = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
        match passed.iter().rposition(|&byte| byte == b'\n') {
            None => Self { offset, line: self.line, column: self.column + characters(passed) },
            Some(end) => {
                let lines = passed.iter().filter(|&&byte| byte == b'\n').count();
                Self { offset, line: self.line + lines, column: 1 + characters(&passed[end + 1..]) }
            }
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// The positions of a text, each found in the same short time, wherever it is.
#[derive(Debug)]
pub(super) struct Lines {
    /// The position of every `STRIDE`th byte.
    marks: Vec<Position>,
}

/// How much of a text lies between two marks, in bytes.
const STRIDE: usize = 1 << 14;

impl Lines {
    /// Reads the whole `text` once.
    pub(super) fn new(text: &str) -> Self {
        let mut mark = Position::START;
        let mut marks = vec![mark];
        for offset in (STRIDE..text.len()).step_by(STRIDE) {
            mark = mark.advance(text, offset);
            marks.push(mark);
        }
        Self { marks }
    }

    /// The position of `offset` in `text`, which is the one these lines were made of.
    pub(super) fn position(&self, text: &str, offset: usize) -> Position {
        let offset = offset.min(text.len());
        let mark = self.marks.get(offset / STRIDE).or(self.marks.last());
        mark.copied().unwrap_or(Position::START).advance(text, offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_and_columns_count_characters() {
        let text = "ab\näöü x\n";
        let at = |offset| {
            let Position { line, column, .. } = Position::of(text, offset);
            (line, column)
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(2), (1, 3));
        assert_eq!(at(3), (2, 1));
        assert_eq!(at(text.find('x').unwrap()), (2, 5));
        assert_eq!(at(text.len()), (3, 1));
        assert_eq!(at(usize::MAX), (3, 1));
    }

    #[test]
    fn marks_give_what_reading_from_the_start_gives() {
        let mut text = String::new();
        for line in 0..3000 {
            text.push_str(&"é".repeat(line % 23));
            text.push_str(if line % 400 == 7 { "" } else { "\n" });
        }
        text.push_str(&"ü".repeat(STRIDE));
        let lines = Lines::new(&text);
        for offset in (0..text.len()).step_by(509).chain(STRIDE - 2..STRIDE + 3).chain([text.len()]) {
            assert_eq!(lines.position(&text, offset), Position::of(&text, offset), "{offset}");
        }
    }
}
