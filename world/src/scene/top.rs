//! A scene taken apart: where its keys and values and each of its entities stand in the text.
//!
//! The text is gone through from the front, a stretch at a time, so that a long one can be read between other things.
//! Only the outermost object and the list of entities are checked; whatever is inside a value is for who reads it.

use super::json::{self, Kind};
use super::text::Span;
use std::borrow::Cow;

/// A key of the scene and its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemberSpan {
    /// The key as written, quotes included.
    pub(super) key: Span,
    pub(super) value: Span,
}

/// What stands at a key `entities`.
#[derive(Debug)]
pub(super) struct EntitiesSpan {
    /// The key as written, quotes included.
    pub(super) key: Span,
    /// The elements of the list, or what stands there instead.
    pub(super) list: Result<Vec<Span>, Kind>,
}

/// What is found in a text, as far as it was read.
#[derive(Debug, Default)]
pub(super) struct Top {
    /// Every entry but the lists of entities, which are most of the text.
    pub(super) members: Vec<MemberSpan>,
    /// Each value of a key `entities`.
    pub(super) entities: Vec<EntitiesSpan>,
    /// Elements of a list of entities that are neither objects nor texts.
    pub(super) strangers: Vec<Span>,
}

/// Goes through a text.
#[derive(Debug)]
pub(super) struct TopScanner {
    /// Where it is.
    at: usize,
    state: State,
    top: Top,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before the first brace.
    Start,
    /// Before a key; or the end, if no comma came before it.
    Key { first: bool },
    /// Behind a value.
    Behind,
    /// Before an element of the last list of entities.
    Element { first: bool },
    /// Behind an element.
    BehindElement,
    /// All is read.
    End,
}

/// Something is not JSON at this byte, or behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotJson(pub(super) usize);

impl TopScanner {
    /// Begins at a byte of the text.
    pub(super) fn new(at: usize) -> Self {
        Self { at, state: State::Start, top: Top::default() }
    }

    /// Where it is in the text.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// What was found; of use once all is read.
    pub(super) fn into_top(self) -> Top {
        self.top
    }

    /// Goes on until about so many bytes of the text are read; whether that is all of it.
    ///
    /// # Errors
    /// If the text is not JSON, or no object.
    pub(super) fn read(&mut self, text: &str, until: usize) -> Result<bool, NotJson> {
        let bytes = text.as_bytes();
        while self.state != State::End && self.at < until {
            self.at = blank_end(bytes, self.at);
            let next = bytes.get(self.at).copied();
            self.state = match (self.state, next) {
                (State::Start, Some(b'{')) => self.pass(State::Key { first: true }),
                (State::Key { first: true }, Some(b'}')) | (State::Behind, Some(b'}')) => {
                    self.at = blank_end(bytes, self.at + 1);
                    match self.at == bytes.len() {
                        true => State::End,
                        false => return Err(NotJson(self.at)),
                    }
                }
                (State::Behind, Some(b',')) => self.pass(State::Key { first: false }),
                (State::Key { .. }, Some(b'"')) => self.member(text)?,
                (State::Element { first: true }, Some(b']')) | (State::BehindElement, Some(b']')) => {
                    self.pass(State::Behind)
                }
                (State::BehindElement, Some(b',')) => self.pass(State::Element { first: false }),
                (State::Element { .. }, Some(_)) => {
                    let element = self.value(bytes)?;
                    if !matches!(bytes[element.start], b'{' | b'"') {
                        self.top.strangers.push(element);
                    }
                    if let Some(EntitiesSpan { list: Ok(list), .. }) = self.top.entities.last_mut() {
                        list.push(element);
                    }
                    State::BehindElement
                }
                _ => return Err(NotJson(self.at)),
            };
        }
        Ok(self.state == State::End)
    }

    /// Takes a byte.
    fn pass(&mut self, state: State) -> State {
        self.at += 1;
        state
    }

    /// Takes a key and its value, or of a list of entities its first bracket.
    fn member(&mut self, text: &str) -> Result<State, NotJson> {
        let bytes = text.as_bytes();
        let key = self.value(bytes)?;
        let name = json::text(key.of(text)).map_err(|_| NotJson(key.start))?;
        self.at = blank_end(bytes, self.at);
        if bytes.get(self.at) != Some(&b':') {
            return Err(NotJson(self.at));
        }
        self.at = blank_end(bytes, self.at + 1);
        let is_entities = name == Cow::Borrowed("entities");
        if is_entities && bytes.get(self.at) == Some(&b'[') {
            self.top.entities.push(EntitiesSpan { key, list: Ok(Vec::new()) });
            return Ok(self.pass(State::Element { first: true }));
        }
        let value = self.value(bytes)?;
        if is_entities {
            self.top.strangers.push(value);
            self.top.entities.push(EntitiesSpan { key, list: Err(json::kind(value.of(text))) });
        } else {
            self.top.members.push(MemberSpan { key, value });
        }
        Ok(State::Behind)
    }

    /// Takes a value, of which only the brackets are counted.
    fn value(&mut self, bytes: &[u8]) -> Result<Span, NotJson> {
        let start = self.at;
        self.at = match bytes.get(start) {
            Some(b'"') => text_end(bytes, start + 1),
            Some(b'{' | b'[') => nest_end(bytes, start),
            _ => word_end(bytes, start),
        }
        .filter(|&end| end > start)
        .ok_or(NotJson(start))?;
        Ok(Span { start, end: self.at })
    }
}

/// What a byte means outside of texts.
const MEANINGS: [Meaning; 256] = {
    let mut meanings = [Meaning::Other; 256];
    meanings[b'"' as usize] = Meaning::Quote;
    meanings[b'{' as usize] = Meaning::Open;
    meanings[b'[' as usize] = Meaning::Open;
    meanings[b'}' as usize] = Meaning::Close;
    meanings[b']' as usize] = Meaning::Close;
    meanings
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Other,
    Quote,
    Open,
    Close,
}

/// The first byte from `at` on that is no space.
fn blank_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\t' | b'\r') = bytes.get(at) {
        at += 1;
    }
    at
}

/// Behind the quote that ends the text which begins at `at`.
fn text_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match *bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            0..0x20 => return None,
            _ => at += 1,
        }
    }
}

/// Behind the bracket that closes the one at `at`.
fn nest_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    loop {
        let byte = *bytes.get(at)?;
        at += 1;
        match MEANINGS[usize::from(byte)] {
            Meaning::Other => {}
            Meaning::Quote => at = text_end(bytes, at)?,
            Meaning::Open => depth += 1,
            Meaning::Close => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
        }
    }
}

/// Behind a number or a word.
fn word_end(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let ends = |byte: &u8| {
        matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | b',' | b':' | b'"' | b'[' | b']' | b'{' | b'}')
    };
    Some(at + rest.iter().position(ends).unwrap_or(rest.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &str, stretch: usize) -> Result<Top, NotJson> {
        let mut scanner = TopScanner::new(0);
        let mut until = stretch;
        while !scanner.read(text, until)? {
            assert!(until < text.len() + stretch, "it goes on");
            until += stretch;
        }
        Ok(scanner.into_top())
    }

    #[test]
    fn a_scene_is_taken_apart_the_same_in_any_stretches() {
        let text =
            r##" { "a\"]" : [1, {"x": "]}"}], "entities" : [ {"b": [1]} , "#\\", 7, tru ] ,"c":null } "##;
        for stretch in [1, 3, 1000] {
            let top = scan(text, stretch).unwrap();
            let members: Vec<_> =
                top.members.iter().map(|member| (member.key.of(text), member.value.of(text))).collect();
            assert_eq!(members, [(r#""a\"]""#, r#"[1, {"x": "]}"}]"#), ("\"c\"", "null")]);
            let list = top.entities[0].list.as_ref().unwrap();
            let entities: Vec<_> = list.iter().map(|span| span.of(text)).collect();
            assert_eq!(entities, ["{\"b\": [1]}", r##""#\\""##, "7", "tru"]);
            assert_eq!(top.strangers.len(), 2);
        }
    }

    #[test]
    fn what_is_no_object_or_not_whole_is_refused() {
        for text in [
            "",
            "[]",
            "{",
            "{}}",
            "{} x",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{,}",
            "{\"a\":1 2}",
            "{a:1}",
            "{\"entities\":[1,]}",
            "{\"entities\":[1 2]}",
            "{\"entities\":[}",
            "{\"a\nb\":1}",
            "{\"a\":\"\u{1}\"}",
        ] {
            assert!(scan(text, 1000).is_err(), "{text}");
        }
        assert!(scan("{}", 1).is_ok());
    }
}
