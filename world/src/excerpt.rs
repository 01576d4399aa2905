//! Long texts cut for messages: what a file or a user wrote may be of any length, and a message must not.

use std::borrow::Cow;

/// Characters of a name or a value that a message shows.
const NAME: usize = 96;
/// Characters of a whole message.
const MESSAGE: usize = 640;

/// A name or a value from outside as a message shows it.
pub(crate) fn excerpt(text: &str) -> Cow<'_, str> {
    cut(text, NAME)
}

/// A message of which parts came from outside.
pub(crate) fn short_message(message: String) -> String {
    match cut(&message, MESSAGE) {
        Cow::Borrowed(_) => message,
        Cow::Owned(short) => short,
    }
}

/// The text, or if it has more characters than `most`, about so many of its start and its end: what is wrong and what
/// would be right mostly stand there.
fn cut(text: &str, most: usize) -> Cow<'_, str> {
    // A character is a byte or more.
    if text.len() <= most || text.chars().nth(most).is_none() {
        return Cow::Borrowed(text);
    }
    let at_end = most / 3;
    let start = text.char_indices().nth(most - at_end).map_or(text.len(), |(at, _)| at);
    let end = text.char_indices().nth_back(at_end - 1).map_or(0, |(at, _)| at);
    Cow::Owned(format!("{}…{}", &text[..start], &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_in_the_middle_and_a_short_one_is_not() {
        for (text, expected) in [("", ""), ("abcdef", "abcdef"), ("äöüäöü", "äöüäöü"), ("abcdefg", "abcd…fg")]
        {
            assert_eq!(cut(text, 6), expected);
        }
        assert_eq!(cut("ääääöööüü€", 6), "ääää…ü€");
        assert!(matches!(cut("ääääää", 6), Cow::Borrowed(_)));
        let long = "é".repeat(100_000);
        assert_eq!(excerpt(&long).chars().count(), NAME + 1);
        assert_eq!(short_message(long).chars().count(), MESSAGE + 1);
    }
}
