//! The window, where there is no display to open it on.

use crate::harness::port;

#[test]
fn without_a_display_one_line_names_the_way_without_a_window() {
    let folder = port();
    for arguments in [&[][..], &["port.json"]] {
        let ended = folder.run(arguments).exits(1);
        assert_eq!(ended.stdout, "");
        assert!(
            ended.stderr.contains("`vivarium run`") && ended.stderr.lines().count() == 1,
            "{}",
            ended.stderr
        );
    }
}

#[test]
fn a_file_that_is_not_there_is_an_error_before_any_window() {
    let folder = port();
    folder.run(&["no.json"]).fails(5, &["no.json", "no such file"]);
    folder.run(&["./"]).fails(5, &["folder"]);
}

#[test]
fn a_mistyped_command_is_suggested() {
    let folder = port();
    folder.run(&["rnu"]).fails(2, &["vivarium run"]);
    folder.run(&["validat"]).fails(2, &["vivarium validate"]);
    folder.run(&["validat", "port.json"]).fails(2, &["port.json"]);
}
