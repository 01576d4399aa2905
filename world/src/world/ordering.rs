//! The order in which systems are registered: as they are added, or by what they touch.

use super::World;
use crate::scene::SystemOrder;
use crate::schedule::{BrokenCycle, order_by_access};

impl World {
    /// The order that systems are brought in.
    pub fn system_order(&self) -> SystemOrder {
        self.systems.order
    }

    /// Brings the systems in an order, now and whenever one is added; those that are queued keep their place. Gives
    /// the circles in which systems wait for each other, one of which had to begin. An order by access that is given
    /// up stays as it is.
    pub fn set_system_order(&mut self, order: SystemOrder) -> Vec<BrokenCycle> {
        self.systems.order = order;
        self.keep_order()
    }

    /// Brings the systems in an order that lets readers run before the writers of what they read, now and whenever
    /// one is added. As [`set_system_order`](Self::set_system_order).
    pub fn order_by_access(&mut self) -> Vec<BrokenCycle> {
        self.set_system_order(SystemOrder::Access)
    }

    pub(super) fn keep_order(&mut self) -> Vec<BrokenCycle> {
        if self.systems.order == SystemOrder::Registration {
            return Vec::new();
        }
        let ordered = order_by_access(&self.systems.accesses());
        let mut before: Vec<_> = self.systems.list.drain(..).map(Some).collect();
        self.systems.list.extend(ordered.order.iter().filter_map(|&place| before[place].take()));
        self.systems.list_changed();
        ordered.broken
    }
}
