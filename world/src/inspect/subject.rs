//! Entities of a world as filters and assertions see them.

use crate::component::{Entity, Field, FieldValue, Role};
use crate::filter::{Names, Subject, SubjectValue};
use crate::id::{ComponentId, EntityId, Ordinal};
use crate::world::World;
use std::collections::HashMap;
use std::sync::Arc;

/// The world's strings and the class of each type, looked up once instead of once an entity.
pub(crate) struct Texts {
    all: crate::component::Texts,
    class_of: HashMap<Arc<str>, Arc<str>>,
    pub(super) none: Arc<str>,
}

impl Texts {
    pub(crate) fn new(world: &World) -> Self {
        let class = |template: &crate::entity::Template| {
            let class = template.class.as_deref().unwrap_or_default();
            (Arc::from(template.name.as_str()), Arc::from(class))
        };
        let class_of = world.factory().templates().map(class).collect();
        Self { all: world.strings().all(), class_of, none: Arc::from("") }
    }

    fn get(&self, number: u32) -> &Arc<str> {
        self.all.get(number).unwrap_or(&self.none)
    }

    /// What a block holds in a field with the role `Text`.
    pub(super) fn in_block(&self, field: &Field, block: &[u8]) -> &str {
        self.get(bytemuck::pod_read_unaligned(&block[field.offset..field.offset + 4]))
    }

    pub(super) fn of_type(&self, number: u32) -> (Arc<str>, Arc<str>) {
        let name = self.get(number);
        (name.clone(), self.class_of.get(name).unwrap_or(&self.none).clone())
    }
}

/// An entity as filters see it.
pub(crate) struct WorldSubject<'a> {
    world: &'a World,
    texts: &'a Texts,
    ordinal: Ordinal,
    id: EntityId,
    row: u32,
    entity: Option<Entity>,
}

impl<'a> WorldSubject<'a> {
    pub(crate) fn new(world: &'a World, texts: &'a Texts, ordinal: Ordinal, id: EntityId, row: u32) -> Self {
        Self { world, texts, ordinal, id, row, entity: world.entity_block(id) }
    }
}

impl Subject for WorldSubject<'_> {
    fn ordinal(&self) -> Ordinal {
        self.ordinal
    }
    fn id(&self) -> EntityId {
        self.id
    }
    fn type_name(&self) -> &str {
        self.texts.get(self.entity.map_or(0, |entity| entity.type_name()))
    }
    fn class_name(&self) -> &str {
        self.texts.class_of.get(self.type_name()).map_or("", |class| class)
    }
    fn has(&self, component: ComponentId) -> bool {
        self.world.storage.pool(component).present().has(self.row)
    }
    fn field(&self, component: ComponentId, field: usize) -> Option<SubjectValue<'_>> {
        let block = self.world.peek_bytes(self.id, component)?;
        let description = self.world.registry().get(component).fields().get(field)?;
        if description.role == Role::Text {
            return Some(SubjectValue::Text(self.texts.in_block(description, block)));
        }
        let ordinal_of = |id| self.world.ordinal(id);
        match crate::component::field_value(description, block, self.world.heap(), ordinal_of) {
            FieldValue::Entity(to) => Some(SubjectValue::Entity(to)),
            value => value.as_f64().map(SubjectValue::Number),
        }
    }
    fn is_static(&self) -> bool {
        self.entity.is_some_and(|entity| entity.is_static())
    }
    fn is_dead(&self) -> bool {
        self.entity.is_some_and(|entity| entity.is_dead())
    }
    fn changed_within(&self, ticks: u64) -> bool {
        self.world.changed_within(self.id, ticks)
    }
}

/// Names of a world for compiling filters, without a snapshot.
impl Names for World {
    fn component(&self, name: &str) -> Option<ComponentId> {
        self.registry().by_name(name)
    }
    fn fields(&self, component: ComponentId) -> &[Field] {
        self.registry().get(component).fields()
    }
    fn component_names(&self) -> Vec<&str> {
        self.registry().iter().map(|(_, definition)| definition.name()).collect()
    }
    fn type_names(&self) -> Vec<&str> {
        self.factory().templates().map(|template| template.name.as_str()).collect()
    }
    fn class_names(&self) -> Vec<&str> {
        self.factory().classes().map(|class| class.name.as_str()).collect()
    }
}

impl World {
    /// Calls `each` with every entity in creation order, as filters and assertions see it.
    pub fn each_subject(&self, mut each: impl FnMut(&dyn Subject)) {
        let texts = Texts::new(self);
        for (ordinal, id) in self.in_order() {
            if let Some(row) = self.row(id) {
                each(&WorldSubject::new(self, &texts, ordinal, id, row));
            }
        }
    }
}
