//! What can be typed on the command line; what only one command takes stands in its file.

use std::ffi::OsString;
use std::time::Duration;

use clap::builder::RangedU64ValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use vivarium_world::MAX_SEED;

use super::exit::EXIT_CODES;
use super::{
    assert, bench, completions, diff, dump, info, memory, run, samples, save, schedule, screenshot, validate,
    verify,
};

/// Inspector and editor around a live entity world.
///
/// Without a command it opens the window. SCENE is a scene or save file, `-` for the standard input, or the name of
/// a sample. Data goes to the standard output; progress and messages go to the standard error.
#[derive(Debug, Parser)]
#[command(name = "vivarium", version, after_help = EXIT_CODES)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Option<Subcommands>,
    /// Scene, save or sample to open in the window
    pub(super) file: Option<OsString>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Subcommands {
    /// Run a world without a window and print the hash of its state
    Run(run::RunArguments),
    /// Check scene and save files, and name every fault
    Validate(validate::ValidateArguments),
    /// Say what a scene or save holds
    Info(info::InfoArguments),
    /// Write a scene or save anew, compressed or plain
    Save(save::SaveArguments),
    /// Compare two scenes or saves, entity by entity and key by key
    Diff(diff::DiffArguments),
    /// Check that what should hold of a world after some ticks does
    Assert(assert::AssertArguments),
    /// List entities and their values
    Dump(dump::DumpArguments),
    /// Show what the pools of a world hold
    Memory(memory::MemoryArguments),
    /// Show which systems may run together, and why others wait
    Schedule(schedule::ScheduleArguments),
    /// Run a scene on several numbers of threads and find the first tick that differs
    Verify(verify::VerifyArguments),
    /// Measure how fast a scene runs, and compare with an earlier measurement
    Bench(bench::BenchArguments),
    /// Paint what the window would show into a picture, without a display
    Screenshot(screenshot::ScreenshotArguments),
    /// List the scenes that are built in
    Samples(samples::SamplesArguments),
    /// Print a script that completes commands in a shell
    Completions(completions::CompletionsArguments),
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

/// Which world, and what limits it.
#[derive(Clone, Debug, Args)]
pub(super) struct WorldArguments {
    /// Scene or save file, `-` for the standard input, or a sample's name
    pub(super) scene: OsString,
    /// Fixed step in milliseconds, instead of the scene's
    #[arg(long, value_name = "MS", value_parser = milliseconds, allow_negative_numbers = true)]
    pub(super) dt: Option<f64>,
    /// Seed of the random numbers, instead of the scene's
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(0..=MAX_SEED))]
    pub(super) seed: Option<u64>,
    /// Give up after this many seconds of real time
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub(super) timeout: Option<Duration>,
    /// No progress and no notes
    #[arg(long, short)]
    pub(super) quiet: bool,
}

/// More threads than this are a slip of the finger.
pub(super) fn thread_count() -> RangedU64ValueParser<u16> {
    RangedU64ValueParser::new().range(0..=512)
}

fn milliseconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value > 0.0 => Ok(value),
        _ => Err("milliseconds are a number above 0".into()),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().map_err(|_| "seconds are a number".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|_| "seconds are a number of 0 or more".into())
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
    fn a_lone_word_is_the_file_of_the_window() {
        let arguments = Arguments::try_parse_from(["vivarium", "scene.json"]).unwrap();
        assert!(arguments.command.is_none());
        assert_eq!(arguments.file.unwrap(), "scene.json");
        assert!(Arguments::try_parse_from(["vivarium"]).unwrap().file.is_none());
    }

    #[test]
    fn run_takes_a_scene_and_ticks() {
        let line =
            ["vivarium", "run", "-", "--ticks", "60", "--dt", "16.5", "--threads", "0", "--hash-every", "10"];
        let Some(Subcommands::Run(run)) = Arguments::try_parse_from(line).unwrap().command else { panic!() };
        assert_eq!((run.world.scene.to_str(), run.ticks), (Some("-"), 60));
        assert_eq!((run.world.dt, run.threads, run.hash_every), (Some(16.5), Some(0), Some(10)));
        assert_eq!(run.format.format, Format::Text);
    }

    #[test]
    fn values_that_mean_nothing_are_refused() {
        for wrong in [
            ["--dt", "0"],
            ["--dt", "NaN"],
            ["--hash-every", "0"],
            ["--threads", "-1"],
            ["--seed", "1.5"],
            ["--timeout", "inf"],
        ] {
            let error = fault(&["vivarium", "run", "x", "--ticks", "1", wrong[0], wrong[1]]);
            assert!(
                matches!(error.kind(), ErrorKind::ValueValidation | ErrorKind::UnknownArgument),
                "{wrong:?}: {error}"
            );
        }
        assert_eq!(fault(&["vivarium", "run", "x"]).kind(), ErrorKind::MissingRequiredArgument);
        let both = fault(&["vivarium", "save", "a", "b", "--plain", "--compressed"]);
        assert_eq!(both.kind(), ErrorKind::ArgumentConflict);
    }

    #[test]
    fn a_mistyped_flag_gets_a_suggestion() {
        let error = fault(&["vivarium", "info", "x", "--fromat", "json"]);
        assert_eq!(error.kind(), ErrorKind::UnknownArgument);
        assert!(error.to_string().contains("--format"), "{error}");
    }
}
