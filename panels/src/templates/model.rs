//! Templates without their drawing: which lines there are, where each comes from, and what an edit says.

use crate::widgets::fuzzy;
use vivarium_world::inspect::{CatalogView, ComponentView, KeyOrigin, TemplateKey, TemplateView};
use vivarium_world::{Command, Config, Field, FieldValue, Role, Scalar, Value};

/// The templates whose name, class or a component matches.
pub(super) fn matching<'a>(catalog: &'a CatalogView, filter: &str) -> Vec<&'a TemplateView> {
    let matches = |template: &&TemplateView| {
        let component = |id| catalog.component(id).is_some_and(|component| fuzzy(filter, &component.name));
        fuzzy(filter, &template.name)
            || template.class.as_deref().is_some_and(|class| fuzzy(filter, class))
            || template.components.iter().any(|&id| component(id))
    };
    catalog.templates.iter().filter(matches).collect()
}

/// Where a value of a template comes from.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Source<'a> {
    /// The scene file.
    Scene,
    /// An edit; the scene file has this.
    Edited(&'a str),
    /// An edit; the scene file does not have the key.
    Added,
    /// Nobody gave it: the component's default.
    Default(&'a str),
}

impl Source<'_> {
    pub(super) fn of(key: &TemplateKey) -> Source<'_> {
        match &key.origin {
            KeyOrigin::Scene => Source::Scene,
            KeyOrigin::Edited(Some(before)) => Source::Edited(before),
            KeyOrigin::Edited(None) => Source::Added,
        }
    }

    pub(super) fn text(&self) -> String {
        match self {
            Self::Scene => "scene file".to_owned(),
            Self::Edited(before) => format!("edited; the scene has {before}"),
            Self::Added => "added here".to_owned(),
            Self::Default(component) => format!("default of {component}"),
        }
    }
}

/// A key of a template with its value.
#[derive(Debug, PartialEq)]
pub(super) struct Line<'a> {
    pub(super) key: &'a str,
    pub(super) value: LineValue<'a>,
    pub(super) source: Source<'a>,
    /// The components it loads.
    pub(super) loads: String,
}

/// What stands at a key.
#[derive(Debug, PartialEq)]
pub(super) enum LineValue<'a> {
    /// The value of a field.
    Field(&'a Field, &'a FieldValue),
    /// JSON that a component reads in its own way.
    Json(&'a str),
}

/// The lines of one component, or those of none.
#[derive(Debug, PartialEq)]
pub(super) struct Section<'a> {
    pub(super) component: Option<&'a ComponentView>,
    pub(super) lines: Vec<Line<'a>>,
}

/// The merged config of a template: for each of its components every field that a key can give, whether a key does or
/// not; then the keys that are no field's.
pub(super) fn sections<'a>(template: &'a TemplateView, catalog: &'a CatalogView) -> Vec<Section<'a>> {
    let mut sections = Vec::new();
    for &id in &template.components {
        let Some(component) = catalog.component(id) else { continue };
        let values = template.values.as_ref().and_then(|values| values.get(&id));
        let lines = component.fields.iter().enumerate().filter_map(|(at, field)| {
            let (key, value) = (field.key.as_deref()?, values?.get(at)?);
            let given = template.key(key);
            Some(Line {
                key,
                value: LineValue::Field(field, value),
                source: given.map_or(Source::Default(&component.name), Source::of),
                loads: given.map_or_else(String::new, |given| loads_text(&given.loads)),
            })
        });
        sections.push(Section { component: Some(component), lines: lines.collect() });
    }
    let is_field = |key: &TemplateKey| {
        let lines = sections.iter().flat_map(|section| &section.lines);
        lines.into_iter().any(|line| line.key == key.key)
    };
    let others = template.keys.iter().filter(|key| !is_field(key)).map(|key| Line {
        key: &key.key,
        value: LineValue::Json(&key.value),
        source: Source::of(key),
        loads: loads_text(&key.loads),
    });
    let others: Vec<_> = others.collect();
    if !others.is_empty() {
        sections.push(Section { component: None, lines: others });
    }
    sections
}

fn loads_text(components: &[String]) -> String {
    match components {
        [] => "loads nothing".to_owned(),
        some => format!("loads {}", some.join(", ")),
    }
}

/// A key that could be added.
#[derive(Debug, PartialEq)]
pub(super) struct Addable<'a> {
    pub(super) key: &'a str,
    /// The components it would load.
    pub(super) components: Vec<&'a str>,
    /// What it begins with.
    pub(super) value: Value<'static>,
}

/// The keys a template does not give and whose components its class permits, by name.
pub(super) fn addable<'a>(
    template: &TemplateView,
    catalog: &'a CatalogView,
    filter: &str,
) -> Vec<Addable<'a>> {
    let class = template.class.as_ref().and_then(|name| catalog.classes.iter().find(|c| c.name == *name));
    let mut list: Vec<Addable<'a>> = Vec::new();
    for component in &catalog.components {
        if class.is_some_and(|class| !class.components.contains(&component.id)) {
            continue;
        }
        for key in component.load_keys.iter().filter(|key| template.key(key).is_none()) {
            if !fuzzy(filter, key) && !fuzzy(filter, &component.name) {
                continue;
            }
            if let Some(known) = list.iter_mut().find(|known| known.key == *key) {
                known.components.push(&component.name);
                continue;
            }
            let field = component.fields.iter().find(|field| field.key.as_ref() == Some(key));
            let value = field.map_or(Value::Bool(true), |field| config_value(field, &field.default));
            list.push(Addable { key, components: vec![&component.name], value });
        }
    }
    list.sort_by_key(|addable| addable.key);
    list
}

/// The value as a scene file writes it.
pub(super) fn config_value(field: &Field, value: &FieldValue) -> Value<'static> {
    match (field.role, value) {
        (Role::Colour, FieldValue::Uint(rgba)) => {
            let rgba = *rgba as u32;
            match rgba & 0xff {
                0xff => format!("#{:06x}", rgba >> 8).into(),
                _ => format!("#{rgba:08x}").into(),
            }
        }
        (_, FieldValue::Bool(on)) => Value::Bool(*on),
        (_, FieldValue::Uint(n)) => Value::from(*n),
        (_, FieldValue::Int(n)) => Value::from(*n),
        // With as few digits as single precision has.
        (_, FieldValue::Float(n)) if field.scalar == Scalar::F32 => {
            Value::from((*n as f32).to_string().parse().unwrap_or(*n))
        }
        (_, FieldValue::Float(n)) => Value::from(*n),
        (_, FieldValue::Text(text)) => Value::from(text.clone()),
        (_, FieldValue::Entity(_)) => Value::Null,
        (_, FieldValue::List(_)) => Value::List(Vec::new()),
    }
}

/// The command that gives a template a key.
pub(super) fn set(template: &TemplateView, key: &str, value: Value<'static>) -> Command {
    let set = Config::from_iter([(key.to_owned(), value)]);
    Command::Template { name: template.name.clone(), set, remove: Vec::new() }
}

/// The command that takes a key out of a template.
pub(super) fn remove(template: &TemplateView, key: &str) -> Command {
    Command::Template { name: template.name.clone(), set: Config::new(), remove: vec![key.to_owned()] }
}

/// The command that makes a template what the scene file says; none if it is that.
pub(super) fn as_in_scene(template: &TemplateView) -> Option<Command> {
    let (mut set, mut remove) = (Config::new(), Vec::new());
    let mut put = |key: &str, json: &str| {
        if let Some(value) = parsed(json) {
            set.set(key.to_owned(), value);
        }
    };
    for key in &template.keys {
        match &key.origin {
            KeyOrigin::Scene => {}
            KeyOrigin::Edited(Some(before)) => put(&key.key, before),
            KeyOrigin::Edited(None) => remove.push(key.key.clone()),
        }
    }
    template.removed.iter().for_each(|(key, json)| put(key, json));
    template.is_edited().then(|| Command::Template { name: template.name.clone(), set, remove })
}

/// A value as JSON has it; none if the text is no JSON.
pub(super) fn parsed(json: &str) -> Option<Value<'static>> {
    serde_json::from_str::<Value<'_>>(json).ok().map(Value::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    fn catalog() -> CatalogView {
        (*Fixture::paused().snapshot.catalog).clone()
    }

    fn line(line: &Line<'_>) -> String {
        let value = match &line.value {
            LineValue::Field(_, value) => value.to_string(),
            LineValue::Json(json) => format!("json {json}"),
        };
        format!("{} = {value}: {}; {}", line.key, line.source.text(), line.loads)
    }

    #[test]
    fn a_filter_looks_at_names_classes_and_components() {
        let catalog = catalog();
        let names = |filter| {
            let list = matching(&catalog, filter);
            list.into_iter().map(|template| template.name.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(names(""), ["grass", "guardian"]);
        assert_eq!(names("veloc"), ["guardian"]);
        assert_eq!(names("prop"), ["grass"]);
        assert!(names("zzz").is_empty());
    }

    #[test]
    fn every_field_says_whether_a_key_gives_it_or_it_is_a_default() {
        let mut catalog = catalog();
        let grass = &mut catalog.templates[0];
        grass.keys[0].origin = KeyOrigin::Edited(Some("3".to_owned()));
        grass.keys.push(TemplateKey {
            key: "isStatic".to_owned(),
            value: "true".to_owned(),
            loads: Vec::new(),
            origin: KeyOrigin::Edited(None),
        });
        let sections = sections(&catalog.templates[0], &catalog);
        let lines: Vec<_> = sections.iter().flat_map(|section| &section.lines).map(line).collect();
        assert_eq!(
            lines,
            [
                "x = 0: default of transform; ",
                "y = 0: default of transform; ",
                "angle = 0: default of transform; ",
                "radius = 2: edited; the scene has 3; loads body",
                "colour = 0: default of body; ",
                "isStatic = json true: added here; loads nothing",
            ]
        );
    }

    #[test]
    fn keys_can_be_added_that_the_class_permits_and_the_template_lacks() {
        let catalog = catalog();
        let keys = |at: usize, filter| {
            let list = addable(&catalog.templates[at], &catalog, filter);
            list.iter().map(|a| format!("{} {}", a.key, a.components.join("+"))).collect::<Vec<_>>()
        };
        assert_eq!(keys(0, ""), ["angle transform", "colour body", "x transform", "y transform"]);
        assert!(keys(1, "").contains(&"x transform+velocity".to_owned()));
        assert_eq!(keys(1, "frozen"), Vec::<String>::new(), "a tag without a key cannot be loaded");
    }

    #[test]
    fn values_are_written_as_scene_files_have_them() {
        let colour = Field::new("c", Scalar::U32, 0).role(Role::Colour);
        let value = |field: &Field, value| serde_json::to_string(&config_value(field, &value)).unwrap();
        assert_eq!(value(&colour, FieldValue::Uint(0x3a7f_2cff)), "\"#3a7f2c\"");
        assert_eq!(value(&colour, FieldValue::Uint(0x3a7f_2c80)), "\"#3a7f2c80\"");
        let single = Field::new("x", Scalar::F32, 0);
        assert_eq!(value(&single, FieldValue::Float(f64::from(0.1_f32))), "0.1");
        assert_eq!(value(&single, FieldValue::Float(3.0)), "3");
        assert_eq!(value(&Field::new("n", Scalar::I8, 0), FieldValue::Int(-3)), "-3");
    }

    #[test]
    fn what_the_scene_says_is_one_command_away() {
        let mut catalog = catalog();
        let template = &mut catalog.templates[1];
        assert_eq!(as_in_scene(template), None);
        template.keys[0].origin = KeyOrigin::Edited(Some("80".to_owned()));
        template.keys[1].origin = KeyOrigin::Edited(None);
        template.removed = vec![("x".to_owned(), "[1]".to_owned())];
        let Some(Command::Template { name, set, remove }) = as_in_scene(template) else { panic!() };
        assert_eq!((name.as_str(), remove), ("guardian", vec!["radius".to_owned()]));
        assert_eq!(serde_json::to_string(&set).unwrap(), r#"{"health":80,"x":[1]}"#);
    }
}
