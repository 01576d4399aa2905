//! Closures as systems, their queries told from their arguments.

use super::SystemDef;
use super::kinds::Outcome;
use super::run::Run;
use crate::memory::Query;

/// A closure over an item of a query and a run, such as
/// `|(place, speed): (&mut Place, &Speed), run: &mut Run| …`.
///
/// `Marker` is the compiler's to find.
pub trait EntityClosure<Marker>: Send + 'static {
    /// Makes a system of it that runs on the worker pool.
    #[doc(hidden)]
    fn into_worker(self, name: String) -> SystemDef;

    /// Makes a system of it that runs on the world thread.
    #[doc(hidden)]
    fn into_system(self, name: String) -> SystemDef;
}

impl<Q, R, F> EntityClosure<fn(Q) -> R> for F
where
    Q: Query + 'static,
    R: Outcome + 'static,
    F: FnMut(Q, &mut Run) -> R + for<'a> FnMut(Q::Row<'a>, &mut Run) -> R + Send + 'static,
{
    fn into_worker(self, name: String) -> SystemDef {
        SystemDef::each::<Q, R>(name, self)
    }

    fn into_system(self, name: String) -> SystemDef {
        SystemDef::each_on_world_thread::<Q, R>(name, self)
    }
}

/// A system of the worker pool that calls a closure with every entity its first argument asks for. The closure returns
/// nothing, or a result whose error is reported with its entity.
///
/// ```
/// use vivarium_world::{Catalog, Component, ComponentDef, Run, World, WorldOptions, entity_worker};
/// # use vivarium_world::{Field, Scalar};
/// # #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)] #[repr(C)] struct Place(f32);
/// # impl Component for Place {
/// #     const NAME: &'static str = "place";
/// #     fn definition() -> ComponentDef { ComponentDef::of::<Self>().field(Field::new("place", Scalar::F32, 0)) }
/// # }
/// # #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)] #[repr(C)] struct Speed(f32);
/// # impl Component for Speed {
/// #     const NAME: &'static str = "speed";
/// #     fn definition() -> ComponentDef { ComponentDef::of::<Self>().field(Field::new("speed", Scalar::F32, 0)) }
/// # }
/// let catalog = Catalog::new().component::<Place>()?.component::<Speed>()?;
/// let mut world = World::new(&catalog, WorldOptions::default())?;
/// let car = world.spawn((Place(0.0), Speed(2.0)));
/// world.add_system(entity_worker("move", |(place, speed): (&mut Place, &Speed), run: &mut Run| {
///     place.0 += speed.0 * run.delta() as f32;
/// }))?;
/// world.step();
/// assert_eq!(world.get::<Place>(car).map(|place| place.0), Some(32.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn entity_worker<Marker>(name: impl Into<String>, each: impl EntityClosure<Marker>) -> SystemDef {
    each.into_worker(name.into())
}

/// As [`entity_worker`], on the world thread.
pub fn entity_system<Marker>(name: impl Into<String>, each: impl EntityClosure<Marker>) -> SystemDef {
    each.into_system(name.into())
}
