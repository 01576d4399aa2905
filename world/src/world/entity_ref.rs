//! One entity to read, and wrappers with the getters of its class.

use super::{AccessFault, World};
use crate::component::Component;
use crate::id::{ComponentId, EntityId, Ordinal};
use crate::scene::suggestion;
use std::fmt;
use std::sync::Arc;
use thiserror::Error;

/// An entity that is there, to be read. Its id, type and class never change.
///
/// ```
/// use vivarium_world::{Catalog, ClassWrapper, Component, ComponentDef, Config, EntityRef, Field, LoadOptions};
/// use vivarium_world::{Scalar, World, WorldOptions};
///
/// #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
/// #[repr(C)]
/// struct Health(f32);
///
/// impl Component for Health {
///     const NAME: &'static str = "health";
///     fn definition() -> ComponentDef {
///         ComponentDef::of::<Self>().field(Field::new("health", Scalar::F32, 0))
///     }
/// }
///
/// /// An entity of the class `actor`.
/// struct Actor<'w>(EntityRef<'w>);
///
/// impl<'w> ClassWrapper<'w> for Actor<'w> {
///     const CLASS: &'static str = "actor";
///     fn wrap(entity: EntityRef<'w>) -> Self {
///         Self(entity)
///     }
/// }
///
/// impl Actor<'_> {
///     fn is_hurt(&self) -> bool {
///         self.0.get::<Health>().is_some_and(|health| health.0 < 50.0)
///     }
/// }
///
/// let scene = r#"{ "vivarium": 1,
///     "classes": { "actor": ["health"], "plant": [] },
///     "templates": { "guardian": { "class": "actor", "health": 100 }, "oak": { "class": "plant" } },
///     "entities": [ { "type": "guardian", "health": 20 }, { "type": "oak" } ] }"#;
/// let mut world = World::new(&Catalog::new().component::<Health>()?, WorldOptions::default())?;
/// world.load("scene.json", scene, &LoadOptions::default())?;
///
/// let mut ids = world.entities();
/// let (guardian, oak) = (ids.next().unwrap(), ids.next().unwrap());
/// assert!(world.entity(guardian)?.as_class::<Actor>()?.is_hurt());
/// let error = world.entity(oak)?.as_class::<Actor>().err().unwrap();
/// assert_eq!(error.to_string(), r#"entity 1v1 of type "oak" is of class "plant", not "actor""#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct EntityRef<'w> {
    world: &'w World,
    id: EntityId,
}

/// Getters for the entities of a class, in a type of their own. See [`EntityRef`] for an example.
pub trait ClassWrapper<'w>: Sized {
    /// The name of the class.
    const CLASS: &'static str;

    /// Wraps an entity of this class.
    fn wrap(entity: EntityRef<'w>) -> Self;
}

/// Why an entity cannot be seen as one of a class.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ClassError {
    /// It is of another class.
    #[error("entity {entity} of type {type_name:?} is of class {class:?}, not {wanted:?}")]
    Other {
        /// The entity.
        entity: EntityId,
        /// Its type.
        type_name: String,
        /// Its class.
        class: String,
        /// The class it was to be of.
        wanted: &'static str,
    },
    /// It has no class.
    #[error("entity {entity} of type {type_name:?} has no class, so it is no {wanted:?}")]
    None {
        /// The entity.
        entity: EntityId,
        /// Its type; empty if it has none.
        type_name: String,
        /// The class it was to be of.
        wanted: &'static str,
    },
    /// The world has no such class.
    #[error("entity {entity} of type {type_name:?}: the scene has no class {wanted:?}{near}")]
    Unknown {
        /// The entity.
        entity: EntityId,
        /// Its type; empty if it has none.
        type_name: String,
        /// The class it was to be of.
        wanted: &'static str,
        /// "; did you mean …?" or nothing.
        near: String,
    },
}

impl World {
    /// An entity to read.
    ///
    /// # Errors
    /// If it is gone.
    pub fn entity(&self, id: EntityId) -> Result<EntityRef<'_>, AccessFault> {
        if self.contains(id) { Ok(EntityRef { world: self, id }) } else { Err(AccessFault::NoEntity(id)) }
    }
}

impl<'w> EntityRef<'w> {
    /// Its id.
    pub fn id(&self) -> EntityId {
        self.id
    }

    /// The world it is in.
    pub fn world(&self) -> &'w World {
        self.world
    }

    /// Its creation number; none while it is being removed.
    pub fn ordinal(&self) -> Option<Ordinal> {
        self.world.ordinal(self.id)
    }

    /// The name of its type; empty if it has none.
    pub fn type_name(&self) -> Arc<str> {
        self.world.type_name(self.id)
    }

    /// The name of its class, if it has one.
    pub fn class(&self) -> Option<&'w str> {
        self.world.factory().class_of(&self.type_name()).map(|class| class.name.as_str())
    }

    /// Whether it died and is about to be removed, or was loaded dead.
    pub fn is_dead(&self) -> bool {
        self.world.entity_block(self.id).is_some_and(|entity| entity.is_dead())
    }

    /// Whether it never moves.
    pub fn is_static(&self) -> bool {
        self.world.entity_block(self.id).is_some_and(|entity| entity.is_static())
    }

    /// Its components, `entity` first.
    pub fn components(&self) -> Vec<ComponentId> {
        self.world.components_of(self.id).unwrap_or_default()
    }

    /// Whether it has a component.
    pub fn has<T: Component>(&self) -> bool {
        self.world.registry().of::<T>().is_some_and(|component| self.world.has(self.id, component))
    }

    /// A component; none if it does not have it, or while a run writes that component.
    pub fn get<T: Component>(&self) -> Option<&'w T> {
        self.world.peek(self.id)
    }

    /// A component it must have.
    ///
    /// # Errors
    /// If it does not have it, or a run writes that component at the moment.
    pub fn require<T: Component>(&self) -> Result<&'w T, AccessFault> {
        let component = self.world.registered::<T>()?;
        self.get().ok_or_else(|| {
            let (entity, name) = (self.id, T::NAME.to_owned());
            if self.world.has(self.id, component) {
                AccessFault::Value(format!(
                    "component {name:?} of entity {entity} is being written; settle first"
                ))
            } else {
                AccessFault::Missing { entity, component: name.into() }
            }
        })
    }

    /// The entity as one of a class, with that class's getters.
    ///
    /// # Errors
    /// If it is of another class or of none.
    pub fn as_class<C: ClassWrapper<'w>>(&self) -> Result<C, ClassError> {
        let (entity, type_name, wanted) = (self.id, self.type_name().to_string(), C::CLASS);
        match self.class() {
            Some(class) if class == wanted => Ok(C::wrap(*self)),
            class => {
                let classes: Vec<&str> =
                    self.world.factory().classes().map(|class| class.name.as_str()).collect();
                Err(if !classes.contains(&wanted) {
                    let near = suggestion(wanted, classes);
                    ClassError::Unknown { entity, type_name, wanted, near }
                } else if let Some(class) = class {
                    ClassError::Other { entity, type_name, class: class.to_owned(), wanted }
                } else {
                    ClassError::None { entity, type_name, wanted }
                })
            }
        }
    }
}

impl fmt::Debug for EntityRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:?})", self.id, self.type_name())
    }
}
