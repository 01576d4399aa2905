//! What the entities of the samples are made of.

mod body;
mod bumper;
mod label;
mod lifetime;
mod mass;
mod solid;
mod source;
mod spin;
mod station;
mod tide;
mod transform;
mod velocity;
mod voyage;

pub use body::Body;
pub use bumper::Bumper;
pub use label::Label;
pub use lifetime::Lifetime;
pub use mass::Mass;
pub use solid::Solid;
pub use source::Source;
pub use spin::Spin;
pub use station::Station;
pub use tide::Tide;
pub use transform::Transform;
pub use velocity::Velocity;
pub use voyage::Voyage;
