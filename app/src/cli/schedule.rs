//! `vivarium schedule`: which systems may run together, and why others wait.

use clap::{Args, ValueEnum};
use serde_json::json;
use vivarium_world::{ComponentId, Plan, suggestion};

use super::Offer;
use super::arguments::WorldArguments;
use super::exit::{Exit, Failure};
use super::open::{Opened, open};
use super::output::Output;

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
    /// Batches, then a sentence for every pair that may not run at once, and for what makes results depend on timing
    #[default]
    Text,
    /// One JSON document with "schema": 1
    Json,
    /// A graph for Graphviz
    Dot,
}

pub(super) fn run(arguments: &ScheduleArguments, offer: &Offer) -> Result<Exit, Failure> {
    let Opened { mut world, .. } = open(&arguments.world, 0, offer)?;
    let plan = world.plan();
    let timing = world.timing_dependence();
    let names = |component: ComponentId| world.registry().get(component).name();
    let explained = match arguments.explain.as_slice() {
        [one, other] => {
            let (one, other) = (place(&plan, one)?, place(&plan, other)?);
            Some(plan.explain_places(one, other, &names))
        }
        _ => None,
    };
    let mut output = Output::stdout();
    match (arguments.format, explained) {
        (ScheduleFormat::Json, Some(sentence)) => {
            output.json(&json!({ "schema": 1, "explained": sentence }))?
        }
        (_, Some(sentence)) => output.line(sentence)?,
        (ScheduleFormat::Text, None) => {
            output.text(&plan.text(&names))?;
            for reason in &timing {
                output.line(format_args!("note: results may depend on timing: {reason}"))?;
            }
        }
        (ScheduleFormat::Dot, None) => output.text(&plan.dot(&names))?,
        (ScheduleFormat::Json, None) => {
            let timing: Vec<String> = timing.iter().map(ToString::to_string).collect();
            let schedule = plan.document(&names);
            output.json(&json!({ "schema": 1, "schedule": schedule, "timingDependence": timing }))?;
        }
    }
    output.flush()?;
    Ok(Exit::Done)
}

/// The place of the system called `name` in registration order: as sentences name it, which is with its number where
/// several have its name, or the first of that name.
fn place(plan: &Plan, name: &str) -> Result<usize, Failure> {
    let count = plan.systems().len();
    let labelled = (0..count).find(|&place| plan.label(place) == name);
    let named = || plan.systems().iter().position(|system| system.name == name);
    labelled.or_else(named).ok_or_else(|| {
        let hint = suggestion(name, (0..count).map(|place| plan.label(place)));
        Failure::new(Exit::Usage, format_args!("no system `{name}` in this scene{hint}"))
    })
}
