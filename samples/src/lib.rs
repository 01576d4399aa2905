//! The sample catalog: components, classes and systems in Rust, and scenes that use them.
//!
//! ```
//! use vivarium_world::{LoadOptions, World, WorldOptions};
//!
//! let bouncing = vivarium_samples::scenes().iter().find(|scene| scene.name == "bouncing").unwrap();
//! let mut world = World::new(&vivarium_samples::catalog(), WorldOptions::default())?;
//! world.load("bouncing.json", bouncing.text, &LoadOptions::default())?;
//! world.step();
//! assert!(world.len() > 300);
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

pub mod component;
#[cfg(test)]
mod fixture;
mod scenes;
pub mod system;

pub use scenes::{SampleScene, scenes};

use component::{
    Body, Bumper, Label, Lifetime, Mass, Solid, Source, Spin, Station, Tide, Transform, Velocity, Voyage,
};
use vivarium_world::{Catalog, RegistryError};

/// Everything the scenes name.
pub fn catalog() -> Catalog {
    let catalog = components().expect("names of components and fields are different");
    catalog
        .class("mover", ["transform", "velocity", "body", "lifetime", "mass", "spin"])
        .class("wall", ["transform", "body", "solid", "bumper", "spin"])
        .class("source", ["transform", "body", "source", "spin"])
        .system(system::movement)
        .system(system::bounce)
        .system(system::wind)
        .system(system::spin)
        .system(system::lifetime)
        .system(system::fade)
        .system(system::spawner)
        .system(system::attract)
        .system(system::drift)
        .system(system::edges)
        .system(system::crowd)
        .system(system::tide)
        .system(system::sail)
}

fn components() -> Result<Catalog, RegistryError> {
    Catalog::new()
        .component::<Transform>()?
        .component::<Velocity>()?
        .component::<Body>()?
        .component::<Lifetime>()?
        .component::<Mass>()?
        .component::<Spin>()?
        .component::<Solid>()?
        .component::<Bumper>()?
        .component::<Source>()?
        .component::<Label>()?
        .component::<Station>()?
        .component::<Voyage>()?
        .component::<Tide>()
}
