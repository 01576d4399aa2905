//! The files the window names, with what can be said of them. They are looked at on a thread, while somebody sees them.

use crate::files::Facts;
use crossbeam_channel::{Receiver, Sender, unbounded};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use vivarium_panels::FileFacts;

/// What is known of files, and what was known first.
pub(crate) struct KnownFiles {
    wake: Arc<dyn Fn() + Send + Sync>,
    found: (Sender<Vec<Facts>>, Receiver<Vec<Facts>>),
    looks_since: Option<Instant>,
    is_looking: bool,
    known: HashMap<PathBuf, Facts>,
    /// As each file was when it was first seen, or last written or read here.
    before: HashMap<PathBuf, Facts>,
    shown: Vec<FileFacts>,
}

impl KnownFiles {
    /// Files are looked at no more often than this.
    const REST: Duration = Duration::from_secs(2);

    /// Nothing is known yet. `wake` is called from another thread when something is.
    pub(crate) fn new(wake: Arc<dyn Fn() + Send + Sync>) -> Self {
        Self {
            wake,
            found: unbounded(),
            looks_since: None,
            is_looking: false,
            known: HashMap::new(),
            before: HashMap::new(),
            shown: Vec::new(),
        }
    }

    /// What is known, file by file.
    pub(crate) fn shown(&self) -> &[FileFacts] {
        &self.shown
    }

    /// The program itself read or wrote a file: how it is from then on is no change.
    pub(crate) fn touched(&mut self, path: &Path) {
        self.before.remove(path);
        self.known.remove(path);
        self.looks_since = None;
    }

    /// Looks at files, unless that was done a moment ago; what is found is there later.
    pub(crate) fn look(&mut self, paths: Vec<PathBuf>) {
        self.take_in();
        let rested = self.looks_since.is_none_or(|since| since.elapsed() >= Self::REST);
        if self.is_looking || !rested || paths.is_empty() {
            return;
        }
        (self.is_looking, self.looks_since) = (true, Some(Instant::now()));
        let known: Vec<(PathBuf, Option<Facts>)> =
            paths.into_iter().map(|path| (path.clone(), self.known.get(&path).cloned())).collect();
        let (found, wake) = (self.found.0.clone(), self.wake.clone());
        let look = move || {
            let facts = known.iter().map(|(path, known)| Facts::of(path, known.as_ref())).collect();
            // The window may be gone by now.
            let _ = found.send(facts);
            wake();
        };
        // Without a thread nothing is said of files.
        self.is_looking = thread::Builder::new().name("vivarium-look".into()).spawn(look).is_ok();
    }

    fn take_in(&mut self) {
        while let Ok(found) = self.found.1.try_recv() {
            self.is_looking = false;
            self.shown = found.iter().map(|facts| self.shown_of(facts)).collect();
            self.known = found.into_iter().map(|facts| (facts.path.clone(), facts)).collect();
        }
    }

    fn shown_of(&mut self, facts: &Facts) -> FileFacts {
        let before = self.before.entry(facts.path.clone()).or_insert_with(|| facts.clone());
        let contents = facts.contents.as_ref().copied().unwrap_or_default();
        FileFacts {
            path: facts.path.clone(),
            bytes: facts.bytes,
            modified: facts.modified,
            entities: contents.entities,
            smaller: contents.smaller,
            problem: facts.contents.as_ref().err().cloned(),
            changed: facts.differs(before),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn looked(files: &mut KnownFiles, path: &Path) -> FileFacts {
        files.looks_since = None;
        files.look(vec![path.to_path_buf()]);
        let end = Instant::now() + Duration::from_secs(20);
        while files.is_looking {
            assert!(Instant::now() < end, "nothing was found");
            thread::sleep(Duration::from_millis(2));
            files.take_in();
        }
        files.shown()[0].clone()
    }

    #[test]
    fn a_file_that_somebody_else_changes_is_told_from_one_saved_here() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scene.json");
        fs::write(&path, r#"{ "vivarium": 1, "entities": [{}] }"#).unwrap();
        let mut files = KnownFiles::new(Arc::new(|| {}));
        let first = looked(&mut files, &path);
        assert_eq!((first.entities, first.changed, first.problem), (Some(1), false, None));
        fs::write(&path, r#"{ "vivarium": 1, "entities": [{}, {}] }"#).unwrap();
        let theirs = looked(&mut files, &path);
        assert_eq!((theirs.entities, theirs.changed), (Some(2), true));
        files.touched(&path);
        assert!(!looked(&mut files, &path).changed);
        fs::remove_file(&path).unwrap();
        assert_eq!(looked(&mut files, &path).problem.as_deref(), Some("it is gone"));
    }

    #[test]
    fn files_are_not_looked_at_all_the_time() {
        let mut files = KnownFiles::new(Arc::new(|| {}));
        files.look(Vec::new());
        assert!(!files.is_looking);
        files.looks_since = Some(Instant::now());
        files.look(vec![PathBuf::from("x.json")]);
        assert!(!files.is_looking);
    }
}
