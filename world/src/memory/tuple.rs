//! Queries of several items: tuples, and a single item by itself.

#![expect(unsafe_code, reason = "passes on to items; the invariants are in `memory`")]

use super::item::{Item, ItemKind, ItemTerm};
use super::lent::Lent;

/// What a system asks for of each entity: one [`Item`], or a tuple of up to eight.
///
/// `(&mut Position, &Velocity, Option<&Body>)` writes positions, reads velocities and, where they are there,
/// bodies, of every entity that has a position and a velocity.
///
/// # Safety
/// `terms` must say all that the other functions do.
pub unsafe trait Query {
    /// What an update of one entity gets.
    type Row<'a>;
    /// What an update of entities side by side gets: slices of the same length, and the length.
    type Chunk<'a>;
    #[doc(hidden)]
    type Columns: Copy;
    #[doc(hidden)]
    type Places: Copy;

    /// What it asks for.
    fn terms() -> Vec<ItemTerm>;

    /// Opens the pools lent for `terms`, which are in the same order.
    #[doc(hidden)]
    fn open(lent: &Lent, query: usize) -> Self::Columns;

    /// # Safety
    /// As for `Item::place`.
    #[doc(hidden)]
    unsafe fn place(columns: Self::Columns, row: u32, optional: u32) -> Self::Places;

    /// # Safety
    /// As for `Item::row`.
    #[doc(hidden)]
    unsafe fn row<'a>(places: Self::Places, k: usize) -> Self::Row<'a>;

    /// # Safety
    /// As for `Item::chunk`.
    #[doc(hidden)]
    unsafe fn chunk<'a>(places: Self::Places, len: usize) -> Self::Chunk<'a>;
}

fn is_optional(kind: ItemKind) -> bool {
    matches!(kind, ItemKind::OptionalRead | ItemKind::OptionalWrite)
}

macro_rules! tuple {
    ($($item:ident $n:tt),*) => {
        // SAFETY: does what its items do, and says what they say.
        unsafe impl<$($item: Item),*> Query for ($($item,)*) {
            type Row<'a> = ($($item::Row<'a>,)*);
            type Chunk<'a> = ($($item::Chunk<'a>,)* usize);
            type Columns = ($($item::Column,)*);
            type Places = ($($item::Place,)*);

            fn terms() -> Vec<ItemTerm> {
                vec![$($item::term()),*]
            }
            fn open(lent: &Lent, query: usize) -> Self::Columns {
                let mut optional = 0;
                ($({
                    let column = $item::open(lent, lent.pool(query, $n), optional);
                    optional += is_optional($item::term().kind) as u32;
                    let _ = optional;
                    column
                },)*)
            }
            #[inline(always)]
            unsafe fn place(columns: Self::Columns, row: u32, optional: u32) -> Self::Places {
                // SAFETY: the caller's promise, passed on.
                unsafe { ($($item::place(columns.$n, row, optional),)*) }
            }
            #[inline(always)]
            unsafe fn row<'a>(places: Self::Places, k: usize) -> Self::Row<'a> {
                // SAFETY: the caller's promise, passed on.
                unsafe { ($($item::row(places.$n, k),)*) }
            }
            #[inline(always)]
            unsafe fn chunk<'a>(places: Self::Places, len: usize) -> Self::Chunk<'a> {
                // SAFETY: the caller's promise, passed on.
                unsafe { ($($item::chunk(places.$n, len),)* len) }
            }
        }
    };
}
tuple!(A 0);
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);

macro_rules! single {
    ([$($life:lifetime, $generic:ident)?] $item:ty) => {
        // SAFETY: does what the item does, and says what it says.
        unsafe impl$(<$life, $generic: crate::component::Component>)? Query for $item {
            type Row<'a> = <$item as Item>::Row<'a>;
            type Chunk<'a> = (<$item as Item>::Chunk<'a>, usize);
            type Columns = <$item as Item>::Column;
            type Places = <$item as Item>::Place;

            fn terms() -> Vec<ItemTerm> {
                vec![<$item as Item>::term()]
            }
            fn open(lent: &Lent, query: usize) -> Self::Columns {
                <$item as Item>::open(lent, lent.pool(query, 0), 0)
            }
            #[inline(always)]
            unsafe fn place(columns: Self::Columns, row: u32, optional: u32) -> Self::Places {
                // SAFETY: the caller's promise, passed on.
                unsafe { <$item as Item>::place(columns, row, optional) }
            }
            #[inline(always)]
            unsafe fn row<'a>(places: Self::Places, k: usize) -> Self::Row<'a> {
                // SAFETY: the caller's promise, passed on.
                unsafe { <$item as Item>::row(places, k) }
            }
            #[inline(always)]
            unsafe fn chunk<'a>(places: Self::Places, len: usize) -> Self::Chunk<'a> {
                // SAFETY: the caller's promise, passed on.
                (unsafe { <$item as Item>::chunk(places, len) }, len)
            }
        }
    };
}
single!(['t, T] &'t T);
single!(['t, T] &'t mut T);
single!([] crate::id::EntityId);
