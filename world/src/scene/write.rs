//! Scenes and saves as text: the header pretty-printed, then one entity a line.

use super::header::{DataComponent, DataField, SceneHeader, SceneSystem};
use super::{EntitySource, FORMAT_VERSION, components};
use crate::component::{FieldValue, Role};
use crate::config::{Config, Value};
use crate::save::Definitions;
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};
use std::io;

/// The text of a scene or save while it is written. Reading it gives the same header and the same entities.
///
/// ```
/// use vivarium_world::{Config, SceneHeader, SceneText, Value};
///
/// let mut text = SceneText::new(&SceneHeader { name: "Harbor".into(), ..SceneHeader::default() });
/// text.push_text("#g(q-!ok{)");
/// text.push_config(&Config::from_iter([("type", Value::from("guardian")), ("x", Value::from(10_u64))]));
/// assert_eq!(
///     text.finish(None),
///     r##"{
///   "vivarium": 1,
///   "name": "Harbor",
///   "entities": [
///     "#g(q-!ok{)",
///     {"type":"guardian","x":10}
///   ]
/// }
/// "##
/// );
/// ```
#[derive(Debug)]
pub struct SceneText {
    out: Vec<u8>,
    entities: usize,
    /// Whether nothing is written but what a program needs.
    compact: bool,
}

impl SceneText {
    /// Begins with what `header` says; whatever is as it is by default is left out. Its numbers must be finite.
    pub fn new(header: &SceneHeader) -> Self {
        Self::begin(header, false)
    }

    /// As [`new`](Self::new), without the spaces and line breaks that only people need.
    pub fn compact(header: &SceneHeader) -> Self {
        Self::begin(header, true)
    }

    fn begin(header: &SceneHeader, compact: bool) -> Self {
        let mut text = Self { out: Vec::new(), entities: 0, compact };
        text.space(b"{\n  \"vivarium\": ", b"{\"vivarium\":");
        text.put(&FORMAT_VERSION);
        text.header(header);
        text.key("entities");
        text.out.push(b'[');
        text
    }

    /// Adds an entity that is compressed.
    pub fn push_text(&mut self, entity: &str) {
        self.next_entity();
        self.put_compact(entity);
    }

    /// Adds an entity that is a config.
    pub fn push_config(&mut self, entity: &Config<'_>) {
        self.next_entity();
        self.put_compact(entity);
    }

    /// Adds an entity in the form it was read.
    pub fn push(&mut self, entity: &EntitySource<'_>) {
        match entity {
            EntitySource::Text(text) => self.push_text(text),
            EntitySource::Object(config) => self.push_config(config),
        }
    }

    /// The whole text, with the definitions that its compressed entities need.
    pub fn finish(self, definitions: Option<&Definitions>) -> String {
        self.finish_with(definitions, None::<&()>)
    }

    /// As `finish`, with what the world says about the rows of the entities.
    pub(crate) fn finish_with(
        mut self,
        definitions: Option<&Definitions>,
        layout: Option<&impl Serialize>,
    ) -> String {
        self.space(if self.entities == 0 { b"]" } else { b"\n  ]" }, b"]");
        if let Some(definitions) = definitions.filter(|definitions| !definitions.is_empty()) {
            self.key("entityDefinitions");
            self.lines('{', definitions.iter(), |text, (key, definition)| {
                text.put(&key.to_string());
                text.space(b": ", b":");
                text.put(definition);
            });
        }
        if let Some(layout) = layout {
            self.key("layout");
            self.put_compact(layout);
        }
        self.space(b"\n}\n", b"}\n");
        String::from_utf8(self.out).expect("JSON is written as UTF-8")
    }

    fn header(&mut self, header: &SceneHeader) {
        for (key, text) in [("name", &header.name), ("about", &header.about)] {
            if !text.is_empty() {
                self.entry(key, text);
            }
        }
        if let Some(random) = &header.random {
            self.entry("random", random);
        }
        if header.scheduler != Default::default() {
            self.entry("scheduler", header.scheduler.name());
        }
        if header.order != Default::default() {
            self.entry("order", header.order.name());
        }
        if let Some(step) = header.step {
            self.entry("step", &Value::from(step));
        }
        let components = header.components.iter().map(|c| (&c.name, component_config(c)));
        self.parts("components", components);
        self.parts("classes", header.classes.iter().map(|class| (&class.name, &class.components)));
        self.parts("templates", header.templates.iter().map(|template| (&template.name, &template.config)));
        if !header.systems.is_empty() {
            self.key("systems");
            let systems = header.systems.iter();
            self.lines('[', systems, |text, system| text.put(&system_config(system)));
        }
        if let Some(bounds) = header.bounds {
            self.entry("bounds", &bounds.map(Value::from));
        }
        for (key, number, default) in [
            ("gameTime", header.game_time, 0.0),
            ("playerTime", header.player_time, 0.0),
            ("accumulated", header.accumulated, 0.0),
            ("timeScale", header.time_scale, 1.0),
        ] {
            if number != default {
                self.entry(key, &Value::from(number));
            }
        }
        if header.tick > 0 {
            self.entry("tick", &header.tick);
        }
        if !header.world.is_empty() {
            self.entry("world", &header.world);
        }
    }

    /// Begins a key of the outermost object.
    fn key(&mut self, key: &str) {
        self.space(b",\n  ", b",");
        self.put(key);
        self.space(b": ", b":");
    }

    /// A key with a value on the same line.
    fn entry(&mut self, key: &str, value: &(impl Serialize + ?Sized)) {
        self.key(key);
        self.put(value);
    }

    /// A key with an object that has a line for each part; nothing if there is none.
    fn parts<'n>(&mut self, key: &str, parts: impl Iterator<Item = (&'n String, impl Serialize)>) {
        let mut parts = parts.peekable();
        if parts.peek().is_none() {
            return;
        }
        self.key(key);
        self.lines('{', parts, |text, (name, value)| {
            text.put(name);
            text.space(b": ", b":");
            text.put(&value);
        });
    }

    /// A list or an object, as `open` says, that has a line for each item.
    fn lines<T>(&mut self, open: char, items: impl Iterator<Item = T>, mut write: impl FnMut(&mut Self, T)) {
        let (open, close): ([&[u8]; 2], [&[u8]; 2]) = match open {
            '{' => ([b"{\n    ", b"{"], [b"\n  }", b"}"]),
            _ => ([b"[\n    ", b"["], [b"\n  ]", b"]"]),
        };
        let mut separator = open;
        for item in items {
            self.space(separator[0], separator[1]);
            write(self, item);
            separator = [b",\n    ", b","];
        }
        self.space(close[0], close[1]);
    }

    fn next_entity(&mut self) {
        let is_first = self.entities == 0;
        self.space(if is_first { b"\n    " } else { b",\n    " }, if is_first { b"" } else { b"," });
        self.entities += 1;
    }

    /// Signs between values: for people, or as few as there can be.
    fn space(&mut self, usual: &[u8], compact: &[u8]) {
        self.out.extend_from_slice(if self.compact { compact } else { usual });
    }

    fn put(&mut self, value: &(impl Serialize + ?Sized)) {
        if self.compact {
            self.put_compact(value);
        } else {
            self.put_with(value, Spaced);
        }
    }

    fn put_compact(&mut self, value: &(impl Serialize + ?Sized)) {
        self.put_with(value, CompactFormatter);
    }

    fn put_with(&mut self, value: &(impl Serialize + ?Sized), formatter: impl Formatter) {
        let mut serializer = Serializer::with_formatter(&mut self.out, formatter);
        value.serialize(&mut serializer).expect("memory takes every value whose keys are texts");
    }
}

fn component_config(component: &DataComponent) -> Config<'_> {
    let fields = component.fields.iter().map(|field| Value::Object(field_config(field))).collect();
    let mut config = Config::new();
    config.set("fields", Value::List(fields));
    // Those of its fields are what a reader takes when nothing is said.
    if !component.load_keys.iter().eq(component.fields.iter().map(|field| &field.key)) {
        config.set("load_keys", texts(&component.load_keys));
    }
    config
}

fn field_config(field: &DataField) -> Config<'_> {
    let mut config = Config::new();
    config.set("name", field.name.as_str());
    config.set("type", field.scalar.name());
    if field.key != field.name {
        config.set("key", field.key.as_str());
    }
    let default = match &field.default {
        Some(FieldValue::Bool(truth)) => Some(Value::from(*truth)),
        Some(FieldValue::Uint(n)) => Some(Value::from(*n)),
        Some(FieldValue::Int(n)) => Some(Value::from(*n)),
        Some(FieldValue::Float(n)) => Some(Value::from(*n)),
        Some(FieldValue::Text(text)) => Some(Value::from(text.as_str())),
        // A reference starts as none, a list empty.
        Some(FieldValue::Entity(_) | FieldValue::List(_)) | None => None,
    };
    if let Some(default) = default {
        config.set("default", default);
    }
    if field.role != Role::Plain {
        config.set("role", components::role_name(field.role));
    }
    if let Some(unit) = &field.unit {
        config.set("unit", unit.as_str());
    }
    if let Some((least, greatest)) = field.range {
        config.set("range", Value::List(vec![Value::from(least), Value::from(greatest)]));
    }
    config
}

fn system_config(system: &SceneSystem) -> Config<'_> {
    let mut config = Config::new();
    config.set("system", system.system.as_str());
    if let Some(name) = &system.name {
        config.set("name", name.as_str());
    }
    if let Some(every) = system.every {
        config.set("every", every);
    }
    if let Some(batch) = system.batch {
        config.set("batch", batch);
    }
    if !system.params.is_empty() {
        config.set("params", Value::Object(system.params.clone()));
    }
    if system.disabled {
        config.set("enabled", false);
    }
    if system.runs > 0 {
        config.set("runs", system.runs);
    }
    if system.accumulated != 0.0 {
        config.set("accumulated", system.accumulated);
    }
    if !system.unseen.is_empty() {
        let texts = system.unseen.iter().map(|text| text.as_deref().map_or(Value::Null, Value::from));
        config.set("unseen", Value::List(texts.collect()));
    }
    if let Some(observed) = system.observed {
        config.set("observed", observed);
    }
    if let Some(pass) = &system.pass {
        let left = pass.left.iter().flatten().map(|&number| Value::Uint(number));
        let mut object = Config::new();
        object.set("left", Value::List(left.collect()));
        object.set("batches", pass.batches);
        object.set("delta", pass.delta);
        object.set("tick", pass.tick);
        object.set("gameTime", pass.game_time);
        object.set("number", pass.number);
        config.set("pass", Value::Object(object));
    }
    if let Some(in_flight) = &system.in_flight {
        config.set("inFlight", Value::Object(in_flight.borrowed()));
    }
    config
}

fn texts(list: &[String]) -> Value<'_> {
    Value::List(list.iter().map(|text| Value::from(text.as_str())).collect())
}

/// JSON on one line with a space where a writer would put one: `{"x": 1, "y": [2, 3]}`.
struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Document, SceneClass, ScenePass, SceneTemplate, SchedulerKind, SystemOrder};
    use super::*;
    use crate::component::Scalar;
    use crate::random::StreamState;

    fn field(name: &str, scalar: Scalar) -> DataField {
        let (name, key) = (name.to_owned(), name.to_owned());
        DataField { name, scalar, key, default: None, role: Role::Plain, unit: None, range: None }
    }

    fn header() -> SceneHeader {
        let tinted = DataField {
            key: "colour".into(),
            default: Some(FieldValue::Uint(0xFF)),
            role: Role::Colour,
            unit: Some("rgba".into()),
            range: Some((0.0, 4e9)),
            ..field("tint", Scalar::U32)
        };
        let depth = DataField { default: Some(FieldValue::Int(3)), ..field("depth", Scalar::I8) };
        let load_keys = vec!["colour".into()];
        SceneHeader {
            name: "Hafen \"Ö\"".into(),
            about: "line\nbreak".into(),
            random: Some(StreamState { seed: 1234, position: u64::MAX }),
            scheduler: SchedulerKind::Conflict,
            order: SystemOrder::Access,
            step: Some(16.5),
            components: vec![
                DataComponent { name: "paint".into(), fields: vec![tinted, depth], load_keys },
                DataComponent {
                    name: "hull".into(),
                    fields: vec![field("w", Scalar::F32)],
                    load_keys: vec!["w".into()],
                },
                DataComponent { name: "tag".into(), fields: vec![], load_keys: vec![] },
            ],
            classes: vec![
                SceneClass { name: "actor".into(), components: vec!["paint".into(), "hull".into()] },
                SceneClass { name: "nothing".into(), components: vec![] },
            ],
            templates: vec![SceneTemplate {
                name: "oak".into(),
                config: Config::from_iter([("class", Value::from("actor")), ("h", Value::Float(0.1))]),
            }],
            systems: vec![
                SceneSystem {
                    system: "decay".into(),
                    name: Some("rot".into()),
                    every: Some(0.0),
                    batch: Some(7),
                    params: Config::from_iter([("rate", -0.0)]),
                    disabled: true,
                    runs: 12,
                    accumulated: 0.25,
                    unseen: vec![None, Some("#$".into()), Some(String::new())],
                    observed: Some(false),
                    pass: Some(ScenePass {
                        left: vec![[3, 2], [0, 1]],
                        batches: 4,
                        delta: 48.5,
                        tick: 9,
                        game_time: 144.0,
                        number: 2,
                    }),
                    in_flight: Some(Config::from_iter([(
                        "result",
                        Value::List(vec![Value::Float(0.1), Value::Text("é".into()), Value::Null]),
                    )])),
                },
                SceneSystem { system: "move".into(), ..SceneSystem::default() },
            ],
            bounds: Some([-1.5, 0.0, 2400.0, 1600.0]),
            game_time: 320.0,
            player_time: 0.1 + 0.2,
            accumulated: 1.5,
            time_scale: 0.0,
            tick: 1 << 53,
            world: Config::from_iter([("score", Value::List(vec![Value::Null, Value::Int(-3)]))]),
        }
    }

    fn entities() -> Vec<EntitySource<'static>> {
        let nested = Config::from_iter([("deep", Value::Object(Config::from_iter([("a", 1_u64)])))]);
        vec![
            EntitySource::Text("#g(q-!ok{)\"\\\u{1}é".into()),
            EntitySource::Object(Config::from_iter([("x", 1e300), ("y", 5e-324), ("z", -0.0)])),
            EntitySource::Object(nested),
            EntitySource::Object(Config::new()),
        ]
    }

    fn written(
        header: &SceneHeader,
        entities: &[EntitySource<'_>],
        definitions: Option<&Definitions>,
    ) -> String {
        let mut text = SceneText::new(header);
        entities.iter().for_each(|entity| text.push(entity));
        text.finish(definitions)
    }

    #[test]
    fn a_written_scene_reads_back_as_the_same() {
        let definitions: Definitions = serde_json::from_str(
            r#"{"0": {"type": "grass", "properties": [{"name": "x", "type": "uint"}]}, "1": {"types": ["a", "b"], "properties": []}}"#,
        )
        .unwrap();
        let text = written(&header(), &entities(), Some(&definitions));
        let document = Document::parse("s.json", &text).unwrap_or_else(|faults| panic!("{faults}\n{text}"));
        assert!(document.notes().is_empty(), "{}", document.notes());
        assert_eq!(document.header(), &header());
        let read: Vec<_> = document.entities().map(Result::unwrap).collect();
        assert_eq!(read, entities());
        assert_eq!(document.read_definitions(), Ok(definitions.clone()));
        assert_eq!(written(document.header(), &read, Some(&definitions)), text);
    }

    #[test]
    fn a_scene_without_anything_reads_back_as_the_same() {
        let text = written(&SceneHeader::default(), &[], Some(&Definitions::default()));
        assert_eq!(text, "{\n  \"vivarium\": 1,\n  \"entities\": []\n}\n");
        let document = Document::parse("s.json", &text).unwrap();
        assert_eq!(document.header(), &SceneHeader::default());
    }

    #[test]
    fn each_part_and_each_entity_has_a_line_of_its_own() {
        let text = written(&header(), &entities(), None);
        let lines: Vec<&str> = text.lines().collect();
        for line in [
            r#"  "step": 16.5,"#,
            r#"    "paint": {"fields": [{"name": "tint", "type": "u32", "key": "colour", "default": 255, "role": "colour", "unit": "rgba", "range": [0, 4000000000]}, {"name": "depth", "type": "i8", "default": 3}], "load_keys": ["colour"]},"#,
            r#"    "hull": {"fields": [{"name": "w", "type": "f32"}]},"#,
            r#"    "actor": ["paint", "hull"],"#,
            r#"    "oak": {"class": "actor", "h": 0.1}"#,
            r#"    {"system": "move"}"#,
            r#"    {"deep":{"a":1}},"#,
        ] {
            assert!(lines.contains(&line), "{line} in\n{text}");
        }
    }
}
