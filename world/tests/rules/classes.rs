//! Entities read through wrappers of their class.

use crate::support::{Position, Velocity, catalog};
use vivarium_world::{AccessFault, ClassError, ClassWrapper, EntityRef, LoadOptions, World, WorldOptions};

struct Mover<'w>(EntityRef<'w>);

impl<'w> ClassWrapper<'w> for Mover<'w> {
    const CLASS: &'static str = "mover";
    fn wrap(entity: EntityRef<'w>) -> Self {
        Self(entity)
    }
}

impl Mover<'_> {
    fn x(&self) -> Option<f32> {
        self.0.get::<Position>().map(|position| position.x)
    }
}

#[derive(Debug)]
struct Moved;

impl<'w> ClassWrapper<'w> for Moved {
    const CLASS: &'static str = "moverr";
    fn wrap(_: EntityRef<'w>) -> Self {
        Self
    }
}

fn world(scene: &str) -> World {
    let mut world = World::new(&catalog(), WorldOptions::default()).unwrap();
    world.load("classes.json", scene, &LoadOptions::default()).unwrap();
    world
}

const SCENE: &str = r#"{ "vivarium": 1,
    "classes": { "mover": ["position", "velocity"], "rock": ["position"] },
    "templates": { "spark": { "class": "mover", "vx": 1, "vy": 0 }, "stone": { "class": "rock", "isStatic": true } },
    "entities": [ { "type": "spark", "x": 4, "y": 5 }, { "type": "stone", "x": 1, "y": 1 } ] }"#;

#[test]
fn an_entity_is_read_through_its_class_and_through_no_other() {
    let mut world = world(SCENE);
    let ids: Vec<_> = world.entities().collect();
    let spark = world.entity(ids[0]).unwrap();
    assert_eq!(spark.as_class::<Mover<'_>>().unwrap().x(), Some(4.0));
    let stone = world.entity(ids[1]).unwrap();
    let error = stone.as_class::<Mover<'_>>().err().unwrap();
    let (entity, type_name, class) = (ids[1], "stone".to_owned(), "rock".to_owned());
    assert_eq!(error, ClassError::Other { entity, type_name, class, wanted: "mover" });
    let error = spark.as_class::<Moved>().unwrap_err().to_string();
    assert!(error.contains(r#"of type "spark""#) && error.contains(r#"did you mean "mover"?"#), "{error}");
    world.remove(ids[0]);
    assert_eq!(world.entity(ids[0]).unwrap_err(), AccessFault::NoEntity(ids[0]));
}

#[test]
fn an_entity_says_what_it_is_and_has() {
    let world = world(SCENE);
    let ids: Vec<_> = world.entities().collect();
    let (spark, stone) = (world.entity(ids[0]).unwrap(), world.entity(ids[1]).unwrap());
    assert_eq!((&*spark.type_name(), spark.class(), spark.id()), ("spark", Some("mover"), ids[0]));
    assert_eq!(spark.ordinal(), world.ordinal(ids[0]));
    assert_eq!((spark.is_static(), stone.is_static(), stone.is_dead()), (false, true, false));
    assert_eq!((spark.components().len(), stone.components().len()), (3, 2));
    assert!(spark.has::<Velocity>() && !stone.has::<Velocity>() && stone.get::<Velocity>().is_none());
    assert_eq!(spark.require::<Position>().unwrap().y, 5.0);
    let missing = AccessFault::Missing { entity: ids[1], component: "velocity".into() };
    assert_eq!(stone.require::<Velocity>().err(), Some(missing));
}

#[test]
fn without_a_class_an_entity_is_of_none() {
    let world = world(crate::support::SCENE);
    let entity = world.entity(world.entities().next().unwrap()).unwrap();
    let error = entity.as_class::<Mover<'_>>().err().unwrap().to_string();
    assert!(error.contains(r#"the scene has no class "mover""#), "{error}");
}
