//! What can be typed on the command line.

use std::ffi::OsString;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::exit::EXIT_CODES;

/// Inspector and editor around a live entity world.
///
/// SCENE is a scene or save file, `-` for the standard input, or the name of
/// a sample. Data goes to the standard output; progress and messages go to the standard error.
#[derive(Debug, Parser)]
#[command(name = "vivarium", version, after_help = EXIT_CODES)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Subcommands,
}

#[derive(Debug, Subcommand)]
pub(super) enum Subcommands {
    /// Say what a scene or save holds
    Info(InfoArguments),
    /// Compare two scenes or saves, entity by entity and key by key
    Diff(DiffArguments),
    /// List the scenes that are built in
    Samples(SamplesArguments),
    /// Print a script that completes commands in a shell
    Completions(CompletionsArguments),
}

/// Form of the data on the standard output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Lines for people and simple scripts
    #[default]
    Text,
    /// One JSON document with "schema": 1
    Json,
}

#[derive(Debug, Args)]
pub(super) struct FormatArguments {
    /// Form of the data on the standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORM")]
    pub(super) format: Format,
}

#[derive(Debug, Args)]
pub(super) struct InfoArguments {
    /// Scene or save file, `-` for the standard input, or a sample's name
    pub(super) scene: OsString,
    #[command(flatten)]
    pub(super) format: FormatArguments,
}

#[derive(Debug, Args)]
pub(super) struct DiffArguments {
    /// Scene or save file, `-` for the standard input, or a sample's name
    pub(super) a: OsString,
    /// What to compare it with
    pub(super) b: OsString,
    /// How far apart two numbers may be and still count as equal
    #[arg(long, value_name = "X", default_value_t = 0.0, value_parser = tolerance, allow_negative_numbers = true)]
    pub(super) tolerance: f64,
    /// At most this many differences are printed; all are counted
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(super) limit: usize,
    #[command(flatten)]
    pub(super) format: FormatArguments,
}

#[derive(Debug, Args)]
pub(super) struct SamplesArguments {
    #[command(flatten)]
    pub(super) format: FormatArguments,
}

#[derive(Debug, Args)]
pub(super) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    pub(super) shell: clap_complete::Shell,
}

fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        _ => Err("a tolerance is a number of 0 or more".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use clap::error::ErrorKind;

    fn fault(arguments: &[&str]) -> clap::Error {
        Arguments::try_parse_from(arguments).expect_err("should be refused")
    }

    #[test]
    fn the_definition_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_mistyped_flag_gets_a_suggestion() {
        let error = fault(&["vivarium", "info", "x", "--fromat", "json"]);
        assert_eq!(error.kind(), ErrorKind::UnknownArgument);
        assert!(error.to_string().contains("--format"), "{error}");
    }
}
