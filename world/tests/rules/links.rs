//! Rules of systems that are told at once who joins and leaves their query.

use crate::common::*;
use std::sync::mpsc::{Receiver, channel};
use vivarium_world::{EntityId, EntitySystem, Run, SystemDef, Without, World};

/// Notes who joins and leaves, with what they have.
struct Linking {
    calls: Calls,
    /// Holds its updates until somebody says go.
    gate: Option<Receiver<()>>,
}

impl EntitySystem for Linking {
    type Query = (&'static Place, Option<&'static Speed>, Without<Frozen>);
    const LINKS: bool = true;

    fn update(&mut self, _: (&Place, Option<&Speed>, ()), _: &mut Run) -> Result<(), String> {
        if let Some(gate) = &self.gate {
            gate.recv().map_err(|error| error.to_string())?;
        }
        Ok(())
    }
    fn link(&mut self, _: EntityId, (place, speed, ()): (&Place, Option<&Speed>, ())) {
        self.calls.push(format!("link {} {}", place.x, speed.is_some()));
        assert!(place.x < 900.0, "too far out");
    }
    fn unlink(&mut self, _: EntityId, (place, speed, ()): (&Place, Option<&Speed>, ())) {
        self.calls.push(format!("unlink {} {}", place.x, speed.is_some()));
    }
}

fn linking(gate: Option<Receiver<()>>) -> (World, Calls) {
    let (mut world, _) = world(1);
    let calls = Calls::default();
    let system = Linking { calls: calls.clone(), gate };
    world.add_system(SystemDef::entity_worker("linking", system)).unwrap();
    (world, calls)
}

#[test]
fn link_and_unlink_are_told_when_a_tuple_becomes_complete_or_breaks() {
    let (mut world, calls) = linking(None);
    let id = world.spawn((Speed { vx: 1.0 },));
    assert_eq!(calls.take(), no_strings());
    world.add(id, Place { x: 1.0 }).unwrap();
    assert_eq!(calls.take(), ["link 1 true"]);
    world.remove_component::<Speed>(id).unwrap();
    assert_eq!(calls.take(), no_strings(), "the tuple is complete without it");
    world.add(id, Frozen).unwrap();
    assert_eq!(calls.take(), ["unlink 1 true"], "what was given up in this update can still be read");
    world.step();
    world.remove_component::<Frozen>(id).unwrap();
    assert_eq!(calls.take(), ["link 1 false"]);
    world.remove_component::<Place>(id).unwrap();
    assert_eq!(calls.take(), ["unlink 1 false"]);
    world.add(id, Place { x: 2.0 }).unwrap();
    world.add(id, Place { x: 3.0 }).unwrap();
    assert_eq!(calls.take(), ["link 2 false"], "another block does not break the tuple");
    world.kill(id);
    assert_eq!(calls.take(), ["unlink 3 false"]);
    world.spawn_batch([(Place { x: 4.0 },), (Place { x: 5.0 },)]);
    assert_eq!(calls.take(), ["link 4 false", "link 5 false"]);
}

#[test]
fn links_wait_for_the_systems_own_run_and_blocks_stay_until_they_are_told() {
    let (go, gate) = channel();
    let (mut world, calls) = linking(Some(gate));
    let stays = world.spawn((Place { x: 1.0 },));
    world.update(16.0);
    calls.take();
    world.spawn((Place { x: 2.0 },));
    world.kill(stays);
    world.update(16.0);
    assert_eq!(calls.take(), no_strings(), "its own run is open");
    // One member now, and whoever it visits in the runs that were queued since.
    (0..8).for_each(|_| go.send(()).unwrap());
    world.settle();
    assert_eq!(calls.take(), ["unlink 1 false", "link 2 false"]);
}

#[test]
fn those_that_are_there_are_linked_when_a_system_is_added_and_after_a_load() {
    let calls = Calls::default();
    let noted = calls.clone();
    let catalog = catalog(&Calls::default())
        .system(move || SystemDef::entity_worker("linking", Linking { calls: noted.clone(), gate: None }));
    let mut world = world_of(&catalog, 0);
    load(&mut world, r#""systems": [{"system": "linking"}], "entities": [{"x": 1}, {"x": 2, "vx": 3}]"#);
    assert_eq!(calls.take(), ["link 1 false", "link 2 true"]);
    let ids: Vec<EntityId> = world.entities().collect();
    world.spawn((Speed { vx: 0.0 },));
    world.kill(ids[0]);
    world.step();
    world.compact();
    calls.take();
    world.kill(ids[1]);
    assert_eq!(calls.take(), ["unlink 2 true"], "its row moved and it is still known");
}

#[test]
fn a_link_that_panics_is_reported_with_its_entity() {
    let (mut world, calls) = linking(None);
    world.spawn((Place { x: 1000.0 },));
    let after = world.spawn((Place { x: 1.0 },));
    assert_eq!(calls.take(), ["link 1000 false", "link 1 false"]);
    let said = errors(&mut world);
    assert!(said[0].starts_with("`linking` panicked: too far out (entity "), "{said:?}");
    assert!(world.contains(after));
}
