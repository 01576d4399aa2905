//! The inspector with the samples.

use std::process::ExitCode;
use vivarium_app::files::EmbeddedScene;

fn main() -> ExitCode {
    let scenes = vivarium_samples::scenes().iter();
    let scenes = scenes.map(|scene| EmbeddedScene { name: scene.name, about: scene.about, text: scene.text });
    vivarium_app::run_with_scenes(vivarium_samples::catalog(), scenes.collect())
}
