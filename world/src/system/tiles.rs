//! Bodies whose updates touch their own row only, and so can be driven tile by tile: all of them over some rows, then
//! all over the next. What one wrote is still in the cache when the next one reads it.

use super::run::Run;
use crate::memory::{Lent, RowCursor, Tile};
use std::cell::Cell;

/// Rows of a tile: few enough that their blocks stay in the first-level cache.
pub(crate) const TILE: u32 = 512;

/// Where a tile ends that has this row.
pub(crate) const fn tile_end(row: u32) -> u32 {
    (row / TILE + 1).saturating_mul(TILE)
}

/// Updates that failed, each with its row, if it was of one, and what it said.
pub(crate) type Failed = Vec<(Option<u32>, String)>;

/// How far a body has come with its query.
#[derive(Default)]
pub(crate) struct Progress {
    pub(super) cursor: RowCursor,
    /// How many parts have begun, for a body that counts them.
    pub(super) begun: usize,
    pub(super) failed: Failed,
}

impl Progress {
    /// The next row; none at the end.
    pub(super) fn row(&self, lent: &Lent, query: usize) -> Option<u32> {
        self.cursor.row(lent, query)
    }
}

/// A body that can be driven tile by tile.
pub(crate) trait TileBody {
    /// Begins a run.
    fn begin(&mut self, _run: &Run) {}

    /// Updates the members of a query as far as their rows are below `end`, from where it is.
    fn update(&mut self, lent: &mut Lent, query: usize, progress: &mut Progress, end: u32, run: &mut Run);

    /// As several threads drive it; none if only one may.
    fn shared(&self) -> Option<&dyn SharedTileBody> {
        None
    }
}

/// A body that several threads drive, each over tiles of its own.
pub(crate) trait SharedTileBody: Sync {
    /// Updates the members of a query in one part of a tile; `at` follows the rows it is on.
    fn update_part(
        &self,
        tile: &mut Tile<'_, '_>,
        query: usize,
        part: usize,
        at: &Cell<(u32, u32)>,
        run: &mut Run,
    ) -> Failed;
}
