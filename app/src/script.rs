//! What was done since the load, as a script for `vivarium run --script`.

use crate::edits::is_same_field;
use vivarium_world::Command;

/// The commands, in order. Values that are dragged count once, with the last value.
#[derive(Debug, Default)]
pub(crate) struct Script {
    commands: Vec<Command>,
    /// Entities named in them all: what takes the space.
    named: usize,
    left_out: usize,
}

impl Script {
    /// How many commands are kept, and how many entities they may name.
    const LIMIT: usize = 10_000;
    const NAMED_LIMIT: usize = 1_000_000;

    /// Adds a command, unless there are too many.
    pub(crate) fn push(&mut self, command: &Command) {
        if let Some(last) = self.commands.last_mut()
            && is_same_field(last, command)
        {
            last.clone_from(command);
            return;
        }
        let names = named(command);
        if self.commands.len() >= Self::LIMIT || self.named + names > Self::NAMED_LIMIT {
            self.left_out += 1;
            return;
        }
        self.named += names;
        self.commands.push(command.clone());
    }

    /// One line of JSON a command.
    pub(crate) fn text(&self) -> String {
        let line = |command| serde_json::to_string(command).ok();
        self.commands.iter().filter_map(line).fold(String::new(), |text, line| text + &line + "\n")
    }

    /// How many commands it holds, and how many there was no room for.
    pub(crate) fn count(&self) -> (usize, usize) {
        (self.commands.len(), self.left_out)
    }
}

/// How many entities a command names.
fn named(command: &Command) -> usize {
    match command {
        Command::Set { entities, .. }
        | Command::Change { entities, .. }
        | Command::Kill { entities }
        | Command::Remove { entities } => entities.len(),
        Command::SetEach { values, .. } => values.len(),
        Command::Restore { entities } => entities.len(),
        Command::All { commands } => commands.iter().map(|command| named(command).max(1)).sum(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_world::{FieldValue, Ordinal, Target};

    fn set(entities: u64, value: f64) -> Command {
        Command::Set {
            entities: (0..entities).map(Ordinal).collect(),
            target: Target { component: "health".into(), field: "health".into() },
            value: FieldValue::Float(value),
        }
    }

    fn read(script: &Script) -> Vec<Command> {
        script.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn each_command_is_a_line_that_can_be_read_again() {
        let mut script = Script::default();
        let commands = [Command::Run, set(2, 1.5), Command::Pause, Command::Step { steps: 3 }];
        commands.iter().for_each(|command| script.push(command));
        assert_eq!(read(&script), commands);
    }

    #[test]
    fn a_dragged_value_is_one_line() {
        let mut script = Script::default();
        (0..100).for_each(|n| script.push(&set(2, f64::from(n))));
        assert_eq!(read(&script), [set(2, 99.0)]);
    }

    #[test]
    fn what_there_is_no_room_for_is_counted() {
        let mut script = Script::default();
        script.push(&set(600_000, 1.0));
        script.push(&Command::Run);
        script.push(&set(600_001, 1.0));
        script.push(&Command::Pause);
        assert_eq!(script.count(), (3, 1));
    }
}
