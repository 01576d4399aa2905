//! Queries over components that are known by name only.

use super::body::{Body, Lifecycle, Work, Worker, WorkerBody, report_failed};
use super::definition::{SystemDef, SystemKind};
use super::kinds::Outcome;
use super::run::{Run, RunShared};
use super::tiles::Failed;
use crate::component::{Field, number_of, set_number_of};
use crate::id::EntityId;
use crate::memory::{ItemKind, ItemTerm, RowBlocks, visit_blocks};
use std::any::{Any, TypeId};
use std::sync::Arc;

/// A query put together at run time, over components by name: those a scene describes have no type in Rust.
///
/// What it reads and writes are its *terms*, numbered from 0 in the order they are asked for.
///
/// ```
/// use vivarium_world::{Catalog, LoadOptions, QuerySpec, SystemDef, World, WorldOptions};
///
/// let spec = QuerySpec::new().write("cargo").read("mine");
/// let dig = SystemDef::each_block("dig", spec, |blocks, _run| {
///     let rate = blocks.number(1, "rate").unwrap_or(0.0);
///     let ore = blocks.number(0, "ore").unwrap_or(0.0);
///     blocks.set_number(0, "ore", ore + rate);
/// });
/// let mut world = World::new(&Catalog::new(), WorldOptions::default())?;
/// let scene = r#"{ "vivarium": 1, "entities": [{ "ore": 1, "rate": 2 }], "components": {
///     "cargo": { "fields": [{ "name": "ore", "type": "u32" }], "load_keys": ["ore"] },
///     "mine": { "fields": [{ "name": "rate", "type": "f32" }], "load_keys": ["rate"] } } }"#;
/// world.load("scene", scene, &LoadOptions::default())?;
/// world.add_system(dig)?;
/// world.step();
/// # let id = world.entities().next().unwrap();
/// # let cargo = world.registry().by_name("cargo").unwrap();
/// # assert_eq!(world.field(id, cargo, 0).unwrap().to_string(), "3");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct QuerySpec {
    pub(super) terms: Vec<(String, ItemKind)>,
}

impl QuerySpec {
    /// A query every entity is a member of.
    pub fn new() -> Self {
        Self::default()
    }

    fn term(mut self, component: impl Into<String>, kind: ItemKind) -> Self {
        self.terms.push((component.into(), kind));
        self
    }

    /// Members have this component, and it is read.
    pub fn read(self, component: impl Into<String>) -> Self {
        self.term(component, ItemKind::Read)
    }

    /// Members have this component, and it is written.
    pub fn write(self, component: impl Into<String>) -> Self {
        self.term(component, ItemKind::Write)
    }

    /// This component is read where it is there.
    pub fn read_optional(self, component: impl Into<String>) -> Self {
        self.term(component, ItemKind::OptionalRead)
    }

    /// This component is written where it is there.
    pub fn write_optional(self, component: impl Into<String>) -> Self {
        self.term(component, ItemKind::OptionalWrite)
    }

    /// Members have this component; it is a term without a block.
    pub fn with(self, component: impl Into<String>) -> Self {
        self.term(component, ItemKind::With)
    }

    /// Members do not have this component; it is a term without a block.
    pub fn without(self, component: impl Into<String>) -> Self {
        self.term(component, ItemKind::Without)
    }

    /// This component was written since the system last ran; it is a term without a block.
    pub fn changed(self, component: impl Into<String>) -> Self {
        self.term(component, ItemKind::Changed)
    }

    pub(super) fn kinds(&self) -> Arc<[ItemTerm]> {
        let (component, type_name) = (TypeId::of::<Self>(), "a component by name");
        self.terms.iter().map(|&(_, kind)| ItemTerm { component, type_name, kind }).collect()
    }
}

/// The blocks of one member of a [`QuerySpec`], by the number of their term.
pub struct RawBlocks<'a, 'r> {
    row: &'a mut RowBlocks<'r>,
    shared: &'a RunShared,
}

impl RawBlocks<'_, '_> {
    /// The entity.
    pub fn id(&self) -> EntityId {
        self.row.id()
    }

    /// The bytes of a block; none if the term has no block, or the entity not the component.
    pub fn bytes(&self, term: usize) -> Option<&[u8]> {
        self.row.get(term)
    }

    /// The bytes of a block to be written; none also if the term only reads.
    pub fn bytes_mut(&mut self, term: usize) -> Option<&mut [u8]> {
        self.row.get_mut(term)
    }

    fn field(&self, term: usize, name: &str) -> Option<&Field> {
        let component = self.row.component(term)?;
        self.shared.registry.get(component).fields().iter().find(|field| field.name == name)
    }

    /// A field as a number, 0 or 1 for a truth value; none if there is no such block or field.
    pub fn number(&self, term: usize, field: &str) -> Option<f64> {
        let field = self.field(term, field)?;
        Some(number_of(field, self.row.get(term)?))
    }

    /// Writes a number into a field. Whether it could: the term writes, the block and the field are there, and the
    /// field holds such a number.
    pub fn set_number(&mut self, term: usize, field: &str, number: f64) -> bool {
        let Some(field) = self.field(term, field).cloned() else { return false };
        self.row.get_mut(term).is_some_and(|block| set_number_of(&field, block, number).is_ok())
    }
}

/// Calls a closure with the blocks of every member.
struct EachBlock<F>(F);

impl<F: Send + 'static> Lifecycle for EachBlock<F> {
    fn as_any(&mut self) -> &mut dyn Any {
        &mut self.0
    }
}

impl<F, R> WorkerBody for EachBlock<F>
where
    F: for<'a, 'r> FnMut(&mut RawBlocks<'a, 'r>, &mut Run) -> R + Send + 'static,
    R: Outcome,
{
    fn run(&mut self, work: &mut Work<'_>, run: &mut Run) {
        let shared = run.shared.clone();
        let mut failed = Failed::new();
        visit_blocks(work.lent, 0, |row, at| {
            if let Some(error) = (self.0)(&mut RawBlocks { row, shared: &shared }, run).error() {
                failed.push((Some(at), error));
            }
        });
        report_failed(work.lent, 0, failed, run);
    }
}

impl SystemDef {
    /// A closure over the members of a query by name, on the worker pool; see [`QuerySpec`].
    pub fn each_block<R: Outcome + 'static>(
        name: impl Into<String>,
        spec: QuerySpec,
        each: impl for<'a, 'r> FnMut(&mut RawBlocks<'a, 'r>, &mut Run) -> R + Send + 'static,
    ) -> Self {
        let mut system =
            Self::new(name, SystemKind::EntityWorker, Body::Worker(Worker::new(EachBlock(each))));
        system.queries.push((String::new(), Vec::new()));
        system.specs.push((0, spec));
        system
    }
}
