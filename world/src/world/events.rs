//! What happens in a world, told to whoever listens.

use super::World;
use crate::id::{ComponentId, EntityId, Ordinal, SystemId};
use std::any::{Any, TypeId};

/// One thing that happened, told on the world thread in order.
#[derive(Clone, Debug, PartialEq)]
pub enum WorldEvent {
    /// An update began, paused or not.
    UpdateStarted,
    /// An update is over, paused or not.
    UpdateFinished,
    /// An entity is there, with its components.
    EntityAdded(EntityId),
    /// An entity left; its components can still be read.
    EntityRemoved(EntityId),
    /// An entity died; it is removed next.
    EntityDied(EntityId),
    /// An entity got a component after it was made.
    ComponentAdded(EntityId, ComponentId),
    /// An entity lost a component; it can still be read.
    ComponentRemoved(EntityId, ComponentId),
    /// A component was written by hand or by an effect.
    ComponentChanged(EntityId, ComponentId),
    /// A system was added.
    SystemAdded(SystemId),
    /// A system was removed.
    SystemRemoved(SystemId),
    /// A system, or a hook of a component, failed.
    SystemError(SystemError),
    /// A scene was loaded.
    Loaded,
    /// The world was cleared.
    Cleared,
}

/// Where something failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemPhase {
    /// In an update.
    Update,
    /// While its effects were applied.
    Effects,
    /// In a component's hook for being attached.
    Attach,
    /// In a component's hook for death.
    Died,
}

/// A failure, with whose it was.
#[derive(Clone, Debug, PartialEq)]
pub struct SystemError {
    /// The system; none for a hook that ran for no system.
    pub system: Option<SystemId>,
    /// Its name, or that of the hook's component.
    pub name: String,
    /// Where.
    pub phase: SystemPhase,
    /// The entity it was about.
    pub entity: Option<(EntityId, Option<Ordinal>)>,
    /// What happened.
    pub message: String,
    /// Whether it panicked, which ended its run.
    pub panicked: bool,
    /// The tick.
    pub tick: u64,
}

impl std::fmt::Display for SystemError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` {}: {}", self.name, if self.panicked { "panicked" } else { "failed" }, self.message)?;
        match self.entity {
            Some((id, Some(ordinal))) => write!(f, " (entity {id}, #{ordinal})"),
            Some((id, None)) => write!(f, " (entity {id})"),
            None => Ok(()),
        }
    }
}

type Listener = Box<dyn FnMut(&mut World, &WorldEvent) + Send>;
type TypedListener = Box<dyn FnMut(&mut World, &dyn Any) + Send>;

/// Who listens.
#[derive(Default)]
pub(crate) struct Listeners {
    all: Vec<Listener>,
    typed: Vec<(TypeId, TypedListener)>,
}

impl Listeners {
    #[inline]
    pub(crate) fn any(&self) -> bool {
        !self.all.is_empty()
    }
}

impl World {
    /// Calls a function with every event from now on.
    pub fn listen(&mut self, listener: impl FnMut(&mut World, &WorldEvent) + Send + 'static) {
        self.listeners.all.push(Box::new(listener));
    }

    /// Calls a function with every event of type `E` that runs send.
    pub fn on<E: Any + Send>(&mut self, mut listener: impl FnMut(&mut World, &E) + Send + 'static) {
        let typed = move |world: &mut World, event: &dyn Any| {
            if let Some(event) = event.downcast_ref::<E>() {
                listener(world, event);
            }
        };
        self.listeners.typed.push((TypeId::of::<E>(), Box::new(typed)));
    }

    /// Tells an event. A listener may change the world, and so cause events, which are told at once.
    #[inline]
    pub(super) fn emit(&mut self, event: WorldEvent) {
        if self.listeners.any() {
            self.tell(&event);
        }
    }

    #[cold]
    fn tell(&mut self, event: &WorldEvent) {
        // Taken out while they run, since they get the whole world; events they cause are told to none of them.
        let mut all = std::mem::take(&mut self.listeners.all);
        for listener in &mut all {
            listener(self, event);
        }
        all.append(&mut self.listeners.all);
        self.listeners.all = all;
    }

    pub(super) fn tell_typed(&mut self, event: &(dyn Any + Send)) {
        let mut typed = std::mem::take(&mut self.listeners.typed);
        for (wanted, listener) in &mut typed {
            if *wanted == event.type_id() {
                listener(self, event);
            }
        }
        typed.append(&mut self.listeners.typed);
        self.listeners.typed = typed;
    }
}
