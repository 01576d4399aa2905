//! The text of a scene: borrowed from whoever reads it, or shared so that it can be read bit by bit.

use std::ops::Deref;
use std::sync::Arc;

/// A text that does not change.
#[derive(Clone, Debug)]
pub(crate) enum Text<'a> {
    /// Of somebody who waits until it is read.
    Borrowed(&'a str),
    /// Kept as long as it is needed.
    Shared(Arc<str>),
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Borrowed(text) => text,
            Self::Shared(text) => text,
        }
    }
}

/// A part of a text, in bytes from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Span {
    /// The part of the text it was measured in.
    pub(super) fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}
