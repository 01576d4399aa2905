//! Rules of who is noted for: nothing is noted for a system that is removed, nor for whoever does not ask any more.

use crate::common::*;
use std::sync::{Arc, Mutex};
use vivarium_world::{
    Changed, EntityId, EntitySystem, IndexKind, OpenRun, Run, SchedulerKind, SystemDef, Without, World,
};

/// Hears who joins and leaves, in its runs or at once.
struct Hears<const CHANGES: bool, const LINKS: bool>;

impl<const CHANGES: bool, const LINKED: bool> EntitySystem for Hears<CHANGES, LINKED> {
    type Query = (&'static Place, Option<&'static Speed>, Without<Frozen>);
    const HEARS_CHANGES: bool = CHANGES;
    const LINKS: bool = LINKED;

    fn update(&mut self, _: (&Place, Option<&Speed>, ()), _: &mut Run) -> Result<(), String> {
        Ok(())
    }
}

fn changed(name: &str) -> SystemDef {
    SystemDef::each::<(&Place, Changed<Place>), _>(name, |_, _: &mut Run| {})
}

/// Systems for each of which something is noted.
fn tracking() -> [(&'static str, SystemDef); 5] {
    [
        ("changed", changed("")),
        ("hears changes", SystemDef::entity_worker("", Hears::<true, false>)),
        ("links", SystemDef::entity_worker("", Hears::<false, true>)),
        ("observes", SystemDef::each::<&Place, _>("", |_, _: &mut Run| {}).when_changed::<Speed>()),
        ("all", SystemDef::entity_system("", Hears::<true, true>).when_changed::<Health>()),
    ]
}

/// A world of many entities, and their ids.
fn filled(threads: usize) -> (World, Vec<EntityId>) {
    let (mut world, _) = world(threads);
    world.set_scheduler(SchedulerKind::Conflict);
    let all = (0..5000).map(|n| (Place { x: f64::from(n) }, Speed { vx: 1.0 }, Health { health: 1.0 }));
    let ids = world.spawn_batch(all);
    world.step();
    world.settle();
    (world, ids)
}

/// Writes, as a watcher would note it.
fn stir(world: &mut World, ids: &[EntityId]) {
    for &id in ids.iter().step_by(50) {
        world.set(id, Place { x: 7.0 }).unwrap();
        world.set(id, Speed { vx: 7.0 }).unwrap();
    }
}

#[test]
fn nothing_is_noted_any_more_for_a_system_that_is_removed() {
    for threads in THREADS {
        for (about, system) in tracking() {
            let (mut world, ids) = filled(threads);
            let before = world.bytes();
            let id = world.add_system(system.named(about)).unwrap();
            world.step();
            stir(&mut world, &ids);
            world.settle();
            assert!(world.bytes() > before, "{about}: something is noted");
            world.remove_system(id);
            assert_eq!(world.bytes(), before, "{about}, at once");
            stir(&mut world, &ids);
            assert_eq!(world.bytes(), before, "{about}, nor later");
        }
    }
}

/// Its run keeps what it borrowed, and that alone.
#[test]
fn nothing_is_noted_any_more_for_a_system_that_is_removed_while_it_runs() {
    let (mut world, ids) = filled(0);
    let before = world.bytes();
    let open: Arc<Mutex<Vec<OpenRun>>> = Arc::default();
    let kept = open.clone();
    let system = SystemDef::asynchronous("elsewhere", move |run| kept.lock().unwrap().push(run));
    let id = world.add_system(system.query::<(&mut Place, Changed<Speed>)>("all")).unwrap();
    world.update(16.0);
    let run = open.lock().unwrap().pop().unwrap();
    assert!(world.bytes() > before);
    world.remove_system(id);
    assert_eq!(world.bytes(), before);
    world.set(ids[9], Speed { vx: 3.0 }).unwrap();
    assert_eq!(world.bytes(), before);
    assert!(world.is_busy(), "its run goes on");
    run.finish();
    world.settle();
    assert_eq!((world.bytes(), errors(&mut world)), (before, no_strings()));
}

#[test]
fn a_system_that_stays_is_told_all_that_is_noted_for_it_when_another_is_removed() {
    let (mut world, ids) = filled(0);
    let seen = Seen::default();
    let note = seen.clone();
    let stays = SystemDef::each::<(EntityId, Changed<Place>), _>("stays", move |(id, ()), _| note.push(id));
    world.add_system(stays).unwrap();
    let goes = world.add_system(changed("goes")).unwrap();
    world.step();
    seen.take();
    world.set(ids[70], Place { x: 1.0 }).unwrap();
    world.remove_system(goes);
    world.set(ids[900], Place { x: 1.0 }).unwrap();
    world.step();
    assert_eq!(seen.take(), [ids[70], ids[900]]);
}

#[test]
fn nothing_is_noted_any_more_for_an_index_a_grid_or_a_record_that_is_gone() {
    let (mut world, ids) = filled(0);
    let before = world.bytes();
    let mut check = |begin: &dyn Fn(&mut World), end: &dyn Fn(&mut World)| {
        begin(&mut world);
        stir(&mut world, &ids);
        assert!(world.bytes() > before, "something is noted");
        end(&mut world);
        stir(&mut world, &ids);
        assert_eq!(world.bytes(), before);
    };
    check(
        &|world| {
            world.add_index("by place", "place", "x", IndexKind::Sorted, false).unwrap();
            world.index("by place").unwrap();
        },
        &|world| assert!(world.remove_index("by place")),
    );
    check(
        &|world| {
            world.add_grid("by place", "place", ["x", "x"], 10.0).unwrap();
            world.grid("by place").unwrap();
        },
        &|world| assert!(world.remove_grid("by place")),
    );
    check(&|world| world.record_changes(true), &|world| world.record_changes(false));
}
