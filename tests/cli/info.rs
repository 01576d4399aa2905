//! `info`: what a file holds, and how each way a file can be bad is told.

use crate::harness::Folder;

const FIELD: &str = r##"{ "vivarium": 1, "name": "Field", "random": { "seed": 7 }, "step": 16,
  "entityDefinitions": { "0": { "type": "grass", "properties": [] } },
  "entities": ["#", { "type": "oak" }, "#"] }"##;

#[test]
fn a_file_and_the_standard_input_are_described_alike() {
    let folder = Folder::new();
    folder.write("field.json", FIELD);
    let text = folder.run(&["info", "field.json"]).exits(0).stdout;
    for line in ["name        Field", "entities    3 (2 compressed)", "random      seed 7, position 0"] {
        assert!(text.lines().any(|other| other == line), "{line:?} is not in: {text}");
    }
    let from_input = folder.run_with_input(FIELD, &["info", "-"]).exits(0).stdout;
    assert_eq!(from_input, text.replace("field.json", "standard input"));
}

#[test]
fn json_is_one_document() {
    let folder = Folder::new();
    folder.write("field.json", FIELD);
    let document = folder.run(&["info", "field.json", "--format", "json"]).exits(0).json();
    assert_eq!(document["entities"], 3);
    assert_eq!(document["types"]["grass"], 2);
}

#[test]
fn a_missing_file_a_folder_and_an_unknown_name_are_file_faults() {
    let folder = Folder::new();
    folder.run(&["info", "no.json"]).fails(5, &["no.json", "no such file"]);
    folder.run(&["info", "./"]).fails(5, &["folder"]);
    folder.run(&["info", "nothing-of-this-name"]).fails(5, &["neither a file nor a sample"]);
}

#[test]
fn damaged_files_are_invalid_and_say_where() {
    let folder = Folder::new();
    let cases: [(&[u8], &[&str]); 6] = [
        (b"", &["bad.json"]),
        (b"{", &["bad.json:1:"]),
        (b"[]", &["bad.json:1:"]),
        (b"{ \"vivarium\": 1,\n  \"name\": \xff }", &["bad.json:2:11", "UTF-8"]),
        (br#"{ "vivarium": 999 }"#, &["bad.json:1:", "999"]),
        (br#"{ "vivarium": 1, "entities": ["$"] }"#, &["bad.json:1:", "entity 0"]),
    ];
    for (content, parts) in cases {
        folder.write("bad.json", content);
        folder.run(&["info", "bad.json"]).fails(6, parts);
    }
}

#[test]
fn deep_nesting_is_an_error_and_no_crash() {
    let folder = Folder::new();
    let deep = format!(r#"{{ "vivarium": 1, "world": {{ "x": {} }} }}"#, "[".repeat(200_000));
    folder.write("deep.json", deep);
    folder.run(&["info", "deep.json"]).fails(6, &["deep.json"]);
}

#[test]
fn a_file_larger_than_the_limit_is_refused_before_it_is_read() {
    let folder = Folder::new();
    folder.write("huge.json", "{");
    let file = std::fs::File::options().write(true).open(folder.path("huge.json")).unwrap();
    // A hole: it takes no room on the disk.
    file.set_len(5 << 30).unwrap();
    folder.run(&["info", "huge.json"]).fails(6, &["huge.json", "larger than the limit"]);
}
