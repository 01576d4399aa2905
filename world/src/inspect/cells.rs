//! The cells of a pool: words of 64, grouped by archetype.

use super::{BlockState, EntityName};
use crate::id::ComponentId;
use crate::world::World;
use serde::{Deserialize, Serialize};

/// Which words of a pool to show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellsRequest {
    /// Whose pool.
    pub component: ComponentId,
    /// The first strip wanted, counted through the groups.
    pub first: usize,
    /// How many strips are wanted.
    pub count: usize,
    /// A row to say more of.
    pub at: Option<u32>,
}

/// Some of the words of a pool.
#[derive(Clone, Debug, PartialEq)]
pub struct CellsView {
    /// Whose pool.
    pub component: ComponentId,
    /// The archetypes whose rows may have the component, in the order they came up.
    pub groups: Vec<CellGroup>,
    /// How many strips there are in all groups.
    pub total: usize,
    /// Words of rows that never had the component: none of them is a strip.
    pub elsewhere: usize,
    /// Where the first strip stands among all.
    pub first: usize,
    /// The strips asked for, group by group, in row order.
    pub strips: Vec<Strip>,
    /// What is in the row asked for.
    pub at: Option<CellDetail>,
    /// The tick that `Strip::written` is about.
    pub tick: u64,
}

/// The words whose rows are handed out to entities made of the same components.
#[derive(Clone, Debug, PartialEq)]
pub struct CellGroup {
    /// Those components, `entity` left out.
    pub components: Vec<ComponentId>,
    /// How many strips it has.
    pub strips: usize,
}

/// 64 cells side by side, a bit each, the lowest for the first row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Strip {
    /// The word: its first row is 64 times that.
    pub word: u32,
    /// Whether there is a page for its blocks.
    pub has_page: bool,
    /// Blocks of entities.
    pub live: u64,
    /// Blocks that wait to be freed.
    pub deferred: u64,
    /// Of those, blocks held by a run that hangs.
    pub quarantined: u64,
    /// Blocks written in this tick.
    pub written: u64,
}

impl Strip {
    /// The state of a cell, from 0 to 63.
    pub fn state(&self, cell: u32) -> BlockState {
        let has = |bits: u64| bits >> (cell % 64) & 1 == 1;
        match () {
            () if has(self.quarantined) => BlockState::Quarantined,
            () if has(self.deferred) => BlockState::Deferred,
            () if has(self.live) => BlockState::Live,
            () if self.has_page => BlockState::Free,
            () => BlockState::NoPage,
        }
    }

    /// Whether a cell was written in this tick.
    pub fn is_written(&self, cell: u32) -> bool {
        self.written >> (cell % 64) & 1 == 1
    }
}

/// What is in one cell.
#[derive(Clone, Debug, PartialEq)]
pub struct CellDetail {
    /// Its row.
    pub row: u32,
    /// Whose row it is, or was until its blocks are freed.
    pub owner: Option<EntityName>,
}

pub(super) fn cells(world: &World, asked: &CellsRequest) -> Option<CellsView> {
    let component = asked.component;
    if component.index() >= world.storage.pools.len() {
        return None;
    }
    let (rows, pool) = (&world.storage.rows, world.storage.pool(component));
    // Extents come in row order; what they are grouped by is the archetype.
    let mut groups: Vec<(crate::memory::ArchetypeId, Vec<std::ops::Range<usize>>)> = Vec::new();
    let mut elsewhere = 0;
    for (archetype, words) in rows.spans() {
        if !rows.ever(words.start).any(|ever| ever == component) {
            elsewhere += words.len();
            continue;
        }
        match groups.iter_mut().find(|(known, _)| *known == archetype) {
            Some((_, spans)) => spans.push(words),
            None => groups.push((archetype, vec![words])),
        }
    }
    let all = groups.iter().flat_map(|(_, spans)| spans.iter().cloned()).flatten();
    let strip = |word: usize| {
        let (present, retired) = (pool.present().word(word), rows.retired().word(word));
        let taken = !rows.free().get(word).copied().unwrap_or(u64::MAX);
        Strip {
            word: word as u32,
            has_page: pool.has_page(word),
            live: present & taken & !retired,
            deferred: pool.deferred().word(word) | present & taken & retired,
            quarantined: pool.quarantined().word(word),
            written: world.written_rows(component).map_or(0, |rows| rows.word(word)) & present & taken,
        }
    };
    let owner = |row: u32| {
        let id = world.storage.id_of(row)?;
        let ordinal = world.ordinal(id)?;
        Some(EntityName { ordinal, id, type_name: world.type_name(id) })
    };
    let group = |(archetype, spans): &(_, Vec<std::ops::Range<usize>>)| CellGroup {
        components: rows
            .components(*archetype)
            .iter()
            .copied()
            .filter(|&c| c != ComponentId::ENTITY)
            .collect(),
        strips: spans.iter().map(ExactSizeIterator::len).sum(),
    };
    Some(CellsView {
        component,
        total: groups.iter().flat_map(|(_, spans)| spans).map(ExactSizeIterator::len).sum(),
        elsewhere,
        first: asked.first,
        strips: all.skip(asked.first).take(asked.count).map(strip).collect(),
        groups: groups.iter().map(group).collect(),
        at: asked.at.map(|row| CellDetail { row, owner: owner(row) }),
        tick: world.clocks().tick,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_of_a_cells_states_is_told() {
        let strip =
            Strip { has_page: true, live: 0b1, deferred: 0b110, quarantined: 0b100, ..Strip::default() };
        let states: Vec<BlockState> = (0..4).map(|cell| strip.state(cell)).collect();
        use BlockState::{Deferred, Free, Live, NoPage, Quarantined};
        assert_eq!(states, [Live, Deferred, Quarantined, Free]);
        assert_eq!(Strip::default().state(9), NoPage);
    }
}
