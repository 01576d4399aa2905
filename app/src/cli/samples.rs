//! `vivarium samples`: the scenes that are built in.

use clap::Args;
use serde_json::json;

use super::Offer;
use super::arguments::{Format, FormatArguments};
use super::exit::{Exit, Failure};
use super::output::Output;
use super::table::Table;

#[derive(Debug, Args)]
pub(super) struct SamplesArguments {
    #[command(flatten)]
    pub(super) format: FormatArguments,
}

pub(super) fn run(arguments: &SamplesArguments, offer: &Offer) -> Result<Exit, Failure> {
    let mut table = Table::new(["name", "about"]);
    for scene in &offer.scenes {
        table.push(vec![json!(scene.name), json!(scene.about)]);
    }
    let mut output = Output::stdout();
    match arguments.format.format {
        Format::Json => output.json(&json!({ "schema": 1, "samples": table.to_json() }))?,
        Format::Text => {
            // Names first on the line, and nothing above them: `vivarium samples | cut -d' ' -f1`.
            let text = table.to_text();
            output.text(text.split_once('\n').map_or("", |(_, rows)| rows))?;
            output.flush()?;
        }
    }
    Ok(Exit::Done)
}
