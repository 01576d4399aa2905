//! Templates as they are now, beside what the scene file says of them.

use super::entities::EntityList;
use super::{CatalogView, ClassView, ComponentView};
use crate::component::{FieldValue, field_value};
use crate::config::{Config, Value};
use crate::entity::{Prepared, Template};
use crate::id::ComponentId;
use crate::world::World;
use std::collections::HashMap;
use std::sync::Arc;

/// A template.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateView {
    /// Its name, the type of its entities.
    pub name: String,
    /// Its class, if it has one.
    pub class: Option<String>,
    /// Its keys, in their order.
    pub keys: Vec<TemplateKey>,
    /// Keys the scene file gives it and an edit took out, each with the file's value as JSON.
    pub removed: Vec<(String, String)>,
    /// The components its entities are made of.
    pub components: Vec<ComponentId>,
    /// What its entities begin with, a value a field: what the keys give, and defaults for the rest. None if no
    /// entity can be made of it.
    pub values: Option<HashMap<ComponentId, Vec<FieldValue>>>,
    /// Living entities of this type when the snapshot was made.
    pub instances: usize,
}

impl TemplateView {
    /// Whether it is unlike what the scene file says.
    pub fn is_edited(&self) -> bool {
        !self.removed.is_empty() || self.keys.iter().any(|key| key.origin != KeyOrigin::Scene)
    }

    /// Its key of this name.
    pub fn key(&self, name: &str) -> Option<&TemplateKey> {
        self.keys.iter().find(|key| key.key == name)
    }
}

/// A key of a template.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateKey {
    /// Its name.
    pub key: String,
    /// Its value as JSON.
    pub value: String,
    /// The components it loads, by name.
    pub loads: Vec<String>,
    /// Where it comes from.
    pub origin: KeyOrigin,
}

/// Where a key of a template comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum KeyOrigin {
    /// The scene file.
    Scene,
    /// An edit since; the file's value as JSON, none if it does not have the key.
    Edited(Option<String>),
}

/// What the scene file says of each template.
pub(super) type Written = HashMap<String, Config<'static>>;

/// What the templates of a world say now, for [`Written`].
pub(super) fn written(world: &World) -> Written {
    world.factory().templates().map(|template| (template.name.clone(), template.config.clone())).collect()
}

/// Components, classes and templates of a world.
pub(super) fn catalog(world: &World, entities: &EntityList, written: &Written) -> CatalogView {
    let registry = world.registry();
    let counts = entities.count_types(world);
    let components = registry.iter().map(|(id, definition)| ComponentView {
        id,
        name: definition.name().to_owned(),
        size: definition.size(),
        fields: definition.fields().to_vec(),
        load_keys: definition.keys(),
    });
    let factory = world.factory();
    let classes = factory
        .classes()
        .map(|class| ClassView { name: class.name.clone(), components: class.components.clone() });
    let templates = factory.templates().map(|template| {
        let instances = counts.get(template.name.as_str()).copied().unwrap_or(0);
        view(world, template, written.get(&template.name), instances)
    });
    CatalogView {
        components: components.collect(),
        classes: classes.collect(),
        templates: templates.collect(),
        bounds: world.info().bounds,
    }
}

fn view(
    world: &World,
    template: &Template,
    written: Option<&Config<'static>>,
    instances: usize,
) -> TemplateView {
    let registry = world.registry();
    let class = world.factory().class_of(&template.name);
    let permitted = |c: &&ComponentId| class.is_none_or(|class| class.components.contains(c));
    let loads = |key: &str| -> Vec<ComponentId> {
        registry.loaded_by(key).iter().filter(permitted).copied().collect()
    };
    let in_scene = |key: &str| written.and_then(|written| written.get(key));
    let keys = template.config.iter().map(|(key, value)| TemplateKey {
        key: key.to_owned(),
        value: json(value),
        loads: loads(key).iter().map(|c| registry.get(*c).name().to_owned()).collect(),
        origin: match in_scene(key) {
            Some(before) if before == value => KeyOrigin::Scene,
            before => KeyOrigin::Edited(before.map(json)),
        },
    });
    let removed = written.into_iter().flat_map(Config::iter).filter(|(key, _)| !template.config.has(key));
    let mut components: Vec<ComponentId> = template.config.iter().flat_map(|(key, _)| loads(key)).collect();
    components.sort_unstable();
    components.dedup();
    TemplateView {
        name: template.name.clone(),
        class: template.class.clone(),
        keys: keys.collect(),
        removed: removed.map(|(key, value)| (key.to_owned(), json(value))).collect(),
        components,
        values: values(world, &template.name),
        instances,
    }
}

fn json(value: &Value<'_>) -> String {
    serde_json::to_string(value).unwrap_or_else(|error| error.to_string())
}

/// What an entity of a type begins with; none if no template is named so, or it makes no entity.
fn values(world: &World, type_name: &str) -> Option<HashMap<ComponentId, Vec<FieldValue>>> {
    let mut prepared = Prepared::default();
    let config = Config::from_iter([("type", type_name)]);
    world.factory().template(type_name)?;
    world.factory().prepare(world.registry(), world.heap(), &config, &mut prepared).ok()?;
    let values = |(component, block): (ComponentId, &[u8])| {
        let fields = world.registry().get(component).fields().iter();
        (component, fields.map(|field| field_value(field, block, world.heap(), |_| None)).collect())
    };
    let values = prepared.blocks(world.registry()).map(values).collect();
    prepared.release_lists(world.registry(), world.lists());
    Some(values)
}

/// The values of a type's template in a catalog, for one component.
pub(super) fn values_of(
    catalog: &CatalogView,
    type_name: &Arc<str>,
    component: ComponentId,
) -> Option<Vec<FieldValue>> {
    let template = catalog.templates.iter().find(|template| *template.name == **type_name)?;
    template.values.as_ref()?.get(&component).cloned()
}
