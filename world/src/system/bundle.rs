//! Components of an entity given as a tuple of values.

use crate::component::Component;
use std::any::TypeId;

/// A tuple of up to eight component values to make an entity of.
pub trait Bundle: 'static {
    /// The types, in the tuple's order.
    fn types() -> Vec<(TypeId, &'static str)>;
    /// Calls `each` with the bytes of each value, in the tuple's order.
    fn each_block(&self, each: impl FnMut(usize, &[u8]));
}

macro_rules! bundle {
    ($($part:ident $n:tt),*) => {
        impl<$($part: Component),*> Bundle for ($($part,)*) {
            fn types() -> Vec<(TypeId, &'static str)> {
                vec![$((TypeId::of::<$part>(), $part::NAME)),*]
            }
            #[inline(always)]
            fn each_block(&self, mut each: impl FnMut(usize, &[u8])) {
                $(each($n, bytemuck::bytes_of(&self.$n));)*
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
