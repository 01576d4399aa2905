//! Undo and redo of live edits: for each command that edits the world, the commands that take it back.
//!
//! What was there before is read from the snapshot at the moment of the edit, so an edit can be taken back if what it
//! changed was shown. What cannot be taken back ends the history, lest *Undo* skip it unseen.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use vivarium_world::inspect::{ComponentState, EntitiesRequest, EntityDetail, Snapshot, SystemView};
use vivarium_world::{Command, ComponentId, FieldValue, Ordinal, SystemId, Target};

/// A step that can be taken back.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    /// What it did, for texts: `set health.health`.
    pub(crate) title: String,
    /// Does it.
    pub(crate) redo: Command,
    /// Takes it back.
    pub(crate) undo: Undo,
}

/// How a step is taken back.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Undo {
    /// By these commands, in order.
    By(Vec<Command>),
    /// By removing what it created, as the reply will say.
    RemoveCreated,
    /// Not at all.
    Never,
}

/// What was done and what was taken back.
#[derive(Debug)]
pub(crate) struct Edits {
    /// Oldest first, with the moment it was done.
    done: Vec<(Step, Instant)>,
    /// Latest taken back last.
    undone: Vec<Step>,
    /// How many steps were done when the world was loaded or last saved; none if no undo leads back there.
    saved: Option<usize>,
    /// Whether anything was done or taken back since.
    moved: bool,
}

impl Default for Edits {
    fn default() -> Self {
        Self { done: Vec::new(), undone: Vec::new(), saved: Some(0), moved: false }
    }
}

impl Edits {
    /// How many steps are remembered.
    const LIMIT: usize = 200;
    /// Edits of one field that follow each other this closely are one step: a value that is dragged.
    const TOGETHER: Duration = Duration::from_millis(700);

    /// Remembers a step that was done at `now`; what was taken back before can no longer be done again.
    pub(crate) fn push(&mut self, step: Step, now: Instant) {
        self.moved = true;
        self.undone.clear();
        // What was saved may have been among what was taken back.
        self.saved = self.saved.filter(|saved| *saved <= self.done.len());
        if step.undo == Undo::Never {
            self.done.clear();
            self.saved = None;
            return;
        }
        let is_saved = self.saved == Some(self.done.len());
        if let Some((last, at)) = self.done.last_mut()
            && !is_saved
            && now.duration_since(*at) < Self::TOGETHER
            && is_same_field(&last.redo, &step.redo)
        {
            last.redo = step.redo;
            *at = now;
            return;
        }
        self.done.push((step, now));
        if self.done.len() > Self::LIMIT {
            self.done.remove(0);
            self.saved = self.saved.and_then(|saved| saved.checked_sub(1));
        }
    }

    /// Remembers a step that was done once more.
    pub(crate) fn push_again(&mut self, step: Step) {
        // Long ago, so that a later edit is a step of its own.
        self.moved = true;
        let then = Instant::now().checked_sub(Self::TOGETHER).unwrap_or_else(Instant::now);
        self.done.push((step, then));
    }

    /// The step to take back; it can be done again afterwards.
    pub(crate) fn undo(&mut self) -> Option<Step> {
        let (step, _) = self.done.pop()?;
        self.undone.push(step.clone());
        self.moved = true;
        Some(step)
    }

    /// The step to do again. [`push_again`](Self::push_again) it when it is done.
    pub(crate) fn redo(&mut self) -> Option<Step> {
        self.undone.pop()
    }

    /// Taking back the last step created these entities anew: doing it again is about them.
    pub(crate) fn created_by_undo(&mut self, created: &[Ordinal], first: bool) {
        if let Some(Step { redo: Command::Kill { entities } | Command::Remove { entities }, .. }) =
            self.undone.last_mut()
        {
            if first {
                entities.clear();
            }
            entities.extend(created);
        }
    }

    /// The world as it is was given out to be saved.
    pub(crate) fn mark_saved(&mut self) {
        (self.saved, self.moved) = (Some(self.done.len()), false);
    }

    /// It is not known any more how far what was saved is away.
    pub(crate) fn lose_saved(&mut self) {
        self.saved = None;
    }

    /// Whether edits were done since the load or the last save, and all of them taken back.
    pub(crate) fn is_back(&self) -> bool {
        self.moved && self.saved == Some(self.done.len())
    }

    /// Whether there is something to take back, and something to do again.
    pub(crate) fn can_go(&self) -> (bool, bool) {
        (!self.done.is_empty(), !self.undone.is_empty())
    }

    /// Forgets everything: another world is loaded.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

/// Whether both write the same field of the same entities, or the same parameter.
pub(crate) fn is_same_field(one: &Command, other: &Command) -> bool {
    match (one, other) {
        (
            Command::Set { entities, target, .. },
            Command::Set { entities: other_entities, target: other_target, .. },
        ) => entities == other_entities && target == other_target,
        (Command::Param { system, name, .. }, Command::Param { system: other, name: other_name, .. }) => {
            system == other && name == other_name
        }
        (Command::Period { system, .. }, Command::Period { system: other, .. }) => system == other,
        _ => false,
    }
}

/// What is known of the world before an edit.
pub(crate) struct Before<'a> {
    /// The snapshot.
    pub(crate) snapshot: &'a Snapshot,
    /// What the entity list of the snapshot was asked for.
    pub(crate) list: Option<&'a EntitiesRequest>,
}

impl Before<'_> {
    /// The step a command is; none if it edits nothing.
    pub(crate) fn step(&self, command: &Command) -> Option<Step> {
        let (title, undo) = match command {
            Command::Set { entities, target, .. } => {
                let title = format!("set {}.{}", target.component, target.field);
                (title, self.undo_set(entities, target).map_or(Undo::Never, Undo::By))
            }
            Command::Spawn { .. } => ("spawn".to_owned(), Undo::RemoveCreated),
            Command::Duplicate { .. } => ("duplicate".to_owned(), Undo::RemoveCreated),
            Command::Kill { entities } => ("kill".to_owned(), self.undo_kill(entities)),
            Command::Remove { entities } => ("remove".to_owned(), self.undo_kill(entities)),
            Command::Add { entity, component } => {
                let undo = Command::Drop { entity: *entity, component: component.clone() };
                (format!("add {component}"), Undo::By(vec![undo]))
            }
            Command::Drop { entity, component } => {
                let undo = self.undo_drop(*entity, component).map_or(Undo::Never, Undo::By);
                (format!("remove {component}"), undo)
            }
            Command::Enable { system, on } => {
                let title = if *on { "switch a system on" } else { "switch a system off" };
                (title.to_owned(), Undo::By(vec![Command::Enable { system: *system, on: !on }]))
            }
            Command::Period { system, .. } => {
                let undo = self.system(*system).map(|view| {
                    Undo::By(vec![Command::Period { system: *system, milliseconds: view.period }])
                });
                ("set a period".to_owned(), undo.unwrap_or(Undo::Never))
            }
            Command::Param { system, name, .. } => {
                let value = self.system(*system).and_then(|view| {
                    view.params.iter().find(|(field, _)| field.name == *name).map(|(_, value)| value.clone())
                });
                let undo = value.map_or(Undo::Never, |value| {
                    Undo::By(vec![Command::Param { system: *system, name: name.clone(), value }])
                });
                (format!("set {name}"), undo)
            }
            _ => return None,
        };
        Some(Step { title, redo: command.clone(), undo })
    }

    fn system(&self, id: SystemId) -> Option<&SystemView> {
        self.snapshot.systems.iter().find(|system| system.id == id)
    }

    fn detail(&self, entity: Ordinal) -> Option<&EntityDetail> {
        self.snapshot.details.iter().find(|detail| detail.ordinal == entity)
    }

    /// The component of this name, with the names of its fields.
    fn component(&self, name: &str) -> Option<(ComponentId, Vec<&str>)> {
        let component = self.snapshot.catalog.components.iter().find(|component| component.name == name)?;
        Some((component.id, component.fields.iter().map(|field| field.name.as_str()).collect()))
    }

    fn state(&self, entity: Ordinal, component: ComponentId) -> Option<&ComponentState> {
        self.detail(entity)?.components.iter().find(|state| state.component == component)
    }

    /// The value of a field, if the snapshot shows it.
    fn value(&self, entity: Ordinal, target: &Target) -> Option<FieldValue> {
        let (component, fields) = self.component(&target.component)?;
        if let Some(state) = self.state(entity, component) {
            let at = fields.iter().position(|field| *field == target.field)?;
            return state.values.get(at).cloned();
        }
        let column = format!("{}.{}", target.component, target.field);
        let at = self.list?.fields.iter().position(|field| *field == column)?;
        let row = self.snapshot.entities.as_ref()?.rows.iter().find(|row| row.ordinal == entity)?;
        row.fields.get(at)?.clone()
    }

    /// One command for each value there was, with the entities that had it.
    fn undo_set(&self, entities: &[Ordinal], target: &Target) -> Option<Vec<Command>> {
        let mut before: Vec<(FieldValue, Vec<Ordinal>)> = Vec::new();
        for entity in entities {
            let value = self.value(*entity, target)?;
            match before.iter_mut().find(|(other, _)| *other == value) {
                Some((_, entities)) => entities.push(*entity),
                None => before.push((value, vec![*entity])),
            }
        }
        let set = |(value, entities)| Command::Set { entities, target: target.clone(), value };
        Some(before.into_iter().map(set).collect())
    }

    /// Adds the component again and writes what its fields had.
    fn undo_drop(&self, entity: Ordinal, component: &str) -> Option<Vec<Command>> {
        let (id, fields) = self.component(component)?;
        let state = self.state(entity, id)?;
        let mut commands = vec![Command::Add { entity, component: component.to_owned() }];
        commands.extend(fields.iter().zip(&state.values).map(|(field, value)| Command::Set {
            entities: vec![entity],
            target: Target { component: component.to_owned(), field: (*field).to_owned() },
            value: value.clone(),
        }));
        Some(commands)
    }

    /// Creates the entities anew from what was shown of them: under new ids, so that nobody points to them.
    fn undo_kill(&self, entities: &[Ordinal]) -> Undo {
        let spawn = |entity: &Ordinal| Some(Command::Spawn { config: self.config(self.detail(*entity)?) });
        entities.iter().map(spawn).collect::<Option<Vec<_>>>().map_or(Undo::Never, Undo::By)
    }

    /// A config that creates an entity like this one.
    fn config(&self, detail: &EntityDetail) -> BTreeMap<String, serde_json::Value> {
        let mut config = BTreeMap::new();
        if !detail.type_name.is_empty() {
            config.insert("type".to_owned(), detail.type_name.as_ref().into());
        }
        for state in &detail.components {
            let Some(component) = self.snapshot.catalog.component(state.component) else { continue };
            for (field, value) in component.fields.iter().zip(&state.values) {
                if let (Some(key), Some(value)) = (&field.key, plain_value(value)) {
                    config.insert(key.clone(), value);
                }
            }
        }
        config
    }
}

/// The value as a config writes it; none for what means something only in the world it comes from.
fn plain_value(value: &FieldValue) -> Option<serde_json::Value> {
    match value {
        FieldValue::Bool(value) => Some((*value).into()),
        FieldValue::Uint(value) => Some((*value).into()),
        FieldValue::Int(value) => Some((*value).into()),
        FieldValue::Float(value) => serde_json::Number::from_f64(*value).map(Into::into),
        FieldValue::Text(value) => Some(value.as_str().into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use vivarium_world::inspect::{
        BlockState, CatalogView, ComponentView, EntityPage, EntityRow, RawBlock, SystemState,
    };
    use vivarium_world::{EntityId, Field, Role, Scalar};

    const HEALTH: ComponentId = ComponentId(1);

    fn field(name: &str) -> Field {
        Field {
            name: name.into(),
            scalar: Scalar::F64,
            offset: 0,
            key: Some(name.into()),
            default: FieldValue::Float(0.0),
            role: Role::Plain,
            unit: None,
            range: None,
        }
    }

    fn id(ordinal: u64) -> EntityId {
        EntityId::from_bits(1 << 32 | ordinal).unwrap()
    }

    /// Entity `ordinal`, a guardian, with this health.
    fn detail(ordinal: u64, health: f64) -> EntityDetail {
        let raw = RawBlock { bytes: vec![0; 8], row: 0, page: 0, state: BlockState::Live };
        EntityDetail {
            ordinal: Ordinal(ordinal),
            id: id(ordinal),
            type_name: "guardian".into(),
            class: "actor".into(),
            dead: false,
            is_static: false,
            row: 0,
            components: vec![ComponentState {
                component: HEALTH,
                values: vec![FieldValue::Float(health)],
                template: None,
                raw,
                tick: 0,
                held_by: None,
            }],
            systems: Vec::new(),
        }
    }

    fn snapshot() -> Snapshot {
        let component = |id, name: &str, fields| ComponentView {
            id,
            name: name.into(),
            size: 8,
            fields,
            load_keys: Vec::new(),
        };
        let components = vec![
            component(ComponentId::ENTITY, "entity", vec![]),
            component(HEALTH, "health", vec![field("health")]),
        ];
        let row = EntityRow {
            ordinal: Ordinal(9),
            id: id(9),
            type_name: "guardian".into(),
            class: "actor".into(),
            components: vec![HEALTH],
            fields: vec![Some(FieldValue::Float(30.0))],
            dead: false,
        };
        let system = SystemView {
            id: SystemId(2),
            name: "bounce".into(),
            kind: "worker",
            enabled: true,
            period: 50.0,
            reads: vec![],
            writes: vec![],
            creates: None,
            kills: false,
            exclusive: false,
            batch: None,
            params: vec![(field("damping"), FieldValue::Float(0.9))],
            members: 0,
            runs: 0,
            mean: Duration::ZERO,
            mean_chunk: None,
            state: SystemState::Idle,
            waiting: 0,
            last_error: None,
        };
        Snapshot {
            catalog: Arc::new(CatalogView { components, ..CatalogView::default() }),
            entities: Some(EntityPage { rows: vec![row], ..EntityPage::default() }),
            details: vec![detail(1, 10.0), detail(2, 20.0), detail(3, 10.0)],
            systems: vec![system],
            ..Snapshot::default()
        }
    }

    fn set(entities: &[u64], value: f64) -> Command {
        Command::Set {
            entities: entities.iter().map(|entity| Ordinal(*entity)).collect(),
            target: Target { component: "health".into(), field: "health".into() },
            value: FieldValue::Float(value),
        }
    }

    fn undo(command: Command) -> Undo {
        let list = EntitiesRequest { fields: vec!["health.health".into()], ..EntitiesRequest::default() };
        Before { snapshot: &snapshot(), list: Some(&list) }.step(&command).expect("an edit").undo
    }

    #[test]
    fn a_set_is_taken_back_value_by_value() {
        assert_eq!(undo(set(&[1, 2, 3], 99.0)), Undo::By(vec![set(&[1, 3], 10.0), set(&[2], 20.0)]));
    }

    #[test]
    fn a_value_shown_in_the_list_is_known_too() {
        assert_eq!(undo(set(&[1, 9], 99.0)), Undo::By(vec![set(&[1], 10.0), set(&[9], 30.0)]));
    }

    #[test]
    fn what_was_not_shown_cannot_be_taken_back() {
        assert_eq!(undo(set(&[1, 77], 99.0)), Undo::Never);
        assert_eq!(undo(Command::Kill { entities: vec![Ordinal(77)] }), Undo::Never);
        assert_eq!(undo(Command::Drop { entity: Ordinal(77), component: "health".into() }), Undo::Never);
    }

    #[test]
    fn a_component_taken_away_comes_back_with_its_values() {
        let (entity, component) = (Ordinal(2), "health".to_owned());
        let add = Command::Add { entity, component: component.clone() };
        let drop = Command::Drop { entity, component };
        assert_eq!(undo(drop.clone()), Undo::By(vec![add.clone(), set(&[2], 20.0)]));
        assert_eq!(undo(add), Undo::By(vec![drop]));
    }

    #[test]
    fn a_killed_entity_is_created_anew() {
        let config =
            [("type".to_owned(), "guardian".into()), ("health".to_owned(), serde_json::json!(20.0))].into();
        let kill = Command::Kill { entities: vec![Ordinal(2)] };
        assert_eq!(undo(kill), Undo::By(vec![Command::Spawn { config }]));
    }

    #[test]
    fn systems_get_back_what_they_had() {
        let system = SystemId(2);
        let period = |milliseconds| Command::Period { system, milliseconds };
        assert_eq!(undo(period(0.0)), Undo::By(vec![period(50.0)]));
        let param =
            |value| Command::Param { system, name: "damping".into(), value: FieldValue::Float(value) };
        assert_eq!(undo(param(0.1)), Undo::By(vec![param(0.9)]));
        let enable = |on| Command::Enable { system, on };
        assert_eq!(undo(enable(false)), Undo::By(vec![enable(true)]));
    }

    #[test]
    fn what_edits_nothing_is_no_step() {
        let snapshot = snapshot();
        let before = Before { snapshot: &snapshot, list: None };
        for command in [Command::Run, Command::Hash, Command::Compact, Command::Step { steps: 1 }] {
            assert_eq!(before.step(&command), None);
        }
    }

    fn step(redo: Command) -> Step {
        let undo = undo(redo.clone());
        Step { title: "set".into(), redo, undo }
    }

    #[test]
    fn undo_leads_back_to_what_was_saved_and_not_past_it() {
        let enable = |on: bool| Step {
            undo: Undo::By(vec![Command::Enable { system: SystemId(0), on: !on }]),
            ..step(Command::Enable { system: SystemId(0), on })
        };
        let (mut edits, now) = (Edits::default(), Instant::now());
        assert!(!edits.is_back(), "edits it knows nothing of are not taken back");
        edits.push(enable(true), now);
        edits.undo();
        assert!(edits.is_back());
        edits.push(enable(true), now);
        edits.mark_saved();
        edits.undo();
        assert!(!edits.is_back());
        let again = edits.redo().unwrap();
        edits.push_again(again);
        assert!(edits.is_back());
        edits.undo();
        edits.push(enable(false), now);
        assert!(!edits.is_back(), "what was saved was among what was taken back");
        edits.mark_saved();
        edits.push(Step { undo: Undo::Never, ..enable(true) }, now);
        edits.push(enable(true), now);
        assert!(!edits.is_back());
    }

    #[test]
    fn a_value_dragged_on_after_a_save_is_a_step_of_its_own() {
        let param = |value| {
            let command = Command::Param { system: SystemId(0), name: "p".into(), value };
            Step { undo: Undo::By(vec![command.clone()]), ..step(command) }
        };
        let (mut edits, now) = (Edits::default(), Instant::now());
        edits.push(param(FieldValue::Int(1)), now);
        edits.mark_saved();
        edits.push(param(FieldValue::Int(2)), now);
        assert!(!edits.is_back());
        edits.undo();
        assert!(edits.is_back());
    }

    #[test]
    fn a_dragged_value_is_one_step() {
        let (mut edits, start) = (Edits::default(), Instant::now());
        for n in 0..50_u64 {
            edits.push(step(set(&[1], n as f64)), start + Duration::from_millis(n * 16));
        }
        edits.push(step(set(&[2], 5.0)), start + Duration::from_millis(810));
        assert_eq!(edits.undo().unwrap().redo, set(&[2], 5.0));
        let dragged = edits.undo().unwrap();
        assert_eq!((dragged.redo, dragged.undo), (set(&[1], 49.0), Undo::By(vec![set(&[1], 10.0)])));
        assert_eq!(edits.can_go(), (false, true));
    }

    #[test]
    fn undo_and_redo_walk_the_same_way_until_a_new_edit() {
        let (mut edits, start) = (Edits::default(), Instant::now());
        let later = start + Duration::from_secs(5);
        edits.push(step(set(&[1], 1.0)), start);
        edits.push(step(set(&[2], 2.0)), start);
        edits.undo();
        assert_eq!(edits.can_go(), (true, true));
        let again = edits.redo().unwrap();
        assert_eq!(again.redo, set(&[2], 2.0));
        edits.push_again(again);
        edits.undo();
        edits.push(step(set(&[3], 3.0)), later);
        assert_eq!(edits.can_go(), (true, false), "the way forward is gone");
    }

    #[test]
    fn what_cannot_be_taken_back_ends_the_history() {
        let (mut edits, now) = (Edits::default(), Instant::now());
        edits.push(step(set(&[1], 1.0)), now);
        edits.push(step(Command::Kill { entities: vec![Ordinal(77)] }), now);
        assert_eq!(edits.can_go(), (false, false));
    }

    #[test]
    fn entities_created_by_undo_are_killed_by_redo() {
        let (mut edits, now) = (Edits::default(), Instant::now());
        edits.push(step(Command::Kill { entities: vec![Ordinal(1), Ordinal(2)] }), now);
        edits.undo();
        edits.created_by_undo(&[Ordinal(50)], true);
        edits.created_by_undo(&[Ordinal(51)], false);
        let again = edits.redo().unwrap();
        assert_eq!(again.redo, Command::Kill { entities: vec![Ordinal(50), Ordinal(51)] });
    }
}
