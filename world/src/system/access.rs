//! From what a system asks for and declares to components of a registry.

use super::body::Body;
use super::definition::{Declared, SystemDef, SystemKind};
use super::run::Capabilities;
use super::spec::QuerySpec;
use crate::component::Registry;
use crate::id::{ComponentId, EntityId};
use crate::memory::{CompiledQuery, ItemKind, ItemTerm, LookupPlan, MaskCache, WatchToken};
use crate::schedule::{Access, QueryAccess};
use std::any::TypeId;
use thiserror::Error;

/// Why a system cannot be registered.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AccessError {
    /// The world was destroyed.
    #[error("the world was destroyed; make a new one")]
    Destroyed,
    /// A query asks for a type that is no registered component.
    #[error("system {system:?}: {component} is not a registered component; register it in the catalog first")]
    UnknownType {
        /// The system.
        system: String,
        /// The type's name in Rust.
        component: String,
    },
    /// A declaration names a component nobody registered.
    #[error("system {system:?} declares the component {component:?}, which is not registered")]
    UnknownName {
        /// The system.
        system: String,
        /// The name.
        component: String,
    },
    /// A query could hand out one block twice, once to be written.
    #[error("system {system:?}: a query asks for {component:?} more than once and writes it")]
    WrittenTwice {
        /// The system.
        system: String,
        /// The component.
        component: String,
    },
    /// A run would read by id what its own query hands out to be written.
    #[error(
        "system {system:?} reads {component:?} of any entity, but its query writes it; a run cannot do both"
    )]
    ReadsWritten {
        /// The system.
        system: String,
        /// The component.
        component: String,
    },
    /// A run would write by id what its own query hands out.
    #[error(
        "system {system:?} writes {component:?} of any entity at once, but a query of it visits that component"
    )]
    WritesVisited {
        /// The system.
        system: String,
        /// The component.
        component: String,
    },
    /// Threads that share a run would write one block.
    #[error(
        "system {system:?} writes {component:?} of any entity at once, which a worker or an entity system can do whose runs are not shared by threads; `writes` and `Run::set` wait until the run is over"
    )]
    WritesInParts {
        /// The system.
        system: String,
        /// The component.
        component: String,
    },
    /// A list would be lost.
    #[error(
        "system {system:?} writes {component:?} of any entity at once, which has lists; use `writes` and `Run::set`"
    )]
    WritesLists {
        /// The system.
        system: String,
        /// The component.
        component: String,
    },
    /// `entity` is the world's own to write.
    #[error("system {0:?} asks to write the built-in component \"entity\"; use `kill` to let entities die")]
    WritesEntity(String),
    /// A component that is loaded last is neither created nor added by a run.
    #[error(
        "system {system:?} declares that it creates or adds {component:?}, which is loaded last: only the world thread adds it"
    )]
    LoadedLast {
        /// The system.
        system: String,
        /// The component.
        component: String,
    },
    /// A filter asks for something that a filter cannot have.
    #[error(
        "system {0:?}: a filter reads what members have, as in `&T`, `With<T>`, `Without<T>`, `EntityId`"
    )]
    FilterItem(String),
    /// A query has more than 32 optional items.
    #[error("system {0:?}: a query has more than 32 optional items")]
    TooManyOptional(String),
}

/// A system's access, its queries compiled.
pub(crate) struct Compiled {
    pub(crate) access: Access,
    pub(crate) queries: Vec<CompiledQuery>,
    /// What each filter reads of the members of its query.
    pub(crate) views: Vec<CompiledQuery>,
    /// Pools a run borrows, and whether to write.
    pub(crate) borrows: Vec<(ComponentId, bool)>,
    pub(crate) capabilities: Capabilities,
    /// Components its runs read of any entity.
    pub(crate) lookups: Vec<LookupPlan>,
    /// Components without a change of which it does not run.
    pub(crate) observed: Vec<ComponentId>,
}

impl SystemDef {
    /// Resolves what it asks for.
    pub(crate) fn compile(&self, registry: &Registry) -> Result<Compiled, AccessError> {
        let by_name = |name: &str| {
            registry.by_name(name).ok_or_else(|| AccessError::UnknownName {
                system: self.name.clone(),
                component: name.to_owned(),
            })
        };
        let ids =
            |names: &[&'static str]| names.iter().map(|name| by_name(name)).collect::<Result<Vec<_>, _>>();
        let Declared {
            reads,
            writes,
            writes_at_once,
            adds,
            removes,
            creates,
            creates_anything,
            kills,
            exclusive,
            known,
        } = &self.declared;
        let known = *known || !self.kind.has_world();
        let mut access = if known { Access::new() } else { Access::unknown() };
        let mut borrows: Vec<(ComponentId, bool)> = Vec::new();
        let mut queries = Vec::new();
        let filters = match &self.body {
            Body::Worker(worker) => worker.filters.as_slice(),
            Body::World(_) | Body::Iterable(_) => &[],
        };
        let mut views = Vec::new();
        for filter in filters {
            let view = compile_query(&self.name, false, registry, &filter.terms)?;
            let reads = |kind: &ItemKind| {
                matches!(kind, ItemKind::Read | ItemKind::With | ItemKind::Without | ItemKind::Id)
            };
            if !view.terms.iter().all(|(_, kind)| reads(kind)) {
                return Err(AccessError::FilterItem(self.name.clone()));
            }
            view.borrows().into_iter().for_each(|(component, _)| borrow(&mut borrows, component, false));
            views.push(view);
        }
        for (place, (_, terms)) in self.queries.iter().enumerate() {
            let skips_statics = self.kind == SystemKind::EntitySystem;
            let mut query = match self.specs.iter().find(|(of, _)| *of == place) {
                Some((_, spec)) => compile_spec(&self.name, skips_statics, registry, spec)?,
                None => compile_query(&self.name, skips_statics, registry, terms)?,
            };
            for (_, view) in filters.iter().zip(&views).filter(|(filter, _)| filter.query == place) {
                query.restrict(view);
            }
            for (component, writes) in query.borrows() {
                borrow(&mut borrows, component, writes);
                if writes {
                    access = access.write(component);
                }
            }
            access = access.query(
                QueryAccess::new()
                    .required(query.required.iter().copied())
                    .optional(query.optional.iter().copied())
                    .without(query.without.iter().copied()),
            );
            queries.push(query);
        }
        let mut lookups = Vec::new();
        for component in ids(reads)? {
            access = access.read(component);
            if !self.kind.has_world() {
                if borrows.contains(&(component, true)) {
                    let component = registry.get(component).name().to_owned();
                    return Err(AccessError::ReadsWritten { system: self.name.clone(), component });
                }
                borrow(&mut borrows, component, false);
                lookups.push(LookupPlan::new(component, registry.get(component).rust_type));
            }
        }
        for component in ids(writes_at_once)? {
            let name = || registry.get(component).name().to_owned();
            let (system, is_visited) =
                (self.name.clone(), |(visited, _): &(ComponentId, bool)| *visited == component);
            if self.kind.has_world() || self.in_parts {
                return Err(AccessError::WritesInParts { system, component: name() });
            }
            if queries.iter().chain(&views).flat_map(CompiledQuery::borrows).any(|borrow| is_visited(&borrow))
            {
                return Err(AccessError::WritesVisited { system, component: name() });
            }
            if registry.get(component).has_lists() {
                return Err(AccessError::WritesLists { system, component: name() });
            }
            access = access.write(component);
            borrow(&mut borrows, component, true);
            lookups.retain(|plan| plan.component != component);
            lookups.push(LookupPlan::to_write(component, registry.get(component).rust_type));
        }
        let observed = ids(&self.observes)?;
        for &component in &observed {
            access = access.read(component);
        }
        let (sets, adds, removes) = (ids(writes)?, ids(adds)?, ids(removes)?);
        for &component in &sets {
            access = access.write(component);
        }
        let not_last =
            |components: &[ComponentId]| match components.iter().find(|&&c| registry.get(c).load_last) {
                None => Ok(()),
                Some(&c) => {
                    let component = registry.get(c).name().to_owned();
                    Err(AccessError::LoadedLast { system: self.name.clone(), component })
                }
            };
        not_last(&adds)?;
        access = access.adds(adds.iter().copied()).removes(removes.iter().copied());
        let mut creatable = None;
        if let Some(names) = creates {
            let components = names.iter().map(|name| by_name(name)).collect::<Result<Vec<_>, _>>()?;
            not_last(&components)?;
            access = access.creates(components.iter().copied());
            creatable = Some(components);
        }
        if *creates_anything {
            access = access.creates_anything();
        }
        if *kills {
            access = access.kills();
        }
        if *exclusive {
            access = access.exclusive();
        }
        let capabilities = Capabilities {
            sets,
            adds,
            removes,
            creates: creatable,
            creates_anything: *creates_anything,
            kills: *kills,
        };
        Ok(Compiled { access, queries, views, borrows, capabilities, lookups, observed })
    }
}

/// Resolves the terms of a query; `who` asks, in errors.
pub(crate) fn compile_query(
    who: &str,
    skips_statics: bool,
    registry: &Registry,
    terms: &[ItemTerm],
) -> Result<CompiledQuery, AccessError> {
    let resolve = |term: &ItemTerm| {
        if term.component == TypeId::of::<EntityId>() {
            return Ok((None, term.kind));
        }
        let component = registry.by_rust_type(term.component).ok_or_else(|| AccessError::UnknownType {
            system: who.to_owned(),
            component: term.type_name.to_owned(),
        })?;
        Ok((Some(component), term.kind))
    };
    let resolved = terms.iter().map(resolve).collect::<Result<_, AccessError>>()?;
    assemble(who, skips_statics, registry, terms.into(), resolved)
}

/// Resolves the terms of a query that names components.
fn compile_spec(
    who: &str,
    skips_statics: bool,
    registry: &Registry,
    spec: &QuerySpec,
) -> Result<CompiledQuery, AccessError> {
    let resolve = |(name, kind): &(String, ItemKind)| {
        let component = registry
            .by_name(name)
            .ok_or_else(|| AccessError::UnknownName { system: who.to_owned(), component: name.clone() })?;
        Ok((Some(component), *kind))
    };
    let resolved = spec.terms.iter().map(resolve).collect::<Result<_, AccessError>>()?;
    assemble(who, skips_statics, registry, spec.kinds(), resolved)
}

fn assemble(
    who: &str,
    skips_statics: bool,
    registry: &Registry,
    kinds: std::sync::Arc<[ItemTerm]>,
    terms: Vec<(Option<ComponentId>, ItemKind)>,
) -> Result<CompiledQuery, AccessError> {
    let mut query = CompiledQuery {
        terms: Vec::with_capacity(terms.len()),
        kinds,
        required: Vec::new(),
        optional: Vec::new(),
        without: Vec::new(),
        used: Vec::new(),
        visited: Vec::new(),
        changed: Vec::new(),
        skips_statics,
        cache: MaskCache::default(),
    };
    for (component, kind) in terms {
        let Some(component) = component else {
            query.terms.push((None, kind));
            continue;
        };
        if kind.writes() && component == ComponentId::ENTITY {
            return Err(AccessError::WritesEntity(who.to_owned()));
        }
        let twice = query.terms.iter().any(|&(other, before)| {
            other == Some(component)
                && before.touches()
                && kind.touches()
                && (before.writes() || kind.writes())
        });
        if twice {
            let component = registry.get(component).name().to_owned();
            return Err(AccessError::WrittenTwice { system: who.to_owned(), component });
        }
        match kind {
            ItemKind::Read | ItemKind::Write | ItemKind::With => query.required.push(component),
            ItemKind::Changed => {
                query.required.push(component);
                query.changed.push((component, WatchToken::default()));
            }
            ItemKind::OptionalRead | ItemKind::OptionalWrite => query.optional.push(component),
            ItemKind::Without => query.without.push(component),
            ItemKind::Id => {}
        }
        if kind.touches() {
            query.visited.push(component);
        }
        query.terms.push((Some(component), kind));
    }
    query.required.sort_unstable();
    query.required.dedup();
    query.used = [&query.required[..], &query.optional, &query.without].concat();
    if query.optional.len() > 32 {
        return Err(AccessError::TooManyOptional(who.to_owned()));
    }
    Ok(query)
}

fn borrow(borrows: &mut Vec<(ComponentId, bool)>, component: ComponentId, writes: bool) {
    match borrows.iter_mut().find(|(borrowed, _)| *borrowed == component) {
        Some((_, to_write)) => *to_write |= writes,
        None => borrows.push((component, writes)),
    }
}
