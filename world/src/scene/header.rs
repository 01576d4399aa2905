//! What a scene says beside its entities.

use crate::component::{FieldValue, Role, Scalar};
use crate::config::Config;
use crate::random::StreamState;
use std::sync::Arc;

/// The newest version of the format, at the key `vivarium`.
pub const FORMAT_VERSION: u64 = 1;

/// Everything a scene or a save says beside its entities and their definitions.
///
/// It is checked for form, not for meaning: whether there is a component, system or class of a name is for the
/// world to say.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneHeader {
    /// What to call it; may be empty.
    pub name: String,
    /// What it shows, in a sentence or two; may be empty.
    pub about: String,
    /// The random stream to go on with; none asks for a fresh seed.
    pub random: Option<StreamState>,
    /// Who decides what runs together.
    pub scheduler: SchedulerKind,
    /// The order systems are registered in, at the key `order`: as they are listed, or by what they touch.
    pub order: SystemOrder,
    /// The fixed step in milliseconds, above 0; none lets the time of an update be what it is.
    pub step: Option<f64>,
    /// Components that are described here and need no code.
    pub components: Vec<DataComponent>,
    /// Families of entities.
    pub classes: Vec<SceneClass>,
    /// Types of entities.
    pub templates: Vec<SceneTemplate>,
    /// Systems in the order of registration.
    pub systems: Vec<SceneSystem>,
    /// Left, top, right and bottom of the area to show.
    pub bounds: Option<[f64; 4]>,
    /// Milliseconds the world has lived, scaled and without pauses.
    pub game_time: f64,
    /// Milliseconds it was open.
    pub player_time: f64,
    /// Milliseconds of game time that wait for the next step.
    pub accumulated: f64,
    /// How fast game time goes, 0 or more.
    pub time_scale: f64,
    /// How many steps it has made.
    pub tick: u64,
    /// The config of the world entity: resources.
    pub world: Config<'static>,
}

impl Default for SceneHeader {
    fn default() -> Self {
        Self {
            name: String::new(),
            about: String::new(),
            random: None,
            scheduler: SchedulerKind::default(),
            order: SystemOrder::default(),
            step: None,
            components: Vec::new(),
            classes: Vec::new(),
            templates: Vec::new(),
            systems: Vec::new(),
            bounds: None,
            game_time: 0.0,
            player_time: 0.0,
            accumulated: 0.0,
            time_scale: 1.0,
            tick: 0,
            world: Config::new(),
        }
    }
}

/// Who decides what runs together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SchedulerKind {
    /// In the order of registration; busy systems are skipped.
    #[default]
    Default,
    /// Every system once a step; what conflicts waits.
    Conflict,
    /// One that a catalog has, or that a world was given, by its name.
    Custom(Arc<str>),
}

impl SchedulerKind {
    /// Those every world knows.
    pub const BUILT_IN: [Self; 2] = [Self::Default, Self::Conflict];

    /// The name scene files use.
    pub fn name(&self) -> &str {
        match self {
            Self::Default => "default",
            Self::Conflict => "conflict",
            Self::Custom(name) => name,
        }
    }

    /// The one of a name.
    pub fn named(name: &str) -> Self {
        let built_in = Self::BUILT_IN.into_iter().find(|kind| kind.name() == name);
        built_in.unwrap_or_else(|| Self::Custom(name.into()))
    }
}

/// The order in which the systems of a world are registered, which is the order they run in where it matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SystemOrder {
    /// As they are added.
    #[default]
    Registration,
    /// Those that only read a component before those that write it, else as they are added:
    /// [`order_by_access`](crate::order_by_access).
    Access,
}

impl SystemOrder {
    /// All there are.
    pub const ALL: [Self; 2] = [Self::Registration, Self::Access];

    /// The name scene files use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Registration => "registration",
            Self::Access => "access",
        }
    }
}

/// A component that is described by the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct DataComponent {
    /// Its name.
    pub name: String,
    /// What its block is made of.
    pub fields: Vec<DataField>,
    /// The config keys of which any one loads it; where the scene does not say, those of its fields.
    pub load_keys: Vec<String>,
}

/// A field of a component that is described by the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct DataField {
    /// The name, unique in its component.
    pub name: String,
    /// What it is made of.
    pub scalar: Scalar,
    /// The config key it is read from and saved to; its name where the scene does not say.
    pub key: String,
    /// What it has when the config does not say; none is zero. It fits the scalar and the role.
    pub default: Option<FieldValue>,
    /// What it means; one that goes with the scalar.
    pub role: Role,
    /// Its unit, for display.
    pub unit: Option<String>,
    /// The least and the greatest value an editor offers.
    pub range: Option<(f64, f64)>,
}

/// A family of entities.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneClass {
    /// Its name.
    pub name: String,
    /// The names of the components it permits.
    pub components: Vec<String>,
}

/// A type of entities.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneTemplate {
    /// Its name.
    pub name: String,
    /// What its entities are made of where they do not say themselves; `class` is its class.
    pub config: Config<'static>,
}

/// A system of a scene, with the state a save gives it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SceneSystem {
    /// What it is called in the catalog.
    pub system: String,
    /// What this one is called; none is as in the catalog.
    pub name: Option<String>,
    /// Milliseconds between its runs, 0 or more; none is as in the catalog.
    pub every: Option<f64>,
    /// So many members a batch, above 0; none is as in the catalog.
    pub batch: Option<u64>,
    /// Its parameters, where they differ from the catalog's.
    pub params: Config<'static>,
    /// Whether it does not take part.
    pub disabled: bool,
    /// How often it has run.
    pub runs: u64,
    /// Milliseconds that count towards its next run.
    pub accumulated: f64,
    /// For each component that its queries look for changes of, in order, the entities it has not seen; none is all,
    /// as after the load of a scene, and so is an empty list.
    pub unseen: Vec<Option<String>>,
    /// Whether what it observes changed since its last run; none is as after the load of a scene: it did.
    pub observed: Option<bool>,
    /// The pass over its members that it is in the middle of.
    pub pass: Option<ScenePass>,
    /// The step it computed beside the world that is not applied yet, at the key `inFlight`: its `result`, or why it
    /// `failed`.
    pub in_flight: Option<Config<'static>>,
}

/// A pass of a system in batches that is not over.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScenePass {
    /// Who is left, in order: runs of places in the list of entities, each its first place and how many they are.
    pub left: Vec<[u64; 2]>,
    /// Batches that are done.
    pub batches: u64,
    /// Milliseconds of game time each batch stands for.
    pub delta: f64,
    /// The tick the pass began at.
    pub tick: u64,
    /// Game time in milliseconds at that tick.
    pub game_time: f64,
    /// Runs of the system before it.
    pub number: u64,
}
