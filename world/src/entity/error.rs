//! Why templates, classes and configs cannot be used.

use crate::component::ConfigError;
use crate::excerpt::excerpt;
use thiserror::Error;

/// Why a class or a template cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TemplateError {
    /// A class names a component nobody registered.
    #[error(
        "class {:?} permits the component {:?}, which is not registered{}",
        excerpt(class),
        excerpt(component),
        suggest(near)
    )]
    UnknownComponent {
        /// The class.
        class: String,
        /// The name.
        component: String,
        /// The nearest known one.
        near: Option<String>,
    },
    /// The class of a template is not a text.
    #[error("template {:?}: its class is {found}; the name of a class is expected", excerpt(template))]
    ClassNotText {
        /// The template.
        template: String,
        /// What it is, in words.
        found: &'static str,
    },
    /// A template names a class that is not there.
    #[error(
        "template {:?} names the class {:?}, which does not exist{}",
        excerpt(template),
        excerpt(class),
        suggest(near)
    )]
    UnknownClass {
        /// The template.
        template: String,
        /// The name.
        class: String,
        /// The nearest known one.
        near: Option<String>,
    },
    /// A template names no class although there are classes.
    #[error("template {:?} names no class; with classes, every template needs one", excerpt(.0))]
    NoClass(String),
    /// A key loads only components the class does not permit.
    #[error(
        "template {:?}: key {:?} loads {component:?}, which class {:?} does not permit",
        excerpt(template),
        excerpt(key),
        excerpt(class)
    )]
    OutsideClass {
        /// The template.
        template: String,
        /// The key.
        key: String,
        /// A component it loads.
        component: String,
        /// The class.
        class: String,
    },
}

/// Why an entity cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CreateError {
    /// The world was destroyed.
    #[error("the world was destroyed; make a new one")]
    Destroyed,
    /// There are classes, and the config names no type.
    #[error("the entity has no type; with classes, every entity needs the type of a template")]
    NoType,
    /// No template has this name.
    #[error("no template is named {:?}{}", excerpt(name), suggest(near))]
    UnknownType {
        /// The name.
        name: String,
        /// The nearest known one.
        near: Option<String>,
    },
    /// The type is not a text.
    #[error("the type is {0}; the name of a template is expected")]
    TypeNotText(&'static str),
    /// A flag of the entity is no truth value.
    #[error("{key:?} is {found}; true or false is expected")]
    FlagNotBool {
        /// The key.
        key: &'static str,
        /// What it is, in words.
        found: &'static str,
    },
    /// What a save says of the entity's components is no list of names.
    #[error("{key:?} is {found}; a list of component names is expected")]
    NotNames {
        /// The key.
        key: &'static str,
        /// What it is, in words.
        found: &'static str,
    },
    /// The config names a class; only templates do.
    #[error("an entity cannot name its class; its template does")]
    ClassGiven,
    /// A key loads only components the class does not permit.
    #[error(
        "key {:?} loads {component:?}, which class {:?} of type {:?} does not permit",
        excerpt(key),
        excerpt(class),
        excerpt(type_name)
    )]
    OutsideClass {
        /// The entity's type.
        type_name: String,
        /// The key.
        key: String,
        /// A component it loads.
        component: String,
        /// The class.
        class: String,
    },
    /// A component could not be made from the config.
    #[error("component {component:?}: {error}")]
    Component {
        /// The component.
        component: String,
        /// What is wrong.
        error: ConfigError,
    },
}

impl CreateError {
    /// The config key at fault, if it is one.
    pub fn key(&self) -> Option<&str> {
        match self {
            Self::NoType | Self::UnknownType { .. } | Self::TypeNotText(_) => Some("type"),
            Self::ClassGiven => Some("class"),
            Self::FlagNotBool { key, .. } | Self::NotNames { key, .. } => Some(key),
            Self::OutsideClass { key, .. } => Some(key),
            Self::Component { error, .. } => error.key.as_deref(),
            Self::Destroyed => None,
        }
    }
}

fn suggest(near: &Option<String>) -> String {
    near.as_ref().map_or(String::new(), |near| format!("; did you mean {near:?}?"))
}
