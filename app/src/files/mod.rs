//! Everything that touches the disk: reading, writing and watching scene files.
//!
//! No other module of the inspector opens a file. The world never sees one.

mod facts;
mod fingerprint;
mod read;
mod session;
mod source;
mod watch;
mod watch_places;
mod write;

pub use facts::{Contents, Facts};
pub use fingerprint::Fingerprint;
pub use read::{ReadError, SIZE_LIMIT, read_scene, read_scene_from};
pub use session::{Origin, SaveError, Session, Verdict};
pub use source::{EmbeddedScene, Source, SourceError};
pub use watch::{FileEvent, Watcher};
pub use write::{WriteError, write_atomic};
