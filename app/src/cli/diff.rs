//! `vivarium diff`: what differs between two scenes or saves, whichever form their entities are stored in.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsString;

use clap::Args;
use serde_json::value::RawValue;
use serde_json::{Value as Json, json};
use vivarium_world::{Config, Document, Faults, Value};

use super::Offer;
use super::arguments::{Format, FormatArguments};
use super::exit::{Exit, Failure};
use super::output::Output;
use super::saved::{entities, type_of};
use crate::files::Source;

#[derive(Debug, Args)]
pub(super) struct DiffArguments {
    /// Scene or save file, `-` for the standard input, or a sample's name
    pub(super) a: OsString,
    /// What to compare it with
    pub(super) b: OsString,
    /// How far apart two numbers may be and still count as equal
    #[arg(long, value_name = "X", default_value_t = 0.0, value_parser = tolerance, allow_negative_numbers = true)]
    pub(super) tolerance: f64,
    /// At most this many differences are printed; all are counted
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(super) limit: usize,
    #[command(flatten)]
    pub(super) format: FormatArguments,
}

fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        _ => Err("a tolerance is a number of 0 or more".into()),
    }
}

pub(super) fn run(arguments: &DiffArguments, offer: &Offer) -> Result<Exit, Failure> {
    let a = Source::find(&arguments.a, &offer.scenes)?;
    let b = Source::find(&arguments.b, &offer.scenes)?;
    if a == Source::Stdin && b == Source::Stdin {
        return Err(Failure::new(
            Exit::Usage,
            "the standard input can be read only once; name a file beside `-`",
        ));
    }
    let (a_text, b_text) = (a.read()?, b.read()?);
    let mut found = Differences { tolerance: arguments.tolerance, ..Differences::first(arguments.limit) };
    found
        .compare_files((&a.to_string(), &a_text), (&b.to_string(), &b_text))
        .map_err(|faults| Failure::new(Exit::Invalid, faults))?;
    let mut output = Output::stdout();
    match arguments.format.format {
        Format::Json => output.json(&found.as_json())?,
        Format::Text => {
            output.text(&found.as_text())?;
            output.flush()?;
        }
    }
    Ok(if found.count == 0 { Exit::Done } else { Exit::Differs })
}

/// What differs; a side that lacks the value has none.
#[derive(Debug, PartialEq)]
struct Difference {
    path: String,
    a: Option<Json>,
    b: Option<Json>,
}

/// Differences in the order of the files, the first `limit` of them.
#[derive(Debug, Default)]
pub(crate) struct Differences {
    tolerance: f64,
    limit: usize,
    list: Vec<Difference>,
    count: usize,
}

impl Differences {
    /// None yet; the first `limit` will be kept.
    pub(crate) fn first(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Adds what differs between two files, each with its name and its text.
    pub(crate) fn compare_files(&mut self, a: (&str, &str), b: (&str, &str)) -> Result<(), Faults> {
        let a_document = Document::parse(a.0, a.1)?;
        let b_document = Document::parse(b.0, b.1)?;
        let (a_top, b_top) = (top_level(&a_document, a.1)?, top_level(&b_document, b.1)?);
        self.objects("", &a_top, &b_top);
        let (a_definitions, b_definitions) = (a_document.read_definitions()?, b_document.read_definitions()?);
        let mut a_entities = entities(&a_document, &a_definitions);
        let mut b_entities = entities(&b_document, &b_definitions);
        for index in 0.. {
            let a_entity = a_entities.next().transpose()?.map(|(config, _)| config);
            let b_entity = b_entities.next().transpose()?.map(|(config, _)| config);
            let Some(either) = a_entity.as_ref().or(b_entity.as_ref()) else { break };
            let path = || match type_of(either) {
                "" => format!("entities[{index}]"),
                name => format!("entities[{index}] ({name})"),
            };
            match (&a_entity, &b_entity) {
                (Some(a), Some(b)) if a == b => {}
                (Some(a), Some(b)) => self.objects(&path(), a, b),
                _ => self.found(
                    &path(),
                    a_entity.map(Value::Object).as_ref(),
                    b_entity.map(Value::Object).as_ref(),
                ),
            }
        }
        Ok(())
    }

    fn objects(&mut self, path: &str, a: &Config<'_>, b: &Config<'_>) {
        let inside = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
        for (key, value) in a.iter() {
            match b.get(key) {
                Some(other) => self.values(&inside(key), value, other),
                None => self.found(&inside(key), Some(value), None),
            }
        }
        for (key, value) in b.iter().filter(|(key, _)| !a.has(key)) {
            self.found(&inside(key), None, Some(value));
        }
    }

    fn values(&mut self, path: &str, a: &Value<'_>, b: &Value<'_>) {
        match (a, b) {
            (Value::Object(a), Value::Object(b)) => self.objects(path, a, b),
            (Value::List(a), Value::List(b)) => {
                for index in 0..a.len().max(b.len()) {
                    let inside = format!("{path}[{index}]");
                    match (a.get(index), b.get(index)) {
                        (Some(a), Some(b)) => self.values(&inside, a, b),
                        (a, b) => self.found(&inside, a, b),
                    }
                }
            }
            _ if a == b || self.near(a, b) => {}
            _ => self.found(path, Some(a), Some(b)),
        }
    }

    fn near(&self, a: &Value<'_>, b: &Value<'_>) -> bool {
        let apart = match (integer(a), integer(b)) {
            // Great integers are not made equal by rounding them.
            (Some(a), Some(b)) => a.abs_diff(b) as f64,
            _ => match (a.as_f64(), b.as_f64()) {
                (Some(a), Some(b)) => (a - b).abs(),
                _ => return false,
            },
        };
        apart <= self.tolerance
    }

    fn found(&mut self, path: &str, a: Option<&Value<'_>>, b: Option<&Value<'_>>) {
        self.count += 1;
        if self.list.len() < self.limit {
            // A config's numbers are finite and its keys are texts, so each is a JSON value.
            let json = |value: Option<&Value<'_>>| value.and_then(|value| serde_json::to_value(value).ok());
            self.list.push(Difference { path: path.to_owned(), a: json(a), b: json(b) });
        }
    }

    /// How many differences there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// A line each: where, what there was, what there is.
    pub(crate) fn as_text(&self) -> String {
        let side =
            |value: &Option<Json>| value.as_ref().map_or_else(|| "nothing".to_owned(), ToString::to_string);
        let mut text: String = self
            .list
            .iter()
            .map(|difference| {
                format!("{}: {} -> {}\n", difference.path, side(&difference.a), side(&difference.b))
            })
            .collect();
        if self.count > self.list.len() {
            text.push_str(&format!("and {} more\n", self.count - self.list.len()));
        }
        text
    }

    pub(super) fn as_json(&self) -> Json {
        let list = self.list.iter().map(|difference| {
            let mut object = serde_json::Map::new();
            object.insert("path".into(), json!(difference.path));
            // A side that has nothing has no key, so that it differs from one that has null.
            object.extend(difference.a.clone().map(|value| ("a".to_owned(), value)));
            object.extend(difference.b.clone().map(|value| ("b".to_owned(), value)));
            Json::Object(object)
        });
        json!({ "schema": 1, "equal": self.count == 0, "count": self.count, "differences": list.collect::<Vec<_>>() })
    }
}

fn integer(value: &Value<'_>) -> Option<i128> {
    match *value {
        Value::Uint(n) => Some(n.into()),
        Value::Int(n) => Some(n.into()),
        _ => None,
    }
}

/// Everything beside the entities and how they are stored.
fn top_level<'a>(document: &Document<'_>, text: &'a str) -> Result<Config<'a>, Faults> {
    // The document was read from the same text, so this can only fail where that already did.
    let fault = |error: serde_json::Error| Faults::from(document.fault_at_top(None, error.to_string()));
    let members: BTreeMap<Cow<'a, str>, &'a RawValue> = serde_json::from_str(text).map_err(fault)?;
    let mut config = Config::new();
    for (key, raw) in members {
        if key != "entities" && key != "entityDefinitions" {
            config.set(key, serde_json::from_str::<Value<'a>>(raw.get()).map_err(fault)?);
        }
    }
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differences(a: &str, b: &str, tolerance: f64) -> String {
        let mut found = Differences { tolerance, ..Differences::first(10) };
        let [a, b] = [a, b].map(|rest| format!(r#"{{ "vivarium": 1, {rest} }}"#));
        found.compare_files(("a", &a), ("b", &b)).unwrap();
        found.as_text()
    }

    #[test]
    fn a_string_and_the_object_it_stands_for_are_equal() {
        let plain = r#""entities": [{ "type": "grass" }]"#;
        let compressed =
            r##""entityDefinitions": { "0": { "type": "grass", "properties": [] } }, "entities": ["#"]"##;
        assert_eq!(differences(plain, compressed, 0.0), "");
    }

    #[test]
    fn each_difference_is_named_by_its_path() {
        let a = r#""tick": 3, "entities": [{ "type": "oak", "x": 1, "at": [1, 2] }, {}]"#;
        let b = r#""tick": 4, "name": "b", "entities": [{ "type": "oak", "x": 1.5, "at": [1] }]"#;
        let expected = "tick: 3 -> 4\nname: nothing -> \"b\"\nentities[0] (oak).x: 1 -> 1.5\n\
                        entities[0] (oak).at[1]: 2 -> nothing\nentities[1]: {} -> nothing\n";
        assert_eq!(differences(a, b, 0.0), expected);
    }

    #[test]
    fn numbers_within_the_tolerance_are_equal_and_one_is_one() {
        assert_eq!(differences(r#""gameTime": 1"#, r#""gameTime": 1.0"#, 0.0), "");
        assert_eq!(differences(r#""gameTime": 1"#, r#""gameTime": 1.25"#, 0.25), "");
        assert_ne!(differences(r#""gameTime": 1"#, r#""gameTime": 1.25"#, 0.2), "");
    }

    #[test]
    fn great_integers_one_apart_differ() {
        let entity = |n: u64| format!(r#""entities": [{{ "n": {n} }}]"#);
        assert_ne!(differences(&entity(u64::MAX), &entity(u64::MAX - 1), 0.0), "");
        assert_eq!(differences(&entity(u64::MAX), &entity(u64::MAX - 1), 1.0), "");
    }

    #[test]
    fn what_is_beyond_the_limit_is_counted() {
        let list = |first: i32| (first..first + 12).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
        let entity = |first| format!(r#""entities": [{{ "at": [{}] }}]"#, list(first));
        let text = differences(&entity(0), &entity(100), 0.0);
        assert_eq!((text.lines().count(), text.lines().last()), (11, Some("and 2 more")));
    }
}
