//! What a scene declares beside its entities and systems: components, classes and templates; and keys that nobody loads.

use super::content::Content;
use crate::catalog::Catalog;
use crate::component::{ComponentDef, Field, Heap, Registry};
use crate::config::{Config, Value};
use crate::entity::{OWN_KEYS, Prepared, TemplateError};
use crate::scene::{DataField, Fault, Faults, suggestion};
use std::collections::BTreeSet;

impl Content<'_> {
    pub(super) fn add_components(&mut self) {
        for component in &self.document.header().components {
            let fields = component.fields.iter().map(field).collect();
            let definition =
                ComponentDef::described(&component.name, fields).load_keys(component.load_keys.clone());
            if let Err(error) = self.registry.register(definition) {
                self.faults
                    .push_with(|| self.document.fault_at_component(&component.name, None, error.to_string()));
            }
        }
    }

    /// Adds the scene's classes, and those of the catalog that a template names.
    pub(super) fn add_classes(&mut self, catalog: &Catalog) {
        let named: BTreeSet<&str> = self
            .document
            .header()
            .templates
            .iter()
            .filter_map(|template| template.config.get("class").and_then(Value::as_str))
            .collect();
        for (name, components) in catalog.classes().filter(|(name, _)| named.contains(name)) {
            if let Err(error) = self.factory.add_class(&self.registry, name, components) {
                self.faults.push_with(|| self.document.fault_at_top(Some("templates"), error.to_string()));
            }
        }
        for class in &self.document.header().classes {
            if let Err(error) = self.factory.add_class(&self.registry, &class.name, &class.components) {
                let component = match &error {
                    TemplateError::UnknownComponent { component, .. } => Some(component.as_str()),
                    _ => None,
                };
                self.faults
                    .push_with(|| self.document.fault_at_class(&class.name, component, error.to_string()));
            }
        }
    }

    pub(super) fn add_templates(&mut self) {
        for template in &self.document.header().templates {
            let added = self.factory.add_template(&self.registry, &template.name, template.config.clone());
            if let Err(error) = added {
                let key = match &error {
                    TemplateError::UnknownClass { .. } | TemplateError::ClassNotText { .. } => {
                        Some("class".to_owned())
                    }
                    TemplateError::OutsideClass { key, .. } => Some(key.clone()),
                    _ => None,
                };
                self.faults.push_with(|| {
                    self.document.fault_at_template(&template.name, key.as_deref(), error.to_string())
                });
            }
        }
        let templates: Vec<_> = self.factory.templates().cloned().collect();
        for template in templates {
            // A value of the template's own that is wrong would be wrong in every entity of it.
            let (strings, lists) = Default::default();
            let heap = Heap { strings: &strings, lists: &lists };
            let (mut made, config) =
                (Prepared::default(), Config::from_iter([("type", template.name.clone())]));
            if let Err(error) = self.factory.prepare(&self.registry, heap, &config, &mut made)
                && let Some(key) = error.key().filter(|key| template.config.has(key))
            {
                self.faults.push_with(|| {
                    self.document.fault_at_template(&template.name, Some(key), error.to_string())
                });
            }
            let document = self.document.clone();
            for key in unknown_keys(&self.registry, &template.config) {
                self.note_unknown(key, |message| {
                    document.fault_at_template(&template.name, Some(key), message)
                });
            }
        }
    }

    fn unknown_message(&self, key: &str) -> String {
        let mut known: Vec<&str> = self.registry.load_keys().collect();
        known.sort_unstable();
        known.extend(OWN_KEYS);
        format!("no component loads the key {key:?}{}", suggestion(key, known.iter().copied()))
    }

    /// Notes a key that no component loads, each once and of very many the first; `fault` makes the fault of a message.
    pub(super) fn note_unknown(&mut self, key: &str, fault: impl FnOnce(String) -> Fault) {
        if self.options.deny_unknown {
            let mut faults = std::mem::take(&mut self.faults);
            faults.push_with(|| fault(self.unknown_message(key)));
            self.faults = faults;
        } else if !self.unknown.contains(key) {
            self.unknown.insert(key.to_owned());
            if self.unknown.len() <= Faults::KEPT {
                self.notes.push(fault(self.unknown_message(key)).to_string());
            }
        }
    }

    /// Notes a reference that leads outside of the list; of very many the first.
    pub(super) fn note_outside(&mut self, note: impl FnOnce() -> String) {
        self.outside += 1;
        if self.outside <= Faults::KEPT {
            self.notes.push(note());
        }
    }
}

/// The keys of a config that no component loads.
pub(super) fn unknown_keys<'c>(registry: &Registry, config: &'c Config<'_>) -> Vec<&'c str> {
    let unknown = |key: &&str| registry.loaded_by(key).is_empty() && !OWN_KEYS.contains(key);
    config.iter().map(|(key, _)| key).filter(unknown).collect()
}

/// A field of a component that a scene describes.
fn field(data: &DataField) -> Field {
    let mut field = Field::new(data.name.clone(), data.scalar, 0).role(data.role).key(data.key.clone());
    if let Some(default) = &data.default {
        field.default = default.clone();
    }
    field.unit.clone_from(&data.unit);
    field.range = data.range;
    field
}
