//! What a filter needs to know of an entity, so that those it cannot match are never looked at.

use super::compile::Filter;
use super::evaluate::{EntitySide, Test, TextSide};
use crate::id::ComponentId;

impl Filter {
    /// The components whose fields are read, sorted. Those only asked for by `with:` and `without:` are not among
    /// them.
    pub fn reads(&self) -> Vec<ComponentId> {
        let mut found = Vec::new();
        reads(&self.test, &mut found);
        sorted(found)
    }

    /// Components every entity that matches has, sorted: whoever lacks one need not be looked at.
    pub fn required(&self) -> Vec<ComponentId> {
        certain(&self.test, true, true)
    }

    /// Components no entity that matches has, sorted: whoever has one need not be looked at.
    pub fn excluded(&self) -> Vec<ComponentId> {
        certain(&self.test, true, false)
    }

    /// How many ticks back `changed:` asks at most; none if it does not occur.
    pub fn changed_within(&self) -> Option<u64> {
        longest_change(&self.test)
    }
}

fn sorted(mut components: Vec<ComponentId>) -> Vec<ComponentId> {
    components.sort_unstable();
    components.dedup();
    components
}

fn reads(test: &Test, found: &mut Vec<ComponentId>) {
    match test {
        Test::Not(inner) => reads(inner, found),
        Test::All(tests) | Test::Any(tests) => tests.iter().for_each(|test| reads(test, found)),
        Test::Number(..) | Test::Text(..) | Test::Entity(..) => found.extend(compared(test)),
        _ => {}
    }
}

/// The components whose fields a comparison reads.
fn compared(test: &Test) -> Vec<ComponentId> {
    let mut places = Vec::new();
    match test {
        Test::Number(left, _, right) => {
            left.leaves(&mut places);
            right.leaves(&mut places);
        }
        Test::Text(left, _, right) => {
            for side in [left, right] {
                if let TextSide::Field(place) = side {
                    places.push(place);
                }
            }
        }
        Test::Entity(left, _, right) => {
            for side in [left, right] {
                if let EntitySide::Field(place) = side {
                    places.push(place);
                }
            }
        }
        _ => {}
    }
    places.into_iter().map(|place| place.component).collect()
}

/// Components that are surely there (`present`) or surely not, if the test is known to hold (`holds`) or to fail.
fn certain(test: &Test, holds: bool, present: bool) -> Vec<ComponentId> {
    let of_each = |tests: &[Test]| tests.iter().map(|test| certain(test, holds, present)).collect::<Vec<_>>();
    match test {
        Test::Not(inner) => certain(inner, !holds, present),
        // Of a conjunction that holds every part holds; of one that fails, who knows which.
        Test::All(tests) if holds => sorted(of_each(tests).concat()),
        Test::Any(tests) if !holds => sorted(of_each(tests).concat()),
        Test::All(tests) | Test::Any(tests) => of_each(tests)
            .into_iter()
            .reduce(|mut common, other| {
                common.retain(|component| other.contains(component));
                common
            })
            .unwrap_or_default(),
        Test::With(component) if holds == present => vec![*component],
        Test::Number(..) | Test::Text(..) | Test::Entity(..) if holds && present => sorted(compared(test)),
        _ => Vec::new(),
    }
}

fn longest_change(test: &Test) -> Option<u64> {
    match test {
        Test::Changed(ticks) => Some(*ticks),
        Test::Not(inner) => longest_change(inner),
        Test::All(tests) | Test::Any(tests) => tests.iter().filter_map(longest_change).max(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::world;
    use super::super::{Names, Subject};
    use super::*;
    use proptest::prelude::*;

    fn compiled(text: &str) -> Filter {
        Filter::compile(text, &world()).unwrap_or_else(|fault| panic!("{text}: {fault} at {:?}", fault.span))
    }

    #[test]
    fn what_a_match_needs_is_known_beforehand() {
        for (text, required, excluded, reads) in [
            ("", &[][..], &[][..], &[][..]),
            ("with:health with:velocity oak", &["velocity", "health"], &[], &[]),
            ("with:health or with:velocity", &[], &[], &[]),
            ("with:health or (with:velocity with:health)", &["health"], &[], &[]),
            ("not with:frozen health.health < 3", &["health"], &["frozen"], &["health"]),
            ("not (without:health or with:frozen)", &["health"], &["frozen"], &[]),
            ("not (without:health with:frozen)", &[], &[], &[]),
            ("not health.health < velocity.x", &[], &[], &["velocity", "health"]),
            (
                "velocity.x < velocity.y + health.health",
                &["velocity", "health"],
                &[],
                &["velocity", "health"],
            ),
            ("name.text = oak hunt.target", &["name", "hunt"], &[], &["name", "hunt"]),
        ] {
            let ids =
                |names: &[&str]| names.iter().map(|n| world().component(n).unwrap()).collect::<Vec<_>>();
            let filter = compiled(text);
            assert_eq!(filter.required(), ids(required), "{text}");
            assert_eq!(filter.excluded(), ids(excluded), "{text}");
            assert_eq!(filter.reads(), ids(reads), "{text}");
        }
        assert_eq!(compiled("changed:5t or not changed:9t").changed_within(), Some(9));
        assert_eq!(compiled("oak").changed_within(), None);
        assert!(compiled(" ").is_everything() && !compiled("oak").is_everything());
    }

    fn texts() -> impl Strategy<Value = String> {
        let parts = [
            "oak",
            "(",
            ")",
            "(",
            ")",
            "not",
            "not",
            "or",
            "static",
            "with:velocity",
            "without:health",
            "with:frozen",
            "health.health < 10",
            "velocity.x > 0",
            "name.text != Grey",
            "hunt.target",
            "body.solid",
            "changed:5t",
        ];
        prop::collection::vec(prop::sample::select(parts.to_vec()), 0..10).prop_map(|parts| parts.join(" "))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn whoever_matches_has_what_is_required_and_lacks_what_is_excluded(text in texts()) {
            let world = world();
            if let Ok(filter) = Filter::compile(&text, &world) {
                for subject in world.subjects().filter(|subject| filter.matches(subject)) {
                    prop_assert!(filter.required().iter().all(|component| subject.has(*component)), "{}", text);
                    prop_assert!(!filter.excluded().iter().any(|component| subject.has(*component)), "{}", text);
                }
            }
        }
    }
}
