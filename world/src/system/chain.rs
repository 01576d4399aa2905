//! Several updates of the same rows in one system, tile by tile: what a step wrote is still in the cache when the
//! next one reads it.

use super::body::{Body, Lifecycle, Work, Worker, WorkerBody, report_failed};
use super::definition::{SystemDef, SystemKind};
use super::each::Each;
use super::kinds::Outcome;
use super::run::Run;
use super::tiles::{Progress, TileBody, tile_end};
use crate::memory::{ItemTerm, Query};
use std::any::Any;

/// Updates for one system to do one after another, each over a query of its own; see [`SystemDef::chain`].
#[derive(Default)]
pub struct Chain {
    steps: Vec<Box<dyn TileBody + Send>>,
    queries: Vec<(String, Vec<ItemTerm>)>,
}

impl Chain {
    /// A chain without updates.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an update of every member of a query. It returns nothing, or an error that is reported with its entity.
    pub fn then<Q, R>(
        mut self,
        update: impl for<'a> FnMut(Q::Row<'a>, &mut Run) -> R + Send + 'static,
    ) -> Self
    where
        Q: Query + 'static,
        R: Outcome + 'static,
    {
        self.queries.push((format!("step {}", self.steps.len() + 1), Q::terms()));
        self.steps.push(Box::new(Each::<Q, _>::new(update)));
        self
    }
}

impl Lifecycle for Chain {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

impl WorkerBody for Chain {
    fn run(&mut self, work: &mut Work<'_>, run: &mut Run) {
        let lent = &mut *work.lent;
        let steps = self.steps.iter_mut().enumerate();
        let mut steps: Vec<_> = steps.map(|(query, step)| (query, Progress::default(), step)).collect();
        steps.iter_mut().for_each(|(_, _, step)| step.begin(run));
        loop {
            let rows = steps.iter().filter_map(|(query, progress, _)| progress.row(lent, *query));
            let Some(next) = rows.min() else { break };
            for (query, progress, step) in &mut steps {
                step.update(lent, *query, progress, tile_end(next), run);
            }
        }
        for (query, progress, _) in steps {
            report_failed(lent, query, progress.failed, run);
        }
    }
}

impl SystemDef {
    /// A system of the worker pool that does the updates of a chain tile by tile: all of them over some rows, then
    /// all over the next.
    ///
    /// That is faster than as many systems where there are more rows than fit the cache, and gives the same
    /// results, since each update touches its own row only and effects wait until all is done.
    ///
    /// ```
    /// use vivarium_world::{Chain, Component, ComponentDef, SystemDef, Run};
    /// # use vivarium_world::{Field, Scalar};
    /// # #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)] #[repr(C)] struct X(f32);
    /// # impl Component for X {
    /// #     const NAME: &'static str = "x";
    /// #     fn definition() -> ComponentDef { ComponentDef::of::<Self>().field(Field::new("x", Scalar::F32, 0)) }
    /// # }
    /// let steps = Chain::new()
    ///     .then::<&mut X, _>(|x, _: &mut Run| x.0 *= 2.0)
    ///     .then::<&mut X, _>(|x, _: &mut Run| x.0 += 1.0);
    /// let system = SystemDef::chain("spring", steps);
    /// ```
    pub fn chain(name: impl Into<String>, mut chain: Chain) -> Self {
        let queries = std::mem::take(&mut chain.queries);
        let mut system = Self::new(name, SystemKind::Worker, Body::Worker(Worker::new(chain)));
        system.queries = queries;
        system
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Catalog;
    use crate::component::{Component, ComponentDef, Field, Scalar};
    use crate::world::{World, WorldOptions};

    #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
    #[repr(C)]
    struct A(u32);
    #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
    #[repr(C)]
    struct B(u32);

    impl Component for A {
        const NAME: &'static str = "a";
        fn definition() -> ComponentDef {
            ComponentDef::of::<Self>().field(Field::new("a", Scalar::U32, 0))
        }
    }
    impl Component for B {
        const NAME: &'static str = "b";
        fn definition() -> ComponentDef {
            ComponentDef::of::<Self>().field(Field::new("b", Scalar::U32, 0))
        }
    }

    /// Entities of both kinds and of one, with holes of all sizes among them.
    fn world() -> World {
        let catalog = Catalog::new().component::<A>().and_then(Catalog::component::<B>).unwrap();
        let mut world = World::new(&catalog, WorldOptions { threads: 1, ..WorldOptions::default() }).unwrap();
        let both = world.spawn_batch((0..3000).map(|n| (A(n), B(1))));
        let one = world.spawn_batch((0..2000).map(|n| (A(n),)));
        both.iter().step_by(3).chain(one.iter().step_by(7)).for_each(|&id| _ = world.remove(id));
        both[1000..1700].iter().for_each(|&id| _ = world.remove(id));
        world
    }

    fn one(a: &mut A) {
        a.0 = a.0.wrapping_mul(3) + 1;
    }
    fn two(b: &mut B, a: &A) {
        b.0 = b.0.wrapping_add(a.0);
    }
    fn three(a: &mut A, b: Option<&B>) {
        a.0 ^= b.map_or(7, |b| b.0);
    }

    #[test]
    fn a_chain_gives_what_its_steps_give_as_systems_of_their_own() {
        let mut apart = world();
        let systems = [
            SystemDef::each::<&mut A, _>("one", |a, _: &mut Run| one(a)),
            SystemDef::each::<(&mut B, &A), _>("two", |(b, a), _: &mut Run| two(b, a)),
            SystemDef::each::<(&mut A, Option<&B>), _>("three", |(a, b), _: &mut Run| three(a, b)),
        ];
        systems.into_iter().for_each(|system| _ = apart.add_system(system).unwrap());
        let mut joined = world();
        let steps = Chain::new()
            .then::<&mut A, _>(|a, _: &mut Run| one(a))
            .then::<(&mut B, &A), _>(|(b, a), _: &mut Run| two(b, a))
            .then::<(&mut A, Option<&B>), _>(|(a, b), _: &mut Run| three(a, b));
        joined.add_system(SystemDef::chain("all", steps)).unwrap();
        for _ in 0..3 {
            apart.step();
            joined.step();
        }
        assert_eq!(joined.state_hash(), apart.state_hash());
    }

    #[test]
    fn a_step_that_fails_is_reported_with_its_entity_and_the_rest_goes_on() {
        let mut world = world();
        let steps = Chain::new()
            .then::<&mut A, _>(|a, _: &mut Run| if a.0 == 2 { Err("two".to_owned()) } else { Ok(()) })
            .then::<(&mut B, &A), _>(|(b, _), _: &mut Run| b.0 = 9);
        world.add_system(SystemDef::chain("all", steps)).unwrap();
        world.step();
        world.settle();
        let (errors, _) = world.take_errors();
        assert_eq!(errors.len(), 2, "{errors:?}");
        let (id, _) = errors[0].entity.unwrap();
        assert_eq!(world.get::<A>(id).map(|a| a.0), Some(2));
        let mut nines = true;
        world.each::<&B>(|b| nines &= b.0 == 9);
        assert!(nines);
    }
}
