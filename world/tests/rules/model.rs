//! A world against a slow, obvious model of it, over random histories.

use crate::common::*;
use proptest::prelude::*;
use std::collections::BTreeMap;
use vivarium_world::{
    Catalog, Config, EffectError, EntityId, LoadOptions, Run, SaveForm, SystemDef, With, Without, World,
};

#[derive(Clone, Copy, Debug)]
enum Part {
    Place,
    Speed,
    Health,
    Frozen,
}
const PARTS: [Part; 4] = [Part::Place, Part::Speed, Part::Health, Part::Frozen];

#[derive(Clone, Debug)]
enum Op {
    /// The parts as bits.
    Spawn(u8),
    Create(u8),
    Duplicate(usize),
    Add(usize, Part),
    Take(usize, Part),
    Set(usize, Part),
    Kill(usize),
    Remove(usize),
    Step,
    SaveAndLoad(SaveForm),
    Clear,
}

fn op() -> impl Strategy<Value = Op> {
    let part = || (0..4usize).prop_map(|k| PARTS[k]);
    let any = || 0..1000usize;
    prop_oneof![
        4 => (0..16u8).prop_map(Op::Spawn),
        2 => (0..16u8).prop_map(Op::Create),
        1 => any().prop_map(Op::Duplicate),
        3 => (any(), part()).prop_map(|(n, part)| Op::Add(n, part)),
        2 => (any(), part()).prop_map(|(n, part)| Op::Take(n, part)),
        1 => (any(), part()).prop_map(|(n, part)| Op::Set(n, part)),
        1 => any().prop_map(Op::Kill),
        1 => any().prop_map(Op::Remove),
        3 => Just(Op::Step),
        1 => prop_oneof![Just(SaveForm::Plain), Just(SaveForm::Compressed)].prop_map(Op::SaveAndLoad),
        1 => Just(Op::Clear),
    ]
}

#[derive(Clone, Debug, Default)]
struct Entity {
    place: Option<f64>,
    speed: Option<f64>,
    health: Option<f64>,
    frozen: bool,
}

impl Entity {
    fn has(&self, part: Part) -> bool {
        match part {
            Part::Place => self.place.is_some(),
            Part::Speed => self.speed.is_some(),
            Part::Health => self.health.is_some(),
            Part::Frozen => self.frozen,
        }
    }

    /// Gives or takes a part; what the hook for the old one will say.
    fn put(&mut self, part: Part, value: Option<f64>) -> Option<String> {
        let (name, slot) = match part {
            Part::Place => ("place", &mut self.place),
            Part::Speed => ("speed", &mut self.speed),
            Part::Health => ("health", &mut self.health),
            Part::Frozen => {
                self.frozen = value.is_some();
                return None;
            }
        };
        std::mem::replace(slot, value).map(|old| format!("free {name} {old}"))
    }
}

/// The world as lists and maps.
#[derive(Default)]
struct Model {
    /// In creation order.
    entities: Vec<(EntityId, Entity)>,
    stale: Vec<EntityId>,
    owed: Vec<String>,
    /// Every block written gets a number of its own.
    next: u64,
}

impl Model {
    fn value(&mut self) -> f64 {
        self.next += 1;
        self.next as f64
    }

    fn of_parts(&mut self, parts: u8) -> Entity {
        let mut entity = Entity::default();
        for (k, part) in PARTS.into_iter().enumerate().filter(|&(k, _)| parts >> k & 1 == 1) {
            let _ = k;
            let value = self.value();
            entity.put(part, Some(value));
        }
        entity
    }

    fn put(&mut self, at: usize, part: Part, value: Option<f64>) {
        let owed = self.entities[at].1.put(part, value);
        self.owed.extend(owed);
    }

    fn remove(&mut self, at: usize) {
        for part in PARTS {
            self.put(at, part, None);
        }
        self.stale.push(self.entities.remove(at).0);
    }

    /// What the system `fate` does: see there.
    fn step(&mut self, world: &World) {
        let mut created = Vec::new();
        let fated: Vec<(EntityId, f64)> =
            self.entities.iter().filter_map(|(id, entity)| Some((*id, entity.health?))).collect();
        for (id, health) in fated {
            let at = self.entities.iter().position(|(other, _)| *other == id).unwrap();
            match health as u64 % 5 {
                0 => self.remove(at),
                1 => self.put(at, Part::Health, None),
                2 => self.put(at, Part::Speed, Some(health + 0.5)),
                3 => created.push(health + 0.25),
                _ => {}
            }
        }
        // The order among them is that of rows, which the model does not know.
        for id in world.entities().skip(self.entities.len()) {
            let place = world.peek::<Place>(id).unwrap().x;
            let at = created.iter().position(|&x| x == place).unwrap();
            created.remove(at);
            self.entities.push((id, Entity { place: Some(place), ..Entity::default() }));
        }
        assert!(created.is_empty(), "{created:?} were not created");
    }
}

/// What the systems saw in their last run.
#[derive(Clone, Default)]
struct Saw {
    place: Seen,
    place_not_frozen: Seen,
    speed_with_place: Seen,
    with_health: Seen,
}

fn catalog_of(calls: &Calls, saw: &Saw) -> Catalog {
    let saw = [&saw.place, &saw.place_not_frozen, &saw.speed_with_place, &saw.with_health].map(Seen::clone);
    let [place, place_not_frozen, speed_with_place, with_health] = saw;
    catalog(calls)
        .system(|| {
            SystemDef::each::<(EntityId, &Health), _>("fate", |(id, health), run: &mut Run| {
                match health.health as u64 % 5 {
                    0 => run.kill(id),
                    1 => run.remove::<Health>(id),
                    2 => run.add(id, Speed { vx: health.health + 0.5 }),
                    3 => run.create(&Config::from_iter([("x", health.health + 0.25)])).map(drop),
                    _ => Ok::<(), EffectError>(()),
                }
            })
            .kills()
            .removes::<Health>()
            .adds::<Speed>()
            .creates(["place"])
        })
        .system(move || noting("place", &place))
        .system(move || {
            let seen = place_not_frozen.clone();
            SystemDef::each::<(EntityId, With<Place>, Without<Frozen>), _>(
                "place not frozen",
                move |(id, ..), _| seen.push(id),
            )
        })
        .system(move || {
            let seen = speed_with_place.clone();
            SystemDef::each_on_world_thread::<(EntityId, &Speed, With<Place>), _>(
                "speed",
                move |(id, ..), _| seen.push(id),
            )
        })
        .system(move || {
            let seen = with_health.clone();
            SystemDef::each::<(EntityId, Option<&mut Health>), _>("health", move |(id, health), _| {
                if health.is_some() {
                    seen.push(id);
                }
            })
        })
}

const SCENE: &str = r#""systems": [ { "system": "place" }, { "system": "place not frozen" }, { "system": "speed" },
    { "system": "health" }, { "system": "fate" } ]"#;

fn spawn(world: &mut World, entity: &Entity) -> EntityId {
    match (entity.place, entity.speed, entity.health, entity.frozen) {
        (Some(x), Some(vx), None, false) => world.spawn((Speed { vx }, Place { x })),
        (Some(x), None, Some(health), true) => world.spawn((Place { x }, Frozen, Health { health })),
        (place, speed, health, frozen) => {
            let id = match place {
                Some(x) => world.spawn((Place { x },)),
                None => world.create(&Config::new()).unwrap(),
            };
            if let Some(vx) = speed {
                world.add(id, Speed { vx }).unwrap();
            }
            if let Some(health) = health {
                world.add(id, Health { health }).unwrap();
            }
            if frozen {
                world.add(id, Frozen).unwrap();
            }
            id
        }
    }
}

fn config_of(entity: &Entity) -> Config<'static> {
    let mut config = Config::new();
    for (key, value) in [("health", entity.health), ("x", entity.place), ("vx", entity.speed)] {
        if let Some(value) = value {
            config.set(key, value);
        }
    }
    if entity.frozen {
        config.set("frozen", true);
    }
    config
}

fn add(world: &mut World, id: EntityId, part: Part, value: f64) -> bool {
    match part {
        Part::Place => world.add(id, Place { x: value }),
        Part::Speed => world.add(id, Speed { vx: value }),
        Part::Health => world.add(id, Health { health: value }),
        Part::Frozen => world.add(id, Frozen),
    }
    .is_ok()
}

fn take(world: &mut World, id: EntityId, part: Part) -> bool {
    match part {
        Part::Place => world.remove_component::<Place>(id),
        Part::Speed => world.remove_component::<Speed>(id),
        Part::Health => world.remove_component::<Health>(id),
        Part::Frozen => world.remove_component::<Frozen>(id),
    }
    .is_ok()
}

fn set(world: &mut World, id: EntityId, part: Part, value: f64) -> bool {
    match part {
        Part::Place => world.set(id, Place { x: value }),
        Part::Speed => world.set(id, Speed { vx: value }),
        Part::Health => world.set(id, Health { health: value }),
        Part::Frozen => world.set(id, Frozen),
    }
    .is_ok()
}

fn compare(world: &mut World, model: &Model) {
    let ids: Vec<EntityId> = model.entities.iter().map(|(id, _)| *id).collect();
    assert_eq!(world.entities().collect::<Vec<_>>(), ids);
    assert_eq!(world.len(), ids.len());
    for (id, entity) in &model.entities {
        assert_eq!(world.get::<Place>(*id).map(|place| place.x), entity.place);
        assert_eq!(world.get::<Speed>(*id).map(|speed| speed.vx), entity.speed);
        assert_eq!(world.get::<Health>(*id).map(|health| health.health), entity.health);
        assert_eq!(world.get::<Frozen>(*id).is_some(), entity.frozen);
    }
    for &id in &model.stale {
        assert!(!world.contains(id) && world.components_of(id).is_none() && world.ordinal(id).is_none());
    }
}

fn freed(calls: &Calls) -> Vec<String> {
    let mut freed: Vec<String> = calls.take().into_iter().filter(|call| call.starts_with("free")).collect();
    freed.sort();
    freed
}

fn check_freed(calls: &Calls, model: &mut Model) {
    let mut owed = std::mem::take(&mut model.owed);
    owed.sort();
    assert_eq!(freed(calls), owed);
}

fn check_seen(saw: &Saw, model: &Model) {
    let check = |seen: &Seen, fits: &dyn Fn(&Entity) -> bool| {
        let mut seen = seen.take();
        seen.sort_unstable();
        let mut expected: Vec<EntityId> =
            model.entities.iter().filter(|(_, entity)| fits(entity)).map(|(id, _)| *id).collect();
        expected.sort_unstable();
        assert_eq!(seen, expected);
    };
    check(&saw.place, &|entity| entity.place.is_some());
    check(&saw.place_not_frozen, &|entity| entity.place.is_some() && !entity.frozen);
    check(&saw.speed_with_place, &|entity| entity.speed.is_some() && entity.place.is_some());
    check(&saw.with_health, &|entity| entity.health.is_some());
}

fn run(threads: usize, ops: &[Op]) -> u64 {
    let (calls, saw) = (Calls::default(), Saw::default());
    let mut world = world_of(&catalog_of(&calls, &saw), threads);
    load(&mut world, SCENE);
    let mut model = Model::default();
    for op in ops {
        let some = |n: usize| (!model.entities.is_empty()).then(|| n % model.entities.len());
        match *op {
            Op::Spawn(parts) => {
                let entity = model.of_parts(parts);
                model.entities.push((spawn(&mut world, &entity), entity));
            }
            Op::Create(parts) => {
                let entity = model.of_parts(parts);
                model.entities.push((world.create(&config_of(&entity)).unwrap(), entity));
            }
            Op::Duplicate(n) => {
                if let Some(at) = some(n) {
                    let (id, entity) = model.entities[at].clone();
                    model.entities.push((world.duplicate(id).unwrap(), entity));
                }
            }
            Op::Add(n, part) => {
                if let Some(at) = some(n) {
                    let value = model.value();
                    assert!(add(&mut world, model.entities[at].0, part, value));
                    model.put(at, part, Some(value));
                }
                if let Some(&id) = model.stale.get(n) {
                    assert!(!add(&mut world, id, part, 0.0));
                }
            }
            Op::Take(n, part) => {
                if let Some(at) = some(n) {
                    assert_eq!(take(&mut world, model.entities[at].0, part), model.entities[at].1.has(part));
                    model.put(at, part, None);
                }
            }
            Op::Set(n, part) => {
                if let Some(at) = some(n) {
                    let value = model.value();
                    let has = model.entities[at].1.has(part);
                    assert_eq!(set(&mut world, model.entities[at].0, part, value), has);
                    if has {
                        model.entities[at].1.put(part, Some(value));
                    }
                }
            }
            Op::Kill(n) | Op::Remove(n) => {
                if let Some(at) = some(n) {
                    let id = model.entities[at].0;
                    let kills = matches!(op, Op::Kill(_));
                    assert!(if kills { world.kill(id) } else { world.remove(id) });
                    model.remove(at);
                }
                if let Some(&id) = model.stale.get(n) {
                    assert!(!world.kill(id) && !world.remove(id));
                }
            }
            Op::Step => {
                assert_eq!(freed(&calls), Vec::<String>::new(), "before the update");
                world.step();
                check_freed(&calls, &mut model);
                check_seen(&saw, &model);
                model.step(&world);
            }
            Op::SaveAndLoad(form) => {
                let (before, text) = (world.state_hash(), world.save(form).unwrap());
                world.load("save.json", &text, &LoadOptions::default()).unwrap();
                assert_eq!(world.state_hash(), before);
                replaced(&mut model, world.entities().collect());
                check_freed(&calls, &mut model);
            }
            Op::Clear => {
                world.clear();
                load(&mut world, SCENE);
                replaced(&mut model, Vec::new());
                check_freed(&calls, &mut model);
            }
        }
        compare(&mut world, &model);
    }
    let hash = world.state_hash();
    world.clear();
    replaced(&mut model, Vec::new());
    check_freed(&calls, &mut model);
    let (errors, _) = world.take_errors();
    assert!(errors.is_empty(), "{errors:?}");
    hash
}

/// The entities came back under new ids, or not at all.
fn replaced(model: &mut Model, ids: Vec<EntityId>) {
    let kept: BTreeMap<usize, (EntityId, Entity)> =
        ids.into_iter().enumerate().map(|(at, id)| (at, (id, model.entities[at].1.clone()))).collect();
    while !model.entities.is_empty() {
        model.remove(model.entities.len() - 1);
    }
    model.entities = kept.into_values().collect();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn a_world_is_what_its_history_says(ops in proptest::collection::vec(op(), 1..120)) {
        let hash = run(0, &ops);
        prop_assert_eq!(run(2, &ops), hash);
    }
}
