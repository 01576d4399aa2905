//! A system before it belongs to a world: kind, timing, parameters, declarations, body.

use super::body::{Body, Each, Named, Outcome, WorkerBody};
use super::parallel::EachInParts;
use super::params::Params;
use super::{EntitySystem, EntityWorkerSystem, Run, System, WorkerSystem};
use crate::component::{Component, Field};
use crate::memory::{ItemTerm, Query};
use crate::world::World;
use std::fmt;

/// Where and over what a system runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SystemKind {
    /// Once a run, on the world thread, with the whole world.
    System,
    /// Over the members of a query, on the world thread. Leaves out static entities.
    EntitySystem,
    /// Over the members of a query, on the worker pool.
    EntityWorker,
    /// Once a run, on the worker pool, over named queries.
    Worker,
}

impl SystemKind {
    /// The kind in words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::EntitySystem => "entity system",
            Self::EntityWorker => "entity worker",
            Self::Worker => "worker",
        }
    }
}

/// When in an update a system runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Phase {
    /// Once a step, with the step's time.
    #[default]
    Fixed,
    /// Once an update, after its steps, with all the time the update was told: for what follows the player's clock
    /// rather than the game's, such as cameras and sounds. It sees the number of the last step.
    Variable,
}

/// One run of a system on the world thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Which tick.
    pub tick: u64,
    /// Milliseconds since its last run.
    pub delta: f64,
    /// Game time in milliseconds.
    pub game_time: f64,
}

/// What a system declares beyond its queries. Components stand by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declared {
    pub(crate) reads: Vec<&'static str>,
    pub(crate) writes: Vec<&'static str>,
    pub(crate) adds: Vec<&'static str>,
    pub(crate) removes: Vec<&'static str>,
    pub(crate) creates: Option<Vec<String>>,
    pub(crate) creates_anything: bool,
    pub(crate) kills: bool,
    pub(crate) exclusive: bool,
    /// Whether a world-thread system said what it reads and writes at all.
    pub(crate) known: bool,
}

/// A system to be registered: made by [`SystemDef::system`] and its siblings, refined by the methods that
/// return it.
pub struct SystemDef {
    pub(crate) name: String,
    pub(crate) kind: SystemKind,
    pub(crate) period: f64,
    pub(crate) first_run: bool,
    pub(crate) params: Params,
    pub(crate) declared: Declared,
    pub(crate) queries: Vec<(String, Vec<ItemTerm>)>,
    pub(crate) should_run: Option<ShouldRun>,
    pub(crate) phase: Phase,
    pub(crate) body: Body,
}

/// Says before a step whether a system wants it.
pub(crate) type ShouldRun = Box<dyn FnMut(&World) -> bool + Send>;

impl fmt::Debug for SystemDef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SystemDef")
            .field("name", &self.name)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

impl SystemDef {
    pub(super) fn new(name: impl Into<String>, kind: SystemKind, body: Body) -> Self {
        let (params, declared, queries) = Default::default();
        let (name, should_run, phase) = (name.into(), None, Phase::Fixed);
        Self { name, kind, period: 0.0, first_run: true, params, declared, queries, should_run, phase, body }
    }

    fn over<Q: Query>(name: impl Into<String>, kind: SystemKind, body: Box<dyn WorkerBody>) -> Self {
        let mut system = Self::new(name, kind, Body::Worker(body));
        system.queries.push((String::new(), Q::terms()));
        system
    }

    /// A system of the world thread.
    pub fn system(name: impl Into<String>, mut system: impl System) -> Self {
        let body = move |world: &mut World, step: &Step| system.update(world, step);
        Self::new(name, SystemKind::System, Body::World(Box::new(body)))
    }

    /// A system over the members of a query, on the world thread.
    pub fn entity_system<S: EntitySystem>(name: impl Into<String>, mut system: S) -> Self {
        let each = move |item: <S::Query as Query>::Row<'_>, run: &mut Run| system.update(item, run);
        Self::over::<S::Query>(name, SystemKind::EntitySystem, Box::new(Each::<S::Query, _>::new(each)))
    }

    /// A system over the members of a query, on the worker pool.
    pub fn entity_worker<S: EntityWorkerSystem>(name: impl Into<String>, mut system: S) -> Self {
        let each = move |item: <S::Query as Query>::Row<'_>, run: &mut Run| system.update(item, run);
        Self::over::<S::Query>(name, SystemKind::EntityWorker, Box::new(Each::<S::Query, _>::new(each)))
    }

    /// A system of the worker pool that runs once a run; add its queries with [`query`](Self::query).
    pub fn worker(name: impl Into<String>, mut system: impl WorkerSystem) -> Self {
        let body = move |queries: &mut Named<'_>, run: &mut Run| system.update(queries, run);
        Self::new(name, SystemKind::Worker, Body::Worker(Box::new(super::body::Once(body))))
    }

    /// A closure over the members of a query, on the worker pool. It returns nothing, or an error that is
    /// reported with its entity.
    ///
    /// ```
    /// use vivarium_world::{Component, ComponentDef, SystemDef, Run};
    /// # use vivarium_world::{Field, Scalar};
    /// # #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)] #[repr(C)] struct X(f32);
    /// # impl Component for X {
    /// #     const NAME: &'static str = "x";
    /// #     fn definition() -> ComponentDef { ComponentDef::of::<Self>().field(Field::new("x", Scalar::F32, 0)) }
    /// # }
    /// let grow = SystemDef::each::<(&mut X,), _>("grow", |(x,), _: &mut Run| x.0 *= 2.0);
    /// ```
    pub fn each<Q, R>(
        name: impl Into<String>,
        each: impl for<'a> FnMut(Q::Row<'a>, &mut Run) -> R + Send + 'static,
    ) -> Self
    where
        Q: Query + 'static,
        R: Outcome,
    {
        Self::over::<Q>(name, SystemKind::EntityWorker, Box::new(Each::<Q, _>::new(each)))
    }

    /// A closure over the members of a query that several threads of the worker pool share: in parts of 256 rows,
    /// claimed as threads have time. Effects are applied in row order, so results do not depend on threads.
    ///
    /// ```
    /// use vivarium_world::{Component, ComponentDef, SystemDef, Run};
    /// # use vivarium_world::{Field, Scalar};
    /// # #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)] #[repr(C)] struct X(f32);
    /// # impl Component for X {
    /// #     const NAME: &'static str = "x";
    /// #     fn definition() -> ComponentDef { ComponentDef::of::<Self>().field(Field::new("x", Scalar::F32, 0)) }
    /// # }
    /// let grow = SystemDef::each_in_parallel::<(&mut X,), _>("grow", |(x,), _: &mut Run| x.0 *= 2.0);
    /// ```
    pub fn each_in_parallel<Q, R>(
        name: impl Into<String>,
        each: impl for<'a> Fn(Q::Row<'a>, &mut Run) -> R + Send + Sync + 'static,
    ) -> Self
    where
        Q: Query + 'static,
        R: Outcome + 'static,
    {
        Self::over::<Q>(name, SystemKind::EntityWorker, Box::new(EachInParts::<Q, _>::new(each)))
    }

    /// A closure over the members of a query, on the world thread.
    pub fn each_on_world_thread<Q, R>(
        name: impl Into<String>,
        each: impl for<'a> FnMut(Q::Row<'a>, &mut Run) -> R + Send + 'static,
    ) -> Self
    where
        Q: Query + 'static,
        R: Outcome,
    {
        Self::over::<Q>(name, SystemKind::EntitySystem, Box::new(Each::<Q, _>::new(each)))
    }

    /// Adds a named query.
    pub fn query<Q: Query>(mut self, name: impl Into<String>) -> Self {
        self.queries.push((name.into(), Q::terms()));
        self
    }

    /// Runs it at most every so many milliseconds; 0 runs it every time.
    pub fn every(mut self, milliseconds: f64) -> Self {
        self.period = milliseconds;
        self
    }

    /// Runs it once an update, after the update's steps, instead of once a step. A system with an update of each
    /// kind is two systems that share what they need.
    ///
    /// Without fixed steps both run once an update, those of the variable phase after all others.
    pub fn variable(mut self) -> Self {
        self.phase = Phase::Variable;
        self
    }

    /// Waits for a whole period before the first run.
    pub fn not_at_once(mut self) -> Self {
        self.first_run = false;
        self
    }

    /// Asks a closure before each step whether the system wants it; the time of a step it does not want is lost.
    pub fn should_run(mut self, wants: impl FnMut(&World) -> bool + Send + 'static) -> Self {
        self.should_run = Some(Box::new(wants));
        self
    }

    /// Adds a live parameter; it starts with its field's default value.
    pub fn param(mut self, field: Field) -> Self {
        self.params.push(field);
        self
    }

    /// Reads a component of other entities, or, for a system of the world thread, any.
    pub fn reads<T: Component>(mut self) -> Self {
        self.declared.reads.push(T::NAME);
        self.declared.known = true;
        self
    }

    /// Writes a component other than through its queries: by `Run::set`, or, on the world thread, at all.
    pub fn writes<T: Component>(mut self) -> Self {
        self.declared.writes.push(T::NAME);
        self.declared.known = true;
        self
    }

    /// May add a component.
    pub fn adds<T: Component>(mut self) -> Self {
        self.declared.adds.push(T::NAME);
        self
    }

    /// May remove a component.
    pub fn removes<T: Component>(mut self) -> Self {
        self.declared.removes.push(T::NAME);
        self
    }

    /// May create entities of these components, by name.
    pub fn creates<N: Into<String>>(mut self, components: impl IntoIterator<Item = N>) -> Self {
        self.declared.creates.get_or_insert_default().extend(components.into_iter().map(Into::into));
        self
    }

    /// May create entities of any components, and so runs alone.
    pub fn creates_anything(mut self) -> Self {
        self.declared.creates_anything = true;
        self
    }

    /// May kill entities.
    pub fn kills(mut self) -> Self {
        self.declared.kills = true;
        self
    }

    /// Runs alone.
    pub fn exclusive(mut self) -> Self {
        self.declared.exclusive = true;
        self
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Gives it another name.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }
}
