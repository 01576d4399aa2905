//! `vivarium screenshot`: what the window would show, as a picture, without a display.

use std::io::Cursor;
use std::path::PathBuf;
use std::sync::Arc;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use image::ImageFormat;
use vivarium_panels::PanelId;
use vivarium_panels::SampleCard;

use super::arguments::{WorldArguments, thread_count};
use super::exit::{Exit, Failure};
use super::hosted::Hosted;
use super::open::{SceneText, threads_or_default};
use super::window::cards;
use super::{Offer, report};
use crate::documents::{Choice, Chosen, Dialogs, Documents, Purpose};
use crate::files::write_atomic;
use crate::settings::Settings;
use crate::ui::Inspector;

#[derive(Debug, Args)]
pub(super) struct ScreenshotArguments {
    #[command(flatten)]
    pub(super) world: WorldArguments,
    /// Steps to run first
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) ticks: u64,
    /// Worker threads; 0 does everything on one [default: one a core]
    #[arg(long, value_name = "N", value_parser = thread_count())]
    pub(super) threads: Option<u16>,
    /// Show this panel alone
    #[arg(long, value_name = "P", value_parser = panel_names())]
    pub(super) panel: Option<String>,
    /// Pixels of the picture
    #[arg(long, value_name = "WxH", default_value = "1400x880", value_parser = size)]
    pub(super) size: [u32; 2],
    /// Pixels per point: 2 for a dense display
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = scale, allow_negative_numbers = true)]
    pub(super) scale: f32,
    /// Colours
    #[arg(long, value_enum, default_value_t)]
    pub(super) theme: Theme,
    /// PNG file to write
    #[arg(long, short, value_name = "FILE")]
    pub(super) out: PathBuf,
}

/// Colours of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Theme {
    /// Light on dark
    #[default]
    Dark,
    /// Dark on light
    Light,
}

impl Theme {
    /// As the window's settings name it.
    pub(super) fn preference(self) -> egui::ThemePreference {
        match self {
            Self::Dark => egui::ThemePreference::Dark,
            Self::Light => egui::ThemePreference::Light,
        }
    }
}

fn panel_names() -> PossibleValuesParser {
    PossibleValuesParser::new(PanelId::ALL.map(PanelId::name))
}

/// The largest side of a picture, in pixels.
const LARGEST_SIDE: u32 = 8192;

fn size(text: &str) -> Result<[u32; 2], String> {
    let sides = text.split_once(['x', 'X']).map(|(width, height)| [width, height].map(str::parse::<u32>));
    match sides {
        Some([Ok(width), Ok(height)])
            if (1..=LARGEST_SIDE).contains(&width) && (1..=LARGEST_SIDE).contains(&height) =>
        {
            Ok([width, height])
        }
        _ => Err(format!(
            "a size is width and height in pixels, such as 1400x880, each at most {LARGEST_SIDE}"
        )),
    }
}

fn scale(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(value) if (0.25..=8.0).contains(&value) => Ok(value),
        _ => Err("a scale is a number from 0.25 to 8".into()),
    }
}

pub(super) fn run(arguments: &ScreenshotArguments, offer: &Offer) -> Result<Exit, Failure> {
    let scene = SceneText::read(&arguments.world.scene, offer)?;
    let threads = threads_or_default(arguments.threads);
    let hosted = Hosted::run(&arguments.world, scene.name_and_text(), arguments.ticks, threads, offer)?;
    let exit = hosted.exit;
    let (scenes, sample_cards): (Vec<_>, Vec<SampleCard>) = cards(&offer.scenes).into_iter().unzip();
    let documents = Documents::new(scenes, Box::new(NoDialogs), Arc::new(|| ()));
    let settings = Settings { theme: arguments.theme.preference(), ..Settings::default() };
    let mut inspector = Inspector::new(Box::new(hosted.host), documents, settings, sample_cards);
    inspector.documents().adopt(scene.session());
    if let Some(panel) = arguments.panel.as_deref().and_then(vivarium_panels::PanelId::from_name) {
        inspector.show_only(panel);
    }
    let picture = inspector.picture(arguments.size, arguments.scale);
    let mut png = Cursor::new(Vec::new());
    picture.write_to(&mut png, ImageFormat::Png).map_err(|error| {
        Failure::new(Exit::Unexpected, format_args!("the picture cannot be packed: {error}"))
    })?;
    write_atomic(&arguments.out, png.get_ref())?;
    if !arguments.world.quiet {
        let [width, height] = arguments.size;
        report(format_args!("{}: {width}x{height}", arguments.out.display()));
    }
    Ok(exit)
}

/// Nobody is there to choose a file.
struct NoDialogs;

impl Dialogs for NoDialogs {
    fn choose(&self, _purpose: &Purpose, chosen: Chosen) {
        chosen(Choice::NoDialog);
    }
}
