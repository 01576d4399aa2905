//! Sources as a spawner sees them.

use crate::component::{Source, Transform};
use std::f32::consts::TAU;
use std::sync::Arc;
use vivarium_world::{Config, Named, Run};

/// The query for sources.
pub(super) type Sources = (&'static Transform, &'static Source);

/// A source with the name of what it emits.
pub(super) struct Emitter {
    at: Transform,
    source: Source,
    emits: Arc<str>,
}

/// The sources in `query` that emit anything.
pub(super) fn emitters(queries: &mut Named<'_>, query: &str, run: &Run) -> Vec<Emitter> {
    let mut found = Vec::new();
    queries.each::<Sources>(query, |(&at, &source)| {
        if let Some(emits) = run.strings().get(source.emits).filter(|name| !name.is_empty()) {
            found.push(Emitter { at, source, emits });
        }
    });
    found
}

/// Any one of the emitters; none if there are none.
pub(super) fn any<'a>(emitters: &'a [Emitter], run: &mut Run) -> Option<&'a Emitter> {
    let last = i64::try_from(emitters.len()).ok().filter(|&count| count > 0)?;
    emitters.get(run.random().int(0, last) as usize)
}

impl Emitter {
    /// Where it is.
    pub(super) fn at(&self) -> Transform {
        self.at
    }

    /// A velocity in its direction, give or take its spread.
    pub(super) fn launch(&self, run: &mut Run) -> (f32, f32) {
        let stray = (run.random().next() as f32 * 2.0 - 1.0) * self.source.spread;
        let speed = self.source.launch_speed * (0.8 + 0.4 * run.random().next() as f32);
        let (sin, cos) = (self.at.angle + stray).sin_cos();
        (cos * speed, sin * speed)
    }

    /// The config of a new body of its type.
    pub(super) fn config(&self, (x, y): (f32, f32), (vx, vy): (f32, f32)) -> Config<'_> {
        let numbers = [("x", x), ("y", y), ("vx", vx), ("vy", vy)];
        let mut config = Config::from_iter(numbers.map(|(key, value)| (key, f64::from(value))));
        config.set("type", &*self.emits);
        config
    }
}

/// An angle between 0 and a full turn.
pub(super) fn any_angle(run: &mut Run) -> f32 {
    run.random().next() as f32 * TAU
}
