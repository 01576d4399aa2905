//! What indexes and grids have in common: what they are over, and what can be wrong with that.

use super::World;
use crate::component::{Field, Role};
use crate::id::{ComponentId, EntityId};
use crate::scene::suggestion;
use std::fmt;
use thiserror::Error;

/// By what entities are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LookupKind {
    /// By the value of a field.
    Index,
    /// By where they are.
    Grid,
}

impl fmt::Display for LookupKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Index => "index",
            Self::Grid => "grid",
        })
    }
}

/// Why an index or a grid cannot be made or used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IndexError {
    /// A run that writes the component does not end.
    #[error(transparent)]
    Hung(#[from] super::Hung),
    /// The name is taken.
    #[error("{kind} {name:?} is there already; remove it first")]
    Taken {
        /// What it is.
        kind: LookupKind,
        /// Its name.
        name: String,
    },
    /// There is none of this name.
    #[error("there is no {kind} named {name:?}{near}; add it with `World::add_{kind}`")]
    Unknown {
        /// What it would be.
        kind: LookupKind,
        /// The name.
        name: String,
        /// "; did you mean …?" or nothing.
        near: String,
    },
    /// The component is not registered.
    #[error("{kind} {name:?} is over the component {component:?}, which is not registered{near}")]
    Component {
        /// What it is.
        kind: LookupKind,
        /// Its name.
        name: String,
        /// The component.
        component: String,
        /// "; did you mean …?" or nothing.
        near: String,
    },
    /// There is no such field.
    #[error("{kind} {name:?} is over a field {field:?}, which {component:?} does not have{near}")]
    Field {
        /// What it is.
        kind: LookupKind,
        /// Its name.
        name: String,
        /// The component.
        component: String,
        /// The field.
        field: String,
        /// "; did you mean …?" or nothing.
        near: String,
    },
    /// Values of the field have no order that means something, or are lists.
    #[error("{kind} {name:?}: values of {field:?} cannot be {what}")]
    Role {
        /// What it is.
        kind: LookupKind,
        /// Its name.
        name: String,
        /// The field.
        field: String,
        /// "sorted", "looked up" or "a place in a grid".
        what: &'static str,
    },
    /// Cells of a grid need a size.
    #[error("grid {name:?}: cells have a size above 0, not {cell}")]
    Cell {
        /// The grid.
        name: String,
        /// The size.
        cell: String,
    },
    /// The value is not of the field's kind.
    #[error("index {index:?} is over {expected}, not over what was looked for")]
    Value {
        /// The index.
        index: String,
        /// What its field holds, in words.
        expected: &'static str,
    },
    /// A range was asked of an index that is not sorted.
    #[error("index {0:?} finds equal values only; add it as `IndexKind::Sorted` to look for a range")]
    NotSorted(String),
    /// Two entities have the same value in an index that is said to be unique.
    #[error("index {index:?} is to be unique, but entities {first} and {second} have the same value")]
    NotUnique {
        /// The index.
        index: String,
        /// The entity in the earlier row.
        first: EntityId,
        /// Another one.
        second: EntityId,
    },
}

/// A name, and the component and fields by which entities are found under it.
pub(super) struct Lookup<const FIELDS: usize> {
    pub(super) kind: LookupKind,
    pub(super) name: String,
    pub(super) component: String,
    pub(super) fields: [String; FIELDS],
}

impl<const FIELDS: usize> Lookup<FIELDS> {
    pub(super) fn new(kind: LookupKind, name: &str, component: &str, fields: [&str; FIELDS]) -> Self {
        let (name, component) = (name.to_owned(), component.to_owned());
        Self { kind, name, component, fields: fields.map(str::to_owned) }
    }

    pub(super) fn taken(&self) -> IndexError {
        IndexError::Taken { kind: self.kind, name: self.name.clone() }
    }

    /// The component and the fields as they are now. `cannot` says for the role of a field what its values cannot be.
    pub(super) fn resolve(
        &self,
        world: &World,
        cannot: impl Fn(Role) -> Option<&'static str>,
    ) -> Result<(ComponentId, [Field; FIELDS]), IndexError> {
        let (kind, name, registry) = (self.kind, self.name.clone(), world.registry());
        let Some(id) = registry.by_name(&self.component) else {
            let near = registry.nearest(&self.component);
            let near = near.map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
            return Err(IndexError::Component { kind, name, component: self.component.clone(), near });
        };
        let known = registry.get(id).fields();
        let mut found = Vec::with_capacity(FIELDS);
        for wanted in &self.fields {
            let Some(field) = known.iter().find(|field| field.name == *wanted) else {
                let names: Vec<&str> = known.iter().map(|field| field.name.as_str()).collect();
                let (component, near) = (self.component.clone(), suggestion(wanted, names));
                return Err(IndexError::Field { kind, name, component, field: wanted.clone(), near });
            };
            if let Some(what) = cannot(field.role) {
                return Err(IndexError::Role { kind, name, field: wanted.clone(), what });
            }
            found.push(field.clone());
        }
        match found.try_into() {
            Ok(fields) => Ok((id, fields)),
            Err(_) => unreachable!("a field was found for each name"),
        }
    }
}

/// The error for a name that none of these has.
pub(super) fn unknown<'a>(
    kind: LookupKind,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> IndexError {
    let known: Vec<&str> = known.into_iter().collect();
    IndexError::Unknown { kind, name: name.to_owned(), near: suggestion(name, known) }
}
