//! The text a document was read from, and faults with their place in it.

use super::fault::Fault;
use super::position::{Lines, Position};
use super::text::{Span, Text};
use crate::excerpt::{excerpt, short_message};
use std::sync::OnceLock;

/// A text and what it is called.
#[derive(Debug)]
pub(super) struct Origin<'a> {
    source: String,
    text: Text<'a>,
    /// Made with the first fault: a text without one needs none.
    lines: OnceLock<Lines>,
}

impl<'a> Origin<'a> {
    pub(super) fn new(source: &str, text: Text<'a>) -> Self {
        Self { source: source.to_owned(), text, lines: OnceLock::new() }
    }

    pub(super) fn source(&self) -> &str {
        &self.source
    }

    pub(super) fn text(&self) -> &Text<'a> {
        &self.text
    }

    /// Where `part`, a slice of the text, stands in it.
    pub(super) fn span(&self, part: &str) -> Span {
        let start = self.offset(part);
        Span { start, end: start + part.len() }
    }

    fn offset(&self, part: &str) -> usize {
        (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize)
    }

    /// The position at which `part`, a slice of the text, starts.
    pub(super) fn position(&self, part: &str) -> Position {
        let lines = self.lines.get_or_init(|| Lines::new(&self.text));
        lines.position(&self.text, self.offset(part))
    }

    /// A fault at the start of `at`, a slice of the text, about a `part` of the file and a `key` in it. However long
    /// what the text says there is, the fault is not.
    pub(super) fn fault(
        &self,
        at: &str,
        part: Option<&str>,
        key: Option<&str>,
        message: impl Into<String>,
    ) -> Fault {
        Fault {
            source: self.source.clone(),
            position: Some(self.position(at)),
            part: part.map(|part| excerpt(part).into_owned()),
            entity: None,
            key: key.map(|key| excerpt(key).into_owned()),
            message: short_message(message.into()),
        }
    }
}
