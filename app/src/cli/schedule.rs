//! `vivarium schedule`: which systems may run together, and why others wait.

use serde_json::json;
use vivarium_world::{ComponentId, World, suggestion};

use super::Offer;
use super::arguments::{ScheduleArguments, ScheduleFormat};
use super::exit::{Exit, Failure};
use super::open::{Opened, open};
use super::output::Output;

pub(super) fn run(arguments: &ScheduleArguments, offer: &Offer) -> Result<Exit, Failure> {
    let Opened { mut world, .. } = open(&arguments.world, 0, offer)?;
    let plan = world.plan();
    let names = |component: ComponentId| world.registry().get(component).name();
    let explained = match arguments.explain.as_slice() {
        [one, other] => {
            let (one, other) = (place(&world, one)?, place(&world, other)?);
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
        (ScheduleFormat::Text, None) => output.text(&plan.text(&names))?,
        (ScheduleFormat::Dot, None) => output.text(&plan.dot(&names))?,
        (ScheduleFormat::Json, None) => {
            output.json(&json!({ "schema": 1, "schedule": plan.document(&names) }))?;
        }
    }
    output.flush()?;
    Ok(Exit::Done)
}

/// The place of the system called `name` in registration order.
fn place(world: &World, name: &str) -> Result<usize, Failure> {
    let names: Vec<_> = world.systems().map(|system| system.name).collect();
    names.iter().position(|known| **known == *name).ok_or_else(|| {
        let hint = suggestion(name, names.iter().map(|known| &**known));
        Failure::new(Exit::Usage, format_args!("no system `{name}` in this scene{hint}"))
    })
}
