//! Rules of events.

use crate::common::*;
use vivarium_world::{SystemDef, WorldEvent};

#[test]
fn every_listener_hears_every_event_in_order_also_those_a_listener_causes() {
    let (mut world, calls) = world(0);
    world.listen(|world, event| {
        if let WorldEvent::EntityAdded(id) = event
            && world.peek::<Health>(*id).is_some()
        {
            world.add(*id, Frozen).unwrap();
            world.remove(*id);
            world.spawn((Place { x: 5.0 },));
        }
    });
    record_events(&mut world, &calls);
    world.spawn((Place { x: 1.0 }, Health { health: 1.0 }));
    let events: Vec<String> = calls.take().into_iter().filter(|call| !call.starts_with("attach")).collect();
    assert_eq!(events, ["added readable", "got frozen", "removed readable", "added readable"]);
    assert_eq!(world.len(), 1);
}

#[test]
fn an_event_of_a_system_goes_to_those_who_listen_for_its_type() {
    struct Word(&'static str);
    struct Other;
    for threads in THREADS {
        let (mut world, calls) = world(threads);
        let heard = calls.clone();
        world.on(move |_, word: &Word| heard.push(word.0));
        let heard = calls.clone();
        world.on(move |_, _: &Other| heard.push("other"));
        let system = SystemDef::worker(
            "speaks",
            |_: &mut vivarium_world::Named<'_>, run: &mut vivarium_world::Run| {
                run.send(Word("one"));
                run.send(Other);
                run.send(Word("two"));
                run.send(3);
                Ok(())
            },
        );
        world.add_system(system).unwrap();
        world.step();
        assert_eq!(calls.take(), ["one", "other", "two"]);
    }
}

#[test]
fn a_listener_that_clears_the_world_hears_no_harm() {
    let (mut world, calls) = world(0);
    world.listen(|world, event| {
        if let WorldEvent::EntityRemoved(id) = event
            && world.peek::<Place>(*id).is_some_and(|place| place.x == 1.0)
        {
            world.clear();
        }
    });
    world.spawn((Place { x: 0.0 },));
    let id = world.spawn((Place { x: 1.0 },));
    world.remove(id);
    assert!(world.is_empty());
    assert_eq!((calls.count("free place 0"), calls.count("free place 1")), (1, 1));
    world.spawn((Place { x: 2.0 },));
    world.step();
    assert_eq!((calls.count("free"), world.len()), (2, 1));
}

#[test]
fn what_a_listener_spawns_while_the_world_is_cleared_goes_too() {
    let (mut world, calls) = world(0);
    world.listen(|world, event| {
        if let WorldEvent::EntityRemoved(_) = event {
            world.spawn((Place { x: 9.0 },));
        }
    });
    world.spawn((Place { x: 1.0 },));
    world.clear();
    assert!(world.is_empty());
    assert_eq!(calls.count("attach"), calls.count("free"));
}
