//! Rules of queries that name their components.

use crate::common::*;
use vivarium_world::{QuerySpec, SystemDef};

#[test]
fn a_query_by_name_hands_out_blocks_of_those_who_fit() {
    for threads in THREADS {
        let (mut world, _) = world(threads);
        for x in 0..200 {
            let id = world.spawn((Place { x: x as f64 },));
            if x % 2 == 0 {
                world.add(id, Speed { vx: 1.0 }).unwrap();
            }
            if x % 5 == 0 {
                world.add(id, Frozen).unwrap();
            }
        }
        let spec = QuerySpec::new().write("place").read_optional("speed").without("frozen");
        let system = SystemDef::each_block("move", spec, |blocks, _| {
            let x = blocks.number(0, "x").ok_or("everyone has a place")?;
            let speed = blocks.number(1, "vx").unwrap_or(10.0);
            assert!(!blocks.set_number(1, "vx", 5.0), "it only reads speeds");
            assert!(
                blocks.bytes(2).is_none() && blocks.bytes(3).is_none() && blocks.number(0, "y").is_none()
            );
            blocks.set_number(0, "x", x + speed * 1000.0);
            Ok::<(), String>(())
        });
        world.add_system(system).unwrap();
        world.step();
        assert_eq!(errors(&mut world), no_strings());
        let mut seen = 0;
        world.each::<(&Place, Option<&Speed>, Option<&Frozen>)>(|(place, speed, frozen)| {
            let moved = if frozen.is_some() { 0.0 } else { speed.map_or(10.0, |speed| speed.vx) };
            assert_eq!((place.x / 1000.0).floor(), moved);
            seen += 1;
        });
        assert_eq!(seen, 200);
    }
}

#[test]
fn a_query_by_name_of_an_unknown_component_or_one_written_twice_is_refused() {
    let (mut world, _) = world(0);
    let mut refuse = |spec| {
        let system = SystemDef::each_block("wrong", spec, |_, _| {});
        world.add_system(system).unwrap_err().to_string()
    };
    assert!(refuse(QuerySpec::new().read("plaice")).contains("\"plaice\", which is not registered"));
    assert!(refuse(QuerySpec::new().read("place").write("place")).contains("more than once and writes it"));
    assert!(refuse(QuerySpec::new().write("entity")).contains("kill"));
}
