//! Why components cannot be defined, loaded or attached.

use super::Role;
use crate::excerpt::excerpt;
use thiserror::Error;

/// A fault in a config, found by a component that loads from it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct ConfigError {
    /// The key at fault, if it is one.
    pub key: Option<String>,
    /// What is wrong and what would be right.
    pub message: String,
}

/// A component hook that failed, with what it says.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct HookError(pub String);

impl From<&str> for HookError {
    fn from(message: &str) -> Self {
        Self(message.to_owned())
    }
}

impl From<String> for HookError {
    fn from(message: String) -> Self {
        Self(message)
    }
}

/// Why a definition cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DefinitionError {
    /// The name is empty or holds other signs than letters, digits, `_` and `-`.
    #[error("component name {:?} must be letters, digits, '_' or '-'", excerpt(.0))]
    Name(String),
    /// Two fields share a name.
    #[error("component {:?} has two fields named {:?}", excerpt(component), excerpt(field))]
    TwoFields {
        /// The component.
        component: String,
        /// The name.
        field: String,
    },
    /// A field lies outside the block, or across its alignment.
    #[error(
        "field {:?} of component {:?} does not fit its block of {size} bytes at byte {offset}",
        excerpt(field),
        excerpt(component)
    )]
    Misplaced {
        /// The component.
        component: String,
        /// The field.
        field: String,
        /// Where it was put.
        offset: usize,
        /// The block's size.
        size: usize,
    },
    /// A role needs another scalar.
    #[error(
        "field {:?} of component {:?}: the role {role:?} needs a {needs}",
        excerpt(field),
        excerpt(component)
    )]
    Role {
        /// The component.
        component: String,
        /// The field.
        field: String,
        /// The role.
        role: Role,
        /// The scalar it needs.
        needs: &'static str,
    },
    /// The block is aligned to more than 16 bytes.
    #[error("component {:?} is aligned to more than 16 bytes", excerpt(.0))]
    Alignment(String),
}
