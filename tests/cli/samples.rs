//! Every sample, through every command that takes one.

use crate::harness::Folder;

const SAMPLES: [&str; 3] = ["bouncing", "crowd", "harbor"];

#[test]
fn the_list_has_a_line_a_sample_with_its_name_first() {
    let folder = Folder::new();
    let text = folder.run(&["samples"]).exits(0).stdout;
    let names: Vec<&str> = text.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names, SAMPLES);
    let document = folder.run(&["samples", "--format", "json"]).exits(0).json();
    assert_eq!(document["samples"].as_array().unwrap().len(), SAMPLES.len());
}

#[test]
fn every_sample_is_valid_and_has_nothing_to_be_noted() {
    let folder = Folder::new();
    let document = folder.run(&[&["validate", "--format", "json"][..], &SAMPLES].concat()).exits(0).json();
    for file in document["files"].as_array().unwrap() {
        assert_eq!(file["notes"].as_array().unwrap().len(), 0, "{file}");
        assert_eq!(file["deterministic"], file["file"] != "harbor", "{file}");
    }
}

#[test]
fn every_sample_gives_the_same_states_on_any_number_of_threads() {
    let folder = Folder::new();
    for (sample, ticks) in [("bouncing", "100"), ("crowd", "2"), ("harbor", "100")] {
        let ended = folder.run(&["verify", sample, "--ticks", ticks]).exits(0);
        assert!(ended.stdout.contains("equal on [0, 1, 2, 8] threads"), "{}", ended.stdout);
    }
}

#[test]
fn every_sample_goes_on_from_a_save_as_if_it_had_not_stopped() {
    let folder = Folder::new();
    for sample in ["bouncing", "harbor"] {
        let run = |scene, ticks, more: &[&str]| {
            let arguments = [&["run", scene, "--ticks", ticks], more].concat();
            folder.run(&arguments).exits(0).stdout
        };
        let whole = run(sample, "90", &[]);
        run(sample, "60", &["--save", "half.json"]);
        let rest = run("half.json", "30", &[]);
        assert_eq!(rest, whole, "{sample}");
    }
}

#[test]
fn a_seed_decides_what_chance_does() {
    let folder = Folder::new();
    let hash = |seed| folder.run(&["run", "bouncing", "--ticks", "200", "--seed", seed]).exits(0).stdout;
    assert_eq!(hash("1"), hash("1"));
    assert_ne!(hash("1"), hash("2"));
}

#[test]
fn a_schedule_is_told_as_text_graph_and_document() {
    let folder = Folder::new();
    let text = folder.run(&["schedule", "harbor"]).exits(0).stdout;
    assert!(text.starts_with("1: tide\n2: sail\n"), "{text}");
    assert!(text.contains("`tide` and `sail` do not run as one: "), "{text}");
    let dot = folder.run(&["schedule", "harbor", "--format", "dot"]).exits(0).stdout;
    assert!(dot.starts_with("digraph") && dot.contains("tide"), "{dot}");
    let document = folder.run(&["schedule", "harbor", "--format", "json"]).exits(0).json();
    assert_eq!(document["schedule"]["batches"][1][0], "sail");
    assert_eq!(document["schedule"]["neighbours"][0]["joined"], false);
    let sentence = folder.run(&["schedule", "harbor", "--explain", "sail", "tide"]).exits(0).stdout;
    assert!(sentence.contains("`sail` waits for `tide`"), "{sentence}");
    folder.run(&["schedule", "harbor", "--explain", "sale", "tide"]).fails(2, &["sail"]);
    let twice = r#"{ "vivarium": 1, "systems": [{ "system": "spin" }, { "system": "spin" }] }"#;
    folder.write("twice.json", twice);
    let sentence = folder.run(&["schedule", "twice.json", "--explain", "spin #1", "spin"]).exits(0).stdout;
    assert!(sentence.starts_with("`spin #1` waits for `spin #0`"), "{sentence}");
}

#[test]
fn what_differs_between_two_moments_is_named() {
    let folder = Folder::new();
    for (ticks, name) in [("10", "early.json"), ("60", "late.json")] {
        folder.run(&["run", "harbor", "--ticks", ticks, "--save", name]).exits(0);
    }
    let text = folder.run(&["diff", "early.json", "late.json"]).exits(7).stdout;
    assert!(text.lines().any(|line| line == "tick: 10 -> 60"), "{text}");
    assert!(text.contains("entities["), "{text}");
}
