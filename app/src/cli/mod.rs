//! The command line: what was typed, what it means, and how it ends.
//!
//! Each command is a file with one function from its arguments to an exit. Data goes to the standard output and
//! nothing else does; messages and progress go to the standard error.

mod arguments; // what can be typed
mod assert;
mod bench;
mod completions;
mod diff;
mod dump;
mod exit; // exit codes, and failures that carry one
mod hosted; // a host without a window
mod info;
mod interrupt; // Ctrl-C
mod memory;
mod open; // from a scene's name to a loaded world
mod output; // standard output
mod progress;
mod query; // queries and assertions
mod run;
mod samples;
mod save;
mod saved; // the entities of a file
mod schedule;
mod screenshot;
mod script; // commands from a file
mod steps; // ticks, until something stops them
mod table; // rows as text, CSV and JSON
mod validate;
mod verify;
mod window;

use std::process::ExitCode;

use clap::Parser;
use vivarium_world::Catalog;

use crate::files::EmbeddedScene;
pub(crate) use diff::Differences;

use arguments::{Arguments, Subcommands};
use exit::{Exit, Failure};

/// What the program brings along.
pub(crate) struct Offer {
    /// What scenes may name.
    pub(crate) catalog: Catalog,
    /// The scenes that are built in.
    pub(crate) scenes: Vec<EmbeddedScene>,
}

/// Does what the process's arguments say.
pub(crate) fn main(offer: &Offer) -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help asked for goes to the standard output and is no failure; nobody there to read it is none either.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage.into() } else { Exit::Done.into() };
        }
    };
    match dispatch(arguments, offer) {
        Ok(exit) => exit.into(),
        Err(Failure { exit, message }) => {
            report(message);
            exit.into()
        }
    }
}

fn dispatch(arguments: Arguments, offer: &Offer) -> Result<Exit, Failure> {
    let Some(command) = arguments.command else {
        return window::run(arguments.file.as_deref(), offer);
    };
    match command {
        Subcommands::Run(arguments) => run::run(&arguments, offer),
        Subcommands::Validate(arguments) => validate::run(&arguments, offer),
        Subcommands::Info(arguments) => info::run(&arguments, offer),
        Subcommands::Save(arguments) => save::run(&arguments, offer),
        Subcommands::Diff(arguments) => diff::run(&arguments, offer),
        Subcommands::Assert(arguments) => assert::run(&arguments, offer),
        Subcommands::Dump(arguments) => dump::run(&arguments, offer),
        Subcommands::Memory(arguments) => memory::run(&arguments, offer),
        Subcommands::Schedule(arguments) => schedule::run(&arguments, offer),
        Subcommands::Verify(arguments) => verify::run(&arguments, offer),
        Subcommands::Bench(arguments) => bench::run(&arguments, offer),
        Subcommands::Screenshot(arguments) => screenshot::run(&arguments, offer),
        Subcommands::Samples(arguments) => samples::run(&arguments, offer),
        Subcommands::Completions(arguments) => completions::run(&arguments),
    }
}

/// Tells the user on the standard error; that nobody reads it is no reason to fail.
fn report(message: impl std::fmt::Display) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "vivarium: {message}");
}
