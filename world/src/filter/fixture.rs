//! A small world to ask questions about.

use super::evaluate::{Subject, SubjectValue};
use super::names::Names;
use crate::component::{Field, FieldValue, Role, Scalar};
use crate::id::{ComponentId, EntityId, Ordinal};

pub(super) struct World {
    components: Vec<(&'static str, Vec<Field>)>,
    pub(super) entities: Vec<Entity>,
}

#[derive(Default)]
pub(super) struct Entity {
    ordinal: u64,
    id: (u32, u32),
    type_name: &'static str,
    class: &'static str,
    blocks: Vec<(&'static str, Vec<FieldValue>)>,
    is_static: bool,
    dead: bool,
    changed: u64,
}

fn field(name: &str, scalar: Scalar, role: Role) -> Field {
    Field {
        name: name.to_owned(),
        scalar,
        offset: 0,
        key: None,
        default: FieldValue::Uint(0),
        role,
        unit: (scalar == Scalar::F32).then(|| "px".to_owned()),
        range: None,
    }
}

/// | ordinal | id | type | class | |
/// |---|---|---|---|---|
/// | 0 | 0v1 | oak | tree | static, body solid |
/// | 1 | 1v1 | wolf | actor | velocity 3, 4; health 5; body; name "Grey"; target #2 |
/// | 2 | 2v3 | hare | actor | velocity -6, 0.5; health 12; name "it's"; target none |
/// | 3 | 42v3 | oak tree | tree | dead, frozen, my part |
/// | 4 | 12v1 | (none) | (none) | health that is not a number; changed in the last tick |
pub(super) fn world() -> World {
    use FieldValue::{Bool, Entity as To, Float, Text, Uint};
    let components = vec![
        ("entity", vec![]),
        ("velocity", vec![field("x", Scalar::F32, Role::Plain), field("y", Scalar::F32, Role::Plain)]),
        ("health", vec![field("health", Scalar::F32, Role::Plain)]),
        (
            "body",
            vec![field("solid", Scalar::Bool8, Role::Plain), field("colour", Scalar::U32, Role::Colour)],
        ),
        ("name", vec![field("text", Scalar::U32, Role::Text)]),
        ("hunt", vec![field("target", Scalar::U64, Role::Entity), field("past", Scalar::U32, Role::List)]),
        ("frozen", vec![]),
        ("my part", vec![field("a field", Scalar::U8, Role::Plain)]),
    ];
    let velocity = |x, y| ("velocity", vec![Float(x), Float(y)]);
    let health = |health| ("health", vec![Float(health)]);
    let body = |solid, colour| ("body", vec![Bool(solid), Uint(colour)]);
    let name = |text: &str| ("name", vec![Text(text.to_owned())]);
    let hunt = |whom: Option<u64>| ("hunt", vec![To(whom.map(Ordinal)), Uint(0)]);
    let entities = vec![
        Entity {
            ordinal: 0,
            id: (0, 1),
            type_name: "oak",
            class: "tree",
            blocks: vec![body(true, 0x00ff_00ff)],
            is_static: true,
            changed: 100,
            ..Entity::default()
        },
        Entity {
            ordinal: 1,
            id: (1, 1),
            type_name: "wolf",
            class: "actor",
            blocks: vec![
                velocity(3.0, 4.0),
                health(5.0),
                body(false, 0x8080_80ff),
                name("Grey"),
                hunt(Some(2)),
            ],
            changed: 5,
            ..Entity::default()
        },
        Entity {
            ordinal: 2,
            id: (2, 3),
            type_name: "hare",
            class: "actor",
            blocks: vec![velocity(-6.0, 0.5), health(12.0), name("it's"), hunt(None)],
            changed: 6,
            ..Entity::default()
        },
        Entity {
            ordinal: 3,
            id: (42, 3),
            type_name: "oak tree",
            class: "tree",
            blocks: vec![("frozen", vec![]), ("my part", vec![Uint(7)])],
            dead: true,
            changed: 100,
            ..Entity::default()
        },
        Entity { ordinal: 4, id: (12, 1), blocks: vec![health(f64::NAN)], changed: 1, ..Entity::default() },
    ];
    World { components, entities }
}

impl World {
    pub(super) fn subjects(&self) -> impl Iterator<Item = View<'_>> {
        self.entities.iter().map(|entity| View { world: self, entity })
    }
}

impl Names for World {
    fn component(&self, name: &str) -> Option<ComponentId> {
        let index = self.components.iter().position(|(known, _)| *known == name)?;
        Some(ComponentId(index as u16))
    }
    fn fields(&self, component: ComponentId) -> &[Field] {
        self.components.get(component.index()).map_or(&[], |(_, fields)| fields)
    }
    fn component_names(&self) -> Vec<&str> {
        self.components.iter().map(|(name, _)| *name).collect()
    }
    fn type_names(&self) -> Vec<&str> {
        vec!["oak", "wolf", "hare", "oak tree"]
    }
    fn class_names(&self) -> Vec<&str> {
        vec!["tree", "actor"]
    }
}

pub(super) struct View<'a> {
    world: &'a World,
    entity: &'a Entity,
}

impl View<'_> {
    fn block(&self, component: ComponentId) -> Option<&[FieldValue]> {
        let name = self.world.components[component.index()].0;
        self.entity.blocks.iter().find(|(known, _)| *known == name).map(|(_, values)| &values[..])
    }
}

impl Subject for View<'_> {
    fn ordinal(&self) -> Ordinal {
        Ordinal(self.entity.ordinal)
    }
    fn id(&self) -> EntityId {
        EntityId::new(self.entity.id.0, self.entity.id.1)
    }
    fn type_name(&self) -> &str {
        self.entity.type_name
    }
    fn class_name(&self) -> &str {
        self.entity.class
    }
    fn has(&self, component: ComponentId) -> bool {
        component == ComponentId::ENTITY || self.block(component).is_some()
    }
    fn field(&self, component: ComponentId, field: usize) -> Option<SubjectValue<'_>> {
        self.block(component)?.get(field).map(SubjectValue::from)
    }
    fn is_static(&self) -> bool {
        self.entity.is_static
    }
    fn is_dead(&self) -> bool {
        self.entity.dead
    }
    fn changed_within(&self, ticks: u64) -> bool {
        self.entity.changed <= ticks
    }
}
