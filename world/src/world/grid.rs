//! Grids: entities found by where they are.

use super::World;
use crate::component::{Field, Role, number_of};
use crate::id::{ComponentId, EntityId};
use crate::memory::{StorageToken, WatchToken, has_row};
use crate::scene::suggestion;
use crate::world::IndexError;
use std::collections::HashMap;
use std::sync::Arc;

/// A grid a world keeps.
pub(super) struct GridIndex {
    name: String,
    component: String,
    fields: [String; 2],
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
    places: Vec<Option<([f64; 2], EntityId)>>,
    cells: HashMap<[i64; 2], Vec<u32>>,
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
        if self.grids.iter().any(|grid| grid.name == name) {
            return Err(IndexError::Taken(name.to_owned()));
        }
        if !(cell.is_finite() && cell > 0.0) {
            return Err(IndexError::Cell { index: name.to_owned(), cell: cell.to_string() });
        }
        let (name, component, fields) = (name.to_owned(), component.to_owned(), fields.map(str::to_owned));
        let grid = GridIndex { name, component, fields, cell, known: None };
        grid.resolve(self)?;
        self.grids.push(grid);
        Ok(())
    }

    /// Keeps a grid no longer. Whether it was there.
    pub fn remove_grid(&mut self, name: &str) -> bool {
        let before = self.grids.len();
        self.grids.retain(|grid| grid.name != name);
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
            None => Err(IndexError::Unknown { name: name.to_owned(), near: String::new() }),
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

    fn refresh_grid(&mut self, name: &str) -> Result<usize, IndexError> {
        let place = self.grids.iter().position(|grid| grid.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.grids.iter().map(|grid| grid.name.as_str()).collect();
            IndexError::Unknown { name: name.to_owned(), near: suggestion(name, names) }
        })?;
        let known = self.grids[place].known.take().filter(|known| known.storage.is_of(&self.storage));
        let mut known = match known {
            Some(known) => known,
            None => Arc::new(self.begin_grid(place)?),
        };
        let waited = self.wait_to_read(known.component);
        if waited.is_ok() {
            Arc::make_mut(&mut known).take_in_changes(self);
        }
        self.grids[place].known = Some(known);
        waited?;
        Ok(place)
    }

    fn begin_grid(&mut self, place: usize) -> Result<Known, IndexError> {
        let grid = &self.grids[place];
        let ((component, fields), cell) = (grid.resolve(self)?, grid.cell);
        let watch = WatchToken::default();
        // All that is there is new to a watcher.
        self.storage.watch(component, &watch);
        let (storage, places, cells) = (self.storage.token(), Vec::new(), HashMap::new());
        Ok(Known { storage, watch, component, fields, cell, places, cells })
    }
}

impl GridIndex {
    /// The component and the fields.
    fn resolve(&self, world: &World) -> Result<(ComponentId, [Field; 2]), IndexError> {
        let (index, component) = (self.name.clone(), self.component.clone());
        let Some(id) = world.registry().by_name(&component) else {
            return Err(IndexError::Component { index, component });
        };
        let fields = world.registry().get(id).fields();
        let find = |name: &String| {
            let field = fields.iter().find(|field| field.name == *name).ok_or_else(|| {
                let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
                let (near, field) = (suggestion(name, names), name.clone());
                IndexError::Field { index: index.clone(), component: component.clone(), field, near }
            })?;
            match field.role {
                Role::Text | Role::Entity | Role::Flags | Role::List => Err(IndexError::Role {
                    index: index.clone(),
                    field: name.clone(),
                    what: "a place in a grid",
                }),
                _ => Ok(field.clone()),
            }
        };
        Ok((id, [find(&self.fields[0])?, find(&self.fields[1])?]))
    }
}

impl Known {
    fn take_in_changes(&mut self, world: &mut World) {
        let dirty = world.storage.take_dirty(self.component, &self.watch);
        if let Some(&last) = dirty.last()
            && last as usize >= self.places.len()
        {
            self.places.resize(last as usize + 1, None);
        }
        let pool = world.storage.pool(self.component);
        for row in dirty {
            let now = pool.bytes_of(row).filter(|_| pool.present().has(row)).and_then(|block| {
                let place = [0, 1].map(|axis| number_of(&self.fields[axis], block));
                place.iter().all(|axis| axis.is_finite()).then_some((place, world.storage.id_of(row)?))
            });
            let before = std::mem::replace(&mut self.places[row as usize], now);
            let (before, after) =
                (before.map(|(at, _)| self.cell_of(at)), now.map(|(at, _)| self.cell_of(at)));
            if before == after {
                continue;
            }
            if let Some(rows) = before.and_then(|cell| self.cells.get_mut(&cell)) {
                rows.retain(|&other| other != row);
            }
            if let Some(cell) = after {
                self.cells.entry(cell).or_default().push(row);
            }
        }
    }

    fn cell_of(&self, place: [f64; 2]) -> [i64; 2] {
        // A number beyond all cells is in the last one.
        place.map(|axis| (axis / self.cell).floor() as i64)
    }
}

impl Grid<'_> {
    /// The entities at most so far from a place, in row order: the order systems visit them in.
    pub fn near(&self, place: [f64; 2], radius: f64) -> Vec<EntityId> {
        let Known { places, cells, .. } = self.known;
        let squared = radius * radius;
        let is_near = |row: &u32| {
            places[*row as usize].is_some_and(|([x, y], _)| {
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
        there.filter_map(|row| places[row as usize].map(|(_, id)| id)).collect()
    }
}
