//! Lets ships sail from station to station.

use super::{number, param, seconds};
use crate::component::{Station, Tide, Transform, Voyage};
use std::collections::HashMap;
use std::f32::consts::{PI, TAU};
use vivarium_world::{EntityId, Named, Run, SystemDef};

type Stations = (EntityId, &'static Transform, &'static Station);
type Ships = (&'static mut Transform, &'static mut Voyage);

/// Lets ships sail to their stations, wait there, and go on to the station that one names. A ship whose station
/// is gone makes for the nearest. The tide takes ships along: to the right while it is high.
pub fn sail() -> SystemDef {
    SystemDef::worker("sail", update)
        .query::<&Tide>("tides")
        .query::<Stations>("stations")
        .query::<Ships>("ships")
        .param(number("arrival", 40.0, 1.0, 500.0).unit("px"))
        .param(number("stay", 2500.0, 0.0, 60_000.0).unit("ms"))
        .param(number("current", 12.0, 0.0, 100.0).unit("px/s"))
}

/// A place to sail to.
#[derive(Clone, Copy)]
struct Port {
    id: u64,
    x: f32,
    y: f32,
    next: u64,
}

/// The stations, in their order and by their ids' bits.
#[derive(Default)]
struct Ports {
    list: Vec<Port>,
    places: HashMap<u64, usize>,
}

fn update(queries: &mut Named<'_>, run: &mut Run) -> Result<(), String> {
    let mut level = 0.0;
    queries.each::<&Tide>("tides", |tide| level = tide.level);
    let mut ports = Ports::default();
    queries.each::<Stations>("stations", |(id, transform, station)| {
        ports.places.insert(id.bits(), ports.list.len());
        ports.list.push(Port { id: id.bits(), x: transform.x, y: transform.y, next: station.next });
    });
    let (arrival, stay) = (param(run, "arrival"), param(run, "stay"));
    let (seconds, current) = (seconds(run), level * param(run, "current"));
    queries.each::<Ships>("ships", |(transform, voyage)| {
        if voyage.waiting > 0.0 {
            voyage.waiting = (voyage.waiting - seconds * 1000.0).max(0.0);
            return;
        }
        let Some(port) = ports.get(voyage.target).or_else(|| ports.nearest(transform)) else { return };
        voyage.target = port.id;
        steer(transform, voyage, port, seconds);
        transform.x += current * seconds;
        if (port.x - transform.x).hypot(port.y - transform.y) < arrival {
            voyage.calls = voyage.calls.saturating_add(1);
            voyage.waiting = stay;
            voyage.target = port.next;
        }
    });
    Ok(())
}

impl Ports {
    fn get(&self, id: u64) -> Option<Port> {
        self.places.get(&id).and_then(|&place| self.list.get(place)).copied()
    }

    fn nearest(&self, from: &Transform) -> Option<Port> {
        let distance = |port: &Port| (port.x - from.x).hypot(port.y - from.y);
        self.list.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).copied()
    }
}

/// Turns a ship towards a port and sails ahead, slowly while it looks elsewhere.
fn steer(transform: &mut Transform, voyage: &Voyage, port: Port, seconds: f32) {
    let wanted = (port.y - transform.y).atan2(port.x - transform.x);
    let off = (wanted - transform.angle + PI).rem_euclid(TAU) - PI;
    let most = voyage.agility * seconds;
    transform.angle += off.clamp(-most, most);
    let speed = voyage.speed * off.cos().max(0.25) * seconds;
    let (sin, cos) = transform.angle.sin_cos();
    transform.x += cos * speed;
    transform.y += sin * speed;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::World;

    fn at(x: f32, y: f32) -> Transform {
        Transform { x, y, angle: 0.0 }
    }

    fn voyage(target: u64) -> Voyage {
        Voyage { target, speed: 100.0, agility: 3.0, waiting: 0.0, calls: 0 }
    }

    #[test]
    fn a_ship_reaches_its_station_waits_and_goes_on_to_the_next() {
        let mut world = World::with([sail()]);
        let second = world.spawn((at(-300.0, 200.0), Station { next: 0 }));
        let first = world.spawn((at(300.0, 0.0), Station { next: second.bits() }));
        let ship = world.spawn((at(0.0, 0.0), voyage(first.bits())));
        world.steps(200);
        let Voyage { target, waiting, calls, .. } = world.read(ship);
        assert!(calls == 1 && target == second.bits() && waiting > 0.0);
        world.steps(800);
        let here = world.read::<Transform>(ship);
        assert!(world.read::<Voyage>(ship).calls >= 2);
        assert!((here.x + 300.0).hypot(here.y - 200.0) < 41.0, "{here:?}");
    }

    #[test]
    fn a_ship_whose_station_is_gone_makes_for_the_nearest() {
        let mut world = World::with([sail()]);
        let gone = world.spawn((at(0.0, 100.0), Station { next: 0 }));
        let far = world.spawn((at(900.0, 0.0), Station { next: 0 }));
        let near = world.spawn((at(-400.0, 0.0), Station { next: far.bits() }));
        let ship = world.spawn((at(0.0, 0.0), voyage(gone.bits())));
        world.steps(1);
        assert_eq!(world.read::<Voyage>(ship).target, gone.bits());
        world.kill(gone);
        world.steps(1);
        assert_eq!(world.read::<Voyage>(ship).target, near.bits());
    }

    #[test]
    fn without_stations_ships_stay() {
        let mut world = World::with([sail()]);
        let ship = world.spawn((at(5.0, 6.0), voyage(0)));
        world.steps(10);
        assert_eq!(world.read::<Transform>(ship), at(5.0, 6.0));
    }
}
