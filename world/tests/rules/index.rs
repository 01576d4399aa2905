//! Indexes over fields, against a look at every entity.

use bytemuck::{Pod, Zeroable};
use proptest::prelude::*;
use std::ops::Bound;
use vivarium_world::{
    Catalog, Component, ComponentDef, EntityId, Field, IndexError, IndexKind, LoadOptions, Named, Role, Run,
    Scalar, SystemDef, World, WorldOptions,
};

#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
struct Item {
    owner: u64,
    weight: f32,
    tier: i16,
    good: u8,
    spare: u8,
    label: u32,
    id: u32,
}

impl Component for Item {
    const NAME: &'static str = "item";
    fn definition() -> ComponentDef {
        ComponentDef::of::<Self>()
            .field(Field::new("owner", Scalar::U64, 0).role(Role::Entity))
            .field(Field::new("weight", Scalar::F32, 8))
            .field(Field::new("tier", Scalar::I16, 12))
            .field(Field::new("good", Scalar::Bool8, 14))
            .field(Field::new("label", Scalar::U32, 16).role(Role::Text))
            .field(Field::new("number", Scalar::U32, 20))
            .field(Field::new("parts", Scalar::U32, 20).role(Role::List).without_key())
    }
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Extra(u32);

impl Component for Extra {
    const NAME: &'static str = "extra";
    fn definition() -> ComponentDef {
        ComponentDef::of::<Self>().field(Field::new("extra", Scalar::U32, 0))
    }
}

fn item(weight: f32, tier: i16) -> Item {
    Item { owner: 0, weight, tier, good: 0, spare: 0, label: 0, id: 0 }
}

fn catalog() -> Catalog {
    let catalog = Catalog::new().component::<Item>().and_then(Catalog::component::<Extra>).unwrap();
    catalog.system(|| {
        SystemDef::each::<(&mut Item, Option<&Extra>), _>("age", |(item, extra), run: &mut Run| {
            if extra.is_some() && run.tick().is_multiple_of(2) {
                item.weight += 1.0;
                item.tier = -item.tier;
            }
        })
    })
}

fn world(threads: usize) -> World {
    let options = WorldOptions { threads, ..WorldOptions::default() };
    let mut world = World::new(&catalog(), options).unwrap();
    let scene = r#"{ "vivarium": 1, "step": 16, "systems": [ { "system": "age" } ] }"#;
    world.load("index.json", scene, &LoadOptions::default()).unwrap();
    world.add_index("weight", "item", "weight", IndexKind::Sorted, false).unwrap();
    world.add_index("tier", "item", "tier", IndexKind::Sorted, false).unwrap();
    world.add_index("same tier", "item", "tier", IndexKind::Hash, false).unwrap();
    world
}

/// Entities whose item passes, by value, in what order they come.
fn scan(world: &mut World, passes: impl Fn(&Item) -> bool) -> Vec<EntityId> {
    let mut found = Vec::new();
    world.each::<(EntityId, &Item)>(|(id, item)| found.extend(passes(item).then_some(id)));
    found
}

fn sorted(mut ids: Vec<EntityId>) -> Vec<EntityId> {
    ids.sort_unstable();
    ids
}

#[derive(Clone, Debug)]
enum Op {
    Spawn(f32, i16),
    Set(usize, f32, i16),
    Change(usize, i16),
    Kill(usize),
    TakeOff(usize),
    PutOn(usize, f32, i16),
    Extra(usize),
    Step,
    Compact,
    Look(i16, i16),
}

fn op() -> impl Strategy<Value = Op> {
    let (which, tier) = (0..40usize, -3..4i16);
    let weight = prop_oneof![(-4..4).prop_map(|n| n as f32 / 2.0), Just(f32::NAN), Just(-0.0)];
    prop_oneof![
        4 => (weight.clone(), tier.clone()).prop_map(|(w, t)| Op::Spawn(w, t)),
        3 => (which.clone(), weight.clone(), tier.clone()).prop_map(|(k, w, t)| Op::Set(k, w, t)),
        2 => (which.clone(), tier.clone()).prop_map(|(k, t)| Op::Change(k, t)),
        2 => which.clone().prop_map(Op::Kill),
        2 => which.clone().prop_map(Op::TakeOff),
        2 => (which.clone(), weight, tier.clone()).prop_map(|(k, w, t)| Op::PutOn(k, w, t)),
        1 => which.prop_map(Op::Extra),
        3 => Just(Op::Step),
        1 => Just(Op::Compact),
        4 => (tier.clone(), tier).prop_map(|(a, b)| Op::Look(a, b)),
    ]
}

fn look(world: &mut World, low: i16, high: i16) {
    let expected = scan(world, |item| item.tier == low);
    assert_eq!(world.index("same tier").unwrap().equal(low).unwrap().collect::<Vec<_>>(), expected);
    assert_eq!(world.index("tier").unwrap().equal(low as f64).unwrap().collect::<Vec<_>>(), expected);
    let all = scan(world, |_| true);
    assert_eq!(world.index("tier").unwrap().len(), all.len());

    let expected = scan(world, |item| (low..high).contains(&item.tier));
    let found: Vec<EntityId> = world.index("tier").unwrap().range(low..high).unwrap().collect();
    let tiers: Vec<i16> = found.iter().map(|&id| world.get::<Item>(id).unwrap().tier).collect();
    assert!(tiers.is_sorted(), "{tiers:?}");
    assert_eq!(sorted(found), sorted(expected));

    let bounds = (Bound::Excluded(low as f32 / 2.0), Bound::Included(high as f32 / 2.0));
    let expected = scan(world, |item| item.weight > low as f32 / 2.0 && item.weight <= high as f32 / 2.0);
    let found: Vec<EntityId> = world.index("weight").unwrap().range(bounds).unwrap().collect();
    assert_eq!(sorted(found), sorted(expected));
    let numbers = scan(world, |item| !item.weight.is_nan());
    let found: Vec<EntityId> = world.index("weight").unwrap().range::<f64, _>(..).unwrap().collect();
    assert_eq!(sorted(found), sorted(numbers));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]
    #[test]
    fn an_index_finds_what_a_look_at_every_entity_finds(
        ops in proptest::collection::vec(op(), 1..120),
        threads in 0..2usize,
        many in 0..400usize,
    ) {
        let mut world = world(threads);
        // With many beside them, a few changes are patched in; without, the index is rebuilt.
        (0..many).for_each(|k| _ = world.spawn((item(100.0, 50 + (k % 7) as i16),)));
        let mut ids: Vec<EntityId> = Vec::new();
        for op in ops {
            let at = |k: usize| ids.get(k % ids.len().max(1)).copied();
            match op {
                Op::Spawn(weight, tier) => ids.push(world.spawn((item(weight, tier),))),
                Op::Set(k, weight, tier) => {
                    at(k).into_iter().for_each(|id| drop(world.set(id, item(weight, tier))));
                }
                Op::Change(k, tier) => {
                    at(k).into_iter().for_each(|id| _ = world.update_component(id, |item: &mut Item| item.tier = tier));
                }
                Op::Kill(k) => at(k).into_iter().for_each(|id| _ = world.kill(id)),
                Op::TakeOff(k) => at(k).into_iter().for_each(|id| drop(world.remove_component::<Item>(id))),
                Op::PutOn(k, weight, tier) => {
                    at(k).into_iter().for_each(|id| drop(world.add(id, item(weight, tier))));
                }
                Op::Extra(k) => at(k).into_iter().for_each(|id| drop(world.add(id, Extra(1)))),
                Op::Step => _ = world.update(16.0),
                Op::Compact => _ = world.compact(),
                Op::Look(low, high) => look(&mut world, low, high),
            }
        }
        look(&mut world, -1, 2);
    }
}

#[test]
fn an_index_goes_over_to_what_is_loaded_next() {
    let mut world = world(0);
    let old = world.spawn((item(1.0, 9),));
    assert_eq!(world.index("tier").unwrap().one(9).unwrap(), Some(old));
    let scene = r#"{ "vivarium": 1, "entities": [ { "tier": 9, "weight": 4 }, { "tier": 9, "weight": 3, "dead": true } ] }"#;
    world.load("next.json", scene, &LoadOptions::default()).unwrap();
    let ids: Vec<EntityId> = world.entities().collect();
    assert_eq!(world.index("tier").unwrap().equal(9).unwrap().collect::<Vec<_>>(), ids[..1], "as in queries");
    world.clear();
    assert!(world.index("tier").unwrap().is_empty());
}

#[test]
fn values_are_found_by_what_they_are_worth_and_kinds_do_not_mix() {
    let mut world = world(0);
    for (name, field) in [("good", "good"), ("label", "label"), ("owner", "owner"), ("number", "number")] {
        world.add_index(name, "item", field, IndexKind::Hash, false).unwrap();
    }
    let label = world.strings().intern("oak");
    let owner = world.spawn((Extra(1),));
    let it = Item { label, good: 1, owner: owner.bits(), id: u32::MAX, ..item(0.0, -5) };
    let id = world.spawn((it,));
    let mut finds = |name: &str, value: vivarium_world::IndexValue<'_>| world.index(name).unwrap().one(value);
    assert_eq!(finds("tier", (-5.0).into()), Ok(Some(id)));
    assert_eq!(finds("tier", (-5.5).into()), Ok(None));
    assert_eq!(finds("tier", 1_000_000.into()), Ok(None));
    assert_eq!(finds("tier", f64::NAN.into()), Ok(None));
    assert_eq!(finds("weight", (-0.0).into()), Ok(Some(id)));
    assert_eq!(finds("number", 4_294_967_295.0.into()), Ok(Some(id)));
    assert_eq!(finds("number", (-1).into()), Ok(None));
    assert_eq!(finds("good", true.into()), Ok(Some(id)));
    assert_eq!(finds("good", false.into()), Ok(None));
    assert_eq!(finds("label", "oak".into()), Ok(Some(id)));
    assert_eq!(finds("label", "elm".into()), Ok(None));
    assert_eq!(finds("owner", owner.into()), Ok(Some(id)));
    assert_eq!(finds("owner", id.into()), Ok(None));
    let wrong = |index: &str, expected| Err(IndexError::Value { index: index.to_owned(), expected });
    assert_eq!(finds("label", 1.into()), wrong("label", "texts"));
    assert_eq!(finds("tier", "oak".into()), wrong("tier", "numbers"));
    assert_eq!(finds("owner", 1.into()), wrong("owner", "references to entities"));
    assert_eq!(finds("good", 1.into()), wrong("good", "truth values"));
}

#[test]
fn ranges_of_integers_take_bounds_between_them_and_beyond_their_type() {
    let mut world = world(0);
    let ids: Vec<EntityId> = (-2..3).map(|tier| world.spawn((item(0.0, tier),))).collect();
    let index = world.index("tier").unwrap();
    let found = |low: Bound<f64>, high: Bound<f64>| index.range((low, high)).unwrap().collect::<Vec<_>>();
    use Bound::{Excluded, Included, Unbounded};
    assert_eq!(found(Included(-1.5), Excluded(1.5)), ids[1..4]);
    assert_eq!(found(Excluded(-1.0), Included(1.0)), ids[2..4]);
    assert_eq!(found(Excluded(-1e30), Excluded(1e30)), ids);
    assert_eq!(found(Unbounded, Excluded(-1.0)), ids[..1]);
    assert_eq!(found(Included(1e30), Unbounded), []);
    assert_eq!(found(Included(2.0), Included(1.0)), []);
    assert_eq!(index.range(-1..=1).unwrap().rev().collect::<Vec<_>>(), [ids[3], ids[2], ids[1]]);
}

#[test]
fn integers_that_no_double_holds_are_told_from_their_neighbours() {
    let mut world = world(0);
    world.add_index("exact", "item", "weight", IndexKind::Sorted, false).unwrap();
    let two_to_53 = 9_007_199_254_740_992_u64;
    let id = world.spawn((item(two_to_53 as f32, 0),));
    let index = world.index("exact").unwrap();
    assert_eq!(index.one(two_to_53).unwrap(), Some(id));
    assert_eq!(index.one(two_to_53 + 1).unwrap(), None, "it is rounded to the one that is there");
    let found = |low: Bound<u64>, high: Bound<u64>| index.range((low, high)).unwrap().count();
    use Bound::{Excluded, Included, Unbounded};
    assert_eq!(found(Included(two_to_53 + 1), Unbounded), 0);
    assert_eq!(found(Unbounded, Excluded(two_to_53 + 1)), 1);
    assert_eq!(found(Unbounded, Included(two_to_53 + 1)), 1);
    assert_eq!(found(Excluded(two_to_53), Unbounded), 0);
    assert_eq!(found(Included(two_to_53 - 1), Excluded(two_to_53)), 0);
    assert_eq!(found(Included(u64::MAX), Unbounded), 0);
}

#[test]
fn a_unique_index_names_two_entities_with_one_value() {
    let mut world = world(0);
    for kind in [IndexKind::Hash, IndexKind::Sorted] {
        world.add_index("unique", "item", "tier", kind, true).unwrap();
        let ids: Vec<EntityId> = (0..40).map(|tier| world.spawn((item(0.0, tier),))).collect();
        assert_eq!(world.index("unique").unwrap().one(7).unwrap(), Some(ids[7]));
        world.set(ids[9], item(0.0, 7)).unwrap();
        let error = world.index("unique").err().unwrap();
        let (first, second) = (ids[7], ids[9]);
        assert_eq!(error, IndexError::NotUnique { index: "unique".to_owned(), first, second });
        world.kill(ids[7]);
        assert_eq!(world.index("unique").unwrap().one(7).unwrap(), Some(ids[9]), "the other died");
        assert!(world.remove_index("unique") && !world.remove_index("unique"));
        ids.iter().for_each(|&id| _ = world.kill(id));
    }
}

#[test]
fn an_index_over_what_cannot_be_looked_up_is_refused_with_the_reason() {
    let mut world = world(0);
    let mut add = |name: &str, component: &str, field: &str, kind| {
        world.add_index(name, component, field, kind, false).unwrap_err().to_string()
    };
    assert!(add("tier", "item", "tier", IndexKind::Hash).contains("there already"));
    assert!(add("new", "itm", "tier", IndexKind::Hash).contains("\"itm\", which is not registered"));
    assert!(add("new", "item", "teir", IndexKind::Hash).contains("did you mean \"tier\"?"));
    assert!(add("new", "item", "parts", IndexKind::Hash).contains("cannot be looked up"));
    assert!(add("new", "item", "label", IndexKind::Sorted).contains("cannot be sorted"));
    assert!(world.index("teir").err().unwrap().to_string().contains("did you mean \"tier\"?"));
    let error = world.index("same tier").unwrap().range(0..3).err().unwrap();
    assert_eq!(error, IndexError::NotSorted("same tier".to_owned()));
}

#[test]
fn a_run_uses_an_index_as_it_was_when_it_began() {
    use crate::common::{Calls, Health, Link, errors, no_strings};
    for threads in [0, 1, 4] {
        let mut world = crate::common::world_of(&crate::common::catalog(&Calls::default()), threads);
        world.add_index("owner", "link", "target", IndexKind::Hash, false).unwrap();
        world.add_index("health", "health", "health", IndexKind::Sorted, false).unwrap();
        let [one, other] = [1.0, 2.0].map(|health| world.spawn((Health { health },)));
        let of_one: Vec<EntityId> = (0..3)
            .map(|n| world.spawn((Link { target: one.bits() }, Health { health: 10.0 * n as f64 })))
            .collect();
        world.spawn((Link { target: other.bits() },));
        let seen = Calls::default();
        let heard = seen.clone();
        let system = SystemDef::worker("counts", move |_: &mut Named<'_>, run: &mut Run| {
            let owned: Vec<EntityId> =
                run.index("owner")?.equal(one).map_err(|error| error.to_string())?.collect();
            let weak = run.index("health")?.range(..5.0).map_err(|error| error.to_string())?.count();
            let kept = run.index("nothing").is_err();
            heard.push(format!("{} {weak} {kept}", owned.len()));
            Ok(())
        });
        world.add_system(system.uses_index::<Link>("owner").uses_index::<Health>("health")).unwrap();
        world.step();
        world.set(of_one[0], Link { target: other.bits() }).unwrap();
        world.kill(of_one[1]);
        world.remove_component::<Health>(other).unwrap();
        world.step();
        assert_eq!(seen.take(), ["3 3 true", "1 2 true"]);
        assert_eq!(errors(&mut world), no_strings());
        world.remove_index("owner");
        world.step();
        assert!(errors(&mut world)[0].contains("there is no index named \"owner\""));
    }
}

#[test]
fn a_refresh_of_an_eighth_of_the_rows_and_one_of_more_find_the_same() {
    for changed in [1, 12, 13, 100] {
        let mut world = world(0);
        let ids: Vec<EntityId> = (0..100).map(|n| world.spawn((item(n as f32, (n % 10) as i16),))).collect();
        for name in ["weight", "tier", "same tier"] {
            world.index(name).unwrap();
        }
        for (n, &id) in ids.iter().enumerate().take(changed) {
            if n % 3 == 0 {
                world.kill(id);
            } else {
                world.set(id, item(500.0 + n as f32, 50)).unwrap();
            }
        }
        let expected = sorted(scan(&mut world, |item| item.tier == 50));
        assert_eq!(expected.len(), changed - changed.div_ceil(3));
        for name in ["tier", "same tier"] {
            let index = world.index(name).unwrap();
            assert_eq!(
                sorted(index.equal(50).unwrap().collect()),
                expected,
                "{name} after {changed} changes"
            );
        }
        let heavy = scan(&mut world, |item| item.weight >= 50.0);
        let index = world.index("weight").unwrap();
        assert_eq!(sorted(index.range(50.0..).unwrap().collect()), sorted(heavy));
    }
}
