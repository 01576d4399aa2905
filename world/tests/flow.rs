//! From a scene's text through ticks to a save and back: the same state each way.

use bytemuck::{Pod, Zeroable};
use vivarium_world::{
    Catalog, Component, ComponentDef, Config, EntityId, Field, LoadOptions, Run, SaveForm, Scalar, SystemDef,
    Value, World, WorldOptions,
};

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Position {
    x: f32,
    y: f32,
}

impl Component for Position {
    const NAME: &'static str = "position";
    fn definition() -> ComponentDef {
        ComponentDef::of::<Self>().field(Field::new("x", Scalar::F32, 0)).field(Field::new(
            "y",
            Scalar::F32,
            4,
        ))
    }
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Velocity {
    vx: f32,
    vy: f32,
}

impl Component for Velocity {
    const NAME: &'static str = "velocity";
    fn definition() -> ComponentDef {
        ComponentDef::of::<Self>().field(Field::new("vx", Scalar::F32, 0)).field(Field::new(
            "vy",
            Scalar::F32,
            4,
        ))
    }
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Age {
    age: f64,
}

impl Component for Age {
    const NAME: &'static str = "age";
    fn definition() -> ComponentDef {
        ComponentDef::of::<Self>().field(Field::new("age", Scalar::F64, 0))
    }
}

fn catalog() -> Catalog {
    let catalog = Catalog::new().component::<Position>().and_then(Catalog::component::<Velocity>);
    let catalog = catalog.and_then(Catalog::component::<Age>).unwrap();
    catalog
        .system(|| {
            SystemDef::each::<(&mut Position, &Velocity), _>(
                "movement",
                |(position, velocity), run: &mut Run| {
                    let seconds = run.delta() as f32 / 1000.0;
                    position.x += velocity.vx * seconds;
                    position.y += velocity.vy * seconds;
                },
            )
        })
        .system(|| {
            SystemDef::each::<(EntityId, &mut Age), _>("aging", |(id, age), run: &mut Run| {
                age.age += run.delta();
                if age.age > 200.0 { run.kill(id) } else { Ok(()) }
            })
            .kills()
        })
        .system(|| {
            SystemDef::worker("spawner", |queries: &mut vivarium_world::Named<'_>, run: &mut Run| {
                let missing = 50usize.saturating_sub(queries.len("all"));
                for _ in 0..missing {
                    let vx = run.random().next() * 10.0;
                    let age = run.random().int(0, 150) as f64;
                    let numbers = [("x", 1.0), ("y", 2.0), ("vx", vx), ("vy", -vx), ("age", age)];
                    let mut config = Config::from_iter(numbers);
                    config.set("type", "spark");
                    run.create(&config)?;
                }
                Ok(())
            })
            .query::<&Age>("all")
            .creates(["position", "velocity", "age"])
        })
}

const SCENE: &str = r#"{ "vivarium": 1, "name": "Sparks", "random": { "seed": 7 }, "scheduler": "conflict", "step": 16,
  "templates": { "spark": { "age": 0 } },
  "systems": [ { "system": "movement" }, { "system": "aging" }, { "system": "spawner", "every": 32 } ],
  "entities": [ { "type": "spark", "x": 1, "y": 2, "vx": 3, "vy": 4 }, { "x": 5, "y": 6 } ] }"#;

fn world(threads: usize) -> World {
    let mut world = World::new(&catalog(), WorldOptions { threads, ..WorldOptions::default() }).unwrap();
    world.load("sparks.json", SCENE, &LoadOptions::default()).unwrap();
    world
}

fn hash_after(world: &mut World, steps: usize) -> u64 {
    (0..steps).for_each(|_| world.step());
    let (errors, more) = world.take_errors();
    assert!(errors.is_empty() && more == 0, "{errors:?}");
    world.state_hash()
}

#[test]
fn entities_move_age_die_and_come_again() {
    let mut world = world(0);
    hash_after(&mut world, 100);
    assert!(world.len() > 40 && world.len() < 60, "{}", world.len());
    assert!(world.entities().count() == world.len());
    let first = world.by_ordinal(vivarium_world::Ordinal(1)).unwrap();
    assert_eq!(world.get::<Position>(first).map(|position| position.x), Some(5.0));
}

#[test]
fn the_state_is_the_same_on_any_number_of_threads() {
    let hashes = [0, 1, 2, 8].map(|threads| hash_after(&mut world(threads), 150));
    assert!(hashes.iter().all(|&hash| hash == hashes[0]), "{hashes:x?}");
}

#[test]
fn a_loaded_save_goes_on_exactly_as_the_saved_world() {
    for form in [SaveForm::Plain, SaveForm::Compressed] {
        let mut world = world(2);
        let before = hash_after(&mut world, 77);
        let text = world.save(form).unwrap();
        let mut loaded = World::new(&catalog(), WorldOptions::default()).unwrap();
        loaded.load("save.json", &text, &LoadOptions::default()).unwrap();
        assert_eq!(loaded.state_hash(), before, "{form:?}\n{text}");
        assert_eq!(hash_after(&mut loaded, 150), hash_after(&mut world, 150), "{form:?}");
        let again = loaded.save(form).unwrap();
        assert_eq!(again, world.save(form).unwrap());
    }
}

#[test]
fn a_scene_with_faults_leaves_the_world_as_it_was_and_lists_them_all() {
    let mut world = world(1);
    let before = hash_after(&mut world, 10);
    let broken = SCENE.replace("\"movement\"", "\"movment\"").replace("\"vx\": 3", "\"vx\": \"fast\"");
    let error = world.load("broken.json", &broken, &LoadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("movement") && error.contains("a number is expected, not a text"), "{error}");
    assert!(error.contains("broken.json:3:"), "{error}");
    assert_eq!(world.state_hash(), before);
    assert_eq!(Value::from(1.0), Value::Uint(1));
}
