//! Whether a later run waits for an earlier one, and why.
//!
//! | earlier \ later | reads | writes | creates |
//! |---|---|---|---|
//! | reads | – | waits | – |
//! | writes | waits | waits | – |
//! | creates | if it can see a created entity | waits | – |
//!
//! The relation has a direction: a reader that comes after a creator may have to wait, one that comes before it
//! never does, because creations are published after the runs before them. Exclusive systems wait for everything
//! and everything waits for them.

use super::access::{Access, Alone};
use super::component_set::ComponentSet;
use crate::id::ComponentId;
use std::fmt;

/// One reason why a later system waits for an earlier one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// One of them runs alone, or both.
    Exclusive {
        /// Why the earlier one does.
        earlier: Option<Alone>,
        /// Why the later one does.
        later: Option<Alone>,
    },
    /// Both write these.
    WriteWrite(ComponentSet),
    /// The earlier one writes these, the later one only reads them.
    WriteRead(ComponentSet),
    /// The earlier one only reads these, the later one writes them.
    ReadWrite(ComponentSet),
    /// The earlier one creates entities with these, the later one writes them.
    CreatesWrites(ComponentSet),
    /// The earlier one creates entities with these, and the later one reads them outside its queries.
    CreationRead(ComponentSet),
    /// A query of the later one can match entities the earlier one creates.
    CreationQueried {
        /// Which of its queries, from 0.
        query: usize,
        /// What that query requires, all of which is created; empty if it matches every entity.
        required: ComponentSet,
    },
}

/// A [`Reason`] without its components, from the strongest to the weakest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReasonKind {
    /// One of them runs alone, or both.
    Exclusive,
    /// Both write the same.
    WriteWrite,
    /// The earlier one writes what the later one reads.
    WriteRead,
    /// The earlier one reads what the later one writes.
    ReadWrite,
    /// The earlier one creates what the later one writes.
    CreatesWrites,
    /// The later one reads what the earlier one creates.
    CreationRead,
    /// A query of the later one can match what the earlier one creates.
    CreationQueried,
}

impl ReasonKind {
    /// A few words for it; both ways to see a creation are "creation seen".
    pub const fn label(self) -> &'static str {
        match self {
            Self::Exclusive => "exclusive",
            Self::WriteWrite => "write/write",
            Self::WriteRead => "write/read",
            Self::ReadWrite => "read/write",
            Self::CreatesWrites => "creates/writes",
            Self::CreationRead | Self::CreationQueried => "creation seen",
        }
    }
}

impl fmt::Display for ReasonKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}

impl Reason {
    /// Which kind of reason it is.
    pub const fn kind(&self) -> ReasonKind {
        match self {
            Self::Exclusive { .. } => ReasonKind::Exclusive,
            Self::WriteWrite(_) => ReasonKind::WriteWrite,
            Self::WriteRead(_) => ReasonKind::WriteRead,
            Self::ReadWrite(_) => ReasonKind::ReadWrite,
            Self::CreatesWrites(_) => ReasonKind::CreatesWrites,
            Self::CreationRead(_) => ReasonKind::CreationRead,
            Self::CreationQueried { .. } => ReasonKind::CreationQueried,
        }
    }

    /// The components it is about; none if it is about no component in particular.
    pub const fn components(&self) -> Option<&ComponentSet> {
        match self {
            Self::Exclusive { .. } => None,
            Self::WriteWrite(components)
            | Self::WriteRead(components)
            | Self::ReadWrite(components)
            | Self::CreatesWrites(components)
            | Self::CreationRead(components)
            | Self::CreationQueried { required: components, .. } => Some(components),
        }
    }
}

impl Access {
    /// The strongest reason why a later run with access `later` waits for a run with this one; none if both may
    /// run at once.
    pub fn conflict(&self, later: &Access) -> Option<ReasonKind> {
        if self.alone().is_some() || later.alone().is_some() {
            Some(ReasonKind::Exclusive)
        } else if self.writes().intersects(later.writes()) {
            Some(ReasonKind::WriteWrite)
        } else if self.writes().intersects(later.reads()) {
            Some(ReasonKind::WriteRead)
        } else if self.reads().intersects(later.writes()) {
            Some(ReasonKind::ReadWrite)
        } else {
            self.created_components().and_then(|created| later.sees_creation(created))
        }
    }

    /// Every reason why a later run with access `later` waits for a run with this one, the strongest first.
    pub fn reasons(&self, later: &Access) -> Vec<Reason> {
        if self.alone().is_some() || later.alone().is_some() {
            return vec![Reason::Exclusive { earlier: self.alone(), later: later.alone() }];
        }
        let only_reads = |access: &Access| access.reads().difference(access.writes());
        let mut reasons = vec![
            Reason::WriteWrite(self.writes().intersection(later.writes())),
            Reason::WriteRead(self.writes().intersection(&only_reads(later))),
            Reason::ReadWrite(only_reads(self).intersection(later.writes())),
        ];
        if let Some(created) = self.created_components() {
            reasons.push(Reason::CreatesWrites(created.intersection(later.writes())));
            reasons.push(Reason::CreationRead(created.intersection(later.explicit_reads())));
        }
        reasons.retain(|reason| reason.components().is_some_and(|components| !components.is_empty()));
        if let Some(created) = self.created_components() {
            reasons.extend(later.queries_matching(created).map(|query| Reason::CreationQueried {
                query,
                required: later.queries()[query].required.clone(),
            }));
        }
        reasons
    }

    /// Whether what a later run with access `later` creates and kills is published only after the effects of a
    /// run with this one: creations after earlier creations and after whoever reads or writes a created
    /// component, kills after every earlier run.
    ///
    /// That every run reads `entity` counts only where it names it, or has a query that matches every entity.
    pub fn is_published_before(&self, later: &Access) -> bool {
        if later.may_kill() || self.alone().is_some() || later.alone().is_some() {
            return true;
        }
        let Some(created) = later.created_components() else { return false };
        self.may_create()
            || self.writes().intersects(created)
            || self.named_reads().intersects(created)
            || self.queries().iter().any(|query| query.required.is_empty())
    }

    /// How this access sees entities made of `created`, or may overwrite them.
    fn sees_creation(&self, created: &ComponentSet) -> Option<ReasonKind> {
        if created.intersects(self.writes()) {
            Some(ReasonKind::CreatesWrites)
        } else if created.intersects(self.explicit_reads()) {
            Some(ReasonKind::CreationRead)
        } else {
            self.queries_matching(created).next().map(|_| ReasonKind::CreationQueried)
        }
    }

    /// The queries that can match an entity made of some of these components and `entity`.
    fn queries_matching<'a>(&'a self, created: &'a ComponentSet) -> impl Iterator<Item = usize> + 'a {
        debug_assert!(created.contains(ComponentId::ENTITY));
        let queries = self.queries().iter().enumerate();
        queries.filter(|(_, query)| query.required.is_subset(created)).map(|(index, _)| index)
    }
}
