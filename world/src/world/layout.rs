//! Rows in saves: where the entities of a world lie, so that systems visit them in the same order again.
//!
//! A world that was loaded and lost or gained nothing has the rows a load gives; its save needs no layout. Any other
//! save has the key `layout`: the components of each archetype with extents, the archetype of each extent in row
//! order, and the rows of the entities in creation order as runs — how far behind the row after the last run this
//! one begins (zigzag), and how many rows it has. `extents` and `rows` are strings of the varints of compressed
//! entities.

use super::World;
use crate::component::Registry;
use crate::entity::Prepared;
use crate::excerpt::excerpt;
use crate::id::{ComponentId, EntityId};
use crate::memory::{ArchetypeId, Storage};
use crate::save::varint;
use crate::scene::{Document, Faults};
use serde::{Deserialize, Serialize};

/// The value of the key `layout`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LayoutText {
    archetypes: Vec<Vec<String>>,
    extents: String,
    rows: String,
}

/// The rows of a document's entities.
pub(super) struct Layout {
    archetypes: Vec<Vec<ComponentId>>,
    /// The archetype of each extent.
    extents: Vec<usize>,
    /// The row of each entity, by its place in the list.
    rows: Vec<u32>,
}

impl Layout {
    /// The layout of a document; none if it has none.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn read(document: &Document<'_>, registry: &Registry) -> Result<Option<Self>, Faults> {
        let Some(text) = document.read_layout()? else { return Ok(None) };
        let layout = Self::of(text, document.entity_count(), registry);
        layout.map(Some).map_err(|message| document.fault_at_top(Some("layout"), message).into())
    }

    fn of(text: LayoutText, entities: usize, registry: &Registry) -> Result<Self, String> {
        let mut archetypes = Vec::with_capacity(text.archetypes.len());
        for names in &text.archetypes {
            let known = |name: &String| {
                registry.by_name(name).ok_or_else(|| format!("there is no component {:?}", excerpt(name)))
            };
            let mut components = names.iter().map(known).collect::<Result<Vec<_>, _>>()?;
            components.push(ComponentId::ENTITY);
            components.sort_unstable();
            components.dedup();
            archetypes.push(components);
        }
        let numbers = |text: &str, name: &str| {
            let read = varint::read_all(text);
            read.ok_or_else(|| format!("{name:?} is no string of numbers; it may be cut off"))
        };
        let mut extents = Vec::new();
        for number in numbers(&text.extents, "extents")? {
            let archetype = usize::try_from(number).ok().filter(|&at| at < archetypes.len());
            extents.push(archetype.ok_or_else(|| format!("there is no archetype {number}"))?);
        }
        let rows = runs(&numbers(&text.rows, "rows")?, entities);
        let rows =
            rows.ok_or_else(|| format!("\"rows\" does not give one row to each of the {entities} entities"))?;
        Ok(Self { archetypes, extents, rows })
    }

    /// Makes the extents in an empty world.
    pub(super) fn prepare(&self, world: &mut World) {
        for &archetype in &self.extents {
            let archetype = world.storage.rows.archetype(&self.archetypes[archetype]);
            world.storage.extend(archetype);
        }
    }

    /// Puts the entity at a place of the list into its row.
    ///
    /// # Errors
    /// If the row is taken, or of no extent.
    pub(super) fn place(
        &self,
        world: &mut World,
        place: usize,
        prepared: &Prepared,
    ) -> Result<EntityId, String> {
        let row = self.rows[place];
        if !world.storage.rows.take_at(row) {
            return Err(format!("the layout gives it row {row}, which is taken or of no extent"));
        }
        let id = world.storage.slots.reserve();
        world.storage.settle_row(row, id);
        world.storage.fit_row(row, &prepared.components);
        world.fill_row(row, prepared);
        world.order.push(id);
        Ok(id)
    }
}

/// The rows that pairs of numbers say, if they are as many as there are entities.
fn runs(numbers: &[u64], entities: usize) -> Option<Vec<u32>> {
    let mut rows = Vec::with_capacity(entities);
    let mut next: i64 = 0;
    let (pairs, []) = numbers.as_chunks::<2>() else { return None };
    for &[step, len] in pairs {
        let step = (step >> 1) as i64 ^ -((step & 1) as i64);
        let first = u32::try_from(next.checked_add(step)?).ok()?;
        if len > (entities - rows.len()) as u64 {
            return None;
        }
        let end = first.checked_add(len as u32)?;
        rows.extend(first..end);
        next = end as i64;
    }
    (rows.len() == entities).then_some(rows)
}

impl World {
    /// The layout a save needs; none if a load gives the same rows by itself. Nothing is open or owed.
    pub(super) fn layout_text(&self) -> Option<LayoutText> {
        let rows: Vec<u32> = self.entities().filter_map(|id| self.row(id)).collect();
        if self.is_as_loaded(&rows) {
            return None;
        }
        let registry = self.registry();
        let mut archetypes: Vec<ArchetypeId> = Vec::new();
        let (mut extents, mut runs) = (String::new(), String::new());
        for archetype in self.storage.rows.extents() {
            let known = archetypes.iter().position(|&other| other == archetype);
            let at = known.unwrap_or_else(|| {
                archetypes.push(archetype);
                archetypes.len() - 1
            });
            varint::write(&mut extents, at as u64);
        }
        let mut next = 0;
        for run in rows.chunk_by(|a, b| a + 1 == *b) {
            let step = run[0] as i64 - next;
            varint::write(&mut runs, ((step << 1) ^ (step >> 63)) as u64);
            varint::write(&mut runs, run.len() as u64);
            next = run[0] as i64 + run.len() as i64;
        }
        let names = |&archetype: &ArchetypeId| {
            let components = self.storage.rows.components(archetype).iter();
            let named = components.filter(|&&component| component != ComponentId::ENTITY);
            named.map(|&component| registry.get(component).name().to_owned()).collect()
        };
        Some(LayoutText { archetypes: archetypes.iter().map(names).collect(), extents, rows: runs })
    }

    /// Whether loading entities of these components in creation order, and the world's own last, gives these rows
    /// and extents.
    fn is_as_loaded(&self, rows: &[u32]) -> bool {
        let layouts = self.registry().iter().map(|(_, definition)| definition.layout);
        let mut fresh = Storage::new(layouts).rows;
        let own = self.world_entity().and_then(|id| self.row(id));
        let same_rows = rows.iter().copied().chain(own).all(|row| {
            let archetype = fresh.archetype(&self.storage.components_of(row));
            let taken = fresh.take(archetype).or_else(|| {
                fresh.extend(archetype);
                fresh.take(archetype)
            });
            taken == Some(row)
        });
        let components = |rows: &crate::memory::Rows| -> Vec<Vec<ComponentId>> {
            rows.extents().map(|archetype| rows.components(archetype).to_vec()).collect()
        };
        same_rows && components(&fresh) == components(&self.storage.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_from_runs_and_refused_where_they_are_not_one_for_each_entity() {
        // Rows 5, 6, 7, then 2 (six behind row 8), then 3.
        assert_eq!(runs(&[10, 3, 11, 1, 0, 1], 5), Some(vec![5, 6, 7, 2, 3]));
        assert_eq!(runs(&[10, 3], 5), None);
        assert_eq!(runs(&[10, u64::MAX], 5), None);
        assert_eq!(runs(&[11, 1], 1), None);
        assert_eq!(runs(&[10], 1), None);
        assert_eq!(runs(&[u64::MAX - 1, 1], 1), None);
    }
}
