//! Components of an entity given as a tuple of values.

use crate::component::Component;
use std::any::TypeId;

/// A tuple of up to eight component values to make an entity of.
pub trait Bundle: 'static {
    /// The types, in the tuple's order.
    fn types() -> Vec<(TypeId, &'static str)>;
    /// Gives `to` each value with its place in the tuple.
    #[doc(hidden)]
    fn give(&self, to: &mut impl Blocks);
}

/// Takes the values of a bundle, each as the type it is, so that its size is known.
#[doc(hidden)]
pub trait Blocks {
    fn take<T: Component>(&mut self, place: usize, value: &T);
}

macro_rules! bundle {
    ($($part:ident $n:tt),*) => {
        impl<$($part: Component),*> Bundle for ($($part,)*) {
            fn types() -> Vec<(TypeId, &'static str)> {
                vec![$((TypeId::of::<$part>(), $part::NAME)),*]
            }
            #[inline(always)]
            fn give(&self, to: &mut impl Blocks) {
                $(to.take($n, &self.$n);)*
            }
        }
    };
}
bundle!(A 0);
bundle!(A 0, B 1);
bundle!(A 0, B 1, C 2);
bundle!(A 0, B 1, C 2, D 3);
bundle!(A 0, B 1, C 2, D 3, E 4);
bundle!(A 0, B 1, C 2, D 3, E 4, F 5);
bundle!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
bundle!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
