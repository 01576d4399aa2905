//! `diff`: exit codes and both forms.

use crate::harness::Folder;

const A: &str = r#"{ "vivarium": 1, "tick": 1, "entities": [{ "x": 1 }] }"#;
const B: &str = r#"{ "entities": [{ "x": 1.5 }], "tick": 1, "vivarium": 1 }"#;

#[test]
fn equal_files_are_done_and_others_differ() {
    let folder = Folder::new();
    folder.write("a.json", A);
    folder.write("b.json", B);
    assert_eq!(folder.run(&["diff", "a.json", "a.json"]).exits(0).stdout, "");
    assert_eq!(folder.run(&["diff", "a.json", "b.json"]).exits(7).stdout, "entities[0].x: 1 -> 1.5\n");
    folder.run(&["diff", "a.json", "b.json", "--tolerance", "0.5"]).exits(0);
    let document = folder.run_with_input(B, &["diff", "a.json", "-", "--format", "json"]).exits(7).json();
    assert_eq!(document["equal"], false);
    assert_eq!(document["differences"][0]["b"], 1.5);
}

#[test]
fn two_standard_inputs_or_a_damaged_file_are_refused() {
    let folder = Folder::new();
    folder.write("a.json", A);
    folder.write("bad.json", "{");
    folder.run(&["diff", "-", "-"]).fails(2, &["only once"]);
    folder.run(&["diff", "a.json", "bad.json"]).fails(6, &["bad.json:1:"]);
    folder.run(&["diff", "a.json", "no.json"]).fails(5, &["no.json"]);
    folder.run(&["diff", "a.json", "a.json", "--tolerance", "-1"]).fails(2, &["--tolerance"]);
}
