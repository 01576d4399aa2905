//! The panels of the inspector.
//!
//! A panel draws a [`View`] — a snapshot, the selection, the log — and pushes [`Request`]s. It keeps only
//! what it alone remembers: a scroll position, a filter text, the value that is being typed. A visible panel
//! also adds what it wants to see to the next `ViewRequest`; one that is not visible does no work.
//!
//! ```text
//!   Snapshot ──▶ View ──▶ panel ──▶ Request ──▶ the app, which sends the commands among them to the host
//!                           └─────▶ ViewRequest: what the next snapshot is to hold
//! ```
//!
//! Never here: a `World`, a file, a thread, a clock.

mod field_editor;
mod format;
mod panel_id;
mod panels;
mod request;
mod selection;
mod series;
mod theme;
mod view;
mod widgets;

mod deferred;
mod entities;
mod inspector;
mod journal;
mod log;
mod memory;
mod scenes;
mod status;
mod systems;
mod templates;
mod timing;
mod transport;
mod world;

#[cfg(test)]
mod fixture;

pub use deferred::DeferredPanel;
pub use entities::EntitiesPanel;
pub use format::count;
pub use inspector::InspectorPanel;
pub use journal::JournalPanel;
pub use log::LogPanel;
pub use memory::MemoryPanel;
pub use panel_id::PanelId;
pub use panels::Panels;
pub use request::{Request, Select, duplicate};
pub use scenes::ScenesPanel;
pub use selection::{History, Selection};
pub use status::StatusBar;
pub use systems::SystemsPanel;
pub use templates::TemplatesPanel;
pub use theme::{Palette, apply_theme};
pub use timing::{TimingPanel, TimingsForm};
pub use transport::TransportBar;
pub use view::{FileFacts, SampleCard, View};
pub use world::WorldPanel;
