//! A world for the tests of systems.

use vivarium_world::{Bundle, Component, EntityId, FieldValue, LoadOptions, SystemDef, WorldOptions};

/// A world of the sample catalog that steps 16 ms at a time.
pub(crate) struct World(vivarium_world::World);

impl World {
    /// Without a scene, with these systems.
    pub(crate) fn with(systems: impl IntoIterator<Item = SystemDef>) -> Self {
        let mut world = Self::load(r#"{ "vivarium": 1, "random": { "seed": 1 }, "step": 16 }"#);
        for system in systems {
            world.0.add_system(system).unwrap();
        }
        world
    }

    /// With a scene.
    pub(crate) fn load(scene: &str) -> Self {
        let mut world = vivarium_world::World::new(&crate::catalog(), WorldOptions::default()).unwrap();
        world
            .load("scene.json", scene, &LoadOptions { deny_unknown: true, ..LoadOptions::default() })
            .unwrap();
        Self(world)
    }

    pub(crate) fn spawn(&mut self, bundle: impl Bundle) -> EntityId {
        self.0.spawn(bundle)
    }

    /// Goes so many steps without an error.
    pub(crate) fn steps(&mut self, count: usize) {
        let errors = self.errors_of(count);
        assert!(errors.is_empty(), "{errors:?}");
    }

    /// The errors of so many steps.
    pub(crate) fn errors_of(&mut self, count: usize) -> Vec<String> {
        (0..count).for_each(|_| self.0.step());
        self.0.take_errors().0.iter().map(|error| error.message.clone()).collect()
    }

    pub(crate) fn read<T: Component>(&mut self, id: EntityId) -> T {
        self.0.get(id).unwrap()
    }

    pub(crate) fn set_param(&mut self, system: &str, name: &str, value: f64) {
        let id = self.0.system_named(system).unwrap();
        self.0.set_param(id, name, FieldValue::Float(value)).unwrap();
    }

    pub(crate) fn kill(&mut self, id: EntityId) {
        assert!(self.0.kill(id));
    }

    pub(crate) fn lives(&self, id: EntityId) -> bool {
        self.0.contains(id)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = EntityId> + '_ {
        self.0.entities()
    }
}
