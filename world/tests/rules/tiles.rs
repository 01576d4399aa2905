//! Rules of systems that run as one, tile by tile.

use crate::common::*;
use proptest::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use vivarium_world::{
    Apart, Changed, EntityId, Named, Obstacle, Query, Run, SchedulerKind, SystemDef, With, Without, World,
};

/// One system whose updates touch their own row only.
#[derive(Clone, Debug)]
struct Spec {
    /// Which query, and what is done with it.
    kind: u8,
    form: Form,
    period: f64,
    /// Whether it is one of the variable phase.
    variable: bool,
    /// Rows whose value this divides fail; 0 fails none.
    fails: u64,
    /// Whether it panics at the second step, at an entity in the middle.
    panics: bool,
}

/// How a system is written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Each,
    /// Threads share its runs.
    Parallel,
    /// With something made once a run.
    With,
    /// Over slices, whatever the kind.
    Chunk,
}

fn spec() -> impl Strategy<Value = Spec> {
    let form = prop_oneof![3 => Just(Form::Each), 4 => Just(Form::Parallel), 2 => Just(Form::With), 2 => Just(Form::Chunk)];
    let sometimes = |odds| proptest::bool::weighted(odds);
    (0..7_u8, form, 0..3_u8, sometimes(0.1), 0..40_u64, sometimes(0.06)).prop_map(
        |(kind, form, period, variable, fails, panics)| Spec {
            kind,
            form,
            period: f64::from(period) * 16.0,
            variable,
            fails: if fails < 10 { fails + 1 } else { 0 },
            panics,
        },
    )
}

fn blend(to: &mut f64, by: f64, run: &mut Run) {
    *to = (*to * 0.75 + by + run.random().next() + run.number() as f64).rem_euclid(1000.0);
}

/// What happens to a value once it is updated.
fn outcome(value: f64, spec: &Spec, run: &Run) -> Result<(), String> {
    assert!(!(spec.panics && run.tick() == 2 && (300.0..301.0).contains(&value)), "in the middle");
    match spec.fails {
        0 => Ok(()),
        fails if (value.to_bits() >> 20).is_multiple_of(fails * 50) => Err(format!("failed at {value}")),
        _ => Ok(()),
    }
}

fn over<Q: Query + 'static>(
    name: String,
    spec: &Spec,
    update: impl for<'a> Fn(Q::Row<'a>, &mut Run) -> f64 + Send + Sync + 'static,
) -> SystemDef {
    let about = spec.clone();
    let each = move |item: Q::Row<'_>, run: &mut Run| {
        let value = update(item, run);
        outcome(value, &about, run)
    };
    match spec.form {
        Form::Parallel => SystemDef::each_in_parallel::<Q, _>(name, each),
        Form::With => {
            let begin = |run: &Run| run.number() as f64;
            SystemDef::each_with::<Q, _, _>(name, begin, move |item: Q::Row<'_>, number, run: &mut Run| {
                assert_eq!(number, run.number() as f64, "made for another run");
                each(item, run)
            })
        }
        Form::Each | Form::Chunk => SystemDef::each::<Q, _>(name, each),
    }
}

/// Over slices of places, with and without healths: what is done depends on where slices end.
fn over_chunks(name: String, spec: &Spec) -> SystemDef {
    let about = spec.clone();
    SystemDef::each_chunk::<(&mut Place, Option<&mut Health>), _>(
        name,
        move |(places, healths, len), run: &mut Run| {
            let mut value = len as f64;
            for place in &mut *places {
                value = (value + place.x) % 1000.0;
                blend(&mut place.x, value, run);
            }
            healths.into_iter().flatten().for_each(|health| blend(&mut health.health, value, run));
            outcome(places[0].x, &about, run)
        },
    )
}

fn system(place: usize, spec: &Spec) -> SystemDef {
    let name = format!("{place}");
    let system = match spec.form {
        Form::Chunk => over_chunks(name, spec),
        _ => over_members(name, spec),
    };
    let system = system.every(spec.period);
    if spec.variable { system.variable() } else { system }
}

fn over_members(name: String, spec: &Spec) -> SystemDef {
    match spec.kind {
        0 => over::<&mut Place>(name, spec, |place, run| {
            blend(&mut place.x, 1.0, run);
            place.x
        }),
        1 => over::<(&mut Place, &Speed)>(name, spec, |(place, speed), run| {
            blend(&mut place.x, speed.vx, run);
            place.x
        }),
        2 => over::<(&mut Speed, &Place)>(name, spec, |(speed, place), run| {
            blend(&mut speed.vx, place.x, run);
            speed.vx
        }),
        3 => over::<(&mut Health, Option<&Speed>)>(name, spec, |(health, speed), run| {
            blend(&mut health.health, speed.map_or(7.0, |speed| speed.vx), run);
            health.health
        }),
        4 => over::<(&mut Place, Option<&mut Health>, Without<Frozen>)>(
            name,
            spec,
            |(place, health, ()), run| {
                if let Some(health) = health {
                    blend(&mut health.health, place.x, run);
                }
                blend(&mut place.x, 3.0, run);
                place.x
            },
        ),
        5 => over::<(&mut Health, With<Frozen>)>(name, spec, |(health, ()), run| {
            blend(&mut health.health, 5.0, run);
            health.health
        }),
        _ => over::<(EntityId, &Place, &Health)>(name, spec, |(_, place, health), _| place.x + health.health),
    }
}

/// Entities of several kinds, with holes of all sizes among them.
fn filled(threads: usize, scheduler: &SchedulerKind, tiles: bool, seed: u32) -> World {
    let (mut world, _) = world(threads);
    let scene = format!(
        r#"{{ "vivarium": 1, "random": {{ "seed": 5 }}, "step": 16, "scheduler": {:?}, "entities": [] }}"#,
        scheduler.name()
    );
    world.load("test.json", &scene, &vivarium_world::LoadOptions::default()).unwrap();
    world.set_tiles(tiles);
    let all = (0..1500).map(|n| (Place { x: f64::from(n) }, Speed { vx: 1.0 }, Health { health: 2.0 }));
    let mut ids = world.spawn_batch(all);
    ids.extend(
        world
            .spawn_batch((0..700).map(|n| (Place { x: f64::from(n % 400) }, Health { health: 1.0 }, Frozen))),
    );
    ids.extend(world.spawn_batch((0..300).map(|n| (Place { x: f64::from(n) }, Speed { vx: 0.5 }))));
    for (place, id) in ids.into_iter().enumerate() {
        let place = place as u32;
        if (place ^ seed).is_multiple_of(7) || (seed & 255..(seed & 255) + 200).contains(&place) {
            world.remove(id);
        } else if (place + seed).is_multiple_of(11) {
            world.add(id, Frozen).unwrap();
        }
    }
    world
}

/// What came of a few steps: the state after each, errors, runs and members of each system, and how often each was
/// timed.
type Results = (Vec<u64>, Vec<String>, Vec<(u64, usize)>, Vec<u64>);

fn results(mut world: World, specs: &[Spec]) -> Results {
    for (place, spec) in specs.iter().enumerate() {
        world.add_system(system(place, spec)).unwrap();
    }
    let mut hashes = Vec::new();
    for step in 0..3 {
        world.step();
        world.settle();
        hashes.push(world.state_hash());
        // Members come and go between steps.
        let ids: Vec<EntityId> = world.entities().skip(step * 100).step_by(97).collect();
        ids.into_iter().for_each(|id| _ = world.remove(id));
        world.spawn_batch(
            (0..50).map(|n| (Place { x: f64::from(n) }, Speed { vx: 9.0 }, Health { health: 3.0 })),
        );
    }
    // Systems that may overlap report in any order, each in its own.
    let mut errors = errors(&mut world);
    errors.sort_by_key(|error| error.split('`').nth(1).map(str::to_owned));
    let status = world.systems().map(|status| (status.runs, status.members)).collect();
    world.timing_mut().flush();
    let samples = world.timing().rows().iter().skip(2).map(|row| row.samples).collect();
    (hashes, errors, status, samples)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn joined_systems_do_bit_for_bit_what_they_do_one_by_one(
        specs in proptest::collection::vec(spec(), 2..7),
        seed in any::<u32>(),
    ) {
        let panics = specs.iter().any(|spec| spec.panics);
        for scheduler in SchedulerKind::BUILT_IN {
            let wanted = results(filled(0, &scheduler, false, seed), &specs);
            for threads in [0, 1, 2, 8] {
                // The default scheduler skips what is busy, and threads that share a run stop anywhere in a panic.
                let depends_on_timing = threads > 0 && scheduler == SchedulerKind::Default
                    || threads > 1 && panics && specs.iter().any(|spec| spec.form == Form::Parallel);
                if !depends_on_timing {
                    let found = results(filled(threads, &scheduler, true, seed), &specs);
                    prop_assert_eq!(&found, &wanted, "{} threads, {:?}", threads, scheduler);
                }
            }
        }
    }
}

fn plain(name: &str) -> SystemDef {
    SystemDef::each::<&mut Place, _>(name, |place, _: &mut Run| place.x += 1.0)
}

#[test]
fn the_plan_says_which_neighbours_run_as_one_and_why_others_do_not() {
    let table: Vec<(SystemDef, Option<Apart>)> = vec![
        (plain("a"), None),
        (plain("b"), Some(Apart::Independent)),
        (
            SystemDef::each::<&mut Speed, _>("other", |_, _: &mut Run| {}),
            Some(Apart::Later(Obstacle::Effects)),
        ),
        (
            SystemDef::each::<(EntityId, &mut Speed), _>("kills", |_, _: &mut Run| {}).kills(),
            Some(Apart::Earlier(Obstacle::Effects)),
        ),
        (plain("c"), Some(Apart::Later(Obstacle::OtherEntities))),
        (
            SystemDef::each::<&mut Place, _>("looks", |_, _: &mut Run| {}).reads::<Health>(),
            Some(Apart::Earlier(Obstacle::OtherEntities)),
        ),
        (plain("d"), Some(Apart::Later(Obstacle::Asked))),
        (plain("asked").should_run(|_| true), Some(Apart::Earlier(Obstacle::Asked))),
        (plain("e"), Some(Apart::Later(Obstacle::Changes))),
        (
            SystemDef::each::<(&Place, Changed<Place>), _>("changed", |_, _: &mut Run| {}),
            Some(Apart::Earlier(Obstacle::Changes)),
        ),
        (plain("f"), Some(Apart::Later(Obstacle::Batches))),
        (plain("batches").work_batch(10), Some(Apart::Earlier(Obstacle::Batches))),
        (plain("g"), Some(Apart::Later(Obstacle::CreationOrder))),
        (plain("ordered").in_order(), Some(Apart::Earlier(Obstacle::CreationOrder))),
        (plain("h"), Some(Apart::Later(Obstacle::Alone))),
        (plain("alone").exclusive(), Some(Apart::Earlier(Obstacle::Alone))),
        (plain("i"), Some(Apart::Phases)),
        (plain("variable").variable(), Some(Apart::Phases)),
        (plain("j"), None),
        (SystemDef::each_chunk::<&mut Place, _>("chunks", |_, _: &mut Run| {}), None),
        (
            SystemDef::each_with::<&mut Place, _, _>("with", |_| 1.0, |_, _, _: &mut Run| {}),
            Some(Apart::Sharing),
        ),
        (
            SystemDef::each_in_parallel::<&mut Place, _>("shared", |_, _: &mut Run| {}),
            Some(Apart::Later(Obstacle::NotOfEntities)),
        ),
        (
            SystemDef::worker("worker", |_: &mut Named<'_>, _: &mut Run| Ok(())).query::<&mut Place>("all"),
            None,
        ),
    ];
    let (mut world, _) = world(0);
    let wanted: Vec<Option<Apart>> = table.iter().map(|&(_, apart)| apart).collect();
    for (system, _) in table {
        world.add_system(system).unwrap();
    }
    let plan = world.plan();
    let found: Vec<Option<Apart>> = (0..wanted.len()).map(|place| plan.apart(place)).collect();
    assert_eq!(found, wanted);
    assert_eq!(format!("{:?}", plan.tiles()), "[0..2, 18..21]");
    assert_eq!(plan.explain_joint(0).unwrap(), "`a` and `b` run as one, tile by tile");
    world.set_tiles(false);
    assert_eq!((world.plan().tiles(), world.plan().apart(0)), (Vec::new(), Some(Apart::Off)));
}

#[test]
fn joined_runs_are_timed_each_for_its_share() {
    for threads in THREADS {
        let (mut world, _) = world(threads);
        world.spawn_batch((0..5000).map(|n| (Place { x: f64::from(n) },)));
        let quick = world.add_system(plain("quick")).unwrap();
        let slow = SystemDef::each::<&mut Place, _>("slow", |place, _: &mut Run| {
            (0..200).for_each(|_| place.x = (place.x + 1.0).sqrt());
        });
        let slow = world.add_system(slow).unwrap();
        (0..3).for_each(|_| world.step());
        world.timing_mut().flush();
        let rows = world.timing().rows();
        let row = |system| rows.iter().find(|row| row.system == Some(system)).unwrap();
        assert_eq!((row(quick).samples, row(slow).samples), (3, 3));
        assert!(row(slow).avg > row(quick).avg * 4, "{:?} and {:?}", row(slow).avg, row(quick).avg);
        let mut ticks = Vec::new();
        world.timing().copy_ticks(&mut ticks);
        let runs = &ticks.last().unwrap().runs;
        assert_eq!(runs.iter().map(|run| run.0).collect::<Vec<_>>(), [quick, slow]);
        assert!(runs[0].2 <= runs[1].1, "one seems to follow the other");
    }
}

#[test]
fn a_system_that_is_removed_while_its_group_waits_is_skipped_alone() {
    let (mut world, _) = world(2);
    let calls = Calls::default();
    world.spawn((Place { x: 0.0 },));
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let wait = std::sync::Mutex::new(wait);
    let hold =
        move |_: &mut Named<'_>, _: &mut Run| wait.lock().unwrap().recv().map_err(|error| error.to_string());
    world.add_system(SystemDef::worker("holds", hold).query::<&mut Place>("all")).unwrap();
    let ids = ["a", "b", "c"].map(|name| {
        let heard = calls.clone();
        let system = SystemDef::each::<&mut Place, _>(name, move |_, _: &mut Run| heard.push(name));
        world.add_system(system).unwrap()
    });
    world.update(16.0);
    assert_eq!(format!("{:?}", world.plan().tiles()), "[1..4]");
    assert_eq!(ids.map(|id| world.queued_runs(id).0), [1, 1, 1]);
    world.remove_system(ids[0]);
    go.send(()).unwrap();
    world.settle();
    assert_eq!((calls.take(), world.is_busy()), (vec!["b".to_owned(), "c".to_owned()], false));
}

#[test]
fn a_panic_ends_the_run_of_its_system_alone() {
    for threads in THREADS {
        let (mut world, _) = world(threads);
        world.spawn_batch((0..2000).map(|n| (Place { x: f64::from(n) }, Health { health: 0.0 })));
        world.add_system(plain("before")).unwrap();
        let panics = SystemDef::each::<&mut Place, _>("panics", |place, _: &mut Run| {
            assert!(place.x != 601.0, "here");
            place.x += 0.5;
        });
        world.add_system(panics).unwrap();
        let after = SystemDef::each::<(&mut Health, &Place), _>("after", |(health, place), _: &mut Run| {
            health.health = place.x;
        });
        world.add_system(after).unwrap();
        assert_eq!(format!("{:?}", world.plan().tiles()), "[0..3]");
        world.step();
        let errors = errors(&mut world);
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert!(errors[0].starts_with("`panics` panicked: here (among"), "{errors:?}");
        let healths: Vec<f64> = world.entities().map(|id| world.peek::<Health>(id).unwrap().health).collect();
        let wanted = |n: u32| f64::from(n) + if n < 600 { 1.5 } else { 1.0 };
        assert_eq!(healths, (0..2000).map(wanted).collect::<Vec<_>>());
        assert_eq!(world.systems().map(|status| status.runs).collect::<Vec<_>>(), [1, 0, 1]);
    }
}

#[test]
fn none_are_joined_while_somebody_listens_who_sees_the_world() {
    let (mut world, _) = world(0);
    let ids = world.spawn_batch((0..3).map(|n| (Place { x: f64::from(n) },)));
    let sends = |place: &mut Place, run: &mut Run| {
        place.x += 1.0;
        run.send(place.x);
    };
    world.add_system(SystemDef::each::<&mut Place, _>("sends", sends)).unwrap();
    world
        .add_system(SystemDef::each::<&mut Place, _>("doubles", |place, _: &mut Run| place.x *= 2.0))
        .unwrap();
    let first = ids[0];
    world.on(move |world: &mut World, x: &f64| {
        if *x == 3.0 {
            world.set(first, Place { x: 50.0 }).unwrap();
        }
    });
    world.step();
    assert_eq!(world.peek::<Place>(first).unwrap().x, 100.0, "the listener acted between the two");
}

/// The lengths of the slices that a system gets beside another, and the errors of both.
fn slices(tiles: bool, threads: usize) -> (Vec<String>, Vec<String>) {
    let (mut world, _) = world(threads);
    world.set_tiles(tiles);
    world.spawn_batch((0..1300).map(|n| (Place { x: f64::from(n) },)));
    let some = world.spawn_batch((0..200).map(|n| (Place { x: f64::from(n) }, Frozen)));
    // Scattered ones come one by one.
    some.iter().step_by(2).for_each(|&id| _ = world.remove(id));
    world.add_system(plain("before")).unwrap();
    let calls = Calls::default();
    let heard = calls.clone();
    let note = move |(places, len): (&mut [Place], usize), _: &mut Run| {
        assert_eq!(places.len(), len);
        heard.push(len.to_string());
        if len == 512 { Err("a whole one") } else { Ok(()) }
    };
    world.add_system(SystemDef::each_chunk::<&mut Place, _>("slices", note)).unwrap();
    world.step();
    world.settle();
    assert_eq!(world.plan().tiles().len(), usize::from(tiles));
    (calls.take(), errors(&mut world))
}

#[test]
fn slices_end_at_the_same_rows_whether_their_system_is_joined_or_not() {
    let (lengths, errors) = slices(false, 0);
    let ones = lengths.iter().filter(|len| *len == "1").count();
    assert_eq!((lengths.iter().filter(|len| *len == "512").count(), ones), (2, 100), "{lengths:?}");
    assert_eq!(errors.len(), 2, "{errors:?}");
    for threads in THREADS {
        for tiles in [false, true] {
            assert_eq!(
                slices(tiles, threads),
                (lengths.clone(), errors.clone()),
                "{tiles} on {threads} threads"
            );
        }
    }
}

#[test]
fn what_is_made_once_a_run_is_made_anew_for_each_and_its_panic_ends_the_run_alone() {
    for tiles in [false, true] {
        for threads in THREADS {
            let (mut world, calls) = world(threads);
            world.set_tiles(tiles);
            let ids = world.spawn_batch((0..2000).map(|_| (Place { x: 0.0 },)));
            world.add_system(plain("before")).unwrap();
            let heard = calls.clone();
            let begin = move |run: &Run| {
                heard.push(format!("begins {}", run.tick()));
                assert!(run.tick() != 2, "not today");
                run.tick() as f64
            };
            let add = |place: &mut Place, by: f64, _: &mut Run| place.x += 10.0 * by;
            world.add_system(SystemDef::each_with::<&mut Place, _, _>("with", begin, add)).unwrap();
            world.add_system(plain("after")).unwrap();
            calls.take();
            (0..3).for_each(|_| world.step());
            world.settle();
            assert_eq!(calls.take(), ["begins 1", "begins 2", "begins 3"], "{tiles} on {threads} threads");
            assert!(ids.iter().all(|&id| world.get::<Place>(id).unwrap().x == 46.0));
            let errors = errors(&mut world);
            assert_eq!(errors.len(), 1, "{errors:?}");
            assert!(errors[0].starts_with("`with` panicked: not today"), "{errors:?}");
        }
    }
}

/// What is heard of systems that send in a few steps, and the state after them.
fn heard(scheduler: &SchedulerKind, threads: usize, tiles: bool) -> (Vec<String>, u64) {
    let mut world = filled(threads, scheduler, tiles, 5);
    let calls = Calls::default();
    let (numbers, names) = (calls.clone(), calls.clone());
    world.hear(move |number: &f64| numbers.push(number.to_string()));
    world.hear(move |name: &String| names.push(name.as_str()));
    let sends = |name: &'static str| {
        move |place: &mut Place, run: &mut Run| {
            place.x = (place.x + 1.5) % 100.0;
            if place.x < 10.0 {
                run.send(place.x);
            }
            if place.x > 90.0 {
                run.send(format!("{} of {name}", place.x));
            }
        }
    };
    for (name, shared) in [("a", false), ("b", true), ("c", true), ("d", false), ("e", false)] {
        let system = match shared {
            false => SystemDef::each::<&mut Place, _>(name, sends(name)),
            true => SystemDef::each_in_parallel::<&mut Place, _>(name, sends(name)),
        };
        world.add_system(system).unwrap();
    }
    let joined = if tiles { "[1..3, 3..5]" } else { "[]" };
    assert_eq!(format!("{:?}", world.plan().tiles()), joined);
    for _ in 0..3 {
        world.step();
        world.settle();
    }
    (calls.take(), world.state_hash())
}

#[test]
fn who_hears_what_systems_send_hears_it_in_the_same_order_joined_or_not() {
    let wanted = heard(&SchedulerKind::Conflict, 0, false);
    let from = |name: &str| wanted.0.iter().any(|call| call.ends_with(name));
    assert!(wanted.0.len() > 500 && ["of a", "of c", "of e"].into_iter().all(from));
    for threads in THREADS {
        assert!(heard(&SchedulerKind::Conflict, threads, true) == wanted, "on {threads} threads");
    }
    let wanted = heard(&SchedulerKind::Default, 0, false);
    assert!(heard(&SchedulerKind::Default, 0, true) == wanted);
}

/// What two systems send whose runs threads share, where the first rows are held up until another thread has begun with
/// others.
fn sent_beside_a_slow_part(threads: usize, tiles: bool) -> Vec<String> {
    let (mut world, _) = world(threads);
    load(&mut world, r#""step": 16, "entities": []"#);
    world.set_tiles(tiles);
    world.spawn_batch((0..4000).map(|n| (Place { x: f64::from(n) },)));
    let calls = Calls::default();
    let heard = calls.clone();
    world.hear(move |sent: &String| heard.push(sent.as_str()));
    for name in ["a", "b"] {
        let is_beside = AtomicBool::new(threads < 2);
        let system = SystemDef::each_in_parallel::<&mut Place, _>(name, move |place, run: &mut Run| {
            if place.x == 0.0 {
                let begin = Instant::now();
                while !is_beside.load(Ordering::Relaxed) {
                    assert!(begin.elapsed() < Duration::from_secs(20), "no other thread begins");
                    std::thread::yield_now();
                }
            }
            if place.x >= 2000.0 {
                is_beside.store(true, Ordering::Relaxed);
            }
            if place.x % 100.0 == 0.0 {
                let drawn = run.random().next();
                run.send(format!("{} of {name}: {drawn}", place.x));
            }
        });
        world.add_system(system).unwrap();
    }
    assert_eq!(world.plan().tiles().len(), usize::from(tiles));
    world.step();
    world.settle();
    assert_eq!(errors(&mut world), no_strings());
    calls.take()
}

#[test]
fn what_threads_that_share_runs_ask_for_is_brought_together_in_row_order_whoever_ends_first() {
    let wanted = sent_beside_a_slow_part(0, false);
    assert_eq!(wanted.len(), 80);
    for threads in [1, 2, 4] {
        for tiles in [false, true] {
            let about = format!("joined {tiles} on {threads} threads");
            assert_eq!(sent_beside_a_slow_part(threads, tiles), wanted, "{about}");
        }
    }
}
