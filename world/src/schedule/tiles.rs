//! Which neighbours of a schedule run as one, tile by tile, and why others do not.

use super::access::Access;
use super::plan::Plan;
use std::ops::Range;

/// Why a system is joined with no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Obstacle {
    /// It is no update of entities on the worker pool.
    NotOfEntities,
    /// It may have hooks, or queries that name components.
    NotByRow,
    /// It runs alone.
    Alone,
    /// It reads or writes entities other than the one it is at.
    OtherEntities,
    /// It may create, kill, or change what entities are made of.
    Effects,
    /// It works in batches.
    Batches,
    /// It visits entities in creation order.
    CreationOrder,
    /// A filter picks its entities.
    Filter,
    /// It looks for what changed.
    Changes,
    /// It is asked before each step whether it wants to run.
    Asked,
}

impl Obstacle {
    /// What the system does, to follow its name.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::NotOfEntities => "is no update of entities on the worker pool",
            Self::NotByRow => "may have hooks, or finds its components by name",
            Self::Alone => "runs alone",
            Self::OtherEntities => "reads or writes entities other than the one it is at",
            Self::Effects => "may create, kill or change entities",
            Self::Batches => "works in batches",
            Self::CreationOrder => "visits entities in creation order",
            Self::Filter => "has a filter",
            Self::Changes => "looks for what changed",
            Self::Asked => "is asked before each step whether it wants to run",
        }
    }
}

/// Why a system and the one registered after it do not run tile by tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Apart {
    /// The earlier one cannot be joined with any.
    Earlier(Obstacle),
    /// The later one cannot be joined with any.
    Later(Obstacle),
    /// One runs once a step, the other once an update.
    Phases,
    /// The later one does not wait for the earlier one: they may run at once.
    Independent,
    /// Threads share the runs of one, but not those of the other.
    Sharing,
    /// The world joins none.
    Off,
}

/// What decides whether a system can be joined with its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TileTraits {
    pub(crate) obstacle: Option<Obstacle>,
    /// Whether it runs once an update rather than once a step.
    pub(crate) variable: bool,
    /// Whether threads share its runs.
    pub(crate) shared: bool,
}

impl TileTraits {
    /// Those of a system nothing is known of.
    pub(crate) const UNKNOWN: Self =
        Self { obstacle: Some(Obstacle::NotOfEntities), variable: false, shared: false };
}

/// Why a system and the next are not joined; none if they are.
pub(crate) fn apart(
    (earlier, first): (&Access, TileTraits),
    (later, second): (&Access, TileTraits),
) -> Option<Apart> {
    if let Some(obstacle) = first.obstacle {
        Some(Apart::Earlier(obstacle))
    } else if let Some(obstacle) = second.obstacle {
        Some(Apart::Later(obstacle))
    } else if first.variable != second.variable {
        Some(Apart::Phases)
    } else if earlier.conflict(later).is_none() {
        Some(Apart::Independent)
    } else {
        (first.shared != second.shared).then_some(Apart::Sharing)
    }
}

/// For each place the end of the group it is in, from what is between it and the next.
pub(crate) fn group_ends(count: usize, apart: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut ends = vec![0; count];
    let mut end = count;
    for place in (0..count).rev() {
        if place + 1 < count && apart(place) {
            end = place + 1;
        }
        ends[place] = end;
    }
    ends
}

impl Plan {
    /// Why the system at a place and the one after it do not run as one, tile by tile. None if they do, or if
    /// it is the last.
    pub fn apart(&self, place: usize) -> Option<Apart> {
        self.joints.get(place).copied().flatten()
    }

    /// The systems that run as one, tile by tile: places side by side, at least two each.
    pub fn tiles(&self) -> Vec<Range<usize>> {
        let count = self.systems().len();
        let ends = group_ends(count, |place| self.apart(place).is_some());
        let mut tiles = Vec::new();
        let mut start = 0;
        while start < count {
            if ends[start] - start > 1 {
                tiles.push(start..ends[start]);
            }
            start = ends[start];
        }
        tiles
    }

    /// A sentence about the system at a place and the one after it: that they run as one, or why not. None if it is
    /// the last.
    pub fn explain_joint(&self, place: usize) -> Option<String> {
        (place + 1 < self.systems().len()).then(|| {
            let (a, b) = (format!("`{}`", self.label(place)), format!("`{}`", self.label(place + 1)));
            let why = match self.apart(place) {
                None => return format!("{a} and {b} run as one, tile by tile"),
                Some(Apart::Earlier(obstacle)) => format!("{a} {}", obstacle.sentence()),
                Some(Apart::Later(obstacle)) => format!("{b} {}", obstacle.sentence()),
                Some(Apart::Phases) => "one runs once a step, the other once an update".to_owned(),
                Some(Apart::Independent) => format!("{b} does not wait for {a}"),
                Some(Apart::Sharing) => "threads share the runs of one of them only".to_owned(),
                Some(Apart::Off) => "this world joins none".to_owned(),
            };
            format!("{a} and {b} do not run as one: {why}")
        })
    }

    /// The same plan with what is known of joining its systems; without tiles none are joined.
    pub(crate) fn with_tiles(mut self, traits: &[TileTraits], tiles: bool) -> Self {
        let neighbours = self.systems.windows(2).zip(traits.windows(2));
        self.joints = neighbours
            .map(|(systems, traits)| {
                let apart = apart((&systems[0].access, traits[0]), (&systems[1].access, traits[1]));
                if tiles { apart } else { apart.or(Some(Apart::Off)) }
            })
            .collect();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{ComponentId, SystemId};
    use crate::schedule::{QueryAccess, SystemAccess};

    const PLAIN: TileTraits = TileTraits { obstacle: None, variable: false, shared: false };

    fn system(name: &str, writes: u16) -> SystemAccess {
        let component = ComponentId(writes);
        let access = Access::new().query(QueryAccess::new().required([component])).write(component);
        SystemAccess { id: SystemId(name.as_bytes()[0] as u32), name: name.to_owned(), access }
    }

    fn plan(systems: &[(&str, u16, TileTraits)], tiles: bool) -> Plan {
        let accesses: Vec<_> = systems.iter().map(|&(name, writes, _)| system(name, writes)).collect();
        let traits: Vec<_> = systems.iter().map(|&(_, _, traits)| traits).collect();
        Plan::compile(&accesses).with_tiles(&traits, tiles)
    }

    #[test]
    fn neighbours_that_wait_for_each_other_are_joined_and_others_say_why_not() {
        let hooks = TileTraits { obstacle: Some(Obstacle::NotByRow), ..PLAIN };
        let variable = TileTraits { variable: true, ..PLAIN };
        let shared = TileTraits { shared: true, ..variable };
        let systems = [
            ("a", 1, PLAIN),
            ("b", 1, PLAIN),
            ("c", 2, PLAIN),
            ("d", 2, hooks),
            ("e", 2, PLAIN),
            ("f", 2, variable),
            ("g", 2, shared),
        ];
        let plan = plan(&systems, true);
        let sentences: Vec<String> = (0..7).filter_map(|place| plan.explain_joint(place)).collect();
        assert_eq!(
            sentences,
            [
                "`a` and `b` run as one, tile by tile",
                "`b` and `c` do not run as one: `c` does not wait for `b`",
                "`c` and `d` do not run as one: `d` may have hooks, or finds its components by name",
                "`d` and `e` do not run as one: `d` may have hooks, or finds its components by name",
                "`e` and `f` do not run as one: one runs once a step, the other once an update",
                "`f` and `g` do not run as one: threads share the runs of one of them only",
            ]
        );
        assert_eq!(format!("{:?}", plan.tiles()), "[0..2]");
    }

    #[test]
    fn a_group_goes_as_far_as_neighbours_are_joined() {
        let all: Vec<_> = ["a", "b", "c", "d"].map(|name| (name, 1, PLAIN)).into();
        assert_eq!(format!("{:?}", plan(&all, true).tiles()), "[0..4]");
        let off = plan(&all, false);
        assert_eq!((off.tiles(), off.apart(0)), (Vec::new(), Some(Apart::Off)));
        assert_eq!(off.apart(3), None, "nothing comes after the last");
        assert_eq!(group_ends(5, |place| place == 1 || place == 3), [2, 2, 4, 4, 5]);
        assert_eq!(group_ends(0, |_| true), [0_usize; 0]);
    }

    #[test]
    fn a_plan_of_systems_nothing_is_known_of_joins_none() {
        let plan = Plan::compile(&[system("a", 1), system("b", 1)]);
        assert_eq!(
            (plan.tiles(), plan.apart(0)),
            (Vec::new(), Some(Apart::Earlier(Obstacle::NotOfEntities)))
        );
    }
}
