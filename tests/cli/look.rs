//! `dump`, `assert`, `memory`, `screenshot`: looking into a world from outside.

use std::fs;

use crate::harness::{PORT, port};

#[test]
fn dump_lists_entities_in_every_form() {
    let folder = port();
    let table = folder.run(&["dump", "port.json", "--fields", "cargo.ore"]).exits(0).stdout;
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["number", "id", "type", "class", "cargo.ore"]);
    let ores: Vec<&str> = rows[1..].iter().map(|row| row[4]).collect();
    assert_eq!(ores, ["5", "7", "9"]);
    let csv = folder.run(&["dump", "port.json", "--fields", "cargo", "--format", "csv"]).exits(0).stdout;
    assert!(csv.starts_with("number,id,type,class,cargo.ore,cargo.weight\r\n"), "{csv}");
    let lines = folder.run(&["dump", "port.json", "--format", "jsonl"]).exits(0).stdout;
    for line in lines.lines() {
        let entity: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!((&entity["class"], &entity["components"]), (&"ship".into(), &"cargo".into()));
    }
    let document =
        folder.run(&["dump", "port.json", "--fields", "cargo", "--format", "json"]).exits(0).json();
    assert_eq!(document["entities"][2]["cargo.ore"], 9);
    assert_eq!(document["entities"][0]["cargo.weight"], 1.5);
    assert_eq!(document["entities"][2]["cargo.weight"], 0.1);
}

#[test]
fn dump_shows_what_matches_and_says_so_if_nothing_does() {
    let folder = port();
    let found = folder.run(&["dump", "port.json", "--query", "cargo.ore > 6", "--format", "jsonl"]).exits(0);
    assert_eq!(found.stdout.lines().count(), 2);
    let none = folder.run(&["dump", "port.json", "--query", "cargo.ore > 60", "--format", "jsonl"]).exits(4);
    assert_eq!(none.stdout, "");
}

#[test]
fn what_is_wrong_with_a_question_is_said_with_a_suggestion() {
    let folder = port();
    folder.run(&["dump", "port.json", "--query", "cargo.oar > 6"]).fails(2, &["ore", "^^^"]);
    folder.run(&["dump", "port.json", "--fields", "cargoo"]).fails(2, &["no component `cargoo`", "cargo"]);
    folder.run(&["dump", "port.json", "--fields", "cargo.oar"]).fails(2, &["no field `oar`", "ore"]);
    folder.run(&["assert", "port.json", "-e", "count(class:shp) > 1"]).fails(2, &["assertion", "ship"]);
    folder.run(&["assert", "port.json"]).fails(2, &["--expression"]);
}

#[test]
fn assertions_that_hold_are_done_and_others_name_the_offenders() {
    let folder = port();
    let ended = folder.run(&["assert", "port.json", "--ticks", "3", "-e", "count(class:ship) = 3"]).exits(0);
    assert!(ended.stdout.starts_with("holds: count(class:ship) = 3\n"), "{}", ended.stdout);
    let arguments = [
        "assert",
        "port.json",
        "-e",
        "count() > 1",
        "-e",
        "all(class:ship : cargo.ore < 9)",
        "--format",
        "json",
    ];
    let document = folder.run(&arguments).exits(3).json();
    assert_eq!(document["holds"], false);
    assert_eq!(document["assertions"][0]["holds"], true);
    assert_eq!(document["assertions"][1]["offending"], 1);
    let text = folder.run(&arguments[..6]).exits(3).stdout;
    assert!(
        text.contains("FAILS: all(class:ship : cargo.ore < 9)") && text.contains("offenders: #"),
        "{text}"
    );
}

#[cfg(unix)]
#[test]
fn the_command_that_shows_offenders_shows_them() {
    let folder = port();
    let text = folder.run(&["assert", "port.json", "-e", "none(cargo.ore > 6)"]).exits(3).stdout;
    let command =
        text.lines().find_map(|line| line.trim().strip_prefix("show them: vivarium ")).expect(&text);
    let line = format!("'{}' {command} --format jsonl", env!("CARGO_BIN_EXE_vivarium"));
    let shell =
        std::process::Command::new("sh").args(["-c", &line]).current_dir(folder.path("")).output().unwrap();
    assert_eq!(String::from_utf8(shell.stdout).unwrap().lines().count(), 2, "{line}");
}

#[test]
fn memory_has_a_line_a_pool() {
    let folder = port();
    let text = folder.run(&["memory", "port.json", "--ticks", "2"]).exits(0).stdout;
    assert!(text.lines().any(|line| line.split_whitespace().take(2).eq(["cargo", "3"])), "{text}");
    let document = folder.run(&["memory", "port.json", "--format", "json"]).exits(0).json();
    let pools = document["pools"].as_array().unwrap();
    let cargo = pools.iter().find(|pool| pool["component"] == "cargo").unwrap();
    assert_eq!(cargo["live"], 3);
    assert_eq!(document["entities"], 3);
    folder.run(&["memory", "port.json", "--dt", "5"]).fails(2, &["--dt"]);
}

#[test]
fn a_screenshot_is_a_picture_of_the_size_asked_for() {
    let folder = port();
    let arguments = ["screenshot", "port.json", "--ticks", "2", "--size", "640x400", "-o", "shot.png"];
    folder.run(&arguments).exits(0);
    let png = fs::read(folder.path("shot.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
    // The header holds width and height, most significant byte first.
    assert_eq!(png[16..24], [0, 0, 2, 128, 0, 0, 1, 144]);
    folder
        .run(&["screenshot", "port.json", "--panel", "entities", "-o", "panel.png", "--size", "640x400"])
        .exits(0);
    assert_ne!(fs::read(folder.path("panel.png")).unwrap(), png);
    folder.run(&["screenshot", "port.json", "--panel", "entitys", "-o", "x.png"]).fails(2, &["entities"]);
    folder.run(&["screenshot", "port.json", "--size", "640", "-o", "x.png"]).fails(2, &["1400x880"]);
    folder.run(&["screenshot", "port.json", "-o", "no/x.png"]).fails(5, &["no such folder"]);
}

#[test]
fn a_look_at_a_damaged_scene_is_an_error() {
    let folder = port();
    folder.write("bad.json", PORT.replace("\"class\": \"ship\"", "\"class\": \"shop\""));
    for arguments in [
        &["dump", "bad.json"][..],
        &["memory", "bad.json"],
        &["assert", "bad.json", "-e", "count() = 0"],
        &["screenshot", "bad.json", "-o", "x.png"],
    ] {
        folder.run(arguments).fails(6, &["bad.json:", "shop"]);
    }
}

#[test]
fn bench_measures_and_compares_with_an_earlier_measurement() {
    let folder = port();
    let bench = |more: &[&str]| {
        folder.run(&[&["bench", "port.json", "--ticks", "20", "--warmup", "5", "--runs", "3"], more].concat())
    };
    let text = bench(&["--export", "now.json"]).exits(0).stdout;
    assert_eq!(text.lines().filter(|line| line.starts_with("run ")).count(), 3, "{text}");
    let measured: serde_json::Value = serde_json::from_str(&folder.read("now.json")).unwrap();
    assert_eq!(measured["runs"].as_array().unwrap().len(), 3);
    // Baselines no machine reaches, and none misses.
    for (mean, code) in [("0.001", 8), ("1e15", 0)] {
        let run = format!(r#"{{"meanNs":{mean},"minNs":1,"p50Ns":1,"p95Ns":1,"p99Ns":1,"maxNs":1}}"#);
        let document = format!(r#"{{"schema":1,"scene":"port","threads":0,"ticks":1,"runs":[{run}]}}"#);
        folder.write("then.json", document);
        bench(&["--baseline", "then.json", "--fail-above", "10%"]).exits(code);
        bench(&["--baseline", "then.json"]).exits(0);
    }
    folder.write("then.json", "{}");
    bench(&["--baseline", "then.json"]).fails(6, &["then.json"]);
    bench(&["--fail-above", "10%"]).fails(2, &["--baseline"]);
}
