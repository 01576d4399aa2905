//! `vivarium completions`: a script that completes commands in a shell.

use clap::CommandFactory;

use super::arguments::{Arguments, CompletionsArguments};
use super::exit::{Exit, Failure};
use super::output::Output;

pub(super) fn run(arguments: &CompletionsArguments) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "vivarium", &mut script);
    let mut output = Output::stdout();
    output.text(&String::from_utf8_lossy(&script))?;
    output.flush()?;
    Ok(Exit::Done)
}
