//! `vivarium completions`: a script that completes commands in a shell.

use clap::Args;
use clap::CommandFactory;

use super::arguments::Arguments;
use super::exit::{Exit, Failure};
use super::output::Output;

#[derive(Debug, Args)]
pub(super) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    pub(super) shell: clap_complete::Shell,
}

pub(super) fn run(arguments: &CompletionsArguments) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "vivarium", &mut script);
    let mut output = Output::stdout();
    output.text(&String::from_utf8_lossy(&script))?;
    output.flush()?;
    Ok(Exit::Done)
}
