//! The rules of the world, through its public doors: a file a subject, a test a rule.

mod chunks;
mod classes;
mod clocks;
mod common;
mod components;
mod custom_scheduler;
mod deferred;
mod effects;
mod entities;
mod events;
mod flow;
mod hooks;
mod host;
mod hung;
mod index;
mod lists;
mod loading;
mod model;
mod ordering;
mod phases;
mod query;
mod resources;
mod scheduler;
mod support;
mod systems;
mod templates;
