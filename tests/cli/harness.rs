//! A folder of its own and the real binary.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder that is removed when the test ends; commands run in it.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// The binary in this folder, without a display.
    pub(crate) fn command(&self, arguments: &[impl AsRef<OsStr>]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vivarium"));
        command.args(arguments).current_dir(self.0.path());
        for name in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"] {
            command.env_remove(name);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, arguments: &[impl AsRef<OsStr>]) -> Ended {
        Ended::new(self.command(arguments).output().unwrap(), arguments)
    }

    pub(crate) fn run_with_input(&self, input: &str, arguments: &[impl AsRef<OsStr>]) -> Ended {
        let mut child = self.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
        // A command that fails early need not read its input.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        Ended::new(child.wait_with_output().unwrap(), arguments)
    }
}

/// What a command left.
pub(crate) struct Ended {
    line: String,
    code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    pub(crate) fn new(output: Output, arguments: &[impl AsRef<OsStr>]) -> Self {
        let words: Vec<_> = arguments.iter().map(|word| word.as_ref().to_string_lossy()).collect();
        Self {
            line: format!("vivarium {}", words.join(" ")),
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        let Self { line, stdout, stderr, .. } = &self;
        assert_eq!(self.code, Some(code), "`{line}`\nstdout: {stdout}\nstderr: {stderr}");
        self
    }

    /// Exits with `code`, prints no data, and its message holds each of `parts`.
    #[track_caller]
    pub(crate) fn fails(self, code: i32, parts: &[&str]) {
        let ended = self.exits(code);
        assert_eq!(ended.stdout, "", "`{}` printed data", ended.line);
        assert!(!ended.stderr.contains("panicked"), "`{}`: {}", ended.line, ended.stderr);
        for part in parts {
            assert!(ended.stderr.contains(part), "`{}`: no {part:?} in: {}", ended.line, ended.stderr);
        }
    }

    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        let document: serde_json::Value = serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("`{}`: {error} in {}", self.line, self.stdout));
        assert_eq!(document["schema"], 1, "`{}`", self.line);
        document
    }
}

/// A scene that needs no code: two kinds of entities, one component described in the scene.
pub(crate) const PORT: &str = r#"{ "vivarium": 1, "name": "Port", "random": { "seed": 7 }, "step": 16, "scheduler": "conflict",
  "components": { "cargo": { "fields": [
    { "name": "ore", "type": "u32" }, { "name": "weight", "type": "f32" }
  ], "load_keys": ["ore", "weight"] } },
  "classes": { "ship": ["cargo"] },
  "templates": { "barge": { "class": "ship", "ore": 5, "weight": 1.5 } },
  "entities": [ { "type": "barge" }, { "type": "barge", "ore": 7 }, { "type": "barge", "ore": 9, "weight": 0.1 } ] }"#;

/// A folder with that scene in `port.json`.
pub(crate) fn port() -> Folder {
    let folder = Folder::new();
    folder.write("port.json", PORT);
    folder
}
