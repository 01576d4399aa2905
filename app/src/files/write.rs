//! Writing a file so that it is always either the old one or the new one, whole.

use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Symbolic links that are followed before a chain of them is called a loop.
const LINK_LIMIT: usize = 40;

/// Why a file could not be written. The file that was there before is untouched.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The folder the file should go to does not exist.
    #[error("{}: no such folder; make it first, or save elsewhere", folder.display())]
    NoFolder {
        /// The folder that is missing.
        folder: PathBuf,
    },
    /// The path is a folder.
    #[error("{}: this is a folder; name a file in it", path.display())]
    Folder {
        /// The path that was asked for.
        path: PathBuf,
    },
    /// The file there is marked read-only.
    #[error("{}: the file is read-only; make it writable, or save under another name", path.display())]
    ReadOnly {
        /// The file that may not be replaced.
        path: PathBuf,
    },
    /// The user may not make a file in the folder, or the whole file system is read-only.
    #[error("{}: no permission to write in this folder; save elsewhere", folder.display())]
    Denied {
        /// The folder that refuses.
        folder: PathBuf,
    },
    /// There is no room.
    #[error("{}: the disk is full; make room or save elsewhere (the old file is untouched)", path.display())]
    Full {
        /// The file that was to be written.
        path: PathBuf,
    },
    /// The symbolic links at this path lead round in a circle.
    #[error("{}: too many symbolic links; they may lead in a circle", path.display())]
    LinkLoop {
        /// The path that was asked for.
        path: PathBuf,
    },
    /// Anything else the system reports.
    #[error("{}: cannot be written: {source}", path.display())]
    Other {
        /// The path that was asked for.
        path: PathBuf,
        /// The system's report.
        source: io::Error,
    },
}

/// Writes `bytes` to `path` in one step: nobody ever sees half a file, and a failure leaves the old one whole.
///
/// A symbolic link stays a link: its target is replaced. Permissions of an existing file are kept (and its owner,
/// where the system allows it). A path that is no plain file, such as a pipe, is written to directly.
///
/// # Errors
/// A [`WriteError`] that names the path and says what to do.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let target = follow_links(path)?;
    let old = match fs::metadata(&target) {
        Ok(metadata) => Some(metadata),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(failure(&target, error)),
    };
    match &old {
        Some(old) if old.is_dir() => return Err(WriteError::Folder { path: target }),
        Some(old) if !old.is_file() => {
            let written =
                OpenOptions::new().write(true).open(&target).and_then(|mut file| file.write_all(bytes));
            return written.map_err(|error| failure(&target, error));
        }
        // Renaming over it would succeed, against the wish of whoever protected it.
        Some(old) if old.permissions().readonly() => return Err(WriteError::ReadOnly { path: target }),
        _ => {}
    }
    let folder = folder_of(&target);
    if !folder.is_dir() {
        return Err(WriteError::NoFolder { folder: folder.to_path_buf() });
    }
    replace(&target, folder, old.as_ref(), bytes).map_err(|error| failure(&target, error))
}

fn replace(target: &Path, folder: &Path, old: Option<&Metadata>, bytes: &[u8]) -> io::Result<()> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".vivarium-").suffix(".tmp");
    if let Some(permissions) = default_permissions() {
        builder.permissions(permissions);
    }
    let mut temporary = builder.tempfile_in(folder)?;
    temporary.write_all(bytes)?;
    if let Some(old) = old {
        keep_owner(temporary.path(), old);
        temporary.as_file().set_permissions(old.permissions())?;
    }
    temporary.as_file().sync_all()?;
    temporary.persist(target).map_err(|error| error.error)?;
    // The rename is on disk only when the folder is; where folders cannot be synced there is nothing better to do.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}

fn folder_of(target: &Path) -> &Path {
    match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn follow_links(path: &Path) -> Result<PathBuf, WriteError> {
    let mut target = path.to_path_buf();
    for _ in 0..LINK_LIMIT {
        match fs::read_link(&target) {
            // `join` takes an absolute link as it is.
            Ok(link) => target = folder_of(&target).join(link),
            Err(_) => return Ok(target),
        }
    }
    Err(WriteError::LinkLoop { path: path.to_path_buf() })
}

fn failure(target: &Path, source: io::Error) -> WriteError {
    let path = target.to_path_buf();
    match source.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            WriteError::Denied { folder: folder_of(target).to_path_buf() }
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => WriteError::Full { path },
        ErrorKind::NotFound | ErrorKind::NotADirectory => {
            WriteError::NoFolder { folder: folder_of(target).to_path_buf() }
        }
        ErrorKind::IsADirectory => WriteError::Folder { path },
        _ => WriteError::Other { path, source },
    }
}

/// What a new file gets, from which the system takes away the user's mask.
#[cfg(unix)]
fn default_permissions() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn default_permissions() -> Option<Permissions> {
    None
}

/// Only a privileged user can give files away; for everyone else the new file is theirs, as with any editor.
#[cfg(unix)]
fn keep_owner(path: &Path, old: &Metadata) {
    use std::os::unix::fs::{MetadataExt, chown};
    let _ = chown(path, Some(old.uid()), Some(old.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_path: &Path, _old: &Metadata) {}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_in(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_made_and_replaced_and_nothing_else_stays_in_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("save.json");
        write_atomic(&path, b"one").unwrap();
        write_atomic(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(names_in(folder.path()), ["save.json"]);
    }

    #[test]
    fn a_missing_folder_and_a_folder_as_target_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let missing = write_atomic(&folder.path().join("no/save.json"), b"x").unwrap_err();
        assert!(matches!(missing, WriteError::NoFolder { .. }), "{missing}");
        let target = write_atomic(folder.path(), b"x").unwrap_err();
        assert!(matches!(target, WriteError::Folder { .. }), "{target}");
        assert!(names_in(folder.path()).is_empty());
    }

    #[test]
    fn a_read_only_file_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("save.json");
        fs::write(&path, "old").unwrap();
        let mut permissions = fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).unwrap();
        let error = write_atomic(&path, b"new").unwrap_err();
        assert!(matches!(error, WriteError::ReadOnly { .. }), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }

    #[cfg(unix)]
    mod unix {
        use super::*;
        use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

        #[test]
        fn permissions_of_the_old_file_are_kept() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("save.json");
            fs::write(&path, "old").unwrap();
            fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
            write_atomic(&path, b"new").unwrap();
            assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o640);
        }

        #[test]
        fn a_new_file_gets_the_permissions_any_new_file_gets() {
            let folder = tempfile::tempdir().unwrap();
            let (ours, plain) = (folder.path().join("ours"), folder.path().join("plain"));
            write_atomic(&ours, b"x").unwrap();
            fs::write(&plain, b"x").unwrap();
            assert_eq!(fs::metadata(&ours).unwrap().mode(), fs::metadata(&plain).unwrap().mode());
        }

        #[test]
        fn a_link_stays_a_link_and_its_target_is_replaced() {
            let folder = tempfile::tempdir().unwrap();
            fs::create_dir(folder.path().join("deep")).unwrap();
            let target = folder.path().join("deep/real.json");
            fs::write(&target, "old").unwrap();
            symlink("deep/real.json", folder.path().join("middle")).unwrap();
            symlink("middle", folder.path().join("link")).unwrap();
            write_atomic(&folder.path().join("link"), b"new").unwrap();
            assert_eq!(fs::read(&target).unwrap(), b"new");
            assert!(folder.path().join("link").is_symlink());
            assert!(folder.path().join("middle").is_symlink());
        }

        #[test]
        fn a_link_to_nothing_makes_its_target_and_a_circle_is_an_error() {
            let folder = tempfile::tempdir().unwrap();
            symlink("new.json", folder.path().join("dangling")).unwrap();
            write_atomic(&folder.path().join("dangling"), b"x").unwrap();
            assert_eq!(fs::read(folder.path().join("new.json")).unwrap(), b"x");
            symlink("b", folder.path().join("a")).unwrap();
            symlink("a", folder.path().join("b")).unwrap();
            let error = write_atomic(&folder.path().join("a"), b"x").unwrap_err();
            assert!(matches!(error, WriteError::LinkLoop { .. }), "{error}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_named_as_such() {
        let error = write_atomic(Path::new("/dev/full"), b"x").unwrap_err();
        assert!(matches!(error, WriteError::Full { .. }), "{error}");
    }
}
