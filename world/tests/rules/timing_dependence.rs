//! Rules of what makes results depend on timing.

use crate::common::*;
use vivarium_world::{Run, SchedulerKind, SystemDef, TimingDependence, World};

fn steady() -> World {
    let (mut world, _) = world(0);
    world.set_scheduler(SchedulerKind::Conflict);
    world.set_step(Some(16.0)).unwrap();
    world.add_system(SystemDef::each::<&mut Place, _>("moves", |place, _: &mut Run| place.x += 1.0)).unwrap();
    world
}

#[track_caller]
fn check(change: impl FnOnce(&mut World), reason: TimingDependence, sentence: &str) {
    let mut world = steady();
    assert_eq!(world.timing_dependence(), []);
    change(&mut world);
    assert_eq!(world.timing_dependence(), std::slice::from_ref(&reason));
    assert_eq!(reason.to_string(), sentence);
}

#[test]
fn a_world_says_every_reason_why_its_results_may_depend_on_timing() {
    use TimingDependence::*;
    let sliced = || SystemDef::each_on_world_thread::<&Place, _>("slow", |_, _: &mut Run| ());
    check(
        |world| world.set_scheduler(SchedulerKind::Default),
        Scheduler("default".to_owned()),
        "its scheduler is \"default\", not \"conflict\"",
    );
    check(|world| world.set_step(None).unwrap(), NoFixedStep, "it has no fixed step");
    check(|world| world.set_max_backlog(None), UnboundedBacklog, "any number of updates may be queued");
    check(
        |world| world.set_gate("network", |_| true),
        Gate("network".to_owned()),
        "the gate \"network\" may hold a step",
    );
    check(
        |world| _ = world.add_system(sliced().budget(1.0)).unwrap(),
        TimeSliced("slow".to_owned()),
        "system \"slow\" has a budget of time",
    );
    check(
        |world| _ = world.add_system(sliced().variable()).unwrap(),
        VariablePhase("slow".to_owned()),
        "system \"slow\" runs once an update, not once a step",
    );
}

#[test]
fn batches_of_a_fixed_size_do_not_depend_on_timing() {
    let mut world = steady();
    let system = SystemDef::each::<&Place, _>("some", |_, _: &mut Run| ()).work_batch(8);
    world.add_system(system).unwrap();
    assert_eq!(world.timing_dependence(), []);
}
