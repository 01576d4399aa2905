//! Definitions that make a save smallest, found by looking at its entities.
//!
//! Entities are grouped by type. For each type the columns of its properties are collected, and each column gets
//! the form that costs fewest bytes; types of the same properties share one list of them where that costs less
//! than a list for each. A definition that would cost more than it saves is left out. Then the same is done for the
//! entities that did not fit, which may give their types another definition.

use super::column::{Columns, Form, collect, may_fit};
use super::definition::{Definition, Property, TYPE};
use super::definitions::Definitions;
use super::lists::{Lists, list_bytes};
use super::varint;
use crate::config::{Config, Value};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// How many definitions a type may get: what fits none of so many fits no more.
const ROUNDS: usize = 4;

impl Definitions {
    /// The definitions that make a save of these configs smallest.
    ///
    /// The types of the `overrides` get the properties those say; all others get what is found, which may be
    /// several definitions for a type. A config that fits no definition is one that [`encode`](Self::encode) leaves
    /// an object. The time it takes is linear in the size of the configs.
    pub fn discover(configs: &[Config<'_>], overrides: &[Definition]) -> Self {
        Packed::new(configs, overrides).definitions
    }
}

/// Configs as strings, and the definitions that were found for them.
pub(crate) struct Packed {
    definitions: Definitions,
    /// All strings without their keys, one behind the other.
    fields: String,
    /// For each config its string; none if it stays an object.
    strings: Vec<Option<PackedString>>,
}

struct PackedString {
    key: u64,
    fields: Range<usize>,
}

impl Packed {
    /// Finds definitions, as [`Definitions::discover`] does, and encodes the configs by them.
    pub(crate) fn new(configs: &[Config<'_>], overrides: &[Definition]) -> Self {
        let said: HashMap<&str, &[Property]> = overrides
            .iter()
            .flat_map(|definition| {
                definition.types().iter().map(|name| (name.as_str(), definition.properties()))
            })
            .collect();
        let mut rest: Vec<usize> = (0..configs.len()).filter(|&at| may_fit(&configs[at])).collect();
        let mut lists = Lists::default();
        let mut fields = String::new();
        let mut strings: Vec<Option<PackedString>> = configs.iter().map(|_| None).collect();
        // The definitions of each round, and the strings they gave.
        let mut rounds: Vec<(Definitions, Vec<usize>)> = Vec::new();
        for _ in 0..ROUNDS {
            let left: Vec<&Config<'_>> = rest.iter().map(|&at| &configs[at]).collect();
            let found = find(&left, &said);
            if found.is_empty() {
                break;
            }
            let definitions = found.definitions();
            let mut fitting = Vec::new();
            rest.retain(|&at| {
                let start = fields.len();
                if let Some(key) = definitions.encode(&configs[at], &mut fields) {
                    let start = start + varint::length(key) as usize;
                    strings[at] = Some(PackedString { key, fields: start..fields.len() });
                    fitting.push(at);
                    return false;
                }
                let name = configs[at].get(TYPE).and_then(Value::as_str).unwrap_or_default();
                !said.contains_key(name)
            });
            rounds.push((definitions, fitting));
            lists.append(found);
        }
        let definitions = lists.definitions();
        for (of_round, fitting) in rounds {
            let mut keys: HashMap<u64, Option<u64>> = HashMap::new();
            for at in fitting {
                let Some(string) = &mut strings[at] else { continue };
                // With all definitions together each has another key.
                let found = keys.entry(string.key).or_insert_with(|| {
                    let (name, properties) = of_round.by_key(string.key)?;
                    let mut known = definitions.by_type(name);
                    known.find(|(_, others)| *others == properties).map(|(key, _)| key)
                });
                match *found {
                    Some(key) => string.key = key,
                    None => strings[at] = None,
                }
            }
        }
        Self { definitions, fields, strings }
    }

    /// Writes the string of the config at a place; whether it has one.
    pub(crate) fn write(&self, place: usize, out: &mut String) -> bool {
        let Some(string) = self.strings.get(place).and_then(Option::as_ref) else { return false };
        varint::write(out, string.key);
        out.push_str(&self.fields[string.fields.clone()]);
        true
    }

    /// The definitions that the strings need.
    pub(crate) fn needed(&self) -> Definitions {
        let used: HashSet<u64> = self.strings.iter().flatten().map(|string| string.key).collect();
        self.definitions.only(used)
    }
}

/// The lists that pay for these entities, at most one for each type.
fn find(configs: &[&Config<'_>], said: &HashMap<&str, &[Property]>) -> Lists {
    let types = collect(configs);
    let mut lists = Lists::default();
    let mut of_shape: HashMap<Vec<(&str, Form)>, usize> = HashMap::new();
    let mut shapes: Vec<Vec<&Columns<'_>>> = Vec::new();
    for columns in &types {
        if let Some(properties) = said.get(columns.name) {
            lists.add(properties.to_vec(), columns.name, columns.count(), f64::INFINITY);
            continue;
        }
        let at = *of_shape.entry(columns.shape()).or_insert(shapes.len());
        if at == shapes.len() {
            shapes.push(Vec::new());
        }
        shapes[at].push(columns);
    }
    for shape in shapes {
        choose(&shape, &mut lists);
    }
    lists.keep_what_pays();
    lists
}

/// Gives each of these types, which have the same properties, a list of them: its own or a common one.
fn choose(types: &[&Columns<'_>], lists: &mut Lists) {
    let common = (types.len() > 1).then(|| Columns::joined(types).properties());
    for columns in types {
        let mut add = |properties, bytes| {
            lists.add(properties, columns.name, columns.count(), columns.object_bytes() - bytes);
        };
        let common = common.as_ref().map(|common| (common, columns.string_bytes(common)));
        // For a handful of entities not even the shortest list of their own would pay.
        let known = common.map_or(columns.object_bytes(), |(_, bytes)| bytes);
        let own = (columns.least_bytes() < known).then(|| columns.properties());
        match (own.map(|own| (columns.string_bytes(&own), own)), common) {
            (Some((bytes, own)), None) => add(own, bytes),
            (Some((bytes, own)), Some((_, common_bytes))) if bytes + list_bytes(&own) < common_bytes => {
                add(own, bytes);
            }
            (_, Some((common, bytes))) => add(common.clone(), bytes),
            (None, None) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::encode::same;
    use super::*;
    use crate::config::Value;
    use crate::random::Stream;
    use crate::save::PropertyKind;
    use proptest::prelude::*;

    /// Every config as a string or as JSON; and the definitions the strings need.
    fn pack(configs: &[Config<'_>], overrides: &[Definition]) -> (Definitions, Vec<Result<String, String>>) {
        let definitions = Definitions::discover(configs, overrides);
        let mut used = Vec::new();
        let packed = configs.iter().map(|config| {
            let mut text = String::new();
            match definitions.encode(config, &mut text) {
                Some(key) => {
                    used.push(key);
                    Ok(text)
                }
                None => Err(serde_json::to_string(config).unwrap()),
            }
        });
        let packed = packed.collect();
        (definitions.only(used), packed)
    }

    fn size((definitions, packed): &(Definitions, Vec<Result<String, String>>)) -> usize {
        let lengths = packed.iter().map(|entity| match entity {
            Ok(text) => text.len() + 3,
            Err(text) => text.len() + 1,
        });
        lengths.sum::<usize>() + serde_json::to_string(definitions).unwrap().len()
    }

    fn strings(packed: &(Definitions, Vec<Result<String, String>>)) -> usize {
        packed.1.iter().filter(|entity| entity.is_ok()).count()
    }

    fn entity(name: &str, entries: &[(&'static str, Value<'static>)]) -> Config<'static> {
        let mut config = Config::new();
        config.set("type", name.to_owned());
        for (key, value) in entries {
            config.set(*key, value.clone());
        }
        config
    }

    #[test]
    fn the_grass_of_the_format_is_found_as_short_as_by_hand() {
        let mut random = Stream::new(1);
        let mut place = |count| Value::from(random.int(0, count) * 32 + 16);
        let configs: Vec<_> = (0..1000)
            .map(|_| entity("grass", &[("x", place(300)), ("y", place(500)), ("amount", place(4))]))
            .collect();
        let packed = pack(&configs, &[]);
        assert_eq!(strings(&packed), 1000);
        for property in packed.0.iter().next().unwrap().1.properties() {
            assert!(
                matches!(property.kind, PropertyKind::Uint(scale) | PropertyKind::Int(scale) if scale.step() == 32.0)
            );
        }
        assert!(packed.1.iter().all(|text| text.as_ref().is_ok_and(|text| text.len() <= 6)));
    }

    #[test]
    fn properties_that_are_often_absent_come_last() {
        let configs: Vec<_> = (0..200_u64)
            .map(|n| {
                let mut config = entity("t", &[]);
                if n % 10 == 0 {
                    config.set("rare", true);
                }
                config.set("always", n);
                config
            })
            .collect();
        let (definitions, packed) = pack(&configs, &[]);
        let names: Vec<_> =
            definitions.iter().next().unwrap().1.properties().iter().map(|p| p.name.clone()).collect();
        assert_eq!(names, ["always", "rare"]);
        assert_eq!(packed[1].as_deref(), Ok("#$"));
    }

    #[test]
    fn types_of_the_same_properties_share_a_list_and_the_most_common_have_the_shortest_keys() {
        let mut configs = Vec::new();
        for n in 0..60_u64 {
            let name = format!("tree{n}");
            configs.extend(
                (0..10).map(|x| entity(&name, &[("x", Value::from(x * 16 + n)), ("ripe", true.into())])),
            );
        }
        configs.extend((0..500_u64).map(|n| entity("rock", &[("weight", Value::from(n))])));
        let (definitions, packed) = pack(&configs, &[]);
        assert!(packed.iter().all(Result::is_ok));
        let lists: Vec<_> =
            definitions.iter().map(|(key, definition)| (key, definition.types().len())).collect();
        assert_eq!(lists, [(0, 1), (1, 60)]);
        assert_eq!(definitions.by_type("rock").next().unwrap().0, 0);
    }

    #[test]
    fn many_types_of_few_entities_share_a_list() {
        let configs: Vec<_> = (0..5000_u64)
            .map(|n| entity(&format!("type{}", n / 2), &[("x", (n * 3).into()), ("y", (n % 7).into())]))
            .collect();
        let packed = pack(&configs, &[]);
        assert_eq!((strings(&packed), packed.0.iter().count()), (5000, 1));
    }

    #[test]
    fn what_does_not_pay_has_no_definition() {
        let configs = [entity("lone", &[("x", 1_u64.into())])];
        assert!(Definitions::discover(&configs, &[]).is_empty());
        assert!(Definitions::discover(&[], &[]).is_empty());
    }

    #[test]
    fn entities_with_values_no_field_holds_do_not_spoil_the_others() {
        let configs: Vec<_> = (0..300_u64)
            .map(|n| match n % 100 {
                7 => entity("t", &[("x", n.into()), ("tags", Value::List(vec![]))]),
                8 => entity("t", &[("x", "somewhere".into())]),
                9 => entity("t", &[("x", Value::Float(0.1 + 0.2))]),
                _ => entity("t", &[("x", n.into()), ("y", Value::Float(n as f64 / 8.0))]),
            })
            .collect();
        assert_eq!(strings(&pack(&configs, &[])), 291);
    }

    #[test]
    fn entities_unlike_most_of_their_type_get_a_definition_of_their_own() {
        let configs: Vec<_> = (0..600_u64)
            .map(|n| {
                let target = match n % 3 {
                    0 => Value::Null,
                    1 => n.into(),
                    _ => Value::Float(n as f64 / 1000.0),
                };
                entity("ship", &[("x", n.into()), ("target", target), ("docked", (n % 2 == 0).into())])
            })
            .collect();
        let packed = pack(&configs, &[]);
        assert_eq!(strings(&packed), 600);
        assert!(packed.0.iter().count() > 1);
        assert!(packed.0.iter().all(|(_, definition)| definition.types() == ["ship"]));
    }

    #[test]
    fn an_override_says_the_properties_of_its_types() {
        let said: Definition = serde_json::from_str(
            r#"{"types":["t","absent"],"properties":[{"name":"y","type":"int"},{"name":"x","type":"int","decimals":3}]}"#,
        )
        .unwrap();
        let configs: Vec<_> = (0..100_u64).map(|n| entity("t", &[("x", n.into())])).collect();
        let (definitions, packed) = pack(&configs, std::slice::from_ref(&said));
        let (_, found) = definitions.iter().next().unwrap();
        assert_eq!((found.types(), found.properties()), (&["t".to_owned()][..], said.properties()));
        assert_eq!(packed[0].as_deref(), Ok("#!#"));
    }

    fn value() -> impl Strategy<Value = Value<'static>> {
        let number = prop_oneof![
            any::<u64>().prop_map(Value::Uint),
            (0..1000_u64).prop_map(Value::Uint),
            (i64::MIN..0).prop_map(Value::Int),
            (-1000..0_i64).prop_map(Value::Int),
            any::<f32>().prop_filter("finite", |n| n.is_finite()).prop_map(|n| Value::Float(n.into())),
            prop::num::f64::NORMAL.prop_map(Value::Float),
            (-100_000..100_000).prop_map(|n| Value::Float(f64::from(n) / 100.0)),
            Just(Value::Float(-0.0)),
        ];
        let leaf = prop_oneof![
            4 => number,
            1 => any::<bool>().prop_map(Value::Bool),
            1 => Just(Value::Null),
            1 => "[a-z!#P🚀é\"\\\\]{0,4}".prop_map(Value::from),
        ];
        leaf.prop_recursive(2, 6, 3, |inner| prop::collection::vec(inner, 0..3).prop_map(Value::List))
    }

    fn configs() -> impl Strategy<Value = Vec<Config<'static>>> {
        let key = prop::sample::select(vec!["type", "x", "y", "name", "b"]);
        let kind = prop::option::weighted(0.9, prop::sample::select(vec!["oak", "pine", "ship"]));
        let config = (kind, prop::collection::vec((key, value()), 0..5)).prop_map(|(kind, entries)| {
            let mut config: Config<'static> = entries.into_iter().collect();
            if let Some(kind) = kind {
                config.set("type", kind);
            }
            config
        });
        prop::collection::vec(config, 0..40)
    }

    proptest! {
        #[test]
        fn any_configs_come_back_exactly_and_no_save_grows(configs in configs()) {
            let packed = pack(&configs, &[]);
            let text = serde_json::to_string(&packed.0).unwrap();
            let definitions: Definitions = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(&definitions, &packed.0);
            let whole = Packed::new(&configs, &[]);
            let needed = whole.needed();
            for (place, config) in configs.iter().enumerate() {
                let mut text = String::new();
                if whole.write(place, &mut text) {
                    prop_assert!(same(&needed.decode(&text).unwrap(), config));
                } else {
                    prop_assert!(text.is_empty());
                }
            }
            for (config, packed) in configs.iter().zip(&packed.1) {
                if let Ok(text) = packed {
                    let decoded = definitions.decode(text).unwrap();
                    prop_assert!(same(&decoded, config), "{:?} became {:?}", config, decoded);
                }
            }
            let objects = configs.iter().map(|config| serde_json::to_string(config).unwrap().len() + 1);
            prop_assert!(size(&packed) <= objects.sum::<usize>() + 100);
        }

        #[test]
        fn columns_of_one_kind_become_strings(
            numbers in prop::collection::vec((any::<f32>(), -100_000..100_000, any::<u32>()), 20..60),
        ) {
            let configs: Vec<_> = numbers
                .iter()
                .filter(|(single, ..)| single.is_finite())
                .map(|(single, hundredths, integer)| {
                    entity("t", &[
                        ("single", f64::from(*single).into()),
                        ("hundredths", (f64::from(*hundredths) / 100.0).into()),
                        ("integer", u64::from(*integer).into()),
                    ])
                })
                .collect();
            prop_assert_eq!(strings(&pack(&configs, &[])), configs.len());
        }
    }
}
