//! The conflict scheduler against a model: whatever runs are open together and whichever ends first, each run finds
//! what it would find if all ran one by one, in the order of updates, then of registration.

use crate::common::*;
use proptest::prelude::*;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use vivarium_world::{EntityId, Named, Run, SchedulerKind, SystemDef, World};

const STEP: f64 = 16.0;
/// Values are whole numbers below this, so that arithmetic on them is exact.
const MODULUS: f64 = 1_000_003.0;
const KEYS: [&str; 3] = ["x", "vx", "health"];
const NAMES: [&str; 3] = ["place", "speed", "health"];

/// What a system declares and does. Components are numbers from 0.
#[derive(Clone, Debug)]
struct Spec {
    /// Queries it reads, each for an entity with all of these components.
    reads: Vec<Vec<usize>>,
    /// Components it writes of every entity that has them.
    writes: Vec<usize>,
    /// Components of an entity it creates in each run.
    creates: Option<Vec<usize>>,
    /// Kills one entity in each run, until none is left for it.
    kills: bool,
    exclusive: bool,
    /// In steps; 0 runs it every step.
    period: f64,
}

fn spec() -> impl Strategy<Value = Spec> {
    let some = |most| proptest::sample::subsequence(vec![0usize, 1, 2], 1..=most);
    (
        proptest::collection::vec(some(2), 0..3),
        proptest::sample::subsequence(vec![0usize, 1, 2], 0..=2),
        proptest::option::weighted(0.3, some(2)),
        proptest::bool::weighted(0.15),
        proptest::bool::weighted(0.1),
        prop_oneof![3 => Just(0.0), 1 => Just(2.0), 1 => Just(2.5)],
    )
        .prop_map(|(reads, writes, creates, kills, exclusive, period)| Spec {
            reads,
            writes,
            creates,
            kills,
            exclusive,
            period,
        })
}

/// Whether a later run waits for an earlier one of another system, word by word as the rule has it.
fn waits(earlier: &Spec, later: &Spec) -> bool {
    let reads = |spec: &Spec, component: usize| {
        spec.writes.contains(&component) || spec.reads.iter().flatten().any(|&read| read == component)
    };
    let writes = |spec: &Spec, component: usize| spec.writes.contains(&component);
    let touched = (0..3).any(|component| {
        writes(earlier, component) && (reads(later, component) || writes(later, component))
            || reads(earlier, component) && writes(later, component)
    });
    let queries = later.reads.iter().cloned().chain(later.writes.iter().map(|&component| vec![component]));
    let sees = earlier.creates.as_ref().is_some_and(|created| {
        queries.into_iter().any(|query| query.iter().all(|component| created.contains(component)))
    });
    earlier.exclusive || later.exclusive || touched || sees || earlier.kills
}

/// What a run found: its step, its delta, and of each query how many entities and the sum of their values.
#[derive(Clone, Debug, PartialEq)]
struct Found {
    tick: u64,
    delta: f64,
    queries: Vec<(usize, f64)>,
}

fn written(value: f64, system: usize) -> f64 {
    (value * 31.0 + system as f64 + 1.0) % MODULUS
}

/// The entities each killer may kill: so many, of component 0, 1 and 2 in turn.
const VICTIMS: usize = 3;

/// Everything one by one.
struct Model {
    entities: Vec<[Option<f64>; 3]>,
    found: Vec<Vec<Found>>,
}

impl Model {
    fn of(specs: &[Spec], updates: u64) -> Self {
        let mut entities = vec![[Some(1.0); 3]];
        // Of each system the places of its victims.
        let mut victims: Vec<Vec<usize>> = Vec::new();
        for _ in specs {
            victims.push((0..VICTIMS).map(|n| entities.len() + n).collect());
            entities.extend(
                (0..VICTIMS).map(|n| std::array::from_fn(|component| (component == n % 3).then_some(1.0))),
            );
        }
        let mut model = Self { entities, found: vec![Vec::new(); specs.len()] };
        let mut accumulated = vec![0.0; specs.len()];
        for tick in 1..=updates {
            for (system, spec) in specs.iter().enumerate() {
                accumulated[system] += STEP;
                let period = spec.period * STEP;
                let delta = match period {
                    0.0 => accumulated[system],
                    _ => (accumulated[system] / period).floor() * period,
                };
                let first = model.found[system].is_empty();
                if delta > 0.0 || first {
                    accumulated[system] -= delta;
                    model.run(system, spec, tick, delta, &mut victims[system]);
                }
            }
        }
        model
    }

    fn run(&mut self, system: usize, spec: &Spec, tick: u64, delta: f64, victims: &mut Vec<usize>) {
        let queries = spec.reads.iter().map(|query| {
            let members =
                self.entities.iter().filter(|entity| query.iter().all(|&part| entity[part].is_some()));
            let values = members.map(|entity| query.iter().filter_map(|&part| entity[part]).sum::<f64>());
            values.fold((0, 0.0), |(count, sum), value| (count + 1, sum + value))
        });
        self.found[system].push(Found { tick, delta, queries: queries.collect() });
        for &component in &spec.writes {
            for value in self.entities.iter_mut().filter_map(|entity| entity[component].as_mut()) {
                *value = written(*value, system);
            }
        }
        if let Some(created) = &spec.creates {
            self.entities
                .push(std::array::from_fn(|component| created.contains(&component).then_some(tick as f64)));
        }
        if let Some(victim) = victims.pop().filter(|_| spec.kills) {
            self.entities[victim] = [None; 3];
        }
    }

    /// How many entities have each component, and the sum of its values.
    fn state(&self) -> [(usize, f64); 3] {
        std::array::from_fn(|component| {
            let values = self.entities.iter().filter_map(|entity| entity[component]);
            values.fold((0, 0.0), |(count, sum), value| (count + 1, sum + value))
        })
    }
}

fn query_name(query: &[usize]) -> String {
    query.iter().map(|&component| NAMES[component]).collect::<Vec<_>>().join(" ")
}

fn find(queries: &mut Named<'_>, query: &[usize]) -> (usize, f64) {
    let (name, mut count, mut sum) = (query_name(query), 0, 0.0);
    let mut add = |value: f64| {
        count += 1;
        sum += value;
    };
    match query {
        [0] => queries.each::<(&Place,)>(&name, |(a,)| add(a.x)),
        [1] => queries.each::<(&Speed,)>(&name, |(a,)| add(a.vx)),
        [2] => queries.each::<(&Health,)>(&name, |(a,)| add(a.health)),
        [0, 1] => queries.each::<(&Place, &Speed)>(&name, |(a, b)| add(a.x + b.vx)),
        [0, 2] => queries.each::<(&Place, &Health)>(&name, |(a, b)| add(a.x + b.health)),
        [1, 2] => queries.each::<(&Speed, &Health)>(&name, |(a, b)| add(a.vx + b.health)),
        _ => panic!("no query of {query:?}"),
    }
    (count, sum)
}

/// A system of a specification. With `wait` a run says that it began, and goes on when it is told to.
struct Doing {
    spec: Spec,
    place: usize,
    victims: Vec<EntityId>,
    found: Arc<Mutex<Vec<Found>>>,
    wait: Option<Mutex<Receiver<()>>>,
    began: Sender<(usize, u64)>,
    ended: Sender<()>,
}

impl Doing {
    fn run(&mut self, queries: &mut Named<'_>, run: &mut Run) -> Result<(), String> {
        if let Some(wait) = &self.wait {
            let _ = self.began.send((self.place, run.tick()));
            wait.lock().unwrap().recv().map_err(|error| error.to_string())?;
        }
        let seen = self.spec.reads.iter().map(|query| find(queries, query)).collect();
        self.found.lock().unwrap().push(Found { tick: run.tick(), delta: run.delta(), queries: seen });
        for &component in &self.spec.writes {
            let write = |value: &mut f64| *value = written(*value, self.place);
            match component {
                0 => queries.each::<(&mut Place,)>("write 0", |(place,)| write(&mut place.x)),
                1 => queries.each::<(&mut Speed,)>("write 1", |(speed,)| write(&mut speed.vx)),
                _ => queries.each::<(&mut Health,)>("write 2", |(health,)| write(&mut health.health)),
            }
        }
        if let Some(created) = &self.spec.creates {
            let keys: Vec<_> =
                created.iter().map(|&part| format!("\"{}\": {}", KEYS[part], run.tick())).collect();
            let created = run.create(&config(&format!("{{ {} }}", keys.join(", "))));
            created.map_err(|error| error.to_string())?;
        }
        if let Some(victim) = self.victims.pop().filter(|_| self.spec.kills) {
            run.kill(victim).map_err(|error| error.to_string())?;
        }
        let _ = self.ended.send(());
        Ok(())
    }

    fn system(mut self) -> SystemDef {
        let spec = self.spec.clone();
        let name = format!("system {}", self.place);
        let system =
            SystemDef::worker(name, move |queries: &mut Named<'_>, run: &mut Run| self.run(queries, run));
        let mut system = system.every(spec.period * STEP);
        let mut queries = spec.reads;
        queries.sort();
        queries.dedup();
        for query in queries {
            let name = query_name(&query);
            system = match *query {
                [0] => system.query::<(&Place,)>(name),
                [1] => system.query::<(&Speed,)>(name),
                [2] => system.query::<(&Health,)>(name),
                [0, 1] => system.query::<(&Place, &Speed)>(name),
                [0, 2] => system.query::<(&Place, &Health)>(name),
                _ => system.query::<(&Speed, &Health)>(name),
            };
        }
        for component in spec.writes {
            system = match component {
                0 => system.query::<(&mut Place,)>("write 0"),
                1 => system.query::<(&mut Speed,)>("write 1"),
                _ => system.query::<(&mut Health,)>("write 2"),
            };
        }
        if let Some(created) = spec.creates {
            system = system.creates(created.into_iter().map(|component| NAMES[component]));
        }
        let system = if spec.kills { system.kills() } else { system };
        if spec.exclusive { system.exclusive() } else { system }
    }
}

struct Tried {
    world: World,
    specs: Vec<Spec>,
    found: Vec<Arc<Mutex<Vec<Found>>>>,
    began: Receiver<(usize, u64)>,
    ended: Receiver<()>,
    go: Vec<Sender<()>>,
    /// Runs that began and were not told to go on: step and system.
    open: Vec<(u64, usize)>,
}

impl Tried {
    fn new(specs: &[Spec], threads: usize) -> Self {
        let (mut world, _) = world(threads);
        world.set_scheduler(SchedulerKind::Conflict);
        world.set_step(Some(STEP)).unwrap();
        world.spawn((Place { x: 1.0 }, Speed { vx: 1.0 }, Health { health: 1.0 }));
        let (say_began, began) = channel();
        let (say_ended, ended) = channel();
        let (mut found, mut go) = (Vec::new(), Vec::new());
        for (place, spec) in specs.iter().enumerate() {
            let victim = |n: usize| match n % 3 {
                0 => world.spawn((Place { x: 1.0 },)),
                1 => world.spawn((Speed { vx: 1.0 },)),
                _ => world.spawn((Health { health: 1.0 },)),
            };
            let (tell, wait) = channel();
            let doing = Doing {
                spec: spec.clone(),
                place,
                victims: (0..VICTIMS).map(victim).collect(),
                found: Arc::default(),
                wait: (threads > 0).then_some(Mutex::new(wait)),
                began: say_began.clone(),
                ended: say_ended.clone(),
            };
            found.push(doing.found.clone());
            go.push(tell);
            world.add_system(doing.system()).unwrap();
        }
        Self { world, specs: specs.to_vec(), found, began, ended, go, open: Vec::new() }
    }

    /// Takes in who began, and checks that nobody is open whom it should have waited for.
    fn gather(&mut self) {
        for (system, tick) in self.began.try_iter() {
            for &(other_tick, other) in &self.open {
                let (earlier, later) =
                    ((tick, system).min((other_tick, other)), (tick, system).max((other_tick, other)));
                let clash = earlier.1 == later.1 || waits(&self.specs[earlier.1], &self.specs[later.1]);
                assert!(!clash, "{later:?} began while {earlier:?} was open");
            }
            self.open.push((tick, system));
        }
    }

    /// Lets one of the open runs end; whether one was open.
    fn end(&mut self, choice: usize) -> bool {
        self.gather();
        if self.open.is_empty() {
            return false;
        }
        let (_, system) = self.open.swap_remove(choice % self.open.len());
        self.go[system].send(()).unwrap();
        self.ended.recv_timeout(Duration::from_secs(20)).unwrap();
        true
    }

    fn drain(&mut self, choices: &mut impl Iterator<Item = usize>) {
        let begin = Instant::now();
        while self.world.is_busy() {
            self.world.pump();
            if !self.end(choices.next().unwrap_or(0)) {
                assert!(
                    begin.elapsed() < Duration::from_secs(20),
                    "nothing is open, and something is queued"
                );
                std::thread::yield_now();
            }
        }
    }

    fn state(&self) -> [(usize, f64); 3] {
        let place = self.world.entities().filter_map(|id| self.world.peek::<Place>(id).map(|place| place.x));
        let speed = self.world.entities().filter_map(|id| self.world.peek::<Speed>(id).map(|speed| speed.vx));
        let health =
            self.world.entities().filter_map(|id| self.world.peek::<Health>(id).map(|health| health.health));
        let sum = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((0, 0.0), |(count, sum), value| (count + 1, sum + value))
        };
        [sum(&mut { place }), sum(&mut { speed }), sum(&mut { health })]
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, max_shrink_iters: 200, ..ProptestConfig::default() })]

    /// A value tells every write before it and who wrote, in order: equal values are equal orders of operations.
    #[test]
    fn every_run_finds_what_it_would_find_if_all_ran_one_by_one(
        specs in proptest::collection::vec(spec(), 1..7),
        updates in 1..6u64,
        choices in proptest::collection::vec(0..1000usize, 64),
        threads in prop_oneof![Just(0usize), Just(1), Just(2), Just(8)],
    ) {
        let model = Model::of(&specs, updates);
        let mut tried = Tried::new(&specs, threads);
        let mut choices = choices.into_iter().cycle();
        for _ in 0..updates {
            prop_assert_eq!(tried.world.update(STEP).stalled, None);
            for _ in 0..choices.next().unwrap() % 4 {
                tried.end(choices.next().unwrap());
                tried.world.pump();
            }
        }
        tried.drain(&mut choices);
        for (system, found) in tried.found.iter().enumerate() {
            prop_assert_eq!(&*found.lock().unwrap(), &model.found[system], "system {}", system);
        }
        prop_assert_eq!(tried.state(), model.state());
        prop_assert_eq!(errors(&mut tried.world), no_strings());
    }
}
