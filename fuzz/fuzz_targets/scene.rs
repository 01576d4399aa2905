//! Any text as a scene: it is loaded or refused, and what was loaded is saved and loaded again as the same.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use vivarium_world::{LoadOptions, SaveForm, World, WorldOptions};

fuzz_target!(|text: &str| -> Corpus {
    let new = || World::new(&vivarium_samples::catalog(), WorldOptions::default()).expect("no threads are asked for");
    let mut world = new();
    if world.load("fuzz", text, &LoadOptions::default()).is_err() {
        // The world is as it was, and can still be used.
        assert!(world.is_empty());
        world.step();
        return Corpus::Keep;
    }
    for form in [SaveForm::Plain, SaveForm::Compressed] {
        let Ok(saved) = world.save(form) else { continue };
        let mut again = new();
        if let Err(error) = again.load("save", &saved, &LoadOptions::default()) {
            panic!("{error}\n{saved}");
        }
        assert_eq!(again.state_hash(), world.state_hash(), "{saved}");
    }
    Corpus::Keep
});
