//! A small world of sparks: they move, age, die, and come again.

use bytemuck::{Pod, Zeroable};
use vivarium_world::{Catalog, Component, ComponentDef, Config, EntityId, Field, Run, Scalar, SystemDef};

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Position {
    pub(crate) x: f32,
    pub(crate) y: f32,
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

#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Velocity {
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
pub(crate) struct Age {
    age: f64,
}

impl Component for Age {
    const NAME: &'static str = "age";
    fn definition() -> ComponentDef {
        ComponentDef::of::<Self>().field(Field::new("age", Scalar::F64, 0))
    }
}

/// Everything a spark is made of.
pub(crate) fn catalog() -> Catalog {
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
        .system(|| {
            SystemDef::each::<(&mut Age,), _>("jitter", |(age,), run: &mut Run| {
                age.age += run.random().next()
            })
        })
        .system(|| {
            SystemDef::each::<(&Position,), _>("sleeper", |_, run: &mut Run| {
                while run.tick() == 2 && !WAKE.load(std::sync::atomic::Ordering::SeqCst) {
                    std::thread::sleep(std::time::Duration::from_millis(1));
                }
            })
        })
        .system(|| {
            SystemDef::each::<(&Position,), _>("trap", |_, run: &mut Run| {
                assert!(run.tick() != 3, "sprung");
            })
        })
}

/// Wakes the system that sleeps.
pub(crate) static WAKE: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

/// Two entities, and systems that make more.
pub(crate) const SCENE: &str = r#"{ "vivarium": 1, "name": "Sparks", "random": { "seed": 7 }, "scheduler": "conflict", "step": 16,
  "templates": { "spark": { "age": 0 } },
  "systems": [ { "system": "movement" }, { "system": "aging" }, { "system": "spawner", "every": 32 } ],
  "entities": [ { "type": "spark", "x": 1, "y": 2, "vx": 3, "vy": 4 }, { "x": 5, "y": 6 } ] }"#;
