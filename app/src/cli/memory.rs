//! `vivarium memory`: what the pools of a world hold.

use clap::Args;
use serde_json::json;
use vivarium_world::inspect::{MemoryView, ViewRequest};

use super::Offer;
use super::arguments::{Format, FormatArguments, WorldArguments, thread_count};
use super::exit::{Exit, Failure};
use super::hosted::Hosted;
use super::open::{SceneText, threads_or_default};
use super::output::Output;
use super::table::Table;

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

pub(super) fn run(arguments: &MemoryArguments, offer: &Offer) -> Result<Exit, Failure> {
    let scene = SceneText::read(&arguments.world.scene, offer)?;
    let threads = threads_or_default(arguments.threads);
    let mut hosted = Hosted::run(&arguments.world, scene.name_and_text(), arguments.ticks, threads, offer)?;
    let exit = hosted.exit;
    let view = ViewRequest { memory: true, ..ViewRequest::default() };
    let snapshot = hosted.snapshot(view, |snapshot| snapshot.memory.is_some())?;
    let memory = snapshot.memory.clone().unwrap_or_default();
    let name_of = |component| {
        let view = snapshot.catalog.component(component);
        view.map_or_else(|| format!("component {component:?}"), |view| view.name.clone())
    };
    let pools = pools(&memory, name_of);
    let mut output = Output::stdout();
    match arguments.format.format {
        Format::Json => output.json(&json!({
            "schema": 1,
            "tick": snapshot.status.tick,
            "entities": snapshot.status.entities,
            "bytes": snapshot.status.bytes,
            "tableBytes": memory.table_bytes,
            "strings": memory.strings,
            "stringBytes": memory.string_bytes,
            "pools": pools.to_json(),
        }))?,
        Format::Text => {
            output.text(&pools.to_text())?;
            let MemoryView { table_bytes, strings, string_bytes, .. } = memory;
            let (entities, bytes) = (snapshot.status.entities, snapshot.status.bytes);
            output.line(format_args!(
                "\n{entities} entities, {bytes} bytes in all, {table_bytes} of them in tables; \
                 {strings} strings of {string_bytes} bytes"
            ))?;
        }
    }
    Ok(exit)
}

fn pools(memory: &MemoryView, name_of: impl Fn(vivarium_world::ComponentId) -> String) -> Table {
    let mut table =
        Table::new(["component", "live", "deferred", "quarantined", "capacity", "fill %", "pages", "bytes"]);
    for pool in &memory.pools {
        let fill = (pool.live * 100).checked_div(pool.capacity);
        table.push(vec![
            json!(name_of(pool.component)),
            json!(pool.live),
            json!(pool.deferred),
            json!(pool.quarantined),
            json!(pool.capacity),
            json!(fill),
            json!(pool.pages),
            json!(pool.bytes),
        ]);
    }
    table
}
