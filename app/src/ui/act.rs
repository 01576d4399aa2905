//! Does what menus, keys, the palette and the panels ask for.

use super::hear::Waiting;
use super::question::{Question, Then};
use super::write_back::Write;
use super::{Inspector, is_empty};
use crate::documents::Purpose;
use crate::edits::{Deed, Step};
use crate::keys::Action;
use crate::layout::Layout;
use crate::palette::Choice;
use egui::{Context, ViewportCommand};
use std::path::PathBuf;
use vivarium_panels::{Request, Select, View};
use vivarium_world::inspect::{RunState, Status};
use vivarium_world::{Command, LogLevel, Ordinal, SaveForm};

/// Whether an action does anything right now.
pub(crate) fn is_possible(action: Action, view: &View<'_>, can_undo: (bool, bool)) -> bool {
    let status = &view.snapshot.status;
    let loaded = !is_empty(view.snapshot);
    match action {
        Action::Save
        | Action::SaveAs
        | Action::Reload
        | Action::Compact
        | Action::ResetTiming
        | Action::Hash => loaded,
        Action::Filter | Action::Slower | Action::Faster | Action::RealTime | Action::Unlimited => loaded,
        Action::RunPause => loaded && !matches!(status.run_state, RunState::Loading { .. }),
        Action::Step | Action::StepTen => {
            matches!(status.run_state, RunState::Paused | RunState::Stopped(_))
        }
        Action::Undo => can_undo.0,
        Action::Redo => can_undo.1,
        Action::Duplicate => view.selection.primary().is_some(),
        Action::Kill | Action::Remove | Action::SelectNone => !view.selection.is_empty(),
        Action::Back => view.can_go.0,
        Action::Forward => view.can_go.1,
        _ => true,
    }
}

/// The speed after halving or doubling, within what the host takes.
fn scaled_speed(status: &Status, factor: f64) -> f64 {
    let from = if status.speed.is_finite() && status.speed > 0.0 { status.speed } else { 1.0 };
    (from * factor).clamp(0.1, 1000.0)
}

/// What a line of the palette asks for.
pub(super) fn choose(choice: Choice, actions: &mut Vec<Action>, requests: &mut Vec<Request>) {
    match choice {
        Choice::Action(action) => actions.push(action),
        Choice::Sample(name) => requests.push(Request::OpenSample(name)),
        Choice::Path(path) => requests.push(Request::OpenPath(path)),
        Choice::Spawn(template) => {
            let config = [("type".to_owned(), serde_json::Value::String(template))].into();
            requests.push(Command::Spawn { config }.into());
        }
        Choice::System(system) => {
            requests.push(Select::System(Some(system)).into());
            requests.push(Request::ShowPanel(vivarium_panels::PanelId::Schedule));
        }
    }
}

impl Inspector {
    /// Does what an action says, if it is possible now.
    pub(super) fn act(&mut self, context: &Context, action: Action) {
        let view =
            View { can_go: self.history.can_go(), ..View::new(self.host.snapshot(), self.history.current()) };
        if !is_possible(action, &view, self.edits.can_go()) {
            return;
        }
        let status = &view.snapshot.status;
        let (slower, faster) = (scaled_speed(status, 0.5), scaled_speed(status, 2.0));
        let moving = matches!(status.run_state, RunState::Running | RunState::Stepping { .. });
        match action {
            Action::Open => self.guard(Then::Choose),
            Action::Save => self.save(),
            Action::SaveAs => self.save_as(),
            Action::Reload => self.guard(Then::Reload),
            Action::CompressSaves => self.settings.compress = !self.settings.compress,
            Action::Quit => context.send_viewport_cmd(ViewportCommand::Close),
            Action::Undo => self.undo(),
            Action::Redo => self.redo(),
            Action::Duplicate | Action::Kill | Action::Remove => self.act_on_selected(action),
            Action::CopyScript => self.copy_script(context),
            Action::SelectNone => self.history.apply(&Select::None),
            Action::Back => self.history.back(),
            Action::Forward => self.history.forward(),
            Action::RunPause => self.command(if moving { Command::Pause } else { Command::Run }),
            Action::Step => self.command(Command::Step { steps: 1 }),
            Action::StepTen => self.command(Command::Step { steps: 10 }),
            Action::Slower => self.command(Command::Speed { factor: Some(slower) }),
            Action::Faster => self.command(Command::Speed { factor: Some(faster) }),
            Action::RealTime => self.command(Command::Speed { factor: Some(1.0) }),
            Action::Unlimited => self.command(Command::Speed { factor: None }),
            Action::Compact => self.command(Command::Compact),
            Action::ResetTiming => self.command(Command::ResetTiming),
            Action::Hash => self.command(Command::Hash),
            Action::Filter => {
                self.settings.layout.show(vivarium_panels::PanelId::Entities);
                self.panels.focus_search();
            }
            Action::Palette => self.palette.toggle(),
            Action::Panel(panel) => self.settings.layout.show(panel),
            Action::ClosePanel(panel) => self.settings.layout.set_open(panel, false),
            Action::ResetLayout => self.settings.layout = Layout::default(),
            Action::Theme(theme) => self.settings.theme = theme,
            Action::ZoomIn => self.settings.set_zoom(self.settings.zoom + 0.1),
            Action::ZoomOut => self.settings.set_zoom(self.settings.zoom - 0.1),
            Action::ZoomReset => self.settings.set_zoom(1.0),
            Action::Keys => self.keys_open = !self.keys_open,
            Action::About => self.about_open = !self.about_open,
        }
    }

    fn act_on_selected(&mut self, action: Action) {
        let entities: Vec<Ordinal> = self.history.current().entities().collect();
        match action {
            Action::Duplicate => self.command(vivarium_panels::duplicate(&entities)),
            Action::Kill => self.command(Command::Kill { entities }),
            Action::Remove => self.command(Command::Remove { entities }),
            _ => {}
        }
    }

    /// Does what a panel asks for.
    pub fn request(&mut self, request: Request) {
        match request {
            Request::Command(command) => self.command(command),
            Request::Select(change) => self.history.apply(&change),
            Request::Back => self.history.back(),
            Request::Forward => self.history.forward(),
            Request::OpenFile => self.guard(Then::Choose),
            Request::OpenPath(path) => self.guard(Then::Open(path)),
            Request::OpenSample(name) => self.guard(Then::Sample(name)),
            Request::Save => self.save(),
            Request::SaveAs => self.save_as(),
            Request::Export { name, text } => self.documents.choose(Purpose::Export { name, text }),
            Request::Reload => self.guard(Then::Reload),
            Request::ShowPanel(panel) => self.settings.layout.show(panel),
            // The panels do that among themselves.
            Request::Raw => self.settings.layout.show(vivarium_panels::PanelId::Inspector),
            Request::Template(_) => self.settings.layout.show(vivarium_panels::PanelId::Templates),
            Request::WriteTemplates(names) => self.write_templates(&names),
            Request::Column(field) => {
                self.panels.add_column(field);
                self.settings.layout.show(vivarium_panels::PanelId::Entities);
            }
            Request::Filter(filter) => {
                self.panels.set_filter(filter);
                self.settings.layout.show(vivarium_panels::PanelId::Entities);
            }
        }
    }

    /// Tells the host, and remembers what is to follow its reply.
    pub(super) fn command(&mut self, command: Command) {
        self.script.push(&command);
        let waiting = match (Step::of(&command), &command) {
            (Some(step), _) => Some(Waiting::Edit { step, again: false }),
            (None, Command::Hash) => Some(Waiting::Hash),
            _ => None,
        };
        let number = self.host.send(command);
        if let Some(waiting) = waiting {
            self.waiting.insert(number, waiting);
        }
    }

    /// Copies what was done since the load.
    fn copy_script(&mut self, context: &Context) {
        context.copy_text(self.script.text());
        match self.script.count() {
            (count, 0) => self.note(LogLevel::Info, format!("copied commands: {count}")),
            (count, left_out) => {
                let message = format!("copied commands: {count}; there was no room for the last {left_out}");
                self.note(LogLevel::Warning, message);
            }
        }
    }

    /// Takes back the last edit.
    fn undo(&mut self) {
        if self.is_editing() {
            // What is under way comes on top of what is taken back, so the count of steps says nothing.
            self.edits.lose_saved();
        }
        let Some(step) = self.edits.undo() else { return };
        let title = step.title.clone();
        match step.undo.clone() {
            Some(Deed::Tell(command)) => {
                self.script.push(&command);
                let number = self.host.send(command);
                self.waiting.insert(number, Waiting::Undone { step });
            }
            Some(Deed::Write(texts)) => self.write_to_file(texts, Write::Undone),
            None => {}
        }
        self.note(LogLevel::Info, format!("taken back: {title}"));
    }

    /// Does the last edit that was taken back once more.
    fn redo(&mut self) {
        let Some(step) = self.edits.redo() else { return };
        self.note(LogLevel::Info, format!("done again: {}", step.title));
        match step.redo.clone() {
            Deed::Tell(command) => {
                self.script.push(&command);
                let number = self.host.send(command);
                self.waiting.insert(number, Waiting::Edit { step, again: true });
            }
            Deed::Write(texts) => {
                self.write_to_file(texts, Write::Edit { step: Box::new(step), again: true });
            }
        }
    }

    /// Goes on at once, or asks first if edits would be lost.
    pub(super) fn guard(&mut self, then: Then) {
        if self.has_edits() {
            self.question = Some(Question::Unsaved(then));
        } else {
            self.go_on(then);
        }
    }

    /// Does what waited for the edits to be saved or given up.
    pub(super) fn go_on(&mut self, then: Then) {
        match then {
            Then::Choose => self.documents.choose(Purpose::Open),
            Then::Open(path) => self.documents.open_path(&path),
            Then::Sample(name) => self.documents.open_sample(&name),
            Then::Close => self.may_close = true,
            Then::Reload => {
                if !self.documents.reopen() {
                    self.note(
                        LogLevel::Warning,
                        "the scene did not come from a file: there is nothing to reload",
                    );
                }
            }
        }
    }

    /// Saves to the file the scene came from, or to one the user chooses.
    pub(super) fn save(&mut self) {
        if self.documents.file().is_some() {
            self.save_world(None);
        } else {
            self.save_as();
        }
    }

    fn save_as(&mut self) {
        let scene = &self.host.snapshot().status.scene;
        let name = match self.documents.file().and_then(|file| file.file_name()) {
            Some(name) => name.to_string_lossy().into_owned(),
            None => format!("{}.json", scene.to_lowercase().replace(|c: char| !c.is_alphanumeric(), "-")),
        };
        self.documents.choose(Purpose::Save(name));
    }

    /// Asks the host for the world's text, and saves it when it comes.
    pub(super) fn save_world(&mut self, to: Option<PathBuf>) {
        let form = if self.settings.compress { SaveForm::Compressed } else { SaveForm::Plain };
        let edited = self.has_edits();
        let number = self.host.send(Command::Save { form });
        self.waiting.insert(number, Waiting::Save { to, edited });
    }

    /// Lets the window close, or asks first if edits would be lost.
    pub(super) fn close_if_asked(&mut self, context: &Context) {
        if self.may_close {
            context.send_viewport_cmd(ViewportCommand::Close);
        } else if context.input(|input| input.viewport().close_requested()) {
            let saving = self.waiting.values().any(|waiting| matches!(waiting, Waiting::Save { .. }));
            if saving || self.documents.is_saving() {
                context.send_viewport_cmd(ViewportCommand::CancelClose);
                self.after_save = Some(Then::Close);
            } else if self.has_edits() {
                context.send_viewport_cmd(ViewportCommand::CancelClose);
                self.question = Some(Question::Unsaved(Then::Close));
            }
        }
    }
}
