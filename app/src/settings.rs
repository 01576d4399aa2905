//! What is kept from one run of the window to the next, as text with a version.

use crate::layout::Layout;
use egui::ThemePreference;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What is kept. A part that cannot be read is replaced by its default; nothing kept can keep the window from
/// opening.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Where the panels stand.
    pub layout: Layout,
    /// Colours.
    pub theme: ThemePreference,
    /// Files opened before, latest first.
    pub recent: Vec<PathBuf>,
    /// Whether saves are written in the compressed form.
    pub compress: bool,
    /// How much larger than natural everything is drawn.
    pub zoom: f32,
}

impl Default for Settings {
    fn default() -> Self {
        let theme = ThemePreference::System;
        Self { layout: Layout::default(), theme, recent: Vec::new(), compress: true, zoom: 1.0 }
    }
}

/// The text's own form: every part may be missing.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    /// Raised when an older text would be misread.
    version: u32,
    layout: serde_json::Value,
    theme: String,
    recent: Vec<PathBuf>,
    compress: Option<bool>,
    zoom: Option<f32>,
}

impl Settings {
    const VERSION: u32 = 1;
    /// How many files are remembered.
    const RECENT: usize = 10;
    /// The least and the greatest zoom.
    const ZOOM: std::ops::RangeInclusive<f32> = 0.5..=3.0;

    /// Reads what [`text`](Self::text) wrote; of other text, as much as can be used.
    pub fn from_text(text: &str) -> Self {
        let kept: Kept = serde_json::from_str(text).unwrap_or_default();
        let defaults = Self::default();
        if kept.version != Self::VERSION {
            return defaults;
        }
        let layout = serde_json::from_value::<Layout>(kept.layout)
            .ok()
            .map(Layout::completed)
            .filter(Layout::is_sound);
        let mut settings = Self {
            layout: layout.unwrap_or(defaults.layout),
            theme: theme_from_name(&kept.theme),
            recent: kept.recent,
            compress: kept.compress.unwrap_or(defaults.compress),
            zoom: defaults.zoom,
        };
        settings.recent.truncate(Self::RECENT);
        settings.set_zoom(kept.zoom.unwrap_or(defaults.zoom));
        settings
    }

    /// The text to keep.
    pub fn text(&self) -> String {
        let kept = Kept {
            version: Self::VERSION,
            // A layout holds nothing JSON cannot.
            layout: serde_json::to_value(&self.layout).unwrap_or_default(),
            theme: theme_name(self.theme).to_owned(),
            recent: self.recent.clone(),
            compress: Some(self.compress),
            zoom: Some(self.zoom),
        };
        serde_json::to_string(&kept).unwrap_or_default()
    }

    /// Puts a file in front of the recent ones.
    pub fn remember(&mut self, path: &Path) {
        self.recent.retain(|other| other != path);
        self.recent.insert(0, path.to_path_buf());
        self.recent.truncate(Self::RECENT);
    }

    /// Takes a file out of the recent ones.
    pub fn forget(&mut self, path: &Path) {
        self.recent.retain(|other| other != path);
    }

    /// Sets the zoom, within bounds.
    pub fn set_zoom(&mut self, zoom: f32) {
        if zoom.is_finite() {
            self.zoom = zoom.clamp(*Self::ZOOM.start(), *Self::ZOOM.end());
        }
    }
}

const fn theme_name(theme: ThemePreference) -> &'static str {
    match theme {
        ThemePreference::System => "system",
        ThemePreference::Light => "light",
        ThemePreference::Dark => "dark",
    }
}

fn theme_from_name(name: &str) -> ThemePreference {
    match name {
        "light" => ThemePreference::Light,
        "dark" => ThemePreference::Dark,
        _ => ThemePreference::System,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_panels::PanelId;

    fn unusual() -> Settings {
        let mut layout = Layout::default();
        layout.set_open(PanelId::Log, false);
        let recent = vec![PathBuf::from("b.json"), PathBuf::from("a.json")];
        Settings { layout, theme: ThemePreference::Light, recent, compress: false, zoom: 1.5 }
    }

    #[test]
    fn what_is_kept_comes_back() {
        let settings = unusual();
        let read = Settings::from_text(&settings.text());
        assert_eq!(read.text(), settings.text());
        assert!(!read.layout.is_open(PanelId::Log));
        assert_eq!(read.theme, ThemePreference::Light);
        assert_eq!((read.compress, read.zoom), (false, 1.5));
    }

    #[test]
    fn text_that_is_no_settings_gives_the_defaults() {
        for text in ["", "{", "[]", "null", r#"{"version":99,"theme":"dark"}"#] {
            assert_eq!(Settings::from_text(text).text(), Settings::default().text(), "{text}");
        }
    }

    #[test]
    fn a_damaged_layout_does_not_take_the_rest_along() {
        let mut kept: serde_json::Value = serde_json::from_str(&unusual().text()).unwrap();
        kept["layout"] = serde_json::json!({ "root": 7 });
        let read = Settings::from_text(&kept.to_string());
        assert!(read.layout.is_open(PanelId::Log), "the first layout again");
        assert_eq!(read.theme, ThemePreference::Light);
        assert_eq!(read.recent.len(), 2);
    }

    #[test]
    fn recent_files_stand_latest_first_once_and_are_bounded() {
        let mut settings = Settings::default();
        for n in 0..30 {
            settings.remember(Path::new(&format!("{n}.json")));
        }
        settings.remember(Path::new("25.json"));
        assert_eq!(settings.recent.len(), 10);
        assert_eq!(settings.recent[0], Path::new("25.json"));
        assert_eq!(settings.recent[1], Path::new("29.json"));
        assert_eq!(settings.recent.iter().filter(|path| path.ends_with("25.json")).count(), 1);
        settings.forget(Path::new("29.json"));
        assert_eq!(settings.recent[1], Path::new("28.json"));
    }

    #[test]
    fn zoom_stays_within_bounds() {
        let mut settings = Settings::default();
        for (wanted, got) in [(100.0, 3.0), (0.0, 0.5), (f32::NAN, 0.5), (1.2, 1.2)] {
            settings.set_zoom(wanted);
            assert_eq!(settings.zoom, got);
        }
    }
}
