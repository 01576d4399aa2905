//! JSON read so that every part still knows where it stands in the text: as slices of it.

use crate::config::{Config, Value};
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

/// One entry of an object.
#[derive(Clone, Debug)]
pub(super) struct Member<'a> {
    /// The key.
    pub(super) key: Cow<'a, str>,
    /// The key as the text has it, quotes included.
    pub(super) written: &'a str,
    /// The value as the text has it.
    pub(super) value: &'a RawValue,
}

/// Something that is wrong somewhere in a text.
#[derive(Debug)]
pub(super) struct Trouble<'a> {
    /// A slice of the text that starts where it is wrong.
    pub(super) at: &'a str,
    /// The nearest key around it, within the value that was read.
    pub(super) key: Option<String>,
    /// What is wrong.
    pub(super) message: String,
}

/// The entries of an object in their order, keys that stand twice included.
pub(super) fn members<'a>(object: &'a str) -> Result<Vec<Member<'a>>, serde_json::Error> {
    serde_json::from_str::<Members<'a>>(object).map(|Members(members)| members)
}

/// The elements of a list.
pub(super) fn elements(list: &str) -> Result<Vec<&RawValue>, serde_json::Error> {
    serde_json::from_str(list)
}

/// What kind of value a text is, judged by its first sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Object,
    List,
    Text,
    Truth,
    Null,
    Number,
    Nothing,
}

impl fmt::Display for Kind {
    /// In the words of [`Value::kind`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Object => "an object",
            Self::List => "a list",
            Self::Text => "a text",
            Self::Truth => "true or false",
            Self::Null => "null",
            Self::Number => "a number",
            Self::Nothing => "nothing",
        })
    }
}

pub(super) fn kind(json: &str) -> Kind {
    match json.trim_ascii_start().as_bytes().first() {
        Some(b'{') => Kind::Object,
        Some(b'[') => Kind::List,
        Some(b'"') => Kind::Text,
        Some(b't' | b'f') => Kind::Truth,
        Some(b'n') => Kind::Null,
        Some(_) => Kind::Number,
        None => Kind::Nothing,
    }
}

/// The config at `object`, or everything that is wrong in it.
pub(super) fn config(object: &str) -> Result<Config<'_>, Vec<Trouble<'_>>> {
    serde_json::from_str(object).map_err(|error| troubles(object, error))
}

/// The text at `json`, which starts with a quote.
pub(super) fn text(json: &str) -> Result<Cow<'_, str>, serde_json::Error> {
    match json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        // Without a backslash the characters are those between the quotes.
        Some(inner) if !inner.contains('\\') => Ok(Cow::Borrowed(inner)),
        _ => serde_json::from_str(json).map(Cow::Owned),
    }
}

/// What is wrong according to `error`, in a sentence, without a place.
pub(super) fn message(error: &serde_json::Error) -> String {
    let written = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let bare = written.strip_suffix(&place).unwrap_or(&written);
    match (error.classify(), bare) {
        (Category::Eof, _) => match bare.strip_prefix("EOF while parsing ") {
            Some(what) => format!("the text ends in the middle of {what}"),
            None => "the text ends too early".into(),
        },
        (_, "recursion limit exceeded") => "nested too deeply: a value may have 127 levels".into(),
        (_, "number out of range") => "the number is too large for 64 bits".into(),
        (Category::Data, _) => bare.to_owned(),
        _ => format!("not JSON: {bare}"),
    }
}

/// The rest of `json` from where `error`, which reading `json` gave, says it is wrong.
pub(super) fn place<'a>(json: &'a str, error: &serde_json::Error) -> &'a str {
    if kind(json) == Kind::Number {
        // It is the whole number that is too large, not the byte where that was noticed.
        return json;
    }
    let line_start = match error.line() {
        0 | 1 => 0,
        line => {
            let breaks = json.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
            breaks.map(|(index, _)| index + 1).nth(line - 2).unwrap_or(json.len())
        }
    };
    // The column counts bytes up to and including the wrong one, and is 0 at a line break.
    let mut offset = match error.classify() {
        Category::Eof => json.len(),
        _ => (line_start + error.column()).saturating_sub(1).min(json.len()),
    };
    while !json.is_char_boundary(offset) {
        offset -= 1;
    }
    &json[offset..]
}

/// How deep faults are looked for; below, one fault stands for all.
const DEPTH: usize = 4;
/// How many faults of one value are listed.
const LISTED: usize = 100;

/// Everything that is wrong in `json`, whose reading as a value gave `error`.
fn troubles(json: &str, error: serde_json::Error) -> Vec<Trouble<'_>> {
    let mut found = Vec::new();
    look(json, error, None, DEPTH, &mut found);
    found
}

fn look<'a>(
    json: &'a str,
    error: serde_json::Error,
    key: Option<&str>,
    depth: usize,
    found: &mut Vec<Trouble<'a>>,
) {
    let before = found.len();
    let mut members = Vec::new();
    if depth > 0 && kind(json) == Kind::Object {
        members = self::members(json).unwrap_or_default();
        for member in repeated(&members) {
            found.push(twice(member));
        }
        for member in &members {
            look_inside(member.value.get(), Some(&member.key), depth, found);
        }
    } else if depth > 0 && kind(json) == Kind::List {
        for element in elements(json).unwrap_or_default() {
            look_inside(element.get(), key, depth, found);
        }
    }
    if found.len() == before {
        let at = place(json, &error);
        let within = members.iter().rev().find(|member| member.value.get().as_ptr() <= at.as_ptr());
        let key = within.map(|member| member.key.as_ref()).or(key).map(str::to_owned);
        found.push(Trouble { at, key, message: message(&error) });
    }
}

fn look_inside<'a>(json: &'a str, key: Option<&str>, depth: usize, found: &mut Vec<Trouble<'a>>) {
    if found.len() < LISTED
        && let Err(error) = serde_json::from_str::<Value<'_>>(json)
    {
        look(json, error, key, depth - 1, found);
    }
}

/// The trouble with a key that stands twice.
pub(super) fn twice<'a>(member: &Member<'a>) -> Trouble<'a> {
    let message = "stands twice; keep one of them".into();
    Trouble { at: member.written, key: Some(member.key.to_string()), message }
}

/// The members whose key stood before.
pub(super) fn repeated<'m, 'a>(members: &'m [Member<'a>]) -> impl Iterator<Item = &'m Member<'a>> {
    let mut seen = HashSet::new();
    members.iter().filter(move |member| !seen.insert(member.key.as_ref()))
}

/// Reads a key of an object: as the text has it, and what it says.
fn next_key<'de, A: MapAccess<'de>>(access: &mut A) -> Result<Option<(&'de str, Cow<'de, str>)>, A::Error> {
    let Some(written) = access.next_key::<&'de RawValue>()?.map(RawValue::get) else { return Ok(None) };
    let key = text(written).map_err(|error| de::Error::custom(message(&error)))?;
    Ok(Some((written, key)))
}

struct Members<'a>(Vec<Member<'a>>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor;
        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = Members<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some((written, key)) = next_key(&mut access)? {
                    members.push(Member { key, written, value: access.next_value()? });
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(MembersVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_slices_of_the_text_in_its_order() {
        let text = "{ \"b\" : [1, 2], \"a\\u0021\": \"x\", \"b\": null }";
        let members = members(text).unwrap();
        let keys: Vec<&str> = members.iter().map(|member| member.key.as_ref()).collect();
        assert_eq!(keys, ["b", "a!", "b"]);
        assert_eq!(members[0].value.get(), "[1, 2]");
        assert_eq!(members[1].written.as_ptr() as usize - text.as_ptr() as usize, 16);
        assert_eq!(repeated(&members).map(|member| member.written).collect::<Vec<_>>(), ["\"b\""]);
    }

    #[test]
    fn the_place_of_an_error_is_where_the_wrong_byte_is() {
        for (json, rest) in [
            ("{\"a\" 1}", "1}"),
            ("{\"a\": 1,\n \"ä\": 2 \"c\"}", "\"c\"}"),
            ("[1,\n2,\n\n]", "]"),
            ("{\"a\": \"x\ny\"}", "\ny\"}"),
            ("[tru, 1]", ", 1]"),
            ("[1", ""),
            ("  \n ", ""),
            ("", ""),
        ] {
            let error = serde_json::from_str::<Value<'_>>(json).unwrap_err();
            assert_eq!(place(json, &error), rest, "{json}: {error}");
        }
    }

    #[test]
    fn all_that_is_wrong_in_a_config_is_listed() {
        let json = r#"{"a": 1, "b": [{"x": 1, "x": 2}], "a": 3, "c": 1e999, "d": "\ud800"}"#;
        let found = config(json).unwrap_err();
        let found: Vec<_> = found
            .iter()
            .map(|t| (&json[t.at.as_ptr() as usize - json.as_ptr() as usize..], t.key.as_deref()))
            .collect();
        for ((at, key), (start, wanted)) in
            found.iter().zip([(r#""a": 3"#, "a"), (r#""x": 2"#, "x"), ("1e999", "c"), ("\"}", "d")])
        {
            assert!(at.starts_with(start) && *key == Some(wanted), "{at} {key:?}");
        }
        assert_eq!(found.len(), 4);
    }

    #[test]
    fn messages_have_no_place_of_their_own() {
        let say = |json| message(&serde_json::from_str::<Value<'_>>(json).unwrap_err());
        assert_eq!(say("[1"), "the text ends in the middle of a list");
        assert_eq!(say("[1 2]"), "not JSON: expected `,` or `]`");
        assert_eq!(say("1e999"), "the number is too large for 64 bits");
        assert_eq!(say(&"[".repeat(500)), "nested too deeply: a value may have 127 levels");
    }
}
