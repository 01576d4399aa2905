//! `vivarium screenshot`: what the window would show, as a picture, without a display.

use std::io::Cursor;
use std::sync::Arc;

use image::ImageFormat;
use vivarium_panels::SampleCard;

use super::arguments::ScreenshotArguments;
use super::exit::{Exit, Failure};
use super::hosted::Hosted;
use super::open::{SceneText, threads_or_default};
use super::window::cards;
use super::{Offer, report};
use crate::documents::{Choice, Chosen, Dialogs, Documents, Purpose};
use crate::files::write_atomic;
use crate::settings::Settings;
use crate::ui::Inspector;

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
