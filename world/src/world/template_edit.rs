//! What entities of a type begin with, changed while the world is there.
//!
//! A template is read when an entity is made of it. An edit is about entities to come: those that are there keep what
//! they have, and a save says of each what is now unlike its template.

use super::{Hung, World};
use crate::component::{FieldsOut, Role};
use crate::config::{Config, Value};
use crate::entity::{CreateError, Factory, OWN_KEYS, Prepared, TemplateError};
use crate::id::{ComponentId, EntityId};
use crate::scene::{nearest, suggestion};
use std::sync::Arc;
use thiserror::Error;

/// Why a template is not changed; it is then as it was.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TemplateEditError {
    /// No template has this name.
    #[error("no template is named {name:?}{near}")]
    Unknown {
        /// The name.
        name: String,
        /// "; did you mean …?" or nothing.
        near: String,
    },
    /// A key that is no component's.
    #[error("{0:?} of a template is changed in the scene file, not while the world is there")]
    Reserved(String),
    /// No component loads a key.
    #[error("no component loads the key {key:?}{near}")]
    UnknownKey {
        /// The key.
        key: String,
        /// "; did you mean …?" or nothing.
        near: String,
    },
    /// The template does not have a key that is to be removed.
    #[error("template {template:?} has no key {key:?} to remove")]
    NoKey {
        /// The template.
        template: String,
        /// The key.
        key: String,
    },
    /// Entities that are there could not be saved as they are.
    #[error(
        "the key {key:?} is read by {component:?}, which saves in its own way: entities of type {template:?} that are \
         there would change with the next load; change it in the scene file"
    )]
    SavesItself {
        /// The template.
        template: String,
        /// The key.
        key: String,
        /// The component.
        component: String,
    },
    /// No template can be like this.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// No entity can be made of this.
    #[error("template {template:?} would make no entity: {error}")]
    Create {
        /// The template.
        template: String,
        /// Why not.
        error: CreateError,
    },
    /// A run that may make entities does not end.
    #[error(transparent)]
    Hung(#[from] Hung),
    /// Something still makes entities of the templates as they were.
    #[error("a step that is computed on a thread of its own uses the templates; try again when it is over")]
    InUse,
}

/// Why what an entity has does not become its template's.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PromoteError {
    /// The entity is gone.
    #[error("there is no entity {0}")]
    NoEntity(EntityId),
    /// The entity is of no type, or of one without a template.
    #[error("entity {0} has no template")]
    NoTemplate(EntityId),
    /// No component of the entity has a value for a key.
    #[error("no component of entity {entity} has a value for the key {key:?}{near}")]
    NoValue {
        /// The entity.
        entity: EntityId,
        /// The key.
        key: String,
        /// "; did you mean …?" or nothing.
        near: String,
    },
    /// A value that means something for this entity only.
    #[error("{0:?} refers to entities, which a template cannot")]
    Reference(String),
    /// A number JSON does not have.
    #[error("{0:?} is not a finite number; set it first")]
    NotFinite(String),
    /// A run that writes one of the components does not end.
    #[error(transparent)]
    Hung(#[from] Hung),
}

impl World {
    /// Changes what a template gives: sets these keys, and takes out those. Entities that are there keep what they
    /// have; entities made from now on begin with it. Waits for what is open.
    ///
    /// # Errors
    /// If there is no such template or key, no entity could be made of it, or entities that are there could not be
    /// saved as they are any more. Nothing is changed then.
    pub fn edit_template(
        &mut self,
        name: &str,
        set: &Config<'_>,
        remove: &[String],
    ) -> Result<(), TemplateEditError> {
        let Some(template) = self.factory().template(name) else {
            let names: Vec<&str> =
                self.factory().templates().map(|template| template.name.as_str()).collect();
            return Err(TemplateEditError::Unknown { name: name.to_owned(), near: suggestion(name, names) });
        };
        let mut config = template.config.clone();
        for (key, value) in set.iter() {
            self.check_template_key(name, key)?;
            config.set(key.to_owned(), value.clone().into_owned());
        }
        for key in remove {
            self.check_template_key(name, key)?;
            if config.remove(key).is_none() {
                return Err(TemplateEditError::NoKey { template: name.to_owned(), key: key.clone() });
            }
        }
        let mut whole = config.clone();
        if let Some(class) = &template.class {
            whole.set("class", class.clone());
        }
        let mut factory = self.factory().clone();
        factory.add_template(self.registry(), name, whole)?;
        let made = self.made_of(&factory, name);
        made.map_err(|error| TemplateEditError::Create { template: name.to_owned(), error })?;
        self.try_settle()?;
        Arc::get_mut(&mut self.shared).ok_or(TemplateEditError::InUse)?.factory = factory;
        // A save says it again, in the order of the scene.
        let header = self.header.templates.iter_mut().find(|template| template.name == name);
        if let Some(template) = header {
            set.iter().for_each(|(key, value)| {
                template.config.set(key.to_owned(), value.clone().into_owned());
            });
            remove.iter().for_each(|key| drop(template.config.remove(key)));
        }
        Ok(())
    }

    /// The blocks that an entity of a type begins with; their lists are released.
    fn made_of(&self, factory: &Factory, type_name: &str) -> Result<Prepared, CreateError> {
        let (mut made, config) = (Prepared::default(), Config::from_iter([("type", type_name)]));
        factory.prepare(self.registry(), self.heap(), &config, &mut made)?;
        made.release_lists(self.registry(), self.lists());
        Ok(made)
    }

    /// Whether a field that is read from `key` has another value in an entity than in these blocks.
    fn differs_from(&self, made: &Prepared, id: EntityId, key: &str) -> bool {
        made.blocks(self.registry()).any(|(component, block)| {
            let (fields, own) =
                (self.registry().get(component).fields(), self.peek_bytes(id, component).unwrap_or(block));
            fields.iter().filter(|field| field.key.as_deref() == Some(key)).any(|field| {
                let bytes = field.offset..field.offset + field.scalar.size();
                own[bytes.clone()] != block[bytes]
            })
        })
    }

    fn check_template_key(&self, template: &str, key: &str) -> Result<(), TemplateEditError> {
        if key == "isStatic" {
            return Ok(());
        }
        if OWN_KEYS.contains(&key) {
            return Err(TemplateEditError::Reserved(key.to_owned()));
        }
        let loaded = self.registry().loaded_by(key);
        if loaded.is_empty() {
            let keys: Vec<&str> = self.registry().load_keys().collect();
            let near = suggestion(key, keys);
            return Err(TemplateEditError::UnknownKey { key: key.to_owned(), near });
        }
        let own = loaded.iter().map(|&component| self.registry().get(component));
        for definition in own.filter(|definition| definition.saves_itself()) {
            let component = self.component_named(definition.name()).unwrap_or(ComponentId::ENTITY);
            if self.entities().any(|id| *self.type_name(id) == *template && self.has(id, component)) {
                let (template, key) = (template.to_owned(), key.to_owned());
                let component = definition.name().to_owned();
                return Err(TemplateEditError::SavesItself { template, key, component });
            }
        }
        Ok(())
    }

    /// What an entity has under these keys, as its template would say it, for
    /// [`edit_template`](Self::edit_template); without keys, all that the template says and the entity has otherwise.
    ///
    /// # Errors
    /// If there is no such entity, template or value, or it means something for this entity only.
    pub fn values_for_template(
        &mut self,
        id: EntityId,
        keys: &[String],
    ) -> Result<Config<'static>, PromoteError> {
        let ids = self.components_of(id).ok_or(PromoteError::NoEntity(id))?;
        ids.iter().try_for_each(|&component| self.wait_to_read(component))?;
        let shared = self.shared.clone();
        let type_name = self.type_name(id);
        let template = shared.factory.template(&type_name).ok_or(PromoteError::NoTemplate(id))?;
        let texts = self.strings().all();
        let place_of = |id: EntityId| self.ordinal(id).map(|ordinal| ordinal.0);
        let out = FieldsOut { texts: &texts, lists: self.lists(), place_of: &place_of };
        let (mut values, mut references) = (Config::new(), Vec::new());
        for &component in ids.iter().filter(|&&component| component != ComponentId::ENTITY) {
            let definition = shared.registry.get(component);
            let Some(block) = self.peek_bytes(id, component) else { continue };
            definition.save(block, &shared.strings, &out, &mut values);
            for field in definition.fields() {
                let Some(key) = field.key.as_deref() else { continue };
                match (field.role, values.get(key)) {
                    (Role::Colour, Some(Value::Uint(rgba))) => {
                        let text = colour_text(*rgba as u32);
                        values.set(key.to_owned(), text);
                    }
                    (Role::Entity | Role::List, Some(value)) if refers(value, field.role) => {
                        references.push(key.to_owned());
                    }
                    _ => {}
                }
            }
        }
        let differing: Vec<String>;
        let keys = if keys.is_empty() {
            let own = |key: &&str| values.has(key) && !references.iter().any(|reference| reference == key);
            let given = template.config.iter().map(|(key, _)| key).filter(own);
            let made = self.made_of(&shared.factory, &type_name).unwrap_or_default();
            differing = given.filter(|key| self.differs_from(&made, id, key)).map(str::to_owned).collect();
            &differing
        } else {
            keys
        };
        let mut promoted = Config::new();
        for key in keys {
            let Some(value) = values.get(key) else {
                let near = nearest(key, values.iter().map(|(key, _)| key));
                let near = near.map_or(String::new(), |near| format!("; did you mean {near:?}?"));
                return Err(PromoteError::NoValue { entity: id, key: key.clone(), near });
            };
            if references.contains(key) {
                return Err(PromoteError::Reference(key.clone()));
            }
            promoted.set(key.clone(), value.clone().into_owned());
        }
        let is_not_finite = |(_, value): &(&str, &Value<'_>)| value.as_f64().is_some_and(|n| !n.is_finite());
        let not_finite = promoted.iter().find(is_not_finite).map(|(key, _)| key.to_owned());
        not_finite.map_or(Ok(promoted), |key| Err(PromoteError::NotFinite(key)))
    }
}

/// Whether a saved value refers to an entity.
fn refers(value: &Value<'_>, role: Role) -> bool {
    match value {
        Value::List(items) => items.iter().any(|item| matches!(item, Value::Object(_))),
        Value::Null => false,
        _ => role == Role::Entity,
    }
}

/// As scene files write a colour: `#3a7f2c`, with its opacity only where it is less than full.
fn colour_text(rgba: u32) -> String {
    if rgba & 0xff == 0xff { format!("#{:06x}", rgba >> 8) } else { format!("#{rgba:08x}") }
}
