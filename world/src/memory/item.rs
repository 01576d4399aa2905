//! What a query hands out for each entity: references to components, and what they say about access.

#![expect(unsafe_code, reason = "makes references into pools lent to a run; the invariants are in `memory`")]

use super::directory::Directory;
use super::lent::{Lent, LentPool};
use crate::component::Component;
use crate::id::EntityId;
use std::any::TypeId;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// How a query uses a component.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ItemKind {
    /// Required and read.
    Read,
    /// Required and written.
    Write,
    /// Read where it is there.
    OptionalRead,
    /// Written where it is there.
    OptionalWrite,
    /// Required; its block is not touched.
    With,
    /// Must not be there.
    Without,
    /// Required, and written since the query's system last ran; its block is not touched.
    Changed,
    /// The entity's id, which every entity has.
    Id,
}

impl ItemKind {
    /// Whether blocks are written.
    pub(crate) fn writes(self) -> bool {
        matches!(self, Self::Write | Self::OptionalWrite)
    }
    /// Whether blocks are handed out at all.
    pub(crate) fn touches(self) -> bool {
        !matches!(self, Self::With | Self::Without | Self::Changed)
    }
}

/// One component of a query and what it is used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ItemTerm {
    /// The component's type; that of `EntityId` for the id.
    pub component: TypeId,
    /// Its name in Rust, for errors.
    pub type_name: &'static str,
    /// How it is used.
    pub kind: ItemKind,
}

/// A part of a query: `&T`, `&mut T`, `Option<&T>`, `Option<&mut T>`, `With<T>`, `Without<T>`,
/// `Changed<T>`, `EntityId`.
///
/// # Safety
/// `term` must say all that the other functions do: a mutable reference only for a kind that writes, a
/// reference to a required block only for a kind that requires it.
pub unsafe trait Item {
    /// What an update of one entity gets.
    type Row<'a>;
    /// What an update of entities side by side gets.
    type Chunk<'a>;
    /// A pool, opened for a run.
    #[doc(hidden)]
    type Column: Copy;
    /// A place in it.
    #[doc(hidden)]
    type Place: Copy;

    /// What it asks for.
    fn term() -> ItemTerm;

    #[doc(hidden)]
    fn open(lent: &Lent, pool: Option<&LentPool>, optional: u32) -> Self::Column;

    /// # Safety
    /// The row is of the run's mask, and `optional` are its optional components.
    #[doc(hidden)]
    unsafe fn place(column: Self::Column, row: u32, optional: u32) -> Self::Place;

    /// # Safety
    /// As for `place`, for the row `k` rows behind it on the same or a joined page; no other reference to the
    /// row's block is alive if this makes a mutable one.
    #[doc(hidden)]
    unsafe fn row<'a>(place: Self::Place, k: usize) -> Self::Row<'a>;

    /// # Safety
    /// As for `row`, for all `len` rows.
    #[doc(hidden)]
    unsafe fn chunk<'a>(place: Self::Place, len: usize) -> Self::Chunk<'a>;
}

fn term<T: 'static>(kind: ItemKind) -> ItemTerm {
    ItemTerm { component: TypeId::of::<T>(), type_name: std::any::type_name::<T>(), kind }
}

/// The blocks of a lent pool as values of `T`.
#[doc(hidden)]
pub struct Column<T> {
    directory: NonNull<Directory>,
    /// Which bit of `optional` says whether it is there.
    optional: u32,
    block: PhantomData<*mut T>,
}

impl<T> Clone for Column<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Column<T> {}

impl<T> Column<T> {
    fn open(pool: Option<&LentPool>, optional: u32) -> Self {
        let size = pool.map_or(0, |pool| pool.block_size);
        assert_eq!(size, size_of::<T>(), "a query's blocks are lent to its run, with their type");
        let directory = pool.map_or(NonNull::dangling(), |pool| NonNull::from(&*pool.directory));
        Self { directory, optional, block: PhantomData }
    }

    /// # Safety
    /// The row has a block in this column's pool, which is lent to the run.
    #[inline(always)]
    unsafe fn at(self, row: u32) -> *mut T {
        if size_of::<T>() == 0 {
            return NonNull::dangling().as_ptr();
        }
        // SAFETY: the run holds the directory while it visits, and the row's word has a page in it.
        let page = unsafe { self.directory.as_ref().page_unchecked(row as usize / 64) };
        // SAFETY: the row has a block, so its word has a page, of 64 blocks of `T` (invariant 7).
        unsafe { page.cast::<T>().add(row as usize % 64) }
    }
}

// SAFETY: reads what `term` says it reads.
unsafe impl<T: Component> Item for &T {
    type Row<'a> = &'a T;
    type Chunk<'a> = &'a [T];
    type Column = Column<T>;
    type Place = *mut T;

    fn term() -> ItemTerm {
        term::<T>(ItemKind::Read)
    }
    fn open(_: &Lent, pool: Option<&LentPool>, optional: u32) -> Column<T> {
        Column::open(pool, optional)
    }
    #[inline(always)]
    unsafe fn place(column: Column<T>, row: u32, _: u32) -> *mut T {
        // SAFETY: the component is required, so a row of the mask has it (invariant 6).
        unsafe { column.at(row) }
    }
    #[inline(always)]
    unsafe fn row<'a>(place: *mut T, k: usize) -> &'a T {
        // SAFETY: the row is of the mask, and the pool is lent to the run (invariants 3 and 7).
        unsafe { &*place.add(k) }
    }
    #[inline(always)]
    unsafe fn chunk<'a>(place: *mut T, len: usize) -> &'a [T] {
        // SAFETY: as for `row`; the rows lie side by side.
        unsafe { std::slice::from_raw_parts(place, len) }
    }
}

// SAFETY: writes what `term` says it writes.
unsafe impl<T: Component> Item for &mut T {
    type Row<'a> = &'a mut T;
    type Chunk<'a> = &'a mut [T];
    type Column = Column<T>;
    type Place = *mut T;

    fn term() -> ItemTerm {
        term::<T>(ItemKind::Write)
    }
    fn open(_: &Lent, pool: Option<&LentPool>, optional: u32) -> Column<T> {
        Column::open(pool, optional)
    }
    #[inline(always)]
    unsafe fn place(column: Column<T>, row: u32, _: u32) -> *mut T {
        // SAFETY: the component is required, so a row of the mask has it (invariant 6).
        unsafe { column.at(row) }
    }
    #[inline(always)]
    unsafe fn row<'a>(place: *mut T, k: usize) -> &'a mut T {
        // SAFETY: the run alone has the pool, and the caller sees to it that this is the only reference.
        unsafe { &mut *place.add(k) }
    }
    #[inline(always)]
    unsafe fn chunk<'a>(place: *mut T, len: usize) -> &'a mut [T] {
        // SAFETY: as for `row`; the rows lie side by side.
        unsafe { std::slice::from_raw_parts_mut(place, len) }
    }
}

macro_rules! optional {
    ($reference:ty, $kind:ident) => {
        // SAFETY: touches what the item inside touches, and only where it is there.
        unsafe impl<'t, T: Component> Item for Option<$reference> {
            type Row<'a> = Option<<$reference as Item>::Row<'a>>;
            type Chunk<'a> = Option<<$reference as Item>::Chunk<'a>>;
            type Column = Column<T>;
            type Place = *mut T;

            fn term() -> ItemTerm {
                term::<T>(ItemKind::$kind)
            }
            fn open(_: &Lent, pool: Option<&LentPool>, optional: u32) -> Column<T> {
                Column::open(pool, optional)
            }
            #[inline(always)]
            unsafe fn place(column: Column<T>, row: u32, optional: u32) -> *mut T {
                if optional >> column.optional & 1 == 0 {
                    return std::ptr::null_mut();
                }
                // SAFETY: its bit in the mask says that the row has it.
                unsafe { column.at(row) }
            }
            #[inline(always)]
            unsafe fn row<'a>(place: *mut T, k: usize) -> Self::Row<'a> {
                // SAFETY: not null, so the rows of this piece have it; the rest is the caller's promise.
                (!place.is_null()).then(|| unsafe { <$reference as Item>::row(place, k) })
            }
            #[inline(always)]
            unsafe fn chunk<'a>(place: *mut T, len: usize) -> Self::Chunk<'a> {
                // SAFETY: as for `row`.
                (!place.is_null()).then(|| unsafe { <$reference as Item>::chunk(place, len) })
            }
        }
    };
}
optional!(&'t T, OptionalRead);
optional!(&'t mut T, OptionalWrite);

/// Asks for entities that have `T`, without touching it.
pub struct With<T>(PhantomData<T>);
/// Asks for entities that do not have `T`.
pub struct Without<T>(PhantomData<T>);
/// Asks for entities whose `T` was written since the query's system last ran, or was added since.
///
/// A system that got `&mut T` of an entity counts as having written it. Its own writes it does not see. To a new
/// system, and after a load, every `T` is new.
pub struct Changed<T>(PhantomData<T>);

macro_rules! filter {
    ($name:ident) => {
        // SAFETY: touches no block.
        unsafe impl<T: Component> Item for $name<T> {
            type Row<'a> = ();
            type Chunk<'a> = ();
            type Column = ();
            type Place = ();

            fn term() -> ItemTerm {
                term::<T>(ItemKind::$name)
            }
            fn open(_: &Lent, _: Option<&LentPool>, _: u32) {}
            #[inline(always)]
            unsafe fn place(_: (), _: u32, _: u32) {}
            #[inline(always)]
            unsafe fn row<'a>(_: (), _: usize) -> Self::Row<'a> {}
            #[inline(always)]
            unsafe fn chunk<'a>(_: (), _: usize) -> Self::Chunk<'a> {}
        }
    };
}
filter!(With);
filter!(Without);
filter!(Changed);

// SAFETY: reads the pool of ids, which is lent to every run to read.
unsafe impl Item for EntityId {
    type Row<'a> = EntityId;
    type Chunk<'a> = &'a [EntityId];
    type Column = Column<EntityId>;
    type Place = *mut EntityId;

    fn term() -> ItemTerm {
        term::<EntityId>(ItemKind::Id)
    }
    fn open(lent: &Lent, _: Option<&LentPool>, optional: u32) -> Column<EntityId> {
        Column::open(Some(&lent.ids), optional)
    }
    #[inline(always)]
    unsafe fn place(column: Column<EntityId>, row: u32, _: u32) -> *mut EntityId {
        // SAFETY: every row of a mask has an id.
        unsafe { column.at(row) }
    }
    #[inline(always)]
    unsafe fn row<'a>(place: *mut EntityId, k: usize) -> Self::Row<'a> {
        // SAFETY: ids are written when a row is handed out and not while a run may have it in its mask.
        unsafe { *place.add(k) }
    }
    #[inline(always)]
    unsafe fn chunk<'a>(place: *mut EntityId, len: usize) -> &'a [EntityId] {
        // SAFETY: as for `row`; the rows lie side by side.
        unsafe { std::slice::from_raw_parts(place, len) }
    }
}
