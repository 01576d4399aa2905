//! An entity's blocks, before they have a row.

use crate::component::{Lists, Registry};
use crate::id::ComponentId;

/// Blocks made from a config, ready to be put into a row.
#[derive(Default, Debug)]
pub(crate) struct Prepared {
    /// Components in registry order, `entity` first.
    pub(crate) components: Vec<ComponentId>,
    /// Their blocks one behind the other.
    pub(crate) blocks: Vec<u8>,
    pub(crate) dead: bool,
    pub(crate) is_static: bool,
}

impl Clone for Prepared {
    fn clone(&self) -> Self {
        let mut clone = Self::default();
        clone.clone_from(self);
        clone
    }

    fn clone_from(&mut self, other: &Self) {
        self.components.clone_from(&other.components);
        self.blocks.clone_from(&other.blocks);
        (self.dead, self.is_static) = (other.dead, other.is_static);
    }
}

impl Prepared {
    /// Releases the lists of blocks that will not be used.
    pub(crate) fn release_lists(&self, registry: &Registry, lists: &Lists) {
        let mut rest = self.blocks.as_slice();
        for &component in &self.components {
            let definition = registry.get(component);
            // A fault leaves the last components without a block.
            let Some((block, behind)) = rest.split_at_checked(definition.size()) else { return };
            definition.lists_of(block).for_each(|list| lists.release_owned(list));
            rest = behind;
        }
    }

    /// Each component with its block.
    pub(crate) fn blocks<'a>(
        &'a self,
        registry: &'a Registry,
    ) -> impl Iterator<Item = (ComponentId, &'a [u8])> {
        let mut rest = self.blocks.as_slice();
        self.components.iter().map(move |&component| {
            let (block, behind) = rest.split_at(registry.get(component).size());
            rest = behind;
            (component, block)
        })
    }
}
