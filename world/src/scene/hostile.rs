//! Damaged and hostile texts give faults: no panic, no endless reading, no place outside the text.

use super::samples::HARBOR;
use super::{Document, EntitySource, Faults};
use crate::config::Value;
use proptest::prelude::*;

/// Reads all there is to read and gives all that is wrong.
fn read(text: &str) -> Faults {
    let document = match Document::parse("s.json", text) {
        Ok(document) => document,
        Err(faults) => return faults,
    };
    let mut faults = Faults::new();
    let definitions = document.read_definitions().unwrap_or_else(|found| {
        faults.append(found);
        Default::default()
    });
    for index in 0..document.entity_count() {
        if let Err(found) = document.entity_config(index, &definitions) {
            faults.append(found);
        }
        faults.push_with(|| document.fault_at_entity(index, Some("x"), "for its place"));
    }
    for system in 0..=document.header().systems.len() {
        faults.push_with(|| document.fault_at_param(system, "damping", "for its place"));
    }
    faults
}

/// Checks what must hold for the faults of any text.
fn check(text: &str) {
    for fault in &read(text) {
        let position = fault.position.expect("faults of a text have a place in it");
        assert!(text.is_char_boundary(position.offset), "{fault}");
        assert_eq!(position, super::Position::of(text, position.offset));
        assert!(!fault.to_string().contains(" at line "), "{fault}");
    }
}

#[test]
fn a_scene_cut_off_anywhere_is_a_fault() {
    for end in (0..HARBOR.len()).filter(|&end| HARBOR.is_char_boundary(end)) {
        let faults = Document::parse("s.json", &HARBOR[..end]).expect_err("a fault");
        let position = faults.iter().next().and_then(|fault| fault.position);
        assert!(position.is_some_and(|position| position.offset <= end), "{end}: {faults}");
    }
}

#[test]
fn a_scene_without_any_one_byte_is_read_or_a_fault() {
    for at in 0..HARBOR.len() {
        let mut bytes = HARBOR.as_bytes().to_vec();
        bytes.remove(at);
        check(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn every_flipped_bit_is_read_or_a_fault() {
    for at in 0..HARBOR.len() {
        for bit in 0..8 {
            let mut bytes = HARBOR.as_bytes().to_vec();
            bytes[at] ^= 1 << bit;
            check(&String::from_utf8_lossy(&bytes));
        }
    }
}

/// What an edit puts into a text: what JSON is made of, and what it must not hold.
const PIECES: [&str; 24] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\\u12",
    "\\ud800",
    "null",
    "true",
    "-",
    "1e999",
    "-0",
    "0.1",
    "18446744073709551616",
    "\n",
    "\u{0}",
    "ä€😀",
    "\"x\":1,",
    "\"entities\":[],",
    "{\"a\":",
    "[[[[[[[[",
];

proptest! {
    #[test]
    fn an_edited_scene_is_read_or_a_fault(
        edits in proptest::collection::vec((0..HARBOR.len(), 0..40_usize, 0..PIECES.len()), 1..6),
    ) {
        let mut text = HARBOR.to_owned();
        for (at, removed, piece) in edits {
            let boundary = |mut at: usize, text: &str| {
                at = at.min(text.len());
                while !text.is_char_boundary(at) {
                    at -= 1;
                }
                at
            };
            let start = boundary(at, &text);
            let end = boundary(start + removed % 8, &text).max(start);
            text.replace_range(start..end, PIECES[piece]);
        }
        check(&text);
    }
}

#[test]
fn an_empty_text_of_any_length_is_a_fault() {
    let spaces = " \n".repeat(16 << 20);
    let faults = Document::parse("s.json", &spaces).expect_err("a fault");
    assert!(faults.to_string().contains("the text is empty"), "{faults}");
}

#[test]
fn values_may_nest_127_levels() {
    let nested = |levels: usize| {
        let lists = format!("{}{}", "[".repeat(levels - 1), "]".repeat(levels - 1));
        format!(
            "{{\"vivarium\": 1, \"entities\": [{{\"a\": {lists}}}], \"templates\": {{\"t\": {{\"a\": {lists}}}}}}}"
        )
    };
    let text = nested(127);
    let document = Document::parse("s.json", &text).unwrap();
    let Ok(EntitySource::Object(config)) = document.entity(0) else { panic!("an object") };
    assert!(matches!(config.get("a"), Some(Value::List(_))));
    for levels in [128, 129, 100_000] {
        let text = nested(levels);
        let faults = Document::parse("s.json", &text).expect_err("a fault");
        for part in ["entity 0", "template \"t\""] {
            let fault = format!("{part}: key \"a\": nested too deeply");
            assert!(faults.to_string().contains(&fault), "{faults}");
        }
    }
}

#[test]
fn a_text_of_only_opening_brackets_is_a_fault() {
    for open in ["[", "{\"a\":", "{\"entities\":["] {
        assert!(!read(&open.repeat(1 << 20)).is_empty(), "{open}");
    }
}

#[test]
fn an_entity_of_very_many_keys_is_read_and_its_repeated_keys_found() {
    let keys: String = (0..200_000).map(|key| format!("\"k{key}\": 0, ")).collect();
    let text = format!("{{\"vivarium\": 1, \"entities\": [{{{keys} \"last\": 1}}, {{{keys} \"k0\": 1}}]}}");
    let document = Document::parse("s.json", &text).unwrap();
    let Ok(EntitySource::Object(config)) = document.entity(0) else { panic!("an object") };
    assert_eq!(config.len(), 200_001);
    let faults = document.entity(1).expect_err("a fault");
    assert!(faults.to_string().ends_with("entity 1: key \"k0\": stands twice; keep one of them"), "{faults}");
}

#[test]
fn of_very_many_faults_the_first_are_listed() {
    let text = format!("{{\"vivarium\": 1, \"entities\": [0{}]}}", ", 0".repeat(300_000));
    let faults = Document::parse("s.json", &text).expect_err("a fault");
    assert_eq!((faults.len(), faults.iter().count()), (300_001, Faults::KEPT));
    assert!(faults.to_string().ends_with("and 299901 more"));
}
