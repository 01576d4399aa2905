//! Everything a host can be told, and what it answers. Menus, keys, scripts, tests and the command line all
//! use this one enum.

use crate::component::FieldValue;
use crate::config::Config;
use crate::id::{Ordinal, SystemId};
use crate::world::{Asker, JournalKind};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;

/// One thing a host is told.
///
/// Each gets one [`Reply`]. In a file of commands each stands on a line of its own, as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Command {
    /// Build this scene or save and, if it is without fault, put it in the place of what is loaded. The reply comes
    /// when that is over; until then the old content stays, and commands that need more than it wait. Another load
    /// takes the place of this one.
    Load {
        /// What to call it in errors: a path, or the name of a sample.
        source: String,
        /// Its JSON text.
        text: String,
        /// A seed to use instead of the scene's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seed: Option<u64>,
        /// Whether to go on running if the world was running.
        #[serde(default)]
        keep_running: bool,
    },
    /// Give up the load that is under way: what was loaded before stays.
    CancelLoad,
    /// Start running.
    Run,
    /// Stop running; what is open is drained.
    Pause,
    /// Do a number of steps and pause.
    Step {
        /// How many.
        #[serde(default = "one")]
        steps: u64,
    },
    /// Set how many times faster than real time the world runs; none is as fast as it goes.
    Speed {
        /// Above 0.
        factor: Option<f64>,
    },
    /// Settle the world and answer with its text.
    Save {
        /// In which form.
        form: SaveForm,
    },
    /// Settle the world and answer with the hash of its state.
    Hash,
    /// Create an entity.
    Spawn {
        /// Its config: `type` and whatever differs from the template.
        config: BTreeMap<String, serde_json::Value>,
    },
    /// Create an entity with the state another has now.
    Duplicate {
        /// The other.
        entity: Ordinal,
    },
    /// Kill entities: their death hooks run.
    Kill {
        /// Which.
        entities: Vec<Ordinal>,
    },
    /// Remove entities: no death hook runs.
    Remove {
        /// Which.
        entities: Vec<Ordinal>,
    },
    /// Write a field of entities that have its component.
    Set {
        /// Which entities.
        entities: Vec<Ordinal>,
        /// Which field.
        target: Target,
        /// The new value.
        value: FieldValue,
    },
    /// Write a field of entities that have its component, each a value of its own.
    SetEach {
        /// Which field.
        target: Target,
        /// Whose, and the new value.
        values: Vec<(Ordinal, FieldValue)>,
    },
    /// Compute a number field of entities that have its component from what each has now. What would leave the
    /// field's range is held at its end.
    Change {
        /// Which entities.
        entities: Vec<Ordinal>,
        /// Which field.
        target: Target,
        /// How.
        operator: Operator,
        /// With what.
        operand: f64,
    },
    /// Create entities again under the creation numbers they had: takes back a kill or a removal.
    Restore {
        /// Which, and what of.
        entities: Vec<Restored>,
    },
    /// Give an entity a component, with its default values.
    Add {
        /// Which entity.
        entity: Ordinal,
        /// The component's name.
        component: String,
    },
    /// Take a component from an entity.
    Drop {
        /// Which entity.
        entity: Ordinal,
        /// The component's name.
        component: String,
    },
    /// Change what a template gives entities that are created from now on; those that are there keep what they have.
    Template {
        /// The template.
        name: String,
        /// Keys to set.
        #[serde(default, deserialize_with = "owned_config", skip_serializing_if = "Config::is_empty")]
        set: Config<'static>,
        /// Keys to take out.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        remove: Vec<String>,
    },
    /// Make what an entity has now what its template gives.
    Promote {
        /// Which entity.
        entity: Ordinal,
        /// Under which keys; none is all that the template gives and the entity has otherwise.
        #[serde(default)]
        keys: Vec<String>,
    },
    /// Take note of what the scene file says of a template now: it was written to it.
    FileSays {
        /// The template.
        name: String,
        /// Its keys in the file, without its class.
        #[serde(deserialize_with = "owned_config")]
        config: Config<'static>,
    },
    /// Do several edits, all or none; they are taken back as one.
    All {
        /// The edits, in order.
        commands: Vec<Command>,
    },
    /// Let a system take part, or not.
    Enable {
        /// Which.
        system: SystemId,
        /// Whether it takes part.
        on: bool,
    },
    /// Set how often a system runs.
    Period {
        /// Which.
        system: SystemId,
        /// Milliseconds; 0 runs it every time.
        milliseconds: f64,
    },
    /// Set a parameter of a system.
    Param {
        /// Which system.
        system: SystemId,
        /// Which parameter.
        name: String,
        /// The new value.
        value: FieldValue,
    },
    /// Record what happens to entities in the journal, or stop.
    Record {
        /// Whether it records.
        on: bool,
        /// How many entries are kept; as many as before if left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        keep: Option<usize>,
    },
    /// Forget what the journal recorded.
    ForgetJournal,
    /// Record every change of a field, whoever makes it, while the journal records; or no longer.
    Watch {
        /// Whose field.
        entity: Ordinal,
        /// Which field.
        target: Target,
        /// Whether it is watched.
        on: bool,
    },
    /// Answer with the journal as comma-separated values.
    ExportJournal {
        /// Only entries about entities for which this held then; empty is all.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        filter: String,
        /// Only entries of these kinds; none is all.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        kinds: Vec<JournalKind>,
        /// Only what this one asked for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Asker>,
    },
    /// Forget the slowest ticks and begin a new window.
    ResetTiming,
    /// Set how long the windows of the timings are, and begin a new one.
    TimingWindow {
        /// From 10 to 600,000, of unscaled time.
        milliseconds: f64,
    },
    /// Regroup rows so that queries meet long runs of members.
    Compact,
    /// Finish what is open and end the thread.
    Quit,
}

fn one() -> u64 {
    1
}

fn owned_config<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Config<'static>, D::Error> {
    Config::deserialize(deserializer).map(Config::into_owned)
}

/// What is done with a number and an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operator {
    /// The operand is added.
    Add,
    /// It is taken away.
    Subtract,
    /// The number is multiplied by it.
    Multiply,
    /// The number is divided by it.
    Divide,
}

impl Operator {
    /// The result.
    pub fn apply(self, number: f64, operand: f64) -> f64 {
        match self {
            Self::Add => number + operand,
            Self::Subtract => number - operand,
            Self::Multiply => number * operand,
            Self::Divide => number / operand,
        }
    }
}

/// An entity to create again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Restored {
    /// The creation number it had.
    pub entity: Ordinal,
    /// Its config as a save has it, but with references by creation number.
    #[serde(deserialize_with = "owned_config")]
    pub config: Config<'static>,
}

/// A field of a component, by name: `health.health`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Target {
    /// The component's name.
    pub component: String,
    /// The field's name.
    pub field: String,
}

/// How a save is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SaveForm {
    /// Every entity an object.
    Plain,
    /// Entities as short strings wherever a definition fits.
    Compressed,
}

/// The answer to one command.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The number `send` gave the command.
    pub command: u64,
    /// What came of it, or a message that says what is wrong and what to do.
    pub result: Result<Done, String>,
    /// The command that takes it back; none for what edits nothing or cannot be taken back.
    pub undo: Option<Command>,
}

/// What came of a command.
#[derive(Clone, Debug, PartialEq)]
pub enum Done {
    /// It is done.
    Ok,
    /// The scene is loaded.
    Loaded {
        /// How many entities it has.
        entities: usize,
        /// What a reader may want to know: unknown keys, a fresh seed, ….
        notes: Vec<String>,
    },
    /// The load was given up, and the world is as it was.
    Cancelled,
    /// The world's text.
    Saved {
        /// JSON.
        text: String,
        /// How many entities it holds.
        entities: usize,
    },
    /// The hash of the state after `tick`.
    Hash {
        /// After which step.
        tick: u64,
        /// The hash.
        hash: u64,
    },
    /// The entities that were created.
    Created(Vec<Ordinal>),
    /// A text for another program.
    Exported {
        /// The name of a file for it; its ending says what it is.
        name: String,
        /// The text.
        text: String,
        /// How many rows it has.
        rows: usize,
    },
    /// How many entities or blocks it touched.
    Count(usize),
}

/// What a host tells without being asked.
#[derive(Clone, Debug)]
pub enum HostEvent {
    /// An answer.
    Reply(Reply),
    /// A line for the log.
    Log(LogLine),
}

/// A line of the log.
#[derive(Clone, Debug, PartialEq)]
pub struct LogLine {
    /// How bad it is.
    pub level: LogLevel,
    /// The tick it was written at.
    pub tick: u64,
    /// Who wrote it: "world", "host", or a system's name.
    pub source: String,
    /// A sentence.
    pub message: String,
    /// The system it is about, if it is about one.
    pub system: Option<SystemId>,
    /// The entity it is about, if it is about one.
    pub entity: Option<Ordinal>,
}

/// How bad a line of the log is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// Worth knowing.
    Info,
    /// Something is not as it should be; the world goes on.
    Warning,
    /// Something failed.
    Error,
}
