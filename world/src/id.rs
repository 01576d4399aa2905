//! The names of things: each a number with a type of its own, its packing in one place.

use serde::{Deserialize, Serialize};
use std::fmt;

/// An entity while it lives: a slot and the slot's generation, written `42v3`.
///
/// A stale id finds nothing, never its successor. As a block field it is its [`bits`](Self::bits), and zero
/// is no entity.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, bytemuck::NoUninit)]
#[repr(C)]
pub struct EntityId {
    /// Never 0, so that no id has zero bits.
    generation: u32,
    slot: u32,
}

impl EntityId {
    /// The id of `slot` in its `generation`, which counts from 1.
    pub(crate) const fn new(slot: u32, generation: u32) -> Self {
        debug_assert!(generation != 0);
        Self { generation, slot }
    }

    /// Where the entity's row is looked up.
    pub const fn slot(self) -> u32 {
        self.slot
    }

    /// How many entities had this slot, this one included.
    pub const fn generation(self) -> u32 {
        self.generation
    }

    /// The id as a block holds it: generation above, slot below. Never zero.
    pub const fn bits(self) -> u64 {
        (self.generation as u64) << 32 | self.slot as u64
    }

    /// The id with these bits; none for a generation of zero.
    pub const fn from_bits(bits: u64) -> Option<Self> {
        match (bits >> 32) as u32 {
            0 => None,
            generation => Some(Self { generation, slot: bits as u32 }),
        }
    }
}

impl fmt::Display for EntityId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}v{}", self.slot, self.generation)
    }
}

impl fmt::Debug for EntityId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

macro_rules! number {
    ($(#[$doc:meta])* $name:ident($type:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub $type);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

number! {
    /// The creation number of an entity since the world was last loaded, from 0; never used again.
    ///
    /// Hashes, scripts and replays name entities by it, and so do commands and snapshots.
    Ordinal(u64)
}
number! {
    /// A component in the order of registration.
    ComponentId(u16)
}
number! {
    /// A system of a world; never used again in it.
    SystemId(u32)
}
number! {
    /// One execution of one system; never used again in a world.
    RunId(u64)
}

impl ComponentId {
    /// The built-in component of every entity: always present, always first.
    pub const ENTITY: Self = Self(0);

    /// The id as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_survives_its_bits_and_zero_is_none() {
        let id = EntityId::new(42, 3);
        assert_eq!(EntityId::from_bits(id.bits()), Some(id));
        assert_eq!(id.to_string(), "42v3");
        assert_eq!(EntityId::from_bits(0), None);
        assert_eq!(EntityId::from_bits(7), None);
    }
}
