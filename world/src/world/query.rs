//! Queries of the world thread, outside of systems.

use super::World;
use crate::component::Component;
use crate::id::{ComponentId, EntityId};
use crate::memory::{CompiledQuery, Lent, Query, Reader, StorageToken, select, visit, visit_chunks};
use crate::system::compile_query;
use std::marker::PhantomData;

/// A query of the world thread, kept to be visited again and again: what it found out about the world is reused
/// while nothing changed.
///
/// ```
/// use vivarium_world::{Catalog, Component, ComponentDef, PreparedQuery, World, WorldOptions};
/// # use vivarium_world::{Field, Scalar};
/// # #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)] #[repr(C)] struct Speed(f32);
/// # impl Component for Speed {
/// #     const NAME: &'static str = "speed";
/// #     fn definition() -> ComponentDef { ComponentDef::of::<Self>().field(Field::new("speed", Scalar::F32, 0)) }
/// # }
/// let catalog = Catalog::new().component::<Speed>()?;
/// let mut world = World::new(&catalog, WorldOptions::default())?;
/// world.spawn_batch([(Speed(1.0),), (Speed(2.0),)]);
///
/// let mut speeds = PreparedQuery::<&mut Speed>::new();
/// speeds.each(&mut world, |speed| speed.0 *= 2.0);
/// let mut sum = 0.0;
/// speeds.each(&mut world, |speed| sum += speed.0);
/// assert_eq!(sum, 6.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PreparedQuery<Q> {
    found: Option<Found>,
    query: PhantomData<fn() -> Q>,
}

/// What is known of a world.
struct Found {
    /// Which world, and in which state of its storage.
    token: StorageToken,
    compiled: CompiledQuery,
    borrows: Vec<(ComponentId, bool)>,
    lent: Option<Lent>,
}

impl<Q> Default for PreparedQuery<Q> {
    fn default() -> Self {
        Self { found: None, query: PhantomData }
    }
}

impl<Q: Query> PreparedQuery<Q> {
    /// A query that has not seen a world yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Calls `each` with every member, in row order. Waits for runs that hold a component it visits.
    ///
    /// # Panics
    /// If a component is not registered, one is asked for twice and written, or a run that holds one does not end.
    pub fn each(&mut self, world: &mut World, mut each: impl FnMut(Q::Row<'_>)) {
        visit::<Q>(self.open(world).0, 0, |item, _| each(item));
        self.close(world);
    }

    /// Calls `each` with slices of members that lie side by side, in row order.
    ///
    /// # Panics
    /// As [`each`](Self::each).
    pub fn each_chunk(&mut self, world: &mut World, each: impl FnMut(Q::Chunk<'_>)) {
        visit_chunks::<Q>(self.open(world).0, 0, each);
        self.close(world);
    }

    /// The ids of the members that `choose` says yes to, in row order.
    ///
    /// # Panics
    /// As [`each`](Self::each).
    pub fn select(&mut self, world: &mut World, choose: impl FnMut(Q::Row<'_>) -> bool) -> Vec<EntityId> {
        let chosen = select::<Q>(self.open(world).0, 0, choose);
        self.close(world);
        chosen
    }

    /// Calls `each` with every member, and a way to a component of any other entity.
    ///
    /// # Panics
    /// As [`each`](Self::each); also if the query writes `T`.
    pub fn each_reading<T: Component>(
        &mut self,
        world: &mut World,
        mut each: impl FnMut(Q::Row<'_>, Reader<'_, T>),
    ) {
        let component = world.shared.registry.of::<T>();
        let component = component.unwrap_or_else(|| panic!("component {:?} is not registered", T::NAME));
        world.wait_to_read(component).unwrap_or_else(|hung| panic!("{hung}"));
        let (lent, borrows) = self.open(world);
        assert!(!borrows.contains(&(component, true)), "a query reads {:?} of others and writes it", T::NAME);
        let reader = world.storage.reader::<T>(component);
        visit::<Q>(lent, 0, |item, _| each(item, reader));
        self.close(world);
    }

    /// How many members it has now.
    ///
    /// # Panics
    /// As [`each`](Self::each).
    pub fn count(&mut self, world: &mut World) -> usize {
        self.open(world).0.members(0)
    }

    /// Brings everything up to date. The world is borrowed until the visit is over, and no run holds what is
    /// visited.
    fn open(&mut self, world: &mut World) -> (&mut Lent, &[(ComponentId, bool)]) {
        if self.found.as_ref().is_none_or(|found| !found.token.is_of(&world.storage)) {
            self.found = None;
        }
        let found = self.found.get_or_insert_with(|| Self::find(world));
        for &(component, to_write) in &found.borrows {
            let free = match to_write {
                true => world.wait_to_write(component),
                false => world.wait_to_read(component),
            };
            free.unwrap_or_else(|hung| panic!("{hung}"));
        }
        world.storage.update_mask(&mut found.compiled);
        let mask = found.compiled.cache.mask();
        if found.lent.as_ref().is_some_and(|lent| !lent.is_up_to_date(mask)) {
            found.lent = None;
        }
        let lent = found.lent.get_or_insert_with(|| world.storage.view(&found.borrows, &found.compiled));
        (lent, &found.borrows)
    }

    /// Tells who watches what was written.
    fn close(&mut self, world: &mut World) {
        if let Some(lent) = self.found.as_ref().and_then(|found| found.lent.as_ref()) {
            world.storage.mark_written(lent);
        }
    }

    #[cold]
    fn find(world: &mut World) -> Found {
        let registry = &world.shared.registry;
        let compiled = compile_query("world", false, registry, &Q::terms());
        let compiled = compiled.unwrap_or_else(|error| panic!("{error}"));
        let borrows = compiled.borrows();
        world.storage.watch_for(&compiled);
        Found { token: world.storage.token(), compiled, borrows, lent: None }
    }
}

impl World {
    /// Calls `each` with every member of a query, in row order. To do so often, keep a [`PreparedQuery`].
    ///
    /// # Panics
    /// If a component is not registered, one is asked for twice and written, or a run that holds one does not end.
    pub fn each<Q: Query>(&mut self, each: impl FnMut(Q::Row<'_>)) {
        PreparedQuery::<Q>::new().each(self, each);
    }
}
