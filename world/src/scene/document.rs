//! A scene or save as it was read: checked in form, and able to say where each part of it stands.

use super::fault::{Fault, Faults};
use super::header::{FORMAT_VERSION, SceneHeader};
use super::json::{self, Kind, Member};
use super::origin::Origin;
use super::parts::read_header;
use super::quick;
use super::reader::{Object, Reader};
use super::text::{Span, Text};
use super::top::{EntitiesSpan, MemberSpan, NotJson, Top, TopScanner};
use crate::config::{Config, Value};
use crate::save::{Definition, Definitions};
use serde::de::DeserializeOwned;
use std::borrow::Cow;

/// A scene or save file that is right in form.
///
/// Names of components, systems and classes are not looked up: that is for the world, which reports what it finds
/// with the `fault_at_…` functions. Entities are read one by one and on demand, from any thread.
#[derive(Debug)]
pub struct Document<'a> {
    pub(super) origin: Origin<'a>,
    version: u64,
    pub(super) header: SceneHeader,
    notes: Faults,
    pub(super) members: Vec<MemberSpan>,
    pub(super) entities_key: Option<Span>,
    entities: Vec<Span>,
    definitions: Option<Span>,
    layout: Option<Span>,
}

/// Reads a text bit by bit until it is a [`Document`].
#[derive(Debug)]
pub(crate) struct DocumentReader<'a> {
    origin: Origin<'a>,
    scanner: TopScanner,
}

impl<'a> DocumentReader<'a> {
    pub(crate) fn new(source: &str, text: Text<'a>) -> Self {
        let scanner = TopScanner::new(byte_order_mark(&text));
        Self { origin: Origin::new(source, text), scanner }
    }

    /// Reads about so many bytes more; whether that was all of the text.
    ///
    /// # Errors
    /// What is wrong with its syntax; nothing can be read behind it.
    pub(crate) fn read(&mut self, bytes: usize) -> Result<bool, Faults> {
        let text = self.origin.text();
        let until = self.scanner.at().saturating_add(bytes.max(1));
        self.scanner.read(text, until).map_err(|found| top_fault(&self.origin, found).into())
    }

    /// How many bytes of the text were read, and how many it has.
    pub(crate) fn progress(&self) -> (usize, usize) {
        (self.scanner.at(), self.origin.text().len())
    }

    /// What was read, once all of it was.
    ///
    /// # Errors
    /// As [`Document::parse`].
    pub(crate) fn finish(self) -> Result<Document<'a>, Faults> {
        Document::new(self.origin, self.scanner.into_top())
    }
}

/// An entity as a file has it.
#[derive(Clone, Debug, PartialEq)]
pub enum EntitySource<'a> {
    /// Compressed, by one of the file's entity definitions.
    Text(Cow<'a, str>),
    /// A config.
    Object(Config<'a>),
}

impl<'a> Document<'a> {
    /// Reads `text`, which faults call `source`.
    ///
    /// # Errors
    /// Everything that is wrong: a fault of syntax alone, since nothing can be read behind it, or else all faults
    /// of form. What is wrong inside entities and definitions is among them, but it alone does not make this fail:
    /// reading those does.
    pub fn parse(source: &str, text: &'a str) -> Result<Self, Faults> {
        let mut reader = DocumentReader::new(source, Text::Borrowed(text));
        while !reader.read(text.len())? {}
        reader.finish()
    }

    fn new(origin: Origin<'a>, top: Top) -> Result<Self, Faults> {
        let text = origin.text().clone();
        let json = &text[byte_order_mark(&text)..];
        let members = members_of(&origin, &text, &top)?;
        let mut reader = Reader { origin: &origin, faults: Faults::new(), notes: Faults::new() };
        let version = read_version(&mut reader, json, &members)?;
        let unique = reader.without_repeated(None, members);
        let mut scene = Object::new(None, json, unique);
        scene.take("vivarium");
        scene.take("entities");
        let header = read_header(&mut reader, &mut scene);
        let definitions = scene.take("entityDefinitions").and_then(|entry| {
            let is_object = json::kind(entry.value) == Kind::Object;
            if !is_object {
                reader.expected(&entry, "an object with a definition for each key");
            }
            is_object.then(|| origin.span(entry.value))
        });
        let layout = scene.take("layout").map(|entry| origin.span(entry.value));
        reader.unknown_keys(&scene);
        let (entities_key, entities) = read_entities(&mut reader, &text, top.entities, &top.strangers);
        let Reader { mut faults, mut notes, .. } = reader;
        notes.sort();
        let members = top.members;
        let document =
            Self { origin, version, header, notes, members, entities_key, entities, definitions, layout };
        if !faults.is_empty() {
            // Nobody will read the rest of this document, so what is wrong there is looked for now.
            document.read_rest(&mut faults);
            faults.sort();
        }
        faults.into_result(document)
    }

    /// Adds what is wrong in definitions and entities, but for elements of the list that are no entities.
    fn read_rest(&self, faults: &mut Faults) {
        if let Err(found) = self.read_definitions() {
            faults.append(found);
        }
        for index in 0..self.entities.len() {
            if self.entity_text(index).is_some_and(is_entity)
                && let Err(found) = self.entity(index)
            {
                faults.append(found);
            }
        }
    }

    /// What the file is called in faults.
    pub fn source(&self) -> &str {
        self.origin.source()
    }

    /// The version of the format the file is written in.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Everything beside the entities.
    pub fn header(&self) -> &SceneHeader {
        &self.header
    }

    /// What is no fault but worth knowing: unknown keys.
    pub fn notes(&self) -> &Faults {
        &self.notes
    }

    /// The object at `entityDefinitions` as the text has it.
    pub fn definitions(&self) -> Option<&str> {
        self.definitions.map(|span| span.of(self.origin.text()))
    }

    /// Reads what a save says about the rows of its entities; none, if it says nothing.
    ///
    /// # Errors
    /// If it has another form.
    pub(crate) fn read_layout<L: DeserializeOwned>(&self) -> Result<Option<L>, Faults> {
        let Some(text) = self.layout.map(|span| span.of(self.origin.text())) else { return Ok(None) };
        serde_json::from_str(text).map(Some).map_err(|error| {
            let fault = self.fault_at_top(Some("layout"), json::message(&error));
            Fault { position: Some(self.origin.position(json::place(text, &error))), ..fault }.into()
        })
    }

    /// The entity at `index` as the text has it.
    pub(super) fn entity_text(&self, index: usize) -> Option<&str> {
        self.entities.get(index).map(|span| span.of(self.origin.text()))
    }

    /// How many entities there are.
    pub fn entity_count(&self) -> usize {
        self.entities.len()
    }

    /// Reads the entity at `index`, from 0.
    ///
    /// # Errors
    /// Everything that is wrong in it, such as a key that stands twice; or that there is none at `index`.
    pub fn entity(&self, index: usize) -> Result<EntitySource<'_>, Faults> {
        let Some(json) = self.entity_text(index) else {
            return Err(self.fault_at_entity(index, None, "there is no such entity").into());
        };
        if let Some(config) = quick::config(json) {
            return Ok(EntitySource::Object(config));
        }
        if json.starts_with('"') {
            return match json::text(json) {
                Ok(text) => Ok(EntitySource::Text(text)),
                Err(error) => {
                    let fault = self.fault_at_entity(index, None, json::message(&error));
                    let position = Some(self.origin.position(json::place(json, &error)));
                    Err(Fault { position, ..fault }.into())
                }
            };
        }
        json::config(json).map(EntitySource::Object).map_err(|troubles| {
            let mut faults = Faults::new();
            for trouble in troubles {
                faults.push_with(|| {
                    let fault = self.fault_at_entity(index, trouble.key.as_deref(), trouble.message);
                    Fault { position: Some(self.origin.position(trouble.at)), ..fault }
                });
            }
            faults
        })
    }

    /// Reads the entity at `index` as a config, whichever form it has; `definitions` are those of
    /// [`read_definitions`](Self::read_definitions).
    ///
    /// # Errors
    /// As [`entity`](Self::entity), and if a compressed one is none of these definitions.
    pub fn entity_config<'d>(
        &'d self,
        index: usize,
        definitions: &'d Definitions,
    ) -> Result<Config<'d>, Faults> {
        let (decoded, written) = match self.entity(index)? {
            EntitySource::Object(config) => return Ok(config),
            EntitySource::Text(Cow::Borrowed(text)) => (definitions.decode(text), Some(text)),
            EntitySource::Text(Cow::Owned(text)) => (definitions.decode(&text).map(Config::into_owned), None),
        };
        decoded.map_err(|error| {
            let mut fault = self.fault_at_entity(index, None, error.to_string());
            // In a text with escapes, bytes of the string are not bytes of the file.
            if let Some(at) = written.and_then(|text| text.get(error.at..)) {
                fault.position = Some(self.origin.position(at));
            }
            fault.into()
        })
    }

    /// Reads the entity definitions: none, if the file has none.
    ///
    /// # Errors
    /// Everything that is wrong in them.
    pub fn read_definitions(&self) -> Result<Definitions, Faults> {
        let members = json::members(self.definitions().unwrap_or("{}")).unwrap_or_default();
        let mut faults = Faults::new();
        let mut definitions = Vec::new();
        for Member { key, value, .. } in &members {
            let number = key.parse::<u64>().ok().filter(|number| number.to_string() == *key);
            if number.is_none() {
                let message = "the key of a definition is an integer: \"0\", \"1\", …";
                faults.push_with(|| self.fault_at_definition(Some(key), message));
            }
            match serde_json::from_str::<Definition>(value.get()) {
                Ok(definition) => definitions.extend(number.map(|number| (number, definition))),
                Err(error) => faults.push_with(|| {
                    let fault = self.fault_at_definition(Some(key), json::message(&error));
                    let at = json::place(value.get(), &error);
                    Fault { position: Some(self.origin.position(at)), ..fault }
                }),
            }
        }
        let definitions = Definitions::new(definitions).unwrap_or_else(|error| {
            faults.push(self.fault_at_definition(None, error.to_string()));
            Definitions::default()
        });
        faults.into_result(definitions)
    }

    /// Reads the entities in their order, as [`entity`](Self::entity) does.
    pub fn entities(&self) -> impl ExactSizeIterator<Item = Result<EntitySource<'_>, Faults>> {
        (0..self.entities.len()).map(|index| self.entity(index))
    }
}

/// How many bytes a mark of the byte order takes at the start of a text.
fn byte_order_mark(text: &str) -> usize {
    if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
}

/// The fault of a text that is not JSON, or no object.
fn top_fault(origin: &Origin<'_>, found: NotJson) -> Fault {
    let text = origin.text();
    let json = &text[byte_order_mark(text)..];
    let start = json.trim_start();
    let wanted = r#"a scene is an object like {"vivarium": 1, …}"#;
    if start.is_empty() {
        return origin.fault(json, None, None, format!("the text is empty; {wanted}"));
    }
    if !start.starts_with(['{', '[', '"', '-', 't', 'f', 'n'])
        && !start.starts_with(|c: char| c.is_ascii_digit())
    {
        return origin.fault(start, None, None, format!("not JSON; {wanted}"));
    }
    // A reader of all of JSON knows best what is wrong, and where first.
    match json::members(json) {
        _ if !start.starts_with('{') => {
            origin.fault(start, None, None, format!("found {}; {wanted}", json::kind(start)))
        }
        Err(error) => origin.fault(json::place(json, &error), None, None, json::message(&error)),
        Ok(_) => origin.fault(text.get(found.0..).unwrap_or_default(), None, None, "not JSON"),
    }
}

/// The entries of a scene beside its entities.
///
/// # Errors
/// If a value, or an element of the list of entities that can be none, is not JSON.
fn members_of<'t>(origin: &Origin<'_>, text: &'t str, top: &Top) -> Result<Vec<Member<'t>>, Faults> {
    let value = |span: Span| {
        let json = span.of(text);
        serde_json::from_str(json).map_err(|_| Faults::from(top_fault(origin, NotJson(span.start))))
    };
    for stranger in &top.strangers {
        value(*stranger)?;
    }
    let member = |member: &MemberSpan| {
        let written = member.key.of(text);
        let wrong = |_| Faults::from(top_fault(origin, NotJson(member.key.start)));
        let key = json::text(written).map_err(wrong)?;
        Ok(Member { key, written, value: value(member.value)? })
    };
    top.members.iter().map(member).collect()
}

/// The version at the key `vivarium`. Without one that can be read here, nothing else is looked at.
fn read_version<'a>(reader: &mut Reader<'a>, json: &'a str, members: &[Member<'a>]) -> Result<u64, Faults> {
    let origin = reader.origin;
    let Some(member) = members.iter().find(|member| member.key == "vivarium") else {
        let message = format!(r#"the key "vivarium" is missing; a scene has "vivarium": {FORMAT_VERSION}"#);
        let at = &json[json.len() - json.trim_start().len()..];
        return Err(origin.fault(at, None, None, message).into());
    };
    let value = member.value.get();
    let version = serde_json::from_str::<Value<'_>>(value).ok();
    let message = match version {
        Some(Value::Uint(version @ 1..=FORMAT_VERSION)) => return Ok(version),
        Some(Value::Uint(version @ 1..)) => format!(
            "the file is of version {version}, and this program reads up to {FORMAT_VERSION}; use a newer program"
        ),
        _ => format!("expected the version of the format, {FORMAT_VERSION}"),
    };
    Err(origin.fault(value, None, Some("vivarium"), message).into())
}

/// Whether this is an object or a compressed text.
fn is_entity(json: &str) -> bool {
    json.starts_with(['{', '"'])
}

/// The list of entities, and the key it stands at.
fn read_entities(
    reader: &mut Reader<'_>,
    text: &str,
    found: Vec<EntitiesSpan>,
    strangers: &[Span],
) -> (Option<Span>, Vec<Span>) {
    let mut found = found.into_iter();
    let first = found.next();
    let origin = reader.origin;
    for EntitiesSpan { key, .. } in found {
        let fault = || origin.fault(key.of(text), None, Some("entities"), "stands twice; keep one of them");
        reader.faults.push_with(fault);
    }
    let Some(EntitiesSpan { key, list }) = first else { return (None, Vec::new()) };
    let list = list.unwrap_or_else(|kind| {
        let message = format!("expected a list of entities, found {kind}");
        reader.faults.push_with(|| origin.fault(key.of(text), None, Some("entities"), message));
        Vec::new()
    });
    for stranger in strangers {
        let Ok(index) = list.binary_search_by_key(&stranger.start, |entity| entity.start) else { continue };
        reader.faults.push_with(|| {
            let json = stranger.of(text);
            let message = format!("expected an object or a compressed text, found {}", json::kind(json));
            let fault = origin.fault(json, Some(&format!("entity {index}")), None, message);
            Fault { entity: Some(index), ..fault }
        });
    }
    (Some(key), list)
}

#[cfg(test)]
mod tests {
    use super::super::header::SchedulerKind;
    use super::super::samples::HARBOR;
    use super::*;
    use crate::component::{FieldValue, Role, Scalar};
    use crate::random::StreamState;

    fn faults(text: &str) -> Vec<String> {
        let faults = Document::parse("s.json", text).expect_err("a fault");
        faults.iter().map(Fault::to_string).collect()
    }

    /// The faults of a scene with `rest` behind its version.
    fn faults_with(rest: &str) -> Vec<String> {
        faults(&format!("{{\"vivarium\": 1,\n{rest}}}"))
    }

    #[test]
    fn a_scene_is_read_with_everything_it_says() {
        let document = Document::parse("harbor.json", HARBOR).unwrap();
        assert!(document.notes().is_empty(), "{}", document.notes());
        let header = document.header();
        assert_eq!((header.name.as_str(), header.about.as_str()), ("Harbor", "Ships come and go."));
        assert_eq!(header.random, Some(StreamState { seed: 1234, position: 0 }));
        assert_eq!((header.scheduler.clone(), header.step), (SchedulerKind::Conflict, Some(16.0)));
        let [cargo, hull] = header.components.as_slice() else { panic!("two components") };
        assert_eq!(
            (cargo.name.as_str(), cargo.load_keys.as_slice()),
            ("cargo", ["ore".to_owned()].as_slice())
        );
        let ore = &cargo.fields[0];
        assert_eq!((ore.scalar, ore.key.as_str(), ore.role), (Scalar::U32, "ore", Role::Plain));
        assert_eq!((ore.default.clone(), ore.range), (Some(FieldValue::Uint(5)), Some((0.0, 100.0))));
        assert_eq!((cargo.fields[1].key.as_str(), cargo.fields[1].role), ("colour", Role::Colour));
        assert_eq!(hull.load_keys, ["width"]);
        assert_eq!(header.classes[0].components, ["health", "transform"]);
        assert_eq!(header.templates[0].config.get("maxHealth"), Some(&Value::Uint(100)));
        let [movement, rot] = header.systems.as_slice() else { panic!("two systems") };
        assert_eq!((movement.every, movement.batch, movement.disabled), (Some(50.0), Some(1024), false));
        assert_eq!(movement.params.get("damping"), Some(&Value::Float(0.99)));
        assert_eq!((rot.name.as_deref(), rot.disabled), (Some("rot"), true));
        assert_eq!((rot.runs, rot.accumulated), (7, 12.5));
        assert_eq!(header.bounds, Some([0.0, 0.0, 2400.0, 1600.0]));
        assert_eq!((header.game_time, header.player_time, header.time_scale), (320.0, 400.5, 2.0));
        assert_eq!((header.tick, header.world.get("score")), (20, Some(&Value::Uint(3))));
        assert_eq!(document.definitions(), Some(r#"{ "0": { "type": "grass", "properties": [] } }"#));
        assert_eq!(document.entity_count(), 2);
        assert_eq!(document.entity(0), Ok(EntitySource::Text("#g(q-!ok{)".into())));
        let Ok(EntitySource::Object(config)) = document.entity(1) else { panic!("an object") };
        assert_eq!(config.get("x"), Some(&Value::Uint(10)));
    }

    #[test]
    fn a_scene_of_only_a_version_is_one() {
        let document = Document::parse("s.json", "\u{feff} {\"vivarium\": 1}").unwrap();
        assert_eq!(document.header(), &SceneHeader::default());
        assert_eq!((document.entity_count(), document.version()), (0, 1));
    }

    #[test]
    fn every_fault_is_listed_not_only_the_first() {
        let found = faults_with(
            r#""step": -16, "scheduler": "conflit", "name": 7, "timeScale": "fast", "bounds": [0, 0, 1],
"templates": { "oak": [], "elm": { "x": 1, "x": 2 } },
"systems": [ "movement", { "every": -1 }, { "system": "decay", "batch": 0, "enabled": 1 } ],
"entities": [ 5, {}, null ], "random": { "seed": 9007199254740993 }, "name": "twice""#,
        );
        let wanted = [
            r#"s.json:2:9: key "step": expected a number of milliseconds above 0, found -16"#,
            r#"s.json:2:46: key "name": expected a text, found 7"#,
            r#"s.json:2:62: key "timeScale": expected a number of 0 or more, found the text "fast""#,
            r#"s.json:2:80: key "bounds": expected a list of left, top, right and bottom, found a list of 3"#,
            r#"s.json:3:23: template "oak": expected an object, found a list"#,
            r#"s.json:3:44: template "elm": key "x": stands twice; keep one of them"#,
            r#"s.json:4:14: system 0: expected an object like {"system": "movement"}, found the text "movement""#,
            r#"s.json:4:26: system 1: the key "system" is missing; it names a system of the catalog"#,
            r#"s.json:4:37: system 1: key "every": expected a number of milliseconds, 0 or more, found -1"#,
            r#"s.json:4:73: system 2 ("decay"): key "batch": expected an integer of 1 or more, found 0"#,
            r#"s.json:4:87: system 2 ("decay"): key "enabled": expected true or false, found 1"#,
            r#"s.json:5:15: entity 0: expected an object or a compressed text, found a number"#,
            r#"s.json:5:22: entity 2: expected an object or a compressed text, found null"#,
            r#"s.json:5:50: random: key "seed": expected an integer from 0 to 9007199254740992, found 9007199254740993"#,
            r#"s.json:5:70: key "name": stands twice; keep one of them"#,
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn faults_inside_entities_and_definitions_are_listed_with_those_outside() {
        let inside =
            r#""entities": [{"x": 1, "x": 2}], "entityDefinitions": {"a": {"type": "b", "properties": []}}"#;
        let document = format!("{{\"vivarium\": 1, {inside}}}");
        assert!(Document::parse("s.json", &document).is_ok());
        let found = faults_with(&format!("{inside}, \"step\": 0"));
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].contains("entity 0: key \"x\""), "{found:?}");
        assert!(found[1].contains("entity definition \"a\""), "{found:?}");
        assert!(found[2].contains("key \"step\""), "{found:?}");
    }

    #[test]
    fn entities_are_read_on_any_thread() {
        let document = Document::parse("harbor.json", HARBOR).unwrap();
        let on_threads = std::thread::scope(|scope| {
            let document = &document;
            let threads: Vec<_> = (0..2).map(|index| scope.spawn(move || document.entity(index))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        assert_eq!(on_threads, document.entities().collect::<Vec<_>>());
    }

    #[test]
    fn a_described_component_is_checked() {
        let component =
            |fields: &str| faults_with(&format!(r#""components": {{ "c": {{ "fields": [{fields}] }} }}"#));
        for (fields, end) in [
            (r#"{"name": "a"}"#, r#"component "c": a field needs the keys "name" and "type""#),
            (r#"{"name": "a", "type": "u33"}"#, r#"there is no field type "u33"; did you mean "u32"?"#),
            (
                r#"{"name": "a", "type": "u8", "role": "color"}"#,
                r#"there is no field role "color"; did you mean "colour"?"#,
            ),
            (
                r#"{"name": "a", "type": "u8", "role": "colour"}"#,
                r#"the role "colour" needs the type u32, not u8"#,
            ),
            (r#"{"name": "a", "type": "u8", "default": 256}"#, "expected a value of type u8, found 256"),
            (r#"{"name": "a", "type": "i8", "default": -129}"#, "expected a value of type i8, found -129"),
            (r#"{"name": "a", "type": "f32", "default": 1e39}"#, "expected a value of type f32, found 1e39"),
            (r#"{"name": "a", "type": "bool8", "default": 1}"#, "expected a value of type bool8, found 1"),
            (
                r#"{"name": "a", "type": "u64", "role": "entity", "default": 1}"#,
                r#"a field with the role "entity" starts empty"#,
            ),
            (r#"{"name": "a", "type": "u8", "range": [2, 1]}"#, "the least value comes first"),
            (
                r#"{"name": "a", "type": "u8"}, {"name": "a", "type": "u8"}"#,
                r#"the component has two fields "a"; rename one"#,
            ),
        ] {
            let found = component(fields);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].ends_with(end), "{}", found[0]);
        }
    }

    #[test]
    fn unknown_keys_are_notes_with_the_nearest_known_one() {
        let text = r#"{"vivarium": 1, "tempaltes": {}, "systems": [{"system": "m", "evry": 1}], "zzz": 0}"#;
        let document = Document::parse("s.json", text).unwrap();
        let notes: Vec<String> = document.notes().iter().map(Fault::to_string).collect();
        assert_eq!(
            notes,
            [
                r#"s.json:1:17: key "tempaltes": unknown; did you mean "templates"?"#,
                r#"s.json:1:62: system 0 ("m"): key "evry": unknown; did you mean "every"?"#,
                r#"s.json:1:75: key "zzz": unknown"#,
            ]
        );
    }

    #[test]
    fn a_version_that_cannot_be_read_is_the_only_fault() {
        let newer = faults(r#"{"step": -1, "vivarium": 2}"#);
        assert_eq!(newer.len(), 1);
        assert!(newer[0].starts_with("s.json:1:26: key \"vivarium\": the file is of version 2"), "{newer:?}");
        assert!(faults(r#"{"vivarium": "1"}"#)[0].ends_with("expected the version of the format, 1"));
        assert!(faults(r#"{"vivarium": 0}"#)[0].ends_with("expected the version of the format, 1"));
        assert!(faults(r#" {"name": "x"}"#)[0].starts_with("s.json:1:2: the key \"vivarium\" is missing"));
    }

    #[test]
    fn faults_of_syntax_have_a_place() {
        for (text, wanted) in [
            ("", r#"s.json:1:1: the text is empty; a scene is an object like {"vivarium": 1, …}"#),
            ("[1]", r#"s.json:1:1: found a list; a scene is an object like {"vivarium": 1, …}"#),
            ("vivarium: 1", r#"s.json:1:1: not JSON; a scene is an object like {"vivarium": 1, …}"#),
            ("{\"vivarium\": 1,\n}", "s.json:2:1: not JSON: trailing comma"),
            ("{\"vivarium\": 1\n\"step\": 1}", "s.json:2:1: not JSON: expected `,` or `}`"),
            (
                "{\"vivarium\": 1,\n\"entities\": [{\"ä\": 1} {}]}",
                "s.json:2:23: not JSON: expected `,` or `]`",
            ),
            ("{\"vivarium\": 1,\n\"entities\": [{}", "s.json:2:16: the text ends in the middle of a list"),
            ("{\"vivarium\": 1} x", "s.json:1:17: not JSON: trailing characters"),
        ] {
            assert_eq!(faults(text), [wanted], "{text}");
        }
    }

    #[test]
    fn a_compressed_entity_is_read_by_the_definitions_of_the_file() {
        let text = r###"{"vivarium": 1, "entities": ["##$", "#\u0024", {"x": 1}, "$"], "entityDefinitions":
            {"0": {"type": "grass", "properties": [{"name": "x", "type": "uint"}, {"name": "y", "type": "uint"}]}}}"###;
        let document = Document::parse("s.json", text).unwrap();
        let definitions = document.read_definitions().unwrap();
        let config = |index| document.entity_config(index, &definitions);
        let grass = |rest: &[(&'static str, u64)]| {
            let mut config = Config::from_iter([("type", "grass")]);
            rest.iter().for_each(|&(key, value)| config.set(key, value));
            config
        };
        assert_eq!(config(0), Ok(grass(&[("x", 0), ("y", 1)])));
        assert_eq!(config(1), Ok(grass(&[("x", 1)])));
        assert_eq!(config(2), Ok(Config::from_iter([("x", 1_u64)])));
        let fault = config(3).unwrap_err().to_string();
        assert!(
            fault.starts_with("s.json:1:59: entity 3: ") && fault.contains("no definition has the key 1"),
            "{fault}"
        );
    }

    #[test]
    fn everything_wrong_in_the_definitions_is_listed() {
        let text = r#"{"vivarium": 1, "entityDefinitions": {
"0": {"types": ["a", "b"], "properties": []},
"1": {"type": "c", "properties": []},
"x": {"type": "d", "properties": []},
"5": {"type": "e", "properties": [{"name": "x", "type": "unit"}]}}}"#;
        let found = Document::parse("s.json", text).unwrap().read_definitions().unwrap_err();
        let lines: Vec<String> = found.iter().map(Fault::to_string).collect();
        assert_eq!(lines.len(), 3, "{found}");
        assert!(lines[0].starts_with("s.json:4:1: entity definition \"x\": the key"), "{found}");
        assert!(
            lines[1].starts_with("s.json:5:62: entity definition \"5\": unknown variant `unit`"),
            "{found}"
        );
        assert!(
            lines[2].starts_with("s.json:1:17: entity definitions: two definitions have the key 1"),
            "{found}"
        );
    }

    #[test]
    fn everything_wrong_in_an_entity_is_listed_when_it_is_read() {
        let text = r#"{"vivarium": 1, "entities": [{"type": "oak", "x": 1, "x": 2, "y": 1e999}, "\ud800", "\u0041"]}"#;
        let document = Document::parse("s.json", text).unwrap();
        let found: Vec<Fault> = document
            .entities()
            .filter_map(Result::err)
            .flat_map(|f| f.iter().cloned().collect::<Vec<_>>())
            .collect();
        let lines: Vec<String> = found.iter().map(Fault::to_string).collect();
        assert_eq!(
            lines[..2],
            [
                r#"s.json:1:54: entity 0 ("oak"): key "x": stands twice; keep one of them"#.to_owned(),
                r#"s.json:1:67: entity 0 ("oak"): key "y": the number is too large for 64 bits"#.to_owned(),
            ]
        );
        assert!(lines[2].starts_with("s.json:1:82: entity 1: not JSON: "), "{}", lines[2]);
        assert_eq!((lines.len(), found[2].entity), (3, Some(1)));
        assert_eq!(document.entity(2), Ok(EntitySource::Text("A".into())));
        assert!(document.entity(3).is_err());
    }
}
