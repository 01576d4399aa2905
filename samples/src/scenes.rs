//! The scenes, as they are built in.

/// A scene of the sample catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleScene {
    /// What to open it by.
    pub name: &'static str,
    /// What it shows, in a sentence or two; the scene says the same.
    pub about: &'static str,
    /// Its JSON.
    pub text: &'static str,
}

const SCENES: [SampleScene; 3] = [
    SampleScene {
        name: "bouncing",
        about: "Fountains throw balls, crates, sparks and bubbles among bumpers. Try gravity, wind and \
                restitution, or pull an obstacle elsewhere.",
        text: include_str!("../scenes/bouncing.json"),
    },
    SampleScene {
        name: "crowd",
        about: "250,000 bodies on their ways around a common centre: a world to measure with.",
        text: include_str!("../scenes/crowd.json"),
    },
    SampleScene {
        name: "harbor",
        about: "Ships sail from station to station with the tide. Entities refer to each other, and the scene \
                itself describes their cargo.",
        text: include_str!("../scenes/harbor.json"),
    },
];

/// The scenes, the one to begin with first.
pub fn scenes() -> &'static [SampleScene] {
    &SCENES
}
