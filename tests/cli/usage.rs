//! What every command has in common: help, faults of the command line, streams.

use crate::harness::{Ended, Folder};

#[test]
fn help_and_version_go_to_the_standard_output() {
    let folder = Folder::new();
    let help = folder.run(&["--help"]).exits(0);
    for part in ["Usage: vivarium", "info", "130  interrupted"] {
        assert!(help.stdout.contains(part), "{part:?} is not in: {}", help.stdout);
    }
    let version = folder.run(&["--version"]).exits(0);
    assert_eq!(version.stdout, format!("vivarium {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn an_unknown_flag_or_value_is_wrong_usage_with_a_suggestion() {
    let folder = Folder::new();
    folder.run(&["info", "x", "--fromat", "json"]).fails(2, &["--format"]);
    folder.run(&["info", "x", "--format", "jsn"]).fails(2, &["json"]);
    folder.run(&["completions", "bush"]).fails(2, &["bash"]);
    folder.run(&["info"]).fails(2, &["SCENE"]);
}

#[test]
fn completions_name_the_commands() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = folder.run(&["completions", shell]).exits(0).stdout;
        assert!(script.contains("samples") && script.contains("info"), "{shell}: {script}");
    }
}

#[test]
fn samples_in_json_are_one_document() {
    let folder = Folder::new();
    let document = folder.run(&["samples", "--format", "json"]).exits(0).json();
    assert!(document["samples"].is_array(), "{document}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_reader_that_goes_away_is_no_failure_and_a_full_disk_is_one() {
    use std::fs::File;
    use std::process::Stdio;

    let folder = Folder::new();
    let arguments = ["completions", "bash"];
    // A pipe whose reading end is closed before the command starts.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = folder.command(&arguments).stdout(Stdio::from(writer)).output().unwrap();
    let ended = Ended::new(output, &arguments).exits(0);
    assert_eq!(ended.stderr, "");
    let full = File::options().write(true).open("/dev/full").unwrap();
    let output = folder.command(&arguments).stdout(Stdio::from(full)).output().unwrap();
    Ended::new(output, &arguments).fails(5, &["standard output"]);
}
