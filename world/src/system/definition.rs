//! A system before it belongs to a world: kind, timing, parameters, declarations, body.

use super::asynchronous::{Absent, OpenRun};
use super::body::{Body, Worker, WorkerBody};
use super::each::{Each, EachChunk, EachOf, EachWith, Once};
use super::iterable::Items;
use super::kinds::{EntitySystem, IterableSystem, Outcome, System, WorkerSystem};
use super::parallel::EachInParts;
use super::params::Params;
use super::run::Run;
use super::spec::QuerySpec;
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
    /// Over a list of items, on the world thread, with the whole world.
    Iterable,
    /// Over named queries, wherever whoever is handed its runs finishes them.
    Asynchronous,
}

impl SystemKind {
    /// Whether its runs are over the members of a main query.
    pub(crate) const fn is_over_members(self) -> bool {
        matches!(self, Self::EntitySystem | Self::EntityWorker)
    }

    /// Whether its runs are on the world thread.
    pub(crate) const fn is_on_world_thread(self) -> bool {
        matches!(self, Self::System | Self::EntitySystem | Self::Iterable)
    }

    /// Whether its runs have the whole world.
    pub(crate) const fn has_world(self) -> bool {
        matches!(self, Self::System | Self::Iterable)
    }

    /// The kind in words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::EntitySystem => "entity system",
            Self::EntityWorker => "entity worker",
            Self::Worker => "worker",
            Self::Iterable => "iterable system",
            Self::Asynchronous => "asynchronous system",
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
    pub(crate) writes_at_once: Vec<&'static str>,
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
    /// Queries that name components, by place in `queries`.
    pub(crate) specs: Vec<(usize, QuerySpec)>,
    pub(crate) should_run: Option<ShouldRun>,
    pub(crate) phase: Phase,
    /// Whether its runs hear who joined and left its queries.
    pub(crate) hears_changes: bool,
    /// Whether it is told who joins and leaves its main query at once.
    pub(crate) links: bool,
    /// Whether several threads share its runs.
    pub(crate) in_parts: bool,
    /// Whether members are visited in creation order rather than in row order.
    pub(crate) in_order: bool,
    /// Members of a batch; none does all at once.
    pub(crate) batch: Option<usize>,
    /// Milliseconds after which a run on the world thread goes on in the next update, and the items between two
    /// looks at the clock.
    pub(crate) budget: Option<f64>,
    pub(crate) check_every: usize,
    /// What is handed each run of an asynchronous system.
    pub(crate) starter: Option<Starter>,
    /// Indexes and grids its runs use.
    pub(crate) indexes: Vec<String>,
    pub(crate) grids: Vec<String>,
    /// Components, by name, without a change of which it does not run.
    pub(crate) observes: Vec<&'static str>,
    /// Whether it does without the code compiled for newer processors.
    pub(crate) baseline: bool,
    pub(crate) body: Body,
}

/// Takes the runs of an asynchronous system.
pub(crate) type Starter = Box<dyn FnMut(OpenRun) + Send>;

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
    pub(crate) fn new(name: impl Into<String>, kind: SystemKind, body: Body) -> Self {
        let (params, declared, queries) = Default::default();
        Self {
            name: name.into(),
            kind,
            period: 0.0,
            first_run: true,
            params,
            declared,
            queries,
            specs: Vec::new(),
            should_run: None,
            phase: Phase::Fixed,
            hears_changes: false,
            links: false,
            in_parts: false,
            in_order: false,
            batch: None,
            budget: None,
            check_every: 32,
            starter: None,
            indexes: Vec::new(),
            grids: Vec::new(),
            observes: Vec::new(),
            baseline: false,
            body,
        }
    }

    fn over<Q: Query>(name: impl Into<String>, kind: SystemKind, body: impl WorkerBody + 'static) -> Self {
        let mut system = Self::new(name, kind, Body::Worker(Worker::new(body)));
        system.queries.push((String::new(), Q::terms()));
        system
    }

    /// A system of the world thread.
    pub fn system(name: impl Into<String>, system: impl System) -> Self {
        Self::new(name, SystemKind::System, Body::World(Box::new(system)))
    }

    /// A system over the members of a query, on the world thread.
    pub fn entity_system<S: EntitySystem>(name: impl Into<String>, system: S) -> Self {
        Self::over_system(name, SystemKind::EntitySystem, system)
    }

    /// A system over the members of a query, on the worker pool.
    pub fn entity_worker<S: EntitySystem>(name: impl Into<String>, system: S) -> Self {
        Self::over_system(name, SystemKind::EntityWorker, system)
    }

    /// A system of the worker pool that runs once a run; add its queries with [`query`](Self::query).
    pub fn worker<S: WorkerSystem>(name: impl Into<String>, system: S) -> Self {
        let body = Body::Worker(Worker::new(Once(system)));
        Self::new(name, SystemKind::Worker, body).hearing(S::HEARS_CHANGES)
    }

    /// A system of the world thread that works off a list of items, a part an update if it has a
    /// [`budget`](Self::budget).
    pub fn iterable<S: IterableSystem>(name: impl Into<String>, system: S) -> Self {
        Self::new(name, SystemKind::Iterable, Body::Iterable(Box::new(Items::new(system))))
    }

    /// A system whose runs are handed to somebody who finishes them: another thread, another program. `start` is
    /// called on the world thread and does not wait; add the queries with [`query`](Self::query).
    ///
    /// The next run begins when the one before is finished.
    pub fn asynchronous(name: impl Into<String>, start: impl FnMut(OpenRun) + Send + 'static) -> Self {
        let mut system = Self::new(name, SystemKind::Asynchronous, Body::Worker(Worker::new(Absent)));
        system.starter = Some(Box::new(start));
        system
    }

    fn over_system<S: EntitySystem>(name: impl Into<String>, kind: SystemKind, system: S) -> Self {
        let mut system = Self::over::<S::Query>(name, kind, EachOf(system)).hearing(S::HEARS_CHANGES);
        system.links = S::LINKS;
        system
    }

    fn hearing(mut self, hears_changes: bool) -> Self {
        self.hears_changes = hears_changes;
        self
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
        R: Outcome + 'static,
    {
        Self::over::<Q>(name, SystemKind::EntityWorker, Each::<Q, _>::new(each))
    }

    /// As [`each`](Self::each), with something that is the same for all members of a run, such as numbers made of
    /// parameters: `begin` makes it once a run. It is copied for every member, so it is small.
    ///
    /// ```
    /// use vivarium_world::{Component, ComponentDef, Field, FieldValue, SystemDef, Run, Scalar};
    /// # #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)] #[repr(C)] struct X(f32);
    /// # impl Component for X {
    /// #     const NAME: &'static str = "x";
    /// #     fn definition() -> ComponentDef { ComponentDef::of::<Self>().field(Field::new("x", Scalar::F32, 0)) }
    /// # }
    /// let kept = |run: &Run| run.param("damping").powf(run.delta() / 1000.0) as f32;
    /// let fade = SystemDef::each_with::<&mut X, _, _>("fade", kept, |x, kept, _: &mut Run| x.0 *= kept)
    ///     .param(Field::new("damping", Scalar::F64, 0).default_value(FieldValue::Float(0.9)));
    /// ```
    pub fn each_with<Q, P, R>(
        name: impl Into<String>,
        begin: impl FnMut(&Run) -> P + Send + 'static,
        each: impl for<'a> FnMut(Q::Row<'a>, P, &mut Run) -> R + Send + 'static,
    ) -> Self
    where
        Q: Query + 'static,
        P: Copy + Send + 'static,
        R: Outcome + 'static,
    {
        Self::over::<Q>(name, SystemKind::EntityWorker, EachWith::<Q, P, _, _>::new(begin, each))
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
        let mut system = Self::over::<Q>(name, SystemKind::EntityWorker, EachInParts::<Q, _>::new(each));
        system.in_parts = true;
        system
    }

    /// A closure over the members of a query, on the world thread.
    pub fn each_on_world_thread<Q, R>(
        name: impl Into<String>,
        each: impl for<'a> FnMut(Q::Row<'a>, &mut Run) -> R + Send + 'static,
    ) -> Self
    where
        Q: Query + 'static,
        R: Outcome + 'static,
    {
        Self::over::<Q>(name, SystemKind::EntitySystem, Each::<Q, _>::new(each))
    }

    /// A closure over slices of members that lie side by side, on the worker pool: the slices, and their length, at
    /// most 512. Where a slice ends depends on the rows of the members alone.
    ///
    /// ```
    /// use vivarium_world::{Component, ComponentDef, SystemDef, Run};
    /// # use vivarium_world::{Field, Scalar};
    /// # #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)] #[repr(C)] struct X(f32);
    /// # impl Component for X {
    /// #     const NAME: &'static str = "x";
    /// #     fn definition() -> ComponentDef { ComponentDef::of::<Self>().field(Field::new("x", Scalar::F32, 0)) }
    /// # }
    /// let grow = SystemDef::each_chunk::<(&mut X,), _>("grow", |(xs, _len), _: &mut Run| {
    ///     xs.iter_mut().for_each(|x| x.0 *= 2.0)
    /// });
    /// ```
    pub fn each_chunk<Q, R>(
        name: impl Into<String>,
        each: impl for<'a> FnMut(Q::Chunk<'a>, &mut Run) -> R + Send + 'static,
    ) -> Self
    where
        Q: Query + 'static,
        R: Outcome + 'static,
    {
        Self::over::<Q>(name, SystemKind::EntityWorker, EachChunk::<Q, _>::new(each))
    }

    /// Visits members in creation order instead of row order, which is slower.
    pub fn in_order(mut self) -> Self {
        self.in_order = true;
        self
    }

    /// Runs only after a component `T` was written, added or removed since its last run, by anyone but itself; its
    /// time accumulates meanwhile. Named more than once, any of the components will do.
    pub fn when_changed<T: Component>(mut self) -> Self {
        self.observes.push(T::NAME);
        self
    }

    /// Lets a run on the world thread take so many milliseconds an update, measured on the world's clock; what is left
    /// of it goes on in the next update, with the time it began with. For systems over items and entity systems that
    /// do not work in batches. Which update does what depends on the machine then.
    pub fn budget(mut self, milliseconds: f64) -> Self {
        self.budget = Some(milliseconds.max(0.0));
        self
    }

    /// Looks at the clock after so many items, 32 unless it is set.
    pub fn check_every(mut self, items: usize) -> Self {
        self.check_every = items.max(1);
        self
    }

    /// Works in batches: a pass over the members that are there when it begins goes over so many of them an update,
    /// whatever the period, and keeps its time. Whoever left meanwhile still counts; newcomers wait for the next
    /// pass. The effects of each batch are applied by themselves.
    pub fn work_batch(mut self, members: usize) -> Self {
        self.batch = Some(members.max(1));
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

    /// Has its updates done by the code that any processor of the kind can run. By default the loops over members are
    /// compiled for AVX2 as well, and that is used where there is such a processor: most are faster for it, but
    /// inverses of 4x4 matrices, say, are slower. Measure before you ask for this.
    pub fn baseline(mut self) -> Self {
        self.baseline = true;
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
