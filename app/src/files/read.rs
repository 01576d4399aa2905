//! Reading a scene or save file.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// The largest file that is read, in bytes (4 GiB). A larger one is refused before it fills the memory.
pub const SIZE_LIMIT: u64 = 4 << 30;

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// There is no such file.
    #[error("{}: no such file; check the spelling and the folder", path.display())]
    Missing {
        /// The path that was asked for.
        path: PathBuf,
    },
    /// The path is a folder.
    #[error("{}: this is a folder; name a file in it", path.display())]
    Folder {
        /// The path that was asked for.
        path: PathBuf,
    },
    /// The user may not read the file.
    #[error("{}: permission denied; make the file readable for this user", path.display())]
    Denied {
        /// The path that was asked for.
        path: PathBuf,
    },
    /// The file has more bytes than the limit.
    #[error("{}: larger than the limit of {limit} bytes; save it compressed, or split the scene", path.display())]
    TooLarge {
        /// The path that was asked for.
        path: PathBuf,
        /// The limit it exceeds, in bytes.
        limit: u64,
    },
    /// The bytes are not text in UTF-8.
    #[error("{}:{line}:{column}: not UTF-8 (byte {offset}){hint}; save the file as UTF-8", path.display())]
    NotUtf8 {
        /// The path that was asked for.
        path: PathBuf,
        /// Line of the first bad byte, from 1.
        line: usize,
        /// Column of the first bad byte in characters, from 1.
        column: usize,
        /// Position of the first bad byte in the file, from 0.
        offset: usize,
        /// What the file seems to be instead, or nothing.
        hint: &'static str,
    },
    /// Anything else the system reports.
    #[error("{}: cannot be read: {source}", path.display())]
    Other {
        /// The path that was asked for.
        path: PathBuf,
        /// The system's report.
        source: io::Error,
    },
}

impl ReadError {
    /// The file was read, but what it holds is no text.
    pub fn is_about_content(&self) -> bool {
        matches!(self, Self::NotUtf8 { .. } | Self::TooLarge { .. })
    }

    fn from_io(path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            // A file where a folder should be (`scene.json/other`) is a missing file too.
            ErrorKind::NotFound | ErrorKind::NotADirectory => Self::Missing { path },
            ErrorKind::IsADirectory => Self::Folder { path },
            ErrorKind::PermissionDenied => Self::Denied { path },
            _ => Self::Other { path, source },
        }
    }
}

/// Reads the text of the file at `path`, without a byte order mark if it starts with one.
///
/// # Errors
/// A [`ReadError`] that names the path and says what to do.
pub fn read_scene(path: &Path) -> Result<String, ReadError> {
    let size = check(path)?;
    let file = File::open(path).map_err(|error| ReadError::from_io(path, error))?;
    read_limited(file, path, size, SIZE_LIMIT)
}

/// Whether there is a file at `path` that [`read_scene`] would read, as far as can be told without opening it.
///
/// # Errors
/// As [`read_scene`].
pub(super) fn check_scene(path: &Path) -> Result<(), ReadError> {
    check(path).map(|_| ())
}

/// The size of the file in bytes, if it is one that can be read.
fn check(path: &Path) -> Result<u64, ReadError> {
    let metadata = fs::metadata(path).map_err(|error| ReadError::from_io(path, error))?;
    if metadata.is_dir() {
        return Err(ReadError::Folder { path: path.to_path_buf() });
    }
    if metadata.len() > SIZE_LIMIT {
        return Err(ReadError::TooLarge { path: path.to_path_buf(), limit: SIZE_LIMIT });
    }
    Ok(metadata.len())
}

/// Reads a text to its end from `reader`; `name` stands for the path in errors.
///
/// # Errors
/// As [`read_scene`].
pub fn read_scene_from(reader: impl Read, name: &Path) -> Result<String, ReadError> {
    read_limited(reader, name, 0, SIZE_LIMIT)
}

fn read_limited(reader: impl Read, path: &Path, expected: u64, limit: u64) -> Result<String, ReadError> {
    let mut bytes = Vec::new();
    let capacity = usize::try_from(expected.saturating_add(1)).unwrap_or(0);
    bytes.try_reserve_exact(capacity).map_err(|_| ReadError::Other {
        path: path.to_path_buf(),
        source: io::Error::from(ErrorKind::OutOfMemory),
    })?;
    // The size known beforehand is a hint: a pipe has none, and a file may grow while it is read.
    let read = reader.take(limit.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| ReadError::from_io(path, error))?;
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLarge { path: path.to_path_buf(), limit });
    }
    decode(bytes, path)
}

fn decode(bytes: Vec<u8>, path: &Path) -> Result<String, ReadError> {
    let mut text = String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let bytes = error.as_bytes();
        let (before, _) = bytes.split_at(offset);
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        let characters = String::from_utf8_lossy(before.split_at(line_start).1).chars().count();
        ReadError::NotUtf8 {
            path: path.to_path_buf(),
            line: before.iter().filter(|&&byte| byte == b'\n').count() + 1,
            column: characters + 1,
            offset,
            hint: what_it_may_be(bytes),
        }
    })?;
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    Ok(text)
}

fn what_it_may_be(bytes: &[u8]) -> &'static str {
    match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => ", it seems to be UTF-16",
        [0x1f, 0x8b, ..] => ", it seems to be a gzip archive",
        [0x28, 0xb5, 0x2f, 0xfd, ..] => ", it seems to be a zstd archive",
        [0x89, b'P', b'N', b'G', ..] => ", it seems to be a picture",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file_with(bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scene.json");
        fs::write(&path, bytes).unwrap();
        (folder, path)
    }

    #[test]
    fn a_text_is_read_whole_and_without_a_byte_order_mark() {
        let (_folder, path) = file_with("\u{feff}{ \"name\": \"Häfen\" }\n".as_bytes());
        assert_eq!(read_scene(&path).unwrap(), "{ \"name\": \"Häfen\" }\n");
        let (_folder, path) = file_with(b"");
        assert_eq!(read_scene(&path).unwrap(), "");
    }

    #[test]
    fn a_missing_file_and_a_folder_are_told_apart() {
        let (folder, path) = file_with(b"{}");
        let missing = read_scene(&folder.path().join("no.json")).unwrap_err();
        assert!(matches!(missing, ReadError::Missing { .. }), "{missing}");
        let below_a_file = read_scene(&path.join("x.json")).unwrap_err();
        assert!(matches!(below_a_file, ReadError::Missing { .. }), "{below_a_file}");
        let folder_read = read_scene(folder.path()).unwrap_err();
        assert!(matches!(folder_read, ReadError::Folder { .. }), "{folder_read}");
    }

    #[test]
    fn a_bad_byte_is_named_with_line_column_and_offset() {
        let (_folder, path) = file_with(b"{\n  \"\xc3\xa4\xff\": 1\n}");
        let Err(ReadError::NotUtf8 { line, column, offset, .. }) = read_scene(&path) else { panic!() };
        assert_eq!((line, column, offset), (2, 5, 7));
    }

    #[test]
    fn another_encoding_is_guessed_from_its_first_bytes() {
        let (_folder, path) = file_with(b"\xff\xfe{\0}\0");
        assert!(read_scene(&path).unwrap_err().to_string().contains("UTF-16"));
    }

    #[test]
    fn more_bytes_than_the_limit_are_refused_and_exactly_the_limit_is_not() {
        let name = Path::new("-");
        assert_eq!(read_limited(&b"12345"[..], name, 0, 5).unwrap(), "12345");
        let error = read_limited(&b"123456"[..], name, 0, 5).unwrap_err();
        assert!(matches!(error, ReadError::TooLarge { limit: 5, .. }), "{error}");
    }
}
