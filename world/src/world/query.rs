//! Queries of the world thread, outside of systems.

use super::World;
use crate::component::Component;
use crate::id::{ComponentId, EntityId};
use crate::memory::{CompiledQuery, Lent, LookupPlan, Lookups, Query, StorageToken, visit, visit_chunks};
use crate::system::compile_query;
use std::any::TypeId;
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
    reads: Vec<(TypeId, &'static str)>,
    query: PhantomData<fn() -> Q>,
}

/// What is known of a world.
struct Found {
    /// Which world, and in which state of its storage.
    token: StorageToken,
    compiled: CompiledQuery,
    borrows: Vec<(ComponentId, bool)>,
    lookups: Vec<LookupPlan>,
    lent: Option<Lent>,
}

/// Components of any entity, for a query that [`reads`](PreparedQuery::reads) them.
pub struct Others(Lookups);

impl Others {
    /// A copy of a component of an entity; none if the entity is gone or does not have it.
    ///
    /// # Panics
    /// If the query does not say that it reads `T`.
    #[inline]
    pub fn read<T: Component>(&self, id: EntityId) -> Option<T> {
        let place = self.0.place_of::<T>();
        let place = place.unwrap_or_else(|| panic!("the query does not say that it reads {:?}", T::NAME));
        self.0.read(place, id)
    }
}

impl<Q> Default for PreparedQuery<Q> {
    fn default() -> Self {
        Self { found: None, reads: Vec::new(), query: PhantomData }
    }
}

impl<Q: Query> PreparedQuery<Q> {
    /// A query that has not seen a world yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a component of entities other than the one at hand, by [`each_with_others`](Self::each_with_others).
    pub fn reads<T: Component>(mut self) -> Self {
        self.reads.push((TypeId::of::<T>(), T::NAME));
        self.found = None;
        self
    }

    /// Calls `each` with every member, in row order. Waits for runs that hold a component it visits.
    ///
    /// # Panics
    /// If a component is not registered, or one is asked for twice and written.
    pub fn each(&mut self, world: &mut World, mut each: impl FnMut(Q::Row<'_>)) {
        visit::<Q>(self.open(world), 0, |item, _| each(item));
        self.close(world);
    }

    /// Calls `each` with slices of members that lie side by side, in row order.
    ///
    /// # Panics
    /// As [`each`](Self::each).
    pub fn each_chunk(&mut self, world: &mut World, each: impl FnMut(Q::Chunk<'_>)) {
        visit_chunks::<Q>(self.open(world), 0, each);
        self.close(world);
    }

    /// Calls `each` with every member and a way to components of other entities.
    ///
    /// # Panics
    /// As [`each`](Self::each); also if it reads a component that it writes.
    pub fn each_with_others(&mut self, world: &mut World, mut each: impl FnMut(Q::Row<'_>, &Others)) {
        self.open(world);
        let others = match &mut self.found {
            Some(found) => Others(world.storage.lookups(&mut found.lookups)),
            None => return,
        };
        visit::<Q>(self.open(world), 0, |item, _| each(item, &others));
        self.close(world);
    }

    /// How many members it has now.
    ///
    /// # Panics
    /// As [`each`](Self::each).
    pub fn count(&mut self, world: &mut World) -> usize {
        self.open(world).members(0)
    }

    /// Brings everything up to date. The world is borrowed until the visit is over, and no run holds what is
    /// visited.
    fn open(&mut self, world: &mut World) -> &mut Lent {
        let found = match self.found.take().filter(|found| found.token.is_of(&world.storage)) {
            Some(found) => found,
            None => self.find(world),
        };
        let found = self.found.insert(found);
        for &(component, to_write) in &found.borrows {
            match to_write {
                true => world.wait_to_write(component),
                false => world.wait_to_read(component),
            }
        }
        world.storage.update_mask(&mut found.compiled);
        let mask = found.compiled.cache.mask();
        if found.lent.as_ref().is_some_and(|lent| !lent.is_up_to_date(mask)) {
            found.lent = None;
        }
        found.lent.get_or_insert_with(|| world.storage.view(&found.borrows, &found.compiled))
    }

    /// Tells who watches what was written.
    fn close(&mut self, world: &mut World) {
        if let Some(lent) = self.found.as_ref().and_then(|found| found.lent.as_ref()) {
            world.storage.mark_written(lent);
        }
    }

    #[cold]
    fn find(&self, world: &mut World) -> Found {
        let registry = &world.shared.registry;
        let compiled = compile_query("world", false, registry, &Q::terms());
        let compiled = compiled.unwrap_or_else(|error| panic!("{error}"));
        let mut borrows = compiled.borrows();
        let mut lookups = Vec::new();
        for &(rust_type, name) in &self.reads {
            let component = registry.by_rust_type(rust_type);
            let component = component.unwrap_or_else(|| panic!("component {name:?} is not registered"));
            assert!(!borrows.contains(&(component, true)), "a query reads {name:?} of others and writes it");
            if !borrows.contains(&(component, false)) {
                borrows.push((component, false));
            }
            lookups.push(LookupPlan::new(component, Some(rust_type)));
        }
        world.storage.watch_for(&compiled);
        Found { token: world.storage.token(), compiled, borrows, lookups, lent: None }
    }
}

impl World {
    /// Calls `each` with every member of a query, in row order. To do so often, keep a [`PreparedQuery`].
    ///
    /// # Panics
    /// If a component is not registered, or one is asked for twice and written.
    pub fn each<Q: Query>(&mut self, each: impl FnMut(Q::Row<'_>)) {
        PreparedQuery::<Q>::new().each(self, each);
    }
}
