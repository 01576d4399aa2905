//! `vivarium info`: what a scene or save holds, without building its world.

use std::collections::BTreeMap;
use std::ffi::OsString;

use clap::Args;
use serde_json::{Value, json};
use vivarium_world::{Document, Faults};

use super::Offer;
use super::arguments::{Format, FormatArguments};
use super::exit::{Exit, Failure};
use super::output::Output;
use super::saved::{entities, type_of};
use crate::files::Source;

#[derive(Debug, Args)]
pub(super) struct InfoArguments {
    /// Scene or save file, `-` for the standard input, or a sample's name
    pub(super) scene: OsString,
    #[command(flatten)]
    pub(super) format: FormatArguments,
}

pub(super) fn run(arguments: &InfoArguments, offer: &Offer) -> Result<Exit, Failure> {
    let source = Source::find(&arguments.scene, &offer.scenes)?;
    let text = source.read()?;
    let name = source.to_string();
    let invalid = |faults| Failure::new(Exit::Invalid, faults);
    let document = Document::parse(&name, &text).map_err(invalid)?;
    let contents = Contents::of(&document).map_err(invalid)?;
    let mut output = Output::stdout();
    match arguments.format.format {
        Format::Json => output.json(&as_json(&document, &contents, text.len()))?,
        Format::Text => {
            output.text(&as_text(&document, &contents, text.len()))?;
            output.flush()?;
        }
    }
    Ok(Exit::Done)
}

/// What is found by reading every entity.
#[derive(Debug, Default, PartialEq)]
struct Contents {
    entities: usize,
    /// Those that are stored as short strings.
    compressed: usize,
    /// How many there are of each type; entities without one are under the empty name.
    types: BTreeMap<String, usize>,
}

impl Contents {
    fn of(document: &Document<'_>) -> Result<Self, Faults> {
        let definitions = document.read_definitions()?;
        let mut contents = Self::default();
        let mut faults = Faults::new();
        for entity in entities(document, &definitions) {
            contents.entities += 1;
            match entity {
                Ok((config, compressed)) => {
                    contents.compressed += usize::from(compressed);
                    *contents.types.entry(type_of(&config).to_owned()).or_default() += 1;
                }
                Err(more) => faults.append(more),
            }
        }
        faults.into_result(contents)
    }
}

fn as_json(document: &Document<'_>, contents: &Contents, bytes: usize) -> Value {
    let header = document.header();
    json!({
        "schema": 1,
        "source": document.source(),
        "bytes": bytes,
        "version": document.version(),
        "name": header.name,
        "about": header.about,
        "scheduler": header.scheduler.name(),
        "step": header.step,
        "random": header.random.map(|random| json!({ "seed": random.seed, "position": random.position })),
        "bounds": header.bounds,
        "tick": header.tick,
        "gameTime": header.game_time,
        "playerTime": header.player_time,
        "timeScale": header.time_scale,
        "components": header.components.iter().map(|component| &component.name).collect::<Vec<_>>(),
        "classes": header.classes.iter().map(|class| &class.name).collect::<Vec<_>>(),
        "templates": header.templates.iter().map(|template| &template.name).collect::<Vec<_>>(),
        "systems": header.systems.iter().map(|system| &system.system).collect::<Vec<_>>(),
        "entities": contents.entities,
        "compressed": contents.compressed,
        "types": contents.types,
        "notes": document.notes().iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

fn as_text(document: &Document<'_>, contents: &Contents, bytes: usize) -> String {
    let header = document.header();
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        if !value.is_empty() {
            text.push_str(&format!("{name:<11} {value}\n"));
        }
    };
    line("source", document.source().to_owned());
    line("bytes", bytes.to_string());
    line("format", document.version().to_string());
    line("name", header.name.clone());
    line("about", header.about.clone());
    line("scheduler", header.scheduler.name().to_owned());
    line("step", header.step.map_or_else(String::new, |step| format!("{step} ms")));
    let random = header.random.map(|random| format!("seed {}, position {}", random.seed, random.position));
    line("random", random.unwrap_or_else(|| "a fresh seed at every load".to_owned()));
    line("tick", header.tick.to_string());
    line("game time", format!("{} ms", header.game_time));
    line("components", listed(header.components.iter().map(|component| component.name.as_str())));
    line("classes", listed(header.classes.iter().map(|class| class.name.as_str())));
    line("templates", listed(header.templates.iter().map(|template| template.name.as_str())));
    line("systems", listed(header.systems.iter().map(|system| system.system.as_str())));
    line("entities", format!("{} ({} compressed)", contents.entities, contents.compressed));
    for (name, count) in &contents.types {
        line("  of type", format!("{count} {}", if name.is_empty() { "(none)" } else { name }));
    }
    for note in document.notes() {
        line("note", note.to_string());
    }
    text
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENE: &str = r##"{ "vivarium": 1, "name": "Field", "random": { "seed": 7 }, "step": 16,
        "entityDefinitions": { "0": { "type": "grass", "properties": [] } },
        "entities": ["#", { "type": "oak" }, {}, "#"] }"##;

    #[test]
    fn entities_are_counted_by_type_in_either_form() {
        let document = Document::parse("field", SCENE).unwrap();
        let contents = Contents::of(&document).unwrap();
        let types = [("", 1), ("grass", 2), ("oak", 1)].map(|(name, count)| (name.to_owned(), count));
        assert_eq!(contents, Contents { entities: 4, compressed: 2, types: types.into() });
        let text = as_text(&document, &contents, SCENE.len());
        assert!(text.contains("\nentities    4 (2 compressed)\n  of type   1 (none)\n"), "{text}");
        let json = as_json(&document, &contents, SCENE.len());
        assert_eq!((&json["types"]["grass"], &json["random"]["seed"]), (&json!(2), &json!(7)));
    }

    #[test]
    fn a_damaged_string_is_named_with_its_entity() {
        let text = SCENE.replace(r##"{}, "#""##, r##"{}, "$""##);
        let document = Document::parse("field", &text).unwrap();
        let faults = Contents::of(&document).unwrap_err();
        assert!(faults.to_string().contains("entity 3"), "{faults}");
    }
}
