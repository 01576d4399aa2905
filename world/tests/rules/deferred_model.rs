//! Giving blocks back late, against a model: what open runs see stays as it was, and every block is freed once.

use crate::common::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;
use vivarium_world::{Catalog, Component, EntityId, Named, Run, SchedulerKind, SystemDef, SystemId, World};

#[derive(Clone, Copy, Debug)]
enum Op {
    Spawn,
    Remove(usize),
    Kill(usize),
    TakePlace(usize),
    AddPlace(usize),
    Update,
    /// Opens a run that sees every place until it is ended.
    Open,
    End(usize),
    Settle,
}

fn op() -> impl Strategy<Value = Op> {
    let which = 0..1000usize;
    prop_oneof![
        4 => Just(Op::Spawn),
        2 => which.clone().prop_map(Op::Remove),
        1 => which.clone().prop_map(Op::Kill),
        2 => which.clone().prop_map(Op::TakePlace),
        2 => which.clone().prop_map(Op::AddPlace),
        3 => Just(Op::Update),
        2 => Just(Op::Open),
        2 => which.prop_map(Op::End),
        1 => Just(Op::Settle),
    ]
}

/// A run that looks at every place when it is told to, and not before.
struct Holding {
    system: SystemId,
    go: Sender<()>,
    saw: Receiver<Vec<u64>>,
    /// The places there were when it began.
    expected: Vec<u64>,
}

struct Tried {
    world: World,
    freed: Calls,
    threads: usize,
    /// Entities in creation order, each with the value of its place.
    alive: Vec<(EntityId, Option<u64>)>,
    /// Entities that lost their place and may owe its block still.
    owing: BTreeSet<EntityId>,
    holding: Vec<Holding>,
    /// Each block has a value of its own.
    next: u64,
}

impl Tried {
    fn new(threads: usize) -> Self {
        let freed = Calls::default();
        let told = freed.clone();
        let place = Place::definition().on_free::<Place>(move |place| told.push(format!("{}", place.x)));
        let catalog = Catalog::new().define(place).and_then(Catalog::component::<Speed>).unwrap();
        let mut world = world_of(&catalog, threads);
        world.set_scheduler(SchedulerKind::Default);
        world.set_max_catch_up(1);
        let (alive, owing, holding) = Default::default();
        Self { world, freed, threads, alive, owing, holding, next: 1 }
    }

    fn value(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn places(&self) -> Vec<u64> {
        let mut places: Vec<u64> = self.alive.iter().filter_map(|(_, place)| *place).collect();
        places.sort_unstable();
        places
    }

    fn apply(&mut self, op: Op) {
        let at = |which: usize, len: usize| if len == 0 { None } else { Some(which % len) };
        match op {
            Op::Spawn => {
                let x = self.value();
                let id = match x % 3 {
                    0 => self.world.spawn((Place { x: x as f64 }, Speed { vx: 0.0 })),
                    _ => self.world.spawn((Place { x: x as f64 },)),
                };
                self.alive.push((id, Some(x)));
            }
            Op::Remove(which) | Op::Kill(which) => {
                let Some(at) = at(which, self.alive.len()) else { return };
                let (id, _) = self.alive.remove(at);
                assert!(if let Op::Kill(_) = op { self.world.kill(id) } else { self.world.remove(id) });
            }
            Op::TakePlace(which) => {
                let Some(at) = at(which, self.alive.len()) else { return };
                let (id, place) = &mut self.alive[at];
                assert_eq!(self.world.remove_component::<Place>(*id).is_ok(), place.is_some());
                if place.take().is_some() {
                    self.owing.insert(*id);
                }
            }
            Op::AddPlace(which) => {
                let Some(at) = at(which, self.alive.len()) else { return };
                let (id, place) = self.alive[at];
                // These would wait for the runs.
                if !self.holding.is_empty() && (place.is_some() || self.owing.contains(&id)) {
                    return;
                }
                let x = self.value();
                self.world.add(id, Place { x: x as f64 }).unwrap();
                self.alive[at].1 = Some(x);
            }
            Op::Update => _ = self.world.update(16.0),
            Op::Open => self.open(),
            Op::End(which) => {
                if let Some(at) = at(which, self.holding.len()) {
                    self.end(at);
                }
            }
            Op::Settle => {
                while !self.holding.is_empty() {
                    self.end(0);
                }
                self.world.settle();
            }
        }
    }

    fn open(&mut self) {
        if self.holding.len() >= self.threads.max(1) {
            return;
        }
        let (go, wait) = channel::<()>();
        let (begin, begun) = channel::<()>();
        let (tell, saw) = channel();
        let (wait, held) = (Mutex::new(wait), self.threads > 0);
        let look = move |queries: &mut Named<'_>, _: &mut Run| {
            let _ = begin.send(());
            if held {
                wait.lock().unwrap().recv().map_err(|error| error.to_string())?;
            }
            let mut seen = Vec::new();
            queries.each::<(&Place,)>("all", |(place,)| seen.push(place.x as u64));
            seen.sort_unstable();
            let _ = tell.send(seen);
            Ok(())
        };
        let system = SystemDef::worker("holding", look).query::<(&Place,)>("all");
        let system = self.world.add_system(system).unwrap();
        let expected = self.places();
        self.world.update(16.0);
        begun.recv_timeout(Duration::from_secs(20)).unwrap();
        self.world.set_enabled(system, false);
        self.holding.push(Holding { system, go, saw, expected });
        if !held {
            self.end(0);
        }
    }

    fn end(&mut self, at: usize) {
        let Holding { system, go, saw, expected } = self.holding.remove(at);
        let _ = go.send(());
        let seen = saw.recv_timeout(Duration::from_secs(20)).unwrap();
        assert_eq!(seen, expected, "a block was handed out while a run held it");
        while self.world.systems().any(|status| status.id == system && status.open_run.is_some()) {
            self.world.pump();
            std::thread::yield_now();
        }
        self.world.remove_system(system);
    }

    /// Every block there ever was is freed once, and those there are not yet.
    fn check(mut self) {
        self.apply(Op::Settle);
        self.world.update(16.0);
        self.world.update(16.0);
        assert_eq!((self.world.deferred_blocks(), self.world.deferred().count()), (0, 0));
        let place = self.world.registry().of::<Place>().unwrap();
        let alive = self.places();
        assert_eq!(self.world.pool_len(place), alive.len());
        let mut times = BTreeMap::<String, usize>::new();
        self.freed.take().into_iter().for_each(|value| *times.entry(value).or_default() += 1);
        for value in 2..=self.next {
            let expected = usize::from(alive.binary_search(&value).is_err());
            assert_eq!(times.get(&value.to_string()).copied().unwrap_or(0), expected, "block {value}");
        }
        self.world.clear();
        assert_eq!(self.freed.take().len(), alive.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, max_shrink_iters: 200, ..ProptestConfig::default() })]
    #[test]
    fn no_block_is_handed_out_while_a_run_may_hold_it_and_each_comes_back_once(
        ops in proptest::collection::vec(op(), 1..120),
        threads in prop_oneof![Just(0usize), Just(2)],
    ) {
        let mut tried = Tried::new(threads);
        ops.into_iter().for_each(|op| tried.apply(op));
        tried.check();
    }
}
