//! A few components, a catalog of them, and a record of what their hooks did.

#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of it")]

use bytemuck::{Pod, Zeroable};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use vivarium_world::{
    Catalog, Component, ComponentDef, Config, EntityId, Field, HookError, LoadOptions, LoadReport, Role,
    Scalar, SystemDef, World, WorldEvent, WorldOptions,
};

/// Numbers of threads a rule must hold for.
pub const THREADS: [usize; 3] = [0, 1, 4];

macro_rules! component {
    ($name:ident, $text:literal, $field:ident: $type:ty, $scalar:ident) => {
        #[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
        #[repr(C)]
        pub struct $name {
            pub $field: $type,
        }
        impl Component for $name {
            const NAME: &'static str = $text;
            fn definition() -> ComponentDef {
                ComponentDef::of::<Self>().field(Field::new(stringify!($field), Scalar::$scalar, 0))
            }
        }
    };
}
component!(Place, "place", x: f64, F64);
component!(Speed, "speed", vx: f64, F64);
component!(Health, "health", health: f64, F64);

/// A tag.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Frozen;
impl Component for Frozen {
    const NAME: &'static str = "frozen";
    fn definition() -> ComponentDef {
        ComponentDef::of::<Self>()
    }
}

/// A reference to another entity.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Link {
    pub target: u64,
}
impl Component for Link {
    const NAME: &'static str = "link";
    fn definition() -> ComponentDef {
        ComponentDef::of::<Self>().field(Field::new("target", Scalar::U64, 0).role(Role::Entity))
    }
}

/// What hooks, systems and listeners did, in order.
#[derive(Clone, Default)]
pub struct Calls(Arc<Mutex<Vec<String>>>);

impl Calls {
    fn lock(&self) -> MutexGuard<'_, Vec<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
    pub fn push(&self, call: impl Into<String>) {
        self.lock().push(call.into());
    }
    /// What was recorded since this was last asked.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.lock())
    }
    /// How many recorded calls begin with a text; nothing is taken.
    pub fn count(&self, beginning: &str) -> usize {
        self.lock().iter().filter(|call| call.starts_with(beginning)).count()
    }
}

/// A component whose hooks are recorded as `attach NAME`, `free NAME VALUE` and `died NAME`.
///
/// Attaching fails for a value of -1 and panics for -2; a death hook does so for -3 and -4.
fn recorded<T: Component>(calls: &Calls, value: fn(&T) -> f64) -> ComponentDef {
    let (attach, free, died) = (calls.clone(), calls.clone(), calls.clone());
    T::definition()
        .on_attach::<T>(move |_, block, _, _| match value(block) {
            -1.0 => Err(HookError::from("it does not fit")),
            -2.0 => panic!("the hook fell"),
            _ => {
                attach.push(format!("attach {}", T::NAME));
                Ok(())
            }
        })
        .on_free::<T>(move |block| free.push(format!("free {} {}", T::NAME, value(block))))
        .on_died::<T>(move |_, block, _| {
            died.push(format!("died {}", T::NAME));
            match value(block) {
                -3.0 => Err(HookError::from("no peace")),
                -4.0 => panic!("the hook fell"),
                _ => Ok(()),
            }
        })
}

/// All components; the hooks of `place`, `speed` and `health` are recorded.
pub fn catalog(calls: &Calls) -> Catalog {
    Catalog::new()
        .define(recorded::<Place>(calls, |place| place.x))
        .and_then(|catalog| catalog.define(recorded::<Speed>(calls, |speed| speed.vx)))
        .and_then(|catalog| catalog.define(recorded::<Health>(calls, |health| health.health)))
        .and_then(Catalog::component::<Frozen>)
        .and_then(Catalog::component::<Link>)
        .unwrap()
}

/// An empty world of the catalog.
pub fn world_of(catalog: &Catalog, threads: usize) -> World {
    World::new(catalog, WorldOptions { threads, ..WorldOptions::default() }).unwrap()
}

/// An empty world, and what its hooks do.
pub fn world(threads: usize) -> (World, Calls) {
    let calls = Calls::default();
    (world_of(&catalog(&calls), threads), calls)
}

/// Loads a scene under the conflict scheduler that has these keys.
pub fn load(world: &mut World, keys: &str) -> LoadReport {
    world.load("test.json", &scene(keys), &LoadOptions::default()).unwrap()
}

/// The text of a scene under the conflict scheduler that has these keys.
pub fn scene(keys: &str) -> String {
    format!("{{ \"vivarium\": 1, \"random\": {{ \"seed\": 1 }}, \"scheduler\": \"conflict\", {keys} }}")
}

/// What is wrong with a scene of these keys.
pub fn faults(world: &mut World, keys: &str) -> String {
    world.load("test.json", &scene(keys), &LoadOptions::default()).unwrap_err().to_string()
}

pub fn config(json: &str) -> Config<'static> {
    let config: Config<'_> = serde_json::from_str(json).unwrap();
    config.into_owned()
}

/// Records every event from now on, and whether the entity's place could be read at that moment.
pub fn record_events(world: &mut World, calls: &Calls) {
    let calls = calls.clone();
    world.listen(move |world, event| {
        let name = |world: &World, component| world.registry().get(component).name().to_owned();
        let readable = |world: &World, id| if world.peek::<Place>(id).is_some() { " readable" } else { "" };
        match event {
            WorldEvent::EntityAdded(id) => calls.push(format!("added{}", readable(world, *id))),
            WorldEvent::EntityRemoved(id) => calls.push(format!("removed{}", readable(world, *id))),
            WorldEvent::EntityDied(id) => calls.push(format!("died{}", readable(world, *id))),
            WorldEvent::ComponentAdded(_, c) => calls.push(format!("got {}", name(world, *c))),
            WorldEvent::ComponentRemoved(_, c) => calls.push(format!("lost {}", name(world, *c))),
            WorldEvent::ComponentChanged(_, c) => calls.push(format!("changed {}", name(world, *c))),
            WorldEvent::SystemError(error) => calls.push(format!("error {error}")),
            WorldEvent::UpdateStarted => calls.push("update"),
            WorldEvent::UpdateFinished => calls.push("updated"),
            WorldEvent::Loaded => calls.push("loaded"),
            WorldEvent::Cleared => calls.push("cleared"),
            _ => {}
        }
    });
}

/// The members of a query, as a system that counts them each run leaves them.
#[derive(Clone, Default)]
pub struct Seen(Arc<Mutex<Vec<EntityId>>>);

impl Seen {
    pub fn push(&self, id: EntityId) {
        self.0.lock().unwrap().push(id);
    }
    pub fn take(&self) -> Vec<EntityId> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// A worker system that notes every entity with a place, in the order it visits them.
pub fn noting(name: &str, seen: &Seen) -> SystemDef {
    let seen = seen.clone();
    SystemDef::each::<(EntityId, &Place), _>(name, move |(id, _), _| seen.push(id))
}

pub fn errors(world: &mut World) -> Vec<String> {
    world.take_errors().0.iter().map(ToString::to_string).collect()
}

pub fn no_strings() -> Vec<String> {
    Vec::new()
}
