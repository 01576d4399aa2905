//! What happens in the samples.

mod attract;
mod bounce;
mod crowd;
mod drift;
mod edges;
mod emit;
mod fade;
mod lifetime;
mod movement;
mod sail;
mod spawner;
mod spin;
mod tide;
mod wind;

pub use attract::attract;
pub use bounce::bounce;
pub use crowd::crowd;
pub use drift::drift;
pub use edges::edges;
pub use fade::fade;
pub use lifetime::lifetime;
pub use movement::movement;
pub use sail::sail;
pub use spawner::spawner;
pub use spin::spin;
pub use tide::tide;
pub use wind::wind;

use vivarium_world::{Field, FieldValue, Run, Scalar};

/// What a spawner of moving bodies may make them of.
const BODY: [&str; 6] = ["transform", "velocity", "body", "lifetime", "mass", "spin"];

/// A parameter that is a number, with what it starts with and the least and greatest it takes.
fn number(name: &str, start: f64, least: f64, greatest: f64) -> Field {
    Field::new(name, Scalar::F64, 0).default_value(FieldValue::Float(start)).range(least, greatest)
}

/// A parameter that counts.
fn count(name: &str, start: u64, greatest: u64) -> Field {
    Field::new(name, Scalar::U32, 0).default_value(FieldValue::Uint(start)).range(0.0, greatest as f64)
}

/// A parameter of a run, as precise as blocks are.
fn param(run: &Run, name: &str) -> f32 {
    run.param(name) as f32
}

/// The seconds a run stands for.
fn seconds(run: &Run) -> f32 {
    (run.delta() / 1000.0) as f32
}
