//! Faults of meaning at the parts of a document they are about.
//!
//! Nothing is remembered for them but the text: the way to a part is followed again when it has a fault.

use super::document::Document;
use super::fault::Fault;
use super::json;
use super::parts::system_part;

impl Document<'_> {
    /// A fault about an entity: at `key`, if it has it, else at its start.
    pub fn fault_at_entity(&self, index: usize, key: Option<&str>, message: impl Into<String>) -> Fault {
        let json = self.entity_text(index);
        let part = match json.and_then(type_of) {
            Some(name) => format!("entity {index} ({name:?})"),
            None => format!("entity {index}"),
        };
        let at = json.map(|json| deepest(json, key.into_iter().map(Step::Key)));
        let at = at.or(self.entities_key()).unwrap_or(self.origin.text());
        Fault { entity: Some(index), ..self.origin.fault(at, Some(&part), key, message) }
    }

    /// A fault about the file: at a `key` of its outermost object, if it has it, else at its start.
    pub fn fault_at_top(&self, key: Option<&str>, message: impl Into<String>) -> Fault {
        let at = match key {
            Some("entities") => self.entities_key(),
            _ => None,
        };
        let at = at.unwrap_or_else(|| self.find(key.into_iter().map(Step::Key)));
        self.origin.fault(at, None, key, message)
    }

    /// A fault about the template `name`: at `key`, if it has it, else at its name.
    pub fn fault_at_template(&self, name: &str, key: Option<&str>, message: impl Into<String>) -> Fault {
        let at = self.find(["templates", name].into_iter().chain(key).map(Step::Key));
        self.origin.fault(at, Some(&format!("template {name:?}")), key, message)
    }

    /// A fault about the class `name`: at its `component`, if it lists it, else at its name.
    pub fn fault_at_class(&self, name: &str, component: Option<&str>, message: impl Into<String>) -> Fault {
        let listed = self.header.classes.iter().find(|class| class.name == name);
        let place = component.and_then(|wanted| listed?.components.iter().position(|known| known == wanted));
        let steps = ["classes", name].into_iter().map(Step::Key).chain(place.map(Step::Index));
        self.origin.fault(self.find(steps), Some(&format!("class {name:?}")), None, message)
    }

    /// A fault about the data component `name`: at its `field`, if it has it, else at its name.
    pub fn fault_at_component(&self, name: &str, field: Option<&str>, message: impl Into<String>) -> Fault {
        let described = self.header.components.iter().find(|component| component.name == name);
        let place = field.and_then(|wanted| described?.fields.iter().position(|known| known.name == wanted));
        let inside = place.map(|index| [Step::Key("fields"), Step::Index(index)]);
        let steps = ["components", name].into_iter().map(Step::Key).chain(inside.into_iter().flatten());
        let part = match field {
            Some(field) => format!("component {name:?}, field {field:?}"),
            None => format!("component {name:?}"),
        };
        self.origin.fault(self.find(steps), Some(&part), None, message)
    }

    /// A fault about the system at `index` of the list: at `key`, if it has it, else at its start.
    pub fn fault_at_system(&self, index: usize, key: Option<&str>, message: impl Into<String>) -> Fault {
        let steps = [Step::Key("systems"), Step::Index(index)].into_iter().chain(key.map(Step::Key));
        self.origin.fault(self.find(steps), Some(&self.system_part(index)), key, message)
    }

    /// A fault about the parameter `name` of the system at `index` of the list.
    pub fn fault_at_param(&self, index: usize, name: &str, message: impl Into<String>) -> Fault {
        let steps = [Step::Key("systems"), Step::Index(index), Step::Key("params"), Step::Key(name)];
        self.origin.fault(self.find(steps), Some(&self.system_part(index)), Some(name), message)
    }

    /// A fault about the config of the world entity: at `key`, if it has it.
    pub fn fault_at_world(&self, key: Option<&str>, message: impl Into<String>) -> Fault {
        let at = self.find(["world"].into_iter().chain(key).map(Step::Key));
        self.origin.fault(at, Some("world"), key, message)
    }

    /// A fault about the entity definitions: at the one with the key `definition`, if there is one.
    pub fn fault_at_definition(&self, definition: Option<&str>, message: impl Into<String>) -> Fault {
        let at = self.find(["entityDefinitions"].into_iter().chain(definition).map(Step::Key));
        let part = definition.map_or("entity definitions".into(), |key| format!("entity definition {key:?}"));
        self.origin.fault(at, Some(&part), None, message)
    }

    fn entities_key(&self) -> Option<&str> {
        self.entities_key.map(|span| span.of(self.origin.text()))
    }

    fn system_part(&self, index: usize) -> String {
        system_part(index, self.header.systems.get(index).map(|system| system.system.as_str()))
    }

    /// Follows `steps` from the outermost object as far as they lead.
    fn find<'s>(&self, steps: impl IntoIterator<Item = Step<'s>>) -> &str {
        let text: &str = self.origin.text();
        let mut steps = steps.into_iter();
        let first = match steps.next() {
            Some(Step::Key(key)) => self
                .members
                .iter()
                .find(|member| json::text(member.key.of(text)).is_ok_and(|name| name == key)),
            _ => None,
        };
        let Some(first) = first else { return text };
        follow(first.key.of(text), first.value.of(text), steps)
    }
}

/// A step into a value.
enum Step<'s> {
    Key(&'s str),
    Index(usize),
}

/// Follows `steps` into `json` as far as they lead.
fn deepest<'a, 's>(json: &'a str, steps: impl IntoIterator<Item = Step<'s>>) -> &'a str {
    follow(json, json, steps)
}

/// Follows `steps` into `json` as far as they lead, to the last key or element; `at` if nowhere.
fn follow<'a, 's>(mut at: &'a str, mut json: &'a str, steps: impl IntoIterator<Item = Step<'s>>) -> &'a str {
    for step in steps {
        let next = match step {
            Step::Key(key) => {
                let members = json::members(json).unwrap_or_default();
                members.into_iter().find(|member| member.key == key).map(|m| (m.written, m.value.get()))
            }
            Step::Index(index) => {
                let elements = json::elements(json).unwrap_or_default();
                elements.get(index).map(|element| (element.get(), element.get()))
            }
        };
        let Some(next) = next else { break };
        (at, json) = next;
    }
    at
}

/// The `type` of the entity at `json`, if it says one.
fn type_of(json: &str) -> Option<String> {
    let members = json::members(json).ok()?;
    let value = members.iter().find(|member| member.key == "type")?.value.get();
    serde_json::from_str(value).ok()
}

#[cfg(test)]
mod tests {
    use super::super::position::Position;
    use super::super::samples::HARBOR;
    use super::*;

    #[test]
    fn faults_of_meaning_point_to_what_they_are_about() {
        let document = Document::parse("harbor.json", HARBOR).unwrap();
        for (fault, at, wanted) in [
            (
                document.fault_at_entity(1, Some("maxHelth"), "m"),
                r#""maxHelth": 20"#,
                r#"entity 1 ("guardian"): key "maxHelth": m"#,
            ),
            (
                document.fault_at_entity(1, Some("y"), "m"),
                r#"{ "type": "guardian""#,
                r#"entity 1 ("guardian"): key "y": m"#,
            ),
            (document.fault_at_entity(0, None, "m"), "\"#g(", "entity 0: m"),
            (document.fault_at_entity(9, None, "m"), "\"entities\"", "entity 9: m"),
            (document.fault_at_top(Some("step"), "m"), "\"step\"", r#"key "step": m"#),
            (document.fault_at_top(Some("entities"), "m"), "\"entities\"", r#"key "entities": m"#),
            (document.fault_at_top(None, "m"), "{", "m"),
            (
                document.fault_at_template("guardian", Some("class"), "m"),
                "\"class\"",
                r#"template "guardian": key "class": m"#,
            ),
            (document.fault_at_template("guardian", None, "m"), "\"guardian\":", r#"template "guardian": m"#),
            (
                document.fault_at_class("actor", Some("transform"), "m"),
                "\"transform\"",
                r#"class "actor": m"#,
            ),
            (
                document.fault_at_component("cargo", Some("tint"), "m"),
                "{ \"name\": \"tint\"",
                r#"component "cargo", field "tint": m"#,
            ),
            (
                document.fault_at_system(0, Some("every"), "m"),
                "\"every\"",
                r#"system 0 ("movement"): key "every": m"#,
            ),
            (document.fault_at_system(1, None, "m"), "{ \"system\": \"decay\"", r#"system 1 ("decay"): m"#),
            (
                document.fault_at_param(0, "damping", "m"),
                "\"damping\"",
                r#"system 0 ("movement"): key "damping": m"#,
            ),
            (document.fault_at_world(Some("score"), "m"), "\"score\"", r#"world: key "score": m"#),
            (document.fault_at_definition(Some("0"), "m"), "\"0\"", r#"entity definition "0": m"#),
        ] {
            let position = fault.position.unwrap();
            assert!(HARBOR[position.offset..].starts_with(at), "{fault}");
            assert_eq!(position, Position::of(HARBOR, position.offset));
            assert_eq!(fault.to_string(), format!("harbor.json:{position}: {wanted}"));
        }
    }
}
