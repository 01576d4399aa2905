//! `vivarium assert`: whether what should hold of a world does.

use std::ffi::OsStr;

use clap::Args;
use serde_json::{Value, json};
use vivarium_world::Outcome;

use super::Offer;
use super::arguments::{Format, FormatArguments, WorldArguments, thread_count};
use super::exit::{Exit, Failure};
use super::open::{Opened, open, threads_or_default};
use super::output::Output;
use super::query;
use super::steps::Steps;

/// Entities named of those that make an assertion false.
const OFFENDERS_NAMED: usize = 10;

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

pub(super) fn run(arguments: &AssertArguments, offer: &Offer) -> Result<Exit, Failure> {
    let Opened { mut world, name, .. } =
        open(&arguments.world, threads_or_default(arguments.threads), offer)?;
    let assertions = arguments
        .expressions
        .iter()
        .map(|text| query::assertion(text, &world))
        .collect::<Result<Vec<_>, _>>()?;
    world.record_changes(assertions.iter().any(|assertion| assertion.changed_within().is_some()));
    let mut steps = Steps::new(&arguments.world);
    let stopped = steps.run_silently(&mut world, arguments.ticks)?;
    let mut tallies: Vec<_> = assertions.iter().map(|assertion| assertion.tally(OFFENDERS_NAMED)).collect();
    world.each_subject(|subject| tallies.iter_mut().for_each(|tally| tally.add(&subject)));
    let outcomes: Vec<Outcome> = tallies.iter().map(|tally| tally.outcome()).collect();
    let all_hold = outcomes.iter().all(|outcome| outcome.holds);
    let checked: Vec<Checked<'_>> = arguments
        .expressions
        .iter()
        .zip(&outcomes)
        .map(|(text, outcome)| Checked { text, outcome, show: show(arguments, outcome) })
        .collect();
    let mut output = Output::stdout();
    match arguments.format.format {
        Format::Text => checked.iter().try_for_each(|checked| output.text(&checked.as_text()))?,
        Format::Json => output.json(&json!({
            "schema": 1,
            "scene": name,
            "tick": world.clocks().tick,
            "holds": all_hold,
            "assertions": checked.iter().map(Checked::as_json).collect::<Vec<_>>(),
        }))?,
    }
    output.flush()?;
    let exit = steps.conclude(stopped);
    Ok(if exit == Exit::Done && !all_hold { Exit::AssertionFailed } else { exit })
}

/// An assertion and what came of it.
struct Checked<'a> {
    text: &'a str,
    outcome: &'a Outcome,
    /// The command that shows the offenders.
    show: Option<String>,
}

impl Checked<'_> {
    fn as_text(&self) -> String {
        let word = if self.outcome.holds { "holds" } else { "FAILS" };
        let mut text = format!("{word}: {}\n", self.text);
        for total in &self.outcome.totals {
            let value = total.value.map_or_else(|| "no entity".to_owned(), |value| value.to_string());
            text.push_str(&format!("    {} = {value}\n", total.text));
        }
        if !self.outcome.offenders.is_empty() {
            let named: Vec<String> =
                self.outcome.offenders.iter().map(|ordinal| format!("#{ordinal}")).collect();
            let more = self.outcome.offending.saturating_sub(named.len() as u64);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            text.push_str(&format!("    offenders: {}{more}\n", named.join(", ")));
        }
        if let Some(show) = &self.show {
            text.push_str(&format!("    show them: {show}\n"));
        }
        text
    }

    fn as_json(&self) -> Value {
        let totals =
            self.outcome.totals.iter().map(|total| json!({ "text": total.text, "value": total.value }));
        json!({
            "text": self.text,
            "holds": self.outcome.holds,
            "totals": totals.collect::<Vec<_>>(),
            "offending": self.outcome.offending,
            "offenders": self.outcome.offenders,
            "offendersQuery": self.outcome.offenders_query,
            "show": self.show,
        })
    }
}

/// The command that shows the entities that make an assertion false. What was read from the standard input cannot be
/// read again.
fn show(arguments: &AssertArguments, outcome: &Outcome) -> Option<String> {
    let query = outcome.offenders_query.as_deref().filter(|_| !outcome.holds)?;
    let world = &arguments.world;
    if world.scene == "-" {
        return None;
    }
    let mut line = format!("vivarium dump {} --ticks {}", quoted(&world.scene), arguments.ticks);
    if let Some(dt) = world.dt {
        line.push_str(&format!(" --dt {dt}"));
    }
    if let Some(seed) = world.seed {
        line.push_str(&format!(" --seed {seed}"));
    }
    line.push_str(&format!(" --query {}", quoted(OsStr::new(query))));
    Some(line)
}

/// As a shell reads it as one word.
fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.into_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_the_shell_where_they_need_it() {
        let quoted = |word| quoted(OsStr::new(word));
        assert_eq!(quoted("scenes/a-1.json"), "scenes/a-1.json");
        assert_eq!(quoted("ore < 5"), "'ore < 5'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
