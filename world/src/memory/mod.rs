//! Typed memory: rows of entities, a pool of blocks a component, and the queries that visit them.
//!
//! An entity is a *row*, a number. Rows come in *words* of 64. A [`Pool`] has, for each word it holds blocks in,
//! one page of 64 blocks and one word of *present* bits. A component of an entity is
//! `page[row / 64][row % 64]`; having it is one bit. A query is an AND of words; a run visits a copy of the
//! result, its [`Mask`].
//!
//! This folder has all the `unsafe` of the crate. It rests on these invariants:
//!
//! 1. A page never moves and is not freed while anything holds a `Directory` that names it.
//! 2. One thread, the *world thread*, owns the pools: only it allocates pages, changes bits, lends pools.
//! 3. A run reads or writes rows of its own mask only, through pools lent to it: shared to read, alone to write.
//! 4. While a pool is lent, the world thread writes only rows of it that are outside every open run's mask:
//!    rows nobody had at dispatch, for a row's block is not reused before the runs that might see it end.
//! 5. While a pool is lent for writing, the world thread reads none of the rows in the writer's mask.
//! 6. A row in a mask had every required block when the mask was compiled, and invariant 4 keeps it.
//! 7. A pool's blocks have the size and alignment of the type its component was registered with, and any bits
//!    are a value of it (`Pod`).
//! 8. A pool that a run writes by id is lent to it alone, no query of the run visits it, and the run is on one thread.
//! 9. A free row has the present bits of its archetype's components and no others, so that an entity that gets it
//!    flips none. Whether somebody has a row is asked first, of slots or of the rows that queries may find; its word
//!    may have no page before somebody had one of its rows.

mod bits;
mod claims;
mod directory;
mod item;
mod lent;
mod lookup;
mod mask;
mod noting;
mod parts;
mod placer;
mod pool;
mod raw;
mod rows;
mod slots;
mod storage;
mod tiles;
mod tuple;
mod visit;
mod watch;
mod zeroed;

#[cfg(all(test, loom))]
pub(crate) use claims::Claims;
#[cfg(all(test, loom))]
pub(crate) use slots::Slots;

pub(crate) use bits::{Presence, has_row, run_of_ones};
pub(crate) use lent::CompiledQuery;
pub(crate) use lookup::{LookupPlan, Lookups};
pub(crate) use mask::{Mask, MaskCache};
pub(crate) use parts::Parts;
pub(crate) use placer::{NewRow, Placer};
pub(crate) use pool::Pool;
pub(crate) use raw::{RowBlocks, visit_blocks};
pub(crate) use rows::{ArchetypeId, Rows};
pub(crate) use slots::{ReservedIds, SlotTable};
pub(crate) use storage::{Storage, StorageToken};
pub(crate) use tiles::{Tile, Tiles};
pub(crate) use visit::{
    RowCursor, id_in_run, part_begin, select, visit, visit_chunks, visit_chunks_to, visit_ids, visit_to,
};
pub(crate) use watch::WatchToken;

pub use item::{Changed, Item, ItemKind, ItemTerm, With, Without};
pub(crate) use lent::Lent;
pub use lookup::Reader;
pub use tuple::Query;
