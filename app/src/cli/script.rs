//! `vivarium run --script`: the window's commands from a file, one JSON object a line.

use std::path::Path;

use serde_json::json;
use vivarium_world::{Command, Done, SaveForm};

use super::Offer;
use super::arguments::Format;
use super::exit::{Exit, Failure};
use super::hosted::Hosted;
use super::open::{SceneText, threads_or_default};
use super::output::Output;
use super::run::{Hash, RunArguments};
use crate::files::{read_scene, write_atomic};

pub(super) fn run(arguments: &RunArguments, path: &Path, offer: &Offer) -> Result<Exit, Failure> {
    let script = parse(path, &read_scene(path)?)?;
    let scene = SceneText::read(&arguments.world.scene, offer)?;
    let threads = threads_or_default(arguments.threads);
    let mut hosted = Hosted::run(&arguments.world, scene.name_and_text(), 0, threads, offer)?;
    let mut output = Output::stdout();
    let mut hashes = Vec::new();
    let as_text = arguments.format.format == Format::Text;
    for (line, command) in script {
        let failed =
            |message| Failure::new(Exit::Unexpected, format_args!("{}:{line}: {message}", path.display()));
        match command {
            Command::Step { steps } => hosted.step(&arguments.world, steps)?,
            other => match hosted.host.call(other).map_err(failed)? {
                Done::Hash { tick, hash } if as_text => output.line(Hash { tick, hash })?,
                Done::Hash { tick, hash } => hashes.push(Hash { tick, hash }),
                Done::Saved { text, .. } | Done::Exported { text, .. } if as_text => output.text(&text)?,
                _ => {}
            },
        }
        hosted.tell_errors();
        if hosted.exit != Exit::Done {
            break;
        }
    }
    if hosted.exit == Exit::Done && arguments.ticks > 0 {
        hosted.step(&arguments.world, arguments.ticks)?;
    }
    finish(&mut hosted, arguments, &mut output, hashes)
}

fn finish(
    hosted: &mut Hosted,
    arguments: &RunArguments,
    output: &mut Output,
    mut hashes: Vec<Hash>,
) -> Result<Exit, Failure> {
    let unexpected = |message| Failure::new(Exit::Unexpected, message);
    let Done::Hash { tick, hash } = hosted.host.call(Command::Hash).map_err(unexpected)? else {
        return Err(unexpected("the world gave no hash".to_owned()));
    };
    if let Some(path) = &arguments.save {
        let form = if arguments.plain { SaveForm::Plain } else { SaveForm::Compressed };
        let Done::Saved { text, .. } = hosted.host.call(Command::Save { form }).map_err(unexpected)? else {
            return Err(unexpected("the world gave no save".to_owned()));
        };
        write_atomic(path, text.as_bytes())?;
    }
    hosted.tell_errors();
    let last = Hash { tick, hash };
    match arguments.format.format {
        Format::Text => output.line(&last)?,
        Format::Json => {
            hashes.push(last);
            let hashes: Vec<_> = hashes.iter().map(Hash::as_json).collect();
            output
                .json(&json!({ "schema": 1, "tick": tick, "hashes": hashes, "exit": hosted.exit as u8 }))?;
        }
    }
    Ok(hosted.exit)
}

/// The commands with their lines, from 1. Empty lines are nothing.
fn parse(path: &Path, text: &str) -> Result<Vec<(usize, Command)>, Failure> {
    let mut commands = Vec::new();
    for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        let invalid = |column: usize, message: &dyn std::fmt::Display| {
            Failure::new(Exit::Invalid, format_args!("{}:{line}:{column}: {message}", path.display()))
        };
        let command: Command =
            serde_json::from_str(text).map_err(|error| invalid(error.column().max(1), &error))?;
        match command {
            Command::Run | Command::Pause | Command::Speed { .. } => {
                return Err(invalid(1, &"no clock runs beside a script; let time pass with `step`"));
            }
            Command::Quit => return Err(invalid(1, &"a script ends with its last line")),
            other => commands.push((line, other)),
        }
    }
    Ok(commands)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_carry_their_lines_and_faults_their_place() {
        let path = Path::new("s.jsonl");
        let script = "{\"do\":\"step\",\"steps\":3}\n\n{\"do\":\"hash\"}\n";
        let expected = vec![(1, Command::Step { steps: 3 }), (3, Command::Hash)];
        assert_eq!(parse(path, script).unwrap(), expected);
        for (script, part) in [
            ("{\"do\":\"hash\"}\n{\"do\":\"fly\"}", "s.jsonl:2:"),
            ("{\"do\":\"run\"}", "`step`"),
            ("{\"do\":\"quit\"}", "last line"),
            ("{", "s.jsonl:1:"),
        ] {
            let failure = parse(path, script).unwrap_err();
            assert_eq!(failure.exit, Exit::Invalid);
            assert!(failure.message.contains(part), "{}", failure.message);
        }
    }
}
