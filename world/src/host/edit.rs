//! Commands that edit the world, each with the command that takes it back. That one is made from what is there just
//! before the edit, on the thread the world lives on: nothing can come between.

use super::command::{Command, Done, Operator, Restored, Target};
use crate::component::{Field, FieldValue, Role, Scalar};
use crate::config::{Config, Value};
use crate::id::{ComponentId, EntityId, Ordinal, SystemId};
use crate::world::World;
use std::collections::BTreeMap;

/// An edit that was made.
pub(super) struct Edited {
    pub(super) done: Done,
    /// Takes it back; none if nothing does.
    pub(super) undo: Option<Command>,
}

/// Whether an edit may change templates.
pub(super) fn touches_templates(command: &Command) -> bool {
    match command {
        Command::Template { .. } | Command::Promote { .. } => true,
        Command::All { commands } => commands.iter().any(touches_templates),
        _ => false,
    }
}

/// Edits a world.
///
/// # Errors
/// What is wrong; nothing was changed then.
pub(super) fn edit(world: &mut World, command: Command) -> Result<Edited, String> {
    let edited = |done, undo| Ok(Edited { done, undo: Some(undo) });
    match command {
        Command::Spawn { config } => {
            let entities = vec![spawn(world, config)?];
            edited(Done::Created(entities.clone()), Command::Remove { entities })
        }
        Command::Duplicate { entity } => {
            let id = find(world, entity)?;
            let copy =
                world.duplicate(id).and_then(|copy| world.ordinal(copy)).ok_or_else(|| gone(entity))?;
            edited(Done::Created(vec![copy]), Command::Remove { entities: vec![copy] })
        }
        Command::Restore { entities } => {
            let numbers: Vec<Ordinal> = entities.iter().map(|restored| restored.entity).collect();
            let entities: Vec<_> = entities.into_iter().map(|r| (r.entity, r.config)).collect();
            world.restore(&entities).map_err(|error| error.to_string())?;
            edited(Done::Created(numbers.clone()), Command::Remove { entities: numbers })
        }
        Command::Kill { entities } => take_away(world, &entities, World::kill),
        Command::Remove { entities } => take_away(world, &entities, World::remove),
        Command::Set { entities, target, value } => set(world, &entities, &target, &value),
        Command::SetEach { target, values } => set_each(world, &target, &values),
        Command::Change { entities, target, operator, operand } => {
            change(world, &entities, &target, operator, operand)
        }
        Command::Add { entity, component } => add(world, entity, component),
        Command::Drop { entity, component } => drop_component(world, entity, component),
        Command::Template { name, set, remove } => edit_template(world, name, &set, &remove),
        Command::Promote { entity, keys } => {
            let id = find(world, entity)?;
            let set = world.values_for_template(id, &keys).map_err(|error| error.to_string())?;
            let name = world.type_name(id).to_string();
            edit_template(world, name, &set, &[])
        }
        Command::All { commands } => all(world, commands),
        Command::Enable { system, on } => {
            let before = status(world, system)?.enabled;
            world.set_enabled(system, on);
            edited(Done::Ok, Command::Enable { system, on: before })
        }
        Command::Period { system, milliseconds } => {
            let before = status(world, system)?.period;
            world.set_period(system, milliseconds)?;
            edited(Done::Ok, Command::Period { system, milliseconds: before })
        }
        Command::Param { system, name, value } => {
            let before = status(world, system)?.params.get(&name).cloned();
            world.set_param(system, &name, value)?;
            let undo = before.map(|value| Command::Param { system, name, value });
            Ok(Edited { done: Done::Ok, undo })
        }
        other => Err(format!("{other:?} edits nothing: only edits can be done together")),
    }
}

fn status(world: &World, system: SystemId) -> Result<crate::world::SystemStatus, String> {
    world.systems().find(|status| status.id == system).ok_or_else(|| format!("there is no system {system}"))
}

fn gone(ordinal: Ordinal) -> String {
    format!("there is no entity #{ordinal}; it was removed, or never was")
}

pub(super) fn find(world: &World, ordinal: Ordinal) -> Result<EntityId, String> {
    world.by_ordinal(ordinal).ok_or_else(|| gone(ordinal))
}

/// Those that are there; an error only if none is.
fn find_all(world: &World, ordinals: &[Ordinal]) -> Result<Vec<EntityId>, String> {
    let found: Vec<EntityId> = ordinals.iter().filter_map(|&ordinal| world.by_ordinal(ordinal)).collect();
    match ordinals {
        [first, ..] if found.is_empty() => Err(gone(*first)),
        _ => Ok(found),
    }
}

fn take_away(
    world: &mut World,
    entities: &[Ordinal],
    take: impl Fn(&mut World, EntityId) -> bool,
) -> Result<Edited, String> {
    let ids = find_all(world, entities)?;
    let before = world.configs_of(&ids).map_err(|hung| hung.to_string())?;
    let taken = ids.into_iter().filter(|&id| take(world, id)).count();
    let left = before.into_iter().filter(|(ordinal, _)| world.by_ordinal(*ordinal).is_none());
    let entities = left.map(|(entity, config)| Restored { entity, config }).collect();
    Ok(Edited { done: Done::Count(taken), undo: Some(Command::Restore { entities }) })
}

/// A field that is edited, and who of the entities has it.
struct Place {
    component: ComponentId,
    field: Field,
    at: usize,
    having: Vec<EntityId>,
}

impl Place {
    fn find(world: &mut World, entities: &[Ordinal], target: &Target) -> Result<Self, String> {
        let ids = find_all(world, entities)?;
        let component = world.component_named(&target.component).map_err(|error| error.to_string())?;
        let fields = world.registry().get(component).fields();
        let Some(at) = fields.iter().position(|field| field.name == target.field) else {
            let names = fields.iter().map(|field| field.name.as_str());
            let near = crate::scene::suggestion(&target.field, names);
            return Err(format!("component {:?} has no field {:?}{near}", target.component, target.field));
        };
        let field = fields[at].clone();
        let having: Vec<EntityId> = ids.iter().copied().filter(|&id| world.has(id, component)).collect();
        if having.is_empty() && !ids.is_empty() {
            return Err(format!("no entity of these has {:?}", target.component));
        }
        world.wait_to_write(component).map_err(|hung| hung.to_string())?;
        Ok(Self { component, field, at, having })
    }

    /// What everybody has.
    fn values(&self, world: &World) -> Vec<(Ordinal, FieldValue)> {
        let value = |&id: &EntityId| Some((world.ordinal(id)?, world.field(id, self.component, self.at)?));
        self.having.iter().filter_map(value).collect()
    }
}

/// All or none: a value that does not fit one entity changes no other.
fn set(
    world: &mut World,
    entities: &[Ordinal],
    target: &Target,
    value: &FieldValue,
) -> Result<Edited, String> {
    let place = Place::find(world, entities, target)?;
    let undo = Command::SetEach { target: target.clone(), values: place.values(world) };
    // The field's description is the same for all, so a value that fits the first fits every one.
    for &id in &place.having {
        world.set_field(id, &target.component, &target.field, value).map_err(|error| error.to_string())?;
    }
    Ok(Edited { done: Done::Count(place.having.len()), undo: Some(undo) })
}

/// All or none.
fn set_each(world: &mut World, target: &Target, values: &[(Ordinal, FieldValue)]) -> Result<Edited, String> {
    let entities: Vec<Ordinal> = values.iter().map(|(entity, _)| *entity).collect();
    let place = Place::find(world, &entities, target)?;
    let before = place.values(world);
    let mut count = 0;
    for (entity, value) in values {
        let Some(id) = world.by_ordinal(*entity).filter(|&id| world.has(id, place.component)) else {
            continue;
        };
        if let Err(error) = world.set_field(id, &target.component, &target.field, value) {
            for (entity, value) in before.iter().take(count) {
                if let Some(id) = world.by_ordinal(*entity) {
                    // It had this value a moment ago.
                    let _ = world.set_field(id, &target.component, &target.field, value);
                }
            }
            return Err(error.to_string());
        }
        count += 1;
    }
    let undo = Command::SetEach { target: target.clone(), values: before };
    Ok(Edited { done: Done::Count(count), undo: Some(undo) })
}

fn change(
    world: &mut World,
    entities: &[Ordinal],
    target: &Target,
    operator: Operator,
    operand: f64,
) -> Result<Edited, String> {
    let place = Place::find(world, entities, target)?;
    let name = format!("{}.{}", target.component, target.field);
    let changed = |(ordinal, value): (Ordinal, FieldValue)| {
        let number = match place.field.role {
            Role::Text | Role::Entity | Role::List => None,
            _ if place.field.scalar == Scalar::Bool8 => None,
            _ => value.as_f64(),
        };
        let number = number.ok_or_else(|| format!("{name} holds no number to change; give a value"))?;
        let value = place.field.nearest_value(operator.apply(number, operand));
        let value = value.ok_or_else(|| {
            format!("{name} of entity #{ordinal} would be no finite number; give another operand")
        })?;
        Ok((ordinal, value))
    };
    let values = place.values(world).into_iter().map(changed).collect::<Result<Vec<_>, String>>()?;
    set_each(world, target, &values)
}

fn add(world: &mut World, entity: Ordinal, component: String) -> Result<Edited, String> {
    let id = find(world, entity)?;
    let known = world.component_named(&component).map_err(|error| error.to_string())?;
    let undo = match world.has(id, known) {
        // It is replaced.
        true => all_fields(world, entity, id, known)?.map(|commands| Command::All { commands }),
        false => Some(Command::Drop { entity, component: component.clone() }),
    };
    world.add_default(id, &component).map_err(|error| error.to_string())?;
    Ok(Edited { done: Done::Ok, undo })
}

fn drop_component(world: &mut World, entity: Ordinal, component: String) -> Result<Edited, String> {
    let id = find(world, entity)?;
    let known = world.component_named(&component).map_err(|error| error.to_string())?;
    let mut undo = None;
    if world.has(id, known)
        && let Some(fields) = all_fields(world, entity, id, known)?
    {
        let mut commands = vec![Command::Add { entity, component }];
        commands.extend(fields);
        undo = Some(Command::All { commands });
    }
    world.remove_component_by_id(id, known).map_err(|error| error.to_string())?;
    Ok(Edited { done: Done::Ok, undo })
}

/// Commands that give each field of a component what it has now; none if its bytes are not described.
fn all_fields(
    world: &mut World,
    entity: Ordinal,
    id: EntityId,
    component: ComponentId,
) -> Result<Option<Vec<Command>>, String> {
    world.wait_to_read(component).map_err(|hung| hung.to_string())?;
    let definition = world.registry().get(component);
    if definition.fields().is_empty() && definition.size() > 0 {
        return Ok(None);
    }
    let set = |(at, field): (usize, &Field)| {
        let target = Target { component: definition.name().to_owned(), field: field.name.clone() };
        let value = world.field(id, component, at)?;
        Some(Command::Set { entities: vec![entity], target, value })
    };
    Ok(Some(definition.fields().iter().enumerate().filter_map(set).collect()))
}

fn edit_template(
    world: &mut World,
    name: String,
    set: &Config<'_>,
    remove: &[String],
) -> Result<Edited, String> {
    let before = world.factory().template(&name).map(|template| template.config.clone()).unwrap_or_default();
    world.edit_template(&name, set, remove).map_err(|error| error.to_string())?;
    let touched = || set.iter().map(|(key, _)| key).chain(remove.iter().map(String::as_str));
    let had = touched().filter_map(|key| Some((key.to_owned(), before.get(key)?.clone())));
    let lacked = touched().filter(|key| !before.has(key)).map(str::to_owned);
    let undo = Command::Template { name, set: had.collect(), remove: lacked.collect() };
    Ok(Edited { done: Done::Count(set.len() + remove.len()), undo: Some(undo) })
}

/// All or none: those done before one that fails are taken back.
fn all(world: &mut World, commands: Vec<Command>) -> Result<Edited, String> {
    let (mut created, mut count) = (Vec::new(), 0);
    // None once something was done that nothing takes back.
    let mut undo = Some(Vec::new());
    for command in commands {
        match edit(world, command) {
            Ok(edited) => {
                match edited.done {
                    Done::Created(more) => created.extend(more),
                    Done::Count(more) => count += more,
                    _ => count += 1,
                }
                undo = undo.zip(edited.undo).map(|(mut commands, command)| {
                    commands.push(command);
                    commands
                });
            }
            Err(message) => {
                let Some(done) = undo else {
                    return Err(format!("{message}; what was done before stays: it cannot be taken back"));
                };
                for command in done.into_iter().rev() {
                    edit(world, command).map_err(|second| format!("{message}; {second}"))?;
                }
                return Err(message);
            }
        }
    }
    let undo = undo.map(|mut commands| {
        commands.reverse();
        Command::All { commands }
    });
    let done = if created.is_empty() { Done::Count(count) } else { Done::Created(created) };
    Ok(Edited { done, undo })
}

fn spawn(world: &mut World, config: BTreeMap<String, serde_json::Value>) -> Result<Ordinal, String> {
    let text = serde_json::to_string(&config).map_err(|error| error.to_string())?;
    let config: Config<'_> = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let unknown = config.iter().find(|(key, _)| {
        world.registry().loaded_by(key).is_empty() && !matches!(*key, "type" | "isStatic" | "dead")
    });
    if let Some((key, _)) = unknown {
        return Err(format!("no component loads the key {key:?}"));
    }
    if config.get("dead").and_then(Value::as_bool) == Some(true) {
        return Err("a new entity cannot be dead".to_owned());
    }
    let id = world.create(&config).map_err(|error| error.to_string())?;
    world.ordinal(id).ok_or_else(|| "the entity was removed again by a listener".to_owned())
}
