//! What an update may do besides writing its own components.

use super::bundle::{Blocks, Bundle};
use super::effects::{ChangeKind, Effects, LastSpawned};
use super::params::Params;
use crate::component::{Component, Entity, FieldValue, Heap, Lists, Registry, Strings};
use crate::config::Config;
use crate::entity::{CreateError, Factory, Prepared};
use crate::id::{ComponentId, EntityId};
use crate::memory::{Lookups, ReservedIds};
use crate::random::{Stream, run_stream};
use crate::world::{Grid, Index, LentGrid, LentIndexes};
use std::any::{Any, TypeId};
use std::sync::Arc;
use thiserror::Error;

/// What a system declared it may ask for.
#[derive(Debug, Default)]
pub(crate) struct Capabilities {
    pub(crate) sets: Vec<ComponentId>,
    pub(crate) adds: Vec<ComponentId>,
    pub(crate) removes: Vec<ComponentId>,
    pub(crate) creates: Option<Vec<ComponentId>>,
    pub(crate) creates_anything: bool,
    pub(crate) kills: bool,
}

impl Capabilities {
    /// Whether it may ask for anything.
    pub(crate) fn any(&self) -> bool {
        let lists = [&self.sets, &self.adds, &self.removes];
        self.kills
            || self.creates_anything
            || self.creates.is_some()
            || lists.iter().any(|list| !list.is_empty())
    }
}

/// What all runs of a world share.
pub(crate) struct RunShared {
    pub(crate) registry: Registry,
    pub(crate) factory: Factory,
    pub(crate) strings: Arc<Strings>,
    pub(crate) lists: Lists,
    pub(crate) seed: u64,
}

impl RunShared {
    pub(crate) fn heap(&self) -> Heap<'_> {
        Heap { strings: &self.strings, lists: &self.lists }
    }
}

/// Why an effect was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EffectError {
    /// The system did not declare it.
    #[error("system {system:?} may not {what}; declare it with `{declare}`")]
    Undeclared {
        /// The system.
        system: String,
        /// What it tried.
        what: String,
        /// The method of `SystemDef` that permits it.
        declare: String,
    },
    /// The component is not registered.
    #[error("system {system:?}: {component:?} is not a registered component")]
    Unknown {
        /// The system.
        system: String,
        /// The name.
        component: &'static str,
    },
    /// The component is loaded last.
    #[error("system {system:?} may not create entities with {component:?}, which is loaded last")]
    LoadedLast {
        /// The system.
        system: String,
        /// The component.
        component: String,
    },
    /// A bundle has a component twice, or `entity`, which every entity has by itself.
    #[error("system {system:?} spawns an entity with {component:?} more than once")]
    Twice {
        /// The system.
        system: String,
        /// The component.
        component: String,
    },
    /// The run asked for more than a run may.
    #[error(
        "system {0:?} asked for more effects than a run may; what it asked for is discarded: ask for less, or raise \
         `World::set_effect_limit`"
    )]
    TooMany(String),
    /// The config has a fault.
    #[error("system {system:?} could not create an entity: {error}")]
    Create {
        /// The system.
        system: String,
        /// What is wrong.
        error: CreateError,
    },
}

impl From<EffectError> for String {
    fn from(error: EffectError) -> Self {
        error.to_string()
    }
}

/// Puts the values of a bundle behind those that are staged.
struct IntoColumns<'a> {
    columns: &'a mut [Vec<u8>],
    /// The column of each value.
    of: &'a [usize],
}

impl Blocks for IntoColumns<'_> {
    #[inline(always)]
    fn take<T: Component>(&mut self, place: usize, value: &T) {
        self.columns[self.of[place]].extend_from_slice(bytemuck::bytes_of(value));
    }
}

/// One run of a system, as its updates see it.
///
/// Effects are collected and applied on the world thread when the run is over. An id of a created entity can be
/// stored at once; the entity joins queries when it is adopted.
pub struct Run {
    pub(crate) name: Arc<str>,
    /// The system's place in registration order.
    pub(crate) place: u64,
    pub(crate) number: u64,
    pub(crate) tick: u64,
    pub(crate) delta: f64,
    pub(crate) game_time: f64,
    pub(crate) params: Arc<Params>,
    pub(crate) capabilities: Arc<Capabilities>,
    pub(crate) shared: Arc<RunShared>,
    /// Which batch of its pass it is.
    pub(crate) batch: u64,
    /// The part of the members this is for, of a run in parts.
    pub(crate) part: u64,
    pub(crate) world_entity: Option<EntityId>,
    pub(crate) lookups: Arc<Lookups>,
    /// Indexes and grids as they were when it began.
    pub(crate) indexes: LentIndexes,
    /// What it wrote by id: the component and the row.
    pub(crate) written: Vec<(ComponentId, u32)>,
    pub(crate) ids: ReservedIds,
    pub(crate) effects: Effects,
    pub(crate) random: Option<Stream>,
    /// Whether the system said that the run as a whole failed.
    pub(crate) failed: bool,
    /// How many more effects it may ask for.
    pub(crate) room: usize,
    /// Whether it asked for more than that.
    pub(crate) flooded: bool,
    pub(crate) scratch: Prepared,
}

impl Run {
    /// The same run as another thread sees it, with ids of its own and no effects yet.
    pub(crate) fn beside(&self, ids: ReservedIds) -> Self {
        Self {
            name: self.name.clone(),
            place: self.place,
            number: self.number,
            tick: self.tick,
            delta: self.delta,
            game_time: self.game_time,
            params: self.params.clone(),
            capabilities: self.capabilities.clone(),
            shared: self.shared.clone(),
            batch: self.batch,
            part: 0,
            world_entity: self.world_entity,
            lookups: self.lookups.clone(),
            indexes: self.indexes.clone(),
            written: Vec::new(),
            ids,
            effects: Effects::default(),
            random: None,
            failed: false,
            room: self.room,
            flooded: false,
            scratch: Prepared::default(),
        }
    }

    /// Begins the next part of a run in parts.
    pub(crate) fn begin_part(&mut self, part: usize) {
        self.part = part as u64;
        self.random = None;
    }

    /// Milliseconds of game time this run stands for.
    pub fn delta(&self) -> f64 {
        self.delta
    }
    /// Game time in milliseconds.
    pub fn game_time(&self) -> f64 {
        self.game_time
    }
    /// Which tick.
    pub fn tick(&self) -> u64 {
        self.tick
    }
    /// How many runs of the system succeeded before this one.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// A parameter as a number; 0 or 1 for a truth value.
    ///
    /// # Panics
    /// If the system has no such parameter.
    pub fn param(&self, name: &str) -> f64 {
        let value = self.params.get(name).and_then(FieldValue::as_f64);
        value.unwrap_or_else(|| panic!("system {:?} has no parameter {name:?}", self.name))
    }

    /// The run's own random stream: the same draws for the same seed, system and run, whatever the threads. A run
    /// in parts has one for each part, and a pass one for each batch.
    pub fn random(&mut self) -> &mut Stream {
        let (seed, system, number) = (self.shared.seed, self.place, self.number);
        let part = self.batch << 32 | self.part;
        self.random.get_or_insert_with(|| run_stream(seed, system, number, part))
    }

    /// The entity whose components are the world's own; none while it has no resource.
    pub fn world_entity(&self) -> Option<EntityId> {
        self.world_entity
    }

    /// The world's strings.
    pub fn strings(&self) -> &Strings {
        &self.shared.strings
    }

    /// The world's lists. Change those of blocks the system writes, read those of blocks it reads.
    pub fn lists(&self) -> &Lists {
        &self.shared.lists
    }

    /// A copy of a component of any entity, as it was when the run began; none if the entity is gone or did not
    /// have it then.
    ///
    /// # Errors
    /// If the system did not declare that it reads `T`.
    pub fn read<T: Component>(&self, id: EntityId) -> Result<Option<T>, EffectError> {
        match self.lookups.place_of::<T>() {
            Some(place) => Ok(self.lookups.read(place, id)),
            None => Err(self.undeclared(&format!("read {:?} of any entity", T::NAME), "reads::<T>()")),
        }
    }

    /// An index of the world as it was when the run began: ships of an owner, those whose health is low.
    ///
    /// # Errors
    /// If the system did not declare that it uses the index.
    pub fn index(&self, name: &str) -> Result<Index<'_>, EffectError> {
        let index = self.indexes.indexes.iter().find(|index| index.name == name);
        let undeclared = || self.undeclared(&format!("use the index {name:?}"), "uses_index::<T>(name)");
        index.map(|index| index.open(self.strings())).ok_or_else(undeclared)
    }

    /// A grid of the world as it was when the run began: who is near.
    ///
    /// # Errors
    /// If the system did not declare that it uses the grid.
    pub fn grid(&self, name: &str) -> Result<Grid<'_>, EffectError> {
        let grid = self.indexes.grids.iter().find(|grid| grid.name == name).map(LentGrid::open);
        grid.ok_or_else(|| self.undeclared(&format!("use the grid {name:?}"), "uses_grid::<T>(name)"))
    }

    /// Writes a component of any entity now: later updates of the run read it. Whether the entity is there and had the
    /// component when the run began.
    ///
    /// # Errors
    /// If the system did not declare that it writes `T` at once.
    pub fn write<T: Component>(&mut self, id: EntityId, value: T) -> Result<bool, EffectError> {
        let place = self.lookups.place_to_write::<T>();
        let (Some(place), Some(lookups)) = (place, Arc::get_mut(&mut self.lookups)) else {
            let what = format!("write {:?} of any entity at once", T::NAME);
            return Err(self.undeclared(&what, "writes_at_once::<T>()"));
        };
        let written = lookups.write(place, id, value);
        self.written.extend(written);
        Ok(written.is_some())
    }

    /// Lets an entity die after the run.
    ///
    /// # Errors
    /// If the system did not declare that it kills.
    pub fn kill(&mut self, id: EntityId) -> Result<(), EffectError> {
        if !self.capabilities.kills {
            return Err(self.undeclared("kill entities", "kills()"));
        }
        self.take_room()?;
        self.effects.deaths.push(id);
        Ok(())
    }

    /// Adds a component after the run, or puts it in the place of the one that is there.
    ///
    /// # Errors
    /// If the system did not declare that it adds `T`.
    #[inline]
    pub fn add<T: Component>(&mut self, id: EntityId, value: T) -> Result<(), EffectError> {
        self.change::<T>(ChangeKind::Put, id, bytemuck::bytes_of(&value))
    }

    /// Writes a component of an entity that has it, after the run.
    ///
    /// # Errors
    /// If the system did not declare that it writes `T`.
    #[inline]
    pub fn set<T: Component>(&mut self, id: EntityId, value: T) -> Result<(), EffectError> {
        self.change::<T>(ChangeKind::Set, id, bytemuck::bytes_of(&value))
    }

    /// Takes a component away after the run.
    ///
    /// # Errors
    /// If the system did not declare that it removes `T`.
    #[inline]
    pub fn remove<T: Component>(&mut self, id: EntityId) -> Result<(), EffectError> {
        self.change::<T>(ChangeKind::Remove, id, &[])
    }

    #[inline(always)]
    fn change<T: Component>(
        &mut self,
        kind: ChangeKind,
        id: EntityId,
        block: &[u8],
    ) -> Result<(), EffectError> {
        self.take_room()?;
        match self.effects.changes.again(kind, TypeId::of::<T>(), id, block) {
            true => Ok(()),
            false => self.begin_changes::<T>(kind, id, block),
        }
    }

    /// A change unlike the one before.
    #[cold]
    fn begin_changes<T: Component>(
        &mut self,
        kind: ChangeKind,
        id: EntityId,
        block: &[u8],
    ) -> Result<(), EffectError> {
        let component = self.component::<T>()?;
        let Capabilities { sets, adds, removes, .. } = &*self.capabilities;
        let (declared, what, declare) = match kind {
            ChangeKind::Put => (adds, "add", "adds::<T>()"),
            ChangeKind::Set => (sets, "set", "writes::<T>()"),
            ChangeKind::Remove => (removes, "remove", "removes::<T>()"),
        };
        if !declared.contains(&component) {
            return Err(self.undeclared(&format!("{what} {:?}", T::NAME), declare));
        }
        self.effects.changes.add(kind, component, TypeId::of::<T>(), id, block);
        Ok(())
    }

    /// Creates an entity from a config, which the world adopts after the run.
    ///
    /// # Errors
    /// If the config has a fault, or loads a component the system did not declare it creates.
    pub fn create(&mut self, config: &Config<'_>) -> Result<EntityId, EffectError> {
        self.take_room()?;
        let mut prepared = std::mem::take(&mut self.scratch);
        let shared = self.shared.clone();
        let made = shared.factory.prepare(&shared.registry, shared.heap(), config, &mut prepared);
        let made = made.map_err(|error| EffectError::Create {
            system: self.name.to_string(),
            error: shared.factory.with_nearest(error),
        });
        let result = made.and_then(|()| match self.permit_creation(&prepared.components) {
            Ok(()) => Ok(self.stage(&prepared)),
            Err(error) => {
                prepared.release_lists(&shared.registry, &shared.lists);
                Err(error)
            }
        });
        self.scratch = prepared;
        result
    }

    /// Creates an entity without a type from values, which the world adopts after the run.
    ///
    /// # Errors
    /// If the scene has classes, under which every entity has the type of a template and is made by
    /// [`create`](Self::create), or the system did not declare that it creates these components.
    #[inline]
    pub fn spawn<B: Bundle>(&mut self, bundle: B) -> Result<EntityId, EffectError> {
        if self.effects.last_spawned.as_ref().is_none_or(|last| last.rust_type != TypeId::of::<B>()) {
            self.effects.last_spawned = Some(self.prepare_to_spawn::<B>()?);
        }
        self.take_room()?;
        let id = self.ids.take();
        let Effects { staged, last_spawned, created, .. } = &mut self.effects;
        if let Some(last) = last_spawned {
            let staged = &mut staged[last.staged];
            staged.ids.push(id);
            staged.columns[0].extend_from_slice(bytemuck::bytes_of(&Entity::new(0, false, false)));
            bundle.give(&mut IntoColumns { columns: &mut staged.columns, of: &last.columns });
            created.push(id);
        }
        Ok(id)
    }

    #[cold]
    fn prepare_to_spawn<B: Bundle>(&mut self) -> Result<LastSpawned, EffectError> {
        if self.shared.factory.has_classes() {
            return Err(EffectError::Create { system: self.name.to_string(), error: CreateError::NoType });
        }
        let mut parts = Vec::with_capacity(8);
        for (rust_type, name) in B::types() {
            let component = self.shared.registry.by_rust_type(rust_type);
            let unknown = || EffectError::Unknown { system: self.name.to_string(), component: name };
            parts.push(component.ok_or_else(unknown)?);
        }
        let mut components = parts.clone();
        components.push(ComponentId::ENTITY);
        components.sort_unstable();
        if let Some(twice) = components.windows(2).find(|pair| pair[0] == pair[1]) {
            let component = self.shared.registry.get(twice[0]).name().to_owned();
            return Err(EffectError::Twice { system: self.name.to_string(), component });
        }
        self.permit_creation(&components)?;
        let staged = self.effects.staged_for(&components);
        let column = |part| components.iter().position(|component| component == part).unwrap_or(0);
        let columns = parts.iter().map(column).collect();
        Ok(LastSpawned { rust_type: TypeId::of::<B>(), staged, columns })
    }

    /// Sends an event to whoever listens for its type, after the run. Nothing is sent by a run that asked for more
    /// effects than a run may.
    pub fn send<E: Any + Send>(&mut self, event: E) {
        if self.take_room().is_ok() {
            self.effects.events.push(Box::new(event));
        }
    }

    /// Reports an error about an entity. A run keeps its first thousand, and counts the others.
    pub fn fail(&mut self, id: EntityId, message: impl Into<String>) {
        self.effects.fail(Some(id), message.into());
    }

    pub(crate) fn fail_all(&mut self, errors: impl IntoIterator<Item = (Option<EntityId>, String)>) {
        errors.into_iter().for_each(|(id, message)| self.effects.fail(id, message));
    }

    /// Counts an effect that is about to be asked for.
    #[inline(always)]
    fn take_room(&mut self) -> Result<(), EffectError> {
        match self.room.checked_sub(1) {
            Some(room) => {
                self.room = room;
                Ok(())
            }
            None => Err(self.flood()),
        }
    }

    #[cold]
    fn flood(&mut self) -> EffectError {
        self.flooded = true;
        EffectError::TooMany(self.name.to_string())
    }

    fn stage(&mut self, prepared: &Prepared) -> EntityId {
        let id = self.ids.take();
        let registry = &self.shared.registry;
        let at = self.effects.staged_for(&prepared.components);
        let staged = &mut self.effects.staged[at];
        let place = staged.ids.len() as u32;
        staged.ids.push(id);
        for (column, (_, block)) in staged.columns.iter_mut().zip(prepared.blocks(registry)) {
            column.extend_from_slice(block);
        }
        if prepared.is_static {
            staged.statics.push(place);
        }
        if prepared.dead {
            staged.dead.push(place);
        }
        self.effects.created.push(id);
        id
    }

    fn permit_creation(&self, components: &[ComponentId]) -> Result<(), EffectError> {
        if self.capabilities.creates_anything {
            let registry = &self.shared.registry;
            return match components.iter().find(|&&c| registry.get(c).load_last) {
                None => Ok(()),
                Some(&c) => {
                    let component = registry.get(c).name().to_owned();
                    Err(EffectError::LoadedLast { system: self.name.to_string(), component })
                }
            };
        }
        let permitted = self.capabilities.creates.as_deref();
        let forbidden = components.iter().find(|&&c| {
            c != ComponentId::ENTITY && !permitted.is_some_and(|permitted| permitted.contains(&c))
        });
        match (forbidden, permitted) {
            (None, Some(_)) => Ok(()),
            (forbidden, _) => {
                let name = forbidden.map_or("entity", |&c| self.shared.registry.get(c).name());
                Err(self.undeclared(&format!("create entities with {name:?}"), "creates([…])"))
            }
        }
    }

    fn component<T: Component>(&self) -> Result<ComponentId, EffectError> {
        let unknown = || EffectError::Unknown { system: self.name.to_string(), component: T::NAME };
        self.shared.registry.of::<T>().ok_or_else(unknown)
    }

    fn undeclared(&self, what: &str, declare: &str) -> EffectError {
        let (what, declare) = (what.to_owned(), declare.to_owned());
        EffectError::Undeclared { system: self.name.to_string(), what, declare }
    }
}
