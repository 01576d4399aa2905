//! Runs that several threads share, with a state for each part that is brought together at the end.

use super::body::{Body, Lifecycle, Work, Worker, WorkerBody};
use super::definition::{SystemDef, SystemKind};
use super::parallel::share;
use super::run::Run;
use crate::memory::Query;
use std::any::Any;

/// A system over the members of a query that several threads share, in parts of 256 rows, and that brings together
/// what each part found: sums, greatest values, lists.
///
/// Parts are brought together in row order, so that results do not depend on threads.
///
/// ```
/// use vivarium_world::{Catalog, Component, ComponentDef, ParallelSystem, Run, SystemDef, World, WorldOptions};
/// # use vivarium_world::{Field, Scalar};
/// # #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)] #[repr(C)] struct Mass(f64);
/// # impl Component for Mass {
/// #     const NAME: &'static str = "mass";
/// #     fn definition() -> ComponentDef { ComponentDef::of::<Self>().field(Field::new("mass", Scalar::F64, 0)) }
/// # }
/// struct Total(f64);
///
/// impl ParallelSystem for Total {
///     type Query = &'static Mass;
///     type Part = f64;
///
///     fn update(&self, mass: &Mass, part: &mut f64, _: &mut Run) -> Result<(), String> {
///         *part += mass.0;
///         Ok(())
///     }
///     fn merge(&mut self, parts: Vec<f64>, _: &mut Run) -> Result<(), String> {
///         self.0 = parts.into_iter().sum();
///         Ok(())
///     }
/// }
///
/// let mut world = World::new(&Catalog::new().component::<Mass>()?, WorldOptions { threads: 2, ..Default::default() })?;
/// world.spawn_batch((0..1000).map(|n| (Mass(n as f64),)));
/// world.add_system(SystemDef::parallel("total", Total(0.0)))?;
/// world.step();
/// assert_eq!(world.get_system::<Total>().map(|total| total.0), Some(499_500.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait ParallelSystem: Send + Sync + 'static {
    /// What it asks for of each entity.
    type Query: Query + 'static;
    /// What the updates of one part share.
    type Part: Default + Send + 'static;

    /// Updates one entity.
    ///
    /// # Errors
    /// A sentence, reported with the entity; the next entities are still updated.
    fn update(
        &self,
        item: <Self::Query as Query>::Row<'_>,
        part: &mut Self::Part,
        run: &mut Run,
    ) -> Result<(), String>;

    /// Brings the parts together, in row order, when all are done.
    ///
    /// # Errors
    /// A sentence for the log.
    fn merge(&mut self, parts: Vec<Self::Part>, run: &mut Run) -> Result<(), String>;
}

/// Lets a parallel system go over the first query.
struct Fold<S>(S);

impl<S: ParallelSystem> Lifecycle for Fold<S> {
    fn as_any(&mut self) -> &mut dyn Any {
        &mut self.0
    }
}

impl<S: ParallelSystem> WorkerBody for Fold<S> {
    fn run(&mut self, work: &mut Work<'_>, run: &mut Run) {
        let system = &self.0;
        let update = |item: <S::Query as Query>::Row<'_>, part: &mut S::Part, run: &mut Run| {
            system.update(item, part, run).err()
        };
        let parts = share::<S::Query, S::Part>(work.lent, run, S::Part::default, update);
        if let Err(error) = self.0.merge(parts, run) {
            run.failed = true;
            run.fail_all([(None, error)]);
        }
    }
}

impl SystemDef {
    /// A system over the members of a query that several threads share, see [`ParallelSystem`].
    pub fn parallel<S: ParallelSystem>(name: impl Into<String>, system: S) -> Self {
        let body = Body::Worker(Worker::new(Fold(system)));
        let mut system = Self::new(name, SystemKind::EntityWorker, body);
        system.queries.push((String::new(), S::Query::terms()));
        system.in_parts = true;
        system
    }
}
