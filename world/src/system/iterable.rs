//! The body of a system that works off a list of items.

use super::body::Lifecycle;
use super::definition::Step;
use super::kinds::{IterableSystem, Startup};
use crate::world::World;
use std::any::Any;
use std::collections::VecDeque;

/// A system that works off a list of items, whatever they are.
pub(crate) trait IterableBody: Lifecycle {
    fn prepare(&mut self, world: &mut World, step: &Step) -> Result<(), String>;

    /// Does the next item; none if there is none.
    fn next(&mut self, world: &mut World, step: &Step) -> Option<Result<(), String>>;

    /// Forgets what is left.
    fn forget(&mut self);

    fn is_done(&self) -> bool;
}

/// A system with what is left of its list.
pub(super) struct Items<S: IterableSystem> {
    system: S,
    left: VecDeque<S::Item>,
}

impl<S: IterableSystem> Items<S> {
    pub(super) fn new(system: S) -> Self {
        Self { system, left: VecDeque::new() }
    }
}

impl<S: IterableSystem> Lifecycle for Items<S> {
    fn startup(&mut self, world: &mut World) -> Result<Startup, String> {
        self.system.startup(world)
    }
    fn shutdown(&mut self, world: &mut World) {
        self.system.shutdown(world);
    }
    fn attached(&mut self, world: &mut World) {
        self.system.attached(world);
    }
    fn detached(&mut self, world: &mut World) {
        self.system.detached(world);
    }
    fn as_any(&mut self) -> &mut dyn Any {
        &mut self.system
    }
}

impl<S: IterableSystem> IterableBody for Items<S> {
    fn prepare(&mut self, world: &mut World, step: &Step) -> Result<(), String> {
        self.left = self.system.items(world, step)?.into();
        Ok(())
    }

    fn next(&mut self, world: &mut World, step: &Step) -> Option<Result<(), String>> {
        let item = self.left.pop_front()?;
        Some(self.system.update(item, world, step))
    }

    fn forget(&mut self) {
        self.left.clear();
    }

    fn is_done(&self) -> bool {
        self.left.is_empty()
    }
}
