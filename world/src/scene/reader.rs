//! Reading values of a known kind, and saying what is wrong with those of another.

use super::fault::Faults;
use super::json::{self, Kind, Member};
use super::nearest::suggestion;
use super::origin::Origin;
use crate::config::{Config, Value};
use serde_json::value::RawValue;
use std::collections::HashSet;
use std::fmt::Display;

/// Reads the parts of a scene and collects what is wrong with them.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    pub(super) origin: &'a Origin<'a>,
    pub(super) faults: Faults,
    /// What is no fault but worth knowing.
    pub(super) notes: Faults,
}

/// An object whose keys are taken out one by one; those nobody took are unknown.
#[derive(Debug)]
pub(super) struct Object<'a> {
    /// The part of the file it is: `system 3 ("movement")`; none for the file itself.
    pub(super) part: Option<String>,
    /// The object as the text has it.
    pub(super) whole: &'a str,
    members: Vec<Member<'a>>,
    known: Vec<&'static str>,
}

impl<'a> Object<'a> {
    pub(super) fn new(part: Option<String>, whole: &'a str, members: Vec<Member<'a>>) -> Self {
        Self { part, whole, members, known: Vec::new() }
    }

    /// Takes the value of `key` out.
    pub(super) fn take(&mut self, key: &'static str) -> Option<Entry<'a>> {
        self.known.push(key);
        let index = self.members.iter().position(|member| member.key == key)?;
        let value = self.members.remove(index).value.get();
        Some(Entry { part: self.part.clone(), key: Some(key.into()), value })
    }
}

/// A value and how to speak of it.
#[derive(Clone, Debug)]
pub(super) struct Entry<'a> {
    /// The part of the file it is in.
    pub(super) part: Option<String>,
    /// The key it stands at.
    pub(super) key: Option<String>,
    /// The value as the text has it.
    pub(super) value: &'a str,
}

impl<'a> Reader<'a> {
    /// Reports that `entry` is wrong: at its value.
    pub(super) fn fault(&mut self, entry: &Entry<'_>, message: impl Into<String>) {
        let Entry { part, key, value, .. } = entry;
        let origin = self.origin;
        self.faults.push_with(|| origin.fault(value, part.as_deref(), key.as_deref(), message));
    }

    /// Reports that `object` is wrong as a whole.
    pub(super) fn object_fault(&mut self, object: &Object<'_>, message: impl Into<String>) {
        let origin = self.origin;
        self.faults.push_with(|| origin.fault(object.whole, object.part.as_deref(), None, message));
    }

    /// Reports that `entry` is of the wrong kind or out of bounds.
    pub(super) fn expected(&mut self, entry: &Entry<'_>, wanted: impl Display) {
        self.fault(entry, format!("expected {wanted}, found {}", found(entry.value)));
    }

    /// The members of an object at `entry`, keys that stand twice reported and left out.
    pub(super) fn members(&mut self, entry: &Entry<'a>, wanted: &str) -> Vec<Member<'a>> {
        if json::kind(entry.value) != Kind::Object {
            self.expected(entry, wanted);
            return Vec::new();
        }
        match json::members(entry.value) {
            Ok(members) => self.without_repeated(entry.part.as_deref(), members),
            Err(error) => {
                self.json_fault(entry, entry.value, &error);
                Vec::new()
            }
        }
    }

    /// `members` without those whose key stood before, which are reported.
    pub(super) fn without_repeated(
        &mut self,
        part: Option<&str>,
        mut members: Vec<Member<'a>>,
    ) -> Vec<Member<'a>> {
        for member in json::repeated(&members) {
            let trouble = json::twice(member);
            let origin = self.origin;
            self.faults.push_with(|| origin.fault(trouble.at, part, trouble.key.as_deref(), trouble.message));
        }
        let mut seen = HashSet::new();
        members.retain(|member| seen.insert(member.key.clone()));
        members
    }

    /// The object at `entry`, to take its keys from as those of `part`.
    pub(super) fn object(
        &mut self,
        entry: &Entry<'a>,
        part: Option<String>,
        wanted: &str,
    ) -> Option<Object<'a>> {
        let of_part = Entry { part: part.clone(), ..entry.clone() };
        if json::kind(entry.value) != Kind::Object {
            self.expected(&of_part, wanted);
            return None;
        }
        let members = self.members(&of_part, wanted);
        Some(Object::new(part, entry.value, members))
    }

    /// Notes the keys of `object` nobody took.
    pub(super) fn unknown_keys(&mut self, object: &Object<'_>) {
        let origin = self.origin;
        for member in &object.members {
            self.notes.push_with(|| {
                let message = format!("unknown{}", suggestion(&member.key, object.known.iter().copied()));
                origin.fault(member.written, object.part.as_deref(), Some(&member.key), message)
            });
        }
    }

    /// The elements of the list at `entry`.
    pub(super) fn elements(&mut self, entry: &Entry<'a>, wanted: &str) -> Vec<&'a RawValue> {
        if json::kind(entry.value) != Kind::List {
            self.expected(entry, wanted);
            return Vec::new();
        }
        match json::elements(entry.value) {
            Ok(elements) => elements,
            Err(error) => {
                self.json_fault(entry, entry.value, &error);
                Vec::new()
            }
        }
    }

    /// The config at `entry`, borrowing nothing.
    pub(super) fn config(&mut self, entry: &Entry<'a>) -> Config<'static> {
        if json::kind(entry.value) != Kind::Object {
            self.expected(entry, "an object");
            return Config::new();
        }
        json::config(entry.value).map(Config::into_owned).unwrap_or_else(|troubles| {
            let origin = self.origin;
            for trouble in troubles {
                let key = trouble.key.or(entry.key.clone());
                self.faults.push_with(|| {
                    origin.fault(trouble.at, entry.part.as_deref(), key.as_deref(), trouble.message)
                });
            }
            Config::new()
        })
    }

    /// The text at `entry`.
    pub(super) fn text(&mut self, entry: &Entry<'a>) -> Option<String> {
        if json::kind(entry.value) != Kind::Text {
            self.expected(entry, "a text");
            return None;
        }
        match json::text(entry.value) {
            Ok(text) => Some(text.into_owned()),
            Err(error) => {
                self.json_fault(entry, entry.value, &error);
                None
            }
        }
    }

    /// The text at `entry`, which may not be empty.
    pub(super) fn nonempty_text(&mut self, entry: &Entry<'a>) -> Option<String> {
        let text = self.text(entry)?;
        if text.is_empty() {
            self.expected(entry, "a text with at least one character");
            return None;
        }
        Some(text)
    }

    /// The truth value at `entry`.
    pub(super) fn boolean(&mut self, entry: &Entry<'a>) -> Option<bool> {
        match self.value(entry)? {
            Value::Bool(truth) => Some(truth),
            _ => {
                self.expected(entry, "true or false");
                None
            }
        }
    }

    /// The number at `entry`, if it is as `wanted`, which `fits` decides.
    pub(super) fn number(
        &mut self,
        entry: &Entry<'a>,
        wanted: &str,
        fits: impl FnOnce(f64) -> bool,
    ) -> Option<f64> {
        let number = self.value(entry)?.as_f64().filter(|&number| number.is_finite() && fits(number));
        if number.is_none() {
            self.expected(entry, wanted);
        }
        number
    }

    /// The `N` numbers in the list at `entry`.
    pub(super) fn numbers<const N: usize>(&mut self, entry: &Entry<'a>, wanted: &str) -> Option<[f64; N]> {
        let elements = self.elements(entry, wanted);
        if elements.len() != N {
            if json::kind(entry.value) == Kind::List {
                self.fault(entry, format!("expected {wanted}, found a list of {}", elements.len()));
            }
            return None;
        }
        let mut numbers = [0.0; N];
        for (number, element) in numbers.iter_mut().zip(elements) {
            let element = Entry { value: element.get(), ..entry.clone() };
            *number = self.number(&element, "a number", |_| true)?;
        }
        Some(numbers)
    }

    /// The integer at `entry`, if it lies from `least` to `most`. `3.0` is one too.
    pub(super) fn integer(&mut self, entry: &Entry<'a>, least: u64, most: u64) -> Option<u64> {
        let integer = integer(&self.value(entry)?).and_then(|n| u64::try_from(n).ok());
        let integer = integer.filter(|n| (least..=most).contains(n));
        if integer.is_none() {
            match most {
                u64::MAX => self.expected(entry, format_args!("an integer of {least} or more")),
                _ => self.expected(entry, format_args!("an integer from {least} to {most}")),
            }
        }
        integer
    }

    /// The value at `entry`; lists and objects count as null, since only their kind is of interest here.
    pub(super) fn value(&mut self, entry: &Entry<'a>) -> Option<Value<'a>> {
        if matches!(json::kind(entry.value), Kind::List | Kind::Object) {
            return Some(Value::Null);
        }
        match serde_json::from_str(entry.value) {
            Ok(value) => Some(value),
            Err(error) => {
                self.json_fault(entry, entry.value, &error);
                None
            }
        }
    }

    fn json_fault(&mut self, entry: &Entry<'_>, json: &str, error: &serde_json::Error) {
        let (at, message) = (json::place(json, error), json::message(error));
        let origin = self.origin;
        self.faults.push_with(|| origin.fault(at, entry.part.as_deref(), entry.key.as_deref(), message));
    }
}

/// The integer `value` is, however it is written.
pub(super) fn integer(value: &Value<'_>) -> Option<i128> {
    match *value {
        Value::Uint(n) => Some(n.into()),
        Value::Int(n) => Some(n.into()),
        // Beyond 2^53 a float stands for several integers.
        Value::Float(n) if n.trunc() == n && n.abs() <= (1u64 << 53) as f64 => Some(n as i128),
        _ => None,
    }
}

/// How to speak of a value that was not expected: numbers and short texts as they are, others by their kind.
fn found(json: &str) -> String {
    const SHOWN: usize = 40;
    match json::kind(json) {
        Kind::Number | Kind::Truth if json.len() <= SHOWN => json.to_owned(),
        Kind::Text if json.len() <= SHOWN => format!("the text {json}"),
        kind => kind.to_string(),
    }
}
