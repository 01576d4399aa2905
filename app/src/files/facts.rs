//! What can be said of a file without loading it: its size, its age, and what it holds.

use super::read::read_scene;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use vivarium_world::{Document, EntitySource};

/// What is known of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// When it was last written, where the system says so.
    pub modified: Option<SystemTime>,
    /// What it holds, or what is wrong with it.
    pub contents: Result<Contents, String>,
}

/// What a file holds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contents {
    /// How many entities; none if the file is too long to be read for that.
    pub entities: Option<usize>,
    /// How many times smaller it is than if every entity were an object; none if all are.
    pub smaller: Option<f64>,
}

/// Files longer than this, in bytes, are not read.
const LONGEST: u64 = 64 << 20;

impl Facts {
    /// Looks at a file. What was known of it is true still if neither its size nor its time changed.
    pub fn of(path: &Path, known: Option<&Self>) -> Self {
        let path = path.to_path_buf();
        let metadata = match std::fs::metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) => {
                let contents = Err(match error.kind() {
                    std::io::ErrorKind::NotFound => "it is gone".to_owned(),
                    _ => error.to_string(),
                });
                return Self { path, bytes: 0, modified: None, contents };
            }
        };
        let (bytes, modified) = (metadata.len(), metadata.modified().ok());
        let same = known.filter(|known| {
            (known.bytes, known.modified) == (bytes, modified) && modified.is_some() && known.path == path
        });
        let contents = match same {
            Some(known) => known.contents.clone(),
            None if bytes > LONGEST => Ok(Contents::default()),
            None => contents(&path),
        };
        Self { path, bytes, modified, contents }
    }

    /// Whether the file is another than it was.
    pub fn differs(&self, before: &Self) -> bool {
        (self.bytes, self.modified) != (before.bytes, before.modified)
    }
}

fn contents(path: &Path) -> Result<Contents, String> {
    let text = read_scene(path).map_err(|error| error.to_string())?;
    let first = |faults: vivarium_world::Faults| {
        let text = faults.to_string();
        text.lines().next().unwrap_or_default().to_owned()
    };
    let document = Document::parse(&path.display().to_string(), &text).map_err(first)?;
    let definitions = document.read_definitions().map_err(first)?;
    let (mut stored, mut plain) = (0, 0);
    for entity in document.entities() {
        // What is wrong inside an entity is told when it is loaded.
        let Ok(EntitySource::Text(string)) = entity else { continue };
        let Ok(config) = definitions.decode(&string) else { continue };
        stored += string.len() + 2;
        plain += serde_json::to_string(&config).map_or(0, |text| text.len());
    }
    let expanded = (text.len() + plain).saturating_sub(stored);
    let smaller = (stored > 0 && !text.is_empty()).then(|| expanded as f64 / text.len() as f64);
    Ok(Contents { entities: Some(document.entity_count()), smaller })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_tells_its_size_and_how_much_smaller_its_strings_make_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scene.json");
        let plain = r#"{ "vivarium": 1, "entities": [{ "type": "oak" }, {}] }"#;
        fs::write(&path, plain).unwrap();
        let facts = Facts::of(&path, None);
        assert_eq!(facts.bytes, plain.len() as u64);
        assert_eq!(facts.contents, Ok(Contents { entities: Some(2), smaller: None }));
        let strings = ["\"#\""; 100].join(",");
        let definitions = r##"{ "0": { "type": "grass", "properties": [] } }"##;
        fs::write(
            &path,
            format!(r#"{{ "vivarium": 1, "entityDefinitions": {definitions}, "entities": [{strings}] }}"#),
        )
        .unwrap();
        let again = Facts::of(&path, Some(&facts));
        assert!(again.differs(&facts));
        let Contents { entities, smaller } = again.contents.unwrap();
        assert_eq!(entities, Some(100));
        assert!(smaller.is_some_and(|smaller| smaller > 2.0 && smaller < 6.0), "{smaller:?}");
    }

    #[test]
    fn a_file_that_is_gone_or_faulty_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scene.json");
        assert_eq!(Facts::of(&path, None).contents, Err("it is gone".to_owned()));
        fs::write(&path, "{ \"vivarium\": 1, \"entities\": 7 }").unwrap();
        assert!(Facts::of(&path, None).contents.is_err());
    }
}
