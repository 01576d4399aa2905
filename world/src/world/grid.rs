//! Grids: entities found by where they are.

use super::World;
use super::lookup::{IndexError, Lookup, LookupKind, unknown};
use crate::component::{Field, Role, number_of};
use crate::id::{ComponentId, EntityId};
use crate::memory::{Storage, StorageToken, WatchToken, has_row};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// A grid a world keeps.
pub(super) struct GridIndex {
    over: Lookup<2>,
    cell: f64,
    /// What is known of the rows of one storage; none before the first use, and after rows moved.
    known: Option<Arc<Known>>,
}

/// What is known of the rows of one storage. A run that uses the grid holds it as it was at its dispatch.
#[derive(Clone)]
struct Known {
    storage: StorageToken,
    watch: WatchToken,
    component: ComponentId,
    fields: [Field; 2],
    cell: f64,
    /// Where each row was and whose it was, as far as it was seen.
    places: Vec<Option<Place>>,
    /// The rows in each cell, in no order.
    cells: HashMap<[i64; 2], Vec<u32>>,
    /// Cells that nobody is in any more.
    empty: usize,
}

#[derive(Clone, Copy)]
struct Place {
    at: [f64; 2],
    id: EntityId,
    /// Its place among the rows of its cell.
    in_cell: u32,
}

/// A grid as a run uses it.
pub(crate) struct LentGrid {
    pub(crate) name: String,
    known: Arc<Known>,
    present: Arc<[u64]>,
    queryable: Arc<[u64]>,
}

impl LentGrid {
    pub(crate) fn open(&self) -> Grid<'_> {
        let Self { known, present, queryable, .. } = self;
        Grid { known, present, queryable }
    }
}

/// A grid as it is now. Entities that died are left out, as in queries.
pub struct Grid<'w> {
    known: &'w Known,
    /// The rows that have the component, and those that queries find: a bit a row.
    present: &'w [u64],
    queryable: &'w [u64],
}

impl World {
    /// Keeps a grid over two number fields of a component from now on, also over what is loaded later, to find
    /// neighbours. `cell` is how wide and high its cells are, best about the radius that is asked for. It is brought
    /// up to date when it is used, by what was written since.
    ///
    /// ```
    /// # use vivarium_world::{Catalog, Component, ComponentDef, Field, Scalar, World, WorldOptions};
    /// # #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)] #[repr(C)] struct Place { x: f32, y: f32 }
    /// # impl Component for Place {
    /// #     const NAME: &'static str = "place";
    /// #     fn definition() -> ComponentDef {
    /// #         ComponentDef::of::<Self>().field(Field::new("x", Scalar::F32, 0)).field(Field::new("y", Scalar::F32, 4))
    /// #     }
    /// # }
    /// let mut world = World::new(&Catalog::new().component::<Place>()?, WorldOptions::default())?;
    /// world.add_grid("places", "place", ["x", "y"], 10.0)?;
    /// let near = world.spawn((Place { x: 3.0, y: 4.0 },));
    /// world.spawn((Place { x: 30.0, y: 4.0 },));
    /// assert_eq!(world.grid("places")?.near([0.0, 0.0], 5.0), [near]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the name is taken, there are no such fields, they hold no numbers, or the cells have no size.
    pub fn add_grid(
        &mut self,
        name: &str,
        component: &str,
        fields: [&str; 2],
        cell: f64,
    ) -> Result<(), IndexError> {
        let over = Lookup::new(LookupKind::Grid, name, component, fields);
        if self.grids.iter().any(|grid| grid.over.name == name) {
            return Err(over.taken());
        }
        if !(cell.is_finite() && cell > 0.0) {
            return Err(IndexError::Cell { name: over.name, cell: cell.to_string() });
        }
        let grid = GridIndex { over, cell, known: None };
        grid.resolve(self)?;
        self.grids.push(grid);
        Ok(())
    }

    /// Keeps a grid no longer. Whether it was there.
    pub fn remove_grid(&mut self, name: &str) -> bool {
        let before = self.grids.len();
        self.grids.retain(|grid| grid.over.name != name);
        self.storage.unwatch(&[]);
        self.grids.len() < before
    }

    /// A grid, up to date. Waits for a run that writes its component.
    ///
    /// # Errors
    /// If there is no such grid, its component is not of what was loaded since, or a run that writes it does not end.
    pub fn grid(&mut self, name: &str) -> Result<Grid<'_>, IndexError> {
        let place = self.refresh_grid(name)?;
        match &self.grids[place].known {
            Some(known) => Ok(Grid {
                known,
                present: self.storage.pool(known.component).present().words(),
                queryable: self.storage.rows.queryable().words(),
            }),
            None => Err(unknown(LookupKind::Grid, name, [])),
        }
    }

    /// The grids that the runs of the system at a place use, up to date.
    pub(super) fn lend_grids(&mut self, place: usize) -> Result<Arc<[LentGrid]>, IndexError> {
        let mut lent = Vec::new();
        for name in self.systems.list[place].grids.clone() {
            let grid = self.refresh_grid(&name)?;
            let Some(known) = self.grids[grid].known.clone() else { continue };
            let present = self.storage.pool(known.component).present().words().into();
            let queryable = self.storage.rows.queryable().words().into();
            lent.push(LentGrid { name, known, present, queryable });
        }
        Ok(lent.into())
    }

    fn grid_place(&self, name: &str) -> Result<usize, IndexError> {
        let place = self.grids.iter().position(|grid| grid.over.name == name);
        let names = || self.grids.iter().map(|grid| grid.over.name.as_str());
        place.ok_or_else(|| unknown(LookupKind::Grid, name, names()))
    }

    /// Brings a grid up to date, and gives its place in the list.
    fn refresh_grid(&mut self, name: &str) -> Result<usize, IndexError> {
        let component = self.grids[self.grid_place(name)?].component(self)?;
        self.wait_to_read(component)?;
        // Listeners that were called meanwhile may have changed the list.
        let place = self.grid_place(name)?;
        let known = match self.grids[place].known.take() {
            Some(known) if known.storage.is_of(&self.storage) => known,
            _ => {
                let (component, fields) = self.grids[place].resolve(self)?;
                Arc::new(Known::new(&mut self.storage, component, fields, self.grids[place].cell))
            }
        };
        let known = Arc::make_mut(self.grids[place].known.insert(known));
        known.take_in_changes(&mut self.storage);
        Ok(place)
    }
}

impl GridIndex {
    fn component(&self, world: &World) -> Result<ComponentId, IndexError> {
        match &self.known {
            Some(known) if known.storage.is_of(&world.storage) => Ok(known.component),
            _ => self.resolve(world).map(|(component, _)| component),
        }
    }

    /// The component and the fields.
    fn resolve(&self, world: &World) -> Result<(ComponentId, [Field; 2]), IndexError> {
        self.over.resolve(world, |role| match role {
            Role::Text | Role::Entity | Role::Flags | Role::List => Some("a place in a grid"),
            _ => None,
        })
    }
}

impl Known {
    /// Begins to watch a component; all that is there is new to a watcher.
    fn new(storage: &mut Storage, component: ComponentId, fields: [Field; 2], cell: f64) -> Self {
        let watch = WatchToken::default();
        storage.watch(component, &watch);
        let (places, cells) = Default::default();
        Self { storage: storage.token(), watch, component, fields, cell, places, cells, empty: 0 }
    }

    /// Takes in what was written since this was last called.
    fn take_in_changes(&mut self, storage: &mut Storage) {
        let dirty = storage.take_dirty(self.component, &self.watch);
        if let Some(&last) = dirty.last()
            && last as usize >= self.places.len()
        {
            self.places.resize(last as usize + 1, None);
        }
        let pool = storage.pool(self.component);
        for row in dirty {
            let now = pool.bytes_of(row).filter(|_| pool.present().has(row)).and_then(|block| {
                let at = [0, 1].map(|axis| number_of(&self.fields[axis], block));
                at.iter().all(|axis| axis.is_finite()).then_some((at, storage.id_of(row)?))
            });
            let before = self.places[row as usize];
            let (from, to) =
                (before.map(|place| self.cell_of(place.at)), now.map(|(at, _)| self.cell_of(at)));
            let stays = from == to;
            if let Some(cell) = from.filter(|_| !stays) {
                self.leave(cell, row);
            }
            self.places[row as usize] = now.map(|(at, id)| {
                let in_cell = before.filter(|_| stays).map_or(0, |place| place.in_cell);
                Place { at, id, in_cell }
            });
            if let Some(cell) = to.filter(|_| !stays) {
                self.enter(cell, row);
            }
        }
        // Whoever wanders without end leaves no trail of cells.
        if self.empty > 64 && self.empty * 2 > self.cells.len() {
            self.cells.retain(|_, rows| !rows.is_empty());
            self.empty = 0;
        }
    }

    fn enter(&mut self, cell: [i64; 2], row: u32) {
        let rows = match self.cells.entry(cell) {
            Entry::Occupied(rows) => {
                self.empty -= usize::from(rows.get().is_empty());
                rows.into_mut()
            }
            Entry::Vacant(cell) => cell.insert(Vec::new()),
        };
        if let Some(place) = &mut self.places[row as usize] {
            place.in_cell = rows.len() as u32;
        }
        rows.push(row);
    }

    fn leave(&mut self, cell: [i64; 2], row: u32) {
        let (Some(rows), Some(place)) = (self.cells.get_mut(&cell), self.places[row as usize]) else {
            return;
        };
        rows.swap_remove(place.in_cell as usize);
        self.empty += usize::from(rows.is_empty());
        // The last one took its place.
        let moved = rows.get(place.in_cell as usize).copied();
        if let Some(moved) = moved.and_then(|moved| self.places[moved as usize].as_mut()) {
            moved.in_cell = place.in_cell;
        }
    }

    fn cell_of(&self, place: [f64; 2]) -> [i64; 2] {
        // A number beyond all cells is in the last one.
        place.map(|axis| (axis / self.cell).floor() as i64)
    }
}

impl Grid<'_> {
    /// The entities at most so far from a place, in row order: the order systems visit them in. Nobody is near with a
    /// radius below 0.
    pub fn near(&self, place: [f64; 2], radius: f64) -> Vec<EntityId> {
        if radius < 0.0 {
            return Vec::new();
        }
        let Known { places, cells, .. } = self.known;
        let squared = radius * radius;
        let is_near = |row: &u32| {
            places[*row as usize].is_some_and(|Place { at: [x, y], .. }| {
                let (dx, dy) = (x - place[0], y - place[1]);
                dx * dx + dy * dy <= squared
            })
        };
        let [left, top] = self.known.cell_of(place.map(|axis| axis - radius));
        let [right, bottom] = self.known.cell_of(place.map(|axis| axis + radius));
        let across = |from: i64, to: i64| (to as i128 - from as i128 + 1).max(0);
        let is_few = across(left, right).saturating_mul(across(top, bottom)) <= cells.len() as i128;
        let mut rows: Vec<u32> = if is_few {
            let all = (left..=right).flat_map(|x| (top..=bottom).map(move |y| [x, y]));
            all.filter_map(|cell| cells.get(&cell)).flatten().copied().filter(is_near).collect()
        } else {
            cells.values().flatten().copied().filter(is_near).collect()
        };
        rows.sort_unstable();
        let there =
            rows.into_iter().filter(|&row| has_row(self.present, row) && has_row(self.queryable, row));
        there.filter_map(|row| places[row as usize].map(|place| place.id)).collect()
    }
}
