//! What scenes can name: components, classes, systems and schedulers written in Rust.

use crate::component::{Component, ComponentDef, Registry, RegistryError};
use crate::scene::SchedulerKind;
use crate::system::SystemDef;
use crate::world::Scheduler;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

type SchedulerConstructor = Arc<dyn Fn() -> Box<dyn Scheduler> + Send + Sync>;
type Constructor = Arc<dyn Fn() -> SystemDef + Send + Sync>;

/// Components, classes and system constructors by name.
///
/// A scene names what it uses of it; the components are all there in every world.
#[derive(Clone, Default)]
pub struct Catalog {
    registry: Registry,
    classes: BTreeMap<String, Vec<String>>,
    systems: BTreeMap<String, Constructor>,
    schedulers: BTreeMap<String, SchedulerConstructor>,
}

impl fmt::Debug for Catalog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let systems: Vec<_> = self.systems.keys().collect();
        f.debug_struct("Catalog")
            .field("classes", &self.classes)
            .field("systems", &systems)
            .finish_non_exhaustive()
    }
}

impl Catalog {
    /// A catalog with nothing but the built-in component.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a component of a Rust type.
    ///
    /// # Errors
    /// If its name is taken or its definition faulty.
    pub fn component<T: Component>(self) -> Result<Self, RegistryError> {
        self.define(T::definition())
    }

    /// Adds a component.
    ///
    /// # Errors
    /// If its name is taken or its definition faulty.
    pub fn define(mut self, definition: ComponentDef) -> Result<Self, RegistryError> {
        self.registry.register(definition)?;
        Ok(self)
    }

    /// Adds a class that permits these components. A scene may have classes of its own beside it.
    pub fn class<N: Into<String>>(
        mut self,
        name: impl Into<String>,
        components: impl IntoIterator<Item = N>,
    ) -> Self {
        self.classes.insert(name.into(), components.into_iter().map(Into::into).collect());
        self
    }

    /// Adds a system that scenes can name. `make` is called for each scene that does.
    pub fn system(mut self, make: impl Fn() -> SystemDef + Send + Sync + 'static) -> Self {
        let name = make().name;
        self.systems.insert(name, Arc::new(make));
        self
    }

    /// Adds a scheduler that scenes can name. `make` is called for each scene that does.
    ///
    /// # Panics
    /// If it has the name of one that is built in.
    pub fn scheduler<S: Scheduler>(
        mut self,
        name: impl Into<String>,
        make: impl Fn() -> S + Send + Sync + 'static,
    ) -> Self {
        let name = name.into();
        assert!(
            matches!(SchedulerKind::named(&name), SchedulerKind::Custom(_)),
            "the scheduler {name:?} is built in; give yours another name"
        );
        self.schedulers.insert(name, Arc::new(move || Box::new(make())));
        self
    }

    /// The components.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The classes with the names of the components they permit.
    pub fn classes(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.classes.iter().map(|(name, components)| (name.as_str(), components.as_slice()))
    }

    /// The names of the systems.
    pub fn system_names(&self) -> impl Iterator<Item = &str> {
        self.systems.keys().map(String::as_str)
    }

    /// The names of the schedulers beside those that are built in.
    pub fn scheduler_names(&self) -> impl Iterator<Item = &str> {
        self.schedulers.keys().map(String::as_str)
    }

    /// A new scheduler of this name.
    pub(crate) fn make_scheduler(&self, name: &str) -> Option<Box<dyn Scheduler>> {
        self.schedulers.get(name).map(|make| make())
    }

    /// A new system of this name.
    pub fn make_system(&self, name: &str) -> Option<SystemDef> {
        self.systems.get(name).map(|make| make())
    }
}
