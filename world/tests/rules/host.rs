//! The host as windows, scripts and tests use it: commands in, replies, events and snapshots out.

use crate::support::{SCENE, catalog};
use std::time::{Duration, Instant};
use vivarium_world::inspect::{
    CellsRequest, EntitiesRequest, HeapRequest, JournalRequest, RunState, ShapesRequest, Snapshot, Sort,
    SortBy, SystemState, SystemView, ViewRequest,
};
use vivarium_world::{
    Command, Done, FieldValue, Host, HostEvent, HostHandle, HostOptions, Ordinal, SaveForm, Target,
};

fn host(threads: usize) -> HostHandle {
    Host::spawn(&catalog(), HostOptions { threads, on_publish: None }).unwrap()
}

fn loaded(threads: usize) -> HostHandle {
    let mut host = host(threads);
    load(&mut host, SCENE).unwrap();
    host
}

fn load(host: &mut HostHandle, text: &str) -> Result<Done, String> {
    host.call(Command::Load {
        source: "sparks.json".into(),
        text: text.into(),
        seed: None,
        keep_running: false,
    })
}

/// The first snapshot for which `is_right` holds.
fn wait_for(host: &mut HostHandle, is_right: impl Fn(&Snapshot) -> bool) -> Snapshot {
    let start = Instant::now();
    loop {
        let snapshot = host.snapshot();
        if is_right(snapshot) {
            return snapshot.clone();
        }
        assert!(start.elapsed() < Duration::from_secs(20), "still {:?}", snapshot.status);
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn everything() -> ViewRequest {
    let fields = vec!["position.x".to_owned()];
    ViewRequest {
        entities: Some(EntitiesRequest { count: 10, fields, ..EntitiesRequest::default() }),
        details: vec![Ordinal(0)],
        systems: true,
        schedule: true,
        timing: true,
        memory: true,
        deferred: true,
        shapes: Some(ShapesRequest::default()),
        journal: Some(JournalRequest::default()),
        cells: Some(CellsRequest { component: vivarium_world::ComponentId(1), first: 0, count: 1, at: None }),
        heap: Some(HeapRequest::default()),
        ..ViewRequest::default()
    }
}

#[test]
fn a_snapshot_holds_what_was_asked_for_and_no_more() {
    let mut host = loaded(1);
    let bare = wait_for(&mut host, |snapshot| snapshot.status.entities == 2);
    assert!(
        bare.entities.is_none()
            && bare.details.is_empty()
            && bare.memory.is_none()
            && bare.systems.is_empty()
            && bare.journal.is_none()
            && bare.cells.is_none()
            && bare.heap.is_none()
    );
    host.set_view(everything());
    let full = wait_for(&mut host, |snapshot| snapshot.entities.is_some());
    let page = full.entities.unwrap();
    assert_eq!((page.total, page.matching, page.rows.len()), (2, 2, 2));
    assert_eq!(page.rows[1].fields, [Some(FieldValue::Float(5.0))]);
    assert_eq!(&*page.rows[0].type_name, "spark");
    assert_eq!(full.details[0].components.len(), 4);
    assert_eq!(full.systems.len(), 3);
    assert_eq!(full.schedule.unwrap().batches.len(), 2);
    assert!(full.timing.unwrap().rows.iter().all(|row| row.samples == 0));
    assert_eq!(full.memory.unwrap().pools.len(), 4);
    assert_eq!(full.catalog.templates[0].instances, 1);
}

#[test]
fn steps_are_done_and_counted() {
    let mut host = loaded(0);
    assert_eq!(host.snapshot().status.tick, 0);
    host.call(Command::Step { steps: 25 }).unwrap();
    let after = wait_for(&mut host, |snapshot| snapshot.status.tick == 25);
    assert_eq!(after.status.game_time, 400.0);
    wait_for(&mut host, |snapshot| snapshot.status.run_state == RunState::Paused);
}

#[test]
fn a_running_world_goes_on_by_itself_and_pauses() {
    let mut host = loaded(1);
    host.call(Command::Speed { factor: None }).unwrap();
    host.call(Command::Run).unwrap();
    wait_for(&mut host, |snapshot| {
        snapshot.status.tick > 100 && snapshot.status.run_state == RunState::Running
    });
    host.call(Command::Pause).unwrap();
    let paused = wait_for(&mut host, |snapshot| snapshot.status.run_state == RunState::Paused);
    std::thread::sleep(Duration::from_millis(50));
    assert!(host.snapshot().status.tick <= paused.status.tick + 1);
}

#[test]
fn timings_say_how_they_are_spread_while_somebody_looks_and_have_the_window_that_was_set() {
    let mut host = loaded(0);
    for milliseconds in [0.0, 9.9, f64::NAN, f64::INFINITY] {
        host.call(Command::TimingWindow { milliseconds }).unwrap_err();
    }
    host.call(Command::TimingWindow { milliseconds: 48.0 }).unwrap();
    load(&mut host, SCENE).unwrap();
    host.set_view(ViewRequest { timing: true, ..ViewRequest::default() });
    wait_for(&mut host, |snapshot| snapshot.timing.is_some());
    host.call(Command::Step { steps: 7 }).unwrap();
    let seen = wait_for(&mut host, |snapshot| snapshot.status.tick == 7).timing.unwrap();
    assert_eq!(seen.window, Duration::from_millis(48), "a load leaves it");
    let update = &seen.rows[0];
    let spread = update.distribution.as_ref().unwrap();
    assert_eq!((update.samples, spread.buckets.iter().map(|bucket| bucket.count).sum()), (3, 3));
    assert!(update.min <= spread.p50 && spread.p50 <= spread.p99 && spread.p99 <= update.max);
    assert!(update.last > Duration::ZERO);
    host.set_view(ViewRequest::default());
    wait_for(&mut host, |snapshot| snapshot.timing.is_none());
    host.call(Command::Step { steps: 7 }).unwrap();
    host.set_view(ViewRequest { timing: true, ..ViewRequest::default() });
    let again = wait_for(&mut host, |snapshot| snapshot.timing.is_some() && snapshot.status.tick == 14);
    assert_eq!(again.timing.unwrap().rows[0].distribution, None, "nobody looked");
}

#[test]
fn an_edit_is_seen_in_the_next_snapshot_and_a_faulty_one_changes_nothing() {
    let mut host = loaded(0);
    host.set_view(everything());
    let target = Target { component: "position".into(), field: "x".into() };
    let set = |value| Command::Set { entities: vec![Ordinal(0)], target: target.clone(), value };
    host.call(set(FieldValue::Float(77.0))).unwrap();
    let seen = wait_for(&mut host, |snapshot| snapshot.status.edited && !snapshot.details.is_empty());
    let position = seen.details[0].components.iter().find(|component| component.raw.bytes.len() == 8);
    assert!(position.is_some());
    let page = seen.entities.unwrap();
    assert_eq!(page.rows[0].fields, [Some(FieldValue::Float(77.0))]);
    let error = host.call(set(FieldValue::Text("far".into()))).unwrap_err();
    assert!(error.contains("x takes a number"), "{error}");
    let error = host.call(Command::Kill { entities: vec![Ordinal(99)] }).unwrap_err();
    assert!(error.contains("no entity #99"), "{error}");
}

#[test]
fn the_list_is_filtered_and_sorted_and_a_faulty_filter_is_shown() {
    let mut host = loaded(0);
    host.call(Command::Step { steps: 3 }).unwrap();
    let ask = |filter: &str, sort: Sort| ViewRequest {
        entities: Some(EntitiesRequest {
            filter: filter.into(),
            sort,
            count: 100,
            fields: vec!["position.x".into()],
            ..EntitiesRequest::default()
        }),
        ..ViewRequest::default()
    };
    host.set_view(ask(
        "type:spark with:age",
        Sort { by: SortBy::Field("position.x".into()), descending: true },
    ));
    let sorted = wait_for(&mut host, |snapshot| {
        snapshot.status.tick == 3 && snapshot.entities.as_ref().is_some_and(|page| page.matching > 10)
    });
    let page = sorted.entities.unwrap();
    let values: Vec<f64> =
        page.rows.iter().map(|row| row.fields[0].as_ref().unwrap().as_f64().unwrap()).collect();
    assert!(values.is_sorted_by(|a, b| a >= b), "{values:?}");
    assert_eq!(page.total, page.matching + 1);
    host.set_view(ask("with:agee", Sort::default()));
    let fault =
        wait_for(&mut host, |snapshot| snapshot.entities.as_ref().is_some_and(|page| page.fault.is_some()));
    let (message, span) = fault.entities.unwrap().fault.unwrap();
    assert!(message.contains("age"), "{message}");
    assert_eq!(span, 5..9);
}

#[test]
fn a_save_from_the_host_loads_as_the_same_world() {
    let mut host = loaded(2);
    host.call(Command::Step { steps: 40 }).unwrap();
    wait_for(&mut host, |snapshot| snapshot.status.tick == 40);
    let Ok(Done::Hash { hash, tick: 40 }) = host.call(Command::Hash) else { panic!("a hash") };
    let Ok(Done::Saved { text, .. }) = host.call(Command::Save { form: SaveForm::Compressed }) else {
        panic!("a save")
    };
    let mut other = self::host(0);
    load(&mut other, &text).unwrap();
    assert_eq!(other.call(Command::Hash), Ok(Done::Hash { tick: 40, hash }));
}

#[test]
fn a_scene_that_does_not_load_leaves_the_running_world_alone() {
    let mut host = loaded(1);
    host.call(Command::Run).unwrap();
    let error = load(&mut host, &SCENE[..SCENE.len() / 2]).unwrap_err();
    assert!(error.contains("sparks.json:"), "{error}");
    wait_for(&mut host, |snapshot| {
        snapshot.status.tick > 5 && snapshot.status.run_state == RunState::Running
    });
}

#[test]
fn a_panicking_system_stops_the_world_and_is_named_and_the_world_goes_on_without_it() {
    for threads in [0, 2] {
        let mut host = host(threads);
        let scene =
            SCENE.replace(r#"{ "system": "aging" }"#, r#"{ "system": "aging" }, { "system": "trap" }"#);
        load(&mut host, &scene).unwrap();
        host.set_view(ViewRequest { systems: true, ..ViewRequest::default() });
        host.call(Command::Run).unwrap();
        let stopped =
            wait_for(&mut host, |snapshot| matches!(snapshot.status.run_state, RunState::Stopped(_)));
        let RunState::Stopped(reason) = stopped.status.run_state else { unreachable!() };
        assert!(
            reason.message.contains("`trap` panicked") && reason.message.contains("sprung"),
            "{reason:?}"
        );
        let trap = stopped.systems.iter().find(|system| Some(system.id) == reason.system).unwrap();
        let error = trap.last_error.as_ref().unwrap();
        assert!(error.panicked && error.message.contains("sprung"), "{error:?}");
        assert_eq!(error.entity.is_some(), error.message.contains("entity"), "{error:?}");
        let mut logged = false;
        while let Some(event) = host.try_event() {
            logged |= matches!(event, HostEvent::Log(line) if line.message.contains("`trap` panicked"));
        }
        assert!(logged);
        host.call(Command::Enable { system: reason.system.unwrap(), on: false }).unwrap();
        host.call(Command::Run).unwrap();
        let tick = stopped.status.tick;
        wait_for(&mut host, |snapshot| snapshot.status.tick > tick + 5);
    }
}

#[test]
fn nothing_runs_before_a_scene_is_loaded() {
    let mut host = host(0);
    assert!(host.call(Command::Run).unwrap_err().contains("open a scene first"));
    assert_eq!(host.snapshot().status.run_state, RunState::Empty);
}

#[test]
fn every_command_survives_its_line_of_json() {
    for command in [
        Command::Step { steps: 3 },
        Command::Speed { factor: None },
        Command::Set {
            entities: vec![Ordinal(1)],
            target: Target { component: "a".into(), field: "b".into() },
            value: FieldValue::Float(0.5),
        },
        Command::Save { form: SaveForm::Plain },
        Command::TimingWindow { milliseconds: 250.0 },
    ] {
        let line = serde_json::to_string(&command).unwrap();
        assert_eq!(serde_json::from_str::<Command>(&line).unwrap(), command, "{line}");
    }
}

#[test]
fn no_command_waits_for_ever_for_a_system_that_hangs() {
    let scene =
        SCENE.replace(r#"{ "system": "aging" }"#, r#"{ "system": "aging" }, { "system": "sleeper" }"#);
    let mut host = host(2);
    load(&mut host, &scene).unwrap();
    host.set_view(ViewRequest { systems: true, ..ViewRequest::default() });
    host.call(Command::Run).unwrap();
    let is = |wanted: fn(&SystemView) -> bool| {
        move |snapshot: &Snapshot| {
            snapshot.status.tick > 3
                && snapshot.systems.iter().any(|system| system.name == "sleeper" && wanted(system))
        }
    };
    let on_a_worker =
        |system: &SystemView| matches!(system.state, SystemState::Running { worker: Some(0 | 1) });
    let running = wait_for(&mut host, is(on_a_worker));
    assert!(running.systems.iter().any(|system| system.name == "sleeper" && system.waiting > 0));
    assert!(running.status.backlog > 0);
    let error = host.call(Command::Save { form: SaveForm::Plain }).unwrap_err();
    assert!(error.contains("`sleeper` has been running"), "{error}");
    wait_for(&mut host, is(|system| system.state == SystemState::Hung));
    load(&mut host, SCENE).unwrap();
    host.call(Command::Save { form: SaveForm::Plain }).unwrap();
    crate::support::WAKE.store(true, std::sync::atomic::Ordering::SeqCst);
    host.call(Command::Step { steps: 5 }).unwrap();
    wait_for(&mut host, |snapshot| snapshot.status.tick == 5);
}

#[test]
fn what_is_painted_of_a_running_world_is_of_now() {
    let mut host = loaded(2);
    host.set_view(ViewRequest { details: vec![Ordinal(1)], ..everything() });
    host.call(Command::Run).unwrap();
    for tick in [20, 40, 60] {
        let seen = wait_for(&mut host, |snapshot| snapshot.status.tick > tick && snapshot.shapes.is_some());
        let shapes = seen.shapes.unwrap();
        assert!(seen.status.tick - shapes.tick <= 8, "{} of {}", shapes.tick, seen.status.tick);
        let shown = seen.details[0].components.iter().map(|component| component.tick).min().unwrap();
        assert!(seen.status.tick - shown <= 8, "{shown} of {}", seen.status.tick);
    }
}

/// A scene that takes its time.
fn long(count: usize) -> String {
    let entity = r#"{ "type": "spark", "x": 1, "y": 2, "vx": 3, "vy": 4 }"#;
    let entities = vec![entity; count].join(",\n");
    let start = SCENE.find("\"entities\"").unwrap();
    format!("{}\"entities\": [{entities}] }}", &SCENE[..start])
}

fn reply_to(host: &mut HostHandle, number: u64) -> Result<Done, String> {
    let start = Instant::now();
    loop {
        match host.try_event() {
            Some(HostEvent::Reply(reply)) if reply.command == number => return reply.result,
            Some(_) => {}
            None => std::thread::sleep(Duration::from_millis(1)),
        }
        assert!(start.elapsed() < Duration::from_secs(60), "no reply");
    }
}

fn send_load(host: &mut HostHandle, text: &str, keep_running: bool) -> u64 {
    host.send(Command::Load { source: "long.json".into(), text: text.into(), seed: None, keep_running })
}

#[test]
fn a_load_shows_how_far_it_is_and_can_be_cancelled_while_the_old_world_stays() {
    let text = long(100_000);
    let mut host = loaded(1);
    let before = host.call(Command::Hash).unwrap();
    let load = send_load(&mut host, &text, false);
    let seen = wait_for(
        &mut host,
        |snapshot| matches!(snapshot.status.run_state, RunState::Loading { fraction } if fraction > 0.0),
    );
    assert_eq!(seen.status.entities, 2);
    assert_eq!(host.call(Command::CancelLoad), Ok(Done::Ok));
    assert_eq!(reply_to(&mut host, load), Ok(Done::Cancelled));
    assert_eq!(host.call(Command::Hash).unwrap(), before);
    wait_for(&mut host, |snapshot| snapshot.status.run_state == RunState::Paused);
    assert!(host.call(Command::CancelLoad).unwrap_err().contains("no load is under way"));
}

#[test]
fn commands_during_a_load_are_answered_or_wait_for_its_end_in_their_order() {
    let text = long(100_000);
    let mut host = loaded(0);
    host.call(Command::Run).unwrap();
    let load = send_load(&mut host, &text, true);
    wait_for(&mut host, |snapshot| matches!(snapshot.status.run_state, RunState::Loading { .. }));
    // Answered at once: the load is not over when it is paused, which holds for what comes after it.
    assert_eq!(host.call(Command::Pause), Ok(Done::Ok));
    let hash = host.send(Command::Hash);
    let killed = host.send(Command::Kill { entities: vec![Ordinal(5)] });
    assert_eq!(reply_to(&mut host, load).map(|done| matches!(done, Done::Loaded { .. })), Ok(true));
    assert!(matches!(reply_to(&mut host, hash), Ok(Done::Hash { tick: 0, .. })));
    assert_eq!(reply_to(&mut host, killed), Ok(Done::Count(1)));
    let now = wait_for(&mut host, |snapshot| snapshot.status.entities == 99_999);
    assert_eq!((now.status.run_state, now.status.tick), (RunState::Paused, 0));
}

#[test]
fn another_load_takes_the_place_of_one_that_is_under_way() {
    let mut host = host(0);
    let first = send_load(&mut host, &long(100_000), false);
    wait_for(&mut host, |snapshot| matches!(snapshot.status.run_state, RunState::Loading { .. }));
    assert!(matches!(load(&mut host, SCENE), Ok(Done::Loaded { entities: 2, .. })));
    assert_eq!(reply_to(&mut host, first), Ok(Done::Cancelled));
}

#[test]
fn the_list_follows_edits_while_the_world_is_paused() {
    let mut host = loaded(0);
    host.set_view(ViewRequest {
        entities: Some(EntitiesRequest {
            filter: "position.x > 50".into(),
            count: 10,
            ..EntitiesRequest::default()
        }),
        ..ViewRequest::default()
    });
    let matching = |matching| {
        move |snapshot: &Snapshot| snapshot.entities.as_ref().is_some_and(|page| page.matching == matching)
    };
    wait_for(&mut host, matching(0));
    let target = Target { component: "position".into(), field: "x".into() };
    let set =
        |x| Command::Set { entities: vec![Ordinal(0)], target: target.clone(), value: FieldValue::Float(x) };
    host.call(set(77.0)).unwrap();
    wait_for(&mut host, matching(1));
    host.call(Command::Duplicate { entity: Ordinal(0) }).unwrap();
    wait_for(&mut host, matching(2));
    host.call(set(1.0)).unwrap();
    wait_for(&mut host, matching(1));
}
