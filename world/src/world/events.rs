//! What happens in a world, told to whoever listens.

use super::World;
use crate::id::{ComponentId, EntityId, Ordinal, SystemId};
use std::any::{Any, TypeId};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

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
    /// All entities of a scene are there, and each was told as added; what systems do at their start is still to come.
    EntitiesReady,
    /// A scene was loaded.
    Loaded,
    /// The world was cleared.
    Cleared,
}

impl WorldEvent {
    /// The entity it is about.
    pub fn entity(&self) -> Option<EntityId> {
        match self {
            Self::EntityAdded(id) | Self::EntityRemoved(id) | Self::EntityDied(id) => Some(*id),
            Self::ComponentAdded(id, _) | Self::ComponentRemoved(id, _) | Self::ComponentChanged(id, _) => {
                Some(*id)
            }
            Self::SystemError(error) => error.entity.map(|(id, _)| id),
            _ => None,
        }
    }

    /// The system it is about.
    pub fn system(&self) -> Option<SystemId> {
        match self {
            Self::SystemAdded(id) | Self::SystemRemoved(id) => Some(*id),
            Self::SystemError(error) => error.system,
            _ => None,
        }
    }
}

/// Where something failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemPhase {
    /// In an update.
    Update,
    /// When it was asked whether it wants to run.
    ShouldRun,
    /// While its effects were applied.
    Effects,
    /// In a component's hook for being attached.
    Attach,
    /// In a component's hook for death.
    Died,
    /// In a component's hook for a block that is given back.
    Free,
    /// At a gate that holds the next step.
    Gate,
    /// In a run that does not end, or asks for more than a run may.
    Hung,
    /// In a system's startup.
    Startup,
    /// When a system was told that content came or goes.
    Content,
    /// In a system's shutdown.
    Shutdown,
    /// When a system was told who joined or left.
    Link,
}

/// A failure, with whose it was.
#[derive(Clone, Debug, PartialEq)]
pub struct SystemError {
    /// The system; none for a gate, and for a hook that ran for no system.
    pub system: Option<SystemId>,
    /// Its name, or that of the hook's component or of the gate.
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
    /// Whether `all` are being called; they are taken out meanwhile.
    telling: bool,
    /// Whether events are told: somebody listens, or the journal records.
    awake: bool,
    /// Events to be told, oldest first.
    waiting: VecDeque<WorldEvent>,
    typed: Vec<(TypeId, TypedListener)>,
    /// Whether one of `typed` gets the world.
    typed_see_world: bool,
    telling_typed: bool,
    typed_waiting: VecDeque<Box<dyn Any + Send>>,
}

impl Listeners {
    #[inline]
    pub(crate) fn any(&self) -> bool {
        self.awake
    }

    /// Has events told for the journal, or not for it alone.
    pub(super) fn wake_for_journal(&mut self, on: bool) {
        self.awake = on || self.telling || !self.all.is_empty();
    }

    /// Whether somebody who listens for what systems send sees the world, and may change it.
    pub(crate) fn any_typed_sees_world(&self) -> bool {
        self.typed_see_world
    }
}

impl World {
    /// Calls a function with every event from now on.
    pub fn listen(&mut self, listener: impl FnMut(&mut World, &WorldEvent) + Send + 'static) {
        self.listeners.all.push(Box::new(listener));
        self.listeners.awake = true;
    }

    /// Calls a function with every event that is about an entity, from now on.
    pub fn listen_to_entity(
        &mut self,
        id: EntityId,
        mut listener: impl FnMut(&mut World, &WorldEvent) + Send + 'static,
    ) {
        self.listen(move |world, event| {
            if event.entity() == Some(id) {
                listener(world, event);
            }
        });
    }

    /// Calls a function with every event that is about a system, from now on.
    pub fn listen_to_system(
        &mut self,
        id: SystemId,
        mut listener: impl FnMut(&mut World, &WorldEvent) + Send + 'static,
    ) {
        self.listen(move |world, event| {
            if event.system() == Some(id) {
                listener(world, event);
            }
        });
    }

    /// Calls a function with every event of type `E` that runs send. It finds the world as it is between the run and
    /// the next one that waits for it, so no systems run as one from now on; [`hear`](Self::hear) leaves them joined.
    pub fn on<E: Any + Send>(&mut self, listener: impl FnMut(&mut World, &E) + Send + 'static) {
        self.listeners.typed_see_world = true;
        self.add_typed(listener);
    }

    /// Calls a function with every event of type `E` that runs send, as [`on`](Self::on) does and in the same order, but
    /// without the world: for whoever counts, records or passes on.
    pub fn hear<E: Any + Send>(&mut self, mut listener: impl FnMut(&E) + Send + 'static) {
        self.add_typed(move |_, event: &E| listener(event));
    }

    fn add_typed<E: Any + Send>(&mut self, mut listener: impl FnMut(&mut World, &E) + Send + 'static) {
        let typed = move |world: &mut World, event: &dyn Any| {
            if let Some(event) = event.downcast_ref::<E>() {
                listener(world, event);
            }
        };
        self.listeners.typed.push((TypeId::of::<E>(), Box::new(typed)));
    }

    /// Tells an event. A listener may change the world; the events it causes are told when all have heard this one.
    #[inline]
    pub(super) fn emit(&mut self, event: WorldEvent) {
        if self.listeners.any() {
            self.tell(event);
        }
    }

    #[cold]
    fn tell(&mut self, event: WorldEvent) {
        self.listeners.waiting.push_back(event);
        if self.listeners.telling {
            return;
        }
        self.listeners.telling = true;
        while let Some(event) = self.listeners.waiting.pop_front() {
            self.note_event(&event);
            // Taken out while they run, since they get the whole world.
            let mut all = std::mem::take(&mut self.listeners.all);
            let told = catch_unwind(AssertUnwindSafe(|| {
                all.iter_mut().for_each(|listener| listener(self, &event));
            }));
            all.append(&mut self.listeners.all);
            self.listeners.all = all;
            if let WorldEvent::EntityRemoved(id) = event {
                self.finish_removal(id);
            }
            if let Err(panic) = told {
                self.listeners.telling = false;
                resume_unwind(panic);
            }
        }
        self.listeners.telling = false;
    }

    /// Tells an event of a system's own type.
    pub(super) fn tell_typed(&mut self, event: Box<dyn Any + Send>) {
        self.listeners.typed_waiting.push_back(event);
        if self.listeners.telling_typed {
            return;
        }
        self.listeners.telling_typed = true;
        while let Some(event) = self.listeners.typed_waiting.pop_front() {
            let event: &(dyn Any + Send) = &*event;
            let mut typed = std::mem::take(&mut self.listeners.typed);
            let told = catch_unwind(AssertUnwindSafe(|| {
                let wanting = typed.iter_mut().filter(|(wanted, _)| *wanted == event.type_id());
                wanting.for_each(|(_, listener)| listener(self, event));
            }));
            typed.append(&mut self.listeners.typed);
            self.listeners.typed = typed;
            if let Err(panic) = told {
                self.listeners.telling_typed = false;
                resume_unwind(panic);
            }
        }
        self.listeners.telling_typed = false;
    }
}
