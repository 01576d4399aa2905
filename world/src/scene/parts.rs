//! Reading the parts of a scene beside its entities.

use super::components::read_components;
use super::header::{
    SceneClass, SceneHeader, ScenePass, SceneSystem, SceneTemplate, SchedulerKind, SystemOrder,
};
use super::json::Member;
use super::nearest::suggestion;
use super::reader::{Entry, Object, Reader};
use crate::random::{MAX_SEED, StreamState};
use std::collections::HashSet;

/// What is counted goes on from here without ever reaching the end of 64 bits.
const MOST_COUNTED: u64 = 1 << 53;

/// Reads everything but version, entities and their definitions from the keys of a scene.
pub(super) fn read_header<'a>(reader: &mut Reader<'a>, scene: &mut Object<'a>) -> SceneHeader {
    let mut header = SceneHeader::default();
    if let Some(name) = scene.take("name").and_then(|entry| reader.text(&entry)) {
        header.name = name;
    }
    if let Some(about) = scene.take("about").and_then(|entry| reader.text(&entry)) {
        header.about = about;
    }
    header.random = scene.take("random").and_then(|entry| read_random(reader, &entry));
    if let Some(kind) = scene.take("scheduler").and_then(|entry| read_scheduler(reader, &entry)) {
        header.scheduler = kind;
    }
    if let Some(order) = scene.take("order").and_then(|entry| read_order(reader, &entry)) {
        header.order = order;
    }
    header.step = scene
        .take("step")
        .and_then(|entry| reader.number(&entry, "a number of milliseconds above 0", |step| step > 0.0));
    if let Some(entry) = scene.take("components") {
        header.components = read_components(reader, &entry);
    }
    if let Some(entry) = scene.take("classes") {
        header.classes = read_classes(reader, &entry);
    }
    if let Some(entry) = scene.take("templates") {
        header.templates = read_templates(reader, &entry);
    }
    if let Some(entry) = scene.take("systems") {
        header.systems = read_systems(reader, &entry);
    }
    header.bounds = scene.take("bounds").and_then(|entry| read_bounds(reader, &entry));
    header.game_time = read_duration(reader, scene, "gameTime").unwrap_or(0.0);
    header.player_time = read_duration(reader, scene, "playerTime").unwrap_or(0.0);
    header.accumulated = read_duration(reader, scene, "accumulated").unwrap_or(0.0);
    if let Some(entry) = scene.take("timeScale") {
        header.time_scale = reader.number(&entry, "a number of 0 or more", |n| n >= 0.0).unwrap_or(1.0);
    }
    if let Some(tick) = scene.take("tick").and_then(|entry| reader.integer(&entry, 0, MOST_COUNTED)) {
        header.tick = tick;
    }
    if let Some(entry) = scene.take("world") {
        header.world = reader.config(&entry);
    }
    header
}

fn read_duration<'a>(reader: &mut Reader<'a>, object: &mut Object<'a>, key: &'static str) -> Option<f64> {
    let entry = object.take(key)?;
    reader.number(&entry, "a number of milliseconds, 0 or more", |n| n >= 0.0)
}

fn read_random<'a>(reader: &mut Reader<'a>, entry: &Entry<'a>) -> Option<StreamState> {
    let mut object = reader.object(entry, Some("random".into()), r#"an object like {"seed": 1234}"#)?;
    let seed = object.take("seed");
    let position = object.take("position").and_then(|entry| reader.integer(&entry, 0, u64::MAX));
    if seed.is_none() {
        reader.object_fault(&object, r#"the key "seed" is missing; leave "random" out for a fresh seed"#);
    }
    reader.unknown_keys(&object);
    let seed = reader.integer(&seed?, 0, MAX_SEED)?;
    Some(StreamState { seed, position: position.unwrap_or(0) })
}

fn read_scheduler<'a>(reader: &mut Reader<'a>, entry: &Entry<'a>) -> Option<SchedulerKind> {
    Some(SchedulerKind::named(&reader.text(entry)?))
}

fn read_order<'a>(reader: &mut Reader<'a>, entry: &Entry<'a>) -> Option<SystemOrder> {
    let name = reader.text(entry)?;
    let order = SystemOrder::ALL.into_iter().find(|order| order.name() == name);
    if order.is_none() {
        let known = suggestion(&name, SystemOrder::ALL.map(SystemOrder::name));
        reader.fault(entry, format!("there is no order {name:?} of systems{known}"));
    }
    order
}

/// The members of the object at `entry`, each as the part of the file it is: `template "oak"`.
pub(super) fn named_parts<'a>(
    reader: &mut Reader<'a>,
    entry: &Entry<'a>,
    what: &str,
) -> Vec<(String, Entry<'a>)> {
    let wanted = format!("an object with a key for each {what}");
    let mut parts = Vec::new();
    for Member { key, value, .. } in reader.members(entry, &wanted) {
        let part = Entry { part: Some(format!("{what} {key:?}")), key: None, value: value.get() };
        if key.is_empty() {
            reader.fault(&part, format!("its name is empty; a {what} has a name of one character or more"));
        }
        parts.push((key.into_owned(), part));
    }
    parts
}

/// The texts in the list at `entry`; one that stands twice is reported.
pub(super) fn read_names<'a>(reader: &mut Reader<'a>, entry: &Entry<'a>, wanted: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut seen = HashSet::new();
    for element in reader.elements(entry, wanted) {
        let element = Entry { value: element.get(), ..entry.clone() };
        let Some(name) = reader.nonempty_text(&element) else { continue };
        if seen.insert(name.clone()) {
            names.push(name);
        } else {
            reader.fault(&element, format!("{name:?} stands twice; keep one of them"));
        }
    }
    names
}

fn read_classes<'a>(reader: &mut Reader<'a>, entry: &Entry<'a>) -> Vec<SceneClass> {
    let mut classes = Vec::new();
    for (name, entry) in named_parts(reader, entry, "class") {
        let components = read_names(reader, &entry, "a list of component names");
        classes.push(SceneClass { name, components });
    }
    classes
}

fn read_templates<'a>(reader: &mut Reader<'a>, entry: &Entry<'a>) -> Vec<SceneTemplate> {
    let mut templates = Vec::new();
    for (name, entry) in named_parts(reader, entry, "template") {
        let config = reader.config(&entry);
        templates.push(SceneTemplate { name, config });
    }
    templates
}

fn read_systems<'a>(reader: &mut Reader<'a>, entry: &Entry<'a>) -> Vec<SceneSystem> {
    let mut systems = Vec::new();
    for (index, value) in reader.elements(entry, "a list of systems").into_iter().enumerate() {
        let entry = Entry { part: None, key: None, value: value.get() };
        systems.extend(read_system(reader, &entry, index));
    }
    systems
}

/// The part of a file a system is.
pub(super) fn system_part(index: usize, name: Option<&str>) -> String {
    match name {
        Some(name) => format!("system {index} ({name:?})"),
        None => format!("system {index}"),
    }
}

fn read_system<'a>(reader: &mut Reader<'a>, entry: &Entry<'a>, index: usize) -> Option<SceneSystem> {
    let wanted = r#"an object like {"system": "movement"}"#;
    let mut object = reader.object(entry, Some(system_part(index, None)), wanted)?;
    let mut system = SceneSystem::default();
    match object.take("system") {
        Some(entry) => system.system = reader.nonempty_text(&entry).unwrap_or_default(),
        None => {
            reader.object_fault(&object, r#"the key "system" is missing; it names a system of the catalog"#)
        }
    }
    if !system.system.is_empty() {
        object.part = Some(system_part(index, Some(&system.system)));
    }
    system.name = object.take("name").and_then(|entry| reader.nonempty_text(&entry));
    system.every = read_duration(reader, &mut object, "every");
    system.batch = object.take("batch").and_then(|entry| reader.integer(&entry, 1, u64::MAX));
    if let Some(entry) = object.take("params") {
        system.params = reader.config(&entry);
    }
    if let Some(enabled) = object.take("enabled").and_then(|entry| reader.boolean(&entry)) {
        system.disabled = !enabled;
    }
    if let Some(runs) = object.take("runs").and_then(|entry| reader.integer(&entry, 0, MOST_COUNTED)) {
        system.runs = runs;
    }
    system.accumulated = read_duration(reader, &mut object, "accumulated").unwrap_or(0.0);
    if let Some(entry) = object.take("unseen") {
        for element in reader.elements(&entry, "a list of texts") {
            let element = Entry { value: element.get(), ..entry.clone() };
            let is_none = element.value == "null";
            system.unseen.push(if is_none { None } else { reader.text(&element) });
        }
    }
    system.observed = object.take("observed").and_then(|entry| reader.boolean(&entry));
    system.pass = object.take("pass").and_then(|entry| read_pass(reader, &entry));
    system.in_flight = object.take("inFlight").map(|entry| reader.config(&entry));
    reader.unknown_keys(&object);
    Some(system)
}

fn read_pass<'a>(reader: &mut Reader<'a>, entry: &Entry<'a>) -> Option<ScenePass> {
    let wanted = r#"an object like {"left": [0, 5], "delta": 16}"#;
    let mut object = reader.object(entry, entry.part.clone(), wanted)?;
    let mut pass = ScenePass::default();
    let mut numbers = Vec::new();
    if let Some(entry) = object.take("left") {
        for element in reader.elements(&entry, "a list of places and counts") {
            let element = Entry { value: element.get(), ..entry.clone() };
            numbers.push(reader.integer(&element, 0, MOST_COUNTED).unwrap_or(0));
        }
        if numbers.len() % 2 == 1 {
            reader.fault(&entry, "expected a count after each place, found a place without one");
        }
    }
    pass.left = numbers.as_chunks::<2>().0.to_vec();
    let mut count = |reader: &mut Reader<'a>, key| {
        object.take(key).and_then(|entry| reader.integer(&entry, 0, MOST_COUNTED)).unwrap_or(0)
    };
    pass.batches = count(reader, "batches");
    pass.tick = count(reader, "tick");
    pass.number = count(reader, "number");
    pass.delta = read_duration(reader, &mut object, "delta").unwrap_or(0.0);
    pass.game_time = read_duration(reader, &mut object, "gameTime").unwrap_or(0.0);
    reader.unknown_keys(&object);
    Some(pass)
}

fn read_bounds<'a>(reader: &mut Reader<'a>, entry: &Entry<'a>) -> Option<[f64; 4]> {
    let wanted = "a list of left, top, right and bottom";
    let bounds @ [left, top, right, bottom] = reader.numbers(entry, wanted)?;
    if left >= right || top >= bottom {
        reader.fault(entry, "left must be less than right, and top less than bottom");
        return None;
    }
    Some(bounds)
}
