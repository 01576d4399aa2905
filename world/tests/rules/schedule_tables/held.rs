//! Rows of the tables, planned and run: worlds whose runs wait to be told to end.

use crate::common::*;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};
use vivarium_world::{EntityId, Named, Pair, Run, SystemDef, Without, World};

/// How long a test waits for what must come.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

/// One row of a table.
pub(super) struct Row {
    /// A system a line: its name, then words.
    pub(super) systems: &'static str,
    /// The order by access that the systems are brought in first, and the circles in it; none leaves them as they
    /// are.
    pub(super) order: Option<(&'static str, &'static [&'static str])>,
    /// The names of each batch; batches are parted by `|`.
    pub(super) batches: &'static str,
    /// Who waits for whom and why, a pair a line: `earlier later: reason, reason`. Other pairs are free.
    pub(super) waits: &'static str,
    /// Pairs whose effects are published in this order although the later ends first and does not wait to run:
    /// `earlier later`, parted by `,`.
    pub(super) publishes: &'static str,
}

/// A list of components as calls with each of them as a type.
macro_rules! with_each {
    ($system:ident, $list:expr, $method:ident) => {
        $list.split(',').fold($system, |system, component| match component {
            "place" => system.$method::<Place>(),
            "speed" => system.$method::<Speed>(),
            "health" => system.$method::<Health>(),
            _ => panic!("no component {component}"),
        })
    };
}

/// A system that does what its words say.
fn declared(system: SystemDef, words: &str) -> SystemDef {
    words.split_whitespace().fold(system, |system, word| match word.split_once(':').unwrap_or((word, "")) {
        ("r", list) => with_each!(system, list, reads),
        ("w", list) => with_each!(system, list, writes),
        ("+", list) => with_each!(system, list, adds),
        ("-", list) => with_each!(system, list, removes),
        ("c", "*") => system.creates_anything(),
        ("c", list) => system.creates(list.split(',')),
        ("kills", _) => system.kills(),
        ("alone", _) => system.exclusive(),
        ("q", "") => system.query::<EntityId>(word),
        ("q", "place") => system.query::<&Place>(word),
        ("q", "speed") => system.query::<&Speed>(word),
        ("q", "place,speed") => system.query::<(&Place, &Speed)>(word),
        ("q", "?place") => system.query::<(Option<&Place>,)>(word),
        ("q", "speed,?place") => system.query::<(&Speed, Option<&Place>)>(word),
        ("q", "speed,!place") => system.query::<(&Speed, Without<Place>)>(word),
        _ => panic!("no word {word}"),
    })
}

/// What a run does: creates and kills what its words say.
fn act(words: &str, victims: &mut Vec<EntityId>, run: &mut Run) -> Result<(), String> {
    for word in words.split_whitespace() {
        if let Some(list) = word.strip_prefix("c:").filter(|list| *list != "*") {
            let value = run.random().int(0, 1000);
            let keys = list.split(',').map(|component| match component {
                "place" => format!(r#""x": {value}"#),
                "speed" => format!(r#""vx": {value}"#),
                _ => format!(r#""health": {value}"#),
            });
            let json = format!("{{ {} }}", keys.collect::<Vec<_>>().join(", "));
            run.create(&config(&json)).map_err(|error| error.to_string())?;
        }
        if word == "kills" {
            let victim = victims.pop().ok_or("nobody is left to kill")?;
            run.kill(victim).map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}

pub(super) fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

/// A world of these systems. With threads every run says that it began, and waits to be told to end.
pub(super) struct Held {
    pub(super) world: World,
    pub(super) names: Vec<&'static str>,
    /// `began NAME` and `published NAME`, in order.
    pub(super) calls: Calls,
    /// The names of those that were published.
    published: Calls,
    /// How many runs of each system ended.
    over: Vec<usize>,
    began: Receiver<usize>,
    ended: Receiver<usize>,
    pub(super) go: Vec<Sender<()>>,
    /// Runs that began and were not told to end, by system.
    pub(super) open: Vec<usize>,
}

impl Held {
    /// With these systems, one added after the other.
    pub(super) fn new(systems: &'static str, threads: usize) -> Self {
        let (mut world, _) = world(threads);
        load(&mut world, r#""entities": []"#);
        world.set_step(None).unwrap();
        let calls = Calls::default();
        let published = Calls::default();
        let (say, note) = (calls.clone(), published.clone());
        world.on::<&'static str>(move |_, name| {
            say.push(format!("published {name}"));
            note.push(*name);
        });
        for _ in 0..4 {
            world.spawn((Place { x: 0.0 }, Speed { vx: 0.0 }, Health { health: 0.0 }));
        }
        let (say_began, began) = channel();
        let (say_ended, ended) = channel();
        let (mut names, mut go) = (Vec::new(), Vec::new());
        for (index, line) in lines(systems).enumerate() {
            let (name, words) = line.split_once(' ').unwrap_or((line, ""));
            let (tell, wait) = channel::<()>();
            let wait = Mutex::new(wait);
            let mut victims: Vec<EntityId> = (0..4).map(|_| world.spawn((Frozen,))).collect();
            let (calls, say_began, say_ended) = (calls.clone(), say_began.clone(), say_ended.clone());
            let update = move |_: &mut Named<'_>, run: &mut Run| {
                calls.push(format!("began {name}"));
                if threads > 0 {
                    let _ = say_began.send(index);
                    wait.lock().unwrap().recv().map_err(|error| error.to_string())?;
                }
                run.send::<&'static str>(name);
                act(words, &mut victims, run)?;
                if threads > 0 {
                    let _ = say_ended.send(index);
                }
                Ok(())
            };
            world.add_system(declared(SystemDef::worker(name, update), words)).unwrap();
            names.push(name);
            go.push(tell);
        }
        let over = vec![0; names.len()];
        Self { world, names, calls, published, over, began, ended, go, open: Vec::new() }
    }

    /// Whether a system's runs that ended are published.
    pub(super) fn is_published(&self, system: usize) -> bool {
        self.published.count(self.names[system]) == self.over[system]
    }

    /// Waits until every run that was dispatched has begun, as far as there are threads for them.
    pub(super) fn gather(&mut self) {
        let is_open = |name: &str| {
            self.world.systems().any(|status| status.open_run.is_some() && *status.name == *name)
        };
        let work =
            (0..self.names.len()).filter(|&system| is_open(self.names[system]) && self.is_published(system));
        let work = work.count().min(self.world.threads());
        while self.open.len() < work {
            self.open.push(self.began.recv_timeout(PATIENCE).unwrap());
        }
    }

    /// Pumps until something is so.
    #[track_caller]
    pub(super) fn until(&mut self, what: impl Fn(&Self) -> bool) {
        let begin = Instant::now();
        while !what(self) {
            assert!(begin.elapsed() < PATIENCE, "open are {:?}", self.open);
            self.world.pump();
            self.gather();
            std::thread::yield_now();
        }
    }

    /// Lets a run end.
    pub(super) fn end(&mut self, system: usize) {
        self.open.retain(|&open| open != system);
        self.go[system].send(()).unwrap();
        assert_eq!(self.ended.recv_timeout(PATIENCE), Ok(system));
        self.over[system] += 1;
    }

    /// The names of the systems in the order the world has them.
    pub(super) fn order(&self) -> Vec<&'static str> {
        let named = |name: &str| self.names.iter().copied().find(|known| *known == name).unwrap();
        self.world.systems().map(|status| named(&status.name)).collect()
    }

    /// Lets every run end, always the one of the last system first; which were open at once. Between two of them the
    /// world has the time to publish what it should not yet, or the last is waited for.
    pub(super) fn drain(&mut self, published_at_once: bool) -> Vec<Vec<&'static str>> {
        let order = self.order();
        let place = |name: &str| order.iter().position(|&known| known == name);
        self.drain_by(published_at_once, |open| open.iter().copied().max_by_key(|&name| place(name)).unwrap())
    }

    /// As `drain`, where `choose` says who of those that are open ends next.
    pub(super) fn drain_by(
        &mut self,
        published_at_once: bool,
        choose: impl Fn(&[&'static str]) -> &'static str,
    ) -> Vec<Vec<&'static str>> {
        let mut together = Vec::new();
        let begin = Instant::now();
        while self.world.is_busy() {
            self.world.pump();
            self.gather();
            if self.open.is_empty() {
                assert!(begin.elapsed() < PATIENCE, "nothing is open, and something is queued");
                std::thread::yield_now();
                continue;
            }
            let open: Vec<_> = self.open.iter().map(|&system| self.names[system]).collect();
            let chosen = choose(&open);
            let system = self.names.iter().position(|&name| name == chosen).unwrap();
            together.push(open);
            self.end(system);
            if published_at_once {
                self.until(|held| held.is_published(system));
            } else {
                std::thread::sleep(Duration::from_micros(500));
            }
        }
        together
    }
}

/// The reasons of a plan, a pair a line, as a row has them.
fn reasons(world: &mut World, names: &[&str]) -> Vec<String> {
    let plan = world.plan();
    let pairs = (0..names.len()).flat_map(|later| (0..later).map(move |earlier| (earlier, later)));
    let line = |(earlier, later)| match plan.pair(earlier, later) {
        Pair::Free => None,
        Pair::Ordered(reasons) => {
            let reasons: Vec<_> = reasons.iter().map(|reason| reason.kind().label()).collect();
            Some(format!("{} {}: {}", names[earlier], names[later], reasons.join(", ")))
        }
    };
    pairs.filter_map(line).collect()
}

impl Row {
    #[track_caller]
    pub(super) fn check(&self) {
        for threads in [0, 1, 2, 8] {
            self.check_with(threads);
        }
    }

    #[track_caller]
    fn check_with(&self, threads: usize) {
        let mut held = Held::new(self.systems, threads);
        let about = format!("{} on {threads} threads", self.systems);
        if let Some((order, circles)) = self.order {
            let broken = held.world.order_by_access();
            let name = |id| held.world.systems().find(|status| status.id == id).unwrap().name.to_string();
            let told: Vec<_> = broken.iter().map(|circle| circle.sentence(name)).collect();
            assert_eq!(
                (held.order().join(" "), told),
                (order.to_owned(), circles.iter().map(ToString::to_string).collect()),
                "{about}"
            );
        }
        let names = held.order();
        // Known before the first update.
        let batches = held.world.plan().batches().batches().to_vec();
        let batches: Vec<_> = batches
            .iter()
            .map(|batch| batch.iter().map(|&place| names[place]).collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(batches.join(" | "), self.batches, "{about}");
        let waits: Vec<_> = lines(self.waits).collect();
        assert_eq!(reasons(&mut held.world, &names), waits, "{about}");

        held.world.update(1.0);
        let apart = waits.is_empty() && self.publishes.is_empty();
        let together = held.drain(apart && threads > 0);
        let said = held.calls.take();
        let at = |what: String| {
            said.iter().position(|call| *call == what).unwrap_or_else(|| panic!("{what}: {said:?}"))
        };
        assert_eq!(said.len(), 2 * names.len(), "each runs and publishes once: {about}, {said:?}");
        let ordered = |earlier: &str, later: &str| {
            waits.iter().any(|line| line.starts_with(&format!("{earlier} {later}:")))
        };
        for later in 0..names.len() {
            for earlier in 0..later {
                let (a, b) = (names[earlier], names[later]);
                let overlapped = together.iter().any(|open| open.contains(&a) && open.contains(&b));
                if ordered(a, b) {
                    let in_order = at(format!("published {a}")) < at(format!("began {b}"));
                    assert!(in_order, "{b} ran before the effects of {a}: {about}, {said:?}");
                    assert!(!overlapped, "{a} and {b} were open at once: {about}");
                } else if threads == 8 && waits.is_empty() {
                    assert!(overlapped, "{a} and {b} were not open at once: {about}");
                }
            }
        }
        for pair in self.publishes.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let (a, b) = pair.split_once(' ').unwrap();
            let in_order = at(format!("published {a}")) < at(format!("published {b}"));
            assert!(in_order, "{b} published before {a}: {about}, {said:?}");
        }
        // The last ends first, and waits for nobody.
        if threads == 8 && apart {
            let published: Vec<_> = said.iter().filter_map(|call| call.strip_prefix("published ")).collect();
            assert_eq!(published, names.iter().rev().copied().collect::<Vec<_>>(), "{about}");
        }
        assert_eq!(errors(&mut held.world), no_strings(), "{about}");
    }
}

#[track_caller]
pub(super) fn check(rows: &[Row]) {
    rows.iter().for_each(Row::check);
}

pub(super) const fn row(
    systems: &'static str,
    batches: &'static str,
    waits: &'static str,
    publishes: &'static str,
) -> Row {
    Row { systems, order: None, batches, waits, publishes }
}
