use std::fs::{self, File};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

/// Long enough for any event on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);
/// Longer than debounce, ceiling and all retries together.
const SILENCE: Duration = Duration::from_millis(1800);

struct Scene {
    folder: tempfile::TempDir,
    path: PathBuf,
    watcher: Watcher,
    events: Receiver<FileEvent>,
    wakes: Arc<AtomicUsize>,
}

fn watched() -> Scene {
    watched_as(|folder| {
        fs::write(folder.join("scene.json"), r#"{"n":0}"#).unwrap();
        folder.join("scene.json")
    })
}

fn watched_as(make: impl FnOnce(&Path) -> PathBuf) -> Scene {
    let folder = tempfile::tempdir().unwrap();
    let path = make(folder.path());
    let wakes = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&wakes);
    let (watcher, events) = Watcher::start(move || {
        counter.fetch_add(1, Ordering::SeqCst);
    })
    .unwrap();
    let known = read_scene(&path).ok().map(|text| Fingerprint::of(&text));
    watcher.watch(&path, known);
    // The first look finds what is known; events from here on are the test's.
    thread::sleep(DEBOUNCE * 4);
    Scene { folder, path, watcher, events, wakes }
}

impl Scene {
    fn expect_content(&self, expected: &str) {
        match self.events.recv_timeout(PATIENCE) {
            Ok(FileEvent::Changed { path, text }) => {
                assert_eq!(path, self.path);
                assert_eq!(text, expected);
            }
            other => panic!("expected {expected}, got {other:?}"),
        }
    }

    /// The last of possibly several events is this content.
    fn expect_content_at_last(&self, expected: &str) {
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            if let Ok(FileEvent::Changed { text, .. }) = self.events.recv_timeout(PATIENCE)
                && text == expected
            {
                return;
            }
        }
        panic!("{expected} never came");
    }

    fn expect_nothing(&self) {
        assert_eq!(self.events.recv_timeout(SILENCE).ok(), None);
    }
}

#[test]
fn a_write_in_place_is_one_change_and_wakes_once() {
    let scene = watched();
    fs::write(&scene.path, r#"{"n":1}"#).unwrap();
    scene.expect_content(r#"{"n":1}"#);
    scene.expect_nothing();
    assert_eq!(scene.wakes.load(Ordering::SeqCst), 1);
}

#[test]
fn a_file_renamed_over_it_is_a_change_again_and_again() {
    let scene = watched();
    for n in 1..4 {
        let text = format!(r#"{{"n":{n}}}"#);
        let temporary = scene.folder.path().join("scene.json~");
        fs::write(&temporary, &text).unwrap();
        fs::rename(&temporary, &scene.path).unwrap();
        scene.expect_content(&text);
    }
}

#[test]
fn our_own_way_of_writing_is_seen() {
    let scene = watched();
    crate::files::write_atomic(&scene.path, br#"{"n":1}"#).unwrap();
    scene.expect_content(r#"{"n":1}"#);
}

#[test]
fn a_file_removed_and_made_again_at_once_is_one_change() {
    let scene = watched();
    fs::remove_file(&scene.path).unwrap();
    thread::sleep(DEBOUNCE * 2);
    fs::write(&scene.path, r#"{"n":1}"#).unwrap();
    scene.expect_content(r#"{"n":1}"#);
    scene.expect_nothing();
}

#[test]
fn a_file_moved_aside_as_a_backup_first_is_one_change() {
    let scene = watched();
    fs::rename(&scene.path, scene.folder.path().join("scene.json.bak")).unwrap();
    fs::write(&scene.path, r#"{"n":1}"#).unwrap();
    scene.expect_content(r#"{"n":1}"#);
    scene.expect_nothing();
}

#[test]
fn a_removed_file_is_reported_and_its_return_too() {
    let scene = watched();
    fs::remove_file(&scene.path).unwrap();
    let event = scene.events.recv_timeout(PATIENCE).unwrap();
    assert_eq!(event, FileEvent::Removed { path: scene.path.clone() });
    fs::write(&scene.path, r#"{"n":0}"#).unwrap();
    scene.expect_content(r#"{"n":0}"#);
}

#[test]
fn a_touch_without_a_change_is_nothing() {
    let scene = watched();
    let file = File::options().append(true).open(&scene.path).unwrap();
    file.set_modified(std::time::SystemTime::now() + Duration::from_secs(60)).unwrap();
    fs::write(&scene.path, r#"{"n":0}"#).unwrap();
    scene.expect_nothing();
}

#[test]
fn reading_the_file_is_nothing() {
    let scene = watched();
    read_scene(&scene.path).unwrap();
    scene.expect_nothing();
}

#[test]
fn other_files_in_the_folder_are_nothing() {
    let scene = watched();
    fs::write(scene.folder.path().join("other.json"), "{}").unwrap();
    scene.expect_nothing();
}

#[test]
fn half_a_file_is_waited_for() {
    let scene = watched();
    let mut file = File::create(&scene.path).unwrap();
    file.write_all(br#"{"n":"#).unwrap();
    file.sync_all().unwrap();
    thread::sleep(DEBOUNCE * 4);
    file.write_all(b"1}").unwrap();
    scene.expect_content(r#"{"n":1}"#);
    scene.expect_nothing();
}

#[test]
fn half_a_file_that_stays_so_is_reported_in_the_end() {
    let scene = watched();
    fs::write(&scene.path, r#"{"n":"#).unwrap();
    scene.expect_content(r#"{"n":"#);
    fs::write(&scene.path, "").unwrap();
    scene.expect_content("");
}

#[test]
fn a_burst_of_saves_starves_nobody_and_ends_with_the_last() {
    let scene = watched();
    let begin = Instant::now();
    let mut n = 0;
    // Denser than the debounce: only the ceiling lets anything through.
    while begin.elapsed() < Duration::from_secs(2) {
        n += 1;
        fs::write(&scene.path, format!(r#"{{"n":{n}}}"#)).unwrap();
        thread::sleep(Duration::from_millis(20));
    }
    assert!(!scene.events.is_empty(), "nothing was reported during the burst");
    assert!(scene.events.len() < 10, "{} reports for one burst", scene.events.len());
    fs::write(&scene.path, r#"{"n":"end"}"#).unwrap();
    scene.expect_content_at_last(r#"{"n":"end"}"#);
}

#[test]
fn text_that_is_not_utf8_is_unreadable_and_named() {
    let scene = watched();
    fs::write(&scene.path, b"{\"n\":\"\xff\"}").unwrap();
    match scene.events.recv_timeout(PATIENCE).unwrap() {
        FileEvent::Unreadable { message, .. } => assert!(message.contains("UTF-8"), "{message}"),
        other => panic!("{other:?}"),
    }
    fs::write(&scene.path, r#"{"n":1}"#).unwrap();
    scene.expect_content(r#"{"n":1}"#);
}

#[test]
fn a_change_between_reading_and_watching_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.json");
    fs::write(&path, "[2]").unwrap();
    let (watcher, events) = Watcher::start(|| {}).unwrap();
    watcher.watch(&path, Some(Fingerprint::of("[1]")));
    let event = events.recv_timeout(PATIENCE).unwrap();
    assert_eq!(event, FileEvent::Changed { path, text: "[2]".into() });
}

#[test]
fn a_forgotten_file_is_silent() {
    let scene = watched();
    scene.watcher.forget(&scene.path);
    thread::sleep(DEBOUNCE);
    fs::write(&scene.path, "[1]").unwrap();
    scene.expect_nothing();
}

#[test]
fn a_folder_removed_and_made_again_is_watched_again() {
    let scene = watched_as(|folder| {
        fs::create_dir_all(folder.join("a/b")).unwrap();
        fs::write(folder.join("a/b/scene.json"), "[0]").unwrap();
        folder.join("a/b/scene.json")
    });
    for round in 1..3 {
        fs::remove_dir_all(scene.folder.path().join("a")).unwrap();
        let event = scene.events.recv_timeout(PATIENCE).unwrap();
        assert_eq!(event, FileEvent::Removed { path: scene.path.clone() });
        fs::create_dir_all(scene.folder.path().join("a/b")).unwrap();
        thread::sleep(DEBOUNCE * 2);
        fs::write(&scene.path, format!("[{round}]")).unwrap();
        scene.expect_content(&format!("[{round}]"));
        fs::write(&scene.path, format!("[{round}, 0]")).unwrap();
        scene.expect_content(&format!("[{round}, 0]"));
    }
}

#[test]
fn a_folder_replaced_at_once_is_watched_as_the_new_one() {
    let scene = watched_as(|folder| {
        fs::create_dir(folder.join("a")).unwrap();
        fs::write(folder.join("a/scene.json"), "[0]").unwrap();
        folder.join("a/scene.json")
    });
    let root = scene.folder.path();
    fs::create_dir(root.join("new")).unwrap();
    fs::write(root.join("new/scene.json"), "[1]").unwrap();
    fs::rename(root.join("a"), root.join("old")).unwrap();
    fs::rename(root.join("new"), root.join("a")).unwrap();
    scene.expect_content("[1]");
    fs::write(root.join("a/scene.json"), "[2]").unwrap();
    scene.expect_content("[2]");
    fs::write(root.join("old/scene.json"), "[3]").unwrap();
    scene.expect_nothing();
}

#[cfg(unix)]
mod links {
    use super::*;
    use std::os::unix::fs::symlink;

    fn swap(target: &str, link: &Path) {
        let fresh = link.with_extension("fresh");
        symlink(target, &fresh).unwrap();
        fs::rename(&fresh, link).unwrap();
    }

    #[test]
    fn a_write_to_the_target_of_a_link_in_another_folder_is_a_change() {
        let scene = watched_as(|folder| {
            fs::create_dir(folder.join("far")).unwrap();
            fs::write(folder.join("far/real.json"), "[0]").unwrap();
            symlink("far/real.json", folder.join("link.json")).unwrap();
            folder.join("link.json")
        });
        fs::write(scene.folder.path().join("far/real.json"), "[1]").unwrap();
        scene.expect_content("[1]");
    }

    #[test]
    fn a_link_swapped_to_another_file_is_a_change_and_the_new_target_is_watched() {
        let scene = watched_as(|folder| {
            for name in ["one", "two"] {
                fs::create_dir(folder.join(name)).unwrap();
                fs::write(folder.join(name).join("real.json"), format!("[\"{name}\"]")).unwrap();
            }
            symlink("one/real.json", folder.join("link")).unwrap();
            folder.join("link")
        });
        swap("two/real.json", &scene.path);
        scene.expect_content(r#"["two"]"#);
        fs::write(scene.folder.path().join("two/real.json"), "[2]").unwrap();
        scene.expect_content("[2]");
        fs::write(scene.folder.path().join("one/real.json"), "[1]").unwrap();
        scene.expect_nothing();
    }

    #[test]
    fn a_folder_link_swapped_on_the_way_is_a_change() {
        let scene = watched_as(|folder| {
            for name in ["1", "2"] {
                fs::create_dir(folder.join(name)).unwrap();
                fs::write(folder.join(name).join("scene.json"), format!("[{name}]")).unwrap();
            }
            symlink("1", folder.join("current")).unwrap();
            folder.join("current/scene.json")
        });
        swap("2", &scene.folder.path().join("current"));
        scene.expect_content("[2]");
    }
}
