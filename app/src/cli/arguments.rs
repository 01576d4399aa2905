//! What can be typed on the command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, RangedU64ValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};

use vivarium_panels::PanelId;
use vivarium_world::MAX_SEED;

use super::exit::EXIT_CODES;

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
    Run(RunArguments),
    /// Check scene and save files, and name every fault
    Validate(ValidateArguments),
    /// Say what a scene or save holds
    Info(InfoArguments),
    /// Write a scene or save anew, compressed or plain
    Save(SaveArguments),
    /// Compare two scenes or saves, entity by entity and key by key
    Diff(DiffArguments),
    /// Check that what should hold of a world after some ticks does
    Assert(AssertArguments),
    /// List entities and their values
    Dump(DumpArguments),
    /// Show what the pools of a world hold
    Memory(MemoryArguments),
    /// Show which systems may run together, and why others wait
    Schedule(ScheduleArguments),
    /// Run a scene on several numbers of threads and find the first tick that differs
    Verify(VerifyArguments),
    /// Measure how fast a scene runs, and compare with an earlier measurement
    Bench(BenchArguments),
    /// Paint what the window would show into a picture, without a display
    Screenshot(ScreenshotArguments),
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

#[derive(Debug, Args)]
pub(super) struct RunArguments {
    #[command(flatten)]
    pub(super) world: WorldArguments,
    /// Steps to run
    #[arg(long, value_name = "N")]
    pub(super) ticks: u64,
    /// Worker threads; 0 does everything on one. Results do not depend on it [default: one a core]
    #[arg(long, value_name = "N", value_parser = thread_count())]
    pub(super) threads: Option<u16>,
    /// Print the hash after every K-th tick, too
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) hash_every: Option<u64>,
    /// Stop as soon as this holds, such as `count(class:ship) = 0`; that it never does is a failure
    #[arg(long, value_name = "EXPR")]
    pub(super) until: Option<String>,
    /// Do the commands in this file first, a JSON object a line
    #[arg(long, value_name = "FILE", conflicts_with_all = ["until", "hash_every", "timings"])]
    pub(super) script: Option<PathBuf>,
    /// Write the last state to this file
    #[arg(long, value_name = "FILE")]
    pub(super) save: Option<PathBuf>,
    /// Save every entity as an object, not as a short string
    #[arg(long, requires = "save")]
    pub(super) plain: bool,
    /// Write what was measured to this file: .csv, .trace.json for trace viewers, or .json
    #[arg(long, value_name = "FILE")]
    pub(super) timings: Option<PathBuf>,
    #[command(flatten)]
    pub(super) format: FormatArguments,
}

#[derive(Debug, Args)]
pub(super) struct ValidateArguments {
    /// Scene and save files, `-`, or samples' names
    #[arg(required = true, value_name = "SCENE")]
    pub(super) scenes: Vec<OsString>,
    #[command(flatten)]
    pub(super) format: FormatArguments,
}

#[derive(Debug, Args)]
pub(super) struct SaveArguments {
    #[command(flatten)]
    pub(super) world: WorldArguments,
    /// File to write; `-` is the standard output
    pub(super) out: PathBuf,
    /// Every entity an object
    #[arg(long, conflicts_with = "compressed")]
    pub(super) plain: bool,
    /// Entities as short strings wherever that is exact; this is the default
    #[arg(long)]
    pub(super) compressed: bool,
    /// JSON list of definitions to use for their types instead of those that would be found
    #[arg(long, value_name = "FILE", conflicts_with = "plain")]
    pub(super) definitions: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct AssertArguments {
    #[command(flatten)]
    pub(super) world: WorldArguments,
    /// Steps to run first
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) ticks: u64,
    /// Worker threads; 0 does everything on one [default: one a core]
    #[arg(long, value_name = "N", value_parser = thread_count())]
    pub(super) threads: Option<u16>,
    /// What should hold, such as `count(class:ship) > 3`; may be given more than once
    #[arg(long = "expression", short, value_name = "EXPR", required = true)]
    pub(super) expressions: Vec<String>,
    #[command(flatten)]
    pub(super) format: FormatArguments,
}

#[derive(Debug, Args)]
pub(super) struct DumpArguments {
    #[command(flatten)]
    pub(super) world: WorldArguments,
    /// Steps to run first
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) ticks: u64,
    /// Worker threads; 0 does everything on one [default: one a core]
    #[arg(long, value_name = "N", value_parser = thread_count())]
    pub(super) threads: Option<u16>,
    /// Only entities that match, such as `class:ship not dead`
    #[arg(long, value_name = "Q", default_value = "", hide_default_value = true)]
    pub(super) query: String,
    /// Fields to show, each `component.field`, or a component for all of its fields
    #[arg(long, value_name = "A,B…", value_delimiter = ',')]
    pub(super) fields: Vec<String>,
    /// Form of the data on the standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORM")]
    pub(super) format: DumpFormat,
}

/// Form of a list of entities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum DumpFormat {
    /// Aligned columns
    #[default]
    Table,
    /// One JSON document with "schema": 1
    Json,
    /// A JSON object a line
    Jsonl,
    /// Comma-separated values
    Csv,
}

#[derive(Debug, Args)]
pub(super) struct MemoryArguments {
    #[command(flatten)]
    pub(super) world: WorldArguments,
    /// Steps to run first
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) ticks: u64,
    /// Worker threads; 0 does everything on one [default: one a core]
    #[arg(long, value_name = "N", value_parser = thread_count())]
    pub(super) threads: Option<u16>,
    #[command(flatten)]
    pub(super) format: FormatArguments,
}

#[derive(Debug, Args)]
pub(super) struct BenchArguments {
    #[command(flatten)]
    pub(super) world: WorldArguments,
    /// Steps to measure in each run
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) ticks: u64,
    /// Steps before measuring begins
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) warmup: u64,
    /// How often the scene is loaded and run
    #[arg(long, value_name = "R", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(super) runs: u32,
    /// Worker threads; 0 does everything on one [default: one a core]
    #[arg(long, value_name = "N", value_parser = thread_count())]
    pub(super) threads: Option<u16>,
    /// Write the measurement to this file, for a later --baseline
    #[arg(long, value_name = "FILE")]
    pub(super) export: Option<PathBuf>,
    /// Compare with the measurement in this file
    #[arg(long, value_name = "FILE")]
    pub(super) baseline: Option<PathBuf>,
    /// Fail if the mean tick is slower than the baseline's by more than this
    #[arg(long, value_name = "PERCENT", requires = "baseline", value_parser = percent)]
    #[arg(allow_negative_numbers = true)]
    pub(super) fail_above: Option<f64>,
    #[command(flatten)]
    pub(super) format: FormatArguments,
}

#[derive(Debug, Args)]
pub(super) struct ScreenshotArguments {
    #[command(flatten)]
    pub(super) world: WorldArguments,
    /// Steps to run first
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) ticks: u64,
    /// Worker threads; 0 does everything on one [default: one a core]
    #[arg(long, value_name = "N", value_parser = thread_count())]
    pub(super) threads: Option<u16>,
    /// Show this panel alone
    #[arg(long, value_name = "P", value_parser = panel_names())]
    pub(super) panel: Option<String>,
    /// Pixels of the picture
    #[arg(long, value_name = "WxH", default_value = "1400x880", value_parser = size)]
    pub(super) size: [u32; 2],
    /// Pixels per point: 2 for a dense display
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = scale, allow_negative_numbers = true)]
    pub(super) scale: f32,
    /// Colours
    #[arg(long, value_enum, default_value_t)]
    pub(super) theme: Theme,
    /// PNG file to write
    #[arg(long, short, value_name = "FILE")]
    pub(super) out: PathBuf,
}

/// Colours of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Theme {
    /// Light on dark
    #[default]
    Dark,
    /// Dark on light
    Light,
}

impl Theme {
    /// As the window's settings name it.
    pub(super) fn preference(self) -> egui::ThemePreference {
        match self {
            Self::Dark => egui::ThemePreference::Dark,
            Self::Light => egui::ThemePreference::Light,
        }
    }
}

#[derive(Debug, Args)]
pub(super) struct ScheduleArguments {
    #[command(flatten)]
    pub(super) world: WorldArguments,
    /// Say in a sentence why one of these systems waits for the other, or that none does
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    pub(super) explain: Vec<String>,
    /// Form of the data on the standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORM")]
    pub(super) format: ScheduleFormat,
}

/// Form of a schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ScheduleFormat {
    /// Batches, then a sentence for every pair that may not run at once
    #[default]
    Text,
    /// One JSON document with "schema": 1
    Json,
    /// A graph for Graphviz
    Dot,
}

#[derive(Debug, Args)]
pub(super) struct VerifyArguments {
    #[command(flatten)]
    pub(super) world: WorldArguments,
    /// Steps to run
    #[arg(long, value_name = "N")]
    pub(super) ticks: u64,
    /// Numbers of worker threads to compare
    #[arg(long = "threads", value_name = "N,N…", value_delimiter = ',', default_values_t = [0, 1, 2, 8])]
    #[arg(value_parser = thread_count())]
    pub(super) counts: Vec<u16>,
    /// Compare after every K-th tick and the last one
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) every: u64,
    #[command(flatten)]
    pub(super) format: FormatArguments,
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

/// More threads than this are a slip of the finger.
fn thread_count() -> RangedU64ValueParser<u16> {
    RangedU64ValueParser::new().range(0..=512)
}

fn panel_names() -> PossibleValuesParser {
    PossibleValuesParser::new(PanelId::ALL.map(PanelId::name))
}

/// The largest side of a picture, in pixels.
const LARGEST_SIDE: u32 = 8192;

fn size(text: &str) -> Result<[u32; 2], String> {
    let sides = text.split_once(['x', 'X']).map(|(width, height)| [width, height].map(str::parse::<u32>));
    match sides {
        Some([Ok(width), Ok(height)])
            if (1..=LARGEST_SIDE).contains(&width) && (1..=LARGEST_SIDE).contains(&height) =>
        {
            Ok([width, height])
        }
        _ => Err(format!(
            "a size is width and height in pixels, such as 1400x880, each at most {LARGEST_SIDE}"
        )),
    }
}

fn scale(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(value) if (0.25..=8.0).contains(&value) => Ok(value),
        _ => Err("a scale is a number from 0.25 to 8".into()),
    }
}

fn percent(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('%').parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        _ => Err("a percentage is a number of 0 or more, such as 10%".into()),
    }
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
