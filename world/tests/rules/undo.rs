//! Edits through a host, and the commands that take them back.

use crate::common::{Calls, catalog, config, scene};
use std::time::{Duration, Instant};
use vivarium_world::{
    Command, Done, FieldValue, Host, HostEvent, HostHandle, HostOptions, Operator, Ordinal, Restored, Run,
    SystemDef, Target,
};

const SCENE: &str = r#""step": 16, "templates": { "guard": { "health": 9, "x": 1 } },
    "systems": [ { "system": "march" } ],
    "entities": [ { "type": "guard", "x": 2, "vx": 0.5 }, { "type": "guard", "target": 0, "lacks": ["health"] },
                  { "x": 7, "frozen": true, "target": 3 }, { "type": "guard", "isStatic": true, "target": 2 } ]"#;

pub(crate) fn host(keys: &str) -> HostHandle {
    let catalog = catalog(&Calls::default()).system(|| {
        SystemDef::each::<(&mut crate::common::Place,), _>("march", |(place,), run: &mut Run| {
            place.x += run.param("pace");
        })
        .param(
            vivarium_world::Field::new("pace", vivarium_world::Scalar::F64, 0)
                .default_value(FieldValue::Float(1.0)),
        )
    });
    let mut host = Host::spawn(&catalog, HostOptions { threads: 1, on_publish: None }).unwrap();
    let load =
        Command::Load { source: "test.json".into(), text: scene(keys), seed: None, keep_running: false };
    host.call(load).unwrap();
    host
}

/// Does a command; gives what came of it and what takes it back.
pub(crate) fn edit(host: &mut HostHandle, command: Command) -> Result<(Done, Option<Command>), String> {
    let (number, start) = (host.send(command), Instant::now());
    loop {
        match host.try_event() {
            Some(HostEvent::Reply(reply)) if reply.command == number => {
                return reply.result.map(|done| (done, reply.undo));
            }
            Some(_) => {}
            None => std::thread::sleep(Duration::from_millis(1)),
        }
        assert!(start.elapsed() < Duration::from_secs(20), "no reply");
    }
}

fn hash(host: &mut HostHandle) -> u64 {
    let Ok(Done::Hash { hash, .. }) = host.call(Command::Hash) else { panic!("no hash") };
    hash
}

fn target(component: &str, field: &str) -> Target {
    Target { component: component.into(), field: field.into() }
}

fn ordinals(numbers: &[u64]) -> Vec<Ordinal> {
    numbers.iter().map(|&n| Ordinal(n)).collect()
}

fn edits() -> Vec<Command> {
    let x = || target("place", "x");
    let [set, change] = [
        Command::Set { entities: ordinals(&[0, 2, 3]), target: x(), value: FieldValue::Float(40.0) },
        Command::Change {
            entities: ordinals(&[0, 1, 2]),
            target: x(),
            operator: Operator::Multiply,
            operand: 1.5,
        },
    ];
    let system = vivarium_world::SystemId(0);
    vec![
        set.clone(),
        change.clone(),
        Command::SetEach {
            target: x(),
            values: vec![(Ordinal(0), FieldValue::Float(-1.0)), (Ordinal(3), FieldValue::Float(-2.0))],
        },
        Command::Kill { entities: ordinals(&[1]) },
        Command::Remove { entities: ordinals(&[1, 3]) },
        Command::Spawn { config: [("x".to_owned(), 5.into())].into() },
        Command::Duplicate { entity: Ordinal(2) },
        Command::Add { entity: Ordinal(0), component: "link".into() },
        Command::Add { entity: Ordinal(0), component: "health".into() },
        Command::Drop { entity: Ordinal(2), component: "link".into() },
        Command::Drop { entity: Ordinal(2), component: "frozen".into() },
        Command::All { commands: vec![set, Command::Kill { entities: ordinals(&[1]) }, change] },
        Command::Enable { system, on: false },
        Command::Period { system, milliseconds: 48.0 },
        Command::Param { system, name: "pace".into(), value: FieldValue::Float(3.0) },
    ]
}

#[test]
fn what_an_edit_changed_is_taken_back_and_done_again() {
    for command in edits() {
        let mut host = host(SCENE);
        host.set_view(vivarium_world::inspect::ViewRequest { systems: true, ..Default::default() });
        let before = hash(&mut host);
        // Whom the third points to goes for good where that one is removed: nobody else is asked about.
        let points_to_removed =
            matches!(&command, Command::Remove { entities } if entities.contains(&Ordinal(3)));
        let (_, undo) = edit(&mut host, command.clone()).unwrap();
        let after = hash(&mut host);
        let (_, again) = edit(&mut host, undo.expect("what takes it back")).unwrap();
        if !points_to_removed {
            assert_eq!(hash(&mut host), before, "{command:?}");
        }
        edit(&mut host, again.expect("what does it again")).unwrap();
        assert_eq!(hash(&mut host), after, "{command:?}");
    }
}

#[test]
fn removed_entities_come_back_under_their_numbers_with_their_references() {
    let mut host = host(SCENE);
    let removed = ordinals(&[1, 2, 3]);
    let (done, undo) = edit(&mut host, Command::Remove { entities: removed.clone() }).unwrap();
    assert_eq!(done, Done::Count(3));
    edit(&mut host, Command::Spawn { config: [("x".to_owned(), 1.into())].into() }).unwrap();
    assert_eq!(edit(&mut host, undo.clone().unwrap()).unwrap().0, Done::Created(removed));
    let Ok(Done::Saved { text, .. }) = host.call(Command::Save { form: vivarium_world::SaveForm::Plain })
    else {
        panic!("no save")
    };
    let entities = &text[text.find("\"entities\"").unwrap()..];
    for line in [
        r#"{"type":"guard","x":2,"vx":0.5}"#,
        r#"{"type":"guard","x":1,"target":0,"lacks":["health"]}"#,
        r#"{"x":7,"frozen":true,"target":3}"#,
        r#"{"type":"guard","target":2,"isStatic":true}"#,
    ] {
        assert!(entities.contains(line), "{line} in {entities}");
    }
    let message = edit(&mut host, undo.unwrap()).unwrap_err();
    assert!(message.contains("#1 is in use"), "{message}");
}

#[test]
fn several_edits_are_done_all_or_none() {
    let mut host = host(SCENE);
    let before = hash(&mut host);
    let mut commands = edits();
    commands.push(Command::Set {
        entities: ordinals(&[0]),
        target: target("place", "y"),
        value: FieldValue::Float(1.0),
    });
    // Entities others point to stay, and nobody is killed twice.
    commands.retain(|command| !matches!(command, Command::Remove { .. } | Command::All { .. }));
    let message = edit(&mut host, Command::All { commands }).unwrap_err();
    assert!(message.contains("has no field \"y\""), "{message}");
    assert_eq!(hash(&mut host), before);
    let values = vec![(Ordinal(0), FieldValue::Float(5.0)), (Ordinal(2), FieldValue::Text("five".into()))];
    assert!(edit(&mut host, Command::SetEach { target: target("place", "x"), values }).is_err());
    assert_eq!(hash(&mut host), before);
    for command in [Command::Run, Command::Hash, Command::Save { form: vivarium_world::SaveForm::Plain }] {
        let message = edit(&mut host, Command::All { commands: vec![command] }).unwrap_err();
        assert!(message.contains("only edits"), "{message}");
    }
}

#[test]
fn a_change_that_gives_no_number_changes_nobody() {
    let mut host = host(SCENE);
    let before = hash(&mut host);
    let change = |target, operator, operand| Command::Change {
        entities: ordinals(&[0, 1, 2]),
        target,
        operator,
        operand,
    };
    let message = edit(&mut host, change(target("place", "x"), Operator::Divide, 0.0)).unwrap_err();
    assert!(message.contains("no finite number"), "{message}");
    let message = edit(&mut host, change(target("link", "target"), Operator::Add, 1.0)).unwrap_err();
    assert!(message.contains("holds no number"), "{message}");
    assert_eq!(hash(&mut host), before);
}

#[test]
fn a_reference_read_from_a_line_of_json_is_a_creation_number() {
    let mut host = host(SCENE);
    let value = FieldValue::Entity(Some(Ordinal(0)));
    let set = Command::Set { entities: ordinals(&[2]), target: target("link", "target"), value };
    let line = serde_json::to_string(&set).unwrap();
    let before = hash(&mut host);
    edit(&mut host, serde_json::from_str(&line).unwrap()).unwrap();
    let read = hash(&mut host);
    assert_ne!(read, before);
    edit(&mut host, set).unwrap();
    assert_eq!(hash(&mut host), read);
}

#[test]
fn every_edit_survives_its_line_of_json() {
    let mut commands = edits();
    commands.extend([
        Command::Restore {
            entities: vec![Restored {
                entity: Ordinal(3),
                config: config(r#"{"type":"guard","x":1.5,"list":[1,{"entity":2}]}"#),
            }],
        },
        Command::Template {
            name: "guard".into(),
            set: config(r##"{"x":1.5,"colour":"#ff8000"}"##),
            remove: vec!["health".into()],
        },
        Command::Promote { entity: Ordinal(1), keys: vec!["x".into()] },
        Command::FileSays { name: "guard".into(), config: config(r#"{"x":1.5}"#) },
    ]);
    for command in commands {
        let line = serde_json::to_string(&command).unwrap();
        assert_eq!(serde_json::from_str::<Command>(&line).unwrap(), command, "{line}");
    }
}
