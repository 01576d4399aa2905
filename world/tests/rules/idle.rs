//! Rules of systems that have nobody to visit: they are passed over, and nobody can tell.

use crate::common::*;
use proptest::prelude::*;
use vivarium_world::{EntityId, LoadOptions, Run, SaveForm, SystemDef, SystemId, World};

/// Something that happens to a world between two steps.
#[derive(Clone, Debug)]
enum Act {
    Step,
    Spawn(u8),
    Kill(usize),
    Freeze(usize),
    Thaw(usize),
    Enable(usize, bool),
    Period(usize, u8),
    SaveAndLoad,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        6 => Just(Act::Step),
        2 => (0..3_u8).prop_map(Act::Spawn),
        2 => (0..8_usize).prop_map(Act::Kill),
        1 => (0..8_usize).prop_map(Act::Freeze),
        1 => (0..8_usize).prop_map(Act::Thaw),
        1 => (0..4_usize, any::<bool>()).prop_map(|(system, on)| Act::Enable(system, on)),
        1 => (0..4_usize, 0..3_u8).prop_map(|(system, period)| Act::Period(system, period)),
        1 => Just(Act::SaveAndLoad),
    ]
}

const SYSTEMS: [&str; 4] = ["places", "speeds", "frozen", "variable"];

/// The system of a name; `asked` ones are asked before each step whether they take part, so they are never passed over.
fn system(name: &str, asked: bool, calls: &Calls) -> SystemDef {
    let calls = calls.clone();
    let heard = name.to_owned();
    let note = move |id: EntityId, run: &mut Run| {
        calls.push(format!("{heard} {id} {} {} {}", run.delta(), run.number(), run.tick()));
    };
    let system = match name {
        "places" => SystemDef::each::<(EntityId, &mut Place), _>(name, move |(id, _), run| note(id, run)),
        "speeds" => SystemDef::each::<(EntityId, &Speed), _>(name, move |(id, _), run| note(id, run)),
        "frozen" => SystemDef::each::<(EntityId, &Frozen), _>(name, move |(id, _), run| note(id, run)),
        _ => SystemDef::each::<(EntityId, &Place, &Frozen), _>(name, move |(id, ..), run| note(id, run))
            .variable(),
    };
    if asked { system.should_run(|_| true) } else { system }
}

struct Twin {
    world: World,
    calls: Calls,
    entities: Vec<EntityId>,
}

impl Twin {
    fn new(threads: usize, asked: bool) -> Self {
        let calls = Calls::default();
        let mut catalog = catalog(&Calls::default());
        for name in SYSTEMS {
            let calls = calls.clone();
            catalog = catalog.system(move || system(name, asked, &calls));
        }
        let mut world = world_of(&catalog, threads);
        let systems = SYSTEMS.map(|name| format!("{{ \"system\": {name:?} }}")).join(", ");
        load(&mut world, &format!("\"step\": 16, \"systems\": [ {systems} ]"));
        Self { world, calls, entities: Vec::new() }
    }

    fn system(&self, number: usize) -> SystemId {
        self.world.system_named(SYSTEMS[number]).unwrap()
    }

    fn act(&mut self, act: &Act) {
        let at = |number: &usize| self.entities.get(*number).copied();
        match act {
            Act::Step => self.world.step(),
            Act::Spawn(0) => self.entities.push(self.world.spawn((Place { x: 0.0 },))),
            Act::Spawn(1) => self.entities.push(self.world.spawn((Speed { vx: 0.0 },))),
            Act::Spawn(_) => self.entities.push(self.world.spawn((Place { x: 1.0 }, Frozen))),
            Act::Kill(number) => {
                if *number < self.entities.len() {
                    self.world.kill(self.entities.remove(*number));
                }
            }
            Act::Freeze(number) => at(number).into_iter().for_each(|id| _ = self.world.add(id, Frozen)),
            Act::Thaw(number) => {
                at(number).into_iter().for_each(|id| _ = self.world.remove_component::<Frozen>(id))
            }
            Act::Enable(number, on) => _ = self.world.set_enabled(self.system(*number), *on),
            Act::Period(number, period) => {
                self.world.set_period(self.system(*number), f64::from(*period) * 24.0).unwrap();
            }
            Act::SaveAndLoad => {
                let save = self.world.save(SaveForm::Plain).unwrap();
                self.world.load("save.json", &save, &LoadOptions::default()).unwrap();
                self.entities = self.world.entities().collect();
            }
        }
    }

    /// What was visited, by system, and what is told of each.
    fn seen(&self) -> (Vec<String>, Vec<(u64, usize)>) {
        let mut visits = self.calls.take();
        visits.sort();
        let counts = self.world.systems().map(|system| (system.runs, system.members)).collect();
        (visits, counts)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn systems_that_are_passed_over_run_as_those_that_are_asked_each_step(
        acts in proptest::collection::vec(act(), 1..60),
        threads in prop_oneof![Just(0_usize), Just(2)],
    ) {
        let (mut passed, mut asked) = (Twin::new(threads, false), Twin::new(threads, true));
        for act in &acts {
            passed.act(act);
            asked.act(act);
            prop_assert_eq!(passed.seen(), asked.seen(), "after {:?}", act);
        }
    }
}

#[test]
fn runs_of_idle_systems_are_counted() {
    for threads in THREADS {
        let (mut world, _) = world(threads);
        let idle = world.add_system(SystemDef::each::<(&Place,), _>("idle", |_, _: &mut Run| {})).unwrap();
        (0..5).for_each(|_| world.step());
        world.set_enabled(idle, false);
        (0..5).for_each(|_| world.step());
        let status = world.systems().find(|system| system.id == idle).unwrap();
        assert_eq!((status.runs, status.members), (5, 0));
    }
}
