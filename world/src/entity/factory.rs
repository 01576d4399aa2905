//! From a config to blocks: templates, classes, and what an entity is made of.

use super::error::{CreateError, TemplateError};
use super::prepared::Prepared;
use crate::component::{Entity, Heap, Registry};
use crate::config::{Config, Value};
use crate::id::ComponentId;
use crate::scene::nearest;
use std::collections::BTreeMap;

/// A family of entities: what its members may be made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// The components it permits, in registry order, `entity` left out.
    pub components: Vec<ComponentId>,
}

impl Class {
    /// Whether it permits a component.
    fn permits(&self, component: ComponentId) -> bool {
        self.components.binary_search(&component).is_ok()
    }
}

/// What entities of a type begin with.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    /// Its name: the type of its entities.
    pub name: String,
    /// Its class, if it has one.
    pub class: Option<String>,
    /// Its keys.
    pub config: Config<'static>,
}

/// Templates and classes of a world.
#[derive(Clone, Debug, Default)]
pub struct Factory {
    classes: BTreeMap<String, Class>,
    templates: BTreeMap<String, Template>,
}

/// Keys of a config that are no component's: they are read here.
pub(crate) const OWN_KEYS: [&str; 6] = ["type", "class", "isStatic", "dead", "lacks", "has"];

impl Factory {
    /// Adds a class, in the place of one with its name.
    ///
    /// # Errors
    /// If it permits a component that is not registered.
    pub fn add_class(
        &mut self,
        registry: &Registry,
        name: &str,
        components: &[String],
    ) -> Result<(), TemplateError> {
        let mut permitted = Vec::with_capacity(components.len());
        for component in components {
            let id = registry.by_name(component).ok_or_else(|| TemplateError::UnknownComponent {
                class: name.to_owned(),
                component: component.clone(),
                near: registry.nearest(component).map(str::to_owned),
            })?;
            if id != ComponentId::ENTITY {
                permitted.push(id);
            }
        }
        permitted.sort_unstable();
        permitted.dedup();
        self.classes.insert(name.to_owned(), Class { name: name.to_owned(), components: permitted });
        Ok(())
    }

    /// Adds a template, in the place of one with its name. Its `class` key names its class.
    ///
    /// # Errors
    /// If its class is unknown or missing, or a key loads only what the class does not permit.
    pub fn add_template(
        &mut self,
        registry: &Registry,
        name: &str,
        mut config: Config<'static>,
    ) -> Result<(), TemplateError> {
        let class = match config.remove("class") {
            None => None,
            Some(Value::Text(class)) => Some(class.into_owned()),
            Some(other) => {
                let (template, found) = (name.to_owned(), other.kind());
                return Err(TemplateError::ClassNotText { template, found });
            }
        };
        if let Some(class) = &class {
            let Some(class) = self.classes.get(class) else {
                return Err(TemplateError::UnknownClass {
                    template: name.to_owned(),
                    class: class.clone(),
                    near: nearest(class, self.classes.keys().map(String::as_str)).map(str::to_owned),
                });
            };
            if let Some((key, component)) = outside(registry, class, &config) {
                let (template, class) = (name.to_owned(), class.name.clone());
                return Err(TemplateError::OutsideClass { template, key, component, class });
            }
        } else if !self.classes.is_empty() {
            return Err(TemplateError::NoClass(name.to_owned()));
        }
        config.remove("type");
        self.templates.insert(name.to_owned(), Template { name: name.to_owned(), class, config });
        Ok(())
    }

    /// Whether there are classes.
    #[inline]
    pub(crate) fn has_classes(&self) -> bool {
        !self.classes.is_empty()
    }

    /// Every class, by name.
    pub fn classes(&self) -> impl Iterator<Item = &Class> {
        self.classes.values()
    }

    /// Every template, by name.
    pub fn templates(&self) -> impl Iterator<Item = &Template> {
        self.templates.values()
    }

    /// The template of a type.
    pub fn template(&self, type_name: &str) -> Option<&Template> {
        self.templates.get(type_name)
    }

    /// The class of a type's template.
    pub fn class_of(&self, type_name: &str) -> Option<&Class> {
        self.classes.get(self.templates.get(type_name)?.class.as_ref()?)
    }

    /// Template and config as one: the config's keys on top.
    ///
    /// # Errors
    /// If the config names a class, or, where there are classes, no known type.
    pub(crate) fn merge<'a>(
        &'a self,
        config: &'a Config<'_>,
    ) -> Result<(Config<'a>, Option<&'a Class>), CreateError> {
        if config.has("class") {
            return Err(CreateError::ClassGiven);
        }
        let type_name = match config.get("type") {
            None => None,
            Some(Value::Text(name)) => Some(name.as_ref()),
            Some(other) => return Err(CreateError::TypeNotText(other.kind())),
        };
        let template = type_name.and_then(|name| self.templates.get(name));
        let Some(template) = template else {
            if self.classes.is_empty() {
                return Ok((config.borrowed(), None));
            }
            let Some(name) = type_name else { return Err(CreateError::NoType) };
            return Err(CreateError::UnknownType { name: name.to_owned(), near: None });
        };
        let class = template.class.as_ref().and_then(|class| self.classes.get(class));
        let mut merged = template.config.borrowed();
        for (key, value) in config.iter() {
            merged.set(key, value.borrowed());
        }
        Ok((merged, class))
    }

    /// The error, with the nearest name if a type is unknown. Looking for that takes its time where there are very many
    /// templates, so it is only done for who reads it.
    #[cold]
    pub(crate) fn with_nearest(&self, error: CreateError) -> CreateError {
        let CreateError::UnknownType { name, .. } = error else { return error };
        let near = nearest(&name, self.templates.keys().map(String::as_str)).map(str::to_owned);
        CreateError::UnknownType { name, near }
    }

    /// The components a merged config loads, in registry order, `entity` left out.
    ///
    /// # Errors
    /// The first key that loads only what the class does not permit, with one such component.
    pub(crate) fn components_of(
        registry: &Registry,
        class: Option<&Class>,
        merged: &Config<'_>,
        out: &mut Vec<ComponentId>,
    ) -> Result<(), (String, String)> {
        for (key, _) in merged.iter() {
            let loaded = registry.loaded_by(key);
            match class {
                None => out.extend_from_slice(loaded),
                Some(class) => {
                    let before = out.len();
                    out.extend(loaded.iter().filter(|component| class.permits(**component)));
                    if let (true, Some(&forbidden)) = (out.len() == before, loaded.first()) {
                        return Err((key.to_owned(), registry.get(forbidden).name().to_owned()));
                    }
                }
            }
        }
        out.sort_unstable();
        out.dedup();
        Ok(())
    }

    /// The components that a config loads with the template of its type, in registry order, `entity` first.
    ///
    /// # Errors
    /// If it names a class or no known type, where that is not allowed, or a key loads only what the class does not
    /// permit.
    pub fn config_components(
        &self,
        registry: &Registry,
        config: &Config<'_>,
    ) -> Result<Vec<ComponentId>, CreateError> {
        let (merged, class) = self.merge(config).map_err(|error| self.with_nearest(error))?;
        let mut components = Vec::new();
        Self::loaded_by_merged(registry, class, type_of(&merged), &merged, &mut components)?;
        Ok(components)
    }

    fn loaded_by_merged(
        registry: &Registry,
        class: Option<&Class>,
        type_name: &str,
        merged: &Config<'_>,
        out: &mut Vec<ComponentId>,
    ) -> Result<(), CreateError> {
        out.clear();
        out.push(ComponentId::ENTITY);
        Self::components_of(registry, class, merged, out).map_err(|(key, component)| {
            let class = class.map(|class| class.name.clone()).unwrap_or_default();
            CreateError::OutsideClass { type_name: type_name.to_owned(), key, component, class }
        })?;
        let permitted = |component: &ComponentId| class.is_none_or(|class| class.permits(*component));
        out.extend(named(registry, merged, "has")?.into_iter().filter(permitted));
        out.sort_unstable();
        out.dedup();
        let lacked = named(registry, merged, "lacks")?;
        out.retain(|component| *component == ComponentId::ENTITY || lacked.binary_search(component).is_err());
        Ok(())
    }

    /// Makes an entity's blocks. Touches nothing but `out` and the strings, so any thread may call it.
    ///
    /// # Errors
    /// What is wrong with the config; `out` is then of no use.
    pub(crate) fn prepare(
        &self,
        registry: &Registry,
        heap: Heap<'_>,
        config: &Config<'_>,
        out: &mut Prepared,
    ) -> Result<(), CreateError> {
        let (merged, class) = self.merge(config)?;
        let type_name = type_of(&merged);
        out.blocks.clear();
        Self::loaded_by_merged(registry, class, type_name, &merged, &mut out.components)?;
        out.dead = flag(&merged, "dead")?;
        out.is_static = flag(&merged, "isStatic")?;
        let entity = Entity::new(heap.strings.intern(type_name), out.dead, out.is_static);
        out.blocks.extend_from_slice(bytemuck::bytes_of(&entity));
        for &component in &out.components[1..] {
            let definition = registry.get(component);
            let start = out.blocks.len();
            out.blocks.resize(start + definition.size(), 0);
            if let Err(error) = definition.to_block(&merged, heap, &mut out.blocks[start..]) {
                out.release_lists(registry, heap.lists);
                return Err(CreateError::Component { component: definition.name().to_owned(), error });
            }
        }
        Ok(())
    }
}

/// The type that a merged config names; empty if none.
fn type_of<'c>(merged: &'c Config<'_>) -> &'c str {
    merged.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// The components in a list of names, sorted; names that nobody registered are left out.
fn named(
    registry: &Registry,
    merged: &Config<'_>,
    key: &'static str,
) -> Result<Vec<ComponentId>, CreateError> {
    let names = match merged.get(key) {
        None => return Ok(Vec::new()),
        Some(Value::List(names)) => names,
        Some(other) => return Err(CreateError::NotNames { key, found: other.kind() }),
    };
    let mut components: Vec<_> = names.iter().filter_map(|name| registry.by_name(name.as_str()?)).collect();
    components.sort_unstable();
    Ok(components)
}

/// A truth value of the entity itself; false where it is absent.
fn flag(merged: &Config<'_>, key: &'static str) -> Result<bool, CreateError> {
    match merged.get(key) {
        None => Ok(false),
        Some(Value::Bool(on)) => Ok(*on),
        Some(other) => Err(CreateError::FlagNotBool { key, found: other.kind() }),
    }
}

fn outside(registry: &Registry, class: &Class, config: &Config<'_>) -> Option<(String, String)> {
    Factory::components_of(registry, Some(class), config, &mut Vec::new()).err()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::component::{ComponentDef, Field, Scalar};

    fn registry() -> Registry {
        let mut registry = Registry::default();
        let health = Field::new("health", Scalar::F32, 0);
        let most =
            Field::new("most", Scalar::F32, 4).key("maxHealth").default_value(crate::FieldValue::Float(10.0));
        for definition in [
            ComponentDef::described("health", vec![health, most]),
            ComponentDef::described("place", vec![Field::new("x", Scalar::F64, 0)]),
            ComponentDef::described("armour", vec![Field::new("armour", Scalar::U8, 0)]),
            ComponentDef::described("shared", vec![Field::new("x", Scalar::F64, 0)]),
        ] {
            registry.register(definition).unwrap();
        }
        registry
    }

    fn factory(registry: &Registry) -> Factory {
        let mut factory = Factory::default();
        factory.add_class(registry, "actor", &["health".into(), "place".into()]).unwrap();
        let config: Config<'static> = serde_json::from_str(r#"{"class":"actor","maxHealth":100}"#).unwrap();
        factory.add_template(registry, "guardian", config).unwrap();
        factory
    }

    fn prepare(config: &str) -> Result<Vec<String>, CreateError> {
        let registry = registry();
        let config: Config<'_> = serde_json::from_str(config).unwrap();
        let mut out = Prepared::default();
        let (strings, lists) = Default::default();
        let heap = Heap { strings: &strings, lists: &lists };
        let factory = factory(&registry);
        let made = factory.prepare(&registry, heap, &config, &mut out);
        made.map_err(|error| factory.with_nearest(error))?;
        Ok(out.components.iter().map(|&c| registry.get(c).name().to_owned()).collect())
    }

    #[test]
    fn the_callers_keys_lie_on_top_of_the_templates() {
        let registry = registry();
        let factory = factory(&registry);
        let config: Config<'_> = serde_json::from_str(r#"{"type":"guardian","maxHealth":5}"#).unwrap();
        let (merged, class) = factory.merge(&config).unwrap();
        assert_eq!(merged.get("maxHealth"), Some(&Value::Uint(5)));
        assert_eq!(class.unwrap().name, "actor");
    }

    #[test]
    fn a_shared_key_loads_only_what_the_class_permits() {
        assert_eq!(prepare(r#"{"type":"guardian","x":3}"#).unwrap(), ["entity", "health", "place"]);
    }

    #[test]
    fn a_key_that_loads_only_forbidden_components_is_an_error_that_names_all() {
        let error = prepare(r#"{"type":"guardian","armour":3}"#).unwrap_err();
        assert_eq!(
            error.to_string(),
            r#"key "armour" loads "armour", which class "actor" of type "guardian" does not permit"#
        );
        assert_eq!(error.key(), Some("armour"));
    }

    #[test]
    fn with_classes_a_type_must_be_known_and_a_caller_names_no_class() {
        assert_eq!(prepare("{}"), Err(CreateError::NoType));
        let near = Some("guardian".to_owned());
        assert_eq!(
            prepare(r#"{"type":"gaurdian"}"#),
            Err(CreateError::UnknownType { name: "gaurdian".into(), near })
        );
        assert_eq!(prepare(r#"{"type":"guardian","class":"actor"}"#), Err(CreateError::ClassGiven));
    }

    #[test]
    fn without_classes_a_config_is_used_as_it_is() {
        let registry = registry();
        let config: Config<'_> = serde_json::from_str(r#"{"type":"nobody","x":3}"#).unwrap();
        let mut out = Prepared::default();
        let (strings, lists) = Default::default();
        let heap = Heap { strings: &strings, lists: &lists };
        Factory::default().prepare(&registry, heap, &config, &mut out).unwrap();
        assert_eq!(out.components.len(), 3);
    }

    #[test]
    fn a_flag_that_is_no_truth_value_is_an_error() {
        let error = prepare(r#"{"type":"guardian","isStatic":"yes"}"#).unwrap_err();
        assert_eq!(error.to_string(), r#""isStatic" is a text; true or false is expected"#);
        assert_eq!(error.key(), Some("isStatic"));
    }

    #[test]
    fn names_of_components_and_classes_that_are_none_are_errors() {
        for (key, config) in
            [("has", r#"{"type":"guardian","has":"x"}"#), ("lacks", r#"{"type":"guardian","lacks":1}"#)]
        {
            let error = prepare(config).unwrap_err();
            assert!(error.to_string().ends_with("a list of component names is expected"), "{error}");
            assert_eq!(error.key(), Some(key));
        }
        let registry = registry();
        let config: Config<'static> = serde_json::from_str(r#"{"class":7}"#).unwrap();
        let error = Factory::default().add_template(&registry, "oak", config).unwrap_err();
        assert_eq!(
            error.to_string(),
            r#"template "oak": its class is a number; the name of a class is expected"#
        );
    }

    #[test]
    fn a_value_that_does_not_fit_its_field_names_component_and_key() {
        let error = prepare(r#"{"type":"guardian","maxHealth":"lots"}"#).unwrap_err();
        assert_eq!(error.to_string(), r#"component "health": a number is expected, not a text"#);
        assert_eq!(error.key(), Some("maxHealth"));
    }
}
