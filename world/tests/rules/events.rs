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

#[test]
fn a_subscriber_hears_of_one_entity_or_one_system_if_it_wishes() {
    let (mut world, calls) = world(0);
    let [a, b] = [1.0, 2.0].map(|x| world.spawn((Place { x },)));
    let (of_entity, of_system) = (calls.clone(), calls.clone());
    world.listen_to_entity(a, move |_, event| of_entity.push(format!("entity {event:?}")));
    let fails = |name: &str| SystemDef::each::<(&Place,), _>(name, |_, _| Err("no"));
    let one = world.add_system(fails("one")).unwrap();
    world.listen_to_system(one, move |_, event| {
        let WorldEvent::SystemError(error) = event else {
            return of_system.push(format!("system {event:?}"));
        };
        of_system.push(format!("system {}", error.name));
    });
    let two = world.add_system(fails("two")).unwrap();
    calls.take();
    world.add(b, Frozen).unwrap();
    world.add(a, Frozen).unwrap();
    world.remove(b);
    world.remove_system(two);
    world.remove_system(one);
    world.remove(a);
    let heard = calls.take();
    assert_eq!(heard.iter().filter(|call| call.starts_with("entity ComponentAdded")).count(), 1);
    assert_eq!(heard.iter().filter(|call| call.starts_with("entity EntityRemoved")).count(), 1);
    assert_eq!(heard.iter().filter(|call| call.starts_with("entity")).count(), 2, "{heard:?}");
    assert_eq!(heard.iter().filter(|call| call.starts_with("system SystemRemoved")).count(), 1);
    assert_eq!(heard.iter().filter(|call| call.starts_with("system")).count(), 1, "{heard:?}");
    // Errors of a system, and of its entities, are told to both.
    let c = world.spawn((Place { x: 3.0 },));
    let three = world.add_system(fails("three")).unwrap();
    let (of_entity, of_system) = (calls.clone(), calls.clone());
    world.listen_to_entity(c, move |_, _| of_entity.push("entity"));
    world.listen_to_system(three, move |_, _| of_system.push("system"));
    calls.take();
    world.update(16.0);
    world.settle();
    assert_eq!((calls.count("entity"), calls.count("system")), (1, 1));
}
