//! Where a scene comes from: a file, the standard input, or one that is built in.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use vivarium_world::nearest;

use super::read::{ReadError, check_scene, read_scene, read_scene_from};

/// A scene that is part of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmbeddedScene {
    /// What the user types to open it.
    pub name: &'static str,
    /// One or two sentences for lists.
    pub about: &'static str,
    /// The scene file's text.
    pub text: &'static str,
}

/// Where a scene comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A scene or save file.
    File(PathBuf),
    /// The standard input, read to its end.
    Stdin,
    /// A scene that is part of the program.
    Sample(EmbeddedScene),
}

/// A name that is neither a file nor a sample.
#[derive(Debug, thiserror::Error)]
#[error("`{name}` is neither a file nor a sample{hint}; `vivarium samples` lists the samples")]
pub struct SourceError {
    /// What the user typed.
    pub name: String,
    hint: String,
}

impl Source {
    /// What `argument` means: `-` is the standard input, then a file of that name, then a sample.
    ///
    /// Whatever looks like a path is taken for a file even if there is none, so that reading it gives the error.
    ///
    /// # Errors
    /// [`SourceError`] with the nearest sample name if a bare word is neither.
    pub fn find(argument: &OsStr, samples: &[EmbeddedScene]) -> Result<Self, SourceError> {
        if argument == "-" {
            return Ok(Self::Stdin);
        }
        let path = Path::new(argument);
        let looks_like_path = path.components().count() != 1 || path.extension().is_some();
        if looks_like_path || path.exists() {
            return Ok(Self::File(path.to_path_buf()));
        }
        if let Some(sample) = samples.iter().find(|sample| argument == sample.name) {
            return Ok(Self::Sample(*sample));
        }
        let name = argument.to_string_lossy().into_owned();
        let hint = match nearest(&name, samples.iter().map(|sample| sample.name)) {
            Some(sample) => format!(" (did you mean `{sample}`?)"),
            None => String::new(),
        };
        Err(SourceError { name, hint })
    }

    /// Whether there is something to read, without reading it.
    ///
    /// # Errors
    /// If there is no such file, or a folder of that name, or it may not be looked at.
    pub fn check(&self) -> Result<(), ReadError> {
        match self {
            Self::File(path) => check_scene(path),
            Self::Stdin | Self::Sample(_) => Ok(()),
        }
    }

    /// The scene's text.
    ///
    /// # Errors
    /// As [`read_scene`]; a sample never fails.
    pub fn read(&self) -> Result<Cow<'static, str>, ReadError> {
        match self {
            Self::File(path) => read_scene(path).map(Cow::Owned),
            Self::Stdin => read_scene_from(io::stdin().lock(), Path::new("standard input")).map(Cow::Owned),
            Self::Sample(sample) => Ok(Cow::Borrowed(sample.text)),
        }
    }
}

/// As error messages name it.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Stdin => f.write_str("standard input"),
            Self::Sample(sample) => f.write_str(sample.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLES: &[EmbeddedScene] = &[
        EmbeddedScene { name: "flock", about: "", text: "{}" },
        EmbeddedScene { name: "rain", about: "", text: "[]" },
    ];

    fn find(argument: &str) -> Result<Source, SourceError> {
        Source::find(OsStr::new(argument), SAMPLES)
    }

    #[test]
    fn a_dash_is_the_standard_input_and_a_bare_known_word_a_sample() {
        assert_eq!(find("-").unwrap(), Source::Stdin);
        assert_eq!(find("flock").unwrap(), Source::Sample(SAMPLES[0]));
        assert_eq!(find("flock").unwrap().read().unwrap(), "{}");
    }

    #[test]
    fn whatever_looks_like_a_path_is_a_file() {
        for argument in ["flock.json", "./flock", "scenes/flock", "/flock"] {
            assert_eq!(find(argument).unwrap(), Source::File(PathBuf::from(argument)));
        }
    }

    #[test]
    fn a_mistyped_sample_gets_the_nearest_name() {
        let error = find("flok").unwrap_err().to_string();
        assert!(error.contains("did you mean `flock`?"), "{error}");
        let error = find("quantum").unwrap_err().to_string();
        assert!(!error.contains("did you mean"), "{error}");
    }
}
