//! Which folders have to be watched to hear of everything that can change what a path leads to.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

/// Symbolic links that are followed before the path is given up as a circle.
const LINK_LIMIT: usize = 40;

/// The way from the root to a file, through links, as it is on disk now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Places {
    /// Every entry passed on the way, each by a path without links in its folder part.
    entries: Vec<PathBuf>,
    /// Folders whose entries decide what the path leads to, without links.
    pub(super) folders: BTreeSet<PathBuf>,
}

impl Places {
    /// Walks `path`, which is absolute.
    ///
    /// Watched are: the folder of the file, the one above (to see the folder go and come), and the folder of every
    /// link on the way. If something is missing on the way, the last folder that exists stands for the file's.
    pub(super) fn of(path: &Path) -> Self {
        let mut places = Self::default();
        let mut here = PathBuf::new();
        let mut ahead: Vec<Step> = Vec::new();
        push_steps(&mut ahead, path);
        let mut links = 0;
        while let Some(step) = ahead.pop() {
            let name = match step {
                Step::Root(root) => {
                    here = root;
                    continue;
                }
                Step::Up => {
                    here.pop();
                    continue;
                }
                Step::Down(name) => name,
            };
            let entry = here.join(name);
            places.entries.push(entry.clone());
            match fs::symlink_metadata(&entry) {
                Err(_) => break,
                Ok(metadata) if metadata.is_symlink() => {
                    links += 1;
                    places.folders.insert(here.clone());
                    let Ok(target) = fs::read_link(&entry) else { break };
                    if links > LINK_LIMIT {
                        break;
                    }
                    push_steps(&mut ahead, &target);
                }
                Ok(_) if ahead.is_empty() => break,
                Ok(_) => here = entry,
            }
        }
        if let Some(above) = here.parent() {
            places.folders.insert(above.to_path_buf());
        }
        places.folders.insert(here);
        places
    }

    /// Something happening to `path` may change what the file holds.
    pub(super) fn concern(&self, path: &Path) -> bool {
        self.entries.iter().any(|entry| entry == path)
    }
}

enum Step {
    Root(PathBuf),
    Up,
    Down(OsString),
}

fn push_steps(ahead: &mut Vec<Step>, path: &Path) {
    let mut steps = Vec::new();
    let mut root = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Prefix(_) | Component::RootDir => root.push(component),
            Component::CurDir => {}
            Component::ParentDir => steps.push(Step::Up),
            Component::Normal(name) => steps.push(Step::Down(name.to_owned())),
        }
    }
    if !root.as_os_str().is_empty() {
        steps.insert(0, Step::Root(root));
    }
    ahead.extend(steps.into_iter().rev());
}

/// Tells a folder or file from another one that took its name, and a file from itself after a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    identity: (u64, u64),
    created: Option<SystemTime>,
    /// Length and time of the last change; nothing for a folder, whose content is not meant.
    content: Option<(u64, Option<SystemTime>)>,
}

impl Stamp {
    /// Of what `path` leads to, if there is anything.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        Some(Self {
            identity: identity(&metadata),
            created: metadata.created().ok(),
            content: (!metadata.is_dir()).then(|| (metadata.len(), metadata.modified().ok())),
        })
    }
}

#[cfg(unix)]
fn identity(metadata: &fs::Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn identity(_metadata: &fs::Metadata) -> (u64, u64) {
    (0, 0)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        (folder, path)
    }

    #[test]
    fn a_plain_file_is_watched_by_its_folder_and_the_one_above() {
        let (_keep, root) = folder();
        fs::write(root.join("scene.json"), "{}").unwrap();
        let places = Places::of(&root.join("./x/../scene.json"));
        // `x` does not exist, so the walk ends there.
        assert!(places.folders.contains(&root));
        let places = Places::of(&root.join("./scene.json"));
        assert_eq!(places.folders, BTreeSet::from([root.clone(), root.parent().unwrap().to_path_buf()]));
        assert!(places.concern(&root.join("scene.json")) && places.concern(&root));
        assert!(!places.concern(&root.join("other.json")));
    }

    #[test]
    fn every_link_on_the_way_is_watched_where_it_lies() {
        let (_keep, root) = folder();
        for name in ["releases/1", "links"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        fs::write(root.join("releases/1/scene.json"), "{}").unwrap();
        symlink("releases/1", root.join("current")).unwrap();
        symlink("../current/scene.json", root.join("links/scene.json")).unwrap();
        let places = Places::of(&root.join("links/scene.json"));
        let expected =
            ["links", "", "releases/1", "releases"].map(|name| root.join(name).components().collect());
        assert_eq!(places.folders, BTreeSet::from(expected));
        assert!(places.concern(&root.join("current")) && places.concern(&root.join("releases/1/scene.json")));
    }

    #[test]
    fn the_last_folder_that_exists_stands_for_a_missing_one() {
        let (_keep, root) = folder();
        let places = Places::of(&root.join("no/such/scene.json"));
        assert!(places.folders.contains(&root));
        assert!(places.concern(&root.join("no")));
    }

    #[test]
    fn a_circle_of_links_ends() {
        let (_keep, root) = folder();
        symlink("b", root.join("a")).unwrap();
        symlink("a", root.join("b")).unwrap();
        assert!(Places::of(&root.join("a")).folders.contains(&root));
    }
}
