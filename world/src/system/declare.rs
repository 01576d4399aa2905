//! What a system declares: its queries, and what its runs may touch and ask for beyond them.

use super::body::Body;
use super::definition::SystemDef;
use super::filter::Filter;
use crate::component::Component;
use crate::memory::Query;

impl SystemDef {
    /// Adds a named query.
    pub fn query<Q: Query>(mut self, name: impl Into<String>) -> Self {
        self.queries.push((name.into(), Q::terms()));
        self
    }

    /// Leaves out members of the query added last for which `keep` says no. Whom it asks for, as in `&T`, `With<T>`,
    /// `Without<T>` or `EntityId`, counts as required of the members and as read.
    ///
    /// It is asked on the world thread when a run begins, before anything else sees the members.
    pub fn filter<Q: Query + 'static>(
        mut self,
        keep: impl for<'a> FnMut(Q::Row<'a>) -> bool + Send + 'static,
    ) -> Self {
        let query = self.queries.len().saturating_sub(1);
        if let Body::Worker(worker) = &mut self.body {
            worker.filters.push(Filter::new::<Q>(query, keep));
        }
        self
    }

    /// Uses an index of the world, over a field of `T`, in its runs: [`Run::index`](crate::Run::index). It is brought up to date before
    /// each run.
    pub fn uses_index<T: Component>(mut self, name: impl Into<String>) -> Self {
        self.indexes.push(name.into());
        self.reads::<T>()
    }

    /// As [`uses_index`](Self::uses_index), for a grid over fields of `T`: [`Run::grid`](crate::Run::grid).
    pub fn uses_grid<T: Component>(mut self, name: impl Into<String>) -> Self {
        self.grids.push(name.into());
        self.reads::<T>()
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

    /// Writes a component of other entities during the run, by [`Run::write`](crate::Run::write). No query of the system names the
    /// component, and its runs are not shared by several threads.
    pub fn writes_at_once<T: Component>(mut self) -> Self {
        self.declared.writes_at_once.push(T::NAME);
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
}
