//! Rules of the journal.

use crate::common::*;
use vivarium_world::inspect::{JournalRequest, JournalView, Snapshot, ViewRequest};
use vivarium_world::{
    Asker, Command, Done, EntityId, FieldValue, Host, HostHandle, HostOptions, Journal, JournalEntry,
    JournalKind, Ordinal, Run, Step, SystemDef, Target, World,
};

/// `tick what #entity component before → after, asker`, of every entry.
fn entries(world: &World) -> Vec<String> {
    world.journal().entries().map(|entry| text(world, entry)).collect()
}

fn text(world: &World, entry: &JournalEntry) -> String {
    let mut text = format!("{} {} #{}", entry.tick, entry.kind.name(), entry.ordinal);
    if let Some(component) = entry.component {
        text.push_str(&format!(" {}", world.registry().get(component).name()));
    }
    if let Some(change) = &entry.change {
        text.push_str(&format!(" {} → {}", change.before, change.after));
    }
    let by = match entry.by {
        Asker::System(_) => entry.by_name.to_string(),
        Asker::Hand => "hand".to_owned(),
        Asker::World => "world".to_owned(),
    };
    format!("{text}, {by}")
}

fn recording(threads: usize) -> World {
    let (mut world, _) = world(threads);
    world.record_journal(true);
    world
}

#[test]
fn every_change_of_structure_is_told_with_its_tick_and_the_system_that_asked() {
    for threads in THREADS {
        let mut world = recording(threads);
        let first = world.spawn((Place { x: 1.0 }, Health { health: 1.0 }));
        let second = world.spawn((Place { x: 2.0 },));
        let does = SystemDef::each::<(EntityId, &Place), _>("does", move |(id, place), run: &mut Run| {
            if place.x == 1.0 {
                run.add(id, Frozen)?;
                run.remove::<Health>(id)?;
                run.kill(second)?;
                run.spawn((Place { x: 9.0 },))?;
            }
            Ok::<(), vivarium_world::EffectError>(())
        });
        let does = does.adds::<Frozen>().removes::<Health>().kills().creates(["place"]);
        let system = world.add_system(does).unwrap();
        world.step();
        world.set_enabled(system, false);
        world.step();
        world.set_by_hand(true);
        world.remove(first);
        world.set_by_hand(false);
        let expected = [
            "0 created #0, world",
            "0 created #1, world",
            "1 component added #0 frozen, does",
            "1 component removed #0 health, does",
            "1 killed #1, does",
            "1 created #2, does",
            "2 removed #0, hand",
        ];
        assert_eq!(entries(&world), expected, "{threads} threads");
        let killed = world.journal().entries().nth(4).unwrap();
        assert!(killed.is_dead && killed.id == second);
    }
}

#[test]
fn a_system_of_the_world_thread_is_named_for_what_it_does() {
    let mut world = recording(0);
    let id = world.spawn((Place { x: 1.0 },));
    world
        .add_system(SystemDef::system("reaper", move |world: &mut World, _: &Step| {
            world.kill(id);
            Ok(())
        }))
        .unwrap();
    world.step();
    assert_eq!(entries(&world).last().unwrap(), "1 killed #0, reaper");
}

#[test]
fn an_edit_by_hand_is_told_field_by_field_with_before_and_after() {
    let mut world = recording(0);
    let id = world.spawn((Place { x: 1.0 },));
    world.set(id, Place { x: 2.0 }).unwrap();
    world.set_by_hand(true);
    world.set(id, Place { x: 3.0 }).unwrap();
    world.set_field(id, "place", "x", &FieldValue::Float(4.0)).unwrap();
    world.set_field(id, "place", "x", &FieldValue::Float(4.0)).unwrap();
    world.update_component::<Place, _>(id, |place| place.x = 5.0);
    world.set_by_hand(false);
    let expected = [
        "0 created #0, world",
        "0 changed #0 place 2 → 3, hand",
        "0 changed #0 place 3 → 4, hand",
        "0 changed #0 place 4 → 5, hand",
    ];
    assert_eq!(entries(&world), expected);
}

#[test]
fn a_change_of_a_watched_field_is_told_whoever_makes_it() {
    for threads in THREADS {
        let mut world = recording(threads);
        let id = world.spawn((Place { x: 1.0 }, Speed { vx: 10.0 }, Health { health: 1.0 }));
        world.spawn((Place { x: 1.0 }, Speed { vx: 10.0 }));
        world.watch_field(id, "place", "x").unwrap();
        world.watch_field(id, "place", "x").unwrap();
        assert_eq!(world.journal().watched().len(), 1);
        let moves = |(place, speed): (&mut Place, &Speed), _: &mut Run| place.x += speed.vx;
        world.add_system(SystemDef::each::<(&mut Place, &Speed), _>("moves", moves)).unwrap();
        let doubles = |place: &mut Place, _: &mut Run| place.x *= 2.0;
        world.add_system(SystemDef::each::<&mut Place, _>("doubles", doubles)).unwrap();
        let sets = SystemDef::each::<(EntityId, &Health), _>("sets", |(id, _), run: &mut Run| {
            run.set(id, Place { x: 0.0 })
        });
        world.add_system(sets.writes::<Place>()).unwrap();
        world
            .add_system(SystemDef::system("nudges", move |world: &mut World, _: &Step| {
                world.update_component::<Place, _>(id, |place| place.x += 0.5);
                Ok(())
            }))
            .unwrap();
        world.step();
        let expected = [
            "1 changed #0 place 1 → 11, moves",
            "1 changed #0 place 11 → 22, doubles",
            "1 changed #0 place 22 → 0, sets",
            "1 changed #0 place 0 → 0.5, nudges",
        ];
        assert_eq!(entries(&world)[2..], expected, "{threads} threads");
        world.unwatch_field(Ordinal(0), "place", "x").unwrap();
        let before = world.journal().entries().len();
        world.step();
        assert_eq!(world.journal().entries().len(), before);
    }
}

#[test]
fn only_what_is_there_can_be_watched() {
    let mut world = recording(0);
    let id = world.spawn((Place { x: 1.0 },));
    assert!(world.watch_field(id, "plaice", "x").unwrap_err().to_string().contains("plaice"));
    let fault = world.watch_field(id, "place", "y").unwrap_err().to_string();
    assert!(fault.contains("no field \"y\""), "{fault}");
    world.remove(id);
    world.watch_field(id, "place", "x").unwrap_err();
}

#[test]
fn the_oldest_make_room_and_are_counted() {
    let mut world = recording(0);
    world.limit_journal(3);
    for x in 0..5 {
        world.spawn((Place { x: f64::from(x) },));
    }
    let journal = world.journal();
    let numbers: Vec<u64> = journal.entries().map(|entry| entry.number).collect();
    assert_eq!((numbers, journal.dropped()), (vec![2, 3, 4], 2));
    world.limit_journal(0);
    assert_eq!((world.journal().entries().len(), world.journal().limit()), (1, 1));
    world.limit_journal(usize::MAX);
    assert_eq!(world.journal().limit(), Journal::MOST);
    world.forget_journal();
    assert_eq!((world.journal().entries().len(), world.journal().dropped()), (0, 0));
}

#[test]
fn nothing_is_recorded_while_it_is_off() {
    let mut world = recording(0);
    world.record_journal(false);
    let id = world.spawn((Place { x: 1.0 },));
    world.watch_field(id, "place", "x").unwrap();
    world.set_by_hand(true);
    world.set(id, Place { x: 2.0 }).unwrap();
    assert!(entries(&world).is_empty());
    world.record_journal(true);
    world.set(id, Place { x: 3.0 }).unwrap();
    assert_eq!(entries(&world), ["0 changed #0 place 2 → 3, hand"], "what happened meanwhile is no change");
}

#[test]
fn who_dies_in_the_hook_of_another_is_told_once() {
    let mut world = recording(0);
    let second = world.spawn((Place { x: 2.0 },));
    let first = world.spawn((Place { x: 1.0 },));
    world.listen(move |world, event| {
        if matches!(event, vivarium_world::WorldEvent::EntityDied(id) if *id == first) {
            world.kill(second);
        }
    });
    world.kill(first);
    assert_eq!(entries(&world)[2..], ["0 killed #1, world", "0 killed #0, world"]);
}

#[test]
fn other_content_begins_an_empty_journal_that_goes_on_recording() {
    let mut world = recording(0);
    let keys = r#""name": "one", "entities": [{"x": 1}]"#;
    load(&mut world, keys);
    assert!(entries(&world).is_empty(), "what a scene brings is not told one by one");
    let id = world.entities().next().unwrap();
    world.watch_field(id, "place", "x").unwrap();
    world.spawn((Place { x: 1.0 },));
    assert_eq!(entries(&world).len(), 1);
    load(&mut world, keys);
    assert!(entries(&world).is_empty());
    assert_eq!(world.journal().watched().len(), 1, "the same scene again");
    let id = world.entities().next().unwrap();
    world.update_component::<Place, _>(id, |place| place.x = 7.0);
    assert_eq!(entries(&world), ["0 changed #0 place 1 → 7, world"]);
    load(&mut world, r#""name": "two", "entities": [{"x": 1}]"#);
    assert!(world.journal().watched().is_empty());
    world.clear();
    assert!(world.journal().is_recording());
    world.spawn((Place { x: 1.0 },));
    assert_eq!(entries(&world), ["0 created #0, world"]);
}

#[test]
fn recording_changes_no_result() {
    let run = |threads: usize, records: bool| {
        let mut world = world_of(&crate::support::catalog(), threads);
        world.load("sparks.json", crate::support::SCENE, &Default::default()).unwrap();
        world.record_journal(records);
        let watched = world.entities().next().unwrap();
        world.watch_field(watched, "position", "x").unwrap();
        (0..60).for_each(|_| world.step());
        if records {
            assert!(world.journal().entries().len() > 50);
        }
        world.state_hash()
    };
    for threads in THREADS {
        assert_eq!(run(threads, true), run(0, false), "{threads} threads");
    }
}

fn host() -> HostHandle {
    let mut host =
        Host::spawn(&crate::support::catalog(), HostOptions { threads: 0, on_publish: None }).unwrap();
    let (source, text) = ("sparks.json".into(), crate::support::SCENE.into());
    host.call(Command::Load { source, text, seed: None, keep_running: false }).unwrap();
    host
}

fn page(
    host: &mut HostHandle,
    asked: JournalRequest,
    is_right: impl Fn(&JournalView) -> bool,
) -> JournalView {
    host.set_view(ViewRequest { journal: Some(asked), ..ViewRequest::default() });
    let is_right = |snapshot: &Snapshot| snapshot.journal.as_ref().is_some_and(&is_right);
    let start = std::time::Instant::now();
    loop {
        if is_right(host.snapshot()) {
            return host.snapshot().journal.clone().unwrap();
        }
        assert!(start.elapsed().as_secs() < 20, "still {:?}", host.snapshot().journal);
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

#[test]
fn a_host_records_and_shows_what_the_query_language_chooses_as_it_was_then() {
    let mut host = host();
    host.call(Command::Record { on: true, keep: Some(500) }).unwrap();
    let target = Target { component: "position".into(), field: "x".into() };
    let set = |value: f64| Command::Set {
        entities: vec![Ordinal(0)],
        target: target.clone(),
        value: FieldValue::Float(value),
    };
    host.call(set(70.0)).unwrap();
    host.call(set(80.0)).unwrap();
    host.call(Command::Kill { entities: vec![Ordinal(0)] }).unwrap();
    let all = page(&mut host, JournalRequest { count: 10, ..Default::default() }, |page| page.matching == 3);
    assert!(all.is_recording && all.limit == 500 && all.rows.iter().all(|row| !row.lives));
    assert_eq!(all.rows[1].change.as_ref().unwrap().before, FieldValue::Float(70.0));
    let chosen = |filter: &str| JournalRequest { filter: filter.into(), count: 10, ..Default::default() };
    // Compared with what it was then.
    page(&mut host, chosen("position.x < 75"), |page| page.matching == 1 && page.rows[0].number == 0);
    page(&mut host, chosen("type:spark dead"), |page| page.matching == 1 && page.rows[0].number == 2);
    let by_kind = JournalRequest { kinds: vec![JournalKind::Changed], count: 1, ..Default::default() };
    page(&mut host, by_kind, |page| page.matching == 2 && page.rows.len() == 1);
    let by_whom = JournalRequest { by: Some(Asker::World), ..Default::default() };
    page(&mut host, by_whom, |page| page.matching == 0);
    let fault = page(&mut host, chosen("with:postion"), |page| page.fault.is_some()).fault.unwrap();
    assert!(fault.0.contains("position"), "{fault:?}");
    host.call(Command::ForgetJournal).unwrap();
    page(&mut host, JournalRequest::default(), |page| page.kept == 0);
}

#[test]
fn the_journal_is_exported_as_comma_separated_values() {
    let mut host = host();
    host.call(Command::Record { on: true, keep: None }).unwrap();
    let target = Target { component: "position".into(), field: "x".into() };
    let (entities, value) = (vec![Ordinal(0)], FieldValue::Float(70.5));
    host.call(Command::Set { entities: entities.clone(), target, value }).unwrap();
    host.call(Command::Remove { entities }).unwrap();
    let export = |filter: &str| Command::ExportJournal { filter: filter.into(), kinds: vec![], by: None };
    let Done::Exported { name, text, rows } = host.call(export("position.x > 70")).unwrap() else { panic!() };
    assert_eq!((name.as_str(), rows), ("journal.csv", 2));
    let lines: Vec<&str> = text.split("\r\n").collect();
    assert_eq!(lines[0], "number,tick,what,entity,id,type,class,component,field,before,after,asked by");
    assert!(lines[1].starts_with("0,0,changed,#0,") && lines[1].ends_with(",position,x,1,70.5,by hand"));
    assert!(lines[2].starts_with("1,0,removed,#0,") && lines[2].ends_with(",,,,,by hand"), "{}", lines[2]);
    assert_eq!(lines[3..], [""]);
    host.call(export("with:nothing")).unwrap_err();
}

#[test]
fn commands_of_the_journal_have_a_text_of_their_own() {
    let commands = [
        (r#"{"do":"record","on":true,"keep":100}"#, Command::Record { on: true, keep: Some(100) }),
        (r#"{"do":"forget-journal"}"#, Command::ForgetJournal),
        (
            r#"{"do":"watch","entity":3,"target":{"component":"health","field":"health"},"on":true}"#,
            Command::Watch {
                entity: Ordinal(3),
                target: Target { component: "health".into(), field: "health".into() },
                on: true,
            },
        ),
        (
            r#"{"do":"export-journal","kinds":["killed"],"by":"hand"}"#,
            Command::ExportJournal {
                filter: String::new(),
                kinds: vec![JournalKind::Killed],
                by: Some(Asker::Hand),
            },
        ),
    ];
    for (text, command) in commands {
        assert_eq!(serde_json::from_str::<Command>(text).unwrap(), command);
        assert_eq!(serde_json::to_string(&command).unwrap(), text);
    }
}
