//! The scene that is open: where it came from, and what of the file on disk is known.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::fingerprint::Fingerprint;
use super::read::{ReadError, read_scene};
use super::source::Source;
use super::watch::FileEvent;
use super::write::{WriteError, write_atomic};

/// Where the open scene came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A file, which *Save* writes to and which is watched.
    File(PathBuf),
    /// A sample of this name; *Save* asks for a file.
    Sample(&'static str),
    /// The standard input; *Save* asks for a file.
    Stdin,
}

/// What an event of the watcher means for the open scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing to do: the program's own save, content that is already known, or another file.
    Nothing,
    /// Somebody else changed the file; this is its text now.
    Changed(String),
    /// Somebody removed the file. What is loaded lives on.
    Removed,
    /// The file is there and cannot be read; the message says why.
    Unreadable(String),
}

/// Why a save did not happen. The file on disk is untouched.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// The scene did not come from a file, so it has to be saved under a name.
    #[error("the scene did not come from a file; save it under a name")]
    NoFile,
    /// Somebody else changed the file since it was opened or last saved.
    #[error("{}: changed on disk since it was opened; take the file, or save over it", path.display())]
    ChangedOnDisk {
        /// The file.
        path: PathBuf,
    },
    /// It could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// The scene that is open.
#[derive(Clone, Debug)]
pub struct Session {
    origin: Origin,
    /// Content of the file as last read, written or heard of; `None` when there is no file or it is gone.
    known: Option<Fingerprint>,
}

impl Session {
    /// Reads `source` and remembers what was read. Returns the text beside.
    ///
    /// # Errors
    /// As [`Source::read`].
    pub fn open(source: &Source) -> Result<(Self, Cow<'static, str>), ReadError> {
        let text = source.read()?;
        let session = match source {
            Source::File(path) => {
                Self { origin: Origin::File(path.clone()), known: Some(Fingerprint::of(&text)) }
            }
            Source::Sample(sample) => Self { origin: Origin::Sample(sample.name), known: None },
            Source::Stdin => Self { origin: Origin::Stdin, known: None },
        };
        Ok((session, text))
    }

    /// Where the scene came from, or was last saved to.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The file to watch and to save to, if there is one.
    pub fn file(&self) -> Option<&Path> {
        match &self.origin {
            Origin::File(path) => Some(path),
            Origin::Sample(_) | Origin::Stdin => None,
        }
    }

    /// What is known of the file's content, for [`super::Watcher::watch`].
    pub fn known(&self) -> Option<Fingerprint> {
        self.known
    }

    /// Saves to the file the scene came from, unless somebody else changed it meanwhile.
    ///
    /// # Errors
    /// See [`SaveError`]. After [`SaveError::ChangedOnDisk`], [`save_as`](Self::save_as) with the same path
    /// saves over it.
    pub fn save(&mut self, text: &str) -> Result<(), SaveError> {
        let Origin::File(path) = &self.origin else { return Err(SaveError::NoFile) };
        let path = path.clone();
        // A file that is gone or unreadable holds nothing that could be lost, or fails in the writing.
        if let (Some(known), Ok(on_disk)) = (self.known, read_scene(&path))
            && Fingerprint::of(&on_disk) != known
        {
            return Err(SaveError::ChangedOnDisk { path });
        }
        Ok(self.save_as(&path, text)?)
    }

    /// Saves to `path`, whatever is there, and makes it the file that is open.
    ///
    /// # Errors
    /// As [`write_atomic`]; the session stays with the file it had.
    pub fn save_as(&mut self, path: &Path, text: &str) -> Result<(), WriteError> {
        write_atomic(path, text.as_bytes())?;
        self.origin = Origin::File(path.to_path_buf());
        self.known = Some(Fingerprint::of(text));
        Ok(())
    }

    /// Changes the text of the file the scene came from, unless somebody else changed it meanwhile. `change` gives the
    /// new text and whatever else it has to tell.
    ///
    /// # Errors
    /// Why nothing was written, and what to do.
    pub fn rewrite<T, E: std::fmt::Display>(
        &mut self,
        change: impl FnOnce(&str) -> Result<(String, T), E>,
    ) -> Result<(String, T), String> {
        let Origin::File(path) = &self.origin else { return Err(SaveError::NoFile.to_string()) };
        let path = path.clone();
        let on_disk = read_scene(&path).map_err(|error| error.to_string())?;
        if self.known != Some(Fingerprint::of(&on_disk)) {
            let error = SaveError::ChangedOnDisk { path };
            return Err(format!("{error}; nothing was written"));
        }
        let (text, told) = change(&on_disk).map_err(|error| format!("{}: {error}", path.display()))?;
        write_atomic(&path, text.as_bytes()).map_err(|error| error.to_string())?;
        self.known = Some(Fingerprint::of(&text));
        Ok((text, told))
    }

    /// What `event` means for this scene; the new content is known from then on.
    pub fn judge(&mut self, event: FileEvent) -> Verdict {
        if Some(event.path()) != self.file() {
            return Verdict::Nothing;
        }
        match event {
            FileEvent::Changed { text, .. } => {
                let content = Some(Fingerprint::of(&text));
                if content == self.known {
                    return Verdict::Nothing;
                }
                self.known = content;
                Verdict::Changed(text)
            }
            FileEvent::Removed { .. } => {
                self.known = None;
                Verdict::Removed
            }
            FileEvent::Unreadable { message, .. } => Verdict::Unreadable(message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::EmbeddedScene;
    use std::fs;

    fn opened(text: &str) -> (tempfile::TempDir, PathBuf, Session) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scene.json");
        fs::write(&path, text).unwrap();
        let (session, read) = Session::open(&Source::File(path.clone())).unwrap();
        assert_eq!(read, text);
        (folder, path, session)
    }

    fn changed(path: &Path, text: &str) -> FileEvent {
        FileEvent::Changed { path: path.to_path_buf(), text: text.to_owned() }
    }

    #[test]
    fn the_event_of_an_own_save_is_nothing_and_a_foreign_one_is_a_change() {
        let (_folder, path, mut session) = opened("one");
        session.save("two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(session.judge(changed(&path, "two")), Verdict::Nothing);
        assert_eq!(session.judge(changed(&path, "three")), Verdict::Changed("three".into()));
        assert_eq!(session.judge(changed(&path, "three")), Verdict::Nothing);
    }

    #[test]
    fn a_save_does_not_run_over_a_foreign_change_unasked() {
        let (_folder, path, mut session) = opened("one");
        fs::write(&path, "theirs").unwrap();
        assert!(matches!(session.save("mine"), Err(SaveError::ChangedOnDisk { .. })));
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
        session.save_as(&path, "mine").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    }

    #[test]
    fn a_change_of_the_text_is_written_unless_somebody_else_changed_the_file() {
        let (_folder, path, mut session) = opened("one");
        let add = |text: &str| Ok::<_, String>((format!("{text}, two"), text.len()));
        assert_eq!(session.rewrite(add), Ok(("one, two".to_owned(), 3)));
        assert_eq!(fs::read_to_string(&path).unwrap(), "one, two");
        assert_eq!(session.judge(changed(&path, "one, two")), Verdict::Nothing);
        assert!(session.rewrite(|_| Err::<(String, ()), _>("no")).unwrap_err().ends_with("scene.json: no"));
        fs::write(&path, "theirs").unwrap();
        let message = session.rewrite(add).unwrap_err();
        assert!(message.contains("changed on disk") && message.contains("nothing was written"), "{message}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
    }

    #[test]
    fn a_removed_file_can_be_saved_again() {
        let (_folder, path, mut session) = opened("one");
        fs::remove_file(&path).unwrap();
        assert_eq!(session.judge(FileEvent::Removed { path: path.clone() }), Verdict::Removed);
        session.save("one").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
    }

    #[test]
    fn a_sample_has_no_file_until_it_is_saved_under_a_name() {
        let folder = tempfile::tempdir().unwrap();
        let sample = EmbeddedScene { name: "flock", about: "", text: "{}" };
        let (mut session, _) = Session::open(&Source::Sample(sample)).unwrap();
        assert!(matches!(session.save("{}"), Err(SaveError::NoFile)));
        let path = folder.path().join("mine.json");
        session.save_as(&path, "{}").unwrap();
        assert_eq!(session.file(), Some(path.as_path()));
        session.save("{ }").unwrap();
    }

    #[test]
    fn events_of_another_file_are_nothing() {
        let (folder, _path, mut session) = opened("one");
        let other = folder.path().join("other.json");
        assert_eq!(session.judge(FileEvent::Removed { path: other }), Verdict::Nothing);
    }
}
