//! The components of a world, in the order they load.

use super::definition::component_id;
use super::type_table::{Known, TypeTable};
use super::{Component, ComponentDef, DefinitionError, Entity};
use crate::excerpt::excerpt;
use crate::id::ComponentId;
use std::any::TypeId;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use thiserror::Error;

/// Why a component cannot be registered.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RegistryError {
    /// The name is taken.
    #[error("a component named {:?} is registered already", excerpt(.0))]
    NameTaken(String),
    /// The definition is faulty.
    #[error(transparent)]
    Definition(#[from] DefinitionError),
    /// There are 65,536 already.
    #[error("no more than 65,536 components can be registered")]
    Full,
}

/// A map by Rust type, whose id is a hash already.
pub(crate) type TypeMap<T> = HashMap<TypeId, T, BuildHasherDefault<TypeHasher>>;

/// Takes the hash a type's id is for the hash.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TypeHasher(u64);

impl Hasher for TypeHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        // Not called for a `TypeId` of today, and right for any.
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ byte as u64;
        }
    }
    #[inline]
    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// Components by id, name, Rust type and load key. `entity` is always the first.
#[derive(Clone, Debug)]
pub struct Registry {
    definitions: Vec<ComponentDef>,
    by_name: HashMap<String, ComponentId>,
    by_type: TypeTable,
    by_key: HashMap<String, Vec<ComponentId>>,
    hooks: Hooks,
    /// Whether a component's blocks come and go without anything else to be done.
    plain: Vec<bool>,
}

/// Which hooks any component has, so that none is looked for where there is none.
#[derive(Clone, Copy, Debug, Default)]
struct Hooks {
    on_attach: bool,
    on_free: bool,
    on_died: bool,
}

impl Default for Registry {
    fn default() -> Self {
        let (by_name, by_type, by_key) = Default::default();
        let mut registry = Self {
            definitions: Vec::new(),
            by_name,
            by_type,
            by_key,
            hooks: Hooks::default(),
            plain: Vec::new(),
        };
        registry.register(Entity::definition()).expect("the built-in component is sound");
        registry
    }
}

impl Registry {
    /// Adds a component; it loads after those before it.
    ///
    /// # Errors
    /// If the name is taken or the definition is faulty.
    pub fn register(&mut self, definition: ComponentDef) -> Result<ComponentId, RegistryError> {
        definition.check()?;
        if self.by_name.contains_key(&definition.name) {
            return Err(RegistryError::NameTaken(definition.name));
        }
        if self.definitions.len() > u16::MAX as usize {
            return Err(RegistryError::Full);
        }
        let id = component_id(self.definitions.len());
        self.by_name.insert(definition.name.clone(), id);
        if let Some(rust_type) = definition.rust_type {
            let plain = definition.is_without_hooks() && id != ComponentId::ENTITY;
            self.by_type.insert(rust_type, Known { component: id, plain });
        }
        for key in definition.keys() {
            self.by_key.entry(key).or_default().push(id);
        }
        self.hooks.on_attach |= definition.on_attach.is_some();
        self.hooks.on_free |= definition.frees();
        self.hooks.on_died |= definition.on_died.is_some();
        self.plain.push(definition.is_without_hooks() && id != ComponentId::ENTITY);
        self.definitions.push(definition);
        Ok(id)
    }

    /// The definition of a component of this registry.
    ///
    /// # Panics
    /// For an id of another registry that is out of range here.
    pub fn get(&self, id: ComponentId) -> &ComponentDef {
        &self.definitions[id.index()]
    }

    /// Whether nothing is to be done when a block of a component comes or is torn down; `entity` is never plain.
    #[inline]
    pub(crate) fn is_plain(&self, id: ComponentId) -> bool {
        self.plain[id.index()]
    }

    /// The component with this name.
    pub fn by_name(&self, name: &str) -> Option<ComponentId> {
        self.by_name.get(name).copied()
    }

    /// The component of a Rust type.
    #[inline]
    pub fn of<T: Component>(&self) -> Option<ComponentId> {
        self.by_rust_type(TypeId::of::<T>())
    }

    /// The component of a Rust type, and whether it is plain.
    #[inline]
    pub(crate) fn known<T: Component>(&self) -> Option<Known> {
        self.by_type.get(TypeId::of::<T>())
    }

    #[inline]
    pub(crate) fn by_rust_type(&self, rust_type: TypeId) -> Option<ComponentId> {
        self.by_type.get(rust_type).map(|known| known.component)
    }

    /// The components a key of a config loads.
    pub fn loaded_by(&self, key: &str) -> &[ComponentId] {
        self.by_key.get(key).map_or(&[], Vec::as_slice)
    }

    /// Every key that loads some component.
    pub fn load_keys(&self) -> impl Iterator<Item = &str> {
        self.by_key.keys().map(String::as_str)
    }

    /// All of them, in the order they load.
    pub fn iter(&self) -> impl Iterator<Item = (ComponentId, &ComponentDef)> {
        self.definitions.iter().enumerate().map(|(index, definition)| (component_id(index), definition))
    }

    /// How many there are, `entity` included.
    #[expect(clippy::len_without_is_empty, reason = "never empty")]
    pub fn len(&self) -> usize {
        self.definitions.len()
    }

    /// Whether anything is to be done when blocks of some component are given back.
    pub(crate) fn any_on_free(&self) -> bool {
        self.hooks.on_free
    }

    /// Whether any component has a hook for being attached.
    pub(crate) fn any_on_attach(&self) -> bool {
        self.hooks.on_attach
    }

    /// Whether any component has a hook for death.
    pub(crate) fn any_on_died(&self) -> bool {
        self.hooks.on_died
    }

    /// The name nearest to one that is unknown, if one is near.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        crate::scene::nearest(name, self.definitions.iter().map(|definition| definition.name.as_str()))
    }
}
