//! Follows up what the host and the files tell.

use super::path_dialog::{PathDialog, with_ending};
use super::question::{DiskChange, Question, Then};
use super::{Arrived, Inspector};
use crate::documents::{DocumentEvent, Purpose};
use crate::edits::{Deed, Step};
use crate::files::{Origin, Session};
use crate::script::Script;
use std::path::{Path, PathBuf};
use std::time::Instant;
use vivarium_panels::Select;
use vivarium_world::{Command, Done, HostEvent, LogLevel, LogLine, Reply};

/// Texts longer than this, in bytes, are not kept to say later what changed in them.
pub(super) const LONGEST_KEPT: usize = 4 << 20;

/// What follows the reply to a command.
#[derive(Debug)]
pub(super) enum Waiting {
    /// The session becomes the open one.
    Load {
        /// Where the scene came from.
        session: Session,
        /// What is loaded, if it is not very long.
        text: Option<String>,
        /// Whether it is the open scene once more.
        again: bool,
    },
    /// The text is written to a file.
    Save {
        /// Which; none is the open one.
        to: Option<PathBuf>,
        /// Whether there are edits in it that are nowhere else.
        edited: bool,
    },
    /// The edit can be taken back.
    Edit {
        /// What was done.
        step: Step,
        /// Whether it had been taken back before.
        again: bool,
    },
    /// An edit was taken back.
    Undone {
        /// What was done.
        step: Step,
    },
    /// The hash is written to the log.
    Hash,
}

impl Inspector {
    /// Takes in everything that was told since the last frame.
    pub(super) fn hear(&mut self) {
        while let Some(event) = self.host.try_event() {
            match event {
                HostEvent::Reply(reply) => self.hear_reply(reply),
                HostEvent::Log(line) => self.hear_line(line),
            }
        }
        while let Some(event) = self.documents.poll() {
            self.hear_document(event);
        }
        if !self.host_has_ended && !self.host.is_alive() {
            self.host_has_ended = true;
            // Nobody will answer any more.
            self.waiting.clear();
            let message = "the thread of the world ended, which is a defect of Vivarium; start it again";
            self.note(LogLevel::Error, message);
        }
    }

    fn hear_line(&mut self, line: LogLine) {
        if line.level == LogLevel::Error {
            self.toasts.push(LogLevel::Error, line.message.clone());
        }
        self.write_log(line);
    }

    fn hear_reply(&mut self, reply: Reply) {
        let waiting = self.waiting.remove(&reply.command);
        let done = match reply.result {
            Ok(done) => done,
            Err(message) => {
                self.after_save = None;
                if matches!(waiting, Some(Waiting::Undone { .. } | Waiting::Edit { again: true, .. })) {
                    self.edits.lose_saved();
                }
                self.note(LogLevel::Error, message);
                return;
            }
        };
        match (waiting, done) {
            // The host writes the notes to the log itself.
            (Some(Waiting::Load { session, text, again }), Done::Loaded { entities, .. }) => {
                self.loaded_text = text;
                self.hear_loaded(session, again, entities);
            }
            (Some(Waiting::Load { session, .. }), Done::Cancelled) => {
                self.note(LogLevel::Info, format!("loading {} was cancelled", name(&session)));
            }
            (Some(Waiting::Save { to, edited }), Done::Saved { text, .. }) => {
                self.unsaved |= edited;
                if self.waiting.values().any(|waiting| matches!(waiting, Waiting::Undone { .. })) {
                    // They were counted as taken back already, and are in what is saved.
                    self.edits.lose_saved();
                } else {
                    self.edits.mark_saved();
                }
                let open = self.documents.file().map(Path::to_path_buf);
                match (to, open) {
                    (Some(path), _) => self.documents.save_as(path, text),
                    // The session knows the new content since the bar told of it, so it would write over it.
                    (None, Some(path)) if self.disk_change.is_some() => {
                        self.question = Some(Question::SaveOver { path, text });
                    }
                    (None, _) => self.documents.save(text),
                }
            }
            (Some(Waiting::Edit { mut step, again }), done) => {
                step.undo = reply.undo.map(Deed::Tell);
                self.hear_edit(step, again, done);
            }
            (Some(Waiting::Undone { step }), done) => {
                self.edits.was_undone(&step, reply.undo);
                if let Done::Created(entities) = done {
                    self.history.apply(&Select::Set(entities));
                }
            }
            (_, Done::Exported { rows: 0, .. }) => {
                self.note(LogLevel::Warning, "nothing to export: no entry matches");
            }
            (_, Done::Exported { name, text, .. }) => self.documents.choose(Purpose::Export { name, text }),
            (Some(Waiting::Hash), Done::Hash { tick, hash }) => {
                self.note(LogLevel::Info, format!("state hash after tick {tick}: {hash:016x}"));
            }
            _ => {}
        }
    }

    pub(super) fn hear_edit(&mut self, step: Step, again: bool, done: Done) {
        if let Done::Created(entities) = done {
            self.history.apply(&Select::Set(entities));
        }
        if again && step.undo.is_some() {
            self.edits.push_again(step);
        } else {
            self.edits.push(step, Instant::now());
        }
    }

    fn hear_loaded(&mut self, session: Session, again: bool, entities: usize) {
        let name = name(&session);
        self.toasts.withdraw_errors(&format!("{name}:"));
        if let Some(path) = session.file() {
            self.settings.remember(&absolute(path));
            self.files.touched(path);
            self.files.touched(&absolute(path));
        }
        self.documents.adopt(session);
        self.disk_change = None;
        self.unsaved = false;
        self.history.clear();
        self.edits.clear();
        self.script = Script::default();
        let verb = if again { "loaded again" } else { "loaded" };
        let message = format!("{verb}: {name}, {}", counted(entities));
        let (sequence, tick) = (self.host.snapshot().sequence, self.host.snapshot().status.tick);
        self.write_log(LogLine {
            level: LogLevel::Info,
            tick,
            source: "window".into(),
            message: message.clone(),
            system: None,
            entity: None,
        });
        self.arrived = Some(Arrived { message, sequence, since: Instant::now() });
    }

    fn hear_document(&mut self, event: DocumentEvent) {
        match event {
            DocumentEvent::ChosenToOpen(path) => self.documents.open_path(&path),
            DocumentEvent::ChosenToSave(path) => self.save_to(path, true),
            DocumentEvent::ChosenToExport { path, text } => self.documents.export(path, text),
            DocumentEvent::Exported(path) => {
                self.note(LogLevel::Info, format!("exported {}", path.display()));
            }
            DocumentEvent::NotChosen => self.after_save = None,
            DocumentEvent::NoDialog(purpose) => {
                self.question = Some(Question::Path(PathDialog::new(purpose)));
            }
            DocumentEvent::Read { session, text, again } => self.load(session, text, again),
            DocumentEvent::Saved { path, text } => {
                self.loaded_text = (text.len() <= LONGEST_KEPT).then_some(text);
                self.settings.remember(&absolute(&path));
                self.files.touched(&path);
                self.files.touched(&absolute(&path));
                self.disk_change = None;
                self.unsaved = false;
                self.note(LogLevel::Info, format!("saved {}", path.display()));
                if let Some(then) = self.after_save.take() {
                    self.go_on(then);
                }
            }
            DocumentEvent::Rewritten { path, text, before } => self.hear_written(&path, text, before),
            DocumentEvent::NotRewritten(message) => self.hear_not_written(message),
            DocumentEvent::ChangedSinceOpened { path, text } => {
                self.question = Some(Question::SaveOver { path, text });
            }
            DocumentEvent::ChangedOnDisk(text) => self.hear_changed(text),
            DocumentEvent::Removed(path) => {
                let message = format!(
                    "{}: removed by another program; the world lives on, save to keep it",
                    path.display()
                );
                self.note(LogLevel::Warning, message);
            }
            DocumentEvent::Failed { message, unopened } => {
                self.after_save = None;
                if let Some(path) = unopened {
                    self.settings.forget(&absolute(&path));
                }
                self.note(LogLevel::Error, message);
            }
        }
    }

    /// Saves to a file the user named; one without an ending gets the usual one. Asks before another file is
    /// replaced, unless the dialog has `asked` about just that path.
    pub(super) fn save_to(&mut self, mut path: PathBuf, mut asked: bool) {
        let named = with_ending(path.clone());
        if named != path {
            let name = named.file_name().unwrap_or_default().to_string_lossy().into_owned();
            self.note(LogLevel::Info, format!("saving as {name}: scenes end in .json"));
            (path, asked) = (named, false);
        }
        if !asked && path.is_file() {
            self.question = Some(Question::Replace { path, export: None });
        } else {
            self.save_world(Some(path));
        }
    }

    /// Writes a text to a file the user typed the path of. Asks before another file is replaced.
    pub(super) fn export_to(&mut self, path: PathBuf, text: String) {
        if path.is_file() {
            self.question = Some(Question::Replace { path, export: Some(text) });
        } else {
            self.documents.export(path, text);
        }
    }

    /// Somebody else saved the open file: takes it at once, or asks if edits would be lost.
    fn hear_changed(&mut self, text: String) {
        if self.has_edits() {
            self.disk_change = None;
            let name = self.documents.session().map_or(String::new(), |session| name(&session));
            let change = DiskChange::new(self.loaded_text.as_deref(), &name, text);
            if let Some(faults) = change.faults() {
                self.note(LogLevel::Error, faults.to_owned());
            }
            if change.is_none() {
                self.loaded_text = Some(change.into_text());
            } else {
                self.disk_change = Some(change);
            }
        } else {
            self.take_disk_text(text);
        }
    }

    /// Loads the open file's new text.
    pub(super) fn take_disk_text(&mut self, text: String) {
        self.disk_change = None;
        if let Some(session) = self.documents.session() {
            self.load(session, text, true);
        }
    }

    fn load(&mut self, session: Session, text: String, again: bool) {
        let source = name(&session);
        let kept = (text.len() <= LONGEST_KEPT).then(|| text.clone());
        let number = self.host.send(Command::Load { source, text, seed: None, keep_running: again });
        self.waiting.insert(number, Waiting::Load { session, text: kept, again });
    }

    /// Saves first, then goes on.
    pub(super) fn save_then(&mut self, then: Then) {
        self.after_save = Some(then);
        self.save();
    }
}

/// `1 entity`, `1,204 entities`.
fn counted(entities: usize) -> String {
    if entities == 1 {
        "1 entity".to_owned()
    } else {
        format!("{} entities", vivarium_panels::count(entities as u64))
    }
}

/// What texts call the scene of a session.
fn name(session: &Session) -> String {
    match session.origin() {
        Origin::File(path) => path.display().to_string(),
        Origin::Sample(name) => (*name).to_owned(),
        Origin::Stdin => "standard input".to_owned(),
    }
}

/// The path as it is found from any folder, as far as the system can say.
fn absolute(path: &std::path::Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}
