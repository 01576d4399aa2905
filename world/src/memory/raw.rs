//! Visits of members whose components are known by description only: blocks as bytes.

#![expect(unsafe_code, reason = "makes references into pools lent to a run; the invariants are in `memory`")]

use super::bits::ones;
use super::item::ItemKind;
use super::lent::Lent;
use crate::id::{ComponentId, EntityId};
use std::marker::PhantomData;

/// One term of a query, opened for a run.
struct RawTerm {
    component: ComponentId,
    /// Its page of the row's word; null without a block.
    page: *mut u8,
    size: usize,
    writes: bool,
    /// Which bit says whether the component is there; none if it always is.
    optional: Option<u32>,
}

/// The blocks of one member, by the number of their term.
pub(crate) struct RowBlocks<'a> {
    terms: &'a [Option<RawTerm>],
    id: EntityId,
    /// The row in its word.
    row: usize,
    optional: u32,
    lent: PhantomData<&'a mut Lent>,
}

impl RowBlocks<'_> {
    pub(crate) fn id(&self) -> EntityId {
        self.id
    }

    /// The component of a term that has blocks.
    pub(crate) fn component(&self, term: usize) -> Option<ComponentId> {
        Some(self.terms.get(term)?.as_ref()?.component)
    }

    fn find(&self, term: usize) -> Option<&RawTerm> {
        let term = self.terms.get(term)?.as_ref()?;
        term.optional.is_none_or(|bit| self.optional >> bit & 1 == 1).then_some(term)
    }

    /// The block of a term; none if the term has none, or the component is not there.
    pub(crate) fn get(&self, term: usize) -> Option<&[u8]> {
        let RawTerm { page, size, .. } = *self.find(term)?;
        if size == 0 {
            return Some(&[]);
        }
        // SAFETY: the page is that of the row's word, of 64 blocks of this size (invariants 6 and 7); the pool is
        // lent to the run, and `&self` keeps writes through this away.
        Some(unsafe { std::slice::from_raw_parts(page.add(self.row * size), size) })
    }

    /// The block of a term that writes; none as for `get`, or if the term does not write.
    pub(crate) fn get_mut(&mut self, term: usize) -> Option<&mut [u8]> {
        let RawTerm { page, size, .. } = *self.find(term).filter(|term| term.writes)?;
        if size == 0 {
            return Some(&mut []);
        }
        // SAFETY: as for `get`; the pool is lent to the run alone, no other term of the query has the component, and
        // `&mut self` makes this the only reference.
        Some(unsafe { std::slice::from_raw_parts_mut(page.add(self.row * size), size) })
    }
}

/// Calls `each` with the blocks of every member of a query of a run, and its row.
pub(crate) fn visit_blocks(lent: &mut Lent, query: usize, mut each: impl FnMut(&mut RowBlocks<'_>, u32)) {
    lent.queries[query].visited = true;
    let lent = &*lent;
    let kinds: Vec<ItemKind> = lent.queries[query].item_kinds().collect();
    for piece in &lent.queries[query].mask.pieces {
        let scattered = ones(piece.bits).map(|bit| piece.row + bit);
        let mut terms: Vec<Option<RawTerm>> = Vec::new();
        let mut word = usize::MAX;
        for row in (piece.row..piece.row + piece.len).chain(scattered) {
            lent.at.set((row, 1));
            if row as usize / 64 != word {
                word = row as usize / 64;
                terms = open(lent, query, &kinds, word);
            }
            let Some(id) = super::visit::id_in_run(lent, row) else { continue };
            let row_in_word = row as usize % 64;
            let (terms, optional) = (terms.as_slice(), piece.optional);
            each(&mut RowBlocks { terms, id, row: row_in_word, optional, lent: PhantomData }, row);
        }
    }
}

fn open(lent: &Lent, query: usize, kinds: &[ItemKind], word: usize) -> Vec<Option<RawTerm>> {
    let mut bits = 0;
    let term = |(place, kind): (usize, &ItemKind)| {
        let is_optional = matches!(kind, ItemKind::OptionalRead | ItemKind::OptionalWrite);
        let optional = is_optional.then_some(bits);
        bits += is_optional as u32;
        let pool = lent.pool(query, place).filter(|_| kind.touches() && *kind != ItemKind::Id)?;
        let page = pool.directory.page(word);
        // A word has a page where one of its rows has the component.
        let has_block = !page.is_null() || pool.block_size == 0;
        let (component, size, writes) = (pool.component, pool.block_size, kind.writes());
        has_block.then_some(RawTerm { component, page, size, writes, optional })
    };
    kinds.iter().enumerate().map(term).collect()
}
