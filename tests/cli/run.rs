//! `run`, `save`, `validate`, `schedule`, `verify`: worlds without a window.

use std::fs;

use crate::harness::{Folder, PORT, port};

/// The line `tick T hash H`, taken apart.
#[track_caller]
fn tick_and_hash(line: &str) -> (u64, String) {
    let words: Vec<&str> = line.split(' ').collect();
    let ["tick", tick, "hash", hash] = words[..] else { panic!("not a hash line: {line}") };
    assert!(hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{line}");
    (tick.parse().unwrap(), hash.to_owned())
}

#[test]
fn run_prints_the_hash_of_the_last_tick() {
    let folder = port();
    let ended = folder.run(&["run", "port.json", "--ticks", "60"]).exits(0);
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(tick_and_hash(lines[0]).0, 60);
}

#[test]
fn hashes_come_every_so_many_ticks_and_once_at_the_end() {
    let folder = port();
    let ended = folder.run(&["run", "port.json", "--ticks", "25", "--hash-every", "10"]).exits(0);
    let ticks: Vec<u64> = ended.stdout.lines().map(|line| tick_and_hash(line).0).collect();
    assert_eq!(ticks, [10, 20, 25]);
    let ended = folder.run(&["run", "port.json", "--ticks", "20", "--hash-every", "10"]).exits(0);
    let ticks: Vec<u64> = ended.stdout.lines().map(|line| tick_and_hash(line).0).collect();
    assert_eq!(ticks, [10, 20]);
}

#[test]
fn no_ticks_are_the_loaded_state() {
    let folder = port();
    let ended = folder.run(&["run", "port.json", "--ticks", "0"]).exits(0);
    assert_eq!(tick_and_hash(ended.stdout.trim_end()).0, 0);
}

#[test]
fn the_hash_is_the_same_on_any_number_of_threads_and_by_the_standard_input() {
    let folder = port();
    let hash = |threads| {
        folder
            .run(&["run", "port.json", "--ticks", "9", "--threads", threads, "--hash-every", "3"])
            .exits(0)
            .stdout
    };
    let expected = hash("0");
    for threads in ["1", "2", "8"] {
        assert_eq!(hash(threads), expected, "{threads} threads");
    }
    let from_input = folder.run_with_input(PORT, &["run", "-", "--ticks", "9", "--hash-every", "3"]).exits(0);
    assert_eq!(from_input.stdout, expected);
}

#[test]
fn another_value_is_another_hash() {
    let folder = port();
    folder.write("other.json", PORT.replace("\"ore\": 9", "\"ore\": 8"));
    let hash = |name| folder.run(&["run", name, "--ticks", "1"]).exits(0).stdout;
    assert_ne!(hash("port.json"), hash("other.json"));
}

#[test]
fn a_saved_world_goes_on_as_the_one_that_was_saved() {
    let folder = port();
    let whole = folder.run(&["run", "port.json", "--ticks", "20"]).exits(0).stdout;
    for plain in [false, true] {
        let mut arguments = vec!["run", "port.json", "--ticks", "12", "--save", "half.json"];
        arguments.extend(plain.then_some("--plain"));
        let half = folder.run(&arguments).exits(0).stdout;
        let loaded = folder.run(&["run", "half.json", "--ticks", "0"]).exits(0).stdout;
        assert_eq!(loaded, half);
        let rest = folder.run(&["run", "half.json", "--ticks", "8"]).exits(0).stdout;
        assert_eq!(rest, whole);
    }
}

#[test]
fn json_is_one_document_with_all_hashes() {
    let folder = port();
    let arguments = ["run", "port.json", "--ticks", "4", "--hash-every", "2", "--format", "json"];
    let document = folder.run(&arguments).exits(0).json();
    assert_eq!((&document["tick"], &document["entities"]), (&4.into(), &3.into()));
    let text = folder.run(&arguments[..6]).exits(0).stdout;
    let last = tick_and_hash(text.lines().last().unwrap());
    assert_eq!(document["hashes"].as_array().unwrap().len(), 2);
    assert_eq!(document["hashes"][1]["hash"], last.1.as_str());
}

#[test]
fn the_step_can_be_set() {
    let folder = port();
    let arguments = ["run", "port.json", "--ticks", "10", "--dt", "2.5", "--format", "json"];
    assert_eq!(folder.run(&arguments).exits(0).json()["gameTime"], 25.0);
    folder.run(&["run", "port.json", "--ticks", "10", "--dt", "-1"]).fails(2, &["--dt", "above 0"]);
}

#[test]
fn timings_are_written_in_the_form_the_name_asks_for() {
    let folder = port();
    for (name, begin) in [("t.csv", "name,samples,"), ("t.json", "{"), ("t.trace.json", "{")] {
        folder.run(&["run", "port.json", "--ticks", "5", "--timings", name]).exits(0);
        assert!(folder.read(name).starts_with(begin), "{name}: {}", folder.read(name));
    }
    let trace: serde_json::Value = serde_json::from_str(&folder.read("t.trace.json")).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    assert_eq!(events.iter().filter(|event| event["ph"] == "X").count(), 5);
    let csv = folder.read("t.csv");
    let update = csv.lines().find(|line| line.starts_with("update,5,")).unwrap();
    assert!(update.split(',').all(|cell| !cell.is_empty()), "percentiles are measured: {update}");
}

#[test]
fn a_save_that_cannot_be_written_leaves_the_old_file_whole() {
    let folder = port();
    folder.write("old.json", "old");
    let mut permissions = fs::metadata(folder.path("old.json")).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(folder.path("old.json"), permissions).unwrap();
    folder
        .run(&["run", "port.json", "--ticks", "1", "--save", "old.json"])
        .fails(5, &["old.json", "read-only"]);
    folder.run(&["run", "port.json", "--ticks", "1", "--save", "no/new.json"]).fails(5, &["no such folder"]);
    folder.run(&["save", "port.json", "old.json"]).fails(5, &["read-only"]);
    assert_eq!(folder.read("old.json"), "old");
    assert_eq!(folder.names(), ["old.json", "port.json"]);
}

#[test]
fn save_writes_either_form_and_both_hold_the_same() {
    let folder = Folder::new();
    // Enough ships that a definition pays.
    let ships: Vec<String> = (0..50).map(|ore| format!(r#"{{ "type": "barge", "ore": {ore} }}"#)).collect();
    let (head, _) = PORT.split_once("\"entities\": [").unwrap();
    folder.write("port.json", format!("{head}\"entities\": [{}] }}", ships.join(",")));
    folder.run(&["save", "port.json", "compressed.json"]).exits(0);
    folder.run(&["save", "port.json", "plain.json", "--plain"]).exits(0);
    assert_eq!(folder.run(&["diff", "plain.json", "compressed.json"]).exits(0).stdout, "");
    let document = folder.run(&["info", "compressed.json", "--format", "json"]).exits(0).json();
    assert_eq!((&document["entities"], &document["compressed"]), (&50.into(), &50.into()));
    assert_eq!(folder.run(&["info", "plain.json", "--format", "json"]).exits(0).json()["compressed"], 0);
    let to_output = folder.run(&["save", "port.json", "-", "--plain"]).exits(0);
    assert_eq!(to_output.stdout, folder.read("plain.json"));
}

#[test]
fn saving_a_save_changes_nothing() {
    let folder = port();
    folder.run(&["save", "port.json", "one.json"]).exits(0);
    folder.run(&["save", "one.json", "two.json"]).exits(0);
    assert_eq!(folder.read("one.json"), folder.read("two.json"));
}

#[test]
fn a_damaged_list_of_definitions_is_named() {
    let folder = port();
    folder.write("definitions.json", "[{]");
    folder
        .run(&["save", "port.json", "out.json", "--definitions", "definitions.json"])
        .fails(6, &["definitions.json:1:3"]);
    assert_eq!(folder.names(), ["definitions.json", "port.json"]);
}

#[test]
fn validate_names_every_fault_of_every_file() {
    let folder = port();
    folder.write("bad.json", PORT.replace("\"type\": \"barge\"", "\"type\": \"bargo\""));
    let ended = folder.run(&["validate", "port.json", "bad.json", "no.json"]).exits(6);
    assert!(ended.stdout.contains("port.json: valid, 3 entities"), "{}", ended.stdout);
    for part in ["bad.json:7:", "entity 0", "entity 1", "barge"] {
        assert!(ended.stdout.contains(part), "no {part:?} in: {}", ended.stdout);
    }
    assert!(ended.stderr.contains("no.json"), "{}", ended.stderr);
    folder.run(&["validate", "port.json"]).exits(0);
    folder.run(&["validate", "no.json", "port.json"]).exits(5);
    let document = folder.run(&["validate", "bad.json", "--format", "json"]).exits(6).json();
    assert_eq!(document["valid"], false);
    assert_eq!(document["files"][0]["faults"][0]["line"], 7);
}

#[test]
fn validate_and_schedule_say_what_makes_results_depend_on_timing() {
    let folder = port();
    let loose = PORT.replace("\"step\": 16, \"scheduler\": \"conflict\"", "\"scheduler\": \"default\"");
    folder.write("loose.json", loose);
    let reasons = ["its scheduler is \"default\", not \"conflict\"", "it has no fixed step"];
    for command in ["validate", "schedule"] {
        let text = folder.run(&[command, "port.json"]).exits(0).stdout;
        assert!(!text.contains("depend on timing"), "{text}");
        let text = folder.run(&[command, "loose.json"]).exits(0).stdout;
        for reason in reasons {
            assert!(text.contains(&format!("note: results may depend on timing: {reason}")), "{text}");
        }
    }
    let document = folder.run(&["validate", "port.json", "loose.json", "--format", "json"]).exits(0).json();
    assert_eq!(document["files"][0]["deterministic"], true);
    assert_eq!(document["files"][1]["timingDependence"], serde_json::json!(reasons));
    let document = folder.run(&["schedule", "loose.json", "--format", "json"]).exits(0).json();
    assert_eq!(document["timingDependence"], serde_json::json!(reasons));
}

#[test]
fn a_scene_that_is_invalid_or_missing_ends_every_command_alike() {
    let folder = port();
    folder.write("bad.json", "{ \"vivarium\": 1, \"scheduler\": \"nobody\" }");
    for rest in
        [&["run", "--ticks", "1"][..], &["save", "out.json"], &["schedule"], &["verify", "--ticks", "1"]]
    {
        let (command, rest) = rest.split_first().unwrap();
        let with = |scene| [&[*command, scene], rest].concat();
        folder.run(&with("bad.json")).fails(6, &["bad.json:1:"]);
        folder.run(&with("no.json")).fails(5, &["no.json"]);
    }
    assert_eq!(folder.names(), ["bad.json", "port.json"]);
}

#[test]
fn verify_finds_no_difference_between_threads() {
    let folder = port();
    let ended = folder.run(&["verify", "port.json", "--ticks", "5", "--threads", "0,1,3"]).exits(0);
    assert!(ended.stdout.contains("equal on [0, 1, 3] threads"), "{}", ended.stdout);
    let document = folder.run(&["verify", "port.json", "--ticks", "5", "--format", "json"]).exits(0).json();
    assert_eq!((&document["equal"], &document["tick"]), (&true.into(), &5.into()));
}

#[test]
fn an_unknown_system_to_explain_is_named() {
    let folder = port();
    folder.run(&["schedule", "port.json"]).exits(0);
    folder.run(&["schedule", "port.json", "--explain", "a", "b"]).fails(2, &["no system `a`"]);
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_finishes_its_tick_and_writes_what_was_asked() {
    use std::io::{BufRead, BufReader};
    use std::process::Command;

    let folder = port();
    let run = ["run", "port.json", "--ticks", "100000000000", "--hash-every", "1000", "--save", "out.json"];
    // A shell lets what it starts in the background ignore interrupts: then the test fails, and does not hang.
    let arguments = [&run[..], &["--timeout", "60"]].concat();
    let mut child = folder.command(&arguments).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // The first line tells that it runs.
    lines.next().unwrap().unwrap();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let last = lines.map(Result::unwrap).last().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let (tick, _) = tick_and_hash(&last);
    let saved = folder.run(&["info", "out.json", "--format", "json"]).exits(0).json();
    assert_eq!(saved["tick"], tick);
}

#[cfg(unix)]
#[test]
fn a_run_whose_hashes_nobody_reads_any_more_ends() {
    use std::io::{BufRead, BufReader};

    let folder = port();
    let arguments = ["run", "port.json", "--ticks", "100000000000", "--hash-every", "100"];
    let mut child = folder.command(&arguments).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    lines.next().unwrap().unwrap();
    drop(lines);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_run_that_takes_too_long_ends_with_a_code_of_its_own() {
    let folder = port();
    let arguments = ["run", "port.json", "--ticks", "100000000000", "--timeout", "0.2"];
    let ended = folder.run(&arguments).exits(9);
    assert!(tick_and_hash(ended.stdout.trim_end()).0 > 0);
    assert!(ended.stderr.contains("--timeout"), "{}", ended.stderr);
}

#[test]
fn until_ends_the_run_when_it_holds_and_fails_if_it_never_does() {
    let folder = port();
    let holds = ["run", "port.json", "--ticks", "50", "--until", "count(cargo.ore > 6) = 2"];
    let ended = folder.run(&holds).exits(0);
    assert_eq!(tick_and_hash(ended.stdout.trim_end()).0, 1);
    let ended = folder.run(&["run", "port.json", "--ticks", "50", "--until", "count() > 3"]).exits(3);
    assert_eq!(tick_and_hash(ended.stdout.trim_end()).0, 50);
    folder.run(&["run", "port.json", "--ticks", "50", "--until", "count() >"]).fails(2, &["assertion", "^"]);
}

#[test]
fn a_script_does_the_windows_commands() {
    let folder = port();
    folder.write(
        "script.jsonl",
        concat!(
            r#"{"do":"step","steps":2}"#,
            "\n",
            r#"{"do":"set","entities":[0],"target":{"component":"cargo","field":"ore"},"value":9}"#,
            "\n\n",
            r#"{"do":"spawn","config":{"type":"barge"}}"#,
            "\n",
            r#"{"do":"hash"}"#,
            "\n"
        ),
    );
    let arguments = ["run", "port.json", "--ticks", "3", "--script", "script.jsonl", "--save", "out.json"];
    let ended = folder.run(&arguments).exits(0);
    let ticks: Vec<u64> = ended.stdout.lines().map(|line| tick_and_hash(line).0).collect();
    assert_eq!(ticks, [2, 5]);
    let arguments = ["dump", "out.json", "--fields", "cargo.ore", "--format", "json"];
    let entities = folder.run(&arguments).exits(0).json()["entities"].clone();
    let ores: Vec<_> =
        entities.as_array().unwrap().iter().map(|entity| entity["cargo.ore"].clone()).collect();
    assert_eq!(ores, [9, 7, 9, 5]);
}

#[test]
fn a_script_that_cannot_be_done_is_named_by_its_line() {
    let folder = port();
    for (script, code, part) in [
        ("{\"do\":\"hash\"}\n{\"do\":\"fly\"}", 6, "script.jsonl:2:"),
        ("\n{\"do\":\"kill\",\"entities\":[99]}", 1, "script.jsonl:2:"),
    ] {
        folder.write("script.jsonl", script);
        let ended = folder.run(&["run", "port.json", "--ticks", "0", "--script", "script.jsonl"]).exits(code);
        assert!(ended.stderr.contains(part), "{}", ended.stderr);
    }
}

#[test]
fn a_run_saves_to_a_file_and_not_among_its_hashes() {
    let folder = port();
    let ended = folder.run(&["run", "port.json", "--ticks", "1", "--save", "-"]).exits(2);
    assert!(ended.stderr.contains("--save takes a file"), "{}", ended.stderr);
}
