//! The entities of a file, in whichever form each is stored.

use vivarium_world::save::Definitions;
use vivarium_world::{Config, Document, EntitySource, Faults};

/// The entities of `document` in their order; true beside those that were stored as strings.
pub(super) fn entities<'a>(
    document: &'a Document<'a>,
    definitions: &'a Definitions,
) -> impl Iterator<Item = Result<(Config<'a>, bool), Faults>> {
    document.entities().enumerate().map(|(index, entity)| match entity? {
        EntitySource::Object(config) => Ok((config, false)),
        EntitySource::Text(text) => match definitions.decode(&text) {
            Ok(config) => Ok((config.into_owned(), true)),
            Err(error) => Err(document.fault_at_entity(index, None, error.to_string()).into()),
        },
    })
}

/// The type an entity's config names; empty if it names none.
pub(super) fn type_of<'a>(config: &'a Config<'_>) -> &'a str {
    config.get("type").and_then(|name| name.as_str()).unwrap_or_default()
}
