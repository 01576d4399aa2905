//! Undo and redo of edits: each step with what takes it back, as the host said when the edit was made.
//!
//! What cannot be taken back ends the history, lest *Undo* skip it unseen.

use crate::template_text::TemplateText;
use std::time::{Duration, Instant};
use vivarium_world::{Command, Config};

/// A step that can be taken back.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    /// What it did, for texts: `set health.health`.
    pub(crate) title: String,
    /// Does it.
    pub(crate) redo: Deed,
    /// Takes it back; none if nothing does, or the host has not answered yet.
    pub(crate) undo: Option<Deed>,
    /// Tells steps apart.
    number: u64,
}

/// What is done to do a step or to take it back.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Deed {
    /// The host is told.
    Tell(Command),
    /// Templates are written to the open scene file.
    Write(Vec<TemplateText>),
}

impl Step {
    /// The step a command is; none if it edits nothing.
    pub(crate) fn of(command: &Command) -> Option<Self> {
        let (title, redo) = (title(command)?, Deed::Tell(command.clone()));
        Some(Self { title, redo, undo: None, number: 0 })
    }

    /// Templates written to the scene file.
    pub(crate) fn of_write(texts: Vec<TemplateText>) -> Self {
        let title = match &texts[..] {
            [one] => format!("write template {} to the file", one.name),
            more => format!("write {} templates to the file", more.len()),
        };
        Self { title, redo: Deed::Write(texts), undo: None, number: 0 }
    }
}

/// What an edit is called; none for what edits nothing.
fn title(command: &Command) -> Option<String> {
    let several = |verb: &str, count: usize| match count {
        1 => verb.to_owned(),
        count => format!("{verb} {count} entities"),
    };
    Some(match command {
        Command::Set { target, .. } | Command::SetEach { target, .. } | Command::Change { target, .. } => {
            format!("set {}.{}", target.component, target.field)
        }
        Command::Spawn { .. } => "spawn".to_owned(),
        Command::Duplicate { .. } => "duplicate".to_owned(),
        Command::Restore { entities } => several("restore", entities.len()),
        Command::Kill { entities } => several("kill", entities.len()),
        Command::Remove { entities } => several("remove", entities.len()),
        Command::Add { component, .. } => format!("add {component}"),
        Command::Drop { component, .. } => format!("remove {component}"),
        Command::Template { name, .. } => format!("change template {name}"),
        Command::Promote { .. } => "promote values to the template".to_owned(),
        Command::Enable { on: true, .. } => "switch a system on".to_owned(),
        Command::Enable { on: false, .. } => "switch a system off".to_owned(),
        Command::Period { .. } => "set a period".to_owned(),
        Command::Param { name, .. } => format!("set {name}"),
        Command::All { commands } => match &commands[..] {
            [] => return None,
            [first, rest @ ..] => {
                let first = title(first)?;
                if rest.iter().all(|other| title(other).is_some_and(|other| other == first)) {
                    first
                } else {
                    format!("{first} and more")
                }
            }
        },
        _ => return None,
    })
}

/// Whether doing it again makes other entities than before, unless they are restored.
fn creates(deed: &Deed) -> bool {
    fn by(command: &Command) -> bool {
        match command {
            Command::Spawn { .. } | Command::Duplicate { .. } => true,
            Command::All { commands } => commands.iter().any(by),
            _ => false,
        }
    }
    matches!(deed, Deed::Tell(command) if by(command))
}

/// What was done and what was taken back.
#[derive(Debug)]
pub(crate) struct Edits {
    /// Oldest first, with the moment it was done.
    done: Vec<(Step, Instant)>,
    /// Latest taken back last.
    undone: Vec<Step>,
    /// How many steps were done when the world was loaded or last saved; none if no undo leads back there.
    saved: Option<usize>,
    /// Whether anything was done or taken back since.
    moved: bool,
    /// Steps there were.
    count: u64,
}

impl Default for Edits {
    fn default() -> Self {
        Self { done: Vec::new(), undone: Vec::new(), saved: Some(0), moved: false, count: 0 }
    }
}

impl Edits {
    /// How many steps are remembered.
    const LIMIT: usize = 200;
    /// Edits of one field that follow each other this closely are one step: a value that is dragged.
    const TOGETHER: Duration = Duration::from_millis(700);

    /// Remembers a step that was done at `now`; what was taken back before can no longer be done again.
    pub(crate) fn push(&mut self, mut step: Step, now: Instant) {
        self.moved = true;
        self.undone.clear();
        // What was saved may have been among what was taken back.
        self.saved = self.saved.filter(|saved| *saved <= self.done.len());
        if step.undo.is_none() {
            self.done.clear();
            self.saved = None;
            return;
        }
        let is_saved = self.saved == Some(self.done.len());
        if let Some((last, at)) = self.done.last_mut()
            && !is_saved
            && now.duration_since(*at) < Self::TOGETHER
            && let (Deed::Tell(one), Deed::Tell(other)) = (&last.redo, &step.redo)
            && is_same_field(one, other)
        {
            last.redo = step.redo;
            *at = now;
            return;
        }
        self.count += 1;
        step.number = self.count;
        self.done.push((step, now));
        if self.done.len() > Self::LIMIT {
            self.done.remove(0);
            self.saved = self.saved.and_then(|saved| saved.checked_sub(1));
        }
    }

    /// Remembers a step that was done once more.
    pub(crate) fn push_again(&mut self, step: Step) {
        // Long ago, so that a later edit is a step of its own.
        self.moved = true;
        let then = Instant::now().checked_sub(Self::TOGETHER).unwrap_or_else(Instant::now);
        self.done.push((step, then));
    }

    /// The step to take back; it can be done again afterwards.
    pub(crate) fn undo(&mut self) -> Option<Step> {
        let (step, _) = self.done.pop()?;
        self.undone.push(step.clone());
        self.moved = true;
        Some(step)
    }

    /// The step to do again. [`push_again`](Self::push_again) it when it is done.
    pub(crate) fn redo(&mut self) -> Option<Step> {
        self.undone.pop()
    }

    /// A step was taken back, and this would take that back. If the step created entities, that is how to do it
    /// again: later steps know them by their numbers.
    pub(crate) fn was_undone(&mut self, step: &Step, back: Option<Command>) {
        let undone = self.undone.iter_mut().find(|undone| undone.number == step.number);
        if let (Some(undone), Some(back)) = (undone, back)
            && creates(&undone.redo)
        {
            undone.redo = Deed::Tell(back);
        }
    }

    /// The world as it is was given out to be saved.
    pub(crate) fn mark_saved(&mut self) {
        (self.saved, self.moved) = (Some(self.done.len()), false);
    }

    /// It is not known any more how far what was saved is away.
    pub(crate) fn lose_saved(&mut self) {
        self.saved = None;
    }

    /// Whether edits were done since the load or the last save, and all of them taken back.
    pub(crate) fn is_back(&self) -> bool {
        self.moved && self.saved == Some(self.done.len())
    }

    /// Whether there is something to take back, and something to do again.
    pub(crate) fn can_go(&self) -> (bool, bool) {
        (!self.done.is_empty(), !self.undone.is_empty())
    }

    /// Forgets everything: another world is loaded.
    pub(crate) fn clear(&mut self) {
        *self = Self { count: self.count, ..Self::default() };
    }
}

/// Whether both write the same field of the same entities, the same key of a template, or the same parameter.
pub(crate) fn is_same_field(one: &Command, other: &Command) -> bool {
    match (one, other) {
        (
            Command::Set { entities, target, .. },
            Command::Set { entities: other_entities, target: other_target, .. },
        ) => entities == other_entities && target == other_target,
        (Command::Param { system, name, .. }, Command::Param { system: other, name: other_name, .. }) => {
            system == other && name == other_name
        }
        (Command::Period { system, .. }, Command::Period { system: other, .. }) => system == other,
        (
            Command::Template { name, set, remove },
            Command::Template { name: other, set: other_set, remove: other_remove },
        ) => {
            let keys = |set: &Config<'_>| set.iter().map(|(key, _)| key.to_owned()).collect::<Vec<_>>();
            name == other && remove.is_empty() && other_remove.is_empty() && keys(set) == keys(other_set)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_world::{FieldValue, Ordinal, Restored, SystemId, Target};

    fn set(entities: &[u64], value: f64) -> Command {
        Command::Set {
            entities: entities.iter().map(|entity| Ordinal(*entity)).collect(),
            target: Target { component: "health".into(), field: "health".into() },
            value: FieldValue::Float(value),
        }
    }

    /// A step that was done, and that a command takes back.
    fn step(redo: Command, undo: Command) -> Step {
        Step { undo: Some(Deed::Tell(undo)), ..Step::of(&redo).expect("an edit") }
    }

    fn lasting(redo: Command) -> Step {
        Step::of(&redo).expect("an edit")
    }

    fn enable(on: bool) -> Step {
        let enable = |on| Command::Enable { system: SystemId(0), on };
        step(enable(on), enable(!on))
    }

    #[test]
    fn what_edits_nothing_is_no_step() {
        let nothing = Command::All { commands: Vec::new() };
        for command in [Command::Run, Command::Hash, Command::Compact, Command::Step { steps: 1 }, nothing] {
            assert_eq!(Step::of(&command), None);
        }
    }

    #[test]
    fn steps_are_called_by_what_they_do() {
        let title = |command| Step::of(&command).unwrap().title;
        let kill = |n| Command::Kill { entities: (0..n).map(Ordinal).collect() };
        assert_eq!(title(kill(1)), "kill");
        assert_eq!(title(kill(3)), "kill 3 entities");
        assert_eq!(title(set(&[1], 1.0)), "set health.health");
        assert_eq!(
            title(Command::All { commands: vec![set(&[1], 1.0), set(&[2], 2.0)] }),
            "set health.health"
        );
        assert_eq!(
            title(Command::All { commands: vec![set(&[1], 1.0), kill(1)] }),
            "set health.health and more"
        );
        let text = |name: &str| TemplateText { name: name.into(), config: Config::new() };
        assert_eq!(Step::of_write(vec![text("oak")]).title, "write template oak to the file");
        assert_eq!(Step::of_write(vec![text("oak"), text("elm")]).title, "write 2 templates to the file");
    }

    #[test]
    fn undo_leads_back_to_what_was_saved_and_not_past_it() {
        let (mut edits, now) = (Edits::default(), Instant::now());
        assert!(!edits.is_back(), "edits it knows nothing of are not taken back");
        edits.push(enable(true), now);
        edits.undo();
        assert!(edits.is_back());
        edits.push(enable(true), now);
        edits.mark_saved();
        edits.undo();
        assert!(!edits.is_back());
        let again = edits.redo().unwrap();
        edits.push_again(again);
        assert!(edits.is_back());
        edits.undo();
        edits.push(enable(false), now);
        assert!(!edits.is_back(), "what was saved was among what was taken back");
        edits.mark_saved();
        edits.push(lasting(set(&[1], 1.0)), now);
        edits.push(enable(true), now);
        assert!(!edits.is_back());
    }

    #[test]
    fn a_value_dragged_on_after_a_save_is_a_step_of_its_own() {
        let param = |value| Command::Param { system: SystemId(0), name: "p".into(), value };
        let (mut edits, now) = (Edits::default(), Instant::now());
        edits.push(step(param(FieldValue::Int(1)), param(FieldValue::Int(0))), now);
        edits.mark_saved();
        edits.push(step(param(FieldValue::Int(2)), param(FieldValue::Int(1))), now);
        assert!(!edits.is_back());
        edits.undo();
        assert!(edits.is_back());
    }

    #[test]
    fn a_dragged_value_is_one_step() {
        let (mut edits, start) = (Edits::default(), Instant::now());
        for n in 0..50_u64 {
            let dragged = step(set(&[1], n as f64 + 1.0), set(&[1], n as f64));
            edits.push(dragged, start + Duration::from_millis(n * 16));
        }
        edits.push(step(set(&[2], 5.0), set(&[2], 4.0)), start + Duration::from_millis(810));
        assert_eq!(edits.undo().unwrap().redo, Deed::Tell(set(&[2], 5.0)));
        let dragged = edits.undo().unwrap();
        assert_eq!(dragged.redo, Deed::Tell(set(&[1], 50.0)));
        assert_eq!(dragged.undo, Some(Deed::Tell(set(&[1], 0.0))));
        assert_eq!(edits.can_go(), (false, true));
    }

    #[test]
    fn a_dragged_key_of_a_template_is_one_step() {
        let template = |key: &str, value: f64| Command::Template {
            name: "oak".into(),
            set: Config::from_iter([(key.to_owned(), value)]),
            remove: Vec::new(),
        };
        assert!(is_same_field(&template("height", 1.0), &template("height", 2.0)));
        assert!(!is_same_field(&template("height", 1.0), &template("girth", 2.0)));
    }

    #[test]
    fn undo_and_redo_walk_the_same_way_until_a_new_edit() {
        let (mut edits, start) = (Edits::default(), Instant::now());
        let later = start + Duration::from_secs(5);
        edits.push(step(set(&[1], 1.0), set(&[1], 0.0)), start);
        edits.push(step(set(&[2], 2.0), set(&[2], 0.0)), start);
        edits.undo();
        assert_eq!(edits.can_go(), (true, true));
        let again = edits.redo().unwrap();
        assert_eq!(again.redo, Deed::Tell(set(&[2], 2.0)));
        edits.push_again(again);
        edits.undo();
        edits.push(step(set(&[3], 3.0), set(&[3], 0.0)), later);
        assert_eq!(edits.can_go(), (true, false), "the way forward is gone");
    }

    #[test]
    fn what_cannot_be_taken_back_ends_the_history() {
        let (mut edits, now) = (Edits::default(), Instant::now());
        edits.push(step(set(&[1], 1.0), set(&[1], 0.0)), now);
        edits.push(lasting(Command::Kill { entities: vec![Ordinal(77)] }), now);
        assert_eq!(edits.can_go(), (false, false));
    }

    #[test]
    fn what_created_entities_is_done_again_by_restoring_them() {
        let (mut edits, now) = (Edits::default(), Instant::now());
        let restore =
            Command::Restore { entities: vec![Restored { entity: Ordinal(9), config: Config::new() }] };
        let remove = Command::Remove { entities: vec![Ordinal(9)] };
        let kill = Command::Kill { entities: vec![Ordinal(9)] };
        edits.push(step(Command::Spawn { config: Default::default() }, remove.clone()), now);
        edits.push(step(kill.clone(), restore.clone()), now);
        let (killed, spawned) = (edits.undo().unwrap(), edits.undo().unwrap());
        edits.was_undone(&killed, Some(remove));
        edits.was_undone(&spawned, Some(restore.clone()));
        assert_eq!(edits.redo().unwrap().redo, Deed::Tell(restore));
        assert_eq!(edits.redo().unwrap().redo, Deed::Tell(kill), "death hooks run again");
    }
}
