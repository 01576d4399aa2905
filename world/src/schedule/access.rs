//! What a system touches, as far as other systems need to know.

use super::component_set::ComponentSet;
use crate::id::ComponentId;

/// What a system reads, writes, creates and kills.
///
/// ```
/// use vivarium_world::{Access, ComponentId, QueryAccess};
///
/// let (position, velocity) = (ComponentId(1), ComponentId(2));
/// let moves = Access::new().query(QueryAccess::new().required([position, velocity])).write(position);
/// let draws = Access::new().query(QueryAccess::new().required([position]));
/// assert!(moves.conflict(&draws).is_some());
/// assert!(draws.conflict(&draws).is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Everything: what the queries name, `explicit_reads` and `entity`.
    reads: ComponentSet,
    explicit_reads: ComponentSet,
    writes: ComponentSet,
    creates: Creates,
    kills: bool,
    alone: Option<Alone>,
    queries: Vec<QueryAccess>,
}

/// The components of the entities a system may create.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Creates {
    /// It creates none.
    #[default]
    None,
    /// Entities with some of these; `entity` is among them.
    These(ComponentSet),
    /// Any entity.
    Anything,
}

/// Why a system runs alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alone {
    /// It asked for it.
    Declared,
    /// Nobody knows what it reads or writes.
    UnknownAccess,
    /// It may create any entity.
    CreatesAnything,
    /// It may add any component.
    AddsAnything,
}

/// The components a query of a system names. What it writes of them is said with [`Access::write`].
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct QueryAccess {
    /// Members have all of these.
    pub required: ComponentSet,
    /// Members may have these.
    pub optional: ComponentSet,
    /// Members have none of these.
    pub without: ComponentSet,
}

impl QueryAccess {
    /// A query every entity is a member of.
    pub const fn new() -> Self {
        Self { required: ComponentSet::new(), optional: ComponentSet::new(), without: ComponentSet::new() }
    }

    /// Members have all of these.
    pub fn required(mut self, components: impl IntoIterator<Item = ComponentId>) -> Self {
        self.required.extend(components);
        self
    }

    /// Members may have these.
    pub fn optional(mut self, components: impl IntoIterator<Item = ComponentId>) -> Self {
        self.optional.extend(components);
        self
    }

    /// Members have none of these.
    pub fn without(mut self, components: impl IntoIterator<Item = ComponentId>) -> Self {
        self.without.extend(components);
        self
    }

    /// Every component it names in any way.
    pub fn named(&self) -> ComponentSet {
        self.required.union(&self.optional).union(&self.without)
    }
}

impl Access {
    /// The access of a system that touches nothing.
    pub fn new() -> Self {
        Self {
            reads: ComponentSet::from([ComponentId::ENTITY]),
            explicit_reads: ComponentSet::new(),
            writes: ComponentSet::new(),
            creates: Creates::None,
            kills: false,
            alone: None,
            queries: Vec::new(),
        }
    }

    /// The access of a system nobody knows anything about: it runs alone.
    pub fn unknown() -> Self {
        Self::new().runs_alone(Alone::UnknownAccess)
    }

    /// Everything that this or another touches, as one. Neither creates, kills or runs alone.
    pub(crate) fn and(mut self, other: &Self) -> Self {
        debug_assert!(!other.may_create() && !other.may_kill() && other.alone().is_none());
        self.reads = self.reads.union(&other.reads);
        self.explicit_reads = self.explicit_reads.union(&other.explicit_reads);
        self.writes = self.writes.union(&other.writes);
        self.queries.extend(other.queries.iter().cloned());
        self
    }

    /// Reads a component outside the queries, such as one of another entity.
    pub fn read(mut self, component: ComponentId) -> Self {
        self.explicit_reads.insert(component);
        self.reads.insert(component);
        self
    }

    /// Writes a component, in a query or outside.
    pub fn write(mut self, component: ComponentId) -> Self {
        self.writes.insert(component);
        self
    }

    /// Has this query; everything it names is read.
    pub fn query(mut self, query: QueryAccess) -> Self {
        self.reads = self.reads.union(&query.named());
        self.queries.push(query);
        self
    }

    /// May add these components to entities, which counts as writing them.
    pub fn adds(mut self, components: impl IntoIterator<Item = ComponentId>) -> Self {
        self.writes.extend(components);
        self
    }

    /// May remove these components from entities, which counts as writing them.
    pub fn removes(self, components: impl IntoIterator<Item = ComponentId>) -> Self {
        self.adds(components)
    }

    /// May create entities made of `entity` and some of these components.
    pub fn creates(mut self, components: impl IntoIterator<Item = ComponentId>) -> Self {
        let mut created = match self.creates {
            Creates::Anything => return self,
            Creates::These(created) => created,
            Creates::None => ComponentSet::from([ComponentId::ENTITY]),
        };
        created.extend(components);
        self.creates = Creates::These(created);
        self
    }

    /// May create any entity, and so runs alone.
    pub fn creates_anything(mut self) -> Self {
        self.creates = Creates::Anything;
        self.runs_alone(Alone::CreatesAnything)
    }

    /// May add any component, and so runs alone.
    pub fn adds_anything(self) -> Self {
        self.runs_alone(Alone::AddsAnything)
    }

    /// May kill entities.
    pub fn kills(mut self) -> Self {
        self.kills = true;
        self
    }

    /// Runs alone, whatever it touches.
    pub fn exclusive(self) -> Self {
        self.runs_alone(Alone::Declared)
    }

    /// The first reason given is kept.
    fn runs_alone(mut self, why: Alone) -> Self {
        self.alone = self.alone.or(Some(why));
        self
    }

    /// Everything it reads: all its queries name, what it declares beside them, and `entity`.
    pub fn reads(&self) -> &ComponentSet {
        &self.reads
    }

    /// What it reads by name: [`reads`](Self::reads), with `entity` only if it names it.
    pub fn named_reads(&self) -> ComponentSet {
        self.queries.iter().fold(self.explicit_reads.clone(), |reads, query| reads.union(&query.named()))
    }

    /// What it reads outside its queries.
    pub fn explicit_reads(&self) -> &ComponentSet {
        &self.explicit_reads
    }

    /// What it writes, adds or removes.
    pub fn writes(&self) -> &ComponentSet {
        &self.writes
    }

    /// What it may create.
    pub fn created(&self) -> &Creates {
        &self.creates
    }

    /// The components it may create if there is a list of them.
    pub(super) fn created_components(&self) -> Option<&ComponentSet> {
        match &self.creates {
            Creates::These(components) => Some(components),
            Creates::None | Creates::Anything => None,
        }
    }

    /// Whether it may create entities.
    pub fn may_create(&self) -> bool {
        self.creates != Creates::None
    }

    /// Whether it may kill entities.
    pub fn may_kill(&self) -> bool {
        self.kills
    }

    /// Why it runs alone; none if it does not.
    pub fn alone(&self) -> Option<Alone> {
        self.alone
    }

    /// Its queries.
    pub fn queries(&self) -> &[QueryAccess] {
        &self.queries
    }
}

impl Default for Access {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: ComponentId = ComponentId(1);
    const B: ComponentId = ComponentId(2);
    const C: ComponentId = ComponentId(3);
    const D: ComponentId = ComponentId(4);

    #[test]
    fn reads_include_everything_a_query_names_the_extras_and_entity() {
        let query = QueryAccess::new().required([A]).optional([B]).without([C]);
        let access = Access::new().query(query).read(D);
        assert_eq!(access.reads(), &ComponentSet::from([ComponentId::ENTITY, A, B, C, D]));
        assert_eq!(access.named_reads(), ComponentSet::from([A, B, C, D]));
        assert_eq!(Access::new().reads(), &ComponentSet::from([ComponentId::ENTITY]));
    }

    #[test]
    fn additions_and_removals_are_writes() {
        let access = Access::new().adds([A]).removes([B]).write(C);
        assert_eq!(access.writes(), &ComponentSet::from([A, B, C]));
    }

    #[test]
    fn entity_is_always_among_the_creations() {
        let created = Creates::These(ComponentSet::from([ComponentId::ENTITY, A]));
        assert_eq!(Access::new().creates([A]).created(), &created);
        assert_eq!(Access::new().creates([]).creates([A]).created(), &created);
        assert_eq!(Access::new().created(), &Creates::None);
    }

    #[test]
    fn what_may_touch_anything_runs_alone() {
        assert_eq!(Access::unknown().alone(), Some(Alone::UnknownAccess));
        assert_eq!(Access::new().creates_anything().alone(), Some(Alone::CreatesAnything));
        assert_eq!(Access::new().adds_anything().alone(), Some(Alone::AddsAnything));
        assert_eq!(Access::new().exclusive().alone(), Some(Alone::Declared));
        assert_eq!(Access::new().creates([A]).adds([B]).kills().alone(), None);
        assert_eq!(Access::new().creates_anything().creates([A]).created(), &Creates::Anything);
    }
}
