//! Saves that earlier builds wrote are loaded by this one, exactly.
//!
//! The files of `assets/saves` are never written again. A build that cannot read one of them, or makes something else of
//! it, breaks what users have on their disks.

use std::fs;
use std::path::PathBuf;
use vivarium_samples::catalog;
use vivarium_world::{LoadOptions, World, WorldOptions};

/// A file, how many entities it has, its tick, and the hash of the state as loaded.
const SAVES: &[(&str, usize, u64, u64)] = &[];

#[test]
fn saves_of_earlier_builds_are_loaded_exactly() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../assets/saves");
    for &(file, entities, tick, hash) in SAVES {
        let text = fs::read_to_string(folder.join(file)).unwrap();
        for threads in [0, 2] {
            let options = WorldOptions { threads, ..WorldOptions::default() };
            let mut world = World::new(&catalog(), options).unwrap();
            let report = world.load(file, &text, &LoadOptions::default()).unwrap();
            assert_eq!(report.notes, [] as [&str; 0], "{file}");
            assert_eq!((world.len(), world.clocks().tick), (entities, tick), "{file}");
            assert_eq!(world.state_hash(), hash, "{file}");
        }
    }
}

#[test]
fn a_save_of_an_earlier_build_is_loaded_whatever_became_of_its_definitions() {
    // A property is dropped from a definition: the entities that had it lose their last field.
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../assets/saves");
    let text = fs::read_to_string(folder.join("crowd-compressed.json")).unwrap();
    let load = |text: &str| {
        let mut world = World::new(&catalog(), WorldOptions::default()).unwrap();
        world.load("crowd.json", text, &LoadOptions::default()).map(|_| world.state_hash())
    };
    let whole = load(&text).unwrap();
    // Nobody reads the new property, and the strings end before its field.
    let appended = text.replacen("}]}", "},{\"name\":\"mood\",\"type\":\"uint\"}]}", 1);
    assert_ne!(appended, text);
    assert_eq!(load(&appended).unwrap(), whole);
    // A definition that lost a property no longer fits its strings, which is said, not guessed at.
    let start = text.find("{\"name\":\"").unwrap();
    let end = start + text[start..].find("},{").unwrap() + 2;
    let dropped = format!("{}{}", &text[..start], &text[end..]);
    assert!(
        load(&dropped).unwrap_err().to_string().contains("the string"),
        "strings go on behind the last property"
    );
}
