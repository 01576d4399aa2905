//! Files as the window works with them: chosen in dialogs, read and written on threads of their own, watched.

use crate::files::{EmbeddedScene, FileEvent, SaveError, Session, Source, Verdict, Watcher, write_atomic};
use crate::template_text::{TemplateText, rewrite};
use crossbeam_channel::{Receiver, Sender, unbounded};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// Something that happened to files; fetched with [`Documents::poll`].
#[derive(Debug)]
pub enum DocumentEvent {
    /// The user chose a file to open.
    ChosenToOpen(PathBuf),
    /// The user chose a file to save to.
    ChosenToSave(PathBuf),
    /// The user chose a file to write this text to.
    ChosenToExport {
        /// The file.
        path: PathBuf,
        /// What it is to hold.
        text: String,
    },
    /// A text was written to a file that has nothing to do with the open scene.
    Exported(PathBuf),
    /// The user chose no file.
    NotChosen,
    /// The system has no dialog to choose a file with: the user has to type its path.
    NoDialog(Purpose),
    /// A scene was read and is to be loaded. Its session becomes the open one when the load succeeds.
    Read {
        /// Where it came from.
        session: Session,
        /// Its text.
        text: String,
        /// Whether it is the open scene once more.
        again: bool,
    },
    /// The open scene was saved.
    Saved {
        /// The file.
        path: PathBuf,
        /// What it holds now.
        text: String,
    },
    /// Something in the open file was changed, and nothing else.
    Rewritten {
        /// The file.
        path: PathBuf,
        /// What it holds now.
        text: String,
        /// What it said before of the templates that were written.
        before: Vec<TemplateText>,
    },
    /// The open file was not changed: why, and what to do.
    NotRewritten(String),
    /// The file changed since it was opened, so it was not saved over.
    ChangedSinceOpened {
        /// The file.
        path: PathBuf,
        /// What was to be saved.
        text: String,
    },
    /// Somebody else changed the open file; this is its text now.
    ChangedOnDisk(String),
    /// Somebody else removed the open file.
    Removed(PathBuf),
    /// Something failed: what, and what to do.
    Failed {
        /// The message.
        message: String,
        /// The file that cannot be opened, if it was that.
        unopened: Option<PathBuf>,
    },
}

/// What a file is chosen for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// It is opened.
    Open,
    /// It is saved to; this name is proposed.
    Save(String),
    /// A text is written to it that is no scene.
    Export {
        /// The name that is proposed; its ending says what the text is.
        name: String,
        /// The text.
        text: String,
    },
}

/// How a dialog ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// With this file.
    File(PathBuf),
    /// With none.
    Cancelled,
    /// It never began: the system has none.
    NoDialog,
}

/// Takes what was chosen.
pub type Chosen = Box<dyn FnOnce(Choice) + Send>;

/// How the user chooses files.
pub trait Dialogs {
    /// Lets the user choose a file.
    fn choose(&self, purpose: &Purpose, chosen: Chosen);
}

/// What the threads tell.
enum Message {
    Event(DocumentEvent),
    /// A read ended.
    ReadEnded(DocumentEvent),
    /// A save ended; the session knows the new content if it went well.
    SaveEnded(Session, DocumentEvent),
}

/// The open scene's file, and the threads that work on files.
pub struct Documents {
    samples: Vec<EmbeddedScene>,
    dialogs: Box<dyn Dialogs>,
    session: Option<Session>,
    watcher: Option<(Watcher, Receiver<FileEvent>)>,
    messages: (Sender<Message>, Receiver<Message>),
    wake: Arc<dyn Fn() + Send + Sync>,
    /// While a save is written, events of the file are most likely its own: they wait until it is known.
    saving: bool,
    /// Reads that are under way.
    reading: usize,
}

impl Documents {
    /// Files, with these scenes built in. `wake` is called from other threads when there is something to poll.
    pub fn new(
        samples: Vec<EmbeddedScene>,
        dialogs: Box<dyn Dialogs>,
        wake: Arc<dyn Fn() + Send + Sync>,
    ) -> Self {
        let heard = wake.clone();
        // Without a watcher everything but the watching works.
        let watcher = Watcher::start(move || heard()).ok();
        let (session, saving, reading) = (None, false, 0);
        Self { samples, dialogs, session, watcher, messages: unbounded(), wake, saving, reading }
    }

    /// The file the open scene came from or was last saved to.
    pub fn file(&self) -> Option<&Path> {
        self.session.as_ref()?.file()
    }

    /// The open scene's session.
    pub fn session(&self) -> Option<Session> {
        self.session.clone()
    }

    /// What is to be called from other threads when there is something to draw.
    pub(crate) fn wake(&self) -> Arc<dyn Fn() + Send + Sync> {
        self.wake.clone()
    }

    /// Whether a scene is open, be it from a file or a sample.
    pub fn is_open(&self) -> bool {
        self.session.is_some()
    }

    /// Whether something is being read or written.
    pub fn is_busy(&self) -> bool {
        self.saving || self.reading > 0
    }

    /// Whether something is being written.
    pub fn is_saving(&self) -> bool {
        self.saving
    }

    /// Lets the user choose a file.
    pub fn choose(&self, purpose: Purpose) {
        let (outbox, wake, for_event) = (self.messages.0.clone(), self.wake.clone(), purpose.clone());
        let chosen = Box::new(move |choice| {
            let event = match (choice, for_event) {
                (Choice::File(path), Purpose::Open) => DocumentEvent::ChosenToOpen(path),
                (Choice::File(path), Purpose::Save(_)) => DocumentEvent::ChosenToSave(path),
                (Choice::File(path), Purpose::Export { text, .. }) => {
                    DocumentEvent::ChosenToExport { path, text }
                }
                (Choice::Cancelled, _) => DocumentEvent::NotChosen,
                (Choice::NoDialog, purpose) => DocumentEvent::NoDialog(purpose),
            };
            // The window may be gone by now.
            let _ = outbox.send(Message::Event(event));
            wake();
        });
        self.dialogs.choose(&purpose, chosen);
    }

    /// Reads a file.
    pub fn open_path(&mut self, path: &Path) {
        self.read(Source::File(path.to_path_buf()), false);
    }

    /// Reads what a command line names.
    pub fn open(&mut self, source: Source) {
        self.read(source, false);
    }

    /// Reads the sample of this name.
    pub fn open_sample(&mut self, name: &str) {
        match self.samples.iter().find(|sample| sample.name == name) {
            Some(sample) => self.read(Source::Sample(*sample), false),
            None => self.tell(DocumentEvent::Failed {
                message: format!("there is no sample `{name}`"),
                unopened: None,
            }),
        }
    }

    /// Reads the open scene again. Does nothing if it cannot be: it came from the standard input, or there is none.
    pub fn reopen(&mut self) -> bool {
        let Some(session) = &self.session else { return false };
        let source = match session.origin() {
            crate::files::Origin::File(path) => Source::File(path.clone()),
            crate::files::Origin::Sample(name) => {
                let Some(sample) = self.samples.iter().find(|sample| sample.name == *name) else {
                    return false;
                };
                Source::Sample(*sample)
            }
            crate::files::Origin::Stdin => return false,
        };
        self.read(source, true);
        true
    }

    fn read(&mut self, source: Source, again: bool) {
        self.reading += 1;
        self.spawn("vivarium-read", move || {
            let unopened = match &source {
                Source::File(path) => Some(path.clone()),
                _ => None,
            };
            Message::ReadEnded(match Session::open(&source) {
                Ok((session, text)) => DocumentEvent::Read { session, text: text.into_owned(), again },
                Err(error) => DocumentEvent::Failed { message: error.to_string(), unopened },
            })
        });
    }

    /// Makes `session` the open one: its scene was loaded. Its file is watched from now on.
    pub fn adopt(&mut self, session: Session) {
        let before = self.file().map(Path::to_path_buf);
        self.session = Some(session);
        self.watch(before.as_deref());
    }

    /// Watches the open file instead of the one before.
    fn watch(&self, before: Option<&Path>) {
        let Some((watcher, _)) = &self.watcher else { return };
        let now = self.file();
        if let Some(before) = before.filter(|before| Some(*before) != now) {
            watcher.forget(before);
        }
        if let (Some(path), Some(session)) = (now, &self.session) {
            watcher.watch(path, session.known());
        }
    }

    /// Saves to the open file, unless somebody else changed it meanwhile.
    pub fn save(&mut self, text: String) {
        self.write(text, |session, text| match session.save(&text) {
            Ok(()) => {
                let path = session.file().unwrap_or(Path::new("")).to_path_buf();
                DocumentEvent::Saved { path, text }
            }
            Err(SaveError::ChangedOnDisk { path }) => DocumentEvent::ChangedSinceOpened { path, text },
            Err(error) => DocumentEvent::Failed { message: error.to_string(), unopened: None },
        });
    }

    /// Saves to `path`, whatever is there, and makes it the open file.
    pub fn save_as(&mut self, path: PathBuf, text: String) {
        self.write(text, move |session, text| match session.save_as(&path, &text) {
            Ok(()) => DocumentEvent::Saved { path, text },
            Err(error) => DocumentEvent::Failed { message: error.to_string(), unopened: None },
        });
    }

    /// Writes a text to `path`, whatever is there. The open scene has nothing to do with it.
    pub fn export(&mut self, path: PathBuf, text: String) {
        self.spawn("vivarium-export", move || {
            Message::Event(match write_atomic(&path, text.as_bytes()) {
                Ok(()) => DocumentEvent::Exported(path),
                Err(error) => DocumentEvent::Failed { message: error.to_string(), unopened: None },
            })
        });
    }

    /// Makes the open file say this of templates, and leaves the rest of it byte for byte; unless somebody else
    /// changed it meanwhile.
    pub fn write_templates(&mut self, texts: Vec<TemplateText>) {
        self.write(String::new(), move |session, _| {
            let path = session.file().unwrap_or(Path::new("")).to_path_buf();
            match session.rewrite(|text| rewrite(text, &texts)) {
                Ok((text, before)) => DocumentEvent::Rewritten { path, text, before },
                Err(message) => DocumentEvent::NotRewritten(message),
            }
        });
    }

    fn write(
        &mut self,
        text: String,
        write: impl FnOnce(&mut Session, String) -> DocumentEvent + Send + 'static,
    ) {
        let Some(mut session) = self.session.clone() else { return };
        self.saving = true;
        self.spawn("vivarium-write", move || {
            let event = write(&mut session, text);
            Message::SaveEnded(session, event)
        });
    }

    /// Does work on a thread of its own.
    fn spawn(&mut self, name: &str, work: impl FnOnce() -> Message + Send + 'static) {
        let (outbox, wake) = (self.messages.0.clone(), self.wake.clone());
        let spawned = thread::Builder::new().name(name.into()).spawn(move || {
            // The window may be gone by now.
            let _ = outbox.send(work());
            wake();
        });
        if let Err(error) = spawned {
            (self.saving, self.reading) = (false, 0);
            let message = format!("no thread for files: {error}; close other programs and try again");
            self.tell(DocumentEvent::Failed { message, unopened: None });
        }
    }

    fn tell(&self, event: DocumentEvent) {
        // Both ends of the channel are here.
        let _ = self.messages.0.send(Message::Event(event));
    }

    /// The next thing that happened, if any.
    pub fn poll(&mut self) -> Option<DocumentEvent> {
        if let Ok(message) = self.messages.1.try_recv() {
            return Some(match message {
                Message::Event(event) => event,
                Message::ReadEnded(event) => {
                    self.reading = self.reading.saturating_sub(1);
                    event
                }
                Message::SaveEnded(session, event) => {
                    self.saving = false;
                    self.adopt(session);
                    event
                }
            });
        }
        if self.saving {
            return None;
        }
        let (_, events) = self.watcher.as_ref()?;
        while let Ok(event) = events.try_recv() {
            let path = event.path().to_path_buf();
            let Some(session) = &mut self.session else { continue };
            match session.judge(event) {
                Verdict::Nothing => {}
                Verdict::Changed(text) => return Some(DocumentEvent::ChangedOnDisk(text)),
                Verdict::Removed => return Some(DocumentEvent::Removed(path)),
                Verdict::Unreadable(message) => {
                    return Some(DocumentEvent::Failed { message, unopened: None });
                }
            }
        }
        None
    }
}

/// The dialogs of the system.
#[derive(Debug, Default)]
pub struct NativeDialogs;

/// A dialog that ends sooner than anybody can press a button was never shown.
const SOONEST: Duration = Duration::from_millis(250);

impl Dialogs for NativeDialogs {
    fn choose(&self, purpose: &Purpose, chosen: Chosen) {
        let ending = match purpose {
            Purpose::Open | Purpose::Save(_) => "json",
            Purpose::Export { name, .. } => name.rsplit('.').next().unwrap_or(name),
        };
        let filter = match purpose {
            Purpose::Open | Purpose::Save(_) => "Scenes and saves".to_owned(),
            Purpose::Export { .. } => format!("{} files", ending.to_uppercase()),
        };
        let dialog =
            rfd::AsyncFileDialog::new().add_filter(filter, &[ending]).add_filter("All files", &["*"]);
        match purpose {
            Purpose::Open => wait(dialog.set_title("Open a scene or save").pick_file(), chosen),
            Purpose::Save(name) => {
                wait(dialog.set_title("Save the world").set_file_name(name).save_file(), chosen)
            }
            Purpose::Export { name, .. } => {
                wait(dialog.set_title("Export").set_file_name(name).save_file(), chosen)
            }
        }
    }
}

/// Waits for a dialog on a thread of its own.
fn wait(dialog: impl Future<Output = Option<rfd::FileHandle>> + Send + 'static, chosen: Chosen) {
    let wait = move || {
        let start = Instant::now();
        let file = block_on(dialog);
        chosen(match file {
            Some(file) => Choice::File(file.path().to_path_buf()),
            None if start.elapsed() < SOONEST => Choice::NoDialog,
            None => Choice::Cancelled,
        });
    };
    // Without a thread there is no dialog; the user tries again.
    let _ = thread::Builder::new().name("vivarium-dialog".into()).spawn(wait);
}

/// Sleeps on this thread until a future is done.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Arc::new(Unpark(thread::current())).into();
    let mut context = std::task::Context::from_waker(&waker);
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            std::task::Poll::Ready(value) => return value,
            std::task::Poll::Pending => thread::park(),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::fs;

    /// Dialogs that always end the same way.
    pub(crate) struct Always(pub(crate) Choice);

    impl Dialogs for Always {
        fn choose(&self, _purpose: &Purpose, chosen: Chosen) {
            chosen(self.0.clone());
        }
    }

    const SAMPLE: EmbeddedScene = EmbeddedScene { name: "flock", about: "Birds.", text: "{}" };

    fn documents(choice: Choice) -> Documents {
        Documents::new(vec![SAMPLE], Box::new(Always(choice)), Arc::new(|| {}))
    }

    fn next(documents: &mut Documents) -> DocumentEvent {
        let end = Instant::now() + Duration::from_secs(20);
        loop {
            if let Some(event) = documents.poll() {
                return event;
            }
            assert!(Instant::now() < end, "nothing happened");
            thread::sleep(Duration::from_millis(2));
        }
    }

    fn open(documents: &mut Documents, path: &Path) {
        documents.open_path(path);
        let DocumentEvent::Read { session, .. } = next(documents) else { panic!("not read") };
        documents.adopt(session);
    }

    #[test]
    fn what_became_of_a_dialog_is_told() {
        let save = Purpose::Save("x.json".into());
        let mut chosen = documents(Choice::File("a.json".into()));
        chosen.choose(Purpose::Open);
        assert!(
            matches!(next(&mut chosen), DocumentEvent::ChosenToOpen(path) if path == Path::new("a.json"))
        );
        chosen.choose(save.clone());
        assert!(
            matches!(next(&mut chosen), DocumentEvent::ChosenToSave(path) if path == Path::new("a.json"))
        );
        let mut cancelled = documents(Choice::Cancelled);
        cancelled.choose(Purpose::Open);
        assert!(matches!(next(&mut cancelled), DocumentEvent::NotChosen));
        let mut missing = documents(Choice::NoDialog);
        missing.choose(save.clone());
        assert!(matches!(next(&mut missing), DocumentEvent::NoDialog(purpose) if purpose == save));
    }

    #[test]
    fn an_export_is_written_beside_the_open_scene() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("times.csv");
        let mut documents = documents(Choice::File(path.clone()));
        documents.choose(Purpose::Export { name: "times.csv".into(), text: "a,b".into() });
        let DocumentEvent::ChosenToExport { path: chosen, text } = next(&mut documents) else {
            panic!("not chosen")
        };
        documents.export(chosen, text);
        assert!(matches!(next(&mut documents), DocumentEvent::Exported(written) if written == path));
        assert_eq!(fs::read_to_string(&path).unwrap(), "a,b");
        assert!(!documents.is_open());
        documents.export(folder.path().join("none/times.csv"), String::new());
        assert!(matches!(next(&mut documents), DocumentEvent::Failed { unopened: None, .. }));
    }

    #[test]
    fn a_missing_file_says_which() {
        let mut documents = documents(Choice::Cancelled);
        documents.open_path(Path::new("/nowhere/none.json"));
        assert!(documents.is_busy());
        let DocumentEvent::Failed { message, unopened } = next(&mut documents) else { panic!("no failure") };
        assert!(message.contains("/nowhere/none.json"), "{message}");
        assert_eq!(unopened.as_deref(), Some(Path::new("/nowhere/none.json")));
        assert!(!documents.is_busy());
    }

    #[test]
    fn a_sample_is_read_and_has_no_file() {
        let mut documents = documents(Choice::Cancelled);
        documents.open_sample("flock");
        let DocumentEvent::Read { session, text, again } = next(&mut documents) else { panic!("not read") };
        assert_eq!((text.as_str(), again), ("{}", false));
        documents.adopt(session);
        assert!(documents.is_open() && documents.file().is_none());
        assert!(documents.reopen());
        assert!(matches!(next(&mut documents), DocumentEvent::Read { again: true, .. }));
        documents.open_sample("shoal");
        assert!(matches!(next(&mut documents), DocumentEvent::Failed { .. }));
    }

    #[test]
    fn a_save_is_written_and_its_own_event_is_no_change() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scene.json");
        fs::write(&path, "one").unwrap();
        let mut documents = documents(Choice::Cancelled);
        open(&mut documents, &path);
        documents.save("two".into());
        assert!(matches!(next(&mut documents), DocumentEvent::Saved { path: saved, .. } if saved == path));
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        fs::write(&path, "three").unwrap();
        let DocumentEvent::ChangedOnDisk(text) = next(&mut documents) else { panic!("no change") };
        assert_eq!(text, "three", "the first change told is the foreign one");
    }

    #[test]
    fn a_save_under_a_name_moves_the_watch_along() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one.json"), folder.path().join("two.json"));
        fs::write(&one, "one").unwrap();
        let mut documents = documents(Choice::Cancelled);
        open(&mut documents, &one);
        documents.save_as(two.clone(), "two".into());
        assert!(matches!(next(&mut documents), DocumentEvent::Saved { path: saved, .. } if saved == two));
        assert_eq!(documents.file(), Some(two.as_path()));
        fs::write(&one, "other").unwrap();
        fs::write(&two, "changed").unwrap();
        assert!(matches!(next(&mut documents), DocumentEvent::ChangedOnDisk(text) if text == "changed"));
    }
}
